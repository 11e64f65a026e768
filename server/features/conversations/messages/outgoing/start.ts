// Starts the callbacks of chats in a process: the follower that plans them, and the sender.
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import { callLogOf } from '../../../../access/call-log.ts'
import { openDeliveryAttempts } from '../../../../outgoing/attempt.ts'
import { startSending } from '../../../../outgoing/sender.ts'
import type { Sending } from '../../../../outgoing/sender.ts'
import type { Kontor } from '../../../../kontor.ts'
import { callbackFollower } from './follower.ts'
import { measureCallbacks } from './metrics.ts'
import { callbacksChannel, openCallbackSender } from './engine.ts'

interface Options {
  /** Milliseconds since 1970. */
  nowMs?: () => number
  /** Milliseconds of an attempt (interface: Chat callbacks). */
  timeoutMs?: number
  /** Where the metrics of callbacks are kept. */
  metrics?: Registry
}

export function startCallbacks(
  kontor: Kontor,
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
  { nowMs = Date.now, timeoutMs = 5000, metrics = new Registry() }: Options = {},
): Sending {
  const { door, secrets, signals } = kontor
  const count = measureCallbacks(metrics, kontor.database, nowMs)
  const note = callLogOf(kontor).noteChannel
  const written = () => signals.notify(callbacksChannel)
  // Messages that were written before the first start are sent, too.
  return startSending(kontor, log, (database) => {
    const attempts = openDeliveryAttempts({ timeoutMs, isOnce: true })
    const circumstances = { database, signals, attempts, door, timeoutMs, secrets, log, nowMs }
    const sender = openCallbackSender({ ...circumstances, count, note })
    const follower = callbackFollower({ nowMs, written })
    return { follower, sender, close: attempts.close }
  })
}
