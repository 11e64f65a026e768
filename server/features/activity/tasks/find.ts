// Finds the page of a list of tasks, in the ways of the lists of records.
import sql, { join } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { may } from '../../../access/record-rights.ts'
import {
  isOutsideBin,
  mayViewAllTasks,
  mayViewTask,
  viewedTasks,
} from '../../../access/task-rights.ts'
import type { Reader } from '../../../database/connect.ts'
import type { PagePosition, PageRow } from '../../../http/paging.ts'
import { invalid } from '../../../http/problem.ts'
import { oneOf, pinned, within } from '../../../records/lists/conditions.ts'
import type { Condition } from '../../../records/lists/conditions.ts'
import { findRows } from '../../../records/lists/find.ts'
import type { ListRequest } from '../../../records/lists/find.ts'
import { orderingOf } from '../../../records/lists/schema.ts'
import { taskList } from './queries.ts'
import type { TaskQuery } from './schema.ts'

type TaskFilter = NonNullable<TaskQuery['filter']>

/** Answers a page of the tasks that the actor may view, and one more where another page follows. */
export async function findTasks(
  reader: Reader,
  actor: Actor,
  base: string,
  query: TaskQuery,
  seek: PagePosition,
): Promise<PageRow[]> {
  const request = taskRequestOf(actor, query)
  const rows = await findRows(reader, actor, 'tasks', request, seek, (way) =>
    taskList(actor, base, request, seek, way),
  )
  return rows.map(([json, key, id]) => ({ json: json!, key: Number(key), id: Number(id) }))
}

/** The conditions of a query: its filters, and the actor's right to view. */
export function taskRequestOf(actor: Actor, { filter = {}, order }: TaskQuery): ListRequest {
  const seesAll = mayViewAllTasks(actor)
  return {
    conditions: [
      ...oneOf('id', filter.id),
      ...ofPeople(filter),
      ...oneOf('created_by', filter.created_by),
      ...oneOf('task_type_id', filter.task_type),
      ...oneOf('task_type_id', filter.task_type_id),
      ...ofRecords(filter),
      ...ofLeadsIn(actor, filter.lead_statuses),
      ...updated(filter.updated_at),
      ...(seesAll ? [] : [viewed(actor)]),
    ],
    ordering: orderingOf(order),
    ...(seesAll && { always: isOutsideBin }),
    isUnlisted: true,
    wanted: new Set(),
    inBin: false,
    isNamed: filter.id !== undefined,
  }
}

/** Throws a 400 problem for ids of records without their type (interface: Task). */
export function checkTaskFilter({ filter }: TaskQuery): void {
  if (!filter?.entity_id || filter.entity_type) return
  const detail = 'filter[entity_id] works only together with filter[entity_type].'
  throw invalid([
    {
      request_id: '0',
      errors: [{ code: 'FieldMissing', path: 'filter[entity_type]', detail }],
    },
  ])
}

/** One index has the open tasks of one user by time: the list that users ask for most. */
function ofPeople({ responsible_user_id, is_completed = [] }: TaskFilter): Condition[] {
  const states = [...new Set(is_completed)]
  const people = oneOf('responsible_user_id', responsible_user_id)
  if (states.length !== 1) return people
  if (states[0]) return [...people, { passes: sql`record.is_completed`, streams: ['id'] }]
  const [whose] = people
  const isOpen = sql`not record.is_completed`
  const passes = whose ? sql`${isOpen} and ${whose.passes}` : isOpen
  const isStream = !whose || whose.pin !== undefined
  return [
    {
      passes,
      streams: isStream ? ['complete_till'] : [],
      ...(whose?.pin && pinned({ ...whose.pin, beside: isOpen })),
    },
  ]
}

function ofRecords({ entity_type: types, entity_id: ids }: TaskFilter): Condition[] {
  if (!types) return []
  const each = [...new Set(types)].map((type) =>
    ids
      ? sql`record.entity_type = ${type} and ${oneOf('entity_id', ids)[0]!.passes}`
      : sql`record.entity_type = ${type}`,
  )
  const isOneRecord = each.length === 1 && ids?.length === 1
  return [{ passes: sql`(${join(each, ' or ')})`, streams: isOneRecord ? ['id'] : [] }]
}

/**
 * The tasks of leads that are in one of these statuses and that the actor may view. They are found
 * from the leads that have tasks: most leads of a large status have none.
 */
function ofLeadsIn(actor: Actor, statuses: TaskFilter['lead_statuses']): Condition[] {
  if (!statuses) return []
  const pipelines = sql`${statuses.map(({ pipeline_id }) => pipeline_id)}::bigint[]`
  const ids = sql`${statuses.map(({ status_id }) => status_id)}::bigint[]`
  const isIn = sql`
    select true from (select record.account_id, record.entity_id) task
      join leads record on record.account_id = task.account_id and record.id = task.entity_id
     where not record.is_deleted and ${may(actor, 'leads', 'view')}
       and (record.pipeline_id, record.status_id) in (select * from unnest(${pipelines}, ${ids}))`
  return [
    {
      passes: sql`case when record.entity_type = 'leads' then (${isIn}) end`,
      ids: sql`
        select task.id from unnest(${pipelines}, ${ids}) named (pipeline_id, status_id), lateral (
          select record.id from leads record
           where record.account_id = ${actor.accountId} and record.has_tasks and not record.is_deleted
             and record.pipeline_id = named.pipeline_id and record.status_id = named.status_id offset 0) lead, lateral (
          select task.id from tasks task
           where task.account_id = ${actor.accountId} and task.entity_type = 'leads' and task.entity_id = lead.id
             and not task.is_deleted offset 0) task`,
      streams: [],
    },
  ]
}

/** A single time means after it (interface: Task). */
function updated(range: TaskFilter['updated_at']): Condition[] {
  return typeof range === 'number'
    ? within('updated_at', { from: range + 1 }, 'from')
    : within('updated_at', range, 'from')
}

const viewed = (actor: Actor): Condition => ({
  passes: mayViewTask(actor),
  ids: viewedTasks(actor),
  streams: [],
  isRight: true,
})
