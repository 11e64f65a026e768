// The events of changed values, one pair for each field, in the structure of the specification, and
// their single journal row.
import { beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import { addEveryType, addFields, fill, firstFields, valueOf } from '../../../test/fields.ts'
import { listen, plainly } from '../../../test/leads.ts'
import { addRecord, allKinds, pathOf } from '../../../test/records.ts'
import type { Field } from './definitions.ts'
import type { FieldType } from './types.ts'

let account: TestAccount
let fields: Record<FieldType, Field>

beforeAll(async () => {
  account = await newAccount()
  fields = await addEveryType(account, 'leads')
})

interface EventValue {
  enum_id?: number | null
  text: string
}
const items = (field: Field, field_type: number, values: EventValue[]) =>
  values.map((value) => ({
    custom_field_value: { field_id: field.id, field_type, enum_id: null, ...value },
  }))

/** Both events of a field. */
const eventsOf = (
  field: Field,
  number: number,
  id: number,
  [before, after]: [EventValue[], EventValue[]],
) =>
  ['custom_field_value_changed', `custom_field_${field.id}_value_changed`].map((type) => ({
    type,
    entity_id: id,
    created_by: account.admin.id,
    value_before: items(field, number, before),
    value_after: items(field, number, after),
  }))

const uuid = '0b4bbd38-94ca-4f75-a02c-c8d6bc1e4e0a'
const link = { catalog_id: 7, catalog_element_id: 9 }
const northId = ({ enums }: Field) => enums[0]!.id

/** The number of a type, and two values with the texts that events show for them. */
const types: [
  type: FieldType,
  number: number,
  sent: [object, object],
  sides: (field: Field) => [EventValue, EventValue],
][] = [
  ['text', 1, [{ value: 'One' }, { value: 'Two' }], () => [{ text: 'One' }, { text: 'Two' }]],
  ['numeric', 2, [{ value: 1 }, { value: '2.50' }], () => [{ text: '1' }, { text: '2.5' }]],
  ['checkbox', 3, [{ value: true }, { value: false }], () => [{ text: '1' }, { text: '0' }]],
  ...(
    [
      ['select', 4],
      ['multiselect', 5],
      ['radiobutton', 10],
    ] as const
  ).map(([type, number]): (typeof types)[number] => [
    type,
    number,
    [{ value: 'North' }, { enum_code: 'south' }],
    (field) => [
      { enum_id: northId(field), text: 'North' },
      { enum_id: field.enums[1]!.id, text: 'South' },
    ],
  ]),
  ['date', 6, [{ value: 86_399 }, { value: 86_400 }], () => [{ text: '0' }, { text: '86400' }]],
  ['url', 7, [{ value: 'a' }, { value: 'b' }], () => [{ text: 'a' }, { text: 'b' }]],
  ['textarea', 9, [{ value: 'a\nb' }, { value: 'b' }], () => [{ text: 'a\nb' }, { text: 'b' }]],
  ['streetaddress', 11, [{ value: 'a' }, { value: 'b' }], () => [{ text: 'a' }, { text: 'b' }]],
  [
    'smart_address',
    13,
    [
      { value: 'Rome', enum_code: 'city' },
      { value: 'Italy', enum_id: 6 },
    ],
    () => [
      { enum_id: 3, text: 'Rome' },
      { enum_id: 6, text: 'Italy' },
    ],
  ],
  ['birthday', 14, [{ value: -1 }, { value: 0 }], () => [{ text: '-86400' }, { text: '0' }]],
  [
    'legal_entity',
    15,
    [{ value: { name: 'a' } }, { value: { name: 'b', kpp: '1' } }],
    () => [{ text: 'a' }, { text: 'b' }],
  ],
  [
    'date_time',
    19,
    [{ value: -1 }, { value: '1970-01-01T00:00:05Z' }],
    () => [{ text: '-1' }, { text: '5' }],
  ],
  ['tracking_data', 21, [{ value: 'a' }, { value: 'b' }], () => [{ text: 'a' }, { text: 'b' }]],
  ['monetary', 23, [{ value: 0 }, { value: '-0.5' }], () => [{ text: '0' }, { text: '-0.5' }]],
  [
    'chained_list',
    24,
    [link, { ...link, catalog_id: 8 }],
    () => [{ text: JSON.stringify(link) }, { text: JSON.stringify({ ...link, catalog_id: 8 }) }],
  ],
  [
    'file',
    25,
    [
      { value: { file_uuid: uuid, version_uuid: uuid, file_name: 'a.pdf' } },
      { value: { version_uuid: uuid, file_uuid: uuid } },
    ],
    () => [{ text: 'a.pdf' }, { text: JSON.stringify({ file_uuid: uuid, version_uuid: uuid }) }],
  ],
]

test.each(types)(
  'a %s is told as type %i when it is set, changed and cleared, and not when it is the same',
  async (...each) => {
    const [type, number, [one, two], sides] = each
    const field = fields[type]
    const [first, second] = sides(field)
    const id = await addRecord(account.api, 'leads')
    const news = await listen(account)
    await fill(account.api, 'leads', id, valueOf(field, one))
    await fill(account.api, 'leads', id, valueOf(field, one))
    await fill(account.api, 'leads', id, valueOf(field, two))
    await fill(account.api, 'leads', id, valueOf(field))
    const { events, journal } = await news()
    expect(events.map(plainly)).toEqual([
      ...eventsOf(field, number, id, [[], [first]]),
      ...eventsOf(field, number, id, [[first], [second]]),
      ...eventsOf(field, number, id, [[second], []]),
    ])
    expect(journal.map(({ actions, entity_id }) => [actions, entity_id])).toEqual([
      [['update'], id],
      [['update'], id],
      [['update'], id],
    ])
  },
)

test('every type but that of phones is in the table', () => {
  expect([...types.map(([type]) => type), 'multitext'].toSorted()).toEqual(
    Object.keys(fields).concat('multitext').toSorted(),
  )
})

test('each value of a field with several is told, phones with their kinds', async () => {
  const [, phone] = await firstFields(account, 'contacts')
  const [work, , mobile] = phone!.enums
  const id = await addRecord(account.api, 'contacts', {
    custom_fields_values: [valueOf(phone!, { value: '1' })],
  })
  const news = await listen(account)
  await fill(
    account.api,
    'contacts',
    id,
    valueOf(phone!, { value: '1', enum_code: 'MOB' }, { value: '2' }),
  )
  const before = [{ enum_id: work!.id, text: '1' }]
  const after = [
    { enum_id: mobile!.id, text: '1' },
    { enum_id: work!.id, text: '2' },
  ]
  expect((await news()).events.map(plainly)).toEqual(eventsOf(phone!, 8, id, [before, after]))
})

describe.each(allKinds)('%s', (kind) => {
  test('that are created with values are told as created, and nothing else', async () => {
    const [text] = await addFields(account, kind, [{ type: 'text' }])
    const news = await listen(account)
    const id = await addRecord(account.api, kind, {
      custom_fields_values: [valueOf(text!, { value: 'x' })],
    })
    const { events, journal } = await news()
    expect(events.map(({ type }) => type)).toEqual([
      { leads: 'lead_added', contacts: 'contact_added', companies: 'company_added' }[kind],
    ])
    const after = { id, custom_fields_values: { [text!.id]: ['x'] } }
    expect(journal).toMatchObject([{ actions: ['add'], entity_id: id, before: null, after }])
  })

  test('that change in some fields are one row of the journal with the values before and after, and events in the order of the fields', async () => {
    const [a, b, c] = await addFields(account, kind, [
      { type: 'text' },
      { type: 'text' },
      { type: 'text' },
    ])
    const custom_fields_values = [valueOf(a!, { value: 'a' }), valueOf(b!, { value: 'b' })]
    const id = await addRecord(account.api, kind, { custom_fields_values })
    const news = await listen(account)
    await account.api.patch(pathOf(kind), [
      { id, custom_fields_values: [valueOf(c!, { value: 'c' }), valueOf(b!)] },
      {
        id,
        custom_fields_values: [valueOf(c!, { value: 'C' }), valueOf(a!, { value: 'a' })],
        name: 'New',
      },
    ])
    const { events, journal } = await news()
    expect(events.map(({ type }) => type)).toEqual([
      'name_field_changed',
      ...[b!, c!].flatMap((field) => [
        'custom_field_value_changed',
        `custom_field_${field.id}_value_changed`,
      ]),
    ])
    expect(events.slice(1).map(plainly)).toEqual([
      ...eventsOf(b!, 1, id, [[{ text: 'b' }], []]),
      ...eventsOf(c!, 1, id, [[], [{ text: 'C' }]]),
    ])
    expect(journal).toMatchObject([
      {
        actions: ['update'],
        entity_type: kind,
        entity_id: id,
        created_by: account.admin.id,
        before: {
          custom_fields_values: {
            [a!.id]: ['a'],
            [b!.id]: ['b'],
          },
        },
        after: {
          custom_fields_values: {
            [a!.id]: ['a'],
            [c!.id]: ['C'],
          },
        },
      },
    ])
  })
})
