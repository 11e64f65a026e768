import type { Static } from 'typebox'
import { SelfLink } from '../../../../http/hal.ts'
import { Paging } from '../../../../http/paging.ts'
import { Type } from '../../../../http/type.ts'
import { CommaList, Id, Nullable, Timestamp } from '../../../../http/types.ts'
import { Filter, Filters, several, TimeRange, times } from '../../../../records/lists/schema.ts'

/** The states of a delivery. */
const states = ['waiting', 'delivered', 'failed', 'ended', 'held'] as const
/** The states of deliveries that never reached their receiver. */
export const undelivered = ['failed', 'ended', 'held'] as const
const State = Type.Enum([...states], {
  description:
    '`waiting` for its next attempt, `delivered`, `failed` in all attempts, `ended` because the webhook was disabled between attempts, `held` because it was disabled before the first one',
})

const attempt = {
  number: Type.Integer({ description: 'Counts the attempts of a delivery from 1' }),
  status: Type.Integer({ description: 'The status of the answer; 0: no answer' }),
  error: Nullable(Type.String({ description: 'Why there was no answer, such as timeout' })),
  duration: Type.Integer({ description: 'Milliseconds' }),
  ended_at: Timestamp,
  is_counted: Type.Boolean({
    description: 'Whether an invalid answer counts against the webhook; not for replays and tests',
  }),
}

const delivery = {
  id: Type.Integer({ ...Id, description: 'The header X-Kontor-Delivery of each attempt' }),
  webhook_id: Id,
  event: Type.String({ description: 'The name of the event; `test` for a test notice' }),
  entities: Type.Array(Type.Object({ entity_type: Type.String(), entity_id: Id })),
  state: State,
  created_at: Timestamp,
  next_attempt_at: Nullable(Timestamp),
  is_replayed: Type.Boolean(),
  attempts: Type.Array(Type.Object(attempt)),
  _links: SelfLink,
}

export const Delivery = Type.Object(delivery)

export const DeliveryWithBody = Type.Object({
  ...delivery,
  attempts: Type.Array(
    Type.Object({
      ...attempt,
      answer: Nullable(
        Type.String({
          description:
            'The beginning of the body of the answer, 2 kB at most; null for none, or none that is text',
        }),
      ),
    }),
  ),
  content_type: Type.String(),
  body: Type.String({ description: 'As each attempt sends it' }),
})

export const DeliveryParams = Type.Object({ id: Id, delivery_id: Id })

export const DeliveryQuery = Type.Object(
  {
    ...Paging,
    filter: Type.Optional(
      Filters({
        state: Filter(
          CommaList(Type.Enum([...states]), states.length, 1),
          several('state', states.join(', ')),
        ),
        created_at: Filter(TimeRange, times('created_at')),
      }),
    ),
  },
  { additionalProperties: true },
)
export type DeliveryFilter = NonNullable<Static<typeof DeliveryQuery>['filter']>

const notTest = ['delivered', ...undelivered] as const
export const Replay = Type.Object(
  {
    state: Type.Optional(
      Type.Array(Type.Enum([...notTest]), {
        minItems: 1,
        maxItems: notTest.length,
        'x-null-refused': true,
        description: 'The states to replay: all but delivered, unless said',
      }),
    ),
    from: Type.Optional(
      Type.Integer({ ...Timestamp, 'x-null-refused': true, description: 'The earliest creation' }),
    ),
    to: Type.Optional(
      Type.Integer({ ...Timestamp, 'x-null-refused': true, description: 'The latest creation' }),
    ),
  },
  { additionalProperties: false },
)
export type Replay = Static<typeof Replay>

export const Replayed = Type.Object({ replayed: Type.Integer(), _links: SelfLink })

/** A change whose notices could not be built. */
export const UnbuiltNotice = Type.Object({
  id: Type.Integer({ ...Id, description: 'The number of the change in the journal' }),
  entity_type: Type.String(),
  entity_id: Id,
  actions: Type.Array(Type.String()),
  error: Type.String({ description: 'Why the latest attempt to build its notices failed' }),
  changed_at: Timestamp,
  created_at: Type.Integer({ ...Timestamp, description: 'When the change was set aside' }),
  _links: SelfLink,
})

export const UnbuiltQuery = Type.Object({ ...Paging }, { additionalProperties: true })

export const UnbuiltReplayed = Type.Object({
  replayed: Type.Integer({ description: 'Changes that are set aside no more' }),
  deliveries: Type.Integer({ description: 'The deliveries that they became' }),
  left: Type.Integer({ description: 'Changes whose notices still cannot be built' }),
  _links: SelfLink,
})
