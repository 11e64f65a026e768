// The columns of custom fields in a table: whether they sort and sum, by their types. The server sorts and sums the same
// (server/features/application/rows/columns.ts).
import type { FieldType } from '../../crm/fields/field.ts'

/** The numbers that the footer offers of a type; a missing type has none. */
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
