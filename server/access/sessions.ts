// The web's way in: the cookie that a sign-in left. A browser sends it with whatever makes it ask, so a write that comes by cookie must
// prove that one of our own pages asked. What the database said is remembered as for tokens: for seconds, and not past word of a change.
import type { FastifyRequest } from 'fastify'
import sql from 'sql-template-tag'
import type { Kontor } from '../kontor.ts'
import { hash } from '../secrets.ts'
import type { Actor } from './actor.ts'
import { baseOf, subdomainOf } from '../http/addresses.ts'
import { readCookie } from '../http/cookies.ts'
import { forbidden, unauthorized } from '../http/problem.ts'
import { actorOf, roleOfPerson, standing } from './standing.ts'
import type { Standing } from './standing.ts'

export const sessionCookie = 'kontor_session'

/** What a person may do, every integration's scopes together. */
const allScopes = ['crm', 'files', 'files_delete', 'notifications', 'push_notifications']

interface Entry {
  actor: Actor
  expiresAt: number
  checkedAt: number
}

const rememberSeconds = 10
const rememberSessions = 5000

/** Makes the function that finds the actor of a request by its cookie: undefined without one, a 401 problem where it is good no more. */
export function openSessions(
  kontor: Kontor,
): (request: FastifyRequest) => Promise<Actor | undefined> {
  const entries = new Map<string, Entry>()
  let changes = 0
  kontor.signals.on('kontor_access', () => {
    changes++
    entries.clear()
  })

  return async (request) => {
    const token = readCookie(request.headers.cookie, sessionCookie)
    if (token === undefined) return undefined
    const at = kontor.now()
    const subdomain = subdomainOf(kontor, request.host)
    const name = `${subdomain ?? ''} ${token}`
    let entry = kontor.signals.connected() ? entries.get(name) : undefined
    if (!entry || entry.expiresAt <= at || at - entry.checkedAt >= rememberSeconds) {
      const before = changes
      entry = await admit(kontor, token, subdomain, at)
      if (changes === before) {
        entries.delete(name)
        entries.set(name, entry)
        if (entries.size > rememberSessions) entries.delete(entries.keys().next().value!)
      }
    }
    if (!['GET', 'HEAD'].includes(request.method)) forbidForeign(kontor, request)
    return { ...entry.actor, at, requestId: request.id }
  }
}

/** Throws a 403 problem unless the browser says that a page of ours asks. Those that send no Origin say it in Sec-Fetch-Site. */
export function forbidForeign(
  kontor: Kontor,
  { host, headers }: Pick<FastifyRequest, 'host' | 'headers'>,
): void {
  const { origin, 'sec-fetch-site': site } = headers
  const own = baseOf(kontor, host)
  if (origin === undefined ? site === 'same-origin' : isOwn(origin, own)) return
  throw forbidden(`A request with a session must come from a page at ${own}`)
}

/** A try-out answers at 127.0.0.1, and whoever types localhost is on the same machine, at the same port. */
function isOwn(origin: string, own: string): boolean {
  const nearest = (address: string) =>
    address.replace(/^(https?:\/\/)(?:localhost|\[::1\])(?=:\d+$|$)/, '$1127.0.0.1')
  return nearest(origin) === nearest(own)
}

interface Admission extends Standing {
  account_id: number
  subdomain: string
  is_unpaid: boolean
  expires_at: number
}

/** The account is the one of the address, or, where that names none, the one chosen at the sign-in. */
async function admit(
  kontor: Kontor,
  token: string,
  subdomain: string | undefined,
  at: number,
): Promise<Entry> {
  const found = await kontor.database.row<Admission>(sql`
    select account.id as account_id, account.subdomain, account.is_unpaid, session.expires_at, ${standing}
      from sessions session
      join accounts account on account.id = session.account_id
      join users person on person.account_id = session.account_id and person.id = session.user_id
      ${roleOfPerson}
     where session.hash = ${hash(token)} and session.expires_at > ${at} and person.is_active
       and (account.subdomain = ${subdomain ?? null} or ${subdomain ?? null}::text is null and session.is_chosen)`)
  if (!found) throw unauthorized()
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
  return { actor, expiresAt: found.expires_at, checkedAt: at }
}
