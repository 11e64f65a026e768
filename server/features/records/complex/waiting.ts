// Items of complex creation with metadata are unsorted: they wait, and are created by an acceptance
// (interface: Complex creation).
import { randomUUID } from 'node:crypto'
import type { Actor } from '../../../access/actor.ts'
import type { Tx } from '../../../database/connect.ts'
import type { Batch, Faults, Item } from '../../../http/batch.ts'
import { resolveTags } from '../../../records/tags.ts'
import { lockLeadStages } from '../leads/leads.ts'
import { checkItems, lockBatchItems } from '../unsorted/unsorted.ts'
import type { AddedItem } from '../unsorted/unsorted.ts'
import type { NewItem } from '../unsorted/schema.ts'
import { checkComplex, complexParts } from './complex.ts'
import type { PlacedElement } from './complex.ts'
import type { ComplexAnswer, ComplexDraft } from './schema.ts'

/**
 * Creates leads with their contacts and companies, and adds those with metadata as unsorted items:
 * all of them, or none. Answers one element for each lead, in request order.
 */
export async function createComplexOrUnsorted(
  tx: Tx,
  actor: Actor,
  batch: Batch<ComplexDraft>,
): Promise<ComplexAnswer> {
  const [waiting, plain] = halvesOf(batch)
  const writes: (() => Promise<PlacedElement[]>)[] = []
  if (waiting.items.length > 0) {
    const locked = await lockBatchItems(tx, actor, waiting)
    if (plain.items.length > 0) await lockForBoth(tx, actor, batch, plain)
    const add = await checkItems(tx, actor, waiting, locked)
    writes.push(async () => elementsOf(waiting, await add()))
  }
  if (plain.items.length > 0 || waiting.items.length === 0)
    writes.push(await checkComplex(tx, actor, plain))
  batch.faults.throwIfAny()
  const placed: PlacedElement[] = []
  for (const write of writes) placed.push(...(await write()))
  return placed.toSorted((one, other) => one.index - other.index).map(({ element }) => element)
}

/** The unsorted items of a batch, and the leads to create at once. */
function halvesOf({ items, ...batch }: Batch<ComplexDraft>): [Batch<NewItem>, Batch<ComplexDraft>] {
  const waits = ({ value }: Item<ComplexDraft>) => Boolean(value._embedded?.metadata)
  const waiting = items.filter(waits).map((item) => ({ ...item, value: itemOf(item.value) }))
  return [
    { ...batch, items: waiting, faults: ofLead(batch.faults) },
    { ...batch, items: items.filter((item) => !waits(item)) },
  ]
}

/**
 * Makes the tags of a mixed batch, and locks its stages: by itself, the second half would make its
 * tags after the first has locked pipelines, against the ranks of locks.
 */
async function lockForBoth(
  tx: Tx,
  actor: Actor,
  batch: Batch<ComplexDraft>,
  plain: Batch<ComplexDraft>,
): Promise<void> {
  const { leads } = complexParts(batch)
  const { contacts, companies } = complexParts(plain)
  await resolveTags(tx, actor, 'leads', leads)
  await resolveTags(tx, actor, 'contacts', contacts)
  await resolveTags(tx, actor, 'companies', companies)
  await lockLeadStages(tx, actor, leads, 'create')
}

const elementsOf = ({ items }: Batch<NewItem>, added: AddedItem[]): PlacedElement[] =>
  added.map(({ request_id, lead_ids, contact_ids, company_ids }, index) => ({
    index: items[index]!.index,
    element: {
      id: lead_ids[0]!,
      contact_id: contact_ids[0] ?? null,
      company_id: company_ids[0] ?? null,
      request_id: [request_id],
      merged: false,
    },
  }))

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
