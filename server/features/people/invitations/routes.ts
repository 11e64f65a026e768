// Private to the web application.
import { forbidIntegrations } from '../../../access/actor.ts'
import { LinkParams } from '../../../access/links.ts'
import { forbidForeignPages } from '../../../access/sessions.ts'
import { publicBaseOf, subdomainOf } from '../../../http/addresses.ts'
import { one } from '../../../http/body.ts'
import { hal, IdParams, sendHal } from '../../../http/hal.ts'
import { Type } from '../../../http/type.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { withProof } from '../second-factor/schema.ts'
import { whenProven } from '../second-factor/second-factor.ts'
import { Session } from '../sessions/schema.ts'
import { readNewSession, visitorOf } from '../sessions/sessions.ts'
import {
  acceptInvitation,
  createInvitation,
  createInvitations,
  deleteInvitation,
  listInvitations,
  readInvitation,
  renewInvitation,
} from './invitations.ts'
import {
  AddressedInvitation,
  InvitationAcceptance,
  Invitations,
  NewInvitation,
  NewInvitations,
  OpenedInvitation,
  ShownInvitation,
  ShownInvitations,
} from './schema.ts'

const linkPath = '/web/v1/invites/:token'

export function invitationRoutes(app: App, kontor: Kontor): void {
  const { database } = kontor
  const admins = { config: { access: 'admin' }, onRequest: forbidIntegrations } as const
  const visitors = { access: 'public', perAddress: true } as const
  const unknownKeys = 'reject'

  app.get(
    '/web/v1/invitations',
    { ...admins, schema: { response: { 200: hal('The open invitations', Invitations) } } },
    async ({ actor }, reply) =>
      sendHal(reply, { _embedded: { invitations: await listInvitations(database, actor) } }),
  )

  app.post(
    '/web/v1/invitations',
    {
      ...admins,
      schema: {
        body: one(withProof(NewInvitation.properties), { unknownKeys }),
        response: { 201: hal('The link, which is not shown again', ShownInvitation) },
      },
    },
    async ({ actor, host, body: { password, code, ...draft } }, reply) => {
      const base = publicBaseOf(kontor, host)
      const made = await whenProven(kontor, actor, { password, code }, (tx) =>
        createInvitation(tx, actor, base, draft),
      )
      return sendHal(reply.code(201), made)
    },
  )

  app.post(
    '/web/v1/invitations/several',
    {
      ...admins,
      schema: {
        body: one(withProof(NewInvitations.properties), { unknownKeys }),
        response: { 201: hal('The links, which are not shown again', ShownInvitations) },
      },
    },
    async ({ actor, host, body: { password, code, ...draft } }, reply) => {
      const base = publicBaseOf(kontor, host)
      const invitations = await whenProven(kontor, actor, { password, code }, (tx) =>
        createInvitations(tx, actor, base, draft),
      )
      return sendHal(reply.code(201), { _embedded: { invitations } })
    },
  )

  app.post(
    '/web/v1/invitations/:id/link',
    {
      ...admins,
      schema: {
        params: IdParams,
        body: one(withProof({}), { unknownKeys }),
        response: { 200: hal('The link; the former one is void', AddressedInvitation) },
      },
    },
    async ({ actor, host, params: { id }, body }, reply) => {
      const base = publicBaseOf(kontor, host)
      return sendHal(
        reply,
        await whenProven(kontor, actor, body, (tx) => renewInvitation(tx, actor, base, id)),
      )
    },
  )

  app.delete(
    '/web/v1/invitations/:id',
    {
      ...admins,
      // Access can be ended in an unpaid account, too.
      config: { access: 'admin', isPaid: false },
      schema: {
        params: IdParams,
        response: { 204: Type.Null({ description: 'The link is void' }) },
      },
    },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => deleteInvitation(tx, actor, id))
      return reply.code(204).send()
    },
  )

  app.get(
    linkPath,
    {
      config: visitors,
      schema: { params: LinkParams, response: { 200: hal('The invitation', OpenedInvitation) } },
    },
    async ({ host, params: { token } }, reply) =>
      sendHal(reply, await readInvitation(kontor, { token, subdomain: subdomainOf(kontor, host) })),
  )

  app.post(
    linkPath,
    {
      config: visitors,
      preHandler: forbidForeignPages(kontor),
      schema: {
        params: LinkParams,
        body: one(InvitationAcceptance, { unknownKeys }),
        response: { 200: hal('The session of the new user', Session) },
      },
    },
    async (request, reply) => {
      const { body, host, params } = request
      const link = { ...body, token: params.token, subdomain: subdomainOf(kontor, host) }
      const { token, cookies } = await acceptInvitation(kontor, link, visitorOf(request))
      return sendHal(reply.header('set-cookie', cookies), await readNewSession(kontor, token))
    },
  )
}
