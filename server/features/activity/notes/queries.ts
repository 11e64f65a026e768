import sql, { empty, join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { recordTypes } from '../../../records/description.ts'
import type { RecordType } from '../../../records/description.ts'
import { selfLink } from '../../../http/self-link.ts'
import { comesAfter, orderedBy, orderingOf, pinnedTo } from '../../../records/lists/schema.ts'
import type { Pin } from '../../../records/lists/schema.ts'
import { may } from '../../../access/record-rights.ts'
import { bothEnds } from '../../../records/lists/conditions.ts'
import type { Actor } from '../../../access/actor.ts'
import { rowByKey, unguessed } from '../../../database/by-key.ts'
import type { Action } from '../../../access/rights.ts'
import type { PagePosition } from '../../../http/paging.ts'
import type { Params } from './params.ts'
import { noteWith } from './schema.ts'
import type { NoteQuery, NoteWanted } from './schema.ts'
import { authorRole } from '../../../outgoing/door.ts'

const written = Object.entries({
  params: 'jsonb',
  responsible_user_id: 'bigint',
  group_id: 'bigint',
  created_by: 'bigint',
  updated_by: 'bigint',
  created_at: 'bigint',
  updated_at: 'bigint',
  file_id: 'bigint',
  link_by: 'bigint',
})
const columns = raw(written.map(([name]) => name).join(', '))
const typed = raw(written.map(([name, type]) => `${name} ${type}`).join(', '))

/** The columns of a note that verbs compare and write. */
export interface NoteRow {
  id: number
  entity_id: number
  note_type: string
  params: Params
  responsible_user_id: number
  /** The group when the note was written; answers show the responsible user's present group. */
  group_id: number
  created_by: number
  updated_by: number
  created_at: number
  updated_at: number
  /** The file of an attachment, or the recording of a call; null where Kontor has none. */
  file_id: number | null
  /** The user who wrote the address of the recording of a call. */
  link_by: number | null
  is_pinned: boolean
}

/** The columns of a note that does not exist yet. */
export type NewNoteRow = Omit<NoteRow, 'id' | 'is_pinned'> & { entity_type: RecordType }

/** The record of a note. */
export interface Parent {
  type: RecordType
  id: number
  responsible_user_id: number
  group_id: number
}

/**
 * The notes on records of one type. System notes (docs/decisions/0009-system-notes.md) are
 * excluded, and so are they from the indexes of lists.
 */
const noteOf = (actor: Actor, type: RecordType) => sql`
  note.account_id = ${actor.accountId} and note.entity_type = ${type} and note.note_type <> 'entity_added'`

type NoteFilter = NonNullable<NoteQuery['filter']>

const recordOfNote = sql`record.account_id = note.account_id and record.id = note.entity_id and not record.is_deleted`

/** How a list of notes finds its page. The record of each note is looked up by its key. */
export interface NoteWay {
  /** The column with one value, in the order of an index. */
  pin?: Pin
  /** Only so many notes are looked at, the first in the order of the list. */
  scannedRows?: number
  /** The notes of each record that the actor views are asked for. */
  isByRecord?: boolean
  /** The notes of the time of change are few, and those of the other filters are chosen among them. */
  isByUpdate?: boolean
  /** PostgreSQL may begin with the records that the actor views. */
  isJoined?: boolean
}

/**
 * A page of the notes on records that the actor may view, of one type or of one record. Rows are
 * found before they are rendered.
 */
export function noteList(
  actor: Actor,
  base: string,
  type: RecordType,
  { filter = {}, order, with: names }: NoteQuery,
  { after, offset, limit }: PagePosition,
  entityId?: number,
  { pin, scannedRows, isByRecord, isByUpdate, isJoined }: NoteWay = {},
): Sql {
  const ordering = orderingOf(order)
  const inOrder = orderedBy(ordering, 'note')
  const page = sql`limit ${limit} offset ${offset}`
  const records = entityId === undefined ? filter.entity_id : [entityId]
  const viewed = may(actor, type, 'view')
  // A plan for all values might join all records, or walk an index that has those outside the bin.
  const isShown = isJoined
    ? sql`exists (select from ${raw(type)} record where ${recordOfNote} and ${viewed})`
    : sql`(select not record.is_deleted and ${viewed} from ${rowByKey(type, actor.accountId, sql`note.entity_id`)} record)`
  const ofTypes = pin ? [] : isAnyOf('note_type', 'text', filter.note_type)
  // The filter that an index answers; the others choose none.
  const ranged = wasUpdated(filter.updated_at)
  const leads = isByUpdate || ordering.column === 'updated_at' ? ranged : ofTypes
  const others = [...ofTypes, ...ranged].filter((test) => !leads.includes(test))
  const isLed = isByUpdate || leads.length > 0 || filter.id !== undefined
  const find = (whose: Sql[], most: Sql, tests: Sql[] = [isShown]) => {
    const chosen = whose.length > 0 || isLed ? others.map(unguessed) : others
    const led = whose.length > 0 || filter.id ? leads.map(unguessed) : leads
    const passing = [
      noteOf(actor, type),
      ...whose,
      ...isAnyOf('id', 'bigint', filter.id),
      ...led,
      ...chosen,
      ...tests,
    ]
    return sql`
    select note.* from notes note
     where ${join(passing, ' and ')} ${pin ? sql`and ${pinnedTo(pin, 'note')}` : empty} ${comesAfter(ordering, after, 'note', pin)}
     ${orderedBy(ordering, 'note', pin)} ${most}`
  }
  const each = sql`limit ${offset + limit}`
  const rows = isByRecord
    ? sql`select note.* from ${raw(type)} record, lateral (${find([sql`note.entity_id = record.id`], each, [])}) note
           where record.account_id = ${actor.accountId} and not record.is_deleted and ${viewed} ${inOrder} ${page}`
    : records && !pin
      ? // Records are searched one by one: PostgreSQL would scan all notes by id if it expected theirs among
        // the first.
        sql`select note.* from unnest(${[...new Set(records)]}::bigint[]) wanted (id),
                   lateral (${find([sql`note.entity_id = wanted.id`], each)}) note
             ${inOrder} ${page}`
      : scannedRows === undefined
        ? find([], page)
        : sql`select note.* from (${find([], sql`limit ${scannedRows}`, [])}) note where ${isShown} ${inOrder} ${page}`
  return sql`
    select row_to_json(shown)::text as json, ${params} as params, note.${raw(ordering.column)} as key, note.id
      from (${rows}) note, lateral (select ${shape(base, noteWith.wanted(names))}) shown`
}

/** Counts the notes of a time of change, up to `most`. */
export const countUpdated = (
  actor: Actor,
  type: RecordType,
  updated: NonNullable<NoteFilter['updated_at']>,
  most: number,
): Sql => sql`
  select count(*)::int
    from (select from notes note where ${join([noteOf(actor, type), ...wasUpdated(updated)], ' and ')} limit ${most}) note`

/** One note; its text is null where the actor may not view its record. */
export const oneNote = (
  actor: Actor,
  base: string,
  type: RecordType,
  id: number,
  entityId?: number,
  names?: string[],
) => sql`
  select case when found.visible then row_to_json(found.shown)::text end as json, found.params
    from (select ${may(actor, type, 'view')} as visible, shown, ${params} as params
            from notes note join ${raw(type)} record on ${recordOfNote}, lateral (select ${shape(base, noteWith.wanted(names))}) shown
           where ${noteOf(actor, type)} and note.id = ${id}
             ${entityId === undefined ? empty : sql`and note.entity_id = ${entityId}`}) found`

/** A note of the feed of a record. */
export interface FeedNoteRow {
  id: number
  entity_type: RecordType
  entity_id: number
  note_type: string
  created_by: number
  created_at: number
  file_id: number | null
  /** The address of the recording of a call. */
  link: string | null
  json: string
  params: string
}

/** Notes of records that the actor may view, by their ids. */
export const notesOfRecords = (
  { accountId }: Actor,
  base: string,
  { types, ids }: { types: readonly RecordType[]; ids: readonly number[] },
  notes: readonly number[],
): Sql => sql`
  select note.id, note.entity_type, note.entity_id, note.note_type, note.created_by, note.created_at, note.file_id,
         note.params ->> 'link' as link, row_to_json(shown)::text as json, ${params} as params
    from notes note, lateral (select ${shape(base, new Set(['is_pinned']))}) shown
   where note.account_id = ${accountId} and note.id = any(${notes}::bigint[]) and note.note_type <> 'entity_added'
     and (note.entity_type, note.entity_id) in (select * from unnest(${types}::text[], ${ids}::bigint[]))`

/**
 * The file of a note and the address of its recording; `allowed`: whether the actor may view its
 * record, null where that is gone.
 */
export const fileOfNote = (actor: Actor, id: number) => sql`
  select note.note_type, note.file_id, note.params ->> 'link' as link, ${authorRole(actor.accountId, sql`note.link_by`)} as role,
         case note.entity_type ${join(
           recordTypes.map((type) => mayViewRecord(actor, type)),
           ' ',
         )} end as allowed
    from notes note
   where note.account_id = ${actor.accountId} and note.id = ${id} and note.note_type in ('attachment', 'call_in', 'call_out')`

const mayViewRecord = (actor: Actor, type: RecordType) => sql`
    when ${type} then (select ${may(actor, type, 'view')} from ${raw(type)} record where ${recordOfNote})`

/** Whether the actor has the right to the action on an existing record. */
export const oneParent = (actor: Actor, type: RecordType, id: number, action: Action) => sql`
  select ${may(actor, type, action)} as allowed from ${raw(type)} record
   where record.account_id = ${actor.accountId} and record.id = ${id} and not record.is_deleted`

/** Locks records in the order of their ids; `allowed` says whether the actor may edit them. */
export const lockParents = (actor: Actor, type: RecordType, ids: number[]) =>
  lock(actor, type, sql`any(${ids}::bigint[])`)

/** The same for the records of notes. */
export const lockParentsOf = (actor: Actor, type: RecordType, notes: number[]) =>
  lock(
    actor,
    type,
    sql`any(array(select note.entity_id from notes note where ${noteOf(actor, type)} and note.id = any(${notes}::bigint[])))`,
  )

const lock = (actor: Actor, type: RecordType, ids: Sql) => sql`
  select ${type}::text as type, record.id, record.responsible_user_id, record.group_id, ${may(actor, type, 'edit')} as allowed
    from ${raw(type)} record
   where record.account_id = ${actor.accountId} and record.id = ${ids} and not record.is_deleted
   order by record.id
     for no key update`

/** The notes among `ids` that belong to one of the records. */
export const notesAbout = (actor: Actor, type: RecordType, parents: number[], ids: number[]) => sql`
  select id, entity_id, note_type, params, responsible_user_id, group_id, created_by, updated_by, created_at, updated_at, file_id, link_by, is_pinned
    from notes note
   where ${noteOf(actor, type)} and note.id = any(${ids}::bigint[]) and note.entity_id = any(${parents}::bigint[])`

/** Adds notes; answers their ids in the order of the rows. */
export const insertNotes = (actor: Actor, rows: NewNoteRow[]) => sql`
  insert into notes (account_id, id, entity_type, entity_id, note_type, ${columns})
  select ${actor.accountId}::bigint, id, entity_type, entity_id, note_type, ${columns}
    from (select nextval('notes_id') as id, draft.*
            from json_to_recordset(${JSON.stringify(rows)}::json)
              as draft(entity_type text, entity_id bigint, note_type text, ${typed})) draft
  returning id`

/** Writes notes whose records are locked. */
export const updateNotes = (actor: Actor, rows: NoteRow[]) => sql`
  update notes note
     set (is_pinned, ${columns}) = (select draft.is_pinned, ${raw(written.map(([name]) => `draft.${name}`).join(', '))})
    from json_to_recordset(${JSON.stringify(rows)}::json) as draft(id bigint, is_pinned boolean, ${typed})
   where note.account_id = ${actor.accountId} and note.id = draft.id`

/** Gives notes of one record to another; system notes stay, since the event of its creation names one. */
export const moveNotesBetween = (
  actor: Actor,
  type: RecordType,
  from: number,
  into: number,
  only?: number[],
) => sql`
  update notes note set entity_id = ${into}
   where ${noteOf(actor, type)} and note.entity_id = ${from}
     and (${only ?? null}::bigint[] is null or note.id = any(${only ?? null}::bigint[]))
  returning note.id`

/** Deletes a note whose record is locked. */
export const removeNote = (actor: Actor, id: number) => sql`
  delete from notes where account_id = ${actor.accountId} and id = ${id}`

/**
 * The select list of a row named `note` for answers, without its params (show.ts). The group is looked up: no index finds notes
 * by user, so they do not follow a user who moves. A look-up by key for each shown note costs less
 * than such an index.
 */
function shape(base: string, wanted: NoteWanted): Sql {
  return sql`
    note.id, note.entity_id, note.created_by, note.updated_by, note.created_at, note.updated_at, note.responsible_user_id,
    coalesce((select person.group_id from users person
               where person.account_id = note.account_id and person.id = note.responsible_user_id), note.group_id) as group_id,
    note.note_type, note.account_id, ${wanted.has('is_pinned') ? sql`note.is_pinned,` : empty}
    ${selfLink(sql`${`${base}/api/v4/`}::text || note.entity_type || '/' || note.entity_id || '/notes/' || note.id`)} as _links`
}

/** The params of a row named `note` for answers, as text. */
const params = sql`
  (case note.note_type
    when 'attachment' then note.params || jsonb_build_object(
      'original_name', coalesce((select to_jsonb(file.name) from files file where file.account_id = note.account_id and file.id = note.file_id),
                                note.params -> 'file_name'),
      'text', note.params -> 'file_name', 'is_drive_attachment', true)
    else note.params end)::text`

/**
 * One value is compared with `=`, as in the lists of records: the index then delivers its rows in
 * the order of ids.
 */
function isAnyOf(
  column: string,
  type: string,
  values: readonly (number | string)[] | undefined,
): Sql[] {
  if (!values) return []
  const at = sql`note.${raw(column)}`
  return [
    values.length === 1 ? sql`${at} = ${values[0]}` : sql`${at} = any(${values}::${raw(type)}[])`,
  ]
}

/** A single time means after it (interface: Note). A range has two ends, as those of lists of records. */
function wasUpdated(range: NoteFilter['updated_at']): Sql[] {
  if (range === undefined) return []
  // Not `>`: a later page would begin there, and not behind its cursor.
  return [bothEnds(sql`note.updated_at`, typeof range === 'number' ? { from: range + 1 } : range)]
}
