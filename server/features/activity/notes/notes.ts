// Notes on records. Every verb locks the records of its notes in the order of ids, as verbs on
// records do; notes need no locks of their own. A lighter lock (`for key share`) would also keep a
// purge away, but a note and a change of its record could then be recorded in the wrong order, and
// a note could be added to a record that is just moving into the bin.
import type { Sql } from 'sql-template-tag'
import type { JournalAction } from '../../../changes/entity.ts'
import { record } from '../../../changes/record.ts'
import type { Entry, NewEvent } from '../../../changes/record.ts'
import type { Reader, Tx } from '../../../database/connect.ts'
import { together } from '../../../database/together.ts'
import type { RecordType } from '../../../records/description.ts'
import { groupsOfNamed } from '../../../records/people.ts'
import type { Missing } from '../../../records/writing/change.ts'
import { requireRight } from '../../../access/record-rights.ts'
import { startWriting } from '../../../access/actor.ts'
import type { Actor, Writer } from '../../../access/actor.ts'
import type { Batch, Item } from '../../../http/batch.ts'
import type { Action } from '../../../access/rights.ts'
import { badRequest, faultAt, forbidden, notFound } from '../../../http/problem.ts'
import { singular } from '../../../entity-types.ts'
import { attachmentOf, filesByIds, releaseFiles } from '../files/files.ts'
import type { FileRow } from '../files/files.ts'
import type { Kontor } from '../../../kontor.ts'
import { recordMentions } from '../mentions/mentions.ts'
import type { MentioningText } from '../mentions/mentions.ts'
import { changeNote, draftNote } from './drafts.ts'
import type { NoteContext } from './drafts.ts'
import { fileParamOf, isWebAddress } from './kept-files.ts'
import type { KeepFiles } from './kept-files.ts'
import type { ReadParams } from './params.ts'
import {
  fileOfNote,
  insertNotes,
  lockParents,
  lockParentsOf,
  moveNotesBetween,
  notesAbout,
  notesOfRecords,
  oneParent,
  removeNote,
  updateNotes,
} from './queries.ts'
import type { FeedNoteRow, NewNoteRow, NoteRow, Parent } from './queries.ts'
import type { NewNote, NoteChange, NoteFile } from './schema.ts'
import { noteText } from './show.ts'
import { isNoteType, noteTypeFacts } from './types.ts'
import type { NoteType } from './types.ts'
import type { AddressAuthor } from '../../../outgoing/door.ts'

export { isWebAddress, keepingFiles } from './kept-files.ts'
export type { KeepFiles } from './kept-files.ts'
export type { NewNoteRow } from './queries.ts'
export type { NoteType } from './types.ts'
export { prepareNotes } from './webhook.ts'

/**
 * The notes of a request: those of the records of one type, or of the record that the path names.
 */
export interface NoteScope {
  type: RecordType
  entityId?: number | undefined
}

/** The parts of verbs of notes that depend on the configuration. */
export interface NoteMeans {
  readParams: ReadParams
  keepFiles: KeepFiles
}

export interface AddedNote {
  id: number
  entity_id: number
  request_id: string
}

export interface ChangedNote extends AddedNote {
  updated_at: number
}

/**
 * Throws 404 where the record does not exist, and 403 where the actor has no right to the action.
 */
export async function checkParent(
  reader: Reader,
  actor: Actor,
  { type, entityId }: NoteScope,
  action: Action,
): Promise<void> {
  requireRight(actor, type, action)
  if (entityId === undefined) return
  const parent = await reader.row<{ allowed: boolean }>(oneParent(actor, type, entityId, action))
  if (!parent) throw notFound()
  if (!parent.allowed) throw denied(action, type, entityId)
}

/**
 * Adds notes; answers in request order. An unknown record is a fault of its item, or a 404 problem
 * where the path names it. Throws 403 for a record that the actor may not edit.
 */
export async function createNotes(
  tx: Tx,
  actor: Actor,
  { type, entityId }: NoteScope,
  { items, faults }: Batch<NewNote>,
  { readParams, keepFiles }: NoteMeans,
): Promise<AddedNote[]> {
  requireRight(actor, type, 'edit')
  const targets = items.map(({ value }) => entityId ?? (value.entity_id as number))
  const [parents, groups] = await together([
    lockNoteParents(tx, actor, type, entityId ? [entityId] : targets),
    groupsOfNamed(tx, actor, items),
  ])
  requireEdit(parents)
  if (entityId !== undefined && !parents.has(entityId)) throw notFound()
  const context = { readParams, faults, groups }
  const writer = startWriting(tx, actor)
  const rows = items.flatMap((item, index) => {
    const parent = parents.get(targets[index]!)
    if (!parent) faults.add(item, noSuchRecord(type, targets[index]!))
    return draftNote(writer, context, item, parent) ?? []
  })
  faults.throwIfAny()
  const ids = await addNotes(tx, writer, await withFiles(tx, writer, rows, keepFiles))
  await recordMentions(
    tx,
    writer,
    rows.flatMap((row, index) => mentioningText(row.entity_type, { ...row, id: ids[index]! })),
  )
  return items.map(({ request_id }, index) => ({
    id: ids[index]!,
    entity_id: targets[index]!,
    request_id,
  }))
}

/** A locked record, and whether the actor may edit it. */
export type LockedParent = Parent & { allowed: boolean }

/** Locks the records that notes are added to, those of one type; answers those that exist. */
export function lockNoteParents(
  tx: Tx,
  actor: Actor,
  type: RecordType,
  ids: number[],
): Promise<Map<number, LockedParent>> {
  return lock(tx, lockParents(actor, type, [...new Set(ids)]))
}

/** The row of the note of a call, none where it has no record. Its params were read with the call. */
export function draftCallNote(
  writer: Writer,
  context: Omit<NoteContext, 'readParams'>,
  item: Item<NewNote>,
  parent: Parent | undefined,
): NewNoteRow | undefined {
  const readParams: ReadParams = (_type, value) => ({ value, faults: [] })
  return draftNote(writer, { ...context, readParams }, item, parent)
}

/** New notes with the files that they name. */
export async function withFiles(
  tx: Tx,
  actor: Actor,
  rows: NewNoteRow[],
  keepFiles: KeepFiles,
): Promise<NewNoteRow[]> {
  const files = await keepFiles(tx, actor, rows)
  return rows.map((row, index) => ({ ...row, file_id: files[index]! }))
}

/** Writes and records notes on locked records; answers their ids in the order of the rows. */
export async function addNotes(tx: Tx, writer: Writer, rows: NewNoteRow[]): Promise<number[]> {
  const ids = (await tx.rows<{ id: number }>(insertNotes(writer, rows))).map(({ id }) => id)
  await record(
    tx,
    writer,
    rows.map((row, index) => addedNoteEntry(ids[index]!, row)),
  )
  return ids
}

/**
 * Changes notes; answers in request order. Two items for one note apply one after the other. An
 * unknown note, or one of another record than the path names, is a fault of its item, or a 404
 * problem.
 */
export async function changeNotes(
  tx: Tx,
  actor: Actor,
  scope: NoteScope,
  { items, faults }: Batch<NoteChange>,
  { readParams, keepFiles }: NoteMeans,
  missing: Missing = 'fault',
): Promise<ChangedNote[]> {
  const ids = [...new Set(items.map(({ value }) => value.id))]
  const [before, groups] = await together([
    lockNotes(tx, actor, scope, ids),
    groupsOfNamed(tx, actor, items),
  ])
  const context = { readParams, faults, groups }
  const writer = startWriting(tx, actor)
  const after = new Map(before)
  for (const item of items) {
    const row = after.get(item.value.id)
    if (row) after.set(row.id, changeNote(writer, context, item, row))
    else if (missing === 'notFound') throw notFound()
    else
      faults.add(item, {
        code: 'EntityNotFound',
        path: 'id',
        detail: `There is no note ${item.value.id}.`,
      })
  }
  faults.throwIfAny()
  const changed = [...after.values()].filter((row) => row !== before.get(row.id))
  await write(tx, writer, scope.type, await withNewFiles(tx, writer, before, changed, keepFiles))
  await recordMentions(
    tx,
    writer,
    changed.flatMap((row) => mentioningText(scope.type, row, before.get(row.id))),
  )
  return items.map(({ value: { id }, request_id }) => {
    const { entity_id, updated_at } = after.get(id)!
    return { id, entity_id, updated_at, request_id }
  })
}

/** The text of a note in which users may be mentioned; none of a note of another type. */
function mentioningText(
  entity_type: RecordType,
  { id, entity_id, note_type, params, created_by }: MentioningRow,
  before?: MentioningRow,
): MentioningText[] {
  if (note_type !== 'common') return []
  const text = params['text'] as string
  const former = before?.params['text'] as string | undefined
  return [{ of: 'note', id, entity_type, entity_id, text, before: former, created_by }]
}

type MentioningRow = Pick<NoteRow, 'id' | 'entity_id' | 'note_type' | 'params' | 'created_by'>

/**
 * Pins a note to the top of its record, or unpins it; that does not change the note itself. Throws
 * 404 for an unknown note.
 */
export async function pinNote(
  tx: Tx,
  actor: Actor,
  type: RecordType,
  id: number,
  isPinned: boolean,
): Promise<void> {
  const row = (await lockNotes(tx, actor, { type }, [id])).get(id)
  if (!row) throw notFound()
  const writer = startWriting(tx, actor)
  await write(tx, writer, type, row.is_pinned === isPinned ? [] : [{ ...row, is_pinned: isPinned }])
}

/**
 * Deletes a note, pinned or not. Throws 404 for an unknown note, or one of another record than the
 * path names, and 400 for a note of a type that only the system writes.
 */
export async function deleteNote(
  tx: Tx,
  actor: Actor,
  scope: NoteScope,
  id: number,
): Promise<void> {
  const row = (await lockNotes(tx, actor, scope, [id])).get(id)
  if (!row) throw notFound()
  if (!isNoteType(row.note_type))
    throw badRequest(`A note of type ${row.note_type} belongs to the system and cannot be deleted`)
  const writer = startWriting(tx, actor)
  await tx.rows(removeNote(writer, id))
  if (row.file_id !== null) await releaseFiles(tx, writer, [row.file_id])
  // The event log has one type for all notes, with the note on the side of `value_after`
  // (interface: Values of events).
  const value_after = [{ note: { id } }]
  await record(tx, writer, [
    noteEntry(scope.type, 'update_note', id, row.entity_id, [
      { type: 'common_note_deleted', value_before: [], value_after },
    ]),
  ])
}

/**
 * Moves notes of one locked record to another of its type; answers their ids. `only` names some of
 * them. Their files, authors and times stay. The record of the news is the caller's.
 */
export async function moveNotes(
  tx: Tx,
  actor: Actor,
  type: RecordType,
  { from, into }: { from: number; into: number },
  only?: number[],
): Promise<number[]> {
  const moved = await tx.rows<{ id: number }>(moveNotesBetween(actor, type, from, into, only))
  return moved.map(({ id }) => id)
}

/** Changed notes: those that name other files than before have these, and release the former ones. */
async function withNewFiles(
  tx: Tx,
  actor: Actor,
  before: ReadonlyMap<number, NoteRow>,
  rows: NoteRow[],
  keepFiles: KeepFiles,
): Promise<NoteRow[]> {
  const others = rows.filter((row) => fileParamOf(row) !== fileParamOf(before.get(row.id)!))
  const files = await keepFiles(tx, actor, others)
  const former = others.flatMap(({ file_id }) => file_id ?? [])
  await releaseFiles(tx, actor, former)
  const fileOf = new Map(others.map((row, index) => [row, files[index]!]))
  return rows.map((row) => ({ ...row, file_id: fileOf.has(row) ? fileOf.get(row)! : row.file_id }))
}

async function write(tx: Tx, writer: Writer, type: RecordType, rows: NoteRow[]): Promise<void> {
  if (rows.length === 0) return
  const entries = rows.map((row) => noteEntry(type, 'update_note', row.id, row.entity_id, []))
  await together([tx.rows(updateNotes(writer, rows)), record(tx, writer, entries)])
}

/** Locks the records of notes; answers the notes that exist. */
async function lockNotes(
  tx: Tx,
  actor: Actor,
  { type, entityId }: NoteScope,
  ids: number[],
): Promise<Map<number, NoteRow>> {
  requireRight(actor, type, 'edit')
  const statement =
    entityId === undefined ? lockParentsOf(actor, type, ids) : lockParents(actor, type, [entityId])
  const parents = await lock(tx, statement)
  requireEdit(parents)
  if (entityId !== undefined && parents.size === 0) throw notFound()
  const rows = await tx.rows<NoteRow>(notesAbout(actor, type, [...parents.keys()], ids))
  return new Map(rows.map((row) => [row.id, row]))
}

async function lock(tx: Tx, statement: Sql): Promise<Map<number, LockedParent>> {
  return new Map((await tx.rows<LockedParent>(statement)).map((row) => [row.id, row]))
}

function requireEdit(parents: ReadonlyMap<number, LockedParent>): void {
  const refused = [...parents.values()].find(({ allowed }) => !allowed)
  if (refused) throw denied('edit', refused.type, refused.id)
}

const denied = (action: Action, type: RecordType, id: number) =>
  forbidden(`You have no right to ${action} ${singular[type]} ${id}`)

function noSuchRecord(type: RecordType, id: number) {
  return faultAt('entity_id', 'EntityNotFound', `There is no ${singular[type]} ${id}.`)
}

function addedNoteEntry(id: number, { entity_type, entity_id, note_type }: NewNoteRow): Entry {
  const event = noteTypeFacts(note_type as NoteType).event
  const events = [{ type: event, value_before: [], value_after: [{ note: { id } }] }]
  return noteEntry(entity_type, 'note', id, entity_id, events)
}

/**
 * The journal entry of a note: a change of its record, with the note beside it, or null where the
 * note was deleted.
 */
function noteEntry(
  type: RecordType,
  action: JournalAction,
  noteId: number,
  id: number,
  events: NewEvent[],
): Entry {
  return { type, id, actions: [action], before: null, noteId, events }
}

/** The file that a note names: a kept file, or the address of the recording of a call. */
interface FileOfNote {
  note_type: string
  file_id: number | null
  link: string | null
  /** Who wrote the link. */
  role: AddressAuthor['role']
}

/** The file of a note. Throws 404 without such a note, and 403 where its record is not to be viewed. */
export async function readFileOfNote(
  reader: Reader,
  actor: Actor,
  id: number,
): Promise<FileOfNote> {
  // Null: the record of the note is gone.
  const note = await reader.row<FileOfNote & { allowed: boolean | null }>(fileOfNote(actor, id))
  if (!note || note.allowed === null) throw notFound()
  if (!note.allowed) throw forbidden('You have no right to view this record')
  return note
}

/** The file of a note as the web application shows it; undefined where it has none. */
export function shownFile(
  kontor: Kontor,
  actor: Actor,
  base: string,
  { id, link }: { id: number; link: string | null },
  kept: FileRow | undefined,
): NoteFile | undefined {
  const media = link !== null && isWebAddress(link) ? link : null
  if (!kept && media === null) return undefined
  const said = { media, file_name: null, file_size: null }
  return {
    ...attachmentOf(kontor, actor.accountId, base, kept, said),
    type: kept?.state === 'stored' ? kept.type : null,
    state: kept?.state ?? null,
    _links: { self: { href: `${base}/web/v1/notes/${id}/file` } },
  }
}

/** A note of the feed of a record: as lists show it with `is_pinned`, and with its file. */
export interface FeedNote extends Pick<
  FeedNoteRow,
  'id' | 'entity_type' | 'entity_id' | 'created_by' | 'created_at' | 'note_type'
> {
  /** Whether people write notes of this type; the others are the system's own. */
  isWritten: boolean
  json: string
}

/** Notes of records that the actor may view, by their ids. */
export async function readFeedNotes(
  kontor: Kontor,
  actor: Actor,
  base: string,
  records: { types: readonly RecordType[]; ids: readonly number[] },
  ids: readonly number[],
): Promise<FeedNote[]> {
  if (ids.length === 0) return []
  const { database } = kontor
  const rows = await database.rows<FeedNoteRow>(notesOfRecords(actor, base, records, ids))
  const found = await filesByIds(
    database,
    actor,
    rows.flatMap(({ file_id }) => file_id ?? []),
  )
  const files = new Map(found.map((file) => [file.id, file]))
  return rows.map(({ json, params, file_id, link, ...row }) => {
    const file = shownFile(kontor, actor, base, { id: row.id, link }, files.get(file_id ?? 0))
    const text = noteText({ json, params })
    return {
      ...row,
      isWritten: isNoteType(row.note_type),
      json: `${text.slice(0, -1)},"file":${JSON.stringify(file ?? null)}}`,
    }
  })
}
