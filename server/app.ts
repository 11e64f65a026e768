// The table of contents: how Kontor answers, and every feature in one line.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { randomUUID } from 'node:crypto'
import fastify from 'fastify'
import type { FastifyBaseLogger, FastifyInstance, FastifyTypeProvider, RawServerDefault } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { accountRoutes } from './features/accounts/routes.ts'
import { eventRoutes } from './features/events/routes.ts'
import { leadRoutes } from './features/leads/routes.ts'
import { oauthRoutes } from './features/oauth/routes.ts'
import { tagRoutes } from './features/tags/routes.ts'
import { healthRoute } from './http/health.ts'
import { speak } from './http/speak.ts'
import type { Kontor } from './kontor.ts'

/** A schema on a route is the type of what its handler gets. */
interface Shapes extends FastifyTypeProvider {
  validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown
  serializer: unknown
}

export type App = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, Shapes>

/** Builds the application; it does not listen yet. `prepare` sees it before any route is there. */
export async function buildApp(kontor: Kontor, logger: FastifyBaseLogger, prepare?: (app: App) => Promise<void>): Promise<App> {
  const app = fastify({
    loggerInstance: logger,
    ...speak.options,
    bodyLimit: kontor.config.bodyLimit,
    genReqId: () => randomUUID(),
  }).withTypeProvider<Shapes>() as unknown as App
  await prepare?.(app)
  speak.install(app, kontor)

  healthRoute(app)
  oauthRoutes(app, kontor)
  accountRoutes(app, kontor)
  leadRoutes(app, kontor)
  tagRoutes(app, kontor)
  eventRoutes(app, kontor)

  await app.ready()
  return app
}
