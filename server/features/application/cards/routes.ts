// These routes are private to the web application.
import { forbidIntegrations } from '../../../access/actor.ts'
import { json, sendJson } from '../../../http/hal.ts'
import { Type } from '../../../http/type.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { addressOf } from '../../activity/files/files.ts'
import { readFileOfField, readRecordCard, usersWithoutView } from './cards.ts'
import { CardFileParams, CardParams, NonViewers, RecordCard } from './schema.ts'

export function cardRoutes(app: App, kontor: Kontor): void {
  const { database } = kontor
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

  app.get(
    '/web/v1/cards/:type/:id/non-viewers',
    {
      config: { access: 'user' },
      onRequest: forbidIntegrations,
      schema: {
        summary: 'List the users who may not view a record',
        params: CardParams,
        response: { 200: json('Their ids', NonViewers) },
      },
    },
    async ({ actor, params: { type, id } }, reply) =>
      sendJson(reply, { user_ids: await usersWithoutView(database, actor, type, id) }),
  )

  // An address that stays while that of the file ends, so a page may be open for days.
  app.get(
    '/web/v1/cards/:type/:id/files/:field',
    {
      config: { access: 'user' },
      onRequest: forbidIntegrations,
      schema: {
        summary: 'Open the file of a field',
        params: CardFileParams,
        response: { 302: Type.Null({ description: 'The address of the file' }) },
      },
    },
    async ({ actor, base, params: { type, id, field } }, reply) => {
      const file = await readFileOfField(database, actor, type, id, field)
      return reply
        .header('cache-control', 'no-store')
        .redirect(addressOf(kontor, actor.accountId, file, { base }), 302)
    },
  )
}
