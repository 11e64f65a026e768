// Does the jobs that are written down, one of each user at a time, in whichever process is free. A
// job goes on in steps: its records are found first, then changed, a batch at a time. A step changes
// records, the progress and what an undo needs in one transaction, under a lock on the job. So a
// process may die anywhere, and the next one continues exactly where the last step ended.
//
// A verb refuses a batch as a whole. The step is then repeated without the records that the verb has
// named; where it names none, it is repeated for each half, down to the single record, which is
// skipped.
import type { Actor } from '../../access/actor.ts'
import { actorOnBehalf } from '../../access/on-behalf.ts'
import { workInBackground } from '../../changes/background.ts'
import type { Tx } from '../../database/connect.ts'
import { asProblem, internal } from '../../http/problem.ts'
import type { Problem } from '../../http/problem.ts'
import type { App, Kontor } from '../../kontor.ts'
import { keepingFiles } from '../notes/notes.ts'
import { changeBatch, refusedBy, undoBatch } from './changes.ts'
import type { Outcome } from './changes.ts'
import { tellOfJob, workChannel } from './jobs.ts'
import * as queries from './queries.ts'
import type { JobKey, JobRow } from './queries.ts'
import { findRecordsOfJob } from './records.ts'
import { mostFaultsShown } from './schema.ts'
import type { JobState } from './schema.ts'

/** Records that one transaction changes, as in one request. */
const batchSize = 250
/** Milliseconds between two pieces of news of the progress of a job. */
const newsMs = 500

const none: ReadonlyMap<number, string> = new Map()

export function workOnJobs(app: App, kontor: Kontor): void {
  const { database, now, signals } = kontor
  const keepFiles = keepingFiles(kontor)
  /** When browsers were last told of a job, by its id. */
  const told = new Map<number, number>()

  /** Answers whether no job is left to this process. */
  async function settle(_: unknown, isStopped: () => boolean): Promise<boolean> {
    for (;;) {
      const jobs = await database.rows<JobKey>(queries.nextJobs)
      if (jobs.length === 0) return true
      let isMoving = false
      // A step of each, so that a long job holds up nobody else's.
      for (const key of jobs) {
        if (isStopped()) return false
        if (await advance(key)) isMoving = true
      }
      // Other processes work on them, or the database fails: looked at again later.
      if (!isMoving) return false
    }
  }

  /** Takes one step of a job. Answers whether it could. */
  async function advance(key: JobKey): Promise<boolean> {
    try {
      return await step(key, batchSize, none)
    } catch (error) {
      app.log.error({ err: error, job: key.id }, 'a step of a job failed, and is repeated later')
      return false
    }
  }

  async function step(
    key: JobKey,
    most: number,
    refused: ReadonlyMap<number, string>,
  ): Promise<boolean> {
    let ids: number[] = []
    try {
      const job = await database.transaction(async (tx) => {
        ids = []
        const taken = await tx.row<JobRow>(queries.takeJob(key))
        if (!taken) return undefined
        const after = await advanced(tx, taken, most, refused, (batch) => (ids = batch))
        await tx.rows(queries.updateJob(after))
        return after
      })
      if (job) tell(job)
      return job !== undefined
    } catch (error) {
      if (ids.length === 0) throw error
      const problem = problemOf(error, key)
      const named = refusedBy(
        problem,
        ids.filter((id) => !refused.has(id)),
      )
      const [one, ...others] = ids
      if (named.size > 0) return step(key, most, new Map([...refused, ...named]))
      if (others.length === 0) return step(key, 1, new Map([...refused, [one!, problem.message]]))
      const half = Math.ceil(ids.length / 2)
      return (await step(key, half, refused)) && step(key, ids.length - half, refused)
    }
  }

  /** The job after a step; `tried` is told the records that are about to be changed. */
  async function advanced(
    tx: Tx,
    job: JobRow,
    most: number,
    refused: ReadonlyMap<number, string>,
    tried: (ids: number[]) => void,
  ): Promise<JobRow> {
    const at = now()
    const ended = (after: JobRow, state: JobState, detail: string | null = null): JobRow => ({
      ...after,
      state,
      detail,
      is_cancelling: false,
      finished_at: Math.max(at, after.created_at),
    })
    if (job.is_cancelling) return ended(job, 'cancelled')
    const { account_id: accountId, user_id: userId, request_id: requestId } = job
    const actor = await actorOnBehalf(tx, { accountId, userId, at, requestId })
    if (!actor) return ended(job, 'failed', 'The user is no longer active')
    if (actor.isUnpaid) return ended(job, 'failed', 'The account is not paid for')
    const running: JobRow = { ...job, state: 'running' }
    if (job.found_to !== null) return find(tx, actor, running, ended)
    const ids = await nextIds(tx, job, most)
    tried(ids)
    const outcome =
      job.undoes === null
        ? await changeBatch(tx, actor, job, ids, refused, keepFiles)
        : await undoBatch(tx, actor, job, ids, refused)
    if (outcome.inverses.length > 0) await tx.rows(queries.keepInverses(job, outcome.inverses))
    const after = withOutcome(running, ids, outcome)
    return ids.length < most ? ended(after, 'done') : after
  }

  /** A filter that was good when the job was asked for may be none any more. */
  async function find(
    tx: Tx,
    actor: Actor,
    job: JobRow,
    ended: (after: JobRow, state: JobState, detail: string) => JobRow,
  ): Promise<JobRow> {
    try {
      return await findRecordsOfJob(tx, actor, job)
    } catch (error) {
      const problem = asProblem(error)
      if (!problem || problem.status >= 500) throw error
      return ended(job, 'failed', problem.message)
    }
  }

  /** What refuses the batch. A failure that may pass is thrown again, and a bug is logged. */
  function problemOf(error: unknown, { id: job }: JobKey): Problem {
    const problem = asProblem(error)
    if (problem && problem.status >= 500) throw error
    if (!problem) app.log.error({ err: error, job }, 'a batch of a job failed')
    return problem ?? internal()
  }

  function tell(job: JobRow): void {
    const at = performance.now()
    const isNews = job.finished_at !== null || at - (told.get(job.id) ?? -newsMs) >= newsMs
    if (!isNews) return
    tellOfJob(signals, job)
    if (job.finished_at === null) told.set(job.id, at)
    else told.delete(job.id)
  }

  workInBackground(app, kontor, {
    channel: workChannel,
    failure: 'jobs could not be worked on',
    settle,
  })
}

async function nextIds(tx: Tx, job: JobRow, most: number): Promise<number[]> {
  const rows = await tx.rows<{ id: number }>(queries.nextRecords(job, most))
  return rows.map(({ id }) => id)
}

function withOutcome(job: JobRow, ids: number[], { skipped, inverses }: Outcome): JobRow {
  const faults = [...skipped]
    .map(([id, detail]) => ({ id, detail }))
    .toSorted((a, b) => a.id - b.id)
  return {
    ...job,
    done_to: ids.at(-1) ?? job.done_to,
    done: job.done + ids.length - skipped.size,
    skipped: job.skipped + skipped.size,
    changed: job.changed + inverses.length,
    faults: [...job.faults, ...faults].slice(0, mostFaultsShown),
  }
}
