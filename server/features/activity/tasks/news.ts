// The journal entries of tasks, with their events (interface: Values of events); pure.
import type { Surface } from '../../../access/actor.ts'
import type { Entry, NewEvent } from '../../../changes/record.ts'
import { bothSides, changedFields } from '../../../records/writing/change.ts'
import type { RecordChange } from '../../../records/writing/change.ts'
import type { TaskRow } from './queries.ts'

/** The entry of a new task; `noteId` is the note of its result. */
export function addedTaskEntry({ id, is_completed }: TaskRow, noteId: number | undefined): Entry {
  const events = [
    plain('task_added'),
    ...(is_completed ? [plain('task_completed')] : []),
    ...resultAdded(noteId),
  ]
  return { type: 'tasks', id, actions: ['add'], before: null, ...aboutNote(noteId), events }
}

/**
 * The entries of a change. A change that completes a task and adds a result is two: the completion
 * and all else, then the result; from the card of a record it is one (interface: Task).
 */
export function changedTaskEntries(
  { before, after }: RecordChange<TaskRow>,
  noteId: number | undefined,
  surface: Surface,
): Entry[] {
  const changed = changedFields(before, after)
  const closes = after.is_completed && !before.is_completed
  const isTwo = closes && noteId !== undefined && surface !== 'card'
  const entry = (fields: (keyof TaskRow)[], events: NewEvent[]): Entry => ({
    type: 'tasks',
    id: after.id,
    actions: [
      'update',
      ...(fields.includes('responsible_user_id') ? (['responsible'] as const) : []),
    ],
    before: Object.fromEntries(fields.map((field) => [field, before[field]])),
    ...(fields.includes('result') && aboutNote(noteId)),
    events,
  })
  const events = [
    ...changed.flatMap((field) => values[field]?.(before, after) ?? []),
    ...(closes ? [plain('task_completed')] : []),
  ]
  const result = resultAdded(noteId)
  if (!isTwo) return [entry(changed, [...events, ...result])]
  const others = changed.filter((field) => field !== 'result')
  return [entry(others, events), entry(['result'], result)]
}

export function deletedTaskEntry({ id, updated_at, updated_by }: TaskRow): Entry {
  const before = { is_deleted: false, updated_at, updated_by }
  return { type: 'tasks', id, actions: ['delete'], before, events: [plain('task_deleted')] }
}

const values: Partial<Record<keyof TaskRow, (before: TaskRow, after: TaskRow) => NewEvent>> = {
  text: (before, after) =>
    bothSides('task_text_changed', before, after, ({ text }) => ({ task: { text } })),
  task_type_id: (before, after) =>
    bothSides('task_type_changed', before, after, ({ task_type_id: id }) => ({
      task_type: { id },
    })),
  complete_till: (before, after) =>
    bothSides('task_deadline_changed', before, after, ({ complete_till: timestamp }) => ({
      task_deadline: { timestamp },
    })),
  responsible_user_id: (before, after) =>
    bothSides('entity_responsible_changed', before, after, ({ responsible_user_id: id }) => ({
      responsible_user: { id },
    })),
}

const plain = (type: string): NewEvent => ({ type, value_before: [], value_after: [] })

const aboutNote = (noteId: number | undefined) => (noteId === undefined ? {} : { noteId })

function resultAdded(id: number | undefined): NewEvent[] {
  return id === undefined
    ? []
    : [{ type: 'task_result_added', value_before: [], value_after: [{ note: { id } }] }]
}
