// The bodies of callbacks (interface: Chat callbacks); pure. They are compact JSON without a line
// break at the end: programs hash what they read, some of them trimmed.
import type { ChannelConnection } from '../../../../access/channels.ts'
import type { MessageContent, MessageType } from '../schema.ts'

/** A person of a chat: the client, a user or the bot of the channel. */
export interface Person {
  /** In the chat service. */
  id: string
  /** The channel's name of a client; null where it has given none. */
  client_id: string | null
  name: string
  phone: string | null
  email: string | null
}

export interface CallbackMessage {
  uid: string
  /** The channel's name of the message. */
  msgid: string | null
  type: MessageType
  text: string
  content: MessageContent
  /** Milliseconds. */
  msec_timestamp: number
  is_outgoing: boolean
  /** The user who wrote it; null: the client, or the bot. */
  user: Pick<Person, 'id' | 'name'> | null
}

/** A message as its callback needs it, with its chat. */
export interface CallbackFacts extends CallbackMessage {
  chat_uid: string
  conversation_id: string | null
  /** `external_id` of the source of the chat. */
  source: string | null
  client: Person
  reply_to: CallbackMessage | null
}

type Channel = Pick<ChannelConnection, 'amojoId' | 'hook_api_version' | 'bot'>

/**
 * The body of the callback that tells a channel of a message, at a time in Unix seconds. Undefined
 * where version 1 has no words for it: the channel has not named the chat.
 */
export function callbackBody(
  channel: Channel,
  message: CallbackFacts,
  at: number,
): string | undefined {
  if (channel.hook_api_version === 'v2') return JSON.stringify(bodyOfVersion2(channel, message, at))
  const { conversation_id, client } = message
  if (conversation_id === null || client.client_id === null) return undefined
  return JSON.stringify(bodyOfVersion1(message))
}

function bodyOfVersion1({ client, conversation_id, ...message }: CallbackFacts) {
  const { type, ...content } = contentOf(message, typesOfVersion1)
  return {
    receiver: client.client_id,
    conversation_id,
    type,
    ...content,
    msec_timestamp: message.msec_timestamp,
  }
}

function bodyOfVersion2(channel: Channel, message: CallbackFacts, at: number) {
  const { client, source, reply_to } = message
  return {
    account_id: channel.amojoId,
    time: at,
    message: {
      receiver: {
        id: client.id,
        phone: client.phone ?? '',
        email: client.email ?? '',
        client_id: client.client_id ?? '',
        name: client.name,
      },
      sender: writerOf(channel, message),
      conversation: { id: message.chat_uid, client_id: message.conversation_id ?? '' },
      ...(source !== null && { source: { external_id: source } }),
      timestamp: secondsOf(message),
      msec_timestamp: message.msec_timestamp,
      message: {
        id: message.uid,
        ...contentOf(message, typesOfVersion2),
        tag: '',
        ...(reply_to && { reply_to: { message: embedded(channel, client, reply_to) } }),
      },
    },
  }
}

/** A message that another one answers. Those who wrote and got it have neither phone nor e-mail. */
function embedded(channel: Channel, client: Person, message: CallbackMessage) {
  const outside = { id: client.id, client_id: client.client_id ?? '', name: client.name }
  return {
    id: message.uid,
    ...(message.msgid !== null && { msgid: message.msgid }),
    ...contentOf(message, typesOfVersion2),
    timestamp: secondsOf(message),
    msec_timestamp: message.msec_timestamp,
    sender: message.is_outgoing ? writerOf(channel, message) : outside,
    ...(message.is_outgoing && { receiver: outside }),
  }
}

const writerOf = ({ bot }: Channel, { user }: CallbackMessage) => {
  const { id, name } = user ?? bot
  return { id, name }
}

const secondsOf = ({ msec_timestamp }: CallbackMessage) => Math.floor(msec_timestamp / 1000)

const typesOfVersion1: readonly MessageType[] = ['text', 'picture', 'file']
const typesOfVersion2: readonly MessageType[] = [
  ...typesOfVersion1,
  'video',
  'voice',
  'audio',
  'sticker',
]

/** The type as the version knows it, and the content; what a message lacks is '' or 0. */
function contentOf(
  { type, text, content }: Pick<CallbackMessage, 'type' | 'text' | 'content'>,
  types: readonly MessageType[],
) {
  const { media = '', thumbnail, file_name = '', file_size = 0 } = content
  return {
    type: types.includes(type) ? type : media === '' ? 'text' : 'file',
    text,
    media,
    // A picture stands for itself.
    thumbnail: thumbnail ?? (type === 'picture' ? media : ''),
    file_name,
    file_size,
  }
}
