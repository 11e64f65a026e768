// The rights of an actor to catalogs (entities reference, Rights object). A catalog that
// `catalog_rights` names has the levels there; `catalog_access` opens or closes all others. The
// level L opens the catalog, and of its elements only those that are linked to a record.
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { witness } from '../database/witness.ts'
import { forbidden } from '../http/problem.ts'
import type { Actor } from './actor.ts'
import type { Action, RightLevel } from './rights.ts'

/** Administrators bypass rights. */
export function catalogLevel(actor: Actor, catalogId: number, action: Action): RightLevel {
  if (actor.isAdmin) return 'A'
  const named = actor.rights.catalog_rights.find(({ catalog_id }) => catalog_id === catalogId)
  if (named) return named.rights[action]
  return actor.rights.catalog_access ? 'A' : 'D'
}

/** Throws a 403 problem when the actor may view no catalog. */
export function requireSomeCatalog(actor: Actor): void {
  if (mayNot(actor, 'AL')) throw forbidden('You have no right to view catalogs')
}

/** A condition in SQL: the actor may view the catalog with this id. */
export const mayViewCatalog = (actor: Actor, id: Sql): Sql => isOpen(actor, id, 'AL')

/** A condition in SQL: the actor may view the elements of the catalog with this id. */
export const mayViewElements = (actor: Actor, id: Sql): Sql => isOpen(actor, id, 'A')

/** Whether the actor may view elements of some catalog. */
export const mayViewSomeElements = (actor: Actor): boolean => !mayNot(actor, 'A')

/** Whether the actor may view the elements of every catalog, so that none has to be checked. */
export function mayViewAllElements(actor: Actor): boolean {
  if (actor.isAdmin) return true
  return actor.rights.catalog_access && named(actor, 'LD').length === 0
}

/**
 * A condition in SQL: the actor may do the action to the elements of the catalog. With the level L
 * that would be the linked ones, and no element has links yet.
 */
export function mayUseElements(actor: Actor, catalogId: number, action: Action): Sql {
  witness?.rightAsked('catalog_elements')
  return catalogLevel(actor, catalogId, action) === 'A' ? sql`true` : sql`false`
}

/** Throws a 403 problem when the actor may do the action to no element of the catalog. */
export function requireElements(actor: Actor, catalogId: number, action: Action): void {
  witness?.rightAsked('catalog_elements')
  if (catalogLevel(actor, catalogId, action) === 'D')
    throw forbidden(`You have no right to ${action} elements of this catalog`)
}

/** Whether no catalog has one of these levels of view. */
function mayNot(actor: Actor, levels: string): boolean {
  return !actor.isAdmin && !actor.rights.catalog_access && named(actor, levels).length === 0
}

function isOpen(actor: Actor, id: Sql, levels: 'AL' | 'A'): Sql {
  if (actor.isAdmin) return sql`true`
  if (!actor.rights.catalog_access) return sql`${id} = any(${named(actor, levels)}::bigint[])`
  const closed = named(actor, levels === 'A' ? 'LD' : 'D')
  return sql`${id} <> all(${closed}::bigint[])`
}

/** The catalogs that the rights name with one of these levels of view. */
function named(actor: Actor, levels: string): number[] {
  const ids = actor.rights.catalog_rights.map(({ catalog_id }) => catalog_id)
  return ids.filter((id) => levels.includes(catalogLevel(actor, id, 'view')))
}
