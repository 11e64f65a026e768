// The outcome of an attempt to send a callback; pure. An attempt is repeated only where the request certainly
// did not arrive, or the channel refused to take it for now (interface: Chat callbacks), so that a
// slow channel does not show a message twice.
import type { Attempted } from '../../../../outgoing/attempt.ts'
import { waitOf } from '../../../../outgoing/retry-after.ts'

/** An error of a message, as the user sees it. */
export interface MessageError {
  /** 901 to 905. */
  error_code: number
  error: string
}

export type CallbackOutcome =
  | { result: 'sent' }
  /** The next attempt is due in so many milliseconds; `error` says why this one failed. */
  | { result: 'repeated'; waitMs: number; error: string }
  | ({ result: 'failed' } & MessageError)
  /** This machine failed: the attempt does not count. */
  | { result: 'own failure' }

/** The waits before the attempts 2 to 5, in milliseconds. */
const waits = [5_000, 30_000, 120_000, 600_000]
/** A channel that is busy may ask for a longer wait by `Retry-After`, but for no longer one than this. */
const longestWait = 600_000

/** Codes of errors (interface: Delivery statuses). */
export const [notReachable, channelFailed, notExpressible] = [902, 903, 904]

const busy: readonly number[] = [429, 503]

/**
 * The outcome of attempt `number` (1 is the first), which had `timeoutMs` milliseconds and ended at
 * `nowMs` (since 1970).
 */
export function outcomeOf(
  answer: Attempted,
  number: number,
  { timeoutMs, nowMs }: { timeoutMs: number; nowMs: number },
): CallbackOutcome {
  const { status, error, isOurs, isSent } = answer
  if (status === 200) return { result: 'sent' }
  if (busy.includes(status)) {
    const wished = waitOf(answer.retryAfter, nowMs)
    const busyWith = `The channel is busy: it answered with status ${status}`
    return again(number, busyWith, channelFailed, Math.min(wished, longestWait))
  }
  if (status > 0)
    return failed(channelFailed, `The channel answered with status ${status}, not with 200`)
  if (error === 'bad address')
    return failed(notReachable, 'The address of the channel is no address')
  if (error === 'private address')
    return failed(notReachable, 'The address of the channel is private, which is not allowed')
  // In flight as the process ended: it goes out again.
  if (error === 'aborted') return { result: 'own failure' }
  if (!isSent)
    return isOurs
      ? { result: 'own failure' }
      : again(number, `The channel cannot be reached (${reasons[error!] ?? error})`, notReachable)
  return failed(
    channelFailed,
    error === 'timeout'
      ? `The channel did not answer in ${timeoutMs / 1000} seconds`
      : 'The connection to the channel broke before it answered',
  )
}

const reasons: Record<string, string> = {
  dns: 'its name is unknown',
  refused: 'it refuses connections',
  tls: 'no secure connection',
  timeout: 'no connection in time',
  reset: 'it closes connections',
}

const failed = (error_code: number, error: string): CallbackOutcome => ({
  result: 'failed',
  error_code,
  error,
})

function again(number: number, error: string, error_code: number, leastMs = 0): CallbackOutcome {
  const waitMs = waits[number - 1]
  if (waitMs === undefined) return failed(error_code, error)
  return { result: 'repeated', waitMs: Math.max(waitMs, leastMs), error }
}
