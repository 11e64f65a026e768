// Jobs: changes of many records at once, on behalf of a user (docs/decisions/0074-jobs.md). A request
// only writes down the job; work.ts does it in the background.
import { lockAccount } from '../../../access/account.ts'
import type { Actor } from '../../../access/actor.ts'
import { requireRight } from '../../../access/record-rights.ts'
import { requireTaskRight } from '../../../access/task-rights.ts'
import type { Signals } from '../../../changes/signals.ts'
import type { Database, Reader, Tx } from '../../../database/connect.ts'
import { newFaults } from '../../../http/batch.ts'
import {
  badRequest,
  forbidden,
  invalidValue,
  notFound,
  tooManyRequests,
} from '../../../http/problem.ts'
import { fieldsOf } from '../../../records/fields/definitions.ts'
import type { SentValues } from '../../../records/fields/schema.ts'
import { readValues, withBareDates } from '../../../records/fields/sent.ts'
import { groupsOfActiveUsers } from '../../../records/people.ts'
import { lossReasonsAmong } from '../../definitions/loss-reasons/loss-reasons.ts'
import { lost, stagesAround } from '../../definitions/pipelines/pipelines.ts'
import { taskTypesAmong } from '../../definitions/task-types/task-types.ts'
import { takesFromBin, rightFor } from './changes.ts'
import { definitionOf, verbsOf } from './definitions.ts'
import * as queries from './queries.ts'
import type { JobKey, JobRow, NewJob } from './queries.ts'
import { lastingFilter, listOf, splitOf } from './records.ts'
import { mostListed } from './schema.ts'
import type {
  BulkAction,
  BulkKind,
  BulkRequest,
  DefinitionRequest,
  Job,
  JobType,
} from './schema.ts'

/** The channel that wakes the processes that work on jobs. */
export const workChannel = 'kontor_jobs'
/** The channel on which browsers hear of a job: a `JobSignal` as JSON. */
export const jobsChannel = 'kontor_job_news'

export interface JobSignal extends JobKey {
  user_id: number
}

/** Jobs of an account that wait at most. */
const mostWaiting = 10
/** Seconds after its end in which a job can be undone. */
const undoSeconds = 86_400

/** The latest jobs of the actor, the latest first. */
export async function listJobs(reader: Reader, actor: Actor): Promise<Job[]> {
  const jobs = await reader.rows<JobRow>(queries.ownJobs(actor, mostListed))
  return jobs.map((job) => shownJob(actor, job))
}

/** Throws 404 for an unknown job, and for one of another user. */
export async function readJob(reader: Reader, actor: Actor, id: number): Promise<Job> {
  return shownJob(actor, await jobOf(reader, actor, id))
}

async function jobOf(reader: Reader, actor: Actor, id: number): Promise<JobRow> {
  const job = await reader.row<JobRow>(queries.ownJob(actor, id))
  if (!job) throw notFound()
  return job
}

/**
 * Writes down a job. Throws 400 for an action or a filter that cannot be, 403 where the actor may do
 * it to no record, and 429 while ten jobs of the account wait.
 */
export async function askBulk(
  tx: Tx,
  signals: Signals,
  actor: Actor,
  { entity_type: type, ids, filter, except = [], action: sent }: BulkRequest,
): Promise<Job> {
  if ((ids === undefined) === (filter === undefined))
    throw badRequest('Name the records either by ids or by a filter')
  if (ids !== undefined && except.length > 0) throw badRequest('Leave records out of a filter')
  const action = await lastingAction(tx, actor, type, actionOf(sent))
  await lockJobs(tx, actor)
  await checkAction(tx, actor, type, action)
  if (filter !== undefined) {
    const { inBin } = await listOf(tx, actor, type, filter)
    if (inBin !== takesFromBin(action.kind))
      throw badRequest(
        'with=only_deleted is for records that are restored or purged, which it finds',
      )
  }
  const lasting = filter === undefined ? null : await lastingFilter(tx, actor, type, filter)
  const named = ids && [...new Set(ids)]
  const { kind } = action
  return addJob(
    tx,
    signals,
    actor,
    {
      kind,
      entity_type: type,
      action,
      definition: null,
      undoes: null,
      filter: lasting,
      left_out: except,
      ...(named
        ? { found_to: null, total: named.length, split_at: splitOf(kind, named) }
        : { found_to: 0, total: null, split_at: null }),
    },
    named,
  )
}

/**
 * Writes down a job that moves the records of a definition elsewhere and then deletes it. Throws the
 * problem of a deletion that cannot be, and 429 while ten jobs of the account wait.
 */
export async function askDefinition(
  tx: Tx,
  signals: Signals,
  actor: Actor,
  request: DefinitionRequest,
): Promise<Job> {
  const { kind, value } = definitionOf(request)
  const verbs = verbsOf({ kind })
  await lockJobs(tx, actor)
  const definition = await verbs.ask(tx, actor, value)
  return addJob(tx, signals, actor, {
    kind,
    entity_type: 'entity_type' in definition ? definition.entity_type : verbs.entity_type,
    action: verbs.action(definition),
    definition,
    undoes: null,
    filter: null,
    left_out: [],
    found_to: null,
    total: null,
    split_at: null,
  })
}

/** Has a job end with its present batch. One that has ended stays as it is. Throws 404 as `readJob`. */
export async function cancelJob(tx: Tx, signals: Signals, actor: Actor, id: number): Promise<Job> {
  const [cancelled] = await tx.rows(queries.cancelOwnJob(actor, id))
  if (cancelled) await tx.rows(queries.wakeWork(workChannel))
  const job = await jobOf(tx, actor, id)
  announce(tx, signals, job)
  return shownJob(actor, job)
}

/**
 * Writes down the job that takes back what another has changed. Throws 404 as `readJob`, 400 for one
 * that cannot be undone, or not any more, and 429 while ten jobs of the account wait.
 */
export async function undoJob(tx: Tx, signals: Signals, actor: Actor, id: number): Promise<Job> {
  await lockJobs(tx, actor)
  const job = await jobOf(tx, actor, id)
  if (!mayUndo(actor, job))
    throw badRequest('This job changed nothing that can be undone, or ended more than a day ago')
  const undo = await addJob(tx, signals, actor, {
    kind: 'undo',
    entity_type: job.entity_type,
    action: job.action,
    definition: job.definition,
    undoes: id,
    filter: null,
    left_out: [],
    found_to: 0,
    total: null,
    split_at: null,
  })
  await tx.rows(queries.setUndoneBy(actor, id, undo.id))
  return undo
}

/** Only one transaction at a time adds jobs to an account. */
async function lockJobs(tx: Tx, actor: Actor): Promise<void> {
  await tx.rows(lockAccount(actor))
  const waiting = await tx.row<{ count: number }>(queries.countWaiting(actor))
  if (waiting!.count >= mostWaiting)
    throw tooManyRequests(10, `${mostWaiting} jobs of this account wait already`)
}

async function addJob(
  tx: Tx,
  signals: Signals,
  actor: Actor,
  draft: NewJob,
  named: number[] = [],
): Promise<Job> {
  const { id } = (await tx.row<{ id: number }>(queries.insertJob(actor, draft)))!
  const key = { account_id: actor.accountId, id }
  if (named.length > 0) await tx.rows(queries.insertRecords(key, named))
  await tx.rows(queries.wakeWork(workChannel))
  const job = await jobOf(tx, actor, id)
  announce(tx, signals, job)
  return shownJob(actor, job)
}

/** Browsers of the user hear of the job after the commit. */
function announce(tx: Tx, signals: Signals, { account_id, user_id, id }: JobRow): void {
  tx.afterCommit(() => signalJob(signals, { account_id, user_id, id }))
}

export function signalJob(signals: Signals, { account_id, user_id, id }: JobSignal): void {
  signals.notify(jobsChannel, JSON.stringify({ account_id, user_id, id } satisfies JobSignal))
}

/** Whether the actor hears of a signal of `jobsChannel`. */
export const hearsOfJob = (
  { accountId, userId, clientId }: Actor,
  { account_id, user_id }: JobSignal,
): boolean => clientId === null && account_id === accountId && user_id === userId

function mayUndo({ at }: Actor, job: JobRow): boolean {
  const { kind, finished_at, changed, definition, undo_state } = job
  const isUndone = undo_state !== null && undo_state !== 'cancelled' && undo_state !== 'failed'
  return (
    kind !== 'undo' &&
    finished_at !== null &&
    at < finished_at + undoSeconds &&
    (changed > 0 || definition?.taken !== undefined) &&
    !isUndone
  )
}

const shownJob = (actor: Actor, job: JobRow): Job => ({
  id: job.id,
  kind: job.kind,
  entity_type: job.entity_type,
  definition: job.definition && {
    kind: job.definition.kind,
    name: job.definition.name,
    into: job.definition.into,
  },
  undoes: job.undoes,
  state: job.state,
  is_cancelling: job.is_cancelling,
  detail: job.detail,
  total: job.total,
  done: job.done,
  skipped: job.skipped,
  faults: job.faults.toSorted((a, b) => a.id - b.id),
  may_undo: mayUndo(actor, job),
  undone_by: job.undone_by,
  created_at: job.created_at,
  finished_at: job.finished_at,
})

const actionOf = (sent: BulkRequest['action']): BulkAction => {
  const [[kind, value]] = Object.entries(sent) as [[BulkKind, object]]
  return { kind, value } as BulkAction
}

/** An action whose days are the same in all batches, also if the account gets another zone. */
async function lastingAction(
  reader: Reader,
  actor: Actor,
  type: JobType,
  action: BulkAction,
): Promise<BulkAction> {
  if (action.kind !== 'field' || !action.value.custom_fields_values) return action
  const fields = await fieldsOf(reader, actor.accountId, type)
  const custom_fields_values = withBareDates(fields, action.value.custom_fields_values)
  return { ...action, value: { ...action.value, custom_fields_values } }
}

/** Refuses at once an action that would be refused for every record. */
async function checkAction(
  tx: Tx,
  actor: Actor,
  type: JobType,
  { kind, value }: BulkAction,
): Promise<void> {
  const refuse = (path: string, detail: string) => {
    throw invalidValue('NotSupportedChoice', `action.${kind}${path && `.${path}`}`, detail)
  }
  const checkUser = async (id: number) => {
    const isActive = (await groupsOfActiveUsers(tx, actor, [id])).has(id)
    if (!isActive) refuse('responsible_user_id', `There is no active user ${id}.`)
  }
  requireRight(actor, type, rightFor[kind])
  if (kind === 'purge' && !actor.isAdmin) throw forbidden()
  if (kind === 'delete' || kind === 'restore' || kind === 'purge') return
  if (kind === 'task') {
    requireTaskRight(actor, 'edit')
    const { task_type_id: id, responsible_user_id } = value
    if (responsible_user_id) await checkUser(responsible_user_id)
    const types = await taskTypesAmong(tx, actor, [id])
    if (!types.has(id)) refuse('task_type_id', `There is no task type ${id}.`)
    return
  }
  if (kind === 'assign') return checkUser(value.responsible_user_id)
  if (kind === 'tag') {
    if (!value.add?.length && !value.remove?.length) refuse('add', 'No tag is named.')
    return
  }
  if (kind === 'field') {
    if (value.price !== undefined && type !== 'leads') refuse('price', 'Only leads have a price.')
    return checkValues(tx, actor, type, value.custom_fields_values)
  }
  if (type !== 'leads') refuse('', 'Only leads have a stage.')
  const { pipeline_id, status_id, loss_reason_id: reason } = value
  const stages = await stagesAround(tx, actor, [pipeline_id], [status_id])
  if (stages.first(pipeline_id) === undefined)
    refuse('pipeline_id', `There is no pipeline ${pipeline_id}.`)
  if (!stages.has(pipeline_id, status_id))
    refuse('status_id', `Pipeline ${pipeline_id} has no status ${status_id}.`)
  if (stages.isUnsorted(status_id))
    refuse('status_id', 'A lead cannot be put into the unsorted status.')
  if (!reason) return
  if (status_id !== lost) refuse('loss_reason_id', 'A loss reason is for leads that are lost.')
  const reasons = await lossReasonsAmong(tx, actor, [reason])
  if (!reasons.has(reason)) refuse('loss_reason_id', `There is no loss reason ${reason}.`)
}

/** Refuses values that a field of the type does not take, as a change of one record would. */
async function checkValues(
  tx: Tx,
  actor: Actor,
  type: JobType,
  sent: SentValues | undefined,
): Promise<void> {
  if (sent === undefined) return
  const fields = await fieldsOf(tx, actor.accountId, type)
  const faults = newFaults()
  readValues(fields, faults, { index: 0, request_id: '0', value: {} }, sent)
  faults.throwIfAny()
}

/** Days that jobs stay after their end, with what they have changed. */
const keptDays = 30
/** Rows per transaction. */
const chunk = 5000

export async function dropOldJobs(database: Database, now: number): Promise<void> {
  const before = now - keptDays * 86_400
  for (;;) {
    const step = await database.transaction((tx) =>
      tx.row<{ dropped: number }>(queries.dropRecords(before, chunk)),
    )
    if (step!.dropped < chunk) break
  }
  await database.transaction((tx) => tx.rows(queries.dropJobs(before)))
}
