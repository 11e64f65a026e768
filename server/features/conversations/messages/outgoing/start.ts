// Starts the callbacks of chats in a process: the follower that plans them, and the sender.
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import { callLogOf } from '../../../../access/call-log.ts'
import { follow } from '../../../../changes/follow.ts'
import { openDeliveryAttempts } from '../../../../outgoing/attempt.ts'
import type { Kontor } from '../../../../kontor.ts'
import { callbackFollower } from './follower.ts'
import { measureCallbacks } from './metrics.ts'
import { callbacksChannel, openCallbackSender } from './sender.ts'

/** Connections to the database: for the follower, and for what the sender reads and keeps. */
const connections = 3

interface Options {
  /** Milliseconds since 1970. */
  nowMs?: () => number
  /** Milliseconds of an attempt (interface: Chat callbacks). */
  timeoutMs?: number
  /** Where the metrics of callbacks are kept. */
  metrics?: Registry
}

export interface Callbacks {
  /** Fulfilled once later messages are followed, by this or another process. */
  ready: Promise<void>
  /** Looks for what is due now, as after a second at the latest. */
  wake(): void
  /** Lets the attempts under way end. */
  stop(): Promise<void>
}

export function startCallbacks(
  kontor: Kontor,
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
  { nowMs = Date.now, timeoutMs = 5000, metrics = new Registry() }: Options = {},
): Callbacks {
  const { door, secrets, signals } = kontor
  const database = kontor.database.apart(connections)
  const attempts = openDeliveryAttempts({ timeoutMs, isOnce: true })
  const count = measureCallbacks(metrics, kontor.database, nowMs)
  const sender = openCallbackSender({
    database,
    signals,
    attempts,
    door,
    timeoutMs,
    secrets,
    log,
    nowMs,
    count,
    note: callLogOf(kontor).noteChannel,
  })
  const written = () => signals.notify(callbacksChannel)
  const follower = callbackFollower({ nowMs, written })
  // Messages that were written before the first start are sent, too.
  const following = follow(database, follower, { signals, from: 'start', log })
  return {
    ready: following.ready,
    wake: sender.wake,
    async stop() {
      await following.stop()
      await sender.stop()
      await attempts.close()
      await database.close()
    },
  }
}
