// The records of the account as the screens read and create them.
import type { CompanyDraft } from '../../server/features/records/companies/schema.ts'
import type { ComplexAnswer, ComplexDraft } from '../../server/features/records/complex/schema.ts'
import type { ContactDraft } from '../../server/features/records/contacts/schema.ts'
import type { CustomerDraft } from '../../server/features/records/customers/schema.ts'
import type { LeadDraft } from '../../server/features/records/leads/schema.ts'
import type { RecordType } from '../../server/records/description.ts'
import { ask } from '../data/api.ts'

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

interface Drafts {
  leads: LeadDraft
  contacts: ContactDraft
  companies: CompanyDraft
  customers: CustomerDraft
}

/** Creates a record, once for all calls with one `key` and one draft. Answers its id. */
export async function addRecord<Type extends RecordType>(
  type: Type,
  draft: Drafts[Type],
  key: string,
): Promise<number> {
  const { _embedded } = await ask<{ _embedded: Record<string, { id: number }[]> }>(
    `/api/v4/${type}`,
    { method: 'POST', body: [draft], key },
  )
  return _embedded[type]![0]!.id
}

/** Creates a lead and, in one go, the new contact in it, as `addRecord` does. Answers the id of the lead. */
export async function addLeadWithContact(draft: ComplexDraft, key: string): Promise<number> {
  const [added] = await ask<ComplexAnswer>('/api/v4/leads/complex', {
    method: 'POST',
    body: [draft],
    key,
  })
  return added!.id
}

interface Reachable {
  phone: string
  email?: string
}

/** The phone and the e-mail of a contact or a company as the interface takes them. */
export const reachableAt = (values: Reachable) =>
  givenOf(values).map(([field_code, value]) => ({ field_code, values: [{ value }] }))

/** Where a form shows a fault in `reachableAt`; undefined for other paths. */
export function fieldOfReachable(path: string, values: Reachable): string | undefined {
  const [, index] = /custom_fields_values\.(\d+)/.exec(path) ?? []
  return index === undefined ? undefined : givenOf(values)[Number(index)]?.[0].toLowerCase()
}

const givenOf = ({ phone, email = '' }: Reachable) =>
  [['PHONE', phone.trim()] as const, ['EMAIL', email.trim()] as const].filter(
    ([, value]) => value !== '',
  )
