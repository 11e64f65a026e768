// The sign-in as pages, which work without scripts: a form that the server reads and answers with a
// redirect. The application itself speaks with /web/v1/session.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { signedIn } from '../../../access/admission.ts'
import { forbidForeign, sessionCookie } from '../../../access/sessions.ts'
import { subdomainOf } from '../../../http/addresses.ts'
import { form } from '../../../http/body.ts'
import { readCookie } from '../../../http/cookies.ts'
import { Problem } from '../../../http/problem.ts'
import { Type } from '../../../http/type.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { sendFailure, sendPage } from '../../../pages/frame.ts'
import { speechFor } from '../../../pages/language.ts'
import { localPath } from '../../../pages/local-path.ts'
import { accountNameAt } from '../../accounts/accounts.ts'
import { cookieFor, endSession, signIn } from '../sessions.ts'
import { forgotPage, loginPage } from './pages.ts'
import type { SignInPage } from './pages.ts'

const LoginQuery = Type.Object(
  { next: Type.Optional(Type.Unknown()), lang: Type.Optional(Type.Unknown()) },
  { additionalProperties: true },
)
const LoginForm = Type.Object({
  email: Type.Optional(Type.String()),
  password: Type.Optional(Type.String()),
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
      if (await signedIn(app, request)) return reply.redirect(localPath(request.query.next), 303)
      return show(request, reply, {})
    },
  )

  app.post(
    '/login',
    {
      config: { ...config, takesForms: 'flat' },
      errorHandler,
      // Checked before the body is read, so that a foreign page learns nothing about it.
      preHandler: async (request) => {
        if (request.headers.origin !== undefined) forbidForeign(kontor, request)
      },
      schema: { querystring: LoginQuery, body: form(LoginForm) },
    },
    async (request, reply) => {
      const email = (request.body.email ?? '').slice(0, 255)
      const { say } = speechFor(kontor, request)
      try {
        const { cookies } = await signIn(kontor, {
          email,
          password: (request.body.password ?? '').slice(0, 1024),
          account: subdomainOf(kontor, request.host),
          address: request.ip,
          cookie: request.headers.cookie,
        })
        return reply.header('set-cookie', cookies).redirect(localPath(request.query.next), 303)
      } catch (error) {
        if (!(error instanceof Problem) || ![401, 429].includes(error.status)) throw error
        const { status, headers } = error
        const minutes = Math.ceil(Number(headers['retry-after'] ?? 0) / 60)
        if (status === 429) reply.headers(headers)
        const fault = status === 429 ? say('signIn.tooMany', { minutes }) : say('signIn.wrongPair')
        return show(request, reply, { status, email, fault })
      }
    },
  )

  app.get(
    '/login/forgot',
    { config, errorHandler, schema: { querystring: LoginQuery } },
    async (request, reply) => {
      const speech = speechFor(kontor, request)
      const { say } = speech
      const next = localPath(request.query.next)
      return sendPage(reply, speech, forgotPage({ say, next, company: await companyOf(request) }))
    },
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
    page: Omit<SignInPage, 'say' | 'company' | 'next'>,
  ): Promise<FastifyReply> {
    const speech = speechFor(kontor, request)
    const next = localPath((request.query as { next?: unknown }).next)
    const company = await companyOf(request)
    return sendPage(reply, speech, loginPage({ ...page, say: speech.say, company, next }))
  }

  const companyOf = ({ host }: FastifyRequest): Promise<string | undefined> =>
    accountNameAt(database, subdomainOf(kontor, host))
}
