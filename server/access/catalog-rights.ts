// The rights of an actor to catalogs (entities reference, Rights object). A catalog that
// `catalog_rights` names has the levels there; `catalog_access` opens or closes all others. The
// level L opens the catalog, and of its elements only those that are linked to a record.
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
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
  const { isAdmin, rights } = actor
  if (isAdmin || rights.catalog_access || viewed(actor).length > 0) return
  throw forbidden('You have no right to view catalogs')
}

/** A condition in SQL: the actor may view the catalog with this id. */
export function mayViewCatalog(actor: Actor, id: Sql): Sql {
  if (actor.isAdmin) return sql`true`
  if (!actor.rights.catalog_access) return sql`${id} = any(${viewed(actor)}::bigint[])`
  const closed = named(actor).filter((catalogId) => catalogLevel(actor, catalogId, 'view') === 'D')
  return sql`${id} <> all(${closed}::bigint[])`
}

const named = ({ rights }: Actor) => rights.catalog_rights.map(({ catalog_id }) => catalog_id)

const viewed = (actor: Actor) =>
  named(actor).filter((catalogId) => catalogLevel(actor, catalogId, 'view') !== 'D')
