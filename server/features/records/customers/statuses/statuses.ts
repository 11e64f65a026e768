// Statuses of customers, for accounts whose customers buy periodically. They are numbered 1, 2, 3 …
// anew with each change: the `sort` that is sent says between which others a status goes
// (interface: Customer status).
import { lockAccount } from '../../../../access/account.ts'
import { startWriting } from '../../../../access/actor.ts'
import type { Actor } from '../../../../access/actor.ts'
import type { Database, Reader, Tx } from '../../../../database/connect.ts'
import type { Batch, Item } from '../../../../http/batch.ts'
import { badRequest, invalid, notFound, Problem } from '../../../../http/problem.ts'
import { placedBefore } from '../../../../records/placement.ts'
import { colorFaults, paletteColor } from '../../../definitions/pipelines/statuses/schema.ts'
import { refreshCustomersLater } from '../../../definitions/segment-refresh/segment-refresh.ts'
import { changesOf, moveCustomers } from '../clock/clock.ts'
import { lockCustomersOfStatus } from '../clock/queries.ts'
import type { ClockRow } from '../clock/queries.ts'
import { lockRules, placedByDates } from '../clock/rules.ts'
import { requirePeriodicity } from '../mode/mode.ts'
import { lockStatuses, ordinaryStatus } from './locking.ts'
import type { LockedStatus } from './locking.ts'
import {
  customerStatusList,
  customerStatusRows,
  insertCustomerStatuses,
  lockBinnedCustomersIn,
  lockCustomerStatuses,
  moveBinnedCustomers,
  removeCustomerStatus,
  setDaysOfStatus,
  updateCustomerStatuses,
} from './queries.ts'
import type { CustomerStatusRow } from './queries.ts'
import type { CustomerStatus, CustomerStatusChange, NewCustomerStatus } from './schema.ts'

export { customerStatusSummaries } from './queries.ts'

/** At most this many statuses per account, the default ones among them. */
const most = 30

/** Customers that a deletion moves in one transaction. */
const atOnce = 1000

/**
 * Creates ordinary statuses; answers their ids in the order of the batch. Too many, or no periodic
 * purchases in the account: 422.
 */
export async function createCustomerStatuses(
  tx: Tx,
  actor: Actor,
  { items, faults }: Batch<NewCustomerStatus>,
): Promise<number[]> {
  for (const item of items)
    for (const fault of colorFaults(item.value.color)) faults.add(item, fault)
  faults.throwIfAny()
  await tx.rows(lockAccount(actor))
  await requirePeriodicity(tx, actor)
  const known = await tx.rows<CustomerStatusRow>(customerStatusRows(actor))
  if (known.length + items.length > most)
    throw new Problem(422, `An account has at most ${most} statuses of customers`)

  const added = items.map(({ value: { name, sort, color } }) => ({
    name: name.trim(),
    sort,
    color: paletteColor(color),
  }))
  // A new status comes before a known one of the same sort.
  const inOrder: object[] = [...added, ...known].toSorted((one, other) => one.sort - other.sort)
  const sortOf = (status: object) => inOrder.indexOf(status) + 1
  await renumber(tx, actor, known, sortOf)
  const rows = added.map((status) => ({ ...status, sort: sortOf(status) }))
  const inserted = await tx.rows<{ id: number }>(insertCustomerStatuses(actor, rows))
  return inserted.map(({ id }) => id)
}

/**
 * Changes a status. An unchanged value counts as not sent. Unknown: 404; nothing to change: 400.
 */
export async function changeCustomerStatus(
  tx: Tx,
  actor: Actor,
  id: number,
  { request_id, value }: Item<CustomerStatusChange>,
): Promise<void> {
  const { name, sort, color } = value
  if ([name, sort, color, value.request_id].every((each) => each === undefined))
    throw badRequest('Say what to change: name, sort or color')
  await tx.rows(lockAccount(actor))
  const known = await tx.rows<CustomerStatusRow>(customerStatusRows(actor))
  const status = known.find((each) => each.id === id)
  if (!status) throw noCustomerStatus()
  const errors = colorFaults(color)
  if (errors.length > 0) throw invalid([{ request_id, errors }])

  const changed = {
    ...status,
    name: name?.trim() ?? status.name,
    color: color === undefined ? status.color : paletteColor(color),
  }
  const others = known.filter((each) => each !== status)
  const inOrder = movedTo(others, changed, status.sort, sort ?? status.sort)
  const sortOf = (each: object) => inOrder.indexOf(each as CustomerStatusRow) + 1
  await renumber(tx, actor, others, sortOf)
  await tx.rows(updateCustomerStatuses(actor, [{ ...changed, sort: sortOf(changed) }]))
}

/**
 * Moves a status before another one, or to the end. Unknown: 404; before none of the account: 400; no
 * periodic purchases in the account: 422.
 */
export async function moveCustomerStatus(
  tx: Tx,
  actor: Actor,
  id: number,
  before: number | null,
): Promise<void> {
  await tx.rows(lockAccount(actor))
  await requirePeriodicity(tx, actor)
  const known = await tx.rows<CustomerStatusRow>(customerStatusRows(actor))
  const ids = known.map((status) => status.id)
  const inOrder = placedBefore(ids, id, before)
  await renumber(tx, actor, known, (status) => inOrder.indexOf(status.id) + 1)
}

/**
 * Changes the length of a default status, in days, and has all customers evaluated by it. Unknown:
 * 404; a status without a length: 400; no periodic purchases in the account: 422.
 */
export async function setStatusLength(
  tx: Tx,
  actor: Actor,
  base: string,
  id: number,
  days: number,
): Promise<CustomerStatus> {
  await tx.rows(lockAccount(actor))
  await requirePeriodicity(tx, actor)
  const status = (await tx.rows<CustomerStatusRow>(customerStatusRows(actor))).find(
    (each) => each.id === id,
  )
  if (!status) throw noCustomerStatus()
  if (status.days === null) throw badRequest('This status has no length')
  if (status.days !== days) {
    await tx.rows(setDaysOfStatus(actor, id, days))
    await refreshCustomersLater(tx, actor)
  }
  const [shown] = await findCustomerStatuses(tx, actor, base, [id])
  return shown!
}

/**
 * Deletes an ordinary status once its customers are where their dates say, or in the first of the
 * others. Unknown: 404; a default one: 400.
 */
export async function deleteCustomerStatus(
  database: Database,
  actor: Actor,
  id: number,
): Promise<void> {
  // Most customers move in transactions of their own.
  for (let isMore = true; isMore;)
    isMore = await database.transaction(async (tx) => {
      const statuses = await lockStatuses(tx, actor)
      checkDeletion(statuses, id)
      return emptyStatus(tx, actor, id, statuses)
    })
  // Customers may come in as fast as they leave: the last of them move while no other can come.
  for (let isMore = true; isMore;)
    isMore = await database.transaction(async (tx) => {
      await tx.rows(lockAccount(actor))
      const statuses = await tx.rows<LockedStatus>(lockCustomerStatuses(actor))
      checkDeletion(statuses, id)
      if (await emptyStatus(tx, actor, id, statuses)) return true
      await tx.rows(removeCustomerStatus(actor, id))
      const others = await tx.rows<CustomerStatusRow>(customerStatusRows(actor))
      await renumber(tx, actor, others, (each) => others.indexOf(each) + 1)
      return false
    })
}

/** Answers the statuses to a reader. No periodic purchases in the account: 422. */
export async function readCustomerStatuses(
  reader: Reader,
  actor: Actor,
  base: string,
  ids?: number[],
): Promise<CustomerStatus[]> {
  await requirePeriodicity(reader, actor)
  return findCustomerStatuses(reader, actor, base, ids)
}

/** The statuses of the account in their order, all or those with these ids. */
export function findCustomerStatuses(
  reader: Reader,
  actor: Actor,
  base: string,
  ids?: number[],
): Promise<CustomerStatus[]> {
  return reader.rows<CustomerStatus>(customerStatusList(actor, base, ids))
}

function checkDeletion(statuses: LockedStatus[], id: number): void {
  const status = statuses.find((each) => each.id === id)
  if (!status) throw noCustomerStatus()
  if (status.type !== 0) throw badRequest('Every account has this status, it cannot be deleted')
}

/**
 * Moves customers out of a status, as a change of the caller, or silently in the bin. None of them
 * is in its new status by hand. Answers whether more may follow.
 */
async function emptyStatus(
  tx: Tx,
  actor: Actor,
  id: number,
  statuses: LockedStatus[],
): Promise<boolean> {
  const others = statuses.filter((status) => status.id !== id)
  const rules = { ...(await lockRules(tx, actor)), statuses: others }
  const rows = await tx.rows<ClockRow>(lockCustomersOfStatus(actor, id, atOnce))
  if (rows.length > 0) {
    const writer = startWriting(tx, actor)
    const changes = changesOf(rows, (row) => ({
      ...row,
      ...placedByDates(rules, row, writer.at),
      ...(!rules.isPeriodic && { status_id: ordinaryStatus(others) }),
    }))
    await moveCustomers(tx, writer, changes)
    return true
  }
  const binned = await tx.rows<{ id: number }>(lockBinnedCustomersIn(actor, id, atOnce))
  if (binned.length === 0) return false
  const ids = binned.map((row) => row.id)
  await tx.rows(moveBinnedCustomers(actor, ids, ordinaryStatus(others)))
  return true
}

const noCustomerStatus = () => notFound('Status not found')

/** The order after a status has taken the sort `to`; the status there moves towards `from`. */
function movedTo(
  others: CustomerStatusRow[],
  status: CustomerStatusRow,
  from: number,
  to: number,
): CustomerStatusRow[] {
  const before = others.filter(({ sort }) => (to > from ? sort <= to : sort < to))
  return [...before, status, ...others.slice(before.length)]
}

/** Writes the statuses whose place changes. */
async function renumber(
  tx: Tx,
  actor: Actor,
  statuses: CustomerStatusRow[],
  sortOf: (status: CustomerStatusRow) => number,
): Promise<void> {
  const moved = statuses.flatMap((status) =>
    sortOf(status) === status.sort ? [] : { ...status, sort: sortOf(status) },
  )
  if (moved.length > 0) await tx.rows(updateCustomerStatuses(actor, moved))
}
