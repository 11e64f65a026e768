// How a body names a field, the shape of a list of values, and the refusal of a whole batch for one
// faulty item.
import { beforeAll, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import { addEveryType, addField, readFilled, shownAs, valueOf } from '../../../test/fields.ts'
import { faultsOf, listen } from '../../../test/leads.ts'
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
const post = (...custom_fields_values: unknown[]) =>
  account.api.post(path, [{ custom_fields_values }])

test('a field is named by an id or a code of its kind of record', async () => {
  const values = [{ value: 'x' }]
  const elsewhere = await addField(account, 'contacts', { type: 'text', code: 'ELSEWHERE' })
  const stranger = await addField(await newAccount(), 'leads', { type: 'text', code: 'STRANGER' })
  const named = [
    { field_id: elsewhere.id },
    { field_id: stranger.id },
    { field_code: 'ELSEWHERE' },
    { field_code: 'STRANGER' },
  ]
  const nameless = [
    {},
    { field_id: null, field_code: null },
    { field_code: '' },
    { field_code: 'constructor' },
  ]
  const refused = await post(...[...named, ...nameless].map((name) => ({ ...name, values })))
  expect(faultsOf(refused)[0]).toEqual([
    'NotSupportedChoice custom_fields_values.0.field_id',
    'NotSupportedChoice custom_fields_values.1.field_id',
    'NotSupportedChoice custom_fields_values.2.field_code',
    'NotSupportedChoice custom_fields_values.3.field_code',
    'FieldMissing custom_fields_values.4.field_id',
    'FieldMissing custom_fields_values.5.field_id',
    'NotSupportedChoice custom_fields_values.6.field_code',
    'NotSupportedChoice custom_fields_values.7.field_code',
  ])
})

test('one bad value refuses a batch, every bad one is listed, and nothing has happened', async () => {
  const good = valueOf(fields.text, { value: 'before' })
  const [one, other] = [
    await addRecord(account.api, 'leads', { custom_fields_values: [good] }),
    await addRecord(account.api, 'leads'),
  ]
  const newsSince = await listen(account)
  const changed = [valueOf(fields.text, { value: 'after' })]
  const answer = await account.api.patch(path, [
    { id: one, name: 'New', custom_fields_values: changed },
    { id: other, custom_fields_values: [valueOf(fields.numeric, { value: 'x' })], request_id: 'r' },
    { id: one, custom_fields_values: [valueOf(fields.select, { value: 'x' })] },
  ])
  expect([answer.status, faultsOf(answer)]).toEqual([
    400,
    {
      r: ['InvalidFormat custom_fields_values.0.values.0.value'],
      2: ['NotSupportedChoice custom_fields_values.0.values.0.value'],
    },
  ])
  expect(await readFilled(account.api, 'leads', one)).toEqual([
    shownAs(fields.text, { value: 'before' }),
  ])
  expect(await newsSince()).toEqual({ journal: [], events: [] })
  expect(
    (
      await account.api.post(path, [
        { custom_fields_values: changed },
        { custom_fields_values: [{}] },
      ])
    ).status,
  ).toBe(400)
  expect(await newsSince()).toEqual({ journal: [], events: [] })
})

test('a field that is named by both counts by its id, and by its code in whatever order', async () => {
  const field = await addField(account, 'leads', { type: 'text', code: 'CODE' })
  const named = [
    { field_id: field.id, field_code: 'OTHER' },
    { field_code: 'CODE', field_id: null },
    { field_code: 'CODE' },
  ]
  for (const name of named) {
    const id = await addRecord(account.api, 'leads', {
      custom_fields_values: [{ ...name, values: [{ value: 'x' }] }],
    })
    expect(await readFilled(account.api, 'leads', id)).toEqual([shownAs(field, { value: 'x' })])
  }
})

test('a field that is named twice counts as it is named last', async () => {
  const sent = [valueOf(fields.text, { value: 'one' }), valueOf(fields.text, { value: 'two' })]
  const id = await addRecord(account.api, 'leads', { custom_fields_values: sent })
  expect(await readFilled(account.api, 'leads', id)).toEqual([
    shownAs(fields.text, { value: 'two' }),
  ])
})

test('of a field that is named twice nothing but the last is read', async () => {
  const field = await addField(account, 'leads', { type: 'numeric', code: 'TWICE' })
  const bad = { field_code: 'TWICE', values: [{ value: 'x' }] }
  const id = await addRecord(account.api, 'leads', {
    custom_fields_values: [bad, bad, valueOf(field, { value: 5 })],
  })
  expect(await readFilled(account.api, 'leads', id)).toEqual([shownAs(field, { value: '5' })])
  const refused = await post(valueOf(field, { value: 5 }), bad)
  expect(faultsOf(refused)[0]).toEqual(['InvalidFormat custom_fields_values.1.values.0.value'])
})

test('what is no list of fields with values is refused and named', async () => {
  const item = (custom_fields_values: unknown) => ({ custom_fields_values })
  const { text } = fields
  const refused = await account.api.post(path, [
    ...[
      'x',
      { field_id: text.id, values: [] },
      [5],
      [{ field_id: text.id }],
      [{ field_id: text.id, values: 'x' }],
    ].map(item),
    ...[
      [{ field_id: text.id, values: ['x'] }],
      [{ field_id: 'x', values: [] }],
      [{ field_id: 1.5, values: [] }],
    ].map(item),
    item([{ field_id: text.id, values: [], planet: 1 }]),
    item([{ field_id: text.id, values: [{ value: 'x', planet: 1 }] }]),
    item(Array.from({ length: 251 }, () => valueOf(text))),
  ])
  expect([refused.status, faultsOf(refused)]).toEqual([
    400,
    {
      0: ['InvalidType custom_fields_values'],
      1: ['InvalidType custom_fields_values'],
      2: ['InvalidType custom_fields_values.0'],
      3: ['FieldMissing custom_fields_values.0.values'],
      4: ['InvalidType custom_fields_values.0.values'],
      5: ['InvalidType custom_fields_values.0.values.0'],
      6: ['InvalidType custom_fields_values.0.field_id'],
      7: ['InvalidType custom_fields_values.0.field_id'],
      8: ['FieldNotExpected custom_fields_values.0.planet'],
      9: ['FieldNotExpected custom_fields_values.0.values.0.planet'],
      10: ['TooMany custom_fields_values'],
    },
  ])
})

test('read-only names and types of fields are taken back and do nothing, whatever they hold', async () => {
  const sent = {
    ...valueOf(fields.text, { value: 'x' }),
    field_name: { deep: [null] },
    field_type: 'numeric',
  }
  const id = await addRecord(account.api, 'leads', { custom_fields_values: [sent] })
  expect(await readFilled(account.api, 'leads', id)).toEqual([shownAs(fields.text, { value: 'x' })])
})
