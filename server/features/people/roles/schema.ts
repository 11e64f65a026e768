import type { Static } from 'typebox'
import { sentRights, shownRights } from '../../../access/schema.ts'
import { Type } from '../../../http/type.ts'
import { readOnly } from '../../../records/schema.ts'
import { SelfLink } from '../../../http/hal.ts'
import { Paging } from '../../../http/paging.ts'
import { Id, Name } from '../../../http/types.ts'
import { withNames } from '../../../http/with.ts'

const closed = { additionalProperties: false }

/** A role as it is read (interface: Role). */
export const Role = Type.Object({
  id: Id,
  name: Type.String(),
  rights: Type.Object(shownRights),
  _links: SelfLink,
  _embedded: Type.Optional(
    Type.Object({
      users: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
        description: 'with=users: the users of the role, as GET /users shows them',
      }),
    }),
  ),
})
export type Role = Static<typeof Role>

const ignored = readOnly('id', '_links', '_embedded')

export const NewRole = Type.Object(
  { name: Name(255), rights: Type.Object(sentRights, closed), ...ignored },
  closed,
)
export type NewRole = Static<typeof NewRole>

/**
 * Rights for entity types that are not sent stay unchanged; an empty list of status rights removes
 * all of them.
 */
export const RoleChange = Type.Object(
  {
    name: Type.Optional(Name(255)),
    rights: Type.Optional(Type.Object(sentRights, closed)),
    ...ignored,
  },
  closed,
)
export type RoleChange = Static<typeof RoleChange>

/** The parts of a role that `with` asks for. */
export const roleWith = withNames('users')

export const RoleQuery = Type.Object(
  {
    ...Paging,
    with: roleWith.parameter,
  },
  { additionalProperties: true },
)
