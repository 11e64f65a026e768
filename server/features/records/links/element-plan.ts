// The elements of records after a request: a pure function of what is stored and of the requested
// changes, one after the other, as plan.ts is for links of records.
import { refKey } from '../../../records/link-rules.ts'
import type { RecordRef } from '../../../records/link-rules.ts'

/** Elements on a record at most. */
export const mostElements = 500

/** An element in the database: `only` says that it is linked to one lead or customer at most. */
export interface KnownElement {
  id: number
  catalog_id: number
  viewed: boolean
  only: boolean
}

/** An element on a record. */
export interface ElementLink {
  record: RecordRef
  element_id: number
  catalog_id: number
  quantity: number
  price_id: number | null
}

/** An element that was added, removed or changed, and the user who did it. */
interface MovedElement extends ElementLink {
  by: number
}

/** The parts of the metadata that a request sets; undefined leaves a stored one as it is. */
interface ElementTerms {
  quantity: number | undefined
  price_id: number | null | undefined
}

export interface ElementPlan {
  /**
   * Puts an element on a record, or changes its terms there. Refuses one more than a record may
   * have (`full`), and a second lead or customer of an element with `only` (`taken`).
   */
  link(
    record: RecordRef,
    element: KnownElement,
    terms: ElementTerms,
    by: number,
  ): 'linked' | 'full' | 'taken'
  /** Takes an element from a record, where it is there. */
  unlink(record: RecordRef, elementId: number, by: number): void
  /** The element on the record, as it will be. */
  find(record: RecordRef, elementId: number): ElementLink | undefined
  moved(): { added: MovedElement[]; removed: MovedElement[]; changed: MovedElement[] }
}

/**
 * `stored` holds the named pairs that exist, `counts` the elements of each record (`refKey`), and
 * `owners` leads and customers (`refKey`) of each element with `only`: two are enough.
 */
export function elementPlanOf(
  stored: ElementLink[],
  counts: ReadonlyMap<string, number>,
  owners: ReadonlyMap<number, ReadonlySet<string>>,
): ElementPlan {
  const before = new Map(stored.map((link) => [keyOf(link.record, link.element_id), link]))
  const after = new Map(before)
  const room = new Map(counts)
  const owned = new Map([...owners].map(([id, records]) => [id, new Set(records)]))
  const authors = new Map<string, number>()

  return {
    find: (record, elementId) => after.get(keyOf(record, elementId)),
    link(record, { id, catalog_id, only }, terms, by) {
      const key = keyOf(record, id)
      const present = after.get(key)
      if (!present) {
        const count = room.get(refKey(record)) ?? 0
        if (count >= mostElements) return 'full'
        if (only && isOwner(record)) {
          const records = owned.get(id) ?? new Set()
          if (records.size > 0) return 'taken'
          owned.set(id, records.add(refKey(record)))
        }
        room.set(refKey(record), count + 1)
      }
      const { quantity = present?.quantity ?? 1, price_id = present?.price_id ?? null } = terms
      if (present?.quantity === quantity && present.price_id === price_id) return 'linked'
      after.set(key, { record, element_id: id, catalog_id, quantity, price_id })
      authors.set(key, by)
      return 'linked'
    },
    unlink(record, elementId, by) {
      if (after.delete(keyOf(record, elementId))) authors.set(keyOf(record, elementId), by)
    },
    moved() {
      const signed = (links: [string, ElementLink][]) =>
        links.map(([key, link]) => ({ ...link, by: authors.get(key)! }))
      return {
        added: signed([...after].filter(([key]) => !before.has(key))),
        removed: signed([...before].filter(([key]) => !after.has(key))),
        changed: signed(
          [...after].filter(([key, link]) => before.has(key) && differ(before.get(key)!, link)),
        ),
      }
    },
  }
}

/** Only leads and customers count where an element is linked to one at most. */
const isOwner = ({ type }: RecordRef) => type === 'leads' || type === 'customers'

const keyOf = (record: RecordRef, elementId: number) => `${refKey(record)} ${elementId}`
const differ = (one: ElementLink, other: ElementLink) =>
  one.quantity !== other.quantity || one.price_id !== other.price_id
