// The form of an entity type in the bodies of webhooks (interface: Webhook bodies). Each form
// stands in webhook.ts of its feature, beside the declaration of its type.
import type { Reader } from '../database/connect.ts'
import type { JournalAction } from './entity.ts'
import type { JournalRow } from './position.ts'

/** The content of a body: texts, in objects and lists. */
export type Payload = { [key: string]: PayloadValue }
export type PayloadValue = string | Payload | PayloadValue[]

/** The account whose changes a webhook tells. */
export interface PayloadAccount {
  id: number
  subdomain: string
  /** IANA name of the time zone of the texts of times. */
  timezone: string
  /** The public address, as `account[_links][self]`. */
  url: string
}

export interface WebhookForm {
  /**
   * The top-level key of items, and that of a deletion told by its id alone; null where `prepare`
   * makes the items of deletions too, which are then always told as a list.
   */
  keys: { items: string; deletion: string | null }
  /** Actions that bodies tell under another key and as another action: messages that are sent. */
  renamed?: Partial<Record<JournalAction, { items: string; action: JournalAction }>>
  /** Members of an item beside the fields of the entity, and beside its note: `type` of contacts. */
  beside?: Payload
  /**
   * Reads what the journal rows of one type lack, with a number of statements that does not depend
   * on theirs. The function that it answers makes the item of a row for one of its actions, and
   * throws for a row that it cannot read.
   */
  prepare(
    reader: Reader,
    account: PayloadAccount,
    changes: readonly JournalRow[],
  ): Promise<(change: JournalRow, action: JournalAction) => Payload>
  /** The fields of a deletion besides the id, where deletions are told as lists. */
  deletion: readonly string[]
}

/**
 * The text of a value. Throws a TypeError for a value that is none, so that no notice lacks a field
 * in silence.
 */
export function payloadText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value.toWellFormed()
    case 'number':
      return String(value)
    case 'boolean':
      return value ? '1' : '0'
    default:
      throw new TypeError(`a webhook cannot tell ${value === null ? 'null' : typeof value}`)
  }
}

/** The texts of the fields that a row has, under other names: `{ created_user_id: 'created_by' }`. */
export function payloadFields(row: object, names: Readonly<Record<string, string>>): Payload {
  const values = row as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(names).map(([name, column]) => [name, payloadMember(name, values[column])]),
  )
}

function payloadMember(name: string, value: unknown): string {
  try {
    return payloadText(value)
  } catch (error) {
    throw new TypeError(`${name}: ${(error as Error).message}`, { cause: error })
  }
}

/** The former values of fields that a change replaced, under their names with `old_`. */
export function formerFields(
  { before }: JournalRow,
  fields: readonly string[],
  textOf: (value: unknown) => string = payloadText,
): Payload {
  const former = (before ?? {}) as Record<string, unknown>
  const replaced = fields.filter((field) => former[field] !== undefined && former[field] !== null)
  return Object.fromEntries(replaced.map((field) => [`old_${field}`, textOf(former[field])]))
}

/** The ids in a column of rows, each once. Anything else there is left to the form to refuse. */
export function idsAmong(rows: readonly (object | null)[], column: string): number[] {
  const values = rows.flatMap((row) => (row as Record<string, unknown> | null)?.[column] ?? [])
  return [...new Set(values.filter((id): id is number => Number.isSafeInteger(id)))]
}
