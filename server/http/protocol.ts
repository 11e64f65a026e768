// The protocol of every route: reading bodies, answering problems, and refusing unknown paths.
// Installed once, before the routes.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { LogController } from 'fastify'
import type { FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify'
import { Busy } from '../database/connect.ts'
import type { App, Kontor } from '../kontor.ts'
import { loopbackBaseOf, publicBaseOf } from './addresses.ts'
import { chatError, isChat } from './chat.ts'
import { compressAnswers } from './compression.ts'
import { sendAnswer, sendAs } from './hal.ts'
import type { Answer } from './hal.ts'
import { withoutKeyParameters } from './key-parameters.ts'
import { isOpenToOthers } from './listen.ts'
import { measure } from './metrics.ts'
import type { Rejections } from './metrics.ts'
import { http } from './node-http.ts'
import {
  asProblem,
  badRequest,
  internal,
  methodNotAllowed,
  Problem,
  unknownPath,
} from './problem.ts'
import { querystringParser } from './query.ts'
import { receiveBodies, spending } from './receive.ts'
import type { BodyBudget } from './receive.ts'
import { validatorCompiler } from './validate.ts'

export const protocolOptions = {
  logController: new LogController({ disableRequestLogging: true }),
  // Milliseconds. Batches of 250 records may arrive slowly from far away, but must end.
  requestTimeout: 60_000,
  // Requests that arrive while the server stops are answered as usual, then their connection ends.
  // Fastify's own refusal is no problem+json.
  return503OnClosing: false,
  routerOptions: { querystringParser, ignoreTrailingSlash: true, maxParamLength: 200 },
  rewriteUrl,
  // Answers requests that the router refuses before it finds a route.
  frameworkErrors: (error, request, reply) => {
    void answer(reply.header('x-request-id', request.id), asProblem(error) ?? internal())
  },
  clientErrorHandler: answerBroken,
} satisfies FastifyServerOptions

/**
 * The address as everything after it sees it. Of the whole address in a proxy's request line only
 * the path stays, because links are made from it; API keys are taken out.
 */
function rewriteUrl(raw: IncomingMessage & { originalUrl?: string }): string {
  const path = (raw.url ?? '/').replace(/^https?:\/\/[^/?#]*\/?/i, '/')
  const url = withoutKeyParameters(raw, path)
  // Fastify keeps the address as it was sent, too.
  raw.originalUrl = url
  return url
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How the route words its failures, which are application/problem+json by default. */
    renderProblem?: (problem: Problem, request: FastifyRequest) => Answer
  }
  interface FastifyRequest {
    /**
     * The address that links in the answer begin with, without a trailing slash: where it is one of
     * this server, the one that the client used. Links for other people take `publicBaseOf`.
     */
    base: string
  }
}

/** The limits that the protocol asks (access/limits.ts). */
interface ProtocolLimits {
  /** The requests that were refused, also those refused because the database is too busy. */
  rejected: Rejections
  bodies: BodyBudget
}

export function installProtocol(app: App, kontor: Kontor, limits: ProtocolLimits): void {
  app.setValidatorCompiler(validatorCompiler)
  // Handlers build answers as text or plain objects. The schemas of answers serve the document and
  // the tests.
  app.setSerializerCompiler(() => JSON.stringify)
  measure(app, kontor, limits.rejected)
  receiveBodies(app, limits.bodies)
  compressAnswers(app, kontor)
  beginAnswers(app, kontor)
  answerProblems(app, limits.rejected, limits.bodies)
}

/** Refuses unknown paths before any other check. */
export function refuseUnknownPaths(app: App): void {
  const absent = knowPaths(app)
  app.addHook('onRequest', (request, _reply, done) => done(absent(request)))
}

/** Sets the headers of every answer. */
function beginAnswers(app: App, kontor: Kontor): void {
  app.decorateRequest('base', '')
  // A name such as localhost means another machine to others, who would also choose it by a header.
  const isLocalOnly = !isOpenToOthers(kontor.config)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    reply.header('cache-control', 'no-store')
    request.base = (isLocalOnly && loopbackBaseOf(request)) || publicBaseOf(kontor, request.host)
    done(twoHosts(request))
  })
}

/** Node.js takes the first of several Host headers, and a proxy before it may take the last. */
function twoHosts({ raw: { rawHeaders } }: FastifyRequest): Problem | undefined {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]!.length === 4 && rawHeaders[at]!.toLowerCase() === 'host') hosts++
  return hosts > 1 ? badRequest('The request has more than one Host header') : undefined
}

function answerProblems(app: App, rejected: Rejections, bodies: BodyBudget): void {
  app.setErrorHandler(async (error, request, reply) => {
    const problem = asProblem(error)
    if (error instanceof Busy) rejected.database++
    const about = { ip: request.ip, path: request.routeOptions.url, err: error }
    if (!problem) request.log.error(about, 'a request failed')
    else if (problem.status >= 500) request.log.warn(about, 'a request could not be served')
    if (hasBody(request)) {
      if (mayBeDiscarded(request, bodies)) reply.removeHeader('connection')
      else reply.header('connection', 'close')
    }
    const rendered = problem ?? internal()
    const { renderProblem } = request.routeOptions.config
    spending(request, () =>
      renderProblem
        ? sendAnswer(reply.headers(rendered.headers), renderProblem(rendered, request))
        : answer(reply, rendered),
    )
    // 429 says that the account has spent enough; of a failure the client is not the cause.
    if (rendered.status < 500 && rendered.status !== 429) request.bodyCost?.refuse()
    return reply
  })
}

/** The most bytes of a refused body that are discarded for the sake of the connection. */
const mostDiscarded = 16 * 1024 * 1024

/**
 * Fastify closes the connection of a request whose body it did not read to the end. The client
 * would meet a reset while it still sends, and could miss the answer. A body of a known, bearable
 * length is discarded instead, as long as the caller does not send many of them.
 */
function mayBeDiscarded(request: FastifyRequest, bodies: BodyBudget): boolean {
  const bytes = Number(request.headers['content-length'] ?? Infinity)
  if (request.raw.complete) return true
  return bytes <= mostDiscarded && bodies.mayDiscard(request, bytes)
}

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

function answer(reply: FastifyReply, problem: Problem): FastifyReply {
  reply.code(problem.status).headers(problem.headers)
  return isChat(reply.request.url)
    ? sendAs(reply, 'application/json', chatError(problem))
    : sendAs(reply, 'application/problem+json', problem.body())
}

/**
 * Node.js could not read the request as HTTP. There is no reply object, so the answer is written to
 * the connection.
 */
function answerBroken({ code }: Error & { code?: string }, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const problem =
    code === 'HPE_HEADER_OVERFLOW'
      ? new Problem(431, 'The address and the headers together are larger than 16 KiB')
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? new Problem(408, 'The request took too long to arrive')
        : new Problem(400, 'This is not a valid HTTP request')
  const body = Buffer.from(JSON.stringify(problem.body()))
  const statusLine = [
    `HTTP/1.1 ${problem.status} ${http.STATUS_CODES[problem.status]}`,
    'content-type: application/problem+json',
    `content-length: ${body.length}`,
    `x-request-id: ${randomUUID()}`,
    'connection: close',
  ]
  socket.end(Buffer.concat([Buffer.from(`${statusLine.join('\r\n')}\r\n\r\n`), body]))
}

/**
 * Makes a function that answers 404 for an unknown path, 405 (with the allowed methods) for a known
 * path without this method, else undefined.
 */
function knowPaths(app: App): (request: FastifyRequest) => Problem | undefined {
  const paths = new Map<string, KnownPath>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = paths.get(url)?.methods ?? []
    const pattern = new RegExp(`^${url.replaceAll(/[.]/g, '\\.').replaceAll(/:\w+/g, '[^/]+')}/?$`)
    const parameters = url.split(':').length - 1
    paths.set(url, { url, pattern, parameters, methods: [...methods, ...[method].flat()] })
  })

  /** The paths that spell out what a parameter of this one may hold: `/tags` beside `/:id`. */
  const spelledOut = new Map<string, KnownPath[]>()
  const spelledOutOf = (url: string): KnownPath[] => {
    const known = spelledOut.get(url)
    if (known) return known
    const { pattern, parameters } = paths.get(url)!
    const found = [...paths.values()].filter(
      (each) => each.parameters < parameters && pattern.test(each.url),
    )
    spelledOut.set(url, found)
    return found
  }

  return ({ is404, method, routeOptions, url }) => {
    const path = url.split('?', 1)[0]!
    if (!is404) {
      // The router knows methods separately: it takes PATCH /leads/tags for a lead with the id
      // `tags`.
      const meant = spelledOutOf(routeOptions.url!).find(({ pattern }) => pattern.test(path))
      return meant && !meant.methods.includes(method) ? methodNotAllowed(meant.methods) : undefined
    }
    const matching = [...paths.values()].filter(({ pattern }) => pattern.test(path))
    const fewest = Math.min(...matching.map(({ parameters }) => parameters))
    const allow = matching
      .filter(({ parameters }) => parameters === fewest)
      .flatMap(({ methods }) => methods)
    if (allow.length > 0) return methodNotAllowed([...new Set(allow)])
    // Admission answers for unknown paths of the interface: a client refreshes its token at a 401.
    return path.startsWith('/api/') ? undefined : unknownPath()
  }
}

interface KnownPath {
  url: string
  pattern: RegExp
  parameters: number
  methods: string[]
}
