import sql from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import type { CustomerRow } from '../schema.ts'

/** The columns of a customer that the clock reads. */
export type ClockRow = Pick<
  CustomerRow,
  | 'id'
  | 'next_date'
  | 'last_purchase_at'
  | 'status_id'
  | 'is_status_by_hand'
  | 'status_due_at'
  | 'created_at'
  | 'updated_at'
  | 'updated_by'
>

const clockColumns = sql`
  record.id, record.next_date, record.last_purchase_at, record.status_id, record.is_status_by_hand, record.status_due_at,
  record.created_at, record.updated_at, record.updated_by`

const due = sql`least(status_due_at, segments_due_at)`

/** The accounts with customers that are due. */
export const dueAccounts = (at: number) => sql`
  select account.id from accounts account
   where exists (select from customers where account_id = account.id and not is_deleted and ${due} <= ${at})
   order by account.id`

/**
 * Locks up to `most` customers that are due, the longest first; answers them in the order of their
 * ids. Those that another transaction has locked are left for the next time.
 */
export const lockDueCustomers = (actor: Actor, most: number) => sql`
  with due as materialized (
    select ${clockColumns} from customers record
     where account_id = ${actor.accountId} and not is_deleted and ${due} <= ${actor.at}
     order by ${due} limit ${most}
       for no key update skip locked
  )
  select * from due order by id`

/** Locks up to `most` customers after an id, in the order of their ids. */
export const lockCustomersAfter = (actor: Actor, after: number, most: number) => sql`
  select ${clockColumns} from customers record
   where account_id = ${actor.accountId} and not is_deleted and id > ${after}
   order by id limit ${most}
     for no key update`

/** Writes the columns that rules place customers by. */
export const placeCustomers = (actor: Actor, rows: ClockRow[]) => sql`
  update customers record
     set status_id = placed.status_id, is_status_by_hand = placed.is_status_by_hand, status_due_at = placed.status_due_at,
         updated_at = placed.updated_at, updated_by = placed.updated_by
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as placed(id bigint, status_id bigint, is_status_by_hand boolean, status_due_at bigint, updated_at bigint, updated_by bigint)
   where record.account_id = ${actor.accountId} and record.id = placed.id`

/** Writes when customers are due next, where nothing else changes. */
export const rescheduleCustomers = (actor: Actor, rows: ClockRow[]) => sql`
  update customers set is_status_by_hand = placed.is_status_by_hand, status_due_at = placed.status_due_at
    from json_to_recordset(${JSON.stringify(rows)}::json) as placed(id bigint, is_status_by_hand boolean, status_due_at bigint)
   where customers.account_id = ${actor.accountId} and customers.id = placed.id`

/** Has the clock evaluate a customer at its next tick; a status set by hand keeps its end. */
export const wakeCustomer = (actor: Actor, id: number) => sql`
  update customers set status_due_at = ${actor.at}
   where account_id = ${actor.accountId} and id = ${id} and not is_status_by_hand`

/** The work of evaluating all customers of an account again. */
export interface Reevaluation {
  account_id: number
  round: number
  is_ready: boolean
  done_to: number
  done: number
  total: number | null
}

/** Begins the evaluation of all customers of the account, anew where one is going on. */
export const beginReevaluation = (actor: Actor) => sql`
  insert into customer_reevaluations as begun (account_id) values (${actor.accountId})
  on conflict (account_id) do update
    set round = nextval('customer_reevaluations_round'), is_ready = false, done_to = 0, done = 0, total = null`

export const allReevaluations = sql`select * from customer_reevaluations order by account_id`

export const reevaluationOf = (actor: Actor) => sql`
  select done, total from customer_reevaluations where account_id = ${actor.accountId}`

/** Lets a round begin, and counts its customers. */
export const releaseReevaluation = ({ account_id, round }: Reevaluation) => sql`
  update customer_reevaluations
     set is_ready = true, total = (select count(*) from customers where account_id = ${account_id} and not is_deleted)
   where account_id = ${account_id} and round = ${round}`

export const lockReevaluation = ({ account_id }: Reevaluation) => sql`
  select * from customer_reevaluations where account_id = ${account_id} for update skip locked`

export const continueReevaluation = (
  { account_id }: Reevaluation,
  last: number,
  count: number,
) => sql`
  update customer_reevaluations set done_to = ${last}, done = done + ${count} where account_id = ${account_id}`

export const endReevaluation = ({ account_id }: Reevaluation) => sql`
  delete from customer_reevaluations where account_id = ${account_id}`
