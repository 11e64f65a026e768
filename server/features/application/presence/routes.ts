// This route is private to the web application.
import { forbidIntegrations } from '../../../access/actor.ts'
import { one } from '../../../http/body.ts'
import { Type } from '../../../http/type.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { announcePresence } from './presence.ts'
import { Presence } from './schema.ts'

export function presenceRoutes(app: App, { database, signals }: Kontor): void {
  app.post(
    '/web/v1/presence',
    {
      config: { access: 'user' },
      onRequest: forbidIntegrations,
      schema: {
        summary: 'Tell that the user is at the card of a record',
        body: one(Presence),
        response: { 204: Type.Null({ description: 'Told' }) },
      },
    },
    async ({ actor, body }, reply) => {
      await announcePresence(database, signals, actor, body)
      return reply.code(204).send()
    },
  )
}
