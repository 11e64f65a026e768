// What a text search finds and what it does not: letters, words, punctuation, phones, fields of
// each type.
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import { faultsOf } from '../../../test/leads.ts'
import { addFields } from '../../../test/lists/fields.ts'
import {
  addRecord,
  addRecords,
  allKinds,
  idsIn,
  kinds,
  letters,
  pathOf,
  search,
} from '../../../test/records.ts'

// A name, searches that find it, and searches that do not.
test.for<[name: string, found: string[], missed: string[]]>([
  [
    'Ivan Petrov',
    ['ivan', 'IVAN', 'iVaN', 'Ivan Petrov', 'petrov ivan', 'etro', 'n P', '  ivan\tpetrov '],
    ['ivanpetrov', 'ivan x', 'petrova'],
  ],
  [
    'Ёжик в тумане',
    ['ёжик', 'ежик', 'ЕЖИК', 'Ежик Тумане', 'е\u0308жик', 'уман'],
    ['еж тумань', 'йожик'],
  ],
  ['Йод и майка', ['йод', 'иод', 'ЙОД', 'маика', 'и\u0306од'], ['ыод']],
  ['Київ, Україна', ['київ', 'киів', 'УКРАЇНА', 'украіна'], ['киев']],
  [
    'Café Zürich',
    ['cafe', 'CAFÉ', 'cafe\u0301', 'zurich', 'ZÜRICH', 'zu\u0308rich'],
    ['caffe', 'zuerich'],
  ],
  ['Cafe\u0301 Zu\u0308rich', ['café', 'cafe', 'zürich'], []],
  ['Straße 5', ['strasse', 'STRASSE', 'STRAẞE', 'straße', 'ass', 'aß'], ['strase']],
  ['Masse', ['maße', 'MAẞE'], []],
  [
    'Işık İzmir ISPARTA ılık',
    ['isik', 'IŞIK', 'ışık', 'izmir', 'İZMİR', 'ısparta', 'ILIK', 'ilik'],
    ['izmirli'],
  ],
  ['Ὀδυσσεύς ΟΔΟΣ', ['οδυσσευς', 'ΟΔΥΣΣΕΥΣ', 'οδος', 'οδοσ', 'σσευ'], ['οδυσευς']],
  ['Łódź Søren', ['łodz', 'ŁÓDŹ', 'søren', 'SØREN'], ['xodz']],
  ['Дом №5, 1½ л', ['№5', 'no5', '½', '1⁄2'], ['№6']],
  ['ﬁrst Ｆｕｌｌ', ['first', 'full', 'ﬁrst', 'ＦＵＬＬ'], []],
  [
    '100% sure_thing \\o/',
    ['100%', '0% s', '%', '_', 'sure_thing', 'e_t', '\\', '\\o/', '\\O', '% _ \\'],
    ['1%0', '100_', 'sure%thing', 'surething', '\\\\', '%%', '_%'],
  ],
  [
    'O\'Neil & "Co"; drop table leads; --',
    ["o'neil", "'", '"co"', '; drop', '--', '&', "' --"],
    ["''", "' or true --", '"co";;'],
  ],
  [
    'a.b-c@d (e) [f] {g} ^$ *+?',
    ['a.b', '(e)', '[f]', '{g}', '^$', '*+?', '.', '.b-c@'],
    ['a*b', '.*', '[a-z]', '\\d'],
  ],
  ['😀 party 👨‍👩‍👧', ['😀', '👨‍👩‍👧', '👩', '😀 👧'], ['😁']],
  ['x1 y', ['x', '1', 'x1', 'y x', '1 y'], ['x2', 'z']],
  ['漢字とかな', ['漢', '字と', 'かな', 'と'], ['漢な']],
  ['שלום עולם', ['שלום', 'לו', 'עולם שלום'], ['שלוםע']],
])('%s', async ([name, found, missed]) => {
  const account = await newAccount()
  await addRecords(account.api, 'companies', [{ name }, { name: 'Nobody else' }])
  for (const text of found)
    expect([text, await search(account, 'companies', text)]).toEqual([
      text,
      expect.arrayContaining([name]),
    ])
  for (const text of missed)
    expect([text, await search(account, 'companies', text)]).toEqual([text, []])
})

test('characters that mark lines inside are spaces in a text, in a name as in a field', async () => {
  const account = await newAccount()
  const { api, id: account_id, kontor } = account
  const marks = String.fromCharCode(...Array.from({ length: 13 }, (_, place) => 0xe000 + place))
  const sent = { first_name: `An${marks}na`, last_name: `Le\uE00Ce`, name: `Mo\uE00Adel` }
  const id = await addRecord(api, 'contacts', {
    ...sent,
    custom_fields_values: [{ field_code: 'POSITION', values: [{ value: 'Ch\uE00Cef' }] }],
  })
  const text = async () =>
    (
      await kontor.database.rows<{ text: string }>(sql`
      select text from record_texts where account_id = ${account_id} and entity_type = 'contacts' and entity_id = ${id}`)
    )[0]!.text.split('\n')
  const lines = (name: string) => [
    name,
    `an${' '.repeat(13)}na`,
    'le e',
    expect.stringMatching(/^\uE00A[\uE000-\uE009]+\uE00Bch ef$/),
  ]
  expect(await text()).toEqual(lines('mo del'))
  await api.patch(`${pathOf('contacts')}/${id}`, { name: 'N\uE00Bew' })
  expect(await text()).toEqual(lines('n ew'))
  expect(await search(account, 'contacts', 'chef')).toEqual([])
  const lead = await addRecord(api, 'leads', {})
  expect(await search(account, 'leads', String(lead))).toEqual([`Lead #${lead}`])
})

test('what is found is found as the list orders and pages it, with its filters, and nothing else', async () => {
  const account = await newAccount()
  await addRecords(
    account.api,
    'leads',
    ['An apple', 'A pear', 'Two apples', 'Apple pie', 'APPLE'].map((name, place) => ({
      name,
      price: place,
      created_at: 90 - place,
    })),
  )
  expect(await search(account, 'leads', 'apple')).toEqual([
    'An apple',
    'Two apples',
    'Apple pie',
    'APPLE',
  ])
  expect(await search(account, 'leads', 'apple', '&order[created_at]=asc&limit=2&page=2')).toEqual([
    'Two apples',
    'An apple',
  ])
  expect(await search(account, 'leads', 'apple', '&filter[price][from]=3')).toEqual([
    'Apple pie',
    'APPLE',
  ])
  expect(await search(account, 'leads', 'apple', '&filter[name]=a pear')).toEqual([])
})

const writings = [
  '+7 (999) 123-45-67',
  '79991234567',
  '+79991234567',
  '7 999 123 45 67',
  '7.999.123.45.67',
  '+7/999/123-45-67',
  '7–999–1234567',
]

test.for(kinds)('a phone of %s is found however it and the question are written', async (kind) => {
  const account = await newAccount()
  const phone = (await addFields(account, kind, [])).find(({ code }) => code === 'PHONE')!
  await addRecords(
    account.api,
    kind,
    [...writings, '+7 (999) 123-45-68', 'ask 7 999 123'].map((value, place) => ({
      name: String.fromCharCode(97 + place),
      custom_fields_values: [{ field_id: phone.id, values: [{ value: '000' }, { value }] }],
    })),
  )
  const all = 'abcdefg'
  for (const text of writings)
    expect([text, (await search(account, kind, text)).join('')]).toEqual([text, all])
  for (const [text, found] of [
    ['9991234567', all],
    ['(999) 123', `${all}hi`],
    ['12345', `${all}h`],
    ['4567', all],
    ['+7 (999) 123-45-68', 'h'],
    ['ask 7 999', 'i'],
    ['79991234569', ''],
    // Fewer than five digits are searched as they are written.
    ['(999)', 'ah'],
  ])
    expect([text, (await search(account, kind, text!)).join('')]).toEqual([text, found])
})

test('an e-mail is found by any part of it', async () => {
  const account = await newAccount()
  const email = (await addFields(account, 'contacts', [])).find(({ code }) => code === 'EMAIL')!
  const value = 'Anna.Petrova+crm@Mail-Box.Example.com'
  await addRecords(account.api, 'contacts', [
    { name: 'Anna', custom_fields_values: [{ field_id: email.id, values: [{ value }] }] },
    { name: 'Bob' },
  ])
  for (const text of [
    value,
    value.toUpperCase(),
    'petrova',
    '@mail-box',
    'example.com',
    '+crm@',
    'anna example',
    '.com',
  ])
    expect([text, await search(account, 'contacts', text)]).toEqual([text, ['Anna']])
  for (const text of ['mailbox', 'petrova@mail'])
    expect([text, await search(account, 'contacts', text)]).toEqual([text, []])
})

test('a search for nothing asks for nothing; one for what is in no text finds nothing', async () => {
  const account = await newAccount()
  await addRecords(account.api, 'contacts', letters(2))
  for (const text of ['', ' ', '\t\n', '\u00a0'])
    expect(await search(account, 'contacts', text)).toEqual(['a', 'b'])
  for (const text of ['\u0301', '´', '\ue00a', '\ue000\ue00b \ue001'])
    expect(await search(account, 'contacts', text)).toEqual([])
})

test.for(allKinds)('a search of %s with too much in it is refused and named', async (kind) => {
  const { api } = await newAccount()
  const words = (count: number) =>
    Array.from({ length: count }, (_, place) => `w${place}`).join('+')
  for (const [query, status] of [
    [`query=${words(20)}`, 200],
    [`query=${words(20)}+w1+w2`, 200],
    [`query=${words(21)}`, 400],
    [`query=${'x'.repeat(500)}`, 200],
    [`query=${'x'.repeat(501)}`, 400],
    ['query[]=a', 400],
    ['query[a]=a', 400],
    ['query=%00', 400],
    ['query=%ed%a0%80', 400],
  ] as const) {
    const answer = await api.get(`${pathOf(kind)}?${query}`)
    expect([query, answer.status]).toEqual([query, status])
    if (answer.body['validation-errors'])
      expect(Object.values(faultsOf(answer)).flat()).toEqual([expect.stringMatching(/^\w+ query/)])
  }
})

test('nobody finds what is of another account', async () => {
  const [mine, other] = [await newAccount(), await newAccount()]
  await addRecord(other.api, 'leads', {
    name: 'Secret treasure',
    _embedded: {
      contacts: [{ id: await addRecord(other.api, 'contacts', { name: 'Secret Anna' }) }],
    },
  })
  for (const kind of allKinds)
    expect(idsIn(await mine.api.get(`${pathOf(kind)}?query=secret`), kind)).toEqual([])
})
