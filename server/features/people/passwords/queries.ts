import sql from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'

type Person = Pick<Actor, 'accountId' | 'userId'>

export const emailOfUser = ({ accountId, userId }: Person) => sql`
  select email from users where account_id = ${accountId} and id = ${userId}`

/** Answers nothing where the password is another one meanwhile. */
export const changePasswordFrom = (
  { accountId, userId }: Person,
  before: string,
  password_hash: string,
  at: number,
) => sql`
  update users set password_hash = ${password_hash}, updated_at = greatest(${at}::bigint, created_at)
   where account_id = ${accountId} and id = ${userId} and password_hash = ${before}
  returning id`

export const setPassword = (
  { accountId, userId }: Person,
  password_hash: string,
  at: number,
) => sql`
  update users set password_hash = ${password_hash}, updated_at = greatest(${at}::bigint, created_at)
   where account_id = ${accountId} and id = ${userId} and is_active
  returning id`

/**
 * Ends the sessions of a user, forgets the browsers and voids a link for a new password; with
 * `session` and `browser` all but these stay.
 */
export const endAccess = (
  { accountId, userId }: Person,
  { session, browser }: { session?: Buffer | undefined; browser?: Buffer | undefined } = {},
) => sql`
  with browsers as (
    delete from known_browsers
     where account_id = ${accountId} and user_id = ${userId} and hash is distinct from ${browser ?? null}::bytea
  ), links as (
    delete from password_resets where account_id = ${accountId} and user_id = ${userId}
  )
  delete from sessions
   where account_id = ${accountId} and user_id = ${userId} and hash is distinct from ${session ?? null}::bytea`

export const putReset = (actor: Actor, userId: number, hash: Buffer, expires_at: number) => sql`
  insert into password_resets (account_id, user_id, hash, created_by, created_at, expires_at)
  values (${actor.accountId}, ${userId}, ${hash}, ${actor.userId}, ${actor.at}, ${expires_at})
  on conflict (account_id, user_id) do update
     set hash = excluded.hash, created_by = excluded.created_by, created_at = excluded.created_at,
         expires_at = excluded.expires_at`

/** A link with which a user sets a new password, and who that is. */
export interface ResetRow {
  account_id: number
  user_id: number
  account_name: string
  name: string
  email: string
  expires_at: number
}

/** The good link with a hash; at the address of an account, only one of that account. */
export const resetByHash = (hash: Buffer, subdomain: string | undefined, at: number) => sql`
  select link.account_id, link.user_id, account.name as account_name, person.name, person.email, link.expires_at
    from password_resets link
    join accounts account on account.id = link.account_id
    join users person on person.account_id = link.account_id and person.id = link.user_id
    join users creator on creator.account_id = link.account_id and creator.id = link.created_by
   where link.hash = ${hash} and (${subdomain ?? null}::text is null or account.subdomain = ${subdomain ?? null})
     and creator.is_active and creator.is_admin and person.is_active and link.expires_at > ${at}`

/** Answers nothing where the link was used or replaced meanwhile. */
export const takeReset = (hash: Buffer, at: number) => sql`
  delete from password_resets where hash = ${hash} and expires_at > ${at} returning user_id`
