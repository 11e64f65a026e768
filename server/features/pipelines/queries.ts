import sql, { empty } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { selfLink } from '../../http/self-link.ts'
import type { Actor } from '../../access/actor.ts'
import type { PipelineStatus } from '../../access/rights.ts'
import { lost, won } from './pipelines.ts'

export interface PipelineRow {
  id: number
  name: string
  sort: number
  is_main: boolean
}

export interface StatusRow {
  id: number
  name: string
  sort: number
  color: string
  type: number
}

/** A record as JSON text. */
export interface ShownPipeline {
  id: number
  json: string
}

const isOrdinary = sql`status.type = 0 and status.id not in (${won}, ${lost})`

/** `_links` of a row named `status`. */
const statusLink = (base: string) =>
  selfLink(
    sql`${`${base}/api/v4/leads/pipelines/`}::text || status.pipeline_id || ${'/statuses/'}::text || status.id`,
  )

const statusShown = (base: string) => sql`
  status.id, status.name, status.sort, ${isOrdinary} as is_editable, status.pipeline_id, status.color, status.type, status.account_id,
  ${statusLink(base)} as _links`

/** Of a row named `status`; times as text, which the interface has here and nowhere else. */
const descriptions = sql`
  (select coalesce(json_agg(each order by each.id), '[]')
     from (select id, account_id, ${timeText('created_at')} as created_at, ${timeText('updated_at')} as updated_at,
                  created_by, updated_by, pipeline_id, status_id, level, description
             from status_descriptions
            where account_id = status.account_id and status_id = status.id and pipeline_id = status.pipeline_id) each)`

function timeText(column: 'created_at' | 'updated_at'): Sql {
  const seconds = column === 'created_at' ? sql`created_at` : sql`updated_at`
  return sql`to_char(to_timestamp(${seconds}) at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')`
}

/** The account's pipelines with their statuses, the main one first; or those of `ids`. */
export const pipelineList = (actor: Actor, base: string, ids?: number[]) => sql`
  select pipeline.id, row_to_json(shown)::text as json
    from pipelines pipeline,
         lateral (select pipeline.id, pipeline.name, pipeline.sort, pipeline.is_main, pipeline.is_unsorted_on, pipeline.is_archive,
                         pipeline.account_id, ${selfLink(sql`${`${base}/api/v4/leads/pipelines/`}::text || pipeline.id`)} as _links,
                         json_build_object('statuses', (
                           select coalesce(json_agg(each order by each.sort, each.id), '[]')
                             from (select ${statusShown(base)} from statuses status
                                    where status.account_id = pipeline.account_id and status.pipeline_id = pipeline.id
                                      and (status.type = 0 or pipeline.is_unsorted_on)) each)) as _embedded) shown
   where pipeline.account_id = ${actor.accountId} ${ids ? sql`and pipeline.id = any(${ids}::bigint[])` : empty}
   order by pipeline.is_main desc, pipeline.sort, pipeline.id`

/** The statuses of a pipeline that are listed. */
export const statusList = (
  actor: Actor,
  base: string,
  pipeline_id: number,
  withDescriptions: boolean,
) => sql`
  select status.id, row_to_json(shown)::text as json
    from pipelines pipeline
    join statuses status on status.account_id = pipeline.account_id and status.pipeline_id = pipeline.id
                        and (status.type = 0 or pipeline.is_unsorted_on),
         lateral (select ${statusShown(base)} ${withDescriptions ? sql`, ${descriptions} as descriptions` : empty}) shown
   where pipeline.account_id = ${actor.accountId} and pipeline.id = ${pipeline_id}
   order by status.sort, status.id`

/** Statuses of a pipeline by id. The unsorted one too where it is not listed: a lead that is in it names it. */
export const statusesById = (
  actor: Actor,
  base: string,
  pipeline_id: number,
  ids: number[],
  withDescriptions: boolean,
) => sql`
  select status.id, row_to_json(shown)::text as json
    from statuses status,
         lateral (select ${statusShown(base)} ${withDescriptions ? sql`, ${descriptions} as descriptions` : empty}) shown
   where status.account_id = ${actor.accountId} and status.pipeline_id = ${pipeline_id} and status.id = any(${ids}::bigint[])`

/** Waits until no lead is on its way into a pipeline, and makes those that come wait. */
export const closePipelines = (actor: Actor) => sql`
  select id from pipelines where account_id = ${actor.accountId} order by id for update`

/** The pipelines as they are kept, the main one first. */
export const pipelineRows = (actor: Actor) => sql`
  select id, name, sort, is_main from pipelines where account_id = ${actor.accountId} order by is_main desc, sort, id`

export const updatePipeline = (
  actor: Actor,
  id: number,
  name: string,
  sort: number,
  is_unsorted_on: boolean | null,
) => sql`
  update pipelines set name = ${name}, sort = ${sort}, is_unsorted_on = coalesce(${is_unsorted_on}, is_unsorted_on)
   where account_id = ${actor.accountId} and id = ${id}`

/** Makes a pipeline the main one, with sort 1; the one that was takes the sort of this one. */
export const makeMain = (actor: Actor, id: number) => sql`
  update pipelines pipeline
     set is_main = pipeline.id = ${id}, sort = case when pipeline.id = ${id} then 1 else next.sort end
    from pipelines next
   where pipeline.account_id = ${actor.accountId} and next.account_id = ${actor.accountId} and next.id = ${id}
     and (pipeline.is_main or pipeline.id = ${id})`

/** The statuses of a pipeline as they are kept, in their order. */
export const statusRows = (actor: Actor, pipeline_id: number) => sql`
  select id, name, sort, color, type from statuses
   where account_id = ${actor.accountId} and pipeline_id = ${pipeline_id} order by sort, id`

/** The ordinary statuses of pipelines, in their order. */
export const statusesOf = (actor: Actor, pipelines: number[]) => sql`
  select status.id, status.pipeline_id from statuses status
   where status.account_id = ${actor.accountId} and status.pipeline_id = any(${pipelines}::bigint[]) and ${isOrdinary}
   order by status.sort, status.id`

/** Adds ordinary statuses; answers the ids in the order of the rows. */
export const insertStatuses = (
  actor: Actor,
  pipeline_id: number,
  rows: { name: string; color: string; sort: number }[],
) => sql`
  insert into statuses (account_id, pipeline_id, name, sort, color, type)
  select ${actor.accountId}::bigint, ${pipeline_id}::bigint, name, sort, color, 0
    from json_to_recordset(${JSON.stringify(rows)}::json) as draft(name text, sort int, color text)
  returning id`

export const updateStatuses = (
  actor: Actor,
  pipeline_id: number,
  rows: Omit<StatusRow, 'type'>[],
) => sql`
  update statuses status set name = draft.name, sort = draft.sort, color = draft.color
    from json_to_recordset(${JSON.stringify(rows)}::json) as draft(id bigint, name text, sort int, color text)
   where status.account_id = ${actor.accountId} and status.pipeline_id = ${pipeline_id} and status.id = draft.id`

/** A description of a status, as it is kept or is to become; null: it goes. */
export interface DescriptionRow extends PipelineStatus {
  level: string
  description: string | null
}

export const descriptionIds = (actor: Actor, { pipeline_id, status_id }: PipelineStatus) => sql`
  select id, level from status_descriptions
   where account_id = ${actor.accountId} and status_id = ${status_id} and pipeline_id = ${pipeline_id}`

/** Adds descriptions, or writes over those of the same level. One that stays as it is keeps its author and its time. */
export const saveDescriptions = (actor: Actor, author: number, rows: DescriptionRow[]) => sql`
  insert into status_descriptions as known
         (account_id, pipeline_id, status_id, level, description, created_by, updated_by, created_at, updated_at)
  select ${actor.accountId}::bigint, pipeline_id, status_id, level, description, ${author}::bigint, ${author}::bigint,
         ${actor.at}::bigint, ${actor.at}::bigint
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as draft(pipeline_id bigint, status_id bigint, level text, description text)
  on conflict on constraint status_descriptions_level do update
     set description = excluded.description, updated_by = excluded.updated_by, updated_at = excluded.updated_at
   where known.description <> excluded.description`

export const removeDescriptions = (actor: Actor, rows: DescriptionRow[]) => sql`
  delete from status_descriptions known
   using json_to_recordset(${JSON.stringify(rows)}::json) as gone(pipeline_id bigint, status_id bigint, level text)
   where known.account_id = ${actor.accountId} and known.status_id = gone.status_id
     and known.pipeline_id = gone.pipeline_id and known.level = gone.level`
