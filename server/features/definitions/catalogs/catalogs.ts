// Catalogs: lists of products, of invoices, or of anything else. Like pipelines they are the
// structure of an account and no records: administrators make them, and neither the journal nor the
// event log has their changes (docs/decisions/0033-catalogs.md).
import { isDeepStrictEqual } from 'node:util'
import { lockAccount } from '../../../access/account.ts'
import { mayViewSomeElements } from '../../../access/catalog-rights.ts'
import type { Actor } from '../../../access/actor.ts'
import type { Reader, Tx } from '../../../database/connect.ts'
import { newFaults } from '../../../http/batch.ts'
import type { Batch } from '../../../http/batch.ts'
import { badRequest, forbidden, notFound } from '../../../http/problem.ts'
import { highestSort } from '../../../http/types.ts'
import { fieldsChanged } from '../../../records/fields/definitions.ts'
import { placedBefore } from '../../../records/placement.ts'
import { firstFields } from './first-fields.ts'
import * as queries from './queries.ts'
import type { CatalogRow } from './queries.ts'
import type { Catalog, CatalogChange, NewCatalog } from './schema.ts'

/** Catalogs of an account at most (interface: Limits). */
const mostCatalogs = 10
/** The distance between the positions of two catalogs. */
const sortStep = 10

type KnownCatalog = CatalogRow & { id: number }
type WrittenCatalog = Catalog & { request_id: string }

/**
 * Creates catalogs and answers them in request order. More than ten in all, or a second one of
 * products or invoices: 400.
 */
export async function createCatalogs(
  tx: Tx,
  actor: Actor,
  base: string,
  { items, faults }: Batch<NewCatalog>,
): Promise<WrittenCatalog[]> {
  // No other transaction adds catalogs until this one ends, so the count stays true.
  await tx.rows(lockAccount(actor))
  const known = await tx.rows<KnownCatalog>(queries.knownCatalogs(actor))
  const types = new Set(known.map(({ type }) => type))
  let last = Math.max(0, ...known.map(({ sort }) => sort))
  const rows = items.map((item): CatalogRow => {
    const { name, type = 'regular', sort = Math.min(last + sortStep, highestSort) } = item.value
    const { can_add_elements = true, can_show_in_cards = false } = item.value
    const { can_link_multiple = true } = item.value
    if (type !== 'regular' && types.has(type))
      faults.add(item, {
        code: 'NotUnique',
        path: 'type',
        detail: `An account has one catalog of the type ${type} at most.`,
      })
    types.add(type)
    last = Math.max(last, sort)
    const flags = { can_add_elements, can_show_in_cards, can_link_multiple }
    return { name: name.trim(), type, sort, ...flags }
  })
  faults.throwIfAny()
  if (known.length + rows.length > mostCatalogs)
    throw badRequest(`An account has at most ${mostCatalogs} catalogs, and has ${known.length}`)
  const ids = (await tx.rows<{ id: number }>(queries.insertCatalogs(actor, rows))).map(
    ({ id }) => id,
  )
  // Also a lock of the account, which the transaction has already.
  await fieldsChanged(tx, actor.accountId)
  await tx.rows(queries.insertFirstGroups(actor, ids))
  const fields = ids.flatMap((id, index) => firstFields(id, rows[index]!.type))
  if (fields.length > 0) await tx.rows(queries.insertFirstFields(actor, fields))
  return inOrder(tx, actor, base, items, ids)
}

/**
 * Changes catalogs and answers them in request order. Several items for one catalog apply in turn,
 * and an unchanged value counts as not sent. An unknown id is a fault of its item, or a 404 problem.
 */
export async function changeCatalogs(
  tx: Tx,
  actor: Actor,
  base: string,
  { items, faults }: Batch<CatalogChange>,
  missing: 'fault' | 'notFound' = 'fault',
): Promise<WrittenCatalog[]> {
  await tx.rows(lockAccount(actor))
  const known = await tx.rows<KnownCatalog>(queries.knownCatalogs(actor))
  const before = new Map(known.map((row) => [row.id, row]))
  const after = new Map(before)
  for (const item of items) {
    const row = after.get(item.value.id)
    if (!row && missing === 'notFound') throw notFound()
    if (!row) {
      const detail = `There is no catalog ${item.value.id}.`
      faults.add(item, { code: 'EntityNotFound', path: 'id', detail })
      continue
    }
    const { id, name, type, sort, can_add_elements, can_show_in_cards, can_link_multiple } = {
      ...row,
      ...item.value,
    }
    if (type !== row.type)
      faults.add(item, {
        code: 'NotSupportedChoice',
        path: 'type',
        detail: `The type of a catalog stays what it is: ${row.type}.`,
      })
    const flags = { can_add_elements, can_show_in_cards, can_link_multiple }
    after.set(id, { id, name: name.trim(), type, sort, ...flags })
  }
  faults.throwIfAny()
  const changed = [...after.values()].filter((row) => !isDeepStrictEqual(row, before.get(row.id)))
  if (changed.length > 0) await tx.rows(queries.updateCatalogs(actor, changed))
  const ids = items.map(({ value }) => value.id)
  return inOrder(tx, actor, base, items, ids)
}

/** Moves a catalog before another, or to the end. Unknown: 404; before one that is not there: 400. */
export async function moveCatalog(
  tx: Tx,
  actor: Actor,
  id: number,
  before: number | null,
): Promise<void> {
  await tx.rows(lockAccount(actor))
  const known = await tx.rows<KnownCatalog>(queries.knownCatalogs(actor))
  const inPlace = known.toSorted((a, b) => a.sort - b.sort || a.id - b.id)
  const order = placedBefore(
    inPlace.map((row) => row.id),
    id,
    before,
  )
  const moved = known.flatMap((row) => {
    const sort = (order.indexOf(row.id) + 1) * sortStep
    return row.sort === sort ? [] : { ...row, sort }
  })
  if (moved.length > 0) await tx.rows(queries.updateCatalogs(actor, moved))
}

/** Throws a 404 problem for an unknown catalog, and a 403 problem for one that the actor may not view. */
export async function requireCatalog(reader: Reader, actor: Actor, id: number): Promise<void> {
  const catalog = await reader.row<{ allowed: boolean }>(queries.viewedCatalog(actor, id))
  if (!catalog) throw notFound()
  if (!catalog.allowed) throw forbidden('You have no right to view this catalog')
}

/** The catalogs of which a user may view all elements, ten at most. */
export async function openCatalogs(reader: Reader, actor: Actor): Promise<number[]> {
  if (!mayViewSomeElements(actor)) return []
  return (await reader.rows<{ id: number }>(queries.catalogsWithOpenElements(actor))).map(
    ({ id }) => id,
  )
}

/** The catalogs that a user may view, ten at most. */
export async function viewedCatalogs(reader: Reader, actor: Actor): Promise<number[]> {
  const rows = await reader.rows<{ id: number }>(queries.catalogsInView(actor))
  return rows.map(({ id }) => id)
}

/** The fields of the type price in the catalog of products. */
export async function productPriceTypes(reader: Reader, actor: Actor): Promise<number[]> {
  const rows = await reader.rows<{ id: number }>(queries.priceFieldsOfProducts(actor))
  return rows.map(({ id }) => id)
}

/** Whether the account sells products: it has their catalog, and that is turned on. */
export async function hasProducts(reader: Reader, actor: Actor): Promise<boolean> {
  return (
    (await reader.row<{ is_enabled: boolean }>(queries.productsCatalog(actor)))?.is_enabled === true
  )
}

/**
 * Turns the catalog of products on, and creates it where there is none, or turns it off. Its
 * elements and fields stay as they are.
 */
export async function setProducts(
  tx: Tx,
  actor: Actor,
  base: string,
  is_enabled: boolean,
): Promise<void> {
  await tx.rows(lockAccount(actor))
  if (await tx.row(queries.productsCatalog(actor)))
    await tx.rows(queries.enableProducts(actor, is_enabled))
  else if (is_enabled) {
    const value: NewCatalog = { name: 'Products', type: 'products' }
    const items = [{ index: 0, request_id: '0', value }]
    await createCatalogs(tx, actor, base, { items, faults: newFaults() })
  }
}

async function inOrder(
  tx: Tx,
  actor: Actor,
  base: string,
  items: { request_id: string }[],
  ids: number[],
): Promise<WrittenCatalog[]> {
  const written = await tx.rows<Catalog>(queries.writtenCatalogs(actor, base, ids))
  const byId = new Map(written.map((catalog) => [catalog.id, catalog]))
  return items.map(({ request_id }, index) => ({ ...byId.get(ids[index]!)!, request_id }))
}
