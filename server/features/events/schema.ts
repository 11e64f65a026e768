import { Type } from 'typebox'
import type { Static } from 'typebox'
import { SelfLink } from '../../http/hal.ts'
import { Paging } from '../../http/paging.ts'
import { Id, Timestamp } from '../../http/types.ts'

const Value = Type.Array(Type.Record(Type.String(), Type.Unknown()))

/**
 * A record of the event log (specification, Event and Structure of value_after and value_before).
 */
export const Event = Type.Object({
  id: Type.String({ pattern: '^[0-9a-z]{26}$', description: '26 characters; ids sort by time' }),
  type: Type.String(),
  entity_id: Id,
  entity_type: Type.String({
    description: 'lead, contact, company, customer, task or catalog_<id>',
  }),
  created_by: Type.Integer({ minimum: 0 }),
  created_at: Timestamp,
  value_after: Value,
  value_before: Value,
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
