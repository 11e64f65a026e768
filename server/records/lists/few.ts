// Whether a user views few records of a type. What stands on records, such as notes and events, is then
// asked for record by record; else it is read in its own order, with a look at the record of each.
import sql, { raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../access/actor.ts'
import type { Reader } from '../../database/connect.ts'
import type { EntityType } from '../../entity-types.ts'
import { mayAll } from '../../access/record-rights.ts'
import { asRange, viewed } from './conditions.ts'

/** So many records are few enough to be asked one by one for what stands on them. Tests lower it. */
export const few = { records: 1000 }

/** Whether the actor views few records of the type, those in the bin too; false where nothing limits the actor. */
export async function viewsFew(reader: Reader, actor: Actor, type: EntityType): Promise<boolean> {
  if (mayAll(actor, type, 'view')) return false
  const { records } = few
  const [counted] = await reader.list<{ count: number }>(sql`
    select count(*)::int from (select from (${viewedIds(actor, type)}) viewed limit ${records + 1}) viewed`)
  return counted!.count <= records
}

/** Selects the ids of the records that a limited actor may view, those in the bin too. */
export function viewedIds(actor: Actor, type: EntityType): Sql {
  const [condition] = viewed(actor, type)
  const passes = condition ? asRange(condition).passes : sql`true`
  const rows = (test: Sql) => sql`
    select record.id from ${raw(type)} record where record.account_id = ${actor.accountId} and ${test}`
  // One index has all records of a user or a group; by status, those in the bin have their own.
  if (!condition || condition.pin) return rows(passes)
  const live = condition.ids ?? rows(sql`not record.is_deleted and ${passes}`)
  return sql`${live} union all ${rows(sql`record.is_deleted and ${passes}`)}`
}
