import type { Sql } from 'sql-template-tag'
import type { JournalAction, NewEvent } from '../changes/record.ts'
import type { Tx } from '../database/connect.ts'
import type { Actor } from '../access/actor.ts'
import type { Faults, Item } from '../http/batch.ts'
import type { UnknownKeys } from '../http/validate.ts'
import type { RecordRow } from './statements.ts'
import type { Fields } from './fields/definitions.ts'
import type { Sent } from './schema.ts'
import type { Condition } from './lists/conditions.ts'
import type { TagsOfBatch } from './tags.ts'

/** The kinds that have verbs of their own here; customers follow. */
export const recordTypes = ['leads', 'contacts', 'companies'] as const
export type RecordType = (typeof recordTypes)[number]

/** What working out a batch needs to know, whatever its kind. */
export interface Shared {
  faults: Faults
  /** What keys of values do that do not fit the type of the field. */
  unknownKeys?: UnknownKeys
  tags: TagsOfBatch
  /** The groups of the active users that the batch names, and of the actor. */
  groups: Map<number, number>
  /** The custom fields of the kind. */
  fields: Fields
}

/**
 * What one kind of record adds to what all share. Its functions are pure but for `reserve` and for `prepare`, which asks the database once
 * per batch for what they need.
 */
export interface RecordDescription<
  Row extends RecordRow = RecordRow,
  Draft extends Sent = Sent,
  Context = unknown,
> {
  type: RecordType
  /** The columns of its own that verbs write, with their types. */
  columns: Record<string, string>
  /** The keys of a record as the interface shows it. */
  keys: string[]
  /** The select list of what the interface shows, without what it embeds, made of a row named `record`; `wanted`: the values of `with`. */
  shape(actor: Actor, base: string, wanted: ReadonlySet<string>): Sql
  /** The kinds of linked records that it embeds, besides its tags: always, and when `with` names them. */
  embeds: { always: RecordType[]; wanted: RecordType[] }
  /** What else it embeds, by the value of `with` that asks for it: JSON as text, never null, made of a row named `record`. */
  extras?: Record<string, (actor: Actor, base: string) => Sql>
  /** Its own filters. */
  filters?(filter: object): Condition[]
  /** Locks what has to stay while records are placed in it. Called after tags and before records are locked. */
  reserve?(tx: Tx, actor: Actor, drafts: Draft[], use: 'create' | 'change'): Promise<void>
  prepare(tx: Tx, actor: Actor, drafts: Draft[], before: Map<number, Row>): Promise<Context>
  /** The columns of its own of a new record; what is wrong goes to the faults of the item. */
  draft(
    actor: Actor,
    context: Context & Shared,
    item: Item<Draft>,
  ): Omit<Row, keyof RecordRow> & { name?: string }
  /** The columns of its own after a change. `sent` holds what differs from the stored row. */
  change(
    actor: Actor,
    context: Context & Shared,
    item: Item<Draft>,
    row: Row,
    sent: Draft,
  ): Omit<Row, keyof RecordRow> & { name?: string }
  /** What a change of its own fields is to the world. */
  news?(
    fields: ReadonlySet<string>,
    before: Row,
    after: Row,
  ): { actions: JournalAction[]; events: NewEvent[] }
  /** Texts of its own, besides the name, that text search looks into. */
  searched?(row: Omit<Row, 'id'>): string[]
  /** The name of one without a name. */
  untitled?(id: number | string): string
}
