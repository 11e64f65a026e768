// The one door through which news leaves a verb: in the verb's transaction, in one statement per batch, into the journal (what
// followers tell the world) and into the event log (what people and programs read). Ids of both are drawn here, after the verb has locked or inserted
// the records, so they grow with the changes of each record.
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Tx } from '../database/connect.ts'
import type { EntityType } from '../entity-types.ts'
import { singular, tableOf } from '../entity-types.ts'
import type { Actor } from '../access/actor.ts'
/**
 * What the journal says happened to a record. `note`: a note was added to it; `update_note`: one of its notes was changed, pinned or
 * unpinned, which browsers hear and no webhook tells.
 */
export type JournalAction =
  | 'add'
  | 'update'
  | 'status'
  | 'responsible'
  | 'delete'
  | 'restore'
  | 'note'
  | 'update_note'

/** A row of the event log; the values are shaped as specified under "Structure of value_after and value_before". */
export interface NewEvent {
  type: string
  value_before: object[]
  value_after: object[]
}

/** What changed in one record: the fields that moved, as they were, and the events this is to the world. Without actions, events only. */
export interface RecordChange {
  id: number
  actions: JournalAction[]
  before: object
  events: NewEvent[]
  /** Who did it, where that is not the actor: a user of the account, checked. */
  created_by?: number
}

/** The start of the ids of this statement's events: a clock read after the locks, not the transaction's. */
const eventTime = sql`(select ulid_time((extract(epoch from clock_timestamp()) * 1000)::bigint))`
const eventNumber = sql`lpad(to_hex(nextval('events_number')), 16, '0')`

/** Tells that records were added. Each gets its system note, whose id `<kind>_added` carries. */
export async function recordAdded(
  tx: Tx,
  actor: Actor,
  type: EntityType,
  ids: number[],
): Promise<void> {
  await tx.rows(addedNews(actor, type, ids))
  tx.afterCommit(tx.wake)
}

function addedNews(actor: Actor, type: EntityType, ids: number[]): Sql {
  return sql`
    with record as materialized (
      select * from ${tableOf(type)} where account_id = ${actor.accountId} and id = any(${ids}::bigint[]) order by id
    ), note as (
      insert into notes (account_id, entity_type, entity_id, note_type, params, responsible_user_id, group_id,
                         created_by, updated_by, created_at, updated_at)
      select account_id, ${type}, id, 'entity_added', '{}', responsible_user_id, group_id,
             created_by, updated_by, created_at, updated_at
        from record
      returning id, entity_id
    ), told as (
      insert into journal (account_id, entity_type, entity_id, actions, after, created_by, created_at)
      select account_id, ${type}, id, '{add}', row_to_json(record), ${actor.userId}::bigint, ${actor.at}::bigint from record
    )
    insert into events (account_id, id, type, entity_type, entity_id, created_by, created_at, value_before, value_after)
    select ${actor.accountId}::bigint, ${eventTime} || ${eventNumber}, ${`${singular[type]}_added`}, ${singular[type]}, entity_id,
           ${actor.userId}::bigint, ${actor.at}::bigint, '[]', ('[{"note":{"id":' || id || '}}]')::jsonb
      from note`
}

/** Tells that records changed. The journal keeps each record as it now is beside the fields that moved. */
export async function recordChanged(
  tx: Tx,
  actor: Actor,
  type: EntityType,
  changes: RecordChange[],
): Promise<void> {
  if (changes.length === 0) return
  const journal = changes
    .filter(({ actions }) => actions.length > 0)
    .map(({ id, actions, before, created_by }) => ({ id, actions, before, created_by }))
  const events = changes.flatMap(({ id, events, created_by }) =>
    events.map((event) => ({ id, created_by, ...event })),
  )
  await tx.rows(changedNews(actor, type, JSON.stringify(journal), JSON.stringify(events)))
  tx.afterCommit(tx.wake)
}

function changedNews(actor: Actor, type: EntityType, journal: string, events: string): Sql {
  return sql`
    with told as (
      insert into journal (account_id, entity_type, entity_id, actions, before, after, created_by, created_at)
      select record.account_id, ${type}, record.id, change.actions, change.before, row_to_json(record),
             coalesce(change.created_by, ${actor.userId}), ${actor.at}::bigint
        from json_to_recordset(${journal}::json) as change(id bigint, actions text[], before json, created_by bigint)
        join ${tableOf(type)} record on record.account_id = ${actor.accountId} and record.id = change.id
       order by record.id
    )
    insert into events (account_id, id, type, entity_type, entity_id, created_by, created_at, value_before, value_after)
    select ${actor.accountId}::bigint, ${eventTime} || ${eventNumber}, type, ${singular[type]}, id,
           coalesce(created_by, ${actor.userId}), ${actor.at}::bigint, value_before, value_after
      from json_to_recordset(${events}::json)
           as event(id bigint, type text, value_before jsonb, value_after jsonb, created_by bigint)`
}

/** A note that was added, and the type of the event that it is. */
export interface NoteNews {
  id: number
  event: string
}

/** Tells that notes were added to records, whose locks the verb holds: a row of the journal and an event for each, in the order of ids. */
export async function notesAdded(
  tx: Tx,
  actor: Actor,
  type: EntityType,
  notes: NoteNews[],
): Promise<void> {
  await tx.rows(addedNotesNews(actor, type, notes))
  tx.afterCommit(tx.wake)
}

function addedNotesNews(actor: Actor, type: EntityType, notes: NoteNews[]): Sql {
  const ids = notes.map(({ id }) => id)
  return sql`
    with told as (${notesNews(actor, type, 'note', ids)})
    insert into events (account_id, id, type, entity_type, entity_id, created_by, created_at, value_before, value_after)
    select ${actor.accountId}::bigint, ${eventTime} || ${eventNumber}, event, ${singular[type]}, entity_id,
           ${actor.userId}::bigint, ${actor.at}::bigint, '[]', ('[{"note":{"id":' || id || '}}]')::jsonb
      from (select note.id, note.entity_id, added.event
              from unnest(${ids}::bigint[], ${notes.map(({ event }) => event)}::text[]) as added(id, event)
              join notes note on note.account_id = ${actor.accountId} and note.entity_type = ${type} and note.id = added.id
             order by note.id) note`
}

/** Tells that notes of records, whose locks the verb holds, were changed. */
export async function notesChanged(
  tx: Tx,
  actor: Actor,
  type: EntityType,
  ids: number[],
): Promise<void> {
  await tx.rows(notesNews(actor, type, 'update_note', ids))
  tx.afterCommit(tx.wake)
}

/** Rows of the journal about the records, as they are, each with its note. */
function notesNews(actor: Actor, type: EntityType, action: JournalAction, ids: number[]): Sql {
  return sql`
    insert into journal (account_id, entity_type, entity_id, actions, after, note, created_by, created_at)
    select note.account_id, ${type}, record.id, array[${action}::text], row_to_json(record), row_to_json(note),
           ${actor.userId}::bigint, ${actor.at}::bigint
      from notes note
      join ${tableOf(type)} record on record.account_id = note.account_id and record.id = note.entity_id
     where note.account_id = ${actor.accountId} and note.entity_type = ${type} and note.id = any(${ids}::bigint[])
     order by note.id`
}
