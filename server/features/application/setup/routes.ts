import { forbidForeignPages } from '../../../access/sessions.ts'
import { publicBaseOf } from '../../../http/addresses.ts'
import { one } from '../../../http/body.ts'
import { hal, json, sendHal, sendJson } from '../../../http/hal.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { Session } from '../../people/sessions/schema.ts'
import { readNewSession, signIn, visitorOf } from '../../people/sessions/sessions.ts'
import { NewSetup, SetupState } from './schema.ts'
import { isOpenToOthers } from '../../../http/listen.ts'
import { isSetupNeeded } from '../../people/accounts/accounts.ts'
import { setUp } from './setup.ts'

const path = '/web/v1/setup'

export function setupRoutes(app: App, kontor: Kontor): void {
  const { config, database } = kontor

  app.get(
    path,
    {
      config: { access: 'public', perAddress: true },
      schema: {
        summary: 'Read whether the server is to be set up',
        response: { 200: json('The state', SetupState) },
      },
    },
    async (_request, reply) => {
      const is_needed = await isSetupNeeded(database)
      return sendJson(reply, { is_needed, needs_code: is_needed && isOpenToOthers(config) })
    },
  )

  app.post(
    path,
    {
      config: { access: 'public', perAddress: true },
      preHandler: forbidForeignPages(kontor),
      schema: {
        summary: 'Make the first account and sign in',
        body: one(NewSetup, { unknownKeys: 'reject' }),
        response: { 200: hal('The new session', Session) },
      },
    },
    async (request, reply) => {
      const { body, host, ip } = request
      const invited = { address: ip, base: publicBaseOf(kontor, host) }
      const { subdomain: account } = await setUp(kontor, body, invited)
      const { email, password } = body
      const credentials = { email, password, account }
      const { token, cookies } = await signIn(kontor, credentials, visitorOf(request))
      return sendHal(reply.header('set-cookie', cookies), await readNewSession(kontor, token))
    },
  )
}
