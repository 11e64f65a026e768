// This route is private to the web application.
import { forbidIntegrations } from '../../../access/actor.ts'
import { json, sendAs } from '../../../http/hal.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { FeedPath, FeedQuery, FeedPage } from './schema.ts'
import { readFeed } from './feed.ts'

export function feedRoutes(app: App, kontor: Kontor): void {
  app.get(
    '/web/v1/timeline/:type/:id',
    {
      config: { access: 'user' },
      onRequest: forbidIntegrations,
      schema: {
        summary: 'Read the feed of a record',
        params: FeedPath,
        querystring: FeedQuery,
        response: { 200: json('Items of the feed, the oldest first', FeedPage) },
      },
    },
    async ({ actor, base, params: { type, id }, query }, reply) =>
      sendAs(reply, 'application/json', await readFeed(kontor, actor, base, type, id, query)),
  )
}
