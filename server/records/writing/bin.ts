// The verbs of the bin, the same for all entity types. A deleted record keeps its links and tags
// and appears only in the list of the bin, until it is restored or purged.
import { startWriting } from '../../access/actor.ts'
import type { Actor } from '../../access/actor.ts'
import { requireRight } from '../../access/record-rights.ts'
import { record } from '../../changes/record.ts'
import type { Entry, NewEvent } from '../../changes/record.ts'
import type { Tx } from '../../database/connect.ts'
import { notFound } from '../../http/problem.ts'
import { singular } from '../../entity-types.ts'
import type { RecordDescription, RecordRow } from '../description.ts'
import { lockRecords } from './change.ts'
import { moveRows } from './statements.ts'

/**
 * Moves records into the bin and answers the rows that they were, in the order of their ids. Throws 404 where one does
 * not exist or is there already.
 */
export async function deleteRecords<Row extends RecordRow>(
  tx: Tx,
  actor: Actor,
  description: RecordDescription,
  ids: number[],
): Promise<Row[]> {
  const { type } = description
  const event = `${singular[type]}_deleted`
  return moveRecords<Row>(tx, actor, description, ids, true, [
    { type: event, value_before: [], value_after: [] },
  ])
}

/** Takes records out of the bin and answers the rows that they were. Throws 404 where one is not there. */
export async function restoreRecords<Row extends RecordRow>(
  tx: Tx,
  actor: Actor,
  description: RecordDescription,
  ids: number[],
): Promise<Row[]> {
  const { type, isRestoredSilently } = description
  const event = `${singular[type]}_restored`
  return moveRecords<Row>(
    tx,
    actor,
    description,
    ids,
    false,
    isRestoredSilently ? [] : [{ type: event, value_before: [], value_after: [] }],
  )
}

async function moveRecords<Row extends RecordRow>(
  tx: Tx,
  actor: Actor,
  description: RecordDescription,
  ids: number[],
  isDeleted: boolean,
  events: NewEvent[],
): Promise<Row[]> {
  const { type } = description
  requireRight(actor, type, 'delete')
  const rows = await lockRecords<Row>(tx, actor, description, ids, 'delete', !isDeleted)
  if (ids.some((id) => !rows.has(id))) throw notFound()
  const writer = startWriting(tx, actor)
  await tx.rows(moveRows(type, writer, ids, isDeleted))
  const entries = [...rows.values()].map(({ id, updated_at, updated_by }): Entry => ({
    type,
    id,
    actions: [isDeleted ? 'delete' : 'restore'],
    before: { is_deleted: !isDeleted, updated_at, updated_by },
    events,
  }))
  await record(tx, writer, entries)
  return [...rows.values()]
}

/** Moves a record into the bin and answers the row that it was. Throws as `deleteRecords`. */
export async function deleteRecord<Row extends RecordRow>(
  tx: Tx,
  actor: Actor,
  description: RecordDescription,
  id: number,
): Promise<Row> {
  return (await deleteRecords<Row>(tx, actor, description, [id]))[0]!
}

/** Takes a record out of the bin and answers the row that it was. Throws as `restoreRecords`. */
export async function restoreRecord<Row extends RecordRow>(
  tx: Tx,
  actor: Actor,
  description: RecordDescription,
  id: number,
): Promise<Row> {
  return (await restoreRecords<Row>(tx, actor, description, [id]))[0]!
}
