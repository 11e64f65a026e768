// The inbox of the web application: conversations in the order in which they want an answer.
import type { Static } from 'typebox'
import { SelfLink } from '../../../../http/hal.ts'
import { Paging } from '../../../../http/paging.ts'
import { Type } from '../../../../http/type.ts'
import { Id, Nullable, Timestamp } from '../../../../http/types.ts'
import { Filter, Filters } from '../../../../records/lists/schema.ts'

const closed = { additionalProperties: false }
const { Optional } = Type
const Uuid = Type.String({ format: 'uuid' })
/** Milliseconds since 1970. */
const Milliseconds = Type.Integer({ minimum: 0 })

export const inboxTabs = ['open', 'mine', 'unassigned', 'closed', 'all'] as const
export type InboxTab = (typeof inboxTabs)[number]

const filters = {
  channel_id: Filter(Uuid, 'filter[channel_id]=<id of a channel>'),
  contact_id: Filter(Id, 'filter[contact_id]=<id of a contact>'),
  entity_type: Filter(Type.Enum(['leads', 'customers']), 'filter[entity_type]=leads or customers'),
  entity_id: Filter(Id, 'filter[entity_id]=<id>, with filter[entity_type]'),
  is_unread: Filter(Type.Boolean(), 'filter[is_unread]=true or false'),
}

export const InboxQuery = Type.Object(
  {
    ...Paging,
    tab: Optional(
      Type.Enum([...inboxTabs], {
        description:
          'open: chats with a talk in work (the default); mine: those whose lead or customer, or else whose contact, the user is responsible for; unassigned: those with an unsorted item that waits; closed: the others; all',
      }),
    ),
    order: Optional(
      Type.Enum(['waiting', 'newest'], {
        description:
          'waiting: the longest unanswered first, then the latest message; for open chats alone, and their default. newest: the latest message first',
      }),
    ),
    query: Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'A part of the name of the client',
      }),
    ),
    filter: Optional(Filters(filters)),
  },
  closed,
)
export type InboxQuery = Static<typeof InboxQuery>

/** A chat in the inbox. */
export const InboxChat = Type.Object({
  id: Id,
  chat_id: Type.String({ ...Uuid, description: 'The id of the chat in the public interface' }),
  channel: Type.Object({
    id: Uuid,
    code: Type.String(),
    title: Type.String({ description: 'The name of the connection, else of the channel' }),
    is_connected: Type.Boolean(),
  }),
  client: Type.Object({
    id: Uuid,
    client_id: Nullable(
      Type.String({ description: 'The name that the channel has for the client' }),
    ),
    name: Type.String(),
    avatar: Nullable(Type.String()),
    phone: Nullable(Type.String()),
    email: Nullable(Type.String()),
  }),
  contact_id: Nullable(Id),
  entity_type: Nullable(Type.Enum(['leads', 'customers'])),
  entity_id: Nullable(Id),
  unsorted_uid: Nullable(Type.String({ description: 'The unsorted item that waits' })),
  talk_id: Nullable(Id),
  is_in_work: Type.Boolean(),
  unread: Type.Integer({ description: 'Messages of the client since the last read mark' }),
  waiting_since: Nullable(
    Type.Integer({ ...Milliseconds, description: 'Milliseconds: the first unread message' }),
  ),
  last_at: Type.Integer({ ...Milliseconds, description: 'Milliseconds: the latest message' }),
  last_message: Nullable(
    Type.Object({
      id: Id,
      type: Type.String(),
      text: Type.String({ description: 'The first 200 characters' }),
      is_outgoing: Type.Boolean(),
      status: Nullable(Type.String()),
      msec_timestamp: Milliseconds,
    }),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
  _links: SelfLink,
})

const Count = Type.Object({
  count: Type.Integer({
    maximum: 2000,
    description:
      'Among the first 2001 open chats of the account, those in this tab that the user sees',
  }),
  is_more: Type.Boolean({
    description:
      'The account has further open chats, which are not counted: the user sees at least `count`',
  }),
})

export const InboxCounts = Type.Object({
  open: Count,
  mine: Count,
  unassigned: Count,
  unread: Count,
})
export type InboxCounts = Static<typeof InboxCounts>

export const ReadMark = Type.Optional(
  Type.Object(
    {
      up_to: Optional(
        Type.Integer({
          ...Id,
          'x-null-refused': true,
          description: 'The last message that was read; all, if left out',
        }),
      ),
    },
    closed,
  ),
)
export type ReadMark = Static<typeof ReadMark>
