// The values of fields as the interface has them, and as drafts that are typed. Each kind of type has its own file, and
// types.ts has all types.
import type { FieldType } from '../../../server/records/fields/types.ts'
import type { NumberFault, NumberReading } from '../../ui/number.ts'

export type { FieldType }

/** A value of a field in an answer, and in a body. */
export interface Value {
  value?: unknown
  enum_id?: number
  enum_code?: string | null
  catalog_id?: number
  catalog_element_id?: number
}

/** The values of a field; null where it is empty. */
export type Values = readonly Value[] | null

export interface FieldEnum {
  id: number
  value: string
  code?: string | null
  color?: string
}

/** A field by its type as the interface names it; the fixed members of a record are fields here too. */
export interface Field {
  id: number
  name: string
  type: FieldType
  code: string | null
  currency: string | null
  enums: readonly FieldEnum[] | null
  chained_lists:
    | readonly { title: string; catalog_id: number; parent_catalog_id: number | null }[]
    | null
}

export interface Labelled {
  value: string
  enum_id: number | undefined
}

/** A draft by the type of the field: a text, ids of choices, labelled texts, or objects. */
export type Draft = string | readonly string[] | readonly Labelled[] | readonly object[]

/** A day is the day of the account; a moment is shown and typed by the clocks of the user. */
export interface Zones {
  account: string
  user: string
}

/** How numbers of the field are typed: in the language of the user, and as the field takes them. */
export interface NumberForm {
  read: (typed: string) => NumberReading
  typed: (number: string) => string
}

/** The zones and the numbers by which a type reads and writes drafts. */
export interface Means {
  zones: Zones
  numbers: NumberForm
  /** Whether a pasted 11/12/2026 is the 12th of November. */
  isMonthFirst: boolean
}

/** Why a draft has no values: the fault of a number, or `date` where it is none. */
export type DraftFault = NumberFault | 'date'

/** How values are written for a reader. Moments are in Unix seconds. */
export interface ValueFormats {
  number: (value: number) => string
  money: (value: number, currency: string | null) => string
  /** The day of the account. */
  day: (at: number) => string
  /** The day and the time of the user. */
  moment: (at: number) => string
  flag: (isSet: boolean) => string
}

/** The forms of filters that fields have. */
export type FieldFilter = 'texts' | 'numbers' | 'choices' | 'flag' | 'day'

/** Everything about one type of fields that knows no component; controls.tsx and contents.tsx have those. */
export interface FieldKind {
  /** The draft that an editor begins with. */
  draftOf: (field: Field, values: Values, means: Means) => Draft
  /** The values of a draft; null where it is empty. */
  valuesOf: (field: Field, draft: Draft, means: Means) => Values | DraftFault
  /** The values as a text of the clipboard, which the same type and spreadsheets read; empty where there is none. */
  copied: (field: Field, values: Values, means: Means) => string
  /**
   * The draft that a text of the clipboard means in the place of `values`; undefined where the field has no such
   * value. Types without it take nothing from the clipboard.
   */
  pasted?: (field: Field, text: string, means: Means, values: Values) => Draft | undefined
  /** One value as a text to read. */
  textOf: (field: Field, value: Value, writing: ValueFormats) => string
  /** The filter of lists; undefined where there is none. */
  filter?: FieldFilter
  /** The longest text, in characters, as the server takes it. */
  longest?: number
  /** A merged record may have the values of both. */
  isMany?: true
  /** The values come from elsewhere; a card shows them. */
  isReadOnly?: true
  /** Its values are choices of the field. */
  isChoice?: true
  /** It is set or not. */
  isFlag?: true
  /** A number with a currency. */
  isAmount?: true
  isDay?: true
  /** Its values are no text for a card of a board. */
  isOffBoard?: true
  /** Its values may be links. */
  hasLinks?: true
}

/** The lines of a pasted text, without blanks at their ends; spreadsheets end a cell with a line. */
export const pastedLines = (text: string): string[] =>
  text
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => line.trim())

/** A plain value as a text. */
export const plainText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

export const orNull = (values: readonly Value[]): Values => (values.length === 0 ? null : values)

/** The choices of a field with these ids, as values. */
export const chosen = (enums: Field['enums'], ids: readonly string[]): Values =>
  orNull(
    (enums ?? [])
      .filter(({ id }) => ids.includes(String(id)))
      .map(({ id, value, code = null }) => ({ value, enum_id: id, enum_code: code })),
  )

/** Whether two states of a field are the same to a reader. */
export const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one ?? null) === JSON.stringify(other ?? null)
