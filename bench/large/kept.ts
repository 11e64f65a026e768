// What is kept of the values of custom fields: the column of the record, the rows that lists are filtered by, and the text that is
// searched; said by the same functions as when Kontor writes, but without asking the database.
import type { Fields } from '../../server/records/fields/definitions.ts'
import { keysOf, searchLines } from '../../server/records/fields/values.ts'
import type { Kept, KeptValues } from '../../server/records/fields/values.ts'
import type { FieldType } from '../../server/records/fields/types.ts'
import { gramForm, searchForm } from '../../server/records/search/text.ts'

/** A custom field as the account has it. */
export interface KeptField {
  id: number
  type: FieldType
  code: string | null
  /** Ids of the choices, in their order. */
  enums: number[]
}

/** The values of a record with their fields; a field has one entry at most. */
export type Values = [field: KeptField, values: unknown[]][]

/** What a record with these names and values is found by. */
export interface Found {
  column: string | null
  numbers: { field_id: number; value: number | string }[]
  texts: { field_id: number; value: string }[]
  text: string
  grams: string
}

export function indexedRow(fields: Fields, names: string[], values: Values): Found {
  const kept = Object.fromEntries(
    values.map(([{ id }, held]) => [id, held as Kept[]]),
  ) as KeptValues
  const { numbers, texts } = keysOf(fields, kept)
  const text = searchForm([...names, ...searchLines(fields, kept)].join('\n'))
  return {
    column: values.length > 0 ? JSON.stringify(kept) : null,
    numbers,
    texts: texts.map(({ field_id, value }) => ({
      field_id,
      value: value.toLowerCase().slice(0, 256),
    })),
    text,
    grams: gramForm(text),
  }
}

/** As the functions above look at them: without the words, which are for people. */
export function fieldsAs(fields: Record<string, KeptField>): Fields {
  const list = Object.entries(fields).map(([name, { id, type, code }]) => ({
    id,
    name,
    type,
    code,
    enums: [],
  }))
  const nothing = { version: 0, timezone: 'UTC', gone: [], byCode: new Map() }
  return { ...nothing, list, byId: new Map(list.map((field) => [field.id, field])) }
}
