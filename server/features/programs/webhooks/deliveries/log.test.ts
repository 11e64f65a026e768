// The log of deliveries, replays, tests, warnings, and what is dropped.
import sql, { raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../../../test/account.ts'
import type { TestAccount } from '../../../../../test/account.ts'
import { client } from '../../../../../test/client.ts'
import { openDelivering } from '../../../../../test/delivering.ts'
import { addLead, addLeads } from '../../../../../test/leads.ts'
import type { Receiver } from '../../../../../test/receiver.ts'
import type { Scratch } from '../../../../../test/scratch.ts'
import { parseNested } from '../../../../http/nested.ts'
import { dropOldNotifications } from '../../../activity/notifications/notifications.ts'
import { dropOldDeliveries } from './retention.ts'
import type { Sending } from '../../../../outgoing/sender.ts'

const day = 86_400

let scratch: Scratch
let account: TestAccount
let receiver: Receiver
let deliveries: Sending
let close: () => Promise<void>

beforeAll(async () => {
  ;({ account, receiver, deliveries, scratch, close } = await openDelivering())
})
afterAll(() => close())

interface Shown {
  id: number
  state: string
  next_attempt_at: number
  is_read: boolean
  kind: string
  values: { webhook_id: number; invalid_answers: number }
  attempts: { ended_at: number }[]
}

interface Hook {
  id: number
  path: string
  /** The address of its settings. */
  its: string
}

let paths = 0
async function subscribe(owner: TestAccount, ...settings: string[]): Promise<Hook> {
  const path = `/hook/${++paths}`
  const destination = receiver.url + path
  const made = await owner.api.post('/api/v4/webhooks', { destination, settings })
  expect(made.status).toBe(200)
  return { id: made.body.id, path, its: `/web/v1/webhooks/${made.body.id}` }
}

const arrived = ({ path }: Hook) => receiver.arrivals.filter((each) => each.path === path)
const listed = async ({ its }: Hook, query = '') =>
  (await account.api.get(`${its}/deliveries${query}`)).body._embedded.deliveries as Shown[]
const untilStates = (hook: Hook, ...states: string[]) =>
  expect
    .poll(async () => (await listed(hook)).map(({ state }) => state), { timeout: 15_000 })
    .toEqual(states)
const healthOf = async ({ its }: Hook) => (await account.api.get(its)).body.health
const notifications = async (query = '') =>
  (await account.api.get(`/web/v1/notifications${query}`)).body._embedded.notifications as Shown[]

async function stateOf({ its }: Hook): Promise<boolean> {
  return (await account.api.get(its)).body.disabled
}

/** Has so many attempts counted as invalid, as though they had been made now. */
async function failBefore({ id }: Hook, count: number): Promise<void> {
  const now = Date.now() + account.clock.ahead * 1000
  await account.kontor.database.transaction((tx) =>
    tx.rows(sql`
      insert into delivery_attempts (account_id, delivery_id, number, webhook_id, status, milliseconds, ended_at, is_counted)
      select ${account.id}::bigint, nextval('deliveries_id'), 1, ${id}::bigint, 500, 1, ${now}::bigint, true
        from generate_series(1, ${count}::int)`),
  )
}

describe('the log', () => {
  test('shows each delivery with its attempts, the newest first', async () => {
    const hook = await subscribe(account, 'add_lead', 'delete_lead')
    expect(await healthOf(hook)).toEqual({
      invalid_answers: 0,
      latest_status: null,
      latest_error: null,
      latest_answer: null,
      latest_attempt_at: null,
    })
    receiver.behave(hook.path, { status: 404, body: 'No such\u0000 hook' }, {})
    const [one, two] = await addLeads(account.api, [{ name: 'One' }, {}])
    await untilStates(hook, 'waiting')
    await account.api.delete(`/api/v4/leads/${one}`)
    await untilStates(hook, 'delivered', 'waiting')
    const [deletion, addition] = (await listed(hook)) as [Shown, Shown]
    expect(deletion).toMatchObject({
      webhook_id: hook.id,
      event: 'delete_lead',
      entities: [{ entity_type: 'leads', entity_id: one }],
      next_attempt_at: null,
      is_replayed: false,
      attempts: [{ number: 1, status: 200, error: null, is_counted: true }],
    })
    expect(addition).toMatchObject({
      event: 'add_lead',
      entities: [
        { entity_type: 'leads', entity_id: one },
        { entity_type: 'leads', entity_id: two },
      ],
      attempts: [{ number: 1, status: 404, error: null, is_counted: true }],
    })
    const { ended_at } = addition.attempts[0]!
    expect(addition.next_attempt_at - ended_at).toBeGreaterThanOrEqual(299)
    expect(await healthOf(hook)).toMatchObject({ invalid_answers: 1, latest_status: 200 })
    const all = (await account.api.get('/web/v1/webhooks')).body._embedded.webhooks
    expect(all.find(({ id }: { id: number }) => id === hook.id).health.invalid_answers).toBe(1)
    const read = await account.api.get(`${hook.its}/deliveries/${addition.id}`)
    expect(read.body).toMatchObject({
      ...addition,
      attempts: [{ ...addition.attempts[0], answer: 'No such hook' }],
      content_type: 'application/x-www-form-urlencoded',
    })
    expect(read.body.body).toBe(arrived(hook)[0]!.body)
  })

  test('is paged and filtered', async () => {
    const hook = await subscribe(account, 'add_lead')
    receiver.behave(hook.path, { status: 404 }, {})
    for (let each = 0; each < 3; each++) {
      await addLead(account.api)
      await expect.poll(() => arrived(hook).length).toBe(each + 1)
    }
    await untilStates(hook, 'delivered', 'delivered', 'waiting')
    const ids = (await listed(hook)).map(({ id }) => id)
    const first = await account.api.get(`${hook.its}/deliveries?limit=2`)
    expect(first.body._embedded.deliveries.map(({ id }: { id: number }) => id)).toEqual(
      ids.slice(0, 2),
    )
    const { href } = first.body._links.next
    const next = await account.api.get(href.slice(account.kontor.url.length))
    expect(next.body._embedded.deliveries.map(({ id }: { id: number }) => id)).toEqual(ids.slice(2))
    expect(next.body._links.next).toBeUndefined()
    const shown = async (query: string) => (await listed(hook, query)).map(({ id }) => id)
    expect(await shown('?filter[state]=waiting')).toEqual(ids.slice(2))
    expect(await shown('?filter[state]=failed,held,ended')).toEqual([])
    expect(await shown('?filter[state]=delivered,waiting')).toEqual(ids)
    const now = account.kontor.now()
    expect(await shown(`?filter[created_at][from]=${now - 60}`)).toEqual(ids)
    expect(await shown(`?filter[created_at][to]=${now - 60}`)).toEqual([])
    expect(await shown(`?filter[created_at]=${now + 60}`)).toEqual([])
    for (const bad of ['filter[state]=lost', 'filter[event]=x', 'after=%20', 'limit=0'])
      expect((await account.api.get(`${hook.its}/deliveries?${bad}`)).status).toBe(400)
  })

  test('is only for administrators, of the own account', async () => {
    const hook = await subscribe(account, 'add_lead')
    await addLead(account.api)
    await untilStates(hook, 'delivered')
    const { id } = (await listed(hook))[0]!
    const asks: ['get' | 'post', string, Record<string, string>?][] = [
      ['get', `${hook.its}/deliveries`],
      ['get', `${hook.its}/deliveries/${id}`],
      ['post', `${hook.its}/deliveries/${id}/replay`],
      ['post', `${hook.its}/deliveries/replay`, {}],
      ['post', `${hook.its}/test`],
    ]
    const user = await account.addUser()
    const other = await newAccount({ databaseUrl: scratch.url, privateHooks: 'loopback' })
    for (const [method, path, body] of asks) {
      expect((await user.api[method](path, body)).status).toBe(403)
      expect((await other.api[method](path, body)).status).toBe(404)
    }
    const another = await subscribe(account, 'add_company')
    const its = `${another.its}/deliveries/${id}`
    expect((await account.api.get(its)).status).toBe(404)
    expect((await account.api.post(`${its}/replay`)).status).toBe(404)
    expect((await account.api.get(`${hook.its}/deliveries/${id + 1000}`)).status).toBe(404)
    expect((await account.api.get('/web/v1/webhooks/999999/deliveries')).status).toBe(404)
    expect(arrived(hook)).toHaveLength(1)
  })
})

describe('a replay', () => {
  test('sends the same bytes with the same id, begins the schedule anew and does not count', async () => {
    const hook = await subscribe(account, 'add_lead')
    receiver.behave(hook.path, {}, { status: 500 }, { status: 500 }, {})
    await addLead(account.api)
    await untilStates(hook, 'delivered')
    const { id } = (await listed(hook))[0]!
    // The form of later deliveries is none of this one's.
    await account.api.patch(hook.its, { format: 'json' })
    const replayed = await account.api.post(`${hook.its}/deliveries/${id}/replay`)
    expect(replayed.status).toBe(200)
    expect(replayed.body).toMatchObject({ id, state: 'waiting', is_replayed: true })
    await expect.poll(() => arrived(hook).length).toBe(2)
    await expect.poll(async () => (await listed(hook))[0]!.attempts.length).toBe(2)
    expect((await account.api.post(`${hook.its}/deliveries/${id}/replay`)).status).toBe(422)
    account.clock.ahead += 301
    deliveries.wake()
    await expect.poll(() => arrived(hook).length).toBe(3)
    await expect.poll(async () => (await listed(hook))[0]!.attempts.length).toBe(3)
    account.clock.ahead += 901
    deliveries.wake()
    await untilStates(hook, 'delivered')
    expect((await listed(hook))[0]!.attempts).toMatchObject([
      { number: 1, status: 200, is_counted: true },
      { number: 2, status: 500, is_counted: false },
      { number: 3, status: 500, is_counted: false },
      { number: 4, status: 200, is_counted: false },
    ])
    const [first, ...again] = arrived(hook)
    for (const { body, headers } of again) {
      expect(body).toBe(first!.body)
      for (const name of ['content-type', 'x-kontor-delivery'])
        expect(headers[name]).toBe(first!.headers[name])
    }
    expect(await healthOf(hook)).toMatchObject({ invalid_answers: 0, latest_status: 200 })
  })

  test('of a range sends what never arrived, or the states that are named', async () => {
    const hook = await subscribe(account, 'add_lead')
    receiver.behave(hook.path, { status: 404 }, {})
    await addLead(account.api)
    await untilStates(hook, 'waiting')
    await addLead(account.api)
    await untilStates(hook, 'delivered', 'waiting')
    const ask = async (body: object) =>
      (await account.api.post(`${hook.its}/deliveries/replay`, body)).body.replayed
    expect(await ask({})).toBe(0)
    const now = account.kontor.now()
    expect(await ask({ state: ['delivered'], to: now - 60 })).toBe(0)
    expect(await ask({ state: ['delivered'], from: now - 60, to: now })).toBe(1)
    await expect.poll(() => arrived(hook).length).toBe(3)
    await untilStates(hook, 'delivered', 'waiting')
    for (const bad of [{ state: [] }, { state: ['waiting'] }, { from: 'soon' }, { since: 1 }])
      expect((await account.api.post(`${hook.its}/deliveries/replay`, bad)).status).toBe(400)
  })
})

describe('switching off and on', () => {
  test('administrators are warned at 50, 70 and 90, and told at 101; a new window begins by hand', async () => {
    const hook = await subscribe(account, 'add_lead')
    receiver.behave(hook.path, { status: 404 })
    const notices = async () =>
      (await notifications())
        .filter(({ values }) => values.webhook_id === hook.id)
        .map(({ kind, values }) => [kind, values.invalid_answers])
        .toReversed()
    let count = 0
    const failAt = async (number: number) => {
      await failBefore(hook, number - 1 - count)
      count = number
      const before = arrived(hook).length
      await addLead(account.api)
      await expect.poll(() => arrived(hook).length).toBe(before + 1)
      await expect.poll(async () => (await healthOf(hook)).invalid_answers).toBe(number)
    }
    await failAt(49)
    expect(await notices()).toEqual([])
    await failAt(50)
    await failAt(51)
    await failAt(71)
    await failAt(90)
    await failAt(100)
    expect(await stateOf(hook)).toBe(false)
    const warned = [
      ['webhook_failing', 50],
      ['webhook_failing', 71],
      ['webhook_failing', 90],
    ]
    expect(await notices()).toEqual(warned)
    await failAt(101)
    expect(await stateOf(hook)).toBe(true)
    expect(await notices()).toEqual([...warned, ['webhook_disabled', 101]])

    const lead = await addLead(account.api, { name: 'Meanwhile' })
    await expect.poll(async () => (await listed(hook))[0]!.state).toBe('held')
    const [open, ended] = (await listed(hook)) as [Shown, Shown]
    expect([open.state, ended.state]).toEqual(['held', 'ended'])
    const replays = `${hook.its}/deliveries`
    expect((await account.api.post(`${replays}/${open.id}/replay`)).status).toBe(422)
    expect((await account.api.post(`${replays}/replay`, {})).status).toBe(422)

    receiver.behave(hook.path, {}, { status: 404 })
    const before = arrived(hook).length
    // The window begins with the next second.
    account.clock.ahead += 2
    expect((await account.api.patch(hook.its, { disabled: false })).status).toBe(200)
    expect((await healthOf(hook)).invalid_answers).toBe(0)
    account.clock.ahead += 2
    expect((await account.api.post(`${replays}/replay`, { state: ['held'] })).body.replayed).toBe(1)
    await expect.poll(() => arrived(hook).length).toBe(before + 1)
    expect(parseNested(arrived(hook).at(-1)!.body)).toMatchObject({
      leads: { add: [{ id: `${lead}`, name: 'Meanwhile' }] },
    })
    await expect
      .poll(async () => (await listed(hook))[0])
      .toMatchObject({ id: open.id, state: 'delivered', attempts: [{ is_counted: false }] })
    await addLead(account.api)
    await expect.poll(async () => (await healthOf(hook)).invalid_answers).toBe(1)
    expect(await stateOf(hook)).toBe(false)
    // In the new window administrators are warned again.
    count = 1
    await failAt(50)
    expect((await notices()).at(-1)).toEqual(['webhook_failing', 50])
  })

  test('attempts that end after the switching off are the last, and what they reached is delivered', async () => {
    const hook = await subscribe(account, 'add_lead')
    await failBefore(hook, 100)
    const [first, others] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    receiver.behave(
      hook.path,
      { status: 404, until: first.promise },
      { status: 404, until: others.promise },
      { until: others.promise },
    )
    for (let count = 1; count <= 3; count++) {
      await addLead(account.api)
      await expect.poll(() => arrived(hook).length).toBe(count)
    }
    first.resolve()
    await expect.poll(() => stateOf(hook)).toBe(true)
    others.resolve()
    await expect
      .poll(async () => (await listed(hook)).map(({ attempts }) => attempts.length))
      .toEqual([1, 1, 1])
    await untilStates(hook, 'delivered', 'ended', 'ended')
    const its = await listed(hook)
    expect(its.map(({ next_attempt_at }) => next_attempt_at)).toEqual([null, null, null])
  })

  test('a warning is repeated in a later window', async () => {
    const hook = await subscribe(account, 'add_lead')
    receiver.behave(hook.path, { status: 404 })
    const warnings = async () =>
      (await notifications()).filter(({ values }) => values.webhook_id === hook.id).length
    for (const expected of [1, 2]) {
      await failBefore(hook, 49)
      await addLead(account.api)
      await expect.poll(warnings).toBe(expected)
      account.clock.ahead += 3 * 3600
    }
  })
})

describe('a test notice', () => {
  test('is sent at once, listed, and does not count', async () => {
    const hook = await subscribe(account, 'add_lead')
    receiver.behave(hook.path, { status: 201 }, { status: 500 })
    const sent = await account.api.post(`${hook.its}/test`)
    expect(sent.status).toBe(200)
    expect(sent.body).toMatchObject({
      event: 'test',
      state: 'delivered',
      entities: [],
      attempts: [{ number: 1, status: 201, is_counted: false }],
    })
    const [arrival] = arrived(hook)
    expect(arrival!.body).toBe(sent.body.body)
    expect(arrival!.headers['x-kontor-delivery']).toBe(String(sent.body.id))
    expect(parseNested(arrival!.body)).toEqual({
      account: {
        subdomain: account.subdomain,
        id: `${account.id}`,
        _links: { self: account.kontor.url },
      },
      test: { created_at: expect.stringMatching(/^\d+$/) },
    })
    await account.api.patch(hook.its, { format: 'json' })
    const failed = await account.api.post(`${hook.its}/test`)
    expect(failed.body).toMatchObject({ state: 'failed', content_type: 'application/json' })
    expect(JSON.parse(arrived(hook)[1]!.body).test).toBeDefined()
    await untilStates(hook, 'failed', 'delivered')
    expect(await healthOf(hook)).toMatchObject({ invalid_answers: 0 })
    const replay = `${hook.its}/deliveries/replay`
    expect((await account.api.post(replay, {})).body.replayed).toBe(0)
  })

  test('names the address of its account', async () => {
    const named = await newAccount({
      databaseUrl: scratch.url,
      privateHooks: 'loopback',
      url: 'https://crm.example:8443',
    })
    const { kontor, address, subdomain } = named
    const hosts = {
      [account.admin.token]: 'crm.example:8443',
      [named.admin.token]: `${subdomain}.crm.example:8443`,
    }
    for (const [token, host] of Object.entries(hosts)) {
      const api = client(kontor, token)
      const hook = { destination: `${receiver.url}/named`, settings: ['add_lead'] }
      const { id } = (await api.post(`${address}/api/v4/webhooks`, hook)).body
      const sent = await api.post(`${address}/web/v1/webhooks/${id}/test`)
      expect(parseNested(sent.body.body)).toMatchObject({
        account: { _links: { self: `https://${host}` } },
      })
    }
  })

  test('goes to a disabled webhook too, and says when there is no answer', async () => {
    const hook = await subscribe(account, 'add_lead')
    receiver.behave(hook.path, { instead: 'reset' })
    await account.kontor.database.transaction((tx) =>
      tx.rows(sql`update webhooks set is_disabled = true, disabled_at = 1 where id = ${hook.id}`),
    )
    const sent = await account.api.post(`${hook.its}/test`)
    expect(sent.body.attempts).toMatchObject([{ status: 0, error: 'reset' }])
    expect((await account.api.post('/web/v1/webhooks/999999/test')).status).toBe(404)
  })
})

describe('notifications', () => {
  test('each administrator reads them for himself, and others see none', async () => {
    const its = (await notifications('?limit=2')) as [Shown, Shown]
    expect(its).toHaveLength(2)
    expect(its[0].id).toBeGreaterThan(its[1].id)
    const another = await account.addUser({ is_admin: true })
    const user = await account.addUser()
    const unread = async (api = account.api) =>
      (await api.get('/web/v1/notifications/unread')).body.unread
    const all = await unread()
    expect(await unread(another.api)).toBe(all)
    expect(await unread(user.api)).toBe(0)
    expect((await user.api.get('/web/v1/notifications')).body._embedded.notifications).toEqual([])
    const mark = (body: object, api = account.api) => api.post('/web/v1/notifications/read', body)
    expect((await mark({ ids: [its[1].id, 1] })).body.unread).toBe(all - 1)
    expect((await mark({ ids: [its[1].id] })).body.unread).toBe(all - 1)
    expect((await mark({ ids: [its[1].id] }, user.api)).body.unread).toBe(0)
    expect((await notifications()).slice(0, 2).map(({ is_read }) => is_read)).toEqual([false, true])
    expect((await notifications('?filter[is_read]=1')).map(({ id }) => id)).toEqual([its[1].id])
    expect(await notifications('?filter[is_read]=0')).toHaveLength(all - 1)
    expect((await mark({ up_to: its[1].id })).body.unread).toBe(1)
    expect(await unread(another.api)).toBe(all)
    const other = await newAccount({ databaseUrl: scratch.url, privateHooks: 'loopback' })
    expect(await unread(other.api)).toBe(0)
    for (const bad of [{}, { ids: ['x'] }, { ids: 1 }, { up_to: 0 }, { every: true }])
      expect((await mark(bad)).status).toBe(400)
  })
})

describe('upkeep', () => {
  /** `what` may go on with a condition. */
  const rowsOf = async (what: string) =>
    (
      await account.kontor.database.list<{ count: number }>(
        sql`select count(*) as count from ${raw(what)}`,
      )
    )[0]!.count

  test('drops old deliveries with attempts and bodies, but none that waits', async () => {
    const hook = await subscribe(account, 'add_lead')
    const removed = await subscribe(account, 'add_lead')
    receiver.behave(removed.path, { status: 404 })
    await addLead(account.api)
    await untilStates(hook, 'delivered')
    await untilStates(removed, 'waiting')
    const now = account.kontor.now()
    const { database } = account.kontor
    const before = await rowsOf('deliveries')
    await dropOldDeliveries(database, 30, now)
    expect(await rowsOf('deliveries')).toBe(before)
    // A delivery that waits for an attempt stays, however old.
    await dropOldDeliveries(database, 30, now + 31 * day)
    expect(await listed(hook)).toEqual([])
    const waiting = (await listed(removed))[0]!
    expect(waiting).toMatchObject({ state: 'waiting', attempts: [{ status: 404 }] })
    expect((await account.api.get(`${removed.its}/deliveries/${waiting.id}`)).status).toBe(200)
    const { destination } = (await account.api.get(removed.its)).body
    await account.api.delete('/api/v4/webhooks', { destination })
    await dropOldDeliveries(database, 30, now)
    expect(await rowsOf(`deliveries where webhook_id = ${removed.id}`)).toBe(1)
    await dropOldDeliveries(database, 30, now + 2 * 3600)
    expect(await rowsOf(`deliveries where webhook_id = ${removed.id}`)).toBe(0)
    expect(await rowsOf(`delivery_attempts where delivery_id = ${waiting.id}`)).toBe(0)
    await database.transaction((tx) => tx.rows(sql`update deliveries set due_at = null`))
    await dropOldDeliveries(database, 30, now + 31 * day)
    for (const table of ['deliveries', 'delivery_bodies', 'unbuilt_notices'])
      expect(await rowsOf(table)).toBe(0)
  })

  test('keeps the body of a delivery that ends while others are dropped', async () => {
    // No other webhook shares the body.
    const hook = await subscribe(account, 'add_contact')
    receiver.behave(hook.path, { status: 404 })
    await account.api.post('/api/v4/contacts', [{ name: 'Anna' }])
    await untilStates(hook, 'waiting')
    const { database } = account.kontor
    const later = account.kontor.now() + 31 * day
    const end = sql`update deliveries set due_at = null, state = 'failed' where webhook_id = ${hook.id}`
    let isEnded = false
    await dropOldDeliveries(
      {
        ...database,
        // The deliveries have been walked once there is no next webhook.
        async row<Row extends object>(statement: Sql) {
          const found = await database.row<Row>(statement)
          if (!found && !isEnded) await database.transaction((tx) => tx.rows(end))
          isEnded ||= !found
          return found
        },
      },
      30,
      later,
    )
    expect(isEnded).toBe(true)
    const [{ id } = { id: 0 }] = await listed(hook)
    expect((await account.api.get(`${hook.its}/deliveries/${id}`)).status).toBe(200)
    await dropOldDeliveries(database, 30, later)
    expect(await listed(hook)).toEqual([])
    const orphans = 'delivery_bodies where id not in (select body_id from deliveries)'
    expect(await rowsOf(orphans)).toBe(0)
  })

  test('drops old notifications', async () => {
    const { database, now } = account.kontor
    const before = await rowsOf('notifications')
    expect(before).toBeGreaterThan(0)
    expect(await dropOldNotifications(database, now())).toBe(0)
    expect(await dropOldNotifications(database, now() + 91 * day)).toBe(before)
    expect(await rowsOf('notification_reads')).toBe(0)
  })
})
