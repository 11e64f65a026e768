// Every example of the cookbook is sent in an account in which it finds some records, but not all.
import { beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { fillForCookbook } from '../../../../test/cookbook.ts'
import { raw } from '../../../../test/raw.ts'
import { server } from '../../../../test/server.ts'
import { CustomerQuery } from '../../records/customers/schema.ts'
import { LeadQuery } from '../../records/leads/schema.ts'
import { TaskQuery } from '../../activity/tasks/schema.ts'
import { cookbook, refused } from './cookbook.ts'

const recipes = cookbook.flatMap((chapter) => chapter.recipes)

/** The names that each example finds, in the order of the cookbook. */
const found: (string | null)[][] = [
  ['Bakery website'],
  ['Bakery website', 'New sign'],
  ['Bakery website'],
  ['Bakery website', 'Shop lighting'],
  ['The baker'],

  ['Bakery website'],
  ['Bakery website', 'New sign'],
  ['Shop lighting'],
  ['Shop lighting'],
  ['Bakery website', 'Shop lighting', 'New sign'],
  ['Bakery website'],
  ['Bakery website', 'Shop lighting'],

  ['Bakery website', 'New sign'],
  ['Bakery website', 'New sign', 'Elsewhere'],
  ['Bakery website', 'New sign'],

  ['Bakery website', 'New sign'],
  ['Bakery website', 'New sign'],
  ['Bakery website', 'New sign'],
  ['Bakery website'],
  ['Bakery website', 'New sign', 'Elsewhere'],
  ['Shop lighting'],

  ['Bakery website'],
  ['Bakery website', 'New sign'],
  ['Bakery website'],
  ['Bakery website'],
  ['Bakery website'],
  ['Bakery website', 'New sign'],
  ['Bakery website'],
  ['Bakery website'],
  ['Bakery website'],
  ['Bakery website'],
  ['Bakery website', 'New sign'],
  ['Bakery website'],
  ['Bakery website'],
  ['Shop lighting', 'New sign', 'Elsewhere'],
  ['Bakery website'],
  ['Bakery website', 'New sign'],
  ['Bakery website', 'New sign'],
  ['Bakery website'],
  ['Bakery website'],
  ['The baker'],
  ['The baker'],

  ['Bakery website'],
  ['Bakery supplies'],

  ['Bakery website'],
  ['Shop lighting'],
  ['Crème Bakery'],
  ['The baker'],
  ['Bakery website', 'New sign'],
  ['Bakery website', 'New sign'],

  ['New sign', 'Bakery website'],
  ['Elsewhere', 'Shop lighting'],
  ['Shop lighting', 'Bakery website'],
  ['Bakery website'],
  // Records in the bin show no name.
  [null],

  ['Bakery supplies'],
  ['Bakery supplies'],
  ['Bakery supplies'],
  ['Bakery supplies', 'Old mill'],
  ['Bakery supplies'],
  ['Old mill'],
  ['Old mill', 'Riverside hotel'],
  ['Bakery supplies', 'Old mill'],
  ['Bakery supplies'],
  ['Bakery supplies'],
  ['Bakery supplies'],
  ['Bakery supplies'],
  ['Bakery supplies', 'Riverside hotel'],
  ['Bakery supplies'],
  ['Bakery supplies'],
  ['Bakery supplies'],

  // Tasks have a text and no name.
  ['Call the shop'],
  ['Call the shop', 'Call the mill', 'Count the stock'],
  ['Meet the baker'],
  ['Meet the baker'],
  ['Call the shop', 'Meet the baker', 'Call the mill'],
  ['Call the shop', 'Meet the baker', 'Call the mill'],
  ['Call the shop'],
  ['Call the shop'],
  ['Call the shop', 'Count the stock', 'Call the mill'],
  ['Call the shop', 'Count the stock', 'Call the mill'],

  // Purchases have a price and no name.
  ['720'],
  ['90', '80'],
  ['80', '90'],
  ['720'],
  ['Hotels'],
  ['Products'],
  ['Ceiling lamp'],
  ['Ceiling lamp'],
  ['New sign'],
]

describe('the filter cookbook', () => {
  let account: TestAccount
  let names: Record<string, number>

  beforeAll(async () => {
    account = await newAccount()
    names = await fillForCookbook(account)
  })

  test('every example has its expectation', () => {
    expect(found).toHaveLength(recipes.length)
  })

  test.for(recipes.map((recipe, index) => [recipe.finds, recipe, found[index]!] as const))(
    '%s',
    async ([, recipe, expected]) => {
      const [query, list] = [recipe.query, recipe.list].map((text) =>
        text.replaceAll(/\$(\w+)/g, (_, name: string) => String(names[name])),
      ) as [string, string]
      expect(`${list}?${query}`).not.toContain('undefined')
      expect(await namesIn(account, list, query)).toEqual(expected)
      const everything = await namesIn(account, list)
      expect(expected.length).toBeGreaterThan(0)
      expect(everything.some((name) => !expected.includes(name))).toBe(true)
    },
  )

  test('what is refused is answered as it says', async () => {
    const { status, body } = await account.api.get(`/api/v4/${refused.list}?${refused.query}`)
    expect([status, body]).toEqual([400, refused.answer])
  })

  test.each([
    ['leads', LeadQuery],
    ['customers', CustomerQuery],
    ['tasks', TaskQuery],
  ])('each filter that %s have is in it', (list, { properties: { filter } }) => {
    const { properties } = filter as unknown as { properties: Record<string, object> }
    const queries = recipes.filter((recipe) => recipe.list === list).map(({ query }) => query)
    for (const name of Object.keys(properties))
      expect(queries.join('&')).toContain(`filter[${name}]`)
  })
})

/** The names in a list, the prices of purchases, or the texts of tasks. Fails if the list was not answered. */
async function namesIn({ api }: TestAccount, list: string, query = ''): Promise<string[]> {
  const { status, body } = await api.get(`/api/v4/${list}?${query}`)
  if (status !== 200) throw new Error(`${list}?${query} answered ${status}`)
  const [rows] = Object.values(body._embedded) as [
    { name?: string; text?: string; price?: number }[],
  ]
  return rows.map((row) => ('name' in row ? row.name! : (row.text ?? String(row.price))))
}

test('the page shows every example, and asks for nothing but its own style', async () => {
  const { kontor } = await server()
  const { status, headers, text } = await raw(kontor, { path: '/developers/filters' })
  expect(status).toBe(200)
  expect(headers['content-security-policy']).toMatch(/^default-src 'self';/)
  expect(text).not.toMatch(/<script|<style|(?:src|href)="(?!\/developers|#|data:,)|\bon\w+="/)
  const plain = text.replaceAll('<wbr />', '').replaceAll('&amp;', '&')
  for (const { finds, list, query } of recipes)
    expect(plain).toContain(`<dt>${finds}</dt><dd><code>GET /api/v4/${list}?${query}</code></dd>`)
  expect(
    plain.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))),
  ).toContain(JSON.stringify(refused.answer, null, 2))
})
