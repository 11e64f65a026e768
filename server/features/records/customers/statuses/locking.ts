// The statuses of an account as the verbs of customers need them.
import sql from 'sql-template-tag'
import type { Actor } from '../../../../access/actor.ts'
import type { Tx } from '../../../../database/connect.ts'
import type { Faults, Item } from '../../../../http/batch.ts'
import type { StatusDays } from '../clock/periods.ts'

export interface LockedStatus {
  id: number
  sort: number
  type: number
  /** The setting of types 1, 3 and 4; null: the type has none. */
  days: number | null
}

/** The statuses of the account; none of them can be deleted before this transaction ends. */
export function lockStatuses(tx: Tx, actor: Actor): Promise<LockedStatus[]> {
  return tx.rows<LockedStatus>(sql`
    select id, sort, type, days from customer_statuses where account_id = ${actor.accountId} order by id for key share`)
}

/** The status of a type: the only one, or the first ordinary one. */
export function statusOfType(statuses: LockedStatus[], type: number): number {
  return type === 0 ? ordinaryStatus(statuses) : defaultOfType(statuses, type).id
}

/** The settings of the statuses. */
export function statusDays(statuses: LockedStatus[]): StatusDays {
  const of = (type: number) => defaultOfType(statuses, type).days!
  return { recent: of(4), expected: of(1), closed: of(3) }
}

/** The first ordinary status, or "purchase expected" where an account has no ordinary one. */
export function ordinaryStatus(statuses: LockedStatus[]): number {
  const [first] = statuses.filter(({ type }) => type === 0).toSorted((a, b) => a.sort - b.sort)
  return first?.id ?? defaultOfType(statuses, 1).id
}

/** A fault for an item that names a status which the account does not have. */
export function checkStatus(
  statuses: LockedStatus[],
  faults: Faults,
  item: Item<{ status_id?: number }>,
): void {
  const { status_id } = item.value
  if (status_id === undefined || statuses.some(({ id }) => id === status_id)) return
  faults.add(item, {
    code: 'NotSupportedChoice',
    path: 'status_id',
    detail: `There is no status of customers ${status_id}.`,
  })
}

/** Every account has one status of each type but 0. */
function defaultOfType(statuses: LockedStatus[], type: number): LockedStatus {
  return statuses.find((status) => status.type === type)!
}
