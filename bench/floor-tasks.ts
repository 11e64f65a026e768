// The first floor for tasks: the statements of features/activity/tasks alone.
import sql from 'sql-template-tag'
import { startWriting } from '../server/access/actor.ts'
import type { Actor } from '../server/access/actor.ts'
import { record } from '../server/changes/record.ts'
import type { Database } from '../server/database/connect.ts'
import { taskRequestOf } from '../server/features/activity/tasks/find.ts'
import { addedTaskEntry } from '../server/features/activity/tasks/news.ts'
import {
  insertTasks,
  lockRecordsOfTasks,
  setClosestTasks,
  taskList,
} from '../server/features/activity/tasks/queries.ts'
import type { TaskRow } from '../server/features/activity/tasks/queries.ts'
import type { PageRow } from '../server/http/paging.ts'
import { groupsOfActiveUsers } from '../server/records/people.ts'

/** The first page of the open tasks of a user by time, as JSON. */
export async function listTasks(
  database: Database,
  actor: Actor,
  base: string,
  query: URLSearchParams,
): Promise<string> {
  const limit = Number(query.get('limit') ?? 50)
  const request = taskRequestOf(actor, {
    filter: {
      responsible_user_id: [Number(query.get('filter[responsible_user_id][0]'))],
      is_completed: [false],
    },
    order: { complete_till: 'asc' },
  })
  const seek = { after: undefined, offset: 0, limit: limit + 1 }
  const lines = await database.list<PageRow>(taskList(actor, base, request, seek))
  if (lines.length > limit) lines.pop()
  return `{"_page":1,"_links":{},"_embedded":{"tasks":[${lines.map(({ json }) => json).join(',')}]}}`
}

export interface SentTask {
  text: string
  complete_till: number
  entity_id: number
}

/** Adds tasks to leads. Answers their ids. */
export function createTasks(
  database: Database,
  actor: Actor,
  items: SentTask[],
): Promise<number[]> {
  return database.transaction(async (tx) => {
    const leads = items.map(({ entity_id }) => entity_id)
    await tx.rows(lockRecordsOfTasks(actor, 'leads', leads))
    const groups = await groupsOfActiveUsers(tx, actor, [actor.userId])
    const rows = items.map(({ text, complete_till, entity_id }): Omit<TaskRow, 'id'> => ({
      text,
      task_type_id: 1,
      responsible_user_id: actor.userId,
      group_id: groups.get(actor.userId)!,
      entity_type: 'leads',
      entity_id,
      complete_till,
      duration: 0,
      is_completed: false,
      completed_at: null,
      result: null,
      created_by: actor.userId,
      updated_by: actor.userId,
      created_at: actor.at,
      updated_at: actor.at,
    }))
    const ids = await tx.rows<{ id: number }>(insertTasks(actor, rows))
    const added = rows.map((row, index) => ({ ...row, id: ids[index]!.id }))
    await tx.rows(setClosestTasks(actor, 'leads', leads))
    await record(
      tx,
      startWriting(tx, actor),
      added.map((row) => addedTaskEntry(row, undefined)),
    )
    return added.map(({ id }) => id)
  })
}

/** A task for each lead of the bench, half of them open, shared among the users. */
export const manyTasks = (accountId: number, users: number[], leads: number, first: number) => sql`
  insert into tasks (account_id, text, task_type_id, responsible_user_id, group_id, entity_type, entity_id, complete_till, duration,
                     is_completed, created_by, updated_by, created_at, updated_at)
  select ${accountId}::bigint, 'Call back, number ' || number, 1 + number % 2, (${users}::bigint[])[1 + number % ${users.length}::int], 0,
         'leads', ${first}::bigint + number, 1760000000 + number * 7919::bigint % 100003, 0, number % 20 < 10, 0, 0,
         1760000000 + number, 1760000000 + number
    from generate_series(0, ${leads}::int - 1) number`
