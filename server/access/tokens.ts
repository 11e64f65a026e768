// Callers with a token, of an integration or made on the server. A token is checked twice: its
// signature and expiry, and in the database that its grant, its user and its integration are still
// good. Both answers are remembered, because a point read would otherwise cost the database twice
// the time; only the second answer can change.
import type { FastifyRequest } from 'fastify'
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { subdomainOf } from '../http/addresses.ts'
import { forbidden, unauthorized } from '../http/problem.ts'
import type { Kontor } from '../kontor.ts'
import type { Claims } from '../signing.ts'
import type { Actor } from './actor.ts'
import { emptyListFor } from './empty-list.ts'
import { rememberActors, setBounded } from './remembered.ts'
import { actorOf, roleOfPerson, userAccess } from './user-access.ts'
import type { UserAccess } from './user-access.ts'

const mostTokens = 5000

/** Makes the function that finds the actor of a request by its token, or throws a 401 problem. */
export function openTokens(kontor: Kontor): (request: FastifyRequest) => Promise<Actor> {
  const recall = rememberActors(kontor, mostTokens)
  /** The claims of tokens whose signature was good, as long as their callers are let in. */
  const signed = new Map<string, Claims>()

  return async ({ headers, host, id: requestId }) => {
    const at = kontor.now()
    const token = bearer(headers.authorization)
    const contextUser = headers['x-context-user-id'] as string | undefined
    const key = contextUser ? `${token} ${contextUser}` : token
    const actor = await recall(key, at, async () => {
      const claims = signed.get(token) ?? (await kontor.signing.verify(token, at))
      if (!claims || claims.exp <= at) throw unauthorized()
      const actor = await admit(kontor, claims, at, contextUser || undefined)
      setBounded(signed, token, claims, mostTokens)
      return { actor, expiresAt: claims.exp }
    })
    const subdomain = subdomainOf(kontor, host)
    if (subdomain !== undefined && subdomain !== actor.subdomain) throw unauthorized()
    return { ...actor, emptyList: emptyListFor(actor.emptyList, headers), at, requestId }
  }
}

/** RFC 6750: one scheme, one token in the letters of a JSON Web Token, nothing else. */
function bearer(header: string | undefined): string {
  const [, token] = /^bearer +([\w.-]+) *$/i.exec(header ?? '') ?? []
  if (token === undefined) throw unauthorized()
  return token
}

async function admit(
  kontor: Kontor,
  claims: Claims,
  at: number,
  contextUser?: string,
): Promise<Actor> {
  const found = await kontor.database.row<TokenAccess>(tokenAccess(claims, at))
  if (!found) throw unauthorized()
  return {
    accountId: claims.account_id,
    subdomain: found.subdomain,
    ...(contextUser === undefined
      ? actorOf(found)
      : await standIn(kontor, found, claims.account_id, contextUser)),
    clientId: claims.client_id,
    ...(found.manages_people === false && { managesPeople: false as const }),
    grantId: claims.grant_id,
    scopes: found.scopes,
    emptyList: found.empty_list ?? kontor.config.emptyList ?? 'client',
    isUnpaid: found.is_unpaid,
    at,
    requestId: '',
    surface: 'api',
  }
}

/**
 * An administrator may act as another active user, except a free one (authorization, user context).
 */
export async function standIn(
  { database }: Kontor,
  caller: UserAccess,
  accountId: number,
  contextUser: string,
) {
  if (!caller.is_admin) throw forbidden('Only an administrator may send X-Context-User-ID')
  const id = /^[1-9]\d{0,14}$/.test(contextUser) ? Number(contextUser) : 0
  const found = await database.row<UserAccess>(accessOfUser(accountId, id))
  if (!found) throw unauthorized('X-Context-User-ID names no active user of this account')
  return actorOf(found)
}

interface TokenAccess extends UserAccess {
  subdomain: string
  is_unpaid: boolean
  scopes: string[]
  empty_list: 200 | 204 | null
  /** Null for a token without an integration. */
  manages_people: boolean | null
}

export const tokenAccess = (
  { account_id, grant_id }: Pick<Claims, 'account_id' | 'grant_id'>,
  at: number,
): Sql => sql`
    select account.subdomain, account.is_unpaid, ${userAccess}, given.scopes, integration.empty_list, installed.manages_people
      from grants given
      join accounts account on account.id = given.account_id
      join users person on person.account_id = given.account_id and person.id = given.user_id
      ${roleOfPerson}
      left join integrations integration on integration.client_id = given.client_id
      left join installations installed
        on installed.account_id = given.account_id and installed.client_id = given.client_id
     where given.account_id = ${account_id} and given.id = ${grant_id}
       and given.revoked_at is null and (given.expires_at is null or given.expires_at > ${at})
       and person.is_active and (given.client_id is null or installed.is_enabled)`

export const accessOfUser = (accountId: number, userId: number): Sql => sql`
    select ${userAccess} from users person ${roleOfPerson}
     where person.account_id = ${accountId} and person.id = ${userId}
       and person.is_active and not person.is_free`
