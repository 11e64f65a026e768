// Choices are added, renamed, colored, moved and removed one by one. A page that sent the whole list
// would delete the choices that another administrator, or a program, has added since it was read
// (docs/decisions/0105-options-one-by-one.md).
import type { Actor } from '../../../../access/actor.ts'
import type { Reader, Tx } from '../../../../database/connect.ts'
import type { FieldOwner } from '../../../../entity-types.ts'
import { badRequest, invalidValue, notFound, Problem } from '../../../../http/problem.ts'
import { highestSort } from '../../../../http/types.ts'
import { cleanUpLater } from '../../../../records/clean-ups.ts'
import { fieldsChanged } from '../../../../records/fields/definitions.ts'
import { refreshSegmentsLater } from '../../segment-refresh/segment-refresh.ts'
import { forbidMoreChoices } from '../enums.ts'
import { shownManaged } from '../managed/managed-fields.ts'
import type { ManagedRow } from '../managed/managed-fields.ts'
import { movedBefore, sortedAnew } from '../managed/order.ts'
import {
  elementsWithEnum,
  managedFieldRows,
  recordWithEnum,
  segmentWithEnum,
  setEnums,
} from '../managed/queries.ts'
import type { ManagedField } from '../managed/schema.ts'
import { codesAndSorts, enumIds } from '../queries.ts'
import type { FieldScope } from '../scopes.ts'
import { mostEnums } from './schema.ts'
import type { AddedEnums, EnumChange } from './schema.ts'

/** A field whose choices the settings change. */
export type ChoicesRow = ManagedRow & { enums: NonNullable<ManagedRow['enums']> }

/**
 * Adds choices to the end of a list, in the order in which they are named. Names that the field has,
 * or that come twice, are left out and named in the answer. Unknown: 404, a field without choices of
 * its own: 400, too many: 422.
 */
export async function addEnums(
  tx: Tx,
  actor: Actor,
  scope: FieldScope,
  id: number,
  values: string[],
): Promise<AddedEnums> {
  const row = await lockChoices(tx, actor, scope, id)
  const { added, skipped } = newNames(row.enums, values)
  if (added.length === 0) return { field: shownManaged(row), skipped }
  if (row.enums.length + added.length > mostEnums)
    throw new Problem(
      422,
      `A field can have ${mostEnums} choices, and there are ${row.enums.length}`,
    )
  const ids = await newChoiceIds(tx, actor, scope, added.length)
  const last = row.enums.at(-1)?.sort ?? 0
  const drafts = added.map((value, index) => ({
    id: ids[index]!,
    value,
    sort: Math.min(last + 1 + index, highestSort),
    code: null,
  }))
  const after = { ...row, enums: sortedAnew([...row.enums, ...drafts]) }
  return { field: await writeChoices(tx, actor, scope, after), skipped }
}

/** Names that none of `present` has, and those that are left out: they are there already, or come twice. */
export function newNames(
  present: readonly { value: string }[],
  values: readonly string[],
): { added: string[]; skipped: string[] } {
  const taken = new Set(present.map(({ value }) => nameKey(value)))
  const [added, skipped]: [string[], string[]] = [[], []]
  for (const value of values.map((each) => each.trim())) {
    if (taken.has(nameKey(value))) skipped.push(value)
    else added.push(value)
    taken.add(nameKey(value))
  }
  return { added, skipped }
}

/** The ids of new choices, or categories. More than the fields of the entity type may have together: 422. */
export async function newChoiceIds(
  tx: Tx,
  actor: Actor,
  scope: FieldScope,
  count: number,
): Promise<number[]> {
  const known = await tx.rows<{ choices: number }>(codesAndSorts(actor, scope.type))
  forbidMoreChoices(
    scope.path,
    known.reduce((sum, { choices }) => sum + choices, 0),
    count,
  )
  return (await tx.rows<{ id: number }>(enumIds(count))).map(({ id }) => id)
}

/** Changes a choice. Unknown: 404, a name or a code that another choice has: 400. */
export async function changeEnum(
  tx: Tx,
  actor: Actor,
  scope: FieldScope,
  id: number,
  enumId: number,
  change: EnumChange,
): Promise<ManagedField> {
  const row = await lockChoices(tx, actor, scope, id)
  const before = choiceById(row, enumId)
  const value = change.value?.trim() ?? before.value
  const code = change.code === undefined ? before.code : (change.code?.trim() ?? null)
  const others = row.enums.filter((each) => each !== before)
  if (value !== before.value && others.some((each) => nameKey(each.value) === nameKey(value)))
    throw invalidValue('NotUnique', 'value', 'Another choice of the field has this name.')
  if (code !== null && others.some((each) => each.code === code))
    throw invalidValue('NotUnique', 'code', 'Another choice of the field has this code.')
  const { [enumId]: color, ...otherColors } = row.enum_colors
  const after = change.color === undefined ? color : (change.color ?? undefined)
  return writeChoices(tx, actor, scope, {
    ...row,
    enums: row.enums.map((each) => (each === before ? { ...each, value, code } : each)),
    enum_colors: after === undefined ? otherColors : { ...otherColors, [enumId]: after },
  })
}

/** Moves a choice before another, or to the end. Unknown: 404; before one that is not there: 400. */
export async function moveEnum(
  tx: Tx,
  actor: Actor,
  scope: FieldScope,
  id: number,
  enumId: number,
  before: number | null,
): Promise<ManagedField> {
  const row = await lockChoices(tx, actor, scope, id)
  const order = movedBefore(row.enums, choiceById(row, enumId), before)
  if (!order)
    throw invalidValue('NotSupportedChoice', 'before', `The field has no choice ${before}.`)
  return writeChoices(tx, actor, scope, { ...row, enums: sortedAnew(order) })
}

/**
 * Removes a choice that no record has, those in the bin included. The last choice stays: 400; one
 * that records have: 422. Elements of a catalog may lose it, with `takesValues`. The clean-up takes it
 * off them, and off records that are written at the same moment.
 */
export async function removeEnum(
  tx: Tx,
  actor: Actor,
  scope: FieldScope,
  id: number,
  enumId: number,
  takesValues = false,
): Promise<ManagedField> {
  const row = await lockChoices(tx, actor, scope, id)
  choiceById(row, enumId)
  if (row.enums.length === 1) throw badRequest('The last choice of a field stays')
  if (scope.catalog_id !== undefined) {
    if (!takesValues) await forbidChosen(tx, actor, scope.catalog_id, id, [enumId])
  } else if (await holdsEnum(tx, actor, scope, id, enumId))
    throw new Problem(422, 'Records have this choice')
  const field = await writeChoices(tx, actor, scope, {
    ...row,
    enums: row.enums.filter((each) => each.id !== enumId),
  })
  await cleanUpLater(tx, actor, { entity_type: scope.type, field_id: id, enum_ids: [enumId] })
  if (scope.type === 'customers') await refreshSegmentsLater(tx, actor)
  return field
}

/** Elements have no index of values, so that only the latest of a catalog are looked at. */
const elementsLookedAt = 1000

/** Throws 422 where an element has one of the choices, or may have, since there are many elements. */
export async function forbidChosen(
  tx: Tx,
  actor: Actor,
  catalogId: number,
  id: number,
  enumIds: number[],
): Promise<void> {
  const { looked_at, holds } = (await tx.row<{ looked_at: number; holds: boolean }>(
    elementsWithEnum(actor, catalogId, id, enumIds, elementsLookedAt + 1),
  ))!
  if (holds || looked_at > elementsLookedAt) throw new Problem(422, 'Elements may have this choice')
}

/** Segments have no index of values, and are few. */
async function holdsEnum(
  tx: Tx,
  actor: Actor,
  { type }: FieldScope,
  id: number,
  enumId: number,
): Promise<boolean> {
  const statement =
    type === 'segments'
      ? segmentWithEnum(actor, id, enumId)
      : recordWithEnum(actor, type, id, enumId)
  return (await tx.row(statement)) !== undefined
}

/** Names of choices differ in more than case. */
export const nameKey = (value: string) => value.trim().toLowerCase()

/** The field; no other transaction changes definitions of the account until this one ends. */
export async function lockChoices(
  tx: Tx,
  actor: Actor,
  scope: FieldScope,
  id: number,
): Promise<ChoicesRow> {
  await fieldsChanged(tx, actor.accountId)
  return readChoices(tx, actor, scope.type, id)
}

/** The field with its choices. Unknown: 404, a field without choices of its own: 400. */
export async function readChoices(
  reader: Reader,
  actor: Actor,
  type: FieldOwner,
  id: number,
): Promise<ChoicesRow> {
  const row = await choicesOfField(reader, actor, type, id)
  if (!row) throw notFound()
  return row
}

/** The same; undefined for an unknown field. */
export async function choicesOfField(
  reader: Reader,
  actor: Actor,
  type: FieldOwner,
  id: number,
): Promise<ChoicesRow | undefined> {
  const row = await reader.row<ManagedRow>(managedFieldRows(actor, type, [id]))
  if (!row) return undefined
  if (!['select', 'multiselect', 'radiobutton'].includes(row.type))
    throw badRequest('The field has no choices of its own')
  if (row.is_predefined) throw badRequest('The choices of a predefined field stay as they are')
  return { ...row, enums: row.enums ?? [] }
}

export function choiceById({ enums }: ChoicesRow, enumId: number): ChoicesRow['enums'][number] {
  const found = enums.find(({ id }) => id === enumId)
  if (!found) throw notFound()
  return found
}

/** Colors of choices that are gone go as well. */
export async function writeChoices(
  tx: Tx,
  actor: Actor,
  scope: Pick<FieldScope, 'type'>,
  row: ChoicesRow,
): Promise<ManagedField> {
  const colors = Object.fromEntries(
    row.enums.flatMap(({ id }) => (row.enum_colors[id] ? [[id, row.enum_colors[id]]] : [])),
  )
  await tx.rows(setEnums(actor, scope.type, row.id, row.enums, colors))
  return shownManaged(row)
}
