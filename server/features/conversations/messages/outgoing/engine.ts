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
import { serverItself } from '../../../../access/user-access.ts'
import type { Attempted, DeliveryAttempts } from '../../../../outgoing/attempt.ts'
import { writtenByAdministrators } from '../../../../outgoing/door.ts'
import type { Door } from '../../../../outgoing/door.ts'
import { isAway, openSender } from '../../../../outgoing/sender.ts'
import type { Ended, Sender } from '../../../../outgoing/sender.ts'
import type { Secrets } from '../../../../secrets.ts'
import { findConnection, signed } from '../../channels/channels.ts'
import type { ChannelConnection } from '../../channels/channels.ts'
import { callbackBody } from './callbacks.ts'
import { recordEnds } from './delivery.ts'
import type { CallbackEnd } from './delivery.ts'
import { callbackFacts, takeCallbacks } from './queries.ts'
import type { CallbackRow, DueCallback } from './queries.ts'
import { notExpressible, notReachable, outcomeOf } from './schedule.ts'
import type { CallbackOutcome } from './schedule.ts'

/** The channel on which a process says that there are new callbacks. */
export const callbacksChannel = 'kontor_callbacks'

/** Attempts at once, and those to one channel among them. */
const [maxConcurrent, mostOfChannel] = [256, 16]
/** Ends that are kept together, and accounts whose ends are kept at once: each takes a connection. */
const [mostKept, mostAccounts] = [100, 2]
/** Callbacks in hand, of which those whose ends cannot be kept are bounded by nothing else. */
const mostKnown = 10_000
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

/** `message`: null where there is none any more, undefined where it has not been read. */
type TakenCallback = DueCallback & { message: CallbackRow | null | undefined }

/** How an attempt has ended; `broken`: the callback could not be read or made. */
type End = CallbackOutcome | { result: 'needless' } | { result: 'broken' }

export function openCallbackSender(
  circumstances: Circumstances,
): Pick<Sender<TakenCallback>, 'wake' | 'stop'> {
  const { database, signals, attempts, door, timeoutMs, secrets, log, nowMs, count, note } =
    circumstances
  /** The callbacks that this process has in hand, by their ids, until their ends are kept. */
  const known = new Map<number, TakenCallback>()
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
    maxConcurrent,
    mostOfGroup: mostOfChannel,
    keeping: { collectMs: 0, most: mostKept },
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
    const most = Math.min(sender.room(), mostKnown - known.size)
    if (most <= 0) return
    const at = nowMs()
    const room = { most, mostOfChannel, underWay: sender.underWay, known: known.keys() }
    const statement = takeCallbacks(at, at + timeoutMs + spareMs, room)
    const due = await database.transaction((tx) => tx.rows<DueCallback>(statement))
    const messages = due.length > 0 ? await messagesOf(due) : undefined
    for (const callback of due) {
      const message = messages && (messages.get(callback.message_id) ?? null)
      const each = { ...callback, message }
      known.set(callback.id, each)
      taken.push(each)
    }
    connections.clear()
  }

  /** Messages by their ids. Where one of them cannot be read, each attempt reads its own. */
  async function messagesOf(due: DueCallback[]): Promise<Map<number, CallbackRow> | undefined> {
    try {
      const found = await database.rows<CallbackRow>(callbackFacts(due))
      return new Map(found.map((message) => [message.message_id, message]))
    } catch (error) {
      // Without the database the callbacks stay put off past their attempts, as if the process had died.
      if (isAway(error)) throw error
      return undefined
    }
  }

  /** A callback that cannot be read or made holds up its own chat only. */
  async function attempt(callback: TakenCallback): Promise<End> {
    try {
      const outcome = await post(callback)
      if (outcome.result !== 'needless') count(outcome.result)
      if (outcome.result === 'own failure')
        log.warn({ callback: callback.id }, 'a callback failed on this machine')
      return outcome
    } catch (error) {
      log.error({ err: error, callback: callback.id }, 'a callback of a chat waits')
      return { result: 'broken' }
    }
  }

  async function post(callback: TakenCallback): Promise<CallbackOutcome | { result: 'needless' }> {
    const { channel_id, attempts: before } = callback
    const message =
      callback.message === undefined
        ? await database.row<CallbackRow>(callbackFacts([callback]))
        : callback.message
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
    const known = connections.get(name)
    if (known) return known
    const found = findConnection(database, { accountId }, channel_id)
    connections.set(name, found)
    found.catch(() => connections.delete(name))
    return found
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

  /** Ends of an account that are kept already are passed over where those of another have failed. */
  async function keep(ended: Ended<TakenCallback, End>[]): Promise<TakenCallback[]> {
    const left = ended.filter(({ item }) => known.get(item.id) === item)
    const accounts = [...Map.groupBy(left, ({ item }) => item.account_id).values()]
    const held: TakenCallback[] = []
    const errors: unknown[] = []
    const keepSome = async () => {
      for (let its = accounts.pop(); its; its = accounts.pop())
        held.push(
          ...(await keepOfAccount(its).catch((error: unknown) => {
            errors.push(error)
            return []
          })),
        )
    }
    await Promise.all(Array.from({ length: mostAccounts }, keepSome))
    if (errors.length > 0) throw errors.find(isAway) ?? errors[0]
    return held
  }

  /** Answers the callbacks whose chats somebody holds. */
  async function keepOfAccount(ended: Ended<TakenCallback, End>[]): Promise<TakenCallback[]> {
    const [{ item: first }] = ended as [Ended<TakenCallback, End>]
    const actor = serverItself(first.account_id, Math.floor(nowMs() / 1000))
    const ends = ended.map(({ item, end }) => ({ callback: item, end: toBeKept(item, end) }))
    const held = await database.transaction((tx) => recordEnds(tx, actor, ends, nowMs()))
    const items = ended.map(({ item }) => item)
    for (const { id, chat_id } of items) if (!held.has(chat_id)) known.delete(id)
    return items.filter(({ id }) => known.has(id))
  }

  function toBeKept({ attempts }: TakenCallback, end: End): CallbackEnd {
    const later = (waitMs: number) => ({ result: 'later', due_at: nowMs() + waitMs }) as const
    if (end.result === 'broken') return { ...later(brokenMs), attempts }
    if (end.result === 'own failure') return { ...later(ownMs), attempts }
    if (end.result !== 'repeated') return end
    return { ...later(end.waitMs), attempts: attempts + 1, error: end.error }
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

const failed = (error_code: number, error: string): CallbackOutcome => ({
  result: 'failed',
  error_code,
  error,
})
