import sql, { empty } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import type { PagePosition } from '../../../http/paging.ts'

/** A key as it is listed. The key itself is stored nowhere. */
export interface ApiKeyRow {
  id: number
  name: string
  user_id: number
  login: string
  created_at: number
  last_used_at: number | null
}

/** A page of the keys of the account, or of one user, in the order of ids. */
export const apiKeyPage = (
  { accountId }: Pick<Actor, 'accountId'>,
  userId: number | undefined,
  { after, offset, limit }: PagePosition,
): Sql => sql`
  select held.id, held.name, held.user_id, person.email as login, held.created_at, held.last_used_at
    from api_keys held
    join users person on person.account_id = held.account_id and person.id = held.user_id
   where held.account_id = ${accountId} ${userId === undefined ? empty : sql`and held.user_id = ${userId}`}
     ${after ? sql`and held.id > ${after.id}` : empty}
   order by held.id limit ${limit} offset ${offset}`

/** Makes others wait who add a key for the user, or deactivate the user. */
export const lockUser = ({ accountId }: Pick<Actor, 'accountId'>, userId: number): Sql => sql`
  select id, email as login from users
   where account_id = ${accountId} and id = ${userId} and is_active for no key update`

export const countApiKeys = ({ accountId }: Pick<Actor, 'accountId'>, userId: number): Sql => sql`
  select count(*) as total from api_keys where account_id = ${accountId} and user_id = ${userId}`

export const insertApiKey = (
  { accountId, at }: Pick<Actor, 'accountId' | 'at'>,
  { user_id, name, hash }: { user_id: number; name: string; hash: Buffer },
): Sql => sql`
  insert into api_keys (account_id, user_id, name, hash, created_at)
  values (${accountId}, ${user_id}, ${name}, ${hash}, ${at})
  returning id`

/** Deletes a key of the account, or one of a user. Answers its id, and nothing if there is none. */
export const removeApiKey = (
  { accountId }: Pick<Actor, 'accountId'>,
  id: number,
  userId: number | undefined,
): Sql => sql`
  delete from api_keys
   where account_id = ${accountId} and id = ${id} ${userId === undefined ? empty : sql`and user_id = ${userId}`}
  returning id`
