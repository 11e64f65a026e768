// A user who signs in gets a random token in a cookie. The database stores its hash, once for each
// account in which the password fits. A wrong password, an unknown e-mail, a user without a
// password and a deactivated user get the same answer, not before `leastMs`: the time must not
// reveal how many passwords were checked. A second cookie, which survives the sign-out, lets the
// browser count its own wrong passwords later (access/attempts.ts).
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import type { Reader, Tx } from '../../../database/connect.ts'
import { forgetAccess } from '../../../access/remembered.ts'
import { readCookie, setCookie } from '../../../http/cookies.ts'
import { notFound, Problem, tooManyRequests, unauthorized } from '../../../http/problem.ts'
import { sessionCookie, sessionSeconds } from '../../../access/sessions.ts'
import type { Kontor } from '../../../kontor.ts'
import { fromBase64url, hash, hashPassword, randomText, verifyPassword } from '../../../secrets.ts'
import { gateOf } from '../../../access/attempts.ts'
import { useFactorCode } from '../second-factor/second-factor.ts'
import { browserOf } from './browser.ts'
import * as queries from './queries.ts'
import type { Candidate, SignedInAccount, Who } from './queries.ts'
import type { OwnSession, SessionAccount, SessionUser, SignIn } from './schema.ts'

export type { SignedInAccount } from './queries.ts'

const daySeconds = 86_400
/** The longest that browsers keep a cookie: the row of the session ends it earlier. */
const cookieSeconds = 400 * daySeconds
const browserCookie = 'kontor_browser'
/** A browser is known for a year after its last sign-in. */
const browserSeconds = 365 * daySeconds
const mostBrowsers = 20
/** The sessions of a user at most: a program may sign in each time that it calls. */
const mostSessions = 100
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

/** The browser that signs in. */
export interface Visitor {
  address: string
  /** The headers `Cookie` and `User-Agent`. */
  cookie: string | undefined
  userAgent: string | undefined
}

/** The browser of a request. */
export const visitorOf = ({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>): Visitor => ({
  address: ip,
  cookie: headers.cookie,
  userAgent: headers['user-agent'],
})

/**
 * Checks a password, where the user has a second factor also a code, and starts a session, which
 * replaces the earlier session of the browser. Without an account, the first one where the password
 * fits is signed in, and all others where the code fits or none is needed. Throws a 401 problem for
 * a wrong password, for a wrong code, and where a code is missing, and 429 after too many of them.
 */
export async function signIn(
  kontor: Kontor,
  { email, password, account, code }: SignIn,
  visitor: Visitor,
): Promise<SignedIn> {
  const at = kontor.now()
  const slowly = pause(leastMs)
  try {
    const browser = browserHashOf(visitor)
    const checked = await checkPasswords(kontor, { email, password, account, browser, at }, visitor)
    const isWanted = ({ subdomain }: Candidate) => account === undefined || subdomain === account
    const wanted = checked.matches.find(isWanted)
    if (!wanted) throw unauthorized('Wrong e-mail or password')
    if (wanted.has_second_factor && code === undefined) throw codeProblem('CodeNeeded', codeNeeded)
    const { users, signedIn } = await kontor.database.transaction(async (tx) => {
      const users = await withCode(tx, kontor, checked.matches, code, at)
      const chosen = users.find(isWanted)
      if (!chosen) throw codeProblem('WrongCode', wrongCode)
      return { users, signedIn: await beginSession(tx, kontor, users, chosen, visitor) }
    })
    checked.succeed(users)
    return signedIn
  } catch (error) {
    if (error instanceof Problem && error.status === 401) await slowly
    throw error
  }
}

/** The texts of a form of a page where people sign in; absent ones are empty. */
export interface SignInFields {
  email?: string | undefined
  password?: string | undefined
  code?: string | undefined
  /** In place of e-mail and password: both, sealed, while the code is asked for. */
  pair?: string | undefined
}

export interface RefusedSignIn {
  status: number
  headers: Record<string, string>
  reason: 'wrong-pair' | 'code-needed' | 'wrong-code' | 'too-many' | 'too-late'
  /** The minutes to wait after too many attempts. */
  minutes: number
  email: string
  pair: string | undefined
}

/** Signs in with what a form sent, and answers why it does not where the person may try again. */
export async function signInByForm(
  kontor: Kontor,
  fields: SignInFields,
  { account, visitor }: { account: string | undefined; visitor: Visitor },
): Promise<SignedIn | RefusedSignIn> {
  const sealed = fields.pair === undefined ? undefined : openPair(kontor, fields.pair)
  const email = (sealed?.email ?? fields.email ?? '').slice(0, 255)
  const password = (sealed?.password ?? fields.password ?? '').slice(0, 1024)
  const refused = { status: 401, headers: {}, minutes: 0, email, pair: undefined }
  if (fields.pair !== undefined && !sealed) return { ...refused, reason: 'too-late' }
  const code = fields.code?.trim().slice(0, 64) || undefined
  try {
    return await signIn(kontor, { email, password, code, account }, visitor)
  } catch (error) {
    if (!(error instanceof Problem) || ![401, 429].includes(error.status)) throw error
    const { status, headers } = error
    const missing = error.body()['code'] as CodeProblem | undefined
    const minutes = Math.ceil(Number(headers['retry-after'] ?? 0) / 60)
    const pair = missing ? sealPair(kontor, { email, password }) : fields.pair
    if (status === 429) return { status, headers, reason: 'too-many', minutes, email, pair }
    if (!missing) return { ...refused, reason: 'wrong-pair' }
    const reason = missing === 'CodeNeeded' ? 'code-needed' : 'wrong-code'
    return { ...refused, reason, pair }
  }
}

/** The time in which a person finds the code of the second step. */
const pairSeconds = 5 * 60

/**
 * Seals a pair that was right, so that the page of the code need not ask for it again: a browser
 * without scripts keeps nothing between two forms, and the server remembers no half sign-in.
 */
function sealPair(kontor: Kontor, pair: { email: string; password: string }): string {
  const sealed = { ...pair, purpose: pairPurpose, until: kontor.now() + pairSeconds }
  return kontor.secrets.encrypt(JSON.stringify(sealed)).toString('base64url')
}

function openPair(
  { secrets, now }: Kontor,
  sealed: string,
): { email: string; password: string } | undefined {
  try {
    const { purpose, until, ...pair } = JSON.parse(secrets.decrypt(fromBase64url(sealed)!)) as {
      email: string
      password: string
      purpose: string
      until: number
    }
    return purpose === pairPurpose && until > now() ? pair : undefined
  } catch {
    // Not sealed by this server, or changed.
    return undefined
  }
}

const pairPurpose = 'a sign-in that waits for its code'

/** The codes of the 401 problems of a sign-in that lacks a code, or has a wrong one. */
export type CodeProblem = 'CodeNeeded' | 'WrongCode'

const codeNeeded = 'This user signs in with a code as well; send it as "code"'
const wrongCode = 'This code is wrong, or was used already'

const codeProblem = (code: CodeProblem, detail: string) =>
  new Problem(401, detail, { headers: unauthorized().headers, extra: { code } })

/**
 * The users of these whose second factor fits the code, or who have none. Throws a 401 problem for a
 * code that fits nobody who needs one, and 429 after too many of them. The codes are used up.
 */
async function withCode(
  tx: Tx,
  kontor: Kontor,
  matches: Candidate[],
  code: string | undefined,
  at: number,
): Promise<Candidate[]> {
  const open = matches.filter(({ has_second_factor }) => !has_second_factor)
  const guarded = matches.filter(({ has_second_factor }) => has_second_factor)
  if (code === undefined || guarded.length === 0) return open
  const { attempts } = gateOf(kontor)
  const fitting: Candidate[] = []
  let wait = 0
  for (const user of guarded) {
    const { account_id: accountId, user_id: userId, is_known } = user
    // A known browser has a count of its own, which strangers who know the password cannot fill.
    const attempt = is_known ? undefined : attempts.ofUser('code', accountId, userId)
    if (attempt && attempt.wait > 0) wait = attempt.wait
    else if (await useFactorCode(tx, kontor.secrets, { accountId, userId, at }, code)) {
      attempt?.succeed()
      fitting.push(user)
    }
  }
  if (fitting.length === 0 && wait > 0) throw tooManyRequests(wait, 'Too many wrong codes')
  if (fitting.length === 0) throw codeProblem('WrongCode', wrongCode)
  return matches.filter((user) => open.includes(user) || fitting.includes(user))
}

/**
 * Begins a session of these users, each in its account, in a browser, and ends the earlier session of
 * the browser.
 */
export async function beginSession(
  tx: Tx,
  kontor: Kontor,
  users: Pick<Candidate, 'account_id' | 'user_id'>[],
  chosen: Pick<Candidate, 'account_id'>,
  visitor: Visitor,
): Promise<SignedIn> {
  const at = kontor.now()
  const token = randomText(43)
  const newBrowser = randomText(43)
  const browser = browserHashOf(visitor)
  const replaces = readCookie(visitor.cookie, sessionCookie)
  const accountIds = users.map(({ account_id }) => account_id)
  const userIds = users.map(({ user_id }) => user_id)
  const session = {
    accountIds,
    userIds,
    chosen: chosen.account_id,
    hash: hash(token),
    at,
    expires_at: at + sessionSeconds,
    browser: browserOf(visitor.userAgent),
    address: visitor.address,
  }
  await tx.rows(queries.insertSession(session))
  const ended = await tx.row<{ answer: boolean }>(
    queries.removeOldSessions(accountIds, userIds, at, mostSessions),
  )
  if (ended!.answer) await forgetAccess(tx)
  if (replaces !== undefined) await endSession(tx, replaces)
  // A new token each time: one that somebody planted in the browser must not become known.
  if (browser) await tx.rows(queries.renameBrowser(browser, hash(newBrowser), at))
  const expires_at = at + browserSeconds
  await tx.rows(queries.insertBrowser({ accountIds, userIds, hash: hash(newBrowser), expires_at }))
  await tx.rows(queries.removeOldBrowsers(accountIds, userIds, mostBrowsers))
  const lasting = setCookie(kontor, browserCookie, newBrowser, { maxAge: browserSeconds })
  return { token, cookies: [cookieFor(kontor, token), lasting] }
}

/** The hash of the cookie by which a browser is known; undefined for a browser without it. */
export function browserHashOf({ cookie }: Pick<Visitor, 'cookie'>): Buffer | undefined {
  const known = readCookie(cookie, browserCookie)
  return known === undefined ? undefined : hash(known)
}

/** The cookie that carries a token; without a token, the cookie that removes it. */
export function cookieFor(kontor: Kontor, token: string | undefined): string {
  return setCookie(kontor, sessionCookie, token ?? '', {
    maxAge: token === undefined ? 0 : cookieSeconds,
  })
}

/** Signs this browser out. */
export async function endSession(tx: Tx, token: string): Promise<void> {
  if (await tx.row(queries.deleteSession(hash(token)))) await forgetAccess(tx)
}

/** The browsers in which the user is signed in to this account, the latest first. */
export function listSessions(
  reader: Reader,
  actor: Who & { at: number },
  token: string | undefined,
): Promise<OwnSession[]> {
  const current = token === undefined ? undefined : hash(token)
  return reader.rows<OwnSession>(queries.sessionsOf(actor, current))
}

/** Signs one browser of the user out, in every account. Unknown: 404. */
export async function endSessionById(tx: Tx, actor: Who, id: number): Promise<void> {
  if (!(await tx.row(queries.deleteSessionById(actor, id)))) throw notFound()
  await forgetAccess(tx)
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

/** The session that was just begun. Throws a 401 problem if its user was deactivated meanwhile. */
export async function readNewSession({ database, now }: Kontor, token: string) {
  const at = now()
  const accounts = await accountsOfSession(database, token, at)
  const account = accounts.find(({ is_chosen }) => is_chosen)
  if (!account) throw unauthorized()
  return readSession(
    database,
    { accountId: account.account_id, userId: account.user_id, at },
    token,
  )
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
  const signedIn = token === undefined ? [] : await accountsOfSession(reader, token, actor.at)
  const accounts = signedIn.map((account) => ({
    id: account.account_id,
    name: account.account_name,
    subdomain: account.subdomain,
  }))
  return { user, account, accounts: accounts.length > 0 ? accounts : [account] }
}

interface CheckedPasswords {
  /** The users with this e-mail and password, the user of the requested account first. */
  matches: Candidate[]
  /** Forgets the attempt, which was no guess: these users are signed in. */
  succeed(matches: Candidate[]): void
}

/**
 * Users whom the browser does not know are left out while too many passwords were wrong for the
 * e-mail.
 */
async function checkPasswords(
  kontor: Kontor,
  { email, password, account, browser, at }: SignIn & { browser: Buffer | undefined; at: number },
  { address }: Visitor,
): Promise<CheckedPasswords> {
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
  const found: Candidate[] = []
  // One after the other, so that a single sign-in does not take all places in the queue.
  for (const candidate of candidates)
    if (await turn(() => verifyPassword(password, candidate.password_hash))) found.push(candidate)
  if (candidates.length === 0)
    await turn(async () =>
      verifyPassword(password, await (nobody ??= hashPassword(randomText(16)))),
    )
  return {
    matches: found,
    succeed(matches) {
      const isIn =
        account === undefined
          ? matches.length > 0
          : matches.some(({ subdomain }) => subdomain === account)
      if (isIn && known.some((user) => matches.includes(user))) own?.succeed()
      // A password that is right for some only is a guess at the others: who has the e-mail in one
      // account must not try passwords for another.
      if (isIn && strangers.every((user) => matches.includes(user))) common?.succeed()
    },
  }
}

/** A password that no user has, so that checking an unknown e-mail takes as long as a known one. */
let nobody: Promise<string> | undefined
