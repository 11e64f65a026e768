import sql, { raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../../../access/actor.ts'
import type { PipelineStatus } from '../../../../../access/rights.ts'
import type { StatusRow } from '../queries.ts'

/** All that a status and its deletion take away, as JSON. */
export interface TakenOut {
  /** A row of the table `statuses`. */
  status: StatusRow & { pipeline_id: number }
  /** Rows of the table `status_descriptions`. */
  descriptions: object[]
  fields: { entity_type: string; id: number; required: boolean; hidden: boolean }[]
  /** The exceptions of roles and users for the status. */
  roles: TakenRights[]
  users: TakenRights[]
}
interface TakenRights {
  id: number
  rights: object[]
}

const rightsTakenOf = (actor: Actor, table: Sql, named: string): Sql => sql`
  (select coalesce(json_agg(json_build_object('id', id, 'rights',
            jsonb_path_query_array(rights -> 'status_rights',
              '$[*] ? (@.pipeline_id == $pipeline_id && @.status_id == $status_id)', ${named}::jsonb))), '[]')
     from ${table}
    where account_id = ${actor.accountId} and rights -> 'status_rights' @> jsonb_build_array(${named}::jsonb))`

export function takenOutOf(actor: Actor, { pipeline_id, status_id }: PipelineStatus): Sql {
  const named = JSON.stringify({ pipeline_id, status_id })
  return sql`
    select json_build_object(
      'status', (select row_to_json(status) from statuses status
                  where account_id = ${actor.accountId} and id = ${status_id} and pipeline_id = ${pipeline_id}),
      'descriptions', (select coalesce(json_agg(each), '[]') from status_descriptions each
                        where account_id = ${actor.accountId} and status_id = ${status_id}
                          and pipeline_id = ${pipeline_id}),
      'fields', (select coalesce(json_agg(each), '[]')
                   from (select entity_type, id,
                                required_statuses @> jsonb_build_array(${named}::jsonb) as required,
                                hidden_statuses @> jsonb_build_array(${named}::jsonb) as hidden
                           from custom_fields where account_id = ${actor.accountId}) each
                  where each.required or each.hidden),
      'roles', ${rightsTakenOf(actor, sql`roles`, named)},
      'users', ${rightsTakenOf(actor, sql`users`, named)}) as taken`
}

/** The columns that a row had when it was taken out: those that are younger get their defaults. */
const columnsOf = (row: object): Sql => raw(Object.keys(row).join(', '))

export function insertTakenOut(actor: Actor, status: TakenOut['status']): Sql {
  const row = { ...status, account_id: actor.accountId }
  return sql`
    insert into statuses (${columnsOf(row)})
    select ${columnsOf(row)} from json_populate_record(null::statuses, ${JSON.stringify(row)}::json)`
}

/** At least one description. */
export function giveBackDescriptions(actor: Actor, { descriptions }: TakenOut): Sql {
  const rows = descriptions.map((row) => ({ ...row, account_id: actor.accountId }))
  return sql`
    insert into status_descriptions (${columnsOf(rows[0]!)})
    select ${columnsOf(rows[0]!)}
      from json_populate_recordset(null::status_descriptions, ${JSON.stringify(rows)}::json)`
}

/** Roles and users that are gone stay so. One without exceptions has null in place of a list. */
export const giveBackRights = (actor: Actor, table: 'roles' | 'users', rows: TakenRights[]) => sql`
  update ${table === 'roles' ? sql`roles` : sql`users`} holder
     set rights = jsonb_set(holder.rights, '{status_rights}',
                            case jsonb_typeof(holder.rights -> 'status_rights')
                                 when 'array' then holder.rights -> 'status_rights' else '[]' end
                            || given.rights)
    from json_to_recordset(${JSON.stringify(rows)}::json) as given(id bigint, rights jsonb)
   where holder.account_id = ${actor.accountId} and holder.id = given.id`

/** Stages that a field requires at most, and hides at most. */
const mostStages = 100

/** Answers the ids of the fields that require or hide the status again. */
export const giveBackInFields = (
  actor: Actor,
  named: PipelineStatus,
  rows: TakenOut['fields'],
) => sql`
  update custom_fields field
     set required_statuses = case when given.required and jsonb_array_length(field.required_statuses) < ${mostStages} then field.required_statuses || ${JSON.stringify([named])}::jsonb
                                  else field.required_statuses end,
         hidden_statuses = case when given.hidden and jsonb_array_length(field.hidden_statuses) < ${mostStages} then field.hidden_statuses || ${JSON.stringify([named])}::jsonb
                                else field.hidden_statuses end
    from json_to_recordset(${JSON.stringify(rows)}::json) as given(entity_type text, id bigint, required boolean, hidden boolean)
   where field.account_id = ${actor.accountId} and field.entity_type = given.entity_type and field.id = given.id
  returning field.id`

/** Moves leads of the bin, which another stage took, back into an open one. */
export const moveOutOfTarget = (
  actor: Actor,
  ids: number[],
  { pipeline_id, status_id }: PipelineStatus,
) => sql`
  update leads set pipeline_id = ${pipeline_id}, status_id = ${status_id}, closed_at = null
   where account_id = ${actor.accountId} and id = any(${ids}::bigint[])`
