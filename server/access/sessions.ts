// Callers with a session: the cookie that a sign-in left in a browser. The browser sends it with
// every request, whichever site asked for it, so a write with a cookie must prove that one of our
// own pages asked.
import type { FastifyRequest } from 'fastify'
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { publicBaseOf, subdomainOf } from '../http/addresses.ts'
import { readCookie } from '../http/cookies.ts'
import { forbidden, unauthorized } from '../http/problem.ts'
import type { Kontor } from '../kontor.ts'
import { hash } from '../secrets.ts'
import type { Actor, Scope, Surface } from './actor.ts'
import { rememberActors } from './remembered.ts'
import type { Admission } from './remembered.ts'
import { actorOf, roleOfPerson, userAccess } from './user-access.ts'
import type { UserAccess } from './user-access.ts'

export const sessionCookie = 'kontor_session'
/** A session ends so many seconds after its last use. */
export const sessionSeconds = 30 * 86_400

/** A user in a browser may use every scope. */
const allScopes: Scope[] = ['crm', 'files', 'files_delete', 'notifications', 'push_notifications']

const mostSessions = 5000

/**
 * Makes the function that finds the actor by its cookie: undefined without one, 401 after its end.
 */
export function openSessions(
  kontor: Kontor,
): (request: FastifyRequest) => Promise<Actor | undefined> {
  const recall = rememberActors(kontor, mostSessions)

  return async (request) => {
    const token = readCookie(request.headers.cookie, sessionCookie)
    if (token === undefined) return undefined
    const at = kontor.now()
    const subdomain = subdomainOf(kontor, request.host)
    const actor = await recall(`${subdomain ?? ''} ${token}`, at, () =>
      admit(kontor, token, { subdomain, address: request.ip, at }),
    )
    if (!['GET', 'HEAD'].includes(request.method)) forbidForeign(kontor, request)
    return { ...actor, at, requestId: request.id, surface: surfaceOf(request) }
  }
}

/** The token of the session that admitted a request; a token takes precedence over a cookie. */
export function sessionTokenOf({
  headers: { authorization, cookie },
}: Pick<FastifyRequest, 'headers'>): string | undefined {
  return authorization === undefined ? readCookie(cookie, sessionCookie) : undefined
}

const isSession = ({ surface }: Actor) => surface === 'web' || surface === 'card'

/** For methods that only a person in a browser may use, not a program with a token of that person. */
export async function requireSession({ actor }: Pick<FastifyRequest, 'actor'>): Promise<void> {
  if (!isSession(actor)) throw forbidden('This method needs a session: sign in with a browser')
}

/** For methods that let somebody in, and have no room for the proof that people in browsers give. */
export async function forbidSessions({ actor }: Pick<FastifyRequest, 'actor'>): Promise<void> {
  if (isSession(actor))
    throw forbidden('This method needs a token. A session invites people instead')
}

/**
 * Makes the check for public methods that set cookies: a foreign page must not sign a visitor in.
 * It runs before the body is read, so that such a page learns nothing about it.
 */
export function forbidForeignPages(kontor: Kontor): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    if (request.headers.origin !== undefined) forbidForeign(kontor, request)
  }
}

/**
 * The header by which the web application says that a request comes from the card of a record
 * (interface: Task). No other caller is asked for it.
 */
const surfaceHeader = 'x-kontor-surface'

const surfaceOf = ({ headers }: FastifyRequest): Surface =>
  headers[surfaceHeader] === 'card' ? 'card' : 'web'

/**
 * Throws a 403 problem unless the browser says that a page of this server asks.
 * A browser that sends no Origin says so in Sec-Fetch-Site.
 */
export function forbidForeign(
  kontor: Kontor,
  { host, headers }: Pick<FastifyRequest, 'host' | 'headers'>,
): void {
  const { origin, 'sec-fetch-site': site } = headers
  const own = publicBaseOf(kontor, host)
  if (origin === undefined ? site === 'same-origin' : isOwn(origin, own)) return
  throw forbidden(`A request with a session must come from a page at ${own}`)
}

/** A trial answers at 127.0.0.1; `localhost` with the same port is the same server. */
function isOwn(origin: string, own: string): boolean {
  const nearest = (address: string) =>
    address.replace(/^(https?:\/\/)(?:localhost|\[::1\])(?=:\d+$|$)/, '$1127.0.0.1')
  return nearest(origin) === nearest(own)
}

async function admit(
  kontor: Kontor,
  token: string,
  { subdomain, address, at }: { subdomain: string | undefined; address: string; at: number },
): Promise<Admission> {
  const found = await kontor.database.row<SessionAccess>(sessionAccess(token, subdomain, at))
  if (!found) throw unauthorized()
  const expiresAt = await noteUseOfSession(kontor, found, { token, address, at })
  const actor: Actor = {
    accountId: found.account_id,
    subdomain: found.subdomain,
    ...actorOf(found),
    clientId: null,
    scopes: allScopes,
    emptyList: 200,
    isUnpaid: found.is_unpaid,
    at,
    requestId: '',
    surface: 'web',
  }
  return { actor, expiresAt }
}

/** The seconds by which the last use of a session may be told too early: a read should seldom write. */
const coarseSeconds = 3600

/**
 * Lets a session that is used last longer, in all of its accounts, and answers when it ends. The
 * cookie is not set anew: an answer that comes late would bring back a session that the browser has
 * replaced meanwhile.
 */
async function noteUseOfSession(
  { database }: Kontor,
  { account_id, used_at, expires_at }: SessionAccess,
  { token, address, at }: { token: string; address: string; at: number },
): Promise<number> {
  if (at - used_at < coarseSeconds) return expires_at
  const then = Math.max(expires_at, at + sessionSeconds)
  await database.transaction((tx) =>
    tx.rows(sql`
      update sessions set expires_at = ${then},
             last_used_at = case account_id when ${account_id} then ${at} else last_used_at end,
             address = case account_id when ${account_id} then ${address} else address end
       where hash = ${hash(token)} and expires_at > ${at}`),
  )
  return then
}

interface SessionAccess extends UserAccess {
  account_id: number
  used_at: number
  subdomain: string
  is_unpaid: boolean
  expires_at: number
}

/**
 * The account is the one that the subdomain names; without one, the account chosen at the sign-in.
 */
export const sessionAccess = (token: string, subdomain: string | undefined, at: number): Sql => sql`
    select account.id as account_id, account.subdomain, account.is_unpaid, session.expires_at,
           coalesce(session.last_used_at, session.created_at) as used_at, ${userAccess}
      from sessions session
      join accounts account on account.id = session.account_id
      join users person on person.account_id = session.account_id and person.id = session.user_id
      ${roleOfPerson}
     where session.hash = ${hash(token)} and session.expires_at > ${at} and person.is_active
       and (account.subdomain = ${subdomain ?? null}
            or ${subdomain ?? null}::text is null and session.is_chosen)`
