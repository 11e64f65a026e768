// Messages that leave: a user or a program writes them in the account, and their channel is told of
// each by a callback. Every verb locks the chat first, which guards the order and the states of its
// messages. follower.ts plans the callbacks, sender.ts sends them, delivery.ts shows what became of
// them. docs/decisions/0055-callbacks.md has the reasons.
import { startWriting } from '../../../../access/actor.ts'
import type { Actor } from '../../../../access/actor.ts'
import { record } from '../../../../changes/record.ts'
import type { Reader, Tx } from '../../../../database/connect.ts'
import { invalidValue, notFound, Problem } from '../../../../http/problem.ts'
import type { RecordRow } from '../../../../records/description.ts'
import { lockRecords } from '../../../../records/writing/change.ts'
import { connectionsOf, findConnection } from '../../channels/channels.ts'
import type { ChannelConnection } from '../../channels/channels.ts'
import { lockChat, lockTalk, putMessage, talkForMessage } from '../../chats/chats.ts'
import type { ChatRow } from '../../chats/chats.ts'
import { contacts } from '../../../records/contacts/contacts.ts'
import { addressOf, filesByIds, requireOwnFile } from '../../../activity/files/files.ts'
import { newsOfMessage } from '../news.ts'
import type { MessageType } from '../schema.ts'
import * as queries from './queries.ts'
import { changeMessageStatuses, finishCallbacks, lockOutgoing } from './delivery.ts'
import type { DueCallback, MessageState, WrittenMessage } from './queries.ts'
import type {
  ChatDraft,
  ChatOpening,
  MessageDraft,
  OutgoingMessage,
  StartedChat,
} from './schema.ts'

export { noteDelivery } from './delivery.ts'

/** The parts of the process that the addresses of files are made of. */
type Addressing = Parameters<typeof addressOf>[0]

/**
 * Writes a message into a chat, from where it leaves for the channel. Unknown chat: 404. No right to
 * edit the contact: 403. A channel that the account is not connected to: 422.
 */
export async function sendMessage(
  tx: Tx,
  kontor: Addressing,
  actor: Actor,
  chatId: number,
  draft: MessageDraft,
): Promise<OutgoingMessage> {
  const chat = await lockChat(tx, actor, chatId, 'edit')
  return writeMessage(tx, kontor, actor, chat, draft)
}

/** Writes a message into the chat of a talk. A talk that is closed, or being closed: 422. */
export async function sendToTalk(
  tx: Tx,
  kontor: Addressing,
  actor: Actor,
  talkId: number,
  draft: MessageDraft,
): Promise<OutgoingMessage> {
  const chat = await lockTalk(tx, actor, talkId, 'edit', 'The talk is closed')
  return writeMessage(tx, kontor, actor, chat, draft)
}

/** Writes a message into a locked chat, with its news. */
async function writeMessage(
  tx: Tx,
  kontor: Addressing,
  actor: Actor,
  chat: ChatRow,
  draft: MessageDraft,
): Promise<OutgoingMessage> {
  await requireWay(tx, actor, chat)
  const content = await contentOf(tx, kontor, actor, chat, draft)
  const writer = startWriting(tx, actor)
  const talk = await talkForMessage(tx, writer, chat, true)
  const statement = queries.insertOutgoing(writer, chat, talk.id, content)
  const message = (await tx.row<OutgoingMessage>(statement))!
  await putMessage(tx, writer, {
    chatId: chat.id,
    messageId: message.id,
    talkId: talk.id,
    msec: message.msec_timestamp,
    isOutgoing: true,
  })
  await record(tx, writer, [
    ...talk.entries,
    ...newsOfMessage(message, { id: message.id, uid: message.uid, isOutgoing: true }, null),
  ])
  return message
}

/**
 * Sends a message again whose delivery failed. Unknown or incoming message: 404. One that did not
 * fail, or that the channel itself published: 422.
 */
export async function sendAgain(
  tx: Tx,
  kontor: Addressing,
  actor: Actor,
  id: number,
): Promise<OutgoingMessage> {
  const { chat, message } = await lockOutgoing(tx, actor, { id })
  if (message.is_imported) throw new Problem(422, 'The channel itself published this message')
  if (message.status !== 'error') throw new Problem(422, 'This message did not fail')
  await requireWay(tx, actor, chat)
  // A callback that waits or is under way ends without an effect, and the follower plans a new one.
  const former = await tx.row<DueCallback>(queries.callbackOfMessage(actor, id))
  if (former) await finishCallbacks(tx, actor.accountId, [former], actor.at * 1000)
  await renewMedia(tx, kontor, actor, message)
  const after = { status: 'sending', error_code: null, error: null } as const
  const [again] = await changeMessageStatuses(tx, actor, [{ before: message, after }])
  return again!
}

/**
 * With which of the contacts the actor may begin a chat, and in which channels: those of version 2.
 * The contact has an address, and the actor may edit it.
 */
export async function listOpenings(
  reader: Reader,
  actor: Actor,
  contactIds: readonly number[],
): Promise<ChatOpening[]> {
  const connections = await connectionsOf(reader, actor)
  const open = connections.filter(({ hook_api_version }) => hook_api_version === 'v2')
  if (open.length === 0) return []
  const found = await reader.list<{ id: number }>(queries.addressedContacts(actor, contactIds))
  return open.flatMap(({ channelId, title }) =>
    found.map(({ id }) => ({ channel_id: channelId, title, contact_id: id })),
  )
}

/**
 * Begins a chat with a contact, in which nobody has written; the same contact, channel and phone name
 * the same chat. Unknown contact: 404. No right to edit it: 403. No way to write first: 422.
 */
export async function startChat(
  tx: Tx,
  actor: Actor,
  { channel_id, contact_id, ...draft }: ChatDraft,
): Promise<{ chat: StartedChat; isNew: boolean }> {
  const connection = await connectionInForce(tx, actor, channel_id)
  if (connection.hook_api_version === 'v1') throw cannotBegin()
  // The lock lets requests for one contact follow one another.
  const found = await lockRecords<RecordRow>(tx, actor, contacts, [contact_id], 'edit')
  const contact = found.get(contact_id)
  if (!contact) throw notFound('There is no such contact')
  const known = await tx.row<Pick<queries.Addressed, 'phone' | 'email'>>(
    queries.addressesOfContact(actor, contact_id),
  )
  const isNamed = draft.phone !== undefined || draft.email !== undefined
  const phone = draft.phone ?? (isNamed ? null : known!.phone)
  const email = draft.email ?? (isNamed && phone === null ? null : known!.email)
  if (phone === null && email === null)
    throw new Problem(422, 'The contact has neither a phone nor an e-mail to write to')
  const addressed = { channel_id: connection.channelId, contact_id, phone, email }
  const same = await tx.row<StartedChat>(queries.chatOfContact(actor, addressed))
  if (same) return { chat: same, isNew: false }
  const leads = await tx.rows<{ id: number }>(queries.openLeadsOf(actor, contact_id))
  const lead = leads.length === 1 ? leads[0]!.id : null
  const name = draft.name ?? contact.name
  const writer = startWriting(tx, actor)
  const chat = (await tx.row<StartedChat>(
    queries.insertStartedChat(writer, addressed, name, lead),
  ))!
  await record(tx, writer, [
    { type: 'chats', id: chat.id, actions: ['add'], before: null, events: [] },
  ])
  return { chat, isNew: true }
}

/** Throws 422 where a message of the chat has no way to its channel. */
async function requireWay(tx: Tx, actor: Actor, chat: ChatRow): Promise<void> {
  const { hook_api_version } = await connectionInForce(tx, actor, chat.channel_id)
  if (chat.conversation_id === null && hook_api_version === 'v1') throw cannotBegin()
}

async function connectionInForce(
  tx: Tx,
  actor: Actor,
  channelId: string,
): Promise<ChannelConnection> {
  const connection = await findConnection(tx, actor, channelId)
  if (!connection) throw new Problem(422, 'The account is not connected to this channel')
  return connection
}

const cannotBegin = () =>
  new Problem(422, 'The channel takes callbacks of version 1, which cannot begin a chat')

/** Gives the file of a message a new address: the former one may have ended. */
async function renewMedia(
  tx: Tx,
  kontor: Addressing,
  actor: Actor,
  { id, file_id }: MessageState,
): Promise<void> {
  if (file_id === null) return
  const [file] = await filesByIds(tx, actor, [file_id])
  if (!file) return
  const media = addressOf(kontor, actor.accountId, file, { expiresIn: fileSeconds })
  await tx.rows(queries.updateMedia(actor, id, media))
}

/** The seconds in which a channel, and the webhooks that hear of a message, may fetch its file. */
const fileSeconds = 30 * 86_400

/** The text of a message, and the file that it brings, which is kept from now on. */
async function contentOf(
  tx: Tx,
  kontor: Addressing,
  actor: Actor,
  chat: ChatRow,
  { text = '', file_id, reply_to }: MessageDraft,
): Promise<WrittenMessage> {
  if (reply_to !== undefined && !(await tx.row(queries.messageOfChat(actor, chat.id, reply_to))))
    throw invalidValue('NotSupportedChoice', 'reply_to', 'This is no message of the chat.')
  const written = { text, reply_to_id: reply_to ?? null }
  if (file_id === undefined) return { ...written, type: 'text', content: {}, file_id: null }
  const file = await requireOwnFile(tx, actor, file_id)
  const media = addressOf(kontor, actor.accountId, file, { expiresIn: fileSeconds })
  const content = { media, file_name: file.name, file_size: file.size ?? 0 }
  return { ...written, type: typeOfMedia(file.type), content, file_id }
}

/** The type of message that a media type makes. */
function typeOfMedia(type: string): MessageType {
  const [kind] = type.split('/')
  const types: Record<string, MessageType> = { image: 'picture', video: 'video', audio: 'audio' }
  return type === 'image/svg+xml' ? 'file' : (types[kind!] ?? 'file')
}
