import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../../test/account.ts'
import type { Answer, Client } from '../../../../test/client.ts'
import { faultsOf, listen, mainPipeline } from '../../../../test/leads.ts'

const catalogs = '/api/v4/catalogs'

const faultsIn = (answer: Answer) => Object.values(faultsOf(answer)).flat()

/** An account with a catalog; `path` is that of its elements. */
async function withCatalog(draft: object = {}) {
  const account = await newAccount()
  const made = await account.api.post(catalogs, [{ name: 'Goods', ...draft }])
  const catalog = made.body._embedded.catalogs[0].id as number
  return { account, api: account.api, catalog, path: `${catalogs}/${catalog}/elements` }
}

async function add(api: Client, path: string, drafts: object[]): Promise<number[]> {
  const { body } = await api.post(path, drafts)
  return body._embedded.elements.map(({ id }: { id: number }) => id)
}

const named = (...names: string[]) => names.map((name) => ({ name }))

const namesOf = ({ body }: Answer): string[] =>
  body._embedded.elements.map(({ name }: { name: string }) => name)

async function addField(api: Client, catalog: number, draft: object) {
  const made = await api.post(`${catalogs}/${catalog}/custom_fields`, [{ name: 'x', ...draft }])
  return made.body._embedded.custom_fields[0] as { id: number; enums: { id: number }[] }
}

/** A user with one letter for all actions on a catalog. */
function addLettered(account: TestAccount, catalog_id: number, letters: object): Promise<TestUser> {
  const denied = { view: 'D', edit: 'D', add: 'D', delete: 'D', export: 'D' }
  const rights = { catalog_rights: [{ catalog_id, rights: { ...denied, ...letters } }] }
  return account.addUser({ rights: rights as object })
}

describe('creation', () => {
  test('answers whole elements in request order, and browsers and webhooks hear of each', async () => {
    const { account, api, catalog, path } = await withCatalog()
    const { admin, id: account_id, kontor } = account
    const heard = await listen(account)
    const made = await api.post(path, [
      { name: '  Lamp ', request_id: 'a' },
      { name: 'Shelf', created_by: 0, updated_by: 0, created_at: 5, updated_at: 7, currency_id: 3 },
    ])
    expect(made.status).toBe(200)
    const [lamp, shelf] = made.body._embedded.elements
    expect(lamp).toEqual({
      id: expect.any(Number),
      name: 'Lamp',
      created_by: admin.id,
      updated_by: admin.id,
      created_at: expect.any(Number),
      updated_at: lamp.created_at,
      is_deleted: false,
      custom_fields_values: null,
      catalog_id: catalog,
      account_id,
      currency_id: null,
      _links: { self: { href: `${kontor.url}${path}/${lamp.id}` } },
      request_id: 'a',
    })
    expect(shelf).toMatchObject({
      created_by: 0,
      updated_by: 0,
      created_at: 5,
      updated_at: 7,
      currency_id: 3,
      request_id: '1',
    })
    expect(made.body._links).toEqual({ self: { href: kontor.url + path } })
    const { request_id: _, ...read } = lamp
    expect((await api.get(`${path}/${lamp.id}`)).body).toEqual(read)
    expect((await api.get(`${path}/${lamp.id}?with=invoice_link`)).body.invoice_link).toBeNull()
    const { journal, events } = await heard()
    expect(journal).toMatchObject(
      [lamp, shelf].map(({ id, name }) => ({
        entity_type: 'catalog_elements',
        entity_id: id,
        actions: ['add'],
        before: null,
        after: { id, name, catalog_id: catalog },
      })),
    )
    expect(events).toEqual([])
  })

  test.each([
    [{}, 'FieldMissing name'],
    [{ name: ' ' }, 'NotBlank name'],
    [{ name: 'x'.repeat(256) }, 'TooLong name'],
    [{ name: 'x', created_by: 1 }, 'NotSupportedChoice created_by'],
    [{ name: 'x', updated_by: -1 }, 'TooLow updated_by'],
    [{ name: 'x', quantity: 1 }, 'FieldNotExpected quantity'],
    [
      { name: 'x', custom_fields_values: [{ field_id: 1, values: [{ value: 'x' }] }] },
      'NotSupportedChoice custom_fields_values.0.field_id',
    ],
  ])('of %j is refused', async (draft, fault) => {
    const { api, path } = await withCatalog()
    expect(faultsIn(await api.post(path, [{ name: 'Good' }, draft]))).toEqual([fault])
    expect(namesOf(await api.get(path))).toEqual([])
  })

  test('needs the required fields of the catalog, as the status of an invoice', async () => {
    const { api, path } = await withCatalog({ type: 'invoices' })
    const status = (values: object[] | null) => [{ field_code: 'BILL_STATUS', values }]
    for (const custom_fields_values of [undefined, null, [], status(null), status([])])
      expect(faultsIn(await api.post(path, [{ name: '1', custom_fields_values }]))).toEqual([
        'FieldMissing custom_fields_values',
      ])
    const made = await api.post(path, [
      {
        name: '1',
        custom_fields_values: [
          ...status([{ enum_code: 'paid' }]),
          { field_code: 'BILL_PRICE', values: [{ value: '12.50' }] },
          { field_code: 'PAYER', values: [{ value: { name: 'Ann', type: 'individual' } }] },
          { field_code: 'SUPPLIER', values: [{ value: { entity_id: 5 } }] },
          {
            field_code: 'ITEMS',
            values: [
              {
                value: {
                  description: 'Lamp',
                  unit_price: 5,
                  quantity: '2.4999999',
                  discount: { type: 'amount', value: 1 },
                },
              },
            ],
          },
        ],
      },
    ])
    expect(made.status).toBe(200)
    const shown = made.body._embedded.elements[0].custom_fields_values
    expect(shown).toMatchObject([
      { field_code: 'BILL_STATUS', values: [{ value: 'Paid', enum_code: 'paid' }] },
      { field_code: 'PAYER', values: [{ value: { name: 'Ann', type: 'individual' } }] },
      { field_code: 'SUPPLIER', values: [{ value: { entity_id: 5 } }] },
      {
        field_code: 'ITEMS',
        values: [{ value: { description: 'Lamp', quantity: 2.5, total_sum: 11.5 } }],
      },
      { field_code: 'BILL_PRICE', field_type: 'price', values: [{ value: '12.5' }] },
    ])
    // Fields that only answers have may be sent back, and are worked out anew.
    const { id } = made.body._embedded.elements[0]
    const again = await api.patch(`${path}/${id}`, { custom_fields_values: shown })
    expect(again.body.custom_fields_values).toEqual(shown)
    const [{ value }] = shown[3].values
    const cheaper = { ...value, discount: { type: 'percentage', value: 10 }, total_sum: 1 }
    const { body } = await api.patch(`${path}/${id}`, {
      custom_fields_values: [{ field_code: 'ITEMS', values: [{ value: cheaper }] }],
    })
    expect(body.custom_fields_values[3].values[0].value).toMatchObject({ total_sum: 11.25 })
    const wrong = [
      ...status([{ enum_code: 'lost' }]),
      { field_code: 'PAYER', values: [{ value: { type: 'robot' } }] },
      { field_code: 'SUPPLIER', values: [{ value: {} }] },
    ]
    const refused = await api.post(path, [{ name: '2', custom_fields_values: wrong }])
    expect(faultsIn(refused)).toEqual([
      'NotSupportedChoice custom_fields_values.0.values.0.enum_code',
      'NotSupportedChoice custom_fields_values.1.values.0.value.type',
      'FieldMissing custom_fields_values.2.values.0.value.entity_id',
      'FieldMissing custom_fields_values',
    ])
  })

  test('takes the fields of its own catalog only', async () => {
    const { api, catalog, path } = await withCatalog()
    const other = (await api.post(catalogs, named('Other'))).body._embedded.catalogs[0].id
    const [own, foreign] = [
      await addField(api, catalog, { type: 'text' }),
      await addField(api, other, { type: 'text' }),
    ]
    const filled = ({ id }: { id: number }) => ({
      name: 'x',
      custom_fields_values: [{ field_id: id, values: [{ value: 'y' }] }],
    })
    expect((await api.post(path, [filled(own)])).status).toBe(200)
    expect(faultsIn(await api.post(path, [filled(foreign)]))).toEqual([
      'NotSupportedChoice custom_fields_values.0.field_id',
    ])
  })
})

describe('a list', () => {
  test('has pages, an order, and filters by ids in both forms', async () => {
    const { account, api, path } = await withCatalog()
    expect(namesOf(await api.get(path))).toEqual([])
    const [a, , c] = await add(api, path, named('a', 'b', 'c', 'd', 'e'))
    const pages: string[][] = []
    for (let next: string | undefined = `${path}?limit=2`; next !== undefined;) {
      const answer: Answer = await api.get(next)
      pages.push(namesOf(answer))
      next = answer.body._links.next?.href.replace(account.kontor.url, '')
    }
    expect(pages).toEqual([['a', 'b'], ['c', 'd'], ['e']])
    expect(namesOf(await api.get(`${path}?limit=2&page=3`))).toEqual(['e'])
    expect(namesOf(await api.get(`${path}?order[id]=desc&limit=2`))).toEqual(['e', 'd'])
    expect(namesOf(await api.get(`${path}?order[id]=desc&limit=2&page=2`))).toEqual(['c', 'b'])
    expect(namesOf(await api.get(`${path}?filter[id][]=${a}&filter[id][]=${c}`))).toEqual([
      'a',
      'c',
    ])
    expect(namesOf(await api.get(`${path}?id[]=${a}&id[]=1`))).toEqual(['a'])
    expect(namesOf(await api.get(`${path}?id=${a}&filter[id]=${c}`))).toEqual([])
    for (const query of ['filter[name]=a', 'order[name]=asc', 'filter[id]=x', 'limit=0'])
      expect((await api.get(`${path}?${query}`)).status).toBe(400)
  })

  test('finds words in names and texts, of one catalog, in the present values', async () => {
    const { api, catalog, path } = await withCatalog()
    const { id: field } = await addField(api, catalog, { type: 'textarea' })
    const text = (value: string) => ({
      custom_fields_values: [{ field_id: field, values: [{ value }] }],
    })
    const [lamp] = await add(api, path, [
      { name: 'Desk lamp', ...text('Brass, Étoile') },
      { name: 'Shelf', ...text('Oak') },
      { name: 'Lampshade' },
    ])
    const other = (await api.post(catalogs, named('Other'))).body._embedded.catalogs[0].id
    await add(api, `${catalogs}/${other}/elements`, named('Lamp of another catalog'))
    const find = async (query: string) => namesOf(await api.get(`${path}?query=${query}`))
    expect(await find('LAMP')).toEqual(['Desk lamp', 'Lampshade'])
    expect(await find('lamp etoile')).toEqual(['Desk lamp'])
    expect(await find('oak')).toEqual(['Shelf'])
    expect(await find('k')).toEqual(['Desk lamp', 'Shelf'])
    expect(await find('nothing')).toEqual([])
    expect(await find('')).toEqual(['Desk lamp', 'Shelf', 'Lampshade'])
    expect(await find(`lamp&filter[id]=${lamp}`)).toEqual(['Desk lamp'])
    await api.patch(`${path}/${lamp}`, { name: 'Desk light', ...text('Iron') })
    expect(await find('lamp')).toEqual(['Lampshade'])
    expect(await find('light iron')).toEqual(['Desk light'])
    expect((await api.delete(`${catalogs}/${catalog}/custom_fields/${field}`)).status).toBe(204)
    expect(await find('iron')).toEqual([])
  })
})

describe('a change', () => {
  test('changes what is sent, and tells of names and values as events of the catalog', async () => {
    const { account, api, catalog, path } = await withCatalog()
    const { id: field, enums } = await addField(api, catalog, {
      type: 'select',
      enums: [{ value: 'North' }, { value: 'South' }],
    })
    const value = (enum_id: number) => ({
      custom_fields_values: [{ field_id: field, values: [{ enum_id }] }],
    })
    const [one, other] = await add(api, path, [
      { name: 'One', ...value(enums[0]!.id) },
      { name: 'Other', created_at: 3, updated_at: 4 },
    ])
    const heard = await listen(account)
    const changed = await api.patch(`${path}/${one}`, {
      name: ' New ',
      ...value(enums[1]!.id),
      id: 5,
      request_id: 'x',
    })
    expect(changed.status).toBe(200)
    expect(changed.body).toMatchObject({
      id: one,
      name: 'New',
      request_id: 'x',
      custom_fields_values: [{ field_id: field, values: [{ value: 'South' }] }],
    })
    const same = await api.patch(`${path}/${one}`, (await api.get(`${path}/${one}`)).body)
    expect(same.status).toBe(200)
    const batch = await api.patch(path, [
      { id: other, created_at: 5, currency_id: 7, updated_by: 0, updated_at: 9 },
      { id: one, custom_fields_values: [{ field_id: field, values: null }] },
      { id: other, currency_id: 7 },
    ])
    expect(batch.body._embedded.elements).toMatchObject([
      { id: other, created_at: 5, currency_id: 7, updated_by: 0, updated_at: 9, request_id: '0' },
      { id: one, name: 'New', custom_fields_values: null, request_id: '1' },
      { id: other, request_id: '2' },
    ])
    const { journal, events } = await heard()
    expect(
      journal.map(({ entity_id, actions, before }) => [entity_id, actions, Object.keys(before!)]),
    ).toEqual([
      [one, ['update'], expect.arrayContaining(['name', 'custom_fields_values'])],
      [one, ['update'], expect.arrayContaining(['custom_fields_values'])],
      [other, ['update'], expect.arrayContaining(['created_at', 'currency_id', 'updated_by'])],
    ])
    const type = `custom_field_${field}_value_changed`
    expect(events.map((event) => event.type)).toEqual(['name_field_changed', type, type])
    const link = `${account.kontor.url}${path}/${one}`
    for (const event of events)
      expect(event).toMatchObject({
        entity_type: `catalog_${catalog}`,
        entity_id: one,
        _embedded: { entity: { id: one, _links: { self: { href: link } } } },
      })
    expect(events[0]).toMatchObject({
      value_before: [{ name_field_value: { name: 'One' } }],
      value_after: [{ name_field_value: { name: 'New' } }],
    })
  })

  test('is refused whole where one item is faulty', async () => {
    const { account, api, path } = await withCatalog()
    const [id] = await add(api, path, named('One'))
    const heard = await listen(account)
    const answer = await api.patch(path, [
      { id, name: 'New' },
      { id: 1, name: 'x' },
      { id, name: '' },
      { id, updated_by: 1 },
    ])
    expect(faultsOf(answer)).toEqual({
      1: ['EntityNotFound id'],
      2: ['NotBlank name'],
      3: ['NotSupportedChoice updated_by'],
    })
    expect((await api.patch(`${path}/1`, { name: 'x' })).status).toBe(404)
    expect(namesOf(await api.get(path))).toEqual(['One'])
    expect(await heard()).toEqual({ journal: [], events: [] })
  })

  test('of several at once goes one after the other', async () => {
    const { account, api, path } = await withCatalog()
    const ids = await add(api, path, named('a', 'b', 'c'))
    const heard = await listen(account)
    const answers = await Promise.all(
      [ids, ids.toReversed()].map((each, name) =>
        api.patch(
          path,
          each.map((id) => ({ id, name: `New ${name}` })),
        ),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(new Set(namesOf(await api.get(path))).size).toBe(1)
    expect((await heard()).journal).toHaveLength(6)
  })
})

describe('deleted fields and choices', () => {
  test('disappear from elements at once, and from their rows in the background', async () => {
    const { account, api, catalog, path } = await withCatalog()
    const text = await addField(api, catalog, { type: 'text' })
    const list = await addField(api, catalog, {
      type: 'multiselect',
      enums: [{ value: 'North' }, { value: 'South' }],
    })
    const [north, south] = list.enums as [{ id: number }, { id: number }]
    const [id] = await add(api, path, [
      {
        name: 'One',
        custom_fields_values: [
          { field_id: text.id, values: [{ value: 'x' }] },
          { field_id: list.id, values: [{ enum_id: north.id }, { enum_id: south.id }] },
        ],
      },
    ])
    const fields = `${catalogs}/${catalog}/custom_fields`
    expect((await api.delete(`${fields}/${text.id}`)).status).toBe(204)
    expect((await api.patch(`${fields}/${list.id}`, { enums: [south] })).status).toBe(200)
    expect((await api.get(`${path}/${id}`)).body.custom_fields_values).toMatchObject([
      { field_id: list.id, values: [{ value: 'South' }] },
    ])
    const { database } = account.kontor
    const kept = () =>
      database.row(
        sql`select custom_fields_values as values from catalog_elements where account_id = ${account.id} and id = ${id}`,
      )
    await expect
      .poll(kept, { timeout: 20_000 })
      .toEqual({ values: { [String(list.id)]: [south.id] } })
  })
})

describe('rights', () => {
  test('each letter opens its action', async () => {
    const { account, catalog, path } = await withCatalog()
    const [id] = await add(account.api, path, named('One'))
    const read = async ({ api }: TestUser) => [
      (await api.get(path)).status,
      (await api.get(`${path}/${id}`)).status,
      (await api.post(path, named('New'))).status,
      (await api.patch(path, [{ id, name: 'New' }])).status,
      (await api.patch(`${path}/${id}`, { name: 'One' })).status,
    ]
    const callers: [TestUser, number[]][] = [
      [await account.addUser({ rights: {} }), [403, 403, 403, 403, 403]],
      [await account.addUser({ rights: { catalog_access: true } }), [200, 200, 200, 200, 200]],
      [await addLettered(account, catalog, { view: 'A' }), [200, 200, 403, 403, 403]],
      [await addLettered(account, catalog, { view: 'A', add: 'A' }), [200, 200, 200, 403, 403]],
      [await addLettered(account, catalog, { view: 'A', edit: 'A' }), [200, 200, 403, 200, 200]],
      [await addLettered(account, catalog, { view: 'A', edit: 'L' }), [200, 200, 403, 403, 403]],
      [await addLettered(account, catalog, { view: 'L', edit: 'L' }), [200, 403, 403, 403, 403]],
      [await addLettered(account, catalog, { add: 'A' }), [403, 403, 403, 403, 403]],
    ]
    for (const [user, statuses] of callers) expect(await read(user)).toEqual(statuses)
  })

  test('without links, the letter L shows no element, and no event', async () => {
    const { account, api, catalog, path } = await withCatalog()
    const [id] = await add(api, path, named('One'))
    await api.patch(`${path}/${id}`, { name: 'New' })
    const linked = await addLettered(account, catalog, { view: 'L' })
    const viewer = await addLettered(account, catalog, { view: 'A' })
    const other = await account.addUser({ rights: { catalog_access: true } })
    const letters = { view: 'A', edit: 'A', add: 'A', delete: 'A', export: 'A' } as const
    // With the unsorted status open, nothing about records is closed to this user.
    const { id: pipeline_id, unsorted: status_id } = await mainPipeline(account)
    const seller = await account.addUser({
      rights: {
        leads: letters,
        contacts: letters,
        companies: letters,
        tasks: { edit: 'A', delete: 'A' },
        status_rights: [{ entity_type: 'leads', pipeline_id, status_id, rights: letters }],
      },
    })
    expect(namesOf(await linked.api.get(path))).toEqual([])
    const eventsOf = async (user: TestUser) =>
      (await user.api.get('/api/v4/events')).body._embedded.events as { id: string }[]
    const [event] = await eventsOf(account.admin)
    expect(event).toMatchObject({ type: 'name_field_changed', entity_type: `catalog_${catalog}` })
    for (const user of [viewer, other]) expect(await eventsOf(user)).toHaveLength(1)
    for (const user of [linked, seller]) {
      expect(await eventsOf(user)).toEqual([])
      expect((await user.api.get(`/api/v4/events/${event!.id}`)).status).toBe(404)
    }
  })

  test('nobody reaches elements by another catalog or from another account', async () => {
    const { account, api, path } = await withCatalog()
    const [id] = await add(api, path, named('Ours'))
    const second = (await api.post(catalogs, named('Second'))).body._embedded.catalogs[0].id
    const elsewhere = `${catalogs}/${second}/elements`
    expect((await api.get(`${elsewhere}/${id}`)).status).toBe(404)
    expect((await api.patch(`${elsewhere}/${id}`, { name: 'x' })).status).toBe(404)
    expect(namesOf(await api.get(elsewhere))).toEqual([])
    expect((await api.get(`${catalogs}/1/elements`)).status).toBe(404)
    expect((await api.post(`${catalogs}/1/elements`, named('x'))).status).toBe(404)

    const { account: theirs, api: alien, path: own } = await withCatalog()
    for (const each of [path, `${path}/${id}`]) expect((await alien.get(each)).status).toBe(404)
    expect((await alien.post(path, named('x'))).status).toBe(404)
    expect((await alien.patch(path, [{ id, name: 'x' }])).status).toBe(404)
    expect((await alien.patch(`${own}/${id}`, { name: 'x' })).status).toBe(404)
    expect(faultsIn(await alien.patch(own, [{ id, name: 'x' }]))).toEqual(['EntityNotFound id'])
    expect(namesOf(await alien.get(`${own}?filter[id]=${id}`))).toEqual([])
    expect(namesOf(await alien.get(`${own}?query=ours`))).toEqual([])
    expect(namesOf(await account.api.get(path))).toEqual(['Ours'])
    expect(theirs.id).not.toBe(account.id)
  })
})
