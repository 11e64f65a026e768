import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Action, Actor, Letter } from '../http/access.ts'
import { forbidden } from '../http/problem.ts'
import type { EntityType } from './kinds.ts'

/**
 * The letter of an action on a kind of record. Administrators bypass rights; customers follow the rights of leads. Nobody changes, deletes or
 * exports what they cannot see, nor deletes what they cannot change, whatever the letters say (entities reference, Rights object).
 */
export function letterOf(actor: Actor, type: EntityType, action: Action): Letter {
  if (actor.isAdmin) return 'A'
  const rights = actor.rights[type === 'customers' ? 'leads' : type]
  switch (action) {
    case 'view':
    case 'add':
      return rights[action]
    case 'delete':
      return weakest(rights.view, rights.edit, rights.delete)
    default:
      return weakest(rights.view, rights[action])
  }
}

const fromWeakest = ['D', 'M', 'G', 'A'] as const

function weakest(...letters: Letter[]): Letter {
  return fromWeakest.find((letter) => letters.includes(letter))!
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
