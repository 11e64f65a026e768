import type { Static } from 'typebox'
import { SelfLink } from '../../../../http/hal.ts'
import type { Fault } from '../../../../http/problem.ts'
import { Type } from '../../../../http/type.ts'
import { Id, Name, Nullable, Text, Timestamp } from '../../../../http/types.ts'
import { longestText, MessageContent, messageStatuses, messageTypes } from '../schema.ts'

const closed = { additionalProperties: false }
const Uuid = Type.String({ format: 'uuid' })
const { Optional } = Type

export const MessageDraft = Type.Object(
  {
    text: Optional(
      Type.String({
        ...Text(longestText),
        description: 'At most 20,000 characters; a message without a file needs it',
      }),
    ),
    file_id: Optional(
      Type.Integer({ ...Id, description: 'A file that the caller uploaded: `POST /web/v1/files`' }),
    ),
    reply_to: Optional(
      Type.Integer({ ...Id, description: 'The id of the message of the chat that this answers' }),
    ),
    template_id: Optional(
      Type.Integer({ ...Id, description: 'Ignored: the web application has made the text of it' }),
    ),
  },
  closed,
)
export type MessageDraft = Static<typeof MessageDraft>

/** A message says something, or brings a file. */
export function faultsOfDraft({ text = '', file_id }: MessageDraft): Fault[] {
  if (text.trim() !== '' || file_id !== undefined) return []
  return [{ code: 'FieldMissing', path: 'text', detail: 'This field is missing.' }]
}

/** A message that was written in the account, as it is now. */
export const OutgoingMessage = Type.Object({
  id: Id,
  uid: Type.String({ ...Uuid, description: 'The id that channels and the public interface use' }),
  chat_id: Id,
  talk_id: Nullable(Id),
  is_outgoing: Type.Boolean(),
  user_id: Nullable(Type.Integer({ ...Id, description: 'null: the bot of the channel' })),
  contact_id: Nullable(Id),
  entity_type: Nullable(Type.Enum(['leads', 'customers'])),
  entity_id: Nullable(Id),
  type: Type.Enum([...messageTypes]),
  text: Type.String(),
  content: MessageContent,
  file_id: Nullable(Type.Integer({ ...Id, description: 'The attached file' })),
  reply_to: Nullable(Id),
  msec_timestamp: Type.Integer({ description: 'Milliseconds: its place in the chat' }),
  status: Type.Enum([...messageStatuses]),
  error_code: Nullable(Type.Integer({ description: '901 to 905' })),
  error: Nullable(Type.String({ description: 'Why it could not be delivered, for people' })),
  created_at: Timestamp,
  updated_at: Timestamp,
  _links: SelfLink,
})
export type OutgoingMessage = Omit<Static<typeof OutgoingMessage>, '_links'>

/** A chat that a user begins. */
export const ChatDraft = Type.Object(
  {
    channel_id: Type.String({ ...Uuid, description: 'A channel that the account is connected to' }),
    contact_id: Id,
    phone: Optional(
      Type.String({ ...Name(255), description: 'The first phone of the contact by default' }),
    ),
    email: Optional(
      Type.String({ ...Name(255), description: 'The first e-mail of the contact by default' }),
    ),
    name: Optional(
      Type.String({ ...Name(255), description: 'The name of the contact by default' }),
    ),
  },
  closed,
)
export type ChatDraft = Static<typeof ChatDraft>

/** The most contacts that are asked about at once. */
export const mostOpenings = 50

export const OpeningQuery = Type.Object(
  {
    contacts: Type.String({
      pattern: `^[1-9][0-9]{0,14}(,[1-9][0-9]{0,14}){0,${mostOpenings - 1}}$`,
      description: `Ids of contacts, joined by commas, ${mostOpenings} at most`,
    }),
  },
  closed,
)

/** A way to begin a chat, whether or not the contact has one there already. */
export const ChatOpening = Type.Object({
  channel_id: Uuid,
  title: Type.String({ description: 'The name of the connection, else of the channel' }),
  contact_id: Id,
})
export type ChatOpening = Static<typeof ChatOpening>

export const StartedChat = Type.Object({
  id: Id,
  chat_id: Type.String({
    ...Uuid,
    description: 'The id that channels and the public interface use',
  }),
  channel_id: Uuid,
  contact_id: Id,
  entity_type: Nullable(Type.Enum(['leads', 'customers'])),
  entity_id: Nullable(Id),
  _links: SelfLink,
})
export type StartedChat = Omit<Static<typeof StartedChat>, '_links'>

export const TalkMessage = Type.Object(
  { text: Type.String({ ...Name(longestText), description: 'At most 20,000 characters' }) },
  closed,
)

export const SentToTalk = Type.Object({
  id: Type.String({ ...Uuid, description: 'The message' }),
})

/** The path of the delivery status. Text that names no message leads to 404. */
export const DeliveryStatusPath = Type.Object({
  scope_id: Type.String(),
  msgid: Type.String({ description: '`message.message.id` of the callback' }),
})

const ReportedStatusCode = Type.Enum([1, 2, -1], { description: '1 delivered, 2 read, -1 error' })

/** The delivery status as the protocol has it. Newer programs write `status_code`. */
export const DeliveryStatus = Type.Object(
  {
    msgid: Optional(Type.String({ ...Uuid, description: 'As in the path' })),
    delivery_status: Optional(ReportedStatusCode),
    status_code: Optional(ReportedStatusCode),
    error_code: Optional(
      Type.Integer({
        minimum: 901,
        maximum: 905,
        description:
          'Required for -1. 901: the user deleted the conversation; 902: the integration is disabled; 903: internal error; ' +
          '904: the conversation cannot be created; 905: see `error`',
      }),
    ),
    error: Optional(
      Type.String({ ...Text(1000), description: 'Shown to the user; required for 905' }),
    ),
  },
  closed,
)
export type DeliveryStatus = Static<typeof DeliveryStatus>
