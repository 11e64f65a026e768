// The deletion of a status, whose customers move to another one first: so it needs the verbs of
// customers, which need the other verbs of statuses.
import { lockAccount } from '../../../access/account.ts'
import type { Actor } from '../../../access/actor.ts'
import type { Database, Tx } from '../../../database/connect.ts'
import { newFaults } from '../../../http/batch.ts'
import { badRequest } from '../../../http/problem.ts'
import { changeCustomers } from '../customers.ts'
import { holdStatuses, ordinaryStatus } from './held.ts'
import type { HeldStatus } from './held.ts'
import {
  customerStatusRows,
  lockCustomersIn,
  lockCustomerStatuses,
  moveBinnedCustomers,
  removeCustomerStatus,
} from './queries.ts'
import type { CustomerStatusRow } from './queries.ts'
import { noCustomerStatus, renumber } from './statuses.ts'

/** Customers that move in one transaction. */
const atOnce = 1000

/**
 * Deletes an ordinary status once its customers are in the first of the others. Unknown: 404; a
 * default one: 400.
 */
export async function deleteCustomerStatus(
  database: Database,
  actor: Actor,
  id: number,
): Promise<void> {
  // Most customers move in transactions of their own.
  for (let isMore = true; isMore;)
    isMore = await database.transaction(async (tx) => {
      const statuses = await holdStatuses(tx, actor)
      checkDeletion(statuses, id)
      return moveCustomers(tx, actor, id, statuses)
    })
  // Customers may come in as fast as they leave: the last of them move while no other can come.
  for (let isMore = true; isMore;)
    isMore = await database.transaction(async (tx) => {
      await tx.rows(lockAccount(actor))
      const statuses = await tx.rows<HeldStatus>(lockCustomerStatuses(actor))
      checkDeletion(statuses, id)
      if (await moveCustomers(tx, actor, id, statuses)) return true
      await tx.rows(removeCustomerStatus(actor, id))
      const others = await tx.rows<CustomerStatusRow>(customerStatusRows(actor))
      await renumber(tx, actor, others, (each) => others.indexOf(each) + 1)
      return false
    })
}

function checkDeletion(statuses: HeldStatus[], id: number): void {
  const status = statuses.find((each) => each.id === id)
  if (!status) throw noCustomerStatus()
  if (status.type !== 0) throw badRequest('Every account has this status, it cannot be deleted')
}

/**
 * Moves customers out of a status, as a change of the caller, or silently in the bin. Answers
 * whether more may follow.
 */
async function moveCustomers(
  tx: Tx,
  actor: Actor,
  id: number,
  statuses: HeldStatus[],
): Promise<boolean> {
  const rows = await tx.rows<{ id: number; is_deleted: boolean }>(
    lockCustomersIn(actor, id, atOnce),
  )
  const status_id = ordinaryStatus(statuses.filter((status) => status.id !== id))
  const items = rows
    .filter(({ is_deleted }) => !is_deleted)
    .map((row, index) => ({ index, request_id: String(index), value: { id: row.id, status_id } }))
  if (items.length > 0) await changeCustomers(tx, actor, { items, faults: newFaults() })
  const binned = rows.filter(({ is_deleted }) => is_deleted).map((row) => row.id)
  if (binned.length > 0) await tx.rows(moveBinnedCustomers(actor, binned, status_id))
  return rows.length === atOnce
}
