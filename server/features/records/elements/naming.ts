// The values of elements that name a contact or a company: those of the types linked_entity and payer.
// A merge makes them name the survivor (docs/decisions/0083-values-that-name.md). A supplier is an element
// of the catalog of suppliers, whatever record has the same id.
import type { Field, Fields } from '../../../records/fields/definitions.ts'
import { mergeValues } from '../../../records/fields/values.ts'
import type { Kept } from '../../../records/fields/values.ts'
import type { ElementRow } from './queries.ts'

/** A record, and its name. */
export interface NamedRecord {
  id: number
  name: string
}

/** The record that elements named, and the one that takes its place. */
export interface Succession {
  type: 'contacts' | 'companies'
  from: NamedRecord
  into: NamedRecord
}

/** A value of an element around a merge. */
export interface RepointedValue {
  element_id: number
  field_id: number
  before: readonly Kept[]
  after: readonly Kept[]
}

/** The values of an element that name the record, and what becomes of them. */
export function repointedValues(
  fields: Fields,
  { id, custom_fields_values }: ElementRow,
  succession: Succession,
): RepointedValue[] {
  return fields.list.flatMap((field) => {
    const before = custom_fields_values?.[field.id] ?? []
    if (!before.some((kept) => isNaming(field, kept, succession))) return []
    const after = before.map((kept) =>
      isNaming(field, kept, succession) ? repointed(field, kept as Naming, succession) : kept,
    )
    return { element_id: id, field_id: field.id, before, after }
  })
}

type Naming = { name?: string | null; entity_id?: number | null; entity_type?: string | null }

function isNaming({ type }: Field, kept: Kept, succession: Succession): boolean {
  if (type !== 'linked_entity' && type !== 'payer') return false
  const { entity_id, entity_type } = kept as Naming
  return entity_id === succession.from.id && entity_type === succession.type
}

/** A name that is that of the record goes with it. Of a payer it is the text of a document, and stays. */
function repointed({ type }: Field, kept: Naming, { from, into }: Succession): Kept {
  const isItsName = type === 'linked_entity' && kept.name === from.name && into.name !== ''
  return { ...kept, entity_id: into.id, ...(isItsName && { name: into.name }) }
}

/** An element with some values set; the same one where these are no longer as they were expected. */
export function withSetValues(
  fields: Fields,
  row: ElementRow,
  changes: readonly { field_id: number; expected: readonly Kept[]; values: readonly Kept[] }[],
): ElementRow {
  const sent = changes.filter(
    ({ field_id, expected }) =>
      fields.byId.has(field_id) &&
      JSON.stringify(row.custom_fields_values?.[field_id]) === JSON.stringify(expected),
  )
  const custom_fields_values = mergeValues(
    fields,
    row.custom_fields_values,
    new Map(sent.map(({ field_id, values }) => [field_id, [...values]])),
  )
  return { ...row, custom_fields_values }
}
