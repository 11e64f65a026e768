import sql, { join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { may } from '../../../access/record-rights.ts'
import type { Action } from '../../../access/rights.ts'
import type { BulkAction, BulkKind, Job, JobState } from './schema.ts'

/** A row of the table `jobs`. */
export interface JobRow {
  account_id: number
  id: number
  user_id: number
  request_id: string
  kind: BulkKind | 'undo'
  /** Of an undo: that of the job that it undoes. */
  action: BulkAction
  undoes: number | null
  undone_by: number | null
  filter: string | null
  last_id: number
  found_to: number | null
  done_to: number
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

const jobs = sql`
  select job.*, undoing.state as undo_state
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
export type NewJob = Pick<JobRow, 'kind' | 'action' | 'undoes' | 'filter' | 'found_to' | 'total'>

export const insertJob = (
  actor: Actor,
  { kind, action, undoes, filter, found_to, total }: NewJob,
) => sql`
  insert into jobs (account_id, user_id, request_id, kind, action, undoes, filter, last_id, found_to, total, created_at)
  select ${actor.accountId}, ${actor.userId}, ${actor.requestId}::uuid, ${kind}, ${JSON.stringify(action)}::json, ${undoes}::bigint,
         ${filter}, coalesce((select max(id) from leads where account_id = ${actor.accountId}), 0), ${found_to}::bigint,
         ${total}::bigint, ${actor.at}
  returning id`

/** Adds records to a job. */
export const insertRecords = ({ account_id, id }: JobKey, records: number[]): Sql => sql`
  insert into job_records (account_id, job_id, record_id)
  select ${account_id}::bigint, ${id}::bigint, record_id from unnest(${records}::bigint[]) record_id
  on conflict do nothing`

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

/** The next job of each user who has unfinished ones, and those that are to be cancelled. */
export const nextJobs = sql`
  select account_id, id from jobs
   where finished_at is null
     and (is_cancelling
          or not exists (select from jobs earlier
                          where earlier.account_id = jobs.account_id and earlier.user_id = jobs.user_id
                            and earlier.id < jobs.id and earlier.finished_at is null))
   order by account_id, id`

/**
 * Whether the transaction may take a step of a job: no other one does. The row itself stays free, so
 * that a request to cancel the job waits for no batch.
 */
export const takeJob = ({ account_id, id }: JobKey): Sql => sql`
  select pg_try_advisory_xact_lock(hashtextextended(concat_ws(' ', 'kontor job', ${account_id}::bigint, ${id}::bigint), 0)) as taken`

export const unfinishedJob = ({ account_id, id }: JobKey): Sql => sql`
  select * from jobs where account_id = ${account_id} and id = ${id} and finished_at is null`

/** Writes what a step has changed of a job that it has taken. */
export const updateJob = (job: JobRow): Sql => sql`
  update jobs
     set (state, detail, found_to, total, done_to, done, skipped, changed, faults, finished_at, is_cancelling)
       = (${job.state}, ${job.detail}, ${job.found_to}::bigint, ${job.total}::bigint, ${job.done_to}::bigint,
          ${job.done}::bigint, ${job.skipped}::bigint, ${job.changed}::bigint, ${JSON.stringify(job.faults)}::json, ${job.finished_at}::bigint,
          is_cancelling and ${job.finished_at === null}::boolean)
   where account_id = ${job.account_id} and id = ${job.id}`

export const countRecords = ({ account_id, id }: JobKey): Sql => sql`
  select count(*)::int as count from job_records where account_id = ${account_id} and job_id = ${id}`

/** The next records of a job in the order of their ids. */
export const nextRecords = ({ account_id, id, done_to }: JobRow, most: number): Sql => sql`
  select record_id as id from job_records
   where account_id = ${account_id} and job_id = ${id} and record_id > ${done_to}
   order by record_id limit ${most}`

/** Columns of a lead, as JSON has them. */
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
 * The rows that the transaction has journaled of leads after `mark`: columns before and after. Accepted leads
 * are new ones and are left out.
 */
export const journaledChanges = (actor: Actor, mark: number, columns: string[]): Sql => sql`
  select entity_id as id, before, json_build_object(${join(columns.map((name) => sql`${raw(`'${name}'`)}::text, after -> ${raw(`'${name}'`)}`))}) as after
    from journal
   where id > ${mark} and account_id = ${actor.accountId} and entity_type = 'leads' and request_id = ${actor.requestId}::uuid
     and before is not null`

/** The columns of a lead that jobs compare. */
export interface PresentLead extends Columns {
  id: number
  is_deleted: boolean
  allowed: boolean
  responsible_user_id: number
}

const present = (actor: Actor, ids: number[], action: Action) => sql`
  select record.id, record.is_deleted, ${may(actor, 'leads', action)} as allowed, record.responsible_user_id,
         record.pipeline_id, record.status_id, record.loss_reason_id, record.closed_at, record.updated_at, record.updated_by
    from leads record where record.account_id = ${actor.accountId} and record.id = any(${ids}::bigint[])`

/** These leads, in the bin or not, and whether the actor may do the action to each. */
export const presentLeads = present

/** The same, locked in the order of their ids. */
export const lockPresentLeads = (actor: Actor, ids: number[], action: Action): Sql =>
  sql`${present(actor, ids, action)} order by record.id for no key update`

/** The tasks with these ids, deleted ones too. */
export const tasksWithIds = ({ accountId }: Actor, ids: number[]): Sql => sql`
  select id, is_deleted, is_completed from tasks where account_id = ${accountId} and id = any(${ids}::bigint[])`

/** Those of these tags of leads that exist. */
export const existingTags = ({ accountId }: Actor, ids: number[]): Sql => sql`
  select id from tags where account_id = ${accountId} and entity_type = 'leads' and id = any(${ids}::bigint[])`

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
