import sql, { empty, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../../access/actor.ts'
import type { FieldHolder, FieldOwner } from '../../../../entity-types.ts'

/** All fields of an entity type, or some of them, with the colors of their choices. */
export const managedFieldRows = (actor: Actor, type: FieldOwner, ids?: number[]): Sql => sql`
  select id, name, type, code, sort, group_id, is_api_only, is_predefined, is_deletable, remind, currency,
         tracking_callback, chained_lists, enums, enum_colors, nested, search_in, is_visible, is_required,
         required_statuses, hidden_statuses
    from custom_fields
   where account_id = ${actor.accountId} and entity_type = ${type}
     and (${ids ?? null}::bigint[] is null or id = any(${ids ?? null}::bigint[]))
   order by sort, id`

/** Whose field this is. PHONE and EMAIL belong to contacts and to companies. */
export const ownersOfField = (actor: Actor, id: number): Sql => sql`
  select entity_type from custom_fields where account_id = ${actor.accountId} and id = ${id}`

export const placesOfFields = (actor: Actor, type: FieldOwner): Sql => sql`
  select id, sort, coalesce(group_id, 'default') as group from custom_fields
   where account_id = ${actor.accountId} and entity_type = ${type} order by sort, id`

export const setPlaces = (
  actor: Actor,
  type: FieldOwner,
  group_id: string | null,
  places: { id: number; sort: number }[],
): Sql => sql`
  update custom_fields field set sort = place.sort, group_id = ${group_id}
    from json_to_recordset(${JSON.stringify(places)}::json) as place(id bigint, sort int)
   where field.account_id = ${actor.accountId} and field.entity_type = ${type} and field.id = place.id
     and (field.sort, coalesce(field.group_id, 'default')) is distinct from (place.sort, coalesce(${group_id}::text, 'default'))`

export const setGroupPlaces = (
  actor: Actor,
  type: FieldOwner,
  places: { id: string; sort: number }[],
): Sql => sql`
  update custom_field_groups tab set sort = place.sort
    from json_to_recordset(${JSON.stringify(places)}::json) as place(id text, sort int)
   where tab.account_id = ${actor.accountId} and tab.entity_type = ${type} and tab.id = place.id
     and tab.sort <> place.sort`

export const setStages = (
  actor: Actor,
  type: FieldOwner,
  id: number,
  list: 'required' | 'hidden',
  stages: object[],
): Sql => sql`
  update custom_fields set ${raw(`${list}_statuses`)} = ${JSON.stringify(stages)}::jsonb
   where account_id = ${actor.accountId} and entity_type = ${type} and id = ${id}`

/**
 * For each field how many of its first `most` index rows there are, and of how many records. The key
 * of the table is the index.
 */
export const recordsByKeys = (
  actor: Actor,
  type: FieldOwner,
  table: 'field_numbers' | 'field_texts',
  ids: number[],
  most: number,
): Sql => sql`
  select field.id, count(*)::int as rows, count(distinct found.entity_id)::int as records
    from unnest(${ids}::bigint[]) field(id),
         lateral (select key.entity_id from ${raw(table)} key
                   where key.account_id = ${actor.accountId} and key.field_id = field.id and key.entity_type = ${type}
                   limit ${most}) found
   group by field.id`

/**
 * How many of the latest records, or elements of a catalog, there are, and how many of them have a
 * value of each field.
 */
export const recordsAmongLatest = (
  actor: Actor,
  { holder, catalog_id }: { holder: FieldHolder; catalog_id?: number },
  ids: number[],
  most: number,
): Sql => sql`
  with latest as materialized (
    select custom_fields_values as filled from ${raw(holder === 'catalogs' ? 'catalog_elements' : holder)}
     where account_id = ${actor.accountId} ${catalog_id === undefined ? empty : sql`and catalog_id = ${catalog_id}`}
     order by id desc limit ${most}
  )
  select (select count(*)::int from latest) as rows,
         coalesce((select json_object_agg(id, records)
                     from (select key as id, count(*)::int as records
                             from latest, jsonb_object_keys(filled) key
                            where key = any(${ids.map(String)}::text[]) group by key) used), '{}') as used`

/** Whether a record has this choice. */
export const recordWithEnum = (
  actor: Actor,
  type: FieldOwner,
  id: number,
  enumId: number,
): Sql => sql`
  select 1 as one from field_numbers
   where account_id = ${actor.accountId} and field_id = ${id} and entity_type = ${type} and value = ${enumId}::numeric
   limit 1`

export const segmentWithEnum = (actor: Actor, id: number, enumId: number): Sql => sql`
  select 1 as one from segments
   where account_id = ${actor.accountId} and custom_fields_values -> ${String(id)} @> to_jsonb(${enumId}::bigint)
   limit 1`

/** Whether one of the latest elements of a catalog has one of these choices, and how many were looked at. */
export const elementsWithEnum = (
  actor: Actor,
  catalogId: number,
  id: number,
  enumIds: number[],
  most: number,
): Sql => sql`
  select count(*)::int as looked_at,
         coalesce(bool_or(value @> any(array(select to_jsonb(choice) from unnest(${enumIds}::bigint[]) choice))), false)
           as holds
    from (select custom_fields_values -> ${String(id)} as value from catalog_elements
           where account_id = ${actor.accountId} and catalog_id = ${catalogId} order by id desc limit ${most}) latest`

export const setEnums = (
  actor: Actor,
  type: FieldOwner,
  id: number,
  enums: object[],
  colors: object,
): Sql => sql`
  update custom_fields set enums = ${JSON.stringify(enums)}::jsonb, enum_colors = ${JSON.stringify(colors)}::jsonb
   where account_id = ${actor.accountId} and entity_type = ${type} and id = ${id}`

export const setCategories = (
  actor: Actor,
  type: FieldOwner,
  id: number,
  nested: object[],
): Sql => sql`
  update custom_fields set nested = ${JSON.stringify(nested)}::jsonb
   where account_id = ${actor.accountId} and entity_type = ${type} and id = ${id}`
