import type { Static } from 'typebox'
import { ChosenPassword } from '../../../access/passwords.ts'
import { Type } from '../../../http/type.ts'
import { Timestamp } from '../../../http/types.ts'
import { Proof } from '../second-factor/schema.ts'

const closed = { additionalProperties: false }

const { password: current_password, code } = Proof.properties

export const PasswordChange = Type.Object(
  { current_password, code, new_password: ChosenPassword },
  closed,
)
export type PasswordChange = Static<typeof PasswordChange>

export const ResetLink = Type.Object({
  url: Type.String({ description: 'The page where the user sets a new password; good once' }),
  expires_at: Timestamp,
})

/** The user whom a link for a new password is for. */
export const PasswordReset = Type.Object({
  account: Type.String({ description: 'The name of the account' }),
  name: Type.String(),
  email: Type.String(),
  expires_at: Timestamp,
})

export const NewPassword = Type.Object({ password: ChosenPassword }, closed)
