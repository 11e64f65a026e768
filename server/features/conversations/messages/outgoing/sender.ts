// Sends the callbacks of chats, on the skeleton of senders (outgoing/sender.ts). One process at a time
// does; another takes over when it dies. Only the first callback of a chat is ever under way, those of
// other chats go out meanwhile, and a channel has a share of the attempts, so a slow one does not hold
// up the others.
//
// A look reads the queues of the chats only, channel by channel, so its work is bounded by what can go
// out now, however many callbacks wait. A callback that it takes is put off past the end of its
// attempt. So a process that takes over while the one before still runs does not send it a second
// time; where that process died, the callback goes out again, with the same id of its message.
import type { Logger } from 'pino'
import type { Signals } from '../../../../changes/signals.ts'
import type { Database } from '../../../../database/connect.ts'
import type { NotedChannelCall } from '../../../../access/call-log.ts'
import type { Actor } from '../../../../access/actor.ts'
import { serverItself } from '../../../../access/standing.ts'
import type { Attempted, DeliveryAttempts } from '../../../../outgoing/attempt.ts'
import { writtenByAdministrators } from '../../../../outgoing/door.ts'
import type { Door } from '../../../../outgoing/door.ts'
import { openSender } from '../../../../outgoing/sender.ts'
import type { Ended, Sender } from '../../../../outgoing/sender.ts'
import type { Secrets } from '../../../../secrets.ts'
import { findConnection, noteConnectionErrors, signed } from '../../channels/channels.ts'
import type { ChannelConnection } from '../../channels/channels.ts'
import { callbackBody } from './callbacks.ts'
import { settleCallbacks } from './delivery.ts'
import type { CallbackEnd } from './delivery.ts'
import { callbackFacts, lockQueues, putOff, takeCallbacks } from './queries.ts'
import type { CallbackRow, DueCallback } from './queries.ts'
import { notExpressible, notReachable, outcomeOf } from './schedule.ts'
import type { CallbackOutcome } from './schedule.ts'

/** The channel on which a process says that there are new callbacks. */
export const callbacksChannel = 'kontor_callbacks'

/** Attempts at once, and those to one channel among them. */
const [mostAtOnce, mostOfChannel] = [256, 16]
/** Ends that are kept together. */
const mostKept = 100
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

type TakenCallback = DueCallback & { message: CallbackRow | undefined }

/** How an attempt has ended; `broken`: the callback could not be read or made. */
type End = CallbackOutcome | { result: 'needless' } | { result: 'broken' }

export function openCallbackSender(
  circumstances: Circumstances,
): Pick<Sender<TakenCallback>, 'wake' | 'stop'> {
  const { database, signals, attempts, door, timeoutMs, secrets, log, nowMs, count, note } =
    circumstances
  /** The callbacks that this process has in hand, until their ends are kept. */
  const known = new Set<number>()
  /** Those of them that no attempt has begun for. */
  const taken: TakenCallback[] = []
  /** The connections that attempts have asked for since the last look. */
  const connections = new Map<string, Promise<ChannelConnection | undefined>>()
  const sender = openSender<TakenCallback, End>({
    database,
    signals,
    log,
    name: 'callbacks of chats',
    channel: callbacksChannel,
    spread: { count: 1, processesKey: 1_802_466_418, shardsKey: 1_802_466_419 },
    mostAtOnce,
    mostOfGroup: mostOfChannel,
    keeping: { collectMs: 0, most: mostKept, atOnce: 1 },
    engine: {
      groupOf: ({ channel_id }) => channel_id,
      look,
      send() {
        for (const callback of taken.splice(0)) sender.begin(callback)
      },
      attempt,
      keep,
      logged: ({ id }) => ({ callback: id }),
    },
  })

  /** Takes what is due, as far as there is room. A row that is locked at this moment waits for the next look. */
  async function look(): Promise<void> {
    const most = sender.room()
    if (most === 0) return
    const at = nowMs()
    const room = { most, mostOfChannel, underWay: sender.underWay, known }
    const statement = takeCallbacks(at, at + timeoutMs + spareMs, room)
    const { due, messages } = await database.transaction(async (tx) => {
      const due = await tx.rows<DueCallback>(statement)
      const messages = due.length > 0 ? await tx.rows<CallbackRow>(callbackFacts(due)) : []
      return { due, messages }
    })
    const byId = new Map(messages.map((message) => [message.message_id, message]))
    for (const callback of due) {
      known.add(callback.id)
      taken.push({ ...callback, message: byId.get(callback.message_id) })
    }
    connections.clear()
  }

  /** A callback that cannot be read or made holds up its own chat only. */
  async function attempt(callback: TakenCallback): Promise<End> {
    try {
      const outcome = await post(callback)
      if (outcome.result !== 'needless') count(outcome.result)
      return outcome
    } catch (error) {
      log.error({ err: error, callback: callback.id }, 'a callback of a chat waits')
      return { result: 'broken' }
    }
  }

  async function post(callback: TakenCallback): Promise<CallbackOutcome | { result: 'needless' }> {
    const { channel_id, attempts: before, message } = callback
    // The channel may have told of the message before its answer, and need no repeat.
    if (message?.status !== 'sending') return { result: 'needless' }
    const connection = await connectionOf(callback)
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

  function connectionOf({ account_id: accountId, channel_id }: DueCallback) {
    const name = `${accountId} ${channel_id}`
    const asked = connections.get(name) ?? findConnection(database, { accountId }, channel_id)
    connections.set(name, asked)
    return asked
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

  /** An end that is kept twice changes nothing the second time. */
  async function keep(ended: Ended<TakenCallback, End>[]): Promise<void> {
    for (const [accountId, its] of Map.groupBy(ended, ({ item }) => item.account_id))
      await keepOf(serverItself(accountId, Math.floor(nowMs() / 1000)), its)
    for (const { item } of ended) known.delete(item.id)
    sender.goOn()
  }

  async function keepOf(actor: Actor, ended: Ended<TakenCallback, End>[]): Promise<void> {
    const ends: { callback: DueCallback; end: CallbackEnd }[] = []
    const later: (DueCallback & { due_at: number })[] = []
    const errors = new Map<string, string>()
    for (const { item, end } of ended) {
      if (end.result === 'broken') later.push({ ...item, due_at: nowMs() + brokenMs })
      else if (end.result === 'own failure') {
        log.warn({ callback: item.id }, 'a callback failed on this machine')
        later.push({ ...item, due_at: nowMs() + ownMs })
      } else if (end.result === 'repeated') {
        later.push({ ...item, attempts: item.attempts + 1, due_at: nowMs() + end.waitMs })
        errors.set(item.channel_id, end.error)
      } else ends.push({ callback: item, end })
    }
    if (ends.length > 0)
      await database.transaction((tx) => settleCallbacks(tx, actor, ends, nowMs()))
    if (later.length === 0) return
    await database.transaction(async (tx) => {
      const chatIds = later.map(({ chat_id }) => chat_id)
      await tx.rows(lockQueues(actor.accountId, chatIds))
      await tx.rows(putOff(actor.accountId, later))
      await noteConnectionErrors(tx, actor, errors)
    })
  }

  return { wake: sender.wake, stop: sender.stop }
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
