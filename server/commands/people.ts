import { firstIntegration } from '../features/programs/integrations/integrations.ts'
import { issueCode, issueLongLivedToken } from '../features/programs/oauth/oauth.ts'
import type { Kontor } from '../kontor.ts'
import { findAccount, findUser } from './whom.ts'

export interface NamedUserSettings {
  /** A subdomain. The first account by default. */
  account?: string
  /** An e-mail. The first administrator by default. */
  user?: string
}

/** `kontor code`: a new authorization code for the account's first integration. */
export async function code(kontor: Kontor, { account: subdomain, user: email }: NamedUserSettings) {
  const { database, secrets, now } = kontor
  const account = await findAccount(database, subdomain)
  const user = await findUser(database, account.id, email)
  const integration = await firstIntegration(database, secrets, account.id)
  if (!integration)
    throw new Error('the account has no integration; make one with "kontor integration create"')
  const authorization = {
    accountId: account.id,
    clientId: integration.client_id,
    userId: user.id,
    at: now(),
  }
  return { code: await database.transaction((tx) => issueCode(tx, authorization)), ...integration }
}

/** `kontor token`: a long-lived access token. `days` from 1 to 1,826 (five years). */
export async function token(
  kontor: Kontor,
  { account: subdomain, user: email, days = '365' }: NamedUserSettings & { days?: string },
) {
  const lasting = Number(days)
  if (!Number.isInteger(lasting) || lasting < 1 || lasting > 1826)
    throw new Error('--days takes a whole number from 1 to 1826')
  const account = await findAccount(kontor.database, subdomain)
  const user = await findUser(kontor.database, account.id, email)
  const at = kontor.now()
  const access_token = await kontor.database.transaction((tx) =>
    issueLongLivedToken(tx, kontor, {
      accountId: account.id,
      userId: user.id,
      at,
      expires_at: at + lasting * 86_400,
    }),
  )
  return { access_token }
}
