// Locks the existing records that take part in a request, in the order of all verbs: leads,
// contacts, companies, each by id.
import type { RecordDescription } from '../../../records/description.ts'
import { refKey } from '../../../records/link-rules.ts'
import { lockRows } from '../../../records/writing/statements.ts'
import type { RecordRow } from '../../../records/description.ts'
import type { Tx } from '../../../database/connect.ts'
import type { Actor } from '../../../access/actor.ts'
import type { Batch } from '../../../http/batch.ts'
import type { Action } from '../../../access/rights.ts'
import { singular } from '../../../entity-types.ts'
import { companies } from '../companies/companies.ts'
import { contacts } from '../contacts/contacts.ts'
import type { ContactRow } from '../contacts/schema.ts'
import { leads } from '../leads/leads.ts'
import type { LeadRow } from '../leads/schema.ts'
import { leadsOf } from './duplicates.ts'
import type { Match } from './duplicates.ts'
import { companiesOf } from './queries.ts'
import type { ComplexDraft } from './schema.ts'

/** The company of an existing record; `shown` says whether the actor may view it. */
interface OwnCompany {
  id: number
  shown: boolean
}

export interface StoredRecords {
  /** The matches that still hold, by the index of their items. */
  matches: ReadonlyMap<number, Match>
  leads: ReadonlyMap<number, LeadRow>
  contacts: ReadonlyMap<number, ContactRow>
  /** The contacts that the actor may edit. */
  editable: ReadonlySet<number>
  /** The companies of leads and contacts, by `refKey` the lead or contact. */
  companies: ReadonlyMap<string, OwnCompany>
}

/**
 * Locks the records that items name, and the matches. A record that does not exist, or that the
 * actor may not view, is a fault of its item.
 */
export async function lockStored(
  tx: Tx,
  actor: Actor,
  { items, faults }: Batch<ComplexDraft>,
  matches: ReadonlyMap<number, Match>,
): Promise<StoredRecords> {
  const named = (kind: 'contacts' | 'companies') =>
    items.flatMap(({ value }) => value._embedded?.[kind]?.[0]?.id ?? [])
  const matched = [...matches.values()]
  const leadIds = matched.flatMap(({ lead_id }) => lead_id ?? [])
  const contactIds = [...named('contacts'), ...matched.map(({ contact_id }) => contact_id)]
  const lockedLeads = await lock<LeadRow>(tx, actor, leads, leadIds, 'edit')
  const lockedContacts = await lock<ContactRow>(tx, actor, contacts, contactIds, 'view')
  const lockedCompanies = await lock(tx, actor, companies, named('companies'), 'view')
  const locked = { contacts: lockedContacts, companies: lockedCompanies }
  for (const item of items) {
    for (const kind of ['contacts', 'companies'] as const) {
      const id = item.value._embedded?.[kind]?.[0]?.id
      const detail = `There is no ${singular[kind]} ${id}.`
      if (id !== undefined && !locked[kind].has(id))
        faults.add(item, { code: 'NotSupportedChoice', path: `_embedded.${kind}.0.id`, detail })
    }
  }
  const editable = new Set(
    (await lock(tx, actor, contacts, [...lockedContacts.keys()], 'edit')).keys(),
  )
  const editableMatches = [...matches].filter(([, { contact_id }]) => editable.has(contact_id))
  const stillOpen = await leadsOf(
    tx,
    actor,
    editableMatches.map(([, match]) => match),
    [...lockedLeads.keys()],
  )
  return {
    matches: new Map(
      editableMatches.map(([index, match]) => [
        index,
        {
          ...match,
          lead_id: stillOpen(match),
        },
      ]),
    ),
    leads: lockedLeads,
    contacts: lockedContacts,
    editable,
    companies: new Map([
      ...(await linkedCompanies(tx, actor, 'leads', [...lockedLeads.keys()])),
      ...(await linkedCompanies(tx, actor, 'contacts', [...lockedContacts.keys()])),
    ]),
  }
}

/** Locks records; answers those that exist and that the actor has the right to the action on. */
async function lock<Row extends RecordRow>(
  tx: Tx,
  actor: Actor,
  description: RecordDescription,
  ids: number[],
  action: Action,
): Promise<Map<number, Row>> {
  if (ids.length === 0) return new Map()
  const rows = await tx.rows<Row & { allowed: boolean }>(
    lockRows(description, actor, [...new Set(ids)], action),
  )
  return new Map(
    rows.flatMap(({ allowed, ...row }) =>
      allowed ? [[row.id, row as unknown as Row] as const] : [],
    ),
  )
}

async function linkedCompanies(
  tx: Tx,
  actor: Actor,
  type: 'leads' | 'contacts',
  ids: number[],
): Promise<[string, OwnCompany][]> {
  if (ids.length === 0) return []
  const rows = await tx.rows<OwnCompany & { of_id: number }>(companiesOf(actor, type, ids))
  return rows.map(({ of_id, ...company }) => [refKey({ type, id: of_id }), company])
}
