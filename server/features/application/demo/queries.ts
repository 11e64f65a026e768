import sql, { join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { demoTypes } from './schema.ts'
import type { DemoType } from './schema.ts'

/** The rows of a type that can still be removed, named `its`. */
const present: Record<DemoType, Sql> = {
  leads: sql`not its.is_deleted and its.unsorted_id is null`,
  contacts: sql`not its.is_deleted`,
  companies: sql`not its.is_deleted`,
  customers: sql`not its.is_deleted`,
  tasks: sql`not its.is_deleted and its.entity_type is null`,
  unsorted_items: sql`its.result is null`,
}

/** Remembers all records of an account: the demo has filled it, and nobody has used it yet. */
export const rememberRecords = ({ accountId }: Pick<Actor, 'accountId'>): Sql => sql`
  insert into demo_records (account_id, entity_type, id)
  ${join(
    demoTypes.map(
      (type) =>
        sql`select its.account_id, ${type}, its.id from ${raw(type)} its where its.account_id = ${accountId} and ${present[type]}`,
    ),
    ' union all ',
  )}`

const ofDemo = ({ accountId }: Pick<Actor, 'accountId'>, type: DemoType) => sql`
  from demo_records known
  join ${raw(type)} its on its.account_id = known.account_id and its.id = known.id
 where known.account_id = ${accountId} and known.entity_type = ${type} and ${present[type]}`

/** The number of the demo's records of each type that are there. */
export const countDemo = (actor: Actor): Sql => sql`
  select ${join(demoTypes.map((type) => sql`(select count(*)::int ${ofDemo(actor, type)}) as ${raw(type)}`))}`

export const lockDemo = ({ accountId }: Actor): Sql =>
  sql`select pg_advisory_xact_lock(hashtextextended(concat_ws(' ', 'kontor demo', ${accountId}::bigint), 0))`

/** The first of the demo's records of a type that are there, with its uid if it has one. */
export const nextOfDemo = (actor: Actor, type: DemoType): Sql => sql`
  select its.id, ${raw(type === 'unsorted_items' ? 'its.uid' : 'null')} as uid ${ofDemo(actor, type)} order by its.id limit 1`

/** Forgets the demo's records of an account, once none is left. */
export const forgetDemo = ({ accountId }: Actor): Sql =>
  sql`delete from demo_records where account_id = ${accountId}`
