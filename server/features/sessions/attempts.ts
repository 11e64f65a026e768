// Slows down guessing and bounds the cost of sign-in. After a number of failures for an e-mail or
// from an address, further attempts have to wait. A few passwords are checked at a time (each takes
// 19 MiB and 20 ms), some attempts wait, and the rest are refused. The counts are in the memory of
// the process, which is bounded: the oldest count is dropped first.
import { networkOf } from '../../access/limits.ts'
import { tooManyRequests } from '../../http/problem.ts'

const windowSeconds = 15 * 60
/** One person mistypes now and then; an address may belong to a whole office. */
const mostByEmail = 10
const mostByAddress = 50
const mostCounts = 20_000

export interface Attempt {
  /**
   * The attempt was no guess: removes it from the counts. Forgets the failures for the e-mail if
   * the password fits `all` its users: a user with the e-mail in one account must not clear the way
   * for guesses at another account.
   */
  succeed(all: boolean): void
}

/**
 * Makes the function that admits an attempt, or throws a 429 problem that says when the next
 * attempt is allowed.
 */
export function openAttempts(now: () => number): (email: string, address: string) => Attempt {
  const counts = new Map<string, { failures: number; until: number }>()

  function countOf(name: string) {
    const known = counts.get(name)
    if (known && known.until > now()) return known
    const fresh = { failures: 0, until: now() + windowSeconds }
    counts.delete(name)
    counts.set(name, fresh)
    if (counts.size > mostCounts) counts.delete(counts.keys().next().value!)
    return fresh
  }

  return (email, address) => {
    // The address is checked first: a refused address must not push out other counts with made-up
    // e-mails.
    const byAddress = countOf(`address ${networkOf(address)}`)
    if (byAddress.failures >= mostByAddress) throw tooManyRequests(byAddress.until - now())
    const byEmail = countOf(`email ${email}`)
    if (byEmail.failures >= mostByEmail) throw tooManyRequests(byEmail.until - now())
    // Counted before the password is checked, so that guesses sent all at once count too.
    byEmail.failures++
    byAddress.failures++
    return {
      succeed(all) {
        byAddress.failures--
        byEmail.failures = all ? 0 : byEmail.failures - 1
      },
    }
  }
}

const mostAtOnce = 2
const mostWaiting = 60

/**
 * Makes the function that runs a few tasks at a time; a task beyond the waiting ones gets a 429
 * problem.
 */
export function openTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running >= mostAtOnce) {
      if (waiting.length >= mostWaiting) throw tooManyRequests(2)
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
