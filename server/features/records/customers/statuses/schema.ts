import type { Static } from 'typebox'
import { SelfLink } from '../../../../http/hal.ts'
import { Type } from '../../../../http/type.ts'
import { Id, LooseText, Name, Nullable, Sort } from '../../../../http/types.ts'
import { readOnly } from '../../../../records/schema.ts'
import { statusColors } from '../../../definitions/pipelines/statuses/schema.ts'

const closed = { additionalProperties: false }

const EntryCondition = Type.Object({
  type: Type.String({ description: 'before_purchase, after_purchase or after_next_date' }),
  match: Type.Object({ value: Type.Integer({ description: 'Days' }) }),
})

/** A status of customers as it is read (interface: Customer status). */
export const CustomerStatus = Type.Object({
  id: Id,
  name: Type.String(),
  sort: Type.Integer({ description: 'The place in the list: 1, 2, 3 …' }),
  is_default: Type.Boolean({
    description: 'Every account has one status of each type but 0. It cannot be deleted',
  }),
  conditions: Type.Array(Type.Array(EntryCondition), {
    description:
      'Entry conditions: lists of conditions that must all hold; one of the lists is enough. Ordinary statuses have none',
  }),
  color: Type.String(),
  type: Type.Integer({
    minimum: 0,
    maximum: 4,
    description:
      '0: ordinary, 1: purchase expected, 2: did not purchase, 3: closed, 4: recently purchased',
  }),
  account_id: Id,
  _links: SelfLink,
})
export type CustomerStatus = Static<typeof CustomerStatus>

/** A created status in the answer. */
export const AddedStatus = Type.Object({ id: Id, request_id: Type.String(), _links: SelfLink })

const Color = Type.Optional(
  Type.String({ description: `One of ${statusColors.join(', ')}, in any case` }),
)
const ignored = readOnly('id', 'is_default', 'conditions', 'type', 'account_id', '_links')
const sort = { ...Sort, description: 'The place in the list; the statuses from there on move' }

export const NewCustomerStatus = Type.Object(
  { name: Name(255), sort: Type.Integer(sort), color: Color, ...ignored },
  closed,
)
export type NewCustomerStatus = Static<typeof NewCustomerStatus>

export const CustomerStatusChange = Type.Object(
  {
    name: Type.Optional(Name(255)),
    sort: Type.Optional(Type.Integer(sort)),
    color: Color,
    // A change of nothing is refused, and a name for it counts as something (interface: Customer
    // status).
    request_id: Type.Optional(Nullable(LooseText(255))),
    ...ignored,
  },
  closed,
)
export type CustomerStatusChange = Static<typeof CustomerStatusChange>
