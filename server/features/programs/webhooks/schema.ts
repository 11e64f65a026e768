import type { Static, TSchema } from 'typebox'
import { CompleteListQuery, SelfLink } from '../../../http/hal.ts'
import { Type } from '../../../http/type.ts'
import { Id, Name, Nullable, Sort, Text, Timestamp } from '../../../http/types.ts'
import { readOnly } from '../../../records/schema.ts'
import { Filters } from '../../../records/lists/schema.ts'
import { longestDestination } from './destinations.ts'
import { eventNames } from './event-names.ts'

const closed = { additionalProperties: false }

const EventName = Type.Enum([...eventNames])
const EventNames = Type.Array(EventName, { minItems: 1 })
/** Names as sent. The verbs check them, because a refusal names the unknown one. */
const SentNames = Type.Array(Text(255), { minItems: 1, maxItems: 100 })
/** Names as a list of webhooks shows them; a program may send back what it read. */
const NamesAsKeys = Type.Record(Text(255), Type.Literal(1), {
  minProperties: 1,
  maxProperties: 100,
})

const record = {
  id: Id,
  destination: Type.String({ description: 'A URL of RFC 2396' }),
  created_at: Timestamp,
  updated_at: Timestamp,
  account_id: Id,
  created_by: Id,
  sort: Sort,
  disabled: Type.Boolean({
    description: 'True once too many deliveries failed; an administrator enables it again',
  }),
}

/** A webhook as the answer to a subscription shows it (interface: Webhook subscription). */
export const Webhook = Type.Object({
  ...record,
  settings: Type.Array(EventName),
  _links: SelfLink,
})

/** A webhook in a list: each name of an event stands as a key with the value 1. */
export const ListedWebhook = Type.Object({
  ...record,
  settings: Type.Record(Type.String(), Type.Literal(1), {
    description: 'The names of the events, each with the value 1',
  }),
  _links: SelfLink,
})

const draft = {
  destination: Name(longestDestination),
  sort: Type.Optional(Type.Integer({ ...Sort, description: 'After the last webhook by default' })),
}

export const NewWebhook = Type.Object(
  {
    ...draft,
    settings: Type.Union([SentNames, NamesAsKeys]),
    ...readOnly('id', 'created_at', 'updated_at', 'account_id', 'created_by', 'disabled', '_links'),
  },
  closed,
)
export type NewWebhook = Static<typeof NewWebhook>

/** `NewWebhook` in the document. */
export const ShownNewWebhook = Type.Object({
  ...draft,
  settings: EventNames,
})

export const WebhookAddress = Type.Object({ destination: Type.String() }, closed)

export const WebhookQuery = Type.Object(
  {
    ...CompleteListQuery.properties,
    filter: Type.Optional(
      Filters({ destination: Type.Optional(Type.String({ description: 'The exact address' })) }),
    ),
  },
  { additionalProperties: true },
)

// Version 2 calls the destination `url` and the settings `events`.
const items = { minItems: 1, maxItems: 250 }
const Url = Name(longestDestination)
const newSubscriptions = <Names extends TSchema>(events: Names) =>
  Type.Object({ subscribe: Type.Array(Type.Object({ url: Url, events }, closed), items) }, closed)
export const NewSubscriptions = newSubscriptions(SentNames)
/** `NewSubscriptions` in the document. */
export const ShownNewSubscriptions = newSubscriptions(EventNames)
export type NewSubscription = Static<typeof NewSubscriptions>['subscribe'][number]

const AnyUrl = Type.Optional(
  Type.String({
    ...Url,
    // Null might be an address that the program did not find.
    'x-null-refused': true,
    description: 'Without it the events are taken from all webhooks; null is refused',
  }),
)
const endedSubscriptions = <Names extends TSchema>(events: Names) =>
  Type.Object(
    { unsubscribe: Type.Array(Type.Object({ url: AnyUrl, events }, closed), items) },
    closed,
  )
export const EndedSubscriptions = endedSubscriptions(SentNames)
/** `EndedSubscriptions` in the document. */
export const ShownEndedSubscriptions = endedSubscriptions(EventNames)
export type EndedSubscription = Static<typeof EndedSubscriptions>['unsubscribe'][number]

/** The outcome of each item, in the order of the request. */
const SubscriptionOutcome = Type.Object({
  url: Nullable(Type.String({ description: 'As sent; null for an item without it' })),
  result: Type.Boolean(),
  error: Type.Optional(Type.String({ description: 'Why the result is false' })),
})
export type SubscriptionOutcome = Static<typeof SubscriptionOutcome>

const LinkWithMethod = Type.Object({
  self: Type.Object({ href: Type.String({ format: 'uri' }), method: Type.String() }),
})

export const SubscriptionOutcomes = Type.Object({
  _links: LinkWithMethod,
  _embedded: Type.Object({ items: Type.Array(SubscriptionOutcome) }),
})

export const SubscriptionList = Type.Object({
  _links: LinkWithMethod,
  _embedded: Type.Object({
    items: Type.Array(
      Type.Object({
        id: Id,
        url: Type.String(),
        disabled: Type.Boolean(),
        events: Type.Array(EventName),
      }),
    ),
  }),
})

const form = {
  sort: Sort,
  format: Type.Union([Type.Literal('form'), Type.Literal('json')], {
    description: 'How the body of a delivery is written',
  }),
  deletion_form: Type.Union([Type.Literal('id'), Type.Literal('list')], {
    description: 'A deletion names the id alone, or is a list of one object with the id',
  }),
}

const Health = Type.Object({
  invalid_answers: Type.Integer({
    description:
      'Within the last two hours, and since the webhook was enabled. More than 100 disable it',
  }),
  latest_status: Nullable(
    Type.Integer({ description: 'Of the latest attempt; 0: no answer; null: no attempt' }),
  ),
  latest_error: Nullable(
    Type.String({ description: 'Why there was no answer to it, such as timeout' }),
  ),
  latest_answer: Nullable(
    Type.String({ description: 'The beginning of the answer to it, 300 characters at most' }),
  ),
  latest_attempt_at: Nullable(Timestamp),
})

const Signature = Type.Object(
  {
    created_at: Type.Integer({ ...Timestamp, description: 'When the present secret was made' }),
    overlap_until: Nullable(
      Type.Integer({ ...Timestamp, description: 'Until when a former secret signs too' }),
    ),
  },
  { description: 'Null for a webhook whose deliveries are not signed' },
)

/** A webhook as its administrators see it. */
export const WebhookSettings = Type.Object({
  ...record,
  ...form,
  settings: Type.Array(EventName),
  disabled_at: Nullable(Timestamp),
  disabled_by: Nullable(
    Type.Integer({ ...Id, description: 'Who switched it off; null: too many invalid answers did' }),
  ),
  health: Health,
  signature: Nullable(Signature),
  client_id: Nullable(
    Type.String({
      format: 'uuid',
      description: 'The integration that subscribed last; null for a user',
    }),
  ),
  _links: SelfLink,
})

export const WebhookChange = Type.Object(
  {
    ...Type.Partial(Type.Object(form)).properties,
    disabled: Type.Optional(
      Type.Boolean({
        description: 'true switches the webhook off by hand, false enables one that is disabled',
      }),
    ),
  },
  closed,
)
export type WebhookChange = Static<typeof WebhookChange>

/** Seconds of a day, and of a week. */
const [day, week] = [86_400, 604_800]

export const SecretRenewal = Type.Object(
  {
    overlap: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: week,
        default: day,
        description:
          'For how many seconds former secrets sign too, a day unless said; 0 ends them at once',
      }),
    ),
  },
  closed,
)
/** How long former secrets sign after a renewal that does not say it, in seconds. */
export const usualOverlap = day

export const WebhookSecret = Type.Object({
  id: Id,
  secret: Type.String({
    pattern: '^whsec_[A-Za-z0-9+/]+=*$',
    description: 'As Standard Webhooks has it. It is shown this once',
  }),
  signature: Signature,
  _links: SelfLink,
})
