// What becomes of each item: which records it makes, which stored ones take their place, and who is linked with whom. Pure; the items count
// one after the other.
import { nameOf } from '../../records/link-rules.ts'
import type { Ref } from '../../records/link-rules.ts'
import type { RecordRow } from '../../records/statements.ts'
import type { Item } from '../../http/batch.ts'
import type { CompanyRow } from '../companies/schema.ts'
import type { ContactRow } from '../contacts/schema.ts'
import type { LeadRow } from '../leads/schema.ts'
import type { Held } from './lock.ts'
import type { ComplexDraft } from './schema.ts'

/** A record of an item: a new one, which has a row and gets its id when that is written, or one that is there. */
export interface Party<Row extends RecordRow = RecordRow> extends Ref {
  row?: Omit<Row, 'id'>
  /** The new record whose place it takes, and from which it gains what it lacks. */
  gains?: Omit<Row, 'id'>
}

export interface Settled {
  request_id: string
  lead: Party<LeadRow>
  contact: Party<ContactRow> | undefined
  company: Party | undefined
}

/** Two records that are to be linked; they have no such link, and room for it. */
interface Wish {
  one: Party
  other: Party
  isMain: boolean
}

/** The new records as they were worked out, by the index of their items. */
export interface Rows {
  leads: ReadonlyMap<number, Omit<LeadRow, 'id'>>
  contacts: ReadonlyMap<number, Omit<ContactRow, 'id'>>
  companies: ReadonlyMap<number, Omit<CompanyRow, 'id'>>
}

export function pairUp(
  items: Item<ComplexDraft>[],
  rows: Rows,
  held: Held,
): { settled: Settled[]; wishes: Wish[] } {
  const wishes: Wish[] = []
  /** The companies of stored leads and contacts; null where the actor may not hear of it. */
  const taken = new Map<string, Party | null>(
    [...held.companies].map(([name, { id, shown }]) => [
      name,
      shown ? { type: 'companies', id } : null,
    ]),
  )
  const has = (party: Party | undefined) =>
    party !== undefined && !party.row && taken.has(nameOf(party))
  const link = (party: Party, company: Party) => {
    wishes.push({ one: party, other: company, isMain: false })
    if (!party.row) taken.set(nameOf(party), company)
  }

  const settled = items.map(({ index, request_id, value }): Settled => {
    const match = held.matches.get(index)
    const lead = partyOf<LeadRow>('leads', match?.lead_id, rows.leads.get(index))!
    const contact = partyOf<ContactRow>(
      'contacts',
      value._embedded?.contacts?.[0]?.id ?? match?.contact_id,
      rows.contacts.get(index),
    )
    const company = partyOf(
      'companies',
      value._embedded?.companies?.[0]?.id,
      rows.companies.get(index),
    )
    if (contact && lead.row) wishes.push({ one: lead, other: contact, isMain: true })
    // A new company that nobody has room for would be one more of the same, and nobody's: the lead's own stands for it.
    if (company?.row && has(lead) && (!contact || has(contact)))
      return { request_id, lead, contact, company: taken.get(nameOf(lead)) ?? undefined }
    if (company && !has(lead)) link(lead, company)
    // Two records that are there are linked by whoever may edit the contact.
    if (
      company &&
      contact &&
      !has(contact) &&
      (contact.row || company.row || held.editable.has(contact.id))
    )
      link(contact, company)
    return { request_id, lead, contact, company }
  })
  return { settled, wishes }
}

function partyOf<Row extends RecordRow>(
  type: Ref['type'],
  id: number | undefined,
  row: Omit<Row, 'id'> | undefined,
): Party<Row> | undefined {
  if (id === undefined) return row && { type, id: 0, row }
  return { type, id, ...(row && { gains: row }) }
}
