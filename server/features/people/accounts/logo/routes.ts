// These routes are private to the web application.
import { forbidIntegrations } from '../../../../access/actor.ts'
import { one } from '../../../../http/body.ts'
import { hal, sendHal } from '../../../../http/hal.ts'
import { Type } from '../../../../http/type.ts'
import type { App, Kontor } from '../../../../kontor.ts'
import { deleteAccountLogo, readAccountLogo, setAccountLogo } from './logo.ts'
import { AccountLogo, LogoRemoval, NewAccountLogo } from './schema.ts'

const pictures = Object.fromEntries(
  ['png', 'jpeg', 'webp'].map((name) => [`image/${name}`, { schema: {} }]),
)
const path = '/web/v1/account-logo'

export function accountLogoRoutes(app: App, { database }: Kontor): void {
  const onRequest = forbidIntegrations
  const admins = { config: { access: 'admin' }, onRequest } as const

  app.get(
    path,
    {
      config: { access: 'user' },
      onRequest,
      schema: {
        response: {
          200: { description: 'The picture', content: pictures },
          304: Type.Null({ description: 'The browser has it' }),
        },
      },
    },
    async ({ actor, headers }, reply) => {
      const { type, content, etag } = await readAccountLogo(database, actor)
      reply.headers({
        etag: `"${etag}"`,
        'cache-control': 'private, no-cache',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "sandbox; default-src 'none'",
      })
      if (headers['if-none-match'] === `"${etag}"`) return reply.code(304).send()
      return reply.type(type).send(content)
    },
  )

  app.put(
    path,
    {
      ...admins,
      schema: {
        body: one(NewAccountLogo, { unknownKeys: 'reject' }),
        response: { 200: hal('The logo', AccountLogo) },
      },
    },
    async ({ actor, body }, reply) =>
      sendHal(reply, {
        logo: await database.transaction((tx) => setAccountLogo(tx, actor, body)),
      }),
  )

  app.delete(
    path,
    {
      ...admins,
      schema: {
        querystring: LogoRemoval,
        response: { 204: Type.Null({ description: 'There is no logo any more' }) },
      },
    },
    async ({ actor, query }, reply) => {
      await database.transaction((tx) => deleteAccountLogo(tx, actor, query))
      return reply.code(204).send()
    },
  )
}
