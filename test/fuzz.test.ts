// Random requests to every route. `FUZZ_SEED` selects other requests, `FUZZ_RUNS` half of their number per
// route. The methods of a channel get calls of their own, which are signed. Each answer must fit the document, blame the request and not the server, and hold
// no data of another account; that account must not change, and the server must not grow. A failing
// request is shrunk and printed as a line for the shell.
import http from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import pino from 'pino'
import { Registry } from 'prom-client'
import sql, { join, raw as rawName } from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { entities } from '../server/entities.ts'
import { startDeliveries } from '../server/features/programs/webhooks/deliveries/deliveries.ts'
import type { Sending } from '../server/outgoing/sender.ts'
import { newAccount } from './account.ts'
import type { TestAccount } from './account.ts'
import { canonical, chatPath, sendChat } from './channels.ts'
import { addScope, personOf, published } from './chats.ts'
import type { TestScope } from './chats.ts'
import { callsOf } from './fuzz/calls.ts'
import type { KnownIds, Method } from './fuzz/calls.ts'
import { newGround, withoutLimits } from './fuzz/ground.ts'
import type { Ground } from './fuzz/ground.ts'
import { asCurl, requestsFor } from './fuzz/requests.ts'
import { isPageRoute } from './pages.ts'
import type { FuzzedRequest } from './fuzz/requests.ts'
import { prove } from './prove.ts'
import { raw } from './raw.ts'
import type { RawAnswer } from './raw.ts'
import { openReceiver } from './receiver.ts'
import type { Receiver } from './receiver.ts'
import { rows } from './routes.ts'
import { scratchDatabase } from './scratch.ts'
import type { Scratch } from './scratch.ts'
import { accept, uidsIn } from './unsorted.ts'

const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_120)
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 40)

/** Checking a wrong password takes time. */
const slow = '/web/v1/session'

/** Deletions come last, or there would be little data to request. */
const inOrder = rows.toSorted(
  (one, other) => Number(one.method === 'DELETE') - Number(other.method === 'DELETE'),
)

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
afterAll(() => agent.destroy())

const routeOf = (ground: Ground, { method, path }: (typeof rows)[number]) =>
  ground.account.routes.find((each) => each.method === method && each.path === path)!

describe(`anything, seed ${seed}`, () => {
  let ground: Ground
  beforeAll(async () => {
    ground = await newGround()
  })
  // In an afterAll, so that it holds for each route that is tested by itself too.
  afterAll(async () => {
    expect(await ground.now()).toEqual(ground.before)
  })

  test.each(inOrder)('$method $path', async (row) => {
    const { path } = row
    const property = fc.asyncProperty(requestsFor(routeOf(ground, row), ground), (request) =>
      examine(path, request, ground).then(() => undefined),
    )
    const { failed, counterexample, errorInstance } = await fc.check(property, {
      seed: seed + inOrder.indexOf(row),
      numRuns: path === slow ? Math.ceil(numRuns / 5) : numRuns,
    })
    const [request] = counterexample ?? []
    const again = request ? asCurl(ground.account.kontor.url, request) : ''
    if (failed) throw new Error(`${String(errorInstance)}\n${again}`, { cause: errorInstance })
  })
})

describe(`all routes in turn, three times, seed ${seed}`, () => {
  /** Requests per route each time: fewer would say nothing of the growth. */
  const share = Math.max(8, Math.ceil(numRuns / 3))
  /**
   * Bytes per request that the heap may grow the last time: caches are bounded, and full by then.
   */
  const mostGrowth = 4000
  const tally = { requests: 0, good: 0 }
  const heaps: { bytes: number; requests: number }[] = []
  let ground: Ground

  beforeAll(
    async () => {
      ground = await newGround()
      for (let time = 0; time < 3; time++) {
        for (const [index, row] of inOrder.entries())
          await askOften(row, seed + index + time * inOrder.length)
        heaps.push({ bytes: heapUsed(), requests: tally.requests })
      }
    },
    60_000 + 30_000 * share,
  )

  async function askOften(row: (typeof rows)[number], rowSeed: number) {
    const requests = requestsFor(routeOf(ground, row), ground)
    const runs = { seed: rowSeed, numRuns: row.path === slow ? 1 : share }
    for (const request of fc.sample(requests, runs)) {
      const status = await examine(row.path, request, ground)
      tally.requests++
      if (status < 300) tally.good++
    }
  }

  test('the server does not grow with the questions it is asked', () => {
    const [, middle, end] = heaps
    const growth = (end!.bytes - middle!.bytes) / (end!.requests - middle!.requests)
    expect(growth).toBeLessThan(mostGrowth)
  })

  test('nothing of the other account has changed', async () => {
    expect(await ground.now()).toEqual(ground.before)
  })

  test('the questions are good enough to be answered often', () => {
    expect(tally.good / tally.requests).toBeGreaterThan(0.15)
  })
})

/** Sends the request and answers the status. Throws if the answer is not allowed. */
async function examine(
  route: string,
  request: FuzzedRequest,
  { account: { kontor }, traces }: Pick<Ground, 'account' | 'traces'>,
): Promise<number> {
  const answer = await raw(kontor, { ...request, agent })
  const { status, headers, text } = answer
  const type = headers['content-type']
  const isFine =
    status < 300 || (status >= 400 && status < 500) || (status < 400 && isPageRoute(route))
  if (!isFine) throw new Error(`answered ${status}: ${text.slice(0, 500)}`)
  if (status >= 400 ? !isPageRoute(route) : isDocumented(route) && type !== 'text/event-stream')
    await prove(request.method, request.path, parsed(answer))
  const sent = JSON.stringify({ ...request, body: request.body?.toString() })
  const given = traces(sent, answer)
  if (given.length > 0)
    throw new Error(`tells of another account (${given.join(', ')}): ${text.slice(0, 2000)}`)
  return status
}

/** Routes for monitoring and proxies answer in formats of their own. */
const isDocumented = (route: string) => /^\/(?:api|web|oauth2|v2)\//.test(route)

function parsed({ status, headers, text }: RawAnswer) {
  return {
    status,
    headers: new Headers(headers as Record<string, string>),
    body: text === '' ? undefined : JSON.parse(text),
    text,
  }
}

function heapUsed(): number {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  return process.memoryUsage().heapUsed
}

describe(`the methods of a scope, seed ${seed}`, () => {
  let scratch: Scratch
  let account: TestAccount
  let scope: TestScope
  let receiver: Receiver
  let deliveries: Sending
  const known: KnownIds = { chats: [], messages: [], authors: [] }
  const refused = new Map<number, number>()

  beforeAll(async () => {
    scratch = await scratchDatabase()
    receiver = await openReceiver()
    const settings = { databaseUrl: scratch.url, privateHooks: 'loopback' } as const
    account = await newAccount({ ...withoutLimits, ...settings })
    const silent = pino({ level: 'silent' })
    const metrics = new Registry()
    deliveries = startDeliveries(account.kontor, entities, silent, { timeoutMs: 10_000, metrics })
    await deliveries.ready
    scope = await addScope(account)
    for (const [index, conversation_id] of ['talk-1', 'talk-2'].entries()) {
      const sender = personOf(`client-${index + 1}`)
      const answer = await published(scope, { conversation_id, msgid: `message-${index}`, sender })
      known.chats.push(answer.conversation_id)
      known.messages.push(answer.msgid)
    }
    const stranger = crypto.randomUUID()
    const admin = await account.kontor.database.row<{ amojo_id: string }>(
      sql`select amojo_id from users where account_id = ${account.id} and id = ${account.admin.id}`,
    )
    known.chats.push(stranger)
    known.messages.push(stranger)
    known.authors.push(scope.bot_id, admin!.amojo_id, stranger)
    const hook = { destination: `${receiver.url}/chats`, settings: messageEvents }
    expect((await account.api.post('/api/v4/webhooks', hook)).status).toBe(200)
  })
  afterAll(async () => {
    await deliveries.stop()
    await receiver.close()
    await scratch.drop()
  })

  const methods: [method: Method, share: number, least: number][] = [
    ['message', 8, 0.2],
    ['chat', 3, 0.2],
    ['typing', 3, 0.2],
    ['reaction', 3, 0.1],
    ['history', 3, 0.2],
    ['bytes', 8, 0],
  ]
  test.each(methods)(
    '%s: a refusal stores nothing',
    async (method, share, least) => {
      const calls = callsOf(method, scope, known)
      const counts = { good: 0, all: 0 }
      let before = await stored(account)
      const property = fc.asyncProperty(calls, async (call) => {
        // The account is alone in its database.
        const status = await examine('/v2/', call, { account, traces: () => [] })
        counts.all++
        if (status < 300) counts.good++
        const after = await stored(account)
        if (status >= 400) expect(after).toEqual(before)
        refused.set(status, (refused.get(status) ?? 0) + 1)
        before = after
      })
      const { failed, counterexample, errorInstance } = await fc.check(property, {
        seed: seed + methods.findIndex(([name]) => name === method),
        numRuns: numRuns * share,
      })
      const [call] = counterexample ?? []
      const again = call ? asCurl(account.kontor.url, call).slice(0, 5000) : ''
      if (failed) throw new Error(`${String(errorInstance)}\n${again}`, { cause: errorInstance })
      expect(counts.good / counts.all).toBeGreaterThanOrEqual(least)
    },
    60_000 + 2000 * numRuns,
  )

  test('what was taken is read back, told to webhooks and accepted', async () => {
    const { database } = account.kontor
    const chats = await database.rows<{ uid: string }>(
      sql`select uid from chats where account_id = ${account.id}`,
    )
    for (const { uid } of chats) {
      const path = `${chatPath}/${scope.scopeId}/chats/${uid}/history`
      const headers = canonical(scope.secret, { method: 'GET', path })
      const { status } = await sendChat(account, 'GET', path, { headers })
      expect([200, 204]).toContain(status)
    }
    expect(chats.length).toBeGreaterThan(5)
    const { longest } = (await database.row<{ longest: number }>(
      sql`select max(length(content::text)) as longest from messages where account_id = ${account.id}`,
    ))!
    expect(longest).toBeGreaterThan(1000)
    const items = await uidsIn(account.api, 'filter[category][]=chats')
    expect(items.length).toBeGreaterThan(5)
    for (const uid of items) expect((await accept(account.api, { uid })).status).toBe(200)
    const { msgid } = await published(scope, { msgid: 'the last', conversation_id: 'talk-1' })
    const hasArrived = () => receiver.arrivals.some(({ body }) => body.includes(msgid))
    await vi.waitFor(() => expect(hasArrived()).toBe(true), byWord)
    const unbuilt = sql`select error from unbuilt_notices where account_id = ${account.id}`
    expect(await database.rows(unbuilt)).toEqual([])
    expect([...refused.keys()]).toEqual(expect.arrayContaining([200, 204, 400, 404]))
  })
})

const messageEvents = [
  'add_message',
  'add_outgoing_message',
  'add_talk',
  'update_talk',
  'add_unsorted',
  'update_unsorted',
]
const byWord = { timeout: 20_000, interval: 50 }

/** How many rows there are that the methods of a channel may write, and which transactions wrote them. */
const stored = ({ id, kontor: { database } }: TestAccount): Promise<object[]> =>
  database.list(
    join(
      ['messages', 'chats', 'chat_clients', 'talks', 'unsorted_items', 'leads', 'journal'].map(
        (table) => sql`
          select ${table} as name, count(*)::int as rows, sum(xmin::text::bigint)::text as writers
            from ${rawName(table)} where account_id = ${id}`,
      ),
      ' union all ',
    ),
  )
