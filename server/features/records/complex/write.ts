// Writes the records of the items: new ones first, type by type, then the additions to stored ones.
import type { Writer } from '../../../access/actor.ts'
import { record } from '../../../changes/record.ts'
import type { Tx } from '../../../database/connect.ts'
import { invalid } from '../../../http/problem.ts'
import type { ItemFaults } from '../../../http/problem.ts'
import type { DraftedRow, RecordRow, RecordType } from '../../../records/description.ts'
import { fieldsOf } from '../../../records/fields/definitions.ts'
import { tooHeavy } from '../../../records/fields/values.ts'
import { refKey } from '../../../records/link-rules.ts'
import type { Drafts } from '../../../records/writing/create.ts'
import { addCompanies } from '../companies/companies.ts'
import type { CompanyRow } from '../companies/schema.ts'
import { addContacts, writeContacts } from '../contacts/contacts.ts'
import type { ContactRow } from '../contacts/schema.ts'
import { addLeads, writeLeads } from '../leads/leads.ts'
import type { LeadRow } from '../leads/schema.ts'
import { fill } from './fill.ts'
import type { StoredRecords } from './lock.ts'
import type { PairedItem, Party } from './parties.ts'

interface AllDrafts {
  leads: Drafts<LeadRow>
  contacts: Drafts<ContactRow>
  companies: Drafts<CompanyRow>
}

/**
 * Writes all records and assigns the ids of new ones; answers the names (`refKey`) of the records
 * that were added or changed.
 */
export async function writeParties(
  tx: Tx,
  writer: Writer,
  items: PairedItem[],
  stored: StoredRecords,
  drafts: AllDrafts,
): Promise<Set<string>> {
  const leads = newOnes(items.map(({ lead }) => lead))
  const contacts = newOnes(items.map(({ contact }) => contact))
  const companies = newOnes(items.map(({ company }) => company))
  giveIds(leads, await addLeads(tx, writer, { ...drafts.leads, rows: rowsOf(leads) }))
  giveIds(contacts, await addContacts(tx, writer, { ...drafts.contacts, rows: rowsOf(contacts) }))
  giveIds(
    companies,
    await addCompanies(tx, writer, { ...drafts.companies, rows: rowsOf(companies) }),
  )
  const changed = [
    ...(await fillLeads(tx, writer, items, stored, drafts)),
    ...(await fillContacts(tx, writer, items, stored, drafts)),
  ]
  return new Set([...leads, ...contacts, ...companies, ...changed].map(refKey))
}

/** The new records among parties; one record may belong to several items. */
function newOnes<Row extends RecordRow>(parties: (Party<Row> | undefined)[]): Party<Row>[] {
  return [...new Set(parties)].flatMap((party) => (party?.row ? [party] : []))
}

const rowsOf = <Row extends RecordRow>(parties: Party<Row>[]) => parties.map(({ row }) => row!)

function giveIds(parties: Party<never>[] | Party[], ids: number[]): void {
  for (const [index, party] of parties.entries()) party.id = ids[index]!
}

/** Adds to stored leads the values of the new leads they replace, where they have none. */
async function fillLeads(
  tx: Tx,
  writer: Writer,
  items: PairedItem[],
  { leads: before }: StoredRecords,
  { leads: { context } }: AllDrafts,
) {
  const gaining = items.flatMap(({ request_id, lead }) => gainOf(lead, request_id, ''))
  if (gaining.length === 0) return []
  const fields = await fieldsOf(tx, writer.accountId, 'leads')
  const after = filledRows(gaining, before, (row, gains) =>
    fill(writer, fields, row, gains, ['price']),
  )
  const ids = await writeLeads(tx, writer, { fields, tags: context.tags }, before, after)
  return ids.map((id) => ({ type: 'leads' as const, id }))
}

/** Adds to stored contacts the values of the new contacts they replace, where they have none. */
async function fillContacts(
  tx: Tx,
  writer: Writer,
  items: PairedItem[],
  { contacts: before }: StoredRecords,
  { contacts: { context } }: AllDrafts,
) {
  const gaining = items.flatMap(({ request_id, contact }) =>
    contact ? gainOf(contact, request_id, '_embedded.contacts.0.') : [],
  )
  if (gaining.length === 0) return []
  const fields = await fieldsOf(tx, writer.accountId, 'contacts')
  const after = filledRows(gaining, before, (row, gains) =>
    fill(writer, fields, row, gains, ['name', 'first_name', 'last_name']),
  )
  const ids = await writeContacts(tx, writer, { fields, tags: context.tags }, before, after)
  return ids.map((id) => ({ type: 'contacts' as const, id }))
}

/** The additions to a stored record, and the item and path that list their faults. */
interface Gain<Row extends RecordRow> {
  id: number
  gains: DraftedRow<Row>
  request_id: string
  at: string
}

function gainOf<Row extends RecordRow>(
  { id, gains }: Party<Row>,
  request_id: string,
  at: string,
): Gain<Row>[] {
  return gains ? [{ id, gains, request_id, at }] : []
}

/** The rows after all additions. Throws 400 for values that together are too long for a record. */
function filledRows<Row extends RecordRow>(
  gaining: Gain<Row>[],
  before: ReadonlyMap<number, Row>,
  fillRow: (row: Row, gains: DraftedRow<Row>) => Row,
): Map<number, Row> {
  const after = new Map<number, Row>()
  const refused: ItemFaults[] = []
  for (const { id, gains, request_id, at } of gaining) {
    const row = after.get(id) ?? before.get(id)!
    const next = fillRow(row, gains)
    after.set(id, next)
    const fault = next === row ? undefined : tooHeavy(next.custom_fields_values)
    if (fault) refused.push({ request_id, errors: [{ ...fault, path: `${at}${fault.path}` }] })
  }
  if (refused.length > 0) throw invalid(refused)
  return after
}

/** Records on stored leads that they replaced new ones, also where that changed nothing. */
export async function recordMerges(tx: Tx, writer: Writer, items: PairedItem[]): Promise<void> {
  const ids = new Set(items.flatMap(({ lead }) => (lead.row ? [] : lead.id)))
  const type: RecordType = 'leads'
  const events = [{ type: 'entity_merged', value_before: [], value_after: [] }]
  await record(
    tx,
    writer,
    [...ids].map((id) => ({ type, id, actions: [], before: null, events })),
  )
}
