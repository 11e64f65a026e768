// Talks, as programs read and close them (interface: Talk).
import type { Static } from 'typebox'
import { SelfLink } from '../../../../http/hal.ts'
import { Paging } from '../../../../http/paging.ts'
import { Type } from '../../../../http/type.ts'
import { Id, Nullable, Timestamp } from '../../../../http/types.ts'
import { Filter, Filters, Ids, several } from '../../../../records/lists/schema.ts'
import { Linked } from '../../../../records/schema.ts'

const closed = { additionalProperties: false }
const { Optional } = Type

const AtMostOne = Type.Array(Linked, { maxItems: 1 })

/** A stretch of a chat. */
export const Talk = Type.Object({
  talk_id: Id,
  created_at: Timestamp,
  updated_at: Timestamp,
  rate: Type.Integer({ description: '0 where nobody rated the talk' }),
  contact_id: Nullable(Id),
  chat_id: Type.String({ format: 'uuid' }),
  entity_id: Nullable(Id),
  entity_type: Nullable(Type.Enum(['lead', 'customer'])),
  is_in_work: Type.Boolean(),
  is_read: Type.Boolean(),
  origin: Type.String({ description: 'The code of the channel' }),
  missed_at: Nullable(Timestamp),
  status: Type.Enum(['in_work', 'closed']),
  source_id: Nullable(Id),
  account_id: Id,
  _links: SelfLink,
  _embedded: Type.Object({ contacts: AtMostOne, leads: AtMostOne, customers: AtMostOne }),
})

export const TalkQuery = Type.Object(
  {
    ...Paging,
    filter: Optional(
      Filters({
        talk_id: Filter(Ids, several('talk_id', 'id')),
        contact_id: Filter(Ids, several('contact_id', 'id')),
        entity_id: Filter(Ids, `${several('entity_id', 'id')}. Needs filter[entity_type]`),
        entity_type: Filter(
          Type.Enum(['lead', 'leads', 'customer', 'customers']),
          'filter[entity_type]=lead or customer',
        ),
        only_in_work: Filter(Type.Boolean(), 'filter[only_in_work]=1 for talks that are open'),
      }),
    ),
  },
  { additionalProperties: true },
)
export type TalkFilter = NonNullable<Static<typeof TalkQuery>['filter']>

export const TalkClosing = Optional(
  Type.Object(
    {
      force_close: Optional(
        Type.Boolean({ description: 'Accepted and without effect: no bot asks before the end' }),
      ),
    },
    closed,
  ),
)
