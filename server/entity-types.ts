import type { Sql } from 'sql-template-tag'
import { raw } from 'sql-template-tag'

/** The types of record, in the plural: each has tags and custom fields. */
export const entityTypes = ['leads', 'contacts', 'companies', 'customers'] as const
export type EntityType = (typeof entityTypes)[number]

/** Custom fields belong to records of an entity type, segments, or elements of catalogs. */
export type FieldHolder = EntityType | 'segments' | 'catalogs'

/**
 * The fields of an entity type, those of segments, or those of one catalog: `entity_type` of the
 * tables of fields.
 */
export type FieldOwner = EntityType | 'segments' | `catalogs:${number}`

export const fieldsOfCatalog = (id: number): FieldOwner => `catalogs:${id}`

/** The record types as the event log names them. */
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

/** The table of a record type. */
export function tableOf(type: EntityType): Sql {
  return raw(type)
}

/**
 * The entity types whose changes are recorded, by the name in the journal: the name in the event log,
 * and the table whose row the journal keeps. Each declares its news (changes/entity.ts).
 */
export const journaledTypes = {
  leads: { singular: 'lead', table: 'leads' },
  contacts: { singular: 'contact', table: 'contacts' },
  companies: { singular: 'company', table: 'companies' },
  customers: { singular: 'customer', table: 'customers' },
  catalog_elements: { singular: 'catalog_element', table: 'catalog_elements' },
  tasks: { singular: 'task', table: 'tasks' },
  unsorted_items: { singular: 'unsorted', table: 'unsorted_items' },
  chats: { singular: 'chat', table: 'chats' },
  talks: { singular: 'talk', table: 'talks' },
  messages: { singular: 'message', table: 'messages' },
} as const
export type JournaledType = keyof typeof journaledTypes
