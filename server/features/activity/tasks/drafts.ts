// The rows of new and changed tasks: pure functions of the stored and the sent task.
import { timeOfChange } from '../../../access/actor.ts'
import type { Writer } from '../../../access/actor.ts'
import type { EntityType } from '../../../entity-types.ts'
import { singular } from '../../../entity-types.ts'
import type { Faults, Item } from '../../../http/batch.ts'
import type { RecordRef } from '../../../records/link-rules.ts'
import { checkPeople } from '../../../records/people.ts'
import { touched, withoutStored } from '../../../records/writing/change.ts'
import { predefinedTaskTypes } from '../../definitions/task-types/schema.ts'
import type { TaskRow } from './queries.ts'
import type { NewTask, TaskChange } from './schema.ts'

/** Data besides the tasks themselves. */
export interface TaskContext {
  faults: Faults
  /** The groups of the active users that the batch names, and of the actor. */
  groups: ReadonlyMap<number, number>
  /** The types that a task can be given, among those that the batch names. */
  types: ReadonlySet<number>
  /** Whether a record that the batch names exists outside the bin. */
  hasRecord(ref: RecordRef): boolean
}

/** The keys that name the record of a task, as far as they are known. */
export interface Bound {
  entity_type?: EntityType | null | undefined
  entity_id?: number | null | undefined
}

/** The record of a task; undefined for a task without one. */
export function recordOf({ entity_type, entity_id }: Bound): RecordRef | undefined {
  return entity_type && entity_id ? { type: entity_type, id: entity_id } : undefined
}

/** The row of a new task with its defaults; faults go to the item. */
export function newTask(
  writer: Writer,
  context: TaskContext,
  item: Item<NewTask>,
): Omit<TaskRow, 'id'> {
  const { value } = item
  checkPeople(context.groups, context.faults, item, value)
  checkType(context, item, value.task_type_id)
  const created_at = value.created_at ?? writer.at
  const updated_at = value.updated_at ?? timeOfChange(writer, created_at)
  const responsible_user_id = value.responsible_user_id || writer.userId
  return {
    text: value.text,
    task_type_id: value.task_type_id ?? predefinedTaskTypes[0]!.id,
    responsible_user_id,
    group_id: context.groups.get(responsible_user_id) ?? 0,
    ...boundTo(context, item, value, { entity_type: null, entity_id: null }),
    complete_till: value.complete_till,
    duration: value.duration ?? 0,
    is_completed: value.is_completed ?? false,
    completed_at: value.is_completed ? updated_at : null,
    result: value.result?.text || null,
    created_by: value.created_by ?? writer.userId,
    updated_by: value.updated_by ?? writer.userId,
    created_at,
    updated_at,
  }
}

/**
 * The row of a task after a change, the same object where nothing changes; faults go to the item.
 */
export function changedTask(
  writer: Writer,
  context: TaskContext,
  item: Item<TaskChange>,
  row: TaskRow,
): TaskRow {
  const { result, ...rest } = item.value
  const sent = withoutStored<Omit<TaskChange, 'id' | 'result'>>(writer, rest, row)
  checkPeople(context.groups, context.faults, item, sent)
  checkType(context, item, sent.task_type_id)
  const responsible_user_id = sent.responsible_user_id ?? row.responsible_user_id
  const isHandedOver = sent.responsible_user_id !== undefined
  const next: TaskRow = {
    ...row,
    text: sent.text ?? row.text,
    task_type_id: sent.task_type_id ?? row.task_type_id,
    responsible_user_id,
    group_id: isHandedOver ? (context.groups.get(responsible_user_id) ?? 0) : row.group_id,
    ...boundTo(context, item, item.value, row),
    complete_till: sent.complete_till ?? row.complete_till,
    duration: sent.duration ?? row.duration,
    is_completed: sent.is_completed ?? row.is_completed,
    result: result === undefined ? row.result : result?.text || null,
    created_by: sent.created_by ?? row.created_by,
    created_at: sent.created_at ?? row.created_at,
  }
  return completed(row, touched(writer, row, next, sent))
}

/** A task that a change completes has the time of the change, as far as the caller does not say another. */
function completed(before: TaskRow, after: TaskRow): TaskRow {
  if (before.is_completed === after.is_completed) return after
  return { ...after, completed_at: after.is_completed ? after.updated_at : null }
}

/** The record of a task after a write; null or 0 unbinds it. Faults go to the item. */
function boundTo(
  { faults, hasRecord }: TaskContext,
  item: Item<unknown>,
  sent: Bound,
  stored: Pick<TaskRow, 'entity_type' | 'entity_id'>,
): Pick<TaskRow, 'entity_type' | 'entity_id'> {
  if (sent.entity_type === undefined && sent.entity_id === undefined)
    return { entity_type: stored.entity_type, entity_id: stored.entity_id }
  const isUnbound = sent.entity_type
    ? sent.entity_id === null || sent.entity_id === 0
    : !sent.entity_id
  if (isUnbound) return { entity_type: null, entity_id: null }
  // An id of one type means nothing in another.
  const type = sent.entity_type === undefined ? stored.entity_type : sent.entity_type
  const id = sent.entity_id ?? (type === stored.entity_type ? stored.entity_id : undefined)
  const ref = recordOf({ entity_type: type, entity_id: id })
  if (!ref) {
    const path = type ? 'entity_id' : 'entity_type'
    const detail = 'A record is named by entity_type and entity_id.'
    faults.add(item, { code: 'FieldMissing', path, detail })
  } else if (!hasRecord(ref)) {
    const detail = `There is no ${singular[ref.type]} ${ref.id}.`
    faults.add(item, { code: 'EntityNotFound', path: 'entity_id', detail })
  }
  return { entity_type: ref?.type ?? null, entity_id: ref?.id ?? null }
}

function checkType(
  { faults, types }: TaskContext,
  item: Item<unknown>,
  id: number | undefined,
): void {
  if (id === undefined || types.has(id)) return
  const detail = `There is no task type ${id}.`
  faults.add(item, { code: 'NotSupportedChoice', path: 'task_type_id', detail })
}
