// Merges two contacts or two companies into one, in one transaction, and takes that back within a day
// (docs/decisions/0078-merges.md). The rows of others are moved by the features that own them, which
// answer the ids of what they moved; `merges` keeps these for an undo. All records are locked first, in
// the order of all verbs: chats, linked records type by type, the two, elements that name one, tasks.
import sql from 'sql-template-tag'
import { startWriting, timeOfChange } from '../../../access/actor.ts'
import type { Actor, Writer } from '../../../access/actor.ts'
import { requireRight } from '../../../access/record-rights.ts'
import { record } from '../../../changes/record.ts'
import type { Entry, NewEvent } from '../../../changes/record.ts'
import type { Database, Reader, Tx } from '../../../database/connect.ts'
import { together } from '../../../database/together.ts'
import { singular } from '../../../entity-types.ts'
import { forbidden, invalidValue, notFound, Problem, unavailable } from '../../../http/problem.ts'
import { keysOfPhone } from '../../activity/calls/calls.ts'
import {
  chatsOfContact,
  lockChatsOfContact,
  lockKeptChats,
  moveChatsBack,
  moveChatsOfContact,
} from '../../conversations/chats/chats.ts'
import { companies } from '../../records/companies/companies.ts'
import { contacts } from '../../records/contacts/contacts.ts'
import {
  lockNamingElements,
  lockRepointed,
  repointBack,
  repointElements,
} from '../../records/elements/elements.ts'
import { lockKept, lockMerged, moveLinks, moveLinksBack } from '../../records/links/links.ts'
import type { MergedPair } from '../../records/links/links.ts'
import { moveNotes } from '../../activity/notes/notes.ts'
import { lockTasksToMove, moveTasks } from '../../activity/tasks/tasks.ts'
import { fieldsOf, keepChoices } from '../../../records/fields/definitions.ts'
import type { Fields } from '../../../records/fields/definitions.ts'
import type { RecordDescription } from '../../../records/description.ts'
import type { KeptValues } from '../../../records/fields/values.ts'
import { keepTags, tagsWithIds } from '../../../records/tags.ts'
import type { Tag } from '../../../records/tags.ts'
import { changedEntry, lockRecords, updateRecords } from '../../../records/writing/change.ts'
import { moveRows } from '../../../records/writing/statements.ts'
import * as queries from './queries.ts'
import type { MergeRow, SharedKey } from './queries.ts'
import { mostDuplicates } from './schema.ts'
import type {
  Duplicate,
  DuplicateCounts,
  Duplicates,
  Merge,
  MergedType,
  MergesQuery,
  NewMerge,
  OpenMerge,
  Preview,
  PreviewQuery,
  UndoRefusal,
} from './schema.ts'
import { decidedOf, mergedRow, undoneRow } from './values.ts'
import type { MergedRow } from './values.ts'

const descriptions: Record<MergedType, RecordDescription> = { contacts, companies }

/** Seconds in which a merge can be undone. The bin keeps a record as long, unless an administrator purges it. */
const undoSeconds = 86_400
/** How often a merge locks anew, because links or chats have come to the record meanwhile. */
const mostAttempts = 10
/** The most phones and e-mails of a record by which duplicates are looked for. */
const mostKeys = 100
/** As many where duplicates are only counted, for many records at once. */
const mostCountedKeys = 8

/**
 * The records that share a phone or an e-mail with one: numbers are compared by their last ten digits, as
 * those of calls are, and e-mails without regard to case. Throws 404 for an unknown record, and 403 for one
 * that the actor may not view.
 */
export async function findDuplicatesOf(
  reader: Reader,
  actor: Actor,
  type: MergedType,
  id: number,
): Promise<Duplicates> {
  requireRight(actor, type, 'view')
  const own = await reader.row<{ custom_fields_values: KeptValues; viewed: boolean }>(
    queries.oneForDuplicates(actor, type, id),
  )
  if (!own) throw notFound()
  if (!own.viewed) throw forbidden(`You have no right to view ${singular[type]} ${id}`)
  const fields = await fieldsOf(reader, actor.accountId, type)
  const keys = keysForDuplicates(fields, own.custom_fields_values)
  if (keys.length === 0) return { duplicates: [], is_more: false }
  const found = await reader.rows<Duplicate>(
    queries.duplicatesOf(actor, type, id, keys, mostDuplicates + 1),
  )
  return { duplicates: found.slice(0, mostDuplicates), is_more: found.length > mostDuplicates }
}

/**
 * How many records share a phone or an e-mail with each of several, up to a bound: only those that the actor may view
 * count. Records without duplicates are left out, and so are those that the actor may not view.
 */
export async function countDuplicates(
  reader: Reader,
  actor: Actor,
  type: MergedType,
  ids: number[],
): Promise<DuplicateCounts['records']> {
  requireRight(actor, type, 'view')
  const records = await reader.rows<{ id: number; custom_fields_values: KeptValues }>(
    queries.manyForDuplicates(actor, type, ids),
  )
  const fields = await fieldsOf(reader, actor.accountId, type)
  const keys = records
    .flatMap(({ id, custom_fields_values: values }) =>
      keysForDuplicates(fields, values)
        .slice(0, mostCountedKeys)
        .map((key) => ({ ...key, record_id: id })),
    )
    .map((key, place) => ({ ...key, place }))
  if (keys.length === 0) return []
  const counts = await reader.rows<{ id: number; count: number }>(
    queries.duplicateCounts(actor, type, keys),
  )
  return counts.map(({ id, count }) => ({
    id,
    count: Math.min(count, mostDuplicates),
    is_more: count > mostDuplicates,
  }))
}

function keysForDuplicates(fields: Fields, values: KeptValues): SharedKey[] {
  const codes = ['PHONE', 'EMAIL'] as const
  const keys = codes.flatMap((code) => {
    const field = fields.byCode.get(code)
    if (field?.type !== 'multitext') return []
    return (values?.[field.id] ?? []).flatMap((kept) => {
      const [value] = kept as [string, number]
      const own = code === 'PHONE' ? keysOfPhone(value) : value.trim() === '' ? [] : [value]
      return own.map((key) => ({ field_id: field.id, code, key, value }))
    })
  })
  const once = new Map(keys.map((each) => [`${each.code} ${each.key.toLowerCase()}`, each]))
  return [...once.values()].slice(0, mostKeys).map((each, index) => ({ ...each, place: index }))
}

/** The counts of what a merge would move. Throws 404 and 403 as `findDuplicatesOf`, for either record. */
export async function previewMerge(
  reader: Reader,
  actor: Actor,
  { entity_type: type, into, from }: PreviewQuery,
): Promise<Preview> {
  requireRight(actor, type, 'view')
  const rows = await reader.rows<{
    id: number
    viewed: boolean
    edited: boolean
    deletable: boolean
  }>(queries.twoForPreview(actor, type, [into, from]))
  const byId = new Map(rows.map((row) => [row.id, row]))
  for (const id of [into, from]) {
    const row = byId.get(id)
    if (!row) throw notFound(`There is no ${singular[type]} ${id}.`)
    if (!row.viewed) throw forbidden(`You have no right to view ${singular[type]} ${id}`)
  }
  const moves = await reader.row<Preview['moves']>(queries.countsOf(actor, type, from))
  const may_merge = rows.every(({ edited }) => edited) && byId.get(from)!.deletable
  return { may_merge: may_merge && into !== from, moves: moves! }
}

/** The merges of a record that the actor may undo, the latest first. */
export async function listOpenMerges(
  reader: Reader,
  actor: Actor,
  { entity_type, entity_id }: MergesQuery,
): Promise<OpenMerge[]> {
  requireRight(actor, entity_type, 'view')
  return reader.rows<OpenMerge>(queries.openMerges(actor, entity_type, entity_id))
}

/**
 * Merges `from` into `into`: the survivor gets the picked values and all that the other has, which goes to
 * the bin. Throws 404 where one is not there, 403 where the actor may not edit both or not delete the
 * other, 400 for picks that cannot be, and 422 for a record with too many links.
 */
export async function mergeRecords(
  tx: Tx,
  actor: Actor,
  { entity_type: type, into, from, picks = {} }: NewMerge,
): Promise<Merge> {
  for (const action of ['view', 'edit', 'delete'] as const) requireRight(actor, type, action)
  if (into === from)
    throw invalidValue('NotSupportedChoice', 'from', 'A record is not merged with itself.')
  const pair = { type, into, from }
  await tx.rows(keepTags(actor.accountId, type))
  const chatIds = await lockAll(tx, actor, pair)
  const [winner, loser] = await lockPair(tx, actor, pair)
  const [, fields, tags] = await together([
    tx.rows(keepChoices(actor.accountId, type)),
    fieldsOf(tx, actor.accountId, type),
    namesOfTags(tx, actor, type, [...winner.tag_ids, ...loser.tag_ids]),
  ])
  const before = { ...winner, tag_ids: winner.tag_ids.filter(tags.has) }
  const naming = await lockNamingElements(tx, actor, from)
  const moving = await lockTasksToMove(tx, actor, type, from)
  // What says no time of its own goes first: there may be much of it.
  const notes = await moveNotes(tx, actor, type, pair)
  const tasks = await moveTasks(tx, actor, type, pair, moving)

  const writer = startWriting(tx, actor)
  const after = stamped(writer, mergedRow(fields, tags.has, before, loser, picks))
  const links = await moveLinks(tx, writer, pair, picks.company)
  const chats = await moveChatsOfContact(tx, writer, pair, chatIds)
  await updateRecords(tx, writer, descriptions[type], fields, [{ before, after }])
  await tx.rows(moveRows(type, writer, [from], true))
  const named = await repointElements(tx, writer, naming, { type, from: loser, into: after })
  const survived = changedEntry(
    type,
    { before, after },
    { fields, tags },
    {
      actions: notes.length > 0 ? ['update_note'] : [],
      events: [plainEvent('entity_merged')],
    },
  )
  await record(tx, writer, [
    { ...survived, events: [...survived.events, ...links.events.into] },
    movedEntry(type, loser, 'delete', links.events.from),
    ...links.entries,
    ...named.entries,
    ...tasks.entries,
    ...chats.entries,
  ])
  const kept = {
    entity_type: type,
    into_id: into,
    from_id: from,
    before: decidedOf(before),
    after: decidedOf(after),
    links: links.links,
    elements: links.elements,
    element_values: named.values,
    notes,
    tasks: tasks.ids,
    ...chats.moved,
    created_by: writer.userId,
    created_at: writer.at,
    undo_until: writer.at + undoSeconds,
  }
  const { id } = (await tx.row<{ id: number }>(queries.insertMerge(writer, kept)))!
  return { id, into, from, undo_until: kept.undo_until }
}

/**
 * Takes a merge back: the other record comes out of the bin with all that it had, and the survivor keeps
 * what it got since. Throws 404 for an unknown merge, 403 as `mergeRecords`, and 409 with a code where the
 * two cannot be taken apart any more.
 */
export async function undoMerge(tx: Tx, actor: Actor, id: number): Promise<Merge> {
  const merge = await tx.row<MergeRow>(queries.oneMerge(actor, id))
  if (!merge) throw notFound()
  const { entity_type: type, into_id: into, from_id: from } = merge
  for (const action of ['view', 'edit', 'delete'] as const) requireRight(actor, type, action)
  const pair = { type, into, from }
  await tx.rows(keepTags(actor.accountId, type))
  if (type === 'contacts') await lockKeptChats(tx, actor, merge)
  const locked = await lockKept(tx, actor, pair, merge.links)
  const [present, gone] = await lockTorn(tx, actor, pair, merge)
  const [, fields, tags] = await together([
    tx.rows(keepChoices(actor.accountId, type)),
    fieldsOf(tx, actor.accountId, type),
    namesOfTags(tx, actor, type, present.tag_ids),
  ])
  const before = { ...present, tag_ids: present.tag_ids.filter(tags.has) }
  const undone = undoneRow(fields, before, merge.before, merge.after)
  const grouped = await ofPresentGroup(tx, actor, before, undone)
  const naming = await lockRepointed(tx, actor, merge.element_values)
  const moving = await lockTasksToMove(tx, actor, type, into, merge.tasks)
  const back = { from: into, into: from }
  const notes = await moveNotes(tx, actor, type, back, merge.notes)
  const tasks = await moveTasks(tx, actor, type, back, moving)

  const writer = startWriting(tx, actor)
  const after = stamped(writer, grouped)
  const links = await moveLinksBack(tx, writer, pair, locked, merge, noRoom)
  const chats = await moveChatsBack(tx, writer, pair, merge, merge.created_at)
  await updateRecords(tx, writer, descriptions[type], fields, [{ before, after }])
  await tx.rows(moveRows(type, writer, [from], false))
  const named = await repointBack(tx, writer, naming, merge.element_values)
  const survived = changedEntry(
    type,
    { before, after },
    { fields, tags },
    {
      actions: notes.length > 0 ? ['update_note'] : [],
      events: [],
    },
  )
  await record(tx, writer, [
    movedEntry(type, gone, 'restore', links.events.from),
    { ...survived, events: [...survived.events, ...links.events.into] },
    ...links.entries,
    ...named,
    ...tasks.entries,
    ...chats,
  ])
  await tx.rows(queries.markUndone(writer, id))
  return { id, into, from, undo_until: merge.undo_until }
}

/**
 * Locks the chats of the record that is merged away, then the linked records, then the two. What came to
 * it between the first look and the locks makes it release them and begin anew. Answers the chats.
 */
async function lockAll(tx: Tx, actor: Actor, pair: MergedPair): Promise<number[]> {
  const isContact = pair.type === 'contacts'
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    await tx.rows(sql`savepoint merge`)
    const chats = isContact ? await lockChatsOfContact(tx, actor, pair.from) : []
    const hasLinks = await lockMerged(tx, actor, pair)
    const now = isContact ? await chatsOfContact(tx, actor, pair.from) : []
    const isLocked = hasLinks && now.every((id) => chats.includes(id))
    await tx.rows(isLocked ? sql`release savepoint merge` : sql`rollback to savepoint merge`)
    if (isLocked) return chats
  }
  throw unavailable('Links come to this record all the time, try again')
}

/** The two locked records. Throws 404 where one is not there, and 403 without the rights. */
async function lockPair(
  tx: Tx,
  actor: Actor,
  { type, into, from }: MergedPair & { type: MergedType },
): Promise<[winner: MergedRow, loser: MergedRow]> {
  const rows = await lockRecords<MergedRow>(tx, actor, descriptions[type], [into, from], 'view')
  for (const id of [into, from])
    if (!rows.has(id)) throw notFound(`There is no ${singular[type]} ${id}.`)
  await lockRecords(tx, actor, descriptions[type], [into, from], 'edit')
  await lockRecords(tx, actor, descriptions[type], [from], 'delete')
  return [rows.get(into)!, rows.get(from)!]
}

/**
 * The two locked records of a merge: the survivor, and the other in the bin. Throws 409 where the merge
 * cannot be undone, or not any more.
 */
async function lockTorn(
  tx: Tx,
  actor: Actor,
  { type, into, from }: MergedPair & { type: MergedType },
  { id }: MergeRow,
): Promise<[present: MergedRow, gone: MergedRow]> {
  const description = descriptions[type]
  const present = await lockRecords<MergedRow>(tx, actor, description, [into], 'edit')
  const gone = await lockRecords<MergedRow>(tx, actor, description, [from], 'edit', true)
  await lockRecords(tx, actor, description, [into], 'view')
  await lockRecords(tx, actor, description, [from], 'delete', true)
  // Another undo may have come first: the locks of the records are those of the merge.
  const merge = (await tx.row<MergeRow>(queries.oneMerge(actor, id)))!
  if (merge.undone_at !== null) throw refused('AlreadyUndone', 'This merge is undone already')
  if (merge.undo_until < actor.at) throw refused('Expired', 'A merge can be undone within 24 hours')
  if (!present.has(into))
    throw refused('SurvivorGone', `The ${singular[type]} ${into} has been deleted or merged since`)
  if (!gone.has(from))
    throw refused('RecordGone', `The ${singular[type]} ${from} is no longer in the bin`)
  if (await tx.row(queries.laterMerge(actor, merge)))
    throw refused(
      'LaterMerge',
      'Another record has been merged into this one since: undo that first',
    )
  return [present.get(into)!, gone.get(from)!]
}

/** 409 with the reason as a code, which the web application says in the user's language. */
const refused = (code: UndoRefusal, detail: string) => new Problem(409, detail, { extra: { code } })
const noRoom = () => refused('NoRoom', 'A lead or a customer has no room for the contact any more')

/** A row after the change, with its time and author. */
const stamped = (writer: Writer, row: MergedRow): MergedRow => ({
  ...row,
  updated_at: timeOfChange(writer, row.created_at),
  updated_by: writer.userId,
})

/** A user who is responsible again may have moved to another group since. */
async function ofPresentGroup(
  tx: Tx,
  actor: Actor,
  before: MergedRow,
  after: MergedRow,
): Promise<MergedRow> {
  const { responsible_user_id } = after
  if (responsible_user_id === before.responsible_user_id) return after
  const user = await tx.row<{ group_id: number }>(queries.groupOfUser(actor, responsible_user_id))
  return { ...after, group_id: user?.group_id ?? 0 }
}

async function namesOfTags(tx: Tx, actor: Actor, type: MergedType, ids: number[]) {
  const tags = ids.length > 0 ? await tx.rows<Tag>(tagsWithIds(actor, type, ids)) : []
  const names = new Map(tags.map((tag) => [tag.id, tag.name]))
  return { has: (id: number) => names.has(id), name: (id: number) => names.get(id) ?? '' }
}

/** The journal entry of the record that goes into the bin or comes out of it. */
function movedEntry(
  type: MergedType,
  { id, updated_at, updated_by }: MergedRow,
  action: 'delete' | 'restore',
  events: NewEvent[],
): Entry {
  const moved = plainEvent(`${singular[type]}_${action === 'delete' ? 'deleted' : 'restored'}`)
  const before = { is_deleted: action === 'restore', updated_at, updated_by }
  return { type, id, actions: [action], before, events: [moved, ...events] }
}

const plainEvent = (type: string): NewEvent => ({ type, value_before: [], value_after: [] })

/** Days that merges stay, with what an undo would have needed. */
const keptDays = 30

export async function dropOldMerges(database: Database, now: number): Promise<void> {
  await database.transaction((tx) => tx.rows(queries.dropMerges(now - keptDays * 86_400)))
}
