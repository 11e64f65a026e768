// The accounts of the tests of plans. Record number n of account a has the id n * 10 + a; rare
// values stand at the end of a table, where a walk in the order of ids would find them last.
//
//   1  lists   100,000 leads with values of most types, as many contacts and companies, tags, events
//   2  links   100,000 leads and contacts: one company has all the leads, 249 have 600 each; ten
//              statuses and 25 users in 5 groups in the first half; one record in fifty in the bin
//   3  notes   20,000 leads with 140,000 notes, loss reasons, sources, and contacts with phones
//   4  events  100,000 events of 90 days by types, users and entities; the rare ones are the oldest;
//              1,000 statuses, among which calls look for open leads
import sql, { raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { withoutIndexes } from '../../bench/large/indexes.ts'
import { ensureEventPartitions } from '../../server/changes/partitions.ts'
import type { Database } from '../../server/database/connect.ts'
import { stopAutovacuum } from '../autovacuum.ts'

/** Ids of the fields of account 1 by what they hold. */
export const fieldIds = {
  text: 2001,
  number: 2002,
  select: 2003,
  tick: 2004,
  rareTick: 2005,
  day: 2006,
  moment: 2007,
  several: 2008,
}
const { text, number, select, tick, rareTick, day, moment, several } = fieldIds
const types = {
  [text]: 'text',
  [number]: 'numeric',
  [select]: 'select',
  [tick]: 'checkbox',
  [rareTick]: 'checkbox',
  [day]: 'date',
  [moment]: 'date_time',
  [several]: 'multiselect',
}

/** The field of the contacts of account 3 that holds phones. */
export const phone = 7
/** The field of the contacts and companies of account 1 that holds phones, and a phone of many. */
export const callPhone = { field: 2011, common: '79990000000' }
/** The integration whose sources 1001 to 1100 are. */
export const clientId = '00000000-0000-0000-0000-000000000001'
/** The rare status of account 2. */
export const rareStatus = { pipeline_id: 7, status_id: 999 }
/** Statuses of account 2: one of a few leads, and one of many. */
export const fewest = { pipeline_id: 2, status_id: 60 }
export const emptied = { pipeline_id: 1, status_id: 50 }
/** The 25 users of account 2; its groups 0 to 4 have five each. */
export const users = Array.from({ length: 25 }, (_, index) => 1_000_000 + index)

/** The time at which the clock of customers looks: one in 200 is due by then, and one later. */
export const soon = 1_800_000_000

/** Rows are written past the verbs, and before their indexes, which are then made at once. */
export async function fillAccounts(database: Database): Promise<void> {
  await ensureEventPartitions(database, new Date())
  const session = await database.connection()
  try {
    const fill = async () => {
      for (const statement of statements) await session.query(statement)
    }
    await session.query(`set maintenance_work_mem = '256MB'`)
    await withoutIndexes(session, largeTables, () => undefined, fill)
    await session.query(`vacuum (analyze) ${[...largeTables, ...smallTables].join(', ')}`)
  } finally {
    await session.end()
  }
}

/** What PostgreSQL may know of tables besides what it knows of analyzed ones. */
export const unknown = ['vacuumed, without statistics', 'never looked at'] as const

/** Takes from PostgreSQL what it knows of all tables, except how many rows those of `vacuumed` have. */
export async function forgetStatistics(
  database: Database,
  state: (typeof unknown)[number],
): Promise<void> {
  await stopAutovacuum(database)
  const session = await database.connection()
  try {
    await session.query('set allow_system_table_mods = on')
    await session.query('delete from pg_statistic where starelid >= 16384')
    if (state === 'never looked at')
      await session.query(`
        update pg_class set relallvisible = 0, reltuples = case relkind when 'r' then -1 else 0 end, relpages = case relkind when 'r' then 0 else 1 end
         where relkind in ('r', 'i') and relnamespace = 'public'::regnamespace`)
  } finally {
    await session.end()
  }
}

const largeTables = [
  'leads',
  'contacts',
  'companies',
  'customers',
  'links',
  'element_links',
  'field_numbers',
  'field_texts',
  'record_texts',
  'catalog_elements',
  'transactions',
  'transaction_elements',
  'notes',
  'tasks',
  'events',
  'event_keys',
  'unsorted_items',
]
const smallTables = [
  'tags',
  'loss_reasons',
  'sources',
  'pipelines',
  'statuses',
  'idempotency_keys',
  'catalogs',
  'segments',
  'segment_counts',
  'webhooks',
]

const person = raw('case when n > 99960 then 99 else n % 20 + 1 end')
const group = raw('case when n > 99960 then 9 else n % 5 end')
/** The time of creation, and the time of the last change, in another order. */
const times = raw('1700000000 + n * 60, 1700000000 + n * 7919::bigint % 100000 * 60')
/** Whether a lead of accounts 1 and 2 has a task; no lead of account 2 beyond the 20,000th has one. */
const hasTasks = raw('(n % 4 = 0 or n % 4 = 2 and n < 1000)')
/** The columns that contacts and companies have in common. */
const people = raw(
  'account_id, id, name, responsible_user_id, group_id, created_by, updated_by, created_at, updated_at, is_deleted',
)
const peopleOf = (inSecond: number) => sql`
  select account, n * 10 + account, 'Name ' || n % 50000, ${person}, ${group}, ${person}, ${person}, ${times}, n % 50 = 0
    from generate_series(1, 2) account, generate_series(1, 100000) n where account = 1 or n <= ${raw(String(inSecond))}`

const statements: Sql[] = [
  sql`insert into accounts (id, subdomain, name, created_at, updated_at)
      values (1, 'large', 'Large', 0, 0), (2, 'links', 'Links', 0, 0), (3, 'notes', 'Notes', 0, 0)`,
  sql`insert into custom_fields (account_id, entity_type, id, name, type, sort, enums)
      select 1, 'leads', key::bigint, key, value, 1,
             case when value in ('select', 'multiselect') then (select jsonb_agg(jsonb_build_object('id', n, 'value', n::text, 'sort', n)) from generate_series(1, 9) n) end
        from json_each_text(${JSON.stringify(types)}::json)`,
  sql`insert into tags (account_id, id, entity_type, name)
      select account, n + 100000 * account, (array['leads', 'contacts', 'companies', 'customers'])[n % 4 + 1], 'Tag ' || n
        from generate_series(1, 2) account, generate_series(1, 10000) n`,

  // Account 1: leads with values, and what is found by them.
  sql`insert into leads (account_id, id, name, price, responsible_user_id, group_id, pipeline_id, status_id, created_by, updated_by,
                         created_at, updated_at, closed_at, closest_task_at, has_tasks, tag_ids, custom_fields_values)
      select 1, n * 10 + 1, case when n > 99960 then 'Needle ' else 'Lead ' end || n % 50000, n % 10000, ${person}, ${group},
             case when n > 99900 then 3 when n % 10 = 0 then 2 else 1 end,
             case when n > 99970 then 55 when n between 90001 and 94000 then 60 when n % 5 = 0 then 142 when n % 5 = 1 then 143 else 50 + n % 4 end,
             ${person}, ${person}, ${times},
             case when n % 5 < 2 then 1700000000 + n * 60 end, case when n <= 95500 then 1700000000 + n * 60 end, ${hasTasks},
             case when n > 1000 then array[100000 + n % 1000 * 4] else '{}' end,
             jsonb_build_object(${String(text)}::text, array[case when n > 99960 then 'Rare' else 'City ' || n % 10 end],
                                ${String(number)}::text, array[(n % 10000)::text], ${String(select)}::text, array[case when n > 99960 then 9 else n % 3 + 1 end],
                                ${String(tick)}::text, array[n % 2 = 0], ${String(day)}::text, array[1700000000 + n / 100 * 86400],
                                ${String(moment)}::text, array[1700000000 + n * 60], ${String(several)}::text, array[n % 3 + 1, n % 6 + 4])
             || case when n % 2500 = 0 then jsonb_build_object(${String(rareTick)}::text, array[true]) else '{}' end
        from generate_series(1, 100000) n`,
  sql`insert into field_numbers (account_id, field_id, entity_type, value, entity_id)
      select account, key::bigint, 'leads',
             case jsonb_typeof(value) when 'boolean' then value::boolean::int::numeric else (value #>> '{}')::numeric end, id - 1 + account
        from generate_series(1, 2) account, leads, jsonb_each(custom_fields_values - ${String(text)}::text) field(key, list),
             jsonb_array_elements(list) value
       where account = 1 or id <= 200000`,
  sql`insert into field_texts (account_id, field_id, entity_type, value, entity_id)
      select account, ${text}::bigint, 'leads', lower(custom_fields_values -> ${String(text)}::text ->> 0), id - 1 + account
        from generate_series(1, 2) account, leads where account = 1 or id <= 200000`,
  sql`insert into record_texts
      select account, 'leads', id - 1 + account, form, translate(form, '+-.#', 'rtuj')
        from generate_series(1, 2) account, leads, lower(name || E'\n' || (custom_fields_values -> ${String(text)}::text ->> 0)) form
       where account = 1 or id <= 200000`,
  sql`insert into record_texts
      select 1, 'contacts', n * 10 + 1, form, form
        from generate_series(1, 20000) n, lower('Person ' || md5(n::text) || E'\n79' || lpad(n::text, 9, '0')) form`,

  // One customer in 5,000 is in segment 7001, and every other one in segment 7002.
  sql`insert into customers (${people}, next_price, next_date, status_id, status_due_at, segment_ids)
      select each.*, each.id / 10 % 10000, 1700000000 + each.id / 10 * 60, case when each.id > 999700 then 9 else each.id / 10 % 5 + 1 end,
             case each.id / 10 % 200 when 7 then ${soon} - each.id / 10 when 8 then ${soon} + each.id / 10 end,
             case when each.id / 10 % 5000 = 3 then '{7001}'::bigint[] when each.id / 10 % 2 = 0 then '{7002}' else '{}' end
        from (${peopleOf(1000)}) each(${people})`,

  // A seventh of the purchases are those of customer 1011, the others those of the last 20,000 customers; half of them have elements.
  sql`insert into transactions (account_id, id, customer_id, price, completed_at, note_id, created_by, updated_by, created_at, updated_at, is_deleted)
      select account, n * 10 + account,
             (case when account = 2 then n % 1000 + 1 when n % 7 = 0 then 101 else 80001 + n % 20000 end) * 10 + account, n,
             1700000000 + n * 7919::bigint % 140000 * 60, n, 1, 1, n, n, n % 100 = 3
        from generate_series(1, 2) account, generate_series(1, 140000) n where account = 1 or n <= 20000`,
  sql`insert into transaction_elements (account_id, transaction_id, element_id, catalog_id, quantity)
      select account_id, id, 50003, 1001, 1 from transactions where price % 2 = 0`,

  // Account 2: the first half of the leads for rights, the other for statuses.
  sql`insert into leads (account_id, id, name, price, responsible_user_id, group_id, pipeline_id, status_id, created_by, updated_by,
                         created_at, updated_at, is_deleted, has_tasks)
      select 2, n * 10 + 2, 'Name ' || n % 50000, 5, case when n <= 50000 then ${users[0]} + n % 25 else ${person} end,
             case when n <= 50000 then n % 25 / 5 else ${group} end, case when n <= 50000 then 7 when n > 99900 then 2 else 1 end,
             case when n > 99900 then 60 when n > 50000 then case n % 3 when 0 then 51 else 50 end when n % 2500 = 1 then 999 else 100 + n % 9 end,
             1, 1, ${times}, n % 50 = 0, ${hasTasks} and n <= 20000
        from generate_series(1, 100000) n`,
  sql`insert into contacts (${people}, first_name, last_name) select each.*, '', '' from (${peopleOf(100_000)}) each`,
  sql`insert into companies (${people}) ${peopleOf(1000)}`,

  // Account 3: every second lead is won, the second half of them has loss reasons and sources.
  sql`insert into pipelines (account_id, id, name, sort, is_main) values (3, 1, 'One', 1, true)`,
  sql`insert into statuses (account_id, id, pipeline_id, name, sort, color, type)
      values (3, 40, 1, 'In', 1, '', 1), (3, 50, 1, 'Open', 2, '', 0), (3, 142, 1, 'Won', 3, '', 0)`,
  // Pipelines and statuses of another account, so many that nobody reads them all.
  sql`insert into accounts (id, subdomain, name, created_at, updated_at) values (4, 'stages', 'Stages', 0, 0)`,
  sql`insert into pipelines (account_id, id, name, sort, is_main) select 4, n, 'One', n, n = 1 from generate_series(1, 1000) n`,
  sql`insert into statuses (account_id, id, pipeline_id, name, sort, color, type)
      select 4, 100000 + n * 100 + status, n, 'One', status, '#fffeb2', case status when 1 then 1 else 0 end
        from generate_series(1, 50) n, generate_series(1, 20) status`,
  sql`insert into integrations (account_id, client_id, name, redirect_uri, secret, scopes, created_by, created_at, updated_at)
      select 3, lpad(n::text, 32, '0')::uuid, 'One', '', '', '{}', 1, 0, 0 from generate_series(1, 20) n`,
  sql`insert into sources (account_id, id, client_id, name, external_id, pipeline_id)
      select 3, 900 + i * 100 + n, lpad(i::text, 32, '0')::uuid, 'Source ' || n, 'place ' || n, 1 from generate_series(1, 20) i, generate_series(1, 100) n`,
  sql`insert into sources (account_id, id, name, external_id, pipeline_id)
      select account, 3000 + n, 'Source ' || n, 'place ' || n, 1 from generate_series(2, 3) account, generate_series(1, 100) n`,
  // More catalogs than an account may have, so that the ten of account 3 are few.
  sql`insert into catalogs (account_id, id, name, type, sort, can_add_elements, can_show_in_cards, can_link_multiple,
                            created_by, updated_by, created_at, updated_at)
      select case when n > 10 then 2 else 3 end, 1000 + n, 'Catalog ' || n, 'regular', n, true, true, true, 1, 1, 0, 0
        from generate_series(1, 5000) n`,
  // The same of segments: account 3 has 100, each with ten counts and a rule.
  sql`insert into segments (account_id, id, name, color, available_products_price_types, entry_conditions, created_at, updated_at)
      select case when n > 100 then 2 else 3 end, 1000 + n, 'Segment ' || n, '10599d', '{}', '[[{"field": "ltv", "from": 1}]]', 0, 0
        from generate_series(1, 5000) n`,
  sql`insert into segment_counts (account_id, segment_id, slot, customers)
      select account_id, id, slot, 5 from segments, generate_series(1, 10) slot`,
  // Catalog 1001 of account 3 has 20,000 elements, one of them striped; catalog 1002 has one in a thousand of its account.
  // Every fourth names a contact, in a field that does not matter here; contact 40 is named by two.
  sql`insert into catalog_elements (account_id, id, catalog_id, name, created_by, updated_by, created_at, updated_at, custom_fields_values)
      select account, n * 10 + account, case when n % 1000 = 0 then 1002 else 1001 end, 'Element ' || n, 1, 1, n, n,
             case when n % 4 = 0 then jsonb_build_object('77', jsonb_build_array(jsonb_build_object(
               'name', 'Ann', 'entity_id', case n when 44 then 40 else n end, 'entity_type', 'contacts'))) end
        from generate_series(2, 3) account, generate_series(1, 20000) n`,
  sql`insert into record_texts (account_id, entity_type, entity_id, text, grams)
      select account_id, 'catalogs:' || catalog_id, id, form, form from catalog_elements,
             lateral (select lower(name) || case when id = 50003 then ' striped' else '' end as form) formed`,
  // Element 1 of account 3 is on all its leads, lead 1 has 500 elements, and each other has three. Account 2 has as many.
  sql`insert into element_links (account_id, entity_type, entity_id, element_id, catalog_id)
      select distinct account, 'leads', lead * 10 + account, element * 10 + account, case when element % 1000 = 0 then 1002 else 1001 end
        from generate_series(2, 3) account,
             (select n as lead, 1 as element from generate_series(1, 20000) n
              union select 1, n from generate_series(1, 500) n
              union select n, (n * 7 + k) % 20000 + 1 from generate_series(2, 20000) n, generate_series(1, 3) k) each`,
  // Of four tasks one is about the lead of its number, one about one of a thousand leads, one about a contact, and one about nothing.
  sql`insert into tasks (account_id, id, text, task_type_id, responsible_user_id, group_id, entity_type, entity_id, complete_till, duration,
                         is_completed, completed_at, created_by, updated_by, created_at, updated_at, is_deleted)
      select account, n * 10 + account, 'Task ' || n, case when n > 99960 then 2 else 1 end, ${person}, ${group},
             case n % 4 when 2 then 'contacts' when 3 then null else 'leads' end,
             case n % 4 when 1 then n % 1000 + 1 when 3 then null else n end * 10 + account,
             1700000000 + n * 7907::bigint % 100000 * 60, 0, n % 7 > 0,
             case when n % 7 > 0 then 1700000000 + n * 60 end, case when n > 99960 then 99 else n % 3 + 1 end, 1, ${times}, n % 100 = 3
        from generate_series(1, 2) account, generate_series(1, 100000) n where account = 1 or n <= 20000`,
  sql`insert into loss_reasons (account_id, id, name, sort, created_at, updated_at)
      select account, 1000 + n, 'Reason ' || n, n, 0, 0 from generate_series(2, 3) account, generate_series(1, 500) n`,
  sql`insert into webhooks (account_id, id, destination, settings, sort, after_journal_id, created_by, created_at, updated_at)
      select account, 1000 + n, 'https://example.com/' || n, '{add_lead}', n, 0, 1, 0, 0
        from generate_series(1, 30) account, generate_series(1, 100) n`,
  sql`insert into leads (account_id, id, name, price, responsible_user_id, group_id, pipeline_id, status_id, created_by, updated_by,
                         created_at, updated_at, loss_reason_id, source_id)
      select 3, n * 10 + 3, 'Lead', 0, case when n > 19990 then 99 else n % 20 + 1 end, case when n > 19990 then 9 else n % 5 end, 1,
             case n % 2 when 0 then 142 else 50 end, 1, 1, n, n,
             case when n > 10000 then 1001 + n % 500 end, case when n > 10000 then 1001 + n % 2000 end
        from generate_series(1, 20000) n`,
  // Note n is about lead n % 20000; the system's own notes are as many as the leads.
  sql`insert into notes (account_id, id, entity_type, entity_id, note_type, params, responsible_user_id, group_id,
                         created_by, updated_by, created_at, updated_at)
      select account, n * 10 + account, case n % 10 when 0 then 'contacts' else 'leads' end, (n % 20000 + 1) * 10 + account,
             case when n > 120000 then 'entity_added' when n > 119950 then 'geolocation' when n % 4 = 0 then 'call_in' else 'common' end,
             case n % 4 when 0 then json_build_object('uniq', 'call ' || n, 'phone', n) else '{"text": "x"}' end::jsonb, 1, 0, 1, 1, 1700000000 + n * 60, 1700000000 + n * 7919::bigint % 140000 * 60
        from generate_series(2, 3) account, generate_series(1, 140000) n where account = 3 or n <= 20000`,
  // In account 1 contact n has the phone 79000000000 + n, company n 79100000000 + n, and a contact in five a common one.
  sql`insert into custom_fields (account_id, entity_type, id, name, type, code, sort)
      select account, entity_type, field, 'Phone', 'multitext', 'PHONE', 1
        from (values (1, ${callPhone.field}::bigint), (3, ${phone}::bigint)) known(account, field), unnest(array['contacts', 'companies']) entity_type`,
  sql`insert into field_texts (account_id, field_id, entity_type, value, entity_id)
      select 1, ${callPhone.field}::bigint, 'contacts', (79000000000 + n)::text, n * 10 + 1 from generate_series(1, 100000) n
      union all
      select 1, ${callPhone.field}::bigint, 'companies', (79100000000 + n)::text, n * 10 + 1 from generate_series(1, 100000) n
      union all
      select 1, ${callPhone.field}::bigint, 'contacts', ${callPhone.common}, n * 10 + 1 from generate_series(5, 100000, 5) n`,
  // In accounts 2 and 3 contact n has the phones n and 0.
  sql`insert into contacts (account_id, id, name, first_name, last_name, responsible_user_id, group_id, created_by, updated_by, created_at, updated_at)
      select 3, n * 10 + 3, 'Ann', '', '', n % 20 + 1, n % 5, 1, 1, n, n from generate_series(1, 20000) n`,
  sql`insert into field_texts (account_id, field_id, entity_type, value, entity_id)
      select account, ${phone}::bigint, 'contacts', value, n * 10 + account
        from generate_series(2, 3) account, generate_series(1, 20000) n, lateral (values ('0'), (n::text)) phone(value)
       where account = 3 or n <= 5000`,
  // Answers of accounts 1 and 2, one a second; a day ends at the second 86400.
  sql`insert into idempotency_keys (account_id, hash, request_hash, created_at, status, body)
      select account, sha256(n::text::bytea), '', n, 204, '' from generate_series(1, 2) account, generate_series(1, 20000) n`,

  // Contacts and companies of account 1 with one number are linked, and a thousand leads and customers with both; a lead in five has a
  // contact otherwise.
  sql`insert into links (account_id, from_type, from_id, to_type, to_id)
      select 1, one, n * 10 + 1, other, n * 10 + 1
        from generate_series(1, 50000) n, unnest(array['leads', 'customers', 'contacts', 'companies']) one,
             unnest(array['leads', 'customers', 'contacts', 'companies']) other,
             lateral (select (one in ('contacts', 'companies'))::int + (other in ('contacts', 'companies'))::int as people) counted
       where one <> other and (people = 2 or people = 1 and n <= 1000)`,
  sql`insert into links (account_id, from_type, from_id, to_type, to_id, is_main)
      select 1, link.* from generate_series(1001, 20000) n,
             lateral (values ('leads', n * 50 + 1, 'contacts', n * 10 + 1, true), ('contacts', n * 10 + 1, 'leads', n * 50 + 1, true)) link`,
  // Account 2: the leads of company 1, of each of 2 to 250, and contacts of leads: 1 to 4 of each, the first the main one.
  sql`insert into links (account_id, from_type, from_id, to_type, to_id, is_main)
      select distinct on (1, 2, 3, 4, 5) 2, either.*
        from (select 'companies' as one, 1 as one_id, 'leads' as other, n as other_id, false as is_main from generate_series(1, 100000) n
              union all
              select 'companies', company, 'leads', company * 300 + n, false
                from generate_series(2, 250) company, generate_series(1, 600) n
              union all
              select 'leads', lead, 'contacts', (lead * 7 + n) % 100000 + 1, n = 1
                from generate_series(1, 100000) lead, generate_series(1, 4) n where n <= lead % 4 + 1) link,
             lateral (values (one, one_id * 10 + 2, other, other_id * 10 + 2, is_main), (other, other_id * 10 + 2, one, one_id * 10 + 2, is_main)) either`,
  // Account 3: each lead has the contact of its number, and belongs to contact 1 too.
  sql`insert into links (account_id, from_type, from_id, to_type, to_id)
      select distinct 3, either.*
        from generate_series(1, 20000) n, lateral (values (n * 10 + 3), (13)) contact(id),
             lateral (values ('contacts', contact.id, 'leads', n * 10 + 3), ('leads', n * 10 + 3, 'contacts', contact.id)) either`,

  sql`insert into events (account_id, id, type, entity_type, entity_id, created_by, created_at, value_before, value_after)
      select account, ulid_time((extract(epoch from now()) * 1000)::bigint + n) || lpad(to_hex(n), 16, '0'), 'lead_added', 'lead',
             n * 10 + account, 1, 1700000000, '[]', '[]'
        from generate_series(1, 2) account, generate_series(1, 100000) n
       where account = 1 or n <= 50000`,
  sql`insert into events (account_id, id, type, entity_type, entity_id, created_by, created_at, value_before, value_after)
      select 4, ulid_time(at * 1000) || lpad(to_hex(n), 16, '0'),
             case when n <= 40 then 'task_deleted' else (array['sale_field_changed', 'lead_added', 'common_note_added'])[n % 3 + 1] end,
             case when n <= 40 then 'task' else (array['lead', 'contact'])[n % 2 + 1] end, n % 5000,
             case when n <= 40 then 99 else n % 4 + 1 end, at, '[]', '[]'
        from generate_series(1, 100000) n, lateral (select extract(epoch from now())::bigint - (100000 - n) * 78) time(at)`,
  sql`insert into event_keys (account_id, key, event_id)
      select 4, side || ' sale ' || case when created_by = 1 and entity_id < 2 then -1 else entity_id % 2 end, id
        from events, unnest(array['before', 'after']) side where account_id = 4 and type = 'sale_field_changed'`,

  // Items of accounts 1 and 2: two of three wait, the last of them with a rare category and pipeline.
  sql`insert into unsorted_items (account_id, id, uid, category, source_uid, source_name, pipeline_id, status_id, lead_ids,
                                  contact_ids, company_ids, content, metadata, data, result, decided_at, created_by, updated_by,
                                  created_at, updated_at)
      select account, n, 'uid-' || n, case when n > 99970 then 'sip' else 'forms' end, 'request-' || n, 'A source',
             case when n > 99950 then 7 else n % 2 + 1 end, case when n > 99950 then 999 else 50 end, array[n * 10 + account],
             '{}', '{}', case when waits then ''::bytea end, case when waits then '{}'::jsonb end, case when waits then '{}'::jsonb end,
             case when not waits then 'accepted' end, case when not waits then 1700000000 + n end, 1, 1, 1700000000 + n,
             1700000000 + n * 7919::bigint % 100000
        from generate_series(1, 2) account, generate_series(1, 100000) n, lateral (select n % 3 > 0 or n > 99950) item(waits)`,
]
