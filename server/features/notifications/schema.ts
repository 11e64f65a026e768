import type { Static } from 'typebox'
import { SelfLink } from '../../http/hal.ts'
import { Paging } from '../../http/paging.ts'
import { Type } from '../../http/type.ts'
import { CommaList, Id, Timestamp } from '../../http/types.ts'
import { Filters } from '../../records/lists/schema.ts'

/** What notifications are about. */
export const notificationKinds = ['webhook_failing', 'webhook_disabled'] as const
export type NotificationKind = (typeof notificationKinds)[number]

const Values = Type.Object({
  webhook_id: Id,
  destination: Type.String(),
  invalid_answers: Type.Integer({ description: 'Within the last two hours, at that time' }),
})
export type NotificationValues = Static<typeof Values>

export const Notification = Type.Object({
  id: Id,
  kind: Type.Enum([...notificationKinds], {
    description:
      '`webhook_failing` at 50, 70 and 90 invalid answers, `webhook_disabled` at more than 100',
  }),
  values: Values,
  is_read: Type.Boolean(),
  created_at: Timestamp,
  _links: Type.Object({
    ...SelfLink.properties,
    about: Type.Object(
      { href: Type.String({ format: 'uri' }) },
      { description: 'What it is about, which may be gone' },
    ),
  }),
})

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
