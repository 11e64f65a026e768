// Moves customers between statuses and segments as time passes (decision 38). Each customer says
// when that may change it, and an index finds those that are due, so the work grows with them and
// not with the account. After a downtime a customer moves once, to the status that it would have by
// now. The actor is the system.
//
// Changed rules concern every customer of an account. The verb that changes them leaves a row that
// says so, and all customers are evaluated in small transactions. It begins when all transactions
// have ended that may still place customers by the rules of before.
//
// Any process may do either: rows are locked with `skip locked`, and the work is in the database.
import sql from 'sql-template-tag'
import { requireRight } from '../../../../access/record-rights.ts'
import { serverItself } from '../../../../access/user-access.ts'
import { startWriting, timeOfChange } from '../../../../access/actor.ts'
import type { Actor, Writer } from '../../../../access/actor.ts'
import { othersEnded, workInBackground } from '../../../../changes/background.ts'
import { record } from '../../../../changes/record.ts'
import type { Entry } from '../../../../changes/record.ts'
import type { Database, Tx } from '../../../../database/connect.ts'
import type { App, Kontor } from '../../../../kontor.ts'
import { changedFields } from '../../../../records/writing/change.ts'
import type { RecordChange } from '../../../../records/writing/change.ts'
import { countMoves } from '../../segments/segments.ts'
import { segmentRefreshChannel } from '../../../definitions/segment-refresh/segment-refresh.ts'
import * as queries from './queries.ts'
import type { ClockRow, SegmentRefresh } from './queries.ts'
import { lockRules, placedAnew, statusNews, turned } from './rules.ts'

/** How often the clock looks for customers that are due. */
const tickMs = 10_000

/** Customers in one transaction: about 100 ms where all of them move. */
const atOnce = 1000

export function turnClockInBackground(app: App, kontor: Kontor): void {
  workInBackground(app, kontor, {
    channel: 'kontor_customer_clock',
    everyMs: tickMs,
    failure: 'the clock of customers could not be turned',
    finish: turnClocks,
  })
  // Changed rules wait for other transactions; the clock does not.
  workInBackground(app, kontor, {
    channel: segmentRefreshChannel,
    everyMs: tickMs,
    failure: 'customers could not be evaluated by changed rules',
    finish: refreshCustomers,
  })
}

/** Turns the clocks of all accounts, two chunks of each in turn, so that none waits for a large one. */
async function turnClocks(database: Database, isStopped: () => boolean): Promise<boolean> {
  let failure: unknown
  let accounts = await database.rows<{ id: number }>(queries.dueAccounts)
  while (accounts.length > 0) {
    const left: typeof accounts = []
    for (const account of accounts) {
      if (isStopped()) return false
      const evaluated = await turnChunks(database, account.id).catch((error: unknown) => {
        failure = error
        return 0
      })
      if (evaluated > 0) left.push(account)
    }
    accounts = left
  }
  if (failure) throw failure
  return true
}

/**
 * Evaluates the customers of an account that are due, by the time of the database or at a given
 * one; answers their number.
 */
export async function turnClock(database: Database, accountId: number, at?: number) {
  let count = 0
  // Fewer than the most may mean that others are locked, and more are behind them.
  for (let evaluated = 1; evaluated > 0; count += evaluated)
    evaluated = await turnChunks(database, accountId, at)
  return count
}

/** Two transactions at once: the process works one out while the database writes the other. */
async function turnChunks(database: Database, accountId: number, at?: number): Promise<number> {
  const [one, other] = await Promise.all([
    turnChunk(database, accountId, at),
    turnChunk(database, accountId, at),
  ])
  return one + other
}

function turnChunk(database: Database, accountId: number, at?: number): Promise<number> {
  return database.transaction((tx) => turnDueCustomers(tx, accountId, at))
}

/** Moves up to `atOnce` customers that are due, at the present moment or a given one; answers how many were. */
export async function turnDueCustomers(tx: Tx, accountId: number, at?: number): Promise<number> {
  const actor = await systemAt(tx, accountId, at)
  const rules = await lockRules(tx, actor)
  const rows = await tx.rows<ClockRow>(queries.lockDueCustomers(actor, atOnce))
  // Tests and the demo say the time.
  const writer = { ...startWriting(tx, actor), ...(at !== undefined && { at }) }
  const changes = changesOf(rows, (row) => turned(rules, row, writer.at))
  await moveCustomers(tx, writer, changes)
  return rows.length
}

/**
 * The system at the present moment of each transaction: work that takes minutes may not write its
 * beginning. Processes may differ in the time; the database has one for all of them.
 */
async function systemAt(tx: Tx, accountId: number, at?: number): Promise<Actor> {
  if (at !== undefined) return serverItself(accountId, at)
  const clock = await tx.row<{ at: number }>(
    sql`select extract(epoch from clock_timestamp())::bigint as at`,
  )
  return serverItself(accountId, clock!.at)
}

/**
 * Evaluates all customers of the accounts whose rules have changed. Answers whether all of it is
 * done.
 */
export async function refreshCustomers(
  database: Database,
  isStopped: () => boolean = () => false,
): Promise<boolean> {
  const waiting = await database.rows<SegmentRefresh>(queries.allSegmentRefreshes)
  if (waiting.length === 0) return true
  const fresh = waiting.filter(({ is_ready }) => !is_ready)
  if (fresh.length > 0) {
    if (!(await othersEnded(database, isStopped))) return false
    for (const each of fresh) await database.rows(queries.releaseSegmentRefresh(each))
  }
  let isDone = true
  for (const each of waiting) {
    let step: Step = 'more'
    while (step === 'more' && !isStopped()) step = await refreshChunk(database, each)
    if (step !== 'done') isDone = false
  }
  return isDone
}

/** `later`: another process has the work, or it has begun anew. */
type Step = 'more' | 'done' | 'later'

function refreshChunk(database: Database, waiting: SegmentRefresh): Promise<Step> {
  return database.transaction(async (tx) => {
    const work = await tx.row<SegmentRefresh>(queries.lockSegmentRefresh(waiting))
    if (!work?.is_ready) return 'later'
    const actor = serverItself(work.account_id, 0)
    const rules = await lockRules(tx, actor)
    const rows = await tx.rows<ClockRow>(queries.lockCustomersAfter(actor, work.done_to, atOnce))
    const writer = startWriting(tx, actor)
    const changes = changesOf(rows, (row) => placedAnew(rules, row, writer.at))
    await moveCustomers(tx, writer, changes)
    if (rows.length < atOnce) {
      await tx.rows(queries.endSegmentRefresh(work))
      return 'done'
    }
    await tx.rows(queries.continueSegmentRefresh(work, rows.at(-1)!.id, rows.length))
    return 'more'
  })
}

/** Rows before and after an evaluation. */
export const changesOf = (
  rows: ClockRow[],
  evaluate: (row: ClockRow) => ClockRow,
): RecordChange<ClockRow>[] => rows.map((before) => ({ before, after: evaluate(before) }))

/** Writes the changes of locked customers, and records those that have moved. */
export async function moveCustomers(
  tx: Tx,
  writer: Writer,
  changes: RecordChange<ClockRow>[],
): Promise<void> {
  requireRight(writer, 'customers', 'edit')
  const changed = changes
    .map((change) => ({ ...change, fields: changedFields(change.before, change.after) }))
    .filter(({ fields }) => fields.length > 0)
  const moved = changed.filter(({ fields }) => isMove(fields))
  const stayed = changed.filter(({ fields }) => !isMove(fields)).map(({ after }) => after)
  if (stayed.length > 0) await tx.rows(queries.rescheduleCustomers(writer, stayed))
  if (moved.length === 0) return
  const placed = moved.map(({ before, after }) => ({
    ...after,
    // A change by a process whose time is ahead may be newer.
    updated_at: Math.max(timeOfChange(writer, after.created_at), before.updated_at),
    updated_by: writer.userId,
  }))
  await tx.rows(queries.writePlacedCustomers(writer, placed))
  await countMoves(
    tx,
    writer,
    moved.map(({ before, after }) => ({ before: before.segment_ids, after: after.segment_ids })),
  )
  const entries = moved.map(({ before, after, fields }): Entry => {
    const { actions, events } = statusNews(before, after)
    const type = 'customers'
    return {
      type,
      id: after.id,
      actions: ['update', ...actions],
      before: beforeOf(before, fields),
      events,
    }
  })
  await record(tx, writer, entries)
}

type Fields = (keyof ClockRow)[]

/** Whether people see the change; the rest is when the customer is due next. */
const isMove = (fields: Fields) => fields.includes('status_id') || fields.includes('segment_ids')

const beforeOf = (before: ClockRow, fields: Fields) =>
  Object.fromEntries(
    [...fields, 'updated_at' as const, 'updated_by' as const].map((field) => [
      field,
      before[field],
    ]),
  )
