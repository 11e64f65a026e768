// What leads, contacts and companies differ in as far as it can be said as data: their tables,
// columns, select lists and filters. What they differ in by behaviour is a line in their own verbs.
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../access/actor.ts'
import type { EntityDeclaration } from '../changes/entity.ts'
import type { journaledTypes } from '../entity-types.ts'
import type { KeptValues } from './fields/values.ts'
import type { Condition } from './lists/conditions.ts'

/** The types that have verbs of their own here. */
export const recordTypes = [
  'leads',
  'contacts',
  'companies',
] as const satisfies typeof journaledTypes
export type RecordType = (typeof recordTypes)[number]

/** The columns that the rows of all types begin with; verbs compare and write these. */
export interface RecordRow {
  id: number
  name: string
  responsible_user_id: number
  group_id: number
  created_by: number
  updated_by: number
  created_at: number
  updated_at: number
  custom_fields_values: KeptValues
  tag_ids: number[]
}

/** The columns of `RecordRow` that verbs write, with their types. */
const sharedColumns = {
  name: 'text',
  responsible_user_id: 'bigint',
  group_id: 'bigint',
  created_by: 'bigint',
  updated_by: 'bigint',
  created_at: 'bigint',
  updated_at: 'bigint',
  custom_fields_values: 'jsonb',
  tag_ids: 'bigint[]',
}

export interface RecordDescription extends EntityDeclaration {
  type: RecordType
  /** The columns of its own that verbs write, with their types. */
  columns: Record<string, string>
  /** The keys of a record as the interface shows it. */
  keys: string[]
  /**
   * The select list of a row named `record` as the interface shows it, without `_embedded`; `wanted`
   * holds the values of `with`.
   */
  selected(actor: Actor, base: string, wanted: ReadonlySet<string>): Sql
  /** The types of linked records that it embeds besides its tags: always, and when `with` names them. */
  embeds: { always: RecordType[]; wanted: RecordType[] }
  /** What else it embeds, by the value of `with`: an expression for JSON as text, never null. */
  extras?: Record<string, (actor: Actor, base: string) => Sql>
  /** The conditions of its own filters. */
  filters?(filter: object): Condition[]
  /** Texts of its own, besides the name, that text search looks into. */
  searched?(row: Omit<RecordRow, 'id'>): string[]
  /** The name of a record without a name. */
  untitled?(id: number | string): string
}

/** All columns that verbs write, with their types. */
export function columnsOf({ columns }: RecordDescription): Record<string, string> {
  return { ...sharedColumns, ...columns }
}
