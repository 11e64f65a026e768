import sql, { empty, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { rowByKey } from '../../../database/by-key.ts'
import { mayViewCatalog, mayViewElement } from '../../../access/catalog-rights.ts'
import { may } from '../../../access/record-rights.ts'
import type { PagePosition } from '../../../http/paging.ts'
import { selfLink } from '../../../http/self-link.ts'
import { fieldsVersion } from '../../../records/fields/definitions.ts'
import type { KeptValues } from '../../../records/fields/values.ts'
import { comesAfter, orderedBy, orderingOf } from '../../../records/lists/schema.ts'
import type { BoughtElement, TransactionQuery } from './schema.ts'

/** The columns of a new purchase, with their types. */
const columns = {
  price: 'bigint',
  comment: 'text',
  completed_at: 'bigint',
  receipt_link: 'text',
  external_id: 'text',
  bonus_points: 'bigint',
  created_by: 'bigint',
  updated_by: 'bigint',
  created_at: 'bigint',
  updated_at: 'bigint',
}
const names = raw(Object.keys(columns).join(', '))
const typed = raw(
  Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(', '),
)

export interface NewTransactionRow {
  price: number
  comment: string | null
  completed_at: number
  receipt_link: string | null
  external_id: string | null
  bonus_points: number
  created_by: number
  updated_by: number
  created_at: number
  updated_at: number
  elements: { element_id: number; catalog_id: number; quantity: number }[]
}

const customerOfPurchase = ({ accountId }: Actor) => sql`
  record.account_id = ${accountId} and record.id = purchase.customer_id and not record.is_deleted`

/**
 * How a page finds the purchases of viewed customers: it asks for the customer of each, of the first
 * `window` only, or it begins with the customers and takes the first purchases of each. `along`: it looks
 * each customer up along the index of all purchases. `one`: it looks the only customer up once.
 */
export type TransactionWay = 'one' | 'along' | 'each' | { window: number } | 'customers'

/**
 * A page of the purchases of customers that the actor may view, of all or of one. Rows are found
 * before they are rendered.
 */
export function transactionList(
  actor: Actor,
  base: string,
  { filter, order }: TransactionQuery,
  { after, offset, limit }: PagePosition,
  customerId?: number,
  way: TransactionWay = 'each',
): Sql {
  const ordering = orderingOf(order)
  const inOrder = orderedBy(ordering, 'purchase')
  // Compared with a value, `is_deleted` keeps a plan for all values from the index of purchases that are not
  // deleted, which has those of a customer in another order.
  const isKept =
    way === 'one' ? sql`purchase.is_deleted = ${false}::boolean` : sql`not purchase.is_deleted`
  const purchases = (whose: Sql) => sql`
    select purchase.* from transactions purchase
     where purchase.account_id = ${actor.accountId} and ${isKept} ${whose}
       ${isAmong(filter?.id)} ${comesAfter(ordering, after, 'purchase')}
     ${inOrder}`
  const isViewed = sql`exists (select from customers record where ${customerOfPurchase(actor)} and ${may(actor, 'customers', 'view')})`
  // The customer of each is looked up by its key: a plan for all values might join all customers.
  const isLeft = (customer: Sql) => sql`
    (select not record.is_deleted and ${may(actor, 'customers', 'view')}
       from ${rowByKey('customers', actor.accountId, customer)} record)`
  const page = sql`limit ${limit} offset ${offset}`
  const ofOne = customerId === undefined ? empty : sql`and purchase.customer_id = ${customerId}`
  const found =
    way === 'one'
      ? sql`${purchases(sql`${ofOne} and ${isLeft(sql`${customerId}`)}`)} ${page}`
      : way === 'along'
        ? sql`${purchases(sql`and ${isLeft(sql`purchase.customer_id`)}`)} ${page}`
        : way === 'each'
          ? sql`${purchases(sql`${ofOne} and ${isViewed}`)} ${page}`
          : way === 'customers'
            ? sql`select purchase.* from customers record,
                     lateral (${purchases(sql`and purchase.customer_id = record.id`)} limit ${offset + limit}) purchase
               where record.account_id = ${actor.accountId} and not record.is_deleted and ${may(actor, 'customers', 'view')}
               ${inOrder} ${page}`
            : sql`select purchase.* from (${purchases(empty)} limit ${way.window}) purchase where ${isLeft(sql`purchase.customer_id`)} ${inOrder} ${page}`
  return sql`
    select row_to_json(shown)::text as json, purchase.id as key, purchase.id
      from (${found}) purchase, lateral (select ${shape(actor, base)}) shown
     ${inOrder}`
}

/** The purchases of one customer by months in the zone of the account, the last `months` and later. */
export const purchasesByMonth = (
  { accountId, at }: Actor,
  customerId: number,
  months: number,
) => sql`
  select to_char(to_timestamp(purchase.completed_at) at time zone account.timezone, 'YYYY-MM') as month,
         count(*) as count, sum(purchase.price)::float8 as sum
    from accounts account
    join transactions purchase on purchase.account_id = account.id and purchase.customer_id = ${customerId} and not purchase.is_deleted
         and purchase.completed_at >= extract(epoch from (
               date_trunc('month', to_timestamp(${at}) at time zone account.timezone) - make_interval(months => ${months - 1}))
             at time zone account.timezone)
   where account.id = ${accountId}
   group by 1 order by 1`

/** One purchase; its text is null where the actor may not view its customer. */
export const oneTransaction = (actor: Actor, base: string, id: number, customerId?: number) => sql`
  select case when ${may(actor, 'customers', 'view')} then row_to_json(shown)::text end as json
    from transactions purchase join customers record on ${customerOfPurchase(actor)}, lateral (select ${shape(actor, base)}) shown
   where purchase.account_id = ${actor.accountId} and purchase.id = ${id} and not purchase.is_deleted
     ${customerId === undefined ? empty : sql`and purchase.customer_id = ${customerId}`}`

/** The customer of a purchase, which never changes. */
export const customerOf = (actor: Actor, id: number) => sql`
  select customer_id from transactions where account_id = ${actor.accountId} and id = ${id} and not is_deleted`

/** An element that may be bought, and the values that say how many points it brings. */
export interface OfferedElement {
  id: number
  catalog_id: number
  values: KeptValues
  fields_version: number
}

/** Those of the elements that the actor may view, each in the catalog that is named with it. */
export const offeredElements = (actor: Actor, elements: BoughtElement[]) => sql`
  select distinct element.id, element.catalog_id, element.custom_fields_values as values, ${fieldsVersion(actor.accountId)} as fields_version
    from unnest(${elements.map(({ id }) => id)}::bigint[], ${elements.map(({ metadata }) => metadata.catalog_id)}::bigint[]) named (id, catalog_id)
    join catalog_elements element on element.account_id = ${actor.accountId} and element.id = named.id and element.catalog_id = named.catalog_id
   where ${mayViewElement(actor)}`

/**
 * Adds purchases of a locked customer, what was bought, and a note of each; answers their ids in
 * the order of the rows.
 */
export const insertTransactions = (
  actor: Actor,
  customer: { id: number; responsible_user_id: number; group_id: number },
  rows: NewTransactionRow[],
) => sql`
  with draft as materialized (
    select nextval('transactions_id') as id, nextval('notes_id') as note_id, draft.*
      from json_to_recordset(${JSON.stringify(rows)}::json) as draft(${typed}, elements json)
  ), noted as (
    insert into notes (account_id, id, entity_type, entity_id, note_type, params, responsible_user_id, group_id,
                       created_by, updated_by, created_at, updated_at)
    select ${actor.accountId}::bigint, note_id, 'customers', ${customer.id}::bigint, 'transaction',
           jsonb_build_object('transaction_id', id, 'price', price), ${customer.responsible_user_id}::bigint, ${customer.group_id}::bigint,
           created_by, updated_by, created_at, updated_at
      from draft
  ), bought as (
    insert into transaction_elements (account_id, transaction_id, element_id, catalog_id, quantity)
    select ${actor.accountId}::bigint, draft.id, element_id, catalog_id, sum(quantity)
      from draft, json_to_recordset(draft.elements) as element(element_id bigint, catalog_id bigint, quantity numeric)
     group by draft.id, element_id, catalog_id
  ), added as (
    insert into transactions (account_id, id, customer_id, note_id, ${names})
    select ${actor.accountId}::bigint, id, ${customer.id}::bigint, note_id, ${names} from draft
    returning id
  )
  select id from added order by id`

/** The share of a purchase in the sums of its customer, and the latest purchase without it. */
export interface RemovedTransaction {
  price: number
  bonus_points: number
  /** The latest of the purchases that are left; null where none is. */
  last_purchase_at: number | null
}

/** Marks a purchase of a locked customer as deleted, and deletes its note. */
export const removeTransaction = (actor: Actor, customerId: number, id: number) => sql`
  with removed as (
    update transactions set is_deleted = true, updated_at = greatest(${actor.at}::bigint, created_at), updated_by = ${actor.userId}
     where account_id = ${actor.accountId} and id = ${id} and customer_id = ${customerId} and not is_deleted
    returning price, bonus_points, note_id
  ), unnoted as (
    delete from notes using removed where notes.account_id = ${actor.accountId} and notes.id = removed.note_id
  )
  select price, bonus_points,
         (select completed_at from transactions purchase
           where account_id = ${actor.accountId} and customer_id = ${customerId} and not is_deleted and purchase.id <> ${id}
           order by completed_at desc limit 1) as last_purchase_at
    from removed`

/** The select list of a row named `purchase` for answers. */
function shape(actor: Actor, base: string): Sql {
  const customer = sql`${`${base}/api/v4/customers/`}::text || purchase.customer_id`
  return sql`
    purchase.id, purchase.price, purchase.comment, purchase.completed_at, purchase.customer_id, purchase.created_by, purchase.updated_by,
    purchase.created_at, purchase.updated_at, purchase.is_deleted, purchase.account_id,
    case when coalesce(purchase.receipt_link, purchase.external_id) is not null
         then (select row_to_json(metadata) from (select purchase.receipt_link, purchase.external_id) metadata) end as metadata,
    ${selfLink(sql`${customer} || '/transactions/' || purchase.id`)} as _links,
    ('{"customer":{"id":' || purchase.customer_id || ',"_links":{"self":{"href":"' || ${customer} || '"}}},"catalog_elements":[' || coalesce((
      select string_agg('{"id":' || bought.element_id || ',"metadata":{"catalog_id":' || bought.catalog_id || ',"quantity":' || bought.quantity || '}}',
                        ',' order by bought.element_id)
        from transaction_elements bought
       where bought.account_id = ${actor.accountId} and bought.transaction_id = purchase.id
         and ${mayViewCatalog(actor, sql`bought.catalog_id`)}), '') || ']}')::json as _embedded`
}

/** One id is compared with `=`, as in the lists of records. */
function isAmong(ids: number[] | undefined): Sql {
  if (!ids) return empty
  return ids.length === 1
    ? sql`and purchase.id = ${ids[0]}`
    : sql`and purchase.id = any(${ids}::bigint[])`
}
