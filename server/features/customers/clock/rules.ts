// The rules by which the server places the customers of an account, and the steps that apply them to
// one row; all pure but the first.
import sql from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import type { Tx } from '../../../database/connect.ts'
import type { CustomerRow } from '../schema.ts'
import type { ClockRow } from './queries.ts'
import { holdStatuses, statusDays, statusOfType } from '../statuses/held.ts'
import type { HeldStatus } from '../statuses/held.ts'
import { periodAt } from './timeline.ts'

export interface CustomerRules {
  /** IANA name of the account's time zone. */
  timezone: string
  /** Whether statuses follow dates and purchases in this account. */
  isPeriodic: boolean
  statuses: HeldStatus[]
}

/** The rules of the account; none of its statuses can be deleted before this transaction ends. */
export async function holdRules(tx: Tx, actor: Actor): Promise<CustomerRules> {
  const statuses = await holdStatuses(tx, actor)
  const account = await tx.row<Pick<CustomerRules, 'timezone' | 'isPeriodic'>>(sql`
    select timezone, is_periodicity_on as "isPeriodic" from accounts where id = ${actor.accountId}`)
  return { ...account!, statuses }
}

/** The columns of a customer that rules write. */
type Placement = Pick<CustomerRow, 'status_id' | 'is_status_by_hand' | 'status_due_at'>

/**
 * The status of a customer by its dates: after a purchase, with a new `next_date`, or when the
 * status before has ended. Without periodic purchases only a new customer is placed.
 */
export function placedByDates(
  rules: CustomerRules,
  row: Pick<CustomerRow, 'last_purchase_at' | 'next_date'>,
  at: number,
): Placement {
  const { type, until } = periodAt(statusDays(rules.statuses), row, rules.timezone, at)
  return {
    status_id: statusOfType(rules.statuses, type),
    is_status_by_hand: false,
    status_due_at: rules.isPeriodic ? until : null,
  }
}

/** A status that a person chose holds until the one by dates ends. */
export function placedByHand(
  rules: CustomerRules,
  row: Pick<CustomerRow, 'last_purchase_at' | 'next_date'>,
  status_id: number,
  at: number,
): Placement {
  return { ...placedByDates(rules, row, at), status_id, is_status_by_hand: true }
}

/** A customer at a moment when the status may have ended. */
export function turned(rules: CustomerRules, row: ClockRow, at: number): ClockRow {
  if (!rules.isPeriodic) return { ...row, status_due_at: null }
  if (row.status_due_at === null || row.status_due_at > at) return row
  return { ...row, ...placedByDates(rules, row, at) }
}

/** A customer under changed rules: a status that a person chose stays. */
export function placedAnew(rules: CustomerRules, row: ClockRow, at: number): ClockRow {
  if (!rules.isPeriodic) return { ...row, status_due_at: null }
  return {
    ...row,
    ...(row.is_status_by_hand
      ? placedByHand(rules, row, row.status_id, at)
      : placedByDates(rules, row, at)),
  }
}

/** A status in the event log (specification, Structure of value_after and value_before). */
export const statusValue = ({ status_id: id }: { status_id: number }) => ({
  customer_status: { id },
})
