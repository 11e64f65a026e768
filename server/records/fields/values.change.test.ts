// Changing values: fields that are not named keep theirs, named fields are replaced as a whole, and
// values from an answer can be sent back.
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import {
  addEveryType,
  addFields,
  chosen,
  fill,
  firstFields,
  readFilled,
  shownAs,
  valueOf,
} from '../../../test/fields.ts'
import { listen } from '../../../test/leads.ts'
import { addRecord, addRecords, allKinds, pathOf, readRecord } from '../../../test/records.ts'
import type { Field } from './definitions.ts'
import type { FieldType } from './types.ts'

const uuid = '0b4bbd38-94ca-4f75-a02c-c8d6bc1e4e0a'

/** A value of each type, as bodies send it; several where the type takes several. */
const some: Record<FieldType, object[]> = {
  text: [{ value: 'Text' }],
  numeric: [{ value: '012.50' }],
  checkbox: [{ value: false }],
  select: [{ value: 'South' }],
  multiselect: [{ value: 'East' }, { enum_code: 'south' }],
  date: [{ value: '2026-12-31T15:00:00+03:00' }],
  url: [{ value: 'https://example.com' }],
  multitext: [
    { value: 'b@example.com', enum_code: 'PRIV' },
    { value: 'a@example.com' },
    { value: 'a@example.com' },
  ],
  textarea: [{ value: 'Two\nlines' }],
  radiobutton: [{ value: 'North' }],
  streetaddress: [{ value: ' Main street ' }],
  smart_address: [
    { value: 'Rome', enum_code: 'city' },
    { value: '123', enum_id: 5 },
  ],
  birthday: [{ value: -1_000_000_001 }],
  legal_entity: [
    { value: { vat_id: '1', name: 'x', kpp: null, entity_type: 1, bank_account_number: '' } },
    { value: { name: 'y' } },
  ],
  date_time: [{ value: 1_798_761_599 }],
  tracking_data: [{ value: 'google' }],
  monetary: [{ value: 0.1 + 0.2 }],
  chained_list: [
    { catalog_id: 2, catalog_element_id: 1 },
    { catalog_element_id: 3, catalog_id: 4 },
  ],
  file: [{ value: { file_name: 'a.pdf', version_uuid: uuid, file_uuid: uuid, file_size: 5 } }],
}
const everything = (fields: Record<FieldType, Field>) =>
  Object.values(fields).map((field) => valueOf(field, ...some[field.type]))

describe.each(allKinds)('%s', (kind) => {
  test('that were read can be sent back, alone and in a batch, and nothing has happened', async () => {
    const account = await newAccount()
    const { api } = account
    const sent = everything(await addEveryType(account, kind))
    const ids = await addRecords(api, kind, [
      { custom_fields_values: sent },
      { custom_fields_values: sent.toReversed() },
      {},
    ])
    const read = () => Promise.all(ids.map((id) => readRecord(api, kind, id)))
    const before = await read()
    expect(before[0].custom_fields_values).toHaveLength(sent.length)
    expect(before[1].custom_fields_values).toEqual(before[0].custom_fields_values)
    expect(before[2].custom_fields_values).toBeNull()
    const newsSince = await listen(account)
    account.clock.ahead += 3600
    for (const record of before) {
      const { status, body } = await api.patch(`${pathOf(kind)}/${record.id}`, record)
      expect([status, body.updated_at]).toEqual([200, record.updated_at])
    }
    expect((await api.patch(pathOf(kind), [...before, ...before])).status).toBe(200)
    // Values sent again in their first form are the same values.
    expect((await fill(api, kind, ids[0]!, ...sent)).body.updated_at).toBe(before[0].updated_at)
    expect(await read()).toEqual(before)
    expect(await newsSince()).toEqual({ journal: [], events: [] })
  })

  test('keep what is not mentioned; what is mentioned is replaced as a whole', async () => {
    const account = await newAccount()
    const { api } = account
    const [text, number, list] = await addFields(account, kind, [
      { type: 'text' },
      { type: 'numeric' },
      { type: 'multiselect', enums: ['a', 'b', 'c'] },
    ])
    const [a, b, c] = list!.enums.map(chosen)
    const custom_fields_values = [
      valueOf(text!, { value: 'x' }),
      valueOf(list!, { value: 'a' }, { value: 'b' }),
    ]
    const [id, untouched] = await addRecords(api, kind, [
      { custom_fields_values },
      { custom_fields_values },
    ])
    await fill(api, kind, id!, valueOf(number!, { value: 5 }))
    const x = shownAs(text!, { value: 'x' })
    const five = shownAs(number!, { value: '5' })
    expect(await readFilled(api, kind, id!)).toEqual([x, five, shownAs(list!, a!, b!)])
    await fill(api, kind, id!, valueOf(list!, { value: 'c' }))
    expect(await readFilled(api, kind, id!)).toEqual([x, five, shownAs(list!, c!)])
    await fill(api, kind, id!, valueOf(text!, { value: 'y' }), {
      ...valueOf(number!),
      values: null,
    })
    expect(await readFilled(api, kind, id!)).toEqual([
      shownAs(text!, { value: 'y' }),
      shownAs(list!, c!),
    ])
    expect(await readFilled(api, kind, untouched!)).toEqual([x, shownAs(list!, a!, b!)])
  })

  test('null or no list of fields changes nothing', async () => {
    const account = await newAccount()
    const [text] = await addFields(account, kind, [{ type: 'text' }])
    const id = await addRecord(account.api, kind, {
      custom_fields_values: [valueOf(text!, { value: 'x' })],
    })
    const newsSince = await listen(account)
    for (const custom_fields_values of [null, []])
      expect(
        (await account.api.patch(`${pathOf(kind)}/${id}`, { custom_fields_values })).status,
      ).toBe(200)
    expect(await readFilled(account.api, kind, id)).toEqual([shownAs(text!, { value: 'x' })])
    expect(await newsSince()).toEqual({ journal: [], events: [] })
  })

  test('a batch changes each record by its own values, two items for one record one after the other', async () => {
    const account = await newAccount()
    const { api } = account
    const [text, number] = await addFields(account, kind, [
      { type: 'text', code: 'NOTE' },
      { type: 'numeric' },
    ])
    const [one, other] = await addRecords(api, kind, [
      {},
      { custom_fields_values: [valueOf(text!, { value: 'x' })] },
    ])
    const { status } = await api.patch(pathOf(kind), [
      { id: one, custom_fields_values: [{ field_code: 'NOTE', values: [{ value: 'first' }] }] },
      { id: other, custom_fields_values: [valueOf(text!)] },
      {
        id: one,
        custom_fields_values: [valueOf(text!, { value: 'second' }), valueOf(number!, { value: 1 })],
      },
      { id: one, custom_fields_values: [valueOf(number!, { value: 2 })] },
    ])
    expect(status).toBe(200)
    expect(await readFilled(api, kind, one!)).toEqual([
      shownAs(text!, { value: 'second' }),
      shownAs(number!, { value: '2' }),
    ])
    expect(await readFilled(api, kind, other!)).toBeNull()
  })
})

describe('a field is cleared', () => {
  const ways: [string, { values: object[] | null }][] = [
    ['null instead of values', { values: null }],
    ['no values', { values: [] }],
    ['a value of null', { values: [{ value: null }] }],
    ['an empty text', { values: [{ value: '' }] }],
    ['nothing in the value', { values: [{}] }],
  ]
  test.each(ways)(
    'by %s, whatever its type; cleared once more nothing happens',
    async (_, cleared) => {
      const account = await newAccount()
      const { api } = account
      const fields = await addEveryType(account, 'leads')
      // A link of a chain has no empty value: it is there or not.
      const chain = cleared.values?.length ? [] : [fields.chained_list]
      const others = Object.values(fields).filter(({ type }) => type !== 'chained_list')
      const id = await addRecord(api, 'leads', { custom_fields_values: everything(fields) })
      const clear = [...others, ...chain].map(({ id }) => ({ field_id: id, ...cleared }))
      expect((await fill(api, 'leads', id, ...clear)).status).toBe(200)
      const left = chain.length === 0 ? [shownAs(fields.chained_list, ...some.chained_list)] : null
      expect(await readFilled(api, 'leads', id)).toEqual(left)
      const newsSince = await listen(account)
      expect((await fill(api, 'leads', id, ...clear)).status).toBe(200)
      expect(await newsSince()).toEqual({ journal: [], events: [] })
    },
  )

  test('by spaces where it holds text; a new record without anything filled has null', async () => {
    const account = await newAccount()
    const [position] = await firstFields(account, 'contacts')
    const blank = valueOf(position!, { value: ' \n ' })
    const id = await addRecord(account.api, 'contacts', { custom_fields_values: [blank] })
    expect(await readFilled(account.api, 'contacts', id)).toBeNull()
    await fill(account.api, 'contacts', id, valueOf(position!, { value: 'Boss' }))
    await fill(account.api, 'contacts', id, blank)
    expect(await readFilled(account.api, 'contacts', id)).toBeNull()
  })
})
