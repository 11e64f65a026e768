// Bounds all request bodies together. Node.js does nothing else while it parses or checks a part of a
// body, and holds the body in memory until the answer. So the bytes that are held and the
// time that was spent are counted per account, or per network where the caller is unknown. Both
// counts are this process's own.
import type { FastifyRequest } from 'fastify'
import { tooManyRequests, unavailable } from '../http/problem.ts'
import type { BodyBudget, BodyCost } from '../http/receive.ts'
import type { Actor } from './actor.ts'
import { networkOf } from './limits.ts'
import { setBounded } from './remembered.ts'

/** In flight: arrived, and not answered yet. In units of the largest body (`BODY_LIMIT`). */
const mostOfAccount = 4
const mostOfServer = 16

/**
 * The part of this process's time that the bodies of one account may take in the long run. Four
 * connections that create 250 records at once need a tenth.
 */
const timeShare = 0.25
/** Milliseconds that an account may spend at once: fifty batches of 250 records with 40 values. */
const timeBurst = 1500
/**
 * How often the time of a refused body counts. A program sends a faulty batch again when it has been
 * corrected, and needs no second; only a client that means harm sends large ones all the time.
 */
const refusedWeight = 4
/** Bytes of a body that passes while the time of its account is used up. */
const smallBody = 16 * 1024

/**
 * Refused bodies that are discarded for one account: so many a second in the long run, and so many
 * at once, in units of the largest body. Beyond that its connections are closed.
 */
const discardedPerSecond = 4
const discardedAtOnce = 16

const mostCallers = 20_000

/** `now` gives milliseconds that only grow. */
export function openBodyBudget(
  bodyLimit: number,
  refused: () => void,
  now = () => performance.now(),
): BodyBudget {
  /** Bytes in flight of each caller. */
  const reserved = new Map<string, number>()
  let reservedByAll = 0
  /** When the spent time of each caller will be forgotten, in milliseconds. */
  const spentUntil = new Map<string, number>()
  /** When the discarded bytes of each caller will be forgotten, in milliseconds. */
  const discardedUntil = new Map<string, number>()

  function reserve(caller: string, bytes: number): void {
    const more = (reserved.get(caller) ?? 0) + bytes
    if (more > 0) reserved.set(caller, more)
    else reserved.delete(caller)
    reservedByAll += bytes
  }

  function refuseBytes(caller: string, more: number): void {
    if ((reserved.get(caller) ?? 0) + more > mostOfAccount * bodyLimit) {
      refused()
      throw tooManyRequests(1, 'Too many large bodies at once; send fewer, or one after another')
    }
    if (reservedByAll + more > mostOfServer * bodyLimit) {
      refused()
      throw unavailable('Too many large bodies at once on this server, try again')
    }
  }

  function refuseTime(caller: string, except = 0): void {
    const wait = (spentUntil.get(caller) ?? 0) - now() - (timeBurst + except) / timeShare
    if (wait <= 0) return
    refused()
    throw tooManyRequests(wait / 1000, 'The bodies of this account take too much time; send less')
  }

  return {
    open(request, declared): BodyCost {
      const caller = callerOf(request)
      refuseBytes(caller, declared)
      if (declared > smallBody) refuseTime(caller)
      let [own, spent, isClosed] = [0, 0, false]
      const spend = (milliseconds: number): void => {
        const from = Math.max(spentUntil.get(caller) ?? 0, now())
        setBounded(spentUntil, caller, from + milliseconds / timeShare, mostCallers)
      }
      return {
        caller,
        grow(bytes) {
          refuseBytes(caller, bytes)
          if (own <= smallBody && own + bytes > smallBody) refuseTime(caller)
          own += bytes
          reserve(caller, bytes)
        },
        spend(milliseconds) {
          spent += milliseconds
          spend(milliseconds)
        },
        requireTime: () => refuseTime(caller, spent),
        refuse: () => spend(spent * (refusedWeight - 1)),
        close() {
          isClosed = true
          reserve(caller, -own)
        },
        isClosed: () => isClosed,
      }
    },
    mayDiscard(request, bytes) {
      if (bytes <= smallBody) return true
      const caller = callerOf(request)
      const from = Math.max(discardedUntil.get(caller) ?? 0, now())
      const until = from + (bytes / (discardedPerSecond * bodyLimit)) * 1000
      if (until - now() > (discardedAtOnce / discardedPerSecond) * 1000) return false
      setBounded(discardedUntil, caller, until, mostCallers)
      return true
    },
  }
}

/** The account of a caller, else the network: a caller without credentials has no account. */
function callerOf({ actor, ip }: FastifyRequest): string {
  const known = actor as Actor | undefined
  return known ? String(known.accountId) : networkOf(ip)
}
