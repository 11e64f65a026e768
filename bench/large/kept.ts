// The stored forms of custom field values: the record's column, the rows that lists filter by, and
// the search text. Kontor's own functions make them, without queries.
import type { Fields } from '../../server/records/fields/definitions.ts'
import { keysOf, searchLines } from '../../server/records/fields/values.ts'
import type { Kept, KeptValues } from '../../server/records/fields/values.ts'
import type { FieldType } from '../../server/records/fields/types.ts'
import { gramForm, searchForm } from '../../server/records/search/text.ts'

/** A custom field of the account. */
export interface KeptField {
  id: number
  type: FieldType
  code: string | null
  /** The ids of the choices, in their order. */
  enums: number[]
}

/** The values of a record with their fields. Each field has at most one entry. */
export type Values = [field: KeptField, values: unknown[]][]

/** The stored forms of a record with these names and values. */
export interface Found {
  column: string | null
  numbers: { field_id: number; value: number | string }[]
  texts: { field_id: number; value: string }[]
  text: string
  grams: string
}

export function indexedRow(fields: Fields, names: string[], values: Values): Found {
  const kept = Object.fromEntries(
    values.map(([{ id }, values]) => [id, values as Kept[]]),
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

/** The fields in the form that Kontor's functions take, without the texts for people. */
export function fieldsAs(fields: Record<string, KeptField>): Fields {
  const list = Object.entries(fields).map(([name, { id, type, code }]) => ({
    id,
    name,
    type,
    code,
    enums: [],
    isRequired: false,
  }))
  const nothing = {
    version: 0,
    timezone: 'UTC',
    storedTimezone: 'UTC',
    gone: [],
    byCode: new Map(),
  }
  return { ...nothing, list, byId: new Map(list.map((field) => [field.id, field])) }
}
