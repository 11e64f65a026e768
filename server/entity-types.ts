import type { Sql } from 'sql-template-tag'
import { raw } from 'sql-template-tag'

/** The four types of record that have paths, tags and notes, in the plural. */
export const entityTypes = ['leads', 'contacts', 'companies', 'customers'] as const
export type EntityType = (typeof entityTypes)[number]

/** The types whose changes the journal holds. */
export const journaledTypes = [
  'leads',
  'contacts',
  'companies',
] as const satisfies readonly EntityType[]

/** The same types as the event log names them. */
export const singular = {
  leads: 'lead',
  contacts: 'contact',
  companies: 'company',
  customers: 'customer',
} as const
export type Singular = (typeof singular)[EntityType]

/**
 * The plural of a type of the event log; undefined for types that have no records of their own
 * here.
 */
export function plural(name: string): EntityType | undefined {
  return entityTypes.find((type) => singular[type] === name)
}

/** The table of a type. */
export function tableOf(type: EntityType): Sql {
  return raw(type)
}
