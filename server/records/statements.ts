// What leads, contacts and companies are to the database: rows of a table of their own that share their first columns. A kind says
// what it adds; the statements are here, once.
import sql, { empty, join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../access/actor.ts'
import type { RecordDescription, RecordType } from './description.ts'
import type { Action } from '../access/rights.ts'
import { selfLink } from '../http/self-link.ts'
import { fieldsVersion } from './fields/definitions.ts'
import type { KeptValues, Keys } from './fields/values.ts'
import { keysAdded } from './fields/field-index.ts'
import { idMark } from './search/search-index.ts'
import { may } from '../access/record-rights.ts'

/** What every kind's row begins with; verbs compare and write these. */
export interface RecordRow {
  id: number
  name: string
  responsible_user_id: number
  group_id: number
  created_by: number
  updated_by: number
  created_at: number
  updated_at: number
  custom_fields_values: KeptValues
  tag_ids: number[]
}

/** The columns of `RecordRow` that verbs write, with their types. */
const sharedColumns = {
  name: 'text',
  responsible_user_id: 'bigint',
  group_id: 'bigint',
  created_by: 'bigint',
  updated_by: 'bigint',
  created_at: 'bigint',
  updated_at: 'bigint',
  custom_fields_values: 'jsonb',
  tag_ids: 'bigint[]',
}

/** One record as a bare line; no text where the actor may not view it. `wanted` holds the values of `with`. */
export function oneRecord(
  kind: RecordDescription,
  actor: Actor,
  base: string,
  id: number,
  wanted: ReadonlySet<string> = new Set(),
): Sql {
  const extras = extrasOf(kind, actor, base, wanted)
  return sql`
    select case when found.visible then row_to_json(found.shown)::text end as json, found.tag_ids, found.id, found.id as key
           , found.values, found.fields_version ${extras === empty ? empty : sql`, found.extras`}
      from (select ${may(actor, kind.type, 'view')} as visible, shown, array_to_string(record.tag_ids, ',') as tag_ids, record.id
                   ${valuesOf(actor)} ${extras}
              from ${raw(kind.type)} record, lateral (select ${kind.shape(actor, base, wanted)}) shown
             where record.account_id = ${actor.accountId} and record.id = ${id} and not record.is_deleted) found`
}

/** The kept values of custom fields, and which definitions they are to be shown by. */
export function valuesOf({ accountId }: Actor): Sql {
  return sql`, record.custom_fields_values as values, ${fieldsVersion(accountId)} as fields_version`
}

/** What `with` asks for of a row named `record`, as the members of a JSON object: `,"source":{…}`. Nothing is selected unless asked for. */
export function extrasOf(
  { extras = {} }: RecordDescription,
  actor: Actor,
  base: string,
  wanted: ReadonlySet<string>,
): Sql {
  const asked = Object.keys(extras).filter((name) => wanted.has(name))
  if (asked.length === 0) return empty
  return sql`, ${join(
    asked.map((name) => sql`${raw(`',"${name}":'`)} || ${extras[name]!(actor, base)}`),
    ' || ',
  )} as extras`
}

/**
 * The group of who is responsible, right at once when a user moves: looked up while somebody of the account is on the move, else it is
 * what the column says (docs/decisions/0014-moving-between-groups.md). For each record, always, it was a fifth of a page's time.
 */
export function groupShown({ accountId }: Actor): Sql {
  return sql`
    case when exists (select from users moving where moving.account_id = ${accountId} and moving.group_move is not null)
         then coalesce((select person.group_id from users person
                         where person.account_id = record.account_id and person.id = record.responsible_user_id), record.group_id)
         else record.group_id end as group_id`
}

/** `_links` of a row named `record`. */
export function recordLink(type: RecordType, base: string): Sql {
  return selfLink(sql`${`${base}/api/v4/${type}/`}::text || record.id`)
}

/** A new record with what it is found by (found.ts); where it is untitled, `idMark` stands for its id in the name. */
export type NewRecordRow<Row extends RecordRow = RecordRow> = Omit<Row, 'id'> &
  Keys & { isUntitled: boolean; text: string; grams: string }

/** Adds records; answers their ids in the order of the rows. */
export function insertRecords(kind: RecordDescription, actor: Actor, rows: NewRecordRow[]): Sql {
  const columns = Object.keys(columnsOf(kind))
  const [name, text, grams] = ['name', 'text', 'grams'].map(
    (column) =>
      sql`case when "isUntitled" then replace(${raw(column)}, ${idMark}, id::text) else ${raw(column)} end as ${raw(column)}`,
  )
  return sql`
    with draft as materialized (
      select id, ${name!}, ${raw(columns.slice(1).join(', '))}, numbers, texts, ${text!}, ${grams!}
        from (select nextval(${`${kind.type}_id`}) as id, draft.*
                from json_to_recordset(${JSON.stringify(rows)}::json)
                  as draft(${typed(kind)}, numbers json, texts json, "isUntitled" boolean, text text, grams text)) draft
    ), ${keysAdded(actor, kind.type, sql`draft`, true)}, searched as (
      insert into record_texts (account_id, entity_type, entity_id, text, grams)
      select ${actor.accountId}::bigint, ${kind.type}, id, text, grams from draft
    )
    insert into ${raw(kind.type)} (account_id, id, ${raw(columns.join(', '))})
    select ${actor.accountId}::bigint, id, ${raw(columns.join(', '))} from draft
    returning id`
}

/** Locks records in the order of their ids and says which of them the actor may treat so. */
export function lockRecords(
  kind: RecordDescription,
  actor: Actor,
  ids: number[],
  action: Action,
  isDeleted = false,
): Sql {
  const columns = Object.entries(columnsOf(kind)).map(([name, type]) =>
    type === 'bigint[]' ? `to_json(record.${name}) as ${name}` : `record.${name}`,
  )
  return sql`
    select record.id, ${raw(columns.join(', '))}, ${may(actor, kind.type, action)} as allowed
      from ${raw(kind.type)} record
     where record.account_id = ${actor.accountId} and record.id = any(${ids}::bigint[]) and record.is_deleted = ${isDeleted}
     order by record.id
       for no key update`
}

/** Writes records that are locked. */
export function updateRecords(kind: RecordDescription, actor: Actor, rows: RecordRow[]): Sql {
  const columns = Object.keys(columnsOf(kind))
  return sql`
    update ${raw(kind.type)} record
       set (${raw(columns.join(', '))}) = (${raw(columns.map((name) => `draft.${name}`).join(', '))})
      from json_to_recordset(${JSON.stringify(rows)}::json) as draft(id bigint, ${typed(kind)})
     where record.account_id = ${actor.accountId} and record.id = draft.id`
}

/** Puts records that are locked into the bin, or takes them out. */
export function moveRecords(
  kind: RecordDescription,
  actor: Actor,
  ids: number[],
  isDeleted: boolean,
): Sql {
  return sql`
    update ${raw(kind.type)} set is_deleted = ${isDeleted}, updated_at = ${actor.at}, updated_by = ${actor.userId}
     where account_id = ${actor.accountId} and id = any(${ids}::bigint[])`
}

function columnsOf(kind: RecordDescription): Record<string, string> {
  return { ...sharedColumns, ...kind.columns }
}

function typed(kind: RecordDescription): Sql {
  return raw(
    Object.entries(columnsOf(kind))
      .map(([name, type]) => `${name} ${type}`)
      .join(', '),
  )
}
