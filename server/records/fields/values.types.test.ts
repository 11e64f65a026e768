// The accepted and rendered forms of each type of custom field (entities reference, 16.3;
// specification, Custom field value).
import { beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import {
  addEveryType,
  addFields,
  chosen,
  fill,
  moveTo,
  readFilled,
  shownAs,
  valueOf,
} from '../../../test/fields.ts'
import { addRecord } from '../../../test/records.ts'
import type { Field } from './definitions.ts'
import type { FieldType } from './types.ts'

let account: TestAccount
let fields: Record<FieldType, Field>

beforeAll(async () => {
  account = await newAccount()
  fields = await addEveryType(account, 'leads')
})

const uuids = {
  file_uuid: '0b4bbd38-94ca-4f75-a02c-c8d6bc1e4e0a',
  version_uuid: 'c0a80101-94ca-4f75-a02c-c8d6bc1e4e0B',
}
const company = { name: 'Bakery & Sons', entity_type: 2, address: null, vat_id: '77', kpp: '' }

/** The value of one item in a body, and in the answer. */
const plain: [FieldType, sent: unknown, read: unknown][] = [
  ['text', 'Some text', 'Some text'],
  ['text', ' "quoted" \\ <b>жир</b> 😀\n', ' "quoted" \\ <b>жир</b> 😀\n'],
  ['text', 5, '5'],
  ['text', -0.5, '-0.5'],
  ['text', Number.MAX_SAFE_INTEGER, '9007199254740991'],
  ['text', true, 'true'],
  ['textarea', 'Two\nlines', 'Two\nlines'],
  ['streetaddress', 'Main street 1', 'Main street 1'],
  ['url', 'no check of what it is', 'no check of what it is'],
  ['tracking_data', 'google', 'google'],
  ['numeric', 12, '12'],
  ['numeric', '12', '12'],
  ['numeric', ' 012.50 ', '12.5'],
  ['numeric', '-0.0', '0'],
  ['numeric', -0.5, '-0.5'],
  ['numeric', 0.1 + 0.2, '0.3'],
  ['numeric', 1e-7, '0.0000001'],
  ['numeric', '12345678901234567890.0123456789', '12345678901234567890.0123456789'],
  ['monetary', 99.9, '99.9'],
  ['monetary', '100.00', '100'],
  ['checkbox', true, true],
  ['checkbox', false, false],
  ['checkbox', 1, true],
  ['checkbox', 0, false],
  ['date', 1_735_689_600, 1_735_689_600],
  ['date', 1_735_689_601, 1_735_689_600],
  ['date', '1735775999', 1_735_689_600],
  ['date', '2025-01-01T23:59:59Z', 1_735_689_600],
  ['date', '2025-01-01T00:30:00+03:00', 1_735_603_200],
  ['birthday', '1961-05-17T12:00:00-04:00', -272_246_400],
  ['birthday', -1, -86_400],
  ['birthday', -62_135_596_800, -62_135_596_800],
  ['date_time', 0, 0],
  ['date_time', '-5', -5],
  ['date_time', '2026-12-31t23:59:59.999z', 1_798_761_599],
  ['date_time', '1969-12-31T23:59:59.5Z', -1],
  ['date_time', 253_402_300_799, 253_402_300_799],
  ['legal_entity', { name: 'Bakery' }, { name: 'Bakery' }],
  ['legal_entity', { ...company, vat_id: 77 }, company],
  ['file', uuids, uuids],
  [
    'file',
    { ...uuids, file_name: 'a.pdf', file_size: '12' },
    { ...uuids, file_name: 'a.pdf', file_size: 12 },
  ],
]

test.each(plain)('a %s of %j is read as %j', async (type, value, read) => {
  const sent = valueOf(fields[type], { value, enum_id: null, enum_code: null })
  const created = await addRecord(account.api, 'leads', { custom_fields_values: [sent] })
  const changed = await addRecord(account.api, 'leads')
  await fill(account.api, 'leads', changed, sent)
  const shown = [shownAs(fields[type], { value: read })]
  expect(await readFilled(account.api, 'leads', created)).toEqual(shown)
  expect(await readFilled(account.api, 'leads', changed)).toEqual(shown)
})

test.each([
  ['text', 256],
  ['url', 2048],
  ['streetaddress', 2048],
  ['tracking_data', 2048],
  ['textarea', 65_535],
] as const)(
  'a %s takes %i characters, of which some are two units of UTF-16',
  async (type, longest) => {
    const value = `x${'😀'.repeat(longest - 1)}`
    const id = await addRecord(account.api, 'leads', {
      custom_fields_values: [valueOf(fields[type], { value })],
    })
    expect(await readFilled(account.api, 'leads', id)).toEqual([shownAs(fields[type], { value })])
  },
)

/** The ways to name the second of three choices. */
const named: [name: string, item: (of: Field) => object][] = [
  ['its id', ({ enums }) => ({ enum_id: enums[1]!.id })],
  ['its id as text', ({ enums }) => ({ enum_id: String(enums[1]!.id) })],
  ['its code', () => ({ enum_code: 'south' })],
  ['its text', () => ({ value: 'South' })],
  [
    'its text, nothing in the others',
    () => ({ value: 'South', enum_id: null, enum_code: '', enum: null }),
  ],
  ['the older name of its id', ({ enums }) => ({ enum: enums[1]!.id })],
  ['the older name of its id, as text', ({ enums }) => ({ enum: String(enums[1]!.id) })],
  ['the older name of its code', () => ({ enum: 'south' })],
  [
    'its id, which is stronger than code and text',
    ({ enums }) => ({ enum_id: enums[1]!.id, enum_code: 'no', value: 'North' }),
  ],
  ['its code, which is stronger than the text', () => ({ enum_code: 'south', value: 'North' })],
  ['what was read', ({ enums }) => chosen(enums[1]!)],
]

describe.each(['select', 'radiobutton', 'multiselect'] as const)(
  'a choice of a %s is named by',
  (type) => {
    test.each(named)('%s', async (_, item) => {
      const id = await addRecord(account.api, 'leads', {
        custom_fields_values: [valueOf(fields[type], item(fields[type]))],
      })
      expect(await readFilled(account.api, 'leads', id)).toEqual([
        shownAs(fields[type], chosen(fields[type].enums[1]!)),
      ])
    })
  },
)

test('a choice whose text is a number is named by the number', async () => {
  const [field] = await addFields(account, 'leads', [{ type: 'select', enums: ['5', '6'] }])
  const id = await addRecord(account.api, 'leads', {
    custom_fields_values: [valueOf(field!, { value: 6 })],
  })
  expect(await readFilled(account.api, 'leads', id)).toEqual([
    shownAs(field!, chosen(field!.enums[1]!)),
  ])
})

test('several choices stay in the order in which they were sent, each once', async () => {
  const [north, , east] = fields.multiselect.enums
  const sent = valueOf(
    fields.multiselect,
    { value: 'East' },
    { enum_id: north!.id },
    { enum_id: east!.id },
  )
  const id = await addRecord(account.api, 'leads', { custom_fields_values: [sent] })
  expect(await readFilled(account.api, 'leads', id)).toEqual([
    shownAs(fields.multiselect, chosen(east!), chosen(north!)),
  ])
})

test('an address has each part once, the last that is sent; the first part where none is named', async () => {
  const items = [
    { value: 'Main street 1' },
    { value: 'Rome', enum_code: 'city' },
    { value: 'Paris', enum_id: 3 },
  ]
  const id = await addRecord(account.api, 'leads', {
    custom_fields_values: [valueOf(fields.smart_address, ...items)],
  })
  const street = { value: 'Main street 1', enum_id: 1, enum_code: 'address_line_1' }
  const shown = shownAs(fields.smart_address, street, {
    value: 'Paris',
    enum_id: 3,
    enum_code: 'city',
  })
  expect(await readFilled(account.api, 'leads', id)).toEqual([shown])
})

test('the parts of a chained list, and several legal entities, are read in their order', async () => {
  const chain = [5, 4, 3, 2, 1].map((part) => ({ catalog_id: part, catalog_element_id: part + 10 }))
  const entities = [{ value: { name: 'One' } }, { value: { name: 'Two', external_uid: 'x' } }]
  const sent = [valueOf(fields.chained_list, ...chain), valueOf(fields.legal_entity, ...entities)]
  const id = await addRecord(account.api, 'leads', { custom_fields_values: sent })
  const shown = [shownAs(fields.legal_entity, ...entities), shownAs(fields.chained_list, ...chain)]
  expect(await readFilled(account.api, 'leads', id)).toEqual(shown)
})

test('filled fields are read in the order of their sort, whatever the order in which they were filled', async () => {
  const drafts = [3, 1, 2].map((sort) => ({ type: 'text' as const, sort }))
  const [third, first, second] = await addFields(account, 'leads', drafts)
  const id = await addRecord(account.api, 'leads', {
    custom_fields_values: [valueOf(second!, { value: 'b' })],
  })
  await fill(
    account.api,
    'leads',
    id,
    valueOf(third!, { value: 'c' }),
    valueOf(first!, { value: 'a' }),
  )
  const shown = [
    shownAs(first!, { value: 'a' }),
    shownAs(second!, { value: 'b' }),
    shownAs(third!, { value: 'c' }),
  ]
  expect(await readFilled(account.api, 'leads', id)).toEqual(shown)
  const { body } = await account.api.get(`/api/v4/leads?filter[id]=${id}`)
  expect(body._embedded.leads[0].custom_fields_values).toEqual(shown)
})

test.each([
  ['Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T23:00:00Z'],
  ['Europe/Berlin', '2026-07-01T22:30:00Z', '2026-07-01T22:00:00Z'],
  ['America/New_York', '1961-05-17T02:00:00Z', '1961-05-16T04:00:00Z'],
  ['Asia/Kolkata', '2026-01-01T00:00:00+00:00', '2025-12-31T18:30:00Z'],
])('in an account in %s the day of %s is read as %s', async (timezone, value, read) => {
  const there = await newAccount()
  const days = await addEveryType(there, 'contacts')
  await moveTo(there, timezone)
  const at = Date.parse(value) / 1000
  const sent = [
    valueOf(days.date, { value }),
    valueOf(days.birthday, { value: at }),
    valueOf(days.date_time, { value }),
  ]
  const id = await addRecord(there.api, 'contacts', { custom_fields_values: sent })
  const day = { value: Date.parse(read) / 1000 }
  const shown = [
    shownAs(days.date, day),
    shownAs(days.birthday, day),
    shownAs(days.date_time, { value: at }),
  ]
  expect(await readFilled(there.api, 'contacts', id)).toEqual(shown)
})
