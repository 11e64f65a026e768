import type { Sql } from 'sql-template-tag'
import { raw } from 'sql-template-tag'

/** The four kinds of record that paths, tags and notes speak of, in the plural. */
export const entityTypes = ['leads', 'contacts', 'companies', 'customers'] as const
export type EntityType = (typeof entityTypes)[number]

/** The types whose changes the journal holds. */
export const journaledTypes = [
  'leads',
  'contacts',
  'companies',
] as const satisfies readonly EntityType[]

/** The same kinds as the event log names them. */
export const singular = {
  leads: 'lead',
  contacts: 'contact',
  companies: 'company',
  customers: 'customer',
} as const
export type Singular = (typeof singular)[EntityType]

/** The plural of what the event log names; undefined for kinds that are no records of their own here. */
export function plural(kind: string): EntityType | undefined {
  return entityTypes.find((type) => singular[type] === kind)
}

/** The table of a kind. */
export function tableOf(type: EntityType): Sql {
  return raw(type)
}
