import sql, { raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { may } from '../../../access/record-rights.ts'
import { isOutsideBin, mayChangeTask, mayViewTask } from '../../../access/task-rights.ts'
import type { EntityType } from '../../../entity-types.ts'
import type { PagePosition } from '../../../http/paging.ts'
import { selfLink } from '../../../http/self-link.ts'
import type { RecordType } from '../../../records/description.ts'
import type { ListRequest } from '../../../records/lists/find.ts'
import { matchingRows } from '../../../records/lists/pages.ts'
import type { Way } from '../../../records/lists/pages.ts'
import { groupShown } from '../../../records/lists/select.ts'

/** The columns that verbs compare and write, with their types. */
const columns = {
  text: 'text',
  task_type_id: 'bigint',
  responsible_user_id: 'bigint',
  group_id: 'bigint',
  entity_type: 'text',
  entity_id: 'bigint',
  complete_till: 'bigint',
  duration: 'bigint',
  is_completed: 'boolean',
  completed_at: 'bigint',
  result: 'text',
  created_by: 'bigint',
  updated_by: 'bigint',
  created_at: 'bigint',
  updated_at: 'bigint',
}
const names = Object.keys(columns)
const typed = raw(
  Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(', '),
)

export interface TaskRow {
  id: number
  text: string
  task_type_id: number
  responsible_user_id: number
  group_id: number
  entity_type: EntityType | null
  entity_id: number | null
  complete_till: number
  duration: number
  is_completed: boolean
  /** Null where the task is open. */
  completed_at: number | null
  result: string | null
  created_by: number
  updated_by: number
  created_at: number
  updated_at: number
}

/** A page of tasks: JSON, key and id. Rows are found before they are rendered. */
export const taskList = (
  actor: Actor,
  base: string,
  request: ListRequest,
  seek: PagePosition,
  way: Way = { kind: 'plain' },
) => sql`
  select row_to_json(shown)::text as json, record.${raw(request.ordering.column)} as key, record.id
    from (${matchingRows('tasks', actor, request, seek, way)}) record, lateral (select ${shape(actor, base)}) shown`

/** One task; its text is null where the actor may not view it. */
export const oneTask = (actor: Actor, base: string, id: number) => sql`
  select case when found.visible then row_to_json(found.shown)::text end as json
    from (select ${mayViewTask(actor)} as visible, shown
            from tasks record, lateral (select ${shape(actor, base)}) shown
           where record.account_id = ${actor.accountId} and record.id = ${id} and not record.is_deleted and ${isOutsideBin}) found`

/**
 * Tasks of records that the actor may view, by their ids, those of records in the bin too. `may_edit` says whether the
 * actor may change each; `shown_at` is its completion, or else when it is due.
 */
export const tasksOfRecords = (
  actor: Actor,
  base: string,
  { types, ids }: { types: readonly EntityType[]; ids: readonly number[] },
  tasks: readonly number[],
): Sql => sql`
  select record.id, record.entity_type, record.entity_id, record.created_by, coalesce(record.completed_at, record.complete_till) as shown_at,
         ${mayChangeTask(actor, 'edit')} as may_edit, row_to_json(shown)::text as json
    from tasks record, lateral (select ${shape(actor, base)}) shown
   where record.account_id = ${actor.accountId} and record.id = any(${tasks}::bigint[]) and not record.is_deleted
     and (record.entity_type, record.entity_id) in (select * from unnest(${types}::text[], ${ids}::bigint[]))`

/** The actor's own open tasks until a time, `most` at most: those that are late, and the others. */
export const countDueTasks = ({ accountId, userId, at }: Actor, until: Sql, most: number) => sql`
  select count(*) filter (where task.complete_till < ${at})::int as overdue,
         count(*) filter (where task.complete_till >= ${at})::int as today
    from (select record.complete_till from tasks record
           where record.account_id = ${accountId} and record.responsible_user_id = ${userId}
             and not record.is_completed and not record.is_deleted
             and record.complete_till < ${until} and ${isOutsideBin}
           order by record.complete_till limit ${most}) task`

/** The records that tasks have now. */
export const recordsOfTasks = ({ accountId }: Actor, ids: number[]) => sql`
  select id, entity_type, entity_id from tasks
   where account_id = ${accountId} and id = any(${ids}::bigint[]) and not is_deleted`

/** Locks records in the order of their ids; `allowed` says whether the actor may view them. */
export const lockRecordsOfTasks = (actor: Actor, type: RecordType, ids: number[]) => sql`
  select record.id, ${may(actor, type, 'view')} as allowed from ${raw(type)} record
   where record.account_id = ${actor.accountId} and record.id = any(${ids}::bigint[]) and not record.is_deleted
   order by record.id
     for no key update`

/** Locks tasks in the order of their ids; `allowed` says whether the actor may do the action. */
export const lockTasks = (actor: Actor, ids: number[], action: 'edit' | 'delete') => sql`
  select record.id, ${raw(names.map((name) => `record.${name}`).join(', '))}, ${mayChangeTask(actor, action)} as allowed
    from tasks record
   where record.account_id = ${actor.accountId} and record.id = any(${ids}::bigint[]) and not record.is_deleted and ${isOutsideBin}
   order by record.id
     for no key update of record`

/**
 * The same for a change by which tasks of records in the bin go too; `is_shown` says which are not of such a record, and
 * `allowed` counts for them alone.
 */
export const lockTasksAnywhere = (actor: Actor, ids: number[]) => sql`
  select record.id, ${raw(names.map((name) => `record.${name}`).join(', '))}, ${mayChangeTask(actor, 'edit')} as allowed,
         coalesce(${isOutsideBin}, false) as is_shown
    from tasks record
   where record.account_id = ${actor.accountId} and record.id = any(${ids}::bigint[]) and not record.is_deleted
   order by record.id
     for no key update of record`

/** Gives locked tasks of records in the bin a type, without any news. */
export const giveBinnedType = ({ accountId }: Actor, ids: number[], type: number) => sql`
  update tasks set task_type_id = ${type} where account_id = ${accountId} and id = any(${ids}::bigint[])`

/** The next tasks with a type after an id, those of records in the bin among them. */
export const tasksOfType = ({ accountId }: Actor, type: number, after: number, most: number) => sql`
  select id from tasks
   where account_id = ${accountId} and task_type_id = ${type} and not is_deleted and id > ${after}
   order by id limit ${most}`

/** Locks the tasks of leads that are locked. */
export const lockTasksOfLeads = ({ accountId }: Actor, leads: number[]) => sql`
  select record.id, ${raw(names.map((name) => `record.${name}`).join(', '))}
    from tasks record
   where record.account_id = ${accountId} and record.entity_type = 'leads' and record.entity_id = any(${leads}::bigint[])
     and not record.is_deleted
   order by record.id
     for no key update`

/** Locks tasks of one record in the order of their ids, completed and deleted ones too. */
export const lockTasksOf = (
  { accountId }: Actor,
  type: RecordType,
  id: number,
  only?: number[],
) => sql`
  select record.id, record.is_deleted from tasks record
   where record.account_id = ${accountId} and record.entity_type = ${type} and record.entity_id = ${id}
     and (${only ?? null}::bigint[] is null or record.id = any(${only ?? null}::bigint[]))
   order by record.id
     for no key update`

/** Puts locked tasks on another record of the same type. */
export const moveTasksTo = ({ accountId }: Actor, ids: number[], id: number) => sql`
  update tasks set entity_id = ${id} where account_id = ${accountId} and id = any(${ids}::bigint[])`

/** Adds tasks; answers their ids in the order of the rows. */
export const insertTasks = ({ accountId }: Actor, rows: Omit<TaskRow, 'id'>[]) => sql`
  insert into tasks (account_id, id, ${raw(names.join(', '))})
  select ${accountId}::bigint, id, ${raw(names.join(', '))}
    from (select nextval('tasks_id') as id, draft.* from json_to_recordset(${JSON.stringify(rows)}::json) as draft(${typed})) draft
  returning id`

/** Writes tasks that are locked. */
export const updateTasks = ({ accountId }: Actor, rows: TaskRow[]) => sql`
  update tasks record
     set (${raw(names.join(', '))}) = (select ${raw(names.map((name) => `draft.${name}`).join(', '))})
    from json_to_recordset(${JSON.stringify(rows)}::json) as draft(id bigint, ${typed})
   where record.account_id = ${accountId} and record.id = draft.id`

/** Marks a locked task as deleted. */
export const removeTasks = ({ accountId, userId, at }: Actor, ids: number[]) => sql`
  update tasks set is_deleted = true, updated_at = greatest(${at}::bigint, created_at), updated_by = ${userId}
   where account_id = ${accountId} and id = any(${ids}::bigint[])`

/** Adds a note for the result of each of these tasks; answers the ids of both. */
export const insertResults = ({ accountId, userId }: Actor, rows: TaskRow[]) => sql`
  insert into notes (account_id, entity_type, entity_id, note_type, params, responsible_user_id, group_id,
                     created_by, updated_by, created_at, updated_at)
  select ${accountId}::bigint, 'tasks', id, 'task_result', jsonb_build_object('text', result), responsible_user_id, group_id,
         ${userId}::bigint, ${userId}::bigint, updated_at, updated_at
    from json_to_recordset(${JSON.stringify(rows)}::json) as draft(id bigint, ${typed})
  returning id, entity_id as task_id`

/**
 * Writes the time of the earliest open task into locked records. Leads also keep whether they have
 * a task, for the filter by their statuses.
 */
export const setClosestTasks = ({ accountId }: Actor, type: RecordType, ids: number[]) => {
  const kept = type === 'leads' ? ['closest_task_at', 'has_tasks'] : ['closest_task_at']
  const of = (row: string) => raw(`row(${kept.map((column) => `${row}.${column}`).join(', ')})`)
  const isOfRecord = sql`
    task.account_id = ${accountId} and task.entity_type = ${type} and task.entity_id = named.id and not task.is_deleted`
  return sql`
  update ${raw(type)} record set (${raw(kept.join(', '))}) = ${of('closest')}
    from (select named.id,
                 (select min(task.complete_till) from tasks task where ${isOfRecord} and not task.is_completed) as closest_task_at,
                 (select task.id from tasks task where ${isOfRecord} limit 1) is not null as has_tasks
            from unnest(${ids}::bigint[]) named (id)) closest
   where record.account_id = ${accountId} and record.id = closest.id and ${of('record')} is distinct from ${of('closest')}`
}

/** The select list of a row named `record` for answers. */
function shape(actor: Actor, base: string): Sql {
  return sql`
    record.id, record.created_by, record.updated_by, record.created_at, record.updated_at, record.responsible_user_id,
    ${groupShown(actor)} as group_id, record.entity_id, record.entity_type, record.is_completed, record.task_type_id, record.text, record.duration,
    record.complete_till, coalesce('{"text":' || to_json(record.result) || '}', '[]')::json as result,
    record.account_id, ${selfLink(sql`${`${base}/api/v4/tasks/`}::text || record.id`)} as _links`
}
