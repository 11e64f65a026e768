import { randomBytes } from 'node:crypto'
import sql from 'sql-template-tag'
import type { Config } from '../server/config.ts'
import { createAccount } from '../server/features/people/accounts/accounts.ts'
import { createIntegration } from '../server/features/programs/integrations/integrations.ts'
import type {
  Credentials,
  NewIntegration,
} from '../server/features/programs/integrations/integrations.ts'
import { issueCode, issueLongLivedToken } from '../server/features/programs/oauth/oauth.ts'
import { createUser } from '../server/features/people/users/users.ts'
import type { UserSettingsDraft } from '../server/features/people/users/users.ts'
import type { Kontor } from '../server/kontor.ts'
import { hashPassword } from '../server/secrets.ts'
import { client } from './client.ts'
import type { Client } from './client.ts'
import { server } from './server.ts'
import type { Server } from './server.ts'

export interface TestUser {
  id: number
  email: string
  /** A client with this user's token. Every answer is checked against the published document. */
  api: Client
  token: string
}

export interface TestAccount extends Server {
  id: number
  subdomain: string
  kontor: Kontor
  admin: TestUser
  /** The administrator's client. */
  api: Client
  integration: Credentials
  /** Adds a user and issues a token. */
  addUser(draft?: Partial<UserSettingsDraft>): Promise<TestUser>
  addIntegration(draft: Partial<NewIntegration>): Promise<Credentials>
  /** A new authorization code for an integration, in the name of the administrator. */
  code(integration?: Credentials): Promise<string>
}

/**
 * The cost of passwords of tests, which are checked in microseconds: a stored hash names its own. What
 * passwords cost users is tested where they are set over HTTP.
 */
const cheap = { memory: 8, passes: 1 }

/** By what a user of a test account proves who it is, who has no other password. */
export const proof = { password: 'The horse of a test 1' }

/**
 * A new account with an administrator and an integration, on a server with these settings. Tests
 * share nothing else.
 */
export async function newAccount(settings: Partial<Config> = {}): Promise<TestAccount> {
  const { kontor, ...around } = await server(settings)
  const { database, secrets } = kontor
  const subdomain = `test-${randomBytes(6).toString('hex')}`
  const id = await database.transaction((tx) =>
    createAccount(tx, kontor.now(), { subdomain, name: subdomain }),
  )

  async function addUser({
    password = proof.password,
    ...draft
  }: Partial<UserSettingsDraft> = {}): Promise<TestUser> {
    const email = draft.email ?? `${randomBytes(6).toString('hex')}@${subdomain}.example`
    const [userId, token] = await database.transaction(async (tx) => {
      const at = kontor.now()
      const userId = await createUser(tx, id, at, { name: 'A user', ...draft, email })
      await tx.rows(sql`
        update users set password_hash = ${await hashPassword(password, cheap)} where account_id = ${id} and id = ${userId}`)
      const expires_at = at + 1000 * 86_400
      return [
        userId,
        await issueLongLivedToken(tx, kontor, { accountId: id, userId, at, expires_at }),
      ] as const
    })
    return { id: userId, email, token, api: client(kontor, token) }
  }

  const admin = await addUser({ name: 'The administrator', is_admin: true })
  const addIntegration = (draft: Partial<NewIntegration>) =>
    database.transaction((tx) =>
      createIntegration(
        tx,
        secrets,
        { accountId: id, userId: admin.id, at: kontor.now() },
        { name: 'An integration', redirect_uri: 'https://example.com/oauth', ...draft },
      ),
    )
  const integration = await addIntegration({})
  return {
    ...around,
    id,
    subdomain,
    kontor,
    admin,
    integration,
    addUser,
    addIntegration,
    api: admin.api,
    code: ({ client_id } = integration) =>
      database.transaction((tx) =>
        issueCode(tx, {
          accountId: id,
          clientId: client_id,
          userId: admin.id,
          at: kontor.now(),
        }),
      ),
  }
}
