// Definitions as the settings change them: each verb changes one member, and reads what is there
// under the lock of the account (docs/decisions/0105-options-one-by-one.md).
import type { Actor } from '../../../../access/actor.ts'
import type { PipelineStatus } from '../../../../access/rights.ts'
import type { Reader, Tx } from '../../../../database/connect.ts'
import type { FieldOwner } from '../../../../entity-types.ts'
import { badRequest, invalidValue, notFound, Problem } from '../../../../http/problem.ts'
import { fieldsChanged } from '../../../../records/fields/definitions.ts'
import { fieldTypeFacts, fieldTypes, isTypeOf } from '../../../../records/fields/types.ts'
import type { FieldType } from '../../../../records/fields/types.ts'
import { stagesAround } from '../../pipelines/pipelines.ts'
import { fieldGroupList } from '../groups/queries.ts'
import type { FieldGroupRow } from '../groups/queries.ts'
import { fieldsById } from '../queries.ts'
import type { FieldRow } from '../queries.ts'
import { fitting } from '../schema.ts'
import { fieldPlaces } from '../scopes.ts'
import type { FieldScope } from '../scopes.ts'
import { movedBefore, sortedAnew } from './order.ts'
import {
  managedFieldRows,
  placesOfFields,
  recordsAmongLatest,
  recordsByKeys,
  setGroupPlaces,
  setPlaces,
  setStages,
} from './queries.ts'
import type { FieldMove, FieldStage, FieldUsage, ManagedField, ManagedFields } from './schema.ts'

/** The scope that a name says, as the paths of the settings have it. An unknown catalog: 404. */
export async function scopeNamed(
  reader: Reader,
  actor: Actor,
  name: FieldOwner,
): Promise<FieldScope> {
  const [holder, catalog] = name.split(':')
  const place = fieldPlaces.find((each) => each.holder === holder)!
  return place.scopeOf(reader, actor, catalog === undefined ? {} : { catalog_id: Number(catalog) })
}

/** A stored definition with the colors of its choices, which the interface does not show. */
export interface ManagedRow extends Omit<FieldRow, 'enums' | 'nested'> {
  enums: Omit<NonNullable<ManagedField['enums']>[number], 'color'>[] | null
  enum_colors: Record<string, string>
  nested: ManagedField['nested']
}

/** The groups and fields of an entity type, in their order. */
export async function readManagedFields(
  reader: Reader,
  actor: Actor,
  { type, holder }: FieldScope,
): Promise<ManagedFields> {
  const groups = await reader.list<FieldGroupRow>(fieldGroupList(actor, type))
  const rows = await reader.list<ManagedRow>(managedFieldRows(actor, type))
  return {
    groups: groups.map(({ id, name, sort, is_predefined }) => ({ id, name, sort, is_predefined })),
    fields: rows.map(shownManaged),
    types: (Object.keys(fieldTypes) as FieldType[]).filter((name) => isTypeOf(name, holder)),
  }
}

/** One field, as it is after a change. Unknown: 404. */
export async function readManagedField(
  reader: Reader,
  actor: Actor,
  { type }: FieldScope,
  id: number,
): Promise<ManagedField> {
  const row = await reader.row<ManagedRow>(managedFieldRows(actor, type, [id]))
  if (!row) throw notFound()
  return shownManaged(row)
}

export function shownManaged({ enum_colors, enums, ...row }: ManagedRow): ManagedField {
  return {
    ...row,
    enums: enums?.map((each) => ({ ...each, color: enum_colors[each.id] ?? null })) ?? null,
  }
}

/** Index rows, or records, that one request for the usage of fields reads. */
const rowsRead = 100_000
/** Index rows read for one field at most. */
const rowsOfField = 1001
/** Of fields that no index has, the latest records are looked at: each may hold 256 kB of values. */
const latestRead = 250

/**
 * How many records have a value of each field. Beyond 1,000, or fewer where there are more than 100
 * fields, the number is a lower bound. Types that no list is filtered by have no index, nor have
 * segments and elements of catalogs; of these only the latest are looked at.
 */
export async function readFieldUsage(
  reader: Reader,
  actor: Actor,
  scope: FieldScope,
): Promise<FieldUsage> {
  const { type, holder } = scope
  const fields = await reader.list<{ id: number; type: FieldType }>(managedFieldRows(actor, type))
  const isIndexed = holder !== 'segments' && holder !== 'catalogs'
  const by = Map.groupBy(fields, (field) => (isIndexed ? indexOf(field) : 'latest'))
  const most = Math.max(101, Math.min(rowsOfField, Math.floor(rowsRead / (fields.length + 1))))
  const usage = new Map<number, FieldUsage['fields'][number]>()
  for (const table of ['field_numbers', 'field_texts'] as const) {
    const ids = (by.get(table) ?? []).map(({ id }) => id)
    if (ids.length === 0) continue
    const counted = await reader.list<{ id: number; rows: number; records: number }>(
      recordsByKeys(actor, type, table, ids, most),
    )
    for (const { id, rows, records } of counted)
      usage.set(id, { id, at_least: records, is_exact: rows < most })
  }
  const others = (by.get('latest') ?? []).map(({ id }) => id)
  if (others.length > 0) {
    const { rows, used } = (await reader.row<{ rows: number; used: Record<string, number> }>(
      recordsAmongLatest(actor, scope, others, latestRead + 1),
    ))!
    for (const id of others)
      usage.set(id, { id, at_least: used[id] ?? 0, is_exact: rows <= latestRead })
  }
  return { fields: fields.map(({ id }) => usage.get(id) ?? { id, at_least: 0, is_exact: true }) }
}

/** The table whose key has the values of a field (records/fields/values.ts). */
function indexOf({ type }: { type: FieldType }): 'field_numbers' | 'field_texts' | 'latest' {
  const { behaviour } = fieldTypeFacts(type)
  if (type === 'file' || type === 'multitext' || behaviour === 'text') return 'field_texts'
  return behaviour === 'object' || behaviour === 'labelled' ? 'latest' : 'field_numbers'
}

/**
 * Moves a field before another of a group, or to the end of the group. Unknown: 404; a group or a
 * field that is not there: 400.
 */
export async function moveField(
  tx: Tx,
  actor: Actor,
  scope: FieldScope,
  id: number,
  { group_id, before }: FieldMove,
): Promise<ManagedField> {
  const { type } = scope
  await fieldsChanged(tx, actor.accountId)
  const all = await tx.list<{ id: number; sort: number; group: string }>(
    placesOfFields(actor, type),
  )
  const moved = all.find((field) => field.id === id)
  if (!moved) throw notFound()
  const group = group_id ?? 'default'
  if (group !== moved.group) {
    const groups = await tx.list<FieldGroupRow>(fieldGroupList(actor, type, [group]))
    if (groups.length === 0)
      throw invalidValue('NotSupportedChoice', 'group_id', `There is no group ${group}.`)
  }
  const order = movedBefore(
    all.filter((field) => field.group === group),
    moved,
    before,
  )
  if (!order)
    throw invalidValue('NotSupportedChoice', 'before', `The group has no field ${before}.`)
  const stored = group === 'default' ? null : group
  await tx.rows(setPlaces(actor, type, stored, sortedAnew(order)))
  return readManagedField(tx, actor, scope, id)
}

/** Moves a group before another, or to the end. Unknown: 404; before one that is not there: 400. */
export async function moveFieldGroup(
  tx: Tx,
  actor: Actor,
  scope: FieldScope,
  id: string,
  before: string | null,
): Promise<ManagedFields> {
  await fieldsChanged(tx, actor.accountId)
  const groups = await tx.list<FieldGroupRow>(fieldGroupList(actor, scope.type))
  const moved = groups.find((group) => group.id === id)
  if (!moved) throw notFound()
  const order = movedBefore(groups, moved, before)
  if (!order) throw invalidValue('NotSupportedChoice', 'before', `There is no group ${before}.`)
  await tx.rows(setGroupPlaces(actor, scope.type, sortedAnew(order)))
  return readManagedFields(tx, actor, scope)
}

/** The stages of one list at most, as the interface has it. */
const mostStages = 100

/**
 * Puts one stage on the list of those that ask for the field, or that hide it, or takes it off.
 * Doing so twice changes nothing. Unknown field: 404; a stage that is not there, or a list that the
 * entity type lacks: 400; too many stages: 422.
 */
export async function setFieldStage(
  tx: Tx,
  actor: Actor,
  scope: FieldScope,
  id: number,
  { list, pipeline_id, status_id }: FieldStage,
  isOn: boolean,
): Promise<ManagedField> {
  const key = `${list}_statuses` as const
  if (!(key in fitting(scope.holder, { [key]: true })))
    throw badRequest(`Fields of ${scope.path} have no ${list} statuses`)
  await fieldsChanged(tx, actor.accountId)
  const field = await tx.row<FieldRow>(fieldsById(actor, scope.type, [id]))
  if (!field) throw notFound()
  const named = (stage: PipelineStatus) =>
    stage.pipeline_id === pipeline_id && stage.status_id === status_id
  const isThere = field[key].some(named)
  if (isOn && !isThere) {
    const stages = await stagesAround(tx, actor, [pipeline_id], [])
    if (!stages.has(pipeline_id, status_id))
      throw badRequest(`Pipeline ${pipeline_id} has no status ${status_id}`)
    if (field[key].length >= mostStages)
      throw new Problem(422, `A field can have ${mostStages} ${list} statuses`)
  }
  if (isOn !== isThere) {
    const others = field[key].filter((stage) => !named(stage))
    const after = isOn ? [...others, { status_id, pipeline_id }] : others
    await tx.rows(setStages(actor, scope.type, id, list, after))
  }
  return readManagedField(tx, actor, scope, id)
}
