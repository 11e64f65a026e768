// The messages of a chat in their order, as the web application shows them, and those of a talk, as
// programs read them.
import type { Static } from 'typebox'
import { SelfLink } from '../../../../http/hal.ts'
import { Paging } from '../../../../http/paging.ts'
import { Type } from '../../../../http/type.ts'
import { Id, Nullable, Timestamp } from '../../../../http/types.ts'
import { Filter, Filters, TimeRange, times } from '../../../../records/lists/schema.ts'
import { attachmentMembers } from '../../../activity/files/schema.ts'
import { messageStatuses, messageTypes } from '../schema.ts'

const { Optional } = Type
const Uuid = Type.String({ format: 'uuid' })
const MessageTypeName = Type.Enum([...messageTypes])
const Milliseconds = Type.Integer({
  minimum: 0,
  description: 'Milliseconds: the place in the chat',
})

const shown = {
  msgid: Nullable(Type.String({ description: 'The name that the channel has for the message' })),
  type: MessageTypeName,
  text: Type.String(),
  ...attachmentMembers,
  location: Nullable(Type.Object({ lon: Type.Number(), lat: Type.Number() })),
  contact: Nullable(Type.Object({ name: Type.String(), phone: Type.String() })),
  is_outgoing: Type.Boolean(),
  author: Type.Object({
    type: Type.Enum(['client', 'user', 'bot']),
    id: Nullable(Uuid),
    name: Nullable(Type.String()),
    user_id: Nullable(Id),
  }),
  status: Nullable(Type.Enum([...messageStatuses])),
  error_code: Nullable(Type.Integer()),
  error: Nullable(Type.String()),
  reactions: Type.Array(Type.Object({ user: Type.String(), emoji: Type.String() })),
  msec_timestamp: Milliseconds,
  talk_id: Nullable(Id),
}

/** A message in a thread. */
export const ThreadMessage = Type.Object({
  id: Id,
  message_id: Type.String({ ...Uuid, description: 'The id in the public interface' }),
  ...shown,
  can_send_again: Type.Boolean(),
  reply_to: Nullable(
    Type.Object({
      id: Id,
      text: Type.String({ description: 'The first 200 characters' }),
      type: MessageTypeName,
    }),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
})

/** A message of a talk. */
export const ListedMessage = Type.Object({
  id: Uuid,
  ...shown,
  created_at: Type.Integer({ ...Timestamp, description: 'When it was written' }),
})

const Cursor = (which: string) =>
  Optional(
    Type.String({
      pattern: '^[0-9]{1,15}\\.[0-9]{1,16}$',
      description: `Messages ${which} one: its \`msec_timestamp\` and its \`id\`, joined by a point`,
    }),
  )

export const ThreadQuery = Type.Object(
  {
    limit: Optional(
      Type.Integer({
        minimum: 1,
        description: 'Messages: 50 by default, 250 at most. A larger number counts as the maximum',
      }),
    ),
    before: Cursor('before'),
    after: Cursor('after'),
  },
  { additionalProperties: false },
)
export type ThreadQuery = Static<typeof ThreadQuery>

const { self } = SelfLink.properties

/** A page of a thread, the oldest message first. */
export const ThreadPage = Type.Object({
  _links: Type.Object({ self, older: Optional(self), newer: Optional(self) }),
  _embedded: Type.Object({ messages: Type.Array(ThreadMessage) }),
})

export const TalkMessageQuery = Type.Object(
  {
    ...Paging,
    filter: Optional(Filters({ created_at: Filter(TimeRange, times('created_at')) })),
  },
  { additionalProperties: true },
)
export type TalkMessageQuery = Static<typeof TalkMessageQuery>
