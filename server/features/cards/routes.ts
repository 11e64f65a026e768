// This route is private to the web application.
import { forbidIntegrations } from '../../access/actor.ts'
import { json, sendJson } from '../../http/hal.ts'
import type { App, Kontor } from '../../kontor.ts'
import { readRecordCard } from './cards.ts'
import { CardParams, RecordCard } from './schema.ts'

export function cardRoutes(app: App, { database }: Kontor): void {
  app.get(
    '/web/v1/cards/:type/:id',
    {
      config: { access: 'user' },
      onRequest: forbidIntegrations,
      schema: {
        summary: 'Read the card of a record',
        params: CardParams,
        response: { 200: json('The record, also one in the bin, with its links', RecordCard) },
      },
    },
    async ({ actor, base, params: { type, id } }, reply) =>
      sendJson(reply, await readRecordCard(database, actor, base, type, id)),
  )
}
