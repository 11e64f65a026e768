import { forbidIntegrations } from '../../../access/actor.ts'
import { subdomainOf } from '../../../http/addresses.ts'
import { one } from '../../../http/body.ts'
import { readCookie } from '../../../http/cookies.ts'
import { hal, IdParams, sendHal } from '../../../http/hal.ts'
import {
  forbidForeign,
  forbidForeignPages,
  sessionCookie,
  sessionTokenOf,
} from '../../../access/sessions.ts'
import { Type } from '../../../http/type.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { OwnSessions, Session, SignIn } from './schema.ts'
import {
  cookieFor,
  endSession,
  endSessionById,
  endSessions,
  listSessions,
  readNewSession,
  readSession,
  signIn,
  visitorOf,
} from './sessions.ts'

export function sessionRoutes(app: App, kontor: Kontor): void {
  const { database } = kontor
  const users = { config: { access: 'user' }, onRequest: forbidIntegrations } as const

  app.get(
    '/web/v1/session',
    { config: { access: 'user' }, schema: { response: { 200: hal('The session', Session) } } },
    async (request, reply) =>
      sendHal(reply, await readSession(database, request.actor, sessionTokenOf(request))),
  )

  app.post(
    '/web/v1/session',
    {
      config: { access: 'public', perAddress: true },
      preHandler: forbidForeignPages(kontor),
      schema: {
        body: one(SignIn, { unknownKeys: 'reject' }),
        response: { 200: hal('The new session', Session) },
      },
    },
    async (request, reply) => {
      const account =
        subdomainOf(kontor, request.host) ?? request.body.account?.trim().toLowerCase()
      const { token, cookies } = await signIn(
        kontor,
        { ...request.body, account },
        visitorOf(request),
      )
      return sendHal(reply.header('set-cookie', cookies), await readNewSession(kontor, token))
    },
  )

  app.delete(
    '/web/v1/session',
    {
      config: { access: 'public' },
      schema: { response: { 204: Type.Null({ description: 'Signed out of this browser' }) } },
    },
    async (request, reply) => {
      const token = readCookie(request.headers.cookie, sessionCookie)
      if (token !== undefined) {
        forbidForeign(kontor, request)
        await database.transaction((tx) => endSession(tx, token))
      }
      return reply.code(204).header('set-cookie', cookieFor(kontor, undefined)).send()
    },
  )

  app.get(
    '/web/v1/sessions',
    {
      ...users,
      schema: { response: { 200: hal('The sessions of the user, the latest first', OwnSessions) } },
    },
    async (request, reply) => {
      const sessions = await listSessions(database, request.actor, sessionTokenOf(request))
      return sendHal(reply, { _embedded: { sessions } })
    },
  )

  app.delete(
    '/web/v1/sessions/:id',
    {
      ...users,
      config: { access: 'user', isPaid: false },
      schema: {
        params: IdParams,
        response: { 204: Type.Null({ description: 'Signed out of this browser' }) },
      },
    },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => endSessionById(tx, actor, id))
      return reply.code(204).send()
    },
  )

  app.delete(
    '/web/v1/sessions',
    {
      config: { access: 'user', isPaid: false },
      schema: { response: { 204: Type.Null({ description: 'Signed out of all browsers' }) } },
    },
    async ({ actor }, reply) => {
      await database.transaction((tx) => endSessions(tx, actor))
      return reply.code(204).header('set-cookie', cookieFor(kontor, undefined)).send()
    },
  )
}
