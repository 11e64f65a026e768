// Segments of customers (interface: Customer segment), and the conditions by which customers enter
// and leave them, which only the web application sets.
import type { Static } from 'typebox'
import { Type } from '../../../http/type.ts'
import { FieldValue, SentValues } from '../../../records/fields/schema.ts'
import { readOnly } from '../../../records/schema.ts'
import { SelfLink } from '../../../http/hal.ts'
import { Paging } from '../../../http/paging.ts'
import type { Fault } from '../../../http/problem.ts'
import { Id, LooseText, Name, Nullable, Timestamp } from '../../../http/types.ts'

const closed = { additionalProperties: false }

/** The colors of segments (interface: Segment palette). */
export const segmentColors =
  '10599d 2176ff 006acc 07a0c3 247ba0 177e89 046e8f 598381 0c7c59 495f41 00a44b 08605f bf2600 06d6a0 e14945 79b473 ae003f a2ad59 cd0f53 8e936d 832161 2e5339 bf126f 6f7c12 ff5376 dd1c1a bb304e 631d76 9d2b32 4a001f b118c8 6a0f49 6610f2 b38a58 8963ba 4b3666 932f6d 6b2d5c 6461a0 4f517d'.split(
    ' ',
  )

export function segmentColorFaults(color: string | undefined): Fault[] {
  if (color === undefined || segmentColors.includes(color.toLowerCase())) return []
  const detail = `The value you selected is not a valid choice. Colors: ${segmentColors.join(', ')}`
  return [{ code: 'NotSupportedChoice', path: 'color', detail }]
}

/** A segment as it is read. */
export const Segment = Type.Object({
  id: Id,
  name: Type.String(),
  color: Type.String({ description: 'Hexadecimal color without #' }),
  available_products_price_types: Type.Array(Id, {
    description: 'Ids of fields of the type price in the catalog of products',
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
  customers_count: Type.Integer({ description: 'Customers in the segment, without the bin' }),
  account_id: Id,
  _links: SelfLink,
  custom_fields_values: Type.Array(FieldValue, { description: '[] where no field is filled' }),
})

const sent = {
  color: Type.Optional(
    Type.String({
      description: `One of ${segmentColors.join(', ')}, in any case; the first by default`,
    }),
  ),
  available_products_price_types: Type.Optional(
    Nullable(
      Type.Array(Id, {
        maxItems: 100,
        description:
          'Ids of fields of the type price in the catalog of products. Replaces the list',
      }),
    ),
  ),
  custom_fields_values: Type.Optional(Nullable(SentValues)),
  // In a change, a name for it counts as something to change (interface: Customer segment).
  request_id: Type.Optional(Nullable(LooseText(255))),
  ...readOnly('id', 'created_at', 'updated_at', 'customers_count', 'account_id', '_links'),
}

export const NewSegment = Type.Object({ name: Name(255), ...sent }, closed)
export type NewSegment = Static<typeof NewSegment>

export const SegmentChange = Type.Object({ name: Type.Optional(Name(255)), ...sent }, closed)
export type SegmentChange = Static<typeof SegmentChange>

export const SegmentQuery = Type.Object(Paging, { additionalProperties: true })

/** The segments of a customer in a body: a list replaces the set, null empties it. */
export const EmbeddedSegments = Type.Optional(
  Nullable(
    Type.Array(Type.Object({ id: Id, ...readOnly('_links') }, closed), {
      maxItems: 100,
      description: 'The segments of the customer: a list replaces the set, null empties it',
    }),
  ),
)

const DayField = Type.Union([
  Type.Literal('days_since_purchase'),
  Type.Literal('days_to_next_date'),
  Type.Literal('days_since_creation'),
])
export type DayField = Static<typeof DayField>

export const isDayField = (field: string): field is DayField =>
  DayField.anyOf.some((each) => each.const === field)

const bound = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }

/** A condition on a customer. The verb checks which members its field takes. */
export const SegmentCondition = Type.Object(
  {
    field: Type.Union(
      [
        Type.Literal('ltv'),
        Type.Literal('purchases_count'),
        Type.Literal('average_check'),
        Type.Literal('next_price'),
        ...DayField.anyOf,
        Type.Literal('tag'),
        Type.Literal('custom_field'),
      ],
      {
        description:
          'Days are whole days in the time zone of the account; days_to_next_date is negative after it',
      },
    ),
    from: Type.Optional(Type.Number({ ...bound, description: 'The least value' })),
    to: Type.Optional(Type.Number({ ...bound, description: 'The greatest value' })),
    tag_id: Type.Optional(Id),
    field_id: Type.Optional(Id),
    enum_ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 250 })),
  },
  closed,
)
export type SegmentCondition = Static<typeof SegmentCondition>

/** Conditions that hold together. */
const ConditionGroup = Type.Array(SegmentCondition, { minItems: 1, maxItems: 5 })

/** Each list is an OR of ANDs. */
export const SegmentConditions = Type.Object(
  {
    entry_conditions: Type.Array(ConditionGroup, {
      maxItems: 5,
      description:
        'A customer enters where all conditions of one list hold. Without any, only people change the segment',
    }),
    exit_conditions: Type.Array(ConditionGroup, {
      maxItems: 5,
      description:
        'A customer leaves where all conditions of one list hold; without any, where no entry conditions hold any more',
    }),
  },
  closed,
)
export type SegmentConditions = Static<typeof SegmentConditions>
