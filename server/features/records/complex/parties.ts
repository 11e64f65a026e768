// The records of each item: the new ones, the stored ones that replace new ones, and the links
// between them. Pure; items apply one after the other.
import type { Item } from '../../../http/batch.ts'
import type { DraftedRow, RecordRow } from '../../../records/description.ts'
import { refKey } from '../../../records/link-rules.ts'
import type { RecordRef } from '../../../records/link-rules.ts'
import type { CompanyRow } from '../companies/schema.ts'
import type { ContactRow } from '../contacts/schema.ts'
import type { LeadRow } from '../leads/schema.ts'
import type { NewPair } from '../links/links.ts'
import type { StoredRecords } from './lock.ts'
import type { ComplexDraft } from './schema.ts'

/**
 * A record of an item: a stored one, or a new one, which has a row and gets its id when the row is
 * written.
 */
export interface Party<Row extends RecordRow = RecordRow> extends RecordRef {
  row?: DraftedRow<Row>
  /** The new record that the stored one replaces; the stored one gains what it lacks. */
  gains?: DraftedRow<Row>
}

export interface PairedItem {
  index: number
  request_id: string
  lead: Party<LeadRow>
  contact: Party<ContactRow> | undefined
  company: Party | undefined
}

/** The drafted rows of new records, by the index of their items. */
export interface DraftedRows {
  leads: ReadonlyMap<number, DraftedRow<LeadRow>>
  contacts: ReadonlyMap<number, DraftedRow<ContactRow>>
  companies: ReadonlyMap<number, DraftedRow<CompanyRow>>
}

export function pairUp(
  items: Item<ComplexDraft>[],
  rows: DraftedRows,
  stored: StoredRecords,
): { items: PairedItem[]; pairs: NewPair[] } {
  const pairs: NewPair[] = []
  /** The companies of stored leads and contacts; null where the actor may not view the company. */
  const companies = new Map<string, Party | null>(
    [...stored.companies].map(([name, { id, shown }]) => [
      name,
      shown ? { type: 'companies', id } : null,
    ]),
  )
  const has = (party: Party | undefined) =>
    party !== undefined && !party.row && companies.has(refKey(party))
  const link = (party: Party, company: Party) => {
    pairs.push({ one: party, other: company, isMain: false })
    if (!party.row) companies.set(refKey(party), company)
  }

  const paired = items.map(({ index, request_id, value }): PairedItem => {
    const match = stored.matches.get(index)
    const { contacts, companies: named } = value._embedded ?? {}
    const lead = partyOf<LeadRow>('leads', match?.lead_id, rows.leads.get(index))!
    const contactId = contacts?.[0]?.id ?? match?.contact_id
    const contact = partyOf<ContactRow>('contacts', contactId, rows.contacts.get(index))
    const company = partyOf('companies', named?.[0]?.id, rows.companies.get(index))
    if (contact && lead.row) pairs.push({ one: lead, other: contact, isMain: true })
    // A new company that neither the lead nor the contact has room for would be a duplicate without
    // links: the lead's own company replaces it.
    if (company?.row && has(lead) && (!contact || has(contact)))
      return { index, request_id, lead, contact, company: companies.get(refKey(lead)) ?? undefined }
    if (company && !has(lead)) link(lead, company)
    // Two stored records are linked only where the actor may edit the contact.
    const mayLink = contact && (contact.row || company?.row || stored.editable.has(contact.id))
    if (company && contact && !has(contact) && mayLink) link(contact, company)
    return { index, request_id, lead, contact, company }
  })
  return { items: paired, pairs }
}

function partyOf<Row extends RecordRow>(
  type: RecordRef['type'],
  id: number | undefined,
  row: DraftedRow<Row> | undefined,
): Party<Row> | undefined {
  if (id === undefined) return row && { type, id: 0, row }
  return { type, id, ...(row && { gains: row }) }
}
