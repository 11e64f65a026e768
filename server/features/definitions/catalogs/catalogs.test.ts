import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import type { Answer } from '../../../../test/client.ts'
import { faultsOf, listen } from '../../../../test/leads.ts'

const path = '/api/v4/catalogs'

interface Made {
  id: number
  name: string
}

async function addCatalogs({ api }: TestAccount, drafts: object[]): Promise<Made[]> {
  return (await api.post(path, drafts)).body._embedded.catalogs
}

const faultsIn = (answer: Answer) => Object.values(faultsOf(answer)).flat()

const namesOf = (body: { _embedded: { catalogs: Made[] } }) =>
  body._embedded.catalogs.map(({ name }) => name)

const rights = (letter: string) => ({
  view: letter,
  edit: letter,
  add: letter === 'L' ? 'D' : letter,
  delete: letter,
  export: letter,
})

test('catalogs are created in the order of the request, with their defaults, and are no news', async () => {
  const account = await newAccount()
  const { admin, api, id, kontor } = account
  const recorded = await listen(account)
  const made = await api.post(path, [
    { name: '  Shelves ', request_id: 'a' },
    { name: 'Goods', type: 'products', can_link_multiple: false, can_show_in_cards: 1 },
    { name: 'Bills', type: 'invoices', sort: 5, can_add_elements: false },
    { name: 'Rooms', created_at: 5, account_id: 7, id: 9, can_be_deleted: false },
  ])
  expect(made.status).toBe(200)
  const [shelves, goods, bills, rooms] = made.body._embedded.catalogs
  expect(shelves).toEqual({
    id: expect.any(Number),
    name: 'Shelves',
    created_by: admin.id,
    updated_by: admin.id,
    created_at: expect.any(Number),
    updated_at: shelves.created_at,
    sort: 10,
    type: 'regular',
    can_add_elements: true,
    can_show_in_cards: false,
    can_link_multiple: true,
    can_be_deleted: true,
    sdk_widget_code: null,
    account_id: id,
    _links: { self: { href: `${kontor.url}${path}/${shelves.id}` } },
    request_id: 'a',
  })
  expect(shelves.id).toBeGreaterThan(1000)
  expect(goods).toMatchObject({
    type: 'products',
    sort: 20,
    can_be_deleted: false,
    can_link_multiple: false,
    can_show_in_cards: true,
    request_id: '1',
  })
  expect(bills).toMatchObject({ type: 'invoices', sort: 5, can_add_elements: false })
  expect(rooms).toMatchObject({ sort: 30, account_id: id, can_be_deleted: true })
  expect(rooms.created_at).toBe(shelves.created_at)
  expect(made.body._links).toEqual({ self: { href: kontor.url + path } })
  const { request_id: _, ...read } = shelves
  expect((await api.get(`${path}/${shelves.id}`)).body).toEqual(read)
  expect(await recorded()).toEqual({ journal: [], events: [] })
})

test('a list is sorted, has pages, and finds one type', async () => {
  const account = await newAccount()
  const { api } = account
  expect((await api.get(path)).body._embedded.catalogs).toEqual([])
  await addCatalogs(account, [
    { name: 'c', sort: 3 },
    { name: 'a', sort: 1, type: 'products' },
    { name: 'b', sort: 1 },
  ])
  expect(namesOf((await api.get(path)).body)).toEqual(['a', 'b', 'c'])
  const pages: string[][] = []
  let next: string | undefined = `${path}?limit=1`
  while (next !== undefined) {
    const { body } = await api.get(next)
    pages.push(namesOf(body))
    next = body._links.next?.href.replace(account.kontor.url, '')
  }
  expect(pages).toEqual([['a'], ['b'], ['c']])
  expect(namesOf((await api.get(`${path}?page=2&limit=2`)).body)).toEqual(['c'])
  expect(namesOf((await api.get(`${path}?type=products`)).body)).toEqual(['a'])
  expect(namesOf((await api.get(`${path}?type=invoices`)).body)).toEqual([])
  expect((await api.get(`${path}?type=suppliers`)).status).toBe(400)
  expect((await api.get(`${path}/1`)).status).toBe(404)
})

describe('the limits', () => {
  test('an account has ten catalogs at most, also when several add the last one', async () => {
    const account = await newAccount()
    const { api } = account
    const batch = (length: number) => Array.from({ length }, (_, at) => ({ name: `C ${at}` }))
    expect((await api.post(path, batch(11))).status).toBe(400)
    expect((await api.post(path, batch(9))).status).toBe(200)
    expect((await api.post(path, batch(2))).status).toBe(400)
    const answers = await Promise.all([1, 2, 3].map(() => api.post(path, batch(1))))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400])
    expect((await api.get(path)).body._embedded.catalogs).toHaveLength(10)
  })

  test.each(['products', 'invoices'])('an account has one catalog of %s', async (type) => {
    const account = await newAccount()
    const twice = await account.api.post(path, [
      { name: 'One', type },
      { name: 'Two', type },
    ])
    expect(faultsIn(twice)).toEqual(['NotUnique type'])
    expect((await account.api.get(path)).body._embedded.catalogs).toEqual([])
    await addCatalogs(account, [{ name: 'One', type }])
    expect(faultsIn(await account.api.post(path, [{ name: 'Two', type }]))).toEqual([
      'NotUnique type',
    ])
  })
})

describe('a change', () => {
  test('changes what is sent, one or several at once, and nothing where nothing differs', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const [one, other] = (await addCatalogs(account, [{ name: 'One' }, { name: 'Other' }])) as [
      Made,
      Made,
    ]
    const colleague = await account.addUser({ is_admin: true })
    const changed = await colleague.api.patch(`${path}/${one.id}`, {
      name: ' New ',
      can_show_in_cards: true,
      id: 1,
      request_id: 'x',
    })
    expect(changed.status).toBe(200)
    expect(changed.body).toMatchObject({
      id: one.id,
      name: 'New',
      can_show_in_cards: true,
      can_add_elements: true,
      updated_by: colleague.id,
      created_by: account.admin.id,
      request_id: 'x',
    })
    const same = await api.patch(`${path}/${one.id}`, (await api.get(`${path}/${one.id}`)).body)
    expect(same.body).toMatchObject({ name: 'New', updated_by: colleague.id })
    const batch = await api.patch(path, [
      { id: other.id, name: 'Second' },
      { id: one.id, sort: 99, can_add_elements: false },
      { id: other.id, can_link_multiple: false },
    ])
    expect(batch.status).toBe(200)
    expect(batch.body._links).toEqual({ self: { href: kontor.url + path } })
    expect(batch.body._embedded.catalogs).toMatchObject([
      { id: other.id, name: 'Second', can_link_multiple: false, request_id: '0' },
      { id: one.id, name: 'New', sort: 99, can_add_elements: false, request_id: '1' },
      { id: other.id, name: 'Second', can_link_multiple: false, request_id: '2' },
    ])
    expect(namesOf((await api.get(path)).body)).toEqual(['Second', 'New'])
  })

  test('is refused whole where one item is faulty', async () => {
    const account = await newAccount()
    const { api } = account
    const [{ id }] = (await addCatalogs(account, [{ name: 'One' }])) as [Made]
    const answer = await api.patch(path, [
      { id, name: 'New' },
      { id, type: 'products' },
      { id: id + 1_000_000, name: 'x' },
      { name: 'x' },
    ])
    expect(answer.status).toBe(400)
    expect(faultsIn(answer)).toEqual([
      'NotSupportedChoice type',
      'EntityNotFound id',
      'FieldMissing id',
    ])
    expect((await api.get(`${path}/${id}`)).body.name).toBe('One')
    expect((await api.patch(`${path}/1`, { name: 'x' })).status).toBe(404)
  })
})

test.each([
  [{}, 'FieldMissing name'],
  [{ name: ' ' }, 'NotBlank name'],
  [{ name: null }, 'NotNullable name'],
  [{ name: 'x'.repeat(256) }, 'TooLong name'],
  [{ name: 'x', type: 'suppliers' }, 'NotSupportedChoice type'],
  [{ name: 'x', sort: -1 }, 'TooLow sort'],
  [{ name: 'x', sort: 2_147_483_648 }, 'TooHigh sort'],
  [{ name: 'x', can_add_elements: 'maybe' }, 'InvalidType can_add_elements'],
  [{ name: 'x', colour: 'red' }, 'FieldNotExpected colour'],
])('%j is refused', async (draft, fault) => {
  const { api } = await newAccount()
  expect(faultsIn(await api.post(path, [draft]))).toEqual([fault])
})

describe('rights', () => {
  test('a user sees the catalogs that the rights name, or all others with access to catalogs', async () => {
    const account = await newAccount()
    const [one, two, three] = (await addCatalogs(
      account,
      ['One', 'Two', 'Three'].map((name) => ({ name })),
    )) as [Made, Made, Made]
    const open = [
      { catalog_id: one.id, rights: rights('A') },
      { catalog_id: two.id, rights: rights('L') },
    ]
    const shut = [{ catalog_id: three.id, rights: rights('D') }]
    const users = [
      { draft: { catalog_access: true }, sees: [one, two, three] },
      { draft: { catalog_rights: open }, sees: [one, two] },
      { draft: { catalog_rights: shut, catalog_access: true }, sees: [one, two] },
      { draft: { catalog_rights: [...open, ...shut], catalog_access: false }, sees: [one, two] },
    ]
    for (const { draft, sees } of users) {
      const { api } = await account.addUser({ rights: draft as object })
      expect(namesOf((await api.get(path)).body)).toEqual(sees.map(({ name }) => name))
      for (const { id } of [one, two, three]) {
        const isSeen = sees.some((each) => each.id === id)
        expect((await api.get(`${path}/${id}`)).status).toBe(isSeen ? 200 : 403)
      }
      expect((await api.get(`${path}/1`)).status).toBe(404)
    }
  })

  test('a user who may view no catalog gets no list, and no word about single ones', async () => {
    const account = await newAccount()
    const [{ id }] = (await addCatalogs(account, [{ name: 'One' }])) as [Made]
    const shut = [{ catalog_id: id, rights: rights('D') }]
    for (const draft of [{}, { catalog_rights: shut }]) {
      const { api } = await account.addUser({ rights: draft as object })
      expect((await api.get(path)).status).toBe(403)
      expect((await api.get(`${path}/${id}`)).status).toBe(403)
      expect((await api.get(`${path}/1`)).status).toBe(403)
    }
  })

  test('only administrators write, and nobody reaches the catalogs of another account', async () => {
    const account = await newAccount()
    const [{ id }] = (await addCatalogs(account, [{ name: 'Ours', type: 'products' }])) as [Made]
    const seller = await account.addUser({
      rights: {
        catalog_access: true,
        catalog_rights: [{ catalog_id: id, rights: rights('A') }],
      } as object,
    })
    expect((await seller.api.post(path, [{ name: 'New' }])).status).toBe(403)
    expect((await seller.api.patch(path, [{ id, name: 'New' }])).status).toBe(403)
    expect((await seller.api.patch(`${path}/${id}`, { name: 'New' })).status).toBe(403)
    const { api: alien } = await newAccount()
    expect((await alien.get(path)).body._embedded.catalogs).toEqual([])
    expect((await alien.get(`${path}/${id}`)).status).toBe(404)
    expect((await alien.patch(`${path}/${id}`, { name: 'New' })).status).toBe(404)
    expect(faultsIn(await alien.patch(path, [{ id, name: 'New' }]))).toEqual(['EntityNotFound id'])
    expect((await alien.post(path, [{ name: 'Theirs', type: 'products' }])).status).toBe(200)
    expect(namesOf((await account.api.get(path)).body)).toEqual(['Ours'])
  })
})

describe('custom fields', () => {
  const fieldsOf = ({ id }: Made) => `${path}/${id}/custom_fields`

  interface ShownField {
    id: number
    code: string | null
    type: string
    enums: { code: string }[] | null
  }

  test('products and invoices have fields of their own, which stay', async () => {
    const account = await newAccount()
    const { api } = account
    const [goods, bills, rooms] = (await addCatalogs(account, [
      { name: 'Goods', type: 'products' },
      { name: 'Bills', type: 'invoices' },
      { name: 'Rooms' },
    ])) as [Made, Made, Made]
    const read = async (catalog: Made): Promise<ShownField[]> =>
      (await api.get(fieldsOf(catalog))).body._embedded.custom_fields
    const codes = async (catalog: Made) => (await read(catalog)).map(({ code }) => code)
    expect(await codes(goods)).toEqual(['SKU', 'DESCRIPTION', 'PRICE', 'GROUP', 'EXTERNAL_ID'])
    expect(await codes(bills)).toEqual([
      'BILL_STATUS',
      'PAYER',
      'SUPPLIER',
      'LEGAL_ENTITY',
      'ITEMS',
      'BILL_PRICE',
      'BILL_VAT_TYPE',
      'BILL_REASON_FOR_NO_VAT',
      'BILL_PAYMENT_DATE',
      'BILL_COMMENT',
    ])
    expect(await codes(rooms)).toEqual([])
    const [status] = await read(bills)
    expect(status).toMatchObject({
      type: 'select',
      is_required: true,
      is_predefined: true,
      is_deletable: false,
      entity_type: 'catalogs',
      catalog_id: bills.id,
      settings: null,
    })
    expect(status!.enums!.map(({ code }) => code)).toEqual([
      'created',
      'paid',
      'paid_in_advance',
      'partially_paid',
    ])
    expect((await read(goods)).at(-1)).toMatchObject({ is_visible: false, is_required: false })
    expect((await api.delete(`${fieldsOf(bills)}/${status!.id}`)).status).toBe(400)
    const changed = await api.patch(`${fieldsOf(bills)}/${status!.id}`, { is_required: false })
    expect(faultsIn(changed)).toEqual(['NotSupportedChoice is_required'])
  })

  test('of categories have a tree, which a list replaces as a whole', async () => {
    const account = await newAccount()
    const { api } = account
    const [goods] = (await addCatalogs(account, [{ name: 'Goods', type: 'products' }])) as [Made]
    const elements = `${path}/${goods.id}/elements`
    const read = async () => {
      const { custom_fields } = (await api.get(`${fieldsOf(goods)}?filter[type]=category`)).body
        ._embedded
      return custom_fields[0]
    }
    const group = await read()
    expect(group).toMatchObject({ code: 'GROUP', nested: [], enums: null, search_in: null })
    const at = `${fieldsOf(goods)}/${group.id}`
    const made = await api.patch(at, {
      nested: [
        { value: 'Desk lamps', parent_request_id: 'lamps', sort: 2 },
        { value: 'Lamps', request_id: 'lamps' },
        { value: ' Floor lamps ', request_id: 'floor', parent_request_id: 'lamps', sort: 1 },
        { value: 'Arc lamps', parent_request_id: 'floor' },
      ],
    })
    const [lamps, floor, desk, arc] = made.body.nested
    expect(made.body.nested).toEqual([
      { id: lamps.id, parent_id: null, value: 'Lamps', sort: expect.any(Number) },
      { id: floor.id, parent_id: lamps.id, value: 'Floor lamps', sort: 1 },
      { id: desk.id, parent_id: lamps.id, value: 'Desk lamps', sort: 2 },
      { id: arc.id, parent_id: floor.id, value: 'Arc lamps', sort: expect.any(Number) },
    ])
    expect((await read()).nested).toEqual(made.body.nested)
    // As it was read, it is no change; an element is in one category.
    expect((await api.patch(at, { nested: made.body.nested })).body.nested).toEqual(
      made.body.nested,
    )
    const element = (values: object[]) => [
      { name: 'x', custom_fields_values: [{ field_code: 'GROUP', values }] },
    ]
    const added = await api.post(elements, element([{ value: 'Arc lamps' }]))
    const { id, custom_fields_values } = added.body._embedded.elements[0]
    expect(custom_fields_values[0].values).toEqual([{ value: 'Arc lamps', enum_id: arc.id }])
    expect((await api.post(elements, element([{ enum_id: desk.id }]))).status).toBe(200)
    for (const [values, fault] of [
      [[{ enum_code: 'x' }], 'FieldNotExpected custom_fields_values.0.values.0.enum_code'],
      [[{ value: 'Sofas' }], 'NotSupportedChoice custom_fields_values.0.values.0.value'],
      [[{ enum_id: desk.id }, { enum_id: arc.id }], 'TooMany custom_fields_values.0.values'],
    ] as const)
      expect(faultsIn(await api.post(elements, element([...values])))).toEqual([fault])
    for (const [nested, fault] of [
      [[{ id: 5 }], 'NotSupportedChoice nested.0.id'],
      [[{ value: ' ' }], 'NotBlank nested.0.value'],
      [[{ parent_id: lamps.id, value: 'x' }], 'NotSupportedChoice nested.0.parent_id'],
      [[{ parent_request_id: 'y', value: 'x' }], 'NotSupportedChoice nested.0.parent_request_id'],
      [[lamps, lamps], 'NotUnique nested.1.id'],
      [[{ ...lamps, parent_id: lamps.id }], 'TooMany nested.0.parent_id'],
    ] as const)
      expect(faultsIn(await api.patch(at, { nested })).at(0)).toBe(fault)
    // Of what is left out, no value stays.
    const kept = await api.patch(at, { nested: [{ ...desk, parent_id: null }] })
    expect(kept.body.nested).toEqual([{ ...desk, parent_id: null }])
    expect((await api.get(`${elements}/${id}`)).body.custom_fields_values).toBeNull()
    const text = await api.post(fieldsOf(goods), [{ name: 'T', type: 'text', nested: [] }])
    expect(faultsIn(text)).toEqual(['FieldNotExpected nested'])
  })

  test('of linked entities name where they look', async () => {
    const account = await newAccount()
    const { api } = account
    const [goods, rooms] = (await addCatalogs(account, [
      { name: 'Goods', type: 'products' },
      { name: 'Rooms' },
    ])) as [Made, Made]
    const elements = `${path}/${goods.id}/elements`
    const draft = (search_in?: string | number) => ({
      name: 'Linked',
      type: 'linked_entity',
      search_in,
    })
    const made = await api.post(fieldsOf(goods), [draft('contacts'), draft(rooms.id)])
    const [people, addresses] = made.body._embedded.custom_fields
    expect([people.search_in, addresses.search_in]).toEqual(['contacts', String(rooms.id)])
    for (const [wrong, fault] of [
      [undefined, 'FieldMissing search_in'],
      ['leads', 'NotSupportedChoice search_in'],
      [999_999, 'NotSupportedChoice search_in'],
    ] as const)
      expect(faultsIn(await api.post(fieldsOf(goods), [draft(wrong)]))).toEqual([fault])
    const element = ({ id }: { id: number }, value: object) => [
      { name: 'x', custom_fields_values: [{ field_id: id, values: [{ value }] }] },
    ]
    const ann = { name: 'Ann', entity_id: 5, entity_type: 'contacts' }
    const hall = {
      name: 'Hall',
      entity_id: 7,
      entity_type: 'catalog_elements',
      catalog_id: rooms.id,
    }
    const shown = await api.post(elements, element(addresses, hall))
    expect(shown.body._embedded.elements[0].custom_fields_values).toMatchObject([
      { field_type: 'linked_entity', values: [{ value: hall }] },
    ])
    expect((await api.post(elements, element(people, ann))).status).toBe(200)
    for (const [field, value, key] of [
      [people, hall, 'catalog_id'],
      [people, { ...ann, entity_type: 'companies' }, 'entity_type'],
      [people, { ...ann, catalog_id: rooms.id }, 'catalog_id'],
      [addresses, { ...hall, catalog_id: goods.id }, 'catalog_id'],
      [addresses, ann, 'entity_type'],
    ] as const)
      expect(faultsIn(await api.post(elements, element(field, value)))).toEqual([
        `NotSupportedChoice custom_fields_values.0.values.0.value.${key}`,
      ])
  })

  test('are those of one catalog, with groups of their own', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const [one, other] = (await addCatalogs(account, [{ name: 'One' }, { name: 'Other' }])) as [
      Made,
      Made,
    ]
    const drafts = [
      { name: 'Size', type: 'price', code: 'SIZE', is_required: true },
      { name: 'Note', type: 'text', is_visible: false },
    ]
    const made = await api.post(fieldsOf(one), drafts)
    expect(made.status).toBe(201)
    const [size, note] = made.body._embedded.custom_fields
    expect(size).toMatchObject({
      entity_type: 'catalogs',
      catalog_id: one.id,
      is_required: true,
      is_visible: true,
      _links: { self: { href: `${kontor.url}${fieldsOf(one)}/${size.id}` } },
    })
    expect(note).toMatchObject({ is_visible: false, is_required: false })
    // The same code is free in another catalog, and its paths do not reach these fields.
    expect((await api.post(fieldsOf(other), drafts)).status).toBe(201)
    expect((await api.get(`${fieldsOf(other)}/${size.id}`)).status).toBe(404)
    expect((await api.patch(`${fieldsOf(other)}/${size.id}`, { name: 'x' })).status).toBe(404)
    expect((await api.delete(`${fieldsOf(other)}/${size.id}`)).status).toBe(404)
    expect((await api.get(`/api/v4/leads/custom_fields/${size.id}`)).status).toBe(404)

    const groups = `${fieldsOf(one)}/groups`
    const group = (await api.post(groups, [{ name: 'More', sort: 2 }])).body._embedded
      .custom_field_groups[0]
    expect(group).toMatchObject({ entity_type: 'catalogs', fields: [] })
    expect((await api.patch(`${groups}/${group.id}`, { fields: [size.id] })).body.fields).toEqual([
      size.id,
    ])
    const read = (await api.get(groups)).body._embedded.custom_field_groups
    expect(read).toMatchObject([
      { id: 'default', fields: [note.id], is_predefined: true },
      { id: group.id, fields: [size.id] },
    ])
    expect((await api.get(`${fieldsOf(other)}/groups/${group.id}`)).status).toBe(404)
    expect((await api.delete(`${groups}/${group.id}`)).status).toBe(204)
    expect((await api.get(`${fieldsOf(one)}/${size.id}`)).body.group_id).toBeNull()
    expect((await api.delete(`${fieldsOf(one)}/${note.id}`)).status).toBe(204)
    expect((await api.get(`${fieldsOf(one)}/${note.id}`)).status).toBe(404)
  })

  test.each([
    'monetary',
    'smart_address',
    'birthday',
    'chained_list',
    'items',
    'payer',
    'supplier',
  ])('%s fields cannot be made', async (type) => {
    const account = await newAccount()
    const [catalog] = (await addCatalogs(account, [{ name: 'One' }])) as [Made]
    const made = await account.api.post(fieldsOf(catalog), [{ name: 'x', type }])
    expect(faultsIn(made)).toContain('NotSupportedChoice type')
  })

  test('only records have statuses, and only elements required fields', async () => {
    const account = await newAccount()
    const [catalog] = (await addCatalogs(account, [{ name: 'One' }])) as [Made]
    const field = { name: 'x', type: 'text' }
    const ofCatalog = await account.api.post(fieldsOf(catalog), [
      { ...field, required_statuses: [] },
    ])
    expect(faultsIn(ofCatalog)).toEqual(['FieldNotExpected required_statuses'])
    const ofLeads = { ...field, is_required: true, is_visible: true }
    expect(faultsIn(await account.api.post('/api/v4/leads/custom_fields', [ofLeads]))).toEqual([
      'FieldNotExpected is_required',
      'FieldNotExpected is_visible',
    ])
  })

  test('are shown to users who may view the catalog, and changed by administrators', async () => {
    const account = await newAccount()
    const [open, shut] = (await addCatalogs(account, [{ name: 'Open' }, { name: 'Shut' }])) as [
      Made,
      Made,
    ]
    const draft = { catalog_rights: [{ catalog_id: open.id, rights: rights('L') }] }
    const { api } = await account.addUser({ rights: draft as object })
    const { api: alien } = await newAccount()
    for (const tail of ['', '/groups', '/groups/default']) {
      expect((await api.get(fieldsOf(open) + tail)).status).toBe(200)
      expect((await api.get(fieldsOf(shut) + tail)).status).toBe(403)
      expect((await api.get(`${path}/1/custom_fields${tail}`)).status).toBe(404)
      expect((await alien.get(fieldsOf(open) + tail)).status).toBe(404)
    }
    const field = [{ name: 'x', type: 'text' }]
    expect((await api.post(fieldsOf(open), field)).status).toBe(403)
    expect((await alien.post(fieldsOf(open), field)).status).toBe(404)
    expect((await alien.post(`${fieldsOf(open)}/groups`, [{ name: 'x', sort: 1 }])).status).toBe(
      404,
    )
  })
})

describe('the settings of products', () => {
  const settings = `${path}/products/settings`
  const typesIn = async ({ api }: Pick<TestAccount, 'api'>) =>
    (await api.get(path)).body._embedded.catalogs.map(({ type }: { type: string }) => type)

  test('make their catalog with its first fields, once', async () => {
    const account = await newAccount()
    const { api } = account
    expect((await api.get(settings)).body).toEqual({ is_enabled: false })
    expect((await api.patch(settings, { is_enabled: false })).body).toEqual({ is_enabled: false })
    expect(await typesIn(account)).toEqual([])
    const recorded = await listen(account)
    const answers = await Promise.all(
      [1, 2, 3].map(() => api.patch(settings, { is_enabled: true })),
    )
    expect(answers.map(({ status, body }) => [status, body.is_enabled])).toEqual(
      answers.map(() => [200, true]),
    )
    expect(await typesIn(account)).toEqual(['products'])
    const [{ id }] = (await api.get(path)).body._embedded.catalogs
    const fields = (await api.get(`${path}/${id}/custom_fields`)).body._embedded.custom_fields
    expect(fields.map(({ code }: { code: string }) => code)).toContain('PRICE')
    expect((await api.get(settings)).body).toEqual({ is_enabled: true })
    expect(await recorded()).toEqual({ journal: [], events: [] })
  })

  test('turn it off without a loss, and on again', async () => {
    const account = await newAccount()
    const { api } = account
    const [made] = await addCatalogs(account, [{ name: 'Goods', type: 'products' }])
    expect((await api.get(settings)).body).toEqual({ is_enabled: true })
    const elements = `${path}/${made!.id}/elements`
    await api.post(elements, [{ name: 'A lamp' }])
    expect((await api.patch(settings, { is_enabled: 0 })).body).toEqual({ is_enabled: false })
    expect((await api.get(settings)).body).toEqual({ is_enabled: false })
    expect((await api.get(elements)).body._embedded.elements).toMatchObject([{ name: 'A lamp' }])
    expect((await api.get(`${path}/${made!.id}`)).status).toBe(200)
    expect((await api.patch(settings, { is_enabled: true })).body).toEqual({ is_enabled: true })
    expect(await typesIn(account)).toEqual(['products'])
  })

  test('are refused where they are wrong, or where there are ten catalogs', async () => {
    const account = await newAccount()
    const { api } = account
    for (const body of [
      {},
      { is_enabled: null },
      { is_enabled: 'x' },
      { is_enabled: true, a: 1 },
      [],
    ])
      expect((await api.patch(settings, body)).status).toBe(400)
    await addCatalogs(
      account,
      Array.from({ length: 10 }, () => ({ name: 'A catalog' })),
    )
    expect((await api.patch(settings, { is_enabled: true })).status).toBe(400)
    expect((await api.get(settings)).body).toEqual({ is_enabled: false })
  })

  test('are read by those who may view catalogs, written by administrators, in their account', async () => {
    const account = await newAccount()
    const unable = await account.addUser({ rights: {} })
    expect((await unable.api.get(settings)).status).toBe(403)
    const able = await account.addUser({ rights: { catalog_access: true } })
    expect((await able.api.get(settings)).status).toBe(200)
    expect((await able.api.patch(settings, { is_enabled: true })).status).toBe(403)
    const { api: alien } = await newAccount()
    expect((await alien.patch(settings, { is_enabled: true })).status).toBe(200)
    expect((await account.api.get(settings)).body).toEqual({ is_enabled: false })
  })
})

test('a move stands a catalog before another, and keeps what a colleague has moved', async () => {
  const account = await newAccount()
  const { api } = account
  const made = await addCatalogs(account, [{ name: 'A' }, { name: 'B' }, { name: 'C', sort: 20 }])
  const [a, b, c] = made as [Made, Made, Made]
  const move = (id: number, before: number | null) =>
    api.post(`/web/v1/catalogs/${id}/move`, { before })
  const order = async () => namesOf((await api.get(path)).body)
  expect((await move(c.id, a.id)).status).toBe(204)
  expect(await order()).toEqual(['C', 'A', 'B'])
  expect((await move(c.id, null)).status).toBe(204)
  expect((await move(a.id, c.id)).status).toBe(204)
  expect(await order()).toEqual(['B', 'A', 'C'])
  expect((await move(b.id, b.id)).status).toBe(204)
  expect(await order()).toEqual(['B', 'A', 'C'])
  expect((await move(b.id, 999_999)).status).toBe(400)
  expect((await move(999_999, null)).status).toBe(404)
  const other = await newAccount()
  expect((await other.api.post(`/web/v1/catalogs/${a.id}/move`, { before: null })).status).toBe(404)
})
