// Which kinds of record are linked with each other, and how many of them. A pair of kinds stands here once, with the side whose links
// are limited: that record holds the other. Links are kept from both ends, but it is the holder's lock that guards them, so that its
// links can be counted and its main contact chosen by reading its own few links, never those of a company with 100,000 leads.
import type { RecordType } from './description.ts'

/** A record of any kind. */
export interface Ref {
  type: RecordType
  id: number
}

/** A link as its holder has it. */
export interface Pair {
  holder: Ref
  held: Ref
}

interface Rule {
  /** One: another takes the place of the one before (entities reference, 13.3). More: there cannot be another (28). */
  most: number
  /** Whether one of them is the main one. */
  hasMain: boolean
}

/** Holder, then held (entities reference, 13.2). Customers and elements of lists are rows more. */
const rules: Record<RecordType, Partial<Record<RecordType, Rule>>> = {
  leads: { contacts: { most: 40, hasMain: true }, companies: { most: 1, hasMain: false } },
  contacts: { companies: { most: 1, hasMain: false } },
  companies: {},
}

/** The kinds in the order in which verbs lock their records, each kind in the order of ids: holders come before what they hold. */
export const lockOrder: readonly RecordType[] = ['leads', 'contacts', 'companies']

/** The order in which lists name the kinds that a record is linked with (entities reference, 13.3). */
const listOrder: readonly RecordType[] = ['contacts', 'companies', 'leads']

/** What a record of a kind may be linked with, in the order of lists. */
export function linkedKinds(type: RecordType): RecordType[] {
  return listOrder.filter((other) => rules[type][other] ?? rules[other][type])
}

/** A link of two records whose kinds are linked, as its holder has it. */
export function pairOf(one: Ref, other: Ref): Pair {
  return rules[one.type][other.type] ? { holder: one, held: other } : { holder: other, held: one }
}

export function ruleOf({ holder, held }: Pair): Rule {
  return rules[holder.type][held.type]!
}

/** The kinds whose records have one of a kind as their main one. */
export function mainHolders(type: RecordType): RecordType[] {
  return lockOrder.filter((holder) => rules[holder][type]?.hasMain)
}

/** Whether a record of a kind has no more than a few links with another kind, whatever happens. */
export function hasFew(type: RecordType, other: RecordType): boolean {
  return rules[type][other] !== undefined
}

export const nameOf = ({ type, id }: Ref) => `${type} ${id}`
