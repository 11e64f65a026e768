// Loss reasons: why leads are lost. A deleted reason disappears from its leads at once: answers
// show none, verbs take it for null, and the background clean-up empties the column (the table
// `cleanups`). A verb that sets a reason locks it until its end. So the deletion comes either
// first, and is seen, or later, and finds the leads.
import { isDeepStrictEqual } from 'node:util'
import type { Reader, Tx } from '../../../database/connect.ts'
import { lockAccount } from '../../../access/account.ts'
import { cancelReasonCleanUp, cleanUpLater } from '../../../records/clean-ups.ts'
import type { Actor } from '../../../access/actor.ts'
import type { Batch } from '../../../http/batch.ts'
import { invalidValue, notFound, Problem } from '../../../http/problem.ts'
import { highestSort } from '../../../http/types.ts'
import { mostUses, placedBefore } from '../../../records/placement.ts'
import {
  countLossReasons,
  insertLossReasons,
  existingLossReasons,
  insertTakenReason,
  keepLossReasons,
  lockLeavingReason,
  lockLossReason,
  lossReasonList,
  lossReasonOrder,
  lossReasonSummaries,
  managedLossReasonList,
  removeLossReason,
  sortLossReasons,
  takeReason,
  updateLossReason,
} from './queries.ts'
import type { LossReasonRow, LossReasonTaken } from './queries.ts'
import type {
  DrawnLossReason,
  DrawnLossReasonChange,
  LossReason,
  LossReasonChange,
  ManagedLossReason,
  NewLossReason,
} from './schema.ts'

export type { LossReasonTaken } from './queries.ts'
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
  const ids = await addLossReasons(
    tx,
    actor,
    items.map(({ value }) => value),
  )
  const made = new Map(
    (await listLossReasons(tx, actor, base, ids)).map((reason) => [reason.id, reason]),
  )
  return items.map(({ request_id }, index) => ({ ...made.get(ids[index]!)!, request_id }))
}

/** Creates a reason as the last one. More than 500 in all: 422. */
export async function drawLossReason(
  tx: Tx,
  actor: Actor,
  draft: DrawnLossReason,
): Promise<ManagedLossReason> {
  const ids = await addLossReasons(tx, actor, [draft])
  return (await manageLossReasons(tx, actor, ids))[0]!
}

/** Adds reasons, those without `sort` after the last one. Answers their ids in the order of the drafts. */
async function addLossReasons(
  tx: Tx,
  actor: Actor,
  drafts: (NewLossReason & DrawnLossReasonChange)[],
): Promise<number[]> {
  // No other transaction adds reasons until this one ends, so the count stays true.
  await tx.rows(lockAccount(actor))
  const { total, last } = (await tx.row<{ total: number; last: number }>(countLossReasons(actor)))!
  if (total + drafts.length > most)
    throw new Problem(422, `An account has at most ${most} loss reasons`)
  let highest = last
  const rows = drafts.map(({ name, sort = Math.min(highest + 1, highestSort), color, icon_id }) => {
    highest = Math.max(highest, sort)
    return { name: name.trim(), sort, color: color?.toLowerCase(), icon_id }
  })
  return (await tx.rows<{ id: number }>(insertLossReasons(actor, rows))).map(({ id }) => id)
}

/** Changes a reason. An unchanged value counts as not sent. Unknown: 404. */
export async function changeLossReason(
  tx: Tx,
  actor: Actor,
  id: number,
  { name, sort, color, icon_id }: LossReasonChange & DrawnLossReasonChange,
): Promise<void> {
  const before = await tx.row<LossReasonRow>(lockLossReason(actor, id))
  if (!before) throw notFound()
  const after: LossReasonRow = {
    name: name?.trim() ?? before.name,
    sort: sort ?? before.sort,
    color: color === undefined ? before.color : (color?.toLowerCase() ?? null),
    icon_id: icon_id === undefined ? before.icon_id : icon_id,
  }
  if (!isDeepStrictEqual(after, before)) await tx.rows(updateLossReason(actor, id, after))
}

/** Moves a reason before another one, or to the end. Unknown: 404; before none of the account: 400. */
export async function moveLossReason(
  tx: Tx,
  actor: Actor,
  id: number,
  before: number | null,
): Promise<void> {
  await tx.rows(lockAccount(actor))
  const order = (await tx.rows<{ id: number }>(lossReasonOrder(actor))).map((each) => each.id)
  await tx.rows(sortLossReasons(actor, placedBefore(order, id, before)))
}

/** Deletes a reason; its leads have none from the commit on. Unknown: 404. */
export async function deleteLossReason(tx: Tx, actor: Actor, id: number): Promise<void> {
  if (!(await tx.row(removeLossReason(actor, id)))) throw notFound()
  await cleanUpLater(tx, actor, { entity_type: 'leads', loss_reason_id: id })
}

/**
 * The names of a reason and of the one that its leads get. Either is unknown: 404; both are the
 * same: 400.
 */
export async function checkLossReasonMerge(
  tx: Tx,
  actor: Actor,
  id: number,
  into: number,
): Promise<{ name: string; into: string }> {
  if (id === into) throw invalidValue('NotSupportedChoice', 'into', 'This is the same reason.')
  const rows = await tx.rows<{ id: number; name: string }>(lossReasonSummaries(actor))
  const nameOf = (wanted: number) => rows.find((row) => row.id === wanted)?.name
  const [name, nameOfOther] = [nameOf(id), nameOf(into)]
  if (name === undefined || nameOfOther === undefined) throw notFound()
  return { name, into: nameOfOther }
}

/**
 * Locks two reasons that are being merged, before the leads of the first; with `isLast`, no lead can
 * be given the first one before the transaction ends. Either is gone: 404.
 */
export async function lockLossReasonMerge(
  tx: Tx,
  actor: Actor,
  id: number,
  into: number,
  isLast: boolean,
): Promise<void> {
  const lock = (each: number) =>
    isLast && each === id ? lockLeavingReason(actor, each) : keepLossReasons(actor, [each])
  for (const each of [id, into].toSorted((a, b) => a - b))
    if (!(await tx.row(lock(each)))) throw notFound('The loss reason does not exist any more')
}

/** Deletes a locked reason that no lead has; answers all that `putBackLossReason` needs. */
export async function takeOutLossReason(
  tx: Tx,
  actor: Actor,
  id: number,
): Promise<LossReasonTaken> {
  return (await tx.row<LossReasonTaken>(takeReason(actor, id)))!
}

/** Brings a reason back under its id, at its position; one that is there stays. More than 500 in all: 422. */
export async function putBackLossReason(
  tx: Tx,
  actor: Actor,
  reason: LossReasonTaken,
): Promise<void> {
  await tx.rows(lockAccount(actor))
  if ((await lossReasonsAmong(tx, actor, [reason.id])).has(reason.id)) return
  const { total } = (await tx.row<{ total: number }>(countLossReasons(actor)))!
  if (total >= most) throw new Problem(422, `An account has at most ${most} loss reasons`)
  // A deletion by the interface has the leads of the reason cleaned, which are to have it again.
  await cancelReasonCleanUp(tx, actor, reason.id)
  await tx.rows(insertTakenReason(actor, reason))
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

/** The reasons by `sort`, all or those with these ids, as administrators manage them. */
export function manageLossReasons(
  reader: Reader,
  actor: Actor,
  ids?: number[],
): Promise<ManagedLossReason[]> {
  return reader.rows<ManagedLossReason>(managedLossReasonList(actor, mostUses, ids))
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
