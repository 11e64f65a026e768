import { createIntegration, firstIntegration } from '../features/integrations/integrations.ts'
import { issueCode, issueLongLivedToken } from '../features/oauth/oauth.ts'
import { createUser, setUser } from '../features/users/users.ts'
import { SaidRights } from '../features/users/schema.ts'
import type { Rights } from '../http/access.ts'
import { compile } from '../http/validate.ts'
import type { Kontor } from '../kontor.ts'
import { randomText } from '../secrets.ts'
import { filled, findAccount, findUser } from './whom.ts'

export interface Whom {
  /** Subdomain; the first account when it is not said. */
  account?: string
  /** E-mail; the first administrator when it is not said. */
  user?: string
}

/** `kontor code`: a fresh authorization code for the account's first integration. */
export async function code(kontor: Kontor, { account: subdomain, user: email }: Whom) {
  const { database, secrets, now } = kontor
  const account = await findAccount(database, subdomain)
  const user = await findUser(database, account.id, email)
  const integration = await firstIntegration(database, secrets, account.id)
  if (!integration) throw new Error('the account has no integration; make one with "kontor integration create"')
  const whom = { accountId: account.id, clientId: integration.client_id, userId: user.id, at: now() }
  return { code: await database.transaction((tx) => issueCode(tx, whom)), ...integration }
}

/** `kontor token`: a long-lived access token. `days` from 1 to 1,826 (five years). */
export async function token(kontor: Kontor, { account: subdomain, user: email, days = '365' }: Whom & { days?: string }) {
  const lasting = Number(days)
  if (!Number.isInteger(lasting) || lasting < 1 || lasting > 1826) throw new Error('--days takes a whole number from 1 to 1826')
  const account = await findAccount(kontor.database, subdomain)
  const user = await findUser(kontor.database, account.id, email)
  const at = kontor.now()
  const access_token = await kontor.database.transaction((tx) =>
    issueLongLivedToken(tx, kontor, { accountId: account.id, userId: user.id, at, expires_at: at + lasting * 86_400 }),
  )
  return { access_token }
}

export interface UserSettings {
  account?: string
  name?: string
  password?: string
  admin?: boolean
  /** JSON: `{"leads":{"view":"M","edit":"M","add":"A"}}`; what is not said is denied. */
  rights?: string
  active?: boolean
}

/** `kontor user create`: answers the password when none was given. */
export async function userCreate({ database, now }: Kontor, email: string, settings: UserSettings) {
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new Error(`"${email}" is no e-mail address`)
  const account = await findAccount(database, settings.account)
  const password = filled('--password', settings.password ?? randomText(16))
  const rights = settings.rights === undefined ? undefined : readRights(settings.rights)
  const { admin: is_admin = false } = settings
  const name = filled('--name', settings.name ?? email)
  const draft = { name, email, password, is_admin, ...(rights && { rights }) }
  const id = await database.transaction((tx) => createUser(tx, account.id, now(), draft))
  return { id, account: account.subdomain, name, email, password, is_admin }
}

/** `kontor user set`: a new password, or active and not. */
export async function userSet(
  { database, now }: Kontor,
  email: string,
  { account: subdomain, password, active }: UserSettings,
) {
  if (password === undefined && active === undefined) throw new Error('nothing to set; say --password, --active or --no-active')
  if (password !== undefined) filled('--password', password)
  const account = await findAccount(database, subdomain)
  const found = await database.transaction((tx) => setUser(tx, account.id, now(), email, { password, isActive: active }))
  if (!found) throw new Error(`there is no user ${email} in the account "${account.subdomain}"`)
  return { account: account.subdomain, email, ...(active !== undefined && { is_active: active }) }
}

export interface IntegrationSettings extends Whom {
  redirectUri: string
  emptyList?: '200' | '204'
  forgivingRefresh?: boolean
}

/** `kontor integration create`: an integration of the account, installed there. */
export async function integrationCreate({ database, secrets, now }: Kontor, name: string, settings: IntegrationSettings) {
  const account = await findAccount(database, settings.account)
  const user = await findUser(database, account.id, settings.user)
  const empty_list = settings.emptyList && (Number(settings.emptyList) as 200 | 204)
  const draft = {
    name: filled('the name', name),
    redirect_uri: settings.redirectUri,
    empty_list,
    forgiving_refresh: settings.forgivingRefresh,
  }
  const whom = { accountId: account.id, userId: user.id, at: now() }
  return database.transaction((tx) => createIntegration(tx, secrets, whom, draft))
}

function readRights(text: string): Partial<Rights> {
  let said: unknown
  try {
    said = JSON.parse(text)
  } catch {
    throw new Error('--rights takes JSON like {"leads":{"view":"M","edit":"M","add":"A"}}')
  }
  const { value, faults } = compile(SaidRights)(said)
  if (faults[0]) throw new Error(`--rights, ${faults[0].path || 'as a whole'}: ${faults[0].detail}`)
  return value as Partial<Rights>
}
