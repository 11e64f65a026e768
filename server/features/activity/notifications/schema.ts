import type { Static } from 'typebox'
import { SelfLink } from '../../../http/hal.ts'
import { Paging } from '../../../http/paging.ts'
import { Type } from '../../../http/type.ts'
import { entityTypes } from '../../../entity-types.ts'
import { CommaList, Id, Nullable, Timestamp } from '../../../http/types.ts'
import { Filters } from '../../../records/lists/schema.ts'

/** The subjects of notifications. */
const notificationKinds = ['webhook_failing', 'webhook_disabled', 'mention'] as const
export type NotificationKind = (typeof notificationKinds)[number]

const WebhookValues = Type.Object({
  webhook_id: Id,
  destination: Type.String(),
  invalid_answers: Type.Integer({ description: 'Within the last two hours, at that time' }),
})
export type WebhookValues = Static<typeof WebhookValues>

const MentionValues = Type.Object({
  about: Type.String({ description: '`note 12` or `task 4`' }),
  entity_type: Nullable(Type.Enum([...entityTypes])),
  entity_id: Nullable(Id),
  entity_name: Nullable(
    Type.String({ description: 'Null where the user may not view the record' }),
  ),
  text: Nullable(
    Type.String({
      description: 'The first 200 characters; null where the user may not view it any more',
    }),
  ),
  by: Type.Integer({ minimum: 0, description: 'The author' }),
  by_name: Nullable(Type.String({ description: 'At that time; null: no user' })),
})
export type MentionValues = Static<typeof MentionValues>

const shared = {
  id: Id,
  is_read: Type.Boolean(),
  created_at: Timestamp,
  _links: Type.Object({
    ...SelfLink.properties,
    about: Type.Object(
      { href: Type.String({ format: 'uri' }) },
      { description: 'What it is about, which may be gone' },
    ),
  }),
}

export const Notification = Type.Union([
  Type.Object({
    ...shared,
    kind: Type.Enum(['webhook_failing', 'webhook_disabled'], {
      description:
        '`webhook_failing` at 50, 70 and 90 invalid answers, `webhook_disabled` at more than 100',
    }),
    values: WebhookValues,
  }),
  Type.Object({
    ...shared,
    kind: Type.Enum(['mention'], { description: 'A note or a task names the user' }),
    values: MentionValues,
  }),
])

export const NotificationQuery = Type.Object(
  {
    ...Paging,
    filter: Type.Optional(
      Filters({
        is_read: Type.Optional(CommaList(Type.Boolean(), 2, 1)),
      }),
    ),
  },
  { additionalProperties: true },
)

export const ReadNotifications = Type.Object(
  {
    ids: Type.Optional(Type.Array(Id, { maxItems: 250 })),
    up_to: Type.Optional(
      Type.Integer({ ...Id, description: 'Marks this notification and all earlier ones' }),
    ),
    all: Type.Optional(Type.Literal(true, { description: 'Marks all that there are' })),
  },
  { additionalProperties: false, minProperties: 1 },
)
export type ReadNotifications = Static<typeof ReadNotifications>

export const UnreadCount = Type.Object({ unread: Type.Integer(), _links: SelfLink })
