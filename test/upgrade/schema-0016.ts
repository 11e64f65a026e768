// An account in use, as the sixteenth schema (0016_tasks.sql) knew it, written in SQL: what the tenth
// one had, and on top of it segments, purchases, elements of records, tasks, and events of every sort
// that is found by a value, of this month, the last one and last year. A changed field was two events
// then.
import sql from 'sql-template-tag'
import type { Database } from '../../server/database/connect.ts'
import { schema0010 } from './schema-0010.ts'
import type { FilledWithCustomers } from './schema-0010.ts'
import type { Fixture } from './upgraded.ts'

const today = new Date()
const [now, lastMonth, lastYear] = [
  Date.now(),
  Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1, 15),
  Date.UTC(today.getUTCFullYear() - 1, today.getUTCMonth(), 1),
].map((time) => Math.floor(time / 1000)) as [number, number, number]

/** A name that is longer than a key of an event shows. */
export const longName = 'Кириллица '.repeat(10)

export const schema0016: Fixture<FilledWithCustomers> = {
  last: '0016_tasks.sql',
  tables: [
    ...schema0010.tables,
    'customer_reevaluations',
    'element_links',
    'purged_customers',
    'segment_counts',
    'segments',
    'tasks',
    'transaction_elements',
    'transactions',
  ],
  events: [
    ['custom_field_value_changed', 'First'],
    ['name_field_changed', 'First'],
    ['sale_field_changed', 'First'],
    ['entity_responsible_changed', 'First'],
    ['lead_status_changed', 'First'],
    ...schema0010.events,
    ['custom_field_value_changed', 'First'],
    ['custom_field_value_changed', 'First'],
  ],
  fill,
}

async function fill(database: Database, account: number): Promise<FilledWithCustomers> {
  const filled = await schema0010.fill(database, account)
  const { catalog, element, customers, ids, fields } = filled
  const admin = account * 100 + 1
  const [segment, purchase, note] = [account * 10, account * 10 + 1, account * 10 + 8]
  const { later } = customers
  await database.transaction(async (tx) => {
    await tx.list(sql`
      insert into segments (account_id, id, name, color, available_products_price_types, created_at, updated_at)
      values (${account}, ${segment}, 'Loyal', '10599d', '{}', ${now}, ${now})`)
    await tx.list(sql`
      insert into segment_counts (account_id, segment_id, customers) values (${account}, ${segment}, 1)`)
    await tx.list(sql`
      insert into notes (account_id, id, entity_type, entity_id, note_type, params, responsible_user_id, group_id, created_by, updated_by, created_at, updated_at)
      overriding system value
      values (${account}, ${note}, 'customers', ${later}, 'transaction', '{}', ${admin}, 0, ${admin}, ${admin}, ${now}, ${now})`)
    await tx.list(sql`
      insert into transactions (account_id, id, customer_id, price, completed_at, note_id, created_by, updated_by, created_at, updated_at)
      values (${account}, ${purchase}, ${later}, 25, ${now}, ${note}, ${admin}, ${admin}, ${now}, ${now})`)
    await tx.list(sql`
      insert into transaction_elements (account_id, transaction_id, element_id, catalog_id, quantity)
      values (${account}, ${purchase}, ${element}, ${catalog}, 1)`)
    await tx.list(sql`
      update customers set segment_ids = array[${segment}::bigint], segment_ids_by_hand = array[${segment}::bigint], ltv = 25,
             purchases_count = 1, last_purchase_at = ${now}
       where account_id = ${account} and id = ${later}`)
    await tx.list(
      sql`insert into purged_customers (account_id, id) values (${account}, ${account * 10 + 9})`,
    )
    await tx.list(sql`
      insert into element_links (account_id, entity_type, entity_id, element_id, catalog_id, quantity)
      values (${account}, 'leads', ${ids.lead}, ${element}, ${catalog}, 2)`)
    await tx.list(sql`
      insert into customer_reevaluations (account_id, is_ready, total) values (${account}, true, 0)`)
    await tx.list(sql`
      insert into tasks (account_id, id, text, task_type_id, responsible_user_id, group_id, entity_type, entity_id, complete_till, duration,
                         is_completed, result, created_by, updated_by, created_at, updated_at)
      values (${account}, ${account * 10 + 4}, 'Call', 1, ${admin}, 0, 'leads', ${ids.lead}, ${now}, 0, true, 'Done', ${admin}, ${admin}, ${now}, ${now})`)
    const field = (text: string) => ({
      custom_field_value: { field_id: fields.seats, field_type: 2, enum_id: null, text },
    })
    const choice = (enum_id: number, text: string) => ({
      custom_field_value: { field_id: fields.colour, field_type: 4, enum_id, text },
    })
    const journaled = [
      ['lead_status_changed', ...bothSides((id) => ({ lead_status: { id, pipeline_id: 7 } }))],
      ['entity_responsible_changed', ...bothSides((id) => ({ responsible_user: { id } }))],
      ['sale_field_changed', ...bothSides((sale) => ({ sale_field_value: { sale } }))],
      [
        'name_field_changed',
        { name_field_value: { name: longName } },
        { name_field_value: { name: 'Short' } },
      ],
      ['custom_field_value_changed', field('5'), field('6')],
      [`custom_field_${fields.seats}_value_changed`, field('5'), field('6')],
      // A month of its own, and one that is in the partition for the rest.
      ...[
        {
          at: lastMonth,
          id: fields.colour,
          values: [choice(account * 10 + 1, 'Blue'), choice(account * 10, 'Red')],
        },
        { at: lastYear, id: fields.seats, values: [field('3'), field('4')] },
      ].flatMap(({ at, id, values }) => [
        ['custom_field_value_changed', ...values, at],
        [`custom_field_${id}_value_changed`, ...values, at],
      ]),
    ].map(([type, before, after, at = now], index) => ({
      place: index + 100,
      at,
      type,
      value_before: [before],
      value_after: [after],
    }))
    await tx.list(sql`
      insert into events (account_id, id, type, entity_type, entity_id, created_by, created_at, value_before, value_after)
      select ${account}, ulid_time(at * 1000 + place) || lpad(to_hex(nextval('events_number')), 16, '0'), type, 'lead', ${ids.lead},
             ${admin}, at, value_before, value_after
        from json_to_recordset(${JSON.stringify(journaled)}::json) as event(place int, at bigint, type text, value_before jsonb, value_after jsonb)`)
  })
  return filled
}

/** The numbers 1 and 2 as values before and after. */
const bothSides = (value: (number: number) => object) => [value(1), value(2)] as const
