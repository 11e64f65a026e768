import sql, { empty } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { selfLink } from '../../../http/self-link.ts'
import type { Actor } from '../../../access/actor.ts'
import { statusShown } from './statuses/queries.ts'
import type { PipelineOrStatus } from './statuses/queries.ts'
import { lost, won } from './statuses/schema.ts'

export interface PipelineRow {
  id: number
  sort: number
  is_main: boolean
}

/** A pipeline as JSON text. */
export interface ShownPipeline {
  id: number
  json: string
}

/**
 * The account's pipelines with their statuses, the main one first; or those of `ids`. Functions that
 * gather rows as JSON put spaces and line breaks between them; an array of rows has none.
 */
export const pipelineList = (actor: Actor, base: string, ids?: number[]) => sql`
  select pipeline.id, row_to_json(shown)::text as json
    from pipelines pipeline,
         lateral (
           select pipeline.id, pipeline.name, pipeline.sort, pipeline.is_main,
                  pipeline.is_unsorted_on, pipeline.is_archive, pipeline.account_id,
                  ${pipelineLink(base)} as _links,
                  (select row_to_json(embedded) from (
                    select array_to_json(array(
                             select row_to_json(each)
                               from (select ${statusShown(base)} from statuses status
                                      where status.account_id = pipeline.account_id
                                        and status.pipeline_id = pipeline.id
                                        and (status.type = 0 or pipeline.is_unsorted_on)) each
                              order by each.sort, each.id)) as statuses) embedded) as _embedded) shown
   where pipeline.account_id = ${actor.accountId}
         ${ids ? sql`and pipeline.id = any(${ids}::bigint[])` : empty}
   order by pipeline.is_main desc, pipeline.sort, pipeline.id`

/** The pipelines with their statuses without links, in the order of `pipelineList`. */
export const pipelineSummaries = ({ accountId }: Actor): Sql => sql`
  select pipeline.id, pipeline.name, pipeline.sort, pipeline.is_main, pipeline.is_unsorted_on, pipeline.is_archive,
         array_to_json(array(
           select row_to_json(each)
             from (select status.id, status.name, status.sort, status.color, status.type,
                          status.type = 0 and status.id not in (${won}, ${lost}) as is_editable, status.stale_after_days
                     from statuses status
                    where status.account_id = pipeline.account_id and status.pipeline_id = pipeline.id
                      and (status.type = 0 or pipeline.is_unsorted_on)) each
            order by each.sort, each.id)) as statuses
    from pipelines pipeline where pipeline.account_id = ${accountId}
   order by pipeline.is_main desc, pipeline.sort, pipeline.id`

function pipelineLink(base: string): Sql {
  return selfLink(sql`${`${base}/api/v4/leads/pipelines/`}::text || pipeline.id`)
}

/** The pipelines as they are kept, the main one first. */
export const pipelineRows = (actor: Actor) => sql`
  select id, sort, is_main from pipelines
   where account_id = ${actor.accountId} order by is_main desc, sort, id`

/**
 * Keeps pipelines and their statuses from being deleted. Transactions that name them lock them
 * before leads and read their statuses afterwards: a statement that waited still sees the old ones.
 */
export const lockPipelines = (actor: Actor, ids: number[]) => sql`
  select id from pipelines
   where account_id = ${actor.accountId} and id = any(${ids}::bigint[]) order by id for key share`

/** As `lockPipelines`, with the pipelines of these statuses and, where needed, the main one. */
export const lockPipelinesAround = (
  actor: Actor,
  pipelines: number[],
  statuses: number[],
  needsMain: boolean,
) => sql`
  select id, is_main from pipelines
   where account_id = ${actor.accountId}
     and (id = any(${pipelines}::bigint[]) or (${needsMain}::boolean and is_main) or id in (
           select pipeline_id from statuses
            where account_id = ${actor.accountId} and id = any(${statuses}::bigint[])))
   order by id for key share`

/** Fails like a collision, so that the transaction releases its locks and runs again. */
export const startAgain = sql`do $$ begin raise sqlstate '40001' using message = 'the main pipeline has changed'; end $$`

/** Waits for all transactions that have locked a pipeline, and makes later ones wait. */
export const lockAllPipelines = (actor: Actor) => sql`
  select id from pipelines where account_id = ${actor.accountId} order by id for update`

/** The statuses of the main pipeline, of these pipelines, and of those that have these statuses. */
export const stageRows = (actor: Actor, pipelines: number[], statuses: number[]) => sql`
  select pipeline.id as pipeline_id, pipeline.is_main, status.id, status.type,
         pipeline.is_unsorted_on and (select is_unsorted_on from accounts where id = ${actor.accountId}) as is_unsorted_on
    from pipelines pipeline
    join statuses status on status.account_id = pipeline.account_id
                        and status.pipeline_id = pipeline.id
   where pipeline.account_id = ${actor.accountId}
     and (pipeline.is_main or pipeline.id = any(${pipelines}::bigint[]) or pipeline.id in (
           select pipeline_id from statuses
            where account_id = ${actor.accountId} and id = any(${statuses}::bigint[])
              and id not in (${won}, ${lost})))
   order by pipeline.id, status.sort`

export const unsortedStatusList = (actor: Actor) => sql`
  select pipeline_id, id as status_id from statuses
   where account_id = ${actor.accountId} and type = 1 order by id`

/** Answers the ids in the order of the rows. */
export const insertPipelineRows = (
  accountId: number,
  rows: { name: string; sort: number; is_main: boolean; is_unsorted_on: boolean }[],
) => sql`
  insert into pipelines (account_id, name, sort, is_main, is_unsorted_on)
  select ${accountId}::bigint, name, sort, is_main, is_unsorted_on
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as draft(name text, sort int, is_main boolean, is_unsorted_on boolean)
  returning id`

/** The statuses of new pipelines. Those without an id are given one, in the order of the rows. */
export const insertPipelineStatuses = (
  accountId: number,
  rows: {
    id: number | null
    pipeline_id: number
    name: string
    sort: number
    color: string
    type: number
  }[],
) => sql`
  insert into statuses (account_id, id, pipeline_id, name, sort, color, type)
  select ${accountId}::bigint, coalesce(id, nextval('statuses_id')), pipeline_id,
         name, sort, color, type
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as status(id bigint, pipeline_id bigint, name text, sort int, color text, type smallint)
  returning pipeline_id, id, type`

/** Null leaves a column as it is. The main pipeline keeps its sort. */
export const updatePipeline = (
  actor: Actor,
  id: number,
  name: string | null,
  sort: number | null,
  is_unsorted_on: boolean | null,
) => sql`
  update pipelines
     set name = coalesce(${name}, name),
         sort = case when is_main then sort else coalesce(${sort}, sort) end,
         is_unsorted_on = coalesce(${is_unsorted_on}, is_unsorted_on)
   where account_id = ${actor.accountId} and id = ${id}`

/** Makes a pipeline the main one, with sort 1, out of the archive; the previous one takes the sort that it had. */
export const makeMain = (actor: Actor, id: number) => sql`
  update pipelines pipeline
     set is_main = pipeline.id = ${id},
         is_archive = pipeline.is_archive and pipeline.id <> ${id},
         sort = case when pipeline.id = ${id} then 1 else next.sort end
    from pipelines next
   where pipeline.account_id = ${actor.accountId} and next.account_id = ${actor.accountId}
     and next.id = ${id} and (pipeline.is_main or pipeline.id = ${id})`

export const removePipeline = (actor: Actor, id: number) => sql`
  with emptied as (
    delete from statuses where account_id = ${actor.accountId} and pipeline_id = ${id}
  )
  delete from pipelines where account_id = ${actor.accountId} and id = ${id}`

const statusRights = sql`(rights -> 'status_rights')`

/** Removes a status, or all of a pipeline, from the rights of roles or users. */
export const forgetInRights = (
  actor: Actor,
  table: 'roles' | 'users',
  deleted: PipelineOrStatus,
) => sql`
  update ${table === 'roles' ? sql`roles` : sql`users`}
     set rights = jsonb_set(rights, '{status_rights}', ${without(statusRights, deleted)})
   where account_id = ${actor.accountId} and ${names(statusRights, deleted)}`

/** The same for custom fields; answers the ids of those that named it. */
export const forgetInFields = (actor: Actor, deleted: PipelineOrStatus) => sql`
  update custom_fields
     set required_statuses = ${without(sql`required_statuses`, deleted)},
         hidden_statuses = ${without(sql`hidden_statuses`, deleted)}
   where account_id = ${actor.accountId}
     and (${names(sql`required_statuses`, deleted)} or ${names(sql`hidden_statuses`, deleted)})
  returning id`

/** Whether a list of `{pipeline_id, status_id}` names a status, or any of a pipeline. */
function names(list: Sql, deleted: PipelineOrStatus): Sql {
  return sql`${list} @> ${JSON.stringify([deleted])}::jsonb`
}

/** The rest of such a list. */
function without(list: Sql, deleted: PipelineOrStatus): Sql {
  return sql`
    jsonb_path_query_array(${list}, '$[*] ? (!(@.pipeline_id == $pipeline_id
                                      && ($status_id == null || @.status_id == $status_id)))',
                           ${JSON.stringify({ status_id: null, ...deleted })}::jsonb)`
}

/** The sources of a pipeline lead to another one from now on. */
export const moveSources = (actor: Actor, from: number, to: number) => sql`
  update sources set pipeline_id = ${to}
   where account_id = ${actor.accountId} and pipeline_id = ${from}`

/** Complex creation no longer looks for duplicates in a pipeline. */
export const forgetDuplicatePipeline = (actor: Actor, id: number) => sql`
  update installations set duplicate_pipelines = array_remove(duplicate_pipelines, ${id}::bigint)
   where account_id = ${actor.accountId} and ${id} = any(duplicate_pipelines)`
