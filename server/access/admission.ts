// The checks of a request before its body is read, in their order. Every route says
// who may call it (`config.access`); without that the server refuses to start.
import type { FastifyRequest } from 'fastify'
import { forbidden, paymentRequired, Problem, unauthorized, unknownPath } from '../http/problem.ts'
import { readQuery } from '../http/query.ts'
import type { EntityType } from '../entity-types.ts'
import type { App, Kontor } from '../kontor.ts'
import type { Actor, Scope } from './actor.ts'
import { openApiKeys } from './api-keys.ts'
import { openChannels } from './channels.ts'
import type { Limits } from './limits.ts'
import { requireRight } from './record-rights.ts'
import type { Action } from './rights.ts'
import { openSessions } from './sessions.ts'
import { openTokens } from './tokens.ts'

/**
 * The callers of a route: anyone, any user (by token, key or session), administrators, or a chat
 * channel by its signature.
 */
type Access = 'public' | 'user' | 'admin' | 'channel'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** The scope that a token must have; `crm` by default. With `any`, every token will do. */
    scope?: Scope | 'any'
    /** The right without which the route refuses the caller before it reads a body. */
    right?: { type: EntityType; action: Action }
    /** Whether the route answers 402 while the account is unpaid; by default writes do. */
    isPaid?: boolean
    /** Whether each address may call the route only RATE_LIMIT_ADDRESS times a second. */
    perAddress?: boolean
  }
  interface FastifyInstance {
    /** Finds the actor of a request anew, for a stream that outlives the first check. */
    findActor: FindActor
  }
}

/** Finds the actor of a request, or throws a 401 problem. */
type FindActor = (request: FastifyRequest) => Promise<Actor>

/** Follows `refuseUnknownPaths`, whose hook comes first, and precedes every route. */
export function installAdmission(app: App, kontor: Kontor, limits: Limits): void {
  const findActor = openActors(kontor, limits)
  const admitChannel = openChannels(kontor, limits)
  app.decorate('findActor', findActor)
  app.decorateRequest('actor')
  app.decorateRequest('channel')
  app.decorateRequest('connection')
  requireAccess(app, kontor)

  app.addHook('onRequest', async (request) => {
    const { access, scope = 'crm', right, isPaid, perAddress } = request.routeOptions.config
    if (perAddress) limits.countAddress(request.ip)
    if (access === 'channel') return admitChannel(request)
    if (access !== 'public') {
      kontor.database.forbidQueue()
      const actor = await findActor(request)
      request.actor = actor
      limits.countActor(actor)
      if (request.is404) throw unknownPath()
      requireScope(actor, scope)
      if (access === 'admin') requireAdmin(actor)
      if (isPaid ?? isWrite(request)) requirePaid(actor)
      if (right) requireRight(actor, right.type, right.action)
    }
    // The query string comes last: a caller without a good token learns nothing but that.
    readQuery(request)
  })
}

/** The user of the browser's session, for a page; undefined without one, and for a token. */
export async function signedIn(app: App, request: FastifyRequest): Promise<Actor | undefined> {
  if (request.headers.authorization !== undefined) return undefined
  try {
    return await app.findActor(request)
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return undefined
    throw error
  }
}

/** The most bytes a public route reads: parsing 4 MiB of brackets blocks the process for 0.5 s. */
const publicBodyLimit = 64 * 1024
/** The most bytes that a channel sends: a message of 20,000 characters is a tenth of it. */
const channelBodyLimit = 1024 * 1024

function requireAccess(app: App, { config: { bodyLimit } }: Kontor): void {
  app.addHook('onRoute', (route) => {
    const { url, method, config } = route
    if (!config?.access)
      throw new Error(`the route ${String(method)} ${url} does not say who may call it`)
    if (config.access === 'public') route.bodyLimit = Math.min(publicBodyLimit, bodyLimit)
    if (config.access !== 'channel') return
    route.bodyLimit = Math.min(channelBodyLimit, bodyLimit)
    if (!/:(?:channel|scope)_id\b/.test(url))
      throw new Error(`the route ${String(method)} ${url} names neither a channel nor a scope`)
  })
}

/**
 * The token decides where a request has an Authorization header, else the API key of a version-2
 * method, else the cookie of a session.
 */
function openActors(kontor: Kontor, limits: Limits): FindActor {
  const byToken = openTokens(kontor)
  const byApiKey = openApiKeys(kontor, limits)
  const bySession = openSessions(kontor)
  return async (request) => {
    if (request.headers.authorization !== undefined) return byToken(request)
    const actor = (await byApiKey(request)) ?? (await bySession(request))
    if (!actor) throw unauthorized()
    return actor
  }
}

function requireScope(actor: Actor, scope: Scope | 'any'): void {
  if (scope !== 'any' && !actor.scopes.includes(scope))
    throw forbidden(`Invalid scope: this method takes a token with the scope "${scope}"`)
}

function requireAdmin(actor: Actor): void {
  if (!actor.isAdmin)
    throw new Problem(403, 'This method needs the rights of an account administrator')
}

function requirePaid(actor: Actor): void {
  if (actor.isUnpaid) throw paymentRequired()
}

function isWrite({ method }: FastifyRequest): boolean {
  return !['GET', 'HEAD'].includes(method)
}
