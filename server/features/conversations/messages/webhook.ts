// Messages in the bodies of webhooks (interface: Webhook fields). The client's are told as
// `message`, the others as `outgoing_message`.
import sql from 'sql-template-tag'
import { idsAmong, payloadText } from '../../../changes/webhook-form.ts'
import type { Payload, WebhookForm } from '../../../changes/webhook-form.ts'
import { singular } from '../../../entity-types.ts'
import { elementTypes, rowAfter } from '../../../records/webhook.ts'
import type { MessageContent } from './schema.ts'

interface JournaledMessage {
  id: number
  uid: string
  chat_id: number
  talk_id: number | null
  is_outgoing: boolean
  user_id: number | null
  contact_id: number | null
  entity_type: 'leads' | 'customers' | null
  entity_id: number | null
  type: string
  text: string
  content: MessageContent
  msec_timestamp: number
}

export const messageForm: WebhookForm = {
  keys: { items: 'message', deletion: null },
  renamed: { send: { items: 'outgoing_message', action: 'add' } },
  deletion: [],
  async prepare(reader, account, changes) {
    const rows = changes.map(({ after }) => after)
    const found = await reader.rows<ChatOfMessage>(
      chatsOfMessages(account.id, idsAmong(rows, 'chat_id')),
    )
    const chats = new Map(found.map((row) => [row.id, row]))
    const writers = await reader.rows<Writer>(writersOf(account.id, idsAmong(rows, 'user_id')))
    const users = new Map(writers.map((row) => [row.id, row]))
    return (change) => {
      const message = rowAfter(change) as JournaledMessage
      const chat = chats.get(message.chat_id)
      if (!chat) throw new Error(`chat ${message.chat_id} does not exist`)
      const client = {
        id: payloadText(chat.client_uid),
        type: 'external',
        name: payloadText(chat.client_name),
        ...(chat.avatar !== null && { avatar_url: payloadText(chat.avatar) }),
      }
      return {
        id: payloadText(message.uid),
        chat_id: payloadText(chat.uid),
        ...(message.talk_id !== null && { talk_id: payloadText(message.talk_id) }),
        ...(message.contact_id !== null && { contact_id: payloadText(message.contact_id) }),
        text: payloadText(message.text),
        created_at: payloadText(Math.floor(message.msec_timestamp / 1000)),
        ...elementOf(message),
        type: message.is_outgoing ? 'outgoing' : 'incoming',
        author: message.is_outgoing ? writerOf(chat, users.get(message.user_id ?? 0)) : client,
        ...(message.is_outgoing && { recipient: client }),
        ...attachmentOf(message),
        origin: payloadText(chat.code),
        message_type: payloadText(message.type),
        ...(chat.source_id !== null && { source_id: payloadText(chat.source_id) }),
      }
    }
  },
}

/** The record of a message: the lead or the customer, or else the contact. */
function elementOf({ contact_id, entity_type, entity_id }: JournaledMessage): Payload {
  if (entity_type !== null)
    return {
      element_id: payloadText(entity_id),
      element_type: payloadText(elementTypes[entity_type]),
      entity_id: payloadText(entity_id),
      entity_type: singular[entity_type],
    }
  return contact_id === null
    ? {}
    : { element_id: payloadText(contact_id), element_type: payloadText(elementTypes.contacts) }
}

const writerOf = (chat: ChatOfMessage, user: Writer | undefined): Payload =>
  user
    ? {
        id: payloadText(user.amojo_id),
        type: 'internal',
        name: payloadText(user.name),
        user_id: payloadText(user.id),
      }
    : { id: payloadText(chat.bot_id), type: 'bot', name: payloadText(chat.bot_name) }

function attachmentOf({ type, content: { media, file_name } }: JournaledMessage): Payload {
  if (!media) return {}
  return { attachment: { type, link: payloadText(media), ...(file_name && { file_name }) } }
}

interface ChatOfMessage {
  id: number
  uid: string
  source_id: number | null
  code: string
  bot_id: string
  bot_name: string
  client_uid: string
  client_name: string
  avatar: string | null
}

export const chatsOfMessages = (accountId: number, ids: number[]) => sql`
  select chat.id, chat.uid, chat.source_id, channel.code, channel.bot_id, channel.bot_name, client.uid as client_uid,
         client.name as client_name, client.avatar
    from chats chat,
         lateral (select code, bot_id, bot_name from channels where id = chat.channel_id offset 0) channel,
         lateral (select uid, name, avatar from chat_clients
                   where account_id = ${accountId} and uid = chat.client_uid offset 0) client
   where chat.account_id = ${accountId} and chat.id = any(${ids}::bigint[])`

interface Writer {
  id: number
  amojo_id: string
  name: string
}

export const writersOf = (accountId: number, ids: number[]) => sql`
  select id, amojo_id, name from users where account_id = ${accountId} and id = any(${ids}::bigint[])`
