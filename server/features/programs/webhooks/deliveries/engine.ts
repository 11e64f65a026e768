// Sends the deliveries of webhooks, in lanes, one for each subscription (lane.ts): a slow or dead
// receiver holds up its own lane only. Subscriptions are spread over shards by their ids. The rest is
// the skeleton of senders (outgoing/sender.ts).
//
// The follower of this process offers what it has just committed, so that nothing is read again. A
// lane takes it if it is whole: it knows all first attempts of its subscription that are due, and
// the ids of the offer are above all that it was given. Otherwise it reads them (decision 49).
import type { Logger } from 'pino'
import type { Signals } from '../../../../changes/signals.ts'
import type { Database, Tx } from '../../../../database/connect.ts'
import type { Attempted, DeliveryAttempts } from '../../../../outgoing/attempt.ts'
import { writtenByAdministrators } from '../../../../outgoing/door.ts'
import type { Door } from '../../../../outgoing/door.ts'
import { openSender } from '../../../../outgoing/sender.ts'
import type { Ended } from '../../../../outgoing/sender.ts'
import type { Secrets } from '../../../../secrets.ts'
import { notifyAdministrators } from '../../../activity/notifications/notifications.ts'
import { newLane, roomOfLane } from './lane.ts'
import type { Lane } from './lane.ts'
import type { Outcome } from './metrics.ts'
import {
  countInvalid,
  dueDeliveries,
  endDeliveriesOfDisabled,
  keepAttempts,
  keepWarnings,
  sendingSubscriptions,
  switchOff,
} from './queries.ts'
import type {
  DueDelivery,
  FinishedAttempt,
  InvalidCount,
  SendingSubscription,
  SigningSecrets,
} from './queries.ts'
import { isValid, mostInvalid, waitAfter, warnings } from './schedule.ts'
import { signatureHeaders } from './signature.ts'

/** The channel on which a process says that there are new deliveries. */
export const deliveriesChannel = 'kontor_deliveries'
/** The channel on which a process says that the secrets of a webhook have changed. */
export const signaturesChannel = 'kontor_signatures'

/** Attempts of one subscription at once. */
const mostOfLane = 8
/** Attempts of one process at once, and those of one account among them. */
const [maxConcurrent, mostOfAccount] = [512, 128]
/** Subscriptions are spread over so many shards. */
const shardCount = 16
/** Milliseconds between two looks for deliveries of subscriptions that are off. */
const sweepMs = 5000
/** Milliseconds after which a lane without deliveries goes. */
const idleMs = 60_000
/** Ended attempts that are kept by one statement. */
const mostKept = 1000
/** Milliseconds in which ended attempts collect, to be kept by one statement. */
const collectMs = 10
/** Milliseconds after a failure of this machine, doubled each time up to the last. */
const [ownMs, lastOwnMs] = [500, 30_000]
/** A timeout that is blamed on this machine so often is the receiver's. */
const mostOwnTimeouts = 3

/** The outcome of an attempt that this machine could not begin. */
const ownFailure: Attempted = {
  status: 0,
  error: 'local',
  milliseconds: 0,
  isOurs: true,
  isSent: false,
}

interface Circumstances {
  database: Database
  signals: Signals
  attempts: DeliveryAttempts
  door: Door
  secrets: Pick<Secrets, 'decrypt'>
  log: Pick<Logger, 'error' | 'warn'>
  /** Milliseconds since 1970. */
  nowMs(): number
  /** Counts an attempt. */
  count(outcome: Outcome): void
}

interface Open {
  /** As the last look found it: attempts that follow sign with its secrets of now. */
  subscription: SendingSubscription
  lane: Lane
  /** Secrets as texts, by their encrypted forms: to decrypt costs as much as to sign. */
  unsealed: Map<string, string>
  /** Whether the lane knows all first attempts that are due. */
  isWhole: boolean
  /** Whether deliveries may have been written since the last read of the lane began. */
  isBehind: boolean
  /** When it last had deliveries (performance.now). */
  usedAt: number
}

/** A delivery in its lane. */
interface Sent {
  open: Open
  delivery: DueDelivery
}

export interface DeliverySender {
  /** Looks at what is due now. */
  wake(): void
  /**
   * Takes deliveries that this process has just written, in the order of their ids. Answers whether
   * all are for this process.
   */
  offer(deliveries: DueDelivery[]): boolean
  /** Reads again what is due: other processes may have written without its knowledge. */
  doubt(): void
  /** Lets the attempts under way end, and keeps them. */
  stop(): Promise<void>
}

export function openDeliverySender(circumstances: Circumstances): DeliverySender {
  const { database, signals, attempts, door, secrets, log, nowMs, count } = circumstances
  const lanes = new Map<string, Open>()
  /** Failures of this machine by delivery. */
  const ownFailures = new Map<DueDelivery, number>()
  let turn = 0
  let sweptAt = 0
  /** Changes of secrets that were heard of, and those of them that the lanes know. */
  const changes = { heard: 0, known: 0 }
  const sender = openSender<Sent, FinishedAttempt>({
    database,
    signals,
    log,
    name: 'webhooks',
    channel: deliveriesChannel,
    spread: { count: shardCount, processesKey: 1_802_466_416, shardsKey: 1_802_466_417 },
    maxConcurrent,
    mostOfGroup: mostOfAccount,
    keeping: { collectMs, most: mostKept },
    engine: {
      groupOf: ({ delivery }) => String(delivery.account_id),
      async look(isTime) {
        if (isTime) await openLanes()
        await fill()
      },
      send: (ended) => (ended ? send(ended.open) : sendAll()),
      attempt,
      keep,
      refused({ open, delivery }) {
        open.lane.refuse(delivery.id)
        if (!open.isWhole && hasRoom(open)) sender.goOn()
      },
      upkeep: sweep,
      release,
      lost: () => lanes.clear(),
      logged: ({ delivery }) => ({ delivery: delivery.id }),
    },
  })

  /**
   * Opens a lane for each subscription that has something to send. The lane of a subscription that
   * was removed or switched off goes, with what waits in it.
   */
  async function openLanes(): Promise<void> {
    const { heard } = changes
    const open = [...lanes.values()].map(({ subscription }) => subscription)
    const requested = open.map(({ account_id, id }) => ({ account_id, id }))
    const statement = sendingSubscriptions(sender.held(), shardCount, requested, nowMs())
    const sending = await database.rows<SendingSubscription>(statement)
    const now = performance.now()
    const names = new Set<string>()
    for (const subscription of sending) {
      const name = nameOf(subscription.account_id, subscription.id)
      const known = lanes.get(name)
      if (!isOurs(subscription.id) || (known && isIdle(known, subscription, now))) continue
      names.add(name)
      if (!known) lanes.set(name, newOpen(subscription, now))
      else {
        known.subscription = subscription
        if (subscription.is_due) known.isWhole = false
      }
    }
    for (const name of lanes.keys()) if (!names.has(name)) lanes.delete(name)
    changes.known = heard
  }

  /** Reads the deliveries that lanes lack that are not whole. */
  async function fill(): Promise<void> {
    const lacking = [...lanes.values()].filter((open) => !open.isWhole && hasRoom(open))
    if (lacking.length === 0) return
    const requested = lacking.map((open) => {
      const { subscription, lane } = open
      const { account_id, id: webhook_id } = subscription
      open.isBehind = false
      return { account_id, webhook_id, known: [...lane.known], room: lane.room() }
    })
    const found = await database.rows<DueDelivery>(dueDeliveries(requested, nowMs()))
    const byLane = Map.groupBy(found, (each) => nameOf(each.account_id, each.webhook_id))
    for (const [index, open] of lacking.entries()) {
      const { account_id, id } = open.subscription
      const name = nameOf(account_id, id)
      if (lanes.get(name) !== open) continue
      const deliveries = byLane.get(name) ?? []
      open.lane.add(deliveries)
      if (deliveries.length > 0) open.usedAt = performance.now()
      open.isWhole = deliveries.length < requested[index]!.room && !open.isBehind
    }
  }

  function offer(deliveries: DueDelivery[]): boolean {
    const byLane = Map.groupBy(deliveries, (each) => nameOf(each.account_id, each.webhook_id))
    let isForUs = true
    for (const [name, its] of byLane) {
      const open = lanes.get(name)
      if (!isOurs(its[0]!.webhook_id)) isForUs = false
      else if (!open) sender.wake()
      else if (open.isWhole && isNext(open, its)) {
        open.lane.add(its)
        open.usedAt = performance.now()
        send(open)
      } else {
        open.isWhole = false
        open.isBehind = true
        if (hasRoom(open)) sender.goOn()
      }
    }
    return isForUs
  }

  function doubt(): void {
    for (const open of lanes.values()) Object.assign(open, { isWhole: false, isBehind: true })
    sender.goOn()
  }

  const isOurs = (webhookId: number) => sender.held().includes(shardOf(webhookId))

  /** Each walk begins with another lane, so that no lane waits for the slots of those before it. */
  function sendAll(): void {
    const all = [...lanes.values()]
    turn++
    for (const index of all.keys()) send(all[(turn + index) % all.length]!)
  }

  function send(open: Open): void {
    const { lane } = open
    const { account_id, id } = open.subscription
    // Nothing leaves unsigned that is to be signed: the next look knows the secrets, and sends.
    if (changes.known < changes.heard) return
    // A lane that has gone ends with its attempts under way.
    if (sender.isStopped() || !isOurs(id) || lanes.get(nameOf(account_id, id)) !== open) return
    const room = Math.min(mostOfLane - lane.underWay(), sender.room(String(account_id)))
    for (const delivery of lane.take(room)) sender.begin({ open, delivery })
  }

  async function attempt({ open, delivery }: Sent): Promise<FinishedAttempt | undefined> {
    const answer = await post(open, delivery)
    count(outcomeOf(answer))
    const failures = (ownFailures.get(delivery) ?? 0) + 1
    if (answer.isOurs && !(answer.error === 'timeout' && failures > mostOwnTimeouts)) {
      void postpone(open, delivery, failures, answer)
      return undefined
    }
    ownFailures.delete(delivery)
    open.lane.end(delivery)
    return finishedOf(delivery, answer, nowMs())
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
      return ownFailure
    }
    try {
      const permit = await door.permit(writtenByAdministrators(delivery.account_id))
      return await attempts.attempt(subscription.destination, permit, headers, delivery.body)
    } catch (error) {
      if (!ownFailures.has(delivery))
        log.error({ err: error, webhook: subscription.id }, 'a delivery waits for the database')
      return ownFailure
    }
  }

  function secretsOf({ subscription, unsealed }: Open): string[] {
    return secretsInForce(subscription, nowMs()).map((sealed) => {
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
    await sender.pause(Math.min(ownMs * 2 ** (failures - 1), lastOwnMs))
    open.lane.again(delivery)
    if (lanes.get(nameOf(delivery.account_id, delivery.webhook_id)) === open) send(open)
    else ownFailures.delete(delivery)
  }

  /**
   * A commit that a crash of the database undoes leaves deliveries due, and their attempts are repeated
   * under the same numbers.
   */
  async function keep(ended: Ended<Sent, FinishedAttempt>[]): Promise<Sent[]> {
    const finished = ended.map(({ end }) => end)
    const work = (tx: Tx) => keepBatch(tx, signals, finished, nowMs())
    const off = await database.transaction(work, { isDurable: false })
    for (const { account_id, id } of off) lanes.delete(nameOf(account_id, id))
    if (off.length > 0) {
      sweptAt = 0
      sender.goOn()
    }
    for (const { item, end } of ended) {
      item.open.lane.forget(end.delivery_id)
      if (!item.open.isWhole && hasRoom(item.open)) sender.goOn()
    }
    return []
  }

  /** Ends or holds what is due for subscriptions that are off, also what a follower added meanwhile. */
  async function sweep(): Promise<void> {
    if (performance.now() - sweptAt <= sweepMs) return
    sweptAt = performance.now()
    const statement = endDeliveriesOfDisabled(sender.held(), shardCount)
    const work = (tx: Tx) => tx.rows(statement)
    while ((await database.transaction(work, { isDurable: false })).length > 0);
  }

  /** Another process will send for this shard: first its attempts under way end, and are kept. */
  async function release(shard: number): Promise<void> {
    const its = [...lanes].filter(([, { subscription }]) => shardOf(subscription.id) === shard)
    for (const [name] of its) lanes.delete(name)
    const isLeft = () => its.some(([, { lane }]) => lane.unkept() > 0)
    while (!sender.isStopped() && isLeft()) await sender.pause(20)
  }

  const unsubscribe = signals.on(signaturesChannel, () => {
    changes.heard++
    sender.wake()
  })

  return {
    wake: sender.wake,
    offer,
    doubt,
    async stop() {
      unsubscribe()
      await sender.stop()
    },
  }
}

const newOpen = (subscription: SendingSubscription, now: number): Open => ({
  subscription,
  lane: newLane(),
  unsealed: new Map(),
  isWhole: false,
  isBehind: false,
  usedAt: now,
})

/** A lane is read for half its room at least. */
const hasRoom = ({ lane }: Open) => lane.room() >= roomOfLane / 2

/**
 * Whether a lane may take an offer. A commit can be read before its offer comes: what was read then
 * may be known, or sent and forgotten. A lower id that was never read was drawn before a replay's.
 */
const isNext = ({ lane }: Open, offered: DueDelivery[]) =>
  offered[0]!.id > lane.highest() && offered.length <= lane.room()

const isIdle = ({ lane, usedAt }: Open, { is_due }: SendingSubscription, now: number) =>
  !is_due && lane.known.size === 0 && now - usedAt > idleMs

/** Keeps attempts, and answers the subscriptions that their answers have switched off. */
async function keepBatch(
  tx: Tx,
  signals: Signals,
  batch: FinishedAttempt[],
  nowMs: number,
): Promise<{ account_id: number; id: number }[]> {
  await tx.rows(keepAttempts(batch))
  // A subscription is switched off by its latest answer only; replays do not count.
  const latest = new Map(
    batch
      .filter(({ is_counted }) => is_counted)
      .map((attempt) => [nameOf(attempt.account_id, attempt.webhook_id), attempt]),
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
    signals,
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
  { status, error, milliseconds, answer }: Attempted,
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
    answer: answer ?? null,
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

/** The encrypted secrets that sign at `nowMs`, the newest first. */
export const secretsInForce = ({ sealed_secrets }: SigningSecrets, nowMs: number): string[] =>
  sealed_secrets.flatMap(({ sealed, ends_at }) =>
    ends_at === null || ends_at > nowMs / 1000 ? sealed : [],
  )

/** A secret as text. Throws if it was encrypted with another key. */
export const unseal = (secrets: Pick<Secrets, 'decrypt'>, sealed: string): string =>
  secrets.decrypt(Buffer.from(sealed, 'base64'))

const nameOf = (accountId: number, webhookId: number): string => `${accountId} ${webhookId}`
const shardOf = (webhookId: number): number => webhookId % shardCount
