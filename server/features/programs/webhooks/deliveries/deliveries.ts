// Starts the deliveries of webhooks in a process: the follower that turns changes into deliveries,
// and the sender.
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import type { Entities } from '../../../../changes/entity.ts'
import { follow } from '../../../../changes/follow.ts'
import { openDeliveryAttempts } from '../../../../outgoing/attempt.ts'
import type { Kontor } from '../../../../kontor.ts'
import { deliveryFollower } from './follower.ts'
import { measureDeliveries } from './metrics.ts'
import { deliveriesChannel, openSender } from './sender.ts'

export { dropOldDeliveries } from './retention.ts'

/** Connections to the database: for the follower, and for what the sender reads, keeps and ends. */
const connections = 3

interface Options {
  /** Milliseconds since 1970. */
  nowMs?: () => number
  /** Milliseconds of an attempt (interface: Webhook delivery). */
  timeoutMs?: number
  /** Where the metrics of deliveries are kept. */
  metrics?: Registry
}

export interface Deliveries {
  /** Fulfilled once later changes are followed, by this or another process. */
  ready: Promise<void>
  /** Looks for what is due now, as after a second at the latest. */
  wake(): void
  /** Lets the attempts under way end. */
  stop(): Promise<void>
}

export function startDeliveries(
  kontor: Kontor,
  entities: Entities,
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
  { nowMs = Date.now, timeoutMs = 2000, metrics = new Registry() }: Options = {},
): Deliveries {
  const { door, secrets, signals } = kontor
  const database = kontor.database.apart(connections)
  const attempts = openDeliveryAttempts({ timeoutMs })
  const count = measureDeliveries(metrics, kontor.database, nowMs)
  const sender = openSender({
    database,
    signals,
    attempts,
    door,
    secrets,
    log,
    nowMs,
    count: count.attempt,
  })
  const follower = deliveryFollower({
    entities,
    url: () => kontor.url,
    nowMs,
    log,
    countUnbuilt: count.unbuilt,
    begin: sender.doubt,
    written(deliveries) {
      if (!sender.offer(deliveries)) signals.notify(deliveriesChannel)
    },
  })
  // Webhooks hear of changes after their subscription, and there is none before the first start.
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
