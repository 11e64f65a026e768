import sql from 'sql-template-tag'

export const insertCode = (code: {
  account_id: number
  hash: Buffer
  client_id: string
  user_id: number
  scopes: string[] | null
  at: number
}) => sql`
  insert into authorization_codes (account_id, hash, client_id, user_id, scopes, created_at)
  values (${code.account_id}, ${code.hash}, ${code.client_id}, ${code.user_id}, ${code.scopes}, ${code.at})`

/** A code for its exchange; locked, so that only one of two concurrent exchanges succeeds. */
export interface CodeRow {
  client_id: string
  user_id: number
  scopes: string[] | null
  created_at: number
  used_at: number | null
  grant_id: number | null
  is_active: boolean
  is_enabled: boolean
}

export const lockCode = (accountId: number, hash: Buffer) => sql`
  select code.client_id, code.user_id, code.scopes, code.created_at, code.used_at, code.grant_id, person.is_active,
         coalesce(installed.is_enabled, false) as is_enabled
    from authorization_codes code
    join users person on person.account_id = code.account_id and person.id = code.user_id
    left join installations installed on installed.account_id = code.account_id and installed.client_id = code.client_id
   where code.account_id = ${accountId} and code.hash = ${hash}
     for no key update of code`

export const useCode = (accountId: number, hash: Buffer, grantId: number, at: number) => sql`
  update authorization_codes set used_at = ${at}, grant_id = ${grantId} where account_id = ${accountId} and hash = ${hash}`

export const insertGrant = (grant: {
  account_id: number
  user_id: number
  client_id: string | null
  scopes: string[]
  at: number
  expires_at: number | null
}) => sql`
  insert into grants (account_id, user_id, client_id, scopes, created_at, expires_at)
  values (${grant.account_id}, ${grant.user_id}, ${grant.client_id}, ${grant.scopes}, ${grant.at}, ${grant.expires_at})
  returning id`

export const endGrantById = (accountId: number, grantId: number, at: number) => sql`
  update grants set revoked_at = ${at} where account_id = ${accountId} and id = ${grantId} and revoked_at is null`

export const insertRefreshToken = (token: {
  account_id: number
  hash: Buffer
  grant_id: number
  at: number
  expires_at: number
}) => sql`
  insert into refresh_tokens (account_id, hash, grant_id, created_at, expires_at)
  values (${token.account_id}, ${token.hash}, ${token.grant_id}, ${token.at}, ${token.expires_at})`

/**
 * A refresh token for its exchange, with its grant; locked, so that only one of two concurrent
 * refreshes succeeds.
 */
export interface RefreshRow {
  grant_id: number
  user_id: number
  client_id: string
  scopes: string[]
  expires_at: number
  used_at: number | null
  revoked_at: number | null
  is_active: boolean
  is_enabled: boolean
}

export const lockRefreshToken = (accountId: number, hash: Buffer) => sql`
  select token.grant_id, given.user_id, given.client_id, given.scopes, token.expires_at, token.used_at, given.revoked_at,
         person.is_active, coalesce(installed.is_enabled, false) as is_enabled
    from refresh_tokens token
    join grants given on given.account_id = token.account_id and given.id = token.grant_id
    join users person on person.account_id = given.account_id and person.id = given.user_id
    left join installations installed on installed.account_id = given.account_id and installed.client_id = given.client_id
   where token.account_id = ${accountId} and token.hash = ${hash}
     for no key update of token`

/** The account of a refresh token that its exchange would accept. */
export const accountOfRefreshToken = (accountId: number, hash: Buffer, at: number) => sql`
  select account.id, account.subdomain, account.id = (select min(id) from accounts) as is_first
    from refresh_tokens token
    join accounts account on account.id = token.account_id
    join grants given on given.account_id = token.account_id and given.id = token.grant_id
    join users person on person.account_id = given.account_id and person.id = given.user_id
    join installations installed on installed.account_id = given.account_id and installed.client_id = given.client_id
   where token.account_id = ${accountId} and token.hash = ${hash} and token.used_at is null
     and token.expires_at > ${at} and given.revoked_at is null and person.is_active and installed.is_enabled`

export const oneAccount = (accountId: number) => sql`
  select id, subdomain, id = (select min(id) from accounts) as is_first from accounts where id = ${accountId}`

export const useRefreshToken = (accountId: number, hash: Buffer, at: number) => sql`
  update refresh_tokens set used_at = ${at} where account_id = ${accountId} and hash = ${hash}`

export const accountBySubdomain = (subdomain: string) =>
  sql`select id from accounts where subdomain = ${subdomain}`

export const accountsThatEnabled = (accountIds: number[], client_id: string) => sql`
  select account_id from installations
   where account_id = any(${accountIds}::bigint[]) and client_id = ${client_id} and is_enabled`
