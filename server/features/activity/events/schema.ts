// The event log (interface: Event; Event filters; Values of events).
import type { Static } from 'typebox'
import { entityTypes } from '../../../entity-types.ts'
import { CompleteList, CompleteListQuery, SelfLink } from '../../../http/hal.ts'
import { Paging } from '../../../http/paging.ts'
import { Type } from '../../../http/type.ts'
import { CommaList, Id, Nullable, Timestamp } from '../../../http/types.ts'
import { withNames } from '../../../http/with.ts'
import { pollingHint, Filter, Filters, range, several } from '../../../records/lists/schema.ts'
import { RecordTime } from '../../../records/schema.ts'
import { withValues } from './values.ts'

const EventId = Type.String({
  pattern: '^[0-9a-z]{26}$',
  description: '26 characters; ids sort by time',
})

/** A record of the event log. */
export const Event = withValues({
  id: EventId,
  entity_id: Id,
  entity_type: Type.String({
    description: 'lead, contact, company, customer, task or catalog_<id>',
  }),
  created_by: Type.Integer({ minimum: 0 }),
  created_at: RecordTime,
  account_id: Id,
  _links: SelfLink,
  _embedded: Type.Object({
    entity: Type.Object({
      id: Id,
      name: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      catalog: Type.Optional(
        Type.Object({ id: Id, name: Type.Union([Type.String(), Type.Null()]) }),
      ),
      _links: SelfLink,
    }),
  }),
})

export const ToldLink = Type.Object(
  { type: Type.Enum([...entityTypes, 'elements']), id: Id, name: Type.String() },
  {
    description:
      'The record or catalog element that the change links or unlinks, if the caller may view it',
  },
)

export const ToldPurchase = Type.Object(
  { id: Id, price: Type.Integer(), comment: Nullable(Type.String()) },
  { description: 'The purchase that the change adds, unless it is deleted' },
)

const ToldTask = Type.Object(
  {
    text: Type.String(),
    record: Nullable(Type.Object({ type: Type.Enum([...entityTypes]), id: Id })),
  },
  { description: 'The task that the event stands on, unless it is deleted, with its record' },
)

/** The names that an event shows on demand, and the note of its value. */
export const eventWith = withNames(
  'contact_name',
  'lead_name',
  'company_name',
  'customer_name',
  'catalog_element_name',
  'catalog_name',
  'note',
)
export type EventWith = (typeof eventWith.names)[number]

/** Limits of filters (interface: Event filters). */
const [mostUsers, mostRecords] = [10, 10]
/** The most ids, types and values of a filter. */
const most = 100

const closed = { additionalProperties: false }
const EntityName = Type.String({
  pattern: '^(?:lead|contact|company|customer|task|catalog_[1-9][0-9]{0,14}|catalog_element)$',
})
const SomeIds = CommaList(Id, most, 1)

/** One time, after which the events were created, the two ends of a range, or a range. */
const CreatedAt = Type.Union([
  CommaList(Timestamp, 2, 1),
  Type.Object({ from: Type.Optional(Timestamp), to: Type.Optional(Timestamp) }, closed),
])

/** The value filters, of which a request names one on each side. */
const ValueFilter = (side: 'before' | 'after') => {
  const name = `value_${side}`
  const each = (key: string, value: string) => several(`${name}][${key}`, value)
  return Filter(
    Type.Object(
      {
        leads_statuses: Type.Optional(
          Type.Array(Type.Object({ pipeline_id: Id, status_id: Id }, closed), {
            minItems: 1,
            maxItems: most,
          }),
        ),
        customers_statuses: Type.Optional(
          Type.Array(Type.Object({ status_id: Id }, closed), { minItems: 1, maxItems: most }),
        ),
        responsible_user_id: Type.Optional(
          CommaList(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), most, 1),
        ),
        custom_field_values: Type.Optional(SomeIds),
        value: Type.Optional(Type.String({ maxLength: 2000 })),
      },
      { ...closed, minProperties: 1, maxProperties: 1 },
    ),
    `one of filter[${name}][leads_statuses][0][pipeline_id]=<id> with filter[${name}][leads_statuses][0][status_id]=<id>, ` +
      `filter[${name}][customers_statuses][0][status_id]=<id>, ${each('responsible_user_id', 'user id')}, ` +
      `${each('custom_field_values', 'enum id')}, filter[${name}][value]=<exact value>, with the one type in filter[type] that has such values`,
  )
}

const filters = {
  id: Filter(CommaList(EventId, most, 1), several('id', 'event id')),
  created_at: Filter(
    CreatedAt,
    pollingHint(
      range('created_at', 'Unix seconds', 'for later than that, or filter[created_at]=<from>,<to>'),
    ),
  ),
  created_by: Filter(
    CommaList(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), mostUsers, 1),
    `${several('created_by', 'user id')}, ${mostUsers} at most`,
  ),
  entity: Filter(
    CommaList(EntityName, most, 1),
    several('entity', 'lead, contact, company, customer, task or catalog_<id>'),
  ),
  entity_id: Filter(
    CommaList(Id, mostRecords, 1),
    `${several('entity_id', 'id')}, ${mostRecords} at most. Needs filter[entity] with one entity`,
  ),
  type: Filter(
    CommaList(Type.String({ maxLength: 100 }), most, 1),
    `${several('type', 'event type')}. custom_field_<id>_value_changed stands alone`,
  ),
  value_before: ValueFilter('before'),
  value_after: ValueFilter('after'),
}
const EventFilter = Type.Object(filters)
export type EventFilter = Static<typeof EventFilter>
export type ValueFilter = NonNullable<EventFilter['value_after']>

export const EventQuery = Type.Object(
  { ...Paging, with: eventWith.parameter, filter: Type.Optional(Filters(filters)) },
  { additionalProperties: true },
)

/** The most events of a page (interface: Limits); a page of the web application has so many. */
export const mostLogged = 100

export const LogQuery = Type.Object(
  {
    after: Type.Optional(
      Type.String({
        pattern: '^[0-9a-z]{26}$',
        description: 'The id of the last event of the page before',
      }),
    ),
    filter: Type.Optional(Filters(filters)),
  },
  { additionalProperties: false },
)

const LoggedEvent = Type.Object({
  event: Event,
  linked: Type.Optional(ToldLink),
  purchase: Type.Optional(ToldPurchase),
  task: Type.Optional(ToldTask),
})

export const LogPage = Type.Object({
  _embedded: Type.Object({ events: Type.Array(LoggedEvent) }),
  has_more: Type.Boolean({ description: 'Whether older events follow' }),
})
export type LogPage = Static<typeof LogPage>
export type LoggedEvent = Static<typeof LoggedEvent>

export const OneEventQuery = Type.Object(
  { with: eventWith.parameter },
  { additionalProperties: true },
)

export const EventParams = Type.Object({ id: EventId })

export const EventTypes = CompleteList(
  'events_types',
  Type.Object({
    key: Type.String(),
    type: Type.Integer({
      minimum: 1,
      description: 'The number of the type; all types of single fields have 24',
    }),
    lang: Type.String({ description: 'The title' }),
  }),
)

export const EventTypesQuery = Type.Object(
  {
    ...CompleteListQuery.properties,
    language_code: Type.Optional(
      Type.String({
        maxLength: 255,
        description:
          'The language of titles: en, es, ru or pt. The language of the caller by default, and English for any other',
      }),
    ),
  },
  { additionalProperties: true },
)
