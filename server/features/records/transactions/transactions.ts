// Transactions: what customers bought, and what follows for the customer (decision 36). The verbs
// lock the customer, so its sums are always those of its purchases.
import { startWriting } from '../../../access/actor.ts'
import type { Actor } from '../../../access/actor.ts'
import type { NewEvent } from '../../../changes/record.ts'
import type { Tx } from '../../../database/connect.ts'
import type { Batch, Item } from '../../../http/batch.ts'
import { notFound } from '../../../http/problem.ts'
import { latestTime } from '../../../http/types.ts'
import { daysLater } from '../../../records/fields/days.ts'
import { checkPeople, groupsOfActiveUsers } from '../../../records/people.ts'
import { bothSides } from '../../../records/writing/change.ts'
import { lockRules, placedAnew, placedByPurchases } from '../customers/customers.ts'
import { pointsOf } from './bonus-points.ts'
import { changeBuyer, lockBuyer } from './buyer.ts'
import type { Buyer } from './buyer.ts'
import { customerOf, insertTransactions, offeredElements, removeTransaction } from './queries.ts'
import type { NewTransactionRow, OfferedElement, RemovedTransaction } from './queries.ts'
import { boughtIn, quantityOf } from './schema.ts'
import type { AddedTransaction, NewTransaction } from './schema.ts'

/**
 * Adds purchases of a customer; answers in request order. The customer gets their sums, its next
 * date and price, the status and segments that follow, and the bonus points of the bought elements
 * unless `accrues` is false.
 */
export async function createTransactions(
  tx: Tx,
  actor: Actor,
  customerId: number,
  batch: Batch<NewTransaction>,
  accrues: boolean,
): Promise<AddedTransaction[]> {
  const rules = await lockRules(tx, actor)
  const customer = await lockBuyer(tx, actor, customerId)
  await checkAuthors(tx, actor, batch)
  const offered = await checkElements(tx, actor, batch)
  const points = accrues ? await pointsOf(tx, actor, batch.items, offered) : []
  const writer = startWriting(tx, actor)
  const rows = batch.items.map((item, index) => newTransaction(writer, item, points[index] ?? 0))
  const bought = {
    ...afterPurchases(batch, customer, rows),
    ...nextPurchase(rules.timezone, batch, customer),
  }
  const next = { ...bought, ...placedByPurchases(rules, bought, writer.at) }
  batch.faults.throwIfAny()
  const added = await tx.rows<{ id: number }>(insertTransactions(writer, customer, rows))
  await changeBuyer(tx, writer, customer, next, [
    ...added.map(({ id }) => addedEvent(id)),
    ...sumEvents(customer, next),
  ])
  return batch.items.map(({ request_id }, index) => ({
    id: added[index]!.id,
    customer_id: customerId,
    request_id,
  }))
}

/**
 * Deletes a purchase, and takes back what the customer had from it; the next date stays. Throws 404
 * for an unknown purchase, or one of another customer than the path names.
 */
export async function deleteTransaction(
  tx: Tx,
  actor: Actor,
  id: number,
  customerId?: number,
): Promise<void> {
  const rules = await lockRules(tx, actor)
  const customer = await lockBuyer(tx, actor, customerId ?? (await ownerOf(tx, actor, id)))
  const writer = startWriting(tx, actor)
  const removed = await tx.row<RemovedTransaction>(removeTransaction(writer, customer.id, id))
  if (!removed) throw notFound()
  const left = {
    ...customer,
    ltv: customer.ltv - removed.price,
    purchases_count: customer.purchases_count - 1,
    last_purchase_at: removed.last_purchase_at,
    bonus_points: Math.max(0, customer.bonus_points - removed.bonus_points),
  }
  const next = placedAnew(rules, left, writer.at)
  await changeBuyer(tx, writer, customer, next, sumEvents(customer, next))
}

async function ownerOf(tx: Tx, actor: Actor, id: number): Promise<number> {
  const purchase = await tx.row<{ customer_id: number }>(customerOf(actor, id))
  if (!purchase) throw notFound()
  return purchase.customer_id
}

async function checkAuthors(
  tx: Tx,
  actor: Actor,
  { items, faults }: Batch<NewTransaction>,
): Promise<void> {
  const ids = new Set(items.flatMap(({ value }) => value.created_by || []))
  if (ids.size === 0) return
  const groups = await groupsOfActiveUsers(tx, actor, [...ids])
  for (const item of items) checkPeople(groups, faults, item, item.value)
}

/** Answers the bought elements. An unknown one, or one that the actor may not view, is a fault. */
async function checkElements(
  tx: Tx,
  actor: Actor,
  { items, faults }: Batch<NewTransaction>,
): Promise<OfferedElement[]> {
  const named = items.flatMap(({ value }) => boughtIn(value))
  if (named.length === 0) return []
  const offered = await tx.rows<OfferedElement>(offeredElements(actor, named))
  const known = new Set(offered.map(({ id, catalog_id }) => `${catalog_id} ${id}`))
  for (const item of items)
    for (const [index, { id, metadata }] of boughtIn(item.value).entries())
      if (!known.has(`${metadata.catalog_id} ${id}`))
        faults.add(item, {
          code: 'NotSupportedChoice',
          path: `_embedded.catalog_elements.${index}.id`,
          detail: `There is no element ${id} in catalog ${metadata.catalog_id}.`,
        })
  return offered
}

function newTransaction(
  actor: Actor,
  { value }: Item<NewTransaction>,
  bonus_points: number,
): NewTransactionRow {
  return {
    price: value.price,
    comment: value.comment ?? null,
    completed_at: value.completed_at ?? actor.at,
    receipt_link: value.metadata?.receipt_link ?? null,
    external_id: value.metadata?.external_id ?? null,
    bonus_points,
    created_by: value.created_by ?? actor.userId,
    updated_by: value.created_by ?? actor.userId,
    created_at: actor.at,
    updated_at: actor.at,
    elements: boughtIn(value).map((bought) => ({
      element_id: bought.id,
      catalog_id: bought.metadata.catalog_id,
      quantity: quantityOf(bought),
    })),
  }
}

/** The customer with the sums of its purchases; one that a sum has no room for is a fault. */
function afterPurchases(
  { items, faults }: Batch<NewTransaction>,
  customer: Buyer,
  rows: NewTransactionRow[],
): Buyer {
  const next = { ...customer }
  for (const [index, { price, completed_at, bonus_points }] of rows.entries()) {
    next.ltv += price
    next.bonus_points += bonus_points
    next.purchases_count++
    next.last_purchase_at = Math.max(next.last_purchase_at ?? 0, completed_at)
    for (const [path, sum, before] of [
      ['price', next.ltv, next.ltv - price],
      ['_embedded.catalog_elements', next.bonus_points, next.bonus_points - bonus_points],
    ] as const)
      if (sum > Number.MAX_SAFE_INTEGER)
        faults.add(items[index]!, {
          code: 'TooHigh',
          limit: Number.MAX_SAFE_INTEGER - before,
          path,
          detail: 'With this purchase the sum of the customer is higher than a number can be.',
        })
  }
  return next
}

/**
 * When the next purchase is expected, and of which price. The last date that a purchase names wins;
 * where none names one, each purchase moves the date on by the periodicity.
 */
function nextPurchase(
  timezone: string,
  { items }: Batch<NewTransaction>,
  { next_date, next_price, periodicity }: Buyer,
): Pick<Buyer, 'next_date' | 'next_price'> {
  const price = items.findLast(({ value }) => value.next_price !== undefined)?.value.next_price
  const date = items.findLast(({ value }) => value.next_date !== undefined)?.value.next_date
  const next = { next_price: price ?? next_price, next_date: date ?? next_date }
  if (date !== undefined || periodicity === 0) return next
  const moved = daysLater(timezone, next_date, periodicity * items.length)
  return { ...next, next_date: Math.min(moved, latestTime) }
}

const addedEvent = (id: number): NewEvent => ({
  type: 'transaction_added',
  value_before: [],
  value_after: [{ transaction: { id } }],
})

/** The event of a changed sum (interface: Values of events). */
function sumEvents(before: Buyer, after: Buyer): NewEvent[] {
  if (before.ltv === after.ltv) return []
  const value = ({ ltv }: Buyer) => ({ ltv_field_value: { ltv } })
  return [bothSides('ltv_field_changed', before, after, value)]
}
