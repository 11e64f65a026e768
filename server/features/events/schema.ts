import { Type } from 'typebox'
import type { Static } from 'typebox'
import { CompleteList, CompleteListQuery, SelfLink } from '../../http/hal.ts'
import { Paging } from '../../http/paging.ts'
import { Id, Timestamp } from '../../http/types.ts'
import { withValues } from './values.ts'

/**
 * A record of the event log (specification, Event and Structure of value_after and value_before).
 */
export const Event = withValues({
  id: Type.String({ pattern: '^[0-9a-z]{26}$', description: '26 characters; ids sort by time' }),
  entity_id: Id,
  entity_type: Type.String({
    description: 'lead, contact, company, customer, task or catalog_<id>',
  }),
  created_by: Type.Integer({ minimum: 0 }),
  created_at: Timestamp,
  account_id: Id,
  _links: SelfLink,
  _embedded: Type.Object({ entity: Type.Object({ id: Id, _links: SelfLink }) }),
})

/**
 * No filter is known yet. An ignored filter would answer with all events (decision: unknown keys).
 */
const Filter = Type.Object({}, { additionalProperties: false })

export const EventQuery = Type.Object(
  { ...Paging, filter: Type.Optional(Filter) },
  { additionalProperties: true },
)
export type EventQuery = Static<typeof EventQuery>

export const EventParams = Type.Object({ id: Type.String({ pattern: '^[0-9a-z]{26}$' }) })

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
