// The first floor for transactions: the statements of features/records/transactions alone.
import { startWriting } from '../server/access/actor.ts'
import type { Actor } from '../server/access/actor.ts'
import { record } from '../server/changes/record.ts'
import type { Database } from '../server/database/connect.ts'
import { lockRows, updateRows } from '../server/records/writing/statements.ts'
import { buyers } from '../server/features/records/transactions/buyer.ts'
import type { Buyer } from '../server/features/records/transactions/buyer.ts'
import {
  insertTransactions,
  offeredElements,
  transactionList,
} from '../server/features/records/transactions/queries.ts'
import { boughtIn, quantityOf } from '../server/features/records/transactions/schema.ts'
import type { NewTransaction } from '../server/features/records/transactions/schema.ts'

/** A page of the transactions of all customers, as JSON. */
export async function listTransactions(
  database: Database,
  actor: Actor,
  base: string,
  query: URLSearchParams,
): Promise<string> {
  const [page, limit] = [Number(query.get('page') ?? 1), Number(query.get('limit') ?? 50)]
  const after = ends.get(`${page} ${limit}`)
  const seek = { after, offset: after ? 0 : (page - 1) * limit, limit: limit + 1 }
  const lines = await database.list<{ json: string; key: number; id: number }>(
    transactionList(actor, base, {}, seek),
  )
  if (lines.length > limit) lines.pop()
  const { key, id } = lines.at(-1) ?? { key: 0, id: 0 }
  ends.set(`${page + 1} ${limit}`, { key, id })
  return `{"_page":${page},"_links":{},"_embedded":{"transactions":[${lines.map(({ json }) => json).join(',')}]}}`
}

const ends = new Map<string, { key: number; id: number }>()

/** Adds transactions of a customer. Answers their ids. */
export function createTransactions(
  database: Database,
  actor: Actor,
  customerId: number,
  items: NewTransaction[],
): Promise<number[]> {
  return database.transaction(async (tx) => {
    const [buyer] = await tx.rows<Buyer>(lockRows(buyers, actor, [customerId], 'edit'))
    await tx.rows(offeredElements(actor, items.flatMap(boughtIn)))
    const rows = items.map((item) => ({
      price: item.price,
      comment: null,
      completed_at: item.completed_at!,
      receipt_link: null,
      external_id: null,
      bonus_points: 0,
      created_by: actor.userId,
      updated_by: actor.userId,
      created_at: actor.at,
      updated_at: actor.at,
      elements: boughtIn(item).map((bought) => ({
        element_id: bought.id,
        catalog_id: bought.metadata.catalog_id,
        quantity: quantityOf(bought),
      })),
    }))
    const added = await tx.rows<{ id: number }>(insertTransactions(actor, buyer!, rows))
    const { ltv, purchases_count, last_purchase_at, updated_at } = buyer!
    const after = {
      ...buyer!,
      ltv: ltv + rows.reduce((sum, { price }) => sum + price, 0),
      purchases_count: purchases_count + rows.length,
      last_purchase_at: Math.max(last_purchase_at ?? 0, ...rows.map((row) => row.completed_at)),
      updated_at: actor.at,
    }
    await tx.rows(updateRows(buyers, actor, [after]))
    const sum = (of: number) => [{ ltv_field_value: { ltv: of } }]
    await record(tx, startWriting(tx, actor), [
      {
        type: 'customers',
        id: customerId,
        actions: ['update'],
        before: { ltv, purchases_count, last_purchase_at, updated_at },
        events: [
          ...added.map(({ id }) => ({
            type: 'transaction_added',
            value_before: [],
            value_after: [{ transaction: { id } }],
          })),
          { type: 'ltv_field_changed', value_before: sum(ltv), value_after: sum(after.ltv) },
        ],
      },
    ])
    return added.map(({ id }) => id)
  })
}

/** Customers with five purchases each, half of them of an element, written without the verbs. */
export const manyTransactions = (
  accountId: number,
  userId: number,
  customers: number,
  elements: number,
): string[] => [
  `insert into catalogs (account_id, name, type, sort, can_add_elements, can_show_in_cards, can_link_multiple,
                         created_by, updated_by, created_at, updated_at)
   values (${accountId}, 'Products', 'products', 10, true, true, true, ${userId}, ${userId}, 0, 0)`,
  `insert into catalog_elements (account_id, catalog_id, name, created_by, updated_by, created_at, updated_at)
   select ${accountId}, currval('catalogs_id'), 'Product ' || number, ${userId}, ${userId}, 0, 0
     from generate_series(1, ${elements}) number`,
  `insert into segments (account_id, name, color, available_products_price_types, created_at, updated_at)
   select ${accountId}, 'Segment ' || number, '10599d', '{}', 0, 0 from generate_series(1, 20) number`,
  `insert into tags (account_id, entity_type, name)
   select ${accountId}, 'customers', 'tag ' || number from generate_series(0, 199) number`,
  `insert into customers (account_id, name, next_date, status_id, status_due_at, responsible_user_id, group_id, created_by, updated_by,
                          created_at, updated_at, tag_ids, segment_ids, segment_ids_by_hand)
   select ${accountId}, 'Customer ' || number, 2000000000, status.id, 1999000000, ${userId}, 0, ${userId}, ${userId},
          1760000000 + number, 1760000000 + number, tagged.ids, segmented.ids, segmented.ids
     from (select number, number % 4 as tags, (number / 4) % 3 as segments from generate_series(1, ${customers}) number) drawn,
          (select id from customer_statuses where account_id = ${accountId} and type = 0) status,
          (select min(id) as first from tags where account_id = ${accountId} and entity_type = 'customers') tag,
          (select min(id) as first from segments where account_id = ${accountId}) segment,
          lateral (select array(select tag.first + (number * 7 + place * 31) % 200 from generate_series(1, drawn.tags) place) as ids) tagged,
          lateral (select array(select segment.first + (number + place * 7) % 20 from generate_series(1, drawn.segments) place order by 1) as ids) segmented
    order by number`,
  `insert into segment_counts (account_id, segment_id, customers)
   select ${accountId}, segment_id, count(*) from customers, unnest(segment_ids) segment_id
    where account_id = ${accountId} group by segment_id`,
  `insert into transactions (account_id, customer_id, price, comment, completed_at, note_id, created_by, updated_by,
                             created_at, updated_at)
   select ${accountId}, 1001 + number % ${customers}, number % 10000, 'Order ' || number, 1760000000 + number, 0,
          ${userId}, ${userId}, 1760000000 + number, 1760000000 + number
     from generate_series(1, ${customers * 5}) number`,
  `insert into transaction_elements (account_id, transaction_id, element_id, catalog_id, quantity)
   select account_id, id, 1001 + id % ${elements}, currval('catalogs_id'), 1 + id % 3
     from transactions where account_id = ${accountId} and id % 2 = 0`,
]
