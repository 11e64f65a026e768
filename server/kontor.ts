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
import type { Door } from './outgoing/door.ts'
import type { Signing } from './signing.ts'
import type { Secrets } from './secrets.ts'

/** The parts that the whole process shares. */
export interface Kontor {
  config: Config
  database: Database
  secrets: Secrets
  signing: Signing
  /** Permits requests to addresses that others have written. */
  door: Door
  /** Signals between processes: growth of the journal, changed access. */
  signals: Signals
  /** The time in Unix seconds. Passed in, so that tests can move it. */
  now(): number
  /** Milliseconds that only grow, whatever becomes of the clock. Passed in, too. */
  elapsedMs(): number
  /** The public address without a trailing slash, known once the server listens. */
  url: string
}

/**
 * The types of a handler's arguments: its route's schemas, and for the body the type of its
 * declaration.
 */
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

/** Like Fastify's, but a body without a declaration does not compile. */
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

/** The methods whose requests carry a body. */
type Methods = 'post' | 'put' | 'patch' | 'delete'

/** The HTTP server that features add their routes to. */
export type App = Omit<Server, Methods> & Record<Methods, AddRoute>
