// The feed of a record: its notes, completed tasks, changes and messages in one order.
import type { Static } from 'typebox'
import { entityTypes } from '../../../entity-types.ts'
import { Type } from '../../../http/type.ts'
import { CommaList, Id, notBlank, Nullable } from '../../../http/types.ts'
import { longestQuery } from '../../../records/search/terms.ts'
import { UserId } from '../../../records/schema.ts'
import { ToldPurchase, Event, ToldLink } from '../../activity/events/schema.ts'
import { ThreadMessage } from '../../conversations/messages/messages.ts'
import { Note, NoteFile } from '../../activity/notes/schema.ts'
import { Task } from '../../activity/tasks/schema.ts'

/** The parts of the feed that can be asked for. */
export const feedParts = ['notes', 'tasks', 'calls', 'messages', 'changes'] as const
export type FeedPart = (typeof feedParts)[number]

/** Items of a page: usually, and at most. */
export const [usualFeedItems, mostFeedItems] = [30, 100]
/** The most items that are asked for by their keys. */
const mostKeys = 50

const FeedEntity = Type.Enum([...entityTypes])

export const FeedPath = Type.Object({ type: FeedEntity, id: Id })

const Cursor = (which: string) =>
  Type.Optional(
    Type.String({
      pattern: '^[0-9]{1,16}(?:\\.[0-3]\\.[0-9a-z]{1,26})?$',
      description: `Items ${which} the cursor of an answer`,
    }),
  )

export const FeedQuery = Type.Object(
  {
    before: Cursor('before'),
    after: Cursor('after'),
    keys: Type.Optional(
      CommaList(
        Type.String({ pattern: '^(?:(?:note|task|message) [1-9][0-9]{0,15}|event [0-9a-z]{26})$' }),
        mostKeys,
        1,
      ),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Items: 30 by default, 100 at most. A larger number counts as the maximum',
      }),
    ),
    kinds: Type.Optional(CommaList(Type.Enum([...feedParts]), feedParts.length, 1)),
    query: Type.Optional(
      Type.String({
        maxLength: longestQuery,
        pattern: notBlank,
        description: 'Words in the texts of notes, tasks, results and messages',
      }),
    ),
    only: Type.Optional(
      Type.Boolean({ description: 'Whether linked records and their chats are left out' }),
    ),
  },
  { additionalProperties: false },
)
export type FeedQuery = Static<typeof FeedQuery>

export const FeedItem = Type.Object({
  key: Type.String({ description: '`note 12`, `task 4`, `event 01h…` or `message 9`' }),
  kind: Type.Enum(['note', 'call', 'task', 'change', 'message']),
  at: Type.Integer({
    description:
      'Unix milliseconds: the place in the feed. Where a time has whole seconds, it is the end of its second',
  }),
  entity: Type.Object({ type: FeedEntity, id: Id, name: Type.String() }),
  created_by: UserId,
  may_edit: Type.Boolean(),
  note: Type.Optional(Type.Object({ ...Note.properties, file: Nullable(NoteFile) })),
  task: Type.Optional(Task),
  event: Type.Optional(Event),
  linked: Type.Optional(ToldLink),
  purchase: Type.Optional(ToldPurchase),
  message: Type.Optional(Type.Object({ chat_id: Id, ...ThreadMessage.properties })),
})
export type FeedItem = Static<typeof FeedItem>

export const FeedPage = Type.Object({
  items: Type.Array(FeedItem, { description: 'The oldest first' }),
  before: Nullable(
    Type.String({
      description:
        'The cursor of what is older; null where nothing is, and on answers to `after` and `keys`. ' +
        'A page may have fewer items than asked for, or none, before the feed ends: searching looks at a bounded number at a time',
    }),
  ),
  after: Nullable(
    Type.String({
      description:
        'The cursor of what is newer; null on answers to `keys`. At the end of the feed it lies a minute back, so that nothing is ' +
        'missed that arrives late: answers to it repeat items of that minute, which are known by their keys',
    }),
  ),
  pinned: Type.Optional(Type.Array(FeedItem, { description: 'The pinned notes' })),
  planned: Type.Optional(Type.Array(FeedItem, { description: 'The open tasks, by deadline' })),
})
export type FeedPage = Static<typeof FeedPage>
