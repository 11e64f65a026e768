// Statuses of a pipeline. Ordinary ones are numbered 20, 30, 40 … after the unsorted one (10) and before won and lost, anew with each
// change: what is sent as `sort` says between which of the others a status goes (entities reference, 5.3).
import type { Tx } from '../../database/connect.ts'
import { lockAccount } from '../../access/account.ts'
import { forgetAccess } from '../../access/remembered.ts'
import type { Actor } from '../../access/actor.ts'
import type { Batch, Item } from '../../http/batch.ts'
import { badRequest, invalid, notFound, Problem } from '../../http/problem.ts'
import type { Fault } from '../../http/problem.ts'
import {
  descriptionFaults,
  descriptionRows,
  knownDescriptions,
  writeDescriptions,
} from './descriptions.ts'
import type { Known } from './descriptions.ts'
import { isClosed } from './pipelines.ts'
import { insertStatuses, statusRows, updateStatuses } from './queries.ts'
import type { StatusRow } from './queries.ts'
import { statusColors } from './schema.ts'
import type { NewStatus, StatusChange } from './schema.ts'

/** Statuses of a pipeline, with the three that each has (entities reference, Limits). */
const most = 100
/** The color of a status that is sent without one. */
const usualColor = statusColors[0]!

export const noPipeline = () => notFound('Pipeline not found')
export const noStatus = () => notFound('Status not found')
export const tooManyStatuses = () =>
  new Problem(422, `A pipeline has at most ${most} statuses, those of every pipeline included`)

/** Whether a pipeline may have so many statuses besides those that each has. */
export const mayHave = (ordinary: number) => ordinary + 3 <= most

/** Neither the one for unsorted leads nor won and lost. */
export const isOrdinary = ({ id, type }: Pick<StatusRow, 'id' | 'type'>) =>
  type === 0 && !isClosed(id)

/** Adds statuses to a pipeline; answers their ids in the order of the question. Unknown pipeline: 404, too many statuses: 422. */
export async function createStatuses(
  tx: Tx,
  actor: Actor,
  pipeline_id: number,
  { items, faults }: Batch<NewStatus>,
) {
  await tx.rows(lockAccount(actor))
  const known = await tx.rows<StatusRow>(statusRows(actor, pipeline_id))
  if (known.length === 0) throw noPipeline()
  for (const item of items)
    for (const fault of [
      ...colorFaults(item.value.color),
      ...descriptionFaults(item.value.descriptions),
    ])
      faults.add(item, fault)
  faults.throwIfAny()
  const ordinary = known.filter(isOrdinary)
  if (!mayHave(ordinary.length + items.length)) throw tooManyStatuses()

  const news = items.map(({ value: { name, color, sort } }) => ({
    name: name.trim(),
    color: paletteColor(color),
    sort,
  }))
  // One that is sent with the place of another takes it.
  const inOrder = [...news, ...ordinary].toSorted((one, other) => one.sort - other.sort)
  const placeOf = (status: object) => sortAt(inOrder.indexOf(status as StatusRow))
  await tx.rows(updateStatuses(actor, pipeline_id, renumbered(ordinary, placeOf)))
  const made = await tx.rows<{ id: number }>(
    insertStatuses(
      actor,
      pipeline_id,
      news.map((status) => ({ ...status, sort: placeOf(status) })),
    ),
  )
  const ids = made.map(({ id }) => id)
  const texts = items.flatMap(({ value }, place) =>
    descriptionRows({ pipeline_id, status_id: ids[place]! }, value.descriptions),
  )
  await writeDescriptions(tx, actor, texts)
  await forgetAccess(tx)
  return ids
}

/**
 * Changes a status. What is sent as it is counts as not sent. Unknown pipeline or status: 404; nothing to change, or anything but the name of
 * a status that every pipeline has: 400.
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
  if (name === undefined && sort === undefined && color === undefined && descriptions === undefined)
    throw badRequest('Say what to change: name, sort, color or descriptions')
  const texts = descriptions && (await knownDescriptions(tx, actor, { pipeline_id, status_id: id }))
  const errors = changeFaults(status, value, texts)
  if (errors.length > 0) throw invalid([{ request_id, errors }])

  const changed = {
    ...status,
    name: name?.trim() ?? status.name,
    ...(isNew(status, color) && { color: paletteColor(color) }),
  }
  const others = known.filter((each) => isOrdinary(each) && each !== status)
  const inOrder = isOrdinary(status)
    ? movedTo(others, changed, status.sort, sort ?? status.sort)
    : []
  const placeOf = (each: StatusRow) =>
    isOrdinary(each) ? sortAt(inOrder.indexOf(each)) : each.sort
  const moved = [...renumbered(others, placeOf), { ...changed, sort: placeOf(changed) }]
  await tx.rows(updateStatuses(actor, pipeline_id, moved))
  await writeDescriptions(tx, actor, descriptionRows({ pipeline_id, status_id: id }, descriptions))
  await forgetAccess(tx)
}

/** Closes the gap that a status leaves. */
export async function renumber(tx: Tx, actor: Actor, pipeline_id: number): Promise<void> {
  const ordinary = (await tx.rows<StatusRow>(statusRows(actor, pipeline_id))).filter(isOrdinary)
  const moved = renumbered(ordinary, (status) => sortAt(ordinary.indexOf(status)))
  if (moved.length > 0) await tx.rows(updateStatuses(actor, pipeline_id, moved))
}

/** The color as the palette writes it. */
export function paletteColor(color = usualColor): string {
  return color.toLowerCase()
}

export function colorFaults(color: string | undefined, path = 'color'): Fault[] {
  if (color === undefined || statusColors.includes(color.toLowerCase())) return []
  return [
    {
      code: 'NotSupportedChoice',
      path,
      detail: `The value you selected is not a valid choice. Colors: ${statusColors.join(', ')}`,
    },
  ]
}

function changeFaults(
  status: StatusRow,
  { sort, color, descriptions }: StatusChange,
  known: Known | undefined,
): Fault[] {
  if (isOrdinary(status))
    return [
      ...(isNew(status, color) ? colorFaults(color) : []),
      ...descriptionFaults(descriptions, undefined, known),
    ]
  const fixed = {
    sort: sort !== undefined && sort !== status.sort,
    color: isNew(status, color),
    descriptions: descriptions !== undefined && descriptions.length > 0,
  }
  const detail = 'Every pipeline has this status. Only its name can be changed.'
  return Object.entries(fixed).flatMap(([path, isSent]) =>
    isSent ? [{ code: 'NotSupportedChoice', path, detail }] : [],
  )
}

/** Colors of the first statuses are outside the palette: sent back, they stay. */
function isNew(status: StatusRow, color: string | undefined): boolean {
  return color !== undefined && color.toLowerCase() !== status.color.toLowerCase()
}

/** Where a status stands after it was sent to the place `to`: it has that place then, and who stood there moves towards `from`. */
function movedTo(others: StatusRow[], status: StatusRow, from: number, to: number): StatusRow[] {
  const before = others.filter(({ sort }) => (to > from ? sort <= to : sort < to))
  return [...before, status, ...others.slice(before.length)]
}

function sortAt(place: number): number {
  return 20 + 10 * place
}

/** The statuses whose sort changes, as they become. */
function renumbered(statuses: StatusRow[], placeOf: (status: StatusRow) => number): StatusRow[] {
  return statuses.flatMap((status) =>
    placeOf(status) === status.sort ? [] : { ...status, sort: placeOf(status) },
  )
}
