// Segments of customers: a customer may be in several. They are structure of the account like
// pipelines, so neither the journal nor the event log has their changes; that a customer enters or
// leaves one is a change of the customer (docs/decisions/0037-segments.md).
import { isDeepStrictEqual } from 'node:util'
import sql from 'sql-template-tag'
import { lockAccount } from '../../../access/account.ts'
import { startWriting, timeOfChange } from '../../../access/actor.ts'
import type { Actor } from '../../../access/actor.ts'
import type { Reader, Tx } from '../../../database/connect.ts'
import type { Batch, Faults, Item } from '../../../http/batch.ts'
import { Problem, badRequest, invalidFor, notFound } from '../../../http/problem.ts'
import { cleanUpLater } from '../../../records/clean-ups.ts'
import { fieldsOf } from '../../../records/fields/definitions.ts'
import { noVersions } from '../../../records/fields/files.ts'
import { valuesText } from '../../../records/fields/show.ts'
import { valuesAfter } from '../../../records/writing/context.ts'
import { productPriceTypes } from '../../definitions/catalogs/catalogs.ts'
import { refreshCustomersLater } from '../../definitions/segment-refresh/segment-refresh.ts'
import { conditionFaults, livingRules } from './check.ts'
import type { SegmentRule } from './conditions.ts'
import * as queries from './queries.ts'
import type { SegmentLine, SegmentRow } from './queries.ts'
import { segmentColorFaults, segmentColors } from './schema.ts'
import type { NewSegment, SegmentChange, SegmentConditions } from './schema.ts'

export { segmentsOf } from './conditions.ts'
export type { SegmentFacts, SegmentRule } from './conditions.ts'
export { inSegments, linkedSegments, segmentSummaries } from './queries.ts'

/** Segments of an account at most (interface: Limits). */
const mostSegments = 100
/** All segments of an account together: evaluating a customer by them takes a millisecond at most. */
const mostConditions = 300

/** Creates a segment and answers its id. More than allowed: 422. */
export async function createSegment(
  tx: Tx,
  actor: Actor,
  batch: Batch<NewSegment>,
): Promise<number> {
  batch.faults.throwIfAny()
  // No other transaction adds segments until this one ends, so the count stays true.
  await tx.rows(lockAccount(actor))
  const [item] = batch.items
  const { name, color = segmentColors[0]! } = item!.value
  const row = {
    name: name.trim(),
    color: color.toLowerCase(),
    available_products_price_types: await priceTypesAfter(tx, actor, batch.faults, item!, []),
    custom_fields_values: await valuesOfSegment(tx, actor, batch, null),
    created_at: actor.at,
    updated_at: actor.at,
  }
  for (const fault of segmentColorFaults(color)) batch.faults.add(item!, fault)
  batch.faults.throwIfAny()
  const { total } = (await tx.row<{ total: number }>(queries.countSegments(actor)))!
  if (total >= mostSegments)
    throw new Problem(422, `An account has at most ${mostSegments} segments`)
  return (await tx.row<{ id: number }>(queries.insertSegment(actor, row)))!.id
}

/**
 * Changes a segment. An unchanged value counts as not sent. Unknown: 404; nothing to change: 400.
 */
export async function changeSegment(
  tx: Tx,
  actor: Actor,
  id: number,
  batch: Batch<SegmentChange>,
): Promise<void> {
  batch.faults.throwIfAny()
  const [item] = batch.items
  const { name, color, available_products_price_types, custom_fields_values } = item!.value
  const sent = [name, color, available_products_price_types, custom_fields_values]
  if ([...sent, item!.value.request_id].every((each) => each === undefined))
    throw badRequest(
      'Say what to change: name, color, available_products_price_types or custom_fields_values',
    )
  await tx.rows(lockAccount(actor))
  const row = await tx.row<SegmentRow>(queries.segmentRow(actor, id))
  if (!row) throw notFound('Segment not found')
  const before = row.available_products_price_types
  const next = {
    ...row,
    name: name?.trim() ?? row.name,
    color: color?.toLowerCase() ?? row.color,
    available_products_price_types: await priceTypesAfter(tx, actor, batch.faults, item!, before),
    custom_fields_values: await valuesOfSegment(tx, actor, batch, row.custom_fields_values),
  }
  for (const fault of segmentColorFaults(color)) batch.faults.add(item!, fault)
  batch.faults.throwIfAny()
  const writer = startWriting(tx, actor)
  if (!isDeepStrictEqual(next, row))
    await tx.rows(
      queries.updateSegment(writer, { ...next, updated_at: timeOfChange(writer, row.created_at) }),
    )
}

/** Deletes a segment. The background takes its customers out. Unknown: 404. */
export async function deleteSegment(tx: Tx, actor: Actor, id: number): Promise<void> {
  await tx.rows(lockAccount(actor))
  if (!(await tx.row(queries.removeSegment(actor, id)))) throw notFound('Segment not found')
  await cleanUpLater(tx, actor, { entity_type: 'customers', segment_id: id })
}

/** The conditions by which customers enter and leave a segment. Unknown: 404. */
export async function readConditions(
  reader: Reader,
  actor: Actor,
  id: number,
): Promise<SegmentConditions> {
  const conditions = await reader.row<SegmentConditions>(queries.conditionsOf(actor, id))
  if (!conditions) throw notFound('Segment not found')
  return conditions
}

/**
 * Replaces the conditions of a segment, and has all customers evaluated by them. Unknown segment:
 * 404; unknown tag or field: 400; too many conditions in the account: 422.
 */
export async function setConditions(
  tx: Tx,
  actor: Actor,
  id: number,
  conditions: SegmentConditions,
): Promise<void> {
  await tx.rows(lockAccount(actor))
  const before = await readConditions(tx, actor, id)
  const errors = await conditionFaults(tx, actor, conditions, before)
  if (errors.length > 0) throw invalidFor(...errors)
  await tx.rows(queries.updateConditions(actor, id, conditions))
  const { count } = (await tx.row<{ count: number }>(queries.countConditions(actor)))!
  if (count > mostConditions)
    throw new Problem(422, `The segments of an account have at most ${mostConditions} conditions`)
  await refreshCustomersLater(tx, actor)
}

/** The rules of the account: the segments that have entry conditions. */
export async function segmentRules(reader: Reader, actor: Actor): Promise<SegmentRule[]> {
  return livingRules(reader, actor, await reader.rows<SegmentRule>(queries.segmentRuleRows(actor)))
}

/** Throws a 422 problem where segments are off. */
export async function requireSegments(reader: Reader, actor: Actor): Promise<void> {
  const account = await reader.row<{ is_segments_on: boolean }>(
    sql`select is_segments_on from accounts where id = ${actor.accountId}`,
  )
  if (!account!.is_segments_on)
    throw new Problem(422, 'Segments of customers are turned off in this account')
}

/** A segment as JSON text; undefined where there is none. */
export async function findSegment(
  reader: Reader,
  actor: Actor,
  base: string,
  id: number,
): Promise<string | undefined> {
  const line = await reader.row<SegmentLine>(queries.oneSegment(actor, id))
  return line && (await segmentTexts(reader, actor, base, [line]))[0]
}

/** Segments as JSON texts. */
export async function segmentTexts(
  reader: Reader,
  actor: Actor,
  base: string,
  lines: SegmentLine[],
): Promise<string[]> {
  const [first] = lines.filter((line) => line.custom_fields_values)
  const fields =
    first && (await fieldsOf(reader, actor.accountId, 'segments', first.fields_version))
  const hasPrices = lines.some((line) => line.available_products_price_types.length > 0)
  const prices = new Set(hasPrices ? await productPriceTypes(reader, actor) : [])
  return lines.map(({ fields_version: _, custom_fields_values, ...line }) => {
    const whole = JSON.stringify({
      ...line,
      available_products_price_types: line.available_products_price_types.filter((id) =>
        prices.has(id),
      ),
      account_id: actor.accountId,
      _links: { self: { href: `${base}/api/v4/customers/segments/${line.id}` } },
    })
    const values = fields ? valuesText(fields, custom_fields_values) : 'null'
    return `${whole.slice(0, -1)},"custom_fields_values":${values === 'null' ? '[]' : values}}`
  })
}

/** The segments that a batch of customers names. */
export interface NamedSegments {
  /** Whether a segment exists; asked only where the batch names segments. */
  has(id: number): boolean
}

/** The segments of a body, under the key that customers have them. */
interface WithSegments {
  _embedded?: { segments?: { id: number }[] | null }
}

/**
 * Looks up the segments that a batch of customers names. An unknown one is a fault of its item. One
 * that is deleted at the same time is taken off by the clean-up.
 */
export async function resolveSegments(
  tx: Tx,
  actor: Actor,
  { items, faults }: Batch<WithSegments>,
): Promise<NamedSegments> {
  const isNamed = items.some(({ value }) => value._embedded?.segments !== undefined)
  const rows = isNamed ? await tx.rows<{ id: number }>(queries.segmentIds(actor)) : []
  const known = new Set(rows.map(({ id }) => id))
  for (const item of items)
    for (const [index, { id }] of (item.value._embedded?.segments ?? []).entries())
      if (!known.has(id))
        faults.add(item, {
          code: 'NotSupportedChoice',
          path: `_embedded.segments.${index}.id`,
          detail: `There is no segment ${id}.`,
        })
  return { has: (id) => known.has(id) }
}

/** The columns of a customer that hold its segments. */
export interface Membership {
  segment_ids: number[]
  segment_ids_by_hand: number[]
}

export const noMembership: Membership = { segment_ids: [], segment_ids_by_hand: [] }

/**
 * The segments of a customer after an item. A sent list replaces the set, and all of it is then by
 * hand; the set that the customer has already is no change.
 */
export function segmentsAfter(
  segments: NamedSegments,
  { _embedded }: WithSegments,
  before: Membership,
): Membership {
  const { segment_ids, segment_ids_by_hand } = before
  if (_embedded?.segments === undefined) return { segment_ids, segment_ids_by_hand }
  const sent = [...new Set((_embedded.segments ?? []).map(({ id }) => id))]
  const ids = sent.toSorted((one, other) => one - other)
  const shown = segment_ids.filter((id) => segments.has(id))
  if (isDeepStrictEqual(ids, shown)) return { segment_ids, segment_ids_by_hand }
  return { segment_ids: ids, segment_ids_by_hand: ids }
}

/** The segments of a customer before and after a change; in the bin it counts for none. */
interface SegmentMove {
  before: readonly number[]
  after: readonly number[]
}

/** Counts the customers that enter and leave segments; a step of every verb that moves them. */
export async function countMoves(tx: Tx, actor: Actor, moves: SegmentMove[]): Promise<void> {
  const numbers = new Map<number, number>()
  const add = (id: number, by: number) => numbers.set(id, (numbers.get(id) ?? 0) + by)
  for (const { before, after } of moves) {
    for (const id of after) if (!before.includes(id)) add(id, 1)
    for (const id of before) if (!after.includes(id)) add(id, -1)
  }
  const changed = [...numbers]
    .filter(([, by]) => by !== 0)
    .toSorted(([one], [other]) => one - other)
  if (changed.length === 0) return
  await tx.rows(
    queries.addToCounts(
      actor,
      changed.map(([id]) => id),
      changed.map(([, by]) => by),
    ),
  )
}

/** The price types after an item. A deleted one is not shown, so leaving it out is no change. */
async function priceTypesAfter(
  tx: Tx,
  actor: Actor,
  faults: Faults,
  item: Item<SegmentChange>,
  before: number[],
): Promise<number[]> {
  const { available_products_price_types: sent } = item.value
  if (sent === undefined) return before
  const ids = [...new Set(sent)]
  const known = new Set(await productPriceTypes(tx, actor))
  for (const [index, id] of (sent ?? []).entries())
    if (!known.has(id))
      faults.add(item, {
        code: 'NotSupportedChoice',
        path: `available_products_price_types.${index}`,
        detail: `The catalog of products has no field ${id} of the type price.`,
      })
  return isDeepStrictEqual(
    ids,
    before.filter((id) => known.has(id)),
  )
    ? before
    : ids
}

/** The values of custom fields after the item of a batch of one. */
async function valuesOfSegment(
  tx: Tx,
  actor: Actor,
  { items: [item], faults, unknownKeys = 'reject' }: Batch<SegmentChange>,
  before: SegmentRow['custom_fields_values'],
): Promise<SegmentRow['custom_fields_values']> {
  if (!item!.value.custom_fields_values) return before
  const fields = await fieldsOf(tx, actor.accountId, 'segments')
  return valuesAfter({ faults, unknownKeys, fields, versions: noVersions }, item!, before)
}
