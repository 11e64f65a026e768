// The page behind a reset link, where a user chooses a new password.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { forbidForeignPages } from '../../../../access/sessions.ts'
import { subdomainOf } from '../../../../http/addresses.ts'
import { form } from '../../../../http/body.ts'
import { Problem } from '../../../../http/problem.ts'
import { compile } from '../../../../http/validate.ts'
import type { App, Kontor } from '../../../../kontor.ts'
import { faultOf, passwordField, revealScript } from '../../../../pages/fields.ts'
import { PageProblem, sendFailure, sendHtmlPage } from '../../../../pages/frame.ts'
import type { HtmlPage } from '../../../../pages/frame.ts'
import { html } from '../../../../pages/html.ts'
import { speechFor } from '../../../../pages/language.ts'
import type { Say, TextKey } from '../../../../pages/language.ts'
import { readPasswordReset, resetPassword } from '../passwords.ts'
import type { ResetAddress } from '../passwords.ts'
import { NewPassword } from '../schema.ts'

const checkPassword = compile(NewPassword, 'text')

export function resetPageRoutes(app: App, kontor: Kontor): void {
  const config = { access: 'public', perAddress: true } as const
  const errorHandler = (error: Error, request: FastifyRequest, reply: FastifyReply) =>
    sendFailure(error, request, reply, { speech: speechFor(kontor, request) })

  app.get('/reset/:token', { config, errorHandler }, async (request, reply) => show(request, reply))

  app.post(
    '/reset/:token',
    {
      config: { ...config, takesForms: 'flat' },
      errorHandler,
      preHandler: forbidForeignPages(kontor),
      schema: { body: form(NewPassword) },
    },
    async (request, reply) => {
      const { value, faults } = checkPassword({ password: request.body.password ?? '' })
      if (faults.length > 0) return show(request, reply, 'fields.passwordTooShort')
      try {
        await resetPassword(kontor, { ...linkOf(request), password: value.password })
      } catch (error) {
        if (!(error instanceof Problem) || error.status !== 400) throw orVoid(error)
        return show(request, reply, 'fields.passwordIsEmail')
      }
      return reply.redirect('/login?changed=password', 303)
    },
  )

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    fault?: TextKey,
  ): Promise<FastifyReply> {
    const speech = speechFor(kontor, request)
    const reset = await readPasswordReset(kontor, linkOf(request)).catch((error: unknown) => {
      throw orVoid(error)
    })
    return sendHtmlPage(reply, speech, resetPage(speech.say, reset, fault))
  }

  const linkOf = ({ host, params }: FastifyRequest): ResetAddress => ({
    token: (params as { token: string }).token,
    subdomain: subdomainOf(kontor, host),
  })
}

/** A link that is void is said in words of the page. */
const orVoid = (error: unknown): unknown =>
  error instanceof Problem && error.status === 404
    ? new PageProblem(404, 'links.void', 'links.voidTitle')
    : error

function resetPage(
  say: Say,
  { account, email }: { account: string; email: string },
  fault: TextKey | undefined,
): HtmlPage {
  const body = html`<h1>${say('reset.title')}</h1>
    <p class="quiet">${say('reset.about')}</p>
    ${faultOf(fault && say(fault))}
    <form method="post">
      <div class="field">
        <span class="label">${say('fields.email')}</span>
        <span>${email}</span>
        <input type="hidden" name="username" value="${email}" autocomplete="username" />
      </div>
      ${passwordField(say, {
        isNew: true,
        label: say('fields.newPassword'),
        isFirst: true,
        isFaulty: fault !== undefined,
        hint: say('fields.passwordHint'),
      })}
      <button class="primary full">${say('reset.submit')}</button>
    </form>`
  const status = fault === undefined ? 200 : 400
  return { status, title: say('reset.title'), company: account, body, script: revealScript }
}
