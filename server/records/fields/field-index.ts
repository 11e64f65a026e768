// The index rows by which lists and text search find records. The verbs that write values and names
// maintain them.
import sql, { empty, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../access/actor.ts'
import type { EntityType } from '../../entity-types.ts'
import { gramForm } from '../search/text.ts'
import type { Keys } from './values.ts'

/**
 * The form in which texts are stored and compared: lower case, cut to the length that fits an
 * index, and in the collation of the index, which would not be used otherwise.
 */
export const textKey = (text: Sql): Sql => sql`left(lower(${text} collate kontor), 256) collate "C"`

/**
 * Two parts of a `with` that add keys; `source` has the columns id, numbers and texts (both JSON).
 * Keys of new records cannot conflict and are inserted without that check, which took as long as
 * the insert itself.
 */
export function keysAdded(
  { accountId }: Actor,
  type: EntityType,
  source: Sql,
  isNew: boolean,
): Sql {
  const unlessThere = isNew ? empty : sql`on conflict do nothing`
  return sql`
    numbers_added as (
      insert into field_numbers (account_id, field_id, entity_type, value, entity_id)
      select ${accountId}::bigint, key.field_id, ${type}, key.value, source.id
        from ${source} source, json_to_recordset(source.numbers) as key(field_id bigint, value numeric)
      ${unlessThere}
    ), texts_added as (
      insert into field_texts (account_id, field_id, entity_type, value, entity_id)
      select ${isNew ? raw('distinct') : empty} ${accountId}::bigint, key.field_id, ${type}, ${textKey(sql`key.value`)}, source.id
        from ${source} source, json_to_recordset(source.texts) as key(field_id bigint, value text)
      ${unlessThere}
    )`
}

/** The index rows that a record gains and loses. */
export interface KeyChange {
  id: number
  added: Keys
  removed: Keys
  /**
   * The remaining texts of fields that lose a text. A removed text has the same key as a remaining
   * one that differs only in case or after 256 characters, and that key must stay.
   */
  staying: Keys['texts']
  /** The new search text (text.ts), where it changed; in lines, the name first. */
  text?: string
}

/** Writes the changed index rows of records that are locked. */
export function changeKeys(actor: Actor, type: EntityType, changes: KeyChange[]): Sql {
  const added = changes.map(({ id, added }) => ({ id, ...added }))
  const staying = changes.flatMap(({ id, staying }) => staying.map((key) => ({ id, ...key })))
  const searched = changes.flatMap(({ id, text }) =>
    text === undefined ? [] : [{ id, text, grams: gramForm(text) }],
  )
  return sql`
    with source as materialized (
      select * from json_to_recordset(${JSON.stringify(added)}::json) as source(id bigint, numbers json, texts json)
    ), ${keysRemoved(
      actor,
      type,
      changes.map(({ id, removed }) => ({ id, ...removed })),
      staying,
    )}, ${keysAdded(actor, type, sql`source`, false)}
    insert into record_texts (account_id, entity_type, entity_id, text, grams)
    select ${actor.accountId}::bigint, ${type}, id, text, grams
      from json_to_recordset(${JSON.stringify(searched)}::json) as searched(id bigint, text text, grams text)
    on conflict (account_id, entity_type, entity_id) do update set text = excluded.text, grams = excluded.grams`
}

/** Removes all index rows of records that are purged. */
export function removeKeys(
  actor: Pick<Actor, 'accountId'>,
  type: EntityType,
  records: ({ id: number } & Keys)[],
): Sql {
  return sql`
    with ${keysRemoved(actor, type, records)}
    delete from record_texts
     where account_id = ${actor.accountId} and entity_type = ${type} and entity_id = any(${records.map(({ id }) => id)}::bigint[])`
}

function keysRemoved(
  { accountId }: Pick<Actor, 'accountId'>,
  type: EntityType,
  records: ({ id: number } & Keys)[],
  staying: { id: number; field_id: number; value: string }[] = [],
): Sql {
  const flat = (of: 'numbers' | 'texts') =>
    records.flatMap(({ id, [of]: keys }) => keys.map((key) => ({ id, ...key })))
  const textKeys = (keys: object[]) => sql`
    select id, field_id, ${textKey(sql`value`)} as value
      from json_to_recordset(${JSON.stringify(keys)}::json) as key(id bigint, field_id bigint, value text)`
  return sql`
    numbers_gone as (
      delete from field_numbers gone
       using json_to_recordset(${JSON.stringify(flat('numbers'))}::json) as key(id bigint, field_id bigint, value numeric)
       where gone.account_id = ${accountId} and gone.field_id = key.field_id and gone.entity_type = ${type}
         and gone.value = key.value and gone.entity_id = key.id
    ), texts_gone as (
      delete from field_texts gone
       using (${textKeys(flat('texts'))} except ${textKeys(staying)}) key
       where gone.account_id = ${accountId} and gone.field_id = key.field_id and gone.entity_type = ${type}
         and gone.value = key.value and gone.entity_id = key.id
    )`
}
