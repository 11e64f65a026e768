// The chat protocol, strictly typed (interface: Chat messages), and the content of messages.
import type { Static } from 'typebox'
import { faultAt } from '../../../http/problem.ts'
import type { Fault } from '../../../http/problem.ts'
import { Type } from '../../../http/type.ts'
import { Nullable, Text, Timestamp } from '../../../http/types.ts'

const closed = { additionalProperties: false }
const open = { additionalProperties: true }
const { Optional } = Type
const Uuid = Type.String({ format: 'uuid' })

/** The most characters of a message. */
export const longestText = 20_000
/** Ids and names that a channel gives. */
const Given = Type.String({ minLength: 1, maxLength: 255 })
const Address = Type.String({ maxLength: 4096, pattern: '^https?://[^\\s]+$' })
const Milliseconds = Type.Integer({
  minimum: 0,
  maximum: 253_402_300_799_999,
  description: 'Since 1970',
})

/** Voice and audio are types of newer channels (interface: Chat messages). */
export const messageTypes = [
  'text',
  'picture',
  'video',
  'file',
  'sticker',
  'voice',
  'audio',
  'contact',
  'location',
] as const
export type MessageType = (typeof messageTypes)[number]

/** The states of an outgoing message: being sent, taken by its channel, and then what the channel tells. */
export const messageStatuses = ['sending', 'sent', 'delivered', 'read', 'error'] as const
export type MessageStatus = (typeof messageStatuses)[number]

/** The types that are nothing without media. */
export const mediaTypes: readonly MessageType[] = [
  'picture',
  'video',
  'file',
  'sticker',
  'voice',
  'audio',
]

/** The most members of an object that is kept as it was sent, and the most characters of its JSON. */
const mostMembers = 40
const longestKept = 65_536
const kept = { ...open, maxProperties: mostMembers }

/** A message that another one quotes or forwards: known by its ids, or told in full. */
const Quoted = Type.Object(
  { id: Optional(Text(255)), msgid: Optional(Text(255)), text: Optional(Text(longestText)) },
  kept,
)

/** The members of a message besides its type and text, kept as they were sent. */
export const MessageContent = Type.Object({
  media: Optional(Address),
  thumbnail: Optional(Address),
  file_name: Optional(Text(255)),
  file_size: Optional(
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'In bytes' }),
  ),
  media_duration: Optional(Type.Integer({ minimum: 0, description: 'In seconds' })),
  media_group_id: Optional(Text(255)),
  sticker_id: Optional(Text(255)),
  location: Optional(
    Type.Object(
      {
        lon: Type.Number({ minimum: -180, maximum: 180 }),
        lat: Type.Number({ minimum: -90, maximum: 90 }),
      },
      closed,
    ),
  ),
  contact: Optional(Type.Object({ name: Text(255), phone: Text(255) }, closed)),
  callback_data: Optional(Text(4096)),
  shared_post: Optional(Type.Object({}, kept)),
  post: Optional(Type.Object({}, kept)),
  reply_to: Optional(Type.Object({ message: Quoted }, kept)),
  forwards: Optional(Type.Object({ messages: Type.Array(Quoted, { maxItems: 1 }) }, kept)),
})
export type MessageContent = Static<typeof MessageContent>

const { reply_to, forwards, ...contentOfMessage } = MessageContent.properties

/** The state of an outgoing message that an edit may carry. */
const EditedStatus = Type.Object(
  {
    status_code: Type.Enum([1, 2, -1], { description: '1 delivered, 2 read, -1 error' }),
    error_code: Optional(Type.Integer({ minimum: 901, maximum: 905 })),
    error: Optional(Text(1000)),
  },
  closed,
)

const ChatPerson = Type.Object(
  {
    id: { ...Given, description: 'The name of the person at the channel' },
    ref_id: Optional({
      ...Uuid,
      description: 'Of a user: the `amojo_id`. Of the bot of the channel: its id',
    }),
    name: Given,
    avatar: Optional(Address),
    profile_link: Optional(Text(4096)),
    profile: Optional(
      Type.Object({ phone: Optional(Text(255)), email: Optional(Text(255)) }, closed),
    ),
  },
  closed,
)
export type ChatPerson = Static<typeof ChatPerson>

/** A user or the bot needs no more than a `ref_id` (faultsOfSender). */
const MessageSender = Type.Object(
  {
    ...ChatPerson.properties,
    id: Optional({ ...ChatPerson.properties.id, description: 'Required of a client' }),
    name: Optional({ ...Given, description: 'Required of a client' }),
  },
  closed,
)
export type MessageSender = Static<typeof MessageSender>

const SentMessage = Type.Object(
  {
    type: Type.Enum(messageTypes),
    text: Optional(Text(longestText)),
    ...contentOfMessage,
    delivery_status: Optional(EditedStatus),
  },
  closed,
)
export type SentMessage = Static<typeof SentMessage>

const Source = Optional(
  Type.Object(
    { external_id: Type.String({ minLength: 1, maxLength: 40, pattern: '^[ -~]+$' }) },
    closed,
  ),
)

const PublishedPayload = Type.Object(
  {
    timestamp: { ...Timestamp, description: 'When the message was written' },
    msec_timestamp: Optional({
      ...Milliseconds,
      description: 'The order in the conversation; `timestamp` in milliseconds by default',
    }),
    msgid: Optional({ ...Given, description: 'The name of the message, unique in the scope' }),
    id: Optional({ ...Uuid, description: 'Of an edit: the id that the publication answered' }),
    conversation_id: Optional(Given),
    conversation_ref_id: Optional({
      ...Uuid,
      description: 'A chat that was begun here: it gets this conversation_id',
    }),
    silent: Optional(
      Type.Boolean({ description: 'An import: no notice, and no item. false by default' }),
    ),
    source: Source,
    sender: Optional(MessageSender),
    receiver: Optional({
      ...ChatPerson,
      description: 'Only of messages to the client, which a user or the bot has written',
    }),
    message: SentMessage,
    reply_to,
    forwards,
  },
  closed,
)
export type PublishedPayload = Static<typeof PublishedPayload>

export const PublicationBody = Type.Object(
  { event_type: Type.Enum(['new_message', 'edit_message']), payload: PublishedPayload },
  closed,
)
export type PublicationBody = Static<typeof PublicationBody>

/** A new message, whose fields are known to be there. */
export interface NewMessage extends PublishedPayload {
  msgid: string
  conversation_id: string
  sender: MessageSender
}

const missing = (path: string): Fault => ({
  code: 'FieldMissing',
  path,
  detail: 'This field is missing.',
})

/** The member that a message of its type lacks; undefined: none. */
export function missingOfType({
  type,
  text = '',
  media,
  location,
  contact,
}: SentMessage): string | undefined {
  if (type === 'text' && text.trim() === '') return 'message.text'
  if (mediaTypes.includes(type) && media === undefined) return 'message.media'
  if (type === 'location' && location === undefined) return 'message.location'
  return type === 'contact' && contact === undefined ? 'message.contact' : undefined
}

/**
 * The keys that a sender lacks. The `ref_id` alone names a user or the bot, who write to the client of
 * `receiver`; anybody else has a name at the channel.
 */
export function faultsOfSender({ sender, receiver }: PublishedPayload): string[] {
  if (!sender || (receiver && sender.ref_id !== undefined)) return []
  return (['id', 'name'] as const)
    .filter((key) => sender[key] === undefined)
    .map((key) => `sender.${key}`)
}

/** The faults of a publication that no single field shows: what its event or its type lacks. */
export function faultsOfPublication({ event_type, payload }: PublicationBody): Fault[] {
  const { msgid, id, conversation_id, sender, message } = payload
  const isNew = event_type === 'new_message'
  const isEmpty = message.text !== undefined && message.text.trim() === ''
  const lacking = [
    isNew && msgid === undefined && 'msgid',
    !isNew && msgid === undefined && id === undefined && 'msgid',
    isNew && conversation_id === undefined && 'conversation_id',
    isNew && sender === undefined && 'sender',
    ...faultsOfSender(payload),
    isNew && missingOfType(message),
    !isNew && message.type === 'text' && isEmpty && 'message.text',
  ]
  const unexpected: Fault = {
    code: 'FieldNotExpected',
    path: 'payload.message.delivery_status',
    detail: 'Only an edit carries a delivery status.',
  }
  const objects = {
    reply_to: payload.reply_to,
    forwards: payload.forwards,
    'message.post': message.post,
    'message.shared_post': message.shared_post,
  }
  const long = Object.entries(objects).filter(
    ([, value]) => value !== undefined && JSON.stringify(value).length > longestKept,
  )
  return [
    ...lacking.flatMap((path) => (path ? [missing(`payload.${path}`)] : [])),
    ...(isNew && message.delivery_status ? [unexpected] : []),
    ...long.map(([path]) =>
      faultAt(
        `payload.${path}`,
        'TooLong',
        `This value should have ${longestKept} characters or less as JSON.`,
        longestKept,
      ),
    ),
  ]
}

/** The path of the methods that a channel calls for a connected account. */
export const ScopePath = Type.Object({ scope_id: Type.String() })

const answered = {
  conversation_id: { ...Uuid, description: 'The chat' },
  sender_id: Uuid,
  receiver_id: Nullable(Uuid),
  msgid: { ...Uuid, description: 'The id of the message, which delivery statuses and edits name' },
  ref_id: Nullable(Type.String({ description: 'The msgid of the channel' })),
}
export const PublicationAnswer = Type.Object({
  new_message: Type.Object(answered),
})
export type AnsweredMessage = Static<typeof PublicationAnswer>['new_message']

const ChatUser = Type.Object(
  {
    id: Given,
    name: Given,
    avatar: Optional(Address),
    profile: ChatPerson.properties.profile,
    profile_link: Optional(Text(4096)),
    ref_id: Optional(Uuid),
  },
  closed,
)

export const NewChatBody = Type.Object(
  { conversation_id: Given, user: ChatUser, source: Source },
  closed,
)
export type NewChatBody = Static<typeof NewChatBody>

export const NewChatAnswer = Type.Object({
  id: Uuid,
  user: Type.Object({
    id: Uuid,
    client_id: Type.String(),
    name: Type.String(),
    avatar: Type.String(),
    phone: Type.String(),
    email: Type.String(),
  }),
})

export const TypingBody = Type.Object(
  {
    conversation_id: Given,
    sender: Type.Object({ id: Given }, open),
    duration_ms: Optional(Type.Integer({ minimum: 1, maximum: 60_000 })),
  },
  closed,
)
export type TypingBody = Static<typeof TypingBody>

export const ReactionBody = Type.Object(
  {
    conversation_id: Optional(Given),
    conversation_ref_id: Optional(Uuid),
    id: Optional(Uuid),
    msgid: Optional(Given),
    user: Type.Object({ id: Optional(Given), ref_id: Optional(Uuid) }, open),
    type: Type.Enum(['react', 'unreact']),
    emoji: Optional(Type.String({ minLength: 1, maxLength: 32 })),
  },
  closed,
)
export type ReactionBody = Static<typeof ReactionBody>

export function faultsOfReaction(body: ReactionBody): Fault[] {
  const lacking = [
    body.id === undefined && body.msgid === undefined && 'id',
    body.user.id === undefined && body.user.ref_id === undefined && 'user.id',
    body.type === 'react' && body.emoji === undefined && 'emoji',
  ]
  return lacking.flatMap((path) => (path ? [missing(path)] : []))
}

export const HistoryPath = Type.Object({
  scope_id: Type.String(),
  conversation_ref_id: Type.String(),
})
export const HistoryQuery = Type.Object(
  {
    offset: Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
    limit: Optional(Type.Integer({ minimum: 1, description: '50 at most, and by default' })),
  },
  { additionalProperties: true },
)

const Person = Type.Object({
  id: Uuid,
  name: Type.String(),
  client_id: Optional(Type.String()),
  avatar: Optional(Type.String()),
  phone: Optional(Type.String()),
  email: Optional(Type.String()),
})
export const History = Type.Object({
  messages: Type.Array(
    Type.Object({
      timestamp: Timestamp,
      msec_timestamp: Milliseconds,
      sender: Person,
      receiver: Optional(Person),
      message: Type.Object({
        id: Uuid,
        client_id: Optional(Type.String()),
        type: Type.Enum(messageTypes),
        text: Type.String(),
        media: Type.String(),
        thumbnail: Type.String(),
        file_name: Type.String(),
        file_size: Type.Integer(),
        media_group_id: Optional(Type.String()),
        location: Optional(Type.Object({ lon: Type.Number(), lat: Type.Number() })),
        contact: Optional(Type.Object({ name: Type.String(), phone: Type.String() })),
      }),
    }),
    { description: 'Newest first' },
  ),
})
