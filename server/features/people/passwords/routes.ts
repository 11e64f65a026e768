// Private to the web application.
import { forbidIntegrations } from '../../../access/actor.ts'
import { LinkParams } from '../../../access/links.ts'
import { forbidForeignPages, sessionTokenOf } from '../../../access/sessions.ts'
import { publicBaseOf, subdomainOf } from '../../../http/addresses.ts'
import { one } from '../../../http/body.ts'
import { hal, IdParams, sendHal } from '../../../http/hal.ts'
import { Type } from '../../../http/type.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { Proof } from '../second-factor/schema.ts'
import { whenProven } from '../second-factor/second-factor.ts'
import { browserHashOf, visitorOf } from '../sessions/sessions.ts'
import { changePassword, createResetLink, readPasswordReset, resetPassword } from './passwords.ts'
import { NewPassword, PasswordChange, PasswordReset, ResetLink } from './schema.ts'

const linkPath = '/web/v1/password-resets/:token'

export function passwordRoutes(app: App, kontor: Kontor): void {
  // Access is secured in an unpaid account, too.
  const always = { isPaid: false } as const
  const visitors = { access: 'public', perAddress: true } as const
  const unknownKeys = 'reject'

  app.post(
    '/web/v1/password',
    {
      config: { access: 'user', ...always },
      onRequest: forbidIntegrations,
      schema: {
        body: one(PasswordChange, { unknownKeys }),
        response: { 204: Type.Null({ description: 'Changed; the other sessions have ended' }) },
      },
    },
    async (request, reply) => {
      const session = sessionTokenOf(request)
      const browser = session === undefined ? undefined : browserHashOf(visitorOf(request))
      await changePassword(kontor, request.actor, request.body, { session, browser })
      return reply.code(204).send()
    },
  )

  app.post(
    '/web/v1/users/:id/reset-link',
    {
      config: { access: 'admin', ...always },
      onRequest: forbidIntegrations,
      schema: {
        params: IdParams,
        body: one(Proof, { unknownKeys }),
        response: { 200: hal('The link, which is not shown again', ResetLink) },
      },
    },
    async ({ actor, host, body, params: { id } }, reply) => {
      const base = publicBaseOf(kontor, host)
      const link = await whenProven(kontor, actor, body, (tx) =>
        createResetLink(tx, actor, base, id),
      )
      return sendHal(reply, link)
    },
  )

  app.get(
    linkPath,
    {
      config: visitors,
      schema: { params: LinkParams, response: { 200: hal('Whom it is for', PasswordReset) } },
    },
    async ({ host, params: { token } }, reply) =>
      sendHal(
        reply,
        await readPasswordReset(kontor, { token, subdomain: subdomainOf(kontor, host) }),
      ),
  )

  app.post(
    linkPath,
    {
      config: visitors,
      preHandler: forbidForeignPages(kontor),
      schema: {
        params: LinkParams,
        body: one(NewPassword, { unknownKeys }),
        response: { 204: Type.Null({ description: 'The password is set; the link is void' }) },
      },
    },
    async ({ body: { password }, host, params: { token } }, reply) => {
      await resetPassword(kontor, { token, password, subdomain: subdomainOf(kontor, host) })
      return reply.code(204).send()
    },
  )
}
