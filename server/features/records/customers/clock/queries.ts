import sql, { raw } from 'sql-template-tag'
import type { Actor } from '../../../../access/actor.ts'
import { unguessed } from '../../../../database/by-key.ts'
import type { CustomerRow } from '../schema.ts'

/** The columns of a customer that rules look at, and those that the clock writes. */
const read = [
  'id',
  'next_date',
  'next_price',
  'ltv',
  'purchases_count',
  'last_purchase_at',
  'created_at',
  'tag_ids',
  'custom_fields_values',
  'segment_ids_by_hand',
] as const
const written = {
  status_id: 'bigint',
  is_status_by_hand: 'boolean',
  status_due_at: 'bigint',
  segment_ids: 'bigint[]',
  segments_due_at: 'bigint',
  updated_at: 'bigint',
  updated_by: 'bigint',
} as const

export type ClockRow = Pick<CustomerRow, (typeof read)[number] | keyof typeof written>

const clockColumns = raw(
  [...read, ...Object.keys(written)]
    .map((name) => (/^(tag|segment)_ids/.test(name) ? `to_json(${name}) as ${name}` : name))
    .join(', '),
)
const writtenNames = Object.keys(written)
const placed = raw(
  `placed(id bigint, ${Object.entries(written)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ')})`,
)

/** The next moment at which the passing of time changes a customer. */
const due = sql`least(status_due_at, segments_due_at)`

/**
 * The accounts with customers that are due by the time of the database. Each is looked up by itself, in a
 * range with two ends: of one end, PostgreSQL expects a third of all customers.
 */
export const dueAccounts = sql`
  select account.id
    from (select extract(epoch from clock_timestamp())::bigint as at offset 0) clock, accounts account
   where exists (select from customers where account_id = account.id and not is_deleted and ${due} >= 0 and ${due} <= clock.at offset 0)
   order by account.id`

/**
 * Locks up to `most` customers that are due, the longest first; answers them in the order of their
 * ids. Those that another transaction has locked are left for the next time.
 */
export const lockDueCustomers = (actor: Actor, most: number) => sql`
  with due as materialized (
    select ${clockColumns} from customers
     where account_id = ${actor.accountId} and not is_deleted and ${due} <= ${actor.at}
     order by ${due} limit ${most}
       for no key update skip locked
  )
  select * from due order by id`

/** Locks up to `most` customers after an id, in the order of their ids. */
export const lockCustomersAfter = (actor: Actor, after: number, most: number) => sql`
  select ${clockColumns} from customers
   where account_id = ${actor.accountId} and not is_deleted and id > ${after}
   order by id limit ${most}
     for no key update`

/** Locks up to `most` customers of a status in the order of their ids. */
export const lockCustomersOfStatus = (actor: Actor, status_id: number, most: number) => sql`
  select ${clockColumns} from customers
   where account_id = ${actor.accountId} and ${unguessed(sql`not is_deleted`)} and status_id = ${status_id}
   order by id limit ${most}
     for no key update`

/** Writes the columns that rules place customers by. */
export const writePlacedCustomers = (actor: Actor, rows: ClockRow[]) => sql`
  update customers record
     set (${raw(writtenNames.join(', '))}) = (${raw(writtenNames.map((name) => `placed.${name}`).join(', '))})
    from json_to_recordset(${JSON.stringify(writtenOf(rows))}::json) as ${placed}
   where record.account_id = ${actor.accountId} and record.id = placed.id`

/** Writes when customers are due next, where they stay in their status and segments. */
export const rescheduleCustomers = (actor: Actor, rows: ClockRow[]) => sql`
  update customers set status_due_at = placed.status_due_at, segments_due_at = placed.segments_due_at,
                       is_status_by_hand = placed.is_status_by_hand
    from json_to_recordset(${JSON.stringify(writtenOf(rows))}::json) as ${placed}
   where customers.account_id = ${actor.accountId} and customers.id = placed.id`

const writtenOf = (rows: ClockRow[]) =>
  rows.map((row) => ({
    id: row.id,
    ...Object.fromEntries(writtenNames.map((name) => [name, row[name as keyof ClockRow]])),
  }))

/** Has the clock evaluate customers: their segments at the next tick, their statuses when those are due. */
export const wakeCustomers = (
  actor: Actor,
  rows: readonly Pick<ClockRow, 'id' | 'status_due_at'>[],
) => sql`
  update customers record set status_due_at = due.status_due_at, segments_due_at = ${actor.at}
    from json_to_recordset(${JSON.stringify(rows)}::json) as due(id bigint, status_due_at bigint)
   where record.account_id = ${actor.accountId} and record.id = due.id`

/** The evaluation of all customers of an account by changed rules. */
export interface SegmentRefresh {
  account_id: number
  round: number
  is_ready: boolean
  done_to: number
}

export const allSegmentRefreshes = sql`
  select account_id, round, is_ready, done_to from customer_reevaluations order by account_id`

/** Lets a round begin, and counts its customers. */
export const releaseSegmentRefresh = ({ account_id, round }: SegmentRefresh) => sql`
  update customer_reevaluations
     set is_ready = true, total = (select count(*) from customers where account_id = ${account_id} and not is_deleted)
   where account_id = ${account_id} and round = ${round}`

export const lockSegmentRefresh = ({ account_id }: SegmentRefresh) => sql`
  select account_id, round, is_ready, done_to from customer_reevaluations
   where account_id = ${account_id} for update skip locked`

export const continueSegmentRefresh = (
  { account_id }: SegmentRefresh,
  last: number,
  count: number,
) => sql`
  update customer_reevaluations set done_to = ${last}, done = done + ${count} where account_id = ${account_id}`

export const endSegmentRefresh = ({ account_id }: SegmentRefresh) =>
  sql`delete from customer_reevaluations where account_id = ${account_id}`
