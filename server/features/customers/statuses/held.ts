// The statuses of an account as the verbs of customers need them.
import sql from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import type { Tx } from '../../../database/connect.ts'
import type { Faults, Item } from '../../../http/batch.ts'

export interface HeldStatus {
  id: number
  sort: number
  type: number
}

/** The statuses of the account; none of them can be deleted before this transaction ends. */
export function holdStatuses(tx: Tx, actor: Actor): Promise<HeldStatus[]> {
  return tx.rows<HeldStatus>(sql`
    select id, sort, type from customer_statuses where account_id = ${actor.accountId} order by id for key share`)
}

/**
 * The status of a new customer, who has bought nothing yet: "did not purchase" where the next
 * purchase was due before now, else the one for customers without another.
 */
export function firstStatus(statuses: HeldStatus[], next_date: number, at: number): number {
  return next_date < at ? idOfType(statuses, 2) : ordinaryStatus(statuses)
}

/** The first ordinary status, or "purchase expected" where an account has no ordinary one. */
export function ordinaryStatus(statuses: HeldStatus[]): number {
  const [first] = statuses.filter(({ type }) => type === 0).toSorted((a, b) => a.sort - b.sort)
  return first?.id ?? idOfType(statuses, 1)
}

/** The status that an item names; a fault goes to the item where there is none. */
export function checkedStatus(
  statuses: HeldStatus[],
  faults: Faults,
  item: Item<unknown>,
  status_id: number,
): number {
  if (!statuses.some(({ id }) => id === status_id))
    faults.add(item, {
      code: 'NotSupportedChoice',
      path: 'status_id',
      detail: `There is no status of customers ${status_id}.`,
    })
  return status_id
}

/** Every account has one status of each type but 0. */
function idOfType(statuses: HeldStatus[], type: number): number {
  return statuses.find((status) => status.type === type)!.id
}
