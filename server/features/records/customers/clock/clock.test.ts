// The statuses of customers as time passes, against a plain model, and the settings of the clock.
import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../../test/account.ts'
import type { TestAccount } from '../../../../../test/account.ts'
import { moveTo } from '../../../../../test/fields.ts'
import { listen } from '../../../../../test/leads.ts'
import { addRecord, addRecords, readRecord } from '../../../../../test/records.ts'
import { scratchDatabase } from '../../../../../test/scratch.ts'
import { serverItself } from '../../../../access/user-access.ts'
import { newFaults } from '../../../../http/batch.ts'
import { createAccount } from '../../../people/accounts/accounts.ts'
import { changeCustomers } from '../customers.ts'
import { refreshCustomers, turnClock } from './clock.ts'
import { stretched } from '../../../../../test/slow.ts'

const path = '/api/v4/customers'
const day = 86_400

/** The ids of the default statuses by type. */
async function statusIds({ api }: TestAccount): Promise<number[]> {
  const { body } = await api.get(`${path}/statuses`)
  const statuses: { id: number; type: number }[] = body._embedded.statuses
  return [0, 1, 2, 3, 4].map((type) => statuses.find((status) => status.type === type)!.id)
}

const statusOf = async ({ api }: TestAccount, id: number): Promise<number> =>
  (await readRecord(api, 'customers', id)).status_id

const turn = ({ id, kontor }: TestAccount, at: number) => turnClock(kontor.database, id, at)

/** Waits until no account has customers to evaluate by changed rules. */
async function untilRecomputed({ id, kontor: { database } }: TestAccount): Promise<void> {
  const left = () => database.row(sql`select from customer_reevaluations where account_id = ${id}`)
  for (const end = performance.now() + 60_000; await left();) {
    if (performance.now() > end) throw new Error('customers are still evaluated')
    await refreshCustomers(database)
  }
}

test('a customer passes its statuses, with one event for each, in the name of the system', async () => {
  const account = await newAccount()
  const [ordinary, expected, missed, closed] = await statusIds(account)
  const now = account.kontor.now()
  const id = await addRecord(account.api, 'customers', { next_date: now + 20 * day })
  expect(await statusOf(account, id)).toBe(ordinary)
  const newsSince = await listen(account)
  expect(await turn(account, now + 12 * day)).toBe(0)
  for (const [days, status] of [
    [14, expected],
    [22, missed],
    [55, closed],
  ] as const) {
    expect(await turn(account, now + days * day)).toBe(1)
    expect(await statusOf(account, id)).toBe(status)
  }
  expect(await turn(account, now + 1000 * day)).toBe(0)
  const { journal, events } = await newsSince()
  const steps = [ordinary, expected, missed, closed]
  expect(events).toMatchObject(
    [1, 2, 3].map((step) => ({
      type: 'customer_status_changed',
      entity_type: 'customer',
      entity_id: id,
      created_by: 0,
      value_before: [{ customer_status: { id: steps[step - 1] } }],
      value_after: [{ customer_status: { id: steps[step] } }],
    })),
  )
  expect(journal.map(({ actions, created_by }) => [actions, created_by])).toEqual(
    [1, 2, 3].map(() => [['update', 'status'], 0]),
  )
  expect(journal[0]!.before).toMatchObject({ status_id: ordinary })
  expect(await readRecord(account.api, 'customers', id)).toMatchObject({
    updated_by: 0,
    updated_at: now + 55 * day,
  })
})

test('after a downtime a customer moves once, to its last status', async () => {
  const account = await newAccount()
  const [, , , closed] = await statusIds(account)
  const now = account.kontor.now()
  const id = await addRecord(account.api, 'customers', { next_date: now + 20 * day })
  const newsSince = await listen(account)
  await turn(account, now + 100 * day)
  expect(await statusOf(account, id)).toBe(closed)
  expect((await newsSince()).events).toHaveLength(1)
})

test('a status set by hand holds until the date changes or the status by dates ends', async () => {
  const account = await newAccount()
  const { api } = account
  const [ordinary, expected, missed, closed] = await statusIds(account)
  const now = account.kontor.now()
  const id = await addRecord(api, 'customers', { next_date: now + 20 * day, status_id: closed })
  await turn(account, now + 5 * day)
  expect(await statusOf(account, id)).toBe(closed)
  await turn(account, now + 14 * day)
  expect(await statusOf(account, id)).toBe(expected)
  await api.patch(`${path}/${id}`, { status_id: closed })
  await api.patch(`${path}/${id}`, { name: 'Other', next_price: 5 })
  expect(await statusOf(account, id)).toBe(closed)
  await api.patch(`${path}/${id}`, { next_date: now + 30 * day })
  expect(await statusOf(account, id)).toBe(ordinary)
  // The one that is sent goes before the date that is sent with it.
  await api.patch(`${path}/${id}`, { next_date: now + 31 * day, status_id: missed })
  expect(await statusOf(account, id)).toBe(missed)
})

test('the bin keeps customers as they are, and restored ones follow', async () => {
  const account = await newAccount()
  const { api } = account
  const [ordinary, , missed, closed] = await statusIds(account)
  const now = account.kontor.now()
  const [id, byHand] = (await addRecords(api, 'customers', [
    { next_date: now + 20 * day },
    { next_date: now + 20 * day, status_id: closed },
  ])) as [number, number]
  for (const each of [id, byHand]) await api.delete(`${path}/${each}`)
  expect(await turn(account, now + 22 * day)).toBe(0)
  for (const each of [id, byHand]) await api.post(`${path}/${each}/restore`)
  await turn(account, now + 5 * day)
  expect(await statusOf(account, id)).toBe(ordinary)
  expect(await statusOf(account, byHand)).toBe(closed)
  await turn(account, now + 22 * day)
  expect(await statusOf(account, id)).toBe(missed)
  expect(await statusOf(account, byHand)).toBe(missed)
})

describe('several processes', () => {
  test('that turn the clock at once move each customer once', async () => {
    const account = await newAccount()
    const { api, id, kontor } = account
    const [, expected] = await statusIds(account)
    const now = kontor.now()
    const drafts = Array.from({ length: 500 }, () => ({ next_date: now + 20 * day }))
    // More than one transaction evaluates.
    for (let batch = 0; batch < 3; batch++) await addRecords(api, 'customers', drafts)
    const at = now + 14 * day
    const [one, other] = await Promise.all([turn(account, at), turn(account, at)])
    expect(one + other).toBe(1500)
    const moves = await kontor.database.rows(sql`
      select status_id, moves, count(*) as customers
        from (select status_id, (select count(*) from events event
                                  where event.account_id = ${id} and event.type = 'customer_status_changed'
                                    and event.entity_type = 'customer' and event.entity_id = customer.id) as moves
                from customers customer where account_id = ${id}) moved
       group by 1, 2`)
    expect(moves).toEqual([{ status_id: expected, moves: 1, customers: 1500 }])
  })

  // A process that waits in these tests would wait forever.
  const timeout = 20_000

  test(
    'do not wait for a customer that is locked, and move it the next time',
    { timeout },
    async () => {
      const account = await newAccount()
      const { api, kontor } = account
      const [ordinary, expected] = await statusIds(account)
      const at = kontor.now() + 14 * day
      const next_date = kontor.now() + 20 * day
      const [locked, other] = (await addRecords(api, 'customers', [
        { next_date },
        { next_date },
      ])) as [number, number]
      const evaluated = await kontor.database.transaction(async (tx) => {
        await tx.rows(sql`select from customers where id = ${locked} for update`)
        return turn(account, at)
      })
      expect(evaluated).toBe(1)
      expect(await statusOf(account, locked)).toBe(ordinary)
      expect(await statusOf(account, other)).toBe(expected)
      expect(await turn(account, at)).toBe(1)
      expect(await statusOf(account, locked)).toBe(expected)
    },
  )

  test('leave an account under changed rules to the one that has it', { timeout }, async () => {
    // No server does the work in this database.
    const { database, another, drop } = await scratchDatabase()
    try {
      const id = await database.transaction((tx) =>
        createAccount(tx, 0, { subdomain: 'clock', name: 'An account' }),
      )
      await database.rows(
        sql`insert into customer_reevaluations (account_id, is_ready) values (${id}, true)`,
      )
      const isDone = await database.transaction(async (tx) => {
        await tx.rows(sql`select from customer_reevaluations for update`)
        return refreshCustomers(another())
      })
      expect(isDone).toBe(false)
      expect(await refreshCustomers(database)).toBe(true)
      expect(await database.rows(sql`select from customer_reevaluations`)).toEqual([])
    } finally {
      await drop()
    }
  })
})

test('a restored customer whose status was set by hand leaves it when the one by dates ends', async () => {
  const account = await newAccount()
  const { api } = account
  const [, , missed, closed] = await statusIds(account)
  const now = account.kontor.now()
  await api.patch(`${path}/mode`, { mode: 'periodicity', is_enabled: false })
  const id = await addRecord(api, 'customers', { next_date: now + 20 * day, status_id: closed })
  await api.delete(`${path}/${id}`)
  await api.patch(`${path}/mode`, { mode: 'periodicity', is_enabled: true })
  await untilRecomputed(account)
  await api.post(`${path}/${id}/restore`)
  await turn(account, now)
  expect(await statusOf(account, id)).toBe(closed)
  await turn(account, now + 22 * day)
  expect(await statusOf(account, id)).toBe(missed)
})

test('customers of a deleted status go where their dates say, and follow the rules from then on', async () => {
  const account = await newAccount()
  const { api } = account
  const [ordinary, expected, , closed] = await statusIds(account)
  const now = account.kontor.now()
  const made = await api.post(`${path}/statuses`, [{ name: 'Dear', sort: 9 }])
  const dear: number = made.body._embedded.statuses[0].id
  const [late, early] = (await addRecords(api, 'customers', [
    { next_date: now - 100 * day, status_id: dear },
    { next_date: now + 20 * day, status_id: dear },
  ])) as [number, number]
  await api.delete(`${path}/statuses/${dear}`)
  expect([await statusOf(account, late), await statusOf(account, early)]).toEqual([
    closed,
    ordinary,
  ])
  await api.patch(`/web/v1/customers/statuses/${expected}`, { days: 25 })
  await untilRecomputed(account)
  expect(await statusOf(account, early)).toBe(expected)
})

test('a new order of ordinary statuses moves nobody', async () => {
  const account = await newAccount()
  const { api } = account
  const [ordinary] = await statusIds(account)
  const id = await addRecord(api, 'customers')
  await api.post(`${path}/statuses`, [{ name: 'First', sort: 1 }])
  await api.patch(`${path}/mode`, { mode: 'periodicity', is_enabled: true })
  await untilRecomputed(account)
  expect(await statusOf(account, id)).toBe(ordinary)
})

test('a move never goes back behind a newer change', async () => {
  const account = await newAccount()
  const { api } = account
  const now = account.kontor.now()
  const updated_at = now + 30 * day
  const id = await addRecord(api, 'customers', { next_date: now + 20 * day, updated_at })
  await turn(account, now + 15 * day)
  expect((await readRecord(api, 'customers', id)).updated_at).toBe(updated_at)
})

test('nothing moves without periodic purchases, until they are turned on', async () => {
  const account = await newAccount()
  const { api } = account
  const [ordinary, , missed] = await statusIds(account)
  const now = account.kontor.now()
  const id = await addRecord(api, 'customers', { next_date: now + 20 * day })
  await api.patch(`${path}/mode`, { mode: 'periodicity', is_enabled: false })
  await api.patch(`${path}/${id}`, { next_date: now - 5 * day })
  expect(await statusOf(account, id)).toBe(ordinary)
  await turn(account, now + 1000 * day)
  expect(await statusOf(account, id)).toBe(ordinary)
  await api.patch(`${path}/mode`, { mode: 'periodicity', is_enabled: true })
  await untilRecomputed(account)
  expect(await statusOf(account, id)).toBe(missed)
})

describe('a purchase', () => {
  const buy = ({ api }: TestAccount, id: number, draft: object) =>
    api.post(`${path}/${id}/transactions`, [{ price: 100, ...draft }])

  test('makes the status of its customer, also one set by hand, for a week', async () => {
    const account = await newAccount()
    const [ordinary, , , closed, recent] = await statusIds(account)
    const now = account.kontor.now()
    const draft = { next_date: now + 20 * day, periodicity: 30, status_id: closed }
    const id = await addRecord(account.api, 'customers', draft)
    const newsSince = await listen(account)
    await buy(account, id, {})
    expect(await readRecord(account.api, 'customers', id)).toMatchObject({
      status_id: recent,
      ltv: 100,
      next_date: now + 50 * day,
    })
    const { journal, events } = await newsSince()
    expect(journal.map(({ actions }) => actions)).toEqual([['update', 'status']])
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['transaction_added', 'ltv_field_changed', 'customer_status_changed']),
    )
    await turn(account, now + 6 * day)
    expect(await statusOf(account, id)).toBe(recent)
    await turn(account, now + 8 * day)
    expect(await statusOf(account, id)).toBe(ordinary)
  })

  test('of long ago is not recent, and one that is deleted no longer counts', async () => {
    const account = await newAccount()
    const [ordinary, , missed, closed, recent] = await statusIds(account)
    const now = account.kontor.now()
    const [one, byHand] = (await addRecords(account.api, 'customers', [
      { next_date: now + 90 * day },
      { next_date: now + 90 * day },
    ])) as [number, number]
    await buy(account, one, { completed_at: now - 30 * day, next_date: now - 5 * day })
    expect(await statusOf(account, one)).toBe(missed)
    for (const id of [one, byHand]) {
      const { body } = await buy(account, id, { next_date: now + 90 * day })
      expect(await statusOf(account, id)).toBe(recent)
      if (id === byHand) await account.api.patch(`${path}/${id}`, { status_id: closed })
      const [{ id: bought }] = body._embedded.transactions
      await account.api.delete(`${path}/transactions/${bought}`)
    }
    expect(await statusOf(account, one)).toBe(ordinary)
    expect(await statusOf(account, byHand)).toBe(closed)
  })

  test('moves nobody where periodic purchases are off', async () => {
    const account = await newAccount()
    const id = await addRecord(account.api, 'customers')
    const before = await statusOf(account, id)
    await account.api.patch(`${path}/mode`, { mode: 'periodicity', is_enabled: false })
    await buy(account, id, {})
    expect(await statusOf(account, id)).toBe(before)
  })
})

describe('segments with conditions', () => {
  /** A segment that customers are in by conditions. */
  async function addSegment({ api }: TestAccount, entry: object[][], exit: object[][] = []) {
    const made = await api.post(`${path}/segments`, { name: 'By rule' })
    const id: number = made.body.id
    const set = await api.send('PUT', `/web/v1/customers/segments/${id}/conditions`, {
      entry_conditions: entry,
      exit_conditions: exit,
    })
    expect(set.status).toBe(200)
    return id
  }
  const segmentsOf = async ({ api }: TestAccount, id: number): Promise<number[]> =>
    (await readRecord(api, 'customers', id))._embedded.segments.map(
      (segment: { id: number }) => segment.id,
    )
  const countOf = async ({ api }: TestAccount, id: number): Promise<number> =>
    (await api.get(`${path}/segments/${id}`)).body.customers_count

  test('take and lose customers as these are written, and count them', async () => {
    const account = await newAccount()
    const { api } = account
    const dear = await addSegment(account, [[{ field: 'ltv', from: 100 }]])
    const rich = await addSegment(account, [[{ field: 'next_price', from: 500 }]])
    await untilRecomputed(account)
    const id = await addRecord(api, 'customers', { next_price: 500 })
    expect(await segmentsOf(account, id)).toEqual([rich])
    const newsSince = await listen(account)
    const bought = await api.post(`${path}/${id}/transactions`, [{ price: 100 }])
    expect(await segmentsOf(account, id)).toEqual([dear, rich])
    await api.patch(`${path}/${id}`, { next_price: 499 })
    expect(await segmentsOf(account, id)).toEqual([dear])
    expect([await countOf(account, dear), await countOf(account, rich)]).toEqual([1, 0])
    const [{ id: purchase }] = bought.body._embedded.transactions
    await api.delete(`${path}/transactions/${purchase}`)
    expect(await segmentsOf(account, id)).toEqual([])
    expect(await countOf(account, dear)).toBe(0)
    const { journal } = await newsSince()
    expect(
      journal.flatMap(({ before }) => (before?.['segment_ids'] ? [before['segment_ids']] : [])),
    ).toEqual([[rich], [dear, rich], [dear]])
  })

  test('keep whom a person has put there', async () => {
    const account = await newAccount()
    const { api } = account
    const dear = await addSegment(account, [[{ field: 'ltv', from: 100 }]])
    await untilRecomputed(account)
    const id = await addRecord(api, 'customers', { _embedded: { segments: [{ id: dear }] } })
    await api.patch(`${path}/${id}`, { name: 'Other' })
    expect(await segmentsOf(account, id)).toEqual([dear])
  })

  test('follow the days, without an event and in the name of the system', async () => {
    const account = await newAccount()
    const { api } = account
    const now = account.kontor.now()
    const soon = await addSegment(account, [[{ field: 'days_to_next_date', from: 0, to: 3 }]])
    await untilRecomputed(account)
    await api.patch(`${path}/mode`, { mode: 'segments', is_enabled: true })
    await untilRecomputed(account)
    const id = await addRecord(api, 'customers', { next_date: now + 20 * day })
    const newsSince = await listen(account)
    expect(await turn(account, now + 10 * day)).toBe(0)
    expect(await turn(account, now + 18 * day)).toBe(1)
    expect(await segmentsOf(account, id)).toEqual([soon])
    expect(await turn(account, now + 22 * day)).toBe(1)
    expect(await segmentsOf(account, id)).toEqual([])
    const { journal, events } = await newsSince()
    expect(events).toEqual([])
    expect(journal).toMatchObject([
      { actions: ['update'], before: { segment_ids: [] }, created_by: 0 },
      { actions: ['update'], before: { segment_ids: [soon] }, created_by: 0 },
    ])
    expect(await countOf(account, soon)).toBe(0)
  })

  test('are asked of all customers once they are set, and of none where segments are off', async () => {
    const account = await newAccount()
    const { api } = account
    const id = await addRecord(api, 'customers', { next_price: 700 })
    const rich = await addSegment(account, [[{ field: 'next_price', from: 500 }]])
    await untilRecomputed(account)
    expect(await segmentsOf(account, id)).toEqual([rich])
    await api.patch(`${path}/mode`, { mode: 'segments', is_enabled: false })
    await api.patch(`${path}/${id}`, { next_price: 5 })
    expect(await segmentsOf(account, id)).toEqual([rich])
    await api.patch(`${path}/mode`, { mode: 'segments', is_enabled: true })
    await untilRecomputed(account)
    expect(await segmentsOf(account, id)).toEqual([])
  })

  test('have a restored customer evaluated at once', async () => {
    const account = await newAccount()
    const { api } = account
    const id = await addRecord(api, 'customers', { next_price: 700 })
    await api.delete(`${path}/${id}`)
    const rich = await addSegment(account, [[{ field: 'next_price', from: 500 }]])
    await untilRecomputed(account)
    await api.post(`${path}/${id}/restore`)
    await turn(account, account.kontor.now())
    expect(await segmentsOf(account, id)).toEqual([rich])
    expect(await countOf(account, rich)).toBe(1)
  })
})

describe('the length of a status', () => {
  test('is set by an administrator in the web application, and all customers follow', async () => {
    const account = await newAccount()
    const { api } = account
    const [ordinary, expected, missed, closed, recent] = await statusIds(account)
    const now = account.kontor.now()
    const [one, byHand, done] = (await addRecords(api, 'customers', [
      { next_date: now + 20 * day },
      { next_date: now + 20 * day, status_id: closed },
      { next_date: now - 5 * day },
    ])) as [number, number, number]
    const newsSince = await listen(account)
    const at = (id: number | undefined) => `/web/v1/customers/statuses/${id}`
    const answer = await api.patch(at(expected), { days: 25 })
    expect(answer.body).toMatchObject({
      id: expected,
      conditions: [[{ type: 'before_purchase', match: { value: 25 } }]],
    })
    await api.patch(at(closed), { days: 3 })
    await untilRecomputed(account)
    expect(await statusOf(account, one)).toBe(expected)
    expect(await statusOf(account, done)).toBe(closed)
    expect(await statusOf(account, byHand)).toBe(closed)
    const { events } = await newsSince()
    expect(events.map(({ entity_id, created_by }) => [entity_id, created_by])).toEqual([
      [one, 0],
      [done, 0],
    ])
    const idle = { is_running: false, done: 0, total: null }
    expect((await api.get('/web/v1/customers/reevaluation')).body).toEqual(idle)
    for (const [id, days, status] of [
      [ordinary, 5, 400],
      [missed, 5, 400],
      [recent, -1, 400],
      [recent, 3651, 400],
      [999_999_999, 5, 404],
    ] as const)
      expect((await api.patch(at(id), { days })).status).toBe(status)
    await api.patch(`${path}/mode`, { mode: 'periodicity', is_enabled: false })
    expect((await api.patch(at(expected), { days: 4 })).status).toBe(422)
  })

  test('shows that customers are evaluated, which begins when older writes have ended', async () => {
    const account = await newAccount()
    const { database, now } = account.kontor
    const { api } = account
    const [ordinary, expected] = await statusIds(account)
    const id = await addRecord(account.api, 'customers', { next_date: now() + 20 * day })
    const progress = async () => (await api.get('/web/v1/customers/reevaluation')).body
    let end = () => {}
    const isEnded = new Promise<void>((resolve) => (end = resolve))
    const older = database.transaction(async (tx) => {
      await tx.rows(sql`select pg_current_xact_id()`)
      await isEnded
    })
    await api.patch(`/web/v1/customers/statuses/${expected}`, { days: 25 })
    expect(await refreshCustomers(database, () => true)).toBe(false)
    expect(await progress()).toEqual({ is_running: true, done: 0, total: null })
    expect(await statusOf(account, id)).toBe(ordinary)
    end()
    await older
    await untilRecomputed(account)
    expect(await progress()).toEqual({ is_running: false, done: 0, total: null })
    expect(await statusOf(account, id)).toBe(expected)
  })
})

/** How many customers the model follows; 100,000 measures the pace. */
const count = Number(process.env['CLOCK_CUSTOMERS'] ?? 5000)

/** A customer of the model; days are counted from the first of the book. */
interface Modelled {
  id: number
  bought: number | null
  next: number
  status: number
  /** The type by dates on the day of the latest placement. */
  type: number
  /** How often it came into another status. */
  moves: number
}

/** The type of status on a day, in the words of the issue: nothing but days are compared. */
function typeOn({ bought, next }: Modelled, today: number): number {
  if (bought !== null && today <= bought + 7) return 4
  if (today < next - 7) return 0
  if (today <= next) return 1
  return today <= next + 30 ? 2 : 3
}

/**
 * Fills an account with customers that bought up to 60 days ago and buy again within 60 days, at all
 * times of the day in a zone, as PostgreSQL counts them.
 */
async function fillBook(account: TestAccount, zone: string, start: number): Promise<Modelled[]> {
  return account.kontor.database.rows<Modelled>(sql`
    with first as (select (to_timestamp(${start}::bigint) at time zone ${zone})::date as day),
    drawn as (
      select case when number % 3 > 0 then -(number * 7919 % 60) end as bought, number * 104729 % 121 - 60 as next,
             number * 15485863 % 86400 as second, number
        from generate_series(1, ${count}::bigint) as number
    ), made as (
      insert into customers (account_id, name, next_date, last_purchase_at, status_id, status_due_at, responsible_user_id, group_id,
                             created_by, updated_by, created_at, updated_at)
      select ${account.id}, 'Customer ' || number,
             extract(epoch from (first.day + next::int + second * interval '1 second') at time zone ${zone}),
             extract(epoch from (first.day + bought::int + second * interval '1 second') at time zone ${zone}),
             0, extract(epoch from first.day::timestamp at time zone ${zone}),
             ${account.admin.id}, 0, ${account.admin.id}, ${account.admin.id}, ${start}::bigint, ${start}::bigint
        from drawn, first order by number
      returning id, name
    )
    select made.id, drawn.bought, drawn.next, 0 as status, -1 as type, 0 as moves
      from made join drawn on made.name = 'Customer ' || number order by made.id`)
}

test(
  'a month of a book of customers goes as a plain model says',
  { timeout: stretched(300_000) },
  async () => {
    const account = await newAccount()
    const { database, now } = account.kontor
    const zone = 'Australia/Lord_Howe'
    await moveTo(account, zone)
    const statuses = await statusIds(account)
    // Tomorrow: nobody is due before, so that the clock of the server stays out of it.
    const start = now() + day
    const book = await fillBook(account, zone, start)
    expect(book).toHaveLength(count)
    // Plans of the few customers of before would go through all of these.
    await database.rows(sql`analyze customers`)
    let evaluated = 0
    let spentMs = 0
    // The process sleeps on some days, and never wakes at the same time.
    const days = Array.from({ length: 31 }, (_, today) => today).filter((today) => today % 9 !== 5)
    for (const today of days) {
      const at = await database.row<{ at: number }>(sql`
      select extract(epoch from ((to_timestamp(${start}::bigint) at time zone ${zone})::date + ${today}::int
                                 + ${(today * 5003) % 86_400}::int * interval '1 second') at time zone ${zone})::bigint as at`)
      const began = performance.now()
      evaluated += await turnClock(database, account.id, at!.at)
      spentMs += performance.now() - began
      for (const customer of book) {
        const type = typeOn(customer, today)
        if (type === customer.type) continue
        customer.type = type
        if (customer.status === statuses[type]) continue
        customer.status = statuses[type]!
        customer.moves += 1
      }
      // Some are moved by hand, some get another date.
      const actor = serverItself(account.id, at!.at)
      const chosen = book.filter((_, index) => index % 500 === today)
      const values = chosen.map((customer, index) =>
        index % 2 === 0
          ? { id: customer.id, status_id: statuses[index % 5]! }
          : { id: customer.id, next_date: at!.at + (index % 40) * day },
      )
      const items = values.map((value, index) => ({ index, request_id: String(index), value }))
      account.clock.ahead = at!.at - Math.floor(Date.now() / 1000)
      await database.transaction((tx) => changeCustomers(tx, actor, { items, faults: newFaults() }))
      account.clock.ahead = 0
      for (const [index, customer] of chosen.entries()) {
        const value = values[index]!
        if ('next_date' in value) {
          // A date that is as far away in days as in whole days of seconds: the zone may shift.
          const [found] = await database.rows<{ next: number }>(sql`
          select (to_timestamp(${value.next_date!}::bigint) at time zone ${zone})::date
                 - (to_timestamp(${start}::bigint) at time zone ${zone})::date as next`)
          customer.next = found!.next
          customer.type = typeOn(customer, today)
        }
        const status = 'status_id' in value ? value.status_id! : statuses[customer.type]!
        if (customer.status !== status) customer.moves += 1
        customer.status = status
      }
    }
    const kept = await database.rows(sql`
    select id, status_id as status,
           (select count(*) from events event
             where event.account_id = customer.account_id and event.type = 'customer_status_changed'
               and event.entity_type = 'customer' and event.entity_id = customer.id) as moves
      from customers customer where account_id = ${account.id} order by id`)
    expect(kept).toEqual(book.map(({ id, status, moves }) => ({ id, status, moves })))
    console.log(
      `${evaluated} customers evaluated, ${Math.round((evaluated / spentMs) * 1000)} a second`,
    )
  },
)
