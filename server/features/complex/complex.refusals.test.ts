// The faults of all parts are listed together, each at its path, and nothing is created.
import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import { rowsOf } from '../../../test/belongings.ts'
import { addComplex, email, item, path, phone } from '../../../test/complex.ts'
import { faultsOf } from '../../../test/leads.ts'
import { addRecord } from '../../../test/records.ts'

const choice = (id: number) => ({ field_id: id, values: [{ value: 'x' }] })

test('the faults of all parts of all items are listed under their items, at their places', async () => {
  const { api } = await newAccount()
  const wrong = {
    responsible_user_id: 999,
    custom_fields_values: [email('a'), choice(999)],
    tags_to_add: [{ id: 999 }],
  }
  const refused = await api.post(path, [
    item({}, {}),
    item(wrong, wrong, { ...wrong, request_id: 'bad', status_id: 999, _embedded: {} }),
    item({ id: 999 }, { id: 998 }, {}, { source: { external_id: 'nowhere' }, tags: [{}] }),
    item({
      custom_fields_values: [{ field_code: 'PHONE', values: [{ value: '1', enum_code: 'NO' }] }],
    }),
    item({ first_name: 5 }, { name: 'x'.repeat(256) }, { price: 'dear' }),
  ])
  expect(refused.status).toBe(400)
  const ofPart = (at: string) => [
    `NotSupportedChoice ${at}tags_to_add.0.id`,
    `NotSupportedChoice ${at}responsible_user_id`,
    `NotSupportedChoice ${at}custom_fields_values.1.field_id`,
  ]
  const faults = faultsOf(refused)
  expect(
    refused.body['validation-errors'].map((bad: { request_id: string }) => bad.request_id),
  ).toEqual(['bad', '2', '3', '4'])
  expect(faults['bad']!.toSorted()).toEqual(
    [
      ...ofPart(''),
      'NotSupportedChoice status_id',
      'NotSupportedChoice custom_fields_values.0.field_code',
      ...ofPart('_embedded.contacts.0.'),
      ...ofPart('_embedded.companies.0.'),
    ].toSorted(),
  )
  expect(faults['2']!.toSorted()).toEqual([
    'FieldMissing _embedded.tags.0.id',
    'NotSupportedChoice _embedded.companies.0.id',
    'NotSupportedChoice _embedded.contacts.0.id',
    'NotSupportedChoice _embedded.source.external_id',
  ])
  expect(faults['3']).toEqual([
    'NotSupportedChoice _embedded.contacts.0.custom_fields_values.0.values.0.enum_code',
  ])
  expect(faults['4']!.toSorted()).toEqual([
    'InvalidType _embedded.contacts.0.first_name',
    'InvalidType price',
    'TooLong _embedded.companies.0.name',
  ])
})

test('a loss reason that does not fit is refused as everywhere', async () => {
  const { api } = await newAccount()
  const made = await api.post('/api/v4/leads/loss_reasons', [{ name: 'Too dear' }])
  const { id } = made.body._embedded.loss_reasons[0]
  const refused = await api.post(path, [item({}, {}, { loss_reason_id: id, request_id: 'mine' })])
  expect([refused.status, Object.keys(refused.body.errors)]).toEqual([400, ['mine']])
})

test('the last item of many is wrong, and nothing at all is written', async () => {
  const account = await newAccount()
  const contact = await addRecord(account.api, 'contacts')
  const before = await rowsOf(account)
  const good = (place: number) =>
    item(
      {
        name: `Ann ${place}`,
        custom_fields_values: [phone(String(place))],
        tags_to_add: [{ name: `c${place}` }],
      },
      { name: 'Acme', tags_to_add: [{ name: `f${place}` }] },
      { tags_to_add: [{ name: `l${place}` }] },
    )
  const goods = Array.from({ length: 48 }, (_, place) => good(place))
  for (const bad of [
    item({}, { responsible_user_id: 999 }),
    item({}, { id: 999 }),
    item({ name: 5 }),
    item({}, {}, { price: [] }),
  ]) {
    expect((await account.api.post(path, [...goods, item({ id: contact }, {}), bad])).status).toBe(
      400,
    )
    expect(await rowsOf(account)).toEqual(before)
  }
})

test.for<[string, object, string]>([
  ['two contacts', { _embedded: { contacts: [{}, {}] } }, 'TooMany _embedded.contacts'],
  ['two companies', { _embedded: { companies: [{ id: 1 }, {}] } }, 'TooMany _embedded.companies'],
  [
    'metadata',
    item({}, {}, {}, { metadata: { category: 'forms', form_id: 'x' } }),
    'FieldNotExpected _embedded.metadata',
  ],
  [
    'a name beside an id',
    item({ id: 5, name: 'Ann' }),
    'FieldNotExpected _embedded.contacts.0.name',
  ],
  [
    'tags beside an id',
    item(undefined, { id: 5, _embedded: { tags: [] } }),
    'FieldNotExpected _embedded.companies.0._embedded',
  ],
  ['an unknown key', item({ nickname: 'A' }), 'FieldNotExpected _embedded.contacts.0.nickname'],
  [
    'a main company',
    item(undefined, { is_main: true }),
    'FieldNotExpected _embedded.companies.0.is_main',
  ],
  [
    'a company of the contact',
    item({ _embedded: { companies: [{ id: 5 }] } }),
    'FieldNotExpected _embedded.contacts.0._embedded.companies',
  ],
  [
    'contacts of the company',
    item(undefined, { _embedded: { contacts: [] } }),
    'FieldNotExpected _embedded.companies.0._embedded.contacts',
  ],
  ['an id that is none', item({ id: 0 }), 'TooLow _embedded.contacts.0.id'],
  [
    'a contact that is none',
    { _embedded: { contacts: ['Ann'] } },
    'InvalidType _embedded.contacts.0',
  ],
  ['contacts that are none', { _embedded: { contacts: null } }, 'NotNullable _embedded.contacts'],
  ['links that are none', { _embedded: [] }, 'InvalidType _embedded'],
  ['an unknown key of the lead', { colour: 'red' }, 'FieldNotExpected colour'],
])('%s: refused at its place', async ([, draft, fault]) => {
  const account = await newAccount()
  const before = await rowsOf(account)
  const refused = await account.api.post(path, [{}, draft])
  expect([refused.status, faultsOf(refused)]).toEqual([400, { 1: [fault] }])
  expect(refused.body['validation-errors'][0].errors[0].detail).toMatch(/\.$/)
  expect(await rowsOf(account)).toEqual(before)
})

test('what is only read may stand in every part, beside an id too', async () => {
  const { api } = await newAccount()
  const { contact_id, company_id } = (await addComplex(api, item({}, {})))[0]!
  const read = {
    account_id: 1,
    group_id: 5,
    is_deleted: false,
    closest_task_at: null,
    _links: {},
    request_id: 'x',
  }
  const [made] = await addComplex(
    api,
    item(
      { ...read, is_unsorted: false, is_main: false },
      read,
      { account_id: 1, id: 7, score: null },
      { metadata: null },
    ),
    item({ id: contact_id, ...read }, { id: company_id, ...read }),
  )
  expect(made!.id).not.toBe(7)
})

test('50 items and 40 values are all that is taken', async () => {
  const { api } = await newAccount()
  const many = (count: number) => ({
    custom_fields_values: [phone(...Array.from({ length: count }, (_, place) => String(place)))],
  })
  expect((await api.post(path, [item(many(40), many(40))])).status).toBe(200)
  const refused = await api.post(path, [item(many(41)), item(undefined, many(41)), many(41)])
  expect(faultsOf(refused)).toEqual({
    0: ['TooMany _embedded.contacts.0.custom_fields_values'],
    1: ['TooMany _embedded.companies.0.custom_fields_values'],
    2: ['TooMany custom_fields_values'],
  })
  const fields = Array.from({ length: 41 }, () => ({ field_code: 'PHONE', values: null }))
  const listed = await api.post(path, [item({ custom_fields_values: fields })])
  expect(faultsOf(listed)).toEqual({ 0: ['TooMany _embedded.contacts.0.custom_fields_values'] })
  for (const items of [Array.from({ length: 51 }, () => ({})), []])
    expect((await api.post(path, items)).status).toBe(400)
  expect(
    (
      await api.post(
        path,
        Array.from({ length: 50 }, () => ({})),
      )
    ).body,
  ).toHaveLength(50)
  for (const body of ['text', '[', 'null', '5'])
    expect((await api.post(path, body)).status).toBe(400)
})

test('where unknown keys are ignored they are so in every part, but what says something is not', async () => {
  const { api } = await newAccount({ unknownKeys: 'ignore' })
  const odd = {
    name: 'Ann',
    nickname: 'A',
    custom_fields_values: [{ ...phone('1'), colour: 'red' }],
  }
  expect((await api.post(path, item(odd, odd, { colour: 'red' }))).status).toBe(200)
  expect(faultsOf(await api.post(path, item({ id: 5, ...odd })))).toEqual({
    0: [
      'FieldNotExpected _embedded.contacts.0.name',
      'FieldNotExpected _embedded.contacts.0.custom_fields_values',
    ],
  })
})
