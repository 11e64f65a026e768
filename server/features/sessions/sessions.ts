// Who signs in gets a random token in a cookie; the database keeps its hash, once for each account where the password was right. A
// wrong password, an e-mail that nobody has, a user without password and a deactivated one get one and the same answer, and no
// sooner than `leastMs`: how many passwords were checked must not be told by the time it took.
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
/** Accounts in which one e-mail is looked for. */
const mostAccounts = 10
/** Ten passwords take about 250 ms. */
const leastMs = 300

/**
 * Checks a password and starts a session, which replaces the browser's earlier one; answers its token. `address` is where the request
 * comes from. Throws a 401 problem for a wrong password, 429 after too many of them.
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

/** The cookie that carries a token; without one, what removes it. */
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
  // Without a session nothing has changed, and word of it would have every process ask the database about everybody anew.
  if (await tx.row(queries.deleteSessionsOf(actor))) await forgetAccess(tx)
}

/** The accounts that a session is signed in to, with its user there; none for a token that is good no more. */
export function accountsOfSession(
  reader: Reader,
  token: string,
  at: number,
): Promise<SignedInAccount[]> {
  return reader.rows<SignedInAccount>(queries.signedInAccounts(hash(token), at))
}

/** Who calls, in which account, and where else the session is signed in; without a session nowhere else. */
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

/** The users of the e-mail whose password it is, the wanted account's first. */
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
  // One after the other: a single sign-in must not take all turns.
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

/** The password that nobody has: an e-mail that nobody has costs as much as another. */
let nobody: Promise<string> | undefined

interface Gate {
  attempt: ReturnType<typeof openAttempts>
  turn: ReturnType<typeof openTurns>
}

const gates = new WeakMap<Kontor, Gate>()

/** A server counts its attempts once, whichever way they come. */
function gateOf(kontor: Kontor): Gate {
  const gate = gates.get(kontor) ?? { attempt: openAttempts(kontor.now), turn: openTurns() }
  gates.set(kontor, gate)
  return gate
}
