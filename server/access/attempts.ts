// Slows down guessing and bounds the cost of sign-in. Failures are counted for an address, for an
// e-mail from that address, and for an e-mail from anywhere; after a number of them, further
// attempts have to wait. The narrow count is the low one, so that a stranger elsewhere does not
// close the sign-in of others; the wide one bounds guesses from many addresses. A browser that has
// signed in before has a count of its own. The counts are in the memory of the process, which is
// bounded: the oldest count is dropped first (docs/decisions/0028-sign-in-attempts.md).
import type { Kontor } from '../kontor.ts'
import { tooManyRequests } from '../http/problem.ts'
import { networkOf } from './limits.ts'

const windowSeconds = 15 * 60
/** One person mistypes now and then. Counts for a known browser, too. */
const mostByPerson = 10
/** An address may belong to a whole office. */
const mostByAddress = 50
/** Guesses from many addresses together. Beyond them, only known browsers sign in. */
const mostByEmail = 100
const mostCounts = 20_000

export interface Attempt {
  /** Seconds until an attempt is allowed; 0: this one is. */
  wait: number
  /** The attempt was no guess: forgets it, and the failures before it of the same person. */
  succeed(): void
}

export interface Attempts {
  /** Counts an attempt in a browser that has signed in before. */
  ofBrowser(hash: Buffer): Attempt
  /** Counts an attempt at a password or a code of a user whose password or session is right. */
  ofUser(what: 'password' | 'code', accountId: number, userId: number): Attempt
  /** Counts any other attempt, also one for an e-mail that nobody has. */
  ofEmail(email: string, address: string): Attempt
}

interface Count {
  failures: number
  until: number
}

export function openAttempts(now: () => number): Attempts {
  const counts = new Map<string, Count>()

  function countOf(name: string): Count {
    const known = counts.get(name)
    const left = known ? known.until - now() : 0
    // A longer time is left only after the clock was put back.
    if (known && left > 0 && left <= windowSeconds) return known
    const fresh = { failures: 0, until: now() + windowSeconds }
    counts.delete(name)
    counts.set(name, fresh)
    if (counts.size > mostCounts) counts.delete(counts.keys().next().value!)
    return fresh
  }

  const waitOf = ({ failures, until }: Count, most: number) => (failures < most ? 0 : until - now())

  function attemptAt(name: string): Attempt {
    const count = countOf(name)
    const wait = waitOf(count, mostByPerson)
    if (wait === 0) count.failures++
    return { wait, succeed: () => void (count.failures = 0) }
  }

  return {
    ofBrowser: (hash) => attemptAt(`browser ${hash.toString('base64')}`),
    ofUser: (what, accountId, userId) => attemptAt(`${what} ${accountId} ${userId}`),

    ofEmail(email, address) {
      const network = networkOf(address)
      const byAddress = countOf(`address ${network}`)
      const closed = waitOf(byAddress, mostByAddress)
      // A refused address must not push out other counts with made-up e-mails.
      if (closed > 0) return { wait: closed, succeed: () => undefined }
      const byPerson = countOf(`person ${network} ${email}`)
      const byEmail = countOf(`email ${email}`)
      const wait = Math.max(waitOf(byPerson, mostByPerson), waitOf(byEmail, mostByEmail))
      // Counted before the password is checked, so that guesses sent all at once count too.
      if (wait === 0) for (const count of [byAddress, byPerson, byEmail]) count.failures++
      return {
        wait,
        succeed() {
          byAddress.failures--
          // Guesses of strangers stay counted.
          byEmail.failures = Math.max(0, byEmail.failures - byPerson.failures)
          byPerson.failures = 0
        },
      }
    },
  }
}

interface Gate {
  attempts: Attempts
  /** Runs a few checks of passwords at a time. */
  turn: ReturnType<typeof openTurns>
}

const gates = new WeakMap<Kontor, Gate>()

/** One server has one count of attempts, wherever passwords and codes are asked for. */
export function gateOf(kontor: Kontor): Gate {
  const gate = gates.get(kontor) ?? { attempts: openAttempts(kontor.now), turn: openTurns() }
  gates.set(kontor, gate)
  return gate
}

/** Forgets all attempts of a server, as its restart does. */
export function forgetAttempts(kontor: Kontor): void {
  gates.delete(kontor)
}

const maxConcurrent = 2
const maxBuffered = 60

/**
 * Makes the function that runs a few tasks at a time; a task beyond the waiting ones gets a 429
 * problem.
 */
function openTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running >= maxConcurrent) {
      if (waiting.length >= maxBuffered) throw tooManyRequests(2)
      // A finished task hands its place to the next one, so `running` stays unchanged.
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
