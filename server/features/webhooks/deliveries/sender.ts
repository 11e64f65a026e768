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
import type { Secrets } from '../../../secrets.ts'
import { notifyAdministrators } from '../../notifications/notifications.ts'
import { newLane } from './lane.ts'
import type { Lane } from './lane.ts'
import type { Outcome } from './metrics.ts'
import {
  countInvalid,
  dueDeliveries,
  dueSubscriptions,
  endDeliveriesOfDisabled,
  keepAttempts,
  keepWarnings,
  switchOff,
} from './queries.ts'
import type { DueDelivery, DueSubscription, FinishedAttempt, InvalidCount } from './queries.ts'
import { isValid, mostInvalid, waitAfter, warnings } from './schedule.ts'
import { openShards, shardCount } from './shards.ts'
import { signatureHeaders } from './signature.ts'

/** The channel on which a process says that there are new deliveries. */
export const deliveriesChannel = 'kontor_deliveries'

/** Attempts of one subscription at once, and the deliveries that a lane holds. */
const [mostOfLane, roomOfLane] = [8, 64]
/** Attempts of one process at once, and those of one account among them. */
const [mostAtOnce, mostOfAccount] = [512, 128]
/** Milliseconds between two looks at what is due without a signal, and the least between two looks. */
const [pollMs, restMs] = [1000, 5]
/** Milliseconds between two looks for deliveries of subscriptions that are off. */
const sweepMs = 5000
/** Milliseconds in which ended attempts collect, to be kept by one statement. */
const collectMs = 5
/** Milliseconds after a failure of this machine, doubled each time up to the last. */
const [retryMs, lastRetryMs] = [500, 30_000]
/** A timeout that is blamed on this machine so often is the receiver's. */
const mostOwnTimeouts = 3

interface Circumstances {
  database: Database
  signals: Signals
  attempts: DeliveryAttempts
  secrets: Pick<Secrets, 'decrypt'>
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

interface Open {
  /** As the last look found it: attempts that follow sign with its secrets of now. */
  subscription: DueSubscription
  lane: Lane
  /** Secrets as texts, by their encrypted forms: to decrypt costs as much as to sign. */
  unsealed: Map<string, string>
}

export interface Sender {
  /** Looks at what is due now. */
  wake(): void
  /** Lets the attempts under way end, and keeps them. */
  stop(): Promise<void>
}

export function openSender(circumstances: Circumstances): Sender {
  const { database, signals, attempts, secrets, log, nowMs, count } = circumstances
  const lanes = new Map<string, Open>()
  const latch = newLatch()
  const stop = new AbortController()
  const underWay = new Set<DueDelivery>()
  const ofAccounts = new Map<number, number>()
  /** Failures of this machine by delivery. */
  const ownFailures = new Map<DueDelivery, number>()
  let turn = 0
  let sweptAt = 0
  let finished: Finished[] = []
  let keeping: Promise<void> | undefined
  const unsubscribe = signals.on(deliveriesChannel, latch.open)
  const shards = openShards(database, log, latch.open, leave)
  const ended = run()

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        await fill()
        sendAll()
        if (performance.now() - sweptAt > sweepMs) await sweep()
        await latch.opened(pollMs)
        await pause(restMs)
      } catch (error) {
        log.error({ err: error }, 'webhooks wait for the database')
        await pause(retryMs)
      }
    }
  }

  /**
   * Reads the deliveries that lanes with room lack. The lane of a subscription without anything due
   * goes, and so does that of one that was removed or switched off, with what waits in it.
   */
  async function fill(): Promise<void> {
    const held = shards.held()
    const now = nowMs()
    const due =
      held.length === 0
        ? []
        : await database.rows<DueSubscription>(dueSubscriptions(held, shardCount, now))
    const names = new Set(due.map(({ account_id, id }) => nameOf(account_id, id)))
    for (const name of lanes.keys()) if (!names.has(name)) lanes.delete(name)
    const lacking = due.flatMap((subscription) => {
      const { account_id, id } = subscription
      const name = nameOf(account_id, id)
      const open = lanes.get(name) ?? { subscription, lane: newLane(), unsealed: new Map() }
      const { lane } = open
      open.subscription = subscription
      lanes.set(name, open)
      const room = roomOfLane - lane.known.size
      const isLacking = room >= roomOfLane / 2
      return isLacking ? [{ account_id, webhook_id: id, known: [...lane.known], room }] : []
    })
    if (lacking.length === 0) return
    const found = await database.rows<DueDelivery>(dueDeliveries(lacking, now))
    const byLane = Map.groupBy(found, (each) => nameOf(each.account_id, each.webhook_id))
    for (const [name, deliveries] of byLane) lanes.get(name)?.lane.add(deliveries)
  }

  /** Each walk begins with another lane, so that no lane waits for the slots of those before it. */
  function sendAll(): void {
    const all = [...lanes.values()]
    turn++
    for (const place of all.keys()) send(all[(turn + place) % all.length]!)
  }

  function send(open: Open): void {
    const { lane } = open
    const { account_id, id } = open.subscription
    if (stop.signal.aborted || !shards.held().includes(shardOf(id))) return
    const room = Math.min(
      mostOfLane - lane.underWay(),
      mostAtOnce - underWay.size,
      mostOfAccount - (ofAccounts.get(account_id) ?? 0),
    )
    for (const delivery of lane.take(room)) void attempt(open, delivery)
  }

  /** Never throws. */
  async function attempt(open: Open, delivery: DueDelivery): Promise<void> {
    const { lane } = open
    const { account_id } = delivery
    underWay.add(delivery)
    ofAccounts.set(account_id, (ofAccounts.get(account_id) ?? 0) + 1)
    const answer = await post(open, delivery)
    const wasFull = underWay.size >= mostAtOnce || ofAccounts.get(account_id)! >= mostOfAccount
    underWay.delete(delivery)
    const left = ofAccounts.get(account_id)! - 1
    if (left === 0) ofAccounts.delete(account_id)
    else ofAccounts.set(account_id, left)
    count(outcomeOf(answer))
    const failures = (ownFailures.get(delivery) ?? 0) + 1
    if (answer.isOurs && !(answer.error === 'timeout' && failures > mostOwnTimeouts))
      void postpone(open, delivery, failures, answer)
    else {
      ownFailures.delete(delivery)
      lane.end(delivery)
      finished.push({ attempt: finishedOf(delivery, answer, nowMs()), lane })
      keeping ??= keep()
    }
    if (wasFull) sendAll()
    else send(open)
  }

  /** Nothing leaves unsigned that is to be signed: a secret that cannot be read is our failure. */
  async function post(open: Open, delivery: DueDelivery): Promise<Attempted> {
    const { subscription } = open
    let headers: Record<string, string>
    try {
      headers = headersOf(secretsOf(open), delivery, nowMs())
    } catch (error) {
      if (!ownFailures.has(delivery))
        log.error({ err: error, webhook: subscription.id }, 'a secret of a webhook cannot be read')
      return { status: 0, error: 'local', milliseconds: 0, isOurs: true }
    }
    return attempts.attempt(subscription.destination, headers, delivery.body)
  }

  function secretsOf({ subscription, unsealed }: Open): string[] {
    return subscription.sealed_secrets.map((sealed) => {
      const text = unsealed.get(sealed) ?? unseal(secrets, sealed)
      unsealed.set(sealed, text)
      return text
    })
  }

  /** A failure of this machine is no answer. The records of the delivery wait meanwhile. */
  async function postpone(
    open: Open,
    delivery: DueDelivery,
    failures: number,
    { error }: Attempted,
  ): Promise<void> {
    ownFailures.set(delivery, failures)
    if (failures === 1)
      log.warn({ delivery: delivery.id, error }, 'an attempt to deliver failed on this machine')
    await pause(Math.min(retryMs * 2 ** (failures - 1), lastRetryMs))
    open.lane.again(delivery)
    if (lanes.get(nameOf(delivery.account_id, delivery.webhook_id))?.lane === open.lane) send(open)
    else ownFailures.delete(delivery)
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
        if (off.length > 0) sweptAt = 0
        for (const { attempt, lane } of batch) lane.forget(attempt.delivery_id)
        latch.open()
      } catch (error) {
        finished = [...batch, ...finished]
        log.error({ err: error }, 'the ends of attempts wait for the database')
        // The deliveries stay due, and their attempts are repeated under the same numbers.
        if (stop.signal.aborted) break
        await pause(retryMs)
      }
    }
    keeping = undefined
  }

  /** Ends or holds what is due for subscriptions that are off, also what a follower added meanwhile. */
  async function sweep(): Promise<void> {
    sweptAt = performance.now()
    const held = shards.held()
    if (held.length === 0) return
    const statement = endDeliveriesOfDisabled(held, shardCount)
    while ((await database.transaction((tx) => tx.rows(statement))).length > 0);
  }

  /** Another process will send for this shard: first its attempts under way end, and are kept. */
  async function leave(shard: number): Promise<void> {
    const its = [...lanes].filter(([, { subscription }]) => shardOf(subscription.id) === shard)
    for (const [name] of its) lanes.delete(name)
    while (!stop.signal.aborted && its.some(([, { lane }]) => lane.unkept() > 0)) await sleep(20)
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
  // A subscription is switched off by its latest answer only; replays do not count.
  const latest = new Map(
    batch
      .filter(({ attempt }) => attempt.is_counted)
      .map(({ attempt }) => [nameOf(attempt.account_id, attempt.webhook_id), attempt]),
  )
  const failing = [...latest.values()]
    .filter(({ status }) => !isValid(status))
    .map(({ account_id, webhook_id: id }) => ({ account_id, id }))
  if (failing.length === 0) return []
  const counted = await tx.rows<InvalidCount>(countInvalid(failing, nowMs))
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

/** The headers of an attempt at `nowMs`, signed with each of these secrets. */
export const headersOf = (
  secrets: readonly string[],
  { id, format, body }: Pick<DueDelivery, 'id' | 'format' | 'body'>,
  nowMs: number,
): Record<string, string> => ({
  'content-type': contentTypes[format],
  'user-agent': 'Kontor-Webhooks/1.0',
  'x-kontor-delivery': String(id),
  ...signatureHeaders(secrets, { id: String(id), at: Math.floor(nowMs / 1000), body }),
})

/** A secret as text. Throws if it was encrypted with another key. */
export const unseal = (secrets: Pick<Secrets, 'decrypt'>, sealed: string): string =>
  secrets.decrypt(Buffer.from(sealed, 'base64'))

const nameOf = (accountId: number, webhookId: number): string => `${accountId} ${webhookId}`
const shardOf = (webhookId: number): number => webhookId % shardCount
