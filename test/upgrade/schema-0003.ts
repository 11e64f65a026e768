// An account in use, as the third schema (0003_sales_core.sql) knew it, written in SQL: what the
// second one had, and on top of it what came.
import sql from 'sql-template-tag'
import type { Database, Tx } from '../../server/database/connect.ts'
import { schema0002 } from './schema-0002.ts'
import type { FilledWithEvents } from './schema-0002.ts'
import type { Fixture } from './upgraded.ts'

const now = Math.floor(Date.now() / 1000)

export interface FilledWithFields extends FilledWithEvents {
  /** Ids of fields, and of the first kind of phone. */
  fields: { phone: number; work: number; seats: number; colour: number; slogan: number }
  note: number
  reason: number
  source: number
}

export const schema0003: Fixture<FilledWithFields> = {
  last: '0003_sales_core.sql',
  tables: [
    ...schema0002.tables,
    'cleanups',
    'custom_field_groups',
    'custom_fields',
    'field_numbers',
    'field_texts',
    'loss_reasons',
    'record_texts',
    'sources',
    'status_descriptions',
  ],
  events: [
    ['custom_field_value_changed', 'First'],
    ['common_note_added', 'First'],
    ...schema0002.events,
  ],
  fill,
}

/** An account as the third version leaves one that is in use; every table gets rows. */
async function fill(database: Database, account: number): Promise<FilledWithFields> {
  const filled = await schema0002.fill(database, account)
  const { ids } = filled
  const [admin, pipeline, status] = [1, 3, 4].map((index) => account * 100 + index)
  const made = { note: account * 10, reason: account * 10 + 1, source: account * 10 + 2 }
  const fields = await database.transaction(async (tx) => {
    const fields = await addFields(tx, account)
    const values = {
      [fields.seats]: ['5'],
      [fields.colour]: [account * 10],
      [fields.slogan]: ['Fresh Bread'],
    }
    await tx.list(sql`
      insert into loss_reasons (account_id, id, name, sort, created_at, updated_at)
      values (${account}, ${made.reason}, 'Too dear', 1, ${now}, ${now})`)
    await tx.list(sql`
      insert into sources (account_id, id, name, external_id, pipeline_id, is_default)
      values (${account}, ${made.source}, 'Site', 'site', ${pipeline}, true)`)
    await tx.list(sql`
      insert into status_descriptions (account_id, pipeline_id, status_id, level, description, created_by, updated_by, created_at, updated_at)
      values (${account}, ${pipeline}, ${status}, 'newbie', 'Call first', ${admin}, ${admin}, ${now}, ${now})`)
    await tx.list(
      sql`insert into cleanups (account_id, entity_type, field_id) values (${account}, 'leads', 1)`,
    )
    await tx.list(sql`
      update installations set duplicate_pipelines = array[${pipeline}]::bigint[] where account_id = ${account}`)
    await tx.list(sql`
      update leads set custom_fields_values = ${JSON.stringify(values)}::jsonb, source_id = ${made.source}
       where account_id = ${account} and id = ${ids.lead}`)
    await tx.list(sql`
      update leads set status_id = 143, loss_reason_id = ${made.reason}
       where account_id = ${account} and id = ${ids.lead + 1}`)
    await tx.list(sql`
      update contacts set custom_fields_values = ${JSON.stringify({ [fields.phone]: [['+7 (495) 123-45-67', fields.work]] })}::jsonb
       where account_id = ${account} and id = ${ids.contact}`)
    await tx.list(sql`
      insert into field_numbers (account_id, field_id, entity_type, value, entity_id)
      values (${account}, ${fields.seats}, 'leads', 5, ${ids.lead}), (${account}, ${fields.colour}, 'leads', ${account * 10}, ${ids.lead})`)
    await tx.list(sql`
      insert into field_texts (account_id, field_id, entity_type, value, entity_id)
      values (${account}, ${fields.phone}, 'contacts', '74951234567', ${ids.contact}), (${account}, ${fields.slogan}, 'leads', 'fresh bread', ${ids.lead})`)
    // The letters of the grams stand for the signs of the text.
    await tx.list(sql`
      insert into record_texts (account_id, entity_type, entity_id, text, grams)
      values (${account}, 'leads', ${ids.lead}, ${`first of ${account}\nfresh bread`}, ${`first of ${account}\nfresh bread`}),
             (${account}, 'contacts', ${ids.contact}, ${'+7 (495) 123-45-67\n74951234567'}, ${'r7 o495p 123t45t67\n74951234567'})`)
    await tx.list(sql`
      insert into notes (account_id, id, entity_type, entity_id, note_type, params, responsible_user_id, group_id, created_by, updated_by, created_at, updated_at, is_pinned)
      overriding system value
      values (${account}, ${made.note}, 'leads', ${ids.lead}, 'common', '{"text":"Call back"}', ${admin}, 0, ${admin}, ${admin}, ${now}, ${now}, true)`)
    const value = (text: string) =>
      JSON.stringify([
        {
          custom_field_value: { field_id: fields.seats, field_type: 2, enum_id: null, text },
        },
      ])
    await tx.list(sql`
      insert into events (account_id, id, type, entity_type, entity_id, created_by, created_at, value_before, value_after)
      select ${account}, ulid_time(${now}::bigint * 1000 + place) || lpad(to_hex(nextval('events_number')), 16, '0'), type, 'lead', ${ids.lead},
             ${admin}, ${now}, value_before::json, value_after::json
        from (values (10, 'common_note_added', '[]', ${JSON.stringify([{ note: { id: made.note } }])}),
                     (11, 'custom_field_value_changed', ${value('4')}, ${value('5')})) as event(place, type, value_before, value_after)`)
    await tx.list(sql`
      insert into journal (account_id, entity_type, entity_id, actions, before, after, note, created_by, created_at)
      select leads.account_id, 'leads', leads.id, '{note}'::text[], null::json, row_to_json(leads), row_to_json(notes), ${admin}::bigint, ${now}::bigint
        from leads join notes on notes.account_id = leads.account_id and notes.id = ${made.note}
       where leads.account_id = ${account} and leads.id = ${ids.lead}
      union all
      select account_id, 'leads', id, '{update}'::text[], ${JSON.stringify({ custom_fields_values: { ...values, [fields.seats]: ['4'] } })}::json,
             row_to_json(leads), null, ${admin}, ${now}
        from leads where account_id = ${account} and id = ${ids.lead}`)
    return fields
  })
  return { ...filled, ...made, fields }
}

/** The fields that a new account has, and three of its own. */
async function addFields(tx: Tx, account: number): Promise<FilledWithFields['fields']> {
  await tx.list(sql`select give_first_fields(${account})::text`)
  await tx.list(sql`
    insert into custom_field_groups (account_id, entity_type, id, name, sort)
    values (${account}, 'leads', ${`leads_${account}`}, 'Extra', 5)`)
  const enums = [
    { id: account * 10, value: 'Red', sort: 1, code: null },
    { id: account * 10 + 1, value: 'Blue', sort: 2, code: null },
  ]
  const [seats, colour, slogan] = [account * 10, account * 10 + 1, account * 10 + 2] as const
  await tx.list(sql`
    insert into custom_fields (account_id, entity_type, id, name, type, sort, group_id, enums)
    values (${account}, 'leads', ${seats}, 'Seats', 'numeric', 20, ${`leads_${account}`}, null),
           (${account}, 'leads', ${colour}, 'Colour', 'select', 21, null, ${JSON.stringify(enums)}::jsonb),
           (${account}, 'leads', ${slogan}, 'Slogan', 'text', 22, null, null)`)
  const [phone] = await tx.list<{ id: number; work: number }>(sql`
    select id, (enums #>> '{0,id}')::bigint as work from custom_fields
     where account_id = ${account} and entity_type = 'contacts' and code = 'PHONE'`)
  return { phone: phone!.id, work: phone!.work, seats, colour, slogan }
}
