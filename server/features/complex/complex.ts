// Leads that are made together with their contacts and companies (entities reference, 9): all of them, or nothing. Every part is worked out
// before the first is written, so that the faults of all parts of all items are told at once.
import type { RecordType } from '../../records/description.ts'
import { planOf } from '../links/plan.ts'
import { pairOf } from '../../records/link-rules.ts'
import { writePlan } from '../links/writing.ts'
import type { RecordRow } from '../../records/statements.ts'
import { requireRight } from '../../access/record-rights.ts'
import { draftRecords } from '../../records/writing/steps.ts'
import type { Drafted } from '../../records/writing/steps.ts'
import { tagsOfBatch } from '../../records/tags.ts'
import type { Tx } from '../../database/connect.ts'
import type { Actor } from '../../access/actor.ts'
import { faultsAt } from '../../http/batch.ts'
import type { Batch, Item } from '../../http/batch.ts'
import { companies } from '../companies/companies.ts'
import type { CompanyDraft } from '../companies/schema.ts'
import { contacts } from '../contacts/contacts.ts'
import type { ContactDraft } from '../contacts/schema.ts'
import { leads } from '../leads/leads.ts'
import type { LeadDraft } from '../leads/schema.ts'
import { findMatches } from './duplicates.ts'
import { hold } from './lock.ts'
import type { ComplexAnswer, ComplexDraft } from './schema.ts'
import { pairUp } from './settle.ts'
import type { Settled } from './settle.ts'
import { recordMerges, writeParties } from './write.ts'

/**
 * Makes leads with their contacts and companies and links them; answers one element for each lead, in the order of the request. Where the
 * account has asked for it, a stored contact and its open lead take the place of new ones (duplicates.ts). One bad part refuses the
 * batch, and every bad part is listed; the right to add is needed for each kind that is new in it: 403.
 */
export async function createComplex(
  tx: Tx,
  actor: Actor,
  batch: Batch<ComplexDraft>,
): Promise<ComplexAnswer> {
  const { items, faults } = batch
  const batches = {
    leads: { ...batch, items: items as Item<LeadDraft>[] },
    contacts: {
      ...batch,
      items: newParts<ContactDraft>(items, 'contacts'),
      faults: faultsAt(faults, '_embedded.contacts.0'),
    },
    companies: {
      ...batch,
      items: newParts<CompanyDraft>(items, 'companies'),
      faults: faultsAt(faults, '_embedded.companies.0'),
    },
  }
  requireRight(actor, 'leads', 'add')
  for (const type of ['contacts', 'companies'] as const)
    if (batches[type].items.length > 0) requireRight(actor, type, 'add')
  const tagsOf = (type: RecordType) =>
    tagsOfBatch(tx, actor, type, batches[type].items, batches[type].faults)
  const tags = {
    leads: await tagsOf('leads'),
    contacts: await tagsOf('contacts'),
    companies: await tagsOf('companies'),
  }
  await leads.reserve?.(
    tx,
    actor,
    items.map(({ value }) => value as LeadDraft),
    'create',
  )
  const drafted = {
    leads: await draftRecords(tx, actor, leads, batches.leads, tags.leads),
    contacts: await draftRecords(tx, actor, contacts, batches.contacts, tags.contacts),
    companies: await draftRecords(tx, actor, companies, batches.companies, tags.companies),
  }
  const rows = {
    leads: byIndex(batches.leads.items, drafted.leads),
    contacts: byIndex(batches.contacts.items, drafted.contacts),
    companies: byIndex(batches.companies.items, drafted.companies),
  }
  const newcomers = [...rows.contacts].map(([place, row]) => ({
    place,
    row,
    pipeline_id: rows.leads.get(place)!.pipeline_id,
  }))
  const found = faults.any()
    ? new Map()
    : await findMatches(tx, actor, newcomers, drafted.contacts.context)
  const held = await hold(tx, actor, items, faults, found)
  faults.throwIfAny()

  const { settled, wishes } = pairUp(items, rows, held)
  const told = await writeParties(tx, actor, settled, held, {
    leads: drafted.leads.context,
    contacts: drafted.contacts.context,
    companies: drafted.companies.context,
  })
  // What is linked already does not matter: `settle` has seen to it that there is room.
  const plan = planOf([])
  for (const { one, other, isMain } of wishes) plan.link(pairOf(one, other), isMain, actor.userId)
  await writePlan(tx, actor, plan, { first: 'leads', fresh: told })
  await recordMerges(tx, actor, settled)
  return answerOf(settled)
}

/** The new records of one kind, each an item of its own under the name of the item that it belongs to. */
function newParts<Draft>(
  items: Item<ComplexDraft>[],
  kind: 'contacts' | 'companies',
): Item<Draft>[] {
  return items.flatMap(({ index, request_id, value }) => {
    const part = value._embedded?.[kind]?.[0]
    return part && part.id === undefined ? [{ index, request_id, value: part as Draft }] : []
  })
}

function byIndex<Row extends RecordRow>(
  items: Item<unknown>[],
  { rows }: Pick<Drafted<Row, unknown>, 'rows'>,
) {
  return new Map(items.map(({ index }, place) => [index, rows[place]!]))
}

/** Items that went into one lead are one element, at the place of the first. */
function answerOf(settled: Settled[]): ComplexAnswer {
  const byLead = Map.groupBy(settled, ({ lead }) => lead.id)
  return [...byLead].map(([id, items]) => ({
    id,
    contact_id: items.find(({ contact }) => contact)?.contact?.id ?? null,
    company_id: items.find(({ company }) => company)?.company?.id ?? null,
    request_id: items.map(({ request_id }) => request_id),
    merged: !items[0]!.lead.row,
  }))
}
