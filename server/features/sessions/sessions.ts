// A user who signs in gets a random token in a cookie. The database stores its hash, once for each
// account in which the password fits. A wrong password, an unknown e-mail, a user without a
// password and a deactivated user get the same answer, not before `leastMs`: the time must not
// reveal how many passwords were checked. A second cookie, which survives the sign-out, lets the
// browser count its own wrong passwords later (access/attempts.ts).
import { setTimeout as pause } from 'node:timers/promises'
import type { Reader, Tx } from '../../database/connect.ts'
import { forgetAccess } from '../../access/remembered.ts'
import { readCookie, setCookie } from '../../http/cookies.ts'
import { tooManyRequests, unauthorized } from '../../http/problem.ts'
import { sessionCookie } from '../../access/sessions.ts'
import type { Kontor } from '../../kontor.ts'
import { hash, hashPassword, randomText, verifyPassword } from '../../secrets.ts'
import { openAttempts, openTurns } from '../../access/attempts.ts'
import type { Attempts } from '../../access/attempts.ts'
import * as queries from './queries.ts'
import type { Candidate, SignedInAccount, Who } from './queries.ts'
import type { SessionAccount, SessionUser, SignIn } from './schema.ts'

export type { SignedInAccount as Place } from './queries.ts'

const daySeconds = 86_400
const sessionSeconds = 30 * daySeconds
const browserCookie = 'kontor_browser'
/** A browser is known for a year after its last sign-in. */
const browserSeconds = 365 * daySeconds
const mostBrowsers = 20
/** At most this many accounts are searched for an e-mail. */
const mostAccounts = 10
/** Ten passwords take about 250 ms. */
const leastMs = 300

export interface SignedIn {
  /** The token of the session. */
  token: string
  /** For the `Set-Cookie` header of the answer. */
  cookies: string[]
}

/**
 * Checks a password and starts a session, which replaces the earlier session of the browser.
 * `address` is the address of the client, `cookie` its `Cookie` header. Throws a 401 problem for a
 * wrong password, and 429 after too many of them.
 */
export async function signIn(
  kontor: Kontor,
  {
    email,
    password,
    account,
    address,
    cookie,
  }: SignIn & { address: string; cookie: string | undefined },
): Promise<SignedIn> {
  const at = kontor.now()
  const slowly = pause(leastMs)
  const replaces = readCookie(cookie, sessionCookie)
  const known = readCookie(cookie, browserCookie)
  const browser = known === undefined ? undefined : hash(known)
  const matches = await matchesOf(kontor, { email, password, account, address, browser, at })
  const chosen =
    account === undefined ? matches[0] : matches.find(({ subdomain }) => subdomain === account)
  if (!chosen) {
    await slowly
    throw unauthorized('Wrong e-mail or password')
  }
  const token = randomText(43)
  const newBrowser = randomText(43)
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
    // A new token each time: one that somebody planted in the browser must not become known.
    if (browser) await tx.rows(queries.renameBrowser(browser, hash(newBrowser), at))
    const expires_at = at + browserSeconds
    await tx.rows(
      queries.insertBrowser({ accountIds, userIds, hash: hash(newBrowser), expires_at }),
    )
    await tx.rows(queries.removeOldBrowsers(accountIds, userIds, mostBrowsers))
  })
  const lasting = setCookie(kontor, browserCookie, newBrowser, { maxAge: browserSeconds })
  return { token, cookies: [cookieFor(kontor, token), lasting] }
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

/**
 * The users with this e-mail and password, the user of the requested account first. Users whom the
 * browser does not know are left out while too many passwords were wrong for the e-mail.
 */
async function matchesOf(
  kontor: Kontor,
  {
    email,
    password,
    account,
    address,
    browser,
    at,
  }: SignIn & { address: string; browser: Buffer | undefined; at: number },
) {
  const { attempts, turn } = gateOf(kontor)
  const name = email.trim().toLowerCase()
  const all = await kontor.database.rows<Candidate>(
    queries.usersOfEmail(name, { wanted: account, browser, at, most: mostAccounts }),
  )
  const known = all.filter(({ is_known }) => is_known)
  const strangers = all.filter(({ is_known }) => !is_known)
  const isOwn = known.some(({ subdomain }) => account === undefined || subdomain === account)
  const own = browser && isOwn ? attempts.ofBrowser(browser) : undefined
  if (own && own.wait > 0) throw tooManyRequests(own.wait)
  const common = strangers.length > 0 || !own ? attempts.ofEmail(name, address) : undefined
  if (!own && common!.wait > 0) throw tooManyRequests(common!.wait)
  const candidates = common?.wait === 0 ? all : known
  const matches: Candidate[] = []
  // One after the other, so that a single sign-in does not take all places in the queue.
  for (const candidate of candidates)
    if (await turn(() => verifyPassword(password, candidate.password_hash))) matches.push(candidate)
  if (candidates.length === 0)
    await turn(async () =>
      verifyPassword(password, await (nobody ??= hashPassword(randomText(16)))),
    )
  const isIn =
    account === undefined
      ? matches.length > 0
      : matches.some(({ subdomain }) => subdomain === account)
  if (isIn && known.some((user) => matches.includes(user))) own?.succeed()
  // A password that is right for some only is a guess at the others: who has the e-mail in one
  // account must not try passwords for another.
  if (isIn && strangers.every((user) => matches.includes(user))) common?.succeed()
  return matches
}

/** A password that no user has, so that checking an unknown e-mail takes as long as a known one. */
let nobody: Promise<string> | undefined

interface Gate {
  attempts: Attempts
  turn: ReturnType<typeof openTurns>
}

const gates = new WeakMap<Kontor, Gate>()

/** One server has one count of attempts, for sign-in by the API and in the window. */
function gateOf(kontor: Kontor): Gate {
  const gate = gates.get(kontor) ?? { attempts: openAttempts(kontor.now), turn: openTurns() }
  gates.set(kontor, gate)
  return gate
}
