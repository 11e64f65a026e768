// The floor of chats: the statements that features/conversations/messages runs for a message and for a page of a
// thread, from a bare server that checks the signature over the bytes of the body and no more.
import { startWriting } from '../server/access/actor.ts'
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { serverItself } from '../server/access/user-access.ts'
import { record } from '../server/changes/record.ts'
import type { Entry } from '../server/changes/record.ts'
import { readConfig } from '../server/config.ts'
import { connect } from '../server/database/connect.ts'
import type { Tx } from '../server/database/connect.ts'
import * as chats from '../server/features/conversations/chats/queries.ts'
import type { ChatRow, ClientRow } from '../server/features/conversations/chats/queries.ts'
import { leads } from '../server/features/records/leads/leads.ts'
import { newsOfMessage } from '../server/features/conversations/messages/news.ts'
import * as messages from '../server/features/conversations/messages/queries.ts'
import type { ChatPerson, NewMessage } from '../server/features/conversations/messages/schema.ts'
import { threadPage } from '../server/features/conversations/messages/thread/queries.ts'
import {
  lockTargetPipelines,
  stagesAround,
} from '../server/features/definitions/pipelines/pipelines.ts'
import * as items from '../server/features/records/unsorted/queries.ts'
import type { ChatInfo } from '../server/features/records/unsorted/schema.ts'
import { compactJson } from '../server/http/compact.ts'
import { insertRows } from '../server/records/writing/statements.ts'
import type { InsertedRow } from '../server/records/writing/statements.ts'
import { account, serve } from './bare.ts'
import type { BareRequest } from './bare.ts'
import type { BenchScope } from './chats.ts'

const { secret, code, channelId } = JSON.parse(process.argv[3]!) as BenchScope
const config = readConfig()
const database = connect(config.databaseUrl!, config.databasePool)
/** Messages of the scenario come from clients. */
type ClientMessage = NewMessage & { sender: ChatPerson }

const actor = serverItself(account.id, 0)
const scope = { accountId: account.id, channelId }

serve((request) => (request.method === 'GET' ? thread(request) : publish(request)))

async function publish({ signature, bytes }: BareRequest): Promise<string> {
  const sent = await bytes()
  if (createHmac('sha1', secret).update(sent).digest('hex') !== signature)
    throw new Error('The signature is wrong')
  const { payload } = JSON.parse(sent.toString()) as { payload: ClientMessage }
  actor.at = Math.floor(Date.now() / 1000)
  return database.transaction(async (tx) => {
    const { msgid, conversation_id, sender, timestamp } = payload
    await tx.rows(messages.lockNames(scope, [`message ${msgid}`, `chat ${conversation_id}`]))
    await tx.row(messages.knownMessage(scope, msgid))
    const there = await tx.row<ChatRow>(chats.lockConversationRow(scope, conversation_id, null))
    const [known] = await tx.rows<ClientRow>(
      chats.clientsOf(scope, sender.id, there?.client_uid ?? null),
    )
    const client_uid = known?.uid ?? (await addClient(tx, payload))
    const entries: Entry[] = []
    const chat = there
      ? await destined(tx, there, entries)
      : await addChat(tx, payload, client_uid, entries)
    const { id, uid } = (await tx.row<{ id: number; uid: string }>(
      messages.insertMessage(actor, {
        chat_id: chat.id,
        channel_id: channelId,
        msgid,
        talk_id: chat.talk_id,
        is_outgoing: false,
        is_imported: true,
        is_silent: false,
        user_id: null,
        client_uid,
        contact_id: chat.contact_id,
        entity_type: chat.entity_type,
        entity_id: chat.entity_id,
        type: 'text',
        text: payload.message.text!,
        content: {},
        file_id: null,
        reply_to_id: null,
        msec_timestamp: timestamp * 1000,
        status: null,
      }),
    ))!
    const arrival = { chatId: chat.id, messageId: id, talkId: chat.talk_id!, isOutgoing: false }
    await tx.rows(chats.updateByMessage(actor, { ...arrival, msec: timestamp * 1000 }))
    entries.push(...newsOfMessage(chat, { id, uid, isOutgoing: false }, null))
    if (!there) entries.push(added('talks', chat.talk_id!), added('chats', chat.id))
    await record(tx, startWriting(tx, actor), entries)
    const answer = { conversation_id: chat.uid, sender_id: client_uid, receiver_id: null }
    return JSON.stringify({ new_message: { ...answer, msgid: uid, ref_id: msgid } })
  })
}

const added = (type: Entry['type'], id: number): Entry => ({
  type,
  id,
  actions: ['add'],
  before: null,
  events: [],
})

/** A chat whose record is open. Its talk becomes unread with the first message. */
async function destined(tx: Tx, chat: ChatRow, entries: Entry[]): Promise<ChatRow> {
  await tx.row(chats.openDestination(actor, chat))
  if (chat.unread > 0) return chat
  const id = chat.talk_id!
  await tx.row(chats.updateTalkRead(actor, id, false))
  entries.push({ type: 'talks', id, actions: ['update'], before: { is_read: true }, events: [] })
  return chat
}

async function addClient(tx: Tx, { sender }: ClientMessage): Promise<string> {
  const client = { client_id: sender.id, name: sender.name, avatar: sender.avatar! }
  const row = { ...client, profile_link: null, phone: null, email: null }
  return (await tx.row<{ uid: string }>(chats.insertClient(scope, row, actor.at)))!.uid
}

/** A chat with its item, the lead of that, and a talk. */
async function addChat(
  tx: Tx,
  { conversation_id, sender, timestamp, message }: ClientMessage,
  client_uid: string,
  entries: Entry[],
): Promise<ChatRow> {
  const draft = { conversation_id, client_uid, source_id: null }
  const chat = (await tx.row<ChatRow>(chats.insertChat(scope, draft, actor.at)))!
  await lockTargetPipelines(tx, actor, [{}], 'create')
  const drawn = (await tx.row<{ unsorted_items: number[]; contacts: number[] }>(
    items.drawIds(1, 1, 0),
  ))!
  const stages = await stagesAround(tx, actor, [], [])
  const [itemId, status_id] = [drawn.unsorted_items[0]!, stages.unsorted(stages.main)!]
  const name = `Chat with ${sender.name}`
  const lead = {
    name,
    price: 0,
    responsible_user_id: 0,
    group_id: 0,
    created_by: 0,
    updated_by: 0,
    created_at: actor.at,
    updated_at: actor.at,
    custom_fields_values: null,
    tag_ids: [],
    pipeline_id: stages.main,
    status_id,
    loss_reason_id: null,
    source_id: null,
    closed_at: null,
    unsorted_id: itemId,
    numbers: [],
    texts: [],
    isUntitled: false,
    text: name,
    grams: name,
  }
  const [inserted] = await tx.rows<InsertedRow>(insertRows(leads, actor, [lead]))
  const metadata: ChatInfo = {
    from: sender.name,
    to: 'Bench',
    service: code,
    source_name: 'Bench',
    received_at: timestamp,
    client: { name: sender.name, avatar: sender.avatar! },
    origin: { chat_id: chat.uid, ref: null, visitor_uid: null },
    last_message_text: message.text!,
  }
  const data = {
    leads: [{}],
    contacts: [{ name: sender.name }],
    companies: [],
    notes: [],
  }
  const item = {
    id: itemId,
    uid: randomBytes(30).toString('hex'),
    category: 'chats' as const,
    source_uid: `${code}:${chat.uid}`,
    source_name: 'Bench',
    pipeline_id: stages.main,
    status_id,
    lead_ids: [inserted!.id],
    contact_ids: [drawn.contacts[0]!],
    company_ids: [],
    metadata,
    data,
    content: createHash('sha256')
      .update(JSON.stringify([metadata, data]))
      .digest('base64'),
    client_id: null,
    created_by: 0,
    created_at: actor.at,
    at: actor.at,
  }
  await tx.rows(items.insertItems(actor, [item]))
  entries.push(added('unsorted_items', itemId))
  const bound = { entity_type: 'leads' as const, entity_id: inserted!.id, item_id: itemId }
  await tx.rows(chats.updateDestination(actor, chat.id, bound))
  const talk = (await tx.row<{ id: number }>(chats.insertTalk(actor, chat, false)))!
  return { ...chat, ...bound, talk_id: talk.id }
}

async function thread({ base, pathname, query }: BareRequest): Promise<string> {
  const [limit, before] = [Number(query.get('limit')), query.get('before')]
  const [msec, id] = (before ?? '').split('.').map(Number)
  const from = before === null ? undefined : { msec: msec!, id: id! }
  const chatId = Number(pathname.split('/')[4])
  const range = { direction: 'before' as const, from, limit: limit + 1 }
  const rows = await database.rows<{ json: string; msec_timestamp: number; id: number }>(
    threadPage({ ...actor, isAdmin: true }, chatId, range),
  )
  const shown = rows.slice(0, limit).toReversed()
  const link = (more: string) => ({ href: `${base}${pathname}?limit=${limit}${more}` })
  const cursor = (row: { msec_timestamp: number; id: number }) => `${row.msec_timestamp}.${row.id}`
  const links = {
    self: link(before === null ? '' : `&before=${before}`),
    ...(rows.length > limit && { older: link(`&before=${cursor(shown[0]!)}`) }),
    ...(before !== null && { newer: link(`&after=${cursor(shown.at(-1)!)}`) }),
  }
  const none = '{"media":null,"file_name":null,"file_size":null,'
  const list = shown.map(({ json }) => none + compactJson(json).slice(1)).join(',')
  return `{"_links":${JSON.stringify(links)},"_embedded":{"messages":[${list}]}}`
}
