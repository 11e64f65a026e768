// Custom fields for tests of lists: definitions written past the interface, and days of an account's time zone.
import sql from 'sql-template-tag'
import { fieldsChanged } from '../../server/entities/fields/definitions.ts'
import type { Field } from '../../server/entities/fields/definitions.ts'
import type { FieldType } from '../../server/entities/fields/types.ts'
import type { RecordType } from '../../server/entities/kind.ts'
import type { TestAccount } from '../account.ts'

export const listTypes = ['select', 'multiselect', 'radiobutton'] as const
export const fieldTypesOf: Record<RecordType, FieldType[]> = {
  leads: [
    ...(['text', 'numeric', 'checkbox', ...listTypes, 'date', 'url', 'textarea', 'streetaddress'] as const),
    ...([
      'birthday',
      'date_time',
      'monetary',
      'tracking_data',
      'smart_address',
      'legal_entity',
      'chained_list',
      'file',
    ] as const),
  ],
  contacts: ['text', 'numeric', 'checkbox', ...listTypes, 'date', 'birthday', 'date_time', 'textarea', 'smart_address'],
  companies: ['text', 'numeric', 'monetary', 'multiselect', 'url'],
}

/** One field of each of these types, and the predefined ones. Lists have the choices North, South and East. */
export async function addFields(account: TestAccount, kind: RecordType, types = fieldTypesOf[kind]): Promise<Field[]> {
  const { id, kontor } = account
  return kontor.database.transaction(async (tx) => {
    await fieldsChanged(tx, id)
    await tx.rows(sql`
      select give_first_fields(${id}) where not exists (select from custom_fields where account_id = ${id} and is_predefined)`)
    await tx.rows(sql`
      insert into custom_fields (account_id, entity_type, name, type, sort, enums)
      select ${id}::bigint, ${kind}, 'A ' || type, type, 500 + place,
             case when type = any(${[...listTypes]}::text[]) then
               (select jsonb_agg(jsonb_build_object('id', nextval('custom_field_enums_id'), 'value', value, 'sort', sort, 'code', null))
                  from unnest('{North,South,East}'::text[]) with ordinality as choice(value, sort)) end
        from unnest(${types}::text[]) with ordinality as wanted(type, place)`)
    return tx.rows<Field>(sql`
      select id, name, type, code, coalesce(enums, '[]') as enums from custom_fields
       where account_id = ${id} and entity_type = ${kind} order by sort, id`)
  })
}

/** Deletes a field as the interface does: the background will take its values off the records. */
export async function deleteField({ id, kontor }: TestAccount, kind: RecordType, field: number): Promise<void> {
  await kontor.database.transaction(async (tx) => {
    await fieldsChanged(tx, id)
    await tx.rows(sql`delete from custom_fields where account_id = ${id} and entity_type = ${kind} and id = ${field}`)
    await tx.rows(sql`insert into cleanups (account_id, entity_type, field_id) values (${id}, ${kind}, ${field})`)
  })
}

/** The first and the last moment of days, which PostgreSQL knows, too. */
export async function daysIn({ kontor }: TestAccount, timezone: string, days: readonly string[]) {
  const found = await kontor.database.rows<{ day: string; first: number; last: number }>(sql`
    select day, extract(epoch from to_date(day, 'DD.MM.YYYY')::timestamp at time zone ${timezone})::bigint as first,
           extract(epoch from (to_date(day, 'DD.MM.YYYY') + 1)::timestamp at time zone ${timezone})::bigint - 1 as last
      from unnest(${days}::text[]) day`)
  return new Map(found.map(({ day, first, last }) => [day, [first, last] as const]))
}
