// Starts the deliveries of webhooks in a process: the follower that turns changes into deliveries,
// and the sender.
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import type { Entities } from '../../../../changes/entity.ts'
import { openDeliveryAttempts } from '../../../../outgoing/attempt.ts'
import { startSending } from '../../../../outgoing/sender.ts'
import type { Sending } from '../../../../outgoing/sender.ts'
import type { Kontor } from '../../../../kontor.ts'
import { deliveryFollower } from './follower.ts'
import { measureDeliveries } from './metrics.ts'
import { deliveriesChannel, openDeliverySender } from './engine.ts'

export { dropOldDeliveries } from './retention.ts'

interface Options {
  /** Milliseconds since 1970. */
  nowMs?: () => number
  /** Milliseconds of an attempt (interface: Webhook delivery). */
  timeoutMs?: number
  /** Where the metrics of deliveries are kept. */
  metrics?: Registry
}

export function startDeliveries(
  kontor: Kontor,
  entities: Entities,
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
  { nowMs = Date.now, timeoutMs = 2000, metrics = new Registry() }: Options = {},
): Sending {
  const { door, secrets, signals } = kontor
  const counts = measureDeliveries(metrics, kontor.database, nowMs)
  // Webhooks hear of changes after their subscription, and there is none before the first start.
  return startSending(kontor, log, (database) => {
    const attempts = openDeliveryAttempts({ timeoutMs })
    const count = counts.attempt
    const circumstances = { database, signals, attempts, door, secrets, log, nowMs, count }
    const sender = openDeliverySender(circumstances)
    const follower = deliveryFollower({
      entities,
      url: () => kontor.url,
      nowMs,
      log,
      countUnbuilt: counts.unbuilt,
      begin: sender.doubt,
      written(deliveries) {
        if (!sender.offer(deliveries)) signals.notify(deliveriesChannel)
      },
    })
    return { follower, sender, close: attempts.close }
  })
}
