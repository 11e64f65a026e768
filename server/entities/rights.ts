import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Action, Actor, Letter } from '../http/access.ts'
import { forbidden } from '../http/problem.ts'
import type { EntityType } from './kinds.ts'

/** The letter of an action on a kind of record. Administrators bypass rights; customers follow the rights of leads. */
export function letterOf(actor: Actor, type: EntityType, action: Action): Letter {
  if (actor.isAdmin) return 'A'
  return actor.rights[type === 'customers' ? 'leads' : type][action]
}

/** Throws a 403 problem where an action is denied for every record of a kind. */
export function forbidUnless(actor: Actor, type: EntityType, action: Action): void {
  if (letterOf(actor, type, action) === 'D') throw forbidden(`You have no right to ${action} ${type}`)
}

/**
 * Whether the actor may do something to a row named `record`, as a condition in SQL:
 * always, when its responsible user is in the actor's group, when the actor is responsible, never.
 */
export function may(actor: Actor, type: EntityType, action: Action): Sql {
  switch (letterOf(actor, type, action)) {
    case 'A':
      return sql`true`
    case 'G':
      return sql`record.group_id = ${actor.groupId}`
    case 'M':
      return sql`record.responsible_user_id = ${actor.userId}`
    case 'D':
      return sql`false`
  }
}
