import sql, { raw } from 'sql-template-tag'
import type { Rights } from '../../../access/rights.ts'
import type { Actor } from '../../../access/actor.ts'
import type { PagePosition } from '../../../http/paging.ts'

export interface RoleRow {
  id: number
  name: string
  rights: Rights
}

export const roleList = (actor: Actor, { after, offset, limit }: PagePosition) => sql`
  select id, name, rights from roles where account_id = ${actor.accountId} and id > ${after?.id ?? 0}
   order by id limit ${limit} offset ${offset}`

export const roleSummaries = ({ accountId }: Actor) => sql`
  select id, name from roles where account_id = ${accountId} order by id`

export const countRoles = (actor: Actor) =>
  sql`select count(*) as total from roles where account_id = ${actor.accountId}`

export const oneRole = (actor: Actor, id: number, locked: '' | 'for no key update' = '') => sql`
  select id, name, rights from roles where account_id = ${actor.accountId} and id = ${id} ${raw(locked)}`

/** Answers the roles in the order of the rows. */
export const insertRoles = (actor: Actor, rows: Omit<RoleRow, 'id'>[]) => sql`
  insert into roles (account_id, name, rights)
  select ${actor.accountId}::bigint, name, rights from json_to_recordset(${JSON.stringify(rows)}::json) as draft(name text, rights jsonb)
  returning id, name, rights`

export const updateRole = (actor: Actor, { id, name, rights }: RoleRow) => sql`
  update roles set name = ${name}, rights = ${JSON.stringify(rights)}::jsonb where account_id = ${actor.accountId} and id = ${id}`

export const removeRole = (actor: Actor, id: number) => sql`
  delete from roles where account_id = ${actor.accountId} and id = ${id} returning id`
