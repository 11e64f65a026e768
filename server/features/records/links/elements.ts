// Elements of catalogs on records (interface: Link). The record is the holder, and its lock guards
// them. Elements are not locked, except those that are linked to one lead or customer at most: their
// lock comes after the locks of records (docs/decisions/0035-links-of-elements.md).
import type { Tx } from '../../../database/connect.ts'
import type { Actor } from '../../../access/actor.ts'
import { catalogLevel } from '../../../access/catalog-rights.ts'
import { fieldsOfCatalog } from '../../../entity-types.ts'
import type { Faults, Item } from '../../../http/batch.ts'
import { fieldsOf } from '../../../records/fields/definitions.ts'
import { refKey } from '../../../records/link-rules.ts'
import type { RecordRef } from '../../../records/link-rules.ts'
import { elementPlanOf, mostElements } from './element-plan.ts'
import type { ElementLink, ElementPlan, KnownElement } from './element-plan.ts'
import {
  countElements,
  elementLinksAmong,
  lockElementsOfOne,
  ownersOfElements,
  someElements,
} from './queries.ts'
import type { ElementLinkRow } from './queries.ts'

/** An element that a request names, and its record. */
export interface NamedElement {
  record: RecordRef
  id: number
}

/** The metadata of an item that names an element. */
export interface SentTerms {
  catalog_id?: number | null
  quantity?: number | null
  price_id?: number | null
}

export interface OpenedElements {
  /** The element, where it exists and the actor may view it. */
  find: (named: NamedElement) => KnownElement | undefined
  plan: ElementPlan
}

/** Reads the elements that a request names; their records are locked already. */
export async function openElements(
  tx: Tx,
  actor: Actor,
  named: NamedElement[],
): Promise<OpenedElements> {
  if (named.length === 0)
    return { find: () => undefined, plan: elementPlanOf([], new Map(), new Map()) }
  const ids = [...new Set(named.map(({ id }) => id))]
  const rows = await tx.rows<KnownElement>(someElements(actor, ids))
  const known = new Map(rows.map((row) => [row.id, row]))
  const ofOne = rows.flatMap(({ id, only }) => (only ? [id] : []))
  if (ofOne.length > 0) await tx.rows(lockElementsOfOne(actor, ofOne))
  const owners =
    ofOne.length > 0
      ? await tx.rows<{ element_id: number } & RecordRef>(ownersOfElements(actor, ofOne))
      : []
  const records = [...new Map(named.map(({ record }) => [refKey(record), record])).values()]
  const counts = await tx.rows<RecordRef & { count: number }>(countElements(actor, records))
  const stored = await tx.rows<ElementLinkRow>(elementLinksAmong(actor, named))
  const plan = elementPlanOf(
    stored.map(({ entity_type: type, entity_id: id, ...link }) => ({
      record: { type, id },
      ...link,
    })),
    new Map(counts.map(({ count, ...record }) => [refKey(record), count])),
    new Map(
      [...Map.groupBy(owners, ({ element_id }) => element_id)].map(([id, refs]) => [
        id,
        new Set(refs.map(refKey)),
      ]),
    ),
  )
  const find = ({ record, id }: NamedElement) => {
    const element = known.get(id)
    if (!element || element.viewed) return element
    // An element on the record is linked, however many other records it is linked to.
    const isByLinks = catalogLevel(actor, element.catalog_id, 'view') === 'L'
    return isByLinks && plan.find(record, id) ? element : undefined
  }
  return { find, plan }
}

/** The fields of type price of each catalog. */
type Prices = ReadonlyMap<number, ReadonlySet<number>>

export async function pricesOf(tx: Tx, actor: Actor, catalogIds: number[]): Promise<Prices> {
  const prices = new Map<number, ReadonlySet<number>>()
  // An account has ten catalogs, whose fields are remembered.
  for (const id of new Set(catalogIds)) {
    const { list } = await fieldsOf(tx, actor.accountId, fieldsOfCatalog(id))
    prices.set(id, new Set(list.flatMap((field) => (field.type === 'price' ? [field.id] : []))))
  }
  return prices
}

/**
 * Adds the faults of an item that names an element: the catalog belongs to it, and the actor may
 * view the element.
 */
export function checkElement(
  elements: OpenedElements,
  named: NamedElement,
  item: Item<{ metadata?: SentTerms | null }>,
  faults: Faults,
): void {
  const catalogId = item.value.metadata?.catalog_id ?? undefined
  if (catalogId === undefined)
    faults.add(item, {
      code: 'FieldMissing',
      path: 'metadata.catalog_id',
      detail: 'This field is missing.',
    })
  else if (elements.find(named)?.catalog_id !== catalogId)
    faults.add(item, {
      code: 'NotSupportedChoice',
      path: 'to_entity_id',
      detail: `There is no element ${named.id} in catalog ${catalogId}.`,
    })
}

/** Puts an element on its record; adds the faults of the price and the rules. */
export function putOn(
  { find, plan }: OpenedElements,
  prices: Prices,
  named: NamedElement,
  item: Item<{ metadata?: (SentTerms & { updated_by?: number | null }) | null }>,
  { userId }: Actor,
  faults: Faults,
): void {
  const element = find(named)
  if (!element) return
  const { quantity, price_id, updated_by } = item.value.metadata ?? {}
  if (price_id && !prices.get(element.catalog_id)?.has(price_id))
    faults.add(item, {
      code: 'NotSupportedChoice',
      path: 'metadata.price_id',
      detail: `Catalog ${element.catalog_id} has no field ${price_id} of type price.`,
    })
  const terms = { quantity: quantity ?? undefined, price_id }
  const result = plan.link(named.record, element, terms, updated_by ?? userId)
  if (result === 'full')
    faults.add(item, {
      code: 'TooMany',
      limit: mostElements,
      path: 'to_entity_id',
      detail: `A record has at most ${mostElements} elements.`,
    })
  if (result === 'taken')
    faults.add(item, {
      code: 'NotSupportedChoice',
      path: 'to_entity_id',
      detail: `Element ${named.id} is linked to another lead or customer, and its catalog allows one.`,
    })
}

/** The metadata of an element on a record in answers. */
export function shownTerms({ quantity, catalog_id, price_id }: ElementLink) {
  return { quantity, catalog_id, price_id }
}
