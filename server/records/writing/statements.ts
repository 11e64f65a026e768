// The statements that write records, one for each step of the verbs.
import sql, { empty, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../access/actor.ts'
import { may } from '../../access/record-rights.ts'
import type { Action } from '../../access/rights.ts'
import { columnsOf } from '../description.ts'
import type { RecordDescription, RecordRow, RecordType } from '../description.ts'
import { tableOf } from '../../entity-types.ts'
import { keysAdded } from '../fields/field-index.ts'
import type { Keys } from '../fields/values.ts'
import { idMark } from '../search/search-index.ts'

/**
 * A new record with its rows in the field and search indexes; `idMark` stands for the id of an
 * untitled one.
 */
export type IndexedRow<Row extends RecordRow = RecordRow> = Omit<Row, 'id'> &
  Keys & { isUntitled: boolean; text: string; grams: string; fixedId?: number | undefined }

/** The id of a new record, and of the system note that its event names. */
export interface InsertedRow {
  id: number
  note_id: number
}

/**
 * Adds records, each with its system note; answers in the order of the rows. Rows with fixed ids are
 * given in the order of these. `news` are parts that record the rows of `added`.
 */
export function insertRows(
  description: RecordDescription,
  actor: Actor,
  rows: IndexedRow[],
  { news = empty, mayHaveLinks = true } = {},
): Sql {
  const { type } = description
  const hasKeys = rows.some(({ numbers, texts }) => numbers.length + texts.length > 0)
  const keys = hasKeys ? sql`${keysAdded(actor, type, sql`draft`, true)},` : empty
  const columns = Object.keys(columnsOf(description))
  const [name, text, grams] = ['name', 'text', 'grams'].map(
    (column) =>
      sql`case when "isUntitled" then replace(${raw(column)}, ${idMark}, id::text) else ${raw(column)} end as ${raw(column)}`,
  )
  return sql`
    with draft as materialized (
      select id, ${name!}, ${raw(columns.slice(1).join(', '))}, numbers, texts, ${text!}, ${grams!}
        from (select coalesce("fixedId", nextval(${`${type}_id`})) as id, draft.*
                from json_to_recordset(${JSON.stringify(rows)}::json)
                  as draft(${typed(description)}, numbers json, texts json, "isUntitled" boolean, text text, grams text, "fixedId" bigint)) draft
    ), ${keys} searched as (
      insert into record_texts (account_id, entity_type, entity_id, text, grams)
      select ${actor.accountId}::bigint, ${type}, id, text, grams from draft
    ), note as (
      insert into notes (account_id, entity_type, entity_id, note_type, params, responsible_user_id, group_id,
                         created_by, updated_by, created_at, updated_at)
      select ${actor.accountId}::bigint, ${type}, id, 'entity_added', '{}', responsible_user_id, group_id,
             created_by, updated_by, created_at, updated_at
        from draft
      returning id, entity_id
    ), added as (
      insert into ${tableOf(type)} (account_id, id, may_have_links, ${raw(columns.join(', '))})
      select ${actor.accountId}::bigint, id, ${mayHaveLinks}::boolean, ${raw(columns.join(', '))} from draft
      returning *
    ), noted as materialized (
      select added.id, note.id as note_id from added join note on note.entity_id = added.id order by added.id
    )${news === empty ? empty : sql`, ${news}`}
    select id, note_id from noted`
}

/**
 * Locks records in the order of their ids; `allowed` says whether the actor has the right to the
 * action.
 */
export function lockRows(
  description: RecordDescription,
  actor: Actor,
  ids: number[],
  action: Action,
  isDeleted = false,
): Sql {
  const columns = Object.entries(columnsOf(description)).map(([name, type]) =>
    type === 'bigint[]' ? `to_json(record.${name}) as ${name}` : `record.${name}`,
  )
  return sql`
    select record.id, ${raw(columns.join(', '))}, ${may(actor, description.type, action)} as allowed
      from ${tableOf(description.type)} record
     where record.account_id = ${actor.accountId} and record.id = any(${ids}::bigint[]) and record.is_deleted = ${isDeleted}
     order by record.id
       for no key update`
}

/** Writes records that are locked. */
export function updateRows(description: RecordDescription, actor: Actor, rows: RecordRow[]): Sql {
  const columns = Object.keys(columnsOf(description))
  return sql`
    update ${tableOf(description.type)} record
       set (${raw(columns.join(', '))}) = (${raw(columns.map((name) => `draft.${name}`).join(', '))})
      from json_to_recordset(${JSON.stringify(rows)}::json) as draft(id bigint, ${typed(description)})
     where record.account_id = ${actor.accountId} and record.id = draft.id`
}

/** Moves locked records into the bin, or out of it. */
export const moveRows = (
  type: RecordType,
  actor: Actor,
  ids: number[],
  isDeleted: boolean,
): Sql => sql`
  update ${tableOf(type)} set is_deleted = ${isDeleted}, updated_at = greatest(${actor.at}::bigint, created_at), updated_by = ${actor.userId}
   where account_id = ${actor.accountId} and id = any(${ids}::bigint[])`

function typed(description: RecordDescription): Sql {
  return raw(
    Object.entries(columnsOf(description))
      .map(([name, type]) => `${name} ${type}`)
      .join(', '),
  )
}
