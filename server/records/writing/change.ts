// The steps of changing records that the verbs of all entity types share. A sent value that equals
// the stored one counts as not sent (interface: Unknown keys), so that an answer can be sent back
// as a body.
import { timeOfChange } from '../../access/actor.ts'
import type { Actor, Writer } from '../../access/actor.ts'
import type { Action } from '../../access/rights.ts'
import type { Entry, NewEvent } from '../../changes/record.ts'
import type { JournalAction } from '../../changes/entity.ts'
import type { Tx } from '../../database/connect.ts'
import { together } from '../../database/together.ts'
import type { Batch, Faults, Item } from '../../http/batch.ts'
import { forbidden, notFound } from '../../http/problem.ts'
import { singular } from '../../entity-types.ts'
import type { RecordDescription, RecordRow, RecordType } from '../description.ts'
import type { Fields } from '../fields/definitions.ts'
import { changeKeys } from '../fields/field-index.ts'
import { followFiles } from '../fields/files.ts'
import { valueNews } from '../fields/values.ts'
import { checkPeople } from '../people.ts'
import type { Identified, SentRecord } from '../schema.ts'
import { indexChange } from '../search/search-index.ts'
import { tagNews, tagsOfDraft } from '../tags.ts'
import { valuesAfter } from './context.ts'
import type { WritingContext } from './context.ts'
import type { CreatedRecord } from './create.ts'
import { lockRows, updateRows } from './statements.ts'

/** A changed record in an answer. */
export interface ChangedRecord extends CreatedRecord {
  name: string
  updated_at: number
}

/** The answer to an unknown record: a fault of its item, or 404 where the path names it. */
export type Missing = 'fault' | 'notFound'

/** A record, or an element of a catalog, before and after a batch. */
export interface RecordChange<Row extends object = RecordRow> {
  before: Row
  after: Row
}

/**
 * Locks records in the order of their ids. Throws 403 where the actor has no right to the action.
 */
export async function lockRecords<Row extends RecordRow>(
  tx: Tx,
  actor: Actor,
  description: RecordDescription,
  ids: number[],
  action: Action,
  isDeleted = false,
): Promise<Map<number, Row>> {
  const statement = lockRows(description, actor, [...new Set(ids)], action, isDeleted)
  const rows = await tx.rows<Row & { allowed: boolean }>(statement)
  const refused = rows.find(({ allowed }) => !allowed)
  if (refused)
    throw forbidden(`You have no right to ${action} ${singular[description.type]} ${refused.id}`)
  return new Map(rows.map(({ allowed: _, ...row }) => [row.id, row as unknown as Row]))
}

/**
 * Looks up the tags that a change may detach or replace. Answers the rows without those that were
 * deleted, since answers no longer show them: a change of the others does not tell of these.
 */
export async function withoutDeletedTags<Row extends RecordRow>(
  tags: WritingContext['tags'],
  { items }: Batch<SentRecord>,
  stored: ReadonlyMap<number, Row>,
): Promise<ReadonlyMap<number, Row>> {
  const touches = items.some(
    ({ value }) => value._embedded?.tags !== undefined || value.tags_to_add || value.tags_to_delete,
  )
  const ids = touches ? [...stored.values()].flatMap(({ tag_ids }) => tag_ids) : []
  const named = items.flatMap(
    ({ value }) => value.tags_to_delete?.flatMap(({ name }) => name ?? []) ?? [],
  )
  await tags.learn(ids, named)
  if (!touches) return stored
  return new Map(
    [...stored].map(([id, row]) => [id, { ...row, tag_ids: row.tag_ids.filter(tags.has) }]),
  )
}

/**
 * The row that an item changes. Without such a row the item gets a fault, or a 404 problem is
 * thrown.
 */
export function rowOf<Row extends RecordRow>(
  rows: ReadonlyMap<number, Row>,
  type: RecordType,
  item: Item<{ id: number }>,
  faults: Faults,
  missing: Missing,
): Row | undefined {
  const { id } = item.value
  const row = rows.get(id)
  if (!row && missing === 'notFound') throw notFound()
  if (!row)
    faults.add(item, {
      code: 'EntityNotFound',
      path: 'id',
      detail: `There is no ${singular[type]} ${id}.`,
    })
  return row
}

/**
 * The keys of an item that differ from the stored row; responsible user 0 is no change, nor is what
 * an old copy says of its own time and author.
 */
export function withoutStored<Sent extends object>(
  writer: Writer,
  value: Identified<Sent> & { updated_at?: number },
  row: Timed,
): Sent {
  const isTimeIgnored = ignoresTime(writer, value, row)
  const fields = Object.entries(value).filter(
    ([key, sent]) =>
      (!(key in row) || sent !== row[key as keyof typeof row]) &&
      !(key === 'responsible_user_id' && sent === 0) &&
      !(isTimeIgnored && (key === 'updated_at' || key === 'updated_by')),
  )
  return Object.fromEntries(fields) as unknown as Sent
}

type Timed = Pick<RecordRow, 'created_at' | 'updated_at'>

/**
 * Whether the sent time of a change does not count, and its author with it: it lies before the
 * stored time, or in the future. A record that is sent back as a whole would move into the past
 * otherwise, and programs that ask for what changed last would miss the change.
 */
export function ignoresTime(
  writer: Writer,
  { updated_at: sent }: { updated_at?: unknown },
  { created_at, updated_at }: Timed,
): boolean {
  return typeof sent === 'number' && (sent < updated_at || sent > timeOfChange(writer, created_at))
}

/**
 * The shared columns of a row after a change. `sent` holds the keys that differ; faults go to the
 * item.
 */
export function changedColumns<Row extends RecordRow>(
  context: WritingContext,
  item: Item<SentRecord>,
  row: Row,
  sent: SentRecord,
): Row {
  checkPeople(context.groups, context.faults, item, sent)
  const responsible_user_id = sent.responsible_user_id ?? row.responsible_user_id
  const isHandedOver = sent.responsible_user_id !== undefined
  return {
    ...row,
    name: sent.name === undefined ? row.name : sent.name.trim(),
    responsible_user_id,
    group_id: isHandedOver ? (context.groups.get(responsible_user_id) ?? 0) : row.group_id,
    created_by: sent.created_by ?? row.created_by,
    created_at: sent.created_at ?? row.created_at,
    custom_fields_values: valuesAfter(context, item, row.custom_fields_values),
    tag_ids: context.faults.any() ? row.tag_ids : changedTags(context, item.value, row),
  }
}

/**
 * A list of tags replaces the set, null or an empty list detaches all, and beside null single tags are
 * added; otherwise they are added and removed.
 */
function changedTags(
  { tags }: WritingContext,
  { _embedded, tags_to_add, tags_to_delete }: SentRecord,
  row: RecordRow,
): number[] {
  if (_embedded?.tags !== undefined) {
    const replaced = tags.ids(tagsOfDraft({ _embedded, tags_to_add }))
    // The same tags in another order are the same tags.
    const isSame =
      replaced.length === row.tag_ids.length && replaced.every((id) => row.tag_ids.includes(id))
    return isSame ? row.tag_ids : replaced
  }
  if (!tags_to_add && !tags_to_delete) return row.tag_ids
  const deleted = new Set(tags_to_delete?.map(({ id, name }) => id ?? tags.idOf(name ?? '')))
  const ids = [...row.tag_ids, ...tags.ids(tags_to_add ?? [])].filter((id) => !deleted.has(id))
  return [...new Set(ids)]
}

type Authored = Pick<RecordRow, 'created_at' | 'updated_at' | 'updated_by'>

/** The row after a change with its author and time; the stored row itself where nothing changes. */
export function touched<Row extends Authored>(
  writer: Writer,
  row: Row,
  next: Row,
  { updated_at, updated_by }: Pick<SentRecord, 'updated_at' | 'updated_by'> = {},
): Row {
  const isSaid = updated_at !== undefined || updated_by !== undefined
  if (!isSaid && changedFields(row, next).length === 0) return row
  return {
    ...next,
    updated_at: updated_at ?? timeOfChange(writer, next.created_at),
    updated_by: updated_by ?? writer.userId,
  }
}

/** The records that a batch changes, before and after. */
export function changedRows<Row extends { id: number }>(
  before: ReadonlyMap<number, Row>,
  after: ReadonlyMap<number, Row>,
): RecordChange<Row>[] {
  return [...after.values()]
    .map((row) => ({ before: before.get(row.id)!, after: row }))
    .filter((changed) => changedFields(changed.before, changed.after).length > 0)
}

/** Writes the changed rows of locked records, and their rows in the field and search indexes. */
export async function updateRecords<Row extends RecordRow>(
  tx: Tx,
  writer: Writer,
  description: RecordDescription,
  fields: Fields,
  changed: RecordChange<Row>[],
): Promise<void> {
  if (changed.length === 0) return
  const rows = changed.map(({ after }) => after)
  const keys = changed.flatMap(
    ({ before, after }) => indexChange(description, fields, before, after) ?? [],
  )
  await together([
    tx.rows(updateRows(description, writer, rows)),
    keys.length > 0 ? tx.rows(changeKeys(writer, description.type, keys)) : undefined,
  ])
  const values = changed.map(({ before, after }) => ({
    before: before.custom_fields_values,
    after: after.custom_fields_values,
  }))
  await followFiles(tx, writer, fields, values)
}

/** The journal entry of a change (interface: Values of events). */
export function changedEntry<Row extends RecordRow>(
  type: RecordType,
  { before, after }: RecordChange<Row>,
  { fields, tags }: Pick<WritingContext, 'fields'> & { tags: Pick<WritingContext['tags'], 'name'> },
  own: { actions: JournalAction[]; events: NewEvent[] } = { actions: [], events: [] },
): Entry {
  const changed = changedFields(before, after)
  const isRenamed = changed.includes('name')
  const isHandedOver = changed.includes('responsible_user_id')
  return {
    type,
    id: after.id,
    actions: ['update', ...own.actions, ...(isHandedOver ? (['responsible'] as const) : [])],
    before: Object.fromEntries(changed.map((field) => [field, before[field]])),
    events: [
      ...(isRenamed ? [bothSides('name_field_changed', before, after, nameValue)] : []),
      ...own.events,
      ...(isHandedOver
        ? [bothSides('entity_responsible_changed', before, after, responsibleValue)]
        : []),
      ...tagNews(before.tag_ids, after.tag_ids, tags.name),
      ...valueNews(fields, before.custom_fields_values, after.custom_fields_values),
    ],
  }
}

const nameValue = ({ name }: RecordRow) => ({ name_field_value: { name } })
const responsibleValue = ({ responsible_user_id: id }: RecordRow) => ({ responsible_user: { id } })

/** An event with one value on each side. */
export function bothSides<Row>(
  type: string,
  before: Row,
  after: Row,
  value: (row: Row) => object,
): NewEvent {
  return { type, value_before: [value(before)], value_after: [value(after)] }
}

/** The fields in which two states of a record differ. */
export function changedFields<Row extends object>(before: Row, after: Row): (keyof Row)[] {
  const fields = Object.keys(after) as (keyof Row)[]
  // Lists of ids and the values of custom fields are compared by their content.
  return fields.filter(
    (field) =>
      before[field] !== after[field] &&
      JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  )
}

/** The answers to the items of a batch, in request order. */
export function changedAnswers<Row extends RecordRow>(
  { items }: Batch<{ id: number }>,
  rows: ReadonlyMap<number, Row>,
): ChangedRecord[] {
  return items.map(({ value: { id }, request_id }) => {
    const { name, updated_at } = rows.get(id)!
    return { id, name, request_id, updated_at }
  })
}
