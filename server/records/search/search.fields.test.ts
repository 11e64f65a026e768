// The fields of a record that a text search covers, and how many of their characters.
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import { addFields } from '../../../test/lists/fields.ts'
import { addRecords, search } from '../../../test/records.ts'

test('fields of text are looked into, of numbers, dates, choices and objects not', async () => {
  const account = await newAccount()
  const fields = await addFields(account, 'leads')
  const given: Partial<Record<string, object>> = {
    ...Object.fromEntries(
      ['text', 'url', 'textarea', 'streetaddress', 'tracking_data'].map((type) => [
        type,
        { value: `https://needle/${type}` },
      ]),
    ),
    smart_address: {
      value: 'needle City',
      enum_code: 'city',
    },
    numeric: { value: 4711 },
    monetary: { value: '4711.5' },
    checkbox: { value: true },
    date: { value: 1772e6 },
    birthday: { value: 4711 },
    date_time: { value: 4711 },
    ...Object.fromEntries(
      ['select', 'multiselect', 'radiobutton'].map((type) => [type, { value: 'North' }]),
    ),
    legal_entity: { value: { name: 'needle' } },
  }
  const drafts = fields.filter(
    ({ type, code }) => given[type] && (code === null || code === 'UTM_SOURCE'),
  )
  expect(drafts).toHaveLength(Object.keys(given).length + 1)
  await addRecords(
    account.api,
    'leads',
    drafts.map(({ id, type }) => ({
      name: type,
      custom_fields_values: [{ field_id: id, values: [given[type]] }],
    })),
  )
  const texts = [
    'smart_address',
    'streetaddress',
    'text',
    'textarea',
    'tracking_data',
    'tracking_data',
    'url',
  ]
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
  for (const text of ['annmaria', 'twolines', 'ann pierre'])
    expect(await search(account, 'contacts', text)).toEqual([])
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
  expect(
    (await account.api.get(`/api/v4/leads/${id}`)).body.custom_fields_values[0].values,
  ).toEqual([{ value }])
})

const keptText = async ({ kontor }: TestAccount, id: number) =>
  (await kontor.database.row<{ text: string; grams: string }>(
    sql`select text, grams from record_texts where entity_type = 'leads' and entity_id = ${id}`,
  ))!

test('a letter that stands for many is many, and a text is no longer for it', async () => {
  const account = await newAccount()
  const field = (await addFields(account, 'leads', ['textarea'])).at(-1)!
  const value = 'begin ' + '\ufdfa'.repeat(2000)
  const [id] = await addRecords(account.api, 'leads', [
    { name: 'Wide', custom_fields_values: [{ field_id: field.id, values: [{ value }] }] },
  ])
  const { text, grams } = await keptText(account, id!)
  const [name, line] = text.split('\n')
  expect([name, line!.slice(line!.indexOf('\ue00b') + 1).length]).toEqual(['wide', 2000])
  expect(grams).toHaveLength(text.length)
  expect(await search(account, 'leads', 'wide begin')).toEqual(['Wide'])
})

test('a record of many long texts is found by 20,000 characters of them, in whole lines', async () => {
  const account = await newAccount()
  const types = Array.from({ length: 15 }, () => 'textarea' as const)
  const fields = (await addFields(account, 'leads', types)).slice(-15)
  const values = fields.map((_, place) => ({
    value: place === 14 ? 'last' : `word${place}. ${'x'.repeat(1980)}`,
  }))
  const custom_fields_values = fields.map(({ id }, place) => ({
    field_id: id,
    values: [values[place]],
  }))
  const [id] = await addRecords(account.api, 'leads', [{ name: 'Many', custom_fields_values }])
  const check = async () => {
    const { text } = await keptText(account, id!)
    const [name, ...lines] = text.split('\n')
    expect([name, text.length > 19_000, text.length <= 20_000]).toEqual(['many', true, true])
    expect(
      lines.every((line) => /^\ue00a[\ue000-\ue009]+\ue00b(?:word\d+\. x{1980}|last)$/.test(line)),
    ).toBe(true)
  }
  await check()
  expect(await search(account, 'leads', 'word0.')).toEqual(['Many'])
  expect(await search(account, 'leads', 'last')).toEqual(['Many'])
  expect(await search(account, 'leads', 'word13.')).toEqual([])
  const cleared = fields.slice(0, 9).map(({ id }) => ({ field_id: id, values: [] }))
  await account.api.patch(`/api/v4/leads/${id}`, { custom_fields_values: cleared })
  expect(await search(account, 'leads', 'word13.')).toEqual(['Many'])
  expect(await search(account, 'leads', 'word0.')).toEqual([])
})
