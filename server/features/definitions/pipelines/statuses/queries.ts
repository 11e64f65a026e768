import sql, { empty } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { selfLink } from '../../../../http/self-link.ts'
import type { Actor } from '../../../../access/actor.ts'
import type { PipelineStatus } from '../../../../access/rights.ts'
import { lost, won } from './schema.ts'

export interface StatusRow {
  id: number
  name: string
  sort: number
  color: string
  type: number
}

/** A status as JSON text. */
export interface ShownStatus {
  id: number
  json: string
}

/** One status, or all of a pipeline. */
export type PipelineOrStatus = Pick<PipelineStatus, 'pipeline_id'> & Partial<PipelineStatus>

/** `_links` of a row named `status`. */
const statusLink = (base: string) =>
  selfLink(
    sql`${`${base}/api/v4/leads/pipelines/`}::text || status.pipeline_id
        || ${'/statuses/'}::text || status.id`,
  )

/** The columns that are shown of a row named `status`. */
export const statusShown = (base: string) => sql`
  status.id, status.name, status.sort,
  status.type = 0 and status.id not in (${won}, ${lost}) as is_editable,
  status.pipeline_id, status.color, status.type, status.account_id, ${statusLink(base)} as _links`

/** The times of a row named `status`. Only statuses show times as text. */
const descriptions = sql`
  array_to_json(array(
   select row_to_json(each)
     from (select id, account_id, ${timeText('created_at')} as created_at,
                  ${timeText('updated_at')} as updated_at, created_by, updated_by,
                  pipeline_id, status_id, level, description
             from status_descriptions
            where account_id = status.account_id and status_id = status.id
              and pipeline_id = status.pipeline_id) each
    order by each.id))`

function timeText(column: 'created_at' | 'updated_at'): Sql {
  const seconds = column === 'created_at' ? sql`created_at` : sql`updated_at`
  return sql`to_char(to_timestamp(${seconds}) at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')`
}

const statusJson = (base: string, withDescriptions: boolean) => sql`
  lateral (select ${statusShown(base)}
                  ${withDescriptions ? sql`, ${descriptions} as descriptions` : empty}) shown`

/** The statuses of a pipeline that are listed. */
export const statusList = (
  actor: Actor,
  base: string,
  pipeline_id: number,
  withDescriptions: boolean,
) => sql`
  select status.id, row_to_json(shown)::text as json
    from pipelines pipeline
    join statuses status on status.account_id = pipeline.account_id
                        and status.pipeline_id = pipeline.id
                        and (status.type = 0 or pipeline.is_unsorted_on),
         ${statusJson(base, withDescriptions)}
   where pipeline.account_id = ${actor.accountId} and pipeline.id = ${pipeline_id}
   order by status.sort, status.id`

/**
 * Statuses of a pipeline by id. The unsorted one is found even where it is not listed, because the
 * leads in it name it.
 */
export const statusesById = (
  actor: Actor,
  base: string,
  pipeline_id: number,
  ids: number[],
  withDescriptions: boolean,
) => sql`
  select status.id, row_to_json(shown)::text as json
    from statuses status, ${statusJson(base, withDescriptions)}
   where status.account_id = ${actor.accountId} and status.pipeline_id = ${pipeline_id}
     and status.id = any(${ids}::bigint[])`

/** The statuses of a pipeline as they are kept, in their order. */
export const statusRows = (actor: Actor, pipeline_id: number) => sql`
  select id, name, sort, color, type from statuses
   where account_id = ${actor.accountId} and pipeline_id = ${pipeline_id} order by sort, id`

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
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as draft(id bigint, name text, sort int, color text)
   where status.account_id = ${actor.accountId} and status.pipeline_id = ${pipeline_id}
     and status.id = draft.id`

export const removeStatus = (actor: Actor, { pipeline_id, status_id }: PipelineStatus) => sql`
  delete from statuses
   where account_id = ${actor.accountId} and id = ${status_id} and pipeline_id = ${pipeline_id}`

/** A description of a status, as it is kept or is to become; null: it is removed. */
export interface DescriptionRow extends PipelineStatus {
  level: string
  description: string | null
}

export const descriptionIds = (actor: Actor, { pipeline_id, status_id }: PipelineStatus) => sql`
  select id, level from status_descriptions
   where account_id = ${actor.accountId} and status_id = ${status_id}
     and pipeline_id = ${pipeline_id}`

/** Adds descriptions or overwrites those of the same level. An equal one keeps author and time. */
export const saveDescriptions = (actor: Actor, author: number, rows: DescriptionRow[]) => sql`
  insert into status_descriptions as known
         (account_id, pipeline_id, status_id, level, description, created_by, updated_by,
          created_at, updated_at)
  select ${actor.accountId}::bigint, pipeline_id, status_id, level, description,
         ${author}::bigint, ${author}::bigint, ${actor.at}::bigint, ${actor.at}::bigint
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as draft(pipeline_id bigint, status_id bigint, level text, description text)
  on conflict on constraint status_descriptions_level do update
     set description = excluded.description, updated_by = excluded.updated_by,
         updated_at = greatest(excluded.updated_at, known.created_at)
   where known.description <> excluded.description`

export const removeDescriptions = (actor: Actor, rows: DescriptionRow[]) => sql`
  delete from status_descriptions known
   using json_to_recordset(${JSON.stringify(rows)}::json)
      as removed(pipeline_id bigint, status_id bigint, level text)
   where known.account_id = ${actor.accountId} and known.status_id = removed.status_id
     and known.pipeline_id = removed.pipeline_id and known.level = removed.level`

/** Leads that a deletion moves in one transaction, about 200 ms. */
export const deletionChunk = 1000

/** One status, or all of a pipeline: ids of statuses are positive. */
const range = ({ status_id }: PipelineOrStatus) => ({
  from: status_id ?? 0,
  to: status_id ?? Number.MAX_SAFE_INTEGER,
})

/**
 * Ids of leads in the bin, or of the others, in the order of the index that each of the two has.
 * Asked for in the order of ids, PostgreSQL may read the whole account for a few leads.
 */
const leadIds = (
  actor: Actor,
  within: PipelineOrStatus,
  isDeleted: boolean,
  after: number,
  most: number,
): Sql => sql`
  select id from leads
   where account_id = ${actor.accountId} and pipeline_id = ${within.pipeline_id}
     and ${isDeleted ? sql`is_deleted` : sql`not is_deleted`}
     and (status_id, id) > (${range(within).from}, ${after})
     and status_id <= ${range(within).to}
   order by status_id, id limit ${most}`

/**
 * Locks up to `most` leads, in the bin or not, in the order of their ids. `after` is the id of a
 * lead in the same status.
 */
export const lockLeads = (actor: Actor, within: PipelineOrStatus, after: number, most: number) =>
  sql`
  select id, is_deleted from leads
   where account_id = ${actor.accountId} and pipeline_id = ${within.pipeline_id}
     and status_id between ${range(within).from} and ${range(within).to}
     and id = any(array((${leadIds(actor, within, false, after, most)})
                        union all (${leadIds(actor, within, true, after, most)})))
   order by id limit ${most} for no key update`

/** Whether there is a lead, in the bin or not. */
export const someLeads = (actor: Actor, within: PipelineOrStatus) => sql`
  select coalesce((${leadIds(actor, within, false, 0, 1)}),
                  (${leadIds(actor, within, true, 0, 1)})) is not null as some`

/** Counts the leads of a pipeline that are not in the bin, up to `most`. */
export const countLeads = (actor: Actor, pipeline_id: number, most: number) => sql`
  select count(*) as total from (${leadIds(actor, { pipeline_id }, false, 0, most)}) counted`

/**
 * Moves locked leads of the bin. They keep their `updated_at`, because the purge goes by it, and
 * those that are won or lost stay so in another pipeline.
 */
export const moveBinned = (
  actor: Actor,
  ids: number[],
  { pipeline_id, status_id }: PipelineStatus,
) => sql`
  update leads
     set pipeline_id = ${pipeline_id},
         status_id = case when status_id in (${won}, ${lost}) then status_id else ${status_id} end,
         closed_at = case when ${status_id} in (${won}::bigint, ${lost}::bigint) then greatest(${actor.at}::bigint, created_at)
                          else closed_at end
   where account_id = ${actor.accountId} and id = any(${ids}::bigint[])`
