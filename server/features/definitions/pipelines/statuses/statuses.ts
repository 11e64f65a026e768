// Statuses of a pipeline. Ordinary ones are numbered 20, 30, 40 … after the unsorted one (10) and
// before won and lost, anew with each change: the `sort` that is sent says between which others a
// status goes (interface: Status).
import type { Database, Tx } from '../../../../database/connect.ts'
import { lockAccount } from '../../../../access/account.ts'
import type { Actor } from '../../../../access/actor.ts'
import { forgetAccess } from '../../../../access/remembered.ts'
import type { PipelineStatus } from '../../../../access/rights.ts'
import { newFaults } from '../../../../http/batch.ts'
import type { Batch, Item } from '../../../../http/batch.ts'
import { badRequest, invalid, invalidValue, notFound } from '../../../../http/problem.ts'
import type { Fault } from '../../../../http/problem.ts'
import { checkStatusCount, forgetStatuses, hasLeads, noPipeline } from '../steps.ts'
import { lockAllPipelines, lockPipelines } from '../queries.ts'
import {
  descriptionFaults,
  descriptionLevels,
  descriptionRows,
  writeDescriptions,
} from './descriptions.ts'
import type { DescriptionLevels } from './descriptions.ts'
import {
  deletionChunk,
  insertStatuses,
  lockLeads,
  moveBinned,
  removeStatus,
  statusRows,
  updateStatuses,
} from './queries.ts'
import type { StatusRow } from './queries.ts'
import { colorFaults, isOrdinary, paletteColor } from './schema.ts'
import type { NewStatus, StatusChange } from './schema.ts'

/** The verb that changes leads. Definitions know no records, so app.ts hands the verb in. */
export type ChangeLeads = (
  tx: Tx,
  actor: Actor,
  batch: Batch<{ id: number } & PipelineStatus>,
) => Promise<unknown>

export const noStatus = () => notFound('Status not found')

/**
 * Adds statuses to a pipeline; answers their ids in the order of the batch.
 * Unknown pipeline: 404, too many statuses: 422.
 */
export async function createStatuses(
  tx: Tx,
  actor: Actor,
  pipeline_id: number,
  { items, faults }: Batch<NewStatus>,
): Promise<number[]> {
  await tx.rows(lockAccount(actor))
  const known = await tx.rows<StatusRow>(statusRows(actor, pipeline_id))
  if (known.length === 0) throw noPipeline()
  for (const item of items) {
    const { color, descriptions } = item.value
    for (const fault of [...colorFaults(color), ...descriptionFaults(descriptions)])
      faults.add(item, fault)
  }
  faults.throwIfAny()
  const ordinary = known.filter(isOrdinary)
  checkStatusCount(ordinary.length + items.length)

  const added = items.map(({ value: { name, color, sort } }) => ({
    name: name.trim(),
    color: paletteColor(color),
    sort,
  }))
  // A new status comes before a known one of the same sort.
  const inOrder: object[] = [...added, ...ordinary].toSorted((one, other) => one.sort - other.sort)
  const sortOf = (status: object) => sortAt(inOrder.indexOf(status))
  await tx.rows(updateStatuses(actor, pipeline_id, renumbered(ordinary, sortOf)))
  const rows = added.map((status) => ({ ...status, sort: sortOf(status) }))
  const inserted = await tx.rows<{ id: number }>(insertStatuses(actor, pipeline_id, rows))
  const ids = inserted.map(({ id }) => id)
  const descriptions = items.flatMap(({ value }, index) =>
    descriptionRows({ pipeline_id, status_id: ids[index]! }, value.descriptions),
  )
  await writeDescriptions(tx, actor, descriptions)
  await forgetAccess(tx)
  return ids
}

/**
 * Changes a status. An unchanged value counts as not sent. Unknown pipeline or status: 404; nothing
 * to change, or anything but the name of a status that every pipeline has: 400.
 */
export async function changeStatus(
  tx: Tx,
  actor: Actor,
  pipeline_id: number,
  id: number,
  { request_id, value }: Item<StatusChange>,
): Promise<void> {
  await tx.rows(lockAccount(actor))
  const known = await tx.rows<StatusRow>(statusRows(actor, pipeline_id))
  if (known.length === 0) throw noPipeline()
  const status = known.find((each) => each.id === id)
  if (!status) throw noStatus()
  const { name, sort, color, descriptions } = value
  if ([name, sort, color, descriptions].every((each) => each === undefined))
    throw badRequest('Say what to change: name, sort, color or descriptions')
  const levels =
    descriptions && (await descriptionLevels(tx, actor, { pipeline_id, status_id: id }))
  const errors = changeFaults(status, value, levels)
  if (errors.length > 0) throw invalid([{ request_id, errors }])

  const changed = {
    ...status,
    name: name?.trim() ?? status.name,
    ...(isNewColor(status, color) && { color: paletteColor(color) }),
  }
  const others = known.filter((each) => isOrdinary(each) && each !== status)
  const inOrder = isOrdinary(status)
    ? movedTo(others, changed, status.sort, sort ?? status.sort)
    : []
  const sortOf = (each: StatusRow) => (isOrdinary(each) ? sortAt(inOrder.indexOf(each)) : each.sort)
  const rows = [...renumbered(others, sortOf), { ...changed, sort: sortOf(changed) }]
  await tx.rows(updateStatuses(actor, pipeline_id, rows))
  await writeDescriptions(tx, actor, descriptionRows({ pipeline_id, status_id: id }, descriptions))
  await forgetAccess(tx)
}

/**
 * Deletes a status once its leads are in `move_to` or the first ordinary status (decision 19).
 * Unknown: 404; one that every pipeline has, the last ordinary one, or a bad `move_to`: 400.
 */
export async function deleteStatus(
  database: Database,
  actor: Actor,
  changeLeads: ChangeLeads,
  status: PipelineStatus,
  move_to?: number,
): Promise<void> {
  const { pipeline_id } = status
  for (let after: number | undefined = 0; after !== undefined;) {
    const from: number = after
    after = await database.transaction(async (tx) => {
      await tx.rows(lockPipelines(actor, [pipeline_id]))
      const target = await moveTarget(tx, actor, status, move_to)
      return moveLeads(tx, actor, changeLeads, status, target, from)
    })
  }
  // Leads may come in as fast as they leave: the last of them move while no other can come.
  let isDeleted = false
  while (!isDeleted)
    isDeleted = await database.transaction(async (tx) => {
      await tx.rows(lockAccount(actor))
      await tx.rows(lockAllPipelines(actor))
      const target = await moveTarget(tx, actor, status, move_to)
      await moveLeads(tx, actor, changeLeads, status, target, 0)
      if (await hasLeads(tx, actor, status)) return false
      await tx.rows(removeStatus(actor, status))
      await closeGap(tx, actor, pipeline_id)
      await forgetStatuses(tx, actor, status)
      await forgetAccess(tx)
      return true
    })
}

/**
 * The status that the leads of a deleted status move to. Throws 404 for an unknown pipeline or
 * status, 400 for one that every pipeline has, the last ordinary one, or a bad `move_to`.
 */
export async function moveTarget(
  tx: Tx,
  actor: Actor,
  { pipeline_id, status_id }: PipelineStatus,
  move_to?: number,
): Promise<number> {
  const statuses = await tx.rows<StatusRow>(statusRows(actor, pipeline_id))
  if (statuses.length === 0) throw noPipeline()
  const status = statuses.find(({ id }) => id === status_id)
  if (!status) throw noStatus()
  if (!isOrdinary(status)) throw badRequest('Every pipeline has this status, it cannot be deleted')
  const others = statuses.filter(({ id, type }) => id !== status_id && type === 0)
  const first = others.find(isOrdinary)
  if (!first)
    throw badRequest('A pipeline needs an ordinary status, the last one cannot be deleted')
  const detail = `Leads of this status cannot move to status ${move_to}.`
  if (move_to !== undefined && !others.some(({ id }) => id === move_to))
    throw invalidValue('NotSupportedChoice', 'move_to', detail)
  return move_to ?? first.id
}

/**
 * Moves the next chunk of leads, as a change of the caller, or silently in the bin. Answers the id
 * of the last one if more may follow.
 */
async function moveLeads(
  tx: Tx,
  actor: Actor,
  changeLeads: ChangeLeads,
  status: PipelineStatus,
  target: number,
  after: number,
): Promise<number | undefined> {
  const leads = await tx.rows<{ id: number; is_deleted: boolean }>(
    lockLeads(actor, status, after, deletionChunk),
  )
  const to = { pipeline_id: status.pipeline_id, status_id: target }
  const live = leads.filter(({ is_deleted }) => !is_deleted)
  const items = live.map(({ id }, index) => ({
    index,
    request_id: String(index),
    value: { id, ...to },
  }))
  if (items.length > 0) await changeLeads(tx, actor, { items, faults: newFaults() })
  const binned = leads.filter(({ is_deleted }) => is_deleted).map(({ id }) => id)
  if (binned.length > 0) await tx.rows(moveBinned(actor, binned, to))
  return leads.length < deletionChunk ? undefined : leads.at(-1)!.id
}

/** Numbers the ordinary statuses of a pipeline anew, after one has gone. */
export async function closeGap(tx: Tx, actor: Actor, pipeline_id: number): Promise<void> {
  const ordinary = (await tx.rows<StatusRow>(statusRows(actor, pipeline_id))).filter(isOrdinary)
  const moved = renumbered(ordinary, (status) => sortAt(ordinary.indexOf(status)))
  if (moved.length > 0) await tx.rows(updateStatuses(actor, pipeline_id, moved))
}

function changeFaults(
  status: StatusRow,
  { sort, color, descriptions }: StatusChange,
  levels: DescriptionLevels | undefined,
): Fault[] {
  if (isOrdinary(status))
    return [
      ...(isNewColor(status, color) ? colorFaults(color) : []),
      ...descriptionFaults(descriptions, undefined, levels),
    ]
  const fixed = {
    sort: sort !== undefined && sort !== status.sort,
    color: isNewColor(status, color),
    descriptions: descriptions !== undefined && descriptions.length > 0,
  }
  const detail = 'Every pipeline has this status. Only its name can be changed.'
  return Object.entries(fixed).flatMap(([path, isSent]) =>
    isSent ? [{ code: 'NotSupportedChoice', path, detail }] : [],
  )
}

/** Colors of the first statuses are outside the palette: sent back, they stay. */
function isNewColor(status: StatusRow, color: string | undefined): boolean {
  return color !== undefined && color.toLowerCase() !== status.color.toLowerCase()
}

/** The order after a status has taken the sort `to`; the status there moves towards `from`. */
function movedTo(others: StatusRow[], status: StatusRow, from: number, to: number): StatusRow[] {
  const before = others.filter(({ sort }) => (to > from ? sort <= to : sort < to))
  return [...before, status, ...others.slice(before.length)]
}

/** The `sort` of an ordinary status by its index. */
export function sortAt(index: number): number {
  return 20 + 10 * index
}

/** The statuses whose sort changes, with their new one. */
export function renumbered(
  statuses: StatusRow[],
  sortOf: (status: StatusRow) => number,
): StatusRow[] {
  return statuses.flatMap((status) =>
    sortOf(status) === status.sort ? [] : { ...status, sort: sortOf(status) },
  )
}
