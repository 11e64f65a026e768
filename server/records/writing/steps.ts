// The steps of the verbs that create and change records, one statement per batch each: to work out what will be, to write what is new and
// what moved, and to tell it. Verbs of one kind take them one after the other (write.ts); a verb that writes several kinds at once
// works them all out before it writes the first.
import { recordAdded, recordChanged } from '../../changes/record.ts'
import type { Tx } from '../../database/connect.ts'
import type { Actor } from '../../access/actor.ts'
import type { Batch } from '../../http/batch.ts'
import { draftRecord, movedFields, newsOf } from './common.ts'
import { fieldsOf, noFields } from '../fields/definitions.ts'
import { changeKeys } from '../fields/field-index.ts'
import { indexedRow, indexChange } from '../search/search-index.ts'
import type { RecordDescription, Shared } from '../description.ts'
import { groupsOfActiveUsers } from '../people.ts'
import { insertRecords, updateRecords } from '../statements.ts'
import type { RecordRow } from '../statements.ts'
import type { Sent } from '../schema.ts'

/** New records that are worked out and not written yet, in the order of their items. */
export interface Drafted<Row extends RecordRow, Context> {
  rows: Omit<Row, 'id'>[]
  context: Context & Shared
}

/** Works out new records whose tags are made already; what is wrong with them goes to the faults. */
export async function draftRecords<Row extends RecordRow, Draft extends Sent, Context>(
  tx: Tx,
  actor: Actor,
  kind: RecordDescription<Row, Draft, Context>,
  batch: Batch<Draft>,
  tags: Shared['tags'],
): Promise<Drafted<Row, Context>> {
  const context = await contextOf(tx, actor, kind, batch, tags, new Map())
  return { rows: batch.items.map((item) => draftRecord(actor, kind, context, item)), context }
}

/** Writes and tells new records without a fault; answers their ids in the order of the rows. */
export async function addRecords<Row extends RecordRow, Draft extends Sent, Context>(
  tx: Tx,
  actor: Actor,
  kind: RecordDescription<Row, Draft, Context>,
  rows: Omit<Row, 'id'>[],
  { fields }: Pick<Shared, 'fields'>,
): Promise<number[]> {
  if (rows.length === 0) return []
  const found = rows.map((row) => indexedRow(kind, fields, row))
  const ids = (await tx.rows<{ id: number }>(insertRecords(kind, actor, found))).map(({ id }) => id)
  await recordAdded(tx, actor, kind.type, ids)
  return ids
}

/** Writes and tells what becomes of locked records, each under its id before and after; answers the ids of those that moved. */
export async function writeChanges<Row extends RecordRow, Draft extends Sent, Context>(
  tx: Tx,
  actor: Actor,
  kind: RecordDescription<Row, Draft, Context>,
  context: Pick<Shared, 'fields' | 'tags'>,
  before: ReadonlyMap<number, Row>,
  after: ReadonlyMap<number, Row>,
): Promise<number[]> {
  const moved = [...after.values()].filter(
    (row) => movedFields(before.get(row.id)!, row).length > 0,
  )
  if (moved.length === 0) return []
  await tx.rows(updateRecords(kind, actor, moved))
  const keys = moved.flatMap(
    (row) => indexChange(kind, context.fields, before.get(row.id)!, row) ?? [],
  )
  if (keys.length > 0) await tx.rows(changeKeys(actor, kind.type, keys))
  await recordChanged(
    tx,
    actor,
    kind.type,
    moved.map((row) => newsOf(kind, before.get(row.id)!, row, context)),
  )
  return moved.map(({ id }) => id)
}

/** Everything that a batch is worked out from; `before`: the rows that it changes, locked. */
export async function contextOf<Row extends RecordRow, Draft extends Sent, Context>(
  tx: Tx,
  actor: Actor,
  kind: RecordDescription<Row, Draft, Context>,
  { items, faults, unknownKeys = 'reject' }: Batch<Draft>,
  tags: Shared['tags'],
  before: Map<number, Row>,
): Promise<Context & Shared> {
  const drafts = items.map(({ value }) => value)
  const users = drafts.flatMap(({ responsible_user_id, created_by, updated_by }) => [
    responsible_user_id,
    created_by,
    updated_by,
  ])
  const groups = await groupsOfActiveUsers(tx, actor, [
    ...new Set([actor.userId, ...users.flatMap((id) => id ?? [])]),
  ])
  const own = await kind.prepare(tx, actor, drafts, before)
  // Where no value is on a row or sent there is nothing to do with fields.
  const needsFields = [...before.values(), ...drafts].some(
    ({ custom_fields_values }) => custom_fields_values,
  )
  const fields = needsFields ? await fieldsOf(tx, actor.accountId, kind.type) : noFields
  return { ...own, faults, unknownKeys, tags, groups, fields }
}
