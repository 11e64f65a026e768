// The verbs that every kind of record has. A batch is worked out from the locked rows and what was sent, by pure functions; the database
// is asked for what they need before, once per batch, and told the outcome after, once per batch. Locks are
// taken in one order, so that no two verbs wait for each other: the row of the account, by verbs about what an account has few of; tags,
// which are made first; the pipelines of leads, by id; then records, in the order leads, contacts, companies and by id.
import { recordChanged } from '../../changes/record.ts'
import type { Tx } from '../../database/connect.ts'
import type { Actor } from '../../access/actor.ts'
import type { Batch, Item } from '../../http/batch.ts'
import { forbidden, notFound } from '../../http/problem.ts'
import { changeRecord } from './common.ts'
import type { RecordDescription, RecordType } from '../description.ts'
import { singular } from '../../entity-types.ts'
import type { Action } from '../../access/rights.ts'
import { checkLinks, linkNew } from '../../features/links/new-links.ts'
import { lockRecords, moveRecords } from '../statements.ts'
import type { RecordRow } from '../statements.ts'
import { requireRight } from '../../access/record-rights.ts'
import type { Identified, Sent } from '../schema.ts'
import { addRecords, contextOf, draftRecords, writeChanges } from './steps.ts'
import { tagsOfBatch } from '../tags.ts'

export interface Created {
  id: number
  request_id: string
}

export interface Changed extends Created {
  name: string
  updated_at: number
}

/** Creates records; answers in the order of the question. One bad item refuses the batch, and every bad item is listed. */
export async function createRecords<Row extends RecordRow, Draft extends Sent, Context>(
  tx: Tx,
  actor: Actor,
  kind: RecordDescription<Row, Draft, Context>,
  batch: Batch<Draft>,
): Promise<Created[]> {
  const { items, faults } = batch
  requireRight(actor, kind.type, 'add')
  const tags = await tagsOfBatch(tx, actor, kind.type, items, faults)
  await kind.reserve?.(tx, actor, valuesOf(items), 'create')
  const links = await checkLinks(tx, actor, kind.type, items, faults)
  const { rows, context } = await draftRecords(tx, actor, kind, batch, tags)
  faults.throwIfAny()
  const ids = await addRecords(tx, actor, kind, rows, context)
  await linkNew(tx, actor, kind.type, ids, links)
  return items.map(({ request_id }, place) => ({ id: ids[place]!, request_id }))
}

/**
 * Changes records; answers in the order of the question. Two items for one record count one after the other and are told as one
 * change. An unknown id is a fault of its item, or a 404 problem; a record that the actor may not edit: 403.
 */
export async function changeRecords<Row extends RecordRow, Draft extends Sent, Context>(
  tx: Tx,
  actor: Actor,
  kind: RecordDescription<Row, Draft, Context>,
  batch: Batch<Identified<Draft>>,
  missing: 'fault' | 'notFound' = 'fault',
): Promise<Changed[]> {
  const { items, faults } = batch
  requireRight(actor, kind.type, 'edit')
  const tags = await tagsOfBatch(tx, actor, kind.type, items, faults)
  await kind.reserve?.(tx, actor, valuesOf(items), 'change')
  const before = await lock<Row>(
    tx,
    actor,
    kind,
    items.map(({ value }) => value.id),
    'edit',
  )
  const deleted = items.flatMap(
    ({ value }) => value.tags_to_delete?.flatMap(({ name }) => name ?? []) ?? [],
  )
  await tags.learn(
    touchesTags(items) ? [...before.values()].flatMap(({ tag_ids }) => tag_ids) : [],
    deleted,
  )
  const context = await contextOf(tx, actor, kind, batch, tags, before)
  const after = new Map(before)
  for (const item of items) {
    const row = after.get(item.value.id)
    if (row) after.set(row.id, changeRecord(actor, kind, context, item, row))
    else if (missing === 'notFound') throw notFound()
    else faults.add(item, noSuch(kind.type, item.value.id))
  }
  faults.throwIfAny()
  await writeChanges(tx, actor, kind, context, before, after)
  return items.map(({ value: { id }, request_id }) => {
    const { name, updated_at } = after.get(id)!
    return { id, name, request_id, updated_at }
  })
}

function valuesOf<Value>(items: Item<Value>[]): Value[] {
  return items.map(({ value }) => value)
}

function touchesTags(items: Item<Sent>[]): boolean {
  return items.some(
    ({ value }) => value._embedded?.tags !== undefined || value.tags_to_add || value.tags_to_delete,
  )
}

/** Puts a record into the bin: it keeps its links and tags and is in no list but the bin's. Unknown or there already: 404. */
export async function deleteRecord(
  tx: Tx,
  actor: Actor,
  kind: RecordDescription,
  id: number,
): Promise<void> {
  await move(tx, actor, kind, id, true)
}

/** Takes a record out of the bin. Unknown or not there: 404. */
export async function restoreRecord(
  tx: Tx,
  actor: Actor,
  kind: RecordDescription,
  id: number,
): Promise<void> {
  await move(tx, actor, kind, id, false)
}

async function move(
  tx: Tx,
  actor: Actor,
  kind: RecordDescription,
  id: number,
  isDeleted: boolean,
): Promise<void> {
  requireRight(actor, kind.type, 'delete')
  const rows = await lock(tx, actor, kind, [id], 'delete', !isDeleted)
  const row = rows.get(id)
  if (!row) throw notFound()
  await tx.rows(moveRecords(kind, actor, [id], isDeleted))
  const { updated_at, updated_by } = row
  const type = `${singular[kind.type]}_${isDeleted ? 'deleted' : 'restored'}`
  const before = { is_deleted: !isDeleted, updated_at, updated_by }
  const actions = [isDeleted ? ('delete' as const) : ('restore' as const)]
  await recordChanged(tx, actor, kind.type, [
    { id, actions, before, events: [{ type, value_before: [], value_after: [] }] },
  ])
}

async function lock<Row extends RecordRow>(
  tx: Tx,
  actor: Actor,
  kind: RecordDescription,
  ids: number[],
  action: Action,
  isDeleted = false,
): Promise<Map<number, Row>> {
  const rows = await tx.rows<Row & { allowed: boolean }>(
    lockRecords(kind, actor, [...new Set(ids)], action, isDeleted),
  )
  const closed = rows.find(({ allowed }) => !allowed)
  if (closed) throw forbidden(`You have no right to ${action} ${singular[kind.type]} ${closed.id}`)
  return new Map(rows.map(({ allowed: _, ...row }) => [row.id, row as unknown as Row]))
}

function noSuch(type: RecordType, id: number) {
  return { code: 'EntityNotFound', path: 'id', detail: `There is no ${singular[type]} ${id}.` }
}
