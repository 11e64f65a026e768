// Removes deleted fields, choices, loss reasons, tags and segments from records in the background, a
// thousand records at a time, also in the bin. Answers show none of them from the commit of the deletion on,
// so nothing is recorded and `updated_at` stays. Transactions that began before may still write
// such a value, so the work waits for their end (changes/background.ts). Any process may resume it.
import sql, { empty, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { othersEnded, workInBackground } from '../changes/background.ts'
import type { Database, Tx } from '../database/connect.ts'
import type { Actor } from '../access/actor.ts'
import type { App, Kontor } from '../kontor.ts'
import { fieldsChanged } from './fields/definitions.ts'
import { letGoOf } from './fields/files.ts'
import { markOf } from './fields/values.ts'
import { recordTypes } from './description.ts'
import type { FieldOwner } from '../entity-types.ts'

/**
 * Records read in one transaction, about 50 ms where all have the value, and index rows deleted in
 * one.
 */
const recordsAtOnce = 1000
const rowsAtOnce = 5000

/**
 * The records of an entity type still hold this: all values of a field, some of its choices, a loss
 * reason, a tag, or, customers only, a segment.
 */
export type Leftover = { entity_type: FieldOwner } & (
  | { field_id: number; enum_ids?: number[] }
  | { loss_reason_id: number }
  | { tag_id: number }
  | { segment_id: number }
)

/** Gives up the clean-up of a loss reason, which comes back under its id. */
export async function cancelReasonCleanUp(tx: Tx, actor: Actor, id: number): Promise<void> {
  await tx.rows(
    sql`delete from cleanups where account_id = ${actor.accountId} and loss_reason_id = ${id}`,
  )
}

/** Gives up the clean-up of a choice, which comes back under its id. */
export async function cancelChoiceCleanUp(
  tx: Tx,
  { accountId }: Actor,
  fieldId: number,
  enumId: number,
): Promise<void> {
  await tx.rows(sql`
    update cleanups set enum_ids = array_remove(enum_ids, ${enumId}::bigint)
     where account_id = ${accountId} and field_id = ${fieldId} and ${enumId} = any(enum_ids)`)
  await tx.rows(sql`
    delete from cleanups where account_id = ${accountId} and field_id = ${fieldId} and enum_ids = '{}'`)
}

/** Gives up the clean-up of a tag, which comes back under its id. */
export async function cancelTagCleanUp(tx: Tx, { accountId }: Actor, id: number): Promise<void> {
  await tx.rows(sql`delete from cleanups where account_id = ${accountId} and tag_id = ${id}`)
}

/** Schedules the clean-up; called in the transaction of the deletion. */
export async function cleanUpLater(tx: Tx, actor: Actor, ...what: Leftover[]): Promise<void> {
  if (what.length === 0) return
  await tx.rows(sql`
    insert into cleanups (account_id, entity_type, field_id, enum_ids, loss_reason_id, tag_id, segment_id)
    select ${actor.accountId}::bigint, entity_type, field_id, enum_ids, loss_reason_id, tag_id, segment_id
      from json_to_recordset(${JSON.stringify(what)}::json)
        as leftover(entity_type text, field_id bigint, enum_ids bigint[], loss_reason_id bigint, tag_id bigint,
                    segment_id bigint)`)
  await tx.rows(sql`select pg_notify(${channel}, '')`)
}

const channel = 'kontor_cleanups'

export function cleanUpInBackground(app: App, kontor: Kontor): void {
  workInBackground(app, kontor, {
    channel,
    failure: 'what was deleted could not be taken off records',
    finish: cleanUp,
  })
}

interface Key {
  account_id: number
  id: number
}

interface Waiting extends Key {
  /** Whether a whole field is to be removed. */
  isField: boolean
  segment_id: number | null
}

/**
 * Removes from the records of all accounts what had been deleted at the time of the call. Answers
 * whether all of it is done.
 */
export async function cleanUp(database: Database, isStopped = () => false): Promise<boolean> {
  const waiting = await database.rows<Waiting>(sql`
    select account_id, id, field_id is not null and enum_ids is null as "isField", segment_id
      from cleanups order by account_id, id`)
  if (waiting.length === 0) return true
  if (!(await othersEnded(database, isStopped))) return false
  let isClean = true
  for (const key of waiting) if (!(await cleanOne(database, key, isStopped))) isClean = false
  return isClean
}

/**
 * Records are cleaned first: while one has a value, its index rows may be written again. Answers
 * false when the work is not finished.
 */
async function cleanOne(
  database: Database,
  key: Waiting,
  isStopped: () => boolean,
): Promise<boolean> {
  const each = <Last>(work: Chunk<Last>) => eachChunk(database, key, isStopped, work)
  if (!(await each(cleanRecords))) return false
  for (const table of ['field_numbers', 'field_texts'] as const)
    if (!(await each<FilterRow>((tx, cleanup, after) => dropFilterRows(tx, cleanup, table, after))))
      return false
  await database.transaction(async (tx) => {
    // Processes cache the field as a deleted one. The account is locked before the clean-up row, in
    // the same order as in the deletion of a field.
    if (key.isField) await fieldsChanged(tx, key.account_id)
    // A customer that was still in the segment may have gone into the bin meanwhile, or come out.
    if (key.segment_id !== null)
      await tx.rows(
        sql`delete from segment_counts where account_id = ${key.account_id} and segment_id = ${key.segment_id}`,
      )
    await tx.rows(sql`delete from cleanups where account_id = ${key.account_id} and id = ${key.id}`)
  })
  return true
}

interface Cleanup extends Key {
  entity_type: FieldOwner
  field_id: number | null
  enum_ids: number[] | null
  loss_reason_id: number | null
  tag_id: number | null
  segment_id: number | null
  done_to: number
}

/**
 * Processes one chunk after the last row of the previous one; answers its own last row, or
 * undefined when none was left.
 */
type Chunk<Last> = (tx: Tx, cleanup: Cleanup, after: Last | undefined) => Promise<Last | undefined>

/**
 * Answers whether all chunks are done; false when it was stopped, or when another process has the
 * row.
 */
async function eachChunk<Last>(
  database: Database,
  key: Key,
  isStopped: () => boolean,
  work: Chunk<Last>,
): Promise<boolean> {
  let after: Last | undefined
  while (!isStopped()) {
    const step = await database.transaction(async (tx) => {
      const cleanup = await tx.row<Cleanup>(sql`
        select account_id, id, entity_type, field_id, to_json(enum_ids) as enum_ids, loss_reason_id, tag_id, segment_id, done_to
          from cleanups where account_id = ${key.account_id} and id = ${key.id} for update skip locked`)
      return cleanup && { last: await work(tx, cleanup, after) }
    })
    if (!step) return false
    if (step.last === undefined) return true
    after = step.last
  }
  return false
}

/** Continues after the record in `done_to`. */
async function cleanRecords(tx: Tx, cleanup: Cleanup): Promise<number | undefined> {
  const { account_id, id, entity_type, field_id, enum_ids, done_to } = cleanup
  const storage = storageOf(entity_type)
  if (!storage) return undefined
  const { table, ofAll } = storage
  const { carries, without } = partsOf(cleanup)
  const [chunk] = await tx.list<{ last: number | null; ids: number[] | null }>(sql`
    select max(id) as last, json_agg(id) filter (where carries) as ids
      from (select record.id, ${carries} as carries from ${table} record
             where account_id = ${account_id} and ${ofAll} and id > ${done_to} order by id limit ${recordsAtOnce}) chunk`)
  if (chunk!.last === null) return undefined
  if (chunk!.ids) {
    const ofThese = sql`account_id = ${account_id} and id = any(${chunk!.ids}::bigint[])`
    await tx.list(sql`select id from ${table} where ${ofThese} order by id for no key update`)
    await tx.list(sql`update ${table} record set ${without} where ${ofThese} and ${carries}`)
    if (field_id !== null && !enum_ids)
      await tx.list(dropLines(account_id, entity_type, field_id, chunk!.ids))
  }
  await tx.list(
    sql`update cleanups set done_to = ${chunk!.last} where account_id = ${account_id} and id = ${id}`,
  )
  return chunk!.last
}

/** The table of what has the fields, and the condition that picks its rows. */
function storageOf(owner: FieldOwner): { table: Sql; ofAll: Sql } | undefined {
  const [name, catalogId] = owner.split(':')
  if (catalogId !== undefined)
    return { table: raw('catalog_elements'), ofAll: sql`catalog_id = ${Number(catalogId)}` }
  const table = [...recordTypes, 'segments'].find((each) => each === name)
  return table === undefined ? undefined : { table: raw(table), ofAll: sql`true` }
}

/**
 * The condition that a row named `record` has the deleted thing, and the assignment that removes
 * it. Nothing left is null.
 */
function partsOf({ field_id, enum_ids, loss_reason_id, tag_id, segment_id }: Cleanup): {
  carries: Sql
  without: Sql
} {
  if (tag_id !== null)
    return {
      carries: sql`${tag_id} = any(tag_ids)`,
      without: sql`tag_ids = array_remove(tag_ids, ${tag_id}::bigint)`,
    }
  if (segment_id !== null)
    return {
      carries: sql`${segment_id} = any(segment_ids)`,
      without: sql`segment_ids = array_remove(segment_ids, ${segment_id}::bigint),
                   segment_ids_by_hand = array_remove(segment_ids_by_hand, ${segment_id}::bigint)`,
    }
  if (field_id === null)
    return {
      carries: sql`coalesce(loss_reason_id = ${loss_reason_id}, false)`,
      without: sql`loss_reason_id = null`,
    }
  const key = sql`${String(field_id)}::text`
  if (!enum_ids)
    return {
      carries: sql`coalesce(custom_fields_values ? ${key}, false)`,
      without: sql`custom_fields_values = nullif(custom_fields_values - ${key}, '{}')`,
    }
  const values = sql`custom_fields_values -> ${key}`
  const gone = sql`${JSON.stringify({ gone: enum_ids })}::jsonb`
  return {
    carries: sql`coalesce(jsonb_path_exists(${values}, '$[*] ? (@ == $gone[*])', ${gone}), false)`,
    without: sql`custom_fields_values = (
      select nullif(case when others = '[]' then custom_fields_values - ${key}
                         else jsonb_set(custom_fields_values, array[${key}], others) end, '{}')
        from jsonb_path_query_array(${values}, '$[*] ? (!(@ == $gone[*]))', ${gone}) others)`,
  }
}

/**
 * Removes the lines of a field from search texts. Each text of a field is one line, never the
 * first.
 */
function dropLines(accountId: number, type: FieldOwner, fieldId: number, ids: number[]): Sql {
  const mark = markOf(fieldId)
  const without = (column: string) =>
    sql`regexp_replace(${raw(column)}, ${`\n${mark}[^\n]*`}, '', 'g')`
  return sql`
    update record_texts set text = ${without('text')}, grams = ${without('grams')}
     where account_id = ${accountId} and entity_type = ${type} and entity_id = any(${ids}::bigint[])
       and strpos(text, ${mark}) > 0`
}

interface FilterRow {
  value: string
  entity_id: number
}

/**
 * Deletes index rows after the previous chunk: from the beginning, each chunk would scan the dead
 * rows of all previous ones.
 */
async function dropFilterRows(
  tx: Tx,
  { account_id, entity_type, field_id, enum_ids }: Cleanup,
  table: 'field_numbers' | 'field_texts',
  after: FilterRow | undefined,
): Promise<FilterRow | undefined> {
  if (field_id === null || (enum_ids && table === 'field_texts')) return undefined
  const ids = sql`and value = any(${enum_ids}::numeric[])`
  const [last] = await tx.list<FilterRow>(sql`
    with dropped as (
      delete from ${raw(table)} where ctid = any (array(
        select ctid from ${raw(table)}
         where account_id = ${account_id} and field_id = ${field_id} and entity_type = ${entity_type} ${enum_ids ? ids : empty}
           ${after ? sql`and (value, entity_id) > (${after.value}, ${after.entity_id})` : empty}
         order by value, entity_id limit ${rowsAtOnce}))
      returning value, entity_id
    )
    ${table === 'field_texts' ? sql`, released as (${letGoOf(account_id, raw('dropped'))})` : empty}
    select value, entity_id from dropped order by value desc, entity_id desc limit 1`)
  return last
}
