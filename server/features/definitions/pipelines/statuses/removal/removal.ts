// A status that is deleted by a job can come back under its id, with all that named it: its
// descriptions, the fields that it required or hid, and the exceptions of roles and users for it.
import type { Tx } from '../../../../../database/connect.ts'
import { lockAccount } from '../../../../../access/account.ts'
import type { Actor } from '../../../../../access/actor.ts'
import { forgetAccess } from '../../../../../access/remembered.ts'
import type { PipelineStatus } from '../../../../../access/rights.ts'
import { fieldsChanged } from '../../../../../records/fields/definitions.ts'
import { checkStatusCount, forgetStatuses, noPipeline } from '../../steps.ts'
import { lockAllPipelines, lockPipelines } from '../../queries.ts'
import { lockLeads, moveBinned, removeStatus, statusRows, updateStatuses } from '../queries.ts'
import type { StatusRow } from '../queries.ts'
import { isOrdinary } from '../schema.ts'
import { closeGap, moveTarget, renumbered, sortAt } from '../statuses.ts'
import {
  giveBackDescriptions,
  giveBackInFields,
  giveBackRights,
  insertTakenOut,
  moveOutOfTarget,
  takenOutOf,
} from './queries.ts'
import type { TakenOut } from './queries.ts'

export type { TakenOut } from './queries.ts'

/** Names of a status to delete and of the one that its leads go to. */
export interface RemovalNames {
  name: string
  into: string
}

/** Throws as `moveTarget`, and answers the names for those who are told of the removal. */
export async function checkRemoval(
  tx: Tx,
  actor: Actor,
  status: PipelineStatus,
  move_to: number,
): Promise<RemovalNames> {
  await tx.rows(lockPipelines(actor, [status.pipeline_id]))
  await moveTarget(tx, actor, status, move_to)
  const rows = await tx.rows<StatusRow>(statusRows(actor, status.pipeline_id))
  const nameOf = (wanted: number) => rows.find(({ id }) => id === wanted)!.name
  return { name: nameOf(status.status_id), into: nameOf(move_to) }
}

/**
 * Locks the next leads of a status that is being removed, in the bin or not, in the order of their
 * ids; before the last of them, nobody can put leads there any more. Throws as `moveTarget`.
 */
export async function lockLeadsToMove(
  tx: Tx,
  actor: Actor,
  status: PipelineStatus,
  {
    move_to,
    after,
    most,
    isLast,
  }: { move_to: number; after: number; most: number; isLast: boolean },
): Promise<{ id: number; is_deleted: boolean }[]> {
  if (isLast) {
    await tx.rows(lockAccount(actor))
    await tx.rows(lockAllPipelines(actor))
  } else await tx.rows(lockPipelines(actor, [status.pipeline_id]))
  await moveTarget(tx, actor, status, move_to)
  return tx.rows<{ id: number; is_deleted: boolean }>(lockLeads(actor, status, after, most))
}

/** Moves locked leads of the bin into a stage, without any news. */
export async function moveBinnedLeads(
  tx: Tx,
  actor: Actor,
  ids: number[],
  to: PipelineStatus,
): Promise<void> {
  if (ids.length > 0) await tx.rows(moveBinned(actor, ids, to))
}

/** Moves locked leads of the bin back into the stage that a removal took them from, without any news. */
export async function moveBinnedLeadsBack(
  tx: Tx,
  actor: Actor,
  ids: number[],
  to: PipelineStatus,
): Promise<void> {
  if (ids.length > 0) await tx.rows(moveOutOfTarget(actor, ids, to))
}

/**
 * Deletes a locked status without leads; answers all that `putBackStatus` needs. The account and all
 * pipelines are locked.
 */
export async function takeOutStatus(
  tx: Tx,
  actor: Actor,
  status: PipelineStatus,
): Promise<TakenOut> {
  const { taken } = (await tx.row<{ taken: TakenOut }>(takenOutOf(actor, status)))!
  await tx.rows(removeStatus(actor, status))
  await closeGap(tx, actor, status.pipeline_id)
  await forgetStatuses(tx, actor, status)
  await forgetAccess(tx)
  return taken
}

/**
 * Brings a status back under its id, between the same others as far as these are left. One that is
 * there stays as it is. The pipeline is gone: 404, it is full: 422.
 */
export async function putBackStatus(tx: Tx, actor: Actor, taken: TakenOut): Promise<void> {
  await tx.rows(lockAccount(actor))
  await tx.rows(lockAllPipelines(actor))
  const { status } = taken
  const known = await tx.rows<StatusRow>(statusRows(actor, status.pipeline_id))
  if (known.length === 0) throw noPipeline()
  if (known.some(({ id }) => id === status.id)) return
  const others = known.filter(isOrdinary)
  checkStatusCount(others.length + 1)
  const inOrder: { sort: number }[] = [
    ...others.filter(({ sort }) => sort < status.sort),
    status,
    ...others.filter(({ sort }) => sort >= status.sort),
  ]
  const sortOf = (each: { sort: number }) => sortAt(inOrder.indexOf(each))
  await tx.rows(updateStatuses(actor, status.pipeline_id, renumbered(others, sortOf)))
  await tx.rows(insertTakenOut(actor, { ...status, sort: sortOf(status) }))
  if (taken.descriptions.length > 0) await tx.rows(giveBackDescriptions(actor, taken))
  for (const table of ['roles', 'users'] as const)
    if (taken[table].length > 0) await tx.rows(giveBackRights(actor, table, taken[table]))
  const named = { pipeline_id: status.pipeline_id, status_id: status.id }
  const fields = await tx.rows(giveBackInFields(actor, named, taken.fields))
  if (fields.length > 0) await fieldsChanged(tx, actor.accountId)
  await forgetAccess(tx)
}
