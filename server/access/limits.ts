// How much one caller may ask. Each limit is a token bucket: it fills at the limit's rate and holds
// two seconds' worth, so that a short burst passes and a steady excess does not. Buckets live in
// the memory of this process; several processes allow as much each. The oldest buckets are dropped
// beyond a bound: a bucket that has had time to fill again is as good as none.
import { isIPv6 } from 'node:net'
import type { Config } from '../config.ts'
import type { Rejections } from '../http/metrics.ts'
import { tooManyRequests } from '../http/problem.ts'
import type { Actor } from './actor.ts'
import { setBounded } from './remembered.ts'

export interface Limits {
  /**
   * Counts a request. Throws a 429 problem when its account asks too much, or its integration (its
   * user, without one).
   */
  countActor: (actor: Pick<Actor, 'accountId' | 'clientId' | 'userId'>) => void
  /** Counts a request of an address. Throws a 429 problem when the address asks too much. */
  countAddress: (address: string) => void
  /**
   * Counts a request of a channel, and of the account that it is connected to. Throws a 429 problem
   * when either asks too much.
   */
  countScope: (scope: string, accountId?: number) => void
  rejected: Rejections
}

type Rates = Pick<
  Config,
  'rateLimitIntegration' | 'rateLimitAccount' | 'rateLimitAddress' | 'rateLimitScope'
>

/** A rate of 0 sets no limit. `now` gives milliseconds that only grow. */
export function openLimits(rates: Rates, now: () => number): Limits {
  const integrations = buckets(rates.rateLimitIntegration, now)
  const accounts = buckets(rates.rateLimitAccount, now)
  const addresses = buckets(rates.rateLimitAddress, now)
  const scopes = buckets(rates.rateLimitScope, now)
  const rejected = { integration: 0, account: 0, address: 0, scope: 0, bodies: 0, database: 0 }

  function refuse(name: keyof Rejections, wait: number): void {
    if (wait <= 0) return
    rejected[name]++
    throw tooManyRequests(wait)
  }

  return {
    rejected,
    countActor({ accountId, clientId, userId }) {
      const integration = `${accountId} ${clientId ?? userId}`
      const account = String(accountId)
      // Both are asked before either is charged: a refused request costs nothing.
      refuse('integration', integrations.wait(integration))
      refuse('account', accounts.wait(account))
      integrations.take(integration)
      accounts.take(account)
    },
    countAddress(address) {
      const network = networkOf(address)
      refuse('address', addresses.wait(network))
      addresses.take(network)
    },
    countScope(scope, accountId) {
      refuse('scope', scopes.wait(scope))
      if (accountId !== undefined) {
        refuse('account', accounts.wait(String(accountId)))
        accounts.take(String(accountId))
      }
      scopes.take(scope)
    },
  }
}

interface Buckets {
  /** Seconds until the next request may pass; 0: now. */
  wait(key: string): number
  take(key: string): void
}

const burstSeconds = 2
/** The most buckets of one limit, about 100 bytes each. */
const mostBuckets = 20_000

function buckets(rate: number, now: () => number): Buckets {
  if (rate === 0) return { wait: () => 0, take: () => undefined }
  const size = Math.max(1, rate * burstSeconds)
  /** When each bucket would have been empty, in milliseconds; in the order of their last use. */
  const begun = new Map<string, number>()
  const fullAfter = (size / rate) * 1000
  const beginOf = (key: string) => Math.max(begun.get(key) ?? -Infinity, now() - fullAfter)

  return {
    wait(key) {
      const tokens = ((now() - beginOf(key)) * rate) / 1000
      // Rounding of floating-point numbers must not refuse a whole token.
      return tokens > 1 - 1e-6 ? 0 : (1 - tokens) / rate
    },
    take(key) {
      setBounded(begun, key, beginOf(key) + 1000 / rate, mostBuckets)
    },
  }
}

/** The part of an address that a limit counts: a subscriber of IPv6 has 2^64 addresses. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address
  const [head = '', tail = ''] = address.split('::')
  const groups = head.split(':')
  const missing = address.includes('::') ? 8 - groups.length - tail.split(':').length : 0
  return [...groups, ...Array.from({ length: missing }, () => '0'), ...tail.split(':')]
    .slice(0, 4)
    .join(':')
}
