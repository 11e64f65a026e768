import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import type { ChatRow, ChatScope } from '../chats/chats.ts'
import type { MessageContent, MessageStatus, MessageType } from './schema.ts'

type Account = Pick<Actor, 'accountId'>
type Acting = Pick<Actor, 'accountId' | 'at'>

/** A row of `messages`. */
export interface MessageRow {
  id: number
  uid: string
  chat_id: number
  channel_id: string
  msgid: string | null
  talk_id: number | null
  is_outgoing: boolean
  is_imported: boolean
  is_silent: boolean
  user_id: number | null
  client_uid: string
  contact_id: number | null
  entity_type: ChatRow['entity_type']
  entity_id: number | null
  type: MessageType
  text: string
  content: MessageContent
  file_id: number | null
  reply_to_id: number | null
  reactions: Reaction[] | null
  msec_timestamp: number
  status: MessageStatus | null
  error_code: number | null
  error: string | null
  created_at: number
  updated_at: number
}

/** A reaction of a user, the bot or a client, by its uuid. */
export interface Reaction {
  user: string
  emoji: string
}

/** Publications of one message follow one another, and so do those that begin one conversation. */
export const lockNames = ({ accountId, channelId }: ChatScope, names: string[]): Sql => sql`
  with hashes as materialized (
    select distinct hashtextextended(concat_ws(' ', 'kontor chats', ${accountId}::bigint, ${channelId}::text, name), 0) as hash
      from unnest(${names}::text[]) name
     order by hash
  )
  select pg_advisory_xact_lock(hash) from hashes`

/** A user or the bot who wrote a message, by the id in the chat service. */
export const authorNamed = ({ accountId }: Account, amojoId: string): Sql => sql`
  select id from users where account_id = ${accountId} and amojo_id = ${amojoId}::uuid`

/** A message that the scope knows by its name, as its publication was answered. */
export interface KnownMessage {
  uid: string
  chat_uid: string
  is_outgoing: boolean
  author_id: string
  client_uid: string
}

const known = ({ accountId, channelId }: ChatScope, which: Sql): Sql => sql`
  select message.uid, chat.uid as chat_uid, message.is_outgoing, message.client_uid,
         case when not message.is_outgoing then message.client_uid
              when message.user_id is null then (select bot_id from channels where id = message.channel_id)
              else (select amojo_id from users where account_id = ${accountId} and id = message.user_id) end as author_id
    from messages message, lateral (
      select uid from chats where account_id = ${accountId} and id = message.chat_id offset 0) chat
   where message.account_id = ${accountId} and message.channel_id = ${channelId}::uuid and ${which}`

export const knownMessage = (scope: ChatScope, msgid: string): Sql =>
  known(scope, sql`message.msgid = ${msgid}`)
export const knownByUid = (scope: ChatScope, uid: string): Sql =>
  known(scope, sql`message.uid = ${uid}::uuid`)

/** A message to write. */
export type NewMessageRow = Pick<
  MessageRow,
  | 'chat_id'
  | 'channel_id'
  | 'msgid'
  | 'talk_id'
  | 'is_outgoing'
  | 'is_imported'
  | 'is_silent'
  | 'user_id'
  | 'client_uid'
  | 'contact_id'
  | 'entity_type'
  | 'entity_id'
  | 'type'
  | 'text'
  | 'content'
  | 'file_id'
  | 'reply_to_id'
  | 'msec_timestamp'
  | 'status'
>

export const insertMessage = ({ accountId, at }: Acting, row: NewMessageRow): Sql => sql`
  insert into messages (account_id, chat_id, channel_id, msgid, talk_id, is_outgoing, is_imported, is_silent, user_id, client_uid,
                        contact_id, entity_type, entity_id, type, text, content, file_id, reply_to_id, msec_timestamp, status,
                        created_at, updated_at)
  values (${accountId}, ${row.chat_id}, ${row.channel_id}, ${row.msgid}, ${row.talk_id}, ${row.is_outgoing}, ${row.is_imported},
          ${row.is_silent}, ${row.user_id}, ${row.client_uid}, ${row.contact_id}, ${row.entity_type}, ${row.entity_id}, ${row.type},
          ${row.text}, ${JSON.stringify(row.content)}, ${row.file_id}, ${row.reply_to_id}, ${row.msec_timestamp}, ${row.status},
          ${at}, ${at})
  returning id, uid`

/** The message of a chat that another one quotes, by either of its ids. */
export const quotedMessage = (
  { accountId, channelId }: ChatScope,
  chatId: number,
  { id, msgid }: { id?: string | undefined; msgid?: string | undefined },
): Sql => sql`
  select id from messages
   where account_id = ${accountId} and chat_id = ${chatId}
     and ${id === undefined ? sql`channel_id = ${channelId}::uuid and msgid = ${msgid}` : sql`uid = ${id}::uuid`}`

const messageColumns = sql`
  id, uid, chat_id, channel_id, msgid, talk_id, is_outgoing, is_imported, is_silent, user_id, client_uid, contact_id, entity_type,
  entity_id, type, text, content, file_id, reply_to_id, reactions, msec_timestamp, status, error_code, error, created_at, updated_at`

/** A message of a scope by its own id or by the channel's name. Both, where given, have to fit. */
export const messageOfScope = (
  { accountId, channelId }: ChatScope,
  { uid, msgid }: { uid?: string | undefined; msgid?: string | undefined },
): Sql => sql`
  select ${messageColumns} from messages
   where account_id = ${accountId} and channel_id = ${channelId}::uuid
     and ${uid === undefined ? sql`msgid = ${msgid}` : sql`uid = ${uid}::uuid`}`

/** Writes the text, the content and the channel's name of a message that its channel edits. */
export const updateMessage = (
  { accountId, at }: Acting,
  row: Pick<MessageRow, 'id' | 'msgid' | 'type' | 'text' | 'content' | 'file_id'>,
): Sql => sql`
  update messages
     set msgid = ${row.msgid}, type = ${row.type}, text = ${row.text}, content = ${JSON.stringify(row.content)}, file_id = ${row.file_id},
         updated_at = greatest(${at}::bigint, created_at)
   where account_id = ${accountId} and id = ${row.id}`

export const updateReactions = (
  { accountId, at }: Acting,
  id: number,
  reactions: Reaction[] | null,
): Sql => sql`
  update messages
     set reactions = ${reactions === null ? null : JSON.stringify(reactions)}, updated_at = greatest(${at}::bigint, created_at)
   where account_id = ${accountId} and id = ${id}`

/** Locks the chat of a message, and answers its names. Other changes of the chat wait. */
export const lockChatOfMessage = ({ accountId }: Account, chatId: number): Sql => sql`
  select uid, conversation_id from chats where account_id = ${accountId} and id = ${chatId} for no key update`

/** The client with this name at the channel. */
export const clientNamed = ({ accountId, channelId }: ChatScope, clientId: string): Sql => sql`
  select uid from chat_clients
   where account_id = ${accountId} and channel_id = ${channelId}::uuid and client_id = ${clientId}`

/** A user or a client of the channel, by the id in the chat service. */
export const personNamed = ({ accountId, channelId }: ChatScope, uid: string): Sql => sql`
  select amojo_id as uid from users where account_id = ${accountId} and amojo_id = ${uid}::uuid
   union all
  select uid from chat_clients where account_id = ${accountId} and channel_id = ${channelId}::uuid and uid = ${uid}::uuid`

/** A row, where the account owns the channel. */
export const ownChannel = ({ accountId }: Pick<Actor, 'accountId'>, channelId: string): Sql => sql`
  select id from channels where id = ${channelId}::uuid and account_id = ${accountId}`

/** The pipeline of a source. */
export const pipelineOfSource = ({ accountId }: Account, id: number): Sql => sql`
  select pipeline_id from sources
   where account_id = ${accountId} and id = ${id} and deleted_at is null and pipeline_id is not null`

/** The chat of a conversation. */
export const conversationNamed = ({ accountId, channelId }: ChatScope, name: string): Sql => sql`
  select id, contact_id, entity_type, entity_id from chats
   where account_id = ${accountId} and channel_id = ${channelId}::uuid and conversation_id = ${name}`

/** A message as its channel reads it back. */
export interface HistoryRow {
  uid: string
  msgid: string | null
  type: MessageType
  text: string
  content: MessageContent
  is_outgoing: boolean
  msec_timestamp: number
  client: {
    id: string
    client_id: string | null
    name: string
    avatar: string | null
    phone: string | null
    email: string | null
  }
  author: { id: string; name: string } | null
}

/** A page of the messages of a chat, newest first. */
export const historyPage = (
  { accountId, channelId }: ChatScope,
  chatUid: string,
  { offset, limit }: { offset: number; limit: number },
): Sql => sql`
  select message.uid, message.msgid, message.type, message.text, message.content, message.is_outgoing, message.msec_timestamp,
         (select row_to_json(client) from (select uid as id, client_id, name, avatar, phone, email from chat_clients
                                            where account_id = ${accountId} and uid = message.client_uid) client) as client,
         case when message.is_outgoing then coalesce(
           (select row_to_json(author) from (select amojo_id as id, name from users
                                              where account_id = ${accountId} and id = message.user_id) author),
           (select row_to_json(bot) from (select bot_id as id, bot_name as name from channels
                                           where id = message.channel_id) bot)) end as author
    from (select id from chats where account_id = ${accountId} and channel_id = ${channelId}::uuid and uid = ${chatUid}::uuid) chat,
         lateral (select * from messages
                   where account_id = ${accountId} and chat_id = chat.id
                   order by msec_timestamp desc, id desc offset ${offset} limit ${limit}) message
   order by message.msec_timestamp desc, message.id desc`
