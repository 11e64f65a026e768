import { forbidIntegrations } from '../../../access/actor.ts'
import { json, sendJson } from '../../../http/hal.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { SearchAnswer, searchedTypes, SearchQuery } from './schema.ts'
import { searchTypes } from './search.ts'

const usualLimit = 10

export function searchRoutes(app: App, { database }: Kontor): void {
  app.get(
    '/web/v1/search',
    {
      config: { access: 'user' },
      onRequest: forbidIntegrations,
      schema: {
        summary: 'Search for the command menu',
        querystring: SearchQuery,
        response: { 200: json('A few hits of each type, the best first', SearchAnswer) },
      },
    },
    async ({ actor, log, query }, reply) => {
      const { q, similar = false, types = searchedTypes, limit = usualLimit } = query
      return sendJson(reply, await searchTypes(database, actor, { q, similar, types, limit }, log))
    },
  )
}
