// How every route speaks: bodies in, problems out, who may call, what is not there. Installed once, before the routes.
import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { LogController } from 'fastify'
import type { FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify'
import { Busy } from '../database/connect.ts'
import type { App, Kontor } from '../kontor.ts'
import { requireAdmin, requireScope } from '../access/actor.ts'
import { openAccess } from '../access/tokens.ts'
import { baseOf } from './addresses.ts'
import { sendAs } from './hal.ts'
import { parseJson } from './json.ts'
import { openLimits } from '../access/limits.ts'
import type { Limits } from '../access/limits.ts'
import { measure } from './metrics.ts'
import { formBounds, parseNested } from './nested.ts'
import {
  asProblem,
  internal,
  methodNotAllowed,
  notFound,
  paymentRequired,
  Problem,
  unsupportedMediaType,
} from './problem.ts'
import { brokenQuery, querystringParser } from './query.ts'
import { validatorCompiler } from './validate.ts'

export const protocolOptions = {
  logController: new LogController({ disableRequestLogging: true }),
  // Batches of 250 records may be slow to arrive from far away, but not for ever.
  requestTimeout: 60_000,
  // What still arrives while the server stops is answered as ever, and its connection ends; Fastify's own refusal is no problem+json.
  return503OnClosing: false,
  routerOptions: { querystringParser, ignoreTrailingSlash: true, maxParamLength: 200 },
  // A proxy's request line holds a whole address. Links are made from the path, so the rest must go.
  rewriteUrl: ({ url = '/' }) => url.replace(/^https?:\/\/[^/?#]*\/?/i, '/'),
  // What the router refuses before there is a route.
  frameworkErrors: (error, request, reply) => {
    void answer(reply.header('x-request-id', request.id), asProblem(error) ?? internal())
  },
  clientErrorHandler: answerBroken,
} satisfies FastifyServerOptions

export function installProtocol(app: App, kontor: Kontor): void {
  app.setValidatorCompiler(validatorCompiler)
  // Answers are made by the handlers, as text or plain objects; the schemas of answers are for the document and the tests.
  app.setSerializerCompiler(() => JSON.stringify)
  const limits = openLimits(kontor.config)
  measure(app, kontor, limits)
  readBodies(app)
  checkAccess(app, kontor, limits)
  answerProblems(app, limits)
}

/** Bytes of a body from somebody who has shown nothing yet: reading 4 MiB of brackets takes half a second in which nobody else is served. */
const mostOfStrangers = 64 * 1024

function readBodies(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>(
    /^application\/(?:[\w.-]+\+)?json(?:\s*;|$)/i,
    { parseAs: 'string' },
    (_request, body, done) => parsed(() => parseJson(body), body, done),
  )
  app.addContentTypeParser<string>(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (request, body, done) =>
      parsed(
        () => {
          if (!request.routeOptions.config.takesForms)
            throw unsupportedMediaType('This method takes a JSON body')
          return parseNested(body, formBounds)
        },
        body,
        done,
      ),
  )
  app.addContentTypeParser<string>('*', { parseAs: 'string' }, (_request, body, done) =>
    parsed(
      () => {
        throw unsupportedMediaType()
      },
      body,
      done,
    ),
  )
}

/** An empty body counts as none, whatever its type. */
function parsed(
  parse: () => unknown,
  body: string,
  done: (error: Error | null, body?: unknown) => void,
): void {
  try {
    done(null, body === '' ? undefined : parse())
  } catch (error) {
    done(error as Error)
  }
}

function checkAccess(app: App, kontor: Kontor, limits: Limits): void {
  const findActor = openAccess(kontor)
  const absent = knowPaths(app)
  app.decorate('findActor', findActor)
  app.decorateRequest('actor')
  app.decorateRequest('base', '')
  app.addHook('onRoute', (route) => {
    const { url, method, config } = route
    if (!config?.access)
      throw new Error(`the route ${String(method)} ${url} does not say who may call it`)
    if (config.access === 'public')
      route.bodyLimit = Math.min(mostOfStrangers, kontor.config.bodyLimit)
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    reply.header('cache-control', 'no-store')
    // Before the body is read: what is wrong with it does not matter here.
    const absence = absent(request)
    if (absence) throw absence
    const { access, scope = 'crm', isPaid, perAddress } = request.routeOptions.config
    if (perAddress) limits.countAddress(request.ip)
    const broken = brokenQuery(request.query)
    if (access === undefined || access === 'public') {
      if (broken) throw broken
      return
    }
    kontor.database.forbidQueue()
    request.actor = await findActor(request)
    limits.countActor(request.actor)
    request.base = baseOf(kontor, request.host)
    requireScope(request.actor, scope)
    if (access === 'admin') requireAdmin(request.actor)
    if (request.actor.isUnpaid && (isPaid ?? !['GET', 'HEAD'].includes(request.method)))
      throw paymentRequired()
    if (broken) throw broken
  })
}

function answerProblems(app: App, { rejected }: Limits): void {
  app.setErrorHandler(async (error, request, reply) => {
    const problem = asProblem(error)
    if (error instanceof Busy) rejected.database++
    const about = { ip: request.ip, path: request.routeOptions.url, err: error }
    if (!problem) request.log.error(about, 'a request failed')
    else if (problem.status >= 500) request.log.warn(about, 'a request could not be served')
    return answer(reply, problem ?? internal())
  })
}

function answer(reply: FastifyReply, problem: Problem): FastifyReply {
  return sendAs(
    reply.code(problem.status).headers(problem.headers),
    'application/problem+json',
    problem.body(),
  )
}

/** What Node.js could not read as HTTP has no request and no reply, only a connection that ends with the answer. */
function answerBroken({ code }: Error & { code?: string }, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const problem =
    code === 'HPE_HEADER_OVERFLOW'
      ? new Problem(431, 'The address and the headers together are larger than 16 KiB')
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? new Problem(408, 'The request took too long to arrive')
        : new Problem(400, 'This is not a valid HTTP request')
  const body = Buffer.from(JSON.stringify(problem.body()))
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'content-type: application/problem+json',
    `content-length: ${body.length}`,
    `x-request-id: ${randomUUID()}`,
    'connection: close',
  ]
  socket.end(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]))
}

/** Makes what tells that there is nothing at a request's path (404), or not for its method (405, with the methods that there are). */
function knowPaths(app: App): (request: FastifyRequest) => Problem | undefined {
  const paths: { pattern: RegExp; parameters: number; method: string }[] = []
  const spelledOut = new Map<string, string[]>()
  app.addHook('onRoute', ({ url, method }) => {
    const pattern = new RegExp(`^${url.replaceAll(/[.]/g, '\\.').replaceAll(/:\w+/g, '[^/]+')}/?$`)
    const parameters = url.split(':').length - 1
    for (const each of [method].flat()) {
      paths.push({ pattern, parameters, method: each })
      if (parameters === 0) spelledOut.set(url, [...(spelledOut.get(url) ?? []), each])
    }
  })
  return ({ is404, method, routeOptions, url }) => {
    const path = url.split('?', 1)[0]!
    if (!is404) {
      // The router knows each method by itself: it takes PATCH /leads/tags for a lead called tags.
      const there = routeOptions.url?.includes(':')
        ? spelledOut.get(path.replace(/\/$/, ''))
        : undefined
      return there && !there.includes(method) ? methodNotAllowed(there) : undefined
    }
    const matching = paths.filter(({ pattern }) => pattern.test(path))
    const fewest = Math.min(...matching.map(({ parameters }) => parameters))
    const allow = [
      ...new Set(
        matching.filter(({ parameters }) => parameters === fewest).map(({ method }) => method),
      ),
    ]
    return allow.length > 0 ? methodNotAllowed(allow) : notFound('There is nothing at this address')
  }
}
