import type { Static } from 'typebox'
import { Type } from '../../../http/type.ts'
import { mostUses } from '../../../records/placement.ts'
import { readOnly } from '../../../records/schema.ts'
import { SelfLink } from '../../../http/hal.ts'
import { HexColor, IconId, Id, Name, Nullable, Sort, Timestamp } from '../../../http/types.ts'

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

/** A reason as administrators manage it. Its colour and its icon are not of the interface. */
export const ManagedLossReason = Type.Object({
  id: Id,
  name: Type.String(),
  color: Nullable(Type.String({ description: 'Six hexadecimal digits' })),
  icon_id: Nullable(Type.Integer()),
  used: Type.Integer({
    description: `How many leads have the reason; ${mostUses + 1}: more than ${mostUses}`,
  }),
})
export type ManagedLossReason = Static<typeof ManagedLossReason>

export const ManagedLossReasons = Type.Object({
  _embedded: Type.Object({ loss_reasons: Type.Array(ManagedLossReason) }),
})

const drawn = {
  color: Type.Optional(Nullable(HexColor)),
  icon_id: Type.Optional(Nullable(IconId)),
}
const unsent = readOnly('id', 'used')

export const DrawnLossReason = Type.Object({ name: Name(255), ...drawn, ...unsent }, closed)
export type DrawnLossReason = Static<typeof DrawnLossReason>

export const DrawnLossReasonChange = Type.Object(
  { name: Type.Optional(Name(255)), ...drawn, ...unsent },
  closed,
)
export type DrawnLossReasonChange = Static<typeof DrawnLossReasonChange>
