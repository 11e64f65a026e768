import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import type { Answer, Client } from '../../../../test/client.ts'
import { addField, valueOf } from '../../../../test/fields.ts'
import { faultsOf, listen } from '../../../../test/leads.ts'
import { addRecord, addRecords, readRecord } from '../../../../test/records.ts'
import { serverItself } from '../../../access/user-access.ts'
import type { Tx } from '../../../database/connect.ts'
import { countMoves, segmentRules } from './segments.ts'
import { segmentColors } from './schema.ts'

const path = '/api/v4/customers/segments'
const fieldsPath = `${path}/custom_fields`
const customers = '/api/v4/customers'

interface Shown {
  id: number
  name: string
  customers_count: number
}

/** Creates a segment and answers its id. */
async function add(api: Client, draft: object = {}): Promise<number> {
  const { status, body } = await api.post(path, { name: 'A segment', ...draft })
  if (status !== 200) throw new Error(`the segment was refused: ${JSON.stringify(body)}`)
  return body.id
}
const read = async (api: Client, id: number) => (await api.get(`${path}/${id}`)).body
const countOf = async (api: Client, id: number): Promise<number> =>
  (await read(api, id)).customers_count
const listed = async (api: Client, query = ''): Promise<Shown[]> =>
  (await api.get(`${path}${query}`)).body._embedded.segments
const faultsIn = (answer: Answer) => Object.values(faultsOf(answer)).flat()
const setMode = (api: Client, mode: string, is_enabled: boolean) =>
  api.patch(`${customers}/mode`, { mode, is_enabled })

/** The `_embedded.segments` of a body. */
const into = (...ids: number[]) => ({ _embedded: { segments: ids.map((id) => ({ id })) } })
const segmentsIn = ({ _embedded }: { _embedded: { segments: { id: number }[] } }) =>
  _embedded.segments.map(({ id }) => id)
const segmentsOfCustomer = async (api: Client, id: number) =>
  segmentsIn(await readRecord(api, 'customers', id))

/** The segments of a customer as its row has them, and those of them by hand. */
async function stored({ id: account, kontor }: TestAccount, id: number) {
  const row = await kontor.database.row<{ all: number[]; hand: number[] }>(sql`
    select to_json(segment_ids) as all, to_json(segment_ids_by_hand) as hand
      from customers where account_id = ${account} and id = ${id}`)
  return [row!.all, row!.hand]
}

/** Puts a customer into segments as rules do. */
const putByRule = (account: TestAccount, id: number, segments: number[]) =>
  account.kontor.database.transaction(async (tx) => {
    const row = await tx.row<{ before: number[] }>(
      sql`select to_json(segment_ids) as before from customers where account_id = ${account.id} and id = ${id}`,
    )
    await tx.rows(
      sql`update customers set segment_ids = ${segments}::bigint[] where account_id = ${account.id} and id = ${id}`,
    )
    await countMoves(tx, actorOf(account), [{ before: row!.before, after: segments }])
  })

const actorOf = ({ id }: TestAccount) => serverItself(id, 0)

/** A catalog of products with two fields of the type price, and a field that is none. */
async function products({ api }: Pick<TestAccount, 'api'>) {
  const made = await api.post('/api/v4/catalogs', [{ name: 'Goods', type: 'products' }])
  const list = `/api/v4/catalogs/${made.body._embedded.catalogs[0].id}/custom_fields`
  const fields = (await api.get(list)).body._embedded.custom_fields
  const idOf = (code: string): number =>
    fields.find((field: { code: string }) => field.code === code).id
  const more = await api.post(list, [{ name: 'Wholesale', type: 'price' }])
  const wholesale: number = more.body._embedded.custom_fields[0].id
  return { list, price: idOf('PRICE'), sku: idOf('SKU'), wholesale }
}

describe('a segment', () => {
  test('is created from its name, and is no news', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const recorded = await listen(account)
    const { status, body } = await api.post(path, { name: '  Loyal ' })
    expect(status).toBe(200)
    expect(body).toEqual({
      id: expect.any(Number),
      name: 'Loyal',
      color: '10599d',
      available_products_price_types: [],
      custom_fields_values: [],
      customers_count: 0,
      created_at: expect.any(Number),
      updated_at: body.created_at,
      account_id: account.id,
      _links: { self: { href: `${kontor.url}${path}/${body.id}` } },
    })
    expect(await read(api, body.id)).toEqual(body)
    expect(await recorded()).toEqual({ journal: [], events: [] })
  })

  test('has a color of the palette, price types and values of its own fields', async () => {
    const account = await newAccount()
    const { api } = account
    const { price, wholesale } = await products(account)
    const [text, choice] = (
      await api.post(fieldsPath, [
        { name: 'Who', type: 'text', code: 'WHO' },
        { name: 'Kind', type: 'select', enums: [{ value: 'Big' }, { value: 'Small' }] },
      ])
    ).body._embedded.custom_fields
    const { status, body } = await api.post(path, {
      name: 'Loyal',
      color: '4F517D',
      available_products_price_types: [wholesale, price, wholesale],
      custom_fields_values: [
        { field_code: 'WHO', values: [{ value: 'Everybody' }] },
        valueOf(choice, { value: 'Small' }),
      ],
      request_id: 'x',
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      color: '4f517d',
      available_products_price_types: [wholesale, price],
      custom_fields_values: [
        { field_id: text.id, field_name: 'Who', field_code: 'WHO', field_type: 'text' },
        { field_id: choice.id, field_name: 'Kind', field_code: null, field_type: 'select' },
      ],
    })
    for (const color of segmentColors)
      expect((await api.patch(`${path}/${body.id}`, { color })).status).toBe(200)
    expect(segmentColors).toHaveLength(40)
  })

  test('is listed in pages that are counted', async () => {
    const { api } = await newAccount()
    const empty = (await api.get(path)).body
    expect(empty).toMatchObject({ _total_items: 0, _page: 1, _page_count: 0 })
    expect(empty._embedded.segments).toEqual([])
    const ids = [await add(api), await add(api), await add(api)]
    const { body } = await api.get(`${path}?limit=2`)
    expect(body).toMatchObject({ _total_items: 3, _page: 1, _page_count: 2 })
    const second = (await api.get(body._links.next.href)).body
    expect(second).toMatchObject({ _total_items: 3, _page: 2, _page_count: 2 })
    expect(second._links.next).toBeUndefined()
    expect([body, second].flatMap((page) => segmentsIn(page))).toEqual(ids)
    expect(segmentsIn((await api.get(`${path}?limit=2&page=2`)).body)).toEqual(ids.slice(2))
    expect(body._embedded.segments[0]).toEqual(await read(api, ids[0]!))
    expect(await listed(api, '?page=3')).toEqual([])
    expect((await api.get(`${path}?limit=0`)).status).toBe(400)
  })

  test('is changed in what is sent, and its request_id comes back', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const { price, wholesale } = await products(account)
    const id = await add(api, { name: 'A', available_products_price_types: [price] })
    const was = await read(api, id)
    await kontor.database.list(
      sql`update segments set created_at = 5, updated_at = 5 where account_id = ${account.id} and id = ${id}`,
    )
    const to = async (change: object) => {
      const { status, body } = await api.patch(`${path}/${id}`, change)
      expect(status).toBe(200)
      return body
    }
    expect(await to({ request_id: 5 })).toEqual({
      ...was,
      created_at: 5,
      updated_at: 5,
      request_id: '5',
    })
    expect(await to(await read(api, id))).toMatchObject({ updated_at: 5, request_id: '0' })
    expect((await to({ name: ' B ' })).updated_at).toBeGreaterThan(5)
    expect(await to({ color: 'BF2600', request_id: 'r' })).toMatchObject({
      name: 'B',
      color: 'bf2600',
      created_at: 5,
      available_products_price_types: [price],
      request_id: 'r',
    })
    expect(await to({ available_products_price_types: [wholesale] })).toMatchObject({
      available_products_price_types: [wholesale],
      color: 'bf2600',
    })
    expect(
      (await to({ available_products_price_types: null })).available_products_price_types,
    ).toEqual([])
    expect(await to({ name: 'C', id: 7, customers_count: 9, account_id: 1 })).toMatchObject({
      id,
      name: 'C',
      customers_count: 0,
      account_id: account.id,
    })
  })

  test('is refused with all its faults, and nothing changes', async () => {
    const account = await newAccount()
    const { api } = account
    const { sku, price } = await products(account)
    const id = await add(api, { name: 'Ours' })
    const foreign = await addField(account, 'customers', { type: 'text' })
    for (const [draft, expected] of [
      [{ color: '10599d' }, ['FieldMissing name']],
      [{ name: ' ' }, undefined],
      [{ name: 5 }, undefined],
      [{ name: 'x'.repeat(256) }, undefined],
      [{ name: 'A', color: '#10599d' }, ['NotSupportedChoice color']],
      [{ name: 'A', color: 'ffffff' }, ['NotSupportedChoice color']],
      [{ name: 'A', position: 1 }, ['FieldNotExpected position']],
      [
        { name: 'A', color: 'red', available_products_price_types: [price, sku, 999_999_999] },
        [
          'NotSupportedChoice available_products_price_types.1',
          'NotSupportedChoice available_products_price_types.2',
          'NotSupportedChoice color',
        ],
      ],
      [
        { name: 'A', custom_fields_values: [valueOf(foreign, { value: 'x' })] },
        ['NotSupportedChoice custom_fields_values.0.field_id'],
      ],
    ] as const) {
      const made = await api.post(path, draft)
      expect([draft, made.status]).toEqual([draft, 400])
      if (expected) expect(faultsIn(made)).toEqual(expected)
      const changed = await api.patch(`${path}/${id}`, { request_id: 'mine', ...draft })
      expect(changed.status).toBe('name' in draft ? 400 : 200)
      if (expected && 'name' in draft) expect(faultsOf(changed)).toEqual({ mine: expected })
    }
    for (const body of [[], [{ name: 'A' }], 'x', null])
      expect((await api.post(path, body)).status).toBe(400)
    expect((await api.patch(`${path}/${id}`, {})).status).toBe(400)
    expect((await api.patch(`${path}/${id}`, { customers_count: 5 })).status).toBe(400)
    expect((await api.patch(`${path}/999999999`, { name: 'x' })).status).toBe(404)
    for (const one of ['999999999', 'x']) {
      expect((await api.get(`${path}/${one}`)).status).toBe(404)
      expect((await api.delete(`${path}/${one}`)).status).toBe(404)
    }
    expect((await listed(api)).map(({ name }) => name)).toEqual(['Ours'])
  })

  test('no longer shows a price type that was deleted, and takes back what it shows', async () => {
    const account = await newAccount()
    const { api } = account
    const { list, price, wholesale } = await products(account)
    const id = await add(api, { available_products_price_types: [wholesale, price] })
    expect((await api.delete(`${list}/${wholesale}`)).status).toBe(204)
    const shown = await read(api, id)
    expect(shown.available_products_price_types).toEqual([price])
    expect((await api.patch(`${path}/${id}`, shown)).body).toEqual({ ...shown, request_id: '0' })
    const named = { available_products_price_types: [wholesale] }
    expect((await api.patch(`${path}/${id}`, named)).status).toBe(400)
  })

  test('is one of 100 at most, also when several add the last one', async () => {
    const { api } = await newAccount()
    for (let group = 0; group < 9; group++)
      await Promise.all(Array.from({ length: 11 }, () => add(api)))
    const answers = await Promise.all([1, 2, 3].map(() => api.post(path, { name: 'Last' })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(2)
    const all = await listed(api, '?limit=250')
    expect(all).toHaveLength(100)
    await addRecord(api, 'customers', into(...all.map(({ id }) => id)))
    expect((await api.delete(`${path}/${all[0]!.id}`)).status).toBe(204)
    await add(api)
  })

  test('is written by administrators, read by everybody, and is nobody else’s', async () => {
    const account = await newAccount()
    const id = await add(account.api, { name: 'Ours' })
    const { api } = await account.addUser({ rights: {} })
    expect((await listed(api)).map((each) => each.id)).toEqual([id])
    expect((await read(api, id)).name).toBe('Ours')
    expect((await api.post(path, { name: 'Mine' })).status).toBe(403)
    expect((await api.patch(`${path}/${id}`, { name: 'Mine' })).status).toBe(403)
    expect((await api.delete(`${path}/${id}`)).status).toBe(403)
    const { api: alien } = await newAccount()
    expect(await listed(alien)).toEqual([])
    expect((await alien.get(`${path}/${id}`)).status).toBe(404)
    expect((await alien.patch(`${path}/${id}`, { name: 'Mine' })).status).toBe(404)
    expect((await alien.delete(`${path}/${id}`)).status).toBe(404)
    expect((await read(account.api, id)).name).toBe('Ours')
  })

  test('is not read where segments are off, but written, and customers take it', async () => {
    const { api } = await newAccount()
    const id = await add(api)
    await setMode(api, 'periodicity', true)
    expect((await api.get(path)).status).toBe(422)
    expect((await api.get(`${path}/${id}`)).status).toBe(422)
    const other = await add(api, { name: 'Other' })
    expect((await api.patch(`${path}/${id}`, { name: 'B' })).body).toMatchObject({ id, name: 'B' })
    const customer = await addRecord(api, 'customers', into(id, other))
    expect(await segmentsOfCustomer(api, customer)).toEqual([id, other])
    expect((await api.delete(`${path}/${other}`)).status).toBe(204)
    await setMode(api, 'segments', true)
    expect(await listed(api)).toMatchObject([{ id, customers_count: 1 }])
  })
})

describe('the custom fields of segments', () => {
  const add = async (api: Client, draft: object) =>
    (await api.post(fieldsPath, { name: 'A field', ...draft })).body._embedded.custom_fields[0]

  test('are made, listed, changed and deleted', async () => {
    const { api, kontor } = await newAccount()
    const made = await add(api, { type: 'text', code: 'WHO' })
    expect(made).toMatchObject({
      entity_type: 'segments',
      type: 'text',
      sort: 1,
      _links: { self: { href: `${kontor.url}${fieldsPath}/${made.id}` } },
    })
    for (const key of ['group_id', 'required_statuses', 'chained_lists', 'remind', 'is_visible'])
      expect(made).not.toHaveProperty(key)
    expect((await api.get(fieldsPath)).body).toMatchObject({ _total_items: 1 })
    const { request_id: _, ...read } = made
    expect((await api.get(`${fieldsPath}/${made.id}`)).body).toEqual(read)
    expect((await api.patch(fieldsPath, [{ id: made.id, name: 'B' }])).status).toBe(200)
    expect((await api.patch(`${fieldsPath}/${made.id}`, { name: 'C' })).body.name).toBe('C')
    expect((await api.get('/api/v4/customers/custom_fields')).body._total_items).toBe(0)
    expect((await api.delete(`/api/v4/customers/custom_fields/${made.id}`)).status).toBe(404)
    expect((await api.delete(`${fieldsPath}/${made.id}`)).status).toBe(204)
    expect((await api.get(`${fieldsPath}/${made.id}`)).status).toBe(404)
  })

  test('have the types of segments, and no groups', async () => {
    const { api } = await newAccount()
    for (const type of [
      'numeric',
      'checkbox',
      'date',
      'date_time',
      'url',
      'textarea',
      'streetaddress',
    ])
      expect((await add(api, { type })).type).toBe(type)
    for (const type of ['select', 'multiselect', 'radiobutton'])
      expect((await add(api, { type, enums: [{ value: 'a' }] })).type).toBe(type)
    for (const type of ['file', 'monetary', 'birthday', 'chained_list', 'price', 'smart_address'])
      expect(faultsIn(await api.post(fieldsPath, { name: 'A', type }))).toContain(
        'NotSupportedChoice type',
      )
    expect(
      faultsIn(await api.post(fieldsPath, { name: 'A', type: 'text', group_id: 'x' })),
    ).toEqual(['FieldNotExpected group_id'])
    expect((await api.get(`${fieldsPath}/groups`)).status).toBe(404)
  })

  test('are 30 at most', async () => {
    const { api } = await newAccount()
    const drafts = (length: number) =>
      Array.from({ length }, (_, index) => ({ name: `Field ${index}`, type: 'text' }))
    expect((await api.post(fieldsPath, drafts(31))).status).toBe(422)
    expect((await api.post(fieldsPath, drafts(30))).status).toBe(201)
    expect((await api.post(fieldsPath, drafts(1))).status).toBe(422)
    expect((await api.post('/api/v4/customers/custom_fields', drafts(31))).status).toBe(201)
  })

  test('take their values and choices along when they are deleted', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const [text, list] = [
      await add(api, { type: 'text' }),
      await add(api, { type: 'multiselect', enums: [{ value: 'a' }, { value: 'b' }] }),
    ]
    const [a, b] = list.enums
    const values = [
      valueOf(text, { value: 'x' }),
      valueOf(list, { enum_id: a.id }, { enum_id: b.id }),
    ]
    const created = await api.post(path, { name: 'A', custom_fields_values: values })
    expect(created.body.custom_fields_values).toHaveLength(2)
    const { id } = created.body
    const shown = async () =>
      (await read(api, id)).custom_fields_values.map(
        ({ field_id, values: its }: { field_id: number; values: object[] }) => [
          field_id,
          its.length,
        ],
      )
    await api.patch(`${fieldsPath}/${list.id}`, { enums: [b] })
    expect(await shown()).toEqual([
      [text.id, 1],
      [list.id, 1],
    ])
    await api.delete(`${fieldsPath}/${text.id}`)
    expect(await shown()).toEqual([[list.id, 1]])
    const kept = async () =>
      (await kontor.database.row<{ values: unknown }>(
        sql`select custom_fields_values as values from segments where account_id = ${account.id} and id = ${id}`,
      ))!.values
    await expect.poll(kept, { timeout: 20_000 }).toEqual({ [list.id]: [b.id] })
    await api.patch(`${path}/${id}`, {
      custom_fields_values: [{ field_id: list.id, values: null }],
    })
    expect((await read(api, id)).custom_fields_values).toEqual([])
  })
})

describe('the segments of a customer', () => {
  test('are those it is created with, in the order of their ids', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const [one, two, three] = [await add(api), await add(api), await add(api)]
    const made = await api.post(customers, [
      { name: 'A', next_date: 5, ...into(three, one, three) },
      { name: 'B', next_date: 5, _embedded: { segments: null } },
    ])
    const [a, b] = made.body._embedded.customers
    expect(a._embedded.segments).toEqual(
      [one, three].map((id) => ({ id, _links: { self: { href: `${kontor.url}${path}/${id}` } } })),
    )
    expect(segmentsIn(b)).toEqual([])
    const { request_id: _, ...shown } = a
    expect(await readRecord(api, 'customers', a.id)).toEqual(shown)
    const list = (await api.get(customers)).body._embedded.customers
    expect(list.map(segmentsIn)).toEqual([[one, three], []])
    expect(await stored(account, a.id)).toEqual([
      [one, three],
      [one, three],
    ])
    expect((await listed(api)).map((each) => [each.id, each.customers_count])).toEqual([
      [one, 1],
      [two, 0],
      [three, 1],
    ])
  })

  test('are replaced by those that are sent, as a change without an event', async () => {
    const account = await newAccount()
    const { api } = account
    const [one, two] = [await add(api), await add(api)]
    const id = await addRecord(api, 'customers', into(one))
    const other = await addRecord(api, 'customers')
    const recorded = await listen(account)
    const changed = await api.patch(`${customers}/${id}`, into(two))
    expect(segmentsIn(changed.body)).toEqual([two])
    expect((await recorded()).events).toEqual([])
    expect((await recorded()).journal).toMatchObject([
      {
        entity_type: 'customers',
        entity_id: id,
        actions: ['update'],
        before: { segment_ids: [one], segment_ids_by_hand: [one] },
      },
    ])
    // Two items for one customer apply in turn.
    await api.patch(customers, [
      { id, ...into(one, two) },
      { id: other, ...into(one) },
      { id, ...into(one) },
    ])
    expect(await segmentsOfCustomer(api, id)).toEqual([one])
    expect([await countOf(api, one), await countOf(api, two)]).toEqual([2, 0])
    await api.patch(`${customers}/${id}`, { name: 'Renamed' })
    expect(await segmentsOfCustomer(api, id)).toEqual([one])
    await api.patch(`${customers}/${id}`, { _embedded: { segments: [] } })
    await api.patch(`${customers}/${other}`, { _embedded: { segments: null } })
    expect(await countOf(api, one)).toBe(0)
    expect(await stored(account, id)).toEqual([[], []])
  })

  test('may be sent back as they were read, which changes nothing', async () => {
    const account = await newAccount()
    const { api } = account
    const [one, two] = [await add(api), await add(api)]
    const id = await addRecord(api, 'customers', into(two, one))
    const shown = await readRecord(api, 'customers', id)
    const recorded = await listen(account)
    expect((await api.patch(`${customers}/${id}`, shown)).status).toBe(200)
    expect((await api.patch(`${customers}/${id}`, into(two, one))).status).toBe(200)
    expect(await recorded()).toEqual({ journal: [], events: [] })
  })

  test('by rule stay so when they are sent back, and are by hand when another set is sent', async () => {
    const account = await newAccount()
    const { api } = account
    const [one, two, three] = [await add(api), await add(api), await add(api)]
    const id = await addRecord(api, 'customers', into(three))
    await putByRule(account, id, [one, two, three])
    await api.patch(`${customers}/${id}`, { name: 'B', ...into(one, two, three) })
    expect(await stored(account, id)).toEqual([[one, two, three], [three]])
    await api.patch(`${customers}/${id}`, into(one, three))
    expect(await stored(account, id)).toEqual([
      [one, three],
      [one, three],
    ])
  })

  test('must exist, in this account, and be 100 at most', async () => {
    const { api } = await newAccount()
    const { api: alien } = await newAccount()
    const [ours, theirs] = [await add(api), await add(alien)]
    const id = await addRecord(api, 'customers', into(ours))
    const answer = await api.post(customers, [
      { name: 'A', next_date: 5, ...into(ours, theirs) },
      { name: 'B', next_date: 5, ...into(ours) },
      { name: 'C', next_date: 5, ...into(999_999_999) },
    ])
    expect(faultsOf(answer)).toEqual({
      0: ['NotSupportedChoice _embedded.segments.1.id'],
      2: ['NotSupportedChoice _embedded.segments.0.id'],
    })
    expect(faultsIn(await api.patch(`${customers}/${id}`, into(theirs)))).toEqual([
      'NotSupportedChoice _embedded.segments.0.id',
    ])
    const many = into(...Array.from({ length: 101 }, () => ours))
    expect((await api.patch(`${customers}/${id}`, many)).status).toBe(400)
    for (const segments of [[{}], [{ name: 'x' }], [{ id: ours, name: 'x' }], [ours], 5])
      expect((await api.patch(`${customers}/${id}`, { _embedded: { segments } })).status).toBe(400)
    expect(await segmentsOfCustomer(api, id)).toEqual([ours])
    expect(await countOf(api, ours)).toBe(1)
  })

  test('count it unless it is in the bin', async () => {
    const { api, id: account, kontor } = await newAccount()
    const [one, two] = [await add(api), await add(api)]
    const ids = await addRecords(api, 'customers', [into(one, two), into(one), {}])
    const counts = async () => [await countOf(api, one), await countOf(api, two)]
    expect(await counts()).toEqual([2, 1])
    for (const id of ids) expect((await api.delete(`${customers}/${id}`)).status).toBe(204)
    expect(await counts()).toEqual([0, 0])
    expect((await api.delete(`${customers}/${ids[0]}`)).status).toBe(404)
    const restored = await api.post(`${customers}/${ids[0]}/restore`)
    expect(segmentsIn(restored.body)).toEqual([one, two])
    expect(await counts()).toEqual([1, 1])
    const rows = await kontor.database.rows(
      sql`select from segment_counts where account_id = ${account} and segment_id = ${one}`,
    )
    expect(rows).toHaveLength(1)
  })
})

describe('the number of customers', () => {
  test('is right after many creations, changes and deletions at once', async () => {
    const { api } = await newAccount()
    const [one, two, three] = [await add(api), await add(api), await add(api)]
    const drafts = (...ids: number[]) =>
      Array.from({ length: 20 }, () => ({ name: 'A', next_date: 5, ...into(...ids) }))
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        api.post(customers, index % 2 ? drafts(one, two) : drafts(two, one, three)),
      ),
    )
    const ids: number[] = made.flatMap(({ body }) =>
      body._embedded.customers.map(({ id }: { id: number }) => id),
    )
    expect((await listed(api)).map((each) => each.customers_count)).toEqual([200, 200, 100])
    await Promise.all([
      ...ids.slice(0, 50).map((id) => api.delete(`${customers}/${id}`)),
      ...Array.from({ length: 10 }, (_, index) =>
        api.patch(
          customers,
          ids.slice(50 + index * 10, 60 + index * 10).map((id) => ({ id, ...into(three) })),
        ),
      ),
      api.post(customers, drafts(one)),
    ])
    const shown = (await api.get(`${customers}?limit=250`)).body._embedded.customers.map(segmentsIn)
    const counted = [one, two, three].map(
      (id) => shown.filter((each: number[]) => each.includes(id)).length,
    )
    expect(shown).toHaveLength(170)
    expect((await listed(api)).map((each) => each.customers_count)).toEqual(counted)
  })

  test('lets two transactions change it at once, and is right if one of them fails', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const [one, two] = [await add(api), await add(api)]
    await addRecord(api, 'customers', into(one, two))
    const counts = async () => [await countOf(api, one), await countOf(api, two)]
    const count = (tx: Tx) => countMoves(tx, actorOf(account), [{ before: [], after: [one, two] }])
    const [counted, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const first = kontor.database.transaction(async (tx) => {
      await count(tx)
      counted.resolve()
      await released.promise
    })
    await counted.promise
    // The first transaction is open, and holds the only count of each segment.
    await kontor.database.transaction(count)
    expect(await counts()).toEqual([2, 2])
    const failing = kontor.database.transaction(async (tx) => {
      await count(tx)
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    released.resolve()
    await first
    expect(await counts()).toEqual([3, 3])
  })
})

describe('a deleted segment', () => {
  test('is gone from answers at once, and from its customers in the background', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const [one, two] = [await add(api), await add(api)]
    const [id, binned] = (await addRecords(api, 'customers', [into(one, two), into(one)])) as [
      number,
      number,
    ]
    await putByRule(account, binned, [one, two])
    await api.delete(`${customers}/${binned}`)
    const before = await readRecord(api, 'customers', id)
    const recorded = await listen(account)
    expect((await api.delete(`${path}/${one}`)).status).toBe(204)
    expect((await api.delete(`${path}/${one}`)).status).toBe(404)
    expect((await api.get(`${path}/${one}`)).status).toBe(404)
    expect(await segmentsOfCustomer(api, id)).toEqual([two])
    expect(faultsIn(await api.patch(`${customers}/${id}`, into(one)))).toEqual([
      'NotSupportedChoice _embedded.segments.0.id',
    ])
    // The shown segments, sent back, change nothing, also before the background was here.
    expect((await api.patch(`${customers}/${id}`, into(two))).body.updated_at).toBe(
      before.updated_at,
    )
    expect((await api.post(`${customers}/${binned}/restore`)).status).toBe(200)
    await expect.poll(() => stored(account, id), { timeout: 20_000 }).toEqual([[two], [two]])
    await expect.poll(() => stored(account, binned), { timeout: 20_000 }).toEqual([[two], []])
    const left = () =>
      kontor.database.rows(
        sql`select from segment_counts where account_id = ${account.id} and segment_id = ${one}
            union all select from cleanups where account_id = ${account.id}`,
      )
    await expect.poll(left, { timeout: 20_000 }).toEqual([])
    expect((await recorded()).journal.map(({ actions }) => actions)).toEqual([['restore']])
    expect(await countOf(api, two)).toBe(2)
  })
})

describe('conditions', () => {
  const pathOf = (id: number) => `/web/v1/customers/segments/${id}/conditions`
  const none = { entry_conditions: [], exit_conditions: [] }

  /** A tag and fields of customers that conditions may name. */
  async function named(account: TestAccount) {
    const { api } = account
    const tags = await api.post('/api/v4/customers/tags', [{ name: 'vip' }])
    const [list, number, text] = [
      await addField(account, 'customers', { type: 'select', enums: ['a', 'b'] }),
      await addField(account, 'customers', { type: 'monetary' }),
      await addField(account, 'customers', { type: 'text' }),
    ]
    return { tag: tags.body._embedded.tags[0].id as number, list, number, text }
  }

  test('are replaced as a whole, and are the rules of the account', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const { tag, list, number } = await named(account)
    const [id, other] = [await add(api), await add(api)]
    expect((await api.get(pathOf(id))).body).toEqual(none)
    const conditions = {
      entry_conditions: [
        [
          { field: 'ltv', from: 1000 },
          { field: 'days_to_next_date', from: -30, to: -1 },
        ],
        [{ field: 'tag', tag_id: tag }],
        [{ field: 'custom_field', field_id: list.id, enum_ids: [list.enums[0]!.id] }],
        [{ field: 'custom_field', field_id: number.id, from: 0.5 }],
      ],
      exit_conditions: [[{ field: 'days_since_purchase', from: 365 }]],
    }
    const { status, body } = await api.send('PUT', pathOf(id), conditions)
    expect([status, body]).toEqual([200, conditions])
    expect((await api.get(pathOf(id))).body).toEqual(conditions)
    await api.send('PUT', pathOf(other), { ...none, exit_conditions: conditions.exit_conditions })
    // A segment without entry conditions has no rule.
    expect(await segmentRules(kontor.database, serverItself(account.id, 0))).toEqual([
      { id, entry: conditions.entry_conditions, exit: conditions.exit_conditions },
    ])
    expect((await api.send('PUT', pathOf(id), none)).body).toEqual(none)
    expect(await segmentRules(kontor.database, serverItself(account.id, 0))).toEqual([])
  })

  test('are refused with all their faults', async () => {
    const account = await newAccount()
    const { api } = account
    const { list, number, text } = await named(account)
    const id = await add(api)
    const put = (entry_conditions: unknown, more: object = {}) =>
      api.send('PUT', pathOf(id), { ...none, entry_conditions, ...more })
    const of = (condition: object, more: object = {}) => ({ ...condition, ...more })
    const [tag, field] = [{ field: 'tag' }, { field: 'custom_field' }]
    for (const [condition, expected] of [
      [{ field: 'ltv' }, 'FieldMissing from'],
      [{ field: 'ltv', from: 5, to: 4 }, 'TooLow to'],
      [{ field: 'ltv', from: 0.5 }, 'InvalidType from'],
      [{ field: 'ltv', from: 1, tag_id: 1 }, 'FieldNotExpected tag_id'],
      [{ field: 'days_since_purchase', from: 100_001 }, 'TooHigh from'],
      [{ field: 'days_to_next_date', to: -100_001 }, 'TooLow to'],
      [tag, 'FieldMissing tag_id'],
      [of(tag, { tag_id: 999_999_999 }), 'NotSupportedChoice tag_id'],
      [of(field, { from: 1 }), 'FieldMissing field_id'],
      [of(field, { field_id: 999_999_999, from: 1 }), 'NotSupportedChoice field_id'],
      [of(field, { field_id: text.id, from: 1 }), 'NotSupportedChoice field_id'],
      [of(field, { field_id: list.id }), 'FieldMissing enum_ids'],
      [of(field, { field_id: list.id, enum_ids: [5] }), 'NotSupportedChoice enum_ids.0'],
      [
        of(field, { field_id: list.id, enum_ids: [list.enums[0]!.id], to: 5 }),
        'FieldNotExpected to',
      ],
      [of(field, { field_id: number.id }), 'FieldMissing from'],
      [of(field, { field_id: number.id, enum_ids: [5], to: 1 }), 'FieldNotExpected enum_ids'],
    ] as const) {
      const [code, at] = expected.split(' ')
      expect(faultsIn(await put([[{ field: 'ltv', from: 1 }, condition]]))).toEqual([
        `${code} entry_conditions.0.1.${at}`,
      ])
    }
    const both = await put([[tag]], { exit_conditions: [[{ field: 'ltv', from: 1 }], [tag]] })
    expect(faultsIn(both)).toEqual([
      'FieldMissing entry_conditions.0.0.tag_id',
      'FieldMissing exit_conditions.1.0.tag_id',
    ])
    const good = { field: 'ltv', from: 1 }
    for (const entry of [
      [[{ field: 'name', from: 1 }]],
      [[]],
      [good],
      null,
      [[{ ...good, unknown: 1 }]],
      Array.from({ length: 6 }, () => [good]),
      [Array.from({ length: 6 }, () => good)],
    ])
      expect((await put(entry)).status).toBe(400)
    expect((await api.send('PUT', pathOf(id), { entry_conditions: [] })).status).toBe(400)
    expect((await put(Array.from({ length: 5 }, () => [good]))).status).toBe(200)
    expect((await api.get(pathOf(999_999_999))).status).toBe(404)
    expect((await api.send('PUT', pathOf(999_999_999), none)).status).toBe(404)
  })

  test('are 300 in an account at most', async () => {
    const { api } = await newAccount()
    const group = Array.from({ length: 5 }, () => ({ field: 'ltv', from: 1 }))
    const all = Array.from({ length: 5 }, () => group)
    const full = { entry_conditions: all, exit_conditions: all }
    const set = async (conditions: object) =>
      (await api.send('PUT', pathOf(await add(api)), conditions)).status
    for (let segment = 0; segment < 6; segment++) expect(await set(full)).toBe(200)
    expect(await set({ ...none, entry_conditions: [group] })).toBe(422)
    expect(await set(none)).toBe(200)
  })

  test('on what was deleted hold for nobody, and may stay', async () => {
    const account = await newAccount()
    const { api } = account
    const { list } = await named(account)
    const [choice] = list.enums
    const tag = (await api.post('/api/v4/customers/tags', [{ name: 'vip' }])).body._embedded.tags[0]
    const entry_conditions = [
      [{ field: 'tag', tag_id: tag.id }],
      [{ field: 'custom_field', field_id: list.id, enum_ids: [choice!.id] }],
    ]
    const id = await add(api)
    const conditions = { ...none, entry_conditions }
    await api.send('PUT', pathOf(id), conditions)
    const rules = () => segmentRules(account.kontor.database, serverItself(account.id, 0))
    expect((await rules())[0]!.entry).toEqual(entry_conditions)
    await api.delete(`/api/v4/customers/tags/${tag.id}`)
    expect((await rules())[0]!.entry).toEqual([[{ field: 'tag', tag_id: 0 }], entry_conditions[1]])
    await api.delete(`/api/v4/customers/custom_fields/${list.id}`)
    expect((await rules())[0]!.entry[1]).toEqual([{ field: 'tag', tag_id: 0 }])
    expect((await api.get(pathOf(id))).body).toEqual(conditions)
    expect((await api.send('PUT', pathOf(id), conditions)).status).toBe(200)
    const other = await add(api)
    expect((await api.send('PUT', pathOf(other), conditions)).status).toBe(400)
  })

  test('are the business of administrators in person, and of their account', async () => {
    const account = await newAccount()
    const id = await add(account.api)
    const { api } = await account.addUser()
    expect((await api.get(pathOf(id))).status).toBe(403)
    expect((await api.send('PUT', pathOf(id), none)).status).toBe(403)
    const { api: alien } = await newAccount()
    expect((await alien.get(pathOf(id))).status).toBe(404)
    expect((await alien.send('PUT', pathOf(id), none)).status).toBe(404)
  })
})
