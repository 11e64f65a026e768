// The differences between leads, contacts, companies and customers that can be stated as data: their tables,
// columns, select lists and filters. Differences in behaviour are lines in their own verbs.
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../access/actor.ts'
import type { EntityDeclaration } from '../changes/entity.ts'
import type { JournaledType } from '../entity-types.ts'
import type { With } from '../http/with.ts'
import type { KeptValues } from './fields/values.ts'
import type { LinkEnd } from './link-rules.ts'
import type { Condition } from './lists/conditions.ts'
import type { Member } from './lists/members.ts'

/** The entity types that are records with verbs of their own. */
export const recordTypes = [
  'leads',
  'contacts',
  'companies',
  'customers',
] as const satisfies readonly JournaledType[]
export type RecordType = (typeof recordTypes)[number]

/** The columns that the rows of all entity types begin with; verbs compare and write these. */
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

/** A record that is checked and not yet written. A time that nobody says is that of the writing. */
export type DraftedRow<Row extends RecordRow> = Omit<Row, 'id' | keyof Times> & {
  [Time in keyof Times]: number | null
}
type Times = Pick<RecordRow, 'created_at' | 'updated_at'>

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

export interface ListedEmbed {
  member: string
  column: string
  /**
   * Selects `id` and `json`, a text, of those of the ids that exist; `ids` is an array as
   * PostgreSQL writes it.
   */
  existing(actor: Actor, base: string, ids: string): Sql
}

export interface RecordDescription extends EntityDeclaration {
  type: RecordType
  /** The type's own columns that verbs write, with their SQL types. */
  columns: Record<string, string>
  /** The keys of a record in answers. */
  keys: string[]
  /**
   * The members of a record in answers, up to its link; `wanted` holds the values of `with`.
   */
  members(actor: Actor, wanted: ReadonlySet<string>): Member[]
  /** The values of `with`; the bin is listed by `only_deleted` besides. */
  with: With<string>
  /**
   * The types of linked records and elements in `_embedded` besides tags: always, and when `with` names them.
   */
  embeds: { always: RecordType[]; wanted: LinkEnd[] }
  /** A member of `_embedded` that every record shows, besides tags: a column holds its ids. */
  listed?: ListedEmbed
  /**
   * Further members of `_embedded`, by the value of `with`: an expression for JSON as text, never
   * null.
   */
  extras?: Record<string, (actor: Actor, base: string) => Sql>
  /** A restored record makes no event (interface: The bin). */
  isRestoredSilently?: true
  /** The conditions of the type's own filters. */
  filters?(filter: object): Condition[]
  /** A test of all rows of a list besides its filters, which nearly all rows pass. */
  always?(filter: object): Sql | undefined
  /** The type's own texts, besides the name, that text search covers. */
  searched?(row: Omit<RecordRow, 'id'>): string[]
  /** The name of a record that was created without one. */
  untitled?(id: number | string): string
}

/** All columns that verbs write, with their types. */
export function columnsOf({ columns }: RecordDescription): Record<string, string> {
  return { ...sharedColumns, ...columns }
}
