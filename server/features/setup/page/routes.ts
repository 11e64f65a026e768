// The page that sets a server without accounts up.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { forbidForeignPages } from '../../../access/sessions.ts'
import { form } from '../../../http/body.ts'
import type { Form } from '../../../http/body.ts'
import { Problem } from '../../../http/problem.ts'
import { Type } from '../../../http/type.ts'
import { compile } from '../../../http/validate.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { faultsByField, sendFailure, sendHtmlPage } from '../../../pages/frame.ts'
import { speechFor } from '../../../pages/language.ts'
import { signIn, visitorOf } from '../../sessions/sessions.ts'
import { NewSetup } from '../schema.ts'
import { isOpenToOthers, isSetupNeeded, setUp } from '../setup.ts'
import { setupPage } from './page.ts'

const { code, company, language, timezone, currency, name, email, password } = NewSetup.properties
const { sales_process, customers } = NewSetup.properties
/** A checkbox sends a text where it is set. */
const SetupForm = Type.Object({
  code,
  company,
  language,
  timezone,
  currency,
  name,
  email,
  password,
  sales_process,
  customers,
  demo: Type.Optional(Type.String()),
})
export type SetupForm = Form<typeof SetupForm>

const checkSetup = compile(NewSetup)

export function setupPageRoutes(app: App, kontor: Kontor): void {
  const { database } = kontor
  const config = { access: 'public', perAddress: true } as const
  const errorHandler = (error: Error, request: FastifyRequest, reply: FastifyReply) =>
    sendFailure(error, request, reply, { speech: speechFor(kontor, request), again: '/setup' })

  app.get('/setup', { config, errorHandler }, async (request, reply) => {
    if (!(await isSetupNeeded(database))) return reply.redirect('/login', 303)
    return show(request, reply, {})
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
      const { demo, ...sent } = request.body
      const draft = { ...sent, company: sent.company?.trim(), email: sent.email?.trim() }
      const { value, faults } = checkSetup({ ...given(draft), with_demo_data: demo === 'on' })
      const wrong = new Set(faults.map(({ path }) => path))
      if (wrong.size > 0) return show(request, reply, { faults: wrong })
      try {
        return await makeAccount(request, reply, value)
      } catch (error) {
        const wrong = faultsByField(error)
        if (wrong) return show(request, reply, { faults: new Set(wrong.keys()) })
        if (!(error instanceof Problem)) throw error
        if (error.status === 409) return reply.redirect('/login', 303)
        if (error.status === 403) return show(request, reply, { faults: new Set(['code']) })
        if (error.status !== 429) throw error
        const minutes = Math.ceil(Number(error.headers['retry-after'] ?? 0) / 60)
        return show(request, reply.headers(error.headers), { minutes })
      }
    },
  )

  async function makeAccount(
    request: FastifyRequest,
    reply: FastifyReply,
    draft: Static<typeof NewSetup>,
  ): Promise<FastifyReply> {
    const account = await setUp(kontor, draft, request.ip)
    const pair = { email: draft.email, password: draft.password, account }
    const { cookies } = await signIn(kontor, pair, visitorOf(request))
    return reply.header('set-cookie', cookies).redirect('/', 303)
  }

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    refused: { faults?: Set<string>; minutes?: number },
  ): FastifyReply {
    const speech = speechFor(kontor, request)
    const sent = (request.body ?? {}) as SetupForm
    const asksForCode = isOpenToOthers(kontor.config)
    return sendHtmlPage(reply, speech, setupPage(speech, { sent, asksForCode, ...refused }))
  }
}

const given = (draft: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(draft).filter((each): each is [string, string] => each[1] !== undefined),
  )
