// Each part of a feed is read from an index that begins with the record and has its rows by time. A
// read looks at a bounded number of rows, and says where it stopped, so that what few rows pass never
// becomes a walk through all of them.
import sql, { empty, join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { may, mayNone } from '../../../access/record-rights.ts'
import { andRetellsNothingOfAny } from '../../../access/undone-merges.ts'
import { tableOf } from '../../../entity-types.ts'
import type { EntityType, Singular } from '../../../entity-types.ts'
import { mayOnChat } from '../../conversations/chats/chats.ts'
import { retoldTypes } from '../../activity/events/events.ts'
import type { Cut } from './positions.ts'
import { cutAt, cutAtSecond, cutOfEvents, ranks } from './positions.ts'
import type { Position } from './positions.ts'
import type { FeedPart } from './schema.ts'

/** The type of the system's note of a purchase: the change that adds the purchase tells it. */
export const purchaseNote = 'transaction'

/** A record of a feed. */
export interface FeedRecord {
  type: EntityType
  id: number
  name: string
  may_edit: boolean
}

/** A chat of a feed, with the record that its messages are shown with. */
export interface FeedChat {
  chat_id: number
  type: EntityType
  id: number
  name: string
}

export interface FeedRow {
  name: string
  allowed: boolean
  may_edit: boolean
  linked: FeedRecord[]
  /** The records that were merged into it. A name is null where the record is removed. */
  merged: { id: number; name: string | null }[]
  chats: FeedChat[]
}

/**
 * The latest links of a type that are looked at, the linked records of a type in a feed, its chats, and
 * the records merged into it.
 */
const [mostLinks, mostLinked, mostChats, mostMerged] = [200, 50, 50, 50].map((most) =>
  raw(String(most)),
)

/** The linked records that a feed covers, and those of which it has only the chats (decision 79). */
const coverage: Record<EntityType, { items: EntityType[]; chats: EntityType[] }> = {
  leads: { items: [], chats: ['contacts'] },
  contacts: { items: ['leads', 'customers'], chats: [] },
  companies: { items: ['leads', 'customers', 'contacts'], chats: [] },
  customers: { items: [], chats: ['contacts'] },
}

/**
 * A record, in the bin too, with the linked records of its feed, the chats whose messages the feed
 * shows, and the records that were merged into it.
 */
export function feedOf(actor: Actor, type: EntityType, id: number, isAlone: boolean): Sql {
  const { accountId } = actor
  const { items, chats } = isAlone ? { items: [], chats: [] } : coverage[type]
  const linked = [...items, ...chats].filter((each) => !mayNone(actor, each, 'view'))
  const noRows = sql`'[]'::json`
  return sql`
    ${linked.length > 0 ? sql`with ${join(linked.map((to) => linkedRecords(actor, type, id, to)))}` : empty}
    select record.name, ${may(actor, type, 'view')} as allowed,
           not record.is_deleted and ${may(actor, type, 'edit')} as may_edit,
           ${linkedIn(linked.filter((each) => items.includes(each)))} as linked,
           ${type === 'contacts' || type === 'companies' ? mergedInto(actor, type, id) : noRows} as merged,
           ${chatsOf(actor, type, id, linked)} as chats
      from ${tableOf(type)} record
     where record.account_id = ${accountId} and record.id = ${id}`
}

const linkedName = (type: EntityType) => raw(`linked_${type}`)

/** The latest linked records of a type that the actor may view, as a named part of the statement. */
const linkedRecords = (actor: Actor, type: EntityType, id: number, to: EntityType) => sql`
  ${linkedName(to)} as materialized (
    select record.id, record.name, ${may(actor, to, 'edit')} as may_edit
      from (select to_id from links
             where account_id = ${actor.accountId} and from_type = ${type} and from_id = ${id} and to_type = ${to}
             order by to_id desc limit ${mostLinks}) link, lateral (
             select record.* from ${tableOf(to)} record
              where record.account_id = ${actor.accountId} and record.id = link.to_id offset 0) record
     where not record.is_deleted ${to === 'leads' ? sql`and record.unsorted_id is null` : empty} and ${may(actor, to, 'view')}
     order by record.id desc limit ${mostLinked})`

function linkedIn(types: EntityType[]): Sql {
  if (types.length === 0) return sql`'[]'::json`
  const of = (type: EntityType) =>
    sql`select ${type} as type, id, name, may_edit from ${linkedName(type)}`
  return sql`
    (select coalesce(json_agg(linked), '[]') from (${join(types.map(of), ' union all ')}) linked)`
}

/**
 * The records merged into a record, and into these. They lie in the bin, or the purge has removed them;
 * one that somebody restored is a record with rights of its own again.
 */
function mergedInto({ accountId }: Actor, type: EntityType, id: number): Sql {
  const mergedIn = (into: Sql) => sql`
    lateral (select merges.from_id from merges
              where merges.account_id = ${accountId} and merges.entity_type = ${type} and merges.into_id = ${into}
                and merges.undone_at is null
                and not exists (select from ${tableOf(type)} present
                                 where present.account_id = ${accountId} and present.id = merges.from_id and not present.is_deleted)
              order by merges.id desc limit ${mostMerged}) merge`
  return sql`
    (with recursive taken (id) as (
       select merge.from_id from ${mergedIn(sql`${id}`)}
       union
       select merge.from_id from taken, ${mergedIn(sql`taken.id`)}
     )
     select coalesce(json_agg(merged), '[]')
       from (select taken.id, former.name
               from (select taken.id from taken limit ${mostMerged}) taken
               left join lateral (select gone.name from ${tableOf(type)} gone
                                   where gone.account_id = ${accountId} and gone.id = taken.id) former on true
              where taken.id <> ${id}) merged)`
}

/** The chats of a record and of the linked records: of contacts as clients, of the others as their subject. */
function chatsOf(actor: Actor, type: EntityType, id: number, linked: EntityType[]): Sql {
  const { accountId } = actor
  const latest = (of: EntityType, which: Sql) => sql`
    (select chat.* from chats chat
      where chat.account_id = ${accountId}
        and ${of === 'contacts' ? sql`chat.contact_id = ${which}` : sql`chat.entity_type = ${of} and chat.entity_id = ${which}`}
      order by chat.id desc limit ${mostChats})`
  const all = [
    // A company has no chats of its own.
    ...(type === 'companies' ? [] : [latest(type, sql`${id}`)]),
    ...linked.map(
      (of) => sql`
        (select chat.* from ${linkedName(of)} linked, lateral ${latest(of, sql`linked.id`)} chat)`,
    ),
  ]
  if (all.length === 0) return sql`'[]'::json`
  const named = (of: EntityType, which: Sql) => sql`
    (select record.name from ${tableOf(of)} record
      where record.account_id = ${accountId} and record.id = ${which} and not record.is_deleted)`
  return sql`
    (select coalesce(json_agg(chat order by chat.chat_id desc), '[]')
       from (select chat.id as chat_id,
                    case when contact.name is null then coalesce(chat.entity_type, ${type}) else 'contacts' end as type,
                    case when contact.name is null then coalesce(chat.entity_id, ${id}) else chat.contact_id end as id,
                    coalesce(contact.name, case chat.entity_type when 'leads' then ${named('leads', sql`chat.entity_id`)}
                                                                 when 'customers' then ${named('customers', sql`chat.entity_id`)} end, '') as name
               from (${join(all, ' union ')}) chat, lateral (select ${named('contacts', sql`chat.contact_id`)} as name) contact
              where chat.is_visible and ${mayOnChat(actor, 'view')}
              order by chat.id desc limit ${mostChats}) chat)`
}

/** The records and chats of a feed, which the actor may view. */
export interface FeedScope {
  types: EntityType[]
  singulars: Singular[]
  ids: number[]
  chats: number[]
}

/** The items that a read looks for. */
export interface FeedSearch {
  parts: ReadonlySet<FeedPart>
  /** Words that the texts of items hold. Changes have no texts. */
  words: readonly string[]
}

export interface FeedSpan {
  direction: 'before' | 'after'
  from: Position
  /** The most rows of each record and part that are looked at. */
  most: number
}

/** A row that was looked at. */
export interface ScannedRow {
  rank: number
  /** The time in the unit of the index; null for changes, whose ids have it. */
  time: number | null
  id: string
  passes: boolean
  /** Whether it is the last one that was looked at, so that more may follow. */
  is_last: boolean
}

/** The rows of a span that pass, and the last ones that were looked at; undefined where no part is wanted. */
export function scannedRows(
  actor: Actor,
  scope: FeedScope,
  { parts, words }: FeedSearch,
  span: FeedSpan,
): Sql | undefined {
  const { accountId } = actor
  const [sign, order] =
    span.direction === 'before' ? [raw('<'), raw('desc')] : [raw('>'), raw('asc')]
  const holds = (...texts: Sql[]) => (words.length === 0 ? sql`true` : allWordsIn(texts, words))
  const byTime = (
    rank: number,
    { time, id }: Cut,
    { table, column, of, which }: { table: string; column: string; of: Sql; which: Sql },
    passes: Sql,
  ) => sql`
    select ${rank}::int as rank, row.time, row.id, row.passes, row.place = ${span.most} as is_last
      from ${of}, lateral (
        select scanned.${raw(column)} as time, scanned.id::text as id, ${passes} as passes,
               row_number() over (order by scanned.${raw(column)} ${order}, scanned.id ${order}) as place
          from (select item.* from ${raw(table)} item
                 where item.account_id = ${accountId} and ${which}
                   and (item.${raw(column)}, item.id) ${sign} (${time}::bigint, ${id}::bigint)
                 order by item.${raw(column)} ${order}, item.id ${order} limit ${span.most}) scanned) row
     where row.passes or row.place = ${span.most}`
  const records = sql`unnest(${scope.types}::text[], ${scope.ids}::bigint[]) record (type, id)`
  const ofRecord = sql`item.entity_type = record.type and item.entity_id = record.id`
  const found: Sql[] = []
  if (parts.has('notes') || parts.has('calls')) {
    const isCall = sql`scanned.note_type in ('call_in', 'call_out')`
    const isNote = sql`scanned.note_type not in ('call_in', 'call_out', ${raw(`'${purchaseNote}'`)})`
    const isShown = sql`scanned.note_type <> ${raw(`'${purchaseNote}'`)}`
    const isWanted = !parts.has('calls') ? isNote : !parts.has('notes') ? isCall : isShown
    const texts = ['text', 'phone', 'address', 'file_name', 'url', 'service'].map(
      (name) => sql`scanned.params ->> ${raw(`'${name}'`)}`,
    )
    const which = sql`${ofRecord} and item.note_type <> 'entity_added'`
    const source = { table: 'notes', column: 'created_at', of: records, which }
    const passes = sql`${isWanted} and ${holds(...texts)}`
    found.push(byTime(ranks.note, cutAtSecond(span.from, ranks.note), source, passes))
  }
  if (parts.has('tasks')) {
    const which = sql`${ofRecord} and item.completed_at is not null and not item.is_deleted`
    const source = { table: 'tasks', column: 'completed_at', of: records, which }
    const passes = holds(sql`scanned.text`, sql`scanned.result`)
    found.push(byTime(ranks.task, cutAtSecond(span.from, ranks.task), source, passes))
  }
  if (parts.has('messages')) {
    const of = sql`unnest(${scope.chats}::bigint[]) chat (id)`
    const which = sql`item.chat_id = chat.id`
    const source = { table: 'messages', column: 'msec_timestamp', of, which }
    const passes = holds(sql`scanned.text`, sql`scanned.content ->> 'file_name'`)
    found.push(byTime(ranks.message, cutAt(span.from, ranks.message), source, passes))
  }
  if (parts.has('changes') && words.length === 0)
    found.push(sql`
      select ${ranks.event}::int as rank, null::bigint as time, row.id, row.passes, row.place = ${span.most} as is_last
        from unnest(${scope.singulars}::text[], ${scope.ids}::bigint[]) record (type, id), lateral (
          select event.id, event.type <> all(${retoldTypes}::text[]) ${andRetellsNothingOfAny(actor)} as passes,
                 row_number() over (order by event.id ${order}) as place
            from (select item.account_id, item.id, item.type, item.entity_type, item.entity_id from events item
                   where item.account_id = ${accountId} and item.entity_type = record.type and item.entity_id = record.id
                     and item.id ${sign} ${cutOfEvents(span.from)}
                   order by item.id ${order} limit ${span.most}) event) row
       where row.passes or row.place = ${span.most}`)
  return found.length > 0 ? join(found, ' union all ') : undefined
}

const allWordsIn = (texts: Sql[], words: readonly string[]) => sql`
  (select bool_and(strpos(lower(concat_ws(' ', ${join(texts)}) collate kontor), lower(word collate kontor)) > 0)
     from unnest(${words}::text[]) word)`

/** The most pinned notes and open tasks of a feed. */
export const [mostPinned, mostPlanned] = [50, 100]

/** The ids of pinned notes and of open tasks, with the times that order them. */
export const pinnedAndPlanned = ({ accountId }: Actor, { types, ids }: FeedScope): Sql => sql`
  select 'note' as kind, note.id, note.created_at as time
    from unnest(${types}::text[], ${ids}::bigint[]) record (type, id), lateral (
      select note.id, note.created_at from notes note
       where note.account_id = ${accountId} and note.entity_type = record.type and note.entity_id = record.id and note.is_pinned
       order by note.created_at desc, note.id desc limit ${mostPinned}) note
   union all
  select 'task', task.id, task.complete_till
    from unnest(${types}::text[], ${ids}::bigint[]) record (type, id), lateral (
      select task.id, task.complete_till from tasks task
       where task.account_id = ${accountId} and task.entity_type = record.type and task.entity_id = record.id
         and not task.is_completed and not task.is_deleted
       order by task.complete_till, task.id limit ${mostPlanned}) task`
