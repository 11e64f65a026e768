// The filters of lists: their edges, and the answers to filters that are asked wrongly.
import sql, { raw } from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import { addField } from '../../../test/fields.ts'
import { addFields, daysIn } from '../../../test/lists/fields.ts'
import { detailsOf } from '../../../test/lists/refused.ts'
import { addRecord, addRecords, allKinds, find, idsIn, pathOf } from '../../../test/records.ts'
import { fieldsChanged } from '../fields/definitions.ts'
import type { Field } from '../fields/definitions.ts'

// Ends of ranges, decimals, days, tasks, and the links between filtered pages.
describe('edges of filters', () => {
  let account: TestAccount
  let fields: Record<string, Field>
  const timezone = 'Europe/Moscow'

  beforeAll(async () => {
    account = await newAccount()
    await account.kontor.database.transaction(async (tx) => {
      await fieldsChanged(tx, account.id)
      await tx.rows(sql`update accounts set timezone = ${timezone} where id = ${account.id}`)
    })
    await addFields(account, 'contacts')
    fields = Object.fromEntries(
      (await addFields(account, 'leads')).map((field) => [field.type, field]),
    )
  })

  test('ranges upside down find nothing, and ends belong to them', async () => {
    const at = 1_700_000_000
    await addRecord(account.api, 'leads', {
      name: 'ranged',
      price: 50,
      created_at: at,
      updated_at: at,
      custom_fields_values: [{ field_id: fields['numeric']!.id, values: [{ value: '0.30' }] }],
    })
    const number = `custom_fields_values][${fields['numeric']!.id}`
    for (const [name, low, high] of [
      ['price', 50, 51],
      ['created_at', at, at + 1],
      ['updated_at', at, at + 1],
      [number, '0.3', '0.31'],
    ]) {
      const range = (from = low, to = low) =>
        find(
          account,
          'leads',
          `filter[name]=ranged&filter[${name}][from]=${from}&filter[${name}][to]=${to}`,
        )
      expect([
        name,
        await range(high, low),
        await range(low, low),
        await range(low, high),
        await range(high, high),
      ]).toEqual([name, [], ['ranged'], ['ranged'], []])
    }
    expect(await find(account, 'leads', `filter[name]=ranged&filter[price]=50`)).toEqual(['ranged'])
    expect(await find(account, 'leads', `filter[name]=ranged&filter[price]=49`)).toEqual([])
    expect(
      await find(account, 'leads', `filter[name]=ranged&filter[created_at]=${at - 1}`),
    ).toEqual(['ranged'])
    expect(
      await find(account, 'leads', `filter[name]=ranged&filter[created_at]=${at + 1}`),
    ).toEqual([])
  })

  test('a decimal is compared as it is written, to its last place', async () => {
    const values = [
      '0.1',
      '0.10',
      '0.3',
      '9007199254740993',
      '9007199254740992',
      '99999999999999999999.0000000001',
      '-0',
    ]
    await addRecords(
      account.api,
      'leads',
      values.map((value) => ({
        name: `decimal ${value}`,
        custom_fields_values: [{ field_id: fields['monetary']!.id, values: [{ value }] }],
      })),
    )
    const by = async (value: string) =>
      (
        await find(
          account,
          'leads',
          `filter[custom_fields_values][${fields['monetary']!.id}][]=${value}`,
        )
      ).map((found) => found.slice(8))
    expect(await by('0.1')).toEqual(['0.1', '0.10'])
    expect(await by('0.300000')).toEqual(['0.3'])
    expect(await by('0.3000000001')).toEqual([])
    expect(await by('9007199254740993')).toEqual(['9007199254740993'])
    expect(await by('99999999999999999999.0000000001')).toEqual(['99999999999999999999.0000000001'])
    expect(await by('99999999999999999999')).toEqual([])
    expect(await by('0')).toEqual(['-0'])
  })

  test('a day is one of the account, whatever of it a moment names; of times it means all of the day', async () => {
    const [first, last] = (await daysIn(account, timezone, ['05.03.2026'])).get('05.03.2026')!
    const fill = (type: string, value: number) => ({
      custom_fields_values: [{ field_id: fields[type]!.id, values: [{ value }] }],
    })
    await addRecords(account.api, 'leads', [
      { name: 'day', ...fill('date', last) },
      ...[first - 1, first, last, last + 1].map((at, index) => ({
        name: `time ${index}`,
        ...fill('date_time', at),
      })),
    ])
    const by = (type: string, rest: string) =>
      find(
        account,
        'leads',
        rest
          .split('&')
          .map((each) => `filter[custom_fields_values][${fields[type]!.id}]${each}`)
          .join('&'),
      )
    for (const hit of [
      '=05.03.2026',
      '[]=5.3.2026',
      `=${first}`,
      `=${last}`,
      '[from]=05.03.2026',
      '[to]=05.03.2026',
      `[from]=${first}&[to]=${first}`,
      `[from]=${last}&[to]=${first + 1}`,
    ])
      expect([hit, await by('date', hit)]).toEqual([hit, ['day']])
    for (const miss of [
      '=06.03.2026',
      `=${last + 1}`,
      `=${first - 1}`,
      '[from]=06.03.2026',
      '[to]=04.03.2026',
      `[from]=${last + 1}`,
      `[to]=${first - 1}`,
    ])
      expect([miss, await by('date', miss)]).toEqual([miss, []])
    expect(await by('date_time', '=05.03.2026')).toEqual(['time 1', 'time 2'])
    expect(await by('date_time', `=${last}`)).toEqual(['time 2'])
    expect(await by('date_time', '[from]=05.03.2026&[to]=05.03.2026')).toEqual(['time 1', 'time 2'])
    expect(await by('date_time', '[to]=05.03.2026')).toEqual(['time 0', 'time 1', 'time 2'])
    expect(await by('date_time', '[from]=06.03.2026')).toEqual(['time 3'])
  })

  test.for(allKinds)(
    '%s without tasks are found by 0, the others by a range of times',
    async (kind) => {
      const account = await newAccount()
      const [none, soon, late, zero] = await addRecords(
        account.api,
        kind,
        ['none', 'soon', 'late', 'zero'].map((name) => ({ name })),
      )
      await account.kontor.database.transaction((tx) =>
        tx.list(sql`
        update ${raw(kind)} set closest_task_at = task.at
          from (values (${soon}::bigint, 1000), (${late}::bigint, 2000), (${zero}::bigint, 0)) task(id, at)
         where account_id = ${account.id} and ${raw(kind)}.id = task.id`),
      )
      for (const [query, expected] of [
        ['=0', ['none']],
        ['[from]=0', ['soon', 'late', 'zero']],
        ['=1000', ['soon', 'late']],
        ['[from]=1001', ['late']],
        ['[to]=1000', ['soon', 'zero']],
        ['[from]=1000&filter[closest_task_at][to]=1999', ['soon']],
        ['[from]=0&filter[closest_task_at][to]=0', ['zero']],
      ] as const)
        expect([query, await find(account, kind, `filter[closest_task_at]${query}`)]).toEqual([
          query,
          expected,
        ])
      expect(
        await find(
          account,
          kind,
          `filter[closest_task_at]=0&filter[id][]=${none}&filter[id][]=${soon}`,
        ),
      ).toEqual(['none'])
    },
  )

  test('links of filtered pages repeat the filters, the singular path and the bin keep them, and an empty page is 204 to those who want it', async () => {
    const account = await newAccount()
    const field = (await addFields(account, 'leads', ['text'])).at(-1)!
    const custom_fields_values = [{ field_id: field.id, values: [{ value: 'a b&c' }] }]
    const ids = await addRecords(
      account.api,
      'leads',
      Array.from({ length: 6 }, (_, index) => ({
        name: 'Ёж & co',
        price: index,
        custom_fields_values,
      })),
    )
    const filter = `filter[custom_fields_values][${field.id}][]=a%20b%26c&filter[name][3]=${encodeURIComponent('ёж & co')}&filter[name][7]=x&filter[price][from]=1&order[id]=desc`
    for (const path of ['/api/v4/leads', '/api/v4/lead']) {
      const first = await account.api.get(`${path}?${filter}&limit=2&with=contacts`)
      expect(idsIn(first, 'leads')).toEqual([ids[5], ids[4]])
      const next = new URL(first.body._links.next.href)
      expect(next.pathname).toBe(path)
      const parameters = Object.fromEntries(next.searchParams)
      expect(parameters).toEqual({
        [`filter[custom_fields_values][${field.id}][0]`]: 'a b&c',
        'filter[name][0]': 'ёж & co',
        'filter[name][1]': 'x',
        'filter[price][from]': '1',
        'order[id]': 'desc',
        with: 'contacts',
        page: '2',
        limit: '2',
        after: String(ids[4]),
      })
      const second = await account.api.get(next.href)
      expect(idsIn(second, 'leads')).toEqual([ids[3], ids[2]])
      expect(idsIn(await account.api.get(second.body._links.next.href), 'leads')).toEqual([ids[1]])
      expect(idsIn(await account.api.get(second.body._links.prev.href), 'leads')).toEqual([
        ids[5],
        ids[4],
      ])
    }
    await account.api.delete(`/api/v4/leads/${ids[5]}`)
    await account.api.delete(`/api/v4/leads/${ids[0]}`)
    expect(
      idsIn(await account.api.get(`/api/v4/leads?with=only_deleted&${filter}`), 'leads'),
    ).toEqual([ids[5]])
    expect(
      idsIn(await account.api.get(`/api/v4/leads?with=only_deleted,contacts&query=b%26c`), 'leads'),
    ).toEqual([ids[0], ids[5]])
    expect(
      idsIn(await account.api.get(`/api/v4/leads?with=only_deleted&filter[id]=${ids[1]}`), 'leads'),
    ).toEqual([])

    const old = await newAccount({ emptyList: 204 })
    await addRecords(old.api, 'leads', [{ name: 'one' }])
    for (const query of [
      'filter[name]=two',
      'query=two',
      'filter[id]=999999999',
      'filter[name]=one&page=2',
      'with=only_deleted&filter[name]=one',
    ])
      expect([query, (await old.api.get(`/api/v4/leads?${query}`)).status]).toEqual([query, 204])
    expect((await old.api.get('/api/v4/leads?filter[name]=one')).status).toBe(200)
  })

  test('a field of texts that has the code of phones is compared as a whole', async () => {
    const { id } = await addField(account, 'leads', { type: 'text', code: 'PHONE' })
    await addRecords(
      account.api,
      'leads',
      ['+7 12', '712'].map((value) => ({
        name: value,
        custom_fields_values: [{ field_id: id, values: [{ value }] }],
      })),
    )
    for (const text of ['+7 12', '712'])
      expect(
        await find(
          account,
          'leads',
          `filter[custom_fields_values][${id}]=${encodeURIComponent(text)}`,
        ),
      ).toEqual([text])
    expect(await find(account, 'leads', `filter[custom_fields_values][${id}]=7-12`)).toEqual([])
  })
})

// The answer names the fault and the forms of the filter, under the name that the client wrote.
describe('wrong filters', () => {
  let account: TestAccount

  beforeAll(async () => {
    account = await newAccount()
  })

  const id = 'filter[id]=<id>, several separated by commas, or filter[id][]=<id> for each.'

  const price =
    'filter[price][from]=<number> and filter[price][to]=<number>, either one alone, or filter[price]=<number> for exactly that.'

  const time = (name: string) =>
    `filter[${name}][from]=<Unix seconds> and filter[${name}][to]=<Unix seconds>, either one alone, or filter[${name}]=<Unix seconds> for that time and later.`

  const statuses =
    'It takes filter[statuses][0][pipeline_id]=<id> and filter[statuses][0][status_id]=<id>, '

  const known =
    'It takes filter[<name>], where the name is one of id, name, responsible_user_id, created_by, updated_by, created_at, updated_at, closest_task_at, tags, custom_fields_values, price, statuses, pipeline_id, closed_at.'

  const order =
    'It takes order[<field>]=asc or order[<field>]=desc, where the field is one of created_at, updated_at, id.'
  const custom = 'It takes filter[custom_fields_values][<field id>][]=<value>'
  const name = 'filter[name]=<text>, or filter[name][]=<text>'
  const user = 'filter[created_by][]=<user id> for each; user 0 is the system.'

  test.for<[query: string, code: string, path: string, forms: string]>([
    ['filter[colour]=red', 'FieldNotExpected', 'filter[colour]', known],
    ['filter[]=red', 'FieldNotExpected', 'filter[0]', known],
    ['filter[__proto__][a]=1', 'FieldNotExpected', 'filter[__proto__]', known],
    ['filter[constructor]=1', 'FieldNotExpected', 'filter[constructor]', known],
    ['filter[hasOwnProperty]=1', 'FieldNotExpected', 'filter[hasOwnProperty]', known],
    ['filter[ID]=1', 'FieldNotExpected', 'filter[ID]', known],
    ['filter=all', 'InvalidType', 'filter', known],
    ['filter', 'InvalidType', 'filter', known],
    ['filter[id]=x', 'InvalidType', 'filter[id][0]', id],
    ['filter[id]=', 'TooFew', 'filter[id]', id],
    ['filter[id]=0', 'TooLow', 'filter[id][0]', id],
    ['filter[id]=1.5', 'InvalidType', 'filter[id][0]', id],
    ['filter[id]=1,,2', 'InvalidType', 'filter[id][1]', id],
    ['filter[id]=1,2x', 'InvalidType', 'filter[id][1]', id],
    ['filter[id]=,', 'InvalidType', 'filter[id][0]', id],
    ['filter[id][]=5&filter[id][]=6,-1', 'TooLow', 'filter[id][2]', id],
    ['filter[id][]=5&filter[id][]=-1', 'TooLow', 'filter[id][1]', id],
    ['filter[id]=9223372036854775808', 'TooHigh', 'filter[id][0]', id],
    ['filter[id][from]=1', 'InvalidType', 'filter[id]', id],
    ['filter[id][0][x]=1', 'InvalidType', 'filter[id][0]', id],
    ['filter[tags]=vip', 'InvalidType', 'filter[tags][0]', 'filter[tags]=<id of a tag>, several'],
    ['filter[name][x]=1', 'InvalidType', 'filter[name]', name],
    ['filter[name][][x]=1', 'InvalidType', 'filter[name][0]', name],
    [
      'filter[responsible_user_id]=me',
      'InvalidType',
      'filter[responsible_user_id][0]',
      'filter[responsible_user_id]=<user id>, several',
    ],
    ['filter[created_by]=-1', 'TooLow', 'filter[created_by][0]', user],
    ['filter[updated_by][]=', 'InvalidType', 'filter[updated_by][0]', 'filter[updated_by]='],
    ['filter[price]=cheap', 'InvalidType', 'filter[price]', price],
    ['filter[price]=', 'InvalidType', 'filter[price]', price],
    ['filter[price]=1e3', 'InvalidType', 'filter[price]', price],
    ['filter[price]=5.5', 'InvalidType', 'filter[price]', price],
    ['filter[price][from]=', 'InvalidType', 'filter[price][from]', price],
    ['filter[price][from]=1e99', 'InvalidType', 'filter[price][from]', price],
    ['filter[price][to]=9007199254740993', 'TooHigh', 'filter[price][to]', price],
    ['filter[price][from][x]=1', 'InvalidType', 'filter[price][from]', price],
    ['filter[price][around]=5', 'FieldNotExpected', 'filter[price][around]', price],
    ['filter[price][]=5', 'FieldNotExpected', 'filter[price][0]', price],
    ['filter[created_at]=yesterday', 'InvalidType', 'filter[created_at]', time('created_at')],
    [
      'filter[created_at][from]=2026-01-01',
      'InvalidType',
      'filter[created_at][from]',
      time('created_at'),
    ],
    ['filter[updated_at]=-1', 'TooLow', 'filter[updated_at]', time('updated_at')],
    [
      'filter[updated_at][to]=253402300800',
      'TooHigh',
      'filter[updated_at][to]',
      time('updated_at'),
    ],
    [
      'filter[closest_task_at]=none',
      'InvalidType',
      'filter[closest_task_at]',
      'for that time and later; 0 finds records without tasks.',
    ],
    ['filter[closed_at]=', 'InvalidType', 'filter[closed_at]', time('closed_at')],
    [
      'filter[pipeline_id]=x',
      'InvalidType',
      'filter[pipeline_id][0]',
      'filter[pipeline_id]=<id>, several separated by commas, or filter[pipeline_id][]=<id> for each.',
    ],
    ['filter[statuses]=142', 'InvalidType', 'filter[statuses][0]', statuses],
    ['filter[statuses][]=142', 'InvalidType', 'filter[statuses][0]', statuses],
    [
      'filter[statuses][0][status_id]=5',
      'FieldMissing',
      'filter[statuses][0][pipeline_id]',
      statuses,
    ],
    [
      'filter[statuses][0][pipeline_id]=5',
      'FieldMissing',
      'filter[statuses][0][status_id]',
      statuses,
    ],
    [
      'filter[statuses][0][pipeline_id]=&filter[statuses][0][status_id]=5',
      'InvalidType',
      'filter[statuses][0][pipeline_id]',
      statuses,
    ],
    [
      'filter[statuses][0][status_id]=5&filter[statuses][0][pipeline_id]=5&filter[statuses][0][x]=5',
      'FieldNotExpected',
      'filter[statuses][0][x]',
      statuses,
    ],
    ['filter[custom_fields_values]=5', 'InvalidType', 'filter[custom_fields_values]', custom],
    [
      'filter[custom_fields_values][colour]=5',
      'FieldNotExpected',
      'filter[custom_fields_values][colour]',
      custom,
    ],
    [
      'filter[custom_fields_values][-1]=5',
      'FieldNotExpected',
      'filter[custom_fields_values][-1]',
      custom,
    ],
    [
      'filter[custom_fields_values][12345678901234567]=5',
      'FieldNotExpected',
      'filter[custom_fields_values][12345678901234567]',
      custom,
    ],
    [
      'filter[custom_fields_values][7][around]=5',
      'FieldNotExpected',
      'filter[custom_fields_values][7][around]',
      custom,
    ],
    [
      'filter[custom_fields_values][7][][x]=5',
      'InvalidType',
      'filter[custom_fields_values][7][0]',
      custom,
    ],
    [
      'filter[custom_fields_values][7][from][]=5',
      'InvalidType',
      'filter[custom_fields_values][7][from]',
      custom,
    ],
    ['order[price]=asc', 'FieldNotExpected', 'order[price]', order],
    ['order[name]=asc', 'FieldNotExpected', 'order[name]', order],
    ['order[__proto__]=asc', 'FieldNotExpected', 'order[__proto__]', order],
    ['order[id]=up', 'NotSupportedChoice', 'order[id]', order],
    ['order[id]=', 'NotSupportedChoice', 'order[id]', order],
    ['order[id][]=asc', 'NotSupportedChoice', 'order[id]', order],
    ['order[id]=ascending', 'NotSupportedChoice', 'order[id]', order],
    ['order=id', 'InvalidType', 'order', order],
    ['order[id]=asc&order[created_at]=asc', 'TooMany', 'order', order],
  ])('%s hears what it takes', async ([query, code, path, forms]) => {
    const answer = await account.api.get(`${pathOf('leads')}?${query}`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      400,
      expect.stringContaining('application/problem+json'),
    ])
    const [fault, ...others] = detailsOf(answer)
    expect({ code: fault?.code, path: fault?.path }).toEqual({ code, path })
    expect(fault?.detail).toContain(forms)
    expect(fault?.detail).toMatch(/^[A-Z].*\. It takes .*\.$/)
    expect(others.map((each) => each.path)).not.toContain(path)
  })

  test.for(['price', 'statuses', 'pipeline_id', 'closed_at'])(
    'only leads have the filter %s, and others list theirs',
    async (its) => {
      for (const kind of ['contacts', 'companies'] as const) {
        const [fault] = detailsOf(await account.api.get(`${pathOf(kind)}?filter[${its}]=5`))
        expect([fault!.code, fault!.path]).toEqual(['FieldNotExpected', `filter[${its}]`])
        expect(fault!.detail).toContain('closest_task_at, tags, custom_fields_values.')
        expect(fault!.detail).not.toContain(its)
      }
    },
  )

  test('what is no part of a filter is told without forms, and every wrong filter is told at once', async () => {
    const answer = await account.api.get(
      '/api/v4/leads?filter[id]=x&filter[price][from]=y&page=-1&order[name]=asc',
    )
    expect(
      detailsOf(answer)
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual(['filter[id][0]', 'filter[price][from]', 'order[name]', 'page'])
    expect(detailsOf(answer).find(({ path }) => path === 'page')!.detail).not.toContain('takes')
    // A fault of a body says nothing of filters.
    expect(
      JSON.stringify((await account.api.post('/api/v4/leads', [{ price: 'x' }])).body),
    ).not.toContain('takes')
  })

  test.for([
    'filter[a[b]=1',
    'filter[id]]=1',
    'filter[id=1',
    `filter[${'x'.repeat(600)}]=1`,
    `filter${'[x]'.repeat(20)}=1`,
    'filter[name]=%00',
    'filter[name]=%ff',
    'filter[name]=%ED%A0%80',
    `filter[name]=${'x'.repeat(100)}&`.repeat(2001),
    Array.from({ length: 501 }, (_, index) => `filter[id][]=${index + 1}`).join('&'),
    `filter[id]=${'1,'.repeat(500)}1`,
    `filter[id][]=1&filter[id][]=${'1,'.repeat(499)}1`,
    Array.from({ length: 21 }, (_, index) => `filter[custom_fields_values][${index + 1}]=1`).join(
      '&',
    ),
  ])('hostile parameters are refused: %#', async (query) => {
    const { status } = await account.api.get(`/api/v4/leads?${query}`)
    expect([400, 414, 431]).toContain(status)
  })
})

// Each type of field has its forms.
describe('wrong filters by custom fields', () => {
  let account: TestAccount
  let fields: Record<string, Field>

  beforeAll(async () => {
    account = await newAccount()
    await addFields(account, 'contacts')
    fields = Object.fromEntries(
      (await addFields(account, 'leads')).map((field) => [field.type, field]),
    )
  })

  const text = 'It takes filter[custom_fields_values][#][]=<text>.'

  const number =
    'It takes filter[custom_fields_values][#][]=<number>, several separated by commas, or filter[custom_fields_values][#][from]=<number> and filter[custom_fields_values][#][to]=<number>.'

  const day = '[from]=<Unix seconds, day.month.year or year-month-day>'
  const choice = '[]=<id of a choice>, several separated by commas.'

  test.for<[type: string, asked: string, code: string, at: string, forms: string]>([
    ...[
      '',
      'x',
      '1e5',
      '0x1',
      '+1',
      '.5',
      '1.',
      '1,',
      '1, 5',
      ' 1',
      'NaN',
      'Infinity',
      '1'.repeat(21),
      `1.${'1'.repeat(11)}`,
    ].map(
      (value) =>
        ['numeric', `[]=${encodeURIComponent(value)}`, 'InvalidFormat', '', number] as [
          string,
          string,
          string,
          string,
          string,
        ],
    ),
    ['numeric', '[from]=x', 'InvalidFormat', '[from]', number],
    ['monetary', '[from]=1&[to]=', 'InvalidFormat', '[to]', number],
    ['checkbox', '=true', 'InvalidFormat', '', '[]=<1 or 0>.'],
    ['checkbox', '=', 'InvalidFormat', '', '[]=<1 or 0>.'],
    ['checkbox', '[from]=1', 'NotSupportedChoice', '', '[]=<1 or 0>.'],
    ['select', '=North', 'NotSupportedChoice', '', choice],
    ['select', '=', 'NotSupportedChoice', '', choice],
    ['multiselect', '=-1', 'NotSupportedChoice', '', choice],
    ['radiobutton', '=999999999', 'NotSupportedChoice', '', choice],
    ['radiobutton', '=1e3', 'NotSupportedChoice', '', choice],
    ['select', '[to]=5', 'NotSupportedChoice', '', choice],
    ['date', '=yesterday', 'InvalidFormat', '', day],
    ['date', '=', 'InvalidFormat', '', day],
    ['date', '[from]=31.02.2026', 'InvalidFormat', '[from]', day],
    ['date', '[from]=1.13.2026', 'InvalidFormat', '[from]', day],
    ['date', '[to]=2026-02-29', 'InvalidFormat', '[to]', day],
    ['date_time', '[to]=2026-01-01T00:00:00Z', 'InvalidFormat', '[to]', day],
    ['birthday', '=9999999999999999', 'InvalidFormat', '', day],
    ['birthday', '[to]=-62135596801', 'InvalidFormat', '[to]', day],
    ['date_time', '=253402300800', 'InvalidFormat', '', day],
    ['date_time', '[from]=1.5', 'InvalidFormat', '[from]', day],
    [
      'smart_address',
      '[from]=1',
      'NotSupportedChoice',
      '',
      'no filter by fields of the type smart_address',
    ],
    ['text', '[from]=a', 'NotSupportedChoice', '', text],
    ['url', '[to]=a', 'NotSupportedChoice', '', text],
    [
      'smart_address',
      '=a',
      'NotSupportedChoice',
      '',
      'no filter by fields of the type smart_address',
    ],
    [
      'legal_entity',
      '=a',
      'NotSupportedChoice',
      '',
      'no filter by fields of the type legal_entity',
    ],
    [
      'legal_entity',
      '[from]=1',
      'NotSupportedChoice',
      '',
      'no filter by fields of the type legal_entity',
    ],
    [
      'chained_list',
      '=1',
      'NotSupportedChoice',
      '',
      'no filter by fields of the type chained_list',
    ],
    ['file', '=1', 'NotSupportedChoice', '', 'no filter by fields of the type file'],
  ])('a field of the type %s is not filtered by %s', async ([type, wanted, code, at, forms]) => {
    const parameter = `filter[custom_fields_values][${fields[type]!.id}]`
    const answer = await account.api.get(
      `/api/v4/leads?${wanted
        .split('&')
        .map((each) => `${parameter}${each}`)
        .join('&')}`,
    )
    expect(answer.status).toBe(400)
    expect(detailsOf(answer)).toEqual([
      { code, path: `${parameter}${at}`, detail: expect.any(String) },
    ])
    expect(detailsOf(answer)[0]!.detail).toContain(forms.replaceAll('#', String(fields[type]!.id)))
  })

  test('a field that is not there, or of another kind or account, is refused', async () => {
    const theirs = (await addFields(await newAccount(), 'leads', ['text'])).at(-1)!
    for (const id of [fields['text']!.id, theirs.id, 0, 999_999_999, 9_999_999_999_999_999n]) {
      const answer = await account.api.get(
        `${pathOf('companies')}?filter[custom_fields_values][${id}]=x`,
      )
      expect([answer.status, detailsOf(answer)]).toEqual([
        400,
        [
          {
            code: 'NotSupportedChoice',
            path: `filter[custom_fields_values][${id}]`,
            detail: `There is no custom field ${id} of companies.`,
          },
        ],
      ])
    }
  })
})
