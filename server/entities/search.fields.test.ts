// Which fields of a record a text search looks into, and how far.
import { expect, test } from 'vitest'
import { newAccount } from '../../test/account.ts'
import { addFields } from '../../test/lists/fields.ts'
import { addRecords, search } from '../../test/records.ts'

test('fields of text are looked into, of numbers, dates, choices and objects not', async () => {
  const account = await newAccount()
  const fields = await addFields(account, 'leads')
  const given: Partial<Record<string, object>> = {
    ...Object.fromEntries(
      ['text', 'url', 'textarea', 'streetaddress', 'tracking_data'].map((type) => [type, { value: `https://needle/${type}` }]),
    ),
    smart_address: { value: 'needle City', enum_code: 'city' },
    ...{ numeric: { value: 4711 }, monetary: { value: '4711.5' }, checkbox: { value: true } },
    ...{ date: { value: 1_772_000_000 }, birthday: { value: 4711 }, date_time: { value: 4711 } },
    ...Object.fromEntries(['select', 'multiselect', 'radiobutton'].map((type) => [type, { value: 'North' }])),
    legal_entity: { value: { name: 'needle' } },
  }
  const drafts = fields.filter(({ type, code }) => given[type] && (code === null || code === 'UTM_SOURCE'))
  expect(drafts).toHaveLength(Object.keys(given).length + 1)
  await addRecords(
    account.api,
    'leads',
    drafts.map(({ id, type }) => ({ name: type, custom_fields_values: [{ field_id: id, values: [given[type]] }] })),
  )
  const texts = ['smart_address', 'streetaddress', 'text', 'textarea', 'tracking_data', 'tracking_data', 'url']
  expect((await search(account, 'leads', 'needle')).toSorted()).toEqual(texts)
  for (const text of ['4711', 'North', '1772', String(fields[0]!.id), 'true'])
    expect([text, await search(account, 'leads', text)]).toEqual([text, []])
})

test('words may stand in the name and in fields, one here, one there; a contact has a first and a last name', async () => {
  const account = await newAccount()
  const field = (await addFields(account, 'contacts', ['text'])).at(-1)!
  await addRecords(account.api, 'contacts', [
    {
      name: 'Ann',
      first_name: 'Maria',
      last_name: 'Curie',
      custom_fields_values: [{ field_id: field.id, values: [{ value: 'two\nlines' }] }],
    },
  ])
  for (const text of ['ann curie', 'curie maria lines two', 'mari'])
    expect(await search(account, 'contacts', text)).toEqual(['Ann'])
  for (const text of ['annmaria', 'twolines', 'ann pierre']) expect(await search(account, 'contacts', text)).toEqual([])
})

test('a long text is looked into at its beginning, and no letter is cut in two', async () => {
  const account = await newAccount()
  const field = (await addFields(account, 'leads', ['textarea'])).at(-1)!
  const value = `begin ${'x'.repeat(1993)}😀 end`
  const [id] = await addRecords(account.api, 'leads', [
    { name: 'Long', custom_fields_values: [{ field_id: field.id, values: [{ value }] }] },
  ])
  expect(await search(account, 'leads', 'begin')).toEqual(['Long'])
  expect(await search(account, 'leads', 'end')).toEqual([])
  expect((await account.api.get(`/api/v4/leads/${id}`)).body.custom_fields_values[0].values).toEqual([{ value }])
})
