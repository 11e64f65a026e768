// Invalid filters: the problem says what is wrong and which forms the filter takes, under the name
// that the client sent.
import { beforeAll, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import { detailsOf } from '../../../test/lists/refused.ts'
import { pathOf } from '../../../test/records.ts'

let account: TestAccount
beforeAll(async () => {
  account = await newAccount()
})

const id = 'filter[id]=<id>, or filter[id][]=<id> for each of several.'
const price =
  'filter[price][from]=<number> and filter[price][to]=<number>, either one alone, or filter[price]=<number> for exactly that.'
const time = (name: string) =>
  `filter[${name}][from]=<Unix seconds> and filter[${name}][to]=<Unix seconds>, either one alone, or filter[${name}]=<Unix seconds> for from then on.`
const statuses =
  'It takes filter[statuses][0][pipeline_id]=<id> and filter[statuses][0][status_id]=<id>, '
const known =
  'It takes filter[<name>], where the name is one of id, name, responsible_user_id, created_by, updated_by, created_at, updated_at, closest_task_at, custom_fields_values, price, statuses, pipeline_id, closed_at.'
const order = 'It takes one of order[created_at], order[updated_at], order[id], with asc or desc.'
const custom = 'It takes filter[custom_fields_values][<field id>][]=<value>'
const name = 'filter[name]=<text>, or filter[name][]=<text>'
const user = 'filter[created_by]=<user id, 0: the system>, or filter[created_by][]='

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
  ['filter[id]=', 'InvalidType', 'filter[id][0]', id],
  ['filter[id]=0', 'TooLow', 'filter[id][0]', id],
  ['filter[id]=1.5', 'InvalidType', 'filter[id][0]', id],
  ['filter[id]=1,2', 'InvalidType', 'filter[id][0]', id],
  ['filter[id][]=5&filter[id][]=-1', 'TooLow', 'filter[id][1]', id],
  ['filter[id]=9223372036854775808', 'TooHigh', 'filter[id][0]', id],
  ['filter[id][from]=1', 'InvalidType', 'filter[id]', id],
  ['filter[id][0][x]=1', 'InvalidType', 'filter[id][0]', id],
  ['filter[name][x]=1', 'InvalidType', 'filter[name]', name],
  ['filter[name][][x]=1', 'InvalidType', 'filter[name][0]', name],
  [
    'filter[responsible_user_id]=me',
    'InvalidType',
    'filter[responsible_user_id][0]',
    'filter[responsible_user_id]=<user id>, or',
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
  ['filter[updated_at][to]=253402300800', 'TooHigh', 'filter[updated_at][to]', time('updated_at')],
  [
    'filter[closest_task_at]=none',
    'InvalidType',
    'filter[closest_task_at]',
    'for from then on, 0: without tasks.',
  ],
  ['filter[closed_at]=', 'InvalidType', 'filter[closed_at]', time('closed_at')],
  [
    'filter[pipeline_id]=',
    'InvalidType',
    'filter[pipeline_id][0]',
    'filter[pipeline_id]=<id>, or filter[pipeline_id][]=<id> for each of several.',
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
  ['order[name]=asc', 'FieldNotExpected', 'order[name]', order],
  ['order[__proto__]=asc', 'FieldNotExpected', 'order[__proto__]', order],
  ['order[id]=up', 'NotSupportedChoice', 'order[id]', order],
  ['order[id]=', 'NotSupportedChoice', 'order[id]', order],
  ['order[id][]=asc', 'NotSupportedChoice', 'order[id]', order],
  ['order[id]=ASC', 'NotSupportedChoice', 'order[id]', order],
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
      expect(fault!.detail).toContain('closest_task_at, custom_fields_values.')
      expect(fault!.detail).not.toContain(its)
    }
  },
)

test('what is no part of a filter is told without forms, and every wrong filter is told at once', async () => {
  const answer = await account.api.get(
    '/api/v4/leads?filter[id]=x&filter[price][from]=y&page=0&order[name]=asc',
  )
  expect(
    detailsOf(answer)
      .map(({ path }) => path)
      .toSorted(),
  ).toEqual(['filter[id][0]', 'filter[price][from]', 'order[name]', 'page'])
  expect(detailsOf(answer).find(({ path }) => path === 'page')!.detail).not.toContain('takes')
  // A problem with a body does not mention filters.
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
  Array.from({ length: 501 }, (_, place) => `filter[id][]=${place + 1}`).join('&'),
  Array.from({ length: 21 }, (_, place) => `filter[custom_fields_values][${place + 1}]=1`).join(
    '&',
  ),
])('hostile parameters are refused: %#', async (query) => {
  const { status } = await account.api.get(`/api/v4/leads?${query}`)
  expect([400, 414, 431]).toContain(status)
})
