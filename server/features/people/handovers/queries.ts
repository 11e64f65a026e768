import sql, { join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { isOutsideBin } from '../../../access/task-rights.ts'
import { handedTypes } from './schema.ts'
import type { HandedType } from './schema.ts'

/** The rows of a type, named `record`, that a user is responsible for and can hand over. */
const recordsOf = ({ accountId }: Actor, type: HandedType, user: number): Sql => sql`
  from ${raw(type)} record
 where record.account_id = ${accountId} and record.responsible_user_id = ${user} and not record.is_deleted
   ${type === 'tasks' ? sql`and not record.is_completed and ${isOutsideBin}` : sql``}`

export const countResponsibilities = (actor: Actor, user: number): Sql => sql`
  select ${join(handedTypes.map((type) => sql`(select count(*)::int ${recordsOf(actor, type, user)}) as ${raw(type)}`))}`

/** The ids of the first of them. */
export const someOf = (actor: Actor, type: HandedType, user: number, limit: number): Sql => sql`
  select record.id ${recordsOf(actor, type, user)} order by record.id limit ${limit}`
