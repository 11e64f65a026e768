import sql, { empty } from 'sql-template-tag'
import type { Actor } from '../../../../access/actor.ts'
import { selfLink } from '../../../../http/self-link.ts'

export interface CustomerStatusRow {
  id: number
  name: string
  sort: number
  color: string
  type: number
  is_default: boolean
  /** The length in days of types 1, 3 and 4. */
  days: number | null
}

/**
 * The entry conditions as the interface shows them: lists of conditions that must all hold, one of
 * the lists is enough. The values are days.
 */
const conditions = sql`
  case when status.type = 0 then '[]'::json
       else json_build_array(json_build_array(json_build_object(
         'type', case status.type when 1 then 'before_purchase' when 4 then 'after_purchase' else 'after_next_date' end,
         'match', json_build_object('value', coalesce(status.days, 0)))))
  end`

/** The statuses of the account in their order, all or those with these ids. */
export const customerStatusList = (actor: Actor, base: string, ids?: number[]) => sql`
  select status.id, status.name, status.sort, status.is_default, ${conditions} as conditions, status.color, status.type, status.account_id,
         ${selfLink(sql`${`${base}/api/v4/customers/statuses/`}::text || status.id`)} as _links
    from customer_statuses status
   where status.account_id = ${actor.accountId} ${ids ? sql`and status.id = any(${ids}::bigint[])` : empty}
   order by status.sort, status.id`

/** The statuses of customers without their conditions, in their order. */
export const customerStatusSummaries = ({ accountId }: Actor) => sql`
  select id, name, sort, color, type, is_default from customer_statuses
   where account_id = ${accountId} order by sort, id`

/** The statuses as verbs need them, in their order. */
export const customerStatusRows = (actor: Actor) => sql`
  select id, name, sort, color, type, is_default, days from customer_statuses
   where account_id = ${actor.accountId} order by sort, id`

/** Answers the ids in the order of the rows. */
export const insertCustomerStatuses = (
  actor: Actor,
  rows: Pick<CustomerStatusRow, 'name' | 'sort' | 'color'>[],
) => sql`
  insert into customer_statuses (account_id, name, sort, color, type)
  select ${actor.accountId}::bigint, name, sort, color, 0
    from json_to_recordset(${JSON.stringify(rows)}::json) as draft(name text, sort int, color text)
  returning id`

export const updateCustomerStatuses = (
  actor: Actor,
  rows: Pick<CustomerStatusRow, 'id' | 'name' | 'sort' | 'color'>[],
) => sql`
  update customer_statuses status set name = draft.name, sort = draft.sort, color = draft.color
    from json_to_recordset(${JSON.stringify(rows)}::json) as draft(id bigint, name text, sort int, color text)
   where status.account_id = ${actor.accountId} and status.id = draft.id`

export const setDaysOfStatus = (actor: Actor, id: number, days: number) => sql`
  update customer_statuses set days = ${days} where account_id = ${actor.accountId} and id = ${id}`

export const removeCustomerStatus = (actor: Actor, id: number) => sql`
  delete from customer_statuses where account_id = ${actor.accountId} and id = ${id}`

/** Waits for all transactions that hold a status, and makes later ones wait. */
export const lockCustomerStatuses = (actor: Actor) => sql`
  select id, sort, type, days from customer_statuses where account_id = ${actor.accountId} order by id for update`

/** Locks up to `most` customers of a status that are in the bin, in the order of their ids. */
export const lockBinnedCustomersIn = (actor: Actor, status_id: number, most: number) => sql`
  select id from customers
   where account_id = ${actor.accountId} and is_deleted and status_id = ${status_id} order by id limit ${most} for no key update`

export const moveBinnedCustomers = (actor: Actor, ids: number[], status_id: number) => sql`
  update customers set status_id = ${status_id}, is_status_by_hand = false
   where account_id = ${actor.accountId} and id = any(${ids}::bigint[])`
