// Loss reasons: why leads are lost. A deleted reason disappears from its leads at once: answers
// show none, verbs take it for null, and the background clean-up empties the column (the table
// `cleanups`). A verb that sets a reason locks it until its end. So the deletion comes either
// first, and is seen, or later, and finds the leads.
import type { Reader, Tx } from '../../../database/connect.ts'
import { lockAccount } from '../../../access/account.ts'
import { cleanUpLater } from '../../../records/clean-ups.ts'
import type { Actor } from '../../../access/actor.ts'
import type { Batch } from '../../../http/batch.ts'
import { notFound, Problem } from '../../../http/problem.ts'
import { highestSort } from '../../../http/types.ts'
import {
  countLossReasons,
  insertLossReasons,
  existingLossReasons,
  keepLossReasons,
  lockLossReason,
  lossReasonList,
  removeLossReason,
  updateLossReason,
} from './queries.ts'
import type { LossReason, LossReasonChange, NewLossReason } from './schema.ts'

export { lossReasonSummaries, reasonOfRecord, reasonsOfRecord } from './queries.ts'

/** At most this many reasons per account. */
const most = 500

/**
 * Creates reasons; one answer per item, in request order. A reason without `sort` comes last. More
 * than 500 in all: 422.
 */
export async function createLossReasons(
  tx: Tx,
  actor: Actor,
  base: string,
  { items, faults }: Batch<NewLossReason>,
) {
  faults.throwIfAny()
  // No other transaction adds reasons until this one ends, so the count stays true.
  await tx.rows(lockAccount(actor))
  const { total, last } = (await tx.row<{ total: number; last: number }>(countLossReasons(actor)))!
  if (total + items.length > most)
    throw new Problem(422, `An account has at most ${most} loss reasons`)
  let highest = last
  const rows = items.map(({ value: { name, sort = Math.min(highest + 1, highestSort) } }) => {
    highest = Math.max(highest, sort)
    return { name: name.trim(), sort }
  })
  const ids = (await tx.rows<{ id: number }>(insertLossReasons(actor, rows))).map(({ id }) => id)
  const made = new Map(
    (await listLossReasons(tx, actor, base, ids)).map((reason) => [reason.id, reason]),
  )
  return items.map(({ request_id }, index) => ({ ...made.get(ids[index]!)!, request_id }))
}

/** Changes a reason. An unchanged value counts as not sent. Unknown: 404. */
export async function changeLossReason(
  tx: Tx,
  actor: Actor,
  id: number,
  { name, sort }: LossReasonChange,
): Promise<void> {
  const before = await tx.row<Pick<LossReason, 'name' | 'sort'>>(lockLossReason(actor, id))
  if (!before) throw notFound()
  const after = { name: name?.trim() ?? before.name, sort: sort ?? before.sort }
  if (after.name !== before.name || after.sort !== before.sort)
    await tx.rows(updateLossReason(actor, id, after))
}

/** Deletes a reason; its leads have none from the commit on. Unknown: 404. */
export async function deleteLossReason(tx: Tx, actor: Actor, id: number): Promise<void> {
  if (!(await tx.row(removeLossReason(actor, id)))) throw notFound()
  await cleanUpLater(tx, actor, { entity_type: 'leads', loss_reason_id: id })
}

/** The reasons of the account by `sort`, all or those with these ids. */
export function listLossReasons(
  reader: Reader,
  actor: Actor,
  base: string,
  ids?: number[],
): Promise<LossReason[]> {
  return reader.rows<LossReason>(lossReasonList(actor, base, ids))
}

/** Locks reasons against deletion until the transaction ends: before the records that get them. */
export async function lockLossReasons(tx: Tx, actor: Actor, ids: number[]): Promise<void> {
  if (ids.length > 0) await tx.rows(keepLossReasons(actor, [...new Set(ids)]))
}

/** The existing ones of these reasons. */
export async function lossReasonsAmong(
  reader: Reader,
  actor: Actor,
  ids: number[],
): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set()
  const there = await reader.rows<{ id: number }>(existingLossReasons(actor, [...new Set(ids)]))
  return new Set(there.map(({ id }) => id))
}
