import type { Static } from 'typebox'
import { PresentPassword } from '../../../access/passwords.ts'
import { Type } from '../../../http/type.ts'
import { Id, Name, Nullable, Timestamp } from '../../../http/types.ts'
import { SecondFactorCode } from '../second-factor/schema.ts'

export const SignIn = Type.Object({
  email: Name(255),
  password: PresentPassword,
  account: Type.Optional(
    Type.String({
      maxLength: 63,
      description: 'Subdomain of the account; by default the first account where the password fits',
    }),
  ),
  code: Type.Optional(
    Type.String({
      ...SecondFactorCode,
      description: 'A code of the authenticator app or a recovery code, for users with these',
    }),
  ),
})
export type SignIn = Static<typeof SignIn>

const SessionAccount = Type.Object({ id: Id, name: Type.String(), subdomain: Type.String() })
export type SessionAccount = Static<typeof SessionAccount>

const SessionUser = Type.Object({
  id: Id,
  name: Type.String(),
  email: Type.String(),
  language: Type.String(),
  group_id: Type.Integer({ minimum: 0 }),
  is_admin: Type.Boolean(),
})
export type SessionUser = Static<typeof SessionUser>

/** A session as its user sees it: a browser that is signed in. */
export const OwnSession = Type.Object({
  id: Id,
  created_at: Timestamp,
  last_used_at: Type.Integer({ ...Timestamp, description: 'Up to an hour too early' }),
  browser: Nullable(Type.String({ description: '"Firefox on Linux"; null: not known' })),
  address: Nullable(Type.String({ description: 'Of the last use; null: not known' })),
  is_current: Type.Boolean({ description: 'Whether the request came with this session' }),
})
export type OwnSession = Static<typeof OwnSession>

export const OwnSessions = Type.Object({
  _embedded: Type.Object({ sessions: Type.Array(OwnSession) }),
})

/** The signed-in user, the account, and the other accounts in which the password fits. */
export const Session = Type.Object({
  user: SessionUser,
  account: SessionAccount,
  accounts: Type.Array(SessionAccount),
})
