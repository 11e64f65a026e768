// How much one caller may ask. Each limit is a bucket of tokens that fills at the limit's rate and holds what it takes two seconds to
// fill, so that a short burst passes and a steady excess does not. Buckets live in the memory of this process: several processes allow
// as much each. What is known is bounded; a bucket that has had time to fill again is as good as none.
import { isIPv6 } from 'node:net'
import type { Config } from '../config.ts'
import type { Actor } from './actor.ts'
import { tooManyRequests } from '../http/problem.ts'

/** What a request may be turned away for. */
export const limitNames = ['integration', 'account', 'address', 'database'] as const
export type LimitName = (typeof limitNames)[number]

export interface Limits {
  /** Counts a request that was let in; throws a 429 problem when its integration (or user, without one) or its account asks too much. */
  countActor: (actor: Pick<Actor, 'accountId' | 'clientId' | 'userId'>) => void
  /** Counts a request that came without a token; throws a 429 problem when its address asks too much. */
  countAddress: (address: string) => void
  /** How many requests each limit has turned away. */
  rejected: Record<LimitName, number>
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A route that asks for no token, but for work or secrets: each address may call it RATE_LIMIT_ADDRESS times a second. */
    perAddress?: boolean
  }
}

type Rates = Pick<Config, 'rateLimitIntegration' | 'rateLimitAccount' | 'rateLimitAddress'>

/** `now` gives milliseconds that only grow. */
export function openLimits(rates: Rates, now = () => performance.now()): Limits {
  const integrations = buckets(rates.rateLimitIntegration, now)
  const accounts = buckets(rates.rateLimitAccount, now)
  const addresses = buckets(rates.rateLimitAddress, now)
  const rejected = { integration: 0, account: 0, address: 0, database: 0 }

  function refuse(name: LimitName, wait: number): void {
    if (wait <= 0) return
    rejected[name]++
    throw tooManyRequests(wait)
  }

  return {
    rejected,
    countActor({ accountId, clientId, userId }) {
      const integration = `${accountId} ${clientId ?? userId}`
      const account = String(accountId)
      // Both are asked before either is charged: who is turned away pays nothing.
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
  }
}

interface Buckets {
  /** Seconds until the next request may pass; 0: now. */
  wait(key: string): number
  take(key: string): void
}

const burstSeconds = 2
/** Buckets of one kind in memory at most, about 100 bytes each. */
const mostBuckets = 20_000

function buckets(rate: number, now: () => number): Buckets {
  if (rate === 0) return { wait: () => 0, take: () => undefined }
  const size = Math.max(1, rate * burstSeconds)
  /** Since when each bucket would have been filling from empty, in milliseconds; in the order of their last use. */
  const begun = new Map<string, number>()
  const fullAfter = (size / rate) * 1000
  const beginOf = (key: string) => Math.max(begun.get(key) ?? -Infinity, now() - fullAfter)

  return {
    wait(key) {
      const tokens = ((now() - beginOf(key)) * rate) / 1000
      // A token that lacks only what floating point lost is there.
      return tokens > 1 - 1e-6 ? 0 : (1 - tokens) / rate
    },
    take(key) {
      const begin = beginOf(key) + 1000 / rate
      begun.delete(key)
      begun.set(key, begin)
      if (begun.size > mostBuckets) begun.delete(begun.keys().next().value!)
    },
  }
}

/** Whoever has an IPv6 address has 2^64 of them. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address
  const [head = '', tail = ''] = address.split('::')
  const groups = head.split(':')
  const missing = address.includes('::') ? 8 - groups.length - tail.split(':').length : 0
  return [...groups, ...Array.from({ length: missing }, () => '0'), ...tail.split(':')]
    .slice(0, 4)
    .join(':')
}
