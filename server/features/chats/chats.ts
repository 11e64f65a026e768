// Conversations of chat channels (chats reference). A chat belongs to the client on the other side,
// and once it is bound to a contact; its messages go to a lead or a customer. A talk is a stretch of
// a chat, from its first message until somebody closes it. Messages are a feature of their own.
import type { Actor } from '../../access/actor.ts'
import { sees } from '../../access/record-rights.ts'
import type { ViewedRow } from '../../access/record-rights.ts'
import type { Action } from '../../access/rights.ts'
import type { EntityDeclaration } from '../../changes/entity.ts'
import type { Entry } from '../../changes/record.ts'
import type { Tx } from '../../database/connect.ts'
import { forbidden, notFound } from '../../http/problem.ts'
import * as queries from './queries.ts'
import type { Arrival, ChatRow, HeldChat } from './queries.ts'
import { talkForm } from './talks/webhook.ts'

export { bindChats } from './binding.ts'
export { chatColumns, mayOnChat } from './queries.ts'
export type { ChatRow } from './queries.ts'

/** The columns of chats, talks and messages that decide who hears of a change. */
type Bound = Pick<ChatRow, 'contact_id' | 'entity_type' | 'entity_id'>

/** The contact decides who may learn of a chat; before there is one, the lead or the customer. */
export function recordBehindChat(row: object) {
  const { contact_id, entity_type, entity_id } = row as Bound
  if (contact_id !== null) return { type: 'contacts', id: contact_id } as const
  return entity_type === null ? undefined : ({ type: entity_type, id: entity_id! } as const)
}

export function isHeardInChat(actor: Actor, row: object, behind?: ViewedRow): boolean {
  const ref = recordBehindChat(row)
  return (
    actor.isAdmin || (ref !== undefined && behind !== undefined && sees(actor, ref.type, behind))
  )
}

export const chats: EntityDeclaration = {
  type: 'chats',
  news: {
    browser: ['add', 'update'],
    webhook: [],
    recordBehind: recordBehindChat,
    isHeardBy: isHeardInChat,
  },
}

export const talks: EntityDeclaration = {
  type: 'talks',
  news: {
    browser: ['add', 'update'],
    webhook: ['add', 'update'],
    recordBehind: recordBehindChat,
    isHeardBy: isHeardInChat,
    shown: (row) => ({ chat_id: (row as { chat_id: number }).chat_id }),
  },
  webhook: talkForm,
}

/** Locks a chat that the actor may do the action to. Unknown: 404. Without the right: 403. */
export async function holdChat(tx: Tx, actor: Actor, id: number, action: Action): Promise<ChatRow> {
  const chat = await tx.row<HeldChat>(queries.lockChat(actor, id, action))
  if (!chat) throw notFound()
  if (!chat.allowed) throw forbidden(`You have no right to ${action} the contact of this chat`)
  return chat
}

/** The talk that a message of a locked chat belongs to, and its news. */
export interface TalkOfMessage {
  id: number
  entries: Entry[]
}

/** The open talk of a locked chat, or a new one. A message of the client makes it unread. */
export async function talkForMessage(
  tx: Tx,
  actor: Actor,
  chat: ChatRow,
  isOutgoing: boolean,
): Promise<TalkOfMessage> {
  if (chat.talk_id === null) {
    const { id } = (await tx.row<{ id: number }>(queries.insertTalk(actor, chat, isOutgoing)))!
    return { id, entries: [{ type: 'talks', id, actions: ['add'], before: null, events: [] }] }
  }
  const isRead = chat.unread === 0
  if (isRead === isOutgoing) return { id: chat.talk_id, entries: [] }
  const changed = await tx.row(queries.updateTalkRead(actor, chat.talk_id, isOutgoing))
  return { id: chat.talk_id, entries: changed ? [talkChanged(chat.talk_id, !isOutgoing)] : [] }
}

/** The news of a talk whose read mark changed. */
export const talkChanged = (id: number, wasRead: boolean): Entry => ({
  type: 'talks',
  id,
  actions: ['update'],
  before: { is_read: wasRead },
  events: [],
})

/** Puts a visible message at the end of a locked chat. */
export async function putMessage(tx: Tx, actor: Actor, arrival: Arrival): Promise<void> {
  await tx.rows(queries.updateByMessage(actor, arrival))
}
