import sql from 'sql-template-tag'
import type { Rights } from '../../../access/rights.ts'
import type { Actor } from '../../../access/actor.ts'
import type { PagePosition } from '../../../http/paging.ts'
import { roleOfPerson } from '../../../access/user-access.ts'
import type { User } from './schema.ts'

export interface UserRow {
  id: number
  name: string
  email: string
  lang: User['lang']
  group_id: number
  group_name: string
  role_id: number | null
  role_name: string | null
  is_admin: boolean
  is_free: boolean
  is_active: boolean
  /** The rights of the role, for users with a role. */
  rights: Rights
  uuid: string
  amojo_id: string
  user_rank: string | null
  phone_number: string | null
}

const users = sql`
  select person.id, person.name, person.email, person.language as lang, person.group_id, "group".name as group_name,
         person.role_id, role.name as role_name, person.is_admin, person.is_free, person.is_active,
         coalesce(role.rights, person.rights) as rights, person.uuid, person.amojo_id, person.user_rank, person.phone_number
    from users person
    join groups "group" on "group".account_id = person.account_id and "group".id = person.group_id
    ${roleOfPerson}`

export const userList = (actor: Actor, { after, offset, limit }: PagePosition) => sql`
  ${users} where person.account_id = ${actor.accountId} and person.id > ${after?.id ?? 0}
   order by person.id limit ${limit} offset ${offset}`

export const ownSummary = ({ accountId, userId }: Pick<Actor, 'accountId' | 'userId'>) => sql`
  select id, name, email, language as lang, group_id, is_admin, is_free from users
   where account_id = ${accountId} and id = ${userId}`

/** The users as every page of the web application names them. */
export const userSummaries = ({ accountId }: Actor) => sql`
  select id, name, group_id, is_active, is_admin from users where account_id = ${accountId} order by id`

/** How the users of the account sign in. A user without a session was not seen, or has signed out. */
export const signInsOfUsers = ({ accountId }: Actor) => sql`
  select person.id,
         (select max(coalesce(session.last_used_at, session.created_at)) from sessions session
           where session.account_id = person.account_id and session.user_id = person.id) as last_seen_at,
         exists (select from second_factors factor
                  where factor.account_id = person.account_id and factor.user_id = person.id
                    and factor.confirmed_at is not null) as has_second_factor,
         case when person.made_by is not null then
           (select json_build_object('client_id', made.client_id, 'name', made.name)
              from integrations made where made.client_id = person.made_by) end as made_by
    from users person where person.account_id = ${accountId} order by person.id`

export const usersById = (actor: Actor, ids: number[]) => sql`
  ${users} where person.account_id = ${actor.accountId} and person.id = any(${ids}::bigint[]) order by person.id`

/** The users with one of these roles. */
export const usersWithRoles = (actor: Actor, roles: number[]) => sql`
  ${users} where person.account_id = ${actor.accountId} and person.role_id = any(${roles}::bigint[]) order by person.id`

export const usersOfGroup = (actor: Actor, group: number) => sql`
  select id from users where account_id = ${actor.accountId} and group_id = ${group} order by id`

export const userByEmail = (actor: Actor, email: string) => sql`
  select id from users where account_id = ${actor.accountId} and email = ${email}`

/** The active users that an integration has made, the caller apart. */
export const usersMadeBy = ({ accountId, userId }: Actor, clientId: string) => sql`
  select id from users
   where account_id = ${accountId} and made_by = ${clientId} and is_active and id <> ${userId} order by id`

export const countUsers = (actor: Actor) => sql`
  select count(*) as total from users where account_id = ${actor.accountId}`

/**
 * A batch of new users is checked against these: taken e-mails, existing groups and roles, and the
 * default language.
 */
export const surroundings = (actor: Actor, emails: string[]) => sql`
  select language,
         (select coalesce(json_agg(email), '[]') from users where account_id = account.id and email = any(${emails}::text[])) as emails,
         (select coalesce(json_agg(id), '[]') from groups where account_id = account.id) as groups,
         (select coalesce(json_agg(id), '[]') from roles where account_id = account.id) as roles
    from accounts account where id = ${actor.accountId}`

export interface NewUserRow {
  name: string
  email: string
  password_hash: string | null
  language: string
  group_id: number
  role_id: number | null
  is_admin: boolean
  is_free: boolean
  rights: Rights
}

/** Answers the ids in the order of the rows. */
export const insertUsers = (
  accountId: number,
  at: number,
  rows: NewUserRow[],
  madeBy: string | null = null,
) => sql`
  insert into users (account_id, name, email, password_hash, language, group_id, role_id, is_admin, is_free, rights,
                     made_by, created_at, updated_at)
  select ${accountId}::bigint, name, email, password_hash, language, group_id, role_id, is_admin, is_free, rights,
         ${madeBy}::uuid, ${at}::bigint, ${at}::bigint
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as draft(name text, email text, password_hash text, language text, group_id bigint, role_id bigint, is_admin boolean,
               is_free boolean, rights jsonb)
  returning id`

/** A null leaves the column unchanged. */
export interface ChangedUserRow {
  name: string | null
  password_hash: string | null
  language: string | null
  is_admin: boolean | null
  role_id: number | null
  rights: Rights | null
}

export const updateUser = (actor: Actor, id: number, row: ChangedUserRow) => sql`
  update users
     set name = coalesce(${row.name}, name), password_hash = coalesce(${row.password_hash}, password_hash),
         language = coalesce(${row.language}, language), is_admin = coalesce(${row.is_admin}, is_admin), role_id = ${row.role_id},
         rights = coalesce(${row.rights && JSON.stringify(row.rights)}::jsonb, rights), updated_at = greatest(${actor.at}::bigint, created_at)
   where account_id = ${actor.accountId} and id = ${id}`

/** Answers the users that this activates or deactivates: those that were otherwise before. */
export const setActive = (actor: Actor, ids: number[], isActive: boolean) => sql`
  update users set is_active = ${isActive}, updated_at = greatest(${actor.at}::bigint, created_at)
   where account_id = ${actor.accountId} and id = any(${ids}::bigint[]) and is_active <> ${isActive}
  returning id`

/**
 * Ends all that lets users in, their passwords and second factors apart, and the links that they made
 * for others. Rows that no list shows are deleted; grants and codes stay, so that their return is
 * refused as that of revoked ones.
 */
export const endEveryWayIn = ({ accountId, at }: Actor, ids: number[]) => {
  const gone = sql`account_id = ${accountId} and user_id = any(${ids}::bigint[])`
  return sql`
    with granted as (update grants set revoked_at = ${at} where ${gone} and revoked_at is null),
         codes as (update authorization_codes set used_at = ${at} where ${gone} and used_at is null),
         keys as (delete from api_keys where ${gone}),
         browsers as (delete from known_browsers where ${gone}),
         links as (delete from password_resets
                    where account_id = ${accountId} and (user_id = any(${ids}::bigint[]) or created_by = any(${ids}::bigint[]))),
         invited as (delete from invitations
                      where account_id = ${accountId} and created_by = any(${ids}::bigint[]))
    delete from sessions where ${gone}`
}

export const countAdmins = (actor: Actor) => sql`
  select count(*) as total from users where account_id = ${actor.accountId} and is_admin and is_active`

/** Ends the sessions of users; their browsers are no longer known, and links for a new password void. */
export const removeSessionsOf = (actor: Actor, ids: number[]) => sql`
  with browsers as (
    delete from known_browsers where account_id = ${actor.accountId} and user_id = any(${ids}::bigint[])
  ), links as (
    delete from password_resets where account_id = ${actor.accountId} and user_id = any(${ids}::bigint[])
  )
  delete from sessions where account_id = ${actor.accountId} and user_id = any(${ids}::bigint[])`

/** Copies the rights of a role to its users before the role is deleted. */
export const clearRole = (actor: Actor, role: number) => sql`
  update users person set rights = role.rights, role_id = null, updated_at = greatest(${actor.at}::bigint, person.created_at)
    from roles role
   where role.account_id = ${actor.accountId} and role.id = ${role}
     and person.account_id = role.account_id and person.role_id = role.id`
