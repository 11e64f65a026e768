// What a table does with the columns of custom fields, by their types. The server sorts and sums the same
// (server/features/application/rows/columns.ts).
import type { FieldType } from '../../crm/fields/field.ts'

/** What the footer says of a type; nothing where it is missing. */
export const summedFields: Partial<Record<FieldType, 'amount' | 'number' | 'time' | 'filled'>> = {
  numeric: 'number',
  monetary: 'amount',
  date: 'time',
  birthday: 'time',
  date_time: 'time',
}

/** The types whose values have no order. */
export const unsortedFields: ReadonlySet<FieldType> = new Set([
  'chained_list',
  'file',
  'legal_entity',
  'items',
  'payer',
  'supplier',
  'linked_entity',
])
