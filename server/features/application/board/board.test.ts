// Boards: what cards show, who sees them, and the kept totals. board.property.test.ts proves which leads a
// board holds, and their order.
import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import type { Client } from '../../../../test/client.ts'
import { phone } from '../../../../test/complex.ts'
import { addField } from '../../../../test/fields.ts'
import { addChat, newInbox } from '../../../../test/inbox.ts'
import { addLead, addLeads, addPipeline, lost, mainPipeline, won } from '../../../../test/leads.ts'
import { addRecord } from '../../../../test/records.ts'
import { bulk } from '../../../../test/jobs.ts'
import { within } from '../../../../test/lists/ways.ts'
import { accept, addItem, addSorter, decline } from '../../../../test/unsorted.ts'
import type { Card, Column } from './schema.ts'
import { foldSums } from '../../../changes/kept-sums.ts'
import { leadTotals } from './totals.ts'

const path = '/web/v1/board'
const day = 86_400

async function columnsOf(api: Client, query: string): Promise<Column[]> {
  const { status, body } = await api.get(`${path}?${query}`)
  expect([status, body.detail]).toEqual([200, undefined])
  return body.columns
}

const cardsIn = (columns: Column[]) => columns.flatMap(({ cards }) => cards)
const namesIn = (columns: Column[]) => cardsIn(columns).map(({ name }) => name)
const totalsIn = (columns: Column[]) =>
  Object.fromEntries(columns.map(({ status_id, count, sum }) => [status_id, [count, sum]]))

describe('cards', () => {
  test('a card shows the lead, its main contact, its company, tags, chats and the chosen field', async () => {
    const account = await newAccount()
    const { api, admin } = account
    const { id: pipeline_id, statuses } = await mainPipeline(account)
    const field = await addField(account, 'leads', { type: 'select', enums: ['North', 'South'] })
    const company = await addRecord(api, 'companies', { name: 'Acme' })
    const contact = (name: string, number: string) =>
      addRecord(api, 'contacts', { name, custom_fields_values: [phone(number)] })
    const [other, main] = [await contact('Bob', '+12'), await contact('Ann', '+7 900')]
    const id = await addLead(api, {
      name: 'Pump',
      price: 500,
      custom_fields_values: [{ field_id: field.id, values: [{ value: 'South' }] }],
      _embedded: {
        tags: [{ name: 'vip' }],
        contacts: [{ id: other }, { id: main, is_main: true }],
        companies: [{ id: company }],
      },
    })
    const due = account.kontor.now() + 30 * day
    await api.post('/api/v4/tasks', [
      { text: 'Call', entity_type: 'leads', entity_id: id, complete_till: due },
    ])
    const inbox = await newInbox(account)
    const entity = { type: 'leads', id } as const
    await addChat(inbox, { entity, unread: 98, contact_id: main })
    await addChat(inbox, { entity, unread: 4, contact_id: main })
    const lead = (await api.get(`/api/v4/leads/${id}`)).body
    const [tag] = lead._embedded.tags
    const expected = {
      id,
      name: 'Pump',
      price: 500,
      pipeline_id,
      status_id: statuses[0],
      responsible_user_id: admin.id,
      created_at: lead.created_at,
      updated_at: lead.updated_at,
      closed_at: null,
      loss_reason_id: null,
      closest_task_at: due,
      entered_at: lead.created_at,
      tags: [tag],
      contact: { id: main, name: 'Ann', phone: '+7 900' },
      company: { id: company, name: 'Acme' },
      unread: 99,
      field: lead.custom_fields_values[0].values,
      may_edit: true,
      may_delete: true,
    }
    const query = `pipeline_id=${pipeline_id}&field_id=${field.id}`
    expect(cardsIn(await columnsOf(api, query))).toEqual([expected])
    const requested = `${path}/cards?${query}&ids=${id},${id},999999`
    expect((await api.get(requested)).body.cards).toEqual([expected])
    const [plain] = cardsIn(await columnsOf(api, `pipeline_id=${pipeline_id}`))
    expect(plain).toEqual({ ...expected, field: null })
    // A user who may view leads only sees no contact, no company and no chat of theirs.
    const { api: limited } = await account.addUser({ rights: { leads: { view: 'A', edit: 'M' } } })
    expect(cardsIn(await columnsOf(limited, query))).toEqual([
      { ...expected, contact: null, company: null, unread: 0, may_edit: false, may_delete: false },
    ])
    // A main contact in the bin leaves its place to the next.
    await api.delete(`/api/v4/contacts/${main}`)
    await api.delete(`/api/v4/companies/${company}`)
    expect(cardsIn(await columnsOf(api, query))).toMatchObject([
      { contact: { id: other, name: 'Bob', phone: '+12' }, company: null },
    ])
  })

  test('a card shows a price below zero, as leads may have', async () => {
    const account = await newAccount()
    const { id: pipeline_id } = await mainPipeline(account)
    await addLead(account.api, { price: -5 })
    expect(cardsIn(await columnsOf(account.api, `pipeline_id=${pipeline_id}`))).toMatchObject([
      { price: -5 },
    ])
  })

  test('a card says since when its lead is in its stage', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const { id: pipeline_id, statuses } = await mainPipeline(account)
    const entered = async () =>
      cardsIn(await columnsOf(api, `pipeline_id=${pipeline_id}&closed=true`))[0]!.entered_at
    const id = await addLead(api, { created_at: 1_700_000_000 })
    expect(await entered()).toBe(1_700_000_000)
    await api.patch(`/api/v4/leads/${id}`, { price: 5 })
    expect(await entered()).toBe(1_700_000_000)
    await api.patch(`/api/v4/leads/${id}`, { status_id: statuses[1] })
    const { updated_at } = (await api.get(`/api/v4/leads/${id}`)).body
    expect(await entered()).toBe(updated_at)
    account.clock.ahead += 500
    await api.patch(`/api/v4/leads/${id}`, { price: 6 })
    account.clock.ahead -= 500
    expect(await entered()).toBe(updated_at)
    // Leads of an older schema have no time of their own; the event log and their creation say it.
    const forget = () =>
      kontor.database.transaction((tx) =>
        tx.rows(
          sql`update leads set entered_at = null where account_id = ${account.id} and id = ${id}`,
        ),
      )
    await forget()
    const { events } = (await api.get('/api/v4/events?filter[type]=lead_status_changed')).body
      ._embedded
    expect(await entered()).toBe(events[0].created_at)
    await kontor.database.transaction((tx) =>
      tx.rows(sql`delete from events where account_id = ${account.id}`),
    )
    expect(await entered()).toBe(1_700_000_000)
  })

  test('today ends at midnight in the zone of the account', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const { id: pipeline_id } = await mainPipeline(account)
    await kontor.database.transaction((tx) =>
      tx.rows(sql`update accounts set timezone = 'Pacific/Kiritimati' where id = ${account.id}`),
    )
    const local = kontor.now() + 14 * 3600
    const midnight = kontor.now() + day - (local % day)
    const names = ['tomorrow', 'none', 'today', 'overdue']
    const ids = await addLeads(
      api,
      names.map((name) => ({ name })),
    )
    for (const [index, complete_till] of [
      [0, midnight],
      [2, midnight - 1],
      [3, midnight - 2 * day],
    ] as const)
      await api.post('/api/v4/tasks', [
        { text: 'Call', entity_type: 'leads', entity_id: ids[index], complete_till },
      ])
    const { body } = await api.get(`${path}?pipeline_id=${pipeline_id}`)
    expect(body.today_ends_at).toBe(midnight)
    expect(namesIn(body.columns)).toEqual(['overdue', 'today', 'none', 'tomorrow'])
  })
})

describe('who sees what', () => {
  test('rights to a stage open and close whole columns, and their totals', async () => {
    const account = await newAccount()
    const { api } = account
    const { id: pipeline_id, statuses } = await mainPipeline(account)
    const [first, second, third] = statuses
    const at = (status_id: number, view: 'A' | 'D') => ({
      entity_type: 'leads' as const,
      pipeline_id,
      status_id,
      rights: { view, edit: view, delete: view },
    })
    const seller = await account.addUser({
      rights: { leads: { view: 'M', edit: 'M' }, status_rights: [at(second, 'A'), at(third, 'D')] },
    })
    await addLeads(
      api,
      [first, second, third].flatMap((status_id) => [
        { name: 'mine', status_id, price: 1, responsible_user_id: seller.id },
        { name: 'theirs', status_id, price: 10 },
      ]),
    )
    const columns = await columnsOf(seller.api, `pipeline_id=${pipeline_id}&sort=created`)
    expect(namesIn(columns)).toEqual(['mine', 'theirs', 'mine'])
    expect(totalsIn(columns)).toMatchObject({ [first]: [1, 1], [second]: [2, 11], [third]: [0, 0] })
    const all = (await seller.api.get('/web/v1/aggregate?entity=leads')).body
    expect(all).toEqual({ count: 3, sum: 12, is_more: false })
    // A list with the same filter agrees.
    const filter = `filter[responsible_user_id]=${account.admin.id}`
    const filtered = await columnsOf(seller.api, `pipeline_id=${pipeline_id}&${filter}`)
    expect(namesIn(filtered)).toEqual(['theirs'])
    expect(totalsIn(filtered)).toMatchObject({ [first]: [0, 0], [second]: [1, 10] })
  })

  test('an aggregate counts up to 1,000 leads, and says that there are more', async () => {
    const account = await newAccount()
    const { api } = account
    const seller = await account.addUser({ rights: { leads: { view: 'M' } } })
    const ids: number[] = []
    for (let batch = 0; batch < 5; batch++)
      ids.push(
        ...(await addLeads(
          api,
          Array.from({ length: 221 }, (_, index) => ({
            name: 'Door',
            price: 7,
            ...(index < 20 && { responsible_user_id: seller.id }),
          })),
        )),
      )
    const ask = async (as: typeof api, filter: string) =>
      (await as.get(`/web/v1/aggregate?entity=leads&${filter}`)).body
    const ofPrice = 'filter[price][from]=1&filter[price][to]=9'
    // Each step finds the same: few leads are looked up, many are counted as far as they are needed.
    for (const few of [2000, 1050, 100])
      await within({ smallSet: few, windowRows: 10, mediumSet: 10 }, async () => {
        expect(await ask(api, ofPrice)).toEqual({ count: 1000, sum: 7000, is_more: true })
        expect(await ask(api, `${ofPrice}&filter[name]=Door`)).toMatchObject({ is_more: true })
        const mine = { count: 100, sum: 700, is_more: false }
        expect(await ask(seller.api, ofPrice)).toEqual(mine)
        expect(await ask(api, `${ofPrice}&filter[responsible_user_id]=${seller.id}`)).toEqual(mine)
      })
    await bulk(api, { ids: ids.slice(0, 105), action: { delete: {} } })
    expect(await ask(api, ofPrice)).toEqual({ count: 1000, sum: 7000, is_more: false })
  })

  test('without the right to view nothing is answered, and nothing of another account', async () => {
    const account = await newAccount()
    const { id } = await mainPipeline(account)
    const nobody = await account.addUser({ rights: {} })
    const other = await newAccount()
    for (const [at, status] of [
      [`${path}?pipeline_id=${id}`, 404],
      [`${path}/totals?pipeline_id=${id}`, 404],
      [`${path}/cards?pipeline_id=${id}&ids=1`, 404],
      ['/web/v1/aggregate?entity=leads', 200],
    ] as const) {
      expect((await nobody.api.get(at)).status).toBe(403)
      expect((await other.api.get(at)).status).toBe(status)
    }
  })

  test('unsorted leads are no cards, and the head counts them for those who may see them', async () => {
    const account = await newAccount()
    const { api } = account
    const { id, statuses } = await mainPipeline(account)
    const query = `pipeline_id=${id}`
    const unsortedSummary = async (who: Client) => (await who.get(`${path}?${query}`)).body.unsorted
    expect(await unsortedSummary(api)).toEqual({ count: 0, categories: {} })
    const item = await addItem(api)
    await addItem(api, undefined, 'sip')
    const gone = await addItem(api)
    expect(await unsortedSummary(api)).toEqual({ count: 3, categories: { forms: 2, sip: 1 } })
    expect(await unsortedSummary((await addSorter(account, { view: 'A' })).api)).toEqual(
      await unsortedSummary(api),
    )
    expect(await unsortedSummary((await addSorter(account, {})).api)).toBeNull()
    expect(cardsIn(await columnsOf(api, query))).toEqual([])
    const requested = `${path}/cards?${query}&ids=${item.lead}`
    expect((await api.get(requested)).body.cards).toEqual([])
    await decline(api, gone)
    await accept(api, item, { status_id: statuses[1] })
    const columns = await columnsOf(api, query)
    expect(cardsIn(columns).map((card) => card.id)).toEqual([item.lead])
    expect(totalsIn(columns)).toMatchObject({ [statuses[0]]: [0, 0], [statuses[1]]: [1, 5] })
    expect((await api.get(requested)).body.cards).toHaveLength(1)
    expect(await unsortedSummary(api)).toEqual({ count: 1, categories: { sip: 1 } })
    await expectKept(account)
    const other = await addPipeline(account)
    await api.patch(`/api/v4/leads/pipelines/${other.id}`, { is_unsorted_on: false })
    expect((await api.get(`${path}?pipeline_id=${other.id}`)).body.unsorted).toBeNull()
  })
})

test.for([
  ['', 'filter[colour]=red'],
  ['', 'filter[id]=x'],
  ['', 'page=2'],
  ['', 'order[id]=desc'],
  ['', 'sort=size'],
  ['', 'filter[custom_fields_values][999]=1'],
  ['/column', 'status_id=142&offset=9990&limit=11'],
  ['/column', 'status_id=142&limit=101'],
  ['/cards', 'ids=x'],
  ['/totals', 'limit=5'],
] as const)('%s?%s is refused', async ([at, query]) => {
  const account = await newAccount()
  const { id } = await mainPipeline(account)
  const { status } = await account.api.get(`${path}${at}?pipeline_id=${id}&${query}`)
  expect(status).toBe(400)
})

test('a stage of another pipeline is no column', async () => {
  const account = await newAccount()
  const [main, other] = [await mainPipeline(account), await addPipeline(account)]
  const requested = (status: number) =>
    account.api.get(`${path}/column?pipeline_id=${main.id}&status_id=${status}`)
  expect((await requested(other.statuses[0])).status).toBe(404)
  expect((await requested(main.unsorted)).status).toBe(404)
  expect((await requested(won)).status).toBe(200)
})

/** The rows of the kept totals with their deltas, or those of a plain count. */
const keyed = sql`account_id, pipeline_id, status_id, responsible_user_id, group_id, is_unsorted`
async function expectKept({ id, kontor: { database } }: TestAccount): Promise<void> {
  const [{ kept, counted } = { kept: null, counted: undefined }] = await database.rows<{
    kept: object[] | null
    counted: object[] | null
  }>(sql`
    select (select json_agg(each order by each::text)
              from (select ${keyed}, sum(count)::bigint as count, sum(sum)::bigint as sum
                      from (select * from lead_totals union all select * from lead_total_deltas) kept
                     where account_id = ${id} group by ${keyed} having sum(count) <> 0 or sum(sum) <> 0) each) as kept,
           (select json_agg(each order by each::text)
              from (select ${keyed}, count(*) as count, sum(price)::bigint as sum
                      from (select *, unsorted_id is not null as is_unsorted from leads) lead
                     where account_id = ${id} and not is_deleted group by ${keyed}) each) as counted`)
  expect(kept).toEqual(counted)
}

const deltasOf = async ({ id, kontor: { database } }: TestAccount) =>
  (await database.row<{ count: number }>(
    sql`select count(*) as count from lead_total_deltas where account_id = ${id}`,
  ))!.count

describe('kept totals', () => {
  test('they are right after every write, before and after the deltas are folded', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const [main, other] = [await mainPipeline(account), await addPipeline(account)]
    const { id: group_id } = (await api.post('/web/v1/groups', { name: 'North' })).body
    const seller = await account.addUser({ rights: { leads: { view: 'M', edit: 'M' } } })
    const highest = Number.MAX_SAFE_INTEGER
    const ids = await addLeads(
      api,
      Array.from({ length: 20 }, (_, index) => ({
        price: index,
        status_id: main.statuses[index % 3],
        ...(index % 2 && { responsible_user_id: seller.id }),
      })),
    )
    const writes: (() => Promise<unknown>)[] = [
      () => api.patch(`/api/v4/leads/${ids[0]}`, { name: 'Renamed' }),
      () => api.patch(`/api/v4/leads/${ids[0]}`, { price: 700 }),
      () =>
        api.patch(
          '/api/v4/leads',
          ids.slice(1, 9).map((id) => ({ id, status_id: lost })),
        ),
      () =>
        api.patch(`/api/v4/leads/${ids[2]}`, {
          pipeline_id: other.id,
          status_id: other.statuses[1],
        }),
      () => api.patch(`/api/v4/leads/${ids[3]}`, { responsible_user_id: seller.id }),
      () => api.delete(`/api/v4/leads/${ids[4]}`),
      () => api.post(`/api/v4/leads/${ids[4]}/restore`),
      // The sum of these is more than a bigint holds.
      () =>
        addLeads(
          api,
          Array.from({ length: 20 }, () => ({ price: highest })),
        ),
      () =>
        api.delete(
          `/api/v4/leads/pipelines/${main.id}/statuses/${main.statuses[1]}?move_to=${main.statuses[2]}`,
        ),
      () => api.patch(`/web/v1/users/${seller.id}`, { group_id }),
      () =>
        kontor.database.transaction((tx) =>
          tx.rows(sql`delete from leads where account_id = ${account.id} and id = ${ids[5]}`),
        ),
    ]
    await expectKept(account)
    for (const [index, write] of writes.entries()) {
      await write()
      await expectKept(account)
      if (index % 3 === 2) {
        await foldSums(kontor.database, leadTotals)
        await expectKept(account)
      }
    }
    await expect
      .poll(async () => {
        await foldSums(kontor.database, leadTotals)
        return deltasOf(account)
      })
      .toBe(0)
    await expectKept(account)
    const { database } = kontor
    const empty = sql`select from lead_totals where account_id = ${account.id} and count = 0 and sum = 0`
    expect(await database.rows(empty)).toEqual([])
    const columns = await columnsOf(api, `pipeline_id=${main.id}&closed=1`)
    const plain = await database.rows<{ status_id: number; count: number }>(sql`
      select status_id, count(*) as count from leads where account_id = ${account.id} and pipeline_id = ${main.id} and not is_deleted
       group by status_id`)
    expect(
      new Map(columns.flatMap(({ status_id, count }) => (count ? [[status_id, count]] : []))),
    ).toEqual(new Map(plain.map(({ status_id, count }) => [status_id, count])))
  })

  test('they stay right under 50 moves at once, folds meanwhile, and connections that are cut', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const { database } = kontor
    const main = await mainPipeline(account)
    const ids = await addLeads(
      api,
      Array.from({ length: 50 }, (_, price) => ({ price })),
    )
    const moved = new AbortController()
    const folding = (async () => {
      while (!moved.signal.aborted) await foldSums(database, leadTotals)
    })()
    /** A write, or a fold, that does not come to its commit. */
    const cutOff = async (statement: Parameters<typeof database.rows>[0]) => {
      const connection = await database.connection()
      connection.on('error', () => undefined)
      const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid')
      await connection.query('begin')
      await connection.query(statement)
      await database.rows(sql`select pg_terminate_backend(${rows[0]!.pid}, 5000)`)
      await connection.end().catch(() => undefined)
    }
    const moves = ids.map(async (id, index) => {
      for (const status_id of [main.statuses[1], won, main.statuses[index % 3]!]) {
        const { status } = await api.patch(`/api/v4/leads/${id}`, { status_id, price: index * 3 })
        expect(status).toBe(200)
      }
    })
    for (let times = 0; times < 5; times++) {
      await cutOff(sql`
        update leads set price = price + 1, status_id = ${lost} where account_id = ${account.id} and id = ${ids[times]!}`)
      await cutOff(sql`delete from lead_total_deltas where account_id = ${account.id}`)
    }
    await Promise.all(moves)
    moved.abort()
    await folding
    await expectKept(account)
    const columns = await columnsOf(api, `pipeline_id=${main.id}`)
    expect(totalsIn(columns)).toMatchObject(
      Object.fromEntries(
        main.statuses.slice(0, 3).map((status, stage) => {
          const there = [...ids.keys()].filter((index) => index % 3 === stage)
          const prices = there.map((index) => index * 3)
          return [status, [prices.length, prices.reduce((sum, price) => sum + price, 0)]]
        }),
      ),
    )
  })
})

test('a window far below is as exact as the first, and ends with the column', async () => {
  const account = await newAccount()
  const { id, statuses } = await mainPipeline(account)
  const ids = await addLeads(
    account.api,
    Array.from({ length: 120 }, (_, index) => ({ price: index % 7 })),
  )
  const requested = async (offset: number, limit: number): Promise<number[]> =>
    (
      await account.api.get(
        `${path}/column?pipeline_id=${id}&status_id=${statuses[0]}&sort=created&offset=${offset}&limit=${limit}`,
      )
    ).body.cards.map((card: Card) => card.id)
  const newest = ids.toReversed()
  expect(await requested(0, 100)).toEqual(newest.slice(0, 100))
  expect(await requested(95, 30)).toEqual(newest.slice(95))
  expect(await requested(120, 30)).toEqual([])
})
