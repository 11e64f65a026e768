// Callers with an API key, for older programs: the parameters `login` and `api_key` of the
// version-2 methods. A key has its account in it, like a refresh token, and the rights of its user
// (docs/decisions/0050-api-keys.md).
import type { FastifyRequest } from 'fastify'
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { subdomainOf } from '../http/addresses.ts'
import { keyParametersOf } from '../http/key-parameters.ts'
import { tooManyRequests, unauthorized } from '../http/problem.ts'
import type { Kontor } from '../kontor.ts'
import { hash, randomText } from '../secrets.ts'
import type { Actor } from './actor.ts'
import { openAttempts } from './attempts.ts'
import { emptyListFor } from './empty-list.ts'
import type { Limits } from './limits.ts'
import { rememberActors } from './remembered.ts'
import { actorOf, roleOfPerson, userAccess } from './user-access.ts'
import type { UserAccess } from './user-access.ts'
import { standIn } from './tokens.ts'

const mostKeys = 5000

/** The seconds by which the last use of a key may be told too early: a read should seldom write. */
const coarseSeconds = 3600

/** A new key for a user of the account. */
export const newApiKey = (accountId: number): string => `kontor-${accountId}-${randomText(40)}`

/** The account id in an API key; undefined for a text that is none. */
function accountOfKey(key: string): number | undefined {
  const [, digits] = /^kontor-([1-9]\d{0,14})-[A-Za-z\d]{40}$/.exec(key) ?? []
  return digits ? Number(digits) : undefined
}

/**
 * Makes the function that finds the actor of a request to a version-2 method by its API key:
 * undefined without a key, 401 for a wrong pair, 429 for too many of them.
 */
export function openApiKeys(
  kontor: Kontor,
  limits: Limits,
): (request: FastifyRequest) => Promise<Actor | undefined> {
  const recall = rememberActors(kontor, mostKeys)
  // Apart from the attempts to sign in: a program with an old key must not shut its user out.
  const attempts = openAttempts(kontor.now)

  return async (request) => {
    const sent = isVersion2(request) ? keyParametersOf(request.raw) : undefined
    if (!sent) return undefined
    const { headers, host, id: requestId, ip } = request
    const at = kontor.now()
    const pair = {
      key: sent.key,
      login: sent.login.trim().toLowerCase(),
      subdomain: subdomainOf(kontor, host),
    }
    const contextUser = (headers['x-context-user-id'] as string | undefined) || undefined
    const name = JSON.stringify([pair.key, pair.login, pair.subdomain, contextUser])
    const actor = await recall(name, at, async () => {
      limits.countAddress(ip)
      const attempt = attempts.ofEmail(pair.login.slice(0, 255), ip)
      const found = await findKey(kontor, pair)
      // A right key passes all the same. Nobody guesses 238 bits, and a stranger who sends wrong
      // keys for a login must not stop the programs of its user.
      if (!found) throw attempt.wait > 0 ? tooManyRequests(attempt.wait) : unauthorized()
      if (attempt.wait === 0) attempt.succeed()
      const actor = await admit(kontor, found, at, contextUser)
      await noteUse(kontor, found, at)
      return { actor, expiresAt: Infinity }
    })
    return { ...actor, emptyList: emptyListFor(actor.emptyList, headers), at, requestId }
  }
}

/** By the pattern of the route: the router also knows `/api/%762/webhooks`. */
function isVersion2({ is404, routeOptions, url }: FastifyRequest): boolean {
  return (is404 ? url : routeOptions.url!).startsWith('/api/v2/')
}

interface Pair {
  key: string
  login: string
  subdomain: string | undefined
}

async function findKey({ database }: Kontor, pair: Pair): Promise<KeyAccess | undefined> {
  const accountId = accountOfKey(pair.key)
  // PostgreSQL takes no text with U+0000.
  if (accountId === undefined || pair.login.includes('\0')) return undefined
  return database.row<KeyAccess>(apiKeyAccess(accountId, pair))
}

async function admit(
  kontor: Kontor,
  found: KeyAccess,
  at: number,
  contextUser: string | undefined,
): Promise<Actor> {
  const { account_id: accountId, subdomain, is_unpaid: isUnpaid } = found
  return {
    accountId,
    subdomain,
    ...(contextUser === undefined
      ? actorOf(found)
      : await standIn(kontor, found, accountId, contextUser)),
    clientId: null,
    scopes: ['crm'],
    emptyList: kontor.config.emptyList ?? 'client',
    isUnpaid,
    at,
    requestId: '',
    surface: 'api',
  }
}

async function noteUse({ database }: Kontor, key: KeyAccess, at: number): Promise<void> {
  const { account_id, key_id, last_used_at } = key
  if (last_used_at !== null && at - last_used_at < coarseSeconds) return
  await database.transaction((tx) =>
    tx.rows(sql`
      update api_keys set last_used_at = ${at} where account_id = ${account_id} and id = ${key_id}`),
  )
}

interface KeyAccess extends UserAccess {
  account_id: number
  subdomain: string
  is_unpaid: boolean
  key_id: number
  last_used_at: number | null
}

/** At the host of an account, only its own keys are good; at the bare host, those of all accounts. */
export const apiKeyAccess = (
  accountId: number,
  { key, login, subdomain }: { key: string; login: string; subdomain: string | undefined },
): Sql => sql`
    select account.id as account_id, account.subdomain, account.is_unpaid,
           held.id as key_id, held.last_used_at, ${userAccess}
      from api_keys held
      join accounts account on account.id = held.account_id
      join users person on person.account_id = held.account_id and person.id = held.user_id
      ${roleOfPerson}
     where held.account_id = ${accountId} and held.hash = ${hash(key)}
       and person.email = ${login} and person.is_active
       and (${subdomain ?? null}::text is null or account.subdomain = ${subdomain ?? null})`
