import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { atSomeMoment } from '../../test/moments.ts'
import { scratchDatabase, type Scratch } from '../../test/scratch.ts'
import { stretched } from '../../test/slow.ts'
import { connect, type Database, type Tx } from '../database/connect.ts'
import { follow, type Follower, type FollowOptions, type Following } from './follow.ts'
import { lastDrawn, type JournalRow } from './position.ts'

let scratch: Scratch
let name: string
let tests = 0
/** How often the followers have asked for the last id of the journal. */
let looked = 0
let running: Following[] = []
let clients: Client[] = []

beforeAll(async () => {
  scratch = await scratchDatabase()
  const client = await connection()
  await client.query(
    'create table told (follower text, by_whom text, id bigint, place bigint generated always as identity)',
  )
  await client.query(
    'create table records (id bigint primary key, version bigint not null default 0)',
  )
  await client.query('insert into records (id) select generate_series(1, 10)')
})

beforeEach(() => {
  name = `test ${++tests}`
})

afterEach(async () => {
  await Promise.all(running.map((following) => following.stop()))
  await Promise.all(clients.map((client) => client.end()))
  running = []
  clients = []
})

afterAll(() => scratch.drop())

test('changes are told in order, once, to a follower that was asleep too', async () => {
  const ids = [await change(1), await change(2)]
  const first = start({ from: 'start' })
  await untilReceived(ids)
  await first.stop()
  ids.push(await change(1), await change(3))
  start()
  await untilReceived(ids)
})

test('changes that do not concern a follower are passed by, and hold nothing back', async () => {
  const concerns = sql`news.entity_id = 3`
  await start({}, { concerns }).whenLocked
  const ids: number[] = []
  for (const record of [1, 2, 3, 1, 2]) ids.push(await change(record))
  await untilReceived([ids[1]!, ids[4]!])
  await untilAllRead()
  for (const record of [2, 5]) ids.push(await change(record))
  await untilReceived([ids[1]!, ids[4]!, ids[5]!])
  await untilAllRead()
})

test('a follower begins with the changes to come', async () => {
  await change(1)
  await start().ready
  const id = await change(1)
  await untilReceived([id])
})

test('a transaction that commits late is told, though later ids were told before', async () => {
  await start().whenLocked
  const late = await openTransaction()
  const first = await change(1, late)
  const others = [await change(2), await change(3)]
  await untilReceived(others)
  await late.query('commit')
  await untilReceived([...others, first])
})

test('a transaction with the newest number of all may stay open for long and is told', async () => {
  await start().whenLocked
  const before = await change(2)
  await untilReceived([before])
  const late = await openTransaction()
  const id = await change(1, late)
  await looks(30)
  expect(await position()).toMatchObject({
    low_water: expect.toSatisfy((low: number) => low < id) as number,
  })
  await late.query('commit')
  await untilReceived([before, id])
})

test('a transaction that took its number early and touches a record late is told in the order of the changes', async () => {
  await start().whenLocked
  const early = await openTransaction()
  await early.query('select pg_current_xact_id()')
  const first = await change(1)
  const second = await change(1, early)
  await untilReceived([first])
  await early.query('commit')
  await untilReceived([first, second])
})

test('a long foreign transaction delays nobody, and low_water moves when it ends', async () => {
  await start().whenLocked
  const foreign = await openTransaction()
  await foreign.query('select pg_current_xact_id()')
  const before = (await position()).low_water
  const ids: number[] = []
  for (let i = 0; i < 20; i++) {
    ids.push(await change(i % 10))
    await untilReceived(ids)
  }
  await looks(15)
  const { low_water, marks } = await position()
  expect(low_water).toBe(before)
  expect(marks.length).toBeLessThanOrEqual(16)
  await foreign.query('rollback')
  await untilAllRead()
})

test('ids of transactions that rolled back keep nothing', async () => {
  await start().whenLocked
  const ids: number[] = []
  for (let i = 0; i < 5; i++) {
    const lost = await openTransaction()
    await change(1, lost)
    ids.push(await change(2))
    await lost.query('rollback')
  }
  await untilReceived(ids)
  await untilAllRead()
})

test('an idle follower writes nothing', async () => {
  await start().whenLocked
  await untilReceived([await change(1)])
  await untilAllRead()
  const before = await version()
  await looks(40)
  expect(await version()).toBe(before)
})

test('a holder that lost its lock writes nothing, and another takes over', async () => {
  const gate = Promise.withResolvers<void>()
  const entered = Promise.withResolvers<void>()
  const slow = start({}, { by: 'slow', before: () => (entered.resolve(), gate.promise) })
  await slow.whenLocked
  const id = await change(1)
  await entered.promise
  const other = start({}, { by: 'other', database: scratch.another() })
  await other.ready
  await cutLock()
  await other.whenLocked
  await untilReceived([id])
  gate.resolve()
  const next = await change(1)
  await untilReceived([id, next])
  // It lets the batch in hand end.
  await slow.stop()
  expect(await tellers()).toEqual(['other'])
})

test('a holder that lost its lock rolls back though nobody has it yet', async () => {
  let attempts = 0
  const locks: Client[] = []
  const database = {
    ...scratch.database,
    connection: async () => {
      const client = await scratch.database.connection()
      locks.push(client)
      return client
    },
  }
  const loseLock = async () => {
    const lost = new Promise<void>((resolve) => void locks[0]!.once('end', () => resolve()))
    await cutLock()
    await lost
  }
  const following = start(
    {},
    { database, before: async () => void (attempts++ === 0 && (await loseLock())) },
  )
  await following.whenLocked
  const id = await change(1)
  await untilReceived([id])
  expect(attempts).toBe(2)
})

test('a holder whose epoch is over writes nothing, even with its lock in hand', async () => {
  let attempts = 0
  const usurp = sql`update followers set epoch = epoch + 1 where name = ${name}`
  const following = start(
    {},
    { before: async () => void (attempts++ === 0 && (await scratch.database.rows(usurp))) },
  )
  await following.whenLocked
  const id = await change(1)
  await untilReceived([id])
  expect(attempts).toBe(2)
})

test('of two processes exactly one handles, and the other goes on when it stops', async () => {
  const database = scratch.another()
  const both = { one: start({}, { by: 'one' }), two: start({}, { by: 'two', database }) }
  const holder = await Promise.race([
    both.one.whenLocked.then(() => 'one' as const),
    both.two.whenLocked.then(() => 'two' as const),
  ])
  const ids: number[] = []
  for (let i = 0; i < 50; i++) ids.push(await change(i % 10))
  await untilReceived(ids)
  expect(await tellers()).toEqual([holder])
  await both[holder].stop()
  ids.push(await change(1))
  await untilReceived(ids)
  expect(await tellers()).toHaveLength(2)
})

test('a handler that fails is tried again: nothing is skipped or doubled, and each complaint is heard once', async () => {
  let attempts = 0
  const error = vi.fn()
  const following = start(
    { log: { info: vi.fn(), error } },
    {
      after: () => {
        attempts++
        if (attempts < 4) throw new Error('the world is away')
        if (attempts < 5) throw new Error('the world is odd')
      },
    },
  )
  await following.whenLocked
  const ids = [await change(1), await change(1), await change(2)]
  await untilReceived(ids)
  expect(error).toHaveBeenCalledTimes(2)
})

test('marks of another cluster are dropped, the place is kept', async () => {
  const first = start()
  await first.whenLocked
  const ids = [await change(1)]
  await untilReceived(ids)
  await first.stop()
  const late = await openTransaction()
  ids.push(await change(1, late))
  const { low_water } = await position()
  await scratch.database.rows(sql`
    update followers set system_identifier = 'elsewhere', marks = ${JSON.stringify([{ id: ids[1]! + 10, xid: 1 }])}::jsonb
     where name = ${name}`)
  await start().whenLocked
  await looks(15)
  expect((await position()).low_water).toBe(low_water)
  expect((await position()).system_identifier).toMatch(/^\d+$/)
  await late.query('commit')
  await untilReceived(ids)
  await untilAllRead()
})

test('where the cluster may not be asked for its name, the start of the server stands in', async () => {
  const role = `follower_${Date.now()}`
  const client = await connection()
  await client.query('revoke execute on function pg_control_system from public')
  await client.query(`create role ${role}`)
  try {
    await client.query(
      `grant all on all tables in schema public to ${role}; grant all on all sequences in schema public to ${role}`,
    )
    const limited = connect(
      `${scratch.url}${scratch.url.includes('?') ? '&' : '?'}options=${encodeURIComponent(`-c role=${role}`)}`,
      2,
    )
    const following = start({}, { database: limited })
    await following.whenLocked
    await untilReceived([await change(1)])
    expect((await position()).system_identifier).toMatch(/^started /)
    await following.stop()
    await limited.close()
  } finally {
    await client.query(`drop owned by ${role}; drop role ${role}`)
  }
})

test(
  'many writers in random order: each change is told once, and in order per record',
  { timeout: stretched(60_000) },
  async () => {
    const from = await lastDrawn(scratch.database)
    const seed = Math.floor(Math.random() * 2 ** 31)
    const random = randomFrom(seed)
    const followers = [
      start({}, { batch: 7, by: '0' }),
      start({}, { batch: 7, by: '1', database: scratch.another() }),
    ]
    await Promise.race(followers.map(({ whenLocked }) => whenLocked))
    const writers = await Promise.all(Array.from({ length: 6 }, () => writer(random)))
    const disturbing = (async () => {
      for (let i = 1; i <= 4; i++) {
        await vi.waitUntil(async () => (await received()).length >= 40 * i, { timeout: 20_000 })
        await scratch.database.rows(sql`
        select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid)
         where locktype = 'advisory' and granted and datname = current_database()`)
      }
    })()
    await Promise.all([...writers.map((write) => write(60)), disturbing])
    const committed = await scratch.database.rows<{ id: number }>(
      sql`select id from journal where id > ${from} order by id`,
    )
    await vi.waitFor(async () => expect(await received()).toHaveLength(committed.length), {
      timeout: 20_000,
    })
    const rows = await scratch.database.rows<{
      id: number
      entity_id: number
      version: number
    }>(sql`
    select id, entity_id, (after ->> 'version')::bigint as version from told join journal using (id)
     where follower = ${name} order by place`)
    expect(
      rows.map(({ id }) => id).toSorted((a, b) => a - b),
      `seed ${seed}`,
    ).toEqual(committed.map(({ id }) => id))
    for (const [record, changes] of Map.groupBy(rows, (row) => row.entity_id)) {
      const ids = changes.map(({ id }) => id)
      const versions = changes.map(({ version }) => version)
      expect(ids, `record ${record}, seed ${seed}`).toEqual(ids.toSorted((a, b) => a - b))
      expect(versions, `record ${record}, seed ${seed}`).toEqual(versions.toSorted((a, b) => a - b))
    }
    expect(rows.length).toBeGreaterThan(300)
    await untilAllRead()
  },
)

interface Part {
  by?: string
  batch?: number
  database?: Database
  before?: () => void | Promise<void>
  after?: () => void
  concerns?: Sql
}

/**
 * Starts a follower whose handler writes each change to the table `told`. Polls a hundred times
 * faster than usual.
 */
function start(options: Partial<FollowOptions> = {}, part: Part = {}): Following {
  const { by = 'one', batch = 500, database = scratch.database, before, after, concerns } = part
  const follower: Follower = {
    name,
    batch,
    ...(concerns && { concerns }),
    async handle(tx: Tx, changes: JournalRow[]) {
      await before?.()
      await tx.rows(sql`
        insert into told (follower, by_whom, id)
        select ${name}, ${by}, id from unnest(${changes.map(({ id }) => id)}::bigint[]) id`)
      after?.()
    },
  }
  const log = { info: () => undefined, error: () => undefined }
  const counted: Database = {
    ...database,
    row: (statement) => {
      if (statement.text.includes('from journal_id')) looked++
      return database.row(statement)
    },
  }
  const following = follow(counted, follower, { pollSeconds: 0.01, log, ...options })
  running.push(following)
  return following
}

async function connection(): Promise<Client> {
  const client = await scratch.database.connection()
  clients.push(client)
  return client
}

async function openTransaction(): Promise<Client> {
  const client = await connection()
  await client.query('begin')
  return client
}

/** Changes a record as verbs do: lock, change, journal row. Returns the journal id. */
async function change(record: number, on?: Client): Promise<number> {
  const text = `
    with changed as (update records set version = version + 1 where id = $1 returning *)
    insert into journal (account_id, entity_type, entity_id, actions, after, created_by, created_at)
    select 1, 'leads', id, '{update}', row_to_json(changed), 0, 0 from changed returning id`
  const client = on ?? (await scratch.database.connection())
  const { rows } = await client.query<{ id: number }>(text, [(record % 10) + 1])
  if (!on) await client.end()
  return rows[0]!.id
}

async function received(): Promise<number[]> {
  const rows = await scratch.database.rows<{ id: number }>(
    sql`select id from told where follower = ${name} order by place`,
  )
  return rows.map(({ id }) => id)
}

async function tellers(): Promise<string[]> {
  const rows = await scratch.database.rows<{ by_whom: string }>(
    sql`select by_whom from told where follower = ${name} group by 1 order by min(place)`,
  )
  return rows.map(({ by_whom }) => by_whom)
}

function untilReceived(ids: number[]): Promise<void> {
  return vi.waitFor(async () => expect(await received()).toEqual(ids), {
    timeout: 5000,
    interval: 10,
  })
}

/** Ends the connection that holds the follower's lock. */
async function cutLock(): Promise<void> {
  await scratch.database.rows(sql`
    select pg_terminate_backend(pid) from pg_locks
     where locktype = 'advisory' and granted and objid::bigint = hashtextextended(${`kontor follower ${name}`}, 0) & 4294967295`)
}

/** Waits until the position is one number: no gaps are left. */
function untilAllRead(): Promise<void> {
  return vi.waitFor(
    async () => {
      const drawn = await lastDrawn(scratch.database)
      expect(await position()).toMatchObject({ low_water: drawn, handled: '{}', marks: [] })
    },
    { timeout: 10_000, interval: 20 },
  )
}

async function position() {
  const row = await scratch.database.row<{
    low_water: number
    handled: string
    marks: unknown[]
    system_identifier: string
  }>(
    sql`select low_water, handled::text, marks, system_identifier from followers where name = ${name}`,
  )
  return row!
}

/** The physical version of the position, new with every write. */
async function version(): Promise<string> {
  const row = await scratch.database.row<{ at: string }>(
    sql`select xmin::text || ctid::text as at from followers where name = ${name}`,
  )
  return row!.at
}

/** Waits until the followers have asked `count` times more whether the journal has grown. */
async function looks(count: number): Promise<void> {
  const before = looked
  await vi.waitUntil(() => looked >= before + count, { timeout: 10_000, interval: 5 })
}

/**
 * A connection that runs transactions of one to four changes, with records in any order. Some take
 * their number early, some roll back.
 */
async function writer(random: () => number): Promise<(transactions: number) => Promise<void>> {
  const client = await connection()
  await client.query("set deadlock_timeout = '20ms'")
  return async (transactions) => {
    for (let i = 0; i < transactions; i++) {
      await client.query('begin')
      try {
        if (random() < 0.3) await client.query('select pg_current_xact_id()')
        for (let changes = 1 + random() * 4; changes >= 1; changes--) {
          if (random() < 0.5) await atSomeMoment(10, random)
          await client.query('savepoint step')
          await change(Math.floor(random() * 10), client)
          if (random() < 0.1) await client.query('rollback to step')
        }
        await client.query(random() < 0.8 ? 'commit' : 'rollback')
      } catch {
        // A deadlock: the random order of locks is meant to cause some.
        await client.query('rollback')
      }
    }
  }
}

/** The same numbers for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
