// Tasks: what a user has to do, and until when, about a record or about none. A verb locks the
// records of its tasks, then the tasks, and ends with the closest_task_at of the records.
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { startWriting } from '../../../access/actor.ts'
import type { Actor, Writer } from '../../../access/actor.ts'
import { followRecord, requireTaskRight, seesTask } from '../../../access/task-rights.ts'
import type { ViewedTask } from '../../../access/task-rights.ts'
import type { EntityDeclaration } from '../../../changes/entity.ts'
import { record, updatedEntry } from '../../../changes/record.ts'
import type { Entry } from '../../../changes/record.ts'
import type { Tx } from '../../../database/connect.ts'
import { together } from '../../../database/together.ts'
import { singular } from '../../../entity-types.ts'
import { newFaults } from '../../../http/batch.ts'
import type { Batch } from '../../../http/batch.ts'
import { forbidden, notFound, unavailable } from '../../../http/problem.ts'
import { lockOrder, refKey } from '../../../records/link-rules.ts'
import type { RecordRef } from '../../../records/link-rules.ts'
import { groupsOfNamed } from '../../../records/people.ts'
import type { NamedPeople } from '../../../records/people.ts'
import { changedFields, changedRows } from '../../../records/writing/change.ts'
import type { Missing, RecordChange } from '../../../records/writing/change.ts'
import { recordMentions } from '../mentions/mentions.ts'
import { taskTypesAmong } from '../../definitions/task-types/task-types.ts'
import { changedTask, newTask, recordOf } from './drafts.ts'
import type { Bound, TaskContext } from './drafts.ts'
import { addedTaskEntry, changedTaskEntries, deletedTaskEntry } from './news.ts'
import * as queries from './queries.ts'
import type { TaskRow } from './queries.ts'
import type { AddedTask, ChangedTask, NewTask, TaskChange } from './schema.ts'
import { taskForm } from './webhook.ts'

export { countDueTasks, tasksOfRecords, tasksOfType } from './queries.ts'

export const tasks: EntityDeclaration = {
  type: 'tasks',
  news: {
    browser: ['add', 'update', 'responsible', 'delete'],
    webhook: ['add', 'update', 'responsible', 'delete'],
    recordsBehind: (row) => [recordOf(row)].filter((ref) => ref !== undefined),
    isHeardBy: (actor, row, record) => seesTask(actor, row as ViewedTask, record),
    shown: (row, before) => {
      const record = recordOf(row)
      if (!record) return {}
      // The user may not view the record that it has left, and hears no more of that one.
      const hasMoved = before !== null && ('entity_id' in before || 'entity_type' in before)
      return {
        record_type: record.type,
        record_id: record.id,
        ...(hasMoved && { has_moved: true }),
      }
    },
  },
  webhook: taskForm,
}

/**
 * Creates tasks; answers in request order. Throws 403 for a record that the actor may not view. An
 * unknown record is a fault of its item.
 */
export async function createTasks(
  tx: Tx,
  actor: Actor,
  { items, faults }: Batch<NewTask>,
): Promise<AddedTask[]> {
  requireTaskRight(actor, 'edit')
  const named = items.flatMap(({ value }) => recordOf(value) ?? [])
  const records = await lockRecords(tx, actor, named)
  requireView(records, named)
  const context = await loadTaskContext(tx, actor, { items, faults }, records)
  const writer = startWriting(tx, actor)
  const rows = items.map((item) => newTask(writer, context, item))
  faults.throwIfAny()
  const ids = await tx.rows<{ id: number }>(queries.insertTasks(writer, rows))
  const added = rows.map((row, index) => ({ ...row, id: ids[index]!.id }))
  const notes = await addResults(
    tx,
    writer,
    added.filter(({ result }) => result !== null),
  )
  const entries = added.map((row) => addedTaskEntry(row, notes.get(row.id)))
  await together([writeClosestTasks(tx, writer, added), record(tx, writer, entries)])
  await recordMentions(
    tx,
    writer,
    added.map((row) => ({ ...row, of: 'task' })),
  )
  return items.map(({ request_id }, index) => ({ id: added[index]!.id, request_id }))
}

/**
 * Changes tasks; answers in request order. Two items for one task apply one after the other and
 * make one change. An unknown task is a fault of its item, or a 404 problem.
 */
export async function changeTasks(
  tx: Tx,
  actor: Actor,
  { items, faults }: Batch<TaskChange>,
  missing: Missing = 'fault',
): Promise<ChangedTask[]> {
  requireTaskRight(actor, 'edit')
  const ids = items.map(({ value }) => value.id)
  const sent = items.map(({ value }) => value)
  const { before, records } = await lockTasks(tx, actor, ids, 'edit', sent)
  const context = await loadTaskContext(tx, actor, { items, faults }, records)
  const writer = startWriting(tx, actor)
  const after = new Map(before)
  for (const item of items) {
    const { id } = item.value
    const row = after.get(id)
    if (!row && missing === 'notFound') throw notFound()
    if (row) after.set(id, changedTask(writer, context, item, row))
    else faults.add(item, { code: 'EntityNotFound', path: 'id', detail: `There is no task ${id}.` })
  }
  faults.throwIfAny()
  const changed = changedRows(before, after)
  requireView(records, changed.flatMap(newRecordOf))
  await write(tx, writer, changed)
  await recordMentions(
    tx,
    writer,
    changed.map((each) => ({ ...each.after, of: 'task', before: each.before.text })),
  )
  return items.map(({ value: { id }, request_id }) => ({
    id,
    updated_at: after.get(id)!.updated_at,
    request_id,
  }))
}

/** Tasks that were to get another type: those that have it now, and those that had neither of both. */
export interface RetypedTasks {
  changed: number[]
  others: number[]
}

/**
 * Gives those of these tasks that have one type another, completed ones too; tasks of records in the bin
 * change without any news. Deleted ones are neither changed nor others. Throws 404 where the other type
 * cannot be chosen any more.
 */
export async function retypeTasks(
  tx: Tx,
  actor: Actor,
  ids: number[],
  { from, into }: { from: number; into: number },
): Promise<RetypedTasks> {
  requireTaskRight(actor, 'edit')
  const { rows, records } = await lockRows(tx, actor, ids, () =>
    queries.lockTasksAnywhere(actor, ids),
  )
  const wrong = rows.filter(({ task_type_id }) => task_type_id === from)
  const refused = wrong.find(({ is_shown, allowed }) => is_shown && !allowed)
  if (refused) throw forbidden(`You have no right to edit task ${refused.id}`)
  const others = rows.flatMap((row) => (wrong.includes(row) ? [] : row.id))
  if (wrong.length === 0) return { changed: [], others }
  const shown = wrong.filter(({ is_shown }) => is_shown)
  const items = shown.map(({ id }, index) => ({
    index,
    request_id: String(id),
    value: { id, task_type_id: into },
  }))
  const faults = newFaults()
  const context = await loadTaskContext(tx, actor, { items, faults }, records)
  const isThere = context.types.has(into) || (await taskTypesAmong(tx, actor, [into])).has(into)
  if (!isThere) throw notFound('The task type does not exist any more')
  const writer = startWriting(tx, actor)
  const changes = items.map((item, index) => {
    const { allowed: _, is_shown: __, ...before } = shown[index]!
    return { before, after: changedTask(writer, context, item, before) }
  })
  faults.throwIfAny()
  const binned = wrong.flatMap(({ id, is_shown }) => (is_shown ? [] : id))
  if (binned.length > 0) await tx.rows(queries.giveBinnedType(writer, binned, into))
  await write(tx, writer, changes)
  return { changed: wrong.map(({ id }) => id), others }
}

/** Deletes a task. Throws 404 for an unknown one. */
export async function deleteTask(tx: Tx, actor: Actor, id: number): Promise<void> {
  requireTaskRight(actor, 'delete')
  const { before } = await lockTasks(tx, actor, [id], 'delete')
  const row = before.get(id)
  if (!row) throw notFound()
  const writer = startWriting(tx, actor)
  await together([
    tx.rows(queries.removeTasks(writer, [id])),
    writeClosestTasks(tx, writer, [row]),
    record(tx, writer, [deletedTaskEntry(row)]),
  ])
}

/**
 * Deletes those of these tasks that are still open, and answers their ids. Throws 403 where the actor
 * may not delete one of them.
 */
export async function deleteOpenTasks(tx: Tx, actor: Actor, ids: number[]): Promise<number[]> {
  requireTaskRight(actor, 'delete')
  const { before } = await lockTasks(tx, actor, ids, 'delete')
  const open = [...before.values()].filter(({ is_completed }) => !is_completed)
  if (open.length === 0) return []
  const writer = startWriting(tx, actor)
  const removed = open.map(({ id }) => id)
  await together([
    tx.rows(queries.removeTasks(writer, removed)),
    writeClosestTasks(tx, writer, open),
    record(tx, writer, open.map(deletedTaskEntry)),
  ])
  return removed
}

/** Deletes the tasks of leads that are locked and about to be removed. */
export async function deleteTasksOfLeads(tx: Tx, actor: Actor, leads: number[]): Promise<void> {
  followRecord()
  const rows = await tx.rows<TaskRow>(queries.lockTasksOfLeads(actor, leads))
  if (rows.length === 0) return
  const writer = startWriting(tx, actor)
  const ids = rows.map(({ id }) => id)
  await tx.rows(queries.removeTasks(writer, ids))
  await record(tx, writer, rows.map(deletedTaskEntry))
}

/** Tasks that have gone over to another record, and their entries in the journal. */
export interface MovedTasks {
  ids: number[]
  entries: Entry[]
}

interface MovingTask {
  id: number
  is_deleted: boolean
}

/** Locks the tasks of a locked record, completed and deleted ones too. `only` names some of them. */
export function lockTasksToMove(
  tx: Tx,
  actor: Actor,
  type: RecordRef['type'],
  id: number,
  only?: number[],
): Promise<MovingTask[]> {
  followRecord()
  return tx.rows<MovingTask>(queries.lockTasksOf(actor, type, id, only))
}

/**
 * Moves locked tasks of one record to another of its type. Nobody has edited them, so their authors
 * and times stay.
 */
export async function moveTasks(
  tx: Tx,
  actor: Actor,
  type: RecordRef['type'],
  { from, into }: { from: number; into: number },
  rows: MovingTask[],
): Promise<MovedTasks> {
  if (rows.length === 0) return { ids: [], entries: [] }
  const ids = rows.map(({ id }) => id)
  await tx.rows(queries.moveTasksTo(actor, ids, into))
  await tx.rows(queries.setClosestTasks(actor, type, [from, into]))
  const live = rows.filter(({ is_deleted }) => !is_deleted)
  return { ids, entries: live.map(({ id }) => updatedEntry('tasks', id, { entity_id: from })) }
}

async function write(tx: Tx, writer: Writer, changed: RecordChange<TaskRow>[]): Promise<void> {
  if (changed.length === 0) return
  const rows = changed.map(({ after }) => after)
  const given = changed.filter(
    ({ before, after }) => after.result !== null && after.result !== before.result,
  )
  const notes = await addResults(
    tx,
    writer,
    given.map(({ after }) => after),
  )
  const moved = changed.filter(({ before, after }) =>
    changedFields(before, after).some((field) => decidesClosest.has(field)),
  )
  const touched = moved.flatMap(({ before, after }) => [before, after])
  const entries = changed.flatMap((change) =>
    changedTaskEntries(change, notes.get(change.after.id), writer.surface),
  )
  await together([
    tx.rows(queries.updateTasks(writer, rows)),
    writeClosestTasks(tx, writer, touched),
    record(tx, writer, entries),
  ])
}

const decidesClosest = new Set<keyof TaskRow>([
  'entity_type',
  'entity_id',
  'complete_till',
  'is_completed',
])

async function loadTaskContext(
  tx: Tx,
  actor: Actor,
  { items, faults }: Batch<Pick<TaskChange, 'task_type_id'> & NamedPeople>,
  records: LockedRecords,
): Promise<TaskContext> {
  const types = items.flatMap(({ value }) => value.task_type_id ?? [])
  const [groups, known] = await together([
    groupsOfNamed(tx, actor, items),
    taskTypesAmong(tx, actor, types),
  ])
  return { faults, groups, types: known, hasRecord: (ref) => records.has(refKey(ref)) }
}

/** The locked records by `refKey`, and whether the actor may view each. */
type LockedRecords = ReadonlyMap<string, boolean>

async function lockRecords(tx: Tx, actor: Actor, records: RecordRef[]): Promise<LockedRecords> {
  const locked = await together(
    byType(records).map(async ([type, ids]) => {
      const statement = queries.lockRecordsOfTasks(actor, type, ids)
      const rows = await tx.rows<{ id: number; allowed: boolean }>(statement)
      return rows.map(({ id, allowed }) => [refKey({ type, id }), allowed] as const)
    }),
  )
  return new Map(locked.flat())
}

/** The ids of records of each type among these, in the order in which records are locked. */
function byType(records: RecordRef[]): [RecordRef['type'], number[]][] {
  return lockOrder.flatMap((type): [RecordRef['type'], number[]][] => {
    const ids = [...new Set(records.flatMap((each) => (each.type === type ? each.id : [])))]
    return ids.length > 0 ? [[type, ids]] : []
  })
}

/** Throws a 403 problem for a record that a task is put on and that the actor may not view. */
function requireView(records: LockedRecords, named: RecordRef[]): void {
  const refused = named.find((each) => records.get(refKey(each)) === false)
  if (refused) throw forbidden(`You have no right to view ${singular[refused.type]} ${refused.id}`)
}

/** The record that a change puts a task on. */
function newRecordOf({ before, after }: RecordChange<TaskRow>): RecordRef[] {
  const isMoved = before.entity_type !== after.entity_type || before.entity_id !== after.entity_id
  return isMoved ? [recordOf(after) ?? []].flat() : []
}

/** How often a verb locks anew, because its tasks have moved to other records meanwhile. */
const mostAttempts = 10

/**
 * Locks tasks, and before them their records and those they may move to. Throws 403 where the actor has
 * no right to the action, and else as `lockRows`.
 */
async function lockTasks(
  tx: Tx,
  actor: Actor,
  ids: number[],
  action: 'edit' | 'delete',
  sent: TaskChange[] = [],
): Promise<{ before: ReadonlyMap<number, TaskRow>; records: LockedRecords }> {
  const lock = () => queries.lockTasks(actor, [...new Set(ids)], action)
  const { rows, records } = await lockRows(tx, actor, ids, lock, sent)
  const refused = rows.find(({ allowed }) => !allowed)
  if (refused) throw forbidden(`You have no right to ${action} task ${refused.id}`)
  return { before: new Map(rows.map(({ allowed: _, ...row }) => [row.id, row])), records }
}

/** A locked task. `is_shown` is false where its record is in the bin, if the statement looks for such tasks, too. */
type LockedTask = TaskRow & { allowed: boolean; is_shown?: boolean }

/**
 * Locks the records of tasks, and then the tasks by a statement. A task that has moved to another
 * record meanwhile makes it release all locks and begin anew; records in the bin are not locked. Throws
 * 503 where the tasks move all the time.
 */
async function lockRows(
  tx: Tx,
  actor: Actor,
  ids: number[],
  lock: () => Sql,
  sent: TaskChange[] = [],
): Promise<{ rows: LockedTask[]; records: LockedRecords }> {
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const [, stored] = await together([
      tx.rows(sql`savepoint tasks`),
      tx.rows<Pick<TaskRow, 'id' | 'entity_type' | 'entity_id'>>(
        queries.recordsOfTasks(actor, ids),
      ),
    ])
    const own = stored.flatMap((row) => recordOf(row) ?? [])
    const records = await lockRecords(tx, actor, [...own, ...recordsNamed(stored, sent)])
    const rows = await tx.rows<LockedTask>(lock())
    const isLocked = rows.every((row) => {
      const ref = recordOf(row)
      return !ref || row.is_shown === false || records.has(refKey(ref))
    })
    await tx.rows(isLocked ? sql`release savepoint tasks` : sql`rollback to savepoint tasks`)
    if (isLocked) return { rows, records }
  }
  throw unavailable('These tasks are being moved all the time, try again')
}

/** The records that changes put tasks on. A change may name the id alone, and keep the type. */
function recordsNamed(
  stored: Pick<TaskRow, 'id' | 'entity_type' | 'entity_id'>[],
  sent: TaskChange[],
): RecordRef[] {
  const at = new Map<number, Bound>(stored.map((row) => [row.id, row]))
  return sent.flatMap((value) => {
    const next = { ...at.get(value.id), ...value }
    at.set(value.id, next)
    return recordOf(next) ?? []
  })
}

/**
 * Writes the closest_task_at of the records of these tasks, which are locked. It is derived, and so
 * changes no `updated_at` and is no news of the record.
 */
async function writeClosestTasks(
  tx: Tx,
  actor: Actor,
  rows: Pick<TaskRow, 'entity_type' | 'entity_id'>[],
): Promise<void> {
  const records = rows.flatMap((row) => recordOf(row) ?? [])
  await together(
    byType(records).map(([type, ids]) => tx.rows(queries.setClosestTasks(actor, type, ids))),
  )
}

/** Adds notes for new results; answers their ids by task. */
async function addResults(tx: Tx, actor: Actor, rows: TaskRow[]): Promise<Map<number, number>> {
  if (rows.length === 0) return new Map()
  const notes = await tx.rows<{ id: number; task_id: number }>(queries.insertResults(actor, rows))
  return new Map(notes.map(({ id, task_id }) => [task_id, id]))
}
