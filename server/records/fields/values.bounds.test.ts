// The limits of a request with values, and the answers to hostile bodies.
import { beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import {
  addEveryType,
  addFields,
  fill,
  readFilled,
  shownAs,
  valueOf,
} from '../../../test/fields.ts'
import { faultsOf } from '../../../test/leads.ts'
import { addRecord, addRecords } from '../../../test/records.ts'
import type { Field } from './definitions.ts'
import type { FieldType } from './types.ts'

let account: TestAccount
let fields: Record<FieldType, Field>

beforeAll(async () => {
  account = await newAccount()
  fields = await addEveryType(account, 'leads')
})

const path = '/api/v4/leads'

describe('hostile bodies', () => {
  const body = (value: string, field = fields.text) =>
    `[{"custom_fields_values":[{"field_id":${field.id},"values":[{"value":${value}}]}]}]`

  test.each([
    ['__proto__ in a value', () => body('{"name":"x","__proto__":{"y":1}}', fields.legal_entity)],
    ['U+0000 in a text', () => body(String.raw`"a\u0000b"`)],
    ['U+0000 in an object', () => body(String.raw`{"name":"a\u0000b"}`, fields.legal_entity)],
    ['a lone surrogate', () => body(String.raw`"\ud800"`)],
    ['a number without end', () => body('1e999', fields.numeric)],
    [
      'bottomless objects',
      () => body(`${'{"name":'.repeat(5000)}1${'}'.repeat(5000)}`, fields.legal_entity),
    ],
    [
      'objects as deep as may be',
      () => body(`${'{"name":'.repeat(25)}1${'}'.repeat(25)}`, fields.legal_entity),
    ],
    ['a number of a million zeros', () => body(`"${'0'.repeat(1_000_000)}x"`, fields.numeric)],
    ['a time of a million digits', () => body(`"${'1'.repeat(1_000_000)}"`, fields.date)],
    ['a choice of a million letters', () => body(`"${'😀'.repeat(250_000)}"`, fields.select)],
  ] as const)('%s gets 400', async (_, text) => {
    expect((await account.api.post(path, text())).status).toBe(400)
  })

  test('thousands of bad values are told by some', async () => {
    const bad = valueOf(
      fields.multiselect,
      ...Array.from({ length: 250 }, (_, place) => ({ enum_id: place + 1 })),
    )
    const refused = await account.api.post(
      path,
      Array.from({ length: 250 }, () => ({
        custom_fields_values: Array.from({ length: 2 }, () => bad),
      })),
    )
    const faults = Object.values(faultsOf(refused))
    expect([refused.status, faults.length, faults[0]!.length]).toEqual([400, 250, 20])
  })
})

test('250 leads with 20 values each are one request, and are read as one page', async () => {
  const many = await addFields(
    account,
    'leads',
    Array.from({ length: 20 }, (_, place) => ({
      type: place % 2 === 0 ? ('text' as const) : ('numeric' as const),
    })),
  )
  const draft = (lead: number) => ({
    custom_fields_values: many.map((field, place) => valueOf(field, { value: lead * 100 + place })),
  })
  const ids = await addRecords(
    account.api,
    'leads',
    Array.from({ length: 250 }, (_, lead) => draft(lead)),
  )
  const { body } = await account.api.get(`${path}?limit=250&order[id]=desc`)
  expect(body._embedded.leads.map(({ id }: { id: number }) => id)).toEqual(ids.toReversed())
  expect(body._embedded.leads[0].custom_fields_values).toEqual(
    many.map((field, place) => shownAs(field, { value: String(24_900 + place) })),
  )
})

test('the longest texts: as many as a body may hold are taken, more are refused by its size', async () => {
  const lead = { custom_fields_values: [valueOf(fields.textarea, { value: 'x'.repeat(65_535) })] }
  expect(
    (
      await account.api.post(
        path,
        Array.from({ length: 60 }, () => lead),
      )
    ).status,
  ).toBe(200)
  expect(
    (
      await account.api.post(
        path,
        Array.from({ length: 250 }, () => lead),
      )
    ).status,
  ).toBe(413)
  const wide = await newAccount({ bodyLimit: 64 * 1024 * 1024 })
  const { textarea } = await addEveryType(wide, 'leads')
  const custom_fields_values = [valueOf(textarea, { value: '\u{1f600}'.repeat(32_000) })]
  const ids = await addRecords(
    wide.api,
    'leads',
    Array.from({ length: 250 }, () => ({ custom_fields_values })),
  )
  const { body } = await wide.api.get(`${path}?limit=250`)
  expect(body._embedded.leads.map(({ id }: { id: number }) => id)).toEqual(ids)
  expect(body._embedded.leads[249].custom_fields_values[0].values[0].value).toHaveLength(64_000)
})

describe('with UNKNOWN_KEYS=ignore', () => {
  test('keys that a value does not have are left out, wherever they stand', async () => {
    const stubborn = await newAccount({ unknownKeys: 'ignore' })
    const { text, legal_entity, chained_list, select } = await addEveryType(stubborn, 'leads')
    const link = { catalog_id: 1, catalog_element_id: 2 }
    const id = await addRecord(stubborn.api, 'leads', {
      custom_fields_values: [
        { ...valueOf(text, { value: 'x', enum_code: 'WORK', planet: 1 }), planet: 2 },
        valueOf(select, { value: 'North', catalog_id: 1 }),
        valueOf(legal_entity, { value: { name: 'x', planet: 1 }, enum: 'x' }),
        valueOf(chained_list, { ...link, value: 'x' }),
      ],
    })
    const read = await readFilled(stubborn.api, 'leads', id)
    expect(read.map(({ values }: { values: object[] }) => values)).toEqual([
      [{ value: 'x' }],
      [{ value: 'North', enum_id: select.enums[0]!.id, enum_code: null }],
      [{ value: { name: 'x' } }],
      [link],
    ])
    // A fault of another value is still reported.
    expect(
      faultsOf(await fill(stubborn.api, 'leads', id, valueOf(text, { value: {} })))[0],
    ).toHaveLength(1)
  })
})
