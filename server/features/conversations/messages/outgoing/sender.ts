// Sends the callbacks of chats. One process at a time does, by an advisory lock; another takes over
// when it dies. Only the first callback of a chat is ever under way, those of other chats go out
// meanwhile, and a channel has a share of the attempts, so a slow one does not hold up the others.
//
// A look reads the queues of the chats only, channel by channel, so its work is bounded by what can go
// out now, however many callbacks wait. A callback that it takes is put off past the end of its
// attempt. So a process that takes over while the one before still runs does not send it a second
// time; where that process died, the callback goes out again, with the same id of its message.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { newLatch } from '../../../../changes/latch.ts'
import { openLock } from '../../../../changes/lock.ts'
import type { Signals } from '../../../../changes/signals.ts'
import type { Database } from '../../../../database/connect.ts'
import type { NotedChannelCall } from '../../../../access/call-log.ts'
import { serverItself } from '../../../../access/standing.ts'
import type { Attempted, DeliveryAttempts } from '../../../../outgoing/attempt.ts'
import type { Secrets } from '../../../../secrets.ts'
import { findConnection, noteConnectionError, signed } from '../../channels/channels.ts'
import { callbackBody } from './callbacks.ts'
import { settleCallback } from './delivery.ts'
import type { CallbackEnd } from './delivery.ts'
import { callbackFacts, putOff, takeCallbacks } from './queries.ts'
import type { CallbackRow, DueCallback } from './queries.ts'
import { notExpressible, notReachable, outcomeOf } from './schedule.ts'
import type { CallbackOutcome } from './schedule.ts'
import { writtenByAdministrators } from '../../../../outgoing/door.ts'
import type { Door } from '../../../../outgoing/door.ts'

/** The channel on which a process says that there are new callbacks. */
export const callbacksChannel = 'kontor_callbacks'

/** Attempts at once, and those to one channel among them. */
const [mostAtOnce, mostOfChannel] = [256, 16]
/** Milliseconds between two looks at what is due without a signal, and after a failure of the database. */
const [pollMs, retryMs] = [1000, 500]
/** Milliseconds that an attempt may take beside its own time: to be read, made and kept. */
const spareMs = 5000
/** Milliseconds after a failure of this machine, and of one that concerns a single callback. */
const [ownMs, brokenMs] = [5000, 30_000]

interface Circumstances {
  database: Database
  signals: Signals
  attempts: DeliveryAttempts
  door: Door
  /** Milliseconds of an attempt. */
  timeoutMs: number
  secrets: Secrets
  log: Pick<Logger, 'error' | 'warn'>
  /** Milliseconds since 1970. */
  nowMs(): number
  /** Counts an attempt. */
  count(result: CallbackOutcome['result']): void
  /** Notes an attempt for the administrators of the channel. */
  note(call: NotedChannelCall): void
}

export interface CallbackSender {
  /** Looks at what is due now. */
  wake(): void
  /** Lets the attempts under way end, and keeps them. */
  stop(): Promise<void>
}

export function openCallbackSender(circumstances: Circumstances): CallbackSender {
  const { database, signals, attempts, door, timeoutMs, secrets, log, nowMs, count, note } =
    circumstances
  const latch = newLatch()
  const stop = new AbortController()
  /** The callbacks that this process has in hand, until their ends are kept. */
  const known = new Set<number>()
  const underWay = new Map<string, number>()
  let total = 0
  const unsubscribe = signals.on(callbacksChannel, latch.open)
  const ended = run()

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        await hold()
      } catch (error) {
        log.error({ err: error }, 'callbacks of chats wait for the database')
        await pause(retryMs)
      }
    }
  }

  /** Ends when stopped, and when the lock is lost. Attempts under way end before others may send. */
  async function hold(): Promise<void> {
    const lock = await openLock(database, 'kontor callbacks of chats', latch.open)
    try {
      while (!stop.signal.aborted && !(await lock.take())) await pause(pollMs)
      while (!stop.signal.aborted && !lock.lost()) {
        await look()
        await latch.opened(pollMs)
      }
      while (known.size > 0 && !lock.lost()) await sleep(10)
    } finally {
      await lock.end().catch(() => undefined)
    }
  }

  /** Sends what is due, as far as there is room. A row that is locked at this moment waits for the next look. */
  async function look(): Promise<void> {
    const most = mostAtOnce - total
    if (most === 0) return
    const at = nowMs()
    const room = { most, mostOfChannel, underWay, known: known }
    const statement = takeCallbacks(at, at + timeoutMs + spareMs, room)
    const taken = await database.transaction((tx) => tx.rows<DueCallback>(statement))
    for (const callback of taken) {
      enter(callback)
      void send(callback)
    }
  }

  function enter({ id, channel_id }: DueCallback): void {
    known.add(id)
    underWay.set(channel_id, (underWay.get(channel_id) ?? 0) + 1)
    total++
  }

  /** Gives its room to others. */
  function leave({ channel_id }: DueCallback): void {
    const left = underWay.get(channel_id)! - 1
    if (left === 0) underWay.delete(channel_id)
    else underWay.set(channel_id, left)
    total--
  }

  /** Never throws. A callback that cannot be read, made or kept holds up its own chat only. */
  async function send(callback: DueCallback): Promise<void> {
    try {
      const outcome = await attempt(callback)
      if (outcome.result !== 'needless') count(outcome.result)
      await keep(callback, outcome)
    } catch (error) {
      log.error({ err: error, callback: callback.id }, 'a callback of a chat waits')
      await delay(callback, brokenMs).catch(() => undefined)
      leave(callback)
    }
    known.delete(callback.id)
    latch.open()
  }

  async function attempt(callback: DueCallback): Promise<CallbackOutcome | { result: 'needless' }> {
    const { account_id: accountId, channel_id, attempts: before } = callback
    const message = await database.row<CallbackRow>(callbackFacts(callback))
    // The channel may have told of the message before its answer, and need no repeat.
    if (message?.status !== 'sending') return { result: 'needless' }
    const connection = await findConnection(database, { accountId }, channel_id)
    if (!connection) return failed(notReachable, 'The account is not connected to the channel')
    const { hook, hook_api_version: version } = connection
    if (hook === null)
      return failed(notReachable, `The channel has no address for callbacks of version ${version}`)
    const body = callbackBody(connection, message, Math.floor(nowMs() / 1000))
    if (body === undefined)
      return failed(notExpressible, 'Callbacks of version 1 cannot begin a conversation')
    const headers = headersOf(connection, body)
    if (!headers) return { result: 'own failure' }
    const permit = await door.permit(writtenByAdministrators(connection.ownerId))
    const answer = await attempts.attempt(hook, permit, headers, body)
    note(callOf(channel_id, hook, answer, nowMs()))
    return outcomeOf(answer, before + 1, { timeoutMs, nowMs: nowMs() })
  }

  /** Nothing leaves unsigned: a secret that cannot be read is a failure of this machine. */
  function headersOf(connection: Parameters<typeof signed>[1], body: string) {
    try {
      return { ...signed(secrets, connection, body), 'user-agent': 'Kontor-Chats/1.0' }
    } catch (error) {
      log.error({ err: error }, 'the secret of a channel cannot be read')
      return undefined
    }
  }

  /**
   * Keeps the end of an attempt, however long the database is away or refuses it: until then it does
   * not go out again. Never throws, and leaves the room that it took.
   */
  async function keep(
    callback: DueCallback,
    outcome: CallbackOutcome | { result: 'needless' },
  ): Promise<void> {
    for (let waitMs = 0; ; waitMs = Math.min(2 * waitMs || retryMs, brokenMs)) {
      await pause(waitMs)
      try {
        await keepOnce(callback, outcome)
        return waitMs === 0 ? leave(callback) : undefined
      } catch (error) {
        log.error({ err: error, callback: callback.id }, 'the end of a callback is not kept yet')
        if (waitMs === 0) leave(callback)
        // The callback stays due, and goes out again with the same id of its message.
        if (stop.signal.aborted) return
      }
    }
  }

  async function keepOnce(
    callback: DueCallback,
    outcome: CallbackOutcome | { result: 'needless' },
  ): Promise<void> {
    const actor = serverItself(callback.account_id, Math.floor(nowMs() / 1000))
    if (outcome.result === 'own failure') {
      log.warn({ callback: callback.id }, 'a callback failed on this machine')
      return delay(callback, ownMs)
    }
    if (outcome.result !== 'repeated')
      return database.transaction((tx) => settleCallback(tx, actor, callback, outcome, nowMs()))
    const { waitMs, error } = outcome
    return database.transaction(async (tx) => {
      const attempts = callback.attempts + 1
      await tx.rows(putOff({ ...callback, attempts }, nowMs() + waitMs))
      await noteConnectionError(tx, actor, callback.channel_id, error)
    })
  }

  async function delay(callback: DueCallback, ms: number): Promise<void> {
    await database.transaction((tx) => tx.rows(putOff(callback, nowMs() + ms)))
  }

  async function pause(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: stop.signal }).catch(() => undefined)
  }

  return {
    wake: latch.open,
    async stop() {
      stop.abort()
      unsubscribe()
      latch.open()
      await ended
      while (known.size > 0) await sleep(10)
    },
  }
}

/** The query of an address may hold a secret of the program. */
const callOf = (
  channel_id: string,
  hook: string,
  { status, error, milliseconds }: Attempted,
  nowMs: number,
): NotedChannelCall => ({
  channel_id,
  is_incoming: false,
  method: 'POST',
  path: hook.split('?', 1)[0]!,
  status,
  fault: error,
  milliseconds,
  called_at: nowMs - milliseconds,
})

const failed = (error_code: number, error: string): CallbackEnd => ({
  result: 'failed',
  error_code,
  error,
})
