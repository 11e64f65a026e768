// The fate of a message that leaves: the end of its callback, and the statuses that its channel sends
// later. Each changes the state of the message while its chat is locked.
import { startWriting } from '../../../../access/actor.ts'
import type { Actor } from '../../../../access/actor.ts'
import { record, updatedEntry } from '../../../../changes/record.ts'
import type { Tx } from '../../../../database/connect.ts'
import { invalidValue, notFound } from '../../../../http/problem.ts'
import { isUuid } from '../../../../http/types.ts'
import { noteConnectionError } from '../../channels/channels.ts'
import type { ChannelConnection } from '../../channels/channels.ts'
import { holdChat } from '../../chats/chats.ts'
import type { ChatRow } from '../../chats/chats.ts'
import type { MessageStatus } from '../schema.ts'
import * as queries from './queries.ts'
import type { DueCallback, MessageState } from './queries.ts'
import type { MessageError } from './schedule.ts'
import type { DeliveryStatus, OutgoingMessage } from './schema.ts'
import { statusAfter, toldError } from './statuses.ts'

/**
 * Notes the delivery status that a channel sends for a message in its scope. A step backwards changes
 * nothing. `at` is the path of the status in the body. Unknown message, or one of another scope, or an incoming one: 404.
 */
export async function noteDelivery(
  tx: Tx,
  actor: Actor,
  { channelId }: Pick<ChannelConnection, 'channelId'>,
  uid: string,
  told: DeliveryStatus,
  at = '',
): Promise<void> {
  refuseFaults(uid, told, at)
  if (!isUuid(uid)) throw notFound()
  const { message } = await holdOutgoing(tx, actor, { uid, channelId })
  const status = statusAfter(message.status!, (told.delivery_status ?? told.status_code)!)
  if (status === undefined) return
  const error =
    status === 'error' ? toldError(told.error_code!, told.error) : { error_code: null, error: null }
  await changeMessageStatus(tx, actor, message, { status, ...error })
}

/** How a callback has ended: the message arrived, failed, or needed none any more. */
export type CallbackEnd = { result: 'sent' | 'needless' } | ({ result: 'failed' } & MessageError)

/**
 * Ends a callback and shows how on its message. A message that the channel has told of meanwhile
 * keeps that state.
 */
export async function settleCallback(
  tx: Tx,
  actor: Actor,
  callback: DueCallback,
  end: CallbackEnd,
  nowMs: number,
): Promise<void> {
  await holdChat(tx, actor, callback.chat_id, 'edit')
  if (!(await finishCallback(tx, callback, nowMs))) return
  const statement = queries.messageState(actor, callback.message_id)
  const message = await tx.row<MessageState>(statement)
  if (message?.status === 'sending' && end.result !== 'needless') {
    const { error_code, error } = end.result === 'failed' ? end : { error_code: null, error: null }
    const status = end.result === 'failed' ? 'error' : 'sent'
    await changeMessageStatus(tx, actor, message, { status, error_code, error })
  }
  if (end.result === 'needless') return
  const error = end.result === 'failed' ? end.error : null
  await noteConnectionError(tx, actor, callback.channel_id, error)
}

/**
 * Takes a callback out of the queue of its chat; the next one is due at once. False: it had ended. The
 * lock is a statement of its own, so that the next one sees the callbacks that were inserted meanwhile.
 */
export async function finishCallback(
  tx: Tx,
  callback: Pick<DueCallback, 'account_id' | 'chat_id' | 'id'>,
  nowMs: number,
): Promise<boolean> {
  await tx.rows(queries.lockQueue(callback))
  return (await tx.row(queries.endCallback(callback, nowMs))) !== undefined
}

/** Locks the chat of an outgoing message. */
export async function holdOutgoing(
  tx: Tx,
  actor: Actor,
  named: { id: number } | { uid: string; channelId: string },
): Promise<{ chat: ChatRow; message: MessageState }> {
  const found = await tx.row<Pick<MessageState, 'id' | 'chat_id'>>(
    queries.placeOfMessage(actor, named),
  )
  if (!found) throw notFound()
  const chat = await holdChat(tx, actor, found.chat_id, 'edit')
  const message = await tx.row<MessageState>(queries.messageState(actor, found.id))
  return { chat, message: message! }
}

type State = Pick<MessageState, 'error_code' | 'error'> & { status: MessageStatus }

/** Changes the state of a message whose chat is locked. */
export async function changeMessageStatus(
  tx: Tx,
  actor: Actor,
  before: MessageState,
  after: State,
): Promise<OutgoingMessage> {
  const writer = startWriting(tx, actor)
  const changed = await tx.row<OutgoingMessage>(queries.updateStatus(writer, before.id, after))
  const { status, error_code, error } = before
  const isOfError = status === 'error' || after.status === 'error'
  await record(tx, writer, [
    updatedEntry('messages', before.id, { status, ...(isOfError && { error_code, error }) }),
  ])
  return changed!
}

function refuseFaults(uid: string, told: DeliveryStatus, at: string): void {
  const { msgid, delivery_status, status_code, error_code, error = '' } = told
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
