import sql, { raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { may } from '../../../access/record-rights.ts'
import type { Action } from '../../../access/rights.ts'
import { tableOf } from '../../../entity-types.ts'
import type { EntityType } from '../../../entity-types.ts'
import { lost, won } from '../../definitions/pipelines/pipelines.ts'

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

/** Of a contact with more leads, the latest are looked at. */
const mostLeads = 1000

/**
 * A condition in SQL: the actor may do the action to the chat of the row named `chat`. The contact
 * decides; where there is none, or it is in the bin, the lead or the customer. Only administrators
 * see a chat of nobody.
 */
export function mayOnChat(actor: Actor, action: Action): Sql {
  if (actor.isAdmin) return sql`true`
  // As a scalar it stays a look-up by key; PostgreSQL might answer `exists` from all the actor's records.
  const of = (type: EntityType, id: Sql) => sql`
    (select ${may(actor, type, action)} from ${tableOf(type)} record
      where record.account_id = ${actor.accountId} and record.id = ${id} and not record.is_deleted)`
  return sql`
    coalesce(${of('contacts', sql`chat.contact_id`)},
             case chat.entity_type when 'leads' then ${of('leads', sql`chat.entity_id`)}
                                   when 'customers' then ${of('customers', sql`chat.entity_id`)} end, false)`
}

/** The chats of one record that are looked at for unread messages. */
const mostChats = 20

/** The unread messages of the row named `record` in chats that the actor may view, `most` at most. */
export const unreadWith = (actor: Actor, type: 'leads' | 'customers', most: number): Sql => sql`
  (select least(coalesce(sum(chat.unread) filter (where ${mayOnChat(actor, 'view')}), 0), ${most})::int
     from (select chat.* from chats chat
            where chat.account_id = ${actor.accountId} and chat.entity_type = ${type} and chat.entity_id = record.id
            order by chat.id desc limit ${raw(String(mostChats))}) chat)`

export type LockedChat = ChatRow & { allowed: boolean }

/** Locks a chat; `allowed` says whether the actor may do the action to it. */
export const lockChatRow = (actor: Actor, id: number, action: Action): Sql => sql`
  select ${chatColumns}, ${mayOnChat(actor, action)} as allowed
    from chats chat where chat.account_id = ${actor.accountId} and chat.id = ${id}
     for no key update of chat`

export const chatWithUid = ({ accountId }: Actor, uid: string): Sql => sql`
  select id from chats where account_id = ${accountId} and uid = ${uid}::uuid`

export const chatOfTalk = ({ accountId }: Actor, id: number): Sql => sql`
  select chat_id from talks where account_id = ${accountId} and id = ${id}`

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

/** A scope: the account, and the channel that it is connected to. */
export interface ChatScope {
  accountId: number
  channelId: string
}

/** The chat of a scope by the channel's name of it, or else by its own id; locked. */
export const lockConversationRow = (
  { accountId, channelId }: ChatScope,
  conversationId: string | null,
  uid: string | null,
): Sql => sql`
  select ${chatColumns} from chats chat
   where chat.account_id = ${accountId} and chat.channel_id = ${channelId}::uuid
     and (chat.conversation_id = ${conversationId} or chat.uid = ${uid}::uuid)
   order by chat.conversation_id = ${conversationId} desc nulls last, chat.id limit 1
     for no key update`

/** A client of a channel, as the channel tells of it. */
export interface ClientRow {
  uid: string
  client_id: string | null
  name: string
  avatar: string | null
  profile_link: string | null
  phone: string | null
  email: string | null
}

/** The client with this name at the channel, and the one of a chat. */
export const clientsOf = (
  { accountId, channelId }: ChatScope,
  clientId: string,
  uid: string | null,
): Sql => sql`
  select uid, client_id, name, avatar, profile_link, phone, email from chat_clients
   where account_id = ${accountId} and channel_id = ${channelId}::uuid and client_id = ${clientId}
   union all
  select uid, client_id, name, avatar, profile_link, phone, email from chat_clients
   where account_id = ${accountId} and uid = ${uid}::uuid and client_id is distinct from ${clientId}`

/** Two first messages of one client at once make one row. */
export const insertClient = (
  { accountId, channelId }: ChatScope,
  client: Omit<ClientRow, 'uid'>,
  at: number,
): Sql => sql`
  insert into chat_clients as known (account_id, channel_id, client_id, name, avatar, profile_link, phone, email, created_at, updated_at)
  values (${accountId}, ${channelId}, ${client.client_id}, ${client.name}, ${client.avatar}, ${client.profile_link}, ${client.phone},
          ${client.email}, ${at}, ${at})
      on conflict (account_id, channel_id, client_id) where client_id is not null do update set updated_at = known.updated_at
  returning uid`

export const updateClient = (
  { accountId, at }: Acting,
  { uid, client_id, name, avatar, profile_link, phone, email }: ClientRow,
): Sql => sql`
  update chat_clients
     set client_id = ${client_id}, name = ${name}, avatar = ${avatar}, profile_link = ${profile_link}, phone = ${phone},
         email = ${email}, updated_at = greatest(${at}::bigint, created_at)
   where account_id = ${accountId} and uid = ${uid}::uuid`

export const insertChat = (
  { accountId, channelId }: ChatScope,
  chat: Pick<ChatRow, 'conversation_id' | 'client_uid' | 'source_id'>,
  at: number,
): Sql => sql`
  insert into chats as chat (account_id, channel_id, conversation_id, client_uid, source_id, created_at, updated_at)
  values (${accountId}, ${channelId}, ${chat.conversation_id}, ${chat.client_uid}, ${chat.source_id}, ${at}, ${at})
  returning ${chatColumns}`

/** The other side of a chat turns out to be a client that the channel has named before. */
export const updateClientOfChat = (
  { accountId, at }: Acting,
  id: number,
  clientUid: string,
): Sql => sql`
  update chats set client_uid = ${clientUid}::uuid, updated_at = greatest(${at}::bigint, created_at)
   where account_id = ${accountId} and id = ${id}`

/** Gives a chat that was begun here the channel's name of it. */
export const nameConversation = (
  { accountId, at }: Acting,
  id: number,
  conversationId: string,
): Sql => sql`
  update chats set conversation_id = ${conversationId}, updated_at = greatest(${at}::bigint, created_at)
   where account_id = ${accountId} and id = ${id}`

/**
 * Whether the record of a chat takes messages: a lead that is neither closed nor in the bin, or a
 * customer. A chat that has a contact alone may go to the latest open lead of that.
 */
export const openDestination = (
  { accountId }: Pick<Actor, 'accountId'>,
  { contact_id, entity_type, entity_id }: Pick<ChatRow, 'contact_id' | 'entity_type' | 'entity_id'>,
): Sql => {
  if (entity_type === 'leads')
    return sql`
      select id as entity_id from leads
       where account_id = ${accountId} and id = ${entity_id} and not is_deleted and status_id not in (${won}, ${lost})`
  if (entity_type === 'customers')
    return sql`
      select id as entity_id from customers where account_id = ${accountId} and id = ${entity_id} and not is_deleted`
  return sql`
    select lead.id as entity_id
      from (select to_id from links
             where account_id = ${accountId} and from_type = 'contacts' and from_id = ${contact_id} and to_type = 'leads'
             order by to_id desc limit ${mostLeads}) link,
           lateral (select id, is_deleted, status_id, unsorted_id from leads
                     where account_id = ${accountId} and id = link.to_id offset 0) lead
     where not lead.is_deleted and lead.status_id not in (${won}, ${lost}) and lead.unsorted_id is null
     order by lead.id desc limit 1`
}

/** Where the messages of a locked chat go from now on. */
export const updateDestination = (
  { accountId, at }: Acting,
  id: number,
  { entity_type, entity_id, item_id }: Pick<ChatRow, 'entity_type' | 'entity_id' | 'item_id'>,
): Sql => sql`
  update chats
     set entity_type = ${entity_type}, entity_id = ${entity_id}, item_id = ${item_id}, updated_at = greatest(${at}::bigint, created_at)
   where account_id = ${accountId} and id = ${id}`

export const updateTalkEntity = (
  { accountId, at }: Acting,
  talkId: number,
  { contact_id, entity_type, entity_id }: Pick<ChatRow, 'contact_id' | 'entity_type' | 'entity_id'>,
): Sql => sql`
  update talks
     set contact_id = ${contact_id}, entity_type = ${entity_type}, entity_id = ${entity_id},
         updated_at = greatest(${at}::bigint, created_at)
   where account_id = ${accountId} and id = ${talkId}`
