import { forbidIntegrations } from '../../../access/actor.ts'
import { json, sendJson, sendAs } from '../../../http/hal.ts'
import { Type } from '../../../http/type.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { readBootstrap, readCounters } from './bootstrap.ts'
import { Bootstrap, CountersAnswer } from './schema.ts'

export function bootstrapRoutes(app: App, { database }: Kontor): void {
  const people = { config: { access: 'user' as const }, onRequest: forbidIntegrations }

  app.get(
    '/web/v1/bootstrap',
    {
      ...people,
      schema: {
        summary: 'Read what the shell shows',
        response: {
          200: json('The shell', Bootstrap),
          304: Type.Null({ description: 'All but the counters and the cursor is as it was' }),
        },
      },
    },
    async ({ actor, headers }, reply) => {
      const shell = await readBootstrap(database, actor)
      // Weak: answers with one version differ in their counters.
      const etag = `W/"${shell.version}"`
      reply.header('etag', etag)
      const known = headers['if-none-match']?.split(',').map((each) => each.trim())
      return known?.includes(etag)
        ? reply.code(304).send()
        : sendAs(reply, 'application/json', shell.json)
    },
  )

  app.get(
    '/web/v1/counters',
    {
      ...people,
      schema: {
        summary: 'Read the numbers of the badges',
        response: { 200: json('The numbers', CountersAnswer) },
      },
    },
    async ({ actor }, reply) => sendJson(reply, await readCounters(database, actor)),
  )
}
