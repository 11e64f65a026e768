// A user who signs in gets a random token in a cookie. The database stores its hash, once for each
// account in which the password fits. A wrong password, an unknown e-mail, a user without a
// password and a deactivated user get the same answer, not before `leastMs`: the time must not
// reveal how many passwords were checked.
import { setTimeout as pause } from 'node:timers/promises'
import type { Reader, Tx } from '../../database/connect.ts'
import { forgetAccess } from '../../access/remembered.ts'
import { setCookie } from '../../http/cookies.ts'
import { unauthorized } from '../../http/problem.ts'
import { sessionCookie } from '../../access/sessions.ts'
import type { Kontor } from '../../kontor.ts'
import { hash, hashPassword, randomText, verifyPassword } from '../../secrets.ts'
import { openAttempts, openTurns } from './attempts.ts'
import * as queries from './queries.ts'
import type { Candidate, SignedInAccount, Who } from './queries.ts'
import type { SessionAccount, SessionUser, SignIn } from './schema.ts'

export type { SignedInAccount as Place } from './queries.ts'

const daySeconds = 86_400
const sessionSeconds = 30 * daySeconds
/** At most this many accounts are searched for an e-mail. */
const mostAccounts = 10
/** Ten passwords take about 250 ms. */
const leastMs = 300

/**
 * Checks a password and starts a session, which replaces the earlier session of the browser;
 * answers its token. `address` is the address of the client. Throws a 401 problem for a wrong
 * password, and 429 after too many of them.
 */
export async function signIn(
  kontor: Kontor,
  {
    email,
    password,
    account,
    address,
    replaces,
  }: SignIn & { address: string; replaces?: string | undefined },
): Promise<string> {
  const at = kontor.now()
  const slowly = pause(leastMs)
  const matches = await matchesOf(kontor, { email, password, account, address })
  const chosen =
    account === undefined ? matches[0] : matches.find(({ subdomain }) => subdomain === account)
  if (!chosen) {
    await slowly
    throw unauthorized('Wrong e-mail or password')
  }
  const token = randomText(43)
  await kontor.database.transaction(async (tx) => {
    const accountIds = matches.map(({ account_id }) => account_id)
    const userIds = matches.map(({ user_id }) => user_id)
    const session = {
      accountIds,
      userIds,
      chosen: chosen.account_id,
      hash: hash(token),
      at,
      expires_at: at + sessionSeconds,
    }
    await tx.rows(queries.removeExpiredSessions(accountIds, userIds, at))
    await tx.rows(queries.insertSession(session))
    if (replaces !== undefined) await endSession(tx, replaces)
  })
  return token
}

/** The cookie that carries a token; without a token, the cookie that removes it. */
export function cookieFor(kontor: Kontor, token: string | undefined): string {
  return setCookie(kontor, sessionCookie, token ?? '', {
    maxAge: token === undefined ? 0 : sessionSeconds,
  })
}

/** Lets a session last thirty days from now. */
export async function prolongSession(tx: Tx, token: string, at: number): Promise<void> {
  const times = { at, expires_at: at + sessionSeconds, notBefore: at + sessionSeconds - daySeconds }
  await tx.rows(queries.prolong(hash(token), times))
}

/** Signs this browser out. */
export async function endSession(tx: Tx, token: string): Promise<void> {
  if (await tx.row(queries.deleteSession(hash(token)))) await forgetAccess(tx)
}

/** Signs the user out in every browser. */
export async function endSessions(tx: Tx, actor: Who): Promise<void> {
  // Without a session nothing has changed. A notification would make every process load all actors
  // again.
  if (await tx.row(queries.deleteSessionsOf(actor))) await forgetAccess(tx)
}

/**
 * The accounts that a session is signed in to, with its user in each; none for an expired token.
 */
export function accountsOfSession(
  reader: Reader,
  token: string,
  at: number,
): Promise<SignedInAccount[]> {
  return reader.rows<SignedInAccount>(queries.signedInAccounts(hash(token), at))
}

/**
 * The caller, the account, and the other accounts of the session; none of those without a session.
 */
export async function readSession(
  reader: Reader,
  actor: Who & { at: number },
  token: string | undefined,
) {
  const user = (await reader.row<SessionUser>(queries.userOf(actor)))!
  const account = (await reader.row<SessionAccount>(queries.accountOfSession(actor)))!
  const places = token === undefined ? [] : await accountsOfSession(reader, token, actor.at)
  const accounts = places.map((place) => ({
    id: place.account_id,
    name: place.account_name,
    subdomain: place.subdomain,
  }))
  return { user, account, accounts: accounts.length > 0 ? accounts : [account] }
}

/** The users with this e-mail and password, the user of the requested account first. */
async function matchesOf(
  kontor: Kontor,
  { email, password, account, address }: SignIn & { address: string },
) {
  const { attempt, turn } = gateOf(kontor)
  const name = email.trim().toLowerCase()
  const { succeed } = attempt(name, address)
  const candidates = await kontor.database.rows<Candidate>(
    queries.usersOfEmail(name, account, mostAccounts),
  )
  const matches: Candidate[] = []
  // One after the other, so that a single sign-in does not take all places in the queue.
  for (const candidate of candidates)
    if (await turn(() => verifyPassword(password, candidate.password_hash))) matches.push(candidate)
  if (candidates.length === 0)
    await turn(async () =>
      verifyPassword(password, await (nobody ??= hashPassword(randomText(16)))),
    )
  if (
    account === undefined
      ? matches.length > 0
      : matches.some(({ subdomain }) => subdomain === account)
  )
    succeed(matches.length === candidates.length)
  return matches
}

/** A password that no user has, so that checking an unknown e-mail takes as long as a known one. */
let nobody: Promise<string> | undefined

interface Gate {
  attempt: ReturnType<typeof openAttempts>
  turn: ReturnType<typeof openTurns>
}

const gates = new WeakMap<Kontor, Gate>()

/** One server has one count of attempts, for sign-in by the API and in the window. */
function gateOf(kontor: Kontor): Gate {
  const gate = gates.get(kontor) ?? { attempt: openAttempts(kontor.now), turn: openTurns() }
  gates.set(kontor, gate)
  return gate
}
