import type { IncomingMessage, ServerResponse } from 'node:http'
import type {
  ContextConfigDefault,
  FastifyBaseLogger,
  FastifyInstance,
  FastifySchema,
  FastifyTypeProvider,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
  RouteShorthandOptions,
} from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Config } from './config.ts'
import type { Signals } from './changes/signals.ts'
import type { Database } from './database/connect.ts'
import type { Body } from './http/body.ts'
import type { Signing } from './signing.ts'
import type { Secrets } from './secrets.ts'

/** What every part of the process shares. */
export interface Kontor {
  config: Config
  database: Database
  secrets: Secrets
  signing: Signing
  /** Word between processes: news in the journal, access that changed. */
  signals: Signals
  /** The time, in Unix seconds. Passed in, so that a test can move it. */
  now(): number
  /** The public address without a trailing slash; known once the server listens. */
  url: string
}

/** A schema on a route is the type of what its handler gets; a body has the type that its declaration names. */
export interface RouteTypes extends FastifyTypeProvider {
  validator: this['schema'] extends Body<infer Given>
    ? Given
    : this['schema'] extends TSchema
      ? Static<this['schema']>
      : unknown
  serializer: unknown
}

type Server = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  RouteTypes
>

/** As Fastify's, but a body that is no declaration does not compile. */
type AddRoute = <const Schema extends FastifySchema & { body?: Body<unknown> }>(
  path: string,
  options: RouteShorthandOptions<
    RawServerDefault,
    IncomingMessage,
    ServerResponse,
    RouteGenericInterface,
    ContextConfigDefault,
    Schema,
    RouteTypes
  >,
  handler: RouteHandlerMethod<
    RawServerDefault,
    IncomingMessage,
    ServerResponse,
    RouteGenericInterface,
    ContextConfigDefault,
    Schema,
    RouteTypes
  >,
) => void

/** Those whose requests carry a body. */
type Methods = 'post' | 'put' | 'patch' | 'delete'

/** The HTTP server that features add their routes to. */
export type App = Omit<Server, Methods> & Record<Methods, AddRoute>
