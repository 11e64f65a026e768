// Custom fields: the definitions of what records can be given values of. They are no records: nothing about them is in the journal or the
// event log. Every verb begins with `fieldsChanged`, so one at a time of an account works on them, and what processes remember is stale.
import type { Tx } from '../../database/connect.ts'
import { cleanUpLater } from '../../records/clean-ups.ts'
import { fieldsChanged } from '../../records/fields/definitions.ts'
import type { Actor } from '../../access/actor.ts'
import type { Batch, Faults, Item } from '../../http/batch.ts'
import { badRequest, notFound, Problem } from '../../http/problem.ts'
import { highestSort } from '../../http/types.ts'
import type { EntityType } from '../../entity-types.ts'
import { stagesAround } from '../pipelines/pipelines.ts'
import { changeField, draftField } from './drafts.ts'
import type { FieldContext } from './drafts.ts'
import { removedEnums } from './enums.ts'
import * as queries from './queries.ts'
import type { FieldRow } from './queries.ts'
import type { FieldChange, FieldDraft, FieldScope } from './schema.ts'
import { fitting } from './schema.ts'

/** Fields of one kind of record: each process remembers them all. */
const mostFields = 1000
/** Choices of all of them together. */
const mostChoices = 20_000

export type WrittenField = FieldRow & { request_id: string }

/** Creates fields; answers them in the order of the question. One bad item refuses the batch. More than a kind may have: 422. */
export async function createFields(
  tx: Tx,
  actor: Actor,
  { type }: FieldScope,
  { items, faults }: Batch<FieldDraft>,
): Promise<WrittenField[]> {
  await fieldsChanged(tx, actor.accountId)
  const known = await tx.rows<KnownField>(queries.codesAndSorts(actor, type))
  const around = await aroundOf(tx, actor, type, items)
  const last = Math.max(0, ...known.map(({ sort }) => sort))
  const drafts = items.map((item, place) =>
    draftField(around, item, Math.min(last + 1 + place, highestSort), faults),
  )
  checkCodes(
    known,
    items.map((item, place) => ({ item, code: drafts[place]!.code })),
    faults,
  )
  faults.throwIfAny()
  if (known.length + drafts.length > mostFields)
    throw new Problem(
      422,
      `There can be ${mostFields} custom fields of ${type}, and there are ${known.length}`,
    )
  forbidMoreChoices(type, sumOf(known), countChoices(drafts))
  const made = await tx.rows<FieldRow>(
    queries.insertFields(actor, type, await withEnumIds(tx, drafts)),
  )
  return items.map(({ request_id }, place) => ({ ...made[place]!, request_id }))
}

/**
 * Changes fields; answers them in the order of the question. Two items for one field count one after the other. Choices that go are taken
 * off the records in the background. An unknown id is a fault of its item, or a 404 problem. More choices than a kind may have: 422.
 */
export async function changeFields(
  tx: Tx,
  actor: Actor,
  { type }: FieldScope,
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
        detail: `There is no custom field ${item.value.id} of ${type}.`,
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
    type,
    sumOf(others),
    countChoices([...rows.values()]) - countChoices([...before.values()]),
  )

  const after = await withEnumIds(tx, [...rows.values()])
  await tx.rows(queries.releaseCodes(actor, type, ids))
  await tx.rows(queries.updateFields(actor, type, after))
  const twins = after.filter((row) => row.type === 'multitext')
  if (twins.length > 0) await tx.rows(queries.renameTwins(actor, type, twins))
  const removed = after.map(({ id, enums }) => ({
    id,
    enum_ids: removedEnums(before.get(id)!.enums, enums),
  }))
  const leftovers = removed.filter(({ enum_ids }) => enum_ids.length > 0)
  await cleanUpLater(
    tx,
    actor,
    ...leftovers.map(({ id, enum_ids }) => ({ entity_type: type, field_id: id, enum_ids })),
  )
  const byId = new Map(after.map((row) => [row.id, row]))
  return items.map(({ value, request_id }) => ({ ...byId.get(value.id)!, request_id }))
}

/** Deletes a field; its values are taken off the records in the background. Unknown: 404, predefined: 400. */
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
}

/** A field as the interface shows it. */
export function showField(
  actor: Actor,
  base: string,
  { path, type }: FieldScope,
  row: FieldRow | WrittenField,
): object {
  const whole: Record<string, unknown> = {
    ...row,
    account_id: actor.accountId,
    is_computed: false,
    entity_type: type,
    triggers: [],
    _links: { self: { href: `${base}/api/v4/${path}/custom_fields/${row.id}` } },
  }
  return fitting(type, whole)
}

interface KnownField {
  id: number
  code: string | null
  sort: number
  choices: number
}

/** Where there are too many already, they may become fewer. */
function forbidMoreChoices(type: EntityType, there: number, more: number): void {
  if (more > 0 && there + more > mostChoices)
    throw new Problem(
      422,
      `The custom fields of ${type} can have ${mostChoices} choices in all, and they have ${there}`,
    )
}

const sumOf = (known: KnownField[]) => known.reduce((sum, { choices }) => sum + choices, 0)

const countChoices = (rows: FieldRow[]) =>
  rows.reduce((sum, { enums }) => sum + (enums?.length ?? 0), 0)

async function aroundOf(
  tx: Tx,
  actor: Actor,
  type: EntityType,
  items: Item<FieldDraft>[],
): Promise<FieldContext> {
  const places = items.flatMap(({ value }) => [
    ...(value.required_statuses ?? []),
    ...(value.hidden_statuses ?? []),
  ])
  const pipelines = [...new Set(places.map(({ pipeline_id }) => pipeline_id))]
  const stages = pipelines.length > 0 ? await stagesAround(tx, actor, pipelines, []) : undefined
  const groups = await tx.rows<{ id: string }>(queries.groupIds(actor, type))
  return {
    groups: new Set(groups.map(({ id }) => id)),
    hasStatus: ({ pipeline_id, status_id }) => stages?.has(pipeline_id, status_id) === true,
  }
}

/** A code is what writers call a field by, so it is one field's among those of a kind. */
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
  const count = rows.flatMap(({ enums }) => enums ?? []).filter(({ id }) => id === null).length
  if (count === 0) return rows
  const ids = (await tx.rows<{ id: number }>(queries.enumIds(count))).map(({ id }) => id)
  return rows.map((row) => ({
    ...row,
    enums: row.enums?.map((choice) => ({ ...choice, id: choice.id ?? ids.shift()! })) ?? null,
  }))
}
