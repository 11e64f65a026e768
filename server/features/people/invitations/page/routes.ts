// The page behind an invitation, where an invited person becomes a user.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { forbidForeignPages } from '../../../../access/sessions.ts'
import { subdomainOf } from '../../../../http/addresses.ts'
import { form } from '../../../../http/body.ts'
import { Problem } from '../../../../http/problem.ts'
import { compile } from '../../../../http/validate.ts'
import type { App, Kontor } from '../../../../kontor.ts'
import { passwordField, revealScript, textField } from '../../../../pages/fields.ts'
import { faultsByField, PageProblem, sendFailure, sendHtmlPage } from '../../../../pages/frame.ts'
import type { HtmlPage } from '../../../../pages/frame.ts'
import { html } from '../../../../pages/html.ts'
import { speechFor } from '../../../../pages/language.ts'
import type { Say } from '../../../../pages/language.ts'
import { visitorOf } from '../../sessions/sessions.ts'
import { acceptInvitation, readInvitation } from '../invitations.ts'
import type { InvitationLink } from '../invitations.ts'
import { InvitationAcceptance } from '../schema.ts'

const checkAcceptance = compile(InvitationAcceptance, 'text')

export function invitePageRoutes(app: App, kontor: Kontor): void {
  const config = { access: 'public', perAddress: true } as const
  const errorHandler = (error: Error, request: FastifyRequest, reply: FastifyReply) =>
    sendFailure(error, request, reply, { speech: speechFor(kontor, request) })

  app.get('/invite/:token', { config, errorHandler }, async (request, reply) =>
    show(request, reply),
  )

  app.post(
    '/invite/:token',
    {
      config: { ...config, takesForms: 'flat' },
      errorHandler,
      preHandler: forbidForeignPages(kontor),
      schema: { body: form(InvitationAcceptance) },
    },
    async (request, reply) => {
      const { name = '', password = '' } = request.body
      const { language } = speechFor(kontor, request)
      const { value, faults } = checkAcceptance({ name: name.trim(), password, lang: language })
      if (faults.length > 0)
        return show(request, reply, { name, faults: new Set(faults.map(({ path }) => path)) })
      try {
        const link = { ...value, ...linkOf(request) }
        const { cookies } = await acceptInvitation(kontor, link, visitorOf(request))
        return reply.header('set-cookie', cookies).redirect('/', 303)
      } catch (error) {
        const wrong = faultsByField(error)
        if (!wrong) throw orVoid(error)
        return show(request, reply, { name, faults: new Set(wrong.keys()) })
      }
    },
  )

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    sent?: Sent,
  ): Promise<FastifyReply> {
    const speech = speechFor(kontor, request)
    const invitation = await readInvitation(kontor, linkOf(request)).catch((error: unknown) => {
      throw orVoid(error)
    })
    return sendHtmlPage(reply, speech, invitePage(speech.say, invitation, sent))
  }

  const linkOf = ({ host, params }: FastifyRequest): InvitationLink => ({
    token: (params as { token: string }).token,
    subdomain: subdomainOf(kontor, host),
  })
}

/** A form that was refused: the name that was sent, and the fields that are wrong. */
interface Sent {
  name: string
  faults: Set<string>
}

/** A link that is void is said in words of the page. */
const orVoid = (error: unknown): unknown =>
  error instanceof Problem && error.status === 404
    ? new PageProblem(404, 'links.void', 'links.voidTitle')
    : error

function invitePage(
  say: Say,
  { account, email, name }: { account: string; email: string; name: string | null },
  sent: Sent | undefined,
): HtmlPage {
  const given = sent?.name ?? name ?? ''
  const isWrong = (field: string) => sent?.faults.has(field) ?? false
  const body = html`<h1>${say('invite.title', { account })}</h1>
    <p class="quiet">${say('invite.about')}</p>
    <form method="post">
      <div class="field">
        <span class="label">${say('fields.email')}</span>
        <span>${email}</span>
        <input type="hidden" name="username" value="${email}" autocomplete="username" />
      </div>
      ${textField({
        name: 'name',
        label: say('fields.name'),
        value: given,
        autocomplete: 'name',
        maxLength: 50,
        isFirst: given === '' || isWrong('name'),
        fault: isWrong('name') ? say('fields.nameFault') : undefined,
      })}
      ${passwordField(say, {
        isNew: true,
        isFirst: given !== '' && !isWrong('name'),
        hint: say('fields.passwordHint'),
        fault: isWrong('password') ? say('fields.passwordFault') : undefined,
      })}
      <button class="primary full">${say('invite.submit')}</button>
    </form>`
  return {
    status: sent ? 400 : 200,
    title: say('invite.title', { account }),
    company: account,
    body,
    script: revealScript,
  }
}
