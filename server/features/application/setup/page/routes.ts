// The pages that set a server without accounts up: three steps. The answers of the first two are kept
// in the browser (draft.ts); the third makes the account, all at once.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { forbidForeignPages } from '../../../../access/sessions.ts'
import { publicBaseOf } from '../../../../http/addresses.ts'
import { form } from '../../../../http/body.ts'
import type { Form } from '../../../../http/body.ts'
import { Problem } from '../../../../http/problem.ts'
import { Type } from '../../../../http/type.ts'
import { compile } from '../../../../http/validate.ts'
import type { App, Kontor } from '../../../../kontor.ts'
import { faultsByField, sendFailure, sendHtmlPage } from '../../../../pages/frame.ts'
import { speechFor } from '../../../../pages/language.ts'
import { signIn, visitorOf } from '../../../people/sessions/sessions.ts'
import { NewSetup } from '../schema.ts'
import { isOpenToOthers } from '../../../../http/listen.ts'
import { isSetupNeeded } from '../../../people/accounts/accounts.ts'
import { checkAccount, setUp } from '../setup.ts'
import { keepDraft, readDraft } from './draft.ts'
import type { SetupDraft } from './draft.ts'
import { lastStep, linksPage, mostText, stepPage } from './page.ts'
import type { Step, StepState } from './page.ts'

const { code, company, language, timezone, currency, name, email, password } = NewSetup.properties
const { sales_process, customers } = NewSetup.properties
const account = { code, company, language, timezone, currency, name, email, password }
const process = { sales_process, customers }
/** A checkbox sends a text where it is set. */
const SetupForm = Type.Object({
  step: Type.Optional(Type.String()),
  ...account,
  ...process,
  demo: Type.Optional(Type.String()),
  invite: Type.Optional(Type.String({ maxLength: mostText })),
})
export type SetupForm = Form<typeof SetupForm>

const checkAccountForm = compile(Type.Object(account))
const checkProcessForm = compile(Type.Object(process))

export function setupPageRoutes(app: App, kontor: Kontor): void {
  const { database } = kontor
  const config = { access: 'public', perAddress: true } as const
  const errorHandler = (error: Error, request: FastifyRequest, reply: FastifyReply) =>
    sendFailure(error, request, reply, { speech: speechFor(kontor, request), again: '/setup' })

  app.get('/setup', { config, errorHandler }, async (request, reply) => {
    if (!(await isSetupNeeded(database))) return reply.redirect('/login', 303)
    const draft = readDraft(kontor, request.headers.cookie)
    const step = Number((request.query as { step?: unknown }).step ?? lastStep)
    const reached = nextStep(draft)
    return show(request, reply, (step >= 1 && step < reached ? step : reached) as Step, {})
  })

  app.post(
    '/setup',
    {
      config: { ...config, takesForms: 'flat' },
      errorHandler,
      preHandler: forbidForeignPages(kontor),
      schema: { body: form(SetupForm) },
    },
    async (request, reply) => {
      if (!(await isSetupNeeded(database))) return reply.redirect('/login', 303)
      const draft = readDraft(kontor, request.headers.cookie)
      const { step } = request.body
      // A step whose answers before have gone begins at the first that is missing.
      if (step === '3' && draft?.process) return end(request, reply, draft, draft.process)
      if (step === '2' && draft) return keepProcess(request, reply, draft)
      if (step === '1' || step === undefined) return keepAccount(request, reply, draft)
      return reply.redirect('/setup', 303)
    },
  )

  async function keepAccount(
    request: FastifyRequest,
    reply: FastifyReply,
    draft: SetupDraft | undefined,
  ): Promise<FastifyReply> {
    const { step: _, demo: _demo, invite: _invite, ...sent } = request.body as SetupForm
    const { value, faults } = checkAccountForm({
      ...sent,
      ...trimmed({ company: sent.company, name: sent.name, email: sent.email }),
      // The page never shows a password again, so an empty field means the one that is kept.
      ...(sent.password === undefined && draft && { password: draft.account.password }),
    })
    const wrong = new Set(faults.map(({ path }) => path))
    if (wrong.size > 0) return show(request, reply, 1, { faults: wrong })
    try {
      await checkAccount(kontor, value, request.ip)
    } catch (error) {
      return refuse(request, reply, error)
    }
    const { language: spoken } = speechFor(kontor, request)
    const next = `/setup?step=2${value.language === spoken ? '' : `&lang=${value.language}`}`
    return reply
      .header('set-cookie', keepDraft(kontor, { ...draft, account: value }))
      .redirect(next, 303)
  }

  async function keepProcess(
    request: FastifyRequest,
    reply: FastifyReply,
    draft: SetupDraft,
  ): Promise<FastifyReply> {
    const { sales_process, customers } = request.body as SetupForm
    const { value, faults } = checkProcessForm({ sales_process, customers })
    if (faults.length > 0)
      return show(request, reply, 2, { faults: new Set(faults.map(({ path }) => path)) })
    return reply
      .header('set-cookie', keepDraft(kontor, { ...draft, process: value }))
      .redirect('/setup?step=3', 303)
  }

  async function end(
    request: FastifyRequest,
    reply: FastifyReply,
    { account }: SetupDraft,
    process: NonNullable<SetupDraft['process']>,
  ): Promise<FastifyReply> {
    const { demo, invite = '' } = request.body as SetupForm
    const emails = invite.split(/[\s,;]+/).filter(Boolean)
    const own = account.email.trim().toLowerCase()
    const wrongEmail =
      emails.find((each) => !isEmail(each) || each.toLowerCase() === own) ?? emails[mostInvited]
    if (wrongEmail !== undefined)
      return show(request, reply, 3, { faults: new Set(['invite']), wrongEmail })
    try {
      const { ip: address, host } = request
      const base = publicBaseOf(kontor, host)
      const draft = { ...account, ...process, with_demo_data: demo === 'on' }
      const made = await setUp(kontor, draft, { address, base, emails })
      const pair = { email: account.email, password: account.password, account: made.subdomain }
      const { cookies } = await signIn(kontor, pair, visitorOf(request))
      reply.header('set-cookie', [...cookies, keepDraft(kontor, undefined)])
      if (made.invitations.length === 0) return reply.redirect('/', 303)
      const speech = speechFor(kontor, request)
      return sendHtmlPage(reply, speech, linksPage(speech, made.invitations))
    } catch (error) {
      return refuse(request, reply, error)
    }
  }

  /** Shows the step again that a refusal is about. */
  function refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
    const wrong = faultsByField(error)
    if (wrong) return show(request, reply, 1, { faults: new Set(wrong.keys()) })
    if (!(error instanceof Problem)) throw error
    if (error.status === 409) return reply.redirect('/login', 303)
    if (error.status === 403) return show(request, reply, 1, { faults: new Set(['code']) })
    if (error.status !== 429) throw error
    const minutes = Math.ceil(Number(error.headers['retry-after'] ?? 0) / 60)
    return show(request, reply.headers(error.headers), 1, { minutes })
  }

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    step: Step,
    refused: Pick<StepState, 'faults' | 'minutes' | 'wrongEmail'>,
  ): FastifyReply {
    const speech = speechFor(kontor, request)
    const sent = (request.body ?? {}) as SetupForm
    const draft = readDraft(kontor, request.headers.cookie)
    const asksForCode = isOpenToOthers(kontor.config)
    return sendHtmlPage(
      reply,
      speech,
      stepPage(speech, step, { sent, draft, asksForCode, ...refused }),
    )
  }
}

/** The first step that is not answered yet. */
const nextStep = (draft: SetupDraft | undefined): Step => (!draft ? 1 : draft.process ? 3 : 2)

const mostInvited = 50
const isEmail = (text: string): boolean => checkEmail({ email: text }).faults.length === 0
const checkEmail = compile(Type.Object({ email }))

const trimmed = (texts: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(texts).flatMap(([key, text]) =>
      text === undefined ? [] : [[key, text.trim()]],
    ),
  )
