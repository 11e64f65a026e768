// Edge cases of filters: ends of ranges, decimals, days, tasks, and the links between filtered
// pages.
import sql, { raw } from 'sql-template-tag'
import { beforeAll, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import { addField } from '../../../test/fields.ts'
import { addFields, daysIn } from '../../../test/lists/fields.ts'
import { addRecord, addRecords, allKinds, find, idsIn } from '../../../test/records.ts'
import { fieldsChanged } from '../fields/definitions.ts'
import type { Field } from '../fields/definitions.ts'

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
  expect(await find(account, 'leads', `filter[name]=ranged&filter[created_at]=${at - 1}`)).toEqual([
    'ranged',
  ])
  expect(await find(account, 'leads', `filter[name]=ranged&filter[created_at]=${at + 1}`)).toEqual(
    [],
  )
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
    ...[first - 1, first, last, last + 1].map((at, place) => ({
      name: `time ${place}`,
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
  ])
    expect([hit, await by('date', hit)]).toEqual([hit, ['day']])
  for (const miss of [
    '=06.03.2026',
    `=${last + 1}`,
    `=${first - 1}`,
    '[from]=06.03.2026',
    '[to]=04.03.2026',
    `[from]=${first + 1}`,
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
    Array.from({ length: 6 }, (_, place) => ({
      name: 'Ёж & co',
      price: place,
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
