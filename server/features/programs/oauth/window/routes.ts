// The access-granting window: a user signs in, sees the scopes an integration asks for, chooses an
// account, and allows or denies. Each form carries a token made from a cookie (the session cookie,
// or the visit cookie before sign-in). So no other site can fill in the forms, neither to decide
// for the user nor to sign the user in as somebody else.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hostOf, subdomainOf } from '../../../../http/addresses.ts'
import { form } from '../../../../http/body.ts'
import type { Form } from '../../../../http/body.ts'
import { readCookie, setCookie } from '../../../../http/cookies.ts'
import { asProblem } from '../../../../http/problem.ts'
import { forbidForeign, sessionCookie } from '../../../../access/sessions.ts'
import type { App, Kontor } from '../../../../kontor.ts'
import { PageProblem, sendFailure, sendHtmlPage } from '../../../../pages/frame.ts'
import type { HtmlPage } from '../../../../pages/frame.ts'
import { speechFor } from '../../../../pages/language.ts'
import { hash, randomText, sameSecret } from '../../../../secrets.ts'
import { showIntegration } from '../../integrations/integrations.ts'
import type { Shown } from '../../integrations/integrations.ts'
import {
  cookieFor,
  endSession,
  signInByForm,
  visitorOf,
} from '../../../people/sessions/sessions.ts'
import { grantable, grantAccess, signedInAt } from './grant.ts'
import { codeTarget, deniedAddress, grantedAddress, refusalTarget } from './outcome.ts'
import { askedBy, consentPage, forbiddenPage, messagePage, signInPage } from './pages.ts'
import { asText, fromText, WindowForm, WindowQuestion } from './question.ts'

const visitCookie = 'kontor_visit'

/** The window is opened at 750 by 580 pixels. No address may reach the integration's page. */
const look = { isWide: true, referrer: 'no-referrer' } as const

export function windowRoutes(app: App, kontor: Kontor): void {
  const { database } = kontor

  app.get(
    '/oauth',
    {
      config: { access: 'public', perAddress: true },
      attachValidation: true,
      errorHandler: fail,
      schema: {
        summary: 'Open the access-granting window',
        tags: ['oauth'],
        querystring: WindowQuestion,
        response: {
          200: {
            description: 'The page where a user grants access',
            content: { 'text/html': { schema: { type: 'string' } } },
          },
        },
      },
    },
    async (request, reply) => {
      if (request.validationError) throw request.validationError
      return ask(request, reply, request.query)
    },
  )

  app.post(
    '/oauth',
    {
      config: { access: 'public', perAddress: true, takesForms: 'flat' },
      errorHandler: fail,
      schema: { body: form(WindowForm) },
    },
    async (request, reply) => {
      const field: Field = (name) => request.body[name] ?? ''
      const question = fromText(field('question'))
      const act = actions.get(field('action'))
      if (!act) throw new PageProblem(400, 'window.noAction')
      forbidOtherPages(request)
      return act(request, reply, question, field)
    },
  )

  const acts: Record<
    string,
    (...sent: [FastifyRequest, FastifyReply, WindowQuestion, Field]) => Promise<FastifyReply>
  > = {
    async sign_in(request, reply, question, field) {
      const integration = await integrationOf(question)
      const email = field('email')
      const { say } = speechFor(kontor, request)
      if (!isTokenOf(readCookie(request.headers.cookie, visitCookie), field('csrf')))
        return showSignIn(request, reply, {
          integration,
          question,
          status: 403,
          email,
          fault: say('window.noCookie'),
        })
      const { pair, password, code } = request.body as Form<typeof WindowForm>
      const outcome = await signInByForm(
        kontor,
        { pair, email, password, code },
        { account: subdomainOf(kontor, request.host), visitor: visitorOf(request) },
      )
      if ('token' in outcome)
        return reply
          .header('set-cookie', outcome.cookies)
          .redirect(`/oauth?${asText(question)}`, 303)
      if (outcome.status === 429) reply.headers(outcome.headers)
      return showSignIn(request, reply, { integration, question, refused: outcome })
    },

    async sign_out(request, reply, question, field) {
      const token = sessionOf(request, field)
      await database.transaction((tx) => endSession(tx, token))
      return reply
        .code(303)
        .headers({
          'set-cookie': cookieFor(kontor, undefined),
          location: `/oauth?${asText(question)}`,
        })
        .send()
    },

    async allow(request, reply, question, field) {
      const token = sessionOf(request, field)
      const at = kontor.now()
      const integration = await integrationOf(question)
      // The user agreed to what the form showed. If that has changed, the page is shown again.
      if (askedBy(integration) !== field('scopes')) return ask(request, reply, question)
      const accountId = Number(field('account'))
      const { code, place } = await database.transaction(async (tx) => {
        const places = await signedInAt(tx, token, subdomainOf(kontor, request.host), at)
        return grantAccess(tx, integration, places, { accountId, at })
      })
      const { client_id, redirect_uri } = integration
      const { state, mode, origin } = question
      const address = grantedAddress(redirect_uri, {
        code,
        referer: hostOf(kontor, place),
        client_id,
        state,
      })
      const target = mode === 'popup' ? codeTarget(redirect_uri, origin) : undefined
      if (target === undefined) return reply.code(302).header('location', address).send()
      const { say } = speechFor(kontor, request)
      return send(request, reply, question, messagePage(say, { url: address }, target, address))
    },

    async deny(request, reply, question, field) {
      sessionOf(request, field)
      const { client_id, redirect_uri } = await integrationOf(question)
      const { state, mode, origin } = question
      const address = deniedAddress(redirect_uri, state)
      if (mode !== 'popup') return reply.code(302).header('location', address).send()
      const message = { client_id, error: 'access_denied' }
      const { say } = speechFor(kontor, request)
      const target = refusalTarget(redirect_uri, origin)
      return send(request, reply, question, messagePage(say, message, target, address))
    },
  }

  const actions = new Map(Object.entries(acts))

  function fail(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { question } = (request.body ?? {}) as Form<typeof WindowForm>
    const isAgain = question !== undefined && asProblem(error)?.status === 403
    const address = question === undefined ? request.url : `/oauth?${question}`
    const speech = { ...speechFor(kontor, request), address }
    return sendFailure(error, request, reply, {
      speech,
      again: isAgain ? address : undefined,
      ...look,
    })
  }

  /** Shows the page for the state of the user: sign-in, decision, or refusal. */
  async function ask(
    request: FastifyRequest,
    reply: FastifyReply,
    question: WindowQuestion,
  ): Promise<FastifyReply> {
    const integration = await integrationOf(question)
    const token = readCookie(request.headers.cookie, sessionCookie)
    const places = await signedInAt(
      database,
      token,
      subdomainOf(kontor, request.host),
      kontor.now(),
    )
    if (token === undefined || places.length === 0)
      return showSignIn(request, reply, { integration, question })
    const allowed = await grantable(database, integration, places)
    const { say } = speechFor(kontor, request)
    const form = { say, integration, question, csrf: formToken(token), places }
    return send(
      request,
      reply,
      question,
      allowed.length > 0 ? consentPage({ ...form, kontor, allowed }) : forbiddenPage(form),
    )
  }

  function showSignIn(
    request: FastifyRequest,
    reply: FastifyReply,
    page: Omit<Parameters<typeof signInPage>[0], 'csrf' | 'say'>,
  ): FastifyReply {
    const known = readCookie(request.headers.cookie, visitCookie)
    const visit = known ?? randomText(43)
    if (known === undefined)
      reply.header('set-cookie', setCookie(kontor, visitCookie, visit, { path: '/oauth' }))
    const { say } = speechFor(kontor, request)
    return send(request, reply, page.question, signInPage({ ...page, say, csrf: formToken(visit) }))
  }

  /** A form posts to the bare address, so the links to other languages repeat its question. */
  function send(
    request: FastifyRequest,
    reply: FastifyReply,
    question: WindowQuestion,
    page: HtmlPage,
  ): FastifyReply {
    const speech = { ...speechFor(kontor, request), address: `/oauth?${asText(question)}` }
    return sendHtmlPage(reply, speech, { ...page, ...look })
  }

  async function integrationOf({ client_id }: WindowQuestion): Promise<Shown> {
    const integration = await showIntegration(database, client_id)
    if (!integration) throw new PageProblem(400, 'window.unknownIntegration')
    return integration
  }

  /**
   * With `Referrer-Policy: no-referrer`, browsers send these forms with the Origin `null`; the form
   * token protects them in that case.
   */
  function forbidOtherPages(request: FastifyRequest): void {
    const { origin, 'sec-fetch-site': site } = request.headers
    if (origin !== undefined && origin !== 'null') forbidForeign(kontor, request)
    if (site !== undefined && site !== 'same-origin') throw new PageProblem(403, 'failure.foreign')
  }
}

/**
 * The token of the session that a form was made for. Throws a 403 problem if the session has
 * changed.
 */
function sessionOf({ headers }: FastifyRequest, field: Field): string {
  const token = readCookie(headers.cookie, sessionCookie)
  if (token === undefined || !isTokenOf(token, field('csrf')))
    throw new PageProblem(403, 'window.outOfDate')
  return token
}

function formToken(cookie: string): string {
  return hash(`a form of ${cookie}`).toString('base64url')
}

function isTokenOf(cookie: string | undefined, csrf: string): boolean {
  return cookie !== undefined && sameSecret(formToken(cookie), csrf)
}

/** Answers a field of the form; an absent field is empty. */
type Field = (name: keyof Form<typeof WindowForm>) => string
