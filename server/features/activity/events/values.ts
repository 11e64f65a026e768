// The structures of `value_before` and `value_after` (interface: Values of events).
import type { TSchema } from 'typebox'
import { Type } from '../../../http/type.ts'
import { Id, SafeInteger, Timestamp } from '../../../http/types.ts'
import { eventTypeFacts, eventTypeNames } from './types.ts'

interface Sides {
  value_before: TSchema
  value_after: TSchema
}

/** One item whose only key is `name`. */
const one = (name: string, properties: Record<string, TSchema>) =>
  Type.Array(item(name, properties), { minItems: 1, maxItems: 1 })

/** Any number of such items. */
const some = (name: string, properties: Record<string, TSchema>, min = 0) =>
  Type.Array(item(name, properties), { minItems: min })

const item = (name: string, properties: Record<string, TSchema>) =>
  Type.Object({ [name]: Type.Object(properties) })

const none = Type.Array(Type.Unknown(), { maxItems: 0 })

const after = (value_after: TSchema): Sides => ({ value_before: none, value_after })
const before = (value_before: TSchema): Sides => ({ value_before, value_after: none })
const both = (value: TSchema): Sides => ({ value_before: value, value_after: value })

const Entity = Type.Object({
  type: Type.String({ pattern: '^(?:lead|contact|company|customer|catalog_[0-9]+)$' }),
  id: Id,
})
/** The id, and what `with=note` adds: nothing of a note that was deleted. */
const Note = {
  id: Id,
  note_type: Type.Optional(Type.String()),
  created_at: Type.Optional(Timestamp),
  params: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
}
const StatusId = Type.Integer({ minimum: 0 })
const UserId = Type.Integer({ minimum: 0, description: '0 where no user is responsible' })

const structures = {
  nothing: both(none),
  note: after(one('note', Note)),
  message: after(one('message', { id: Type.String() })),
  transaction: after(one('transaction', { id: Id })),
  helpbot: after(one('helpbot', { id: Id })),
  nps: after(one('nps', { rate: Type.Integer({ minimum: 0, maximum: 10 }) })),
  tag_added: after(some('tag', { name: Type.String() }, 1)),
  tag_deleted: before(some('tag', { name: Type.String() }, 1)),
  link: after(one('link', { entity: Entity })),
  // On both sides, because programs look for it on either.
  unlink: both(one('unlink', { entity: Entity })),
  lead_status: both(one('lead_status', { id: StatusId, pipeline_id: Id })),
  customer_status: both(one('customer_status', { id: StatusId })),
  responsible_user: both(one('responsible_user', { id: UserId })),
  task: both(one('task', { text: Type.String() })),
  task_type: both(one('task_type', { id: Id })),
  task_deadline: both(one('task_deadline', { timestamp: Timestamp })),
  sale_field_value: both(one('sale_field_value', { sale: SafeInteger })),
  name_field_value: both(one('name_field_value', { name: Type.String() })),
  ltv_field_value: both(one('ltv_field_value', { ltv: SafeInteger })),
  custom_field_value: both(
    some('custom_field_value', {
      field_id: Id,
      field_type: Type.Integer({ minimum: 1 }),
      enum_id: Type.Union([Id, Type.Null()]),
      text: Type.String(),
    }),
  ),
} satisfies Record<string, Sides>

export type Structure = keyof typeof structures

/** The type of an event that tells of one custom field. */
const fieldType = '^custom_field_[0-9]+_value_changed$'

/** Any values of an event. */
const Values = Type.Array(Type.Record(Type.String(), Type.Unknown()))

/** An event as published: its other properties, its type, and the values that the type has. */
export function withValues<Properties extends Record<string, TSchema>>(properties: Properties) {
  const sidesByType = Object.entries(structures).map(([structure, sides]) =>
    Type.Object({ type: typesOf(structure), ...sides }, { additionalProperties: true }),
  )
  return Type.Object(
    { ...properties, type: Type.String(), value_before: Values, value_after: Values },
    { anyOf: sidesByType },
  )
}

function typesOf(structure: string): TSchema {
  const types = Type.Enum(eventTypeNames.filter((type) => eventTypeFacts(type).value === structure))
  return structure === 'custom_field_value'
    ? Type.Union([types, Type.String({ pattern: fieldType })])
    : types
}
