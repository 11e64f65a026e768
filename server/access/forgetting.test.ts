// Rights can change while servers remember them. The database notifies every server of a change within a moment; without a
// notice, a remembered answer lasts ten seconds. So a change seen here in less time came by a notice.
import sql from 'sql-template-tag'
import { afterEach, expect, test, vi } from 'vitest'
import { newAccount } from '../../test/account.ts'
import { client } from '../../test/client.ts'
import { exchange, newPair, refresh } from '../../test/oauth.ts'
import { server } from '../../test/server.ts'
import { setAccount } from '../features/people/accounts/accounts.ts'
import { setUser } from '../features/people/users/users.ts'
import type { Kontor } from '../kontor.ts'
import { forgetAccess } from './remembered.ts'
const byWord = { timeout: 8000, interval: 20 }

afterEach(async () => {
  const { clock } = await server()
  clock.ahead = 0
})

async function statusAt(kontor: Kontor, token: string, path = '/api/v4/account'): Promise<number> {
  return (await client(kontor, token).get(path)).status
}

test('the tokens of a deactivated user stop at once, on every server, and for good', async () => {
  const account = await newAccount()
  const { kontor: other } = await server({ databasePool: 3 })
  const { token, email } = await account.addUser()
  const set = (isActive: boolean) =>
    account.kontor.database.transaction((tx) =>
      setUser(tx, account.id, account.kontor.now(), email, { isActive }),
    )
  for (const kontor of [account.kontor, other]) expect(await statusAt(kontor, token)).toBe(200)

  expect(await set(false)).toBe(true)
  // The server that made the change waits for no word of it.
  expect(await statusAt(account.kontor, token)).toBe(401)
  await vi.waitFor(async () => expect(await statusAt(other, token)).toBe(401), byWord)
  expect(await statusAt(account.kontor, account.admin.token)).toBe(200)

  await set(true)
  for (const kontor of [account.kontor, other]) expect(await statusAt(kontor, token)).toBe(401)
})

test('a deactivated user gets no tokens either', async () => {
  const account = await newAccount()
  const [pair, code] = [await newPair(account), await account.code()]
  // The last administrator of an account cannot be shut out.
  await account.addUser({ is_admin: true })
  const { database, now } = account.kontor
  await database.transaction((tx) =>
    setUser(tx, account.id, now(), account.admin.email, { isActive: false }),
  )
  expect((await refresh(account, pair)).body).toMatchObject({
    status: 401,
    hint: 'Token has been revoked',
  })
  expect((await exchange(account, { code })).body).toMatchObject({
    status: 400,
    hint: 'Authorization code has been revoked',
  })
})

test('the tokens of a disabled integration stop at once, and those of its neighbour do not', async () => {
  const account = await newAccount()
  const { kontor, integration } = account
  const neighbour = await account.addIntegration({})
  const [pair, similar, code] = [
    await newPair(account),
    await newPair(account, neighbour),
    await account.code(),
  ]
  expect(await statusAt(kontor, pair.access_token)).toBe(200)
  await kontor.database.transaction(async (tx) => {
    await tx.rows(
      sql`update installations set is_enabled = false where client_id = ${integration.client_id}`,
    )
    await forgetAccess(tx)
  })
  await vi.waitFor(async () => expect(await statusAt(kontor, pair.access_token)).toBe(401), byWord)
  expect((await refresh(account, pair)).body).toMatchObject({
    status: 401,
    hint: 'Token has been revoked',
  })
  expect((await exchange(account, { code })).body).toMatchObject({
    status: 400,
    hint: 'Authorization code has been revoked',
  })
  expect(await statusAt(kontor, similar.access_token)).toBe(200)
})

test('what a change without word leaves remembered ends after ten seconds', async () => {
  const { kontor, clock, id, addUser } = await newAccount()
  const user = await addUser()
  expect(await statusAt(kontor, user.token)).toBe(200)
  await kontor.database.rows(
    sql`update users set is_active = false where account_id = ${id} and id = ${user.id}`,
  )
  clock.ahead = 10
  expect(await statusAt(kontor, user.token)).toBe(401)
})

test('an account that is not paid reads, but neither writes nor sees events', async () => {
  const { kontor, admin, subdomain } = await newAccount()
  const api = client(kontor, admin.token)
  const pay = (isUnpaid: boolean) =>
    kontor.database.transaction((tx) => setAccount(tx, kontor.now(), subdomain, { isUnpaid }))
  expect(await statusAt(kontor, admin.token, '/api/v4/events')).toBe(200)
  await pay(true)
  await vi.waitFor(
    async () => expect(await statusAt(kontor, admin.token, '/api/v4/events')).toBe(402),
    byWord,
  )
  expect(await statusAt(kontor, admin.token, '/api/v4/leads')).toBe(200)
  const refused = await api.post('/api/v4/leads', [{ name: 'A lead' }])
  expect([refused.status, refused.body.detail]).toEqual([402, 'Payment Required'])
  await pay(false)
  await vi.waitFor(
    async () => expect(await statusAt(kontor, admin.token, '/api/v4/events')).toBe(200),
    byWord,
  )
})
