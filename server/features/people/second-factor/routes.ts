// Private to the web application.
import { forbidIntegrations } from '../../../access/actor.ts'
import { requireSession } from '../../../access/sessions.ts'
import { one } from '../../../http/body.ts'
import { hal, IdParams, sendHal } from '../../../http/hal.ts'
import { Type } from '../../../http/type.ts'
import type { App, Kontor } from '../../../kontor.ts'
import {
  BegunFactor,
  Proof,
  RecoveryCodes,
  SecondFactor,
  WithCode,
  WithPassword,
} from './schema.ts'
import {
  beginSecondFactor,
  confirmSecondFactor,
  endSecondFactor,
  readFactor,
  removeSecondFactor,
  renewRecoveryCodes,
  whenProven,
} from './second-factor.ts'

const path = '/web/v1/second-factor'

export function secondFactorRoutes(app: App, kontor: Kontor): void {
  const { database } = kontor
  // A user secures the sign-in in an unpaid account, too.
  const users = {
    config: { access: 'user', isPaid: false },
    onRequest: forbidIntegrations,
  } as const
  const unknownKeys = 'reject'

  app.get(
    path,
    { ...users, schema: { response: { 200: hal('The second factor', SecondFactor) } } },
    async ({ actor }, reply) => sendHal(reply, await readFactor(database, actor)),
  )

  app.post(
    path,
    {
      ...users,
      schema: {
        body: one(WithPassword, { unknownKeys }),
        response: { 200: hal('The secret, which is not shown again', BegunFactor) },
      },
    },
    async ({ actor, body: { password } }, reply) =>
      sendHal(reply, await beginSecondFactor(kontor, actor, password)),
  )

  app.post(
    `${path}/confirm`,
    {
      ...users,
      schema: {
        body: one(WithCode, { unknownKeys }),
        response: { 200: hal('Recovery codes, which are not shown again', RecoveryCodes) },
      },
    },
    async ({ actor, body: { code } }, reply) =>
      sendHal(reply, { recovery_codes: await confirmSecondFactor(kontor, actor, code) }),
  )

  app.post(
    `${path}/recovery-codes`,
    {
      ...users,
      schema: {
        body: one(Proof, { unknownKeys }),
        response: { 200: hal('New recovery codes; the earlier ones are void', RecoveryCodes) },
      },
    },
    async ({ actor, body }, reply) => {
      const recovery_codes = await whenProven(kontor, actor, body, (tx) =>
        renewRecoveryCodes(tx, actor),
      )
      return sendHal(reply, { recovery_codes })
    },
  )

  app.delete(
    path,
    {
      ...users,
      schema: {
        body: one(Proof, { unknownKeys }),
        response: { 204: Type.Null({ description: 'The password alone signs in again' }) },
      },
    },
    async ({ actor, body }, reply) => {
      await whenProven(kontor, actor, body, (tx) => endSecondFactor(tx, actor))
      return reply.code(204).send()
    },
  )

  app.delete(
    '/web/v1/users/:id/second-factor',
    {
      config: { access: 'admin', isPaid: false },
      onRequest: requireSession,
      schema: {
        params: IdParams,
        body: one(Proof, { unknownKeys }),
        response: { 204: Type.Null({ description: 'The password of the user alone signs in' }) },
      },
    },
    async ({ actor, body, params: { id } }, reply) => {
      await whenProven(kontor, actor, body, (tx) => removeSecondFactor(tx, actor, id))
      return reply.code(204).send()
    },
  )
}
