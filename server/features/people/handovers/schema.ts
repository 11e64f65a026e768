import type { Static } from 'typebox'
import { Type } from '../../../http/type.ts'
import { Id } from '../../../http/types.ts'

/** The types that a user hands over, in the order in which they go. Tasks are the open ones. */
export const handedTypes = ['leads', 'contacts', 'companies', 'customers', 'tasks'] as const
export type HandedType = (typeof handedTypes)[number]

const numbers = Object.fromEntries(handedTypes.map((type) => [type, Type.Integer()])) as Record<
  HandedType,
  ReturnType<typeof Type.Integer>
>

/** The number of records and open tasks that a user is responsible for, by type. */
export const Responsibilities = Type.Object(numbers)
export type Responsibilities = Static<typeof Responsibilities>

export const NewHandover = Type.Object(
  { to_user_id: Id },
  { additionalProperties: false, description: 'An active user of the account' },
)
export type NewHandover = Static<typeof NewHandover>

export const HandoverStep = Type.Object({
  moved: Type.Object(numbers, { description: 'What this request handed over' }),
  is_done: Type.Boolean({ description: 'Whether nothing is left; else the request is repeated' }),
})
export type HandoverStep = Static<typeof HandoverStep>
