// The rights of an actor to tasks (docs/decisions/0039-tasks.md). A task is visible to its
// responsible user, and to everybody who may view its record. A task without a record is visible to
// those who may edit it. `tasks` of the rights says who may edit and delete visible tasks. In
// statements the row of a task is named `record`.
import sql, { join } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { unguessed } from '../database/by-key.ts'
import { transactionChecks } from '../database/transaction-checks.ts'
import { entityTypes, tableOf } from '../entity-types.ts'
import type { EntityType } from '../entity-types.ts'
import { forbidden } from '../http/problem.ts'
import type { Actor } from './actor.ts'
import { byLevel, isAtLevel, may, mayAll, mayNone, sees } from './record-rights.ts'
import type { ViewedRow } from './record-rights.ts'
import type { RightLevel } from './rights.ts'

type TaskAction = 'edit' | 'delete'

/** Throws a 403 problem when the actor may do the action to no task. */
export function requireTaskRight(actor: Actor, action: TaskAction): void {
  transactionChecks?.rightChecked('tasks')
  if (taskLevel(actor, action) === 'D') throw forbidden(`You have no right to ${action} tasks`)
}

/** Tasks follow their record, to which the actor has the right: they go with it. */
export function followRecord(): void {
  transactionChecks?.rightChecked('tasks')
}

/** Whether the actor may view every task outside the bin. */
export const mayViewAllTasks = (actor: Actor): boolean =>
  taskLevel(actor, 'edit') === 'A' && entityTypes.every((type) => mayAll(actor, type, 'view'))

/** A condition in SQL: the task has no record, or its record is outside the bin. */
export const isOutsideBin: Sql = sql`
  case ${perType(
    (type) => sql`(
      select not parent.is_deleted from ${tableOf(type)} parent
       where parent.account_id = record.account_id and parent.id = record.entity_id)`,
  )} else record.entity_type is null end`

/**
 * A condition in SQL: the actor may view the task. It is null or false where the record is in the
 * bin, unless `inBin` says that tasks of such records count too.
 */
export function mayViewTask(actor: Actor, inBin: 'hidden' | 'shown' = 'hidden'): Sql {
  transactionChecks?.rightChecked('tasks')
  const own = sql`task.responsible_user_id = ${actor.userId}`
  const test = (type: EntityType) =>
    mayAll(actor, type, 'view') ? sql`true` : sql`(${own} or ${may(actor, type, 'view')})`
  return sql`
    case ${perType((type) => ofRecord(type, test(type), inBin))}
         else record.responsible_user_id = ${actor.userId} or ${byLevel(actor, taskLevel(actor, 'edit'))} end`
}

/** A condition in SQL: the actor may view the task and do the action to it. */
export const mayChangeTask = (actor: Actor, action: TaskAction): Sql =>
  sql`coalesce(${byLevel(actor, taskLevel(actor, action))} and ${mayViewTask(actor)}, false)`

/**
 * Selects the ids of the tasks that an actor may view, some of them twice, and some of records in
 * the bin: it begins with the actor's tasks and with the records that the actor may view.
 */
export function viewedTasks(actor: Actor): Sql {
  const { accountId, userId } = actor
  const tasks = (test: Sql) => sql`
    select record.id from tasks record where record.account_id = ${accountId} and not record.is_deleted and ${test}`
  const level = taskLevel(actor, 'edit')
  const reached = byLevel(actor, level)
  const ofTypes = entityTypes
    .filter((type) => !mayNone(actor, type, 'view'))
    .map((type) =>
      mayAll(actor, type, 'view')
        ? tasks(sql`record.entity_type = ${type}`)
        : sql`
          select task.id from ${tableOf(type)} record, lateral (
            select task.id from tasks task
             where task.account_id = ${accountId} and task.entity_type = ${type} and task.entity_id = record.id
               and not task.is_deleted offset 0) task
           where record.account_id = ${accountId} and not record.is_deleted and ${may(actor, type, 'view')}`,
    )
  const own = tasks(sql`record.responsible_user_id = ${userId}`)
  const isUnbound = sql`record.entity_type is null`
  // An index has the unbound tasks of a group; those of several users are found by the user.
  const unbound = tasks(
    sql`${level === 'G' && actor.groupMembers ? unguessed(isUnbound) : isUnbound} and ${reached}`,
  )
  return join(
    [own, ...(level === 'A' || level === 'G' ? [unbound] : []), ...ofTypes],
    ' union all ',
  )
}

/** The columns of a task that decide who may view it. */
export interface ViewedTask extends ViewedRow {
  entity_type: EntityType | null
}

/**
 * The rule of `mayViewTask` for rows in memory: a task and its record, which is undefined where it
 * is in the bin or gone.
 */
export function seesTask(actor: Actor, task: ViewedTask, record: ViewedRow | undefined): boolean {
  const { entity_type } = task
  if (task.responsible_user_id === actor.userId) return true
  if (!entity_type) return isAtLevel(actor, taskLevel(actor, 'edit'), task)
  return record ? sees(actor, entity_type, record) : mayAll(actor, entity_type, 'view')
}

/** Administrators bypass rights. */
function taskLevel(actor: Actor, action: TaskAction): RightLevel {
  return actor.isAdmin ? 'A' : actor.rights.tasks[action]
}

function perType(then: (type: EntityType) => Sql): Sql {
  return join(
    entityTypes.map((type) => sql`when record.entity_type = ${type} then ${then(type)}`),
    ' ',
  )
}

/**
 * The test of a task by its record: rows named `task` and `record`, null without such a record. As
 * a scalar it stays a look-up by key; PostgreSQL might answer `exists` from the whole table.
 */
function ofRecord(type: EntityType, test: Sql, inBin: 'hidden' | 'shown' = 'hidden'): Sql {
  return sql`(
    select ${test} from (select record.account_id, record.entity_id, record.responsible_user_id) task
      join ${tableOf(type)} record on record.account_id = task.account_id and record.id = task.entity_id
     ${inBin === 'hidden' ? sql`where not record.is_deleted` : sql`where true`})`
}
