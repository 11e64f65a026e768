// The batches of a job that gives tasks of one type another: a merge of task types, and its undo. The verb of
// tasks locks them with their records and answers which it has changed, so nothing is read from the news.
import type { Actor } from '../../../access/actor.ts'
import type { Tx } from '../../../database/connect.ts'
import { retypeTasks } from '../../activity/tasks/tasks.ts'
import { listTaskTypes } from '../../definitions/task-types/task-types.ts'
import type { BatchOutcome } from './changes.ts'
import type { Inverse } from './queries.ts'
import type { JobAction, Retyping } from './schema.ts'

/** The action of a job of tasks, which is of no other kind. */
function retypingOf(action: JobAction): Retyping['value'] {
  if (action.kind !== 'retype') throw new Error(`jobs do not ${action.kind} tasks`)
  return action.value
}

/** Gives these tasks the type. Whatever has another by now, or is deleted, stays and is not refused. */
export async function retypeBatch(
  tx: Tx,
  actor: Actor,
  action: JobAction,
  ids: number[],
): Promise<BatchOutcome> {
  const { from, into } = retypingOf(action)
  if (ids.length === 0) return { skipped: new Map(), inverses: [] }
  const { changed } = await retypeTasks(tx, actor, ids, { from, into })
  const inverses = changed.map((id) => ({
    id,
    before: { task_type_id: from },
    after: { task_type_id: into },
  }))
  return { skipped: new Map(), inverses }
}

/** Gives tasks their type back, where they still have the one that the job gave them. */
export async function retypeBack(
  tx: Tx,
  actor: Actor,
  action: JobAction,
  kept: Inverse[],
  refused: ReadonlyMap<number, string>,
): Promise<BatchOutcome> {
  const { from, into } = retypingOf(action)
  const known = kept.map(({ id }) => id)
  const skipped = new Map([...refused].filter(([id]) => known.includes(id)))
  const ids = known.filter((id) => !skipped.has(id))
  // It may have gone anew since it came back.
  const isThere = (await listTaskTypes(tx, actor)).some(({ id }) => id === from)
  if (!isThere) for (const id of ids) skipped.set(id, `There is no task type ${from}.`)
  if (!isThere || ids.length === 0) return { skipped, inverses: [] }
  const { changed, others } = await retypeTasks(tx, actor, ids, { from: into, into: from })
  for (const id of ids) {
    if (others.includes(id)) skipped.set(id, `Task ${id} has been changed since.`)
    else if (!changed.includes(id)) skipped.set(id, `There is no task ${id}.`)
  }
  return { skipped, inverses: [] }
}
