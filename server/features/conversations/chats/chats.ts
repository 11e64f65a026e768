// Conversations of chat channels (interface: Chat messages; Talk). A chat belongs to the client on
// the other side, and once it is bound to a contact; its messages go to a lead or a customer. A talk
// is a stretch of a chat, from its first message until somebody closes it. Messages are a feature of
// their own.
import type { Actor } from '../../../access/actor.ts'
import { sees } from '../../../access/record-rights.ts'
import type { Action } from '../../../access/rights.ts'
import type { DecidingRecord, EntityDeclaration } from '../../../changes/entity.ts'
import { updatedEntry } from '../../../changes/record.ts'
import type { Entry } from '../../../changes/record.ts'
import type { Tx } from '../../../database/connect.ts'
import type { EntityType } from '../../../entity-types.ts'
import { forbidden, notFound, Problem } from '../../../http/problem.ts'
import * as queries from './queries.ts'
import type { Arrival, ChatRow, ChatScope, ClientRow, LockedChat } from './queries.ts'
import { talkForm } from './talks/webhook.ts'

export { bindChats } from './binding.ts'
export {
  chatsOfContact,
  lockChatsOfContact,
  lockKeptChats,
  moveChatsBack,
  moveChatsOfContact,
} from './merging.ts'
export { countUnreadChats } from './inbox/queries.ts'
export { chatColumns, mayOnChat, unreadWith } from './queries.ts'
export type { ChatRow, ChatScope, ClientRow } from './queries.ts'

/** The columns of chats, talks and messages that decide who hears of a change. */
type Bound = Pick<ChatRow, 'contact_id' | 'entity_type' | 'entity_id'>

/**
 * The contact decides who may learn of a chat; where there is none, or it is in the bin, the lead or
 * the customer: the rule of `mayOnChat`. Messages and closed talks stay with the contact of their time.
 */
export function recordsBehindChat(row: object): { type: EntityType; id: number }[] {
  const { contact_id, entity_type, entity_id } = row as Bound
  return [
    ...(contact_id === null ? [] : [{ type: 'contacts', id: contact_id } as const]),
    ...(entity_type === null ? [] : [{ type: entity_type, id: entity_id! }]),
  ]
}

export function isHeardInChat(actor: Actor, _row: object, behind?: DecidingRecord): boolean {
  return actor.isAdmin || (behind !== undefined && sees(actor, behind.entity_type, behind))
}

export const chats: EntityDeclaration = {
  type: 'chats',
  news: {
    browser: ['add', 'update'],
    webhook: [],
    recordsBehind: recordsBehindChat,
    isHeardBy: isHeardInChat,
  },
}

export const talks: EntityDeclaration = {
  type: 'talks',
  news: {
    browser: ['add', 'update'],
    webhook: ['add', 'update'],
    recordsBehind: recordsBehindChat,
    isHeardBy: isHeardInChat,
    shown: (row) => ({ chat_id: (row as { chat_id: number }).chat_id }),
  },
  webhook: talkForm,
}

/** The number of a chat that is named by its UUID. Unknown: 404. Rights are for `lockChat` to check. */
export async function chatIdOf(tx: Tx, actor: Actor, uid: string): Promise<number> {
  const chat = await tx.row<{ id: number }>(queries.chatWithUid(actor, uid))
  if (!chat) throw notFound()
  return chat.id
}

/** Locks a chat that the actor may do the action to. Unknown: 404. Without the right: 403. */
export async function lockChat(tx: Tx, actor: Actor, id: number, action: Action): Promise<ChatRow> {
  const chat = await tx.row<LockedChat>(queries.lockChatRow(actor, id, action))
  if (!chat) throw notFound()
  if (!chat.allowed) throw forbidden(`You have no right to ${action} the contact of this chat`)
  return chat
}

/**
 * Locks the chat of an open talk, in the same way. Unknown talk: 404. One that is closed: 422 with
 * the title.
 */
export async function lockTalk(
  tx: Tx,
  actor: Actor,
  id: number,
  action: Action,
  title: string,
): Promise<ChatRow> {
  const talk = await tx.row<{ chat_id: number }>(queries.chatOfTalk(actor, id))
  if (!talk) throw notFound()
  const chat = await lockChat(tx, actor, talk.chat_id, action)
  if (chat.talk_id !== id) throw new Problem(422, title)
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
  const read = updatedEntry('talks', chat.talk_id, { is_read: !isOutgoing })
  return { id: chat.talk_id, entries: changed ? [read] : [] }
}

/** Puts a visible message at the end of a locked chat. */
export async function putMessage(tx: Tx, actor: Actor, arrival: Arrival): Promise<void> {
  await tx.rows(queries.updateByMessage(actor, arrival))
}

/** A person as a channel tells of it. Members that are left out stay as they are. */
export interface SentClient {
  id: string
  name: string
  avatar?: string | undefined
  profile_link?: string | undefined
  profile?: { phone?: string | undefined; email?: string | undefined } | undefined
}

/**
 * The client that a channel names, made or brought up to date. In a chat that was begun here and that
 * the channel has not answered, the client of the chat gets this name, or gives way to the one that has
 * it.
 */
export async function saveClient(
  tx: Tx,
  actor: Actor,
  scope: ChatScope,
  { id, name, avatar, profile_link, profile }: SentClient,
  chat: ChatRow | undefined,
): Promise<ClientRow> {
  const found = await tx.rows<ClientRow>(queries.clientsOf(scope, id, chat?.client_uid ?? null))
  const named = found.find((each) => each.client_id === id)
  const known = named ?? found.find((each) => each.client_id === null)
  const sent = {
    client_id: id,
    name,
    avatar: avatar ?? known?.avatar ?? null,
    profile_link: profile_link ?? known?.profile_link ?? null,
    phone: profile?.phone?.trim() || (known?.phone ?? null),
    email: profile?.email?.trim() || (known?.email ?? null),
  }
  if (!known) {
    const made = await tx.row<{ uid: string }>(queries.insertClient(scope, sent, actor.at))
    return { uid: made!.uid, ...sent }
  }
  const client = { uid: known.uid, ...sent }
  if (named && chat && found.some((each) => each.client_id === null))
    await tx.rows(queries.updateClientOfChat(actor, chat.id, named.uid))
  const keys = Object.keys(sent) as (keyof typeof sent)[]
  if (keys.some((key) => sent[key] !== known[key]))
    await tx.rows(queries.updateClient(actor, client))
  return client
}

/**
 * Locks the chat that a channel names by its own name or by the id of the chat; undefined if there is
 * none. A chat that was begun here gets the channel's name.
 */
export async function lockConversation(
  tx: Tx,
  actor: Actor,
  scope: ChatScope,
  conversationId: string | undefined,
  uid: string | undefined,
): Promise<ChatRow | undefined> {
  const statement = queries.lockConversationRow(scope, conversationId ?? null, uid ?? null)
  const chat = await tx.row<ChatRow>(statement)
  if (!chat || conversationId === undefined || chat.conversation_id !== null) return chat
  await tx.rows(queries.nameConversation(actor, chat.id, conversationId))
  return { ...chat, conversation_id: conversationId }
}

/** Makes the chat of a conversation, which nobody sees before its first message. */
export async function addChat(
  tx: Tx,
  actor: Actor,
  scope: ChatScope,
  chat: Pick<ChatRow, 'conversation_id' | 'client_uid' | 'source_id'>,
): Promise<ChatRow> {
  return (await tx.row<ChatRow>(queries.insertChat(scope, chat, actor.at)))!
}

/**
 * The record that the next message of a locked chat goes to: that of the chat while it is open, or
 * the latest open lead of a contact that the chat was bound to. undefined: none.
 */
export async function findDestination(
  tx: Tx,
  actor: Actor,
  chat: ChatRow,
): Promise<Pick<ChatRow, 'entity_type' | 'entity_id'> | undefined> {
  if (chat.entity_type === null && chat.contact_id === null) return undefined
  const found = await tx.row<{ entity_id: number }>(queries.openDestination(actor, chat))
  return found && { entity_type: chat.entity_type ?? 'leads', entity_id: found.entity_id }
}

/** Leads the messages of a locked chat to another record; answers the chat and the news. */
export async function redirectChat(
  tx: Tx,
  actor: Actor,
  chat: ChatRow,
  destination: Pick<ChatRow, 'entity_type' | 'entity_id' | 'item_id'>,
): Promise<{ chat: ChatRow; entries: Entry[] }> {
  const after = { ...chat, ...destination }
  await tx.rows(queries.updateDestination(actor, chat.id, destination))
  if (chat.talk_id === null) return { chat: after, entries: [] }
  await tx.rows(queries.updateTalkEntity(actor, chat.talk_id, after))
  return { chat: after, entries: [boundTalk(chat.talk_id, chat)] }
}

const boundTalk = (id: number, { contact_id, entity_type, entity_id }: Bound): Entry =>
  updatedEntry('talks', id, { contact_id, entity_type, entity_id })
