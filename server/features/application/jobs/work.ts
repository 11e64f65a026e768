// Does the jobs that are written down, one of each user at a time, in whichever process is free. The
// first lane of a job finds its records, and changes them, a batch at a time. Of a long job, a second
// lane changes the second half beside it: while the database works for one lane, this process works
// for the other. A step changes records, the progress and what an undo needs in one transaction,
// under a lock on the lane. So a process may die anywhere, and the next one continues exactly where
// the last step ended. A job ends with the last of its lanes.
//
// A verb refuses a batch as a whole. The step is then repeated without the records that the verb has
// named; where it names none, it is repeated for each half, down to the single record, which is
// skipped.
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { actorOnBehalf } from '../../../access/on-behalf.ts'
import { workInBackground } from '../../../changes/background.ts'
import { newLatch } from '../../../changes/latch.ts'
import type { Tx } from '../../../database/connect.ts'
import { asProblem, internal } from '../../../http/problem.ts'
import type { Problem } from '../../../http/problem.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { keepingFiles } from '../../activity/notes/notes.ts'
import { changeBatch, refusedBy, undoBatch } from './changes.ts'
import type { BatchOutcome } from './changes.ts'
import { verbsOf } from './definitions.ts'
import type { Definition } from './definitions.ts'
import { signalJob, workChannel } from './jobs.ts'
import * as queries from './queries.ts'
import type { JobRow, LaneKey, LaneStep } from './queries.ts'
import { findRecordsOfJob } from './records.ts'
import { mostFaultsShown } from './schema.ts'

/** Records that one transaction changes, as in one request. */
const batchSize = 250
/**
 * Records in one transaction of a job of a definition, which nobody waits for: the requests of others wait less
 * (bench/results/2026-11-lists.md).
 */
const definitionBatchSize = 100
/** Milliseconds after which a process looks for a job that another one has left. */
const everyMs = 5000
/** Lanes that a process works on at once: most connections are for requests. */
const maxConcurrent = 2
/**
 * Milliseconds that a batch waits for a record that somebody else is changing. The records that it
 * has locked wait with it.
 */
const lockMs = 2000
/** Milliseconds between two pieces of news of the progress of a job. */
const newsMs = 500

/** The position of a lane that deletes a definition, once it has moved the records that it knew of. */
const allKnown = Number.MAX_SAFE_INTEGER

const none: ReadonlyMap<number, string> = new Map()

export function workOnJobs(app: App, kontor: Kontor): void {
  const { config, database, now, signals } = kontor
  const keepFiles = keepingFiles(kontor)
  /** By the id of a job: when browsers were last told of it. */
  const signalledAt = new Map<number, number>()
  /** By lane: its last turn in this process. */
  const turns = new Map<string, number>()
  let turn = 0
  const latch = newLatch()
  const unsubscribe = signals.on(workChannel, latch.open)
  app.addHook('onClose', async () => unsubscribe())

  /**
   * Takes steps of a few lanes at once, of those whose last turn was longest ago, so that neither a
   * long job nor one that waits for a lock holds up the others. Answers whether no job is left.
   */
  async function finishStopped(_: unknown, isStopped: () => boolean): Promise<boolean> {
    const going = new Map<string, Promise<unknown>>()
    /** Those that another process has, or that failed: looked at again later. */
    const resting = new Set<string>()
    for (;;) {
      const lanes = isStopped() ? [] : await database.rows<LaneKey>(queries.nextLanes)
      const next = lanes
        .map((key) => ({ key, name: nameOf(key) }))
        .filter(({ name }) => !going.has(name) && !resting.has(name))
        .toSorted((a, b) => (turns.get(a.name) ?? 0) - (turns.get(b.name) ?? 0))
      for (const { key, name } of next.slice(0, maxConcurrent - going.size)) {
        turns.set(name, ++turn)
        const taken = advance(key).then((isMoving) => {
          going.delete(name)
          if (!isMoving) resting.add(name)
        })
        going.set(name, taken)
      }
      if (going.size > 0) {
        await Promise.race([...going.values(), latch.opened(everyMs)])
        continue
      }
      if (lanes.length === 0) for (const known of [signalledAt, turns]) known.clear()
      return lanes.length === 0
    }
  }

  /** Takes one step of a lane. Answers whether it could. */
  async function advance(key: LaneKey): Promise<boolean> {
    try {
      return await step(key, batchSize, none)
    } catch (error) {
      const level = isPassing(error) ? 'warn' : 'error'
      app.log[level]({ err: error, job: key.id }, 'a step of a job failed, and is repeated later')
      return false
    }
  }

  async function step(
    key: LaneKey,
    most: number,
    refused: ReadonlyMap<number, string>,
  ): Promise<boolean> {
    let ids: number[] = []
    /** The job, where it is the definition that is about to change. */
    let ofDefinition: JobRow | undefined
    try {
      const job = await database.transaction(async (tx) => {
        ids = []
        await tx.rows(queries.waitAtMost(lockMs))
        const { taken } = (await tx.row<{ taken: boolean }>(queries.takeLane(key)))!
        // Read after the lock: the row as the last step left it.
        const job = taken && (await tx.row<JobRow>(queries.unfinishedJob(key)))
        if (!job || job.lanes[key.lane] === null) return undefined
        const isBeginning = job.state === 'waiting'
        if (job.definition && (job.undoes === null || isBeginning)) ofDefinition = job
        const size = job.definition ? Math.min(most, definitionBatchSize) : most
        const statement = await advanced(tx, key, job, size, refused, (batch) => (ids = batch))
        return tx.row<JobRow>(statement)
      })
      if (job) signal(job)
      return job !== undefined
    } catch (error) {
      if (ofDefinition) return endRefused(key, problemOf(error, key).message)
      if (ids.length === 0) throw error
      const problem = problemOf(error, key)
      const named = refusedBy(
        problem,
        ids.filter((id) => !refused.has(id)),
      )
      const [one, ...others] = ids
      if (named.size > 0) return step(key, most, new Map([...refused, ...named]))
      // One that fails although it is left out says nothing of the record: the lane rests, and tries later.
      if (others.length === 0 && refused.has(one!)) throw error
      if (others.length === 0) return step(key, 1, new Map([...refused, [one!, problem.message]]))
      const half = Math.ceil(ids.length / 2)
      return (await step(key, half, refused)) && step(key, ids.length - half, refused)
    }
  }

  /** Ends a job whose definition cannot go, or come back; what it has changed can be undone. */
  async function endRefused(key: LaneKey, detail: string): Promise<boolean> {
    const job = await database.transaction(async (tx) => {
      const { taken } = (await tx.row<{ taken: boolean }>(queries.takeLane(key)))!
      const current = taken && (await tx.row<JobRow>(queries.unfinishedJob(key)))
      return current && tx.row<JobRow>(failing(key, current, now())(detail))
    })
    if (job) signal(job)
    return Boolean(job)
  }

  /**
   * Takes a step, and answers the statement that writes how far the job is then; `tried` is told the
   * records that are about to be changed.
   */
  async function advanced(
    tx: Tx,
    key: LaneKey,
    job: JobRow,
    most: number,
    refused: ReadonlyMap<number, string>,
    tried: (ids: number[]) => void,
  ): Promise<Sql> {
    const at = now()
    const position = job.lanes[key.lane]!
    const isBegun = job.state === 'running' && job.found_to === null
    const fail = failing(key, job, at)
    const isForward = job.undoes === null
    if (job.is_cancelling)
      return isBegun
        ? queries.advanceLane(key, { ...idleAt(at), isCancelled: isForward && !!job.definition })
        : queries.endUnbegunJob(job, 'cancelled', null, at)
    const { account_id: accountId, user_id: userId, request_id: requestId } = job
    const actor = await actorOnBehalf(tx, { accountId, userId, at, requestId })
    if (!actor) return fail('The user is no longer active')
    if (actor.isUnpaid) return fail('The account is not paid for')
    const { definition } = job
    const isForAdmins = definition !== null || job.kind === 'purge'
    if (isForAdmins && !actor.isAdmin) return fail('The user is no longer an administrator')
    if (job.state === 'waiting' && definition && !isForward)
      await verbsOf(definition).putBack(tx, actor, definition)
    if (job.state === 'waiting') return queries.updateFinding({ ...job, state: 'running' })
    if (job.found_to !== null) return find(tx, actor, job, fail)
    if (definition && isForward) return remove(tx, actor, key, { ...job, definition }, most, tried)
    const rows = await tx.rows<{ id: number }>(queries.nextRecords(job, key.lane, position, most))
    const ids = rows.map(({ id }) => id)
    tried(ids)
    const outcome = isForward
      ? await changeBatch(tx, actor, job, ids, refused, keepFiles)
      : await undoBatch(tx, actor, job, ids, refused)
    if (outcome.inverses.length > 0) await tx.rows(queries.keepInverses(job, outcome.inverses))
    const isEnd = ids.length < most
    return queries.advanceLane(key, stepOf(ids, outcome, isEnd ? null : ids.at(-1)!, at))
  }

  /**
   * Moves the next records of a definition elsewhere. Once none is left behind the last one, others
   * may have come before it: from then on, each step locks all who could add one, and the step that
   * finds fewer records than it asked for deletes the definition, unless its verb asks for one more.
   */
  async function remove(
    tx: Tx,
    actor: Actor,
    key: LaneKey,
    job: JobRow & { definition: Definition },
    most: number,
    tried: (ids: number[]) => void,
  ): Promise<Sql> {
    const { definition } = job
    const verbs = verbsOf(definition)
    const position = job.lanes[key.lane]!
    const isLast = position === allKnown
    const page = { after: isLast ? 0 : position, most, isLast }
    const { ids, binned, ...locked } = await verbs.lockNext(tx, actor, definition, page)
    tried(ids)
    const outcome = await changeBatch(tx, actor, job, ids, none, keepFiles)
    const changed = [
      ...outcome.inverses,
      ...(await verbs.changeBinned(tx, actor, definition, binned)),
    ]
    if (changed.length > 0)
      await tx.rows(queries.insertChanged(job, changed, job.action.kind === 'tag'))
    const all = [...ids, ...binned]
    const after = isLast ? allKnown : Math.max(...all)
    const { next = all.length < most ? null : after } = locked
    const [refused] = outcome.skipped.values()
    const isReady = next === null && isLast && refused === undefined
    const taken = isReady ? await verbs.takeOut(tx, actor, definition, all.length) : undefined
    if (taken) await tx.rows(queries.keepDefinition(job, taken))
    return queries.advanceLane(key, {
      ...stepOf(all, { ...outcome, inverses: changed }, null, now()),
      position: taken || refused !== undefined ? null : (next ?? allKnown),
      detail: refused ?? null,
    })
  }

  /** A filter that was good when the job was asked for may be none any more. */
  async function find(
    tx: Tx,
    actor: Actor,
    job: JobRow,
    fail: (detail: string) => Sql,
  ): Promise<Sql> {
    try {
      return queries.updateFinding(await findRecordsOfJob(tx, actor, job, config.jobRecords))
    } catch (error) {
      const problem = asProblem(error)
      if (!problem || isPassing(error)) throw error
      return fail(problem.message)
    }
  }

  /** The problem that refuses the batch. A failure that may pass is thrown again, and a bug is logged. */
  function problemOf(error: unknown, { id: job }: LaneKey): Problem {
    if (isPassing(error)) throw error
    const problem = asProblem(error)
    if (!problem) app.log.error({ err: error, job }, 'a batch of a job failed')
    return problem ?? internal()
  }

  function signal(job: JobRow): void {
    const at = performance.now()
    const isNews = job.finished_at !== null || at - (signalledAt.get(job.id) ?? -newsMs) >= newsMs
    if (!isNews) return
    signalJob(signals, job)
    if (job.finished_at === null) signalledAt.set(job.id, at)
    else signalledAt.delete(job.id)
  }

  workInBackground(app, kontor, {
    channel: workChannel,
    everyMs,
    failure: 'jobs could not be worked on',
    finish: finishStopped,
  })
}

/** Whether a failure says nothing about the records: a lock or the database was not to be had. */
function isPassing(error: unknown): boolean {
  const status = asProblem(error)?.status ?? 0
  return status >= 500 || (error as { code?: unknown }).code === '55P03'
}

/** The step that a lane takes where it changes nothing. */
const idleAt = (at: number): LaneStep => ({
  position: null,
  done: 0,
  skipped: 0,
  changed: 0,
  faults: [],
  detail: null,
  at,
})

const failing = (key: LaneKey, job: JobRow, at: number) => (detail: string) =>
  job.state === 'running' && job.found_to === null
    ? queries.advanceLane(key, { ...idleAt(at), detail })
    : queries.endUnbegunJob(job, 'failed', detail, at)

const nameOf = ({ id, lane }: LaneKey): string => `${id}:${lane}`

const stepOf = (
  ids: number[],
  { skipped, inverses }: BatchOutcome,
  position: number | null,
  at: number,
): LaneStep => ({
  position,
  done: ids.length - skipped.size,
  skipped: skipped.size,
  changed: inverses.length,
  faults: [...skipped].map(([id, detail]) => ({ id, detail })).slice(0, mostFaultsShown),
  detail: null,
  at,
})
