// How every route speaks: bodies in, problems out, who may call, what is not there. Installed once, before the routes.
import { LogController } from 'fastify'
import type { FastifyServerOptions } from 'fastify'
import type { App } from '../app.ts'
import { Busy } from '../database/connect.ts'
import type { Kontor } from '../kontor.ts'
import { forbidUnlessAdmin, forbidUnlessScoped, openAccess } from './access.ts'
import { baseOf } from './addresses.ts'
import { sendAs } from './hal.ts'
import { parseJson } from './json.ts'
import { openLimits } from './limits.ts'
import type { Limits } from './limits.ts'
import { measure } from './metrics.ts'
import { formBounds, parseNested } from './nested.ts'
import { asProblem, internal, methodNotAllowed, notFound, paymentRequired, unsupportedMediaType } from './problem.ts'
import type { Problem } from './problem.ts'
import { querystringParser } from './query.ts'
import { validatorCompiler } from './validate.ts'

const options = {
  logController: new LogController({ disableRequestLogging: true }),
  // Batches of 250 records may be slow to arrive from far away, but not for ever.
  requestTimeout: 60_000,
  routerOptions: { querystringParser, ignoreTrailingSlash: true, maxParamLength: 200 },
} satisfies FastifyServerOptions

function install(app: App, kontor: Kontor): void {
  app.setValidatorCompiler(validatorCompiler)
  // Answers are made by the handlers, as text or plain objects; the schemas of answers are for the document and the tests.
  app.setSerializerCompiler(() => JSON.stringify)
  const limits = openLimits(kontor.config)
  measure(app, kontor, limits)
  readBodies(app)
  checkAccess(app, kontor, limits)
  answerProblems(app, limits)
}

export const speak = { options, install }

function readBodies(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>(
    /^application\/(?:[\w.-]+\+)?json(?:\s*;|$)/i,
    { parseAs: 'string' },
    (_request, body, done) => parsed(() => parseJson(body), body, done),
  )
  app.addContentTypeParser<string>('application/x-www-form-urlencoded', { parseAs: 'string' }, (request, body, done) =>
    parsed(
      () => {
        if (!request.routeOptions.config.takesForms) throw unsupportedMediaType('This method takes a JSON body')
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
function parsed(parse: () => unknown, body: string, done: (error: Error | null, body?: unknown) => void): void {
  try {
    done(null, body === '' ? undefined : parse())
  } catch (error) {
    done(error as Error)
  }
}

function checkAccess(app: App, kontor: Kontor, limits: Limits): void {
  const findActor = openAccess(kontor)
  app.decorate('findActor', findActor)
  app.decorateRequest('actor')
  app.decorateRequest('base', '')
  app.addHook('onRoute', ({ url, method, config }) => {
    if (!config?.access) throw new Error(`the route ${String(method)} ${url} does not say who may call it`)
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    reply.header('cache-control', 'no-store')
    const { access, scope = 'crm', isPaid, perAddress } = request.routeOptions.config
    if (perAddress) limits.countAddress(request.ip)
    if (access === undefined || access === 'public') return
    kontor.database.forbidQueue()
    request.actor = await findActor(request)
    limits.countActor(request.actor)
    request.base = baseOf(kontor, request.host)
    forbidUnlessScoped(request.actor, scope)
    if (access === 'admin') forbidUnlessAdmin(request.actor)
    if (request.actor.isUnpaid && (isPaid ?? !['GET', 'HEAD'].includes(request.method))) throw paymentRequired()
  })
}

function answerProblems(app: App, { rejected }: Limits): void {
  const send = (reply: Parameters<Parameters<App['setErrorHandler']>[0]>[2], problem: Problem) =>
    sendAs(reply.code(problem.status).headers(problem.headers), 'application/problem+json', problem.body())

  app.setErrorHandler(async (error, request, reply) => {
    const problem = asProblem(error)
    if (error instanceof Busy) rejected.database++
    if (!problem) request.log.error({ err: error, reqId: request.id, path: request.routeOptions.url }, 'a request failed')
    else if (problem.status >= 500) request.log.warn({ reqId: request.id, err: error }, 'a request could not be served')
    return send(reply, problem ?? internal())
  })

  const paths: { pattern: RegExp; parameters: number; method: string }[] = []
  app.addHook('onRoute', ({ url, method }) => {
    const pattern = new RegExp(`^${url.replaceAll(/[.]/g, '\\.').replaceAll(/:\w+/g, '[^/]+')}/?$`)
    const parameters = url.split(':').length - 1
    for (const each of [method].flat()) paths.push({ pattern, parameters, method: each })
  })
  app.setNotFoundHandler(async (request, reply) => {
    reply.header('x-request-id', request.id)
    const path = request.url.split('?', 1)[0]!
    const matching = paths.filter(({ pattern }) => pattern.test(path))
    // As the router does: where a path is spelled out, the ones with parameters are not asked.
    const fewest = Math.min(...matching.map(({ parameters }) => parameters))
    const allow = [...new Set(matching.filter(({ parameters }) => parameters === fewest).map(({ method }) => method))]
    return send(reply, allow.length > 0 ? methodNotAllowed(allow) : notFound('There is nothing at this address'))
  })
}
