// Elements of catalogs: products, invoices, or whatever a catalog lists. A change is journaled, and
// changed names and values are events of the entity `catalog_<id>`; the event log has no type for a
// new element (interface: Side effects of writes).
import { startWriting, timeOfChange } from '../../../access/actor.ts'
import type { Actor, Writer } from '../../../access/actor.ts'
import {
  catalogLevel,
  needsNoElementRight,
  requireElements,
} from '../../../access/catalog-rights.ts'
import type { EntityDeclaration } from '../../../changes/entity.ts'
import { record } from '../../../changes/record.ts'
import type { Entry } from '../../../changes/record.ts'
import type { Reader, Tx } from '../../../database/connect.ts'
import { together } from '../../../database/together.ts'
import { fieldsOfCatalog } from '../../../entity-types.ts'
import type { Batch, Item } from '../../../http/batch.ts'
import { forbidden, notFound, Problem } from '../../../http/problem.ts'
import { fieldsOf } from '../../../records/fields/definitions.ts'
import type { Fields } from '../../../records/fields/definitions.ts'
import { followFiles, versionsFor } from '../../../records/fields/files.ts'
import { fileOf, searchLines, valueNews } from '../../../records/fields/values.ts'
import type { Kept, KeptValues } from '../../../records/fields/values.ts'
import { checkPeople, groupsOfActiveUsers } from '../../../records/people.ts'
import type { NamedPeople } from '../../../records/people.ts'
import { searchTextOf } from '../../../records/search/search-index.ts'
import { gramForm, withoutMarks } from '../../../records/search/text.ts'
import {
  bothSides,
  changedFields,
  changedRows,
  touched,
  withoutStored,
} from '../../../records/writing/change.ts'
import type { Missing, RecordChange } from '../../../records/writing/change.ts'
import { valuesAfter } from '../../../records/writing/context.ts'
import type { ValuesContext } from '../../../records/writing/context.ts'
import { fileOfValue } from '../../activity/files/files.ts'
import type { FileRow } from '../../activity/files/files.ts'
import { requireCatalog } from '../../definitions/catalogs/catalogs.ts'
import { repointedValues, withSetValues } from './naming.ts'
import type { RepointedValue, Succession } from './naming.ts'
import * as queries from './queries.ts'
import type { ElementRow } from './queries.ts'
import type { ElementChange, NewElement } from './schema.ts'
import { elementTexts } from './show.ts'
import { elementForm } from './webhook.ts'

export type { RepointedValue } from './naming.ts'

export const elements: EntityDeclaration = {
  type: 'catalog_elements',
  news: {
    browser: ['add', 'update'],
    webhook: ['add', 'update'],
    isHeardBy: (actor, row) => catalogLevel(actor, (row as ElementRow).catalog_id, 'view') === 'A',
  },
  webhook: elementForm,
}

/** Creates elements of a catalog and answers them in request order, as JSON texts. */
export async function createElements(
  tx: Tx,
  actor: Actor,
  base: string,
  catalogId: number,
  batch: Batch<NewElement>,
): Promise<string[]> {
  await requireCatalog(tx, actor, catalogId)
  requireElements(actor, catalogId, 'add')
  const context = await contextOf(tx, actor, catalogId, batch)
  const writer = startWriting(tx, actor)
  const rows = batch.items.map((item) => newRow(writer, context, item))
  batch.faults.throwIfAny()
  const drafts = rows.map((row) => ({ ...row, ...textOf(context.fields, row) }))
  const added = await tx.rows<{ id: number }>(queries.insertElements(writer, catalogId, drafts))
  const ids = added.map(({ id }) => id)
  const written = rows.map((row, index) => ({ id: ids[index]!, before: null, after: row }))
  await followNamedFiles(tx, writer, catalogId, context.fields, written)
  await record(
    tx,
    writer,
    ids.map((id) => ({ type: 'catalog_elements', id, actions: ['add'], before: null, events: [] })),
  )
  return inOrder(tx, writer, base, catalogId, batch.items, ids)
}

/**
 * Changes elements of a catalog and answers them in request order, as JSON texts. Several items for
 * one element apply in turn. An unknown id is a fault of its item, or a 404 problem.
 */
export async function changeElements(
  tx: Tx,
  actor: Actor,
  base: string,
  catalogId: number,
  batch: Batch<ElementChange>,
  missing: Missing = 'fault',
): Promise<string[]> {
  await requireCatalog(tx, actor, catalogId)
  const ids = batch.items.map(({ value }) => value.id)
  const before = await lock(tx, actor, catalogId, ids)
  const context = await contextOf(tx, actor, catalogId, batch)
  const writer = startWriting(tx, actor)
  const after = new Map(before)
  for (const item of batch.items) {
    const row = after.get(item.value.id)
    if (!row && missing === 'notFound') throw notFound()
    if (row) after.set(row.id, changedRow(writer, context, item, row))
    else
      batch.faults.add(item, {
        code: 'EntityNotFound',
        path: 'id',
        detail: `There is no element ${item.value.id} in catalog ${catalogId}.`,
      })
  }
  batch.faults.throwIfAny()
  const changed = changedRows(before, after)
  if (changed.length > 0) {
    const rows = changed.map((each) => each.after)
    const texts = changed.flatMap((each) => changedText(context.fields, each))
    await tx.rows(queries.updateElements(writer, catalogId, rows, texts))
    const written = changed.map((each) => ({ ...each, id: each.after.id }))
    await followNamedFiles(tx, writer, catalogId, context.fields, written)
    await record(
      tx,
      writer,
      changed.map((each) => changedEntry(context.fields, each)),
    )
  }
  return inOrder(tx, writer, base, catalogId, batch.items, ids)
}

/** Keeps the files that written elements name from now on, and lets go of those that they name no more. */
async function followNamedFiles(
  tx: Tx,
  writer: Writer,
  catalogId: number,
  fields: Fields,
  written: readonly {
    id: number
    before: Pick<ElementRow, 'custom_fields_values'> | null
    after: Pick<ElementRow, 'custom_fields_values'>
  }[],
): Promise<void> {
  const ofFiles = fields.list.filter(({ type }) => type === 'file')
  if (ofFiles.length === 0) return
  const filesOf = (id: number, row: Pick<ElementRow, 'custom_fields_values'> | null) =>
    ofFiles.flatMap((field) =>
      (row?.custom_fields_values?.[field.id] ?? []).map((kept) => ({
        element_id: id,
        field_id: field.id,
        uid: fileOf(kept),
      })),
    )
  const without = (files: queries.ElementFile[], others: queries.ElementFile[]) =>
    files.filter(
      ({ field_id, uid }) => !others.some((each) => each.field_id === field_id && each.uid === uid),
    )
  const sides = written.map(
    ({ id, before, after }) => [filesOf(id, before), filesOf(id, after)] as const,
  )
  const named = sides.flatMap(([before, after]) => without(after, before))
  const left = sides.flatMap(([before, after]) => without(before, after))
  if (named.length + left.length === 0) return
  await tx.rows(queries.nameFiles(writer, catalogId, named, left))
  const values = written.map(({ before, after }) => ({
    before: before?.custom_fields_values ?? null,
    after: after.custom_fields_values,
  }))
  await followFiles(tx, writer, fields, values)
}

/**
 * The file that a field of an element names. Throws a 404 problem where there is none, it is of another drive, or the
 * actor may not view the element.
 */
export async function readFileOfElement(
  reader: Reader,
  actor: Actor,
  catalogId: number,
  id: number,
  fieldId: number,
): Promise<FileRow> {
  await requireCatalog(reader, actor, catalogId)
  const value = await reader.row<{ file_uuid: string; version_uuid: string }>(
    queries.fileOfElement(actor, catalogId, id, fieldId),
  )
  const file = value && (await fileOfValue(reader, actor, value))
  if (!file) throw notFound('There is no such file')
  return file
}

/** The most elements that name one record. Each is locked, told of and kept for an undo. */
const mostNaming = 5000

/** Locks the elements that name a record. More than 5,000: 422. */
export async function lockNamingElements(tx: Tx, actor: Actor, id: number): Promise<ElementRow[]> {
  const rows = await tx.rows<ElementRow>(queries.lockNaming(actor, id, mostNaming + 1))
  if (rows.length > mostNaming)
    throw unmergeable(
      'NamingLimit',
      `A record that more than ${mostNaming} elements name is not merged`,
    )
  return rows
}

/**
 * Makes locked elements that name a record name another, whatever the actor's rights to them. Answers the values for
 * `repointBack`, and the news.
 */
export async function repointElements(
  tx: Tx,
  writer: Writer,
  rows: ElementRow[],
  succession: Succession,
): Promise<{ values: RepointedValue[]; entries: Entry[] }> {
  const fields = await fieldsOfElements(tx, writer, rows)
  const values = rows.flatMap((row) =>
    repointedValues(fields.get(row.catalog_id)!, row, succession),
  )
  const changes = values.map(({ before, after, ...each }) => ({
    ...each,
    expected: before,
    values: after,
  }))
  return { values, entries: await setValues(tx, writer, fields, rows, changes) }
}

/** Locks the elements of values that were repointed, as far as they are still there. */
export async function lockRepointed(
  tx: Tx,
  actor: Actor,
  values: readonly RepointedValue[],
): Promise<ElementRow[]> {
  if (values.length === 0) return []
  const ids = [...new Set(values.map(({ element_id }) => element_id))]
  return tx.rows<ElementRow>(queries.lockElementsById(actor, ids))
}

/**
 * Gives locked elements the values back that `repointElements` changed and nobody since; answers the
 * news.
 */
export async function repointBack(
  tx: Tx,
  writer: Writer,
  rows: ElementRow[],
  values: readonly RepointedValue[],
): Promise<Entry[]> {
  if (values.length === 0) return []
  const fields = await fieldsOfElements(tx, writer, rows)
  const changes = values.map(({ before, after, ...each }) => ({
    ...each,
    expected: after,
    values: before,
  }))
  return setValues(tx, writer, fields, rows, changes)
}

const unmergeable = (code: string, detail: string) => new Problem(422, detail, { extra: { code } })

/** The fields of the catalogs of elements, by the catalog. */
async function fieldsOfElements(tx: Tx, { accountId }: Actor, rows: ElementRow[]) {
  const catalogs = [...new Set(rows.map(({ catalog_id }) => catalog_id))]
  const lists = await together(catalogs.map((id) => fieldsOf(tx, accountId, fieldsOfCatalog(id))))
  return new Map(catalogs.map((id, index) => [id, lists[index]!]))
}

/** Sets values of locked elements; answers the news of those that change. */
async function setValues(
  tx: Tx,
  writer: Writer,
  fields: ReadonlyMap<number, Fields>,
  rows: ElementRow[],
  changes: {
    element_id: number
    field_id: number
    expected: readonly Kept[]
    values: readonly Kept[]
  }[],
): Promise<Entry[]> {
  const byElement = Map.groupBy(changes, ({ element_id }) => element_id)
  const changed = rows.flatMap((row) => {
    const next = withSetValues(fields.get(row.catalog_id)!, row, byElement.get(row.id) ?? [])
    const after = touched(writer, row, next)
    return after === row ? [] : { before: row, after }
  })
  if (changed.length === 0) return []
  // A merge leaves nothing behind that names a record that is gone, as for linked records.
  needsNoElementRight()
  const byCatalog = Map.groupBy(changed, ({ after }) => after.catalog_id)
  await together(
    [...byCatalog].map(([catalogId, some]) => {
      const texts = some.flatMap((each) => changedText(fields.get(catalogId)!, each))
      const written = some.map(({ after }) => after)
      return tx.rows(queries.updateElements(writer, catalogId, written, texts))
    }),
  )
  return changed.map((each) => changedEntry(fields.get(each.after.catalog_id)!, each))
}

interface ElementContext extends ValuesContext {
  groups: ReadonlyMap<number, number>
}

async function contextOf(
  tx: Tx,
  actor: Actor,
  catalogId: number,
  {
    items,
    faults,
    unknownKeys = 'reject',
  }: Batch<NamedPeople & Pick<ElementChange, 'custom_fields_values'>>,
): Promise<ElementContext> {
  const users = items.flatMap(({ value }) =>
    [value.created_by, value.updated_by].flatMap((id) => id ?? []),
  )
  const groups = await groupsOfActiveUsers(tx, actor, [...new Set(users)])
  const fields = await fieldsOf(tx, actor.accountId, fieldsOfCatalog(catalogId))
  const versions = await versionsFor(
    tx,
    actor,
    items.map(({ value }) => value),
  )
  return { faults, unknownKeys, groups, fields, versions }
}

/** A new element; faults go to the item. */
function newRow(
  writer: Writer,
  context: ElementContext,
  item: Item<NewElement>,
): Omit<ElementRow, 'id' | 'catalog_id'> {
  const { value } = item
  checkPeople(context.groups, context.faults, item, value)
  const created_at = value.created_at ?? writer.at
  const custom_fields_values = valuesAfter(context, item, null)
  requireValues(context, item, custom_fields_values)
  return {
    name: value.name.trim(),
    created_by: value.created_by ?? writer.userId,
    updated_by: value.updated_by ?? writer.userId,
    created_at,
    updated_at: value.updated_at ?? timeOfChange(writer, created_at),
    currency_id: value.currency_id ?? null,
    custom_fields_values,
  }
}

/** A new element has a value in each required field (interface: Custom field). */
function requireValues(
  { fields, faults }: ElementContext,
  item: Item<NewElement>,
  values: KeptValues,
): void {
  for (const { id, name, isRequired } of fields.list)
    if (isRequired && !values?.[id])
      faults.add(item, {
        code: 'FieldMissing',
        path: 'custom_fields_values',
        detail: `The field ${id} (${name}) needs a value.`,
      })
}

function changedRow(
  writer: Writer,
  context: ElementContext,
  item: Item<ElementChange>,
  row: ElementRow,
): ElementRow {
  const sent = withoutStored(writer, item.value, row)
  checkPeople(context.groups, context.faults, item, sent)
  const next = {
    ...row,
    name: sent.name?.trim() ?? row.name,
    created_by: sent.created_by ?? row.created_by,
    created_at: sent.created_at ?? row.created_at,
    currency_id: sent.currency_id === undefined ? row.currency_id : sent.currency_id,
    custom_fields_values: valuesAfter(context, item, row.custom_fields_values),
  }
  return touched(writer, row, next, sent)
}

/** Locks elements. Throws 403 where the actor may not edit those of the catalog. */
async function lock(
  tx: Tx,
  actor: Actor,
  catalogId: number,
  ids: number[],
): Promise<Map<number, ElementRow>> {
  const statement = queries.lockElements(actor, catalogId, [...new Set(ids)], 'edit')
  const rows = await tx.rows<ElementRow & { allowed: boolean }>(statement)
  if (rows.some(({ allowed }) => !allowed))
    throw forbidden('You have no right to edit elements of this catalog')
  return new Map(rows.map(({ allowed: _, ...row }) => [row.id, row]))
}

function textOf(
  fields: Fields,
  { name, custom_fields_values }: Omit<ElementRow, 'id' | 'catalog_id'>,
) {
  const text = searchTextOf([withoutMarks(name), ...searchLines(fields, custom_fields_values)])
  return { text, grams: gramForm(text) }
}

function changedText(fields: Fields, { before, after }: RecordChange<ElementRow>) {
  const [was, is] = [textOf(fields, before), textOf(fields, after)]
  return was.text === is.text ? [] : [{ id: after.id, ...is }]
}

function changedEntry(fields: Fields, { before, after }: RecordChange<ElementRow>) {
  const changed = changedFields(before, after)
  return {
    type: 'catalog_elements' as const,
    id: after.id,
    entity: `catalog_${after.catalog_id}`,
    actions: ['update' as const],
    before: Object.fromEntries(changed.map((field) => [field, before[field]])),
    events: [
      ...(changed.includes('name')
        ? [
            bothSides('name_field_changed', before, after, ({ name }) => ({
              name_field_value: { name },
            })),
          ]
        : []),
      ...valueNews(fields, before.custom_fields_values, after.custom_fields_values),
    ],
  }
}

async function inOrder(
  reader: Reader,
  actor: Actor,
  base: string,
  catalogId: number,
  items: { request_id: string }[],
  ids: number[],
): Promise<string[]> {
  const rows = await reader.list<queries.ElementLine>(
    queries.writtenElements(actor, base, catalogId, ids),
  )
  const lines = await elementTexts(reader, actor, catalogId, rows)
  const byId = new Map(lines.map(({ id, json }) => [id, json]))
  return items.map(({ request_id }, index) => {
    const json = byId.get(ids[index]!)!
    return `${json.slice(0, -1)},"request_id":${JSON.stringify(request_id)}}`
  })
}
