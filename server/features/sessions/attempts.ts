// What keeps guessing slow and sign-in small: so many failures for an e-mail or from an address, then a pause; and so many passwords
// checked at a time (each takes 19 MiB and 20 ms), so many more waiting, the rest sent away. All in this process's memory, which
// cannot grow: the oldest count goes first.
import { networkOf } from '../../access/limits.ts'
import { tooManyRequests } from '../../http/problem.ts'

const windowSeconds = 15 * 60
/** One person mistypes now and then; behind one address sits a whole office. */
const mostByEmail = 10
const mostByAddress = 50
const mostCounts = 20_000

export interface Attempt {
  /**
   * It was no guess: takes the attempt back, and forgets the failures for the e-mail where the password was right for `all` who have it;
   * who has the e-mail in one account must not clear the way for guesses at another.
   */
  succeed(all: boolean): void
}

/** Makes the function that lets an attempt begin, or throws a 429 problem that says when the next may. */
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
    // The address first: one that is turned away must not push out the counts of others with e-mails it makes up.
    const byAddress = countOf(`address ${networkOf(address)}`)
    if (byAddress.failures >= mostByAddress) throw tooManyRequests(byAddress.until - now())
    const byEmail = countOf(`email ${email}`)
    if (byEmail.failures >= mostByEmail) throw tooManyRequests(byEmail.until - now())
    // Counted before the password is checked: guesses sent all at once count too.
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

/** Makes the function that runs a few pieces of work at a time; beyond those waiting: a 429 problem. */
export function openTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running >= mostAtOnce) {
      if (waiting.length >= mostWaiting) throw tooManyRequests(2)
      // Who leaves hands the turn over, so `running` stays as it is.
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
