// Codes, grants and tokens. A code is used once within 20 minutes and becomes a grant. Each refresh
// token of a grant is used once and yields the next one. A used token that returns means a lost
// answer or a thief: within a minute it is only refused (or accepted, if the integration is set
// so), later it revokes the whole grant (interface: Token lifetimes). Codes and refresh tokens
// begin with their account, so a look-up by primary key finds them; only their hashes are stored.
import sql from 'sql-template-tag'
import type { Database, Tx } from '../../../database/connect.ts'
import { forgetAccess } from '../../../access/remembered.ts'
import { publicHost } from '../../../http/addresses.ts'
import type { Kontor } from '../../../kontor.ts'
import { hash, randomText } from '../../../secrets.ts'
import type { Integration } from '../integrations/integrations.ts'
import { oauthRefusals } from './refusal.ts'
import type { Refusal } from './refusal.ts'
import * as queries from './queries.ts'
import type { CodeRow, RefreshRow } from './queries.ts'

/**
 * Lifetimes in seconds of a code, of an access token, and of a repeat that is accepted
 * (interface: Token lifetimes).
 */
export const codeSeconds = 20 * 60
const accessSeconds = 24 * 60 * 60
const repeatSeconds = 60
/** A refresh token lives three months from its issue. */
const refreshMonths = 3

const usualScopes = ['crm', 'notifications']

export interface NewTokens {
  accountId: number
  grantId: number
  userId: number
  clientId: string
  scopes: string[]
  refresh_token: string
}

/**
 * Issues an authorization code for an integration in an account, on behalf of a user. Without
 * `scopes`, the code gets the scopes of the integration at its exchange.
 */
export async function issueCode(
  tx: Tx,
  {
    accountId,
    clientId,
    userId,
    scopes,
    at,
  }: { accountId: number; clientId: string; userId: number; scopes?: string[]; at: number },
): Promise<string> {
  const code = `def50200-${accountId}-${randomText(64)}`
  const [account_id, client_id, user_id] = [accountId, clientId, userId]
  await tx.rows(
    queries.insertCode({
      account_id,
      hash: hash(code),
      client_id,
      user_id,
      scopes: scopes ?? null,
      at,
    }),
  )
  return code
}

/**
 * Exchanges a code. Answers the new tokens or the refusal, which is not thrown because the
 * transaction may have to record it.
 */
export async function exchangeCode(
  tx: Tx,
  integration: Integration,
  code: string,
  at: number,
): Promise<NewTokens | Refusal> {
  const accountId = accountIn(code)
  const row = accountId && (await tx.row<CodeRow>(queries.lockCode(accountId, hash(code))))
  if (!row) return oauthRefusals.unreadableCode
  if (row.client_id !== integration.client_id) return oauthRefusals.codeOfAnother
  if (row.used_at !== null) {
    if (at - row.used_at > repeatSeconds && row.grant_id)
      await revoke(tx, accountId, row.grant_id, at)
    return oauthRefusals.usedCode
  }
  if (at >= row.created_at + codeSeconds) return oauthRefusals.expiredCode
  if (!row.is_active || !row.is_enabled) return oauthRefusals.usedCode
  const { client_id, user_id } = row
  const scopes = row.scopes ?? integration.scopes
  const grant = { account_id: accountId, user_id, client_id, scopes, at, expires_at: null }
  const { id: grantId } = (await tx.row<{ id: number }>(queries.insertGrant(grant)))!
  await tx.rows(queries.useCode(accountId, hash(code), grantId, at))
  return addRefreshToken(
    tx,
    { accountId, grantId, userId: user_id, clientId: client_id, scopes },
    at,
  )
}

/** Exchanges a refresh token. Answers like `exchangeCode`. */
export async function exchangeRefreshToken(
  tx: Tx,
  integration: Integration,
  token: string,
  at: number,
): Promise<NewTokens | Refusal> {
  const accountId = accountIn(token)
  const row =
    accountId && (await tx.row<RefreshRow>(queries.lockRefreshToken(accountId, hash(token))))
  if (!row) return oauthRefusals.unreadableRefreshToken
  if (
    row.client_id !== integration.client_id ||
    row.revoked_at !== null ||
    !row.is_active ||
    !row.is_enabled
  )
    return oauthRefusals.revokedRefreshToken
  if (at >= row.expires_at) return oauthRefusals.expiredRefreshToken
  if (row.used_at !== null) {
    // After the clock was put back, a used token seems used in the future. It is neither a repeat
    // nor surely a thief's.
    const isRepeat = Math.abs(at - row.used_at) <= repeatSeconds
    if (at - row.used_at > repeatSeconds) await revoke(tx, accountId, row.grant_id, at)
    if (!isRepeat || !integration.forgiving_refresh) return oauthRefusals.revokedRefreshToken
  } else {
    await tx.rows(queries.useRefreshToken(accountId, hash(token), at))
  }
  const { grant_id: grantId, user_id: userId, client_id: clientId, scopes } = row
  return addRefreshToken(tx, { accountId, grantId, userId, clientId, scopes }, at)
}

export interface LongLived {
  accountId: number
  userId: number
  /** The integration of the token; null for a token made on the server itself. */
  clientId?: string | null
  scopes?: string[]
  at: number
  expires_at: number
}

/**
 * A long-lived access token without a refresh token. It can be revoked like a grant and ends at
 * `expires_at`.
 */
export async function issueLongLivedToken(
  tx: Tx,
  kontor: Pick<Kontor, 'signing' | 'url'>,
  {
    accountId: account_id,
    userId: user_id,
    clientId: client_id = null,
    scopes = usualScopes,
    at,
    expires_at,
  }: LongLived,
): Promise<string> {
  const { id } = (await tx.row<{ id: number }>(
    queries.insertGrant({ account_id, user_id, client_id, scopes, at, expires_at }),
  ))!
  const claims = { account_id, grant_id: id, user_id, client_id, scopes, exp: expires_at }
  return kontor.signing.sign(claims, at, publicHost(kontor))
}

/** The response body of the token endpoint (interface: Token pair). */
export async function tokenPair(kontor: Kontor, tokens: NewTokens, host: string, at: number) {
  const {
    accountId: account_id,
    grantId: grant_id,
    userId: user_id,
    clientId: client_id,
    scopes,
    refresh_token,
  } = tokens
  const claims = { account_id, grant_id, user_id, client_id, scopes, exp: at + accessSeconds }
  const access_token = await kontor.signing.sign(claims, at, host)
  return {
    token_type: 'Bearer' as const,
    expires_in: accessSeconds,
    server_time: at,
    access_token,
    refresh_token,
  }
}

/**
 * Deletes expired access, codes and second factors that were begun only a day after that; a used
 * refresh token stays until its expiry, because its return reveals a thief. Answers the number of
 * deleted rows.
 */
export async function dropExpiredAccess(database: Database, at: number): Promise<number> {
  const gone = await database.transaction((tx) =>
    tx.rows(sql`
      with codes as (delete from authorization_codes where created_at < ${at - daySeconds} returning 1),
           tokens as (delete from refresh_tokens where expires_at < ${at - daySeconds} returning 1),
           visits as (delete from sessions where expires_at < ${at} returning 1),
           browsers as (delete from known_browsers where expires_at < ${at} returning 1),
           resets as (delete from password_resets where expires_at < ${at} returning 1),
           invited as (delete from invitations where expires_at < ${at} returning 1),
           begun as (delete from second_factors
                      where confirmed_at is null and created_at < ${at - daySeconds} returning 1)
      select from codes union all select from tokens union all select from visits union all select from browsers
       union all select from resets union all select from invited union all select from begun`),
  )
  return gone.length
}

const daySeconds = 86_400

async function addRefreshToken(
  tx: Tx,
  tokens: Omit<NewTokens, 'refresh_token'>,
  at: number,
): Promise<NewTokens> {
  const refresh_token = `def50201-${tokens.accountId}-${randomText(128)}`
  const expires = new Date(at * 1000)
  expires.setUTCMonth(expires.getUTCMonth() + refreshMonths)
  const expires_at = Math.floor(expires.getTime() / 1000)
  const { accountId: account_id, grantId: grant_id } = tokens
  await tx.rows(
    queries.insertRefreshToken({ account_id, hash: hash(refresh_token), grant_id, at, expires_at }),
  )
  return { ...tokens, refresh_token }
}

async function revoke(tx: Tx, accountId: number, grantId: number, at: number): Promise<void> {
  await tx.rows(queries.endGrantById(accountId, grantId, at))
  await forgetAccess(tx)
}

/** The account id in a code or refresh token; undefined for a text that is neither. */
export function accountIn(token: string): number | undefined {
  const [, digits] = /^def5020[01]-(\d{1,15})-[A-Za-z\d]{64,128}$/.exec(token) ?? []
  return digits ? Number(digits) : undefined
}
