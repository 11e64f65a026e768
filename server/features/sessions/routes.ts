import type { FastifyRequest } from 'fastify'
import { subdomainOf } from '../../http/addresses.ts'
import { one } from '../../http/body.ts'
import { readCookie } from '../../http/cookies.ts'
import { hal, sendHal } from '../../http/hal.ts'
import { unauthorized } from '../../http/problem.ts'
import { forbidForeign, sessionCookie } from '../../access/sessions.ts'
import { Type } from '../../http/type.ts'
import type { App, Kontor } from '../../kontor.ts'
import { Session, SignIn } from './schema.ts'
import {
  cookieFor,
  endSession,
  endSessions,
  accountsOfSession,
  prolongSession,
  readSession,
  signIn,
} from './sessions.ts'

export function sessionRoutes(app: App, kontor: Kontor): void {
  const { database } = kontor

  app.get(
    '/web/v1/session',
    { config: { access: 'user' }, schema: { response: { 200: hal('The session', Session) } } },
    async ({ actor, headers }, reply) => {
      const token = tokenOf(headers)
      if (token !== undefined) {
        await database.transaction((tx) => prolongSession(tx, token, actor.at))
        reply.header('set-cookie', cookieFor(kontor, token))
      }
      return sendHal(reply, await readSession(database, actor, token))
    },
  )

  app.post(
    '/web/v1/session',
    {
      config: { access: 'public', perAddress: true },
      // Checked before the body is read, so that a foreign page learns nothing about it.
      preHandler: async (request) => {
        if (request.headers.origin !== undefined) forbidForeign(kontor, request)
      },
      schema: {
        body: one(SignIn, { unknownKeys: 'reject' }),
        response: { 200: hal('The new session', Session) },
      },
    },
    async ({ body: sent, headers, host, ip }, reply) => {
      const account = subdomainOf(kontor, host) ?? sent.account?.trim().toLowerCase()
      const { cookie } = headers
      const { token, cookies } = await signIn(kontor, { ...sent, account, address: ip, cookie })
      reply.header('set-cookie', cookies)
      const places = await accountsOfSession(database, token, kontor.now())
      const place = places.find(({ is_chosen }) => is_chosen)
      // The user was deactivated after the password was checked.
      if (!place) throw unauthorized()
      return sendHal(
        reply,
        await readSession(
          database,
          { accountId: place.account_id, userId: place.user_id, at: kontor.now() },
          token,
        ),
      )
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

/** The session that admitted the request; a token takes precedence over a cookie. */
function tokenOf({ authorization, cookie }: FastifyRequest['headers']): string | undefined {
  return authorization === undefined ? readCookie(cookie, sessionCookie) : undefined
}
