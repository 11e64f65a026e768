// Browser programs of integrations (docs/decisions/0027-cors.md). A page of another site may read
// an answer only if its headers name the origin of the page. An integration names the origins of
// its pages. All of them are remembered: a request must not cost a query, and a preflight carries
// no token.
import type { FastifyRequest } from 'fastify'
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { subdomainOf } from '../http/addresses.ts'
import { readCookie } from '../http/cookies.ts'
import type { App, Kontor } from '../kontor.ts'
import type { Actor } from './actor.ts'
import { rememberAnswer } from './remembered.ts'
import { sessionCookie } from './sessions.ts'

/** The headers of an answer that a page may read besides those that every page may. */
const exposed = 'Idempotency-Replayed, Retry-After, WWW-Authenticate, X-Request-Id'

/** Seconds for which a browser remembers a preflight. */
const preflightSeconds = 600

/** Follows the hook that sets the headers of every answer, and precedes that for unknown paths. */
export function installCors(app: App, kontor: Kontor): void {
  const isNamed = openOrigins(kontor)

  app.addHook('onRequest', async (request, reply) => {
    const origin = preflightOf(request)
    if (origin === undefined || !(await isNamed(origin, request))) return
    const headers = request.headers['access-control-request-headers']
    reply.headers({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      ...(headers && names.test(headers) && { 'access-control-allow-headers': headers }),
      'access-control-max-age': preflightSeconds,
      vary: 'origin, access-control-request-headers',
    })
    return reply.code(204).send()
  })

  // Refusals have the headers, too: without them a program sees an error of the network only.
  app.addHook('onSend', async (request, reply) => {
    const { origin } = request.headers
    if (origin === undefined || request.method === 'OPTIONS' || !isOpen(request)) return
    if (hasSession(request) || !(await isNamed(origin, request).catch(() => false))) return
    const vary = [reply.getHeader('vary') ?? [], 'origin'].flat().join(', ')
    reply.headers({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': exposed,
      vary,
    })
  })
}

/** Names of headers. A page may send any of them: they decide nothing that a token does not. */
const names = /^[\w-]+(?: *, *[\w-]+)*$/

/** The origin that asks whether it may send a request, undefined if this is no such request. */
function preflightOf(request: FastifyRequest): string | undefined {
  const { method, headers } = request
  const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
  return isPreflight && isOpen(request) ? headers.origin : undefined
}

/** The token endpoint is not open: it takes the client secret, which no page may know. */
function isOpen({ url }: FastifyRequest): boolean {
  return /^\/api\/v4(?:[/?]|$)/.test(url)
}

/** A cookie comes from any page that asks; only a token shows that its page was given access. */
function hasSession({ headers: { authorization, cookie } }: FastifyRequest): boolean {
  return authorization === undefined && readCookie(cookie, sessionCookie) !== undefined
}

/**
 * Whether an enabled integration names the origin: one of the caller's account, or, where no caller
 * is known, of an account that the host may mean.
 */
type IsNamed = (origin: string, request: FastifyRequest) => Promise<boolean>

function openOrigins(kontor: Kontor): IsNamed {
  const origins = rememberAnswer(kontor, async () => {
    const found = await kontor.database.rows<NamedOrigin>(namedOrigins)
    return Map.groupBy(found, ({ origin }) => origin)
  })
  return async (origin, request) => {
    const naming = (await origins()).get(origin) ?? []
    const actor = request.actor as Actor | undefined
    if (actor) return naming.some(({ account_id }) => account_id === actor.accountId)
    const named = subdomainOf(kontor, request.host)
    return naming.some(({ subdomain }) => named === undefined || subdomain === named)
  }
}

interface NamedOrigin {
  origin: string
  account_id: number
  subdomain: string
}

/** The origins of all accounts. Few integrations have pages of their own. */
export const namedOrigins: Sql = sql`
  select origin, account.id as account_id, account.subdomain
    from integrations made
    join installations installed on installed.client_id = made.client_id and installed.is_enabled
    join accounts account on account.id = installed.account_id
   cross join unnest(made.origins) origin
   where made.origins <> '{}' and made.deleted_at is null`
