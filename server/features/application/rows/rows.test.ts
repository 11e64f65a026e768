// The rows of lists: what they show, to whom, and the kept counts. rows.property.test.ts proves which rows a list has,
// and their order.
import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { bulk } from '../../../../test/jobs.ts'
import { link, to } from '../../../../test/links.ts'
import { addRecord, addRecords, pathOf, rightsOf } from '../../../../test/records.ts'
import { accept, addItem } from '../../../../test/unsorted.ts'
import { foldSums } from '../../../changes/kept-sums.ts'
import { listedCounts } from '../../../records/lists/listed-counts.ts'
import { rowBounds } from './rows.ts'
import { rowTypes } from './schema.ts'
import type { Row, RowGroups, RowSummary, RowType, RowWindow } from './schema.ts'

const path = (type: RowType) => `/web/v1/rows/${type}`

const windowOf = async ({ api }: Pick<TestAccount, 'api'>, type: RowType, query = '') =>
  (await api.get(`${path(type)}?${query}`)).body as RowWindow

describe('a row', () => {
  test('of a lead names its main contact and its company, as far as the user may view them', async () => {
    const account = await newAccount()
    const { api } = account
    const [ann, bea] = [
      await addRecord(api, 'contacts', { name: 'Ann' }),
      await addRecord(api, 'contacts', { name: 'Bea' }),
    ]
    const acme = await addRecord(api, 'companies', { name: 'Acme' })
    const lead = await addRecord(api, 'leads', {
      name: 'Order',
      price: 7,
      _embedded: {
        contacts: [{ id: ann }, { id: bea, is_main: true }],
        companies: [{ id: acme }],
        tags: [{ name: 'vip' }],
      },
    })
    const { rows } = await windowOf(account, 'leads', 'with=contact,company')
    expect(rows).toMatchObject([
      {
        id: lead,
        name: 'Order',
        price: 7,
        contact: { id: bea, name: 'Bea' },
        company: { id: acme, name: 'Acme' },
        tags: [{ name: 'vip' }],
        may_edit: true,
        may_delete: true,
      },
    ])
    expect(Object.keys((await windowOf(account, 'leads')).rows[0]!)).not.toContain('contact')
    const seller = await account.addUser({
      rights: { leads: { view: 'A', edit: 'D' }, companies: { view: 'A' } },
    })
    const [seen] = (await windowOf(seller, 'leads', 'with=contact,company')).rows
    expect(seen).toMatchObject({ contact: null, company: { name: 'Acme' }, may_edit: false })
  })

  test('of a contact counts the leads that the user may view, open ones apart', async () => {
    const account = await newAccount()
    const { api } = account
    const contact = await addRecord(api, 'contacts', { name: 'Ann' })
    const seller = await account.addUser({
      rights: { leads: { view: 'M' }, contacts: { view: 'A' } },
    })
    const drafts = [
      { name: 'open', responsible_user_id: seller.id },
      { name: 'won', status_id: 142 },
      { name: 'hidden' },
    ]
    for (const draft of drafts)
      await addRecord(api, 'leads', { ...draft, _embedded: { contacts: [{ id: contact }] } })
    const leadsOf = async (who: Pick<TestAccount, 'api'>) =>
      (await windowOf(who, 'contacts', 'with=leads')).rows[0]!.leads
    expect(await leadsOf(account)).toEqual({ open: 2, total: 3, is_more: false })
    expect(await leadsOf(seller)).toEqual({ open: 1, total: 1, is_more: false })
    const more = await addRecords(
      api,
      'leads',
      Array.from({ length: 39 }, () => ({ name: 'more' })),
    )
    await link(api, 'contacts', contact, ...more.map((id) => to('leads', id)))
    expect(await leadsOf(account)).toMatchObject({ is_more: true })
  })
})

test('customers in all of some segments are a list, beside any filter', async () => {
  const account = await newAccount()
  const { api } = account
  const stranger = await newAccount()
  const [loyal, asleep] = await Promise.all(
    ['Loyal', 'Asleep'].map(async (name) => {
      const { body } = await api.post('/api/v4/customers/segments', { name })
      return body.id as number
    }),
  )
  const into = (...ids: (number | undefined)[]) => ({
    _embedded: { segments: ids.map((id) => ({ id })) },
  })
  await addRecords(api, 'customers', [
    { name: 'Ann', ...into(loyal) },
    { name: 'Bob', ...into(loyal, asleep), next_price: 5 },
    { name: 'Cid', ...into(asleep), next_price: 5 },
    { name: 'Dan' },
  ])
  const names = async (query: string, who: Pick<TestAccount, 'api'> = account) =>
    (await windowOf(who, 'customers', `order=name&direction=asc&${query}`)).rows.map(
      ({ name }) => name,
    )
  expect(await names(`segments=${loyal}`)).toEqual(['Ann', 'Bob'])
  expect(await names(`segments=${loyal},${asleep}`)).toEqual(['Bob'])
  expect(await names(`segments=${asleep}&filter[next_price]=5&query=cid`)).toEqual(['Cid'])
  expect(await names(`segments=${loyal}`, stranger)).toEqual([])
  const summary = await api.get(`${path('customers')}/summary?segments=${loyal}&columns=next_price`)
  expect(summary.body).toMatchObject({ count: 2, columns: { next_price: { sum: 5 } } })
  const groups = await api.get(`${path('customers')}/groups?segments=${asleep}&of=status_id`)
  expect(groups.body.groups.map(({ count }: { count: number }) => count)).toEqual([2])
  const job = await bulk(api, {
    entity_type: 'customers',
    filter: `segments=${loyal},${asleep}&filter[next_price]=5`,
    action: { delete: {} },
  })
  expect(job).toMatchObject({ total: 1, done: 1 })
  expect(await names('')).toEqual(['Ann', 'Cid', 'Dan'])
  for (const query of [`segments=${loyal},2,3,4`, 'segments=', 'segments=x'])
    expect((await api.get(`${path('customers')}?${query}`)).status).toBe(400)
  expect((await api.get(`${path('leads')}?segments=${loyal}`)).status).toBe(400)
})

test('a row of a customer has what it bought and its segments', async () => {
  const account = await newAccount()
  const { api } = account
  await api.patch('/api/v4/customers/mode', { mode: 'segments', is_enabled: true })
  const { body } = await api.post('/api/v4/customers/segments', { name: 'Loyal', color: '10599d' })
  const contact = await addRecord(api, 'contacts', { name: 'Ann' })
  const next_date = 1_900_000_000
  const id = await addRecord(api, 'customers', {
    name: 'Bakery',
    next_price: 50,
    next_date,
    periodicity: 30,
    _embedded: { segments: [{ id: body.id }], contacts: [{ id: contact }] },
  })
  await api.post(`/api/v4/customers/${id}/transactions`, [{ price: 30 }, { price: 15 }])
  const { rows } = await windowOf(account, 'customers', 'with=contact,company')
  expect(rows).toMatchObject([
    {
      name: 'Bakery',
      next_price: 50,
      periodicity: 30,
      ltv: 45,
      purchases_count: 2,
      average_check: 22,
      segment_ids: [body.id],
      contact: { id: contact, name: 'Ann' },
      company: null,
    },
  ])
  // A column of the board: a status in the order of the next purchase.
  const other = await addRecord(api, 'customers', { name: 'Canteen', next_date: next_date - 9 })
  const status = await api.get(`/api/v4/customers/${other}`)
  const column = await windowOf(
    account,
    'customers',
    `order=next_date&direction=asc&by=status_id&value=${status.body.status_id}`,
  )
  expect(column.rows.map((row) => [row.id, row.last_purchase_at])).toEqual([
    [other, null],
    [id, expect.any(Number)],
  ])
  const sums = await api.get(`${path('customers')}/summary?columns=ltv,next_price`)
  expect(sums.body.columns).toMatchObject({ ltv: { sum: 45 }, next_price: { sum: 50 } })
})

test.for(rowTypes)('a limited user sees and counts only their own %s', async (type) => {
  const account = await newAccount()
  const none = { view: 'M', edit: 'M', delete: 'M', add: 'A' } as const
  const seller = await account.addUser({
    rights: { leads: none, contacts: none, companies: none },
  })
  const [own] = [
    await addRecord(account.api, type, { name: 'Own', responsible_user_id: seller.id }),
    await addRecord(account.api, type, { name: 'Canary' }),
  ]
  const all = await windowOf(seller, type)
  expect([all.rows.map(({ id }) => id), all.count]).toEqual([[own], 1])
  expect((await windowOf(seller, type, 'order=name')).rows).toHaveLength(1)
  expect((await windowOf(seller, type, 'query=Canary')).rows).toEqual([])
  const named = await seller.api.get(`${path(type)}/named?ids=${own},${own + 1}`)
  expect(named.body.rows.map(({ id }: Row) => id)).toEqual([own])
  const summary = (await seller.api.get(`${path(type)}/summary?columns=created_at`))
    .body as RowSummary
  expect([summary.count, summary.columns['created_at']!.filled]).toEqual([1, 1])
  const groups = (await seller.api.get(`${path(type)}/groups?of=responsible_user_id`))
    .body as RowGroups
  expect(groups.groups).toEqual([{ value: String(seller.id), count: 1 }])
})

describe('the kept count of a list', () => {
  test.for(rowTypes)('of %s is right after every change, also while it is folded', async (type) => {
    const account = await newAccount()
    const { api, kontor } = account
    const expected = new Set(
      await addRecords(
        api,
        type,
        Array.from({ length: 5 }, (_, index) => ({ name: `Nr ${index}` })),
      ),
    )
    const check = async () => {
      const { rows, count } = await windowOf(account, type)
      expect([new Set(rows.map(({ id }) => id)), count]).toEqual([expected, expected.size])
      // The window behind the first row is found by the counts.
      const rest = await windowOf(account, type, 'offset=1&direction=asc')
      expect(rest.rows.map(({ id }) => id)).toEqual(
        [...expected].toSorted((a, b) => a - b).slice(1),
      )
    }
    await check()
    await foldSums(kontor.database, listedCounts)
    await check()
    const [first, second] = [...expected]
    await api.delete(`${pathOf(type)}/${first}`)
    expected.delete(first!)
    await check()
    expect((await api.post(`${pathOf(type)}/${first}/restore`)).status).toBe(200)
    expected.add(first!)
    await check()
    await api.patch(`${pathOf(type)}/${second}`, { name: 'Renamed' })
    await foldSums(kontor.database, listedCounts)
    await check()
  })

  test('of leads has a waiting request from its acceptance on', async () => {
    const account = await newAccount()
    const item = await addItem(account.api)
    expect((await windowOf(account, 'leads')).count).toBe(0)
    await accept(account.api, item)
    const { rows, count } = await windowOf(account, 'leads')
    expect([rows.length, count]).toEqual([1, 1])
  })
})

describe('filter[tags]', () => {
  test.for(rowTypes)('finds %s by tags that exist', async (type) => {
    const account = await newAccount()
    const { api, kontor } = account
    const add = (name: string, ...tags: string[]) =>
      addRecord(api, type, {
        name,
        ...(type === 'customers' && { next_date: 1_900_000_000 }),
        ...(tags.length > 0 && { tags_to_add: tags.map((tag) => ({ name: tag })) }),
      })
    const [both, one] = [await add('Both', 'a', 'b'), await add('One', 'b'), await add('None')]
    const { body } = await api.get(`/api/v4/${type}/tags?limit=250`)
    const id = (name: string): number =>
      body._embedded.tags.find((tag: { name: string }) => tag.name === name).id
    const find = async (filter: string) => {
      const { status, body: found } = await api.get(`/api/v4/${type}?${filter}`)
      return status === 204 ? [] : found._embedded[type].map((record: Row) => record.id)
    }
    expect(await find(`filter[tags]=${id('a')}`)).toEqual([both])
    expect(await find(`filter[tags]=${id('b')}`)).toEqual([both, one])
    expect(await find(`filter[tags][]=${id('a')}&filter[tags][]=${id('b')}`)).toEqual([both, one])
    expect(await find('filter[tags]=999999999')).toEqual([])
    await api.patch(`/api/v4/${type}`, [{ id: both, tags_to_delete: [{ id: id('a') }] }])
    expect(await find(`filter[tags]=${id('a')}`)).toEqual([])
    expect(await find(`filter[tags]=${id('b')}`)).toEqual([both, one])
    // A tag that is gone finds nothing, though the records still name it for a moment.
    await kontor.database.transaction((tx) => tx.rows(sql`delete from tags where id = ${id('b')}`))
    expect(await find(`filter[tags]=${id('b')}`)).toEqual([])
  })
})

test('a column that the list does not have, or that makes no order or groups, is refused', async () => {
  const { api } = await newAccount()
  const refusal = await api.get('/web/v1/rows/contacts?order=price')
  expect(refusal.status).toBe(400)
  expect(refusal.body['validation-errors'][0].errors).toMatchObject([
    { code: 'NotSupportedChoice', path: 'price' },
  ])
  const statusOf = async (query: string) => (await api.get(`/web/v1/rows/leads${query}`)).status
  expect(await statusOf('?order=tags')).toBe(400)
  expect(await statusOf('/groups?of=price')).toBe(400)
  expect(await statusOf('?by=responsible_user_id&value=x')).toBe(400)
  expect(await statusOf('?order=name&offset=100000')).toBe(400)
  // The list of all has every position.
  expect(await statusOf('?offset=100000000')).toBe(200)
})

describe.for(rowTypes)('the bin of %s', (type) => {
  test('has what the interface lists with only_deleted, in the orders of its columns', async () => {
    const account = await newAccount()
    const { api } = account
    const seller = await account.addUser({
      rights: { [rightsOf(type)]: { view: 'M', edit: 'M', delete: 'M' } },
    })
    const mine = { responsible_user_id: seller.id }
    const ids = await addRecords(api, type, [
      { name: 'Cedar' },
      { name: 'Ash', ...mine },
      { name: 'Birch' },
      { name: 'Oak' },
    ])
    for (const id of ids.slice(0, 3)) await api.delete(`${pathOf(type)}/${id}`)
    const listed = async (query: string) => {
      const { body } = await api.get(`${pathOf(type)}?with=only_deleted&${query}`)
      return (body._embedded[type] as { id: number }[]).map(({ id }) => id)
    }
    const bin = async (query: string, who: Pick<TestAccount, 'api'> = account) =>
      (await windowOf(who, type, `bin=true&${query}`)).rows
    const idsIn = (rows: Row[]) => rows.map(({ id }) => id)
    for (const order of ['id', 'updated_at'])
      for (const direction of ['asc', 'desc'])
        expect(idsIn(await bin(`order=${order}&direction=${direction}`))).toEqual(
          await listed(`order[${order}]=${direction}`),
        )
    for (const order of ['created_at', 'closest_task_at', 'responsible_user_id'])
      expect(idsIn(await bin(`order=${order}`)).toSorted((a, b) => a - b)).toEqual(ids.slice(0, 3))
    const usual = { ...rowBounds }
    try {
      Object.assign(rowBounds, { sorted: 2, counted: 2 })
      const refused = await api.get(`${path(type)}?bin=true&order=name`)
      expect([refused.status, refused.body.code]).toEqual([422, 'TooManyToSort'])
      const part = await api.get(`${path(type)}/summary?bin=true&columns=updated_at`)
      expect(part.body).toMatchObject({ count: 2, is_more: true, is_part: true })
    } finally {
      Object.assign(rowBounds, usual)
    }
    expect((await bin('order=name&direction=asc')).map(({ name }) => name)).toEqual([
      'Ash',
      'Birch',
      'Cedar',
    ])
    expect(idsIn(await bin('filter[name]=Birch'))).toEqual([ids[2]])
    expect(idsIn(await bin('query=birch'))).toEqual([ids[2]])
    expect((await bin('')).every(({ may_edit }) => !may_edit)).toBe(true)
    const all = await api.get(`${path(type)}/summary?bin=true&columns=created_at`)
    expect(all.body).toMatchObject({ count: 3, columns: { created_at: { filled: 3 } } })
    const groups = (await api.get(`${path(type)}/groups?bin=true&of=responsible_user_id`))
      .body as RowGroups
    expect(groups.groups.map(({ count }) => count).toSorted((a, b) => a - b)).toEqual([1, 2])
    const named = async (query: string) =>
      idsIn((await api.get(`${path(type)}/named?ids=${ids.join(',')}&${query}`)).body.rows)
    expect(await named('bin=true')).toEqual(ids.slice(0, 3))
    expect(await named('')).toEqual(ids.slice(3))
    expect(idsIn((await windowOf(account, type)).rows)).toEqual(ids.slice(3))
    // Only what the user may view, and nothing of others.
    expect(idsIn(await bin('', seller))).toEqual([ids[1]])
    expect(await bin('', await newAccount())).toEqual([])
  })
})
