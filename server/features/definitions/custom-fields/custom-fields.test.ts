import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import type { Answer } from '../../../../test/client.ts'
import { addPipeline, faultsOf, listen, mainPipeline } from '../../../../test/leads.ts'
import { entityTypes } from '../../../entity-types.ts'
import type { EntityType } from '../../../entity-types.ts'

let account: TestAccount
beforeAll(async () => {
  account = await newAccount()
  // The catalogs that chained lists name here.
  await account.kontor.database.transaction((tx) =>
    tx.rows(sql`
      insert into catalogs (account_id, id, name, type, sort, can_add_elements, can_show_in_cards, can_link_multiple,
                            created_by, updated_by, created_at, updated_at)
      select ${account.id}::bigint, id, 'A catalog', 'regular', id, true, false, true, 0, 0, 0, 0
        from unnest('{1,2,3,4,5,9,12}'::bigint[]) id`),
  )
})

const pathOf = (type: EntityType) => `/api/v4/${type}/custom_fields`
const leads = pathOf('leads')
interface Field extends Record<string, unknown> {
  id: number
  name: string
  type: string
  code: string | null
  sort: number
  request_id: string
  enums: { id: number; value: string; sort: number; code: string | null }[]
}
const fieldsIn = ({ body }: Answer): Field[] => body._embedded.custom_fields

async function add(draft: object, type: EntityType = 'leads', { api } = account): Promise<Field> {
  const made = await api.post(pathOf(type), { name: 'A field', ...draft })
  if (made.status !== 201) throw new Error(`the field was refused: ${JSON.stringify(made.body)}`)
  return fieldsIn(made)[0]!
}
const change = (id: number, draft: unknown, type: EntityType = 'leads') =>
  account.api.patch(`${pathOf(type)}/${id}`, draft)
const read = async (id: number, type: EntityType = 'leads') =>
  (await account.api.get(`${pathOf(type)}/${id}`)).body as Field

describe('a fresh account', () => {
  test.each<[EntityType, string[]]>([
    ['contacts', ['POSITION text', 'PHONE multitext', 'EMAIL multitext']],
    ['companies', ['PHONE multitext', 'EMAIL multitext', 'WEB url', 'ADDRESS textarea']],
    ['customers', []],
  ])('has the predefined fields of %s', async (type, expected) => {
    const { api } = await newAccount()
    const { body } = await api.get(`${pathOf(type)}?order[sort]=asc`)
    expect(fieldsIn({ body } as Answer).map(({ code, type }) => `${code} ${type}`)).toEqual(
      expected,
    )
    expect(body._total_items).toBe(expected.length)
  })

  test('has where leads come from, in a group of its own', async () => {
    const { api } = await newAccount()
    const fields = fieldsIn(await api.get(leads))
    expect(fields).toHaveLength(19)
    for (const field of fields)
      expect(field).toMatchObject({
        type: 'tracking_data',
        group_id: 'statistic',
        is_predefined: true,
        is_deletable: false,
      })
  })
})

const own: Record<EntityType, string[]> = {
  leads: ['is_computed', 'hidden_statuses', 'chained_lists', 'tracking_callback', 'remind'],
  contacts: ['remind'],
  companies: ['remind'],
  customers: ['chained_lists'],
}
const common = [
  'id',
  'name',
  'type',
  'account_id',
  'code',
  'sort',
  'is_api_only',
  'enums',
  'group_id',
  'required_statuses',
  'is_deletable',
  'is_predefined',
  'entity_type',
  'triggers',
  'currency',
  '_links',
]

describe.each(entityTypes)('%s', (type) => {
  const path = pathOf(type)

  test('a new field is answered whole, as it is read afterwards, and what is read can be sent back', async () => {
    const { api, id: account_id } = account
    const { status, body } = await api.post(path, [
      {
        name: '  Region ',
        type: 'select',
        code: ' REGION ',
        request_id: 'mine',
        enums: [{ value: 'North' }, { value: 'South', code: 'S' }],
      },
      { name: 'Words', type: 'text', sort: 5, is_api_only: true },
    ])
    expect([status, body._total_items, Object.keys(body).toSorted()]).toEqual([
      201,
      2,
      ['_embedded', '_total_items'],
    ])
    const [{ request_id, ...region }, words] = body._embedded.custom_fields
    expect(Object.keys(region).toSorted()).toEqual([...common, ...own[type]].toSorted())
    expect(region).toMatchObject({
      name: 'Region',
      type: 'select',
      code: 'REGION',
      account_id,
      entity_type: type,
      is_api_only: false,
      triggers: [],
      group_id: null,
      required_statuses: [],
      is_deletable: true,
      is_predefined: false,
      currency: null,
      enums: [
        {
          id: expect.any(Number),
          value: 'North',
          sort: 1,
          code: null,
        },
        {
          id: expect.any(Number),
          value: 'South',
          sort: 2,
          code: 'S',
        },
      ],
    })
    expect([request_id, words.request_id, words.sort, words.enums, words.is_api_only]).toEqual([
      'mine',
      '1',
      5,
      null,
      true,
    ])
    const answer = await api.get(region._links.self.href)
    expect(answer.body).toEqual(region)
    expect((await change(region.id, answer.body, type)).body).toEqual({
      ...region,
      request_id: '0',
    })
    expect(
      fieldsIn(await api.patch(path, fieldsIn(await api.get(path)))).map(
        ({ request_id: _, ...field }) => field,
      ),
    ).toEqual(fieldsIn(await api.get(path)))
  })

  test('a new field is made of one that was read, with an id of its own', async () => {
    const [first] = fieldsIn(await account.api.post(path, [{ name: 'a', type: 'text' }]))
    const { code: _, ...read } = (await account.api.get(`${path}/${first!.id}`)).body
    const made = await account.api.post(path, [read])
    expect([made.status, fieldsIn(made)[0]!.name, fieldsIn(made)[0]!.id === first!.id]).toEqual([
      201,
      'a',
      false,
    ])
  })

  test('a new field stands last unless it says where', async () => {
    const sorts = fieldsIn(await account.api.get(path)).map(({ sort }) => sort)
    const made = fieldsIn(
      await account.api.post(path, [
        { name: 'a', type: 'text' },
        { name: 'b', type: 'text' },
      ]),
    )
    expect(made.map(({ sort }) => sort)).toEqual([
      Math.max(0, ...sorts) + 1,
      Math.max(0, ...sorts) + 2,
    ])
  })

  test('is listed by pages, filters and orders', async () => {
    const { api } = await newAccount()
    const drafts = ['numeric', 'date', 'numeric', 'url', 'date'].map((kind, index) => ({
      name: `${index}`,
      type: kind,
      sort: 500 - index,
    }))
    const made = fieldsIn(await api.post(path, drafts))
    const ids = made.map(({ id }) => id)
    const find = async (query: string) =>
      fieldsIn(await api.get(`${path}?${query}`)).map(({ id }) => ids.indexOf(id))
    const ours = 'filter[type][]=numeric&filter[type][]=date&filter[type][]=url'
    const isOurs = type === 'companies' ? `filter[id][]=${ids.join('&filter[id][]=')}` : ours
    expect(await find('filter[type][]=date&filter[type][]=numeric')).toEqual([0, 1, 2, 4])
    expect(await find(`filter[id]=${ids[3]}`)).toEqual([3])
    expect(await find(`${isOurs}&order[id]=desc`)).toEqual([4, 3, 2, 1, 0])
    expect(await find(`${isOurs}&order[sort]=asc`)).toEqual([4, 3, 2, 1, 0])
    expect(await find(`${isOurs}&limit=2&page=2`)).toEqual([2, 3])

    let href: string | undefined = `${path}?${isOurs}&order[sort]=asc&limit=2`
    const pages: number[][] = []
    while (href !== undefined) {
      const { body }: Answer = await api.get(href)
      expect(body).toMatchObject({ _total_items: 5, _page: pages.length + 1, _page_count: 3 })
      expect((await api.get(body._links.last.href)).body._page).toBe(3)
      expect((await api.get(body._links.self.href)).body).toEqual(body)
      pages.push(fieldsIn({ body } as Answer).map(({ id }) => ids.indexOf(id)))
      href = body._links.next?.href
    }
    expect(pages).toEqual([[4, 3], [2, 1], [0]])
    expect((await api.get(`${path}?${isOurs}&limit=1000`)).body._links.self.href).toContain(
      'limit=250',
    )
    expect((await api.get(`${path}?filter[id]=1`)).body).toMatchObject({
      _total_items: 0,
      _page_count: 0,
      _embedded: { custom_fields: [] },
    })
    for (const query of [
      'filter[name]=x',
      'filter[type][]=words',
      'order[name]=asc',
      'limit=0',
      'page=x',
    ])
      expect((await api.get(`${path}?${query}`)).status).toBe(400)
  })

  test('a field of another entity type, another account or nobody is not found, and changes nothing', async () => {
    const { api } = account
    const elsewhere = await add({ type: 'text' }, type === 'leads' ? 'contacts' : 'leads')
    const theirs = await add({ type: 'text' }, type, await newAccount())
    for (const id of [elsewhere.id, theirs.id, 1]) {
      expect((await api.get(`${path}/${id}`)).status).toBe(404)
      expect((await api.patch(`${path}/${id}`, { name: 'Mine' })).status).toBe(404)
      expect((await api.delete(`${path}/${id}`)).status).toBe(404)
      expect(faultsOf(await api.patch(path, [{ id, name: 'Mine' }]))).toEqual({
        0: ['EntityNotFound id'],
      })
    }
    for (const id of ['0', 'x', '9'.repeat(30)])
      expect((await api.get(`${path}/${id}`)).status).toBe(404)
  })
})

describe('types', () => {
  const enums = [{ value: 'a' }]
  const all: [type: string, extra: object, on: string][] = [
    ...[
      'text',
      'numeric',
      'checkbox',
      'date',
      'date_time',
      'url',
      'textarea',
      'streetaddress',
      'file',
    ].map((type): [string, object, string] => [type, {}, 'leads contacts companies customers']),
    ...['select', 'multiselect', 'radiobutton'].map((type): [string, object, string] => [
      type,
      { enums },
      'leads contacts companies customers',
    ]),
    ['monetary', { currency: 'eur' }, 'leads contacts companies customers'],
    ...['smart_address', 'birthday', 'legal_entity'].map((type): [string, object, string] => [
      type,
      {},
      'leads contacts companies',
    ]),
    ['tracking_data', {}, 'leads'],
    ['chained_list', { chained_lists: [{ title: 'Products', catalog_id: 1 }] }, 'leads customers'],
    ...['multitext', 'price', 'category', 'items', 'linked_entity', 'payer', 'words', ''].map(
      (type): [string, object, string] => [type, {}, ''],
    ),
  ]

  test.each(all)('%s fields can be made where they fit', async (type, extra, on) => {
    for (const scope of entityTypes) {
      const made = await account.api.post(pathOf(scope), { name: type, type, ...extra })
      const isThere = on.split(' ').includes(scope)
      if (isThere) expect([made.status, fieldsIn(made)[0]!.type]).toEqual([201, type])
      else expect(faultsOf(made)[0]).toContain('NotSupportedChoice type')
    }
  })

  test('a chained list names catalogs of the account, or those that it named before', async () => {
    const { api: alien } = await newAccount()
    const made = await alien.post('/api/v4/catalogs', [{ name: 'Theirs' }])
    const theirs = made.body._embedded.catalogs[0].id as number
    const chain = (catalog_id: number, parent_catalog_id: number | null = null) => [
      { title: 'a', catalog_id, parent_catalog_id },
    ]
    const draft = { name: 'Chain', type: 'chained_list' }
    for (const [chained_lists, fault] of [
      [chain(theirs), 'chained_lists.0.catalog_id'],
      [chain(1, theirs), 'chained_lists.0.parent_catalog_id'],
      [{ [theirs]: { title: 'a' } }, `chained_lists.${theirs}.catalog_id`],
    ] as const)
      expect(faultsOf(await account.api.post(leads, [{ ...draft, chained_lists }]))).toEqual({
        0: [`NotSupportedChoice ${fault}`],
      })
    const good = await account.api.post(leads, [{ ...draft, chained_lists: chain(1) }])
    const one = `${leads}/${fieldsIn(good)[0]!.id}`
    expect(faultsOf(await account.api.patch(one, { chained_lists: chain(theirs) }))).toEqual({
      0: ['NotSupportedChoice chained_lists.0.catalog_id'],
    })
    // A definition that is older than catalogs may name anything, and is taken back as it was read.
    await account.kontor.database.transaction((tx) =>
      tx.rows(sql`
        update custom_fields set chained_lists = ${JSON.stringify(chain(77))}::jsonb
         where account_id = ${account.id} and id = ${fieldsIn(good)[0]!.id}`),
    )
    expect((await account.api.patch(one, { chained_lists: chain(77) })).status).toBe(200)
  })

  test('the catalogs of a chained list may stand by their ids, and are shown with parents first', async () => {
    const chained_lists = {
      5: { catalog_id: 5, parent_catalog_id: 9, title: 'Sizes' },
      9: { parent_catalog_id: null, title: 'Products' },
      12: { title: 'Shops' },
    }
    const shown = [
      { catalog_id: 9, parent_catalog_id: null, title: 'Products' },
      { catalog_id: 12, parent_catalog_id: null, title: 'Shops' },
      { catalog_id: 5, parent_catalog_id: 9, title: 'Sizes' },
    ]
    for (const scope of ['leads', 'customers'] as const) {
      const draft = { name: 'Chain', type: 'chained_list', chained_lists }
      const made = await account.api.post(pathOf(scope), [draft])
      expect([made.status, fieldsIn(made)[0]!.chained_lists]).toEqual([201, shown])
      const one = `${pathOf(scope)}/${fieldsIn(made)[0]!.id}`
      // An answer can be sent back, and a list as PHP writes it is a list.
      for (const again of [shown, Object.fromEntries(shown.entries())])
        expect((await account.api.patch(one, { chained_lists: again })).body.chained_lists).toEqual(
          shown,
        )
      // Two catalogs that name each other as parents.
      const circle = {
        3: { parent_catalog_id: 4, title: 'a' },
        4: { parent_catalog_id: 3, title: 'b' },
      }
      expect((await account.api.patch(one, { chained_lists: circle })).status).toBe(200)
    }
  })

  test.each<[string, unknown, string[]]>([
    ['nothing', {}, ['TooFew chained_lists']],
    ['no title', { 5: {} }, ['FieldMissing chained_lists.5.title']],
    [
      'another catalog',
      { 5: { catalog_id: 6, title: 'x' } },
      ['NotSupportedChoice chained_lists.5.catalog_id'],
    ],
    ['catalog 0', { 0: { title: 'x' } }, ['FieldMissing chained_lists.0.catalog_id']],
    ['a word for a key', { x: { title: 'x' } }, ['FieldNotExpected chained_lists.x']],
    [
      'six catalogs',
      Object.fromEntries([1, 2, 3, 4, 5, 6].map((id) => [id, { title: 'x' }])),
      ['TooMany chained_lists'],
    ],
    ['a text', 'x', ['InvalidType chained_lists']],
  ])('a chained list of %s is refused', async (_, chained_lists, faults) => {
    const draft = { name: 'Chain', type: 'chained_list', chained_lists }
    expect(faultsOf(await account.api.post('/api/v4/leads/custom_fields', [draft]))).toEqual({
      0: faults,
    })
  })

  test('stay what they are', async () => {
    const { id } = await add({ type: 'text' })
    expect(faultsOf(await change(id, { type: 'numeric' }))).toEqual({
      0: ['NotSupportedChoice type'],
    })
    expect((await change(id, { type: 'text', name: 'Words' })).body.name).toBe('Words')
  })

  test.each<[string, object, string[]]>([
    ['a list without choices', { type: 'select' }, ['FieldMissing enums']],
    ['a list of nothing', { type: 'radiobutton', enums: [] }, ['TooFew enums']],
    ['a list of null', { type: 'multiselect', enums: null }, ['NotNullable enums']],
    ['choices of a text', { type: 'text', enums }, ['FieldNotExpected enums']],
    ['choices of an address', { type: 'smart_address', enums }, ['FieldNotExpected enums']],
    ['money without a currency', { type: 'monetary' }, ['FieldMissing currency']],
    ['money of null', { type: 'monetary', currency: null }, ['NotNullable currency']],
    ['money of nowhere', { type: 'monetary', currency: 'ZZZ' }, ['NotSupportedChoice currency']],
    ['money of four letters', { type: 'monetary', currency: 'EURO' }, ['InvalidFormat currency']],
    [
      'a number with a currency',
      { type: 'numeric', currency: 'EUR' },
      ['FieldNotExpected currency'],
    ],
    ['a day with a reminder', { type: 'date', remind: 'day' }, ['FieldNotExpected remind']],
    [
      'a birthday that reminds every hour',
      { type: 'birthday', remind: 'hour' },
      ['NotSupportedChoice remind'],
    ],
    [
      'a text that is tracked',
      { type: 'text', tracking_callback: 'f' },
      ['FieldNotExpected tracking_callback'],
    ],
    [
      'a callback that is a program',
      { type: 'tracking_data', tracking_callback: 'f()' },
      ['InvalidFormat tracking_callback'],
    ],
    ['a chain without links', { type: 'chained_list' }, ['FieldMissing chained_lists']],
    ['an empty chain', { type: 'chained_list', chained_lists: [] }, ['TooFew chained_lists']],
    [
      'a chain of six',
      {
        type: 'chained_list',
        chained_lists: Array.from({ length: 6 }, () => ({ title: 'a', catalog_id: 1 })),
      },
      ['TooMany chained_lists'],
    ],
    [
      'a chain of nothing',
      { type: 'chained_list', chained_lists: [{}] },
      ['FieldMissing chained_lists.0.title', 'FieldMissing chained_lists.0.catalog_id'],
    ],
    ['no name', { name: undefined, type: 'text' }, ['FieldMissing name']],
    ['a blank name', { name: ' ', type: 'text' }, ['NotBlank name']],
    ['a long name', { name: 'x'.repeat(256), type: 'text' }, ['TooLong name']],
    ['a blank code', { type: 'text', code: '' }, ['NotBlank code']],
    ['a code of spaces', { type: 'text', code: '  ' }, ['NotBlank code']],
    ['a long code', { type: 'text', code: 'x'.repeat(256) }, ['TooLong code']],
    ['a place before the first', { type: 'text', sort: -1 }, ['TooLow sort']],
    [
      'a group that is not there',
      { type: 'text', group_id: 'leads_1' },
      ['NotSupportedChoice group_id'],
    ],
    [
      'a key of other entity types',
      { type: 'text', is_required: true },
      ['FieldNotExpected is_required'],
    ],
    [
      'a status that is not there',
      { type: 'text', hidden_statuses: [{ status_id: 1, pipeline_id: 1 }] },
      ['NotSupportedChoice hidden_statuses.0.status_id'],
    ],
  ])('%s is refused', async (_, draft, faults) => {
    const before = (await account.api.get(leads)).body._total_items
    expect(
      faultsOf(
        await account.api.post(leads, [
          { name: 'Good', type: 'text' },
          { name: 'Bad', ...draft },
        ]),
      ),
    ).toEqual({ 1: faults })
    expect((await account.api.get(leads)).body._total_items).toBe(before)
  })

  test('keep what is their own, which a change may set and clear', async () => {
    const money = await add({ type: 'monetary', currency: 'eur' })
    expect(money['currency']).toBe('EUR')
    expect((await change(money.id, { currency: 'usd' })).body.currency).toBe('USD')
    expect(faultsOf(await change(money.id, { currency: null }))).toEqual({
      0: ['NotNullable currency'],
    })
    const day = await add({ type: 'birthday', remind: 'week' })
    expect((await change(day.id, { remind: null })).body.remind).toBeNull()
    const tracked = await add({ type: 'tracking_data', tracking_callback: 'kontor.track' })
    expect(tracked['tracking_callback']).toBe('kontor.track')
    const chain = await add({
      type: 'chained_list',
      chained_lists: [
        { title: 'a', catalog_id: 1 },
        { title: 'b', catalog_id: 2, parent_catalog_id: 1 },
      ],
    })
    expect(chain['chained_lists']).toEqual([
      { title: 'a', catalog_id: 1, parent_catalog_id: null },
      { title: 'b', catalog_id: 2, parent_catalog_id: 1 },
    ])
    const address = await add({ type: 'smart_address' })
    expect(address.enums.map(({ id, code }) => `${id} ${code}`)).toEqual([
      '1 address_line_1',
      '2 address_line_2',
      '3 city',
      '4 state',
      '5 zip',
      '6 country',
    ])
  })

  test('name statuses of leads, those that are there', async () => {
    const { api } = account
    const [main, other] = [await mainPipeline(account), await addPipeline(account)]
    const stages = [main, other].map(({ id, statuses }) => ({
      status_id: statuses[0],
      pipeline_id: id,
    }))
    const field = await add({
      type: 'text',
      required_statuses: stages,
      hidden_statuses: [stages[0]],
    })
    expect(field).toMatchObject({ required_statuses: stages, hidden_statuses: [stages[0]] })
    expect(
      (await add({ type: 'text', required_statuses: stages }, 'contacts'))['required_statuses'],
    ).toEqual(stages)
    const wrong = { status_id: main.statuses[0], pipeline_id: other.id }
    expect(
      faultsOf(await change(field.id, { required_statuses: [...stages, wrong, stages[0]] })),
    ).toEqual({
      0: [
        'NotSupportedChoice required_statuses.2.status_id',
        'NotUnique required_statuses.3.status_id',
      ],
    })
    expect(
      faultsOf(
        await api.post(pathOf('contacts'), { name: 'a', type: 'text', hidden_statuses: stages }),
      ),
    ).toEqual({
      0: ['FieldNotExpected hidden_statuses'],
    })
    // A status deleted meanwhile does not prevent sending the field back.
    await account.kontor.database.rows(
      sql`delete from statuses where account_id = ${account.id} and id = ${stages[1]!.status_id}`,
    )
    expect((await change(field.id, { ...(await read(field.id)), name: 'New' })).status).toBe(200)
    expect((await change(field.id, { required_statuses: null })).body.required_statuses).toEqual([])
  })
})

describe('choices', () => {
  const letters = (field: Field) => field.enums.map(({ value }) => value).join('')
  const newList = (...values: string[]) =>
    add({ type: 'select', enums: values.map((value) => ({ value })) })
  const cleanups = async (id: number) =>
    account.kontor.database.rows<{ enum_ids: number[] }>(
      sql`select to_json(enum_ids) as enum_ids from cleanups where account_id = ${account.id} and field_id = ${id}`,
    )

  test('of a change replace those that were there: kept by id, new without one, gone when not mentioned', async () => {
    const field = await newList('a', 'b', 'c')
    const [a, b, c] = field.enums as [Field['enums'][0], Field['enums'][0], Field['enums'][0]]
    const changed = await change(field.id, {
      enums: [{ id: c.id, sort: 1 }, { value: 'd' }, { id: a.id, value: 'A', code: 'x', sort: 7 }],
    })
    expect(changed.body.enums).toEqual([
      { id: c.id, value: 'c', sort: 1, code: null },
      { id: expect.any(Number), value: 'd', sort: 2, code: null },
      { id: a.id, value: 'A', sort: 7, code: 'x' },
    ])
    expect([a.id, b.id, c.id]).not.toContain(changed.body.enums[1].id)
    expect(await read(field.id)).toMatchObject({ enums: changed.body.enums })
    expect((await change(field.id, { name: 'Another' })).body.enums).toEqual(changed.body.enums)
    expect(faultsOf(await change(field.id, { enums: [{ id: b.id }] }))).toEqual({
      0: ['NotSupportedChoice enums.0.id'],
    })
    const again = await account.api.patch(leads, [
      { id: field.id, enums: [{ value: 'first' }] },
      { id: field.id, enums: [{ value: 'second' }, { id: c.id }] },
    ])
    expect(faultsOf(again)).toEqual({ 1: ['NotSupportedChoice enums.1.id'] })
    expect(letters(await read(field.id))).toBe('cdA')
  })

  test('stand in the order of their sort', async () => {
    const field = await add({
      type: 'multiselect',
      enums: [{ value: 'a', sort: 9 }, { value: 'b' }, { value: 'c', sort: 3 }, { value: 'd' }],
    })
    expect(field.enums.map(({ value, sort }) => `${value}${sort}`)).toEqual([
      'c3',
      'd4',
      'a9',
      'b10',
    ])
  })

  test.each<[string, object[], string[]]>([
    ['without a value', [{}], ['FieldMissing enums.0.value']],
    ['that are blank', [{ value: 'a' }, { value: ' ' }], ['NotBlank enums.1.value']],
    ['of an unknown id', [{ id: 77, value: 'a' }], ['NotSupportedChoice enums.0.id']],
    [
      'with a code twice',
      [
        { value: 'a', code: 'x' },
        { value: 'b', code: 'x' },
      ],
      ['NotUnique enums.1.code'],
    ],
    ['with a blank code', [{ value: 'a', code: '' }], ['NotBlank enums.0.code']],
    ['that are too long', [{ value: 'a'.repeat(256) }], ['TooLong enums.0.value']],
    ['with other keys', [{ value: 'a', color: 'red' }], ['FieldNotExpected enums.0.color']],
    [
      'of which there are too many',
      Array.from({ length: 501 }, () => ({ value: 'a' })),
      ['TooMany enums'],
    ],
  ])('%s are refused', async (_, enums, faults) => {
    expect(
      faultsOf(await account.api.post(leads, { name: 'A list', type: 'select', enums })),
    ).toEqual({ 0: faults })
    const field = await newList('a', 'b')
    expect(faultsOf(await change(field.id, { enums }))).toEqual({ 0: faults })
    expect(letters(await read(field.id))).toBe('ab')
  })

  test('can be 500, and none is named twice or all taken away', async () => {
    const values = Array.from({ length: 500 }, (_, index) => `${index}`)
    const field = await newList(...values)
    expect(new Set(field.enums.map(({ id }) => id)).size).toBe(500)
    const { id } = field.enums[3]!
    expect(faultsOf(await change(field.id, { enums: [{ id }, { id }] }))).toEqual({
      0: ['NotUnique enums.1.id'],
    })
    expect(faultsOf(await change(field.id, { enums: [] }))).toEqual({ 0: ['TooFew enums'] })
    expect(faultsOf(await change(field.id, { enums: null }))).toEqual({ 0: ['NotNullable enums'] })
  })

  test('that go leave something to be cleaned up, those that stay do not', async () => {
    const { database } = account.kontor
    const field = await newList('a', 'b', 'c')
    // The clean-up waits for a transaction that began before.
    await database.transaction(async () => {
      await change(field.id, { enums: field.enums })
      expect(await cleanups(field.id)).toEqual([])
      await change(field.id, { enums: [field.enums[1]] })
      expect(await cleanups(field.id)).toEqual([
        { enum_ids: [field.enums[0]!.id, field.enums[2]!.id] },
      ])
    })
    await expect.poll(() => cleanups(field.id), { timeout: 20_000 }).toEqual([])
  })
})

describe('predefined fields', () => {
  const predefined = async (type: EntityType, code: string) =>
    fieldsIn(await account.api.get(pathOf(type))).find((field) => field.code === code)!

  test('are renamed, moved and required, and nothing else', async () => {
    const { id, enums } = await predefined('contacts', 'POSITION')
    const { id: pipeline_id, statuses } = await mainPipeline(account)
    const required_statuses = [{ status_id: statuses[0], pipeline_id }]
    const changed = await change(id, { name: 'Job', sort: 50, required_statuses }, 'contacts')
    expect(changed.body).toMatchObject({
      id,
      name: 'Job',
      sort: 50,
      required_statuses,
      code: 'POSITION',
      enums,
    })
    const all = { code: 'JOB', is_api_only: true }
    expect(faultsOf(await change(id, all, 'contacts'))).toEqual({
      0: ['NotSupportedChoice code', 'NotSupportedChoice is_api_only'],
    })
    const phone = await predefined('contacts', 'PHONE')
    for (const enums of [
      [{ value: 'x' }],
      phone.enums.slice(1),
      phone.enums.map((each) => ({ ...each, value: 'x' })),
      null,
    ])
      expect(faultsOf(await change(phone.id, { enums }, 'contacts'))).toEqual({
        0: ['NotSupportedChoice enums'],
      })
    expect(await predefined('contacts', 'PHONE')).toEqual(phone)
  })

  test('are not deleted', async () => {
    for (const [type, code] of [
      ['contacts', 'PHONE'],
      ['companies', 'WEB'],
      ['leads', 'UTM_SOURCE'],
    ] as const) {
      const { id } = await predefined(type, code)
      expect((await account.api.delete(`${pathOf(type)}/${id}`)).status).toBe(400)
      expect((await predefined(type, code)).id).toBe(id)
    }
  })

  test('that contacts and companies share have one id, one name, and a place in each', async () => {
    const [one, two] = [
      await predefined('contacts', 'PHONE'),
      await predefined('companies', 'PHONE'),
    ]
    expect([two.id, two.enums]).toEqual([one.id, one.enums])
    await change(one.id, { name: 'Telephone', sort: 77 }, 'contacts')
    expect(await predefined('companies', 'PHONE')).toEqual({ ...two, name: 'Telephone' })
    expect(await predefined('contacts', 'PHONE')).toEqual({ ...one, name: 'Telephone', sort: 77 })
    await account.api.patch(pathOf('companies'), [{ id: one.id, name: 'Call' }])
    expect((await predefined('contacts', 'PHONE')).name).toBe('Call')
  })
})

describe('codes', () => {
  test('are unique within an entity type, and free in another', async () => {
    const [one, two] = [
      await add({ type: 'text', code: 'MINE' }),
      await add({ type: 'text', code: 'YOURS' }),
    ]
    expect((await add({ type: 'text', code: 'MINE' }, 'contacts')).code).toBe('MINE')
    expect((await add({ type: 'text', code: 'mine' })).code).toBe('mine')
    const twice = [
      { name: 'a', type: 'text', code: 'NEW' },
      { name: 'b', type: 'text', code: ' NEW ' },
      { name: 'c', type: 'text', code: 'MINE' },
    ]
    expect(faultsOf(await account.api.post(leads, twice))).toEqual({
      1: ['NotUnique code'],
      2: ['NotUnique code'],
    })
    expect(faultsOf(await change(two.id, { code: 'MINE' }))).toEqual({ 0: ['NotUnique code'] })
    const swapped = await account.api.patch(leads, [
      { id: one.id, code: 'YOURS' },
      { id: two.id, code: 'MINE' },
    ])
    expect(fieldsIn(swapped).map(({ code }) => code)).toEqual(['YOURS', 'MINE'])
    expect((await change(one.id, { code: null })).body.code).toBeNull()
    expect((await add({ type: 'text', code: 'YOURS' })).code).toBe('YOURS')
  })

  test('stay unique, and no change is lost, when administrators write at once', async () => {
    const { api, addUser } = await newAccount()
    const second = await addUser({ is_admin: true })
    const drafts = [1, 2, 3, 4].map((index) => ({ name: `${index}`, type: 'text', code: 'SAME' }))
    const made = await Promise.all(
      drafts.map((draft, index) => (index % 2 ? api : second.api).post(leads, draft)),
    )
    expect(made.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400, 400])
    const field = fieldsIn(made.find(({ status }) => status === 201)!)[0]!
    const list = fieldsIn(
      await api.post(leads, { name: 'List', type: 'select', enums: [{ value: 'a' }] }),
    )[0]!
    await Promise.all([
      ...Array.from({ length: 5 }, () => api.patch(`${leads}/${field.id}`, { name: 'First' })),
      ...Array.from({ length: 5 }, () =>
        second.api.patch(`${leads}/${field.id}`, { sort: 999, is_api_only: true }),
      ),
      api.patch(`${leads}/${list.id}`, { code: 'LIST' }),
      second.api.patch(`${leads}/${list.id}`, { enums: [...list.enums, { value: 'b' }] }),
      ...['a', 'b', 'c'].map((name) => second.api.post(leads, { name, type: 'text' })),
    ])
    expect((await api.get(`${leads}/${field.id}`)).body).toMatchObject({
      name: 'First',
      sort: 999,
      is_api_only: true,
      code: 'SAME',
    })
    const { enums, ...rest } = (await api.get(`${leads}/${list.id}`)).body as Field
    expect([rest.code, enums.map(({ value }) => value)]).toEqual(['LIST', ['a', 'b']])
    const sorts = fieldsIn(await api.get(`${leads}?filter[type]=text`)).map(({ sort }) => sort)
    expect(new Set(sorts).size).toBe(sorts.length)
  })
})

test('a batch is changed whole or not at all, two items for one field one after the other', async () => {
  const [one, two] = [await add({ type: 'text' }), await add({ type: 'text' })]
  const refused = await account.api.patch(leads, [
    { id: one.id, name: 'Changed' },
    { id: two.id, sort: 'x', request_id: 'second' },
    { name: 'Nobody' },
    { id: 1 },
  ])
  expect(faultsOf(refused)).toEqual({
    second: ['InvalidType sort'],
    2: ['FieldMissing id'],
    3: ['EntityNotFound id'],
  })
  expect((await read(one.id)).name).toBe('A field')
  const { status, body } = await account.api.patch(leads, [
    { id: two.id, name: 'Two', request_id: 'b' },
    { id: one.id, name: 'One' },
    { id: two.id, sort: 12 },
  ])
  expect([status, body._total_items]).toEqual([200, 3])
  expect(
    fieldsIn({ body } as Answer).map(({ request_id, name }) => `${request_id} ${name}`),
  ).toEqual(['b Two', '1 One', '2 Two'])
  expect(await read(two.id)).toMatchObject({ name: 'Two', sort: 12 })
  expect(
    (
      await account.api.post(
        leads,
        Array.from({ length: 251 }, () => ({ name: 'a', type: 'text' })),
      )
    ).status,
  ).toBe(400)
  expect((await account.api.patch(leads, [])).status).toBe(400)
})

test('a deleted field is gone at once, and its code is free', async () => {
  const { id } = await add({ type: 'text', code: 'GONE' })
  expect((await account.api.delete(`${leads}/${id}`)).status).toBe(204)
  expect((await account.api.get(`${leads}/${id}`)).status).toBe(404)
  expect((await account.api.delete(`${leads}/${id}`)).status).toBe(404)
  expect((await account.api.get(`${leads}?filter[id]=${id}`)).body._embedded.custom_fields).toEqual(
    [],
  )
  expect((await add({ type: 'text', code: 'GONE' })).id).not.toBe(id)
})

test('an entity type has 1,000 fields at most', async () => {
  const { api } = await newAccount()
  const path = pathOf('customers')
  const drafts = Array.from({ length: 250 }, (_, index) => ({ name: `${index}`, type: 'text' }))
  for (let batch = 0; batch < 4; batch++) expect((await api.post(path, drafts)).status).toBe(201)
  expect((await api.post(path, drafts[0])).status).toBe(422)
  expect((await api.post(leads, drafts[0])).status).toBe(201)
  expect((await api.get(path)).body).toMatchObject({ _total_items: 1000, _page_count: 20 })
})

test('the fields of an entity type have 20,000 choices at most in all', async () => {
  const { api } = await newAccount()
  const path = pathOf('companies')
  const select = (count: number) => ({
    name: 'A list',
    type: 'select',
    enums: Array.from({ length: count }, (_, index) => ({ value: `${index}` })),
  })
  const made = await api.post(
    path,
    Array.from({ length: 39 }, () => select(500)),
  )
  // Phones and e-mails already have some choices.
  const { body } = await api.get(`${path}?filter[type]=multitext`)
  const first = fieldsIn({ body } as Answer).reduce((sum, { enums }) => sum + enums.length, 0)
  expect([made.status, first > 0]).toEqual([201, true])
  expect((await api.post(path, select(500 - first + 1))).status).toBe(422)
  const full = await api.post(path, [select(300 - first), select(200)])
  expect(full.status).toBe(201)
  const [one, other] = fieldsIn(full)
  const put = (...changes: object[]) => api.patch(path, changes)
  expect((await put({ id: other!.id, enums: [...other!.enums, { value: 'more' }] })).status).toBe(
    422,
  )
  expect((await put({ id: other!.id, name: 'Renamed', enums: other!.enums.slice(1) })).status).toBe(
    200,
  )
  expect((await put({ id: one!.id, enums: [...one!.enums, { value: 'more' }] })).status).toBe(200)
  const swap = [
    { id: one!.id, enums: [...one!.enums, { value: 'more' }, { value: 'still more' }] },
    { id: other!.id, enums: other!.enums.slice(2) },
  ]
  expect((await put(...swap)).status).toBe(200)
  expect((await api.post(path, { name: 'A text', type: 'text' })).status).toBe(201)
})

test('definitions are no records: nothing is recorded, and every write makes remembered definitions stale', async () => {
  const version = async () =>
    (await account.kontor.database.row<{ version: number }>(
      sql`select fields_version as version from accounts where id = ${account.id}`,
    ))!.version
  const recorded = await listen(account)
  const versions = [await version()]
  const { id } = await add({ type: 'select', enums: [{ value: 'a' }, { value: 'b' }] })
  versions.push(await version())
  await change(id, { name: 'Another' })
  versions.push(await version())
  await account.api.delete(`${leads}/${id}`)
  versions.push(await version())
  expect(new Set(versions).size).toBe(4)
  expect(await recorded()).toEqual({ journal: [], events: [] })
})

test('everybody reads definitions, administrators write them', async () => {
  const { id } = await add({ type: 'text' })
  const { api } = await account.addUser({ rights: {} })
  expect((await api.get(`${leads}/${id}`)).body).toEqual(await read(id))
  expect((await api.get(leads)).status).toBe(200)
  for (const [method, path, body] of [
    ['POST', leads, { name: 'x', type: 'text' }],
    ['PATCH', leads, [{ id, name: 'x' }]],
    ['PATCH', `${leads}/${id}`, { name: 'x' }],
    ['DELETE', `${leads}/${id}`],
  ] as const)
    expect((await api.send(method, path, body)).status).toBe(403)
})
