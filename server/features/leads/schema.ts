import { Type } from 'typebox'
import type { Static } from 'typebox'
import { Ids, Names, NumberRange, Order, TimeRange, UserIds } from '../../entities/lists.ts'
import { SelfLink } from '../../http/hal.ts'
import { Paging } from '../../http/paging.ts'
import { Id, Nullable, SafeInteger, Text, Timestamp } from '../../http/types.ts'
import { Tag, TagReference } from '../tags/schema.ts'

const UserId = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'A user, 0: the system' })

/** A lead as it is read (specification, Lead). */
export const Lead = Type.Object({
  id: Id,
  name: Type.String(),
  price: Type.Integer(),
  responsible_user_id: UserId,
  group_id: Type.Integer({ description: 'Group of the responsible user, 0: the default one' }),
  status_id: Id,
  pipeline_id: Id,
  loss_reason_id: Nullable(Id),
  source_id: Nullable(Id),
  created_by: UserId,
  updated_by: UserId,
  created_at: Timestamp,
  updated_at: Timestamp,
  closed_at: Nullable(Timestamp),
  closest_task_at: Nullable(Timestamp),
  is_deleted: Type.Boolean(),
  custom_fields_values: Type.Union([Type.Array(Type.Unknown()), Type.Null()]),
  score: Type.Null(),
  account_id: Id,
  labor_cost: Type.Null(),
  _links: SelfLink,
  _embedded: Type.Object({ tags: Type.Array(Tag), companies: Type.Array(Type.Unknown()) }),
})

/** What is only read: accepted in a body, so that what was read can be sent back, and ignored. */
const readOnly = Object.fromEntries(
  ['group_id', 'source_id', 'closest_task_at', 'is_deleted', 'score', 'account_id', 'labor_cost', '_links'].map((key) => [
    key,
    Type.Optional(Type.Unknown({ description: 'Read only' })),
  ]),
)

const written = {
  name: Type.Optional(Text(255)),
  price: Type.Optional(Type.Integer({ ...SafeInteger, 'x-cut': true, description: 'Whole units; a fraction is cut off' })),
  responsible_user_id: Type.Optional(Id),
  status_id: Type.Optional(Id),
  pipeline_id: Type.Optional(Id),
  loss_reason_id: Type.Optional(Nullable(Id)),
  created_by: Type.Optional(UserId),
  updated_by: Type.Optional(UserId),
  created_at: Type.Optional(Timestamp),
  updated_at: Type.Optional(Timestamp),
  closed_at: Type.Optional(Nullable(Timestamp)),
  custom_fields_values: Type.Optional(Type.Union([Type.Array(Type.Unknown(), { maxItems: 250 }), Type.Null()])),
  _embedded: Type.Optional(
    Type.Object(
      {
        tags: Type.Optional(Type.Union([Type.Array(TagReference, { maxItems: 100 }), Type.Null()])),
        companies: Type.Optional(Type.Unknown({ description: 'Read only' })),
      },
      { additionalProperties: false },
    ),
  ),
  tags_to_add: Type.Optional(Type.Array(TagReference, { maxItems: 100 })),
}

const closed = { additionalProperties: false }

export const NewLead = Type.Object(
  { ...readOnly, id: Type.Optional(Type.Unknown({ description: 'Read only' })), ...written },
  closed,
)
const Written = Type.Object(written)
export type NewLead = Static<typeof Written>

const changed = { ...written, tags_to_delete: Type.Optional(Type.Array(TagReference, { maxItems: 100 })) }

/** One item of a batch of changes. */
export const LeadChange = Type.Object({ ...readOnly, id: Id, ...changed }, closed)
/** The change of the lead that the path names; an `id` in the body gives way to it. */
export const OneLeadChange = Type.Object({ ...readOnly, id: Type.Optional(Type.Unknown()), ...changed }, closed)
const Changed = Type.Object(changed)
export type LeadChange = Static<typeof Changed> & { id: number }

export const LeadQuery = Type.Object(
  {
    ...Paging,
    with: Type.Optional(Type.String({ maxLength: 1000, description: 'Comma-separated; unknown values are ignored' })),
    filter: Type.Optional(
      Type.Object(
        {
          id: Type.Optional(Ids),
          name: Type.Optional(Names),
          price: Type.Optional(NumberRange),
          statuses: Type.Optional(
            Type.Array(Type.Object({ pipeline_id: Id, status_id: Id }, closed), { minItems: 1, maxItems: 500 }),
          ),
          pipeline_id: Type.Optional(Ids),
          responsible_user_id: Type.Optional(UserIds),
          created_by: Type.Optional(UserIds),
          updated_by: Type.Optional(UserIds),
          created_at: Type.Optional(TimeRange),
          updated_at: Type.Optional(TimeRange),
          closed_at: Type.Optional(TimeRange),
        },
        closed,
      ),
    ),
    order: Type.Optional(Order(['created_at', 'updated_at', 'id'])),
  },
  { additionalProperties: true },
)
export type LeadQuery = Static<typeof LeadQuery>

/** A row of the table `leads`: what the verbs compare and write. */
export interface LeadRow {
  id: number
  name: string
  price: number
  responsible_user_id: number
  group_id: number
  pipeline_id: number
  status_id: number
  loss_reason_id: number | null
  created_by: number
  updated_by: number
  created_at: number
  updated_at: number
  closed_at: number | null
  tag_ids: number[]
}
