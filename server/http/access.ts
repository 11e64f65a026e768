// Who may call. Every route states it (`config.access`) or the server does not start. A token is checked twice: its signature and
// expiry, and in the database that its grant, its user and its integration are still good and what the user may do. Both answers are
// remembered: the second for a few seconds at most, only while this process hears of changes (kontor_access), and not
// a moment longer than such word. A point read would otherwise cost twice the database's time.
import type { FastifyRequest } from 'fastify'
import sql from 'sql-template-tag'
import type { Kontor } from '../kontor.ts'
import type { Tx } from '../database/connect.ts'
import type { Claims } from '../features/oauth/signing.ts'
import { subdomainOf } from './addresses.ts'
import { Problem, unauthorized } from './problem.ts'

/** Who may call a route: anyone, any user with a token, administrators. */
export type Access = 'public' | 'user' | 'admin'

/** A right's letter: always, in my group, mine, denied (entities reference, rights object). */
export type Letter = 'A' | 'G' | 'M' | 'D'
export type Action = 'view' | 'edit' | 'add' | 'delete' | 'export'
export type Rights = Record<'leads' | 'contacts' | 'companies', Record<Action, Letter>> & {
  tasks: Record<'edit' | 'delete', Letter>
  mail_access: boolean
  catalog_access: boolean
}

/** Who calls, in which account, when. Every query and every verb takes one. */
export interface Actor {
  accountId: number
  subdomain: string
  userId: number
  groupId: number
  isAdmin: boolean
  rights: Rights
  /** The integration, null for a token made on the server itself. */
  clientId: string | null
  scopes: string[]
  /** What an empty list answers to this caller. */
  emptyList: 200 | 204
  isUnpaid: boolean
  /** The time of the request, Unix seconds. */
  at: number
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** The route answers 402 while the account is not paid; writes always do. */
    isPaid?: boolean
    /** The route takes form-encoded bodies besides JSON. */
    takesForms?: boolean
  }
  interface FastifyRequest {
    actor: Actor
    /** The address, without a trailing slash, that links in the answer begin with. */
    base: string
  }
}

interface Entry {
  claims: Claims
  actor?: Actor
  checkedAt: number
}

const rememberSeconds = 10
const rememberTokens = 5000

/** Makes the function that finds the actor of a request, or throws a 401 problem. */
export function openAccess(kontor: Kontor): (request: FastifyRequest) => Promise<Actor> {
  const entries = new Map<string, Entry>()
  let changes = 0
  kontor.wire.on('kontor_access', () => {
    changes++
    for (const entry of entries.values()) delete entry.actor
  })

  return async (request) => {
    const at = kontor.now()
    const token = bearer(request.headers.authorization)
    let entry = entries.get(token)
    if (!entry) {
      const claims = await kontor.signing.verify(token, at)
      if (!claims) throw unauthorized()
      entry = { claims, checkedAt: 0 }
      if (entries.size >= rememberTokens) entries.delete(entries.keys().next().value!)
      entries.set(token, entry)
    }
    if (entry.claims.exp <= at) throw unauthorized()
    let actor = kontor.wire.connected() && at - entry.checkedAt < rememberSeconds ? entry.actor : undefined
    if (!actor) {
      const before = changes
      actor = await admit(kontor, entry.claims, at)
      // Word of a change that came while the answer was on its way may be about this very token.
      if (changes === before) Object.assign(entry, { actor, checkedAt: at })
    }
    const subdomain = subdomainOf(kontor, request.headers.host)
    if (subdomain !== undefined && subdomain !== actor.subdomain) throw unauthorized()
    return { ...actor, at }
  }
}

/** Says, with the commit of `tx`, that what somebody may do has changed: every process forgets what it remembered. */
export async function accessChanged(tx: Tx): Promise<void> {
  await tx.rows(sql`select pg_notify('kontor_access', '')`)
}

/** RFC 6750: one scheme, one token, nothing else. */
function bearer(header: string | undefined): string {
  const [, token] = /^bearer +([\w.~+/-]+=*) *$/i.exec(header ?? '') ?? []
  if (token === undefined) throw unauthorized()
  return token
}

interface Admission {
  subdomain: string
  is_unpaid: boolean
  user_id: number
  group_id: number
  is_admin: boolean
  rights: Rights
  scopes: string[]
  empty_list: 200 | 204 | null
}

async function admit(kontor: Kontor, claims: Claims, at: number): Promise<Actor> {
  const found = await kontor.database.row<Admission>(sql`
    select account.subdomain, account.is_unpaid, person.id as user_id, person.group_id, person.is_admin, person.rights,
           given.scopes, integration.empty_list
      from grants given
      join accounts account on account.id = given.account_id
      join users person on person.account_id = given.account_id and person.id = given.user_id
      left join integrations integration on integration.client_id = given.client_id
      left join installations installed on installed.account_id = given.account_id and installed.client_id = given.client_id
     where given.account_id = ${claims.account_id} and given.id = ${claims.grant_id}
       and given.revoked_at is null and (given.expires_at is null or given.expires_at > ${at}) and person.is_active
       and (given.client_id is null or installed.is_enabled)`)
  if (!found) throw unauthorized()
  return {
    accountId: claims.account_id,
    subdomain: found.subdomain,
    userId: found.user_id,
    groupId: found.group_id,
    isAdmin: found.is_admin,
    rights: found.rights,
    clientId: claims.client_id,
    scopes: found.scopes,
    emptyList: found.empty_list ?? kontor.config.emptyList,
    isUnpaid: found.is_unpaid,
    at,
  }
}

export function forbidUnlessAdmin(actor: Actor): void {
  if (!actor.isAdmin) throw new Problem(403, 'This method needs the rights of an account administrator')
}
