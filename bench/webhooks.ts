// npm run bench:webhooks [-- latency throughput fairness] [--profile <folder>]
//
// Measures the deliveries of webhooks: how long after its change a notice arrives, idle and under
// load; how many deliveries go out in a second, beside a bare loop of the same requests; and whether
// dead receivers hold up live ones. Parts may be named; a profile is one of Kontor's processor time.
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import sql from 'sql-template-tag'
import { readConfig } from '../server/config.ts'
import { connect } from '../server/database/connect.ts'
import { createAccount } from '../server/features/people/accounts/accounts.ts'
import { issueLongLivedToken } from '../server/features/programs/oauth/oauth.ts'
import { createUser } from '../server/features/people/users/users.ts'
import { parseNested } from '../server/http/nested.ts'
import { openKontor } from '../server/open.ts'
import { bareLoop } from './bare-loop.ts'
import { startTemporaryPostgres } from './postgres.ts'
import { processorTime, startKontor } from './processes.ts'

const { values: options, positionals: named } = parseArgs({
  allowPositionals: true,
  options: { profile: { type: 'string' } },
})
const quiet = () => undefined
const postgres = await startTemporaryPostgres('webhooks')
const environment = { ...postgres.environment, ALLOW_PRIVATE_HOOKS: 'loopback' }

/** Requests at once: where the machine cannot reach a rate, it shall be busy and not swamped. */
const mostOpen = 50

/** The requests of each path: times of arrival (performance.now) and bodies. */
const arrivals = new Map<string, { at: number; body: string }[]>()
const receiver = http.createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const list = arrivals.get(request.url!) ?? []
    arrivals.set(request.url!, list)
    list.push({ at: performance.now(), body: Buffer.concat(parts).toString() })
    // A dead receiver takes the request and never answers.
    if (!request.url!.startsWith('/dead')) response.end()
  })
})
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
const address = `http://127.0.0.1:${(receiver.address() as { port: number }).port}`

const token = await makeAccount()
const database = connect(postgres.url, 4)
try {
  for (const [name, part] of Object.entries({ latency, throughput, fairness }))
    if (named.length === 0 || named.includes(name)) await part()
} finally {
  await database.close()
  receiver.closeAllConnections()
  receiver.close()
  await postgres.stop()
}

async function makeAccount(): Promise<string> {
  const { kontor, close } = await openKontor(readConfig(environment), 'kontor bench', quiet)
  try {
    const at = kontor.now()
    return await kontor.database.transaction(async (tx) => {
      const accountId = await createAccount(tx, at, { subdomain: 'hooks', name: 'Hooks' })
      const draft = { name: 'A user', email: 'user@hooks.example', is_admin: true }
      const userId = await createUser(tx, accountId, at, draft)
      return issueLongLivedToken(tx, kontor, { accountId, userId, at, expires_at: at + 86_400 })
    })
  } finally {
    await close()
  }
}

interface Api {
  /** The process of Kontor. */
  pid: number
  ask(method: string, path: string, body?: unknown): Promise<unknown>
}

/** Runs a part of the bench with a Kontor of its own. */
async function withKontor(run: (api: Api) => Promise<void>): Promise<void> {
  const server = await startKontor({ environment }, options)
  const ask = async (method: string, at: string, body?: unknown) => {
    const answer = await fetch(`http://127.0.0.1:${server.port}${at}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${method} ${at}: ${answer.status} ${await answer.text()}`)
    return answer.status === 204 ? undefined : answer.json()
  }
  try {
    await run({ pid: server.pid, ask })
  } finally {
    await server.stop()
  }
}

function subscribe({ ask }: Api, at: string): Promise<unknown> {
  const settings = ['update_lead']
  return ask('POST', '/api/v4/webhooks', { destination: address + at, settings })
}

async function addLeads({ ask }: Api, count: number): Promise<number[]> {
  const ids: number[] = []
  while (ids.length < count) {
    const drafts = Array.from({ length: Math.min(250, count - ids.length) }, () => ({}))
    const answer = (await ask('POST', '/api/v4/leads', drafts)) as {
      _embedded: { leads: { id: number }[] }
    }
    ids.push(...answer._embedded.leads.map(({ id }) => id))
  }
  return ids
}

/** From the answer to a change until its notice has arrived, at so many changes a second. */
async function latency(): Promise<void> {
  await withKontor(async (api) => {
    await subscribe(api, '/latency')
    const ids = await addLeads(api, 1000)
    let price = 0
    for (const [perSecond, seconds] of [
      [5, 10],
      [200, 15],
      [500, 15],
    ] as const) {
      arrivals.set('/latency', [])
      const answered = new Map<number, number>()
      const requests: Promise<void>[] = []
      const begin = performance.now()
      const before = processorTime(api.pid)
      for (let turn = 0; turn < perSecond * seconds; turn++) {
        await sleep(Math.max(0, begin + (turn * 1000) / perSecond - performance.now()))
        while (turn - answered.size > mostOpen) await sleep(1)
        const mine = ++price
        const id = ids[turn % ids.length]!
        requests.push(
          api
            .ask('PATCH', `/api/v4/leads/${id}`, { price: mine })
            .then(() => void answered.set(mine, performance.now())),
        )
      }
      await Promise.all(requests)
      const took = (performance.now() - begin) / 1000
      const used = processorTime(api.pid) - before
      while (arrivals.get('/latency')!.length < answered.size) await sleep(20)
      const times = arrivals
        .get('/latency')!
        .map(({ at, body }) => at - answered.get(priceOf(body))!)
        .toSorted((one, other) => one - other)
      const part = (share: number) => times[Math.floor(times.length * share)]!.toFixed(1)
      console.log(
        `${perSecond} changes/s (reached ${Math.round(answered.size / took)}): p50 ${part(0.5)} ms, p95 ${part(0.95)} ms, p99 ${part(0.99)} ms after the answer; Kontor's processor was busy for ${Math.round(used / took / 10)} %`,
      )
    }
    await api.ask('DELETE', '/api/v4/webhooks', { destination: `${address}/latency` })
  })
}

function priceOf(body: string): number {
  const { leads } = parseNested(body) as { leads: { update: { price: string }[] } }
  return Number(leads.update[0]!.price)
}

/** A backlog of deliveries of one kilobyte to ten subscriptions, sent at once. */
async function throughput(): Promise<void> {
  const [hooks, each] = [10, 2000]
  await withKontor(async (api) => {
    for (let hook = 0; hook < hooks; hook++) await subscribe(api, `/fast/${hook}`)
  })
  const body = `leads%5Bupdate%5D=${'x'.repeat(1000)}`
  await database.rows(sql`
    with body as (
      insert into delivery_bodies (account_id, format, body, created_at)
      select account_id, 'form', ${body}, 0 from webhooks where destination like '%/fast/0' returning account_id, id
    )
    insert into deliveries (account_id, webhook_id, body_id, event, records, created_at, due_at)
    select webhooks.account_id, webhooks.id, body.id, 'update_lead', array['leads ' || n], 0, 0
      from generate_series(1, ${each}::int) n, webhooks, body where destination like '%/fast/%'`)
  await database.rows(sql`analyze deliveries`)
  const count = () =>
    Array.from({ length: hooks }, (_, hook) => arrivals.get(`/fast/${hook}`) ?? []).flat()
  await withKontor(async () => {
    while (count().length < hooks * each) await sleep(50)
  })
  const times = count().map(({ at }) => at)
  const perSecond = (hooks * each) / ((Math.max(...times) - Math.min(...times)) / 1000)
  const type = 'application/x-www-form-urlencoded'
  const requests = { count: hooks * each, atOnce: 80, type }
  const floor = await bareLoop(`${address}/bare`, body, requests)
  console.log(
    `${Math.round(perSecond)} deliveries/s, ${Math.round(floor)} by a bare loop: ratio ${(perSecond / floor).toFixed(2)}`,
  )
}

/** 100 subscriptions hear of 1,000 changes; of the second hundred, ten never answer. */
async function fairness(): Promise<void> {
  for (const dead of [0, 10]) {
    await withKontor(async (api) => {
      const shown = (await api.ask('GET', '/api/v4/webhooks')) as {
        _embedded: { webhooks: { destination: string }[] }
      }
      for (const { destination } of shown._embedded.webhooks)
        await api.ask('DELETE', '/api/v4/webhooks', { destination })
      arrivals.clear()
      const hooks = Array.from({ length: 100 }, (_, hook) =>
        hook < dead ? `/dead/${hook}` : `/live/${dead}/${hook}`,
      )
      for (const hook of hooks) await subscribe(api, hook)
      const ids = await addLeads(api, 1000)
      const begin = performance.now()
      for (const id of ids) await api.ask('PATCH', `/api/v4/leads/${id}`, { price: 1 })
      const live = hooks.filter((hook) => hook.startsWith('/live'))
      const left = () => live.some((hook) => (arrivals.get(hook)?.length ?? 0) < 1000)
      while (left()) await sleep(50)
      const ends = live.map((hook) => arrivals.get(hook)!.at(-1)!.at - begin)
      console.log(
        `${dead} dead of 100: the last live receiver had all 1,000 after ${(Math.max(...ends) / 1000).toFixed(1)} s`,
      )
    })
  }
}
