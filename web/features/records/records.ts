import type { RecordType } from '../../../server/records/description.ts'

export const recordTypes = [
  'leads',
  'contacts',
  'companies',
  'customers',
] as const satisfies readonly RecordType[]

/** The members that the four types of records have in common, as the interface answers them. */
export interface Entity {
  id: number
  name: string
  responsible_user_id: number
  created_at: number
  updated_at: number
  price?: number
  pipeline_id?: number
  status_id?: number
  custom_fields_values:
    | { field_id: number; field_name: string; field_type: string; values: { value: unknown }[] }[]
    | null
  _embedded: { tags?: { id: number; name: string }[] }
}
