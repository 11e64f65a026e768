// The sign-in as pages, which work without scripts: a form that the server reads and answers with a
// redirect. The application itself speaks with /web/v1/session.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { signedIn } from '../../../../access/admission.ts'
import { forbidForeign, forbidForeignPages, sessionCookie } from '../../../../access/sessions.ts'
import { subdomainOf } from '../../../../http/addresses.ts'
import { form } from '../../../../http/body.ts'
import { readCookie } from '../../../../http/cookies.ts'
import { Type } from '../../../../http/type.ts'
import type { App, Kontor } from '../../../../kontor.ts'
import { sendFailure, sendHtmlPage } from '../../../../pages/frame.ts'
import { speechFor } from '../../../../pages/language.ts'
import { localPath } from '../../../../pages/local-path.ts'
import { accountNameAt, isSetupNeeded } from '../../accounts/accounts.ts'
import { cookieFor, endSession, signInByForm, visitorOf } from '../sessions.ts'
import type { RefusedSignIn } from '../sessions.ts'
import { forgotPage, loginPage } from './pages.ts'

const LoginQuery = Type.Object(
  { next: Type.Optional(Type.Unknown()), lang: Type.Optional(Type.Unknown()) },
  { additionalProperties: true },
)
const LoginForm = Type.Object({
  email: Type.Optional(Type.String()),
  password: Type.Optional(Type.String()),
  code: Type.Optional(Type.String()),
  pair: Type.Optional(Type.String()),
})

export function signInRoutes(app: App, kontor: Kontor): void {
  const { database } = kontor
  const config = { access: 'public', perAddress: true } as const
  const errorHandler = (error: Error, request: FastifyRequest, reply: FastifyReply) =>
    sendFailure(error, request, reply, { speech: speechFor(kontor, request), again: '/login' })

  app.get(
    '/login',
    { config, errorHandler, schema: { querystring: LoginQuery } },
    async (request, reply) => {
      if (await isSetupNeeded(database)) return reply.redirect('/setup', 303)
      if (await signedIn(app, request)) return reply.redirect(localPath(request.query.next), 303)
      return show(request, reply, loginPage)
    },
  )

  app.post(
    '/login',
    {
      config: { ...config, takesForms: 'flat' },
      errorHandler,
      preHandler: forbidForeignPages(kontor),
      schema: { querystring: LoginQuery, body: form(LoginForm) },
    },
    async (request, reply) => {
      const outcome = await signInByForm(kontor, request.body, {
        account: subdomainOf(kontor, request.host),
        visitor: visitorOf(request),
      })
      if ('token' in outcome)
        return reply
          .header('set-cookie', outcome.cookies)
          .redirect(localPath(request.query.next), 303)
      if (outcome.status === 429) reply.headers(outcome.headers)
      return show(request, reply, loginPage, outcome)
    },
  )

  app.get(
    '/login/forgot',
    { config, errorHandler, schema: { querystring: LoginQuery } },
    (request, reply) => show(request, reply, forgotPage),
  )

  app.post('/logout', { config, errorHandler }, async (request, reply) => {
    const token = readCookie(request.headers.cookie, sessionCookie)
    if (token !== undefined) {
      forbidForeign(kontor, request)
      await database.transaction((tx) => endSession(tx, token))
    }
    return reply.header('set-cookie', cookieFor(kontor, undefined)).redirect('/login', 303)
  })

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    page: typeof loginPage,
    refused?: RefusedSignIn,
  ): Promise<FastifyReply> {
    const speech = speechFor(kontor, request)
    const query = request.query as { next?: unknown; changed?: unknown }
    const next = localPath(query.next)
    const isChanged = query.changed === 'password'
    const company = await accountNameAt(database, subdomainOf(kontor, request.host))
    return sendHtmlPage(reply, speech, page({ say: speech.say, company, next, isChanged }, refused))
  }
}
