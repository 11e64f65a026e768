// The entity types that are linked with each other, and the limits of their links. Each pair is
// listed once, under the type whose links are limited: that record is the holder. Links are stored
// at both ends, but the holder's lock guards them. Its few links are then enough to count links and
// to choose the main contact, never those of a company with 100,000 leads.
import type { RecordType } from './description.ts'

/** A record of any entity type. */
export interface RecordRef {
  type: RecordType
  id: number
}

/** A link, with its holder named. */
export interface Pair {
  holder: RecordRef
  linked: RecordRef
}

interface Rule {
  /**
   * With one, a new link replaces the previous one. With more, a further link is refused
   * (interface: Link).
   */
  most: number
  /** Whether one of the links is the main one. */
  hasMain: boolean
}

/** By holder, then by held type (interface: Link). */
const rules: Record<RecordType, Partial<Record<RecordType, Rule>>> = {
  leads: { contacts: { most: 40, hasMain: true }, companies: { most: 1, hasMain: false } },
  contacts: { companies: { most: 1, hasMain: false } },
  companies: {},
  customers: { contacts: { most: 40, hasMain: true }, companies: { most: 1, hasMain: false } },
}

/**
 * The entity types in the order in which verbs lock their records, each in the order of ids:
 * holders come before the records they hold.
 */
export const lockOrder: readonly RecordType[] = ['leads', 'customers', 'contacts', 'companies']

/** The order of entity types in lists of links (interface: Link). */
const listOrder: readonly RecordType[] = ['contacts', 'companies', 'leads', 'customers']

/** The types that links join: records, and the elements of catalogs, which any record may have. */
export type LinkEnd = RecordType | 'catalog_elements'

/** The types that a record or an element may be linked with, in the order of lists. */
export function linkedTypes(type: LinkEnd): LinkEnd[] {
  if (type === 'catalog_elements') return ['leads', 'customers']
  return [
    ...listOrder.filter((other) => rules[type][other] ?? rules[other][type]),
    'catalog_elements',
  ]
}

/** A link of two records of linked entity types, with its holder named. */
export function pairOf(one: RecordRef, other: RecordRef): Pair {
  return rules[one.type][other.type]
    ? { holder: one, linked: other }
    : { holder: other, linked: one }
}

export function ruleOf({ holder, linked }: Pair): Rule {
  return rules[holder.type][linked.type]!
}

/** The entity types that have a main record of this type among their links. */
export function mainHolders(type: RecordType): RecordType[] {
  return lockOrder.filter((holder) => hasMain(holder, type))
}

/** Whether one of the links of a record with records of another type is the main one. */
export function hasMain(holder: RecordType, linked: RecordType): boolean {
  return rules[holder][linked]?.hasMain === true
}

export const refKey = ({ type, id }: RecordRef) => `${type} ${id}`
