// The list of a user's own sessions, and the end of one of them.
import sql from 'sql-template-tag'
import { beforeAll, afterEach, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../../test/account.ts'
import { client } from '../../../../test/client.ts'
import { cookieIn, withCookie } from '../../../../test/session.ts'

const path = '/web/v1/sessions'
const password = 'correct horse'
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

let account: TestAccount
let user: TestUser
beforeAll(async () => {
  account = await newAccount()
  user = await account.addUser({ password })
})
afterEach(() => {
  account.clock.ahead = 0
})

async function enter({ email }: TestUser, userAgent = firefox, where = account) {
  const headers = { origin: where.kontor.url, 'user-agent': userAgent }
  const answer = await client(where.kontor).post('/web/v1/session', { email, password }, headers)
  expect(answer.status).toBe(200)
  const cookie = cookieIn(answer)
  return { cookie, api: withCookie(where.kontor, cookie) }
}

/** Until the notification of the change arrives, the process remembers the session. */
const isOut = ({ api }: Pick<TestUser, 'api'>) =>
  expect.poll(async () => (await api.get(path)).status, { timeout: 2000, interval: 10 }).toBe(401)

const listed = async ({ api }: Pick<TestUser, 'api'>) =>
  (await api.get(path)).body._embedded.sessions

test('a user has a hundred sessions, and the oldest ends with the next sign-in', async () => {
  const owner = await account.addUser({ password })
  const oldest = await enter(owner)
  await account.kontor.database.transaction((tx) =>
    tx.rows(sql`
      insert into sessions (account_id, user_id, is_chosen, hash, created_at, expires_at)
      select ${account.id}::bigint, ${owner.id}::bigint, true, decode(md5(${owner.id} || 'x' || each), 'hex'),
             ${account.kontor.now() + 1}::bigint, ${account.kontor.now() + 1000}::bigint
        from generate_series(1, 98) each`),
  )
  account.clock.ahead = 2
  const next = await enter(owner)
  expect(await listed(next)).toHaveLength(100)
  expect((await oldest.api.get(path)).status).toBe(200)
  const last = await enter(owner)
  await isOut(oldest)
  expect(await listed(last)).toHaveLength(100)
})

test('a user sees the own browsers, which one asks, and no token', async () => {
  const owner = await account.addUser({ password })
  const one = await enter(owner)
  const two = await enter(owner, 'curl/8.9.1')
  await enter(user)
  const shown = { id: expect.any(Number), created_at: expect.any(Number), address: '127.0.0.1' }
  const [latest, first] = await listed(two)
  expect(latest).toEqual({
    ...shown,
    last_used_at: latest.created_at,
    browser: 'curl',
    is_current: true,
  })
  expect(first).toEqual({
    ...shown,
    last_used_at: first.created_at,
    browser: 'Firefox on Linux',
    is_current: false,
  })
  expect(await listed(two)).toHaveLength(2)
  expect((await listed(one)).map(({ is_current }: { is_current: boolean }) => is_current)).toEqual([
    false,
    true,
  ])
  // A token is no session.
  const byToken = await listed(owner)
  expect(byToken.map(({ is_current }: { is_current: boolean }) => is_current)).toEqual([
    false,
    false,
  ])
  const token = two.cookie.split('=')[1]!
  expect(JSON.stringify(byToken)).not.toContain(token)
})

test('the last use is written once an hour', async () => {
  const owner = await account.addUser({ password })
  const here = await enter(owner)
  const lastUse = async () => (await listed(here))[0].last_used_at
  const first = await lastUse()
  account.clock.ahead = 3000
  expect(await lastUse()).toBe(first)
  account.clock.ahead = 3700
  expect(await lastUse()).toBeGreaterThanOrEqual(first + 3600)
  account.clock.ahead = 31 * 86_400
  expect(await listed(owner)).toEqual([])
})

test('one browser is signed out, and the others stay', async () => {
  const owner = await account.addUser({ password })
  const one = await enter(owner)
  const two = await enter(owner)
  const [second, first] = await listed(two)
  const end = async ({ api }: Pick<TestUser, 'api'>, id: number) =>
    (await api.delete(`${path}/${id}`)).status
  const [foreign] = await listed(await enter(user))
  const elsewhere = await newAccount()
  expect(await end(two, foreign.id)).toBe(404)
  expect(await end(elsewhere.admin, first.id)).toBe(404)
  expect(await end(account.admin, first.id)).toBe(404)
  expect(await end(two, first.id)).toBe(204)
  await isOut(one)
  expect(await end(two, first.id)).toBe(404)
  expect((await listed(two)).map(({ id }: { id: number }) => id)).toEqual([second.id])
  expect(await end(two, second.id)).toBe(204)
  await isOut(two)
})

test('two accounts of one browser have sessions of their own, which end together', async () => {
  const other = await newAccount()
  const email = `${crypto.randomUUID()}@example.com`
  const here = await account.addUser({ email, password })
  const there = await other.addUser({ email, password })
  const { api } = await enter(here)
  const [one] = await listed(here)
  const [two] = await listed(there)
  expect(one.id).not.toBe(two.id)
  expect((await there.api.delete(`${path}/${two.id}`)).status).toBe(204)
  await isOut({ api })
  expect(await listed(here)).toEqual([])
})
