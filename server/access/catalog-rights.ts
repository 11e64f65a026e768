// The rights of an actor to catalogs (interface: Rights object). A catalog that `catalog_rights`
// names has the levels there; `catalog_access` opens or closes all others. The level L opens the
// catalog, and of its elements only those that are linked to a record that the actor may view
// (docs/decisions/0035-links-of-elements.md).
import sql, { join } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { transactionChecks } from '../database/transaction-checks.ts'
import { entityTypes, tableOf } from '../entity-types.ts'
import { forbidden } from '../http/problem.ts'
import type { Actor } from './actor.ts'
import { may, mayNone } from './record-rights.ts'
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

/** A condition in SQL: the actor may view all elements of the catalog with this id. */
export const mayViewElements = (actor: Actor, id: Sql): Sql => isOpen(actor, id, 'A')

/** Whether the actor may view all elements of some catalog. */
export const mayViewSomeElements = (actor: Actor): boolean => !mayNot(actor, 'A')

/** Whether the actor may view the elements of every catalog, so that none has to be checked. */
export function mayViewAllElements(actor: Actor): boolean {
  if (actor.isAdmin) return true
  return actor.rights.catalog_access && named(actor, 'LD').length === 0
}

/** A condition in SQL: the actor may do the action to the row named `element` of the catalog. */
export function mayUseElements(actor: Actor, catalogId: number, action: Action): Sql {
  transactionChecks?.rightChecked('catalog_elements')
  const level = catalogLevel(actor, catalogId, action)
  if (level === 'L') return isLinked(actor, sql`element.id`)
  return level === 'A' ? sql`true` : sql`false`
}

/** A condition in SQL: the actor may view the row named `element`, of whichever catalog. */
export function mayViewElement(actor: Actor): Sql {
  const open = mayViewElements(actor, sql`element.catalog_id`)
  const linked = catalogsByLinks(actor)
  if (linked.length === 0) return open
  return sql`(${open} or element.catalog_id = any(${linked}::bigint[]) and ${isLinked(actor, sql`element.id`)})`
}

/** The catalogs of which the actor may view the linked elements only. */
export function catalogsByLinks(actor: Actor): number[] {
  return actor.isAdmin ? [] : named(actor, 'L')
}

/** The records of each type that are looked at, to find one that the actor may view. */
const mostTried = 250

/**
 * A condition in SQL: among the newest records of each type that the element is linked to, one is
 * outside the bin and the actor may view it.
 */
export function isLinked(actor: Actor, element: Sql): Sql {
  const types = entityTypes.filter((type) => !mayNone(actor, type, 'view'))
  const found = types.map(
    (type) => sql`exists (
      select from (select link.entity_id from element_links link
                    where link.account_id = ${actor.accountId} and link.element_id = ${element} and link.entity_type = ${type}
                    order by link.entity_id desc limit ${mostTried}) newest
        join ${tableOf(type)} record on record.account_id = ${actor.accountId} and record.id = newest.entity_id and not record.is_deleted
       where ${may(actor, type, 'view')})`,
  )
  return found.length > 0 ? sql`(${join(found, ' or ')})` : sql`false`
}

/** Says that a verb writes elements whatever the caller's rights to them, for a reason of its own. */
export const needsNoElementRight = (): void => transactionChecks?.rightChecked('catalog_elements')

/** Throws a 403 problem when the actor may do the action to no element of the catalog. */
export function requireElements(actor: Actor, catalogId: number, action: Action): void {
  transactionChecks?.rightChecked('catalog_elements')
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
