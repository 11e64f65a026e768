// All that lets a user in, beside the password: it ends with the user's deactivation, for good.
import sql from 'sql-template-tag'
import { beforeAll, expect, test } from 'vitest'
import { newAccount, proof } from '../../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../../test/account.ts'
import { client } from '../../../../test/client.ts'
import type { Answer } from '../../../../test/client.ts'
import { exchange, pairIn } from '../../../../test/oauth.ts'
import { signIn } from '../../../../test/session.ts'
import { issueCode, issueLongLivedToken } from '../../programs/oauth/oauth.ts'
import { setUser } from './users.ts'

let account: TestAccount
let stranger: TestUser
beforeAll(async () => {
  account = await newAccount()
  stranger = await account.addUser()
})

const inTransaction: TestAccount['kontor']['database']['transaction'] = (work) =>
  account.kontor.database.transaction(work)

const issued = (user: TestUser, clientId: string | null) =>
  inTransaction((tx) => {
    const at = account.kontor.now()
    const token = { accountId: account.id, userId: user.id, clientId, at, expires_at: at + 86_400 }
    return issueLongLivedToken(tx, account.kontor, token)
  })

const codeOf = (user: TestUser) =>
  inTransaction((tx) =>
    issueCode(tx, {
      accountId: account.id,
      userId: user.id,
      clientId: account.integration.client_id,
      at: account.kontor.now(),
    }),
  )

const pairOf = async (user: TestUser) =>
  pairIn(await exchange(account, { code: await codeOf(user) }))

const opens = (token: string) => () => client(account.kontor).get('/api/v4/account', bearer(token))
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const linkFor = async (user: TestUser, by: TestUser) => {
  const { status, body } = await by.api.post(`/web/v1/users/${user.id}/reset-link`, proof)
  expect(status).toBe(200)
  const path = `/web/v1/password-resets/${body.url.split('/').at(-1)}`
  return () => client(account.kontor).get(path)
}

interface WayIn {
  /** Makes one in the name of a user, and answers how it is tried. */
  make(user: TestUser): Promise<() => Promise<Pick<Answer, 'status'>>>
  refused: number
  /** The tables that keep it. */
  tables: string[]
}

const waysIn: Record<string, WayIn> = {
  'a session': {
    make: async ({ email }) => {
      const { api } = await signIn(account.kontor, { email, ...proof })
      return () => api.get('/web/v1/session')
    },
    refused: 401,
    tables: ['sessions'],
  },
  'a known browser': {
    make: async (user) => {
      await signIn(account.kontor, { email: user.email, ...proof })
      return async () => {
        const [found] = await account.kontor.database.rows(
          sql`select from known_browsers where account_id = ${account.id} and user_id = ${user.id}`,
        )
        return { status: found ? 200 : 404 }
      }
    },
    refused: 404,
    tables: ['known_browsers'],
  },
  'a token made on the server': {
    make: async (user) => opens(await issued(user, null)),
    refused: 401,
    tables: ['grants'],
  },
  'a long-lived token of an integration': {
    make: async (user) => opens(await issued(user, account.integration.client_id)),
    refused: 401,
    tables: ['grants'],
  },
  'an access token': {
    make: async (user) => opens((await pairOf(user)).access_token),
    refused: 401,
    tables: ['grants'],
  },
  'a refresh token': {
    make: async (user) => {
      const { refresh_token } = await pairOf(user)
      return () => exchange(account, { refresh_token })
    },
    refused: 401,
    tables: ['grants', 'refresh_tokens'],
  },
  'an authorization code': {
    make: async (user) => {
      const code = await codeOf(user)
      return () => exchange(account, { code })
    },
    refused: 400,
    tables: ['authorization_codes'],
  },
  'an API key': {
    make: async (user) => {
      const { status, body } = await user.api.post('/web/v1/api-keys', { name: 'One', ...proof })
      expect(status).toBe(201)
      const pair = new URLSearchParams({ login: user.email, api_key: body.api_key })
      return () => client(account.kontor).get(`/api/v2/webhooks?${pair.toString()}`)
    },
    refused: 401,
    tables: ['api_keys'],
  },
  'a link for a new password': {
    make: (user) => linkFor(user, account.admin),
    refused: 404,
    tables: ['password_resets'],
  },
  'a link that the user made for another': {
    make: (user) => linkFor(stranger, user),
    refused: 404,
    tables: ['password_resets'],
  },
  'an invitation that the user made': {
    make: async (user) => {
      const email = `${crypto.randomUUID()}@example.com`
      const { status, body } = await user.api.post('/web/v1/invitations', { email, ...proof })
      expect(status).toBe(201)
      return () => client(account.kontor).get(`/web/v1/invites/${body.url.split('/').at(-1)}`)
    },
    refused: 404,
    tables: ['invitations'],
  },
}

const byRequest = async ({ id }: TestUser, isActive: boolean) => {
  const path = `/api/v4/users/${isActive ? 'activate' : 'deactivate'}`
  expect((await account.api.post(path, [{ id }])).status).toBe(204)
}

const byCommand = async ({ email }: TestUser, isActive: boolean) => {
  await inTransaction((tx) => setUser(tx, account.id, account.kontor.now(), email, { isActive }))
}

/** A process remembers callers until the notification of the change arrives. */
const answers = (attempt: () => Promise<Pick<Answer, 'status'>>, status: number) =>
  expect.poll(async () => (await attempt()).status, { timeout: 5000, interval: 20 }).toBe(status)

const isUsedUp = (name: string) => /refresh|code/.test(name)

const ended = Object.entries({ 'a request': byRequest, 'the command': byCommand })
test.each(
  Object.entries(waysIn).flatMap(([name, way]) =>
    ended.map(([by, setActive]) => ({ name, by, way, setActive })),
  ),
)('$name is over for good when $by deactivates the user', async ({ name, way, setActive }) => {
  const user = await account.addUser({ is_admin: true })
  const before = await way.make(user)
  // A code and a refresh token are good once: another one is tried later.
  const later = isUsedUp(name) ? await way.make(user) : before
  await answers(before, 200)
  await setActive(user, false)
  await answers(later, way.refused)
  await setActive(user, true)
  // The answer to a fresh token shows that the activation has arrived.
  await answers(opens(await issued(user, null)), 200)
  expect((await later()).status).toBe(way.refused)
  const again = { ...user, api: client(account.kontor, await issued(user, null)) }
  await answers(await way.make(again), 200)
})

test('a token that a request made after the deactivation is over with the activation', async () => {
  const user = await account.addUser()
  await byRequest(user, false)
  const late = opens(await issued(user, null))
  await byRequest(user, true)
  await answers(opens(await issued(user, null)), 200)
  expect((await late()).status).toBe(401)
})

test('an activation of an active user ends nothing', async () => {
  const user = await account.addUser()
  await byRequest(user, true)
  expect((await user.api.get('/api/v4/account')).status).toBe(200)
})

test('grants that ended with their user are listed no more, and refused as revoked', async () => {
  const user = await account.addUser()
  const pair = await pairOf(user)
  const path = `/web/v1/integrations/${account.integration.client_id}/grants`
  const listed = async () => {
    const { body } = await account.api.get(path)
    const grants: { user_id: number }[] = body?._embedded.grants ?? []
    return grants.some(({ user_id }) => user_id === user.id)
  }
  expect(await listed()).toBe(true)
  await byRequest(user, false)
  expect(await listed()).toBe(false)
  await byRequest(user, true)
  expect(await listed()).toBe(false)
  const { status, body } = await exchange(account, { refresh_token: pair.refresh_token })
  expect([status, body.hint]).toEqual([401, 'Token has been revoked'])
})

test('every table that keeps a secret of a user has its way in here, or says why not', async () => {
  const others = {
    idempotency_keys: 'no secret: a hash of the caller and of a key that lets nobody in',
    recovery_codes: 'a second factor, which asks for the password first',
  }
  const found = await account.kontor.database.rows<{ name: string }>(sql`
    select distinct table_name as name from information_schema.columns
     where table_schema = 'public' and data_type = 'bytea' and column_name = 'hash'`)
  const known = Object.values(waysIn).flatMap(({ tables }) => tables)
  expect(found.map(({ name }) => name).toSorted()).toEqual(
    [...new Set([...known, ...Object.keys(others)])].filter((name) => name !== 'grants').toSorted(),
  )
})
