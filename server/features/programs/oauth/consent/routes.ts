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
import { requestedBy, consentPage, forbiddenPage, messagePage, signInPage } from './pages.ts'
import { asText, fromText, ConsentForm, ConsentParameters } from './parameters.ts'

const visitCookie = 'kontor_visit'

/** The window is opened at 750 by 580 pixels. No address may reach the integration's page. */
const look = { isWide: true, referrer: 'no-referrer' } as const

export function consentRoutes(app: App, kontor: Kontor): void {
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
        querystring: ConsentParameters,
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
      schema: { body: form(ConsentForm) },
    },
    async (request, reply) => {
      const field: Field = (name) => request.body[name] ?? ''
      const parameters = fromText(field('question'))
      const act = actions.get(field('action'))
      if (!act) throw new PageProblem(400, 'window.noAction')
      forbidOtherPages(request)
      return act(request, reply, parameters, field)
    },
  )

  const acts: Record<
    string,
    (...sent: [FastifyRequest, FastifyReply, ConsentParameters, Field]) => Promise<FastifyReply>
  > = {
    async sign_in(request, reply, parameters, field) {
      const integration = await integrationOf(parameters)
      const email = field('email')
      const { say } = speechFor(kontor, request)
      if (!isTokenOf(readCookie(request.headers.cookie, visitCookie), field('csrf')))
        return showSignIn(request, reply, {
          integration,
          parameters,
          status: 403,
          email,
          fault: say('window.noCookie'),
        })
      const { pair, password, code } = request.body as Form<typeof ConsentForm>
      const outcome = await signInByForm(
        kontor,
        { pair, email, password, code },
        { account: subdomainOf(kontor, request.host), visitor: visitorOf(request) },
      )
      if ('token' in outcome)
        return reply
          .header('set-cookie', outcome.cookies)
          .redirect(`/oauth?${asText(parameters)}`, 303)
      if (outcome.status === 429) reply.headers(outcome.headers)
      return showSignIn(request, reply, { integration, parameters, refused: outcome })
    },

    async sign_out(request, reply, parameters, field) {
      const token = sessionOf(request, field)
      await database.transaction((tx) => endSession(tx, token))
      return reply
        .code(303)
        .headers({
          'set-cookie': cookieFor(kontor, undefined),
          location: `/oauth?${asText(parameters)}`,
        })
        .send()
    },

    async allow(request, reply, parameters, field) {
      const token = sessionOf(request, field)
      const at = kontor.now()
      const integration = await integrationOf(parameters)
      // The user agreed to what the form showed. If that has changed, the page is shown again.
      if (requestedBy(integration) !== field('scopes')) return ask(request, reply, parameters)
      const accountId = Number(field('account'))
      const { code, account } = await database.transaction(async (tx) => {
        const accounts = await signedInAt(tx, token, subdomainOf(kontor, request.host), at)
        return grantAccess(tx, integration, accounts, { accountId, at })
      })
      const { client_id, redirect_uri } = integration
      const { state, mode, origin } = parameters
      const address = grantedAddress(redirect_uri, {
        code,
        referer: hostOf(kontor, account),
        client_id,
        state,
      })
      const target = mode === 'popup' ? codeTarget(redirect_uri, origin) : undefined
      if (target === undefined) return reply.code(302).header('location', address).send()
      const { say } = speechFor(kontor, request)
      return send(request, reply, parameters, messagePage(say, { url: address }, target, address))
    },

    async deny(request, reply, parameters, field) {
      sessionOf(request, field)
      const { client_id, redirect_uri } = await integrationOf(parameters)
      const { state, mode, origin } = parameters
      const address = deniedAddress(redirect_uri, state)
      if (mode !== 'popup') return reply.code(302).header('location', address).send()
      const message = { client_id, error: 'access_denied' }
      const { say } = speechFor(kontor, request)
      const target = refusalTarget(redirect_uri, origin)
      return send(request, reply, parameters, messagePage(say, message, target, address))
    },
  }

  const actions = new Map(Object.entries(acts))

  function fail(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { question: parameters } = (request.body ?? {}) as Form<typeof ConsentForm>
    const isAgain = parameters !== undefined && asProblem(error)?.status === 403
    const address = parameters === undefined ? request.url : `/oauth?${parameters}`
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
    parameters: ConsentParameters,
  ): Promise<FastifyReply> {
    const integration = await integrationOf(parameters)
    const token = readCookie(request.headers.cookie, sessionCookie)
    const accounts = await signedInAt(
      database,
      token,
      subdomainOf(kontor, request.host),
      kontor.now(),
    )
    if (token === undefined || accounts.length === 0)
      return showSignIn(request, reply, { integration, parameters })
    const allowed = await grantable(database, integration, accounts)
    const { say } = speechFor(kontor, request)
    const form = { say, integration, parameters, csrf: formToken(token), accounts }
    return send(
      request,
      reply,
      parameters,
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
    return send(
      request,
      reply,
      page.parameters,
      signInPage({ ...page, say, csrf: formToken(visit) }),
    )
  }

  /** A form posts to the bare address, so the links to other languages repeat its parameters. */
  function send(
    request: FastifyRequest,
    reply: FastifyReply,
    parameters: ConsentParameters,
    page: HtmlPage,
  ): FastifyReply {
    const speech = { ...speechFor(kontor, request), address: `/oauth?${asText(parameters)}` }
    return sendHtmlPage(reply, speech, { ...page, ...look })
  }

  async function integrationOf({ client_id }: ConsentParameters): Promise<Shown> {
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
type Field = (name: keyof Form<typeof ConsentForm>) => string
