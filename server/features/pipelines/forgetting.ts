// What names a status or a pipeline that goes forgets it, in the transaction of the deletion: rights, custom fields, sources and
// installations. Whoever writes such names holds the pipeline (`holdPipelines`) or the account (`lockAccount`), so none comes later.
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Tx } from '../../database/connect.ts'
import { fieldsChanged } from '../../records/fields/definitions.ts'
import type { Actor } from '../../access/actor.ts'

/** A status, or a whole pipeline. */
export interface Gone {
  pipeline_id: number
  status_id?: number
}

/** Takes what is gone off all lists of `{pipeline_id, status_id}`. */
export async function forgetPlaces(tx: Tx, actor: Actor, gone: Gone): Promise<void> {
  await tx.rows(withoutRights(sql`roles`, actor, gone))
  await tx.rows(withoutRights(sql`users`, actor, gone))
  const changed = await tx.rows(sql`
    update custom_fields
       set required_statuses = ${without(sql`required_statuses`, gone)}, hidden_statuses = ${without(sql`hidden_statuses`, gone)}
     where account_id = ${actor.accountId}
       and (${names(sql`required_statuses`, gone)} or ${names(sql`hidden_statuses`, gone)})
    returning id`)
  if (changed.length > 0) await fieldsChanged(tx, actor.accountId)
}

const withoutRights = (table: Sql, actor: Actor, gone: Gone) => sql`
  update ${table} set rights = jsonb_set(rights, '{status_rights}', ${without(sql`(rights -> 'status_rights')`, gone)})
   where account_id = ${actor.accountId} and ${names(sql`(rights -> 'status_rights')`, gone)}`

/** Whether a list names what is gone. */
const names = (list: Sql, gone: Gone) => sql`${list} @> ${JSON.stringify([gone])}::jsonb`

/** The rest of a list. */
const without = (list: Sql, gone: Gone) => sql`
  jsonb_path_query_array(${list}, '$[*] ? (!(@.pipeline_id == $pipeline_id && ($status_id == null || @.status_id == $status_id)))',
                         ${JSON.stringify({ status_id: null, ...gone })}::jsonb)`

/** Sources of a pipeline that goes lead to the main one; complex creation looks for duplicates where it still can. */
export async function forgetPipeline(
  tx: Tx,
  actor: Actor,
  id: number,
  main: number,
): Promise<void> {
  await tx.rows(
    sql`update sources set pipeline_id = ${main} where account_id = ${actor.accountId} and pipeline_id = ${id}`,
  )
  await tx.rows(sql`
    update installations set duplicate_pipelines = array_remove(duplicate_pipelines, ${id}::bigint)
     where account_id = ${actor.accountId} and ${id} = any(duplicate_pipelines)`)
}
