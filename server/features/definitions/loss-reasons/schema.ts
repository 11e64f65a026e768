import type { Static } from 'typebox'
import { Type } from '../../../http/type.ts'
import { readOnly } from '../../../records/schema.ts'
import { SelfLink } from '../../../http/hal.ts'
import { Id, Name, Sort, Timestamp } from '../../../http/types.ts'

const closed = { additionalProperties: false }

/** Why a lead was lost, as it is read (interface: Loss reason). */
export const LossReason = Type.Object({
  id: Id,
  name: Type.String(),
  sort: Sort,
  created_at: Timestamp,
  updated_at: Timestamp,
  _links: SelfLink,
})
export type LossReason = Static<typeof LossReason>

const ignored = readOnly('id', 'created_at', 'updated_at', '_links')

export const NewLossReason = Type.Object(
  {
    name: Name(255),
    sort: Type.Optional(Type.Integer({ ...Sort, description: 'After the last reason by default' })),
    ...ignored,
  },
  closed,
)
export type NewLossReason = Static<typeof NewLossReason>

const changed = { name: Type.Optional(Name(255)), sort: Type.Optional(Sort) }

/** The change of the loss reason that the path names. */
export const LossReasonChange = Type.Object({ ...ignored, ...changed }, closed)
export type LossReasonChange = Static<typeof LossReasonChange>
