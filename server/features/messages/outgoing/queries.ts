import sql, { empty } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { may } from '../../../access/record-rights.ts'
import type { ChatRow } from '../../chats/chats.ts'
import type { CallbackFacts } from './callbacks.ts'
import type { MessageContent } from '../schema.ts'
import type { MessageStatus } from './statuses.ts'

type Acting = Pick<Actor, 'accountId' | 'at'>

const shownColumns = sql`
  id, uid, chat_id, talk_id, is_outgoing, user_id, contact_id, entity_type, entity_id, type, text, content, file_id,
  reply_to_id as reply_to, msec_timestamp, status, error_code, error, created_at, updated_at`

/** A message as a user writes it into a chat. */
export interface WrittenMessage {
  type: string
  text: string
  content: MessageContent
  file_id: number | null
  reply_to_id: number | null
}

/** A chat's clock may be so far ahead that a message still goes behind its latest one. */
const mostAheadMs = 60_000

/**
 * Writes a message at the end of a locked chat. Its time is that of the request, and later than the
 * latest message, unless that one comes from a clock that is wrong.
 */
export const insertOutgoing = (
  { accountId, userId, at }: Actor,
  chat: ChatRow,
  talkId: number,
  draft: WrittenMessage,
): Sql => sql`
  insert into messages (account_id, chat_id, channel_id, talk_id, is_outgoing, is_imported, is_silent, user_id, client_uid, contact_id,
                        entity_type, entity_id, type, text, content, file_id, reply_to_id, msec_timestamp, status, created_at, updated_at)
  select ${accountId}::bigint, ${chat.id}::bigint, ${chat.channel_id}::uuid, ${talkId}::bigint, true, false, false,
         nullif(${userId}::bigint, 0), ${chat.client_uid}::uuid, ${chat.contact_id}::bigint, ${chat.entity_type}::text,
         ${chat.entity_id}::bigint, ${draft.type}::text, ${draft.text}::text, ${JSON.stringify(draft.content)}::jsonb,
         ${draft.file_id}::bigint, ${draft.reply_to_id}::bigint,
         case when ${chat.last_at}::bigint between now_ms and now_ms + ${mostAheadMs} then ${chat.last_at}::bigint + 1 else now_ms end,
         'sending', ${at}::bigint, ${at}::bigint
    from (select ${at}::bigint * 1000 + (extract(epoch from clock_timestamp()) * 1000)::bigint % 1000 as now_ms) clock
  returning ${shownColumns}`

/** A message of a chat; which, is known by its id. */
export const messageOfChat = ({ accountId }: Acting, chatId: number, id: number): Sql => sql`
  select id from messages where account_id = ${accountId} and id = ${id} and chat_id = ${chatId}`

/** Where an outgoing message is, by its id, or by its id in the scope of a channel. */
export const placeOfMessage = (
  { accountId }: Acting,
  named: { id: number } | { uid: string; channelId: string },
): Sql => sql`
  select id, chat_id from messages
   where account_id = ${accountId} and is_outgoing
     and ${'id' in named ? sql`id = ${named.id}` : sql`uid = ${named.uid}::uuid and channel_id = ${named.channelId}::uuid`}`

/** The state of a message whose chat is locked. */
export interface MessageState {
  id: number
  chat_id: number
  channel_id: string
  is_imported: boolean
  file_id: number | null
  status: MessageStatus | null
  error_code: number | null
  error: string | null
}

export const messageState = ({ accountId }: Acting, id: number): Sql => sql`
  select id, chat_id, channel_id, is_imported, file_id, status, error_code, error
    from messages where account_id = ${accountId} and id = ${id}`

export const updateStatus = (
  { accountId, at }: Acting,
  id: number,
  { status, error_code, error }: Pick<MessageState, 'status' | 'error_code' | 'error'>,
): Sql => sql`
  update messages set status = ${status}, error_code = ${error_code}, error = ${error}, updated_at = greatest(${at}::bigint, created_at)
   where account_id = ${accountId} and id = ${id} returning ${shownColumns}`

/** Gives the attachment of a message another address. */
export const updateMedia = ({ accountId }: Acting, id: number, media: string): Sql => sql`
  update messages set content = jsonb_set(content, '{media}', to_jsonb(${media}::text)) where account_id = ${accountId} and id = ${id}`

/** The callback of a message that still waits, or is under way. */
export const callbackOfMessage = ({ accountId }: Acting, messageId: number): Sql => sql`
  select account_id, chat_id, id from chat_callbacks where account_id = ${accountId} and message_id = ${messageId}`

/** The texts of a contact's first phone and first e-mail; null where it has none. */
export const addressesOfContact = ({ accountId }: Acting, id: number): Sql => sql`
  select min(value) filter (where code = 'PHONE') as phone, min(value) filter (where code = 'EMAIL') as email
    from (select field.code, contact.custom_fields_values #>> array[field.id::text, '0', '0'] as value
            from contacts contact
            join custom_fields field on field.account_id = contact.account_id and field.entity_type = 'contacts'
                                    and field.is_predefined and field.code in ('PHONE', 'EMAIL')
           where contact.account_id = ${accountId} and contact.id = ${id}) address`

export interface Addressed {
  channel_id: string
  contact_id: number
  phone: string | null
  email: string | null
}

const startedColumns = sql`
  chat.id, chat.uid as chat_id, chat.channel_id, chat.contact_id, chat.entity_type, chat.entity_id`

/** The first chat of a contact with a phone in a channel; where there is none, with an e-mail. */
export const chatOfContact = ({ accountId }: Acting, asked: Addressed): Sql => sql`
  select ${startedColumns}
    from chats chat
    cross join lateral (select phone, email from chat_clients
                         where account_id = ${accountId} and uid = chat.client_uid offset 0) client
   where chat.account_id = ${accountId} and chat.contact_id = ${asked.contact_id} and chat.channel_id = ${asked.channel_id}::uuid
     and ${asked.phone === null ? sql`client.email = ${asked.email}` : sql`client.phone = ${asked.phone}`}
   order by chat.id limit 1`

/** The leads of a contact that are looked at. */
const mostLeads = 500

/** The open leads of a contact that the actor may view, two at most. */
export const openLeadsOf = (actor: Actor, contactId: number): Sql => sql`
  select record.id
    from (select to_id from links
           where account_id = ${actor.accountId} and from_type = 'contacts' and from_id = ${contactId} and to_type = 'leads'
           order by to_id desc limit ${mostLeads}) link
    cross join lateral (select * from leads where account_id = ${actor.accountId} and id = link.to_id offset 0) record
   where not record.is_deleted and record.closed_at is null and record.unsorted_id is null and ${may(actor, 'leads', 'view')}
   limit 2`

/** A chat that nobody has written in, with the client on its other side. */
export const insertStartedChat = (
  { accountId, at }: Acting,
  { channel_id, contact_id, phone, email }: Addressed,
  name: string,
  leadId: number | null,
): Sql => sql`
  with client as (
    insert into chat_clients (account_id, channel_id, name, phone, email, created_at, updated_at)
    values (${accountId}, ${channel_id}, ${name}, ${phone}, ${email}, ${at}, ${at}) returning uid
  )
  insert into chats as chat (account_id, channel_id, client_uid, contact_id, entity_type, entity_id, created_at, updated_at)
  select ${accountId}, ${channel_id}::uuid, uid, ${contact_id}::bigint, ${leadId === null ? null : 'leads'}, ${leadId}::bigint, ${at}::bigint, ${at}::bigint
    from client returning ${startedColumns}`

/** A message that is to be told to its channel. */
export interface NewCallback {
  account_id: number
  chat_id: number
  message_id: number
}

/** Inserts callbacks in the order of the list; a message that waits already keeps its place. */
export const insertCallbacks = (callbacks: NewCallback[], nowMs: number): Sql => sql`
  insert into chat_callbacks (account_id, chat_id, message_id, due_at, created_at)
  select account_id, chat_id, message_id, ${nowMs}::bigint, ${nowMs}::bigint
    from rows from (json_to_recordset(${JSON.stringify(callbacks)}::json) as (account_id bigint, chat_id bigint, message_id bigint))
         with ordinality as callback(account_id, chat_id, message_id, place)
   order by place
      on conflict (account_id, message_id) do nothing`

/** A callback that is due. */
export interface DueCallback extends NewCallback {
  id: number
  channel_id: string
  /** Attempts that have failed. */
  attempts: number
}

/** The callbacks that are due, the first of each chat, without those of channels that have no room. */
export const dueCallbacks = (nowMs: number, full: string[], most: number): Sql => sql`
  select callback.account_id, callback.id, callback.chat_id, callback.message_id, callback.attempts, chat.channel_id
    from chat_callbacks callback
    cross join lateral (select channel_id from chats
                         where account_id = callback.account_id and id = callback.chat_id offset 0) chat
    cross join lateral (select min(first.id) as id from chat_callbacks first
                         where first.account_id = callback.account_id and first.chat_id = callback.chat_id offset 0) first
   where callback.due_at <= ${nowMs} and first.id = callback.id and chat.channel_id <> all(${full}::uuid[])
   order by callback.due_at, callback.account_id, callback.id limit ${most}`

/** Puts callbacks off past their attempts, and answers those that no other process has put off. */
export const claimCallbacks = (
  callbacks: DueCallback[],
  nowMs: number,
  untilMs: number,
): Sql => sql`
  update chat_callbacks callback set due_at = ${untilMs}
    from json_to_recordset(${JSON.stringify(callbacks)}::json) as asked(account_id bigint, id bigint)
   where callback.account_id = asked.account_id and callback.id = asked.id and callback.due_at <= ${nowMs}
  returning callback.account_id, callback.id`

/** Puts callbacks off until `dueMs`, and with them the later ones of their chats, which wait anyway. */
export const putOff = (
  callbacks: Pick<DueCallback, 'account_id' | 'id' | 'chat_id'>[],
  dueMs: number,
  attempts?: number,
): Sql => sql`
  update chat_callbacks callback
     set due_at = case when callback.id = asked.id then ${dueMs}::bigint else greatest(due_at, ${dueMs}::bigint) end
         ${attempts === undefined ? empty : sql`, attempts = case when callback.id = asked.id then ${attempts} else attempts end`}
    from json_to_recordset(${JSON.stringify(callbacks)}::json) as asked(account_id bigint, id bigint, chat_id bigint)
   where callback.account_id = asked.account_id and callback.chat_id = asked.chat_id`

/**
 * Ends a callback, and answers its id; the later ones of its chat are due at once. No row: the message
 * was sent again meanwhile, or another process has ended it.
 */
export const endCallback = (
  { account_id, chat_id, id }: Pick<DueCallback, 'account_id' | 'chat_id' | 'id'>,
  nowMs: number,
): Sql => sql`
  with ended as (
    delete from chat_callbacks where account_id = ${account_id} and id = ${id} returning id
  ), due as (
    update chat_callbacks set due_at = ${nowMs}::bigint
     where account_id = ${account_id} and chat_id = ${chat_id} and id <> ${id} and due_at > ${nowMs}::bigint
  )
  select id from ended`

const toldColumns = sql`
  message.uid, message.msgid, message.type, message.text, message.content, message.msec_timestamp, message.is_outgoing,
  (select json_build_object('id', amojo_id, 'name', name)
     from users where account_id = message.account_id and id = message.user_id) as "user"`

export type CallbackRow = CallbackFacts & Pick<MessageState, 'status'>

/** A message with all that its callback tells. */
export const callbackFacts = ({ account_id, message_id }: NewCallback): Sql => sql`
  select message.status, ${toldColumns}, chat.uid as chat_uid, chat.conversation_id,
         (select external_id from sources where account_id = ${account_id} and id = chat.source_id) as source,
         (select json_build_object('id', uid, 'client_id', client_id, 'name', name, 'phone', phone, 'email', email)
            from chat_clients where account_id = ${account_id} and uid = chat.client_uid) as client,
         (select row_to_json(answered)
            from (select ${toldColumns} from messages message
                   where message.account_id = ${account_id} and message.id = answer.reply_to_id) answered) as reply_to
    from messages message
    join chats chat on chat.account_id = message.account_id and chat.id = message.chat_id
    cross join lateral (select message.reply_to_id) answer
   where message.account_id = ${account_id} and message.id = ${message_id}`

/** The callbacks that wait, and since when the oldest does; counted up to 10,000. */
export const waitingCallbacks = sql`
  select count(*)::int as count, min(created_at) as since
    from (select created_at from chat_callbacks limit 10000) waiting`
