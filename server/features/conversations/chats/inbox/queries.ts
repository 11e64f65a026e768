import sql, { empty, join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../../access/actor.ts'
import { rowByKey } from '../../../../database/by-key.ts'
import type { PagePosition } from '../../../../http/paging.ts'
import { selfLink } from '../../../../http/self-link.ts'
import { allOf } from '../../../../records/lists/conditions.ts'
import type { Condition } from '../../../../records/lists/conditions.ts'
import { containing } from '../../../../records/lists/schema.ts'
import { chatColumns, mayOnChat } from '../queries.ts'
import type { ChatWay } from '../viewed.ts'
import type { InboxQuery, InboxTab } from './schema.ts'

/** `place` of a chat with unread messages is below this, and that of any other above it. */
const firstAnswered = -4_503_599_627_370_496
/** Makes `place` a number that a cursor may hold: none is negative. */
const shift = Number.MAX_SAFE_INTEGER

/** The chats of a tab. Each has an index for its order. */
const tabs: Record<InboxTab, Sql> = {
  open: sql`chat.is_visible and chat.talk_id is not null`,
  mine: sql`chat.is_visible and chat.talk_id is not null`,
  unassigned: sql`chat.is_visible and chat.talk_id is not null and chat.item_id is not null`,
  closed: sql`chat.is_visible and chat.talk_id is null`,
  all: sql`chat.is_visible`,
}

/** Whether a tab shows open chats alone. */
export const isOpenTab = (tab: InboxTab): boolean => !['closed', 'all'].includes(tab)

/** The lead's or the customer's responsible user, or else that of the contact, is the actor. */
const isMine = ({ accountId, userId }: Actor) => sql`
  coalesce(case chat.entity_type
             when 'leads' then (select record.responsible_user_id from leads record
                                 where record.account_id = ${accountId} and record.id = chat.entity_id and not record.is_deleted)
             when 'customers' then (select record.responsible_user_id from customers record
                                     where record.account_id = ${accountId} and record.id = chat.entity_id and not record.is_deleted) end,
           (select record.responsible_user_id from contacts record
             where record.account_id = ${accountId} and record.id = chat.contact_id and not record.is_deleted)) = ${userId}`

/** As a scalar it stays a look-up by key. */
const isOfClient = ({ accountId }: Actor, query: string) => sql`
  (select lower(client.name collate kontor) like lower(${containing(query)}::text collate kontor)
     from chat_clients client where client.account_id = ${accountId} and client.uid = chat.client_uid)`

export interface InboxRequest {
  tab: InboxTab
  order: 'waiting' | 'newest'
  /** Conditions that indexes know, besides the tab. */
  indexed: Sql[]
  /** The others; all are about a row named `chat`. */
  conditions: Sql[]
}

/** A query as what selects and orders its chats. */
export function inboxRequest(
  actor: Actor,
  { tab = 'open', order, query, filter = {} }: InboxQuery,
): InboxRequest {
  const { channel_id, contact_id, entity_type, entity_id, is_unread } = filter
  const inOrder = order ?? (isOpenTab(tab) ? 'waiting' : 'newest')
  return {
    tab,
    order: inOrder,
    indexed: [
      ...(channel_id === undefined ? [] : [sql`chat.channel_id = ${channel_id}::uuid`]),
      // A range of the index by wait; the one by time does not know it.
      ...(is_unread === undefined || inOrder === 'newest' ? [] : [isUnread(is_unread)]),
    ],
    conditions: [
      ...(contact_id === undefined ? [] : [sql`chat.contact_id = ${contact_id}`]),
      ...(entity_type === undefined ? [] : [sql`chat.entity_type = ${entity_type}`]),
      ...(entity_id === undefined ? [] : [sql`chat.entity_id = ${entity_id}`]),
      ...(is_unread === undefined || inOrder === 'waiting' ? [] : [isUnread(is_unread)]),
      ...(tab === 'mine' ? [isMine(actor)] : []),
      ...(query === undefined ? [] : [isOfClient(actor, query)]),
      mayOnChat(actor, 'view'),
    ],
  }
}

const isUnread = (is: boolean) => sql`chat.place ${raw(is ? '<' : '>=')} ${firstAnswered}`

/** Selects the ids of the chats that a filter names, where they are few; undefined for no such filter. */
export function namedChats(
  { accountId }: Actor,
  { filter: { contact_id, entity_type, entity_id } = {} }: InboxQuery,
): Sql | undefined {
  const those = (condition: Sql) =>
    sql`select chat.id from chats chat where chat.account_id = ${accountId} and ${condition}`
  if (contact_id !== undefined) return those(sql`chat.contact_id = ${contact_id}`)
  return entity_id === undefined
    ? undefined
    : those(sql`chat.entity_type = ${entity_type} and chat.entity_id = ${entity_id}`)
}

/** Selects the ids of the chats with unread messages; such a chat is open. */
export const unreadChats = ({ accountId }: Actor): Sql => sql`
  select chat.id from chats chat where chat.account_id = ${accountId} and ${tabs.open} and ${isUnread(true)}`

/** A page of the inbox. Chats are found before they are rendered. */
export const inboxPage = (
  actor: Actor,
  base: string,
  request: InboxRequest,
  seek: PagePosition,
  way: ChatWay,
): Sql => sql`
  select row_to_json(shown)::text as json, ${request.order === 'waiting' ? sql`chat.place + ${shift}` : sql`chat.last_at`} as key, chat.id
    from (${matchingChats(actor, request, seek, way)}) chat, lateral (select ${shape(actor, base)}) shown`

function matchingChats(
  { accountId }: Actor,
  { tab, order, indexed, conditions }: InboxRequest,
  { after, offset, limit }: PagePosition,
  way: ChatWay,
): Sql {
  const isWaiting = order === 'waiting'
  const isListed = join([tabs[tab], ...indexed], ' and ')
  const rows = sql`
    select ${chatColumns}, chat.place from chats chat
     where chat.account_id = ${accountId} and ${isListed}`
  const further = !after
    ? empty
    : isWaiting
      ? sql`and (chat.place, chat.id) > (${Number(after.key) - shift}, ${after.id})`
      : sql`and (chat.last_at, chat.id) < (${after.key}, ${after.id})`
  const ordered = raw(
    `order by ${isWaiting ? 'chat.place, chat.id' : 'chat.last_at desc, chat.id desc'}`,
  )
  const cut = sql`limit ${limit} offset ${offset}`
  const passes = allOf(
    conditions.map((condition): Condition => ({ passes: condition, streams: [] })),
  )
  switch (way.kind) {
    case 'walk':
      return sql`${rows} and ${passes} ${further} ${ordered} ${cut}`
    case 'window':
      return sql`select chat.* from (${rows} ${further} ${ordered} limit ${way.rows}) chat where ${passes} ${ordered} ${cut}`
    case 'beyond':
      return sql`select chat.* from (${rows} ${further} ${ordered} limit 1 offset ${way.rows}) chat`
    case 'lookUp':
      return sql`
        select chat.* from (select distinct found.id from (${way.ids}) found) found
         cross join lateral ${rowByKey('chats', accountId, sql`found.id`)} chat
         where ${isListed} and ${passes} ${further} ${ordered} ${cut}`
  }
}

/** One chat; its text is null where the actor may not view it. */
export const oneInboxChat = (actor: Actor, base: string, id: number): Sql => sql`
  select case when ${mayOnChat(actor, 'view')} then row_to_json(shown)::text end as json
    from chats chat, lateral (select ${shape(actor, base)}) shown
   where chat.account_id = ${actor.accountId} and chat.id = ${id} and (chat.is_visible or chat.contact_id is not null)`

/** The members of a row named `chat`. */
const shape = ({ accountId }: Actor, base: string) => sql`
  chat.id, chat.uid as chat_id,
  (select row_to_json(channel) from (
    select channel.id, channel.code, coalesce(connection.title, channel.name) as title,
           channel.deleted_at is null and connection.channel_id is not null and connection.disconnected_at is null as is_connected
      from channels channel
      left join channel_connections connection on connection.account_id = ${accountId} and connection.channel_id = channel.id
     where channel.id = chat.channel_id) channel) as channel,
  (select row_to_json(client) from (
    select client.uid as id, client.client_id, client.name, client.avatar, client.phone, client.email
      from chat_clients client where client.account_id = ${accountId} and client.uid = chat.client_uid) client) as client,
  chat.contact_id, chat.entity_type, chat.entity_id,
  (select item.uid from unsorted_items item where item.account_id = ${accountId} and item.id = chat.item_id) as unsorted_uid,
  chat.talk_id, chat.talk_id is not null as is_in_work, chat.unread, chat.waiting_since, chat.last_at,
  (select row_to_json(message) from (
    select message.id, message.type, left(message.text, 200) as text, message.is_outgoing, message.status, message.msec_timestamp
      from messages message where message.account_id = ${accountId} and message.id = chat.last_message_id) message) as last_message,
  chat.created_at, chat.updated_at, ${selfLink(sql`${`${base}/web/v1/chats/`}::text || chat.id`)} as _links`

/** Of the first chats of a tab: how many were tested, and how many of these the actor may view. */
export interface TabCount {
  tested: number
  passed: number
}

/** Tests the first `most` chats of each tab. Those with unread messages come first of all. */
export const inboxCounts = (actor: Actor, most: number): Sql => sql`
  select open.*, unassigned.*
    from (select ${counted(sql`true`)} as open, ${counted(sql`true`, isMine(actor))} as mine, ${counted(isUnread(true))} as unread
            from ${firstOfTab(actor, 'open', most)}) open,
         (select ${counted(sql`true`)} as unassigned from ${firstOfTab(actor, 'unassigned', most)}) unassigned`

/** How many of the first `most` chats with unread messages the actor may view. */
export const countUnreadChats = (actor: Actor, most: number): Sql => sql`
  select count(*) filter (where ${mayOnChat(actor, 'view')})::int
    from (select contact_id, entity_type, entity_id from chats chat
           where chat.account_id = ${actor.accountId} and ${tabs.open} and ${isUnread(true)}
           order by chat.place, chat.id limit ${most}) chat`

const counted = (isTested: Sql, passes = sql`true`) => sql`
  json_build_object('tested', count(*) filter (where ${isTested}), 'passed', count(*) filter (where ${isTested} and chat.is_viewed and ${passes}))`

const firstOfTab = (actor: Actor, tab: InboxTab, most: number) => sql`
  (select chat.contact_id, chat.entity_type, chat.entity_id, chat.place, ${mayOnChat(actor, 'view')} as is_viewed
     from (select contact_id, entity_type, entity_id, place from chats chat
            where chat.account_id = ${actor.accountId} and ${tabs[tab]}
            order by chat.place, chat.id limit ${most}) chat offset 0) chat`

/** The place of a message in its chat. */
export interface MessagePosition {
  id: number
  msec_timestamp: number
}

export const messagePosition = ({ accountId }: Actor, chatId: number, id: number): Sql => sql`
  select id, msec_timestamp from messages
   where account_id = ${accountId} and id = ${id} and chat_id = ${chatId}`

/**
 * Of the latest visible messages of the client after a place, `most` at most: their number, and the
 * time of the first of them.
 */
export const unreadAfter = (
  { accountId }: Actor,
  chatId: number,
  { msec_timestamp, id }: MessagePosition,
  most: number,
): Sql => sql`
  select count(*)::int as unread, min(msec_timestamp) as waiting_since
    from (select msec_timestamp from messages
           where account_id = ${accountId} and chat_id = ${chatId} and (msec_timestamp, id) > (${msec_timestamp}, ${id})
             and not is_outgoing and not is_silent
           order by msec_timestamp desc, id desc limit ${most}) message`

/** The latest visible message of the client. */
export const latestOfClient = ({ accountId }: Actor, chatId: number): Sql => sql`
  select id, msec_timestamp from messages
   where account_id = ${accountId} and chat_id = ${chatId} and not is_outgoing and not is_silent
   order by msec_timestamp desc, id desc limit 1`

export const updateUnread = (
  { accountId, at }: Actor,
  chatId: number,
  { unread, waiting_since }: UnreadMark,
): Sql => sql`
  update chats set unread = ${unread}, waiting_since = ${waiting_since}, updated_at = greatest(${at}::bigint, created_at)
   where account_id = ${accountId} and id = ${chatId}`

export interface UnreadMark {
  unread: number
  /** Milliseconds: the first unread message; null: none. */
  waiting_since: number | null
}
