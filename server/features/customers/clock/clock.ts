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
import { requireRight } from '../../../access/record-rights.ts'
import { serverItself } from '../../../access/standing.ts'
import { timeOfChange } from '../../../access/actor.ts'
import type { Actor } from '../../../access/actor.ts'
import { othersEnded, workInBackground } from '../../../changes/background.ts'
import { record } from '../../../changes/record.ts'
import type { Database, Tx } from '../../../database/connect.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { changedFields } from '../../../records/writing/change.ts'
import type { RecordChange } from '../../../records/writing/change.ts'
import { countMoves } from '../../segments/segments.ts'
import { reevaluationChannel } from '../../reevaluations/reevaluations.ts'
import * as queries from './queries.ts'
import type { ClockRow, Reevaluation } from './queries.ts'
import { holdRules, placedAnew, statusEvent, turned } from './rules.ts'

/** How often the clock looks for customers that are due. */
const tickMs = 10_000

/** Customers in one transaction: about 100 ms where all of them move. */
const atOnce = 1000

export function turnClockInBackground(app: App, kontor: Kontor): void {
  workInBackground(app, kontor, {
    channel: reevaluationChannel,
    everyMs: tickMs,
    failure: 'the clock of customers could not be turned',
    async settle(database, isStopped) {
      // Processes may differ in the time; the database has one for all of them.
      const { at } = (await database.row<{ at: number }>(
        sql`select extract(epoch from clock_timestamp())::bigint as at`,
      ))!
      await turnClocks(database, at, isStopped)
      return reevaluate(database, at, isStopped)
    },
  })
}

async function turnClocks(database: Database, at: number, isStopped: () => boolean) {
  for (const { id } of await database.rows<{ id: number }>(queries.dueAccounts(at)))
    await turnClock(database, id, at, isStopped)
}

/** Evaluates the customers of an account that are due by a moment; answers their number. */
export async function turnClock(
  database: Database,
  accountId: number,
  at: number,
  isStopped = () => false,
): Promise<number> {
  let count = 0
  for (let isMore = true; isMore && !isStopped();) {
    const evaluated = await database.transaction((tx) => turnSome(tx, serverItself(accountId, at)))
    count += evaluated
    // Fewer than the most may mean that others are locked, and more are behind them.
    isMore = evaluated > 0
  }
  return count
}

async function turnSome(tx: Tx, actor: Actor): Promise<number> {
  const rules = await holdRules(tx, actor)
  const rows = await tx.rows<ClockRow>(queries.lockDueCustomers(actor, atOnce))
  await moveCustomers(
    tx,
    actor,
    changesOf(rows, (row) => turned(rules, row, actor.at)),
  )
  return rows.length
}

/**
 * Evaluates all customers of the accounts whose rules have changed. Answers whether all of it is
 * done.
 */
export async function reevaluate(
  database: Database,
  at: number,
  isStopped = () => false,
): Promise<boolean> {
  const waiting = await database.rows<Reevaluation>(queries.allReevaluations)
  if (waiting.length === 0) return true
  const fresh = waiting.filter(({ is_ready }) => !is_ready)
  if (fresh.length > 0) {
    if (!(await othersEnded(database, isStopped))) return false
    for (const each of fresh) await database.rows(queries.releaseReevaluation(each))
  }
  let isDone = true
  for (const each of waiting) {
    let step: Step = 'more'
    while (step === 'more' && !isStopped())
      step = await database.transaction((tx) => reevaluateSome(tx, each, at))
    if (step !== 'done') isDone = false
  }
  return isDone
}

type Step = 'more' | 'done' | 'later'

/** `later`: another process has the work, or it has begun anew. */
async function reevaluateSome(tx: Tx, waiting: Reevaluation, at: number): Promise<Step> {
  const work = await tx.row<Reevaluation>(queries.lockReevaluation(waiting))
  if (!work?.is_ready) return 'later'
  const actor = serverItself(work.account_id, at)
  const rules = await holdRules(tx, actor)
  const rows = await tx.rows<ClockRow>(queries.lockCustomersAfter(actor, work.done_to, atOnce))
  await moveCustomers(
    tx,
    actor,
    changesOf(rows, (row) => placedAnew(rules, row, actor.at)),
  )
  if (rows.length < atOnce) {
    await tx.rows(queries.endReevaluation(work))
    return 'done'
  }
  await tx.rows(queries.continueReevaluation(work, rows.at(-1)!.id, rows.length))
  return 'more'
}

/** Rows before and after an evaluation. */
export const changesOf = (
  rows: ClockRow[],
  evaluate: (row: ClockRow) => ClockRow,
): RecordChange<ClockRow>[] => rows.map((before) => ({ before, after: evaluate(before) }))

/** Writes the changes of locked customers, and records those that have moved. */
export async function moveCustomers(
  tx: Tx,
  actor: Actor,
  changes: RecordChange<ClockRow>[],
): Promise<void> {
  requireRight(actor, 'customers', 'edit')
  const changed = changes
    .map((change) => ({ ...change, fields: changedFields(change.before, change.after) }))
    .filter(({ fields }) => fields.length > 0)
  const [moved, stayed] = [isMoved, (fields: Fields) => !isMoved(fields)].map((wanted) =>
    changed.filter(({ fields }) => wanted(fields)),
  ) as [typeof changed, typeof changed]
  const rescheduled = stayed.map(({ after }) => after)
  if (rescheduled.length > 0) await tx.rows(queries.rescheduleCustomers(actor, rescheduled))
  if (moved.length === 0) return
  const placed = moved.map(({ after }) => ({
    ...after,
    updated_at: timeOfChange(actor, after.created_at),
    updated_by: actor.userId,
  }))
  await tx.rows(queries.placeCustomers(actor, placed))
  await countMoves(
    tx,
    actor,
    moved.map(({ before, after }) => ({ before: before.segment_ids, after: after.segment_ids })),
  )
  await record(
    tx,
    actor,
    moved.map(({ before, after, fields }) => {
      const isNewStatus = fields.includes('status_id')
      return {
        type: 'customers' as const,
        id: after.id,
        actions: isNewStatus ? (['update', 'status'] as const).slice() : ['update' as const],
        before: beforeOf(before, fields),
        events: isNewStatus ? [statusEvent(before, after)] : [],
      }
    }),
  )
}

type Fields = (keyof ClockRow)[]

/** Whether people see the change; the rest is when the customer is due next. */
const isMoved = (fields: Fields) => fields.includes('status_id') || fields.includes('segment_ids')

const beforeOf = (before: ClockRow, fields: Fields) =>
  Object.fromEntries(
    [...fields, 'updated_at' as const, 'updated_by' as const].map((field) => [
      field,
      before[field],
    ]),
  )
