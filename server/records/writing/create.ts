// The steps of creating records that the verbs of all entity types share: the shared columns, the
// insert, the journal entry, the answer.
import { timeOfChange } from '../../access/actor.ts'
import type { Actor, Writer } from '../../access/actor.ts'
import sql from 'sql-template-tag'
import { additions } from '../../changes/record.ts'
import type { Entry } from '../../changes/record.ts'
import type { Tx } from '../../database/connect.ts'
import type { Batch, Item } from '../../http/batch.ts'
import { singular } from '../../entity-types.ts'
import type { DraftedRow, RecordDescription, RecordRow, RecordType } from '../description.ts'
import type { Fields } from '../fields/definitions.ts'
import { followFiles } from '../fields/files.ts'
import { checkPeople } from '../people.ts'
import type { SentRecord } from '../schema.ts'
import { tagsOfDraft } from '../tags.ts'
import { indexedRow } from '../search/search-index.ts'
import { valuesAfter } from './context.ts'
import type { WritingContext } from './context.ts'
import { insertRows } from './statements.ts'
import type { IndexedRow, InsertedRow } from './statements.ts'

/** New records that are checked but not yet written, in the order of their items. */
export interface Drafts<Row extends RecordRow> {
  rows: DraftedRow<Row>[]
  context: WritingContext
  /** The ids of the rows, growing, where they were fixed before. */
  ids?: number[]
  /** Whether links of the rows may follow, as they usually may. */
  mayHaveLinks?: boolean
}

/** A created record in an answer. */
export interface CreatedRecord {
  id: number
  request_id: string
}

/** The shared columns of a new record with their defaults; faults go to the item. */
export function newColumns(
  actor: Actor,
  context: WritingContext,
  item: Item<SentRecord>,
): DraftedRow<RecordRow> {
  const { value } = item
  checkPeople(context.groups, context.faults, item, value)
  // 0 is the caller, like a missing key.
  const responsible_user_id = value.responsible_user_id || actor.userId
  const tags = tagsOfDraft(value)
  return {
    name: value.name?.trim() ?? '',
    responsible_user_id,
    group_id: context.groups.get(responsible_user_id) ?? 0,
    created_by: value.created_by ?? actor.userId,
    updated_by: value.updated_by ?? actor.userId,
    created_at: value.created_at ?? null,
    updated_at: value.updated_at ?? null,
    custom_fields_values: valuesAfter(context, item, null),
    // The tags of a refused batch are not created, so they have no ids.
    tag_ids: context.faults.any() ? [] : context.tags.ids(tags),
  }
}

/**
 * Writes new records with their index rows and records them, in one statement; answers their ids in
 * the order of the rows. Each event names the system note (docs/decisions/0009-system-notes.md).
 */
export async function addRecords<Row extends RecordRow>(
  tx: Tx,
  writer: Writer,
  description: RecordDescription,
  { rows, context: { fields }, ids, mayHaveLinks = true }: Drafts<Row>,
): Promise<number[]> {
  if (rows.length === 0) return []
  const { type } = description
  const value = sql`jsonb_build_array(jsonb_build_object('note', jsonb_build_object('id', note_id)))`
  const news = additions(tx, writer, type, `${singular[type]}_added`, {
    added: sql`added`,
    events: sql`(select id, ${value} as value from noted)`,
  })
  const statement = insertRows(
    description,
    writer,
    indexedRows(writer, description, fields, rows, ids),
    {
      news,
      mayHaveLinks,
    },
  )
  const added = await tx.rows<InsertedRow>(statement)
  await followNew(tx, writer, fields, rows)
  return added.map(({ id }) => id)
}

/** Writes new records of which nobody hears yet; answers their ids in the order of the rows. */
export async function addSilently<Row extends RecordRow>(
  tx: Tx,
  writer: Writer,
  description: RecordDescription,
  { rows, context: { fields } }: Drafts<Row>,
): Promise<number[]> {
  if (rows.length === 0) return []
  const statement = insertRows(description, writer, indexedRows(writer, description, fields, rows))
  const added = await tx.rows<InsertedRow>(statement)
  await followNew(tx, writer, fields, rows)
  return added.map(({ id }) => id)
}

const followNew = (
  tx: Tx,
  writer: Writer,
  fields: Fields,
  rows: readonly Pick<RecordRow, 'custom_fields_values'>[],
) =>
  followFiles(
    tx,
    writer,
    fields,
    rows.map(({ custom_fields_values }) => ({ before: null, after: custom_fields_values })),
  )

function indexedRows<Row extends RecordRow>(
  writer: Writer,
  description: RecordDescription,
  fields: Fields,
  rows: DraftedRow<Row>[],
  ids?: number[],
): IndexedRow[] {
  return rows.map((row, index) => ({
    ...indexedRow<RecordRow>(description, fields, { ...row, ...timesOf(writer, row) }),
    ...(ids && { fixedId: ids[index] }),
  }))
}

/** The times of a new record: what nobody says is the time of the writing. */
export function timesOf(
  writer: Writer,
  { created_at, updated_at }: Pick<DraftedRow<RecordRow>, 'created_at' | 'updated_at'>,
) {
  const created = created_at ?? writer.at
  return { created_at: created, updated_at: updated_at ?? timeOfChange(writer, created) }
}

/**
 * The journal entry of a new record; its event names the system note
 * (docs/decisions/0009-system-notes.md).
 */
export function addedEntry(type: RecordType, { id, note_id }: InsertedRow): Entry {
  return {
    type,
    id,
    actions: ['add'],
    before: null,
    events: [
      {
        type: `${singular[type]}_added`,
        value_before: [],
        value_after: [{ note: { id: note_id } }],
      },
    ],
  }
}

/** The answers to the items of a batch, in request order. */
export function createdAnswers({ items }: Batch<unknown>, ids: number[]): CreatedRecord[] {
  return items.map(({ request_id }, index) => ({ id: ids[index]!, request_id }))
}
