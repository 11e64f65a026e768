// The rules by which the server places the customers of an account in statuses and segments, and the
// steps that apply them to one row; all pure but the first.
import sql from 'sql-template-tag'
import type { Actor } from '../../../../access/actor.ts'
import type { Entry } from '../../../../changes/record.ts'
import type { Tx } from '../../../../database/connect.ts'
import { bothSides } from '../../../../records/writing/change.ts'
import { segmentRules, segmentsOf } from '../../segments/segments.ts'
import type { SegmentFacts, SegmentRule } from '../../segments/segments.ts'
import type { CustomerRow } from '../schema.ts'
import { lockStatuses, statusDays, statusOfType } from '../statuses/locking.ts'
import type { LockedStatus } from '../statuses/locking.ts'
import type { ClockRow } from './queries.ts'
import { periodAt } from './periods.ts'

export interface CustomerRules {
  /** IANA name of the account's time zone. */
  timezone: string
  /** Whether statuses follow dates and purchases in this account. */
  isPeriodic: boolean
  statuses: LockedStatus[]
  /** The segments with conditions; none where segments are turned off. */
  segments: SegmentRule[]
}

/** The rules of the account; none of its statuses can be deleted before this transaction ends. */
export async function lockRules(tx: Tx, actor: Actor): Promise<CustomerRules> {
  const statuses = await lockStatuses(tx, actor)
  const { hasSegments, ...account } = (await tx.row<AccountRules>(sql`
    select timezone, is_periodicity_on as "isPeriodic", is_segments_on as "hasSegments"
      from accounts where id = ${actor.accountId}`))!
  return { ...account, statuses, segments: hasSegments ? await segmentRules(tx, actor) : [] }
}

interface AccountRules extends Pick<CustomerRules, 'timezone' | 'isPeriodic'> {
  hasSegments: boolean
}

type Dates = Pick<CustomerRow, 'last_purchase_at' | 'next_date'>
type InStatus = Pick<CustomerRow, 'status_id' | 'is_status_by_hand' | 'status_due_at'>
type InSegments = Pick<CustomerRow, 'segment_ids' | 'segments_due_at'>

/**
 * The status of a customer by its dates: of a new one, after a purchase, with another `next_date`,
 * and when the status of before has ended.
 */
export function placedByDates(rules: CustomerRules, dates: Dates, at: number): InStatus {
  const { type, until } = periodAt(statusDays(rules.statuses), dates, rules.timezone, at)
  return {
    status_id: statusOfType(rules.statuses, type),
    is_status_by_hand: false,
    status_due_at: rules.isPeriodic ? until : null,
  }
}

/** A status that a person chose: it holds until the one by dates ends. */
export function placedByHand(
  rules: CustomerRules,
  dates: Dates,
  status_id: number,
  at: number,
): InStatus {
  return { ...placedByDates(rules, dates, at), status_id, is_status_by_hand: true }
}

/** The segments of a customer by their conditions. */
export function placedInSegments(
  rules: CustomerRules,
  facts: SegmentFacts,
  at: number,
): InSegments {
  if (rules.segments.length === 0)
    return { segment_ids: [...facts.segment_ids], segments_due_at: null }
  const { segment_ids, due_at } = segmentsOf(rules.segments, facts, rules.timezone, at)
  return { segment_ids, segments_due_at: due_at }
}

/** A customer at a moment when its status may have ended, or a day of its segments may have begun. */
export function turned(rules: CustomerRules, row: ClockRow, at: number): ClockRow {
  const isDue = row.status_due_at !== null && row.status_due_at <= at
  return placedIn(isDue ? placedByDates(rules, row, at) : {}, rules, row, at)
}

/** The status and the segments of a customer that has bought something. */
export function placedByPurchases(
  rules: CustomerRules,
  row: Dates & SegmentFacts,
  at: number,
): Partial<InStatus> & InSegments {
  return {
    ...(rules.isPeriodic && placedByDates(rules, row, at)),
    ...placedInSegments(rules, row, at),
  }
}

/**
 * A customer under changed rules, or without a purchase. A status that a person chose stays, and so
 * does one of the type that the dates say: another ordinary status may have become the first.
 */
export function placedAnew<Row extends ClockRow>(rules: CustomerRules, row: Row, at: number): Row {
  const byDates = placedByDates(rules, row, at)
  const typeOf = (id: number) => rules.statuses.find((status) => status.id === id)?.type
  const stays = row.is_status_by_hand || typeOf(row.status_id) === typeOf(byDates.status_id)
  const inStatus = {
    ...byDates,
    ...(stays && { status_id: row.status_id, is_status_by_hand: row.is_status_by_hand }),
  }
  return placedIn(inStatus, rules, row, at)
}

/** A customer in this status, if statuses follow dates, and in the segments of its conditions. */
function placedIn<Row extends ClockRow>(
  inStatus: Partial<InStatus>,
  rules: CustomerRules,
  row: Row,
  at: number,
): Row {
  return {
    ...row,
    ...(rules.isPeriodic ? inStatus : { status_due_at: null }),
    ...placedInSegments(rules, row, at),
  }
}

interface InSomeStatus {
  status_id: number
}

/** The news of a customer that may have moved to another status. */
export function statusNews(
  before: InSomeStatus,
  after: InSomeStatus,
): Pick<Entry, 'actions' | 'events'> {
  if (before.status_id === after.status_id) return { actions: [], events: [] }
  const value = ({ status_id: id }: InSomeStatus) => ({ customer_status: { id } })
  return {
    actions: ['status'],
    events: [bothSides('customer_status_changed', before, after, value)],
  }
}
