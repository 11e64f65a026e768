import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import { client } from '../../../../test/client.ts'
import type { Answer } from '../../../../test/client.ts'

const path = '/api/v4/currencies'
const codesIn = ({ body }: Answer): string[] =>
  body._embedded.currencies.map(({ code }: { code: string }) => code)

test('all currencies are listed page by page, and each once', async () => {
  const { api } = await newAccount()
  const found: string[] = []
  let next: string | undefined = path
  while (next) {
    const answer: Answer = await api.get(next)
    expect(answer.status).toBe(200)
    found.push(...codesIn(answer))
    next = answer.body._links.next?.href
  }
  expect(found).toEqual([...new Set(found)].toSorted())
  expect(found).toEqual(expect.arrayContaining(['EUR', 'JPY', 'USD']))
  const { body } = await api.get(`${path}?limit=250`)
  expect(body._embedded.currencies).toContainEqual({ code: 'EUR', name: 'Euro' })
  // Counted pages hold the same, and the page after the last is empty.
  expect(codesIn(await api.get(`${path}?page=2&limit=10`))).toEqual(found.slice(10, 20))
  expect(codesIn(await api.get(`${path}?page=900`))).toEqual([])
})

test('a user without any right may read them, and nobody without a token', async () => {
  const account = await newAccount()
  const user = await account.addUser({ rights: {} })
  expect((await user.api.get(path)).status).toBe(200)
  expect((await client(account.kontor).get(path)).status).toBe(401)
})

test('every listed currency is one of a money field', async () => {
  const { api } = await newAccount()
  const drafts = codesIn(await api.get(`${path}?limit=5`)).map((currency) => ({
    name: currency,
    type: 'monetary',
    currency,
  }))
  expect((await api.post('/api/v4/leads/custom_fields', drafts)).status).toBe(201)
})

test.for(['page=-1', 'limit=x', 'after=-1'])('%s is refused', async (query) => {
  const { api } = await newAccount()
  expect((await api.get(`${path}?${query}`)).status).toBe(400)
})
