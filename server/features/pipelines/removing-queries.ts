import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../access/actor.ts'
import type { PipelineStatus } from '../../access/rights.ts'
import type { Gone } from './forgetting.ts'
import { lost, won } from './pipelines.ts'

/** All statuses of a pipeline, or one: lead ids and statuses are positive. */
const range = ({ status_id }: Gone) => ({
  from: status_id ?? 0,
  to: status_id ?? Number.MAX_SAFE_INTEGER,
})

const inside = (actor: Actor, gone: Gone): Sql => sql`
  account_id = ${actor.accountId} and pipeline_id = ${gone.pipeline_id}
  and status_id between ${range(gone).from} and ${range(gone).to}`

/**
 * Ids of leads, of those in the bin or of the others: each half has an index of its own. They come in the order of that index, for one
 * status, too: in the order of ids PostgreSQL may look through the whole account, or its whole bin, for the few leads of a pipeline.
 */
const idsInside = (
  actor: Actor,
  gone: Gone,
  half: 'live' | 'binned',
  after: number,
  most: number,
): Sql => sql`
  select id from leads
   where account_id = ${actor.accountId} and pipeline_id = ${gone.pipeline_id} and ${half === 'live' ? sql`not is_deleted` : sql`is_deleted`}
     and (status_id, id) > (${range(gone).from}, ${after}) and status_id <= ${range(gone).to}
   order by status_id, id limit ${most}`

/** Locks up to `most` leads, in the bin and not, in the order of their ids; `after` is an id of leads of the same status. */
export const lockLeads = (actor: Actor, gone: Gone, after: number, most: number) => sql`
  select id, is_deleted from leads
   where ${inside(actor, gone)}
     and id = any(array((${idsInside(actor, gone, 'live', after, most)}) union all (${idsInside(actor, gone, 'binned', after, most)})))
   order by id limit ${most} for no key update`

export const someLeads = (actor: Actor, gone: Gone) => sql`
  select coalesce((${idsInside(actor, gone, 'live', 0, 1)}), (${idsInside(actor, gone, 'binned', 0, 1)})) is not null as some`

/** Counts the leads of a pipeline, no further than to `most`. */
export const countLeads = (actor: Actor, pipeline_id: number, most: number) => sql`
  select count(*) as total from (${idsInside(actor, { pipeline_id }, 'live', 0, most)}) found`

/** Moves leads of the bin, which are locked, and nothing else about them; won and lost ones of another pipeline stay won and lost. */
export const moveBinned = (
  actor: Actor,
  ids: number[],
  { pipeline_id, status_id }: PipelineStatus,
) => sql`
  update leads
     set pipeline_id = ${pipeline_id}, status_id = case when status_id in (${won}, ${lost}) then status_id else ${status_id} end,
         closed_at = case when ${status_id} in (${won}::bigint, ${lost}::bigint) then ${actor.at} else closed_at end
   where account_id = ${actor.accountId} and id = any(${ids}::bigint[])`

export const removeStatus = (actor: Actor, { pipeline_id, status_id }: Required<Gone>) => sql`
  delete from statuses where account_id = ${actor.accountId} and id = ${status_id} and pipeline_id = ${pipeline_id}`

export const removePipeline = (actor: Actor, id: number) => sql`
  with emptied as (
    delete from statuses where account_id = ${actor.accountId} and pipeline_id = ${id}
  )
  delete from pipelines where account_id = ${actor.accountId} and id = ${id}`
