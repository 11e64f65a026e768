// An account of 100,000 leads with values of most types, 20,000 contacts of which each has a lead, and their texts, beside a smaller account.
// Rare values stand at the end of the table, where a walk in the order of ids would find them last.
import sql, { raw } from 'sql-template-tag'
import type { Database } from '../../server/database/connect.ts'

/** Ids of its fields by what they hold. */
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
const phone = 2009
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

/** Written past the verbs, which would take minutes. The accounts are 1 and 2. */
export async function fillLarge(database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.list(sql`
      insert into accounts (id, subdomain, name, created_at, updated_at)
      values (1, 'large', 'Large', 0, 0), (2, 'other', 'Other', 0, 0)`)
    await tx.list(sql`
      insert into custom_fields (account_id, entity_type, id, name, type, sort, enums)
      select 1, 'leads', key::bigint, key, value, 1,
             case when value in ('select', 'multiselect') then (select jsonb_agg(jsonb_build_object('id', n, 'value', n::text, 'sort', n)) from generate_series(1, 9) n) end
        from json_each_text(${JSON.stringify(types)}::json)`)
    await tx.list(sql`
      insert into leads (account_id, id, name, price, responsible_user_id, group_id, pipeline_id, status_id, created_by, updated_by,
                         created_at, updated_at, closed_at, closest_task_at, custom_fields_values)
      select account, n * 10 + account, case when n > 99960 then 'Needle ' else 'Lead ' end || n % 50000, n % 10000,
             case when n > 99960 then 99 else n % 20 + 1 end, case when n > 99960 then 9 else n % 5 end,
             case when n > 99900 then 3 when n % 10 = 0 then 2 else 1 end,
             case when n > 99970 then 55 when n between 90001 and 94000 then 60 when n % 5 = 0 then 142 when n % 5 = 1 then 143 else 50 + n % 4 end,
             case when n > 99960 then 99 else n % 20 + 1 end, case when n > 99960 then 99 else n % 20 + 1 end,
             1700000000 + n * 60, 1700000000 + n * 7919::bigint % 100000 * 60,
             case when n % 5 < 2 then 1700000000 + n * 60 end, case when n <= 95500 then 1700000000 + n * 60 end,
             jsonb_build_object(${String(text)}::text, array[case when n > 99960 then 'Rare' else 'City ' || n % 10 end],
                                ${String(number)}::text, array[(n % 10000)::text], ${String(select)}::text, array[case when n > 99960 then 9 else n % 3 + 1 end],
                                ${String(tick)}::text, array[n % 2 = 0], ${String(day)}::text, array[1700000000 + n / 100 * 86400],
                                ${String(moment)}::text, array[1700000000 + n * 60], ${String(several)}::text, array[n % 3 + 1, n % 7 + 3])
             || case when n % 2500 = 0 then jsonb_build_object(${String(rareTick)}::text, array[true]) else '{}' end
        from generate_series(1, 2) account, generate_series(1, 100000) n
       where account = 1 or n <= 20000`)
    await tx.list(sql`
      insert into field_numbers (account_id, field_id, entity_type, value, entity_id)
      select distinct account_id, key::bigint, 'leads',
             case jsonb_typeof(value) when 'boolean' then value::boolean::int::numeric else (value #>> '{}')::numeric end, id
        from leads, jsonb_each(custom_fields_values - ${String(text)}::text) field(key, list), jsonb_array_elements(list) value`)
    await tx.list(sql`
      insert into field_texts (account_id, field_id, entity_type, value, entity_id)
      select account_id, ${text}::bigint, 'leads', lower(custom_fields_values -> ${String(text)}::text ->> 0), id from leads`)
    await tx.list(sql`
      insert into contacts (account_id, id, name, first_name, last_name, responsible_user_id, group_id, created_by, updated_by, created_at, updated_at)
      select 1, n, 'Person ' || md5(n::text), '', '', n % 20 + 1, n % 5, 1, 1, 0, 0 from generate_series(1, 20000) n`)
    await tx.list(sql`
      insert into links (account_id, from_type, from_id, to_type, to_id, is_main)
      select 1, link.* from generate_series(1, 20000) n,
             lateral (values ('leads', n * 50 + 1, 'contacts', n, true), ('contacts', n, 'leads', n * 50 + 1, true)) link`)
    await tx.list(sql`
      insert into record_texts
      select account_id, 'leads', id, form, translate(form, '+-.#', 'rtuj')
        from leads, lower(name || E'\n' || (custom_fields_values -> ${String(text)}::text ->> 0)) form`)
    await tx.list(sql`
      insert into record_texts
      select account_id, 'contacts', id, form, translate(form, '+-.#', 'rtuj')
        from contacts, lower(name || E'\n' || ${phone}::text || '79' || lpad(id::text, 9, '0')) form`)
  })
  for (const table of [
    'leads',
    'contacts',
    'links',
    'field_numbers',
    'field_texts',
    'record_texts',
  ])
    await database.list(sql`vacuum analyze ${raw(table)}`)
}
