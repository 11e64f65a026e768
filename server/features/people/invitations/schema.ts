import type { Static } from 'typebox'
import { ChosenPassword } from '../../../access/passwords.ts'
import { Type } from '../../../http/type.ts'
import { Id, Name, Nullable, Timestamp } from '../../../http/types.ts'
import { GroupId, Language } from '../users/schema.ts'

const closed = { additionalProperties: false }

/** An invitation that is open, as it is listed: never with its link. */
export const Invitation = Type.Object({
  id: Id,
  email: Type.String(),
  name: Nullable(Type.String()),
  role_id: Nullable(Id),
  group_id: GroupId,
  is_admin: Type.Boolean(),
  created_by: Id,
  created_at: Timestamp,
  expires_at: Timestamp,
})
export type Invitation = Static<typeof Invitation>

export const Invitations = Type.Object({
  _embedded: Type.Object({ invitations: Type.Array(Invitation) }),
})

const Email = Type.String({ format: 'email', maxLength: 255 })
const access = {
  role_id: Type.Optional(Nullable(Id)),
  group_id: Type.Optional(Nullable(GroupId)),
  is_admin: Type.Optional(Type.Boolean()),
}

export const NewInvitation = Type.Object(
  { email: Email, name: Type.Optional(Nullable(Name(50))), ...access },
  closed,
)
export type NewInvitation = Static<typeof NewInvitation>

/** Invitations of several people who get the same role and group. */
export const NewInvitations = Type.Object(
  { emails: Type.Array(Email, { minItems: 1, maxItems: 50 }), ...access },
  closed,
)
export type NewInvitations = Static<typeof NewInvitations>

/** An invitation as it is shown once, with its link. */
export const ShownInvitation = Type.Object({
  id: Id,
  url: Type.String({ description: 'The page where the invited person becomes a user; good once' }),
  expires_at: Timestamp,
})

/** One of several, or one with another link. */
export const AddressedInvitation = Type.Object({
  ...ShownInvitation.properties,
  email: Type.String(),
})

export const ShownInvitations = Type.Object({
  _embedded: Type.Object({ invitations: Type.Array(AddressedInvitation) }),
})

/** The part of an invitation that the invited person sees. */
export const OpenedInvitation = Type.Object({
  account: Type.String({ description: 'The name of the account' }),
  email: Type.String(),
  name: Nullable(Type.String()),
  lang: Type.Enum(['en', 'ru', 'es', 'pt'], { description: 'The language of the account' }),
  expires_at: Timestamp,
})

export const InvitationAcceptance = Type.Object(
  { name: Name(50), password: ChosenPassword, lang: Type.Optional(Language) },
  closed,
)
export type InvitationAcceptance = Static<typeof InvitationAcceptance>
