// Leads that are created together with their contacts and companies (interface: Complex creation):
// all of them, or none. Every part is checked before the first is written, so that the problem
// lists the faults of all parts of all items.
import { startWriting } from '../../../access/actor.ts'
import type { Actor } from '../../../access/actor.ts'
import { requireRight } from '../../../access/record-rights.ts'
import type { Tx } from '../../../database/connect.ts'
import { faultsAt } from '../../../http/batch.ts'
import type { Batch, Item } from '../../../http/batch.ts'
import type { RecordRow } from '../../../records/description.ts'
import { resolveTags } from '../../../records/tags.ts'
import type { Drafts } from '../../../records/writing/create.ts'
import { draftCompanies } from '../companies/companies.ts'
import type { CompanyDraft } from '../companies/schema.ts'
import { draftContacts } from '../contacts/contacts.ts'
import type { ContactDraft } from '../contacts/schema.ts'
import { draftLeads, lockLeadStages } from '../leads/leads.ts'
import type { LeadDraft } from '../leads/schema.ts'
import { linkPairs } from '../links/links.ts'
import { findDuplicates } from './duplicates.ts'
import { lockStored } from './lock.ts'
import { pairUp } from './parties.ts'
import type { PairedItem } from './parties.ts'
import type { ComplexAnswer, ComplexDraft } from './schema.ts'
import { recordMerges, writeParties } from './write.ts'

export { findDuplicates, keysOfContact } from './duplicates.ts'
export { fill } from './fill.ts'
export type { ContactKey } from './queries.ts'

/** An element of the answer, with the position of the first item that went into its lead. */
export interface PlacedElement {
  index: number
  element: ComplexAnswer[number]
}

/**
 * The checking half of the creation of leads with their contacts and companies: adds the faults, and
 * answers the writing half, which is for batches without any. Under duplicate control, a stored
 * contact and its open lead replace new ones (duplicates.ts). Throws 403 without the right to add
 * each type that is new in the batch.
 */
export async function checkComplex(
  tx: Tx,
  actor: Actor,
  batch: Batch<ComplexDraft>,
): Promise<() => Promise<PlacedElement[]>> {
  const { leads, contacts, companies } = complexParts(batch)
  requireRight(actor, 'leads', 'add')
  if (contacts.items.length > 0) requireRight(actor, 'contacts', 'add')
  if (companies.items.length > 0) requireRight(actor, 'companies', 'add')
  const tags = {
    leads: await resolveTags(tx, actor, 'leads', leads),
    contacts: await resolveTags(tx, actor, 'contacts', contacts),
    companies: await resolveTags(tx, actor, 'companies', companies),
  }
  await lockLeadStages(tx, actor, leads, 'create')
  const drafts = {
    leads: await draftLeads(tx, actor, leads, tags.leads),
    contacts: await draftContacts(tx, actor, contacts, tags.contacts),
    companies: await draftCompanies(tx, actor, companies, tags.companies),
  }
  const rows = {
    leads: byIndex(leads.items, drafts.leads),
    contacts: byIndex(contacts.items, drafts.contacts),
    companies: byIndex(companies.items, drafts.companies),
  }
  const { fields } = drafts.contacts.context
  const matches = batch.faults.any() ? new Map() : await findDuplicates(tx, actor, rows, fields)
  const stored = await lockStored(tx, actor, batch, matches)

  return async () => {
    const writer = startWriting(tx, actor)
    const { items, pairs } = pairUp(batch.items, rows, stored)
    const recorded = await writeParties(tx, writer, items, stored, drafts)
    await linkPairs(tx, writer, pairs, 'leads', recorded)
    await recordMerges(tx, writer, items)
    return elementsOf(items)
  }
}

/**
 * The new records of each type as separate batches, whose faults are listed under the items they
 * belong to.
 */
export function complexParts(batch: Batch<ComplexDraft>) {
  return {
    leads: { ...batch, items: batch.items as Item<LeadDraft>[] },
    contacts: {
      ...batch,
      items: newParts<ContactDraft>(batch.items, 'contacts'),
      faults: faultsAt(batch.faults, '_embedded.contacts.0'),
    },
    companies: {
      ...batch,
      items: newParts<CompanyDraft>(batch.items, 'companies'),
      faults: faultsAt(batch.faults, '_embedded.companies.0'),
    },
  }
}

function newParts<Draft>(
  items: Item<ComplexDraft>[],
  type: 'contacts' | 'companies',
): Item<Draft>[] {
  return items.flatMap(({ index, request_id, value }) => {
    const part = value._embedded?.[type]?.[0]
    return part && part.id === undefined ? [{ index, request_id, value: part as Draft }] : []
  })
}

function byIndex<Row extends RecordRow>(items: Item<unknown>[], { rows }: Drafts<Row>) {
  return new Map(items.map(({ index }, position) => [index, rows[position]!]))
}

/** Items that became one lead are one element, at the position of the first. */
function elementsOf(paired: PairedItem[]): PlacedElement[] {
  const byLead = Map.groupBy(paired, ({ lead }) => lead.id)
  return [...byLead].map(([id, items]) => ({
    index: items[0]!.index,
    element: {
      id,
      contact_id: items.find(({ contact }) => contact)?.contact?.id ?? null,
      company_id: items.find(({ company }) => company)?.company?.id ?? null,
      request_id: items.map(({ request_id }) => request_id),
      merged: !items[0]!.lead.row,
    },
  }))
}
