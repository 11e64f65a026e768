// Who may call. Every route states it (`config.access`) or the server does not start. A token is checked twice: its signature and
// expiry, and in the database that its grant, its user and its integration are still good and what the user may do. Both answers are
// remembered: the second for a few seconds at most, only while this process hears of changes (kontor_access), and not
// a moment longer than such word. A point read would otherwise cost twice the database's time.

import sql from 'sql-template-tag'
import type { Kontor } from '../kontor.ts'
import type { Actor, FindActor } from './actor.ts'
import type { Claims } from '../signing.ts'
import { subdomainOf } from '../http/addresses.ts'
import { forbidden, unauthorized } from '../http/problem.ts'
import { openSessions } from './sessions.ts'
import { actorOf, roleOfPerson, standing } from './standing.ts'
import type { Standing } from './standing.ts'

interface Entry {
  claims: Claims
  actor?: Actor
  checkedAt: number
}

const rememberSeconds = 10
const rememberTokens = 5000

export function openAccess(kontor: Kontor): FindActor {
  const entries = new Map<string, Entry>()
  let changes = 0
  kontor.signals.on('kontor_access', () => {
    changes++
    for (const entry of entries.values()) delete entry.actor
  })

  const bySession = openSessions(kontor)

  return async (request) => {
    const visitor =
      request.headers.authorization === undefined ? await bySession(request) : undefined
    if (visitor) return visitor
    const at = kontor.now()
    const token = bearer(request.headers.authorization)
    const onBehalfOf = request.headers['x-context-user-id'] as string | undefined
    const key = onBehalfOf ? `${token} ${onBehalfOf}` : token
    let entry = entries.get(key)
    if (!entry) {
      const claims = await kontor.signing.verify(token, at)
      if (!claims) throw unauthorized()
      entry = { claims, checkedAt: 0 }
    }
    if (entry.claims.exp <= at) throw unauthorized()
    let actor =
      kontor.signals.connected() && at - entry.checkedAt < rememberSeconds ? entry.actor : undefined
    if (!actor) {
      const before = changes
      actor = await admit(kontor, entry.claims, at, onBehalfOf || undefined)
      // Word of a change that came while the answer was on its way may be about this very token.
      if (changes === before) Object.assign(entry, { actor, checkedAt: at })
      // Only who was let in is remembered, or made-up headers could crowd out the others.
      if (!entries.has(key) && entries.size >= rememberTokens)
        entries.delete(entries.keys().next().value!)
      entries.set(key, entry)
    }
    const subdomain = subdomainOf(kontor, request.host)
    if (subdomain !== undefined && subdomain !== actor.subdomain) throw unauthorized()
    return { ...actor, at, requestId: request.id }
  }
}

/** RFC 6750: one scheme, one token, nothing else. */
function bearer(header: string | undefined): string {
  const [, token] = /^bearer +([\w.~+/-]+=*) *$/i.exec(header ?? '') ?? []
  if (token === undefined) throw unauthorized()
  return token
}

interface Admission extends Standing {
  subdomain: string
  is_unpaid: boolean
  scopes: string[]
  empty_list: 200 | 204 | null
}

async function admit(
  kontor: Kontor,
  claims: Claims,
  at: number,
  onBehalfOf?: string,
): Promise<Actor> {
  const found = await kontor.database.row<Admission>(sql`
    select account.subdomain, account.is_unpaid, ${standing}, given.scopes, integration.empty_list
      from grants given
      join accounts account on account.id = given.account_id
      join users person on person.account_id = given.account_id and person.id = given.user_id
      ${roleOfPerson}
      left join integrations integration on integration.client_id = given.client_id
      left join installations installed on installed.account_id = given.account_id and installed.client_id = given.client_id
     where given.account_id = ${claims.account_id} and given.id = ${claims.grant_id}
       and given.revoked_at is null and (given.expires_at is null or given.expires_at > ${at}) and person.is_active
       and (given.client_id is null or installed.is_enabled)`)
  if (!found) throw unauthorized()
  return {
    accountId: claims.account_id,
    subdomain: found.subdomain,
    ...(onBehalfOf === undefined
      ? actorOf(found)
      : await standIn(kontor, found, claims.account_id, onBehalfOf)),
    clientId: claims.client_id,
    scopes: found.scopes,
    emptyList: found.empty_list ?? kontor.config.emptyList,
    isUnpaid: found.is_unpaid,
    at,
    requestId: '',
    surface: 'api',
  }
}

/** Administrators may act as another user, who has to be active and no free one (reference of authorization, user context). */
async function standIn(
  { database }: Kontor,
  caller: Standing,
  accountId: number,
  onBehalfOf: string,
) {
  if (!caller.is_admin) throw forbidden('Only an administrator may send X-Context-User-ID')
  const id = /^[1-9]\d{0,14}$/.test(onBehalfOf) ? Number(onBehalfOf) : 0
  const found = await database.row<Standing>(sql`
    select ${standing} from users person ${roleOfPerson}
     where person.account_id = ${accountId} and person.id = ${id} and person.is_active and not person.is_free`)
  if (!found) throw unauthorized('X-Context-User-ID names no active user of this account')
  return actorOf(found)
}
