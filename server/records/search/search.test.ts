// A text search over records: what it finds, in which fields, and over which links.
import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import { deleteField } from '../../../test/fields.ts'
import { faultsOf, mainPipeline } from '../../../test/leads.ts'
import { addFields } from '../../../test/lists/fields.ts'
import { blockAll, changesLeft } from '../../../test/lists/blocks.ts'
import { countAll } from '../../../test/lists/trigrams.ts'
import { allWays, within } from '../../../test/lists/ways.ts'
import type { Bounds } from '../../../test/lists/ways.ts'
import {
  addRecord,
  addRecords,
  allKinds,
  find,
  idsIn,
  kinds,
  letters,
  pathOf,
  search,
} from '../../../test/records.ts'
import { scratchDatabase } from '../../../test/scratch.ts'
import { accept, addItem, addSorter, inUnsorted } from '../../../test/unsorted.ts'
import { dropReadJournal } from '../../changes/retention.ts'
import type { RecordType } from '../description.ts'
import { blocking, keepBlocks } from './text-blocks.ts'

// Letters, words, signs, phones, and fields of each type.
describe('texts', () => {
  // A name, what finds it, and what does not.
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
    const marks = String.fromCharCode(...Array.from({ length: 13 }, (_, index) => 0xe000 + index))
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
      ['An apple', 'A pear', 'Two apples', 'Apple pie', 'APPLE'].map((name, index) => ({
        name,
        price: index,
        created_at: 90 - index,
      })),
    )
    expect(await search(account, 'leads', 'apple')).toEqual([
      'An apple',
      'Two apples',
      'Apple pie',
      'APPLE',
    ])
    expect(
      await search(account, 'leads', 'apple', '&order[created_at]=asc&limit=2&page=2'),
    ).toEqual(['Two apples', 'An apple'])
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

  test.for(kinds)(
    'a phone of %s is found however it and the question are written',
    async (kind) => {
      const account = await newAccount()
      const phone = (await addFields(account, kind, [])).find(({ code }) => code === 'PHONE')!
      await addRecords(
        account.api,
        kind,
        [...writings, '+7 (999) 123-45-68', 'ask 7 999 123'].map((value, index) => ({
          name: String.fromCharCode(97 + index),
          custom_fields_values: [{ field_id: phone.id, values: [{ value: '000' }, { value }] }],
        })),
      )
      const all = 'abcdefg'
      for (const text of writings)
        expect([text, (await search(account, kind, text)).join('')]).toEqual([text, all])
      for (const [text, found] of [
        ['9991234567', all],
        ['9991234567 -', all],
        ['(999) 123', `${all}hi`],
        ['12345', `${all}h`],
        ['4567', all],
        ['+7 (999) 123-45-68', 'h'],
        ['ask 7 999', 'i'],
        ['79991234569', ''],
        // Fewer digits than five are looked for as they are written.
        ['(999)', 'ah'],
      ])
        expect([text, (await search(account, kind, text!)).join('')]).toEqual([text, found])
    },
  )

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
      Array.from({ length: count }, (_, index) => `w${index}`).join('+')
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
        expect(Object.values(faultsOf(answer)).flat()).toEqual([
          expect.stringMatching(/^\w+ query/),
        ])
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
})

// The fields of a record that a text search looks into, and how far.
test('what is found is the same once common trigrams are counted, and of no other account', async () => {
  const [account, other] = [await newAccount(), await newAccount()]
  const names = ['Brass kettle', 'Brass lamp', 'Copper kettle', 'Quaint brass', 'Kettlequ']
  await addRecords(
    account.api,
    'leads',
    names.map((name) => ({ name })),
  )
  await addRecords(
    other.api,
    'leads',
    [...names, ...names].map((name) => ({ name })),
  )
  const queries = [
    'brass',
    'kettle',
    'brass kettle',
    'quaint',
    'quaint kettle',
    '12345 quaint',
    'qu',
  ]
  const found = async () => {
    const all: string[][] = []
    for (const words of queries) all.push(await search(account, 'leads', words))
    return all
  }
  const before = await found()
  const [kettle, lamp, , quaint, joined] = names as [string, string, string, string, string]
  expect(before[0]).toEqual([kettle, lamp, quaint])
  expect(before.slice(2)).toEqual([[kettle], [quaint], [], [], [quaint, joined]])
  await countAll(account.kontor.database)
  const [counted] = await account.kontor.database.list<{ count: number }>(sql`
    select count(*)::int as count from common_trigrams where entity_type = 'leads' and trigram in ('bra', 'ket', '')`)
  expect(counted).toEqual({ count: 3 })
  expect(await found()).toEqual(before)
  // No trigram is rare where rare ones are in no more texts than none.
  await within({ smallSet: 0 }, async () => expect(await found()).toEqual(before))
})

// Words of one and two characters, which no trigram finds (docs/decisions/0064-short-words.md).
describe('short words', () => {
  /** Searches that read blocks, or none where `mostChanges` is below 0. */
  const asBlocked = async (other: Partial<typeof blocking>, work: () => Promise<void>) => {
    const usual = { ...blocking }
    Object.assign(blocking, other)
    await work().finally(() => Object.assign(blocking, usual))
  }
  const names = ['Zq', '§ 5', 'Qx §', 'A 😀 b', '李 明', 'x', 'xx', '% _', '+1 2 3', 'zz qx', '№']
  const queries = [
    'z',
    'Q',
    'qx',
    '§',
    '😀',
    '😀 b',
    '李',
    '明 李',
    '李明',
    'x',
    'xx',
    '%',
    '_ %',
    '1 2 3',
    'No',
    'q z',
    'b',
    '@',
  ]

  test.for(allKinds)(
    'those of %s find the same by blocks as by reading all texts',
    async (kind) => {
      const account = await newAccount()
      const { database } = account.kontor
      const found = async () => {
        const all: string[][] = []
        for (const text of queries) all.push([text, ...(await search(account, kind, text))])
        return all
      }
      const same = async () => {
        let expected: string[][] = []
        await asBlocked({ mostChanges: -1 }, async () => {
          expected = await found()
        })
        for (const mostBlocks of [0, 1, 2000])
          await asBlocked({ mostBlocks }, async () => expect(await found()).toEqual(expected))
        return new Map(expected.map(([text, ...rest]) => [text, rest]))
      }
      const ids = await addRecords(
        account.api,
        kind,
        names.map((name) => ({ name })),
      )
      await blockAll(database, account.id)
      expect((await same()).get('qx')).toEqual(['Qx §', 'zz qx'])
      // The journal tells of texts that were written since.
      await addRecord(account.api, kind, { name: 'qx later' })
      await account.api.patch(`${pathOf(kind)}/${ids[0]}`, { name: 'qx changed' })
      await account.api.patch(`${pathOf(kind)}/${ids[2]}`, { name: 'other' })
      await account.api.delete(`${pathOf(kind)}/${ids[9]}`)
      const after = (await same()).get('qx')
      expect(after).toEqual(['qx changed', 'qx later'])
      await blockAll(database, account.id)
      expect((await same()).get('qx')).toEqual(after)
    },
  )

  test('leads are found by what they are linked to, and while they are unsorted', async () => {
    const account = await newAccount()
    const [sorter, pipeline] = [
      await addSorter(account, { view: 'A' }),
      await mainPipeline(account),
    ]
    const { database } = account.kontor
    await addRecords(account.api, 'leads', [{ name: 'One' }])
    await addItem(account.api, { _embedded: { leads: [{ name: 'qx before' }] } })
    await blockAll(database, account.id)
    const waiting = (text: string) => search(sorter, 'leads', text, `&${inUnsorted(pipeline)}`)
    expect(await waiting('qx')).toEqual(['qx before'])
    // A word that no text of the same block has.
    const { uid } = await addItem(account.api, { _embedded: { leads: [{ name: 'zw after' }] } })
    expect(await waiting('zw')).toEqual(['zw after'])
    await blockAll(database, account.id)
    expect(await waiting('zw')).toEqual(['zw after'])
    await accept(account.api, { uid })
    expect(await search(account, 'leads', 'zw')).toEqual(['zw after'])
    const [contact] = await addRecords(account.api, 'contacts', [{ name: '§' }])
    await addRecords(account.api, 'leads', [
      { name: 'Linked', _embedded: { contacts: [{ id: contact }] } },
    ])
    expect(await search(account, 'leads', '§')).toEqual(['Linked'])
    await blockAll(database, account.id)
    expect(await search(account, 'leads', '§')).toEqual(['Linked'])
  })

  test('a server makes the blocks that are missing when it starts', async () => {
    const account = await newAccount()
    await addRecord(account.api, 'leads', { name: 'qx' })
    const made = async () => (await changesLeft(account.kontor.database, account.id)) === 0
    expect(await made()).toBe(false)
    await asBlocked({ fewestTexts: 1 }, async () => {
      await newAccount({ databaseQueue: 999 })
      await expect.poll(made, { timeout: 20_000 }).toBe(true)
    })
    expect(await search(account, 'leads', 'qx')).toEqual(['qx'])
  })

  test('blocks are of accounts with many texts, and the journal stays until they hold what it tells', async () => {
    const scratch = await scratchDatabase()
    const { database } = scratch
    const counts = () =>
      database.list(sql`
      select (select count(*)::int from text_blocks) as blocks, (select array_agg(journal_id::int) from blocked_texts) as upto,
             (select count(*)::int from journal) as rows`)
    const write = (from: number, to: number) =>
      database.transaction((tx) =>
        tx.list(sql`
          with told as (
            insert into journal (account_id, entity_type, entity_id, actions, created_by, created_at)
            select 1, 'leads', n, '{add}', 0, 0 from generate_series(${from}::int, ${to}::int) n)
          insert into record_texts select 1, 'leads', n, 'text', 'text' from generate_series(${from}::int, ${to}::int) n`),
      )
    await database.list(sql`
      insert into accounts (id, subdomain, name, created_at, updated_at) values (1, 'one', 'One', 0, 0)`)
    await write(1, 15)
    const keep = () => asBlocked({ fewestTexts: 16 }, async () => void (await keepBlocks(database)))
    await keep()
    expect(await counts()).toEqual([{ blocks: 0, upto: null, rows: 15 }])
    await write(16, 23)
    await keep()
    // Ids 1 to 23 are in three blocks of eight.
    expect(await counts()).toEqual([{ blocks: 3, upto: [23], rows: 23 }])
    await write(24, 24)
    await dropReadJournal(database, 3)
    expect(await counts()).toEqual([{ blocks: 3, upto: [23], rows: 1 }])
    await keep()
    await dropReadJournal(database, 3)
    expect(await counts()).toEqual([{ blocks: 4, upto: [24], rows: 0 }])
    await scratch.drop()
  })
})

describe('fields', () => {
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
    const values = fields.map((_, index) => ({
      value: index === 14 ? 'last' : `word${index}. ${'x'.repeat(1980)}`,
    }))
    const custom_fields_values = fields.map(({ id }, index) => ({
      field_id: id,
      values: [values[index]],
    }))
    const [id] = await addRecords(account.api, 'leads', [{ name: 'Many', custom_fields_values }])
    const check = async () => {
      const { text } = await keptText(account, id!)
      const [name, ...lines] = text.split('\n')
      expect([name, text.length > 19_000, text.length <= 20_000]).toEqual(['many', true, true])
      expect(
        lines.every((line) =>
          /^\ue00a[\ue000-\ue009]+\ue00b(?:word\d+\. x{1980}|last)$/.test(line),
        ),
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
})

// A search is true right after every write, looks over links, and no further than the caller sees.
describe('writes and links', () => {
  /** The bounds that make a search take each of its ways. */
  const ways: [way: (typeof allWays)[number], Partial<Bounds>][] = [
    ['lookUp', {}],
    ['window', { smallSet: 0 }],
    ['middle', { smallSet: 0, costlyWindowRows: 0 }],
    ['plain', { smallSet: 0, costlyWindowRows: 0, mediumSet: 0 }],
  ]

  /** The names that a search finds, the same on every way. */
  async function search(
    account: Pick<TestAccount, 'api'>,
    kind: RecordType,
    text: string,
  ): Promise<string[]> {
    const found: string[][] = []
    for (const [, bounds] of ways)
      found.push(
        await within(bounds, () => find(account, kind, `query=${encodeURIComponent(text)}`)),
      )
    for (const names of found) expect([text, names]).toEqual([text, found[0]])
    return found[0]!
  }

  test.for(allKinds)('each write to %s is found by at once', async (kind) => {
    const account = await newAccount()
    const { api } = account
    const field = (await addFields(account, kind, ['text'])).at(-1)!
    const values = (...texts: string[]) => ({
      custom_fields_values: [{ field_id: field.id, values: texts.map((value) => ({ value })) }],
    })
    const path = `${pathOf(kind)}/${await addRecord(api, kind, { name: 'first', ...values('alpha') })}`
    const state = async () => {
      const found = await Promise.all(
        ['first', 'second', 'alpha', 'beta'].map(async (text) => [
          text,
          await find(account, kind, `query=${text}`),
        ]),
      )
      return found.filter(([, names]) => names!.length > 0).map(([text]) => text)
    }
    expect(await state()).toEqual(['first', 'alpha'])
    await api.patch(path, { name: 'second' })
    expect(await state()).toEqual(['second', 'alpha'])
    await api.patch(path, values('beta'))
    expect(await state()).toEqual(['second', 'beta'])
    await api.patch(path, values())
    expect(await state()).toEqual(['second'])
    await api.patch(path, values('alpha'))
    await api.delete(path)
    expect(await state()).toEqual([])
    expect(
      (await api.get(`${pathOf(kind)}?query=alpha&with=only_deleted`)).body._embedded[kind],
    ).toHaveLength(1)
    expect(
      (await api.get(`${pathOf(kind)}?query=beta&with=only_deleted`)).body._embedded[kind],
    ).toEqual([])
    await api.post(`${path}/restore`)
    expect(await state()).toEqual(['second', 'alpha'])
  })

  test('a lead is found by the names, phones and texts of what it is linked to, while both are there and linked', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const phone = (await addFields(account, 'contacts', [])).find(({ code }) => code === 'PHONE')!
    const contact = await addRecord(api, 'contacts', {
      name: 'Anna Petrova',
      custom_fields_values: [{ field_id: phone.id, values: [{ value: '+7 (999) 123-45-67' }] }],
    })
    const company = await addRecord(api, 'companies', { name: 'Acme Steel' })
    const stranger = await addRecord(api, 'contacts', { name: 'Boris' })
    const _embedded = { contacts: [{ id: contact }], companies: [{ id: company }] }
    const leads = await addRecords(api, 'leads', [
      // Ids of leads and of contacts are of different sequences and may be the same.
      ...Array.from({ length: 3 }, () => ({ name: 'Other' })),
      { name: 'Deal', _embedded },
      { name: 'Small deal of Anna', _embedded: { contacts: [{ id: stranger }] } },
    ])
    expect(await search(account, 'leads', 'petrova')).toEqual(['Deal'])
    expect(await search(account, 'leads', 'anna')).toEqual(['Deal', 'Small deal of Anna'])
    for (const text of ['79991234567', '999 123-45-67', 'acme', 'anna petrova', 'steel acme'])
      expect(await search(account, 'leads', text)).toEqual(['Deal'])
    // All words stand in the lead, or all in one that it is linked to.
    for (const text of ['deal petrova', 'anna acme', 'boris anna'])
      expect(await search(account, 'leads', text)).toEqual([])
    // Contacts and companies are found by their own texts only.
    expect(await search(account, 'contacts', 'deal')).toEqual([])
    expect(await search(account, 'companies', 'anna')).toEqual([])

    await api.patch(`/api/v4/contacts/${contact}`, { name: 'Maria' })
    expect([
      await search(account, 'leads', 'petrova'),
      await search(account, 'leads', 'maria'),
    ]).toEqual([[], ['Deal']])
    await api.delete(`/api/v4/contacts/${contact}`)
    expect([
      await search(account, 'leads', 'maria'),
      await search(account, 'leads', 'acme'),
    ]).toEqual([[], ['Deal']])
    await api.post(`/api/v4/contacts/${contact}/restore`)
    expect(await search(account, 'leads', 'maria')).toEqual(['Deal'])
    await api.delete(`/api/v4/leads/${leads[3]}`)
    expect(await search(account, 'leads', 'maria')).toEqual([])
    expect(await find(account, 'leads', 'query=maria&with=only_deleted')).toHaveLength(1)
    await api.post(`/api/v4/leads/${leads[3]}/restore`)
    // A link is kept at both of its ends.
    await kontor.database.transaction((tx) =>
      tx.rows(
        sql`delete from links where account_id = ${account.id} and ${contact}::bigint in (from_id, to_id) and 'contacts' in (from_type, to_type)`,
      ),
    )
    expect([
      await search(account, 'leads', 'maria'),
      await search(account, 'leads', 'acme'),
    ]).toEqual([[], ['Deal']])
  })

  test('no user finds a lead by a contact or a company out of sight', async () => {
    const account = await newAccount()
    const all = { view: 'A', edit: 'A', add: 'A', delete: 'A' } as const
    const users = {
      own: await account.addUser({
        rights: { leads: all, contacts: { view: 'M' }, companies: { view: 'M' } },
      }),
      none: await account.addUser({ rights: { leads: all } }),
      few: await account.addUser({
        rights: { leads: { view: 'M' }, contacts: all, companies: all },
      }),
    }
    const responsible_user_id = users.own.id
    const [mine, theirs] = await addRecords(account.api, 'contacts', [
      { name: 'Anna', responsible_user_id },
      { name: 'Anna' },
    ])
    const [firm] = await addRecords(account.api, 'companies', [{ name: 'Anna & Co' }])
    await addRecords(account.api, 'leads', [
      { name: 'of mine', _embedded: { contacts: [{ id: mine }] } },
      { name: 'of theirs', _embedded: { contacts: [{ id: theirs }] } },
      { name: 'of the firm', _embedded: { companies: [{ id: firm }] } },
      { name: 'anna herself' },
      {
        name: 'of few',
        responsible_user_id: users.few.id,
        _embedded: { contacts: [{ id: theirs }] },
      },
    ])
    expect(await search(account, 'leads', 'anna')).toEqual([
      'of mine',
      'of theirs',
      'of the firm',
      'anna herself',
      'of few',
    ])
    expect(await search(users.own, 'leads', 'anna')).toEqual(['of mine', 'anna herself'])
    expect(await search(users.none, 'leads', 'anna')).toEqual(['anna herself'])
    expect(await search(users.few, 'leads', 'anna')).toEqual(['of few'])
  })

  test('texts of a deleted field are not found from its deletion on, of leads and of what they are linked to', async () => {
    const account = await newAccount()
    const ids: number[] = []
    const drafts: Record<string, object> = {}
    for (const kind of allKinds) {
      const [goes, stays] = (await addFields(account, kind, ['text', 'textarea'])).slice(-2)
      ids.push(goes!.id)
      drafts[kind] = {
        name: `the name of ${kind}`,
        custom_fields_values: [
          { field_id: goes!.id, values: [{ value: `goes ${kind}` }] },
          { field_id: stays!.id, values: [{ value: `stays ${kind}` }] },
        ],
      }
    }
    const contact = await addRecord(account.api, 'contacts', drafts['contacts'])
    const company = await addRecord(account.api, 'companies', drafts['companies'])
    await addRecord(account.api, 'leads', {
      ...drafts['leads'],
      _embedded: { contacts: [{ id: contact }], companies: [{ id: company }] },
    })
    await addRecord(account.api, 'customers', drafts['customers'])
    for (const [index, kind] of allKinds.entries()) {
      // Leads are found by the texts of their contacts and companies.
      const finders = kind === 'customers' ? [kind] : [kind, 'leads' as const]
      for (const each of new Set(finders))
        expect(await search(account, each, `goes ${kind}`)).toHaveLength(1)
      await deleteField(account, kind, ids[index]!)
      for (const each of new Set(finders)) {
        expect(await search(account, each, `goes ${kind}`)).toEqual([])
        expect(await search(account, each, `stays ${kind}`)).toHaveLength(1)
        expect(await search(account, each, `name ${kind}`)).toHaveLength(1)
      }
      const refused = await account.api.get(
        `${pathOf(kind)}?filter[custom_fields_values][${ids[index]}]=x`,
      )
      expect(refused.status).toBe(400)
    }
  })
})
