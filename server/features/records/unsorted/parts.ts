// The leads, contacts and companies of unsorted items. The intake only checks the drafts of contacts
// and companies; the acceptance drafts them anew, from what is left of them, and writes them.
import { startWriting, timeOfChange } from '../../../access/actor.ts'
import type { Actor, Writer } from '../../../access/actor.ts'
import { mayNone, requireRight } from '../../../access/record-rights.ts'
import type { Tx } from '../../../database/connect.ts'
import type { Batch, Item } from '../../../http/batch.ts'
import type { DraftedRow } from '../../../records/description.ts'
import { fieldsOf } from '../../../records/fields/definitions.ts'
import type { Fields } from '../../../records/fields/definitions.ts'
import { tooHeavy } from '../../../records/fields/values.ts'
import { refKey } from '../../../records/link-rules.ts'
import type { SentRecord } from '../../../records/schema.ts'
import { checkTags, resolveTags } from '../../../records/tags.ts'
import type { Drafts } from '../../../records/writing/create.ts'
import { lockRecords } from '../../../records/writing/change.ts'
import { lockRows } from '../../../records/writing/statements.ts'
import { addCompanies, draftCompanies } from '../companies/companies.ts'
import type { CompanyDraft, CompanyRow } from '../companies/schema.ts'
import { fill, findDuplicates, keysOfContact } from '../complex/complex.ts'
import { addContacts, contacts, draftContacts, writeContacts } from '../contacts/contacts.ts'
import type { ContactDraft, ContactRow } from '../contacts/schema.ts'
import { draftLeads, leads } from '../leads/leads.ts'
import type { LeadDraft, LeadRow } from '../leads/schema.ts'
import { linkPairs } from '../links/links.ts'
import type { NewPair } from '../links/links.ts'
import { addNotes, withFiles } from '../../activity/notes/notes.ts'
import type { KeepFiles, NewNoteRow } from '../../activity/notes/notes.ts'
import { contactsOfChats, contactsWithCompany, onlyContacts } from './queries.ts'
import type { Decided, ItemRow } from './queries.ts'
import { revalidate } from './revalidate.ts'
import type { CallInfo, NewItem, PartType } from './schema.ts'

/** A record of an item, and its place among those of its type. */
interface PartOfItem<Draft> extends Item<Draft> {
  position: number
}

/** The records of one type of all items, whose faults are listed under their items. */
export function partsOf<Draft>(
  batch: Batch<NewItem>,
  type: PartType,
  draftsOf: (item: NewItem) => Draft[],
): Batch<Draft> {
  const items = batch.items.flatMap(({ index, request_id, value }) =>
    draftsOf(value).map((draft, position) => ({
      index,
      request_id,
      value: draft,
      position,
    })),
  )
  // The pipeline is that of the item, unless only its lead names one.
  const choosing = new Set(
    batch.items.flatMap(({ index, value: { pipeline_id, leads } }) =>
      pipeline_id === undefined && leads.some((lead) => lead.pipeline_id !== undefined)
        ? index
        : [],
    ),
  )
  const { faults } = batch
  return {
    ...batch,
    items,
    faults: {
      ...faults,
      add: (item, fault) => {
        const { position = 0 } = item as Partial<PartOfItem<Draft>>
        const isOfItem = fault.path === 'pipeline_id' && !choosing.has(item.index)
        const path = isOfItem ? fault.path : `_embedded.${type}.${position}.${fault.path}`
        faults.add(item, { ...fault, path })
      },
    },
  }
}

/** Adds the faults of contacts and companies to their items. Nothing is written. */
export async function checkParts(tx: Tx, actor: Actor, batch: Batch<NewItem>): Promise<void> {
  const ofContacts = partsOf(batch, 'contacts', (item) => item.contacts)
  const ofCompanies = partsOf(batch, 'companies', (item) => item.companies)
  if (ofContacts.items.length > 0) {
    await checkTags(tx, actor, 'contacts', ofContacts)
    const untagged = withoutTags(ofContacts)
    const tags = await resolveTags(tx, actor, 'contacts', untagged)
    await draftContacts(tx, actor, untagged, tags)
  }
  if (ofCompanies.items.length > 0) {
    await checkTags(tx, actor, 'companies', ofCompanies)
    const untagged = withoutTags(ofCompanies)
    const tags = await resolveTags(tx, actor, 'companies', untagged)
    await draftCompanies(tx, actor, untagged, tags)
  }
}

/** The tags of contacts and companies are only checked: those with new names are made later. */
function withoutTags<Draft extends SentRecord>(batch: Batch<Draft>): Batch<Draft> {
  const items = batch.items.map((item) => {
    const { _embedded: _, tags_to_add: _added, ...value } = item.value
    return { ...item, value: value as Draft }
  })
  return { ...batch, items }
}

/** Whether the actor may add records of the types that an item holds. */
export const mayAddParts = (actor: Actor, { contact_ids, company_ids }: ItemRow): boolean =>
  (contact_ids.length === 0 || !mayNone(actor, 'contacts', 'add')) &&
  (company_ids.length === 0 || !mayNone(actor, 'companies', 'add'))

/** The drafted contacts or companies of items, in the order of their ids. */
interface DraftedType<Row extends ContactRow | CompanyRow> {
  drafts: Drafts<Row>
  entries: { id: number; item: ItemRow }[]
}

export interface DraftedParts {
  contacts: DraftedType<ContactRow>
  companies: DraftedType<CompanyRow>
  /** Sentences on parts that exist no more, by the uid of the item. */
  gone: ReadonlyMap<string, string[]>
  /** The drafts of leads whose responsible user is no longer active. */
  withoutUsers: ReadonlySet<LeadDraft>
}

/** Drafts the contacts and companies of items, and finds what of their leads is gone. */
export async function draftParts(tx: Tx, author: Actor, items: ItemRow[]): Promise<DraftedParts> {
  const gone = new Map<string, string[]>()
  const noteLost = (
    label: string,
    lost: ReadonlyMap<number, string[]>,
    itemOf: (at: number) => ItemRow,
  ) => {
    for (const [index, details] of lost) {
      const { uid } = itemOf(index)
      gone.set(uid, [...(gone.get(uid) ?? []), ...details.map((each) => `${label}: ${each}`)])
    }
  }
  const ofContacts = entriesOf(items, 'contact_ids', ({ data }) => data.contacts)
  const contactsLeft = await revalidate<ContactDraft, Drafts<ContactRow>>(
    ofContacts,
    async (batch) =>
      draftContacts(tx, author, batch, await resolveTags(tx, author, 'contacts', batch)),
  )
  noteLost('Contact', contactsLeft.gone, (at) => ofContacts[at]!.item)
  const ofCompanies = entriesOf(items, 'company_ids', ({ data }) => data.companies)
  const companiesLeft = await revalidate<CompanyDraft, Drafts<CompanyRow>>(
    ofCompanies,
    async (batch) =>
      draftCompanies(tx, author, batch, await resolveTags(tx, author, 'companies', batch)),
  )
  noteLost('Company', companiesLeft.gone, (at) => ofCompanies[at]!.item)

  const ofLeads = entriesOf(items, 'lead_ids', ({ data }) => data.leads).filter(
    ({ value }) => value.custom_fields_values || value.responsible_user_id,
  )
  const checked = ofLeads.map(({ value, ...entry }, index) => {
    const { responsible_user_id, custom_fields_values } = value
    const draft: LeadDraft = {
      ...(responsible_user_id && { responsible_user_id }),
      ...(custom_fields_values && { custom_fields_values }),
    }
    return { ...entry, index, value: draft }
  })
  const leadsLeft = await revalidate<LeadDraft, Drafts<LeadRow>>(checked, async (batch) =>
    draftLeads(tx, author, batch, await resolveTags(tx, author, 'leads', batch)),
  )
  noteLost('Lead', leadsLeft.gone, (at) => ofLeads[at]!.item)
  const withoutUsers = leadsLeft.items.flatMap(({ index, value }) => {
    const draft = ofLeads[index]!.value
    return draft.responsible_user_id && !value.responsible_user_id ? [draft] : []
  })
  return {
    contacts: { drafts: contactsLeft.checked, entries: ofContacts },
    companies: { drafts: companiesLeft.checked, entries: ofCompanies },
    gone,
    withoutUsers: new Set(withoutUsers),
  }
}

/** The records of one type of items as a batch, in the order of their ids. */
function entriesOf<Draft>(
  items: ItemRow[],
  column: 'lead_ids' | 'contact_ids' | 'company_ids',
  draftsOf: (item: ItemRow) => Draft[],
) {
  return items
    .flatMap((item) =>
      draftsOf(item).map((value, position) => ({ id: item[column][position]!, item, value })),
    )
    .toSorted((one, other) => one.id - other.id)
    .map((each, index) => ({ ...each, index, request_id: each.item.uid }))
}

/**
 * The stored contacts that take the place of drafted ones, by the id that was fixed for these: those
 * that the duplicate control of the integration finds (features/records/complex). Holds phones and e-mails.
 */
export async function matchParts(
  tx: Tx,
  actor: Actor,
  items: ItemRow[],
  { contacts: { drafts, entries } }: DraftedParts,
): Promise<Map<number, number>> {
  const matches = new Map<number, number>()
  const isAccepted = new Set(items.map(({ id }) => id))
  const byClient = Map.groupBy(
    entries.map(({ id, item }, position) => ({ id, item, row: drafts.rows[position]! })),
    ({ item }) => item.client_id,
  )
  for (const [clientId, parts] of byClient) {
    const its = parts.filter(({ item }) => isAccepted.has(item.id))
    const rows = {
      contacts: new Map(its.map(({ row }, position) => [position, row])),
      leads: new Map(its.map(({ item: { pipeline_id } }, position) => [position, { pipeline_id }])),
    }
    const found = await findDuplicates(tx, { ...actor, clientId }, rows, drafts.context.fields)
    for (const [position, { contact_id }] of found) matches.set(its[position]!.id, contact_id)
  }
  const ofChats = entries
    .map(({ id, item }, position) => ({ id, item, row: drafts.rows[position]! }))
    .filter(({ item }) => item.category === 'chats' && isAccepted.has(item.id))
  for (const [id, contact] of await matchClients(tx, actor, ofChats, drafts.context.fields))
    matches.set(id, contact)
  return matches
}

/**
 * The stored contacts of the clients of chats, by the ids that were fixed for drafted ones: the
 * contact that a chat is bound to, or else the only one with the phone or the e-mail of the client.
 */
async function matchClients(
  tx: Tx,
  actor: Actor,
  parts: { id: number; item: ItemRow; row: DraftedRow<ContactRow> }[],
  fields: Fields,
): Promise<Map<number, number>> {
  if (parts.length === 0) return new Map()
  const bound = new Map(
    (
      await tx.rows<{ item_id: number; id: number }>(
        contactsOfChats(
          actor,
          parts.map(({ item }) => item.id),
        ),
      )
    ).map(({ item_id, id }) => [item_id, id]),
  )
  const keys = parts.flatMap(({ row }, position) => keysOfContact(fields, position, row))
  const alone = new Map(
    (await tx.rows<{ place: number; id: number }>(onlyContacts(actor, keys))).map(
      ({ place: position, id }) => [position, id],
    ),
  )
  return new Map(
    parts.flatMap(({ id, item }, position) => {
      const contact = bound.get(item.id) ?? alone.get(position)
      return contact === undefined ? [] : [[id, contact] as const]
    }),
  )
}

/**
 * Writes the contacts and companies of items whose leads are accepted, links them, and adds the notes,
 * in the name of the author. Answers the ids of the records of each item.
 */
export async function acceptParts(
  tx: Tx,
  author: Actor,
  items: ItemRow[],
  parts: DraftedParts,
  { matches, stored }: LockedMatches,
  keepFiles: KeepFiles,
): Promise<Decided[]> {
  const isAccepted = new Set(items.map(({ id }) => id))
  const writer = startWriting(tx, author)
  const accepted = <Row extends ContactRow | CompanyRow>({ drafts, entries }: DraftedType<Row>) =>
    entries.flatMap(({ id, item }, position) =>
      isAccepted.has(item.id) ? [{ id, item, row: drafts.rows[position]! }] : [],
    )
  const ofContacts = accepted(parts.contacts)
  const { replaced, after } = await filledContacts(tx, writer, ofContacts, matches, stored)
  const contactOf = (id: number) => replaced.get(id) ?? id
  const newContacts = ofContacts.filter(({ id }) => contactOf(id) === id)
  if (newContacts.length > 0) {
    requireRight(writer, 'contacts', 'add')
    await addContacts(tx, writer, draftsOf(newContacts, parts.contacts.drafts))
  }
  const ofCompanies = accepted(parts.companies)
  if (ofCompanies.length > 0) {
    requireRight(writer, 'companies', 'add')
    await addCompanies(tx, writer, draftsOf(ofCompanies, parts.companies.drafts))
  }
  const filled = await fillContacts(tx, writer, stored, after, parts.contacts.drafts)

  const decided = items.map(({ id, lead_ids, contact_ids, company_ids }): Decided => {
    return { id, lead_ids, contact_ids: [...new Set(contact_ids.map(contactOf))], company_ids }
  })
  const withCompany = new Set(await companiesOfMatches(tx, writer, [...stored.keys()]))
  const recorded = [
    ...decided.flatMap(({ lead_ids }) => lead_ids.map((id) => refKey({ type: 'leads', id }))),
    ...newContacts.map(({ id }) => refKey({ type: 'contacts', id })),
    ...filled.map((id) => refKey({ type: 'contacts', id })),
    ...ofCompanies.map(({ id }) => refKey({ type: 'companies', id })),
  ]
  const pairs = items.flatMap((item) => pairsOf(item, contactOf, withCompany))
  await linkPairs(tx, writer, pairs, 'leads', new Set(recorded))
  const notes = items.flatMap((item, position) =>
    notesOf(writer, item, decided[position]!, parts.gone),
  )
  if (notes.length > 0) await addNotes(tx, writer, await withFiles(tx, writer, notes, keepFiles))
  return decided
}

function draftsOf<Row extends ContactRow | CompanyRow>(
  parts: { id: number; row: DraftedRow<Row> }[],
  { context }: Drafts<Row>,
): Drafts<Row> {
  return { rows: parts.map(({ row }) => row), ids: parts.map(({ id }) => id), context }
}

/** The contacts that take the place of drafted ones, locked. */
export interface LockedMatches {
  matches: ReadonlyMap<number, number>
  stored: ReadonlyMap<number, ContactRow>
}

/**
 * Locks the contacts that drafted ones match, and before them, by the author's right, the leads that
 * change. Contacts in the bin or closed to the actor are left out.
 */
export async function lockMatches(
  tx: Tx,
  actor: Actor,
  author: Actor,
  leadIds: number[],
  matches: ReadonlyMap<number, number>,
): Promise<LockedMatches> {
  if (matches.size === 0) return { matches, stored: new Map() }
  if (leadIds.length > 0) await lockRecords(tx, author, leads, leadIds, 'edit')
  const ids = [...new Set(matches.values())]
  const rows = await tx.rows<ContactRow & { allowed: boolean }>(
    lockRows(contacts, actor, ids, 'edit'),
  )
  const stored = new Map(
    rows.flatMap(({ allowed, ...row }) => (allowed ? [[row.id, row] as const] : [])),
  )
  return { matches, stored }
}

/**
 * Stored contacts with what they lack of the drafted ones that they replace, by the ids fixed for
 * these. One whose values would be too long together for a record replaces none.
 */
async function filledContacts(
  tx: Tx,
  writer: Writer,
  drafted: { id: number; row: DraftedRow<ContactRow> }[],
  matches: ReadonlyMap<number, number>,
  stored: ReadonlyMap<number, ContactRow>,
) {
  const replaced = new Map<number, number>()
  const after = new Map(stored)
  if (stored.size === 0) return { replaced, after }
  const fields = await fieldsOf(tx, writer.accountId, 'contacts')
  for (const { id, row } of drafted) {
    const before = after.get(matches.get(id) ?? 0)
    if (!before) continue
    const next = fill(writer, fields, before, row, ['name', 'first_name', 'last_name'])
    if (next !== before && tooHeavy(next.custom_fields_values)) continue
    after.set(before.id, next)
    replaced.set(id, before.id)
  }
  return { replaced, after }
}

/** Writes stored contacts that gained something; answers the ids of those that changed. */
async function fillContacts(
  tx: Tx,
  writer: Writer,
  before: ReadonlyMap<number, ContactRow>,
  after: ReadonlyMap<number, ContactRow>,
  { context: { tags } }: Drafts<ContactRow>,
): Promise<number[]> {
  if (before.size === 0) return []
  const fields = await fieldsOf(tx, writer.accountId, 'contacts')
  return writeContacts(tx, writer, { fields, tags }, before, after)
}

async function companiesOfMatches(tx: Tx, actor: Actor, ids: number[]): Promise<number[]> {
  if (ids.length === 0) return []
  return (await tx.rows<{ id: number }>(contactsWithCompany(actor, ids))).map(({ id }) => id)
}

/**
 * The links of an item: every lead with every contact, the first of which is the main one, and with
 * the company at its place or else the last; so is every contact that has no company, unless the
 * request says whom it works for. `contactOf` gives the contact for an id that was fixed for one.
 */
function pairsOf(
  { lead_ids, contact_ids, company_ids, data: { employers } }: ItemRow,
  contactOf: (id: number) => number,
  withCompany: ReadonlySet<number>,
): NewPair[] {
  const companyAt = (position: number) => company_ids[Math.min(position, company_ids.length - 1)]
  const companyOf = (position: number) =>
    employers ? company_ids[employers[position] ?? company_ids.length] : companyAt(position)
  const contacts = new Map<number, number | undefined>()
  for (const [position, fixed] of contact_ids.entries()) {
    const id = contactOf(fixed)
    if (!contacts.has(id)) contacts.set(id, withCompany.has(id) ? undefined : companyOf(position))
  }
  const toCompany = (type: 'leads' | 'contacts', id: number, company: number | undefined) =>
    company === undefined
      ? []
      : [{ one: { type, id }, other: { type: 'companies' as const, id: company }, isMain: false }]
  return [
    ...lead_ids.flatMap((lead) =>
      [...contacts.keys()].map((contact, position) => ({
        one: { type: 'leads' as const, id: lead },
        other: { type: 'contacts' as const, id: contact },
        isMain: position === 0,
      })),
    ),
    ...lead_ids.flatMap((id, position) => toCompany('leads', id, companyAt(position))),
    ...[...contacts].flatMap(([id, company]) => toCompany('contacts', id, company)),
  ]
}

/** The most characters of the note on parts that exist no more. */
const longestNote = 10_000

function notesOf(
  writer: Writer,
  item: ItemRow,
  { lead_ids, contact_ids, company_ids }: Decided,
  gone: ReadonlyMap<string, string[]>,
): NewNoteRow[] {
  const ids = { leads: lead_ids, contacts: contact_ids, companies: company_ids }
  const note = (
    type: PartType,
    id: number,
    note_type: string,
    params: object,
    created_at = writer.at,
  ): NewNoteRow => ({
    entity_type: type,
    entity_id: id,
    note_type,
    params: params as NewNoteRow['params'],
    responsible_user_id: writer.userId,
    group_id: writer.groupId,
    created_by: writer.userId,
    updated_by: writer.userId,
    created_at,
    updated_at: timeOfChange(writer, created_at),
    file_id: null,
    // The user who accepts a call has not written the address of its recording.
    link_by: item.created_by,
  })
  const sent = item.data.notes.flatMap(({ type, note_type, text }) => {
    const id = ids[type][0]
    if (id === undefined) return []
    const isOfService = note_type === 'service_message'
    const params = isOfService ? { service: item.source_name, text } : { text }
    return [note(type, id, isOfService ? note_type : 'common', params)]
  })
  const lost = gone.get(item.uid)
  const text = [...(lost ?? [])].join('\n').slice(0, longestNote)
  const types = ['leads', 'contacts', 'companies'] as const
  const call = item.category === 'sip' ? (item.metadata as CallInfo) : undefined
  const params = call && callParams(item, call)
  const calledAt = call?.called_at ?? item.created_at
  return [
    ...(params
      ? types.flatMap((type) => ids[type].map((id) => note(type, id, 'call_in', params, calledAt)))
      : []),
    ...sent,
    ...(lost && lead_ids[0] !== undefined
      ? [
          note('leads', lead_ids[0], 'service_message', {
            service: 'Kontor',
            text: text.toWellFormed(),
          }),
        ]
      : []),
  ]
}

/** The params of the call note, none where the item asks for no note. */
function callParams({ source_name }: ItemRow, call: CallInfo): object | undefined {
  const { phone, duration = 0, service_code, link, uniq, call_responsible } = call
  if (!call.is_call_event_needed) return undefined
  return {
    phone,
    duration,
    source: service_code?.trim() || source_name,
    // Screens that show the note make a link of it.
    ...(link && /^https?:\/\//i.test(link) && { link }),
    ...(uniq && { uniq }),
    ...(call_responsible && { call_responsible }),
  }
}
