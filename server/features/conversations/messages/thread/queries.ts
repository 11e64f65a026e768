import sql, { empty, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../../access/actor.ts'
import type { PagePosition } from '../../../../http/paging.ts'
import { endsOf } from '../../../../records/lists/conditions.ts'
import { comesAfter, orderedBy, pinnedTo } from '../../../../records/lists/schema.ts'
import type { Pin } from '../../../../records/lists/schema.ts'
import { mayOnChat } from '../../chats/chats.ts'
import type { TalkMessageQuery } from './schema.ts'

/** Whether the actor may view a chat that has messages, or that a user has begun. */
export const viewedChat = (actor: Actor, id: number): Sql => sql`
  select ${mayOnChat(actor, 'view')} as allowed from chats chat
   where chat.account_id = ${actor.accountId} and chat.id = ${id} and (chat.is_visible or chat.contact_id is not null)`

/** Whether the actor may view the chat of a talk. */
export const viewedTalk = (actor: Actor, id: number): Sql => sql`
  select chat.allowed
    from talks talk, lateral (select ${mayOnChat(actor, 'view')} as allowed from chats chat
                               where chat.account_id = ${actor.accountId} and chat.id = talk.chat_id offset 0) chat
   where talk.account_id = ${actor.accountId} and talk.id = ${id}`

/** Where a page of a thread begins: the messages before or after one, or the newest ones. */
export interface ThreadRange {
  direction: 'before' | 'after'
  from: { msec: number; id: number } | undefined
  limit: number
}

/** Messages of a chat, the nearest to the place first, silent ones included. */
export function threadPage(
  actor: Actor,
  chatId: number,
  { direction, from, limit }: ThreadRange,
): Sql {
  const [sign, order] = direction === 'before' ? [raw('<'), raw('desc')] : [raw('>'), raw('asc')]
  return sql`
    select row_to_json(shown)::text as json, ${attachment}, message.msec_timestamp, message.id
      from (select message.* from messages message
             where message.account_id = ${actor.accountId} and message.chat_id = ${chatId}
               ${from ? sql`and (message.msec_timestamp, message.id) ${sign} (${from.msec}, ${from.id})` : empty}
             order by message.msec_timestamp ${order}, message.id ${order} limit ${limit}) message,
           lateral (${inThread(actor)}) shown`
}

/** Messages of chats that the actor may view, by their ids, as they stand in their chats. */
export const messagesOfChats = (
  actor: Actor,
  chats: readonly number[],
  ids: readonly number[],
): Sql => sql`
  select row_to_json(shown)::text as json, ${attachment}, message.msec_timestamp, message.id, message.chat_id,
         coalesce(message.user_id, 0) as created_by
    from messages message, lateral (${inThread(actor)}) shown
   where message.account_id = ${actor.accountId} and message.id = any(${ids}::bigint[])
     and message.chat_id = any(${chats}::bigint[])`

/**
 * A page of the messages of a talk, the oldest first, as they stand in their chat. The plan is the same
 * whatever its values are (docs/decisions/0057-plans.md).
 */
export function talkMessagePage(
  actor: Actor,
  talkId: number,
  { filter }: TalkMessageQuery,
  { after, offset, limit }: PagePosition,
): Sql {
  const range = filter?.created_at
  const { from, to } = typeof range === 'number' ? { from: range, to: undefined } : (range ?? {})
  const inTime = { column: 'msec_timestamp', direction: 'asc' } as const
  const pin: Pin = { column: 'talk_id', value: talkId }
  const ends = endsOf(sql`message.msec_timestamp`, {
    ...(from !== undefined && { from: from * 1000 }),
    ...(to !== undefined && { to: to * 1000 + 999 }),
  })
  return sql`
    select row_to_json(shown)::text as json, ${attachment}, message.msec_timestamp as key, message.id
      from (select message.* from messages message
             where message.account_id = ${actor.accountId} and ${pinnedTo(pin, 'message')}
               ${ends ? sql`and ${ends}` : empty} ${comesAfter(inTime, after, 'message', pin)}
             ${orderedBy(inTime, 'message', pin)} limit ${limit} offset ${offset}) message,
           lateral (select message.uid as id, ${shape(actor)}, message.msec_timestamp / 1000 as created_at) shown`
}

/** The attachment of a row named `message`; its address is made outside of SQL. */
const attachment = sql`
  message.file_id, message.content->>'media' as media, message.content->>'file_name' as file_name,
  (message.content->>'file_size')::bigint as file_size`

/** The members of a row named `message` in its chat, besides the attachment. */
const inThread = (actor: Actor) => sql`
  select message.id, message.uid as message_id, ${shape(actor)},
         message.status is not distinct from 'error' and not message.is_imported as can_send_again,
         (select row_to_json(quoted) from (
           select quoted.id, left(quoted.text, 200) as text, quoted.type from messages quoted
            where quoted.account_id = ${actor.accountId} and quoted.id = message.reply_to_id) quoted) as reply_to,
         message.created_at, message.updated_at`

/** The members that all forms of a row named `message` share, besides the attachment. */
const shape = (actor: Actor) => sql`
  message.msgid, message.type, message.text, message.content->'location' as location, message.content->'contact' as contact,
  message.is_outgoing, ${author(actor)} as author, message.status, message.error_code, message.error,
  coalesce(message.reactions, '[]') as reactions, message.msec_timestamp, message.talk_id`

const author = ({ accountId }: Actor) => sql`
  case when not message.is_outgoing
       then (select row_to_json(author) from (
              select 'client' as type, client.uid as id, client.name, null::bigint as user_id from chat_clients client
               where client.account_id = ${accountId} and client.uid = message.client_uid) author)
       when message.user_id is not null
       then (select row_to_json(author) from (
              select 'user' as type, writer.amojo_id as id, writer.name, writer.id as user_id from users writer
               where writer.account_id = ${accountId} and writer.id = message.user_id) author)
       else (select row_to_json(author) from (
              select 'bot' as type, channel.bot_id as id, channel.bot_name as name, null::bigint as user_id from channels channel
               where channel.id = message.channel_id) author) end`
