import sql from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'

/** A row of the table `task_types`. */
export interface TaskTypeRow {
  id: number
  name: string
  color: string
  icon_id: number | null
  is_deleted: boolean
  sort: number
}

/** The account's own types in their order, deleted ones among them. */
export const taskTypeRows = (actor: Actor) => sql`
  select id, name, color, icon_id, is_deleted, sort from task_types
   where account_id = ${actor.accountId} order by sort, id`

/** How many tasks have each of these types, up to one more than `most`; deleted tasks do not count. */
export const usesOfTaskTypes = (actor: Actor, ids: number[], most: number) => sql`
  select type.id, (select count(*) from (select from tasks
                    where tasks.account_id = ${actor.accountId} and tasks.task_type_id = type.id and not tasks.is_deleted
                    limit ${most + 1}::int) counted) as used
    from unnest(${ids}::bigint[]) type (id)`

/** Adds a type, or brings a deleted one back. Answers its id. */
export const insertTaskType = (actor: Actor, row: Partial<TaskTypeRow>) => sql`
  insert into task_types (account_id, id, name, color, icon_id, sort)
  values (${actor.accountId}, coalesce(${row.id ?? null}::bigint, nextval('task_types_id')), ${row.name}, ${row.color}, ${row.icon_id},
          ${row.sort}::int)
      on conflict (account_id, id) do update
         set (name, color, icon_id, sort, is_deleted) = (excluded.name, excluded.color, excluded.icon_id, excluded.sort, false)
  returning id`

/** Changes a type. Answers its id, and nothing if the type was deleted meanwhile. */
export const updateTaskType = (actor: Actor, { id, name, color, icon_id }: TaskTypeRow) => sql`
  update task_types set name = ${name}, color = ${color}, icon_id = ${icon_id}
   where account_id = ${actor.accountId} and id = ${id} and not is_deleted
  returning id`

/** Gives the types the order of their ids in the list. */
export const sortTaskTypes = (actor: Actor, ids: number[]) => sql`
  update task_types type set sort = placed.place
    from unnest(${ids}::bigint[]) with ordinality placed (id, place)
   where type.account_id = ${actor.accountId} and type.id = placed.id and type.sort <> placed.place`

/** Waits for the tasks that are being given a type, and makes later ones wait. */
export const lockTaskType = (actor: Actor, id: number) => sql`
  select id from task_types
   where account_id = ${actor.accountId} and id = ${id} and not is_deleted for update`

/** Whether a task has the type; tasks of records in the bin count, deleted tasks do not. */
export const isTypeOfTasks = (actor: Actor, id: number) => sql`
  select id from tasks
   where account_id = ${actor.accountId} and task_type_id = ${id} and not is_deleted limit 1`

/** Locks types in the order of their ids; those that can be chosen. */
export const lockTaskTypesAmong = (actor: Actor, ids: number[]) => sql`
  select id from task_types
   where account_id = ${actor.accountId} and id = any(${ids}::bigint[]) and not is_deleted order by id for update`

/** All of a type, as `insertTaskType` takes it. */
export const takeTaskType = (actor: Actor, id: number) => sql`
  delete from task_types where account_id = ${actor.accountId} and id = ${id}
  returning id, name, color, icon_id, is_deleted, sort`

export const removeTaskType = (actor: Actor, id: number) => sql`
  delete from task_types where account_id = ${actor.accountId} and id = ${id}`

export const hideTaskType = (actor: Actor, id: number) => sql`
  update task_types set is_deleted = true where account_id = ${actor.accountId} and id = ${id}`

/** Those of these types that can be chosen; none can be deleted before this transaction ends. */
export const keepTaskTypes = (actor: Actor, ids: number[]) => sql`
  select id from task_types
   where account_id = ${actor.accountId} and id = any(${ids}::bigint[]) and not is_deleted order by id for share`
