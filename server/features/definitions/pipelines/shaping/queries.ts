import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../../access/actor.ts'
import type { PipelineStatus } from '../../../../access/rights.ts'

/** Answers the pipeline, unless it is the main one. */
export const setArchived = (actor: Actor, id: number, isArchived: boolean) => sql`
  update pipelines set is_archive = ${isArchived}
   where account_id = ${actor.accountId} and id = ${id} and not is_main
  returning id`

export const pipelineToCopy = (actor: Actor, id: number) => sql`
  select is_unsorted_on from pipelines where account_id = ${actor.accountId} and id = ${id}`

/** Answers the stage, unless it is one that every pipeline has. */
export const setStaleness = (
  actor: Actor,
  { pipeline_id, status_id }: PipelineStatus,
  days: number | null,
) => sql`
  update statuses set stale_after_days = ${days}::int
   where account_id = ${actor.accountId} and pipeline_id = ${pipeline_id} and id = ${status_id}
  returning id`

/** A stage and its copy. */
export interface CopiedStage {
  from_pipeline: number
  from_status: number
  to_pipeline: number
  to_status: number
}

const copiedStages = (stages: readonly CopiedStage[]): Sql => sql`
  json_to_recordset(${JSON.stringify(stages)}::json)
    as stage(from_pipeline bigint, from_status bigint, to_pipeline bigint, to_status bigint)`

export const copyStaleness = (actor: Actor, stages: readonly CopiedStage[]) => sql`
  update statuses copy set stale_after_days = original.stale_after_days
    from ${copiedStages(stages)}, statuses original
   where original.account_id = ${actor.accountId} and original.pipeline_id = stage.from_pipeline
     and original.id = stage.from_status and original.stale_after_days is not null
     and copy.account_id = ${actor.accountId} and copy.pipeline_id = stage.to_pipeline
     and copy.id = stage.to_status`

export const copyDescriptions = (actor: Actor, stages: readonly CopiedStage[]) => sql`
  insert into status_descriptions
         (account_id, pipeline_id, status_id, level, description, created_by, updated_by, created_at, updated_at)
  select ${actor.accountId}::bigint, stage.to_pipeline, stage.to_status, level, description,
         ${actor.userId}::bigint, ${actor.userId}::bigint, ${actor.at}::bigint, ${actor.at}::bigint
    from ${copiedStages(stages)}, status_descriptions
   where account_id = ${actor.accountId} and pipeline_id = stage.from_pipeline and status_id = stage.from_status
   order by id`

/** Fields that a stage requires or hides do so in its copy; answers how many stages each names then. */
export function copyInFields(actor: Actor, stages: readonly CopiedStage[]): Sql {
  const copiesOf = (list: Sql) => sql`
    coalesce((select jsonb_agg(jsonb_build_object('pipeline_id', stage.to_pipeline, 'status_id', stage.to_status))
                from ${copiedStages(stages)}
               where ${list} @> jsonb_build_array(jsonb_build_object('pipeline_id', stage.from_pipeline,
                                                                     'status_id', stage.from_status))), '[]')`
  const names = (list: Sql) => sql`
    ${list} @> jsonb_build_array(jsonb_build_object('pipeline_id', ${stages[0]!.from_pipeline}::bigint))`
  return sql`
    update custom_fields
       set required_statuses = required_statuses || ${copiesOf(sql`required_statuses`)},
           hidden_statuses = hidden_statuses || ${copiesOf(sql`hidden_statuses`)}
     where account_id = ${actor.accountId} and (${names(sql`required_statuses`)} or ${names(sql`hidden_statuses`)})
    returning greatest(jsonb_array_length(required_statuses), jsonb_array_length(hidden_statuses)) as stages`
}
