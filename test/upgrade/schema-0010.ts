// An account in use, as the tenth schema (0010_customers.sql) knew it, written in SQL: what the
// fourth one had, and on top of it a catalog with an element, customers in several statuses, a kept
// answer, a known browser and the origins of an integration.
import { createHash } from 'node:crypto'
import sql from 'sql-template-tag'
import type { Database } from '../../server/database/connect.ts'
import { schema0004 } from './schema-0004.ts'
import type { FilledWithRequests } from './schema-0004.ts'
import type { Fixture } from './upgraded.ts'

const now = Math.floor(Date.now() / 1000)
const day = 86_400

export interface FilledWithCustomers extends FilledWithRequests {
  catalog: number
  element: number
  /** A customer who buys later, one whose date has passed, one in the bin, and one closed by hand. */
  customers: { later: number; late: number; binned: number; chosen: number }
}

export const schema0010: Fixture<FilledWithCustomers> = {
  last: '0010_customers.sql',
  tables: [
    ...schema0004.tables,
    'catalog_elements',
    'catalogs',
    'customer_statuses',
    'customers',
    'idempotency_keys',
    'known_browsers',
  ],
  // The field of the group of products.
  added: { custom_fields: 1 },
  events: schema0004.events,
  fill,
}

async function fill(database: Database, account: number): Promise<FilledWithCustomers> {
  const filled = await schema0004.fill(database, account)
  const admin = account * 100 + 1
  const [catalog, element, field] = [account * 10 + 5, account * 10 + 6, account * 10 + 7]
  const customers = {
    later: account * 10,
    late: account * 10 + 1,
    binned: account * 10 + 2,
    chosen: account * 10 + 3,
  }
  const hash = (text: string) => createHash('sha256').update(`${text} ${account}`).digest()
  await database.transaction(async (tx) => {
    await tx.list(sql`select give_first_customer_statuses(${account})::text`)
    await tx.list(sql`
      insert into idempotency_keys (account_id, hash, request_hash, created_at, status, type, body)
      values (${account}, ${hash('key')}, ${hash('request')}, ${now}, 200, 'application/hal+json', '{}')`)
    await tx.list(sql`
      insert into known_browsers (account_id, user_id, hash, expires_at)
      values (${account}, ${admin}, ${hash('browser')}, ${now + 30 * day})`)
    await tx.list(sql`
      update integrations set origins = array['https://shop.example'] where account_id = ${account}`)
    await tx.list(sql`
      insert into catalogs (account_id, id, name, type, sort, can_add_elements, can_show_in_cards, can_link_multiple,
                            created_by, updated_by, created_at, updated_at)
      values (${account}, ${catalog}, 'Goods', 'products', 10, true, false, true, ${admin}, ${admin}, ${now}, ${now})`)
    await tx.list(sql`
      insert into custom_fields (account_id, entity_type, id, name, type, code, sort, is_required)
      values (${account}, ${`catalogs:${catalog}`}, ${field}, 'Price', 'price', 'PRICE', 1, false)`)
    await tx.list(sql`
      insert into catalog_elements (account_id, id, catalog_id, name, created_by, updated_by, created_at, updated_at, custom_fields_values)
      values (${account}, ${element}, ${catalog}, 'Lamp', ${admin}, ${admin}, ${now}, ${now}, ${JSON.stringify({ [field]: ['25'] })}::jsonb)`)
    await tx.list(sql`
      insert into record_texts (account_id, entity_type, entity_id, text, grams)
      values (${account}, ${`catalogs:${catalog}`}, ${element}, 'lamp', 'lamp'),
             (${account}, 'customers', ${customers.later}, 'later', 'later'), (${account}, 'customers', ${customers.late}, 'late', 'late'),
             (${account}, 'customers', ${customers.binned}, 'binned', 'binned'),
             (${account}, 'customers', ${customers.chosen}, 'chosen', 'chosen')`)
    await tx.list(sql`
      insert into customers (account_id, id, name, next_price, next_date, periodicity, status_id, responsible_user_id, group_id,
                             created_by, updated_by, created_at, updated_at, is_deleted)
      select ${account}, made.id, made.name, 50, made.next_date, 30, status.id, ${admin}, 0, ${admin}, ${admin}, ${now}, ${now}, made.name = 'Binned'
        from (values (${customers.later}::bigint, 'Later', ${now + 90 * day}::bigint), (${customers.late}, 'Late', ${now - 5 * day}),
                     (${customers.binned}, 'Binned', ${now - 5 * day}), (${customers.chosen}, 'Chosen', ${now + 90 * day})) as made(id, name, next_date)
        join customer_statuses status on status.account_id = ${account} and status.type = case when made.name = 'Chosen' then 3 else 0 end`)
  })
  return { ...filled, catalog, element, customers }
}
