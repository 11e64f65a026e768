// From a change to the receiver. The retry table, the order within a subscription and the grouping
// of items are pure, and stand first.
import pino from 'pino'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../../../test/account.ts'
import type { TestAccount } from '../../../../../test/account.ts'
import { bulk, undo } from '../../../../../test/jobs.ts'
import { addLead, addLeads, mainPipeline } from '../../../../../test/leads.ts'
import { openReceiver } from '../../../../../test/receiver.ts'
import type { Receiver } from '../../../../../test/receiver.ts'
import { addRecord } from '../../../../../test/records.ts'
import { scratchDatabase } from '../../../../../test/scratch.ts'
import type { Scratch } from '../../../../../test/scratch.ts'
import { entities } from '../../../../entities.ts'
import { parseNested } from '../../../../http/nested.ts'
import { newLane } from './lane.ts'
import { overdue } from './queries.ts'
import type { DueDelivery } from './queries.ts'
import { isValid, waitAfter } from './schedule.ts'
import { startDeliveries } from './deliveries.ts'
import type { Sending } from '../../../../outgoing/sender.ts'

const minute = 60_000

describe('the schedule', () => {
  test.for<[status: number, waits: number[]]>([
    [0, [5, 15]],
    [99, [5, 15]],
    [100, []],
    [101, []],
    [103, []],
    [199, []],
    [200, []],
    [299, []],
    [300, [5, 15]],
    [404, [5, 15]],
    [498, [5, 15]],
    [499, [5, 15, 15, 60]],
    [500, [5, 15, 15, 60]],
    [599, [5, 15, 15, 60]],
    [600, [5, 15]],
  ])('an answer of %i is followed by attempts after %j minutes', ([status, waits]) => {
    const all = [1, 2, 3, 4, 5].map((number) => waitAfter(number, status))
    expect(all.filter((wait) => wait !== undefined)).toEqual(waits.map((each) => each * minute))
    expect(all.indexOf(undefined)).toBe(waits.length)
    expect(isValid(status)).toBe(waits.length === 0)
  })

  test('the failure before each attempt decides whether it follows', () => {
    expect([500, 404, 404].map((status, index) => waitAfter(index + 1, status))).toEqual([
      5 * minute,
      15 * minute,
      undefined,
    ])
    expect([404, 404, 500, 499].map((status, index) => waitAfter(index + 1, status))).toEqual([
      5 * minute,
      15 * minute,
      15 * minute,
      60 * minute,
    ])
  })
})

describe('a lane', () => {
  const delivery = (id: number, ...records: string[]): DueDelivery => ({
    account_id: 1,
    webhook_id: 1,
    id,
    attempts: 0,
    replayed_after: null,
    format: 'form',
    event: 'update_lead',
    records,
    body: '',
  })
  const ids = (deliveries: DueDelivery[]) => deliveries.map(({ id }) => id)

  test('sends the notices of a record one after the other, and those of others meanwhile', () => {
    const lane = newLane()
    const [one, two, three, both, last] = [
      delivery(1, 'leads 1'),
      delivery(2, 'leads 1'),
      delivery(3, 'leads 2'),
      delivery(4, 'leads 1', 'leads 3'),
      delivery(5, 'leads 3'),
    ]
    lane.add([three, one])
    lane.add([two, both, last])
    expect(ids(lane.take(8))).toEqual([1, 3])
    expect(ids(lane.take(8))).toEqual([])
    lane.end(three)
    expect(ids(lane.take(8))).toEqual([])
    lane.end(one)
    expect(ids(lane.take(8))).toEqual([2])
    lane.end(two)
    expect(ids(lane.take(8))).toEqual([4])
    lane.end(both)
    expect(ids(lane.take(8))).toEqual([5])
    expect(lane.underWay()).toBe(1)
  })

  test('keeps its place and its records for a delivery whose attempt failed on this machine', () => {
    const lane = newLane()
    const [one, two] = [delivery(1, 'leads 1'), delivery(2, 'leads 1')]
    lane.add([one, two])
    expect(ids(lane.take(8))).toEqual([1])
    expect(ids(lane.take(8))).toEqual([])
    lane.again(one)
    expect([lane.underWay(), lane.unkept()]).toEqual([0, 0])
    expect(ids(lane.take(8))).toEqual([1])
    lane.end(one)
    expect(lane.unkept()).toBe(1)
    lane.forget(1)
    expect(lane.unkept()).toBe(0)
    expect(ids(lane.take(8))).toEqual([2])
  })

  test('takes no more than there is room for, in order', () => {
    const lane = newLane()
    lane.add([5, 3, 4, 1, 2].map((id) => delivery(id, `leads ${id}`)))
    expect(ids(lane.take(2))).toEqual([1, 2])
    expect(ids(lane.take(0))).toEqual([])
    expect(ids(lane.take(9))).toEqual([3, 4, 5])
    expect(lane.known.size).toBe(5)
    lane.forget(3)
    expect(lane.known.has(3)).toBe(false)
  })

  test('remembers the highest id that it was given, also when it is sent and kept', () => {
    const lane = newLane()
    expect(lane.highest()).toBe(0)
    lane.add([delivery(7, 'leads 1'), delivery(9, 'leads 1')])
    lane.add([delivery(8, 'leads 2')])
    expect(lane.highest()).toBe(9)
    for (const each of lane.take(8)) {
      lane.end(each)
      lane.forget(each.id)
    }
    expect(ids(lane.take(8))).toEqual([9])
    lane.forget(9)
    expect(lane.highest()).toBe(9)
  })

  test('has room beside 256 refused ends, and further ones take room until they are kept', () => {
    const lane = newLane()
    expect(lane.room()).toBe(64)
    const all = Array.from({ length: 300 }, (_, index) => delivery(index + 1, `leads ${index}`))
    lane.add(all)
    for (const each of lane.take(300)) lane.end(each)
    expect([lane.room(), lane.unkept()]).toEqual([64 - 300, 300])
    for (const { id } of all.slice(0, 40)) lane.refuse(id)
    expect([lane.room(), lane.unkept()]).toEqual([64 - 260, 260])
    for (const { id } of all) lane.refuse(id)
    expect([lane.room(), lane.unkept()]).toEqual([64 - 44, 0])
    expect(lane.known.size).toBe(300)
    for (const { id } of all) lane.forget(id)
    expect([lane.room(), lane.unkept()]).toEqual([64, 0])
  })
})

describe('from a change to the receiver', () => {
  let scratch: Scratch
  let account: TestAccount
  let receiver: Receiver
  let deliveries: Sending
  let ahead = 0

  beforeAll(async () => {
    scratch = await scratchDatabase()
    receiver = await openReceiver()
    account = await newAccount({ databaseUrl: scratch.url, privateHooks: 'loopback' })
    deliveries = start()
    await deliveries.ready
  })
  afterAll(async () => {
    await deliveries.stop()
    await receiver.close()
    await scratch.drop()
  })

  const start = () =>
    startDeliveries(account.kontor, entities, pino({ level: 'error' }), {
      nowMs: () => Date.now() + ahead,
      timeoutMs: 10_000,
    })

  let paths = 0
  /** Subscribes a new address, and answers its path. */
  async function subscribe(...settings: string[]): Promise<string> {
    const path = `/hook/${++paths}`
    const destination = receiver.url + path
    const made = await account.api.post('/api/v4/webhooks', { destination, settings })
    expect(made.status).toBe(200)
    return path
  }

  const arrived = (path: string) => receiver.arrivals.filter((each) => each.path === path)
  interface Item {
    id: string
    price: string
  }
  const bodies = (path: string) => arrived(path).map(({ body }) => parseNested(body))
  const itemsOf = (path: string, action: string) =>
    bodies(path).flatMap(({ leads }) => (leads as unknown as Record<string, Item[]>)[action]!)
  const heard = (path: string, count: number) =>
    expect.poll(() => arrived(path).length, { timeout: 10_000 }).toBe(count)

  test('a webhook hears of the changes that it asked for, and of none before it', async () => {
    const { api } = account
    const before = await addLead(api, { name: 'Before' })
    const path = await subscribe('add_lead', 'status_lead', 'delete_lead')
    const deaf = await subscribe('add_company')
    const [one, two] = await addLeads(api, [{ name: 'One' }, { name: 'Two' }])
    await api.patch(`/api/v4/leads/${before}`, { price: 5 })
    await api.delete(`/api/v4/leads/${one}`)
    await heard(path, 2)
    expect(bodies(path)).toMatchObject([
      {
        account: { subdomain: account.subdomain, id: `${account.id}` },
        leads: {
          add: [
            { id: `${one}`, name: 'One' },
            { id: `${two}`, name: 'Two' },
          ],
        },
      },
      { leads: { delete: `${one}` } },
    ])
    const [first] = arrived(path)
    expect(first).toMatchObject({
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-kontor-delivery': expect.stringMatching(/^\d+$/),
      },
    })
    expect(arrived(deaf)).toEqual([])
  })

  test('a job tells of each lead that it moves once, and so does its undo', async () => {
    const { api } = account
    const { id, statuses } = await mainPipeline(account)
    const [from, to] = statuses
    const ids: number[] = []
    for (let batch = 0; batch < 2; batch++)
      ids.push(
        ...(await addLeads(
          api,
          Array.from({ length: 160 }, () => ({ status_id: from })),
        )),
      )
    const path = await subscribe('status_lead')
    const move = { move: { pipeline_id: id, status_id: to } }
    const job = await bulk(api, { ids, action: move })
    expect(await undo(api, job)).toMatchObject({ state: 'done', done: ids.length })
    // Later changes of the journal are heard after all of it.
    const last = await addLead(api, { status_id: from })
    await api.patch(`/api/v4/leads/${last}`, { status_id: to })
    const items = () => itemsOf(path, 'status') as (Item & { status_id: string })[]
    await expect.poll(() => items().length, { timeout: 20_000 }).toBeGreaterThan(2 * ids.length)
    const byLead = Map.groupBy(items(), (item) => Number(item.id))
    expect(items()).toHaveLength(2 * ids.length + 1)
    for (const each of ids)
      expect(byLead.get(each)?.map(({ status_id }) => Number(status_id))).toEqual([to, from])
    expect(byLead.get(last)).toHaveLength(1)
  })

  test('the notices of a record arrive in the order of its changes, while a slow one is under way', async () => {
    const { api } = account
    const path = await subscribe('update_lead')
    receiver.behave(path, { delayMs: 200 }, {})
    const [one, two] = await addLeads(api, [{}, {}])
    for (let price = 1; price <= 4; price++) {
      await api.patch(`/api/v4/leads/${one}`, { price })
      await api.patch(`/api/v4/leads/${two}`, { price })
    }
    await heard(path, 8)
    const items = itemsOf(path, 'update')
    for (const id of [one, two])
      expect(items.filter((each) => each.id === `${id}`).map(({ price }) => price)).toEqual([
        '1',
        '2',
        '3',
        '4',
      ])
  })

  test('a failed attempt is repeated when it is due, with the same bytes and the same id, and later notices do not wait for it', async () => {
    const { api } = account
    const path = await subscribe('update_lead')
    receiver.behave(path, { status: 500 }, {}, { status: 503 }, {})
    const id = await addLead(api)
    await api.patch(`/api/v4/leads/${id}`, { price: 1 })
    await heard(path, 1)
    await api.patch(`/api/v4/leads/${id}`, { price: 2 })
    await heard(path, 2)
    await passTime(5 * minute - 5000)
    await anotherIsHeard()
    expect(arrived(path)).toHaveLength(2)
    await passTime(6000)
    await heard(path, 3)
    await passTime(15 * minute + 1000)
    await heard(path, 4)
    const [first, , second, third] = arrived(path)
    for (const again of [second, third]) {
      expect(again!.body).toBe(first!.body)
      expect(again!.headers['x-kontor-delivery']).toBe(first!.headers['x-kontor-delivery'])
    }
    await expect
      .poll(() => attemptsOf(path))
      .toEqual([
        { state: 'delivered', statuses: [500, 503, 200] },
        { state: 'delivered', statuses: [200] },
      ])
  })

  /**
   * Moves the clock of the sender. An attempt under way ends before: its end is a time, from which
   * the next attempt is counted.
   */
  async function passTime(milliseconds: number) {
    const { database } = account.kontor
    await expect
      .poll(() => database.rows(overdue(Date.now() + ahead)))
      .toEqual([{ count: 0, age: 0 }])
    ahead += milliseconds
    deliveries.wake()
  }

  /** Another webhook has heard of a later change: what was due before it has gone out. */
  async function anotherIsHeard() {
    const path = await subscribe('add_contact')
    await addRecord(account.api, 'contacts')
    await heard(path, 1)
  }

  /** The deliveries of a webhook, the oldest first, with the statuses of their attempts. */
  async function attemptsOf(path: string) {
    return account.kontor.database.rows<{ state: string; statuses: number[] | null }>(sql`
      select state, (select json_agg(status order by number) from delivery_attempts attempt
                      where attempt.account_id = delivery.account_id and attempt.delivery_id = delivery.id) as statuses
        from deliveries delivery join webhooks using (account_id)
       where webhooks.id = webhook_id and destination = ${receiver.url + path} order by delivery.id`)
  }

  test('more than 100 invalid answers within two hours switch a webhook off, and what follows is held', async () => {
    const { api } = account
    const path = await subscribe('add_lead')
    receiver.behave(path, { status: 404 })
    for (let batch = 0; batch < 10; batch++)
      for (let each = 0; each < 10; each++) await addLead(api)
    await heard(path, 100)
    const isDisabled = async () =>
      (await api.get(`/api/v4/webhooks?filter[destination]=${receiver.url + path}`)).body._embedded
        .webhooks[0].disabled
    expect(await isDisabled()).toBe(false)
    await addLead(api)
    await expect.poll(isDisabled).toBe(true)
    await addLead(api)
    await expect
      .poll(async () => (await attemptsOf(path)).at(-1))
      .toEqual({ state: 'held', statuses: null })
    expect(arrived(path)).toHaveLength(101)
    await passTime(6 * minute)
    await anotherIsHeard()
    expect(arrived(path)).toHaveLength(101)
  })

  test('the answers of two hours count, and the latest of them decides', async () => {
    const { api, kontor } = account
    const path = await subscribe('add_lead')
    receiver.behave(path, { status: 404 })
    const isDisabled = async () =>
      (await api.get(`/api/v4/webhooks?filter[destination]=${receiver.url + path}`)).body._embedded
        .webhooks[0].disabled
    const fail = async (count: number) => {
      const before = arrived(path).length
      for (let each = 0; each < count; each++) await addLead(api)
      await heard(path, before + count)
      await expect
        .poll(async () => (await attemptsOf(path)).filter(({ statuses }) => statuses === null))
        .toEqual([])
    }
    await fail(60)
    // The retries of before count too, so they end.
    await kontor.database.rows(
      sql`update deliveries set due_at = null, state = 'failed' where due_at is not null`,
    )
    await passTime(121 * minute)
    await fail(60)
    expect(await isDisabled()).toBe(false)
    await fail(40)
    expect(await isDisabled()).toBe(false)
    receiver.behave(path, {})
    await addLead(api)
    await heard(path, 161)
    expect(await isDisabled()).toBe(false)
    receiver.behave(path, { status: 404 })
    await addLead(api)
    await expect.poll(isDisabled).toBe(true)
  })

  test('a change that is followed while its webhook is being enabled is sent', async () => {
    const { api, kontor } = account
    const path = await subscribe('add_lead')
    const itself = sql`account_id = ${account.id} and destination = ${receiver.url + path}`
    await kontor.database.transaction((tx) =>
      tx.rows(sql`update webhooks set is_disabled = true, disabled_at = 1 where ${itself}`),
    )
    // The follower has read that the webhook is off, and the enabling is not committed yet.
    await kontor.database.transaction(async (tx) => {
      await tx.rows(
        sql`update webhooks set is_disabled = false, disabled_at = null where ${itself}`,
      )
      await addLead(api)
      await expect
        .poll(() =>
          kontor.database.rows(sql`
            select from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock' and query like '%for share%'`),
        )
        .toHaveLength(1)
    })
    await heard(path, 1)
    await expect.poll(() => attemptsOf(path)).toEqual([{ state: 'delivered', statuses: [200] }])
  })

  test('an end of an attempt that the database refuses does not hold up the others', async () => {
    const { api, kontor } = account
    const [path, ...others] = await Promise.all([1, 2, 3, 4].map(() => subscribe('update_lead')))
    const id = await addLead(api)
    await kontor.database.transaction((tx) =>
      tx.rows(sql`alter table delivery_attempts add constraint no_teapot check (status <> 418)`),
    )
    receiver.behave(path!, { status: 418 }, {})
    for (let price = 1; price <= 2; price++) await api.patch(`/api/v4/leads/${id}`, { price })
    for (const each of [path!, ...others]) await heard(each, 2)
    const kept = { state: 'delivered', statuses: [200] }
    for (const each of others) await expect.poll(() => attemptsOf(each)).toEqual([kept, kept])
    await expect.poll(() => attemptsOf(path!)).toEqual([{ state: 'waiting', statuses: null }, kept])
    // The end is known to this process, which neither repeats the attempt nor waits for it.
    deliveries.wake()
    await api.patch(`/api/v4/leads/${id}`, { price: 3 })
    await heard(path!, 3)
    await kontor.database.transaction((tx) =>
      tx.rows(sql`alter table delivery_attempts drop constraint no_teapot`),
    )
    await deliveries.stop()
    deliveries = start()
    await heard(path!, 4)
    await expect.poll(() => attemptsOf(path!)).toEqual([kept, kept, kept])
  })

  test('a webhook that was removed hears nothing more, whatever waits for it', async () => {
    const { api } = account
    const path = await subscribe('update_lead')
    const answered = Promise.withResolvers<void>()
    receiver.behave(path, { until: answered.promise })
    const id = await addLead(api)
    for (let price = 1; price <= 5; price++) await api.patch(`/api/v4/leads/${id}`, { price })
    await heard(path, 1)
    const removed = await api.delete('/api/v4/webhooks', { destination: receiver.url + path })
    expect(removed.status).toBe(204)
    deliveries.wake()
    // The look for what is due forgets the lane; another webhook proves that it has happened.
    const other = await subscribe('update_lead')
    await api.patch(`/api/v4/leads/${id}`, { price: 9 })
    await heard(other, 1)
    // The next notice of the record would follow the end of the first attempt at once.
    answered.resolve()
    // Five later notices of the other webhook arrive, one after the other.
    for (let price = 10; price < 15; price++) {
      await api.patch(`/api/v4/leads/${id}`, { price })
      await heard(other, price - 8)
    }
    expect(arrived(path)).toHaveLength(1)
  })

  test('slow receivers of one account leave room for those of another', async () => {
    const other = await newAccount({ databaseUrl: scratch.url, privateHooks: 'loopback' })
    const silent = await Promise.all(Array.from({ length: 20 }, () => subscribe('add_lead')))
    for (const each of silent) receiver.behave(each, { instead: 'silence' })
    const path = `/hook/${++paths}`
    await other.api.post('/api/v4/webhooks', {
      destination: receiver.url + path,
      settings: ['add_lead'],
    })
    for (let lead = 0; lead < 10; lead++) await addLead(account.api)
    await addLead(other.api)
    await heard(path, 1)
    for (const each of silent) receiver.behave(each, {})
    for (const socket of receiver.sockets) socket.destroy()
  })

  test('what another process has written goes out before what this one writes', async () => {
    const { api, kontor } = account
    const path = await subscribe('update_lead')
    const id = await addLead(api)
    await api.patch(`/api/v4/leads/${id}`, { price: 1 })
    await heard(path, 1)
    // Another process followed the journal for a moment, and died before it told of its delivery.
    await kontor.database.transaction((tx) =>
      tx.rows(sql`
        with taken_over as (
          update followers set epoch = epoch + 1 where name = 'webhooks'
        ), body as (
          insert into delivery_bodies (account_id, format, body, created_at) values (${account.id}, 'form', 'of=another', 1) returning id
        )
        insert into deliveries (account_id, webhook_id, body_id, event, records, created_at, due_at)
        select account_id, webhooks.id, body.id, 'update_lead', array[${`leads ${id}`}], 1, 0
          from webhooks, body where destination = ${receiver.url + path}`),
    )
    await kontor.database.rows(sql`
      select pg_terminate_backend(pid) from pg_locks
       where locktype = 'advisory' and (classid::bigint << 32) + objid::bigint = hashtextextended('kontor follower webhooks', 0)`)
    await api.patch(`/api/v4/leads/${id}`, { price: 2 })
    await heard(path, 3)
    expect(arrived(path)[1]!.body).toBe('of=another')
  })

  test('nothing is lost while no process sends: the next one sends it', async () => {
    const { api } = account
    const path = await subscribe('add_lead')
    await deliveries.stop()
    const ids = await addLeads(api, [{}, {}])
    deliveries = start()
    await heard(path, 1)
    expect(itemsOf(path, 'add').map(({ id }) => Number(id))).toEqual(ids)
  })
})
