// The verbs of the bin, the same for all entity types. A deleted record keeps its links and tags
// and appears only in the list of the bin, until it is restored or purged.
import { startWriting } from '../../access/actor.ts'
import type { Actor } from '../../access/actor.ts'
import { requireRight } from '../../access/record-rights.ts'
import { record } from '../../changes/record.ts'
import type { Tx } from '../../database/connect.ts'
import { notFound } from '../../http/problem.ts'
import { singular } from '../../entity-types.ts'
import type { RecordDescription, RecordRow } from '../description.ts'
import { lockRecords } from './change.ts'
import { moveRow } from './statements.ts'

/**
 * Moves a record into the bin and answers the row that it was. Throws 404 where it does not exist or
 * is there already.
 */
export async function deleteRecord<Row extends RecordRow>(
  tx: Tx,
  actor: Actor,
  description: RecordDescription,
  id: number,
): Promise<Row> {
  requireRight(actor, description.type, 'delete')
  const row = (await lockRecords<Row>(tx, actor, description, [id], 'delete')).get(id)
  if (!row) throw notFound()
  const writer = startWriting(tx, actor)
  await tx.rows(moveRow(description.type, writer, id, true))
  const { updated_at, updated_by } = row
  const event = { type: `${singular[description.type]}_deleted`, value_before: [], value_after: [] }
  const before = { is_deleted: false, updated_at, updated_by }
  await record(tx, writer, [
    { type: description.type, id, actions: ['delete'], before, events: [event] },
  ])
  return row
}

/** Takes a record out of the bin and answers the row that it was. Throws 404 where it is not there. */
export async function restoreRecord<Row extends RecordRow>(
  tx: Tx,
  actor: Actor,
  description: RecordDescription,
  id: number,
): Promise<Row> {
  requireRight(actor, description.type, 'delete')
  const row = (await lockRecords<Row>(tx, actor, description, [id], 'delete', true)).get(id)
  if (!row) throw notFound()
  const writer = startWriting(tx, actor)
  await tx.rows(moveRow(description.type, writer, id, false))
  const { updated_at, updated_by } = row
  const type = `${singular[description.type]}_restored`
  const events = description.isRestoredSilently ? [] : [{ type, value_before: [], value_after: [] }]
  const before = { is_deleted: true, updated_at, updated_by }
  await record(tx, writer, [{ type: description.type, id, actions: ['restore'], before, events }])
  return row
}
