// Custom fields: the definitions of values on records. Definitions are no records, so neither the
// journal nor the event log has their changes. Every verb begins with `fieldsChanged`, which
// serializes changes within an account and makes the remembered definitions of all processes stale.
import type { Tx } from '../../../database/connect.ts'
import { cleanUpLater } from '../../../records/clean-ups.ts'
import { fieldsChanged } from '../../../records/fields/definitions.ts'
import type { Actor } from '../../../access/actor.ts'
import type { Batch, Faults, Item } from '../../../http/batch.ts'
import { badRequest, notFound, Problem } from '../../../http/problem.ts'
import { highestSort } from '../../../http/types.ts'
import type { FieldOwner } from '../../../entity-types.ts'
import { viewedCatalogs } from '../catalogs/catalogs.ts'
import { stagesAround } from '../pipelines/pipelines.ts'
import { changeField, draftField } from './drafts.ts'
import type { FieldContext } from './drafts.ts'
import { forbidMoreChoices, removedEnums } from './enums.ts'
import { refreshSegmentsLater } from '../segment-refresh/segment-refresh.ts'
import * as queries from './queries.ts'
import type { Category, FieldRow } from './queries.ts'
import type { FieldChange, FieldDraft } from './schema.ts'
import { fitting } from './schema.ts'
import type { FieldScope } from './scopes.ts'

export {
  checkOptionRemoval,
  holdOptions,
  isOption,
  putBackOption,
  requireOptions,
  takeOutOption,
} from './options/removal.ts'
export type { LeavingOption, OptionTaken } from './options/removal.ts'
export { fieldGroupSummaries, fieldSummaries } from './queries.ts'

/** Fields of one entity type or catalog at most: each process remembers all of them. */
const mostFields = 1000
/** Fields of segments at most (interface: Limits). */
const mostSegmentFields = 30

export type WrittenField = FieldRow & { request_id: string }

/**
 * Creates fields and answers them in request order. One invalid item refuses the batch. More fields
 * than allowed for the entity type: 422.
 */
export async function createFields(
  tx: Tx,
  actor: Actor,
  { path, holder, type }: FieldScope,
  { items, faults }: Batch<FieldDraft>,
): Promise<WrittenField[]> {
  await fieldsChanged(tx, actor.accountId)
  const known = await tx.rows<KnownField>(queries.codesAndSorts(actor, type))
  const around = await aroundOf(tx, actor, type, items)
  const last = Math.max(0, ...known.map(({ sort }) => sort))
  const drafts = items.map((item, index) =>
    draftField(around, item, Math.min(last + 1 + index, highestSort), faults),
  )
  checkCodes(
    known,
    items.map((item, index) => ({ item, code: drafts[index]!.code })),
    faults,
  )
  faults.throwIfAny()
  const most = holder === 'segments' ? mostSegmentFields : mostFields
  if (known.length + drafts.length > most)
    throw new Problem(
      422,
      `There can be ${most} custom fields of ${path}, and there are ${known.length}`,
    )
  forbidMoreChoices(path, sumOf(known), countChoices(drafts))
  const made = await tx.rows<FieldRow>(
    queries.insertFields(actor, type, await withEnumIds(tx, drafts)),
  )
  return items.map(({ request_id }, index) => ({ ...made[index]!, request_id }))
}

/**
 * Changes fields and answers them in request order. Several items for one field apply in turn. The
 * background clean-up removes deleted choices from records. An unknown id is a fault of its item,
 * or a 404 problem. More choices than allowed for the entity type: 422.
 */
export async function changeFields(
  tx: Tx,
  actor: Actor,
  { path, type }: FieldScope,
  { items, faults }: Batch<FieldChange>,
  missing: 'fault' | 'notFound' = 'fault',
): Promise<WrittenField[]> {
  await fieldsChanged(tx, actor.accountId)
  const ids = [...new Set(items.map(({ value }) => value.id))]
  const before = new Map(
    (await tx.rows<FieldRow>(queries.fieldsById(actor, type, ids))).map((row) => [row.id, row]),
  )
  const around = await aroundOf(tx, actor, type, items)
  const rows = new Map(before)
  for (const item of items) {
    const row = rows.get(item.value.id)
    if (row) rows.set(row.id, changeField(around, item, row, faults))
    else if (missing === 'notFound') throw notFound()
    else
      faults.add(item, {
        code: 'EntityNotFound',
        path: 'id',
        detail: `There is no custom field ${item.value.id} of ${path}.`,
      })
  }
  const others = await tx.rows<KnownField>(queries.codesAndSorts(actor, type))
  checkCodes(
    others.filter(({ id }) => !rows.has(id)),
    [...rows.values()].map(({ id, code }) => ({
      item: items.findLast(({ value }) => value.id === id)!,
      code,
    })),
    faults,
  )
  faults.throwIfAny()
  forbidMoreChoices(
    path,
    sumOf(others),
    countChoices([...rows.values()]) - countChoices([...before.values()]),
  )

  const after = await withEnumIds(tx, [...rows.values()])
  await tx.rows(queries.releaseCodes(actor, type, ids))
  await tx.rows(queries.updateFields(actor, type, after))
  const twins = after.filter((row) => row.type === 'multitext')
  if (twins.length > 0) await tx.rows(queries.renameTwins(actor, type, twins))
  const removed = after.map(({ id, enums, nested }) => ({
    id,
    enum_ids: removedEnums(before.get(id)!.enums ?? before.get(id)!.nested, enums ?? nested),
  }))
  const leftovers = removed.filter(({ enum_ids }) => enum_ids.length > 0)
  await cleanUpLater(
    tx,
    actor,
    ...leftovers.map(({ id, enum_ids }) => ({ entity_type: type, field_id: id, enum_ids })),
  )
  if (type === 'customers' && leftovers.length > 0) await refreshSegmentsLater(tx, actor)
  const byId = new Map(after.map((row) => [row.id, row]))
  return items.map(({ value, request_id }) => ({ ...byId.get(value.id)!, request_id }))
}

/** Deletes a field; the background clean-up removes its values. Unknown: 404, predefined: 400. */
export async function deleteField(
  tx: Tx,
  actor: Actor,
  { type }: FieldScope,
  id: number,
): Promise<void> {
  await fieldsChanged(tx, actor.accountId)
  const row = await tx.row<FieldRow>(queries.fieldsById(actor, type, [id]))
  if (!row) throw notFound()
  if (!row.is_deletable) throw badRequest('A predefined custom field cannot be deleted')
  await tx.rows(queries.removeField(actor, type, id))
  await cleanUpLater(tx, actor, { entity_type: type, field_id: id })
  if (type === 'customers') await refreshSegmentsLater(tx, actor)
}

/** A field as the interface shows it. */
export function showField(
  actor: Actor,
  base: string,
  { path, holder, catalog_id }: FieldScope,
  row: FieldRow | WrittenField,
): object {
  const whole: Record<string, unknown> = {
    ...row,
    account_id: actor.accountId,
    is_computed: false,
    entity_type: holder,
    catalog_id,
    settings: null,
    triggers: [],
    _links: { self: { href: `${base}/api/v4/${path}/custom_fields/${row.id}` } },
  }
  return fitting(holder, whole)
}

interface KnownField {
  id: number
  code: string | null
  sort: number
  choices: number
}

const sumOf = (known: KnownField[]) => known.reduce((sum, { choices }) => sum + choices, 0)

const countChoices = (rows: FieldRow[]) =>
  rows.reduce((sum, { enums, nested }) => sum + (enums ?? nested ?? []).length, 0)

async function aroundOf(
  tx: Tx,
  actor: Actor,
  type: FieldOwner,
  items: Item<FieldDraft>[],
): Promise<FieldContext> {
  const named = items.flatMap(({ value }) => [
    ...(value.required_statuses ?? []),
    ...(value.hidden_statuses ?? []),
  ])
  const pipelines = [...new Set(named.map(({ pipeline_id }) => pipeline_id))]
  const stages = pipelines.length > 0 ? await stagesAround(tx, actor, pipelines, []) : undefined
  const groups = await tx.rows<{ id: string }>(queries.groupIds(actor, type))
  const namesCatalogs = items.some(({ value }) => value.chained_lists ?? value.search_in)
  return {
    catalogs: new Set(namesCatalogs ? await viewedCatalogs(tx, actor) : []),
    groups: new Set(groups.map(({ id }) => id)),
    hasStatus: ({ pipeline_id, status_id }) => stages?.has(pipeline_id, status_id) === true,
  }
}

/** Writers name a field by its code, so a code is unique within the entity type. */
function checkCodes(
  others: KnownField[],
  batch: { item: Item<FieldDraft>; code: string | null }[],
  faults: Faults,
): void {
  const taken = new Set(others.map(({ code }) => code))
  for (const { item, code } of batch) {
    if (code !== null && taken.has(code))
      faults.add(item, { code: 'NotUnique', path: 'code', detail: 'Another field has this code.' })
    taken.add(code)
  }
}

async function withEnumIds(tx: Tx, rows: FieldRow[]): Promise<FieldRow[]> {
  const choices = rows.flatMap(
    ({ enums, nested }): { id: number | null }[] => enums ?? nested ?? [],
  )
  const count = choices.filter(({ id }) => id === null).length
  if (count === 0) return rows
  const ids = (await tx.rows<{ id: number }>(queries.enumIds(count))).map(({ id }) => id)
  return rows.map((row) => ({
    ...row,
    enums: row.enums?.map((choice) => ({ ...choice, id: choice.id ?? ids.shift()! })) ?? null,
    nested:
      row.nested &&
      withParents(
        row.nested.map(({ id }) => id ?? ids.shift()!),
        row.nested,
      ),
  }))
}

/** The categories with their ids, and those of their parents. */
function withParents(ids: number[], nested: Category[]): Category[] {
  return nested.map(({ parentPlace: parentIndex, ...category }, index) => ({
    ...category,
    id: ids[index]!,
    parent_id: parentIndex === undefined ? category.parent_id : ids[parentIndex]!,
  }))
}
