// Unsorted items: requests that wait until a user accepts or declines them (interface: Unsorted
// item; decision 51). The intake fixes the ids of all records. The lead stands in the unsorted
// status of its pipeline, and lists leave it out unless they ask for that status. The contact and
// the company are only drafts until the acceptance creates them.
import { createHash, randomBytes } from 'node:crypto'
import { startWriting } from '../../../access/actor.ts'
import type { Actor, Writer } from '../../../access/actor.ts'
import { requireOpenStatus, requireRight, sees } from '../../../access/record-rights.ts'
import type { EntityDeclaration } from '../../../changes/entity.ts'
import { record, updatedEntry } from '../../../changes/record.ts'
import type { Entry } from '../../../changes/record.ts'
import type { Reader, Tx } from '../../../database/connect.ts'
import { newFaults } from '../../../http/batch.ts'
import type { Batch, Item } from '../../../http/batch.ts'
import { badRequest, faultAt, forbidden, invalidValue, notFound } from '../../../http/problem.ts'
import { fieldsOf } from '../../../records/fields/definitions.ts'
import { sentWithVersions, versionsFor } from '../../../records/fields/files.ts'
import { groupsOfActiveUsers } from '../../../records/people.ts'
import { removal, removeRecords } from '../../../records/purge.ts'
import type { Identified, SentRecord } from '../../../records/schema.ts'
import { resolveTags } from '../../../records/tags.ts'
import type { TagsOfBatch } from '../../../records/tags.ts'
import type { Drafts } from '../../../records/writing/create.ts'
import { lockRecords } from '../../../records/writing/change.ts'
import type { ChangedRecord, Missing } from '../../../records/writing/change.ts'
import {
  addUnsortedLeads,
  changeLeads,
  draftUnsortedLeads,
  leads,
  lockLeadStages,
} from '../leads/leads.ts'
import type { LeadDraft, LeadRow } from '../leads/schema.ts'
import { linkRecords } from '../links/links.ts'
import type { KeepFiles } from '../../activity/notes/notes.ts'
import { customers } from '../customers/customers.ts'
import { deleteTasksOfLeads } from '../../activity/tasks/tasks.ts'
import { lockTargetPipelines, stagesAround } from '../../definitions/pipelines/pipelines.ts'
import type { Stages } from '../../definitions/pipelines/pipelines.ts'
import { withDaysToKeep } from './drafts.ts'
import {
  acceptParts,
  checkParts,
  draftParts,
  lockMatches,
  matchParts,
  mayAddParts,
  partsOf,
} from './parts.ts'
import { lockItemChats, decideChats } from './chats.ts'
import type { ChatDecision, ChatOfItem } from './chats.ts'
import * as queries from './queries.ts'
import type { Decided, RecordIds, ItemRow, KnownItem, LockedItem, NewItemRow } from './queries.ts'
import { categories } from './schema.ts'
import type {
  AddedCategory,
  CallInfo,
  ChatInfo,
  FormInfo,
  ItemCategory,
  NewItem,
  PartType,
} from './schema.ts'
import { unsortedForm } from './webhook.ts'
import type { AddressAuthor } from '../../../outgoing/door.ts'

export { unsortedSummary, unsortedWaiting } from './queries.ts'

export const unsortedItems: EntityDeclaration = {
  type: 'unsorted_items',
  news: {
    browser: ['add', 'update', 'delete'],
    webhook: ['add', 'update', 'delete'],
    // The rights to its status decide, which is that of its lead.
    isHeardBy: (actor, row) =>
      sees(actor, 'leads', { ...(row as ItemRow), responsible_user_id: 0, group_id: -1 }),
  },
  webhook: unsortedForm,
}

/** An added item, or the waiting one that an equal request has made before. */
export interface AddedItem extends RecordIds {
  uid: string
  request_id: string
}

/**
 * Adds items; answers in request order. A request that waits already, by the same category and
 * `source_uid` and with the same content, is answered with its item; other content under that name
 * is a fault. Faults are also all that the creation of the records would refuse.
 */
export async function addItems(tx: Tx, actor: Actor, batch: Batch<NewItem>): Promise<AddedItem[]> {
  const locked = await lockBatchItems(tx, actor, batch)
  const add = await checkItems(tx, actor, batch, locked)
  batch.faults.throwIfAny()
  return add()
}

/** The items of a batch that wait already, and those to add. */
interface LockedItems {
  known: ReadonlyMap<string, KnownItem>
  fresh: Batch<NewItem>
}

/** Takes the first locks of `addItems`: requests with the same names at the source wait. */
export async function lockBatchItems(
  tx: Tx,
  actor: Actor,
  batch: Batch<NewItem>,
): Promise<LockedItems> {
  requireRight(actor, 'leads', 'add')
  const known = await findWaiting(tx, actor, batch)
  return { known, fresh: { ...batch, items: newItems(batch, known) } }
}

/** The checking half of `addItems`: adds the faults, and answers the writing half. */
export async function checkItems(
  tx: Tx,
  actor: Actor,
  batch: Batch<NewItem>,
  { known, fresh }: LockedItems,
): Promise<() => Promise<AddedItem[]>> {
  const leads = partsOf(fresh, 'leads', leadsToAdd)
  const tags = await resolveTags(tx, actor, 'leads', leads)
  await lockLeadStages(tx, actor, leads, 'create')
  await checkParts(tx, actor, fresh)
  const drafts = await draftItems(tx, actor, fresh, leads, tags)
  return async () => {
    const writer = startWriting(tx, actor)
    const rows = await insertItems(tx, writer, fresh.items, leads, drafts)
    await record(tx, writer, rows.map(addedItemEntry))
    const added = new Map<string, RecordIds & { uid: string }>(known)
    for (const row of rows) added.set(nameAtSource(row), row)
    return batch.items.map(({ request_id, value }) => {
      const { uid, lead_ids, contact_ids, company_ids } = added.get(nameAtSource(value))!
      return { uid, request_id, lead_ids, contact_ids, company_ids }
    })
  }
}

/** The item of a chat, and its lead. */
export interface ItemOfChat {
  id: number
  leadId: number
}

/**
 * Adds the item of a locked chat and records it, on behalf of the server; undefined where the pipeline
 * takes no unsorted leads. The draft of the contact is checked at the acceptance.
 */
export async function addItemOfChat(
  tx: Tx,
  actor: Actor,
  item: NewItem,
): Promise<ItemOfChat | undefined> {
  requireRight(actor, 'leads', 'add')
  const items = [{ index: 0, request_id: '0', value: item }]
  const batch: Batch<NewItem> = { items, faults: newFaults() }
  const leads = partsOf(batch, 'leads', leadsToAdd)
  const tags = await resolveTags(tx, actor, 'leads', leads)
  await lockLeadStages(tx, actor, leads, 'create')
  const drafts = await draftItems(tx, actor, batch, leads, tags)
  if (batch.faults.any()) return undefined
  const writer = startWriting(tx, actor)
  const rows = await insertItems(tx, writer, items, leads, drafts)
  await record(tx, writer, rows.map(addedItemEntry))
  const { id, lead_ids } = rows[0]!
  return { id, leadId: lead_ids[0]! }
}

/** Brings the item of a locked chat up to its latest message. The caller records the news. */
export async function updateItemOfChat(
  tx: Tx,
  actor: Actor,
  id: number,
  metadata: ChatInfo,
): Promise<Entry[]> {
  const updated = await tx.row(queries.updateMetadata(actor, id, metadata))
  if (!updated) return []
  return [updatedEntry('unsorted_items', id, {})]
}

/** The ids that are drawn for items, and the drafts of their leads. */
interface DraftedItems {
  drawn: DrawnIds
  leads: Drafts<LeadRow>
}

async function draftItems(
  tx: Tx,
  actor: Actor,
  { items }: Batch<NewItem>,
  leads: Batch<LeadDraft>,
  tags: TagsOfBatch,
): Promise<DraftedItems> {
  const drawn = await drawIds(tx, items)
  const itemIds = new Map(
    items.map(({ index }, position) => [index, drawn.unsorted_items[position]!]),
  )
  const ids = leads.items.map(({ index }) => itemIds.get(index)!)
  return { drawn, leads: await draftUnsortedLeads(tx, actor, leads, tags, ids) }
}

/** Writes items with their leads. */
async function insertItems(
  tx: Tx,
  writer: Writer,
  items: Item<NewItem>[],
  leads: Batch<LeadDraft>,
  { drawn, leads: drafts }: DraftedItems,
): Promise<NewItemRow[]> {
  const leadIds = await addUnsortedLeads(tx, writer, drafts)
  const placed = leads.items.map(({ index }, position) => ({
    index,
    id: leadIds[position]!,
    row: drafts.rows[position]! as LeadRow,
  }))
  const byItem = Map.groupBy(placed, ({ index }) => index)
  const parts = items.flatMap(({ value }) => [value.leads, value.contacts, value.companies].flat())
  const versions = await versionsFor(tx, writer, parts)
  const keep = await keepingDays(tx, writer, parts)
  const rows = items.map(({ index, value }, position): NewItemRow => {
    const its = byItem.get(index)!
    const { pipeline_id, status_id } = its[0]!.row
    const { category, source_uid, source_name, metadata, ...parts } = value
    const { employers, notes } = parts
    const leads = keep('leads', sentWithVersions(parts.leads, versions))
    const contacts = keep('contacts', sentWithVersions(parts.contacts, versions))
    const companies = keep('companies', sentWithVersions(parts.companies, versions))
    return {
      id: drawn.unsorted_items[position]!,
      uid: randomBytes(30).toString('hex'),
      category,
      source_uid,
      source_name,
      pipeline_id,
      status_id,
      lead_ids: its.map(({ id }) => id),
      contact_ids: drawn.contacts.splice(0, contacts.length),
      company_ids: drawn.companies.splice(0, companies.length),
      metadata,
      data: { leads, contacts, companies, employers, notes },
      content: contentOf(value).toString('base64'),
      client_id: writer.clientId,
      created_by: writer.userId,
      created_at: value.created_at ?? writer.at,
      at: Math.max(writer.at, value.created_at ?? 0),
    }
  })
  if (rows.length > 0) await tx.rows(queries.insertItems(writer, rows))
  return rows
}

/** Answers a function for the drafts to store; without values they stay as they are. */
async function keepingDays(
  tx: Tx,
  { accountId }: Actor,
  parts: readonly SentRecord[],
): Promise<<Draft extends SentRecord>(type: PartType, drafts: Draft[]) => Draft[]> {
  if (!parts.some(({ custom_fields_values }) => custom_fields_values)) return (_, drafts) => drafts
  const leads = await fieldsOf(tx, accountId, 'leads')
  const contacts = await fieldsOf(tx, accountId, 'contacts', leads.version)
  const companies = await fieldsOf(tx, accountId, 'companies', leads.version)
  const fields = { leads, contacts, companies }
  return (type, drafts) => withDaysToKeep(fields[type], drafts)
}

/** The items of earlier requests that wait, by their names at the source, which are held. */
async function findWaiting(
  tx: Tx,
  actor: Actor,
  { items }: Batch<NewItem>,
): Promise<Map<string, KnownItem>> {
  const named = items.map(({ value: { category, source_uid } }) => ({ category, source_uid }))
  await tx.rows(queries.lockRequests(actor, named))
  const rows = await tx.rows<KnownItem>(queries.waitingBySource(actor, named))
  return new Map(rows.map((row) => [nameAtSource(row), row]))
}

const nameAtSource = ({ category, source_uid }: queries.SourceName) => `${category} ${source_uid}`

/** The items to add, each name at the source once. Another content under a name is a fault. */
function newItems(
  { items, faults }: Batch<NewItem>,
  known: ReadonlyMap<string, KnownItem>,
): Item<NewItem>[] {
  const contents = new Map([...known].map(([name, { content }]) => [name, content]))
  return items.filter((item) => {
    if (JSON.stringify(item.value).length > longestItem) faults.add(item, tooLong)
    const content = contentOf(item.value)
    const there = contents.get(nameAtSource(item.value))
    if (!there) contents.set(nameAtSource(item.value), content)
    else if (!content.equals(there))
      faults.add(item, {
        code: 'NotUnique',
        path: 'source_uid',
        detail: 'Another request with this source_uid waits already.',
      })
    return !there
  })
}

/** The most characters of one item: a list of version 2 shows 500. */
const longestItem = 262_144
const tooLong = faultAt(
  '_embedded',
  'TooLong',
  `The data of an item are too long. All together should have ${longestItem} characters or less.`,
  longestItem,
)

/** The order of keys makes no other content. */
const contentOf = (item: NewItem) =>
  createHash('sha256').update(JSON.stringify(item, sortedKeys)).digest()

const sortedKeys = (_key: string, value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value

/** The leads of an item, at least one. Their stage is chosen at the acceptance. */
function leadsToAdd(item: NewItem): LeadDraft[] {
  const sent = item.leads.length > 0 ? item.leads : [{}]
  return sent.map(({ status_id: _, loss_reason_id: _reason, closed_at: _time, ...lead }) => ({
    ...lead,
    name: lead.name?.trim() || nameOf(item),
    ...(item.pipeline_id !== undefined && { pipeline_id: item.pipeline_id }),
    ...(item.created_at !== undefined && { created_at: lead.created_at ?? item.created_at }),
  }))
}

const longestName = 255

function nameOf({ category, metadata, source_name }: NewItem): string {
  const names: Record<AddedCategory, () => string> = {
    sip: () => `Incoming call ${(metadata as CallInfo).phone}`,
    forms: () => (metadata as FormInfo).form_name?.trim() || source_name,
    chats: () => `Chat with ${(metadata as ChatInfo).client.name}`,
  }
  const name = names[category]()
  return name.slice(0, longestName).toWellFormed()
}

type DrawnIds = Record<'unsorted_items' | 'contacts' | 'companies', number[]>

async function drawIds(tx: Tx, items: Item<NewItem>[]): Promise<DrawnIds> {
  const count = (type: 'contacts' | 'companies') =>
    items.reduce((sum, { value }) => sum + value[type].length, 0)
  const statement = queries.drawIds(items.length, count('contacts'), count('companies'))
  return (await tx.row<DrawnIds>(statement))!
}

const addedItemEntry = ({ id }: ItemRow): Entry => ({
  type: 'unsorted_items',
  id,
  actions: ['add'],
  before: null,
  events: [],
})

/** A decided item, with the ids of the records that were created or removed. */
export interface DecidedItem
  extends RecordIds, Pick<ItemRow, 'uid' | 'category' | 'pipeline_id' | 'created_at'> {}

/** Why an item could not be decided: it does not wait, by rights, or by the stage that was named. */
export type Undecided = 'unknown' | 'rights' | 'status'

export interface Decisions {
  /** The items by their uids. */
  decided: ReadonlyMap<string, DecidedItem>
  refused: ReadonlyMap<string, Undecided>
}

export interface AcceptanceInput {
  user_id?: number | null | undefined
  status_id?: number | null | undefined
}

/**
 * Accepts items: their leads go to a stage of their pipelines, the one that is named or else the
 * first, and their contacts and companies are created and linked, all on behalf of a user. Parts
 * that exist no more are left out, and told in a note. Of several acceptances at once the first
 * counts. Throws a 400 problem for an unknown user.
 */
export async function acceptItems(
  tx: Tx,
  actor: Actor,
  uids: string[],
  { user_id, status_id }: AcceptanceInput,
  keepFiles: KeepFiles,
): Promise<Decisions> {
  requireRight(actor, 'leads', 'add')
  const author = await authorOf(tx, actor, user_id)
  const lockedChats = await lockItemChats(tx, actor, queries.withUids(actor, uids))
  const { items, refused } = await lockItems(tx, actor, uids)
  const allowed = items.filter((item) => {
    const isAllowed = mayAddParts(actor, item)
    if (!isAllowed) refused.set(item.uid, 'rights')
    return isAllowed
  })
  const parts = await draftParts(tx, author, allowed)
  const stages = await lockStages(tx, actor, allowed)
  const stageOf = ({ pipeline_id }: ItemRow) => status_id ?? stages.first(pipeline_id)!
  const placed = allowed.filter((item) => {
    const isThere = stages.has(item.pipeline_id, stageOf(item)) && !stages.isUnsorted(stageOf(item))
    if (!isThere) refused.set(item.uid, 'status')
    return isThere
  })
  if (placed.length === 0) return { decided: new Map(), refused }
  const matches = await matchParts(tx, actor, placed, parts)
  const moves = await movesOf(tx, author, placed, parts.withoutUsers)
  const changes = moves.map((move, index) => ({
    index,
    request_id: String(index),
    value: { ...move.value, pipeline_id: move.item.pipeline_id, status_id: stageOf(move.item) },
  }))
  const leadIds = changes.map(({ value }) => value.id)
  const locked = await lockMatches(tx, actor, author, leadIds, matches)
  await changeLeads(tx, author, { items: changes, faults: newFaults() })
  const decided = await acceptParts(tx, author, placed, parts, locked, keepFiles)
  await finish(tx, author, 'accepted', placed, decided)
  await decideChats(tx, author, lockedChats, decided.map(bindingOf))
  return { decided: decidedItems(placed, decided), refused }
}

/**
 * Changes leads; an unsorted lead that leaves its status is accepted with its item, by the actor
 * (interface: Stage of a lead). Throws as `changeLeads`, and 403 where the actor may not add what
 * the item holds.
 */
export async function changeOrAcceptLeads(
  tx: Tx,
  actor: Actor,
  batch: Batch<Identified<LeadDraft>>,
  keepFiles: KeepFiles,
  missing: Missing = 'fault',
): Promise<ChangedRecord[]> {
  const { items, locked: lockedNames } = await lockItemsLeft(tx, actor, batch)
  if (items.length === 0) return changeLeads(tx, actor, batch, missing)
  requireRight(actor, 'leads', 'add')
  if (!items.every((item) => mayAddParts(actor, item)))
    throw forbidden('You have no right to add the contact or the company of an unsorted item')
  await resolveTags(tx, actor, 'leads', batch)
  const parts = await draftParts(tx, actor, items)
  await lockLeadStages(
    tx,
    actor,
    { ...batch, items: [...batch.items, ...stayingAs(items)] },
    'change',
  )
  const stages = await lockStages(tx, actor, items)
  const matches = await matchParts(tx, actor, items, parts)
  const moves = await movesOf(tx, actor, items, parts.withoutUsers)
  const authored = new Map(moves.map(({ value }) => [value.id, value]))
  const named = batch.items.map((item) => ({
    ...item,
    value: { ...authored.get(item.value.id), ...item.value },
  }))
  const isNamed = new Set(batch.items.map(({ value }) => value.id))
  const others = moves.filter(({ value }) => !isNamed.has(value.id))
  const rest = others.map(({ value, item: { pipeline_id } }, position) => ({
    index: batch.items.length + position,
    request_id: String(batch.items.length + position),
    value: { ...value, pipeline_id, status_id: stages.first(pipeline_id)! },
  }))
  const changes = [...named, ...rest]
  const leadIds = changes.map(({ value }) => value.id)
  const locked = await lockMatches(tx, actor, actor, leadIds, matches)
  const changed = await changeLeads(tx, actor, { ...batch, items: changes }, missing)
  const decided = await acceptParts(tx, actor, items, parts, locked, keepFiles)
  await finish(tx, actor, 'accepted', items, decided)
  await decideChats(tx, actor, lockedNames, decided.map(bindingOf))
  return changed.slice(0, batch.items.length)
}

/**
 * Declines items on behalf of a user: their leads, with the tasks of these, and drafts are removed for
 * good. Throws a 400
 * problem for an unknown user.
 */
export async function declineItems(
  tx: Tx,
  actor: Actor,
  uids: string[],
  { user_id }: Pick<AcceptanceInput, 'user_id'>,
): Promise<Decisions> {
  const author = await authorOf(tx, actor, user_id)
  const lockedChats = await lockItemChats(tx, actor, queries.withUids(actor, uids))
  const { items, refused } = await lockItems(tx, actor, uids)
  if (items.length === 0) return { decided: new Map(), refused }
  await removeLeads(tx, actor, author, items)
  const decided = items.map(({ id, lead_ids, contact_ids, company_ids }) => {
    return { id, lead_ids, contact_ids, company_ids }
  })
  await finish(tx, author, 'declined', items, decided)
  const nowhere = { contact_id: null, entity_type: null, entity_id: null, keepsContact: true }
  await decideChats(
    tx,
    author,
    lockedChats,
    decided.map(({ id }) => ({ item_id: id, ...nowhere })),
  )
  return { decided: decidedItems(items, decided), refused }
}

/** Removes the waiting leads of items for good, with their tasks. */
async function removeLeads(
  tx: Tx,
  actor: Actor,
  author: Actor,
  items: readonly ItemRow[],
): Promise<void> {
  const leads = items.flatMap(({ lead_ids }) => lead_ids)
  await tx.rows(queries.unsortedLeads(actor, leads))
  await deleteTasksOfLeads(tx, author, leads)
  const removing = removal('leads', queries.unsortedLeads(actor, leads))
  await removeRecords(tx, actor.accountId, 'leads', removing)
}

/** The chat of an accepted item belongs to its contact, and its messages go to its lead. */
const bindingOf = ({ id, lead_ids, contact_ids }: Decided): ChatDecision => ({
  item_id: id,
  contact_id: contact_ids[0] ?? null,
  entity_type: 'leads',
  entity_id: lead_ids[0]!,
  keepsContact: true,
})

/** The actor as the user on whose behalf it acts, who has to be active. */
async function authorOf(tx: Tx, actor: Actor, user_id: number | null | undefined): Promise<Actor> {
  const id = user_id || actor.userId
  const groupId = (await groupsOfActiveUsers(tx, actor, [id])).get(id)
  if (groupId !== undefined) return { ...actor, userId: id, groupId }
  const detail = `There is no active user ${id}.`
  throw invalidValue('NotSupportedChoice', 'user_id', detail)
}

/** Locks the items that wait and that the actor may decide. */
async function lockItems(tx: Tx, actor: Actor, uids: string[]) {
  const rows = await tx.rows<LockedItem>(queries.lockItems(actor, [...new Set(uids)]))
  const there = new Map(rows.map((row) => [row.uid, row]))
  const refused = new Map<string, Undecided>()
  for (const uid of uids) {
    const item = there.get(uid)
    if (!item) refused.set(uid, 'unknown')
    else if (!item.allowed) refused.set(uid, 'rights')
  }
  return { items: rows.filter(({ allowed }) => allowed), refused }
}

/** Locks the items of the leads that a change moves out of their unsorted status, and their chats. */
async function lockItemsLeft(
  tx: Tx,
  actor: Actor,
  { items }: Batch<Identified<LeadDraft>>,
): Promise<{ items: LockedItem[]; locked: ChatOfItem[] }> {
  const moved = items.flatMap(({ value: { id, status_id, pipeline_id } }) =>
    status_id !== undefined || pipeline_id !== undefined ? id : [],
  )
  const named =
    moved.length > 0 ? await tx.rows<{ id: number }>(queries.itemsOfLeads(actor, moved)) : []
  if (named.length === 0) return { items: [], locked: [] }
  const ids = named.map(({ id }) => id)
  const lockedChats = await lockItemChats(tx, actor, queries.withIds(ids))
  const rows = await tx.rows<LockedItem>(queries.lockItemsById(actor, ids))
  const left = rows.filter(({ lead_ids, pipeline_id, status_id }) =>
    items.some(
      ({ value }) =>
        lead_ids.includes(value.id) &&
        ((value.status_id ?? status_id) !== status_id ||
          (value.pipeline_id ?? pipeline_id) !== pipeline_id),
    ),
  )
  return { items: left, locked: lockedChats }
}

const stayingAs = (items: ItemRow[]): Item<LeadDraft>[] =>
  items.map(({ pipeline_id }, index) => ({ index, request_id: '', value: { pipeline_id } }))

/** Locks the pipelines of items, and reads their stages. */
async function lockStages(tx: Tx, actor: Actor, items: ItemRow[]): Promise<Stages> {
  const targets = items.map(({ pipeline_id }) => ({ pipeline_id }))
  await lockTargetPipelines(tx, actor, targets, 'change')
  return stagesAround(
    tx,
    actor,
    targets.map(({ pipeline_id }) => pipeline_id),
    [],
  )
}

/** A lead of an accepted item, and the changes that name its people. */
interface Move {
  item: ItemRow
  value: Identified<LeadDraft>
}

/**
 * The leads of items, with their author. A lead whose request named no user, or one who is no longer
 * active, is the author's, unless somebody has given it to another user meanwhile.
 */
async function movesOf(
  tx: Tx,
  author: Actor,
  items: ItemRow[],
  withoutUsers: ReadonlySet<LeadDraft>,
): Promise<Move[]> {
  const ids = items.flatMap(({ lead_ids }) => lead_ids)
  const rows = await tx.rows<{ id: number; responsible_user_id: number }>(
    queries.leadsOfItems(author, ids),
  )
  const responsible = new Map(rows.map((row) => [row.id, row.responsible_user_id]))
  return items.flatMap((item) =>
    item.lead_ids.map((id, position) => {
      const draft: LeadDraft = item.data.leads[position] ?? {}
      const usual = draft.responsible_user_id || item.created_by
      const isOpen = !draft.responsible_user_id || withoutUsers.has(draft)
      const isAuthors = isOpen && responsible.get(id) === usual
      return {
        item,
        value: {
          id,
          ...(draft.created_by === undefined && { created_by: author.userId }),
          ...(isAuthors && { responsible_user_id: author.userId }),
        },
      }
    }),
  )
}

/** Writes the decisions and their news, which hold for the last time the contents of the items. */
async function finish(
  tx: Tx,
  author: Actor,
  result: 'accepted' | 'declined',
  items: ItemRow[],
  decided: Decided[],
): Promise<void> {
  const writer = startWriting(tx, author)
  await tx.rows(queries.decideItems(writer, result, decided))
  await record(
    tx,
    writer,
    items.map(({ id, metadata, data }) => ({
      type: 'unsorted_items',
      id,
      actions: ['delete'],
      before: { metadata, data },
      events: [],
    })),
  )
}

function decidedItems(items: ItemRow[], decided: Decided[]): Map<string, DecidedItem> {
  const byId = new Map(decided.map((each) => [each.id, each]))
  return new Map(
    items.map(({ id, uid, category, pipeline_id, created_at }) => {
      const { id: _, ...ids } = byId.get(id)!
      return [uid, { uid, category, pipeline_id, created_at, ...ids }]
    }),
  )
}

/** A record that takes the chat of an item. */
export interface LinkInput extends Pick<AcceptanceInput, 'user_id'> {
  link: {
    entity_id: number
    entity_type: 'leads' | 'customers'
    metadata?: { contact_id?: number | null | undefined } | null | undefined
  }
}

/**
 * Gives the chat of an item to a stored record, on behalf of a user. The chat belongs to the contact
 * that is named, else to the main one of the record, else to a new one. The waiting lead goes. Throws
 * 404 for an item that does not wait, 403 without a right, 400 for a call, a form or another record.
 */
export async function linkItem(
  tx: Tx,
  actor: Actor,
  uid: string,
  { user_id, link: { entity_id, entity_type, metadata } }: LinkInput,
  keepFiles: KeepFiles,
): Promise<void> {
  const author = await authorOf(tx, actor, user_id)
  const lockedChats = await lockItemChats(tx, actor, queries.withUids(actor, [uid]))
  const item = onlyItem(uid, await lockItems(tx, actor, [uid]))
  const parts = await draftParts(tx, author, [item])
  await lockTarget(tx, actor, item, { type: entity_type, id: entity_id })
  const main = await tx.row<{ id: number }>(queries.mainContact(actor, entity_type, entity_id))
  const chosen = metadata?.contact_id ?? main?.id
  const matches =
    chosen === undefined
      ? await matchParts(tx, actor, [item], parts)
      : new Map(item.contact_ids.map((id) => [id, chosen]))
  const alone = { ...item, lead_ids: [] }
  const locked = await lockMatches(tx, actor, author, [], matches)
  await removeLeads(tx, actor, author, [item])
  const [decided] = await acceptParts(tx, author, [alone], parts, locked, keepFiles)
  const [contact] = decided!.contact_ids
  if (metadata?.contact_id && contact !== metadata.contact_id)
    throw refusedLink('link.metadata.contact_id', `There is no contact ${metadata.contact_id}.`)
  if (contact !== main?.id) {
    const draft = { entity_id, to_entity_id: contact!, to_entity_type: 'contacts' as const }
    const items = [{ index: 0, request_id: '0', value: draft }]
    await linkRecords(tx, author, entity_type, { items, faults: newFaults() }, 'notFound')
  }
  const lead_ids = entity_type === 'leads' ? [entity_id] : []
  const linked = { ...decided!, id: item.id, lead_ids, contact_ids: [contact!] }
  await finish(tx, author, 'accepted', [item], [linked])
  await decideChats(tx, author, lockedChats, [
    { item_id: item.id, contact_id: contact!, entity_type, entity_id, keepsContact: false },
  ])
}

const refusedLink = (path: string, detail: string) =>
  invalidValue('NotSupportedChoice', path, detail)

/** The locked item of a chat. */
function onlyItem(
  uid: string,
  { items, refused }: { items: LockedItem[]; refused: ReadonlyMap<string, Undecided> },
): LockedItem {
  if (refused.get(uid) === 'unknown') throw notFound()
  if (refused.get(uid) === 'rights')
    throw forbidden('You have no right to decide this unsorted item')
  const [item] = items
  if (item!.category === 'chats') return item!
  throw badRequest('Only an unsorted chat is linked with a record; calls and forms are accepted')
}

/** Locks the record that takes a chat, and the waiting lead of the chat. */
async function lockTarget(
  tx: Tx,
  actor: Actor,
  { lead_ids }: ItemRow,
  { type, id }: { type: 'leads' | 'customers'; id: number },
): Promise<void> {
  const inLeads = [...lead_ids, ...(type === 'leads' ? [id] : [])]
  const locked = await lockRecords<LeadRow>(tx, actor, leads, inLeads, 'edit')
  const isThere =
    type === 'leads'
      ? locked.has(id) && locked.get(id)!.unsorted_id === null
      : (await lockRecords(tx, actor, customers, [id], 'edit')).has(id)
  if (!isThere) throw refusedLink('link.entity_id', `There is no such record ${id}.`)
}

/** A row of the counts of items: those that wait by category, the others by result. */
export interface SummaryRow {
  result: 'accepted' | 'declined' | null
  category: ItemCategory | null
  items: number
  seconds: number
}

/** The counts as answers show them (interface: Unsorted summary); times are in seconds. */
export function summaryOf(rows: readonly SummaryRow[]) {
  const waiting = (category: ItemCategory) =>
    rows.find((row) => row.result === null && row.category === category)?.items ?? 0
  const decided = (result: 'accepted' | 'declined') =>
    rows.find((row) => row.result === result)?.items ?? 0
  const [accepted, declined] = [decided('accepted'), decided('declined')]
  const seconds = rows.reduce((sum, row) => sum + row.seconds, 0)
  return {
    total: categories.reduce((sum, category) => sum + waiting(category), 0),
    accepted,
    declined,
    average_sort_time: Math.round(seconds / Math.max(accepted + declined, 1)),
    categories: Object.fromEntries(
      categories.map((category) => [category, { total: waiting(category) }]),
    ),
  }
}

/**
 * The address of the recording of a call that waits, null without one. Throws 404 without such a call,
 * and 403 where the actor may not view it.
 */
export async function readRecordingOfItem(
  reader: Reader,
  actor: Actor,
  uid: string,
): Promise<Recording> {
  requireOpenStatus(actor, 'view')
  const call = await reader.row<Recording & { allowed: boolean }>(
    queries.recordingOfItem(actor, uid),
  )
  if (!call) throw notFound()
  if (!call.allowed) throw forbidden('You have no right to view this record')
  return call
}

/** The address of a recording; null where the call has none. */
interface Recording {
  link: string | null
  role: AddressAuthor['role']
}
