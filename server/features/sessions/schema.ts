import type { Static } from 'typebox'
import { Type } from '../../http/type.ts'
import { Id, Name } from '../../http/types.ts'

export const SignIn = Type.Object({
  email: Name(255),
  /** Long enough for any passphrase, short enough to hash. */
  password: Name(1024),
  account: Type.Optional(
    Type.String({
      maxLength: 63,
      description: 'Subdomain of the account; by default the first account where the password fits',
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

/** The signed-in user, the account, and the other accounts in which the password fits. */
export const Session = Type.Object({
  user: SessionUser,
  account: SessionAccount,
  accounts: Type.Array(SessionAccount),
})
