// The rights of an actor to records: by the level of the entity type and, for leads, by their
// status, which overrides the level in both directions (interface: Rights object). `may` writes the
// rule as a condition in SQL, `sees` applies it to a row.
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from './actor.ts'
import { transactionChecks } from '../database/transaction-checks.ts'
import { forbidden } from '../http/problem.ts'
import { entityTypes } from '../entity-types.ts'
import type { EntityType } from '../entity-types.ts'
import { isIn } from './rights.ts'
import type { Action, RightLevel, PipelineStatus } from './rights.ts'

/** Administrators bypass rights, and customers follow the rights of leads. */
export function levelOf(actor: Actor, type: EntityType, action: Action): RightLevel {
  if (actor.isAdmin) return 'A'
  return actor.rights[type === 'customers' ? 'leads' : type][action]
}

/** Throws a 403 problem when the actor may do the action to no record of the type. */
export function requireRight(actor: Actor, type: EntityType, action: Action): void {
  transactionChecks?.rightChecked(type)
  if (mayNone(actor, type, action)) throw forbidden(`You have no right to ${action} ${type}`)
}

/** Whether the action is denied for every record of the type. */
export function mayNone(actor: Actor, type: EntityType, action: Action): boolean {
  return levelOf(actor, type, action) === 'D' && statuses(actor, type, action).opened.length === 0
}

/** Whether the action is allowed for every record of the type, so that none has to be checked. */
export function mayAll(actor: Actor, type: EntityType, action: Action): boolean {
  return levelOf(actor, type, action) === 'A' && statuses(actor, type, action).closed.length === 0
}

/** Of these types the actor may view some records, but not all. */
export const limitedTypes = (actor: Actor): EntityType[] =>
  entityTypes.filter((type) => !mayAll(actor, type, 'view') && !mayNone(actor, type, 'view'))

/**
 * Whether one range of an index holds the allowed records in the order of their ids: all records,
 * those of the user, or those of the group. The range may contain records whose status is closed to
 * the actor.
 */
export function mayInOrder(actor: Actor, type: EntityType, action: Action): boolean {
  const level = levelOf(actor, type, action)
  const isOfMembers = level === 'G' && actor.groupMembers !== undefined
  return !isOfMembers && (level === 'A' || statuses(actor, type, action).opened.length === 0)
}

/**
 * The column and the value of all allowed records, where one column has them; `beside` leaves out those whose
 * status is closed to the actor.
 */
export function rangeOf(
  actor: Actor,
  type: EntityType,
  action: Action,
): { column: 'responsible_user_id' | 'group_id'; value: number; beside?: Sql } | undefined {
  const level = levelOf(actor, type, action)
  if ((level !== 'M' && level !== 'G') || !mayInOrder(actor, type, action)) return undefined
  const { closed } = statuses(actor, type, action)
  return {
    ...(level === 'M'
      ? { column: 'responsible_user_id', value: actor.userId }
      : { column: 'group_id', value: actor.groupId }),
    ...(closed.length > 0 && { beside: sql`not ${isAt(closed)}` }),
  }
}

/** A condition in SQL: the actor may do the action to the row named `record`. */
export function may(actor: Actor, type: EntityType, action: Action): Sql {
  transactionChecks?.rightChecked(type)
  const level = levelOf(actor, type, action)
  const { opened, closed } = statuses(actor, type, action)
  if (level === 'A') return closed.length ? sql`(not ${isAt(closed)})` : sql`true`
  const usual = byLevel(actor, level)
  const withOpened =
    opened.length === 0 ? usual : level === 'D' ? isAt(opened) : sql`(${usual} or ${isAt(opened)})`
  return closed.length === 0 || level === 'D'
    ? withOpened
    : sql`(${withOpened} and not ${isAt(closed)})`
}

/** The columns that decide the right to view a record. */
export interface ViewedRow extends Partial<PipelineStatus> {
  responsible_user_id: number
  group_id: number
}

/** The rule of `may(actor, type, 'view')` for a row in memory, such as a row of the journal. */
export function sees(actor: Actor, type: EntityType, row: ViewedRow): boolean {
  const { opened, closed } = statuses(actor, type, 'view')
  const { pipeline_id = 0, status_id = 0 } = row
  if (isIn({ pipeline_id, status_id }, opened)) return true
  if (isIn({ pipeline_id, status_id }, closed)) return false
  return isAtLevel(actor, levelOf(actor, type, 'view'), row)
}

/** Whether a level allows an action to a row in memory. */
export function isAtLevel(actor: Actor, level: RightLevel, row: ViewedRow): boolean {
  switch (level) {
    case 'A':
      return true
    case 'G':
      return actor.groupMembers
        ? actor.groupMembers.includes(row.responsible_user_id)
        : row.group_id === actor.groupId
    case 'M':
      return row.responsible_user_id === actor.userId
    default:
      return false
  }
}

/** Throws a 403 problem when no status is open to the actor by a right of its own. */
export function requireOpenStatus(actor: Actor, action: Action): void {
  if (!actor.isAdmin && statuses(actor, 'leads', action).opened.length === 0)
    throw forbidden(`You have no right to ${action} unsorted leads`)
}

/**
 * A condition in SQL: the status of the row named `record` is open to the actor by a right of its
 * own. No other right opens a status of unsorted leads.
 */
export function mayAtStatus(actor: Actor, action: Action): Sql {
  transactionChecks?.rightChecked('leads')
  if (actor.isAdmin) return sql`true`
  const { opened } = statuses(actor, 'leads', action)
  return opened.length > 0 ? isAt(opened) : sql`false`
}

/**
 * The statuses that hold all records which the actor may do the action to; undefined where others are
 * among them.
 */
export function onlyAtStatuses(
  actor: Actor,
  type: EntityType,
  action: Action,
): PipelineStatus[] | undefined {
  const { opened } = statuses(actor, type, action)
  if (levelOf(actor, type, action) !== 'D' || opened.length === 0) return undefined
  return opened
}

/** The pipelines of the statuses that `mayAtStatus` opens; undefined where it opens all. */
export function pipelinesAtStatus(actor: Actor, action: Action): number[] | undefined {
  if (actor.isAdmin) return undefined
  return statuses(actor, 'leads', action).opened.map(({ pipeline_id }) => pipeline_id)
}

/** The statuses whose own rights allow the action, and those whose own rights deny it. */
function statuses(
  actor: Actor,
  type: EntityType,
  action: Action,
): { opened: PipelineStatus[]; closed: PipelineStatus[] } {
  const named =
    actor.isAdmin || type !== 'leads' || action === 'add' ? [] : (actor.rights.status_rights ?? [])
  return {
    opened: named.filter(({ rights }) => rights[action as 'view'] === 'A'),
    closed: named.filter(({ rights }) => rights[action as 'view'] === 'D'),
  }
}

/** A condition in SQL: the level allows an action to the row named `record`. */
export function byLevel(actor: Actor, level: RightLevel): Sql {
  switch (level) {
    case 'A':
      return sql`true`
    case 'G':
      // While a user moves between groups, `group_id` of records is out of date, and the
      // responsible user decides (docs/decisions/0014-moving-between-groups.md).
      return actor.groupMembers
        ? sql`record.responsible_user_id = any(${actor.groupMembers}::bigint[])`
        : sql`record.group_id = ${actor.groupId}`
    case 'M':
      return sql`record.responsible_user_id = ${actor.userId}`
    default:
      return sql`false`
  }
}

/**
 * Every pipeline has the statuses won and lost, so a status is named together with its pipeline.
 * The text of the condition does not depend on their number. The two lists are for the index by
 * status, the pairs make the condition exact.
 */
function isAt(statuses: PipelineStatus[]): Sql {
  const pipelines = statuses.map(({ pipeline_id }) => pipeline_id)
  const ids = statuses.map(({ status_id }) => status_id)
  return sql`(record.pipeline_id = any(${pipelines}::bigint[])
             and record.status_id = any(${ids}::bigint[])
             and (record.pipeline_id, record.status_id) in
                 (select * from unnest(${pipelines}::bigint[], ${ids}::bigint[])))`
}
