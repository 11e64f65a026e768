import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import type { Answer } from '../../../test/client.ts'
import { addLeads, addPipeline, faultsOf, lost, mainPipeline, won } from '../../../test/leads.ts'

const path = '/api/v4/leads'

const names = ({ body }: Answer): string[] =>
  body._embedded.leads.map(({ name }: { name: string }) => name)

/** The names of the leads in a list. */
async function find({ api }: TestAccount, query: string): Promise<string[]> {
  const answer = await api.get(`${path}?${query}`)
  expect(answer.status).toBe(200)
  return names(answer)
}

test.for([
  'filter[colour]=red',
  'filter[price][around]=5',
  'filter[custom]=1',
  'filter[statuses][0][status_id]=5',
])('the filter %s is refused, and named', async (query) => {
  const { api } = await newAccount()
  const refused = await api.get(`${path}?${query}`)
  expect(refused.status).toBe(400)
  const details = Object.values(faultsOf(refused)).flat().join()
  expect(details).toContain(
    query.startsWith('filter[statuses]') ? 'filter[statuses][0][pipeline_id]' : query.split('=')[0],
  )
})

test.for([
  'filter[id]=x',
  'filter[id]=0',
  'filter[id][]=9223372036854775808',
  'filter[price]=cheap',
  'filter[price][from]=1e99',
  'filter[created_at][from]=yesterday',
  'filter[updated_at]=-1',
  'filter[pipeline_id]=',
  'filter[statuses]=142',
  'filter=all',
  'order[price]=asc',
  'order[id]=up',
  'order=id',
  'order[id]=asc&order[created_at]=asc',
  'filter[name]=%00',
  'filter[name]=%ff',
  'after=%00',
  'page=2&after=zzz',
  'page=2&after=1.2.3',
])('%s is refused', async (query) => {
  const { api } = await newAccount()
  expect((await api.get(`${path}?${query}`)).status).toBe(400)
})

test('each filter finds by one value, by several and by a range, and all of them together', async () => {
  const account = await newAccount()
  const main = await mainPipeline(account)
  const other = await addPipeline(account)
  const seller = await account.addUser()
  const [a, b, c, d, e] = await addLeads(account.api, [
    { name: 'a', price: 10, created_at: 1000, updated_at: 1100 },
    {
      name: 'b',
      price: 20,
      created_at: 2000,
      updated_at: 2100,
      responsible_user_id: seller.id,
      created_by: 0,
    },
    {
      name: 'c',
      price: 30,
      created_at: 3000,
      updated_at: 3100,
      status_id: won,
      closed_at: 3050,
      updated_by: seller.id,
    },
    {
      name: 'd',
      price: 40,
      created_at: 4000,
      updated_at: 4100,
      status_id: other.statuses[0],
      created_by: seller.id,
    },
    {
      name: 'e',
      price: 50,
      created_at: 5000,
      updated_at: 5100,
      pipeline_id: other.id,
      status_id: lost,
      closed_at: 5050,
    },
  ])
  expect(d).toBeLessThan(e!)
  const found: [string, string][] = [
    ['', 'abcde'],
    [`filter[id]=${b}`, 'b'],
    [`filter[id][]=${c}&filter[id][]=${a}&filter[id][]=999999999`, 'ac'],
    [`filter[id][0]=${c}&filter[id][1]=${a}`, 'ac'],
    [`filter[id][7]=${c}&filter[id][3]=${a}`, 'ac'],
    ['filter[name]=B', 'b'],
    ['filter[name][]=a&filter[name][]=E', 'ae'],
    ['filter[name]=', ''],
    ['filter[price]=30', 'c'],
    ['filter[price][from]=30', 'cde'],
    ['filter[price][to]=30', 'abc'],
    ['filter[price][from]=20&filter[price][to]=40', 'bcd'],
    ['filter[price][from]=40&filter[price][to]=20', ''],
    [`filter[statuses][0][pipeline_id]=${main.id}&filter[statuses][0][status_id]=${won}`, 'c'],
    [
      `filter[statuses][0][pipeline_id]=${main.id}&filter[statuses][0][status_id]=${main.statuses[0]}` +
        `&filter[statuses][1][pipeline_id]=${other.id}&filter[statuses][1][status_id]=${lost}`,
      'abe',
    ],
    [
      `filter[statuses][0][pipeline_id]=${main.id}&filter[statuses][0][status_id]=${other.statuses[0]}`,
      '',
    ],
    [
      `filter[statuses][4][status_id]=${won}&filter[statuses][9][pipeline_id]=${other.id}` +
        `&filter[statuses][4][pipeline_id]=${main.id}&filter[statuses][9][status_id]=${lost}`,
      'ce',
    ],
    [`filter[pipeline_id]=${other.id}`, 'de'],
    [`filter[pipeline_id][]=${other.id}&filter[pipeline_id][]=${main.id}`, 'abcde'],
    [`filter[responsible_user_id]=${seller.id}`, 'b'],
    [
      `filter[responsible_user_id][]=${seller.id}&filter[responsible_user_id][]=${account.admin.id}`,
      'abcde',
    ],
    ['filter[created_by]=0', 'b'],
    [`filter[created_by][]=0&filter[created_by][]=${seller.id}`, 'bd'],
    [`filter[updated_by]=${seller.id}`, 'c'],
    ['filter[created_at]=3000', 'cde'],
    ['filter[created_at][from]=2000&filter[created_at][to]=3000', 'bc'],
    ['filter[updated_at][to]=3100', 'abc'],
    ['filter[updated_at][from]=4101', 'e'],
    ['filter[closed_at][from]=1', 'ce'],
    ['filter[closed_at][from]=3050&filter[closed_at][to]=3050', 'c'],
    ['filter[closed_at]=5000', 'e'],
    [
      `filter[pipeline_id]=${other.id}&filter[price][from]=50&filter[name]=e&filter[closed_at][from]=1&filter[id]=${e}`,
      'e',
    ],
    [`filter[pipeline_id]=${other.id}&filter[created_by]=0`, ''],
  ]
  for (const [query, expected] of found)
    expect([query, (await find(account, query)).join('')]).toEqual([query, expected])
})

test('a name is found in any case, in any alphabet, and only whole', async () => {
  const account = await newAccount()
  await addLeads(account.api, [
    { name: 'Ёлки и Палки' },
    { name: 'ΟΔΟΣ' },
    { name: '100% sure_thing' },
    { name: 'Ёлки' },
  ])
  expect(await find(account, `filter[name]=${encodeURIComponent('ЁЛКИ И ПАЛКИ')}`)).toEqual([
    'Ёлки и Палки',
  ])
  expect(await find(account, `filter[name]=${encodeURIComponent('οδοσ')}`)).toEqual(['ΟΔΟΣ'])
  expect(await find(account, `filter[name]=${encodeURIComponent('100% SURE_THING')}`)).toEqual([
    '100% sure_thing',
  ])
  expect(await find(account, `filter[name]=${encodeURIComponent('100% sure%thing')}`)).toEqual([])
  expect(await find(account, `filter[name]=${encodeURIComponent("' or true --")}`)).toEqual([])
})
