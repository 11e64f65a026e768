// Sends the deliveries of webhooks. Each process sends for its shards of subscriptions (shards.ts),
// in lanes, one for each subscription (lane.ts): a slow or dead receiver holds up its own lane
// only. The database knows what is due; memory knows what is under way. A process that dies
// leaves its deliveries due, and the next one repeats its attempts under their numbers.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { newLatch } from '../../../changes/latch.ts'
import type { Signals } from '../../../changes/signals.ts'
import type { Database, Tx } from '../../../database/connect.ts'
import type { Attempted, DeliveryAttempts } from '../../../http/attempt.ts'
import { notifyAdministrators } from '../../notifications/notifications.ts'
import { newLane } from './lane.ts'
import type { Lane } from './lane.ts'
import type { Outcome } from './metrics.ts'
import {
  countInvalid,
  dueDeliveries,
  dueSubscriptions,
  keepAttempts,
  keepWarnings,
  switchOff,
} from './queries.ts'
import type { DueDelivery, DueSubscription, FinishedAttempt, InvalidCount } from './queries.ts'
import { isValid, mostInvalid, waitAfter, warnings } from './schedule.ts'
import { openShards, shardCount } from './shards.ts'

/** The channel on which a process says that there are new deliveries. */
export const deliveriesChannel = 'kontor_deliveries'

/** DeliveryAttempts of one subscription at once, and the deliveries that a lane holds. */
const [mostOfLane, roomOfLane] = [8, 64]
/** DeliveryAttempts of one process at once. */
const mostAtOnce = 512
/** Milliseconds between two looks at what is due without a signal. */
const pollMs = 1000
/** Milliseconds in which ended attempts collect, to be kept by one statement. */
const collectMs = 5
const retryMs = 500

interface Circumstances {
  database: Database
  signals: Signals
  attempts: DeliveryAttempts
  log: Pick<Logger, 'error' | 'warn'>
  /** Milliseconds since 1970. */
  nowMs(): number
  /** Counts an attempt. */
  count(outcome: Outcome): void
}

interface Finished {
  attempt: FinishedAttempt
  lane: Lane
}

export interface Sender {
  /** Looks at what is due now. */
  wake(): void
  /** Lets the attempts under way end, and keeps them. */
  stop(): Promise<void>
}

export function openSender(circumstances: Circumstances): Sender {
  const { database, signals, attempts, log, nowMs, count } = circumstances
  const lanes = new Map<string, { subscription: DueSubscription; lane: Lane }>()
  const latch = newLatch()
  const stop = new AbortController()
  const underWay = new Set<DueDelivery>()
  let finished: Finished[] = []
  let keeping: Promise<void> | undefined
  const unsubscribe = signals.on(deliveriesChannel, latch.open)
  const shards = openShards(database, log, latch.open, leave)
  const ended = run()

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        await fill()
        send()
        await latch.opened(pollMs)
      } catch (error) {
        log.error({ err: error }, 'webhooks wait for the database')
        await pause(retryMs)
      }
    }
  }

  /** Reads the deliveries that lanes with room lack. */
  async function fill(): Promise<void> {
    const held = shards.held()
    for (const [name, { subscription }] of lanes)
      if (!held.includes(shardOf(subscription.id))) lanes.delete(name)
    if (held.length === 0) return
    const now = nowMs()
    const due = await database.rows<DueSubscription>(dueSubscriptions(held, shardCount, now))
    const lacking = due.flatMap((subscription) => {
      const { account_id, id } = subscription
      const name = nameOf(account_id, id)
      const lane = lanes.get(name)?.lane ?? newLane()
      lanes.set(name, { subscription, lane })
      const room = roomOfLane - lane.known.size
      const isLacking = room >= roomOfLane / 2
      return isLacking ? [{ account_id, webhook_id: id, known: [...lane.known], room }] : []
    })
    if (lacking.length === 0) return
    const found = await database.rows<DueDelivery>(dueDeliveries(lacking, now))
    const byLane = Map.groupBy(found, (each) => nameOf(each.account_id, each.webhook_id))
    for (const [name, deliveries] of byLane) lanes.get(name)?.lane.add(deliveries)
  }

  function send(): void {
    if (stop.signal.aborted) return
    const held = shards.held()
    for (const { subscription, lane } of lanes.values()) {
      if (!held.includes(shardOf(subscription.id))) continue
      const most = Math.min(mostOfLane - lane.underWay(), mostAtOnce - underWay.size)
      for (const delivery of lane.take(most)) void attempt(subscription, lane, delivery)
    }
  }

  /** Never throws. */
  async function attempt(
    { destination }: DueSubscription,
    lane: Lane,
    delivery: DueDelivery,
  ): Promise<void> {
    underWay.add(delivery)
    const { body } = delivery
    const answer = await attempts.attempt(destination, headersOf(delivery), body, stop.signal)
    underWay.delete(delivery)
    lane.end(delivery)
    count(outcomeOf(answer))
    // A failure of this machine is no answer: the delivery stays due.
    if (answer.isOurs) void pause(retryMs).then(() => lane.forget(delivery.id))
    else {
      finished.push({ attempt: finishedOf(delivery, answer, nowMs()), lane })
      keeping ??= keep()
    }
    send()
  }

  /** Keeps ended attempts, many by one statement, until none is left. */
  async function keep(): Promise<void> {
    while (finished.length > 0) {
      await sleep(collectMs)
      const batch = finished
      finished = []
      try {
        const off = await database.transaction((tx) => keepBatch(tx, batch, nowMs()))
        for (const { account_id, id } of off) lanes.delete(nameOf(account_id, id))
        for (const { attempt, lane } of batch) lane.forget(attempt.delivery_id)
        latch.open()
      } catch (error) {
        finished = [...batch, ...finished]
        log.error({ err: error }, 'the ends of attempts wait for the database')
        await sleep(retryMs)
      }
    }
    keeping = undefined
  }

  /** Another process will send for this shard: first the attempts under way end, and are kept. */
  async function leave(shard: number): Promise<void> {
    const its = [...lanes].filter(([, { subscription }]) => shardOf(subscription.id) === shard)
    for (const [name] of its) lanes.delete(name)
    while (its.some(([, { lane }]) => lane.underWay() > 0)) await sleep(20)
    await keeping
  }

  async function pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: stop.signal }).catch(() => undefined)
  }

  return {
    wake: latch.open,
    async stop() {
      stop.abort()
      unsubscribe()
      latch.open()
      await ended
      while (underWay.size > 0) await sleep(10)
      await keeping
      await shards.stop()
    },
  }
}

/** Keeps attempts, and answers the subscriptions that their answers have switched off. */
async function keepBatch(
  tx: Tx,
  batch: Finished[],
  nowMs: number,
): Promise<{ account_id: number; id: number }[]> {
  await tx.rows(keepAttempts(batch.map(({ attempt }) => attempt)))
  const failing = new Map(
    batch
      .filter(({ attempt }) => !isValid(attempt.status))
      .map(({ attempt: { account_id, webhook_id: id } }) => [
        nameOf(account_id, id),
        { account_id, id },
      ]),
  )
  if (failing.size === 0) return []
  const counted = await tx.rows<InvalidCount>(countInvalid([...failing.values()], nowMs))
  const off = counted.filter(({ count }) => count > mostInvalid)
  if (off.length > 0) await tx.rows(switchOff(off, nowMs))
  const warned = counted.flatMap((webhook) => {
    const reached = warnings.findLast((number) => webhook.count >= number) ?? 0
    const isNew = webhook.count <= mostInvalid && reached > webhook.warned
    return isNew ? [{ ...webhook, warned: reached }] : []
  })
  if (warned.length > 0) await tx.rows(keepWarnings(warned, nowMs))
  await notifyAdministrators(
    tx,
    [
      ...off.map((webhook) => ({ ...webhook, kind: 'webhook_disabled' as const })),
      ...warned.map((webhook) => ({ ...webhook, kind: 'webhook_failing' as const })),
    ].map(({ kind, account_id, id, destination, count }) => ({
      account_id,
      kind,
      values: { webhook_id: id, destination, invalid_answers: count },
    })),
    Math.floor(nowMs / 1000),
  )
  return off
}

function finishedOf(
  { account_id, webhook_id, id, attempts, replayed_after }: DueDelivery,
  { status, error, milliseconds }: Attempted,
  nowMs: number,
): FinishedAttempt {
  const number = attempts + 1
  const waitMs = waitAfter(number - (replayed_after ?? 0), status)
  return {
    account_id,
    webhook_id,
    delivery_id: id,
    number,
    status,
    error,
    milliseconds: Math.round(milliseconds),
    ended_at: nowMs,
    is_counted: replayed_after === null,
    due_at: waitMs === undefined ? null : nowMs + waitMs,
    state: isValid(status) ? 'delivered' : waitMs === undefined ? 'failed' : 'waiting',
  }
}

function outcomeOf({ status, isOurs }: Attempted): Outcome {
  if (isOurs) return 'own failure'
  if (status === 0) return 'none'
  return isValid(status) ? 'valid' : 'invalid'
}

const contentTypes = {
  form: 'application/x-www-form-urlencoded',
  json: 'application/json',
} as const

/** The headers of an attempt. */
export const headersOf = ({ id, format }: Pick<DueDelivery, 'id' | 'format'>) => ({
  'content-type': contentTypes[format],
  'user-agent': 'Kontor-Webhooks/1.0',
  'x-kontor-delivery': String(id),
})

const nameOf = (accountId: number, webhookId: number): string => `${accountId} ${webhookId}`
const shardOf = (webhookId: number): number => webhookId % shardCount
