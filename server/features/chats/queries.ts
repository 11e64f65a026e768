import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../access/actor.ts'
import { may } from '../../access/record-rights.ts'
import type { Action } from '../../access/rights.ts'
import { tableOf } from '../../entity-types.ts'
import type { EntityType } from '../../entity-types.ts'

/** A row of `chats`. */
export interface ChatRow {
  id: number
  /** `chat_id` of the interface. */
  uid: string
  channel_id: string
  conversation_id: string | null
  client_uid: string
  source_id: number | null
  contact_id: number | null
  entity_type: 'leads' | 'customers' | null
  entity_id: number | null
  item_id: number | null
  talk_id: number | null
  is_visible: boolean
  last_message_id: number | null
  last_at: number
  unread: number
  waiting_since: number | null
  created_at: number
  updated_at: number
}

export const chatColumns = sql`
  chat.id, chat.uid, chat.channel_id, chat.conversation_id, chat.client_uid, chat.source_id, chat.contact_id, chat.entity_type,
  chat.entity_id, chat.item_id, chat.talk_id, chat.is_visible, chat.last_message_id, chat.last_at, chat.unread, chat.waiting_since,
  chat.created_at, chat.updated_at`

type Acting = Pick<Actor, 'accountId' | 'at'>

/**
 * A condition in SQL: the actor may do the action to the chat of the row named `chat`. The contact
 * decides; before there is one, the lead or the customer. Only administrators see a chat of nobody.
 */
export function mayOnChat(actor: Actor, action: Action): Sql {
  if (actor.isAdmin) return sql`true`
  // As a scalar it stays a look-up by key; PostgreSQL might answer `exists` from all the actor's records.
  const of = (type: EntityType, id: Sql) => sql`
    (select ${may(actor, type, action)} from ${tableOf(type)} record
      where record.account_id = ${actor.accountId} and record.id = ${id} and not record.is_deleted)`
  return sql`
    coalesce(case when chat.contact_id is not null then ${of('contacts', sql`chat.contact_id`)}
                  when chat.entity_type = 'leads' then ${of('leads', sql`chat.entity_id`)}
                  when chat.entity_type = 'customers' then ${of('customers', sql`chat.entity_id`)} end, false)`
}

export type HeldChat = ChatRow & { allowed: boolean }

/** Locks a chat; `allowed` says whether the actor may do the action to it. */
export const lockChat = (actor: Actor, id: number, action: Action): Sql => sql`
  select ${chatColumns}, ${mayOnChat(actor, action)} as allowed
    from chats chat where chat.account_id = ${actor.accountId} and chat.id = ${id}
     for no key update of chat`

/** Opens a talk of a chat that has none. */
export const insertTalk = ({ accountId, at }: Acting, chat: ChatRow, isRead: boolean): Sql => sql`
  insert into talks (account_id, chat_id, contact_id, entity_type, entity_id, is_read, created_at, updated_at)
  select account_id, id, contact_id, entity_type, entity_id, ${isRead}, ${at}, ${at}
    from chats where account_id = ${accountId} and id = ${chat.id}
  returning id`

/** A visible message that a chat gets. */
export interface Arrival {
  chatId: number
  messageId: number
  talkId: number
  /** Milliseconds. */
  msec: number
  isOutgoing: boolean
}

/**
 * Puts a message at the end of its chat: the client's adds to the unread ones, and an answer leaves
 * none. A message that is older than the latest one does not become the latest.
 */
export const updateByMessage = ({ accountId, at }: Acting, arrival: Arrival): Sql => sql`
  update chats
     set is_visible = true, talk_id = ${arrival.talkId},
         last_message_id = case when ${arrival.msec} >= last_at then ${arrival.messageId} else last_message_id end,
         last_at = greatest(last_at, ${arrival.msec}),
         ${
           arrival.isOutgoing
             ? sql`unread = 0, waiting_since = null`
             : sql`unread = unread + 1, waiting_since = coalesce(waiting_since, ${arrival.msec})`
         },
         updated_at = greatest(${at}::bigint, created_at)
   where account_id = ${accountId} and id = ${arrival.chatId}`

/** Marks the open talk of a chat as read or unread; answers its id if that changed anything. */
export const updateTalkRead = (
  { accountId, at }: Acting,
  talkId: number,
  isRead: boolean,
): Sql => sql`
  update talks set is_read = ${isRead}, updated_at = greatest(${at}::bigint, created_at)
   where account_id = ${accountId} and id = ${talkId} and is_read <> ${isRead} returning id`
