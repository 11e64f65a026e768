import type { Static, TProperties } from 'typebox'
import { PresentPassword } from '../../../access/passwords.ts'
import { Type } from '../../../http/type.ts'
import { Name, Nullable, Timestamp } from '../../../http/types.ts'

/** A code of the authenticator app, or a recovery code. */
export const SecondFactorCode = Name(64)

const closed = { additionalProperties: false }

export const SecondFactor = Type.Object({
  is_on: Type.Boolean(),
  confirmed_at: Nullable(Timestamp),
  recovery_codes: Type.Integer({ minimum: 0, description: 'How many are left' }),
})

/** A second factor that was begun: what an authenticator app needs, shown once. */
export const BegunFactor = Type.Object({
  secret: Type.String({ description: 'In base32, for apps without a camera' }),
  uri: Type.String({ description: 'otpauth://totp/…' }),
  qr: Type.Object(
    {
      size: Type.Integer({ description: 'The width and height of the code, with its border' }),
      path: Type.String({ description: 'The dark squares, as `d` of an SVG path' }),
    },
    { description: 'The address as a QR code' },
  ),
})

export const RecoveryCodes = Type.Object({
  recovery_codes: Type.Array(Type.String({ description: 'xxxx-xxxx-xxxx-xxxx, good once' })),
})

export const WithPassword = Type.Object({ password: PresentPassword }, closed)

export const WithCode = Type.Object({ code: SecondFactorCode }, closed)

const proof = {
  password: PresentPassword,
  code: Type.Optional(SecondFactorCode),
}

/** By what a user proves who it is; the code is asked for where the second factor is on. */
export const Proof = Type.Object(proof, closed)
export type Proof = Static<typeof Proof>

/** A body that carries the proof of its sender beside what it is about. */
export const withProof = <Members extends TProperties>(members: Members) =>
  Type.Object({ ...members, ...proof }, closed)
