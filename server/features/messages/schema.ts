// The chat protocol, strictly typed (specification, Chat channel; chats reference, 3), and messages as
// the web application sees them.
import { Type } from 'typebox'
import type { Static } from 'typebox'
import { Text, Timestamp } from '../../http/types.ts'

const closed = { additionalProperties: false }
const { Optional } = Type
const Uuid = Type.String({ format: 'uuid' })

/** The most characters of a message. */
export const longestText = 20_000
/** The most characters of names that a channel gives. */
const Named = Type.String({ minLength: 1, maxLength: 255 })
const Address = Type.String({ maxLength: 4096, pattern: '^https?://[^\\s]+$' })
/** Milliseconds since 1970. */
const Milliseconds = Type.Integer({ minimum: 0, maximum: 253_402_300_799_999 })

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

/** The types that need an address of media. */
export const mediaTypes: readonly MessageType[] = [
  'picture',
  'video',
  'file',
  'sticker',
  'voice',
  'audio',
]

const location = Type.Object({ lon: Type.Number(), lat: Type.Number() }, closed)
const contact = Type.Object({ name: Text(255), phone: Text(255) }, closed)

/** The members of a message besides its type and text. Those that a channel sends are kept as sent. */
const contentMembers = {
  media: Optional(Type.String({ maxLength: 4096 })),
  file_name: Optional(Text(255)),
  file_size: Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  media_duration: Optional(Type.Integer({ minimum: 0 })),
  sticker_id: Optional(Text(255)),
  location: Optional(location),
  contact: Optional(contact),
  callback_data: Optional(Text(4096)),
}
export const MessageContent = Type.Object(contentMembers)
export type MessageContent = Static<typeof MessageContent>

export { Address, Milliseconds, Named, Timestamp, Uuid, closed, contentMembers }
