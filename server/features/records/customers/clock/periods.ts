// The statuses of a customer from one purchase to the next (decision 38). All days begin at midnight
// in the time zone of the account.
import { dayOf, midnight } from '../../../../records/fields/days.ts'

/** The lengths of the statuses in days. */
export interface StatusDays {
  /** A purchase is recent on its day and this many days after. */
  recent: number
  /** The next purchase is expected this many days before its date, and on that day. */
  expected: number
  /** A purchase that did not happen is waited for this many days, then the customer is closed. */
  closed: number
}

/** The type of a status (interface: Customer status), and the moment at which it ends. */
interface StatusPeriod {
  type: 0 | 1 | 2 | 3 | 4
  /** Unix seconds; null: never. */
  until: number | null
}

/**
 * The period that a moment lies in, by the latest purchase (null: none) and the date of the next.
 * Pure; all times are Unix seconds.
 */
export function periodAt(
  { recent, expected, closed }: StatusDays,
  { last_purchase_at, next_date }: { last_purchase_at: number | null; next_date: number },
  timezone: string,
  at: number,
): StatusPeriod {
  if (last_purchase_at !== null && last_purchase_at <= at) {
    const until = midnight(timezone, dayOf(timezone, last_purchase_at) + recent + 1)
    if (at < until) return { type: 4, until }
  }
  const { type, until } = betweenPurchases({ expected, closed }, next_date, timezone, at)
  // A purchase that is dated ahead counts from its time on.
  const ahead = last_purchase_at !== null && last_purchase_at > at ? last_purchase_at : Infinity
  const end = Math.min(until ?? Infinity, ahead)
  return { type, until: end === Infinity ? null : end }
}

/** The period by the date of the next purchase alone. */
function betweenPurchases(
  { expected, closed }: Omit<StatusDays, 'recent'>,
  next_date: number,
  timezone: string,
  at: number,
): StatusPeriod {
  const due = dayOf(timezone, next_date)
  const expectedFrom = midnight(timezone, due - expected)
  if (at < expectedFrom) return { type: 0, until: expectedFrom }
  const missedFrom = midnight(timezone, due + 1)
  if (at < missedFrom) return { type: 1, until: missedFrom }
  const closedFrom = midnight(timezone, due + 1 + closed)
  if (at < closedFrom) return { type: 2, until: closedFrom }
  return { type: 3, until: null }
}
