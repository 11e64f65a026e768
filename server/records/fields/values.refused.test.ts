// Invalid values of custom fields: each fault with its code and path, and a refused batch that
// changes nothing.
import { beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import { addEveryType, fill, valueOf } from '../../../test/fields.ts'
import { faultsOf } from '../../../test/leads.ts'
import { addRecord } from '../../../test/records.ts'
import type { Field } from './definitions.ts'
import type { FieldType } from './types.ts'

let account: TestAccount
let fields: Record<FieldType, Field>

beforeAll(async () => {
  account = await newAccount()
  fields = await addEveryType(account, 'leads')
})

const path = '/api/v4/leads'
const refusedOf = async (...custom_fields_values: unknown[]) => {
  const answer = await account.api.post(path, [{ custom_fields_values }])
  expect(answer.status).toBe(400)
  // As a change of a record, the value is refused for the same reasons.
  const changed = await fill(
    account.api,
    'leads',
    await addRecord(account.api, 'leads'),
    ...(custom_fields_values as object[]),
  )
  expect(faultsOf(changed)).toEqual(faultsOf(answer))
  return faultsOf(answer)[0]
}

const uuid = '0b4bbd38-94ca-4f75-a02c-c8d6bc1e4e0a'
const texts = ['text', 'textarea', 'url', 'streetaddress', 'tracking_data'] as const
const numbers = ['numeric', 'monetary'] as const
const times = ['date', 'birthday', 'date_time'] as const
const choices = ['select', 'radiobutton', 'multiselect'] as const

/** One item of `values`, and the fault with its path below the item. */
const wrong: [types: readonly FieldType[], item: object, fault: string][] = [
  [texts, { value: {} }, 'InvalidType value'],
  [texts, { value: ['x'] }, 'InvalidType value'],
  [texts, { value: 9_007_199_254_740_992 }, 'InvalidType value'],
  [texts, { value: 'x'.repeat(65_536) }, 'TooLong value'],
  [['text'], { value: 'ж'.repeat(257) }, 'TooLong value'],
  [['text'], { value: '😀'.repeat(257) }, 'TooLong value'],
  [texts, { value: 'x', enum_id: 1 }, 'FieldNotExpected enum_id'],
  [texts, { value: 'x', enum_code: 'WORK' }, 'FieldNotExpected enum_code'],
  [texts, { value: 'x', enum: 'WORK' }, 'FieldNotExpected enum'],
  [texts, { value: 'x', catalog_id: 1 }, 'FieldNotExpected catalog_id'],
  [texts, { value: 'x', name: 'y' }, 'FieldNotExpected name'],
  [numbers, { value: true }, 'InvalidType value'],
  [numbers, { value: { value: 1 } }, 'InvalidType value'],
  ...[
    'x',
    '1,5',
    '1.',
    '.5',
    '+1',
    '1e3',
    '0x10',
    '--1',
    '1 000',
    ' ',
    '1'.repeat(21),
    `0.${'1'.repeat(11)}`,
    '0'.repeat(65),
  ].map((value): [readonly FieldType[], object, string] => [
    numbers,
    { value },
    'InvalidFormat value',
  ]),
  [numbers, { value: 9_007_199_254_740_992 }, 'InvalidFormat value'],
  [numbers, { value: 1e300 }, 'InvalidFormat value'],
  [['checkbox'], { value: 'true' }, 'InvalidType value'],
  [['checkbox'], { value: '1' }, 'InvalidType value'],
  [['checkbox'], { value: 2 }, 'InvalidType value'],
  [times, { value: true }, 'InvalidType value'],
  [times, { value: { at: 0 } }, 'InvalidType value'],
  ...[
    'tomorrow',
    '31.12.2026',
    '2026-12-31',
    '2026-12-31T23:59:59',
    '2026-12-31 23:59:59Z',
    '2026-02-30T00:00:00Z',
  ].map((value): [readonly FieldType[], object, string] => [
    times,
    { value },
    'InvalidFormat value',
  ]),
  ...[
    '2026-04-31T00:00:00Z',
    '2026-12-31T24:00:00Z',
    '2026-12-31T12:60:00Z',
    '2026-12-31T12:00:00+24:00',
    '1.5',
    '9'.repeat(30),
  ].map((value): [readonly FieldType[], object, string] => [
    times,
    { value },
    'InvalidFormat value',
  ]),
  [times, { value: 1.5 }, 'InvalidFormat value'],
  [times, { value: 253_402_300_800 }, 'InvalidFormat value'],
  [times, { value: -62_135_596_801 }, 'InvalidFormat value'],
  [choices, { value: 'Nowhere' }, 'NotSupportedChoice value'],
  [choices, { value: 'north' }, 'NotSupportedChoice value'],
  [choices, { value: 5 }, 'NotSupportedChoice value'],
  [choices, { value: true }, 'InvalidType value'],
  [choices, { value: ['North'] }, 'InvalidType value'],
  [choices, { enum_id: 1 }, 'NotSupportedChoice enum_id'],
  [choices, { value: 'North', enum_id: 1 }, 'NotSupportedChoice enum_id'],
  [choices, { enum_code: 'SOUTH' }, 'NotSupportedChoice enum_code'],
  [choices, { enum: 'x' }, 'NotSupportedChoice enum'],
  [choices, { enum: 1 }, 'NotSupportedChoice enum'],
  [choices, { enum_id: 0 }, 'TooLow enum_id'],
  [choices, { enum_code: '__proto__' }, 'NotSupportedChoice enum_code'],
  [choices, { value: 'constructor' }, 'NotSupportedChoice value'],
  [choices, { catalog_element_id: 1 }, 'FieldNotExpected catalog_element_id'],
  [['smart_address'], { value: 'Rome', enum_code: 'planet' }, 'NotSupportedChoice enum_code'],
  [['smart_address'], { value: 'Rome', enum_id: 7 }, 'NotSupportedChoice enum_id'],
  [['smart_address'], { value: {} }, 'InvalidType value'],
  [['smart_address'], { value: 'x'.repeat(257) }, 'TooLong value'],
  [['legal_entity', 'file'], { value: 'x' }, 'InvalidType value'],
  [['legal_entity', 'file'], { value: [{}] }, 'InvalidType value'],
  [['legal_entity'], { value: {} }, 'FieldMissing value.name'],
  [['legal_entity'], { value: { name: '' } }, 'NotBlank value.name'],
  [['legal_entity'], { value: { name: ' ' } }, 'NotBlank value.name'],
  [
    ['legal_entity'],
    { value: { name: 'x', entity_type: 3 } },
    'NotSupportedChoice value.entity_type',
  ],
  [['legal_entity'], { value: { name: 'x', address: {} } }, 'InvalidType value.address'],
  [['legal_entity'], { value: { name: 'x', planet: 'y' } }, 'FieldNotExpected value.planet'],
  [
    ['legal_entity'],
    { value: { name: 'x', constructor: 'y' } },
    'FieldNotExpected value.constructor',
  ],
  [['legal_entity'], { value: { name: 'x'.repeat(1025) } }, 'TooLong value.name'],
  [['legal_entity'], { value: { name: 'x' }, enum_id: 1 }, 'FieldNotExpected enum_id'],
  [['file'], { value: { file_uuid: uuid } }, 'FieldMissing value.version_uuid'],
  [['file'], { value: { file_uuid: uuid, version_uuid: 'x' } }, 'InvalidFormat value.version_uuid'],
  [
    ['file'],
    { value: { file_uuid: uuid, version_uuid: uuid, file_size: -1 } },
    'TooLow value.file_size',
  ],
  [['chained_list'], { catalog_id: 1 }, 'FieldMissing catalog_element_id'],
  [['chained_list'], { catalog_id: 1, catalog_element_id: null }, 'NotNullable catalog_element_id'],
  [
    ['chained_list'],
    { catalog_id: 1, catalog_element_id: 2, value: 'x' },
    'FieldNotExpected value',
  ],
]

const title = (item: object) => JSON.stringify(item).slice(0, 80)
const cases = wrong.flatMap(([types, item, fault]) =>
  types.map((type) => ({ type, item, fault, shown: title(item) })),
)

test.each(cases)('a $type is not $shown: $fault', async ({ type, item, fault }) => {
  const [code, where] = fault.split(' ')
  expect(await refusedOf(valueOf(fields[type], item))).toEqual([
    `${code} custom_fields_values.0.values.0.${where}`,
  ])
})

describe('several values', () => {
  const single =
    'text numeric monetary checkbox select radiobutton date birthday date_time url textarea streetaddress tracking_data file'

  test.each(single.split(' ') as FieldType[])('are too many for a %s', async (type) => {
    expect(await refusedOf(valueOf(fields[type], { value: null }, { value: null }))).toEqual([
      'TooMany custom_fields_values.0.values',
    ])
  })

  test('are 5 in a chained list and 250 elsewhere', async () => {
    const link = { catalog_id: 1, catalog_element_id: 1 }
    const many = (count: number, item: object) => Array.from({ length: count }, () => item)
    expect(await refusedOf(valueOf(fields.chained_list, ...many(6, link)))).toEqual([
      'TooMany custom_fields_values.0.values',
    ])
    expect(await refusedOf(valueOf(fields.multiselect, ...many(251, { value: 'North' })))).toEqual([
      'TooMany custom_fields_values.0.values',
    ])
  })

  test('are told apart by their places', async () => {
    const { multiselect, legal_entity, text } = fields
    const faults = await refusedOf(
      valueOf(multiselect, { value: 'North' }, { value: 'x' }, { enum_id: 5 }),
      valueOf(text, { value: 'fine' }),
      valueOf(legal_entity, { value: { name: 'x' } }, { value: { kpp: {} } }),
    )
    expect(faults).toEqual([
      'NotSupportedChoice custom_fields_values.0.values.1.value',
      'NotSupportedChoice custom_fields_values.0.values.2.enum_id',
      'FieldMissing custom_fields_values.2.values.1.value.name',
      'InvalidType custom_fields_values.2.values.1.value.kpp',
    ])
  })
})
