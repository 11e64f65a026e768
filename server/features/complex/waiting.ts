// Items of complex creation with metadata are unsorted: they wait, and are created by an acceptance
// (interface: Complex creation).
import { randomUUID } from 'node:crypto'
import type { Actor } from '../../access/actor.ts'
import type { Tx } from '../../database/connect.ts'
import type { Batch, Faults } from '../../http/batch.ts'
import { badRequest } from '../../http/problem.ts'
import { addItems } from '../unsorted/unsorted.ts'
import type { NewItem } from '../unsorted/schema.ts'
import { createComplex } from './complex.ts'
import type { ComplexAnswer, ComplexDraft } from './schema.ts'

/**
 * Creates leads with their contacts and companies or, where all items have metadata, adds them as
 * unsorted items. Throws 400 where only some have metadata.
 */
export async function createComplexOrUnsorted(
  tx: Tx,
  actor: Actor,
  batch: Batch<ComplexDraft>,
): Promise<ComplexAnswer> {
  const unsorted = batch.items.filter(({ value }) => value._embedded?.metadata)
  if (unsorted.length === 0) return createComplex(tx, actor, batch)
  if (unsorted.length < batch.items.length)
    throw badRequest('Items with metadata and items without cannot be in one request')
  const items = batch.items.map((item) => ({ ...item, value: itemOf(item.value) }))
  const added = await addItems(tx, actor, { ...batch, items, faults: ofLead(batch.faults) })
  return added.map(({ request_id, lead_ids, contact_ids, company_ids }) => ({
    id: lead_ids[0]!,
    contact_id: contact_ids[0] ?? null,
    company_id: company_ids[0] ?? null,
    request_id: [request_id],
    merged: false,
  }))
}

/** A call is named by its `uniq` at the source; anything else has no name there. */
function itemOf({ _embedded = {}, ...draft }: ComplexDraft): NewItem {
  const { metadata, contacts = [], companies = [], ...embedded } = _embedded
  const { category, ...info } = metadata!
  const { uniq, service_code, form_name } = info
  return {
    category,
    source_name: service_code?.trim() || form_name?.trim() || category,
    source_uid: (category === 'sip' && uniq) || randomUUID(),
    pipeline_id: draft.pipeline_id,
    created_at: draft.created_at,
    metadata: info,
    leads: [{ ...draft, _embedded: embedded }],
    contacts: contacts.map(({ id: _, ...contact }) => contact),
    companies: companies.map(({ id: _, ...company }) => company),
    notes: [],
  }
}

/** The item itself is the lead, so its faults have no longer path. */
function ofLead(faults: Faults): Faults {
  const add: Faults['add'] = (item, fault) =>
    faults.add(item, { ...fault, path: fault.path.replace(/^_embedded\.leads\.0\./, '') })
  return { ...faults, add }
}
