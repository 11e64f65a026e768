// What an actor may do to which records: by the letter of the kind, and for leads by the status they are in, which overrides the
// letter, either way (entities reference, Rights object). Once as a condition in SQL, once for a row that is at hand.
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from './actor.ts'
import { witness } from '../database/witness.ts'
import { forbidden } from '../http/problem.ts'
import type { EntityType } from '../entity-types.ts'
import { isIn } from './rights.ts'
import type { Action, RightLevel, PipelineStatus } from './rights.ts'

/** The letter of an action on a kind of record. Administrators bypass rights; customers follow the rights of leads. */
export function levelOf(actor: Actor, type: EntityType, action: Action): RightLevel {
  if (actor.isAdmin) return 'A'
  return actor.rights[type === 'customers' ? 'leads' : type][action]
}

/** Throws a 403 problem where an action is denied for every record of a kind. */
export function requireRight(actor: Actor, type: EntityType, action: Action): void {
  witness?.rightAsked(type)
  if (mayNone(actor, type, action)) throw forbidden(`You have no right to ${action} ${type}`)
}

/** Whether there can be no record of a kind that the actor may do something to. */
export function mayNone(actor: Actor, type: EntityType, action: Action): boolean {
  return levelOf(actor, type, action) === 'D' && statuses(actor, type, action).opened.length === 0
}

/** Whether the actor may do something to each record of a kind, so that no record has to be looked at. */
export function mayAll(actor: Actor, type: EntityType, action: Action): boolean {
  return levelOf(actor, type, action) === 'A' && statuses(actor, type, action).closed.length === 0
}

/**
 * Whether one stretch of an index holds, in the order of their ids, the records that the actor may do something to, but for some that are
 * closed to him: all of them, his own, or those of his group.
 */
export function mayInOrder(actor: Actor, type: EntityType, action: Action): boolean {
  const letter = levelOf(actor, type, action)
  const isOfMembers = letter === 'G' && actor.groupMembers !== undefined
  return !isOfMembers && (letter === 'A' || statuses(actor, type, action).opened.length === 0)
}

/** Whether the actor may do something to a row named `record`, as a condition in SQL. */
export function may(actor: Actor, type: EntityType, action: Action): Sql {
  witness?.rightAsked(type)
  const letter = levelOf(actor, type, action)
  const { opened, closed } = statuses(actor, type, action)
  if (letter === 'A') return closed.length ? sql`(not ${isAt(closed)})` : sql`true`
  const usual = byLevel(actor, letter)
  const widened =
    opened.length === 0 ? usual : letter === 'D' ? isAt(opened) : sql`(${usual} or ${isAt(opened)})`
  return closed.length === 0 || letter === 'D' ? widened : sql`(${widened} and not ${isAt(closed)})`
}

/** What a right to view depends on. */
export interface ViewedRow extends Partial<PipelineStatus> {
  responsible_user_id: number
  group_id: number
}

/** The rule of `may(actor, type, 'view')` for a row that is at hand, such as one in the journal. */
export function sees(actor: Actor, type: EntityType, row: ViewedRow): boolean {
  const { opened, closed } = statuses(actor, type, 'view')
  const { pipeline_id = 0, status_id = 0 } = row
  if (isIn({ pipeline_id, status_id }, opened)) return true
  if (isIn({ pipeline_id, status_id }, closed)) return false
  switch (levelOf(actor, type, 'view')) {
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

/** The statuses that an action is opened to, and closed to, by rights of their own. */
function statuses(
  actor: Actor,
  type: EntityType,
  action: Action,
): { opened: PipelineStatus[]; closed: PipelineStatus[] } {
  const said =
    actor.isAdmin || type !== 'leads' || action === 'add' ? [] : (actor.rights.status_rights ?? [])
  return {
    opened: said.filter(({ rights }) => rights[action as 'view'] === 'A'),
    closed: said.filter(({ rights }) => rights[action as 'view'] === 'D'),
  }
}

function byLevel(actor: Actor, letter: RightLevel): Sql {
  switch (letter) {
    case 'G':
      // While a move between groups is being written down, who is in the group says it (docs/decisions/0014-moving-between-groups.md).
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
 * Won and lost are in every pipeline, so statuses are named by pipeline. The text is the same however many there are. The lists apart are
 * what the index by status is read by, the pairs say which of it is meant.
 */
function isAt(places: PipelineStatus[]): Sql {
  const pipelines = places.map(({ pipeline_id }) => pipeline_id)
  const ids = places.map(({ status_id }) => status_id)
  return sql`(record.pipeline_id = any(${pipelines}::bigint[]) and record.status_id = any(${ids}::bigint[])
             and (record.pipeline_id, record.status_id) in (select * from unnest(${pipelines}::bigint[], ${ids}::bigint[])))`
}
