import type { Static } from 'typebox'
import { sentRights, shownRights } from '../../../access/schema.ts'
import { Type } from '../../../http/type.ts'
import { readOnly } from '../../../records/schema.ts'
import { SelfLink } from '../../../http/hal.ts'
import { Paging } from '../../../http/paging.ts'
import { Id, Nullable, Text, Timestamp } from '../../../http/types.ts'
import { withNames } from '../../../http/with.ts'

const closed = { additionalProperties: false }

/** The languages of the interface. */
export const Language = Type.Union([
  Type.Literal('en'),
  Type.Literal('ru'),
  Type.Literal('es'),
  Type.Literal('pt'),
])
export const GroupId = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Id of a user group; 0 is the built-in group',
})

/** A user as it is read (interface: User). */
export const User = Type.Object({
  id: Id,
  name: Type.String(),
  email: Type.String(),
  lang: Language,
  rights: Type.Object({
    ...shownRights,
    is_admin: Type.Boolean(),
    is_free: Type.Boolean(),
    is_active: Type.Boolean(),
    group_id: GroupId,
    role_id: Nullable(Id),
  }),
  uuid: Type.Optional(Type.String({ description: 'with=uuid' })),
  amojo_id: Type.Optional(
    Type.String({ description: 'with=amojo_id: id of the user in the chat service' }),
  ),
  user_rank: Type.Optional(
    Nullable(Type.String({ description: 'with=user_rank: newbie, candidate or master' })),
  ),
  phone_number: Type.Optional(Nullable(Type.String({ description: 'with=phone_number' }))),
  _links: SelfLink,
  _embedded: Type.Optional(
    Type.Object({
      roles: Type.Optional(
        Type.Array(Type.Object({ id: Id, name: Type.String(), _links: SelfLink }), {
          description: 'with=role',
        }),
      ),
      groups: Type.Optional(
        Type.Array(Type.Object({ id: GroupId, name: Type.String() }), {
          description: 'with=group',
        }),
      ),
    }),
  ),
})
export type User = Static<typeof User>

/** How a user signs in, for administrators. */
export const UserSignIn = Type.Object({
  id: Id,
  last_seen_at: Nullable(
    Type.Integer({
      ...Timestamp,
      description: 'Latest use of a session, up to an hour too early; null: none is open',
    }),
  ),
  has_second_factor: Type.Boolean(),
  /** The integration whose token made the user; null: a person or a command. */
  made_by: Nullable(Type.Object({ client_id: Type.String(), name: Type.String() })),
})
export type UserSignIn = Static<typeof UserSignIn>

export const UserSignIns = Type.Object({
  _embedded: Type.Object({ sign_ins: Type.Array(UserSignIn) }),
})

export const NewUser = Type.Object(
  {
    name: Text(50),
    email: Type.String({ format: 'email', maxLength: 255 }),
    password: Type.String({
      minLength: 6,
      maxLength: 255,
      description: 'Needs a digit, a lower-case letter and an upper-case letter',
    }),
    lang: Type.Optional(Language),
    rights: Type.Object(
      {
        ...sentRights,
        is_free: Type.Optional(
          Type.Boolean({
            description: 'True: the user has no rights, and all other rights sent are ignored',
          }),
        ),
        role_id: Type.Optional(Nullable(Id)),
        group_id: Type.Optional(Nullable(GroupId)),
        ...readOnly('is_admin', 'is_active'),
      },
      closed,
    ),
    ...readOnly('id', 'uuid', 'amojo_id', 'user_rank', 'phone_number', '_links', '_embedded'),
  },
  closed,
)
export type UserDraft = Static<typeof NewUser>

/**
 * The properties of a user that an administrator may change; rights belong to the role of a user
 * who has one.
 */
export const UserChange = Type.Object(
  {
    name: Type.Optional(Text(50)),
    lang: Type.Optional(Language),
    group_id: Type.Optional(Nullable(GroupId)),
    role_id: Type.Optional(Nullable(Id)),
    rights: Type.Optional(Type.Object(sentRights, closed)),
    is_admin: Type.Optional(Type.Boolean()),
  },
  { ...closed, minProperties: 1 },
)
export type UserChange = Static<typeof UserChange>

/** Commands on the server set passwords, too; people are asked for a proof (features/people/passwords). */
export type UserChangeByServer = UserChange & { password?: string }

/** Somebody who is invited to become a user. The e-mail is trimmed and in lower case. */
export interface JoiningUser {
  email: string
  /** Undefined: not known yet. */
  name?: string | undefined
  role_id?: number | null | undefined
  group_id?: number | null | undefined
}

export const NamedUser = Type.Object({ id: Id }, closed)
export type NamedUser = Static<typeof NamedUser>

/** The parts of a user that `with` asks for. */
export const userWith = withNames('role', 'group', 'uuid', 'amojo_id', 'user_rank', 'phone_number')
export type UserWanted = ReturnType<typeof userWith.wanted>

export const UserQuery = Type.Object(
  {
    ...Paging,
    with: userWith.parameter,
  },
  { additionalProperties: true },
)
