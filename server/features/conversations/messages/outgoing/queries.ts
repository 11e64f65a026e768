import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../../access/actor.ts'
import { may } from '../../../../access/record-rights.ts'
import type { ChatRow } from '../../chats/chats.ts'
import type { CallbackFacts } from './callbacks.ts'
import type { MessageContent, MessageStatus } from '../schema.ts'

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
export const positionOfMessage = (
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

export const messageStates = ({ accountId }: Acting, ids: readonly number[]): Sql => sql`
  select id, chat_id, channel_id, is_imported, file_id, status, error_code, error
    from messages where account_id = ${accountId} and id = any(${ids})`

/** Gives messages other states. Answers them as users see them, in no order. */
export const updateMessageStates = (
  { accountId, at }: Acting,
  messages: readonly Pick<MessageState, 'id' | 'status' | 'error_code' | 'error'>[],
): Sql => sql`
  update messages
     set status = changed.new_status, error_code = changed.new_code, error = changed.new_error,
         updated_at = greatest(${at}::bigint, created_at)
    from (select id as message_id, status as new_status, error_code as new_code, error as new_error
            from json_to_recordset(${JSON.stringify(messages)}::json) as changed(id bigint, status text, error_code int, error text)) changed
   where account_id = ${accountId} and id = any(${messages.map(({ id }) => id)}) and id = changed.message_id
  returning ${shownColumns}`

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

/** Those of the contacts that the actor may edit and that have a phone or an e-mail. */
export const addressedContacts = (actor: Actor, ids: readonly number[]): Sql => sql`
  select record.id from contacts record
   where record.account_id = ${actor.accountId} and record.id = any(${ids}) and not record.is_deleted
     and ${may(actor, 'contacts', 'edit')}
     and exists (select from custom_fields field
                  where field.account_id = ${actor.accountId} and field.entity_type = 'contacts'
                    and field.is_predefined and field.code in ('PHONE', 'EMAIL')
                    and record.custom_fields_values #>> array[field.id::text, '0', '0'] is not null)
   order by record.id`

export interface Addressed {
  channel_id: string
  contact_id: number
  phone: string | null
  email: string | null
}

const startedColumns = sql`
  chat.id, chat.uid as chat_id, chat.channel_id, chat.contact_id, chat.entity_type, chat.entity_id`

/** The first chat of a contact with a phone in a channel; where there is none, with an e-mail. */
export const chatOfContact = ({ accountId }: Acting, addressed: Addressed): Sql => sql`
  select ${startedColumns}
    from chats chat
    cross join lateral (select phone, email from chat_clients
                         where account_id = ${accountId} and uid = chat.client_uid offset 0) client
   where chat.account_id = ${accountId} and chat.contact_id = ${addressed.contact_id} and chat.channel_id = ${addressed.channel_id}::uuid
     and ${addressed.phone === null ? sql`client.email = ${addressed.email}` : sql`client.phone = ${addressed.phone}`}
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
  channel_id: string
  message_id: number
}

/**
 * Inserts callbacks in the order of the list; a message that waits already keeps its place. A chat that
 * has none yet gets its queue. The queue of another is locked, so that its end waits and sees these.
 */
export const insertCallbacks = (callbacks: NewCallback[], nowMs: number): Sql => sql`
  with planned as materialized (
    select * from rows from (json_to_recordset(${JSON.stringify(callbacks)}::json)
                               as (account_id bigint, chat_id bigint, channel_id uuid, message_id bigint))
             with ordinality as callback(account_id, chat_id, channel_id, message_id, place)
  ), inserted as (
    insert into chat_callbacks (account_id, chat_id, message_id, created_at)
    select account_id, chat_id, message_id, ${nowMs}::bigint from planned order by place
        on conflict (account_id, message_id) do nothing
    returning account_id, chat_id, message_id, id
  )
  insert into chat_queues as queue (account_id, chat_id, channel_id, callback_id, due_at)
  select distinct on (account_id, chat_id) account_id, chat_id, planned.channel_id, inserted.id, ${nowMs}::bigint
    from inserted join planned using (account_id, chat_id, message_id)
   order by account_id, chat_id, inserted.id
      on conflict (account_id, chat_id) do update set attempts = queue.attempts`

/** A callback that this process is to send: the first one of its chat. */
export interface DueCallback extends NewCallback {
  id: number
  /** Attempts that have failed. */
  attempts: number
}

/** The attempts that a process has room for. */
export interface Room {
  /** In all, and to one channel. */
  most: number
  mostOfChannel: number
  /** The attempts to each channel that are under way. */
  underWay: ReadonlyMap<string, number>
  /** The callbacks that this process has in hand. */
  known: Iterable<number>
}

/**
 * Takes the callbacks that are due, the oldest first, as far as there is room, and puts them off past
 * their attempts. It reads one row for each channel that has any, and no more than there is room for.
 */
export const takeCallbacks = (
  nowMs: number,
  untilMs: number,
  { most, mostOfChannel, underWay, known }: Room,
): Sql => {
  const isDue = sql`due_at <= ${nowMs}::bigint and callback_id <> all(${[...known]}::bigint[])`
  return sql`
  with recursive channel as (
    (select channel_id as id from chat_queues order by channel_id limit 1)
     union all
    select next.channel_id from channel cross join lateral (
      select channel_id from chat_queues where channel_id > channel.id order by channel_id limit 1) next),
  under_way as materialized (
    select * from unnest(${[...underWay.keys()]}::uuid[], ${[...underWay.values()]}::int[]) as under_way(channel_id, number)),
  open as materialized (
    select channel.id, least(${most}::int, ${mostOfChannel}::int - coalesce(under_way.number, 0)) as room
      from channel
      left join under_way on under_way.channel_id = channel.id
      cross join lateral (
        select due_at from chat_queues where channel_id = channel.id and ${isDue} order by channel_id, due_at limit 1) oldest
     where coalesce(under_way.number, 0) < ${mostOfChannel}::int
     order by oldest.due_at, channel.id limit ${most}),
  first as materialized (
    select queue.* from open cross join lateral (
      select account_id, chat_id, channel_id, callback_id, attempts, due_at from chat_queues
       where channel_id = open.id and ${isDue}
       order by channel_id, due_at, account_id, chat_id limit open.room) queue
     order by queue.due_at, queue.account_id, queue.chat_id limit ${most}),
  held as materialized (
    select first.*, callback.message_id from first
      cross join lateral (
        select message_id from chat_callbacks where account_id = first.account_id and id = first.callback_id offset 0) callback
      cross join lateral (
        select from chat_queues
         where account_id = first.account_id and chat_id = first.chat_id and callback_id = first.callback_id and due_at <= ${nowMs}::bigint
           for update skip locked) queue),
  taken as (
    update chat_queues set due_at = ${untilMs}
     where account_id = any(array(select account_id from held)) and chat_id = any(array(select chat_id from held))
    returning account_id, chat_id)
  select account_id, held.callback_id as id, chat_id, held.channel_id, held.message_id, held.attempts
    from held join taken using (account_id, chat_id)
   order by held.due_at, account_id, chat_id`
}

/** From here on the transaction waits no longer than this for a lock. */
export const boundLocks: Sql = sql`select set_config('lock_timeout', '200ms', true)`

/** Ids as a list whose length PostgreSQL does not guess from, so that it looks each up by the key. */
const keys = (ids: readonly number[]): Sql => sql`array(select unnest(${ids}::bigint[]))`

/** Puts callbacks of an account off, each until its time; with it its chat waits. One that has ended is passed over. */
export const putOff = (
  accountId: number,
  callbacks: readonly (Pick<DueCallback, 'chat_id' | 'id' | 'attempts'> & { due_at: number })[],
): Sql => sql`
  update chat_queues queue set due_at = later.due_at, attempts = later.attempts
    from json_to_recordset(${JSON.stringify(callbacks)}::json) as later(chat_id bigint, id bigint, attempts int, due_at bigint)
   where queue.account_id = ${accountId} and queue.chat_id = any(${keys(callbacks.map(({ chat_id }) => chat_id))})
     and queue.chat_id = later.chat_id and queue.callback_id = later.id`

/** Locks the chats of callbacks, in the order of their ids, and answers them; one that somebody holds is passed over. */
export const lockChats = ({ accountId }: Acting, ids: readonly number[]): Sql => sql`
  select id from chats where account_id = ${accountId} and id = any(${ids}) order by id for no key update skip locked`

/** Locks the queues of chats: callbacks that are being inserted are there then, and others wait. */
export const lockQueues = (accountId: number, chatIds: readonly number[]): Sql => sql`
  select from chat_queues where account_id = ${accountId} and chat_id = any(${keys(chatIds)}) order by chat_id for update`

/**
 * Ends callbacks of an account whose queues are locked; of each chat one at most has not ended before. Answers
 * the ids of those; the next one of each chat is due at once.
 */
export const endCallbacks = (
  accountId: number,
  callbacks: readonly Pick<DueCallback, 'chat_id' | 'id'>[],
  nowMs: number,
): Sql => sql`
  with ending as materialized (
    select * from unnest(${callbacks.map(({ chat_id }) => chat_id)}::bigint[], ${callbacks.map(({ id }) => id)}::bigint[]) as ending(chat_id, id)
  ), ended as (
    delete from chat_callbacks where account_id = ${accountId} and id = any(array(select id from ending)) returning id
  ), next as materialized (
    select ending.chat_id, ending.id as former_id, (
             select id from chat_callbacks
              where account_id = ${accountId} and chat_id = ending.chat_id and id > ending.id order by id limit 1) as id
      from ending
  ), moved as (
    update chat_queues queue set callback_id = next.id, attempts = 0, due_at = ${nowMs}
      from next
     where queue.account_id = ${accountId} and queue.chat_id = any(array(select chat_id from ending))
       and queue.chat_id = next.chat_id and queue.callback_id = next.former_id and next.id is not null
  ), emptied as (
    delete from chat_queues queue using next
     where queue.account_id = ${accountId} and queue.chat_id = any(array(select chat_id from ending))
       and queue.chat_id = next.chat_id and queue.callback_id = next.former_id and next.id is null
  )
  select id from ended`

const callbackColumns = sql`
  message.uid, message.msgid, message.type, message.text, message.content, message.msec_timestamp, message.is_outgoing,
  (select json_build_object('id', amojo_id, 'name', name)
     from users where account_id = message.account_id and id = message.user_id) as "user"`

export type CallbackRow = CallbackFacts & Pick<MessageState, 'status'> & { message_id: number }

/** Messages with all that their callbacks tell. */
export const callbackFacts = (
  callbacks: readonly Pick<NewCallback, 'account_id' | 'message_id'>[],
): Sql => sql`
  select message.id as message_id, message.status, ${callbackColumns}, chat.uid as chat_uid, chat.conversation_id,
         (select external_id from sources where account_id = message.account_id and id = chat.source_id) as source,
         (select json_build_object('id', uid, 'client_id', client_id, 'name', name, 'phone', phone, 'email', email)
            from chat_clients where account_id = message.account_id and uid = chat.client_uid) as client,
         (select row_to_json(answered)
            from (select ${callbackColumns} from messages message
                   where message.account_id = told.account_id and message.id = answer.reply_to_id) answered) as reply_to
    from unnest(${callbacks.map(({ account_id }) => account_id)}::bigint[], ${callbacks.map(({ message_id }) => message_id)}::bigint[])
           as told(account_id, message_id)
    cross join lateral (select * from messages where account_id = told.account_id and id = told.message_id offset 0) message
    cross join lateral (select * from chats where account_id = told.account_id and id = message.chat_id offset 0) chat
    cross join lateral (select message.reply_to_id) answer`

/** The callbacks that wait, and since when the oldest does; counted up to 10,000. */
export const waitingCallbacks = sql`
  select count(*)::int as count, min(created_at) as since
    from (select created_at from chat_callbacks limit 10000) waiting`
