// The fate of a message that leaves: the end of its callback, and the statuses that its channel sends
// later. Each changes the state of the message while its chat is locked.
import { startWriting } from '../../../../access/actor.ts'
import type { Actor } from '../../../../access/actor.ts'
import { record, updatedEntry } from '../../../../changes/record.ts'
import type { Tx } from '../../../../database/connect.ts'
import { invalidValue, notFound } from '../../../../http/problem.ts'
import { isUuid } from '../../../../http/types.ts'
import { noteConnectionErrors } from '../../channels/channels.ts'
import type { ChannelConnection } from '../../channels/channels.ts'
import { lockChat } from '../../chats/chats.ts'
import type { ChatRow } from '../../chats/chats.ts'
import type { MessageStatus } from '../schema.ts'
import * as queries from './queries.ts'
import type { DueCallback, MessageState } from './queries.ts'
import type { MessageError } from './schedule.ts'
import type { DeliveryStatus, OutgoingMessage } from './schema.ts'
import { statusAfter, reportedError } from './statuses.ts'

/**
 * Notes the delivery status that a channel sends for a message in its scope. A step backwards changes
 * nothing. `at` is the path of the status in the body. Unknown message, or one of another scope, or an incoming one: 404.
 */
export async function noteDelivery(
  tx: Tx,
  actor: Actor,
  { channelId }: Pick<ChannelConnection, 'channelId'>,
  uid: string,
  reported: DeliveryStatus,
  at = '',
): Promise<void> {
  refuseFaults(uid, reported, at)
  if (!isUuid(uid)) throw notFound()
  const { message } = await lockOutgoing(tx, actor, { uid, channelId })
  const status = statusAfter(message.status!, (reported.delivery_status ?? reported.status_code)!)
  if (status === undefined) return
  const error =
    status === 'error'
      ? reportedError(reported.error_code!, reported.error)
      : { error_code: null, error: null }
  await changeMessageStatuses(tx, actor, [{ before: message, after: { status, ...error } }])
}

/**
 * How an attempt has ended: the message arrived, failed, needed none any more, or is attempted again when
 * it is due; `error` says why the channel did not take it.
 */
export type CallbackEnd =
  | { result: 'sent' | 'needless' }
  | ({ result: 'failed' } & MessageError)
  | { result: 'later'; due_at: number; attempts: number; error?: string }

/**
 * Ends callbacks of an account or puts them off, and shows how on their messages and channels. A message
 * that the channel has told of meanwhile keeps that state. A callback that has ended before is passed over.
 * Answers the chats that somebody else holds: nothing of them is kept. Another lock that is held for longer
 * is an error (55P03).
 */
export async function recordEnds(
  tx: Tx,
  actor: Actor,
  all: readonly { callback: DueCallback; end: CallbackEnd }[],
  nowMs: number,
): Promise<Set<number>> {
  await tx.rows(queries.boundLocks)
  const chats = chatsOf(all.map(({ callback }) => callback))
  const free = await tx.rows<{ id: number }>(queries.lockChats(actor, chats))
  const locked = new Set(free.map(({ id }) => id))
  const blocked = new Set(chats.filter((id) => !locked.has(id)))
  const attempts = all.filter(({ callback }) => !blocked.has(callback.chat_id))
  if (attempts.length === 0) return blocked
  const over = attempts.filter(({ end }) => end.result !== 'later')
  const later = attempts.flatMap(({ callback: { chat_id, id }, end }) =>
    end.result === 'later' ? [{ chat_id, id, attempts: end.attempts, due_at: end.due_at }] : [],
  )
  await tx.rows(queries.lockQueues(actor.accountId, chatsOf(attempts.map((each) => each.callback))))
  const callbacks = over.map(({ callback }) => callback)
  const ended = await endLocked(tx, actor.accountId, callbacks, nowMs)
  if (later.length > 0) await tx.rows(queries.putOff(actor.accountId, later))

  const reported = over.filter(
    ({ callback, end }) => ended.has(callback.id) && end.result !== 'needless',
  )
  const changes = await statusChanges(tx, actor, reported)
  if (changes.length > 0) await changeMessageStatuses(tx, actor, changes)
  const errors = new Map<string, string | null>()
  for (const { callback, end } of attempts) {
    const isFinished = end.result !== 'later' && !ended.has(callback.id)
    const error = 'error' in end ? end.error : end.result === 'sent' ? null : undefined
    if (!isFinished && error !== undefined) errors.set(callback.channel_id, error)
  }
  if (errors.size > 0) await noteConnectionErrors(tx, actor, errors)
  return blocked
}

async function statusChanges(
  tx: Tx,
  actor: Actor,
  reported: readonly { callback: DueCallback; end: CallbackEnd }[],
): Promise<StatusChange[]> {
  if (reported.length === 0) return []
  const ids = reported.map(({ callback }) => callback.message_id)
  const found = await tx.rows<MessageState>(queries.messageStates(actor, ids))
  const messages = new Map(found.map((message) => [message.id, message]))
  return reported.flatMap(({ callback, end }): StatusChange[] => {
    const before = messages.get(callback.message_id)
    const after: State =
      end.result === 'failed'
        ? { status: 'error', error_code: end.error_code, error: end.error }
        : { status: 'sent', error_code: null, error: null }
    return before?.status === 'sending' ? [{ before, after }] : []
  })
}

const chatsOf = (callbacks: readonly Pick<DueCallback, 'chat_id'>[]) =>
  callbacks.map(({ chat_id }) => chat_id)

/**
 * Takes callbacks of an account out of the queues of their chats; the next ones are due at once. Answers
 * the ids of those that had not ended. The lock is a statement of its own, so that the next one sees the
 * callbacks that were inserted meanwhile.
 */
export async function finishCallbacks(
  tx: Tx,
  accountId: number,
  callbacks: readonly Pick<DueCallback, 'chat_id' | 'id'>[],
  nowMs: number,
): Promise<Set<number>> {
  await tx.rows(queries.lockQueues(accountId, chatsOf(callbacks)))
  return endLocked(tx, accountId, callbacks, nowMs)
}

async function endLocked(
  tx: Tx,
  accountId: number,
  callbacks: readonly Pick<DueCallback, 'chat_id' | 'id'>[],
  nowMs: number,
): Promise<Set<number>> {
  if (callbacks.length === 0) return new Set()
  const ended = await tx.rows<{ id: number }>(queries.endCallbacks(accountId, callbacks, nowMs))
  return new Set(ended.map(({ id }) => id))
}

/** Locks the chat of an outgoing message. */
export async function lockOutgoing(
  tx: Tx,
  actor: Actor,
  named: { id: number } | { uid: string; channelId: string },
): Promise<{ chat: ChatRow; message: MessageState }> {
  const found = await tx.row<Pick<MessageState, 'id' | 'chat_id'>>(
    queries.positionOfMessage(actor, named),
  )
  if (!found) throw notFound()
  const chat = await lockChat(tx, actor, found.chat_id, 'edit')
  const message = await tx.row<MessageState>(queries.messageStates(actor, [found.id]))
  return { chat, message: message! }
}

type State = Pick<MessageState, 'error_code' | 'error'> & { status: MessageStatus }

interface StatusChange {
  before: MessageState
  after: State
}

/** Changes the states of messages whose chats are locked. Answers them in no order. */
export async function changeMessageStatuses(
  tx: Tx,
  actor: Actor,
  changes: readonly StatusChange[],
): Promise<OutgoingMessage[]> {
  const writer = startWriting(tx, actor)
  const states = changes.map(({ before: { id }, after }) => ({ id, ...after }))
  const changed = await tx.rows<OutgoingMessage>(queries.updateMessageStates(writer, states))
  const entries = changes.map(({ before: { id, status, error_code, error }, after }) => {
    const isOfError = status === 'error' || after.status === 'error'
    return updatedEntry('messages', id, { status, ...(isOfError && { error_code, error }) })
  })
  await record(tx, writer, entries)
  return changed
}

function refuseFaults(uid: string, reported: DeliveryStatus, at: string): void {
  const { msgid, delivery_status, status_code, error_code, error = '' } = reported
  const status = delivery_status ?? status_code
  if (msgid !== undefined && msgid.toLowerCase() !== uid.toLowerCase())
    throw invalidValue('InvalidValue', `${at}msgid`, 'The path names another message.')
  if (status === undefined)
    throw invalidValue('FieldMissing', `${at}delivery_status`, 'This field is missing.')
  if (status === -1 && error_code === undefined)
    throw invalidValue('FieldMissing', `${at}error_code`, 'An error needs a code from 901 to 905.')
  if (status === -1 && error_code === 905 && error.trim() === '')
    throw invalidValue('FieldMissing', `${at}error`, 'An error 905 needs its text.')
}
