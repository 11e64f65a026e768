// Messages of chats. Those that a channel publishes come in by the chat protocol (interface: Chat
// messages; decision 53); those that are written here leave as callbacks (outgoing/).
import { startWriting } from '../../../access/actor.ts'
import type { Actor } from '../../../access/actor.ts'
import type { ChannelConnection } from '../../../access/channels.ts'
import type { EntityDeclaration } from '../../../changes/entity.ts'
import { record, updatedEntry } from '../../../changes/record.ts'
import type { Entry } from '../../../changes/record.ts'
import type { Signals } from '../../../changes/signals.ts'
import type { Reader, Tx } from '../../../database/connect.ts'
import { badRequest, invalidValue, notFound } from '../../../http/problem.ts'
import { isUuid } from '../../../http/types.ts'
import type { Kontor } from '../../../kontor.ts'
import {
  addChat,
  findDestination,
  lockConversation,
  isHeardInChat,
  putMessage,
  recordsBehindChat,
  redirectChat,
  saveClient,
  talkForMessage,
} from '../chats/chats.ts'
import type { ChatRow, ChatScope, ClientRow } from '../chats/chats.ts'
import { fetchLater, releaseFiles } from '../../activity/files/files.ts'
import { sourcesNamed } from '../../definitions/sources/sources.ts'
import { addItemOfChat, updateItemOfChat } from '../../records/unsorted/unsorted.ts'
import type { ChatInfo } from '../../records/unsorted/schema.ts'
import { newsOfMessage } from './news.ts'
import { noteDelivery } from './outgoing/delivery.ts'
import * as queries from './queries.ts'
import type { HistoryRow, KnownMessage, MessageRow, NewMessageRow } from './queries.ts'
import { mediaTypes, missingOfType } from './schema.ts'
import type {
  AnsweredMessage,
  MessageContent,
  NewChatBody,
  NewMessage,
  ChatPerson,
  PublishedPayload,
  ReactionBody,
  MessageSender,
  SentMessage,
  TypingBody,
} from './schema.ts'
import { withAttachments } from './thread/attachments.ts'
import type { BareMessage } from './thread/attachments.ts'
import { messagesOfChats } from './thread/queries.ts'
import { messageForm } from './webhook.ts'
import { channelItself, channelOfAnother } from '../../../outgoing/door.ts'

export { ThreadMessage } from './thread/schema.ts'

export const messages: EntityDeclaration = {
  type: 'messages',
  news: {
    browser: ['add', 'send', 'update'],
    webhook: ['add', 'send'],
    recordsBehind: recordsBehindChat,
    isHeardBy: isHeardInChat,
    shown: (row) => {
      const { chat_id, contact_id, entity_type, entity_id } = row as MessageRow
      const record = entity_type ? { record_type: entity_type, record_id: entity_id } : {}
      return { chat_id, ...(contact_id && { contact_id }), ...record }
    },
  },
  webhook: messageForm,
}

/** A message of the feed of a record. */
export interface FeedMessage extends BareMessage {
  id: number
  chat_id: number
  msec_timestamp: number
  created_by: number
}

/** Messages of chats that the actor may view, by their ids, with their attachments. */
export async function readFeedMessages(
  kontor: Kontor,
  actor: Actor,
  base: string,
  chats: readonly number[],
  ids: readonly number[],
): Promise<FeedMessage[]> {
  if (ids.length === 0) return []
  const rows = await kontor.database.rows<FeedMessage>(messagesOfChats(actor, chats, ids))
  return withAttachments(kontor, actor, base, rows)
}

/**
 * Stores a message that a channel publishes. A name that the scope knows is answered as the first
 * time. A silent message has no news. Any other gets a talk and a record: that of its chat, or a new
 * unsorted item. Throws a 400 problem for an author that is neither a user nor the bot.
 */
export async function publishMessage(
  tx: Tx,
  actor: Actor,
  connection: ChannelConnection,
  sent: NewMessage,
): Promise<AnsweredMessage> {
  const scope = scopeOf(connection)
  const { msgid, conversation_id, conversation_ref_id, silent = false } = sent
  requireAvatar(connection, sent)
  await tx.rows(queries.lockNames(scope, [`message ${msgid}`, `chat ${conversation_id}`]))
  const known = await tx.row<KnownMessage>(queries.knownMessage(scope, msgid))
  if (known) return answerTo(known, msgid)
  const userId = sent.receiver ? await authorOf(tx, actor, connection, sent.sender) : null
  const there = await lockConversation(tx, actor, scope, conversation_id, conversation_ref_id)
  const client = await saveClient(tx, actor, scope, clientOf(sent), there)
  const begun =
    there ??
    (await addChat(tx, actor, scope, {
      conversation_id,
      client_uid: client.uid,
      source_id: (await sourceOf(tx, actor, connection, sent.source))?.id ?? null,
    }))

  const entries: Entry[] = []
  const isOutgoing = sent.receiver !== undefined
  const chat = silent
    ? begun
    : await chatForMessage(tx, actor, connection, begun, client, sent, entries)
  const talk = silent ? undefined : await talkForMessage(tx, actor, chat, isOutgoing)
  const { id, uid } = (await tx.row<{ id: number; uid: string }>(
    queries.insertMessage(actor, {
      ...(await rowOf(tx, actor, chat, sent)),
      talk_id: talk?.id ?? null,
      is_outgoing: isOutgoing,
      is_imported: true,
      is_silent: silent,
      user_id: userId,
      client_uid: client.uid,
      status: isOutgoing ? 'sent' : null,
    }),
  ))!
  if (talk) {
    const msec = timeOf(actor, sent)
    await putMessage(tx, actor, {
      chatId: chat.id,
      messageId: id,
      talkId: talk.id,
      msec,
      isOutgoing,
    })
    entries.push(...talk.entries, ...newsOfMessage(chat, { id, uid, isOutgoing }, userId))
  }
  // A message without news of its own tells of its chat, and so does the first that shows the chat.
  if (silent === chat.is_visible) entries.push(chatChanged(chat))
  await record(tx, startWriting(tx, actor), entries)
  const author_id = isOutgoing ? sent.sender.ref_id!.toLowerCase() : client.uid
  return answerTo(
    { uid, chat_uid: chat.uid, is_outgoing: isOutgoing, author_id, client_uid: client.uid },
    msgid,
  )
}

const scopeOf = ({ accountId, channelId }: ChannelConnection): ChatScope => ({
  accountId,
  channelId,
})

const answerTo = (
  { uid, chat_uid, is_outgoing, author_id, client_uid }: KnownMessage,
  ref_id: string | null,
): AnsweredMessage => ({
  conversation_id: chat_uid,
  sender_id: author_id,
  receiver_id: is_outgoing ? client_uid : null,
  msgid: uid,
  ref_id,
})

/** The client of a message; `faultsOfSender` has seen that a client who sends has an id and a name. */
const clientOf = ({ receiver, sender }: NewMessage): ChatPerson =>
  receiver ?? (sender as ChatPerson)

/** A client has an avatar, unless the channel is excused; users and bots need none. */
function requireAvatar({ isAvatarRequired }: ChannelConnection, { sender, receiver }: NewMessage) {
  if (!isAvatarRequired || receiver || sender.avatar !== undefined) return
  throw invalidValue('FieldMissing', 'payload.sender.avatar', 'This field is missing.')
}

/** The user who wrote an outgoing message; null for the bot of the channel. */
async function authorOf(
  tx: Tx,
  actor: Actor,
  { bot }: ChannelConnection,
  { ref_id }: MessageSender,
): Promise<number | null> {
  if (ref_id?.toLowerCase() === bot.id) return null
  const user = ref_id && (await tx.row<{ id: number }>(queries.authorNamed(actor, ref_id)))
  if (user) return user.id
  throw invalidValue(
    'NotSupportedChoice',
    'payload.sender.ref_id',
    'The sender of a message with a receiver is a user of the account or the bot of the channel.',
  )
}

/** A source of the channel's integration, by the name that the channel sends; unknown: none. */
async function sourceOf(
  tx: Tx,
  actor: Actor,
  { clientId }: ChannelConnection,
  source: PublishedPayload['source'],
): Promise<{ id: number; pipeline_id: number } | undefined> {
  if (!source || clientId === null) return undefined
  const named = await sourcesNamed(tx, { ...actor, clientId }, [source.external_id])
  return named.get(source.external_id)
}

/** The milliseconds that a channel's clock may be ahead. A later time counts as the arrival. */
const mostAheadMs = 60_000

/** The milliseconds by which a thread is ordered. */
function timeOf({ at }: Actor, { timestamp, msec_timestamp }: PublishedPayload): number {
  const sentMs = msec_timestamp ?? timestamp * 1000
  return sentMs > at * 1000 + mostAheadMs ? at * 1000 : sentMs
}

/**
 * Finds the record that a message of a locked chat goes to: the one of the chat while it is open, or
 * else a new unsorted item. Answers the chat as it is then, and adds the news to `entries`.
 */
async function chatForMessage(
  tx: Tx,
  actor: Actor,
  connection: ChannelConnection,
  chat: ChatRow,
  client: ClientRow,
  sent: NewMessage,
  entries: Entry[],
): Promise<ChatRow> {
  const found = await findDestination(tx, actor, chat)
  if (found && chat.item_id !== null) {
    const info = infoOf(connection, chat, client, sent)
    entries.push(...(await updateItemOfChat(tx, actor, chat.item_id, info)))
  }
  if (found && found.entity_id === chat.entity_id) return chat
  const item = found
    ? undefined
    : await addItemOfChat(tx, actor, {
        category: 'chats',
        source_name: connection.title || connection.channelName,
        source_uid: `${connection.code}:${chat.uid}`,
        metadata: infoOf(connection, chat, client, sent),
        ...(await pipelineOf(tx, actor, connection, chat, sent.source)),
        leads: [{}],
        contacts: [draftOfClient(client)],
        companies: [],
        notes: [],
      })
  const destination = found
    ? { ...found, item_id: null }
    : item
      ? { entity_type: 'leads' as const, entity_id: item.leadId, item_id: item.id }
      : { entity_type: null, entity_id: null, item_id: null }
  if (destination.entity_id === chat.entity_id && destination.item_id === chat.item_id) return chat
  const redirected = await redirectChat(tx, actor, chat, destination)
  entries.push(...redirected.entries)
  return redirected.chat
}

/** The pipeline of the source that a message names, or else of that of its chat. */
async function pipelineOf(
  tx: Tx,
  actor: Actor,
  connection: ChannelConnection,
  { source_id }: ChatRow,
  source: PublishedPayload['source'],
): Promise<{ pipeline_id?: number }> {
  const named = await sourceOf(tx, actor, connection, source)
  const found =
    named ??
    (source_id === null
      ? undefined
      : await tx.row<{ pipeline_id: number }>(queries.pipelineOfSource(actor, source_id)))
  return found ? { pipeline_id: found.pipeline_id } : {}
}

const infoOf = (
  { title, code }: ChannelConnection,
  chat: ChatRow,
  client: ClientRow,
  { timestamp, message }: NewMessage,
): ChatInfo => ({
  from: client.name,
  to: title,
  service: code,
  source_name: title,
  received_at: timestamp,
  client: { name: client.name, avatar: client.avatar },
  origin: { chat_id: chat.uid, ref: null, visitor_uid: null },
  last_message_text: message.text || null,
})

/** The contact that the acceptance makes of a client. */
function draftOfClient({ name, phone, email }: ClientRow) {
  const values = [
    ...(phone ? [{ field_code: 'PHONE', values: [{ value: phone }] }] : []),
    ...(email ? [{ field_code: 'EMAIL', values: [{ value: email }] }] : []),
  ]
  return { name, ...(values.length > 0 && { custom_fields_values: values }) }
}

/** The columns of a message that follow from what a channel sent. */
async function rowOf(
  tx: Tx,
  actor: Actor,
  chat: ChatRow,
  sent: NewMessage,
): Promise<
  Omit<
    NewMessageRow,
    'talk_id' | 'is_outgoing' | 'is_imported' | 'is_silent' | 'user_id' | 'client_uid' | 'status'
  >
> {
  const { msgid, reply_to, forwards, message } = sent
  const { type, text = '', ...content } = contentOf(message)
  return {
    chat_id: chat.id,
    channel_id: chat.channel_id,
    msgid,
    contact_id: chat.contact_id,
    entity_type: chat.entity_type,
    entity_id: chat.entity_id,
    type,
    text,
    content: { ...content, ...(reply_to && { reply_to }), ...(forwards && { forwards }) },
    file_id: await fileOf(tx, actor, chat.channel_id, content),
    reply_to_id: reply_to ? await quotedBy(tx, actor, chat, reply_to) : null,
    msec_timestamp: timeOf(actor, sent),
  }
}

/** The message without what is no part of its content, and without media where its type has none. */
function contentOf({ delivery_status: _, media, ...message }: SentMessage) {
  const hasMedia =
    media !== undefined && (mediaTypes.includes(message.type) || message.type === 'text')
  return { ...message, ...(hasMedia && { media }) }
}

/** Media are fetched after the answer: a fetch that fails never fails a message. */
async function fileOf(
  tx: Tx,
  actor: Actor,
  channelId: string,
  { media, file_name: name, file_size: size }: MessageContent,
): Promise<number | null> {
  if (media === undefined) return null
  const isOwn = (await tx.row(queries.ownChannel(actor, channelId))) !== undefined
  const by = isOwn ? channelItself : channelOfAnother
  return fetchLater(tx, actor, { address: media, by, name, size })
}

/** The message of the same chat that is quoted; null where the chat does not hold it. */
async function quotedBy(
  tx: Tx,
  actor: Actor,
  chat: ChatRow,
  { message: { id, msgid } }: NonNullable<MessageContent['reply_to']>,
): Promise<number | null> {
  const uid = id !== undefined && isUuid(id) ? id : undefined
  if (uid === undefined && msgid === undefined) return null
  const scope = { accountId: actor.accountId, channelId: chat.channel_id }
  const quoted = await tx.row<{ id: number }>(
    queries.quotedMessage(scope, chat.id, { id: uid, msgid }),
  )
  return quoted?.id ?? null
}

/** Browsers look at a chat anew that has appeared, or that an import has changed. */
const chatChanged = ({ id, is_visible }: ChatRow): Entry => ({
  type: 'chats',
  id,
  actions: [is_visible ? 'update' : 'add'],
  before: is_visible ? {} : null,
  events: [],
})

/**
 * Changes a message that the channel has published, or names one that was written here: its text and
 * its content. Unknown: 404. It causes no notice and no item.
 */
export async function editMessage(
  tx: Tx,
  actor: Actor,
  connection: ChannelConnection,
  sent: PublishedPayload,
): Promise<AnsweredMessage> {
  const scope = scopeOf(connection)
  const { id, msgid } = sent
  if (msgid !== undefined) await tx.rows(queries.lockNames(scope, [`message ${msgid}`]))
  const { row } = await lockMessage(tx, actor, scope, id === undefined ? { msgid } : { uid: id })
  const named = msgid && (await tx.row<KnownMessage>(queries.knownMessage(scope, msgid)))
  if (msgid !== undefined && (named ? named.uid !== row.uid : row.msgid !== null))
    throw invalidValue(
      'InvalidValue',
      'payload.msgid',
      'The msgid and the id name different messages.',
    )
  const { delivery_status: reported } = sent.message
  if (reported) await noteDelivery(tx, actor, connection, row.uid, reported, editedStatus)
  const writer = startWriting(tx, actor)
  const next = { ...(await editedRow(tx, writer, row, sent)), msgid: row.msgid ?? msgid ?? null }
  await tx.rows(queries.updateMessage(writer, next))
  if (row.file_id !== null && row.file_id !== next.file_id)
    await releaseFiles(tx, writer, [row.file_id])
  const { text: before, type: former } = row
  await record(tx, writer, [updatedEntry('messages', row.id, { text: before, type: former })])
  const known = await tx.row<KnownMessage>(queries.knownByUid(scope, row.uid))
  return answerTo(known!, next.msgid)
}

const editedStatus = 'payload.message.delivery_status.'

/** A message after an edit. Members that are left out stay, unless its type changes. */
async function editedRow(
  tx: Tx,
  actor: Actor,
  row: MessageRow,
  { message }: PublishedPayload,
): Promise<MessageRow> {
  const { type, text, ...content } = contentOf(message)
  const isSameType = type === row.type
  // Without a text and of another type, it only tells what became of the message.
  if (!isSameType && message.delivery_status && text === undefined) return row
  const missing = isSameType ? undefined : missingOfType(message)
  if (missing !== undefined)
    throw invalidValue('FieldMissing', `payload.${missing}`, 'This field is missing.')
  const kept = isSameType ? row.content : keptOf(row)
  const merged = { ...kept, ...content }
  return {
    ...row,
    type,
    text: text ?? (isSameType ? row.text : ''),
    content: merged,
    file_id:
      merged.media === row.content.media
        ? row.file_id
        : await fileOf(tx, actor, row.channel_id, merged),
  }
}

/** A message of another type still quotes and forwards the same messages. */
const keptOf = ({ content: { reply_to, forwards } }: MessageRow): MessageContent => ({
  ...(reply_to && { reply_to }),
  ...(forwards && { forwards }),
})

/** Locks the chat of a message of the scope, and reads both. Unknown: 404. */
async function lockMessage(
  tx: Tx,
  actor: Actor,
  scope: ChatScope,
  named: { uid?: string | undefined; msgid?: string | undefined },
): Promise<{ chat: Pick<ChatRow, 'uid' | 'conversation_id'>; row: MessageRow }> {
  const found = await tx.row<MessageRow>(queries.messageOfScope(scope, named))
  if (!found) throw notFound('There is no such message')
  const chat = await tx.row<ChatRow>(queries.lockChatOfMessage(actor, found.chat_id))
  const row = await tx.row<MessageRow>(queries.messageOfScope(scope, { uid: found.uid }))
  return { chat: chat!, row: row! }
}

/** The chat of a conversation, made if it is new. Nobody sees it before its first message. */
export async function createChat(
  tx: Tx,
  actor: Actor,
  connection: ChannelConnection,
  { conversation_id, user, source }: NewChatBody,
) {
  const scope = scopeOf(connection)
  await tx.rows(queries.lockNames(scope, [`chat ${conversation_id}`]))
  const there = await lockConversation(tx, actor, scope, conversation_id, undefined)
  const client = await saveClient(tx, actor, scope, user, there)
  const chat =
    there ??
    (await addChat(tx, actor, scope, {
      conversation_id,
      client_uid: client.uid,
      source_id: (await sourceOf(tx, actor, connection, source))?.id ?? null,
    }))
  const { uid: id, name, avatar, phone, email } = client
  return {
    id: chat.uid,
    user: {
      id,
      client_id: user.id,
      name,
      avatar: avatar ?? '',
      phone: phone ?? '',
      email: email ?? '',
    },
  }
}

/** The most reactions that a message keeps. */
const mostReactions = 100

/**
 * Adds the reaction of a client, or of a user or the bot, to a message, or takes it away. A second
 * reaction of a person replaces the first. Unknown message: 404; unknown person: 400.
 */
export async function reactToMessage(
  tx: Tx,
  actor: Actor,
  connection: ChannelConnection,
  { conversation_id, conversation_ref_id, id, msgid, user, type, emoji }: ReactionBody,
): Promise<void> {
  const scope = scopeOf(connection)
  const named = id === undefined ? { msgid } : { uid: id }
  const { chat, row } = await lockMessage(tx, actor, scope, named)
  const isElsewhere =
    (conversation_id !== undefined && chat.conversation_id !== conversation_id) ||
    (conversation_ref_id !== undefined && chat.uid !== conversation_ref_id.toLowerCase())
  if (isElsewhere) throw notFound('The conversation has no such message')
  const person = await personOf(tx, connection, user)
  const others = (row.reactions ?? []).filter((each) => each.user !== person)
  const reactions = type === 'react' ? [...others, { user: person, emoji: emoji! }] : others
  if (reactions.length > mostReactions) throw badRequest('The message has too many reactions')
  const writer = startWriting(tx, actor)
  await tx.rows(queries.updateReactions(writer, row.id, reactions.length > 0 ? reactions : null))
  await record(tx, writer, [updatedEntry('messages', row.id, { reactions: row.reactions })])
}

async function personOf(
  tx: Tx,
  connection: ChannelConnection,
  { id, ref_id }: ReactionBody['user'],
): Promise<string> {
  if (ref_id?.toLowerCase() === connection.bot.id) return connection.bot.id
  const found = ref_id
    ? await tx.row<{ uid: string }>(queries.personNamed(scopeOf(connection), ref_id))
    : await tx.row<{ uid: string }>(queries.clientNamed(scopeOf(connection), id!))
  if (found) return found.uid
  throw invalidValue('NotSupportedChoice', 'user', 'This person is unknown.')
}

/** The channel of signals that a client types; the payload is a `TypingSignal`. */
export const typingChannel = 'kontor_typing'

/** A client of a chat types until then (milliseconds). The rest decides who may learn of it. */
export interface TypingSignal {
  account_id: number
  chat_id: number
  until: number
  contact_id: number | null
  entity_type: ChatRow['entity_type']
  entity_id: number | null
}

/** How long a client types who does not say so. */
const usualTypingMs = 5000

/** Tells browsers that a client types. Nothing is stored. Unknown conversation: 404. */
export async function announceTyping(
  reader: Reader,
  { accountId, channelId }: ChannelConnection,
  { conversation_id, duration_ms = usualTypingMs }: TypingBody,
  nowMs: number,
  signals: Pick<Signals, 'notify'>,
): Promise<void> {
  const scope = { accountId, channelId }
  const chat = await reader.row<Pick<ChatRow, 'id' | 'contact_id' | 'entity_type' | 'entity_id'>>(
    queries.conversationNamed(scope, conversation_id),
  )
  if (!chat) throw notFound('There is no such conversation')
  const { id: chat_id, ...bound } = chat
  const signal: TypingSignal = {
    account_id: accountId,
    chat_id,
    until: nowMs + duration_ms,
    ...bound,
  }
  signals.notify(typingChannel, JSON.stringify(signal))
}

/** The messages of a chat, newest first, as the channel reads them back. */
export async function readHistory(
  reader: Reader,
  connection: ChannelConnection,
  chatUid: string,
  page: { offset: number; limit: number },
): Promise<HistoryRow[]> {
  if (!isUuid(chatUid)) return []
  return reader.list<HistoryRow>(queries.historyPage(scopeOf(connection), chatUid, page))
}
