import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { scratchDatabase, type Scratch } from '../../test/scratch.ts'
import { openSignals, type Signals } from './signals.ts'

let scratch: Scratch
let wires: Signals[] = []

beforeAll(async () => {
  scratch = await scratchDatabase()
})

afterEach(async () => {
  await Promise.all(wires.map((signals) => signals.close()))
  wires = []
})

afterAll(() => scratch.drop())

test('a word reaches this process at once and once, and the others in order', async () => {
  const [here, there] = [await open(), await open()]
  const heardHere = await listen(here, 'access')
  const heardThere = await listen(there, 'access')
  here.notify('access', 'user 1')
  here.notify('access', 'user 2')
  expect(heardHere).toEqual(['user 1', 'user 2'])
  await until(() => expect(heardThere).toEqual(['user 1', 'user 2']))
  there.notify('access', 'user 3')
  await until(() => expect(heardHere).toEqual(['user 1', 'user 2', 'user 3']))
})

test('no word is forgotten, whenever it comes', async () => {
  const [here, there] = [await open(), await open()]
  const heard = await listen(there, 'access')
  const said = Array.from({ length: 1000 }, (_, i) => String(i))
  for (const [i, payload] of said.entries()) {
    here.notify('access', payload)
    if (i % 3 === 0) await new Promise(setImmediate)
    for (let turns = i % 10; turns > 0; turns--) await Promise.resolve()
  }
  await until(() => expect(heard).toEqual(said))
})

test('channels do not mix', async () => {
  const [here, there] = [await open(), await open()]
  const news = await listen(there, 'news')
  const access = await listen(there, 'a channel with "marks"')
  here.notify('a channel with "marks"', 'x')
  await until(() => expect(access).toEqual(['x']))
  expect(news).toEqual([])
})

test('many empty words become few, and the last is never dropped', async () => {
  const [here, there] = [await open(), await open()]
  const heard = await listen(there, 'news')
  let said = 0
  for (; heard.length < 4; said++) {
    here.notify('news')
    await new Promise(setImmediate)
  }
  const soFar = heard.length
  here.notify('news')
  await until(() => expect(heard.length).toBeGreaterThan(soFar))
  here.notify('news', 'the last')
  // An empty word that waited out its pause may follow it.
  await until(() => expect(heard).toContain('the last'))
  expect(heard.length).toBeLessThan(said / 2)
  expect(new Set(heard)).toEqual(new Set(['', 'the last']))
})

test('a payload that is too long says that anything may have happened', async () => {
  const [here, there] = [await open(), await open()]
  const heard = await listen(there, 'access')
  here.notify('access', 'x'.repeat(7999))
  here.notify('access', 'é'.repeat(4000))
  await until(() => expect(heard).toEqual(['x'.repeat(7999), '']))
})

test('after a loss listeners hear that they may have missed something, and go on hearing', async () => {
  const [here, there] = [await open(), await open()]
  const heard = await listen(there, 'access')
  await cutConnections()
  here.notify('access', 'said while all were away')
  await until(() => expect(heard).toContain(''))
  await until(() => expect([here.connected(), there.connected()]).toEqual([true, true]))
  here.notify('access', 'said later')
  await until(() => expect(heard.at(-1)).toBe('said later'))
})

test('what was said while the database was away is sent once it is back', async () => {
  const heard = await listen(await open(), 'access')
  const back = Promise.withResolvers<void>()
  const database = scratch.another()
  const away = openSignals({
    ...database,
    connection: () => back.promise.then(() => database.connection()),
  })
  wires.push(away)
  for (const payload of ['one', 'two', 'three']) away.notify('access', payload)
  expect(away.connected()).toBe(false)
  back.resolve()
  await until(() => expect(heard).toEqual(['one', 'two', 'three']))
})

test('more words than a connection may wait for become one that says that anything may have happened', async () => {
  const heard = await listen(await open(), 'access')
  const back = Promise.withResolvers<void>()
  const database = scratch.another()
  const away = openSignals({
    ...database,
    connection: () => back.promise.then(() => database.connection()),
  })
  wires.push(away)
  for (let i = 0; i <= 1000; i++) away.notify('access', `user ${i}`)
  back.resolve()
  await until(() => expect(heard).toEqual(['']))
})

test('whoever stopped listening hears nothing', async () => {
  const signals = await open()
  const heard: string[] = []
  const off = signals.on('news', (payload) => heard.push(payload))
  await until(() => expect(heard).toEqual(['']))
  off()
  signals.notify('news', 'x')
  expect(heard).toEqual([''])
})

test('closing sends what was said just before', async () => {
  const heard = await listen(await open(), 'access')
  const brief = openSignals(scratch.another())
  for (const payload of ['last', 'words', '', '']) brief.notify('access', payload)
  await brief.close()
  await until(() => expect(heard.slice(0, 3)).toEqual(['last', 'words', '']))
  expect(brief.connected()).toBe(false)
})

async function open(): Promise<Signals> {
  const signals = openSignals(scratch.another())
  wires.push(signals)
  await until(() => expect(signals.connected()).toBe(true))
  return signals
}

/** The payloads that `signals` delivers on `channel` from now on. Resolves after the first ''. */
async function listen(signals: Signals, channel: string): Promise<string[]> {
  const heard: string[] = []
  signals.on(channel, (payload) => heard.push(payload))
  await until(() => expect(heard).toEqual(['']))
  heard.length = 0
  return heard
}

/** Ends the connections of all signals. */
async function cutConnections(): Promise<void> {
  await scratch.database.rows(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and query ~ '^listen|pg_notify'`)
}

function until(check: () => void): Promise<void> {
  return vi.waitFor(check, { timeout: 5000, interval: 5 })
}
