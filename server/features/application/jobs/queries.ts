import sql, { empty, join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { may } from '../../../access/record-rights.ts'
import type { Action } from '../../../access/rights.ts'
import { tableOf } from '../../../entity-types.ts'
import { mostFaultsShown } from './schema.ts'
import type { Definition } from './definitions.ts'
import type {
  BulkKind,
  DefinitionKind,
  Job,
  JobAction,
  JobEntity,
  JobState,
  JobType,
} from './schema.ts'

/** A row of the table `jobs`. */
export interface JobRow {
  account_id: number
  id: number
  user_id: number
  request_id: string
  kind: BulkKind | DefinitionKind | 'undo'
  entity_type: JobEntity
  /** Of an undo: that of the job that it undoes. */
  action: JobAction
  /** The definition that the job deletes at its end, and that an undo brings back. */
  definition: Definition | null
  undoes: number | null
  undone_by: number | null
  filter: string | null
  /** Records that the filter finds and that stay as they are. */
  left_out: number[]
  last_id: number
  found_to: number | null
  found: number
  /** The first record of the second lane; null: the first lane has all. */
  split_at: number | null
  /** The last record of each lane that is done or skipped; null: all of the lane are. */
  lanes: [number | null, number | null]
  state: JobState
  is_cancelling: boolean
  detail: string | null
  total: number | null
  done: number
  skipped: number
  changed: number
  faults: Job['faults']
  created_at: number
  finished_at: number | null
  /** The state of the job in `undone_by`. */
  undo_state: JobState | null
}

/** The key of a job. */
export type JobKey = Pick<JobRow, 'account_id' | 'id'>
/** A lane of a job. */
export interface LaneKey extends JobKey {
  lane: 0 | 1
}

/** An array of numbers comes as JSON, of which numbers are read as such; the later of two columns counts. */
const columns = (job: string) =>
  raw(`${job}.*, to_json(${job}.lanes) as lanes, to_json(${job}.left_out) as left_out`)

const jobs = sql`
  select ${columns('job')}, undoing.state as undo_state
    from jobs job
    left join jobs undoing on undoing.account_id = job.account_id and undoing.id = job.undone_by`

/** The latest jobs of the actor, latest first. */
export const ownJobs = ({ accountId, userId }: Actor, most: number): Sql => sql`
  ${jobs} where job.account_id = ${accountId} and job.user_id = ${userId} order by job.id desc limit ${most}`

export const ownJob = ({ accountId, userId }: Actor, id: number): Sql => sql`
  ${jobs} where job.account_id = ${accountId} and job.user_id = ${userId} and job.id = ${id}`

export const countWaiting = ({ accountId }: Actor): Sql => sql`
  select count(*)::int as count from jobs
   where account_id = ${accountId} and finished_at is null and state = 'waiting' and not is_cancelling`

/** The columns that a new job is given. */
export type NewJob = Pick<
  JobRow,
  | 'kind'
  | 'entity_type'
  | 'action'
  | 'definition'
  | 'undoes'
  | 'filter'
  | 'left_out'
  | 'found_to'
  | 'total'
  | 'split_at'
>

/** Where the lanes of a job begin. */
export const lanesFrom = (split_at: number | null): JobRow['lanes'] => [
  0,
  split_at === null ? null : split_at - 1,
]

export const insertJob = (
  actor: Actor,
  {
    kind,
    entity_type,
    action,
    definition,
    undoes,
    filter,
    left_out,
    found_to,
    total,
    split_at,
  }: NewJob,
) => sql`
  insert into jobs (account_id, user_id, request_id, kind, entity_type, action, definition, undoes, filter, left_out, last_id, found_to, total,
                    split_at, lanes, created_at)
  select ${actor.accountId}, ${actor.userId}, ${actor.requestId}::uuid, ${kind}, ${entity_type}, ${JSON.stringify(action)}::json, ${definition && JSON.stringify(definition)}::json,
         ${undoes}::bigint, ${filter}, ${left_out}::bigint[], coalesce((select max(id) from ${raw(entity_type)} where account_id = ${actor.accountId}), 0),
         ${found_to}::bigint, ${total}::bigint, ${split_at}::bigint, ${lanesFrom(split_at)}::bigint[], ${actor.at}
  returning id`

/** Adds records to a job; answers how many. */
export const insertRecords = ({ account_id, id }: JobKey, records: number[]): Sql => sql`
  with added as (
    insert into job_records (account_id, job_id, record_id)
    select ${account_id}::bigint, ${id}::bigint, record_id from unnest(${records}::bigint[]) record_id
    on conflict do nothing
    returning 1
  )
  select count(*)::int as count from added`

/** Adds records that a job has changed. One that it changed before is as it was before the last change, or the first one. */
export const insertChanged = (
  { account_id, id }: JobKey,
  inverses: Inverse[],
  keepsFirst: boolean,
): Sql => sql`
  insert into job_records as known (account_id, job_id, record_id, before, after)
  select ${account_id}::bigint, ${id}::bigint, inverse.id, inverse.before, inverse.after
    from json_to_recordset(${JSON.stringify(inverses)}::json) as inverse(id bigint, before json, after json)
  on conflict (account_id, job_id, record_id) do update
     set (before, after) = (case when ${keepsFirst}::boolean then known.before else excluded.before end, excluded.after)`

/** Keeps what the undo of a job brings back. */
export const keepDefinition = ({ account_id, id }: JobKey, definition: Definition): Sql => sql`
  update jobs set definition = ${JSON.stringify(definition)}::json where account_id = ${account_id} and id = ${id}`

/** Adds the next records that another job has changed; answers their number and the last. */
export const insertRecordsOf = (
  { account_id, id }: JobKey,
  undoes: number,
  after: number,
  most: number,
): Sql => sql`
  with next as (
    select record_id from job_records
     where account_id = ${account_id} and job_id = ${undoes} and record_id > ${after} and before is not null
     order by record_id limit ${most}
  ), added as (
    insert into job_records (account_id, job_id, record_id)
    select ${account_id}::bigint, ${id}::bigint, record_id from next
  )
  select count(*)::int as count, max(record_id) as last from next`

export const setUndoneBy = ({ accountId }: Actor, id: number, undone_by: number): Sql => sql`
  update jobs set undone_by = ${undone_by} where account_id = ${accountId} and id = ${id}`

/** Says that a job of the actor is to be cancelled. */
export const cancelOwnJob = ({ accountId, userId }: Actor, id: number): Sql => sql`
  update jobs set is_cancelling = true
   where account_id = ${accountId} and user_id = ${userId} and id = ${id} and finished_at is null
  returning id`

/**
 * The lanes that can go on: of the next job of each user who has unfinished ones, and of those that are to be cancelled.
 * The first lane finds the records; the second begins once all are found.
 */
export const nextLanes = sql`
  select account_id, id, (lane - 1)::int as lane
    from jobs cross join unnest(lanes) with ordinality as each(position, lane)
   where finished_at is null and position is not null and (lane = 1 or (state = 'running' and found_to is null))
     and (is_cancelling
          or not exists (select from jobs earlier
                          where earlier.account_id = jobs.account_id and earlier.user_id = jobs.user_id
                            and earlier.id < jobs.id and earlier.finished_at is null))
   order by account_id, id, lane`

/**
 * Whether the transaction may take a step of a lane: no other one does. The row of the job stays free until the end of
 * the step, so that neither the other lane nor a request to cancel waits for a batch.
 */
export const takeLane = ({ account_id, id, lane }: LaneKey): Sql => sql`
  select pg_try_advisory_xact_lock(hashtextextended(concat_ws(' ', 'kontor job', ${account_id}::bigint, ${id}::bigint, ${lane}::int), 0)) as taken`

export const unfinishedJob = ({ account_id, id }: JobKey): Sql => sql`
  select ${columns('jobs')} from jobs where account_id = ${account_id} and id = ${id} and finished_at is null`

/** Writes how far the first lane has come with finding records. */
export const updateFinding = (job: JobRow): Sql => sql`
  update jobs set (state, found_to, found, total, split_at, lanes)
                = (${job.state}, ${job.found_to}::bigint, ${job.found}::bigint, ${job.total}::bigint, ${job.split_at}::bigint, ${job.lanes}::bigint[])
   where account_id = ${job.account_id} and id = ${job.id}
  returning ${columns('jobs')}`

/** The record of a job that has so many others before it. */
export const recordAt = ({ account_id, id }: JobKey, index: number): Sql => sql`
  select record_id as id from job_records where account_id = ${account_id} and job_id = ${id}
   order by record_id offset ${index} limit 1`

/** Ends a job of which no record has been changed. */
export const endUnbegunJob = (
  { account_id, id }: JobKey,
  state: JobState,
  detail: string | null,
  at: number,
): Sql => sql`
  update jobs
     set (state, detail, is_cancelling, lanes, finished_at) = (${state}, ${detail}, false, '{null,null}', greatest(${at}::bigint, created_at))
   where account_id = ${account_id} and id = ${id}
  returning ${columns('jobs')}`

/** The result of a step of a lane. */
export interface LaneStep {
  /** The last record that is done or skipped; null where the lane is at its end. */
  position: number | null
  done: number
  skipped: number
  changed: number
  faults: Job['faults']
  /** Why the job fails. */
  detail: string | null
  /** Whether the user ended the job before its end was known. */
  isCancelled?: boolean
  /** Seconds. */
  at: number
}

/** Adds a step of a lane to its job, which ends with the last of its lanes. */
export function advanceLane({ account_id, id, lane }: LaneKey, step: LaneStep): Sql {
  const { position, done, skipped, changed, faults, detail, isCancelled = false, at } = step
  const isEnd = sql`(${position}::bigint is null and lanes[${2 - lane}::int] is null)`
  const allFaults =
    faults.length > 0
      ? sql`, faults = (
          select json_agg(fault)
            from (select fault from json_array_elements(faults) fault
                   union all select fault from json_array_elements(${JSON.stringify(faults)}::json) fault
                   limit ${mostFaultsShown}) fault)`
      : empty
  return sql`
    update jobs
       set lanes[${lane + 1}::int] = ${position}::bigint, done = done + ${done}, skipped = skipped + ${skipped}, changed = changed + ${changed},
           detail = coalesce(detail, ${detail}),
           total = case when ${isEnd} then coalesce(total, done + skipped + ${done} + ${skipped}) else total end, is_cancelling = is_cancelling and not ${isEnd},
           state = case when not ${isEnd} then state
                        when coalesce(detail, ${detail}) is not null then 'failed'
                        when ${isCancelled}::boolean or done + skipped + ${done} + ${skipped} < total then 'cancelled'
                        else 'done' end,
           finished_at = case when ${isEnd} then greatest(${at}::bigint, created_at) end ${allFaults}
     where account_id = ${account_id} and id = ${id}
    returning ${columns('jobs')}`
}

/** The next records of a lane in the order of their ids. */
export const nextRecords = (
  { account_id, id, split_at }: JobRow,
  lane: LaneKey['lane'],
  after: number,
  most: number,
): Sql => sql`
  select record_id as id from job_records
   where account_id = ${account_id} and job_id = ${id} and record_id > ${after}
     ${lane === 0 && split_at !== null ? sql`and record_id < ${split_at}` : empty}
   order by record_id limit ${most}`

/** Columns of a record, as JSON has them. */
export type Columns = Record<string, unknown>

/** The change of a record by a job: columns as they were, and as it left them. */
export interface Inverse {
  id: number
  before: Columns
  after: Columns
}

/** Keeps what a job changed. */
export const keepInverses = ({ account_id, id }: JobKey, inverses: Inverse[]): Sql => sql`
  update job_records kept set before = inverse.before, after = inverse.after
    from json_to_recordset(${JSON.stringify(inverses)}::json) as inverse(id bigint, before json, after json)
   where kept.account_id = ${account_id} and kept.job_id = ${id} and kept.record_id = inverse.id`

/** The changes of these records by a job. */
export const inversesOf = (account_id: number, job: number, records: number[]): Sql => sql`
  select record_id as id, before, after from job_records
   where account_id = ${account_id} and job_id = ${job} and record_id = any(${records}::bigint[]) and before is not null
   order by record_id`

/** Forgets what a job changed of these records, which is undone. */
export const forgetInverses = (account_id: number, job: number, records: number[]): Sql => sql`
  update job_records set before = null, after = null
   where account_id = ${account_id} and job_id = ${job} and record_id = any(${records}::bigint[])`

/**
 * The rows that the transaction has journaled of these records after `mark`: columns before and after. The other lane
 * writes under the same request. New records are left out,
 * and accepted leads with them.
 */
export const journaledChanges = (
  actor: Actor,
  type: JobType,
  mark: number,
  ids: number[],
  names: readonly string[],
): Sql => sql`
  select entity_id as id, before, json_build_object(${join(names.map((name) => sql`${raw(`'${name}'`)}::text, after -> ${raw(`'${name}'`)}`))}) as after
    from journal
   where id > ${mark} and account_id = ${actor.accountId} and entity_type = ${type} and request_id = ${actor.requestId}::uuid
     and entity_id = any(${ids}::bigint[]) and before is not null`

/** The columns of a record that jobs compare. */
export interface PresentRecord extends Columns {
  id: number
  is_deleted: boolean
  allowed: boolean
  responsible_user_id: number
}

/** Which columns of which records are read, and for which action. */
export interface PresentRequest {
  type: JobType
  ids: number[]
  action: Action
  /** Columns of the table besides those of every request. */
  columns: readonly string[]
}

/** These records, in the bin or not, and whether the actor may do the action to each. */
export const presentRecords = (
  actor: Actor,
  { type, ids, action, columns: names }: PresentRequest,
): Sql => sql`
  select record.id, record.is_deleted, ${may(actor, type, action)} as allowed, record.responsible_user_id
         ${raw(names.map((name) => `, ${expressions[name] ?? `record.${name}`}`).join(''))}
    from ${tableOf(type)} record where record.account_id = ${actor.accountId} and record.id = any(${ids}::bigint[])`

/** An array of numbers comes as JSON, of which numbers are read as such. */
const expressions: Record<string, string> = { tag_ids: 'to_json(record.tag_ids) as tag_ids' }

/** The same, locked in the order of their ids. */
export const lockPresentRecords = (actor: Actor, request: PresentRequest): Sql =>
  sql`${presentRecords(actor, request)} order by record.id for no key update`

/** Locks leads with a loss reason, in the bin or not, in the order of their ids. */
export function lockLeadsOfReason(
  { accountId }: Actor,
  reason: number,
  after: number,
  most: number,
): Sql {
  const ids = (isDeleted: boolean) => sql`
    select id from leads
     where account_id = ${accountId} and loss_reason_id = ${reason} and is_deleted = ${isDeleted}::boolean and id > ${after}
     order by id limit ${most}`
  return sql`
    select id, is_deleted from leads
     where account_id = ${accountId} and loss_reason_id = ${reason}
       and id = any(array((${ids(false)}) union all (${ids(true)})))
     order by id limit ${most} for no key update`
}

/** Gives locked leads of the bin a reason, without any news. */
export const giveBinnedReason = ({ accountId }: Actor, ids: number[], reason: number): Sql => sql`
  update leads set loss_reason_id = ${reason}
   where account_id = ${accountId} and id = any(${ids}::bigint[]) and is_deleted`

/** The next records with a choice of a field, in the bin or not, in the order of their ids. */
export const recordsOfOption = (
  { accountId }: Actor,
  { entity_type, field_id, enum_id }: RecordsOfOption,
  after: number,
  most: number,
): Sql => sql`
  select key.entity_id as id
    from field_numbers key,
         lateral (select from ${tableOf(entity_type)} record
                   where record.account_id = key.account_id and record.id = key.entity_id and ${hasOption(field_id, enum_id)}
                   limit 1) looked_up
   where key.account_id = ${accountId} and key.field_id = ${field_id} and key.entity_type = ${entity_type}
     and key.value = ${enum_id}::numeric and key.entity_id > ${after}
   order by key.entity_id limit ${most}`

/** Locks those of these records that have the choice in the order of their ids; `isFree`: those that nobody has locked. */
export const lockRecordsOfOption = (
  { accountId }: Actor,
  { entity_type, field_id, enum_id }: RecordsOfOption,
  ids: number[],
  isFree: boolean,
): Sql => sql`
  select record.id, record.is_deleted from ${tableOf(entity_type)} record
   where record.account_id = ${accountId} and record.id = any(${ids}::bigint[]) and ${hasOption(field_id, enum_id)}
   order by record.id for no key update ${isFree ? raw('skip locked') : empty}`

/** The next records with a tag, in the bin or not, in the order of their ids. */
export const recordsOfTag = (
  { accountId }: Actor,
  { entity_type, tag_id }: RecordsOfTag,
  after: number,
  most: number,
): Sql => sql`
  select entity_id as id from record_tags
   where account_id = ${accountId} and entity_type = ${entity_type} and tag_id = ${tag_id} and entity_id > ${after}
   order by entity_id limit ${most}`

/** The same for records that have a tag. */
export const lockRecordsOfTag = (
  { accountId }: Actor,
  { entity_type, tag_id }: RecordsOfTag,
  ids: number[],
  isFree: boolean,
): Sql => sql`
  select record.id, record.is_deleted from ${tableOf(entity_type)} record
   where record.account_id = ${accountId} and record.id = any(${ids}::bigint[]) and ${tag_id}::bigint = any(record.tag_ids)
   order by record.id for no key update ${isFree ? raw('skip locked') : empty}`

interface RecordsOfTag {
  entity_type: JobType
  tag_id: number
}

/** Gives locked records of the bin other tags, without any news. */
export const setBinnedTags = (
  { accountId }: Actor,
  type: JobType,
  changed: { id: number; after: number[] }[],
): Sql => sql`
  update ${tableOf(type)} binned
     set tag_ids = array(select value::bigint from json_array_elements_text(draft.after) value)
    from json_to_recordset(${JSON.stringify(changed)}::json) as draft(id bigint, after json)
   where binned.account_id = ${accountId} and binned.id = draft.id and binned.is_deleted`

interface RecordsOfOption {
  entity_type: JobType
  field_id: number
  enum_id: number
}

/** Whether a row named `record` has a choice of a field. */
const hasOption = (field: number, option: number) =>
  sql`record.custom_fields_values -> ${String(field)}::text @> to_jsonb(${option}::bigint)`

/** Gives locked records of the bin other choices of a field, without any news. */
export const setBinnedValues = (
  { accountId }: Actor,
  type: JobType,
  field: number,
  changed: { id: number; after: number[] }[],
): Sql => sql`
  update ${tableOf(type)} binned
     set custom_fields_values = nullif(case when draft.after = '[]' then binned.custom_fields_values - ${String(field)}::text
                                            else coalesce(binned.custom_fields_values, '{}') || jsonb_build_object(${String(field)}::text, draft.after) end, '{}')
    from json_to_recordset(${JSON.stringify(changed)}::json) as draft(id bigint, after jsonb)
   where binned.account_id = ${accountId} and binned.id = draft.id and binned.is_deleted`

/** Dates the entry of locked leads into their stages. */
export const setEntered = (
  { accountId }: Actor,
  leads: readonly { id: number; entered_at: number | null }[],
): Sql => sql`
  update leads set entered_at = entered.entered_at
    from json_to_recordset(${JSON.stringify(leads)}::json) as entered(id bigint, entered_at bigint)
   where leads.account_id = ${accountId} and leads.id = entered.id`

/** The tasks with these ids, deleted ones too. */
export const tasksWithIds = ({ accountId }: Actor, ids: number[]): Sql => sql`
  select id, is_deleted, is_completed from tasks where account_id = ${accountId} and id = any(${ids}::bigint[])`

/** Those of these tags of a type that exist. */
export const existingTags = ({ accountId }: Actor, type: JobType, ids: number[]): Sql => sql`
  select id from tags where account_id = ${accountId} and entity_type = ${type} and id = any(${ids}::bigint[])`

/** Drops records of jobs that ended before a time, so many at once; answers their number. */
export const dropRecords = (before: number, most: number): Sql => sql`
  with dropped as (
    delete from job_records where (account_id, job_id, record_id) in (
      select account_id, job_id, record_id from job_records
       where (account_id, job_id) in (select account_id, id from jobs where finished_at < ${before}) limit ${most})
    returning 1
  )
  select count(*)::int as dropped from dropped`

export const dropJobs = (before: number): Sql => sql`
  delete from jobs where finished_at < ${before}`

/** Bounds each wait of the transaction for a lock. */
export const waitAtMost = (milliseconds: number): Sql =>
  sql`select set_config('lock_timeout', ${`${milliseconds}ms`}, true)`

/** Wakes the processes that work on jobs, with the commit. */
export const wakeWork = (channel: string): Sql => sql`select pg_notify(${channel}::text, '')`
