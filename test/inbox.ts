// Conversations for tests of reading them, put into the database as publishing leaves them.
import sql from 'sql-template-tag'
import type { TestAccount } from './account.ts'
import { addChannel } from './channels.ts'

export interface TestInbox {
  account: TestAccount
  channel: { id: string; code: string; bot_id: string }
}

export interface TestChat {
  id: number
  uid: string
  client_uid: string
  talk_id: number | null
}

export interface ChatDraft {
  channel_id?: string
  name?: string
  contact_id?: number | null
  entity?: { type: 'leads' | 'customers'; id: number }
  item_id?: number
  source_id?: number
  is_visible?: boolean
  /** Whether a talk is in work. */
  is_open?: boolean
  unread?: number
  /** Milliseconds. */
  waiting_since?: number
  last_at?: number
}

/** A channel that the account owns. */
export async function newInbox(account: TestAccount): Promise<TestInbox> {
  return { account, channel: await addChannel(account) }
}

/** Adds a chat, and its open talk unless it is closed. */
export async function addChat(
  { account: { id: account, kontor }, channel }: TestInbox,
  draft: ChatDraft = {},
): Promise<TestChat> {
  const { channel_id = channel.id, name = 'Ann', contact_id = null, entity } = draft
  const { is_open = true, is_visible = true, unread = 0, last_at = 1_700_000_000_000 } = draft
  const at = kontor.now()
  return kontor.database.transaction(async (tx) => {
    const client = await tx.row<{ uid: string }>(sql`
      insert into chat_clients (account_id, channel_id, client_id, name, created_at, updated_at)
      values (${account}, ${channel_id}, gen_random_uuid(), ${name}, ${at}, ${at}) returning uid`)
    const chat = await tx.row<{ id: number; uid: string }>(sql`
      insert into chats (account_id, channel_id, conversation_id, client_uid, source_id, contact_id, entity_type, entity_id,
                         item_id, is_visible, last_at, unread, waiting_since, created_at, updated_at)
      values (${account}, ${channel_id}, gen_random_uuid(), ${client!.uid}, ${draft.source_id ?? null}, ${contact_id},
              ${entity?.type ?? null}, ${entity?.id ?? null}, ${draft.item_id ?? null}, ${is_visible}, ${last_at}, ${unread},
              ${unread === 0 ? null : (draft.waiting_since ?? last_at)}, ${at}, ${at}) returning id, uid`)
    const talk = is_open
      ? await tx.row<{ id: number }>(sql`
          insert into talks (account_id, chat_id, contact_id, entity_type, entity_id, is_read, created_at, updated_at)
          values (${account}, ${chat!.id}, ${contact_id}, ${entity?.type ?? null}, ${entity?.id ?? null}, ${unread === 0}, ${at}, ${at})
          returning id`)
      : undefined
    await tx.rows(sql`
      update chats set talk_id = ${talk?.id ?? null} where account_id = ${account} and id = ${chat!.id}`)
    return { ...chat!, client_uid: client!.uid, talk_id: talk?.id ?? null }
  })
}

export interface MessageDraft {
  /** Milliseconds. */
  at: number
  text?: string
  type?: string
  content?: object
  file_id?: number
  is_outgoing?: boolean
  is_imported?: boolean
  is_silent?: boolean
  user_id?: number
  status?: string
  error_code?: number
  error?: string
  reply_to_id?: number
  reactions?: object[]
  talk_id?: number | null
}

/** Adds messages to a chat as they are, in their order, and answers their ids. */
export async function addMessages(
  { account: { id: account, kontor }, channel }: TestInbox,
  chat: TestChat,
  drafts: MessageDraft[],
): Promise<number[]> {
  const rows = drafts.map((draft) => ({
    type: 'text',
    text: '',
    content: {},
    is_outgoing: false,
    is_imported: false,
    is_silent: false,
    talk_id: chat.talk_id,
    ...(draft.is_outgoing && { status: 'sent' }),
    ...draft,
  }))
  const added = await kontor.database.transaction((tx) =>
    tx.rows<{ id: number }>(sql`
      insert into messages (account_id, chat_id, channel_id, msgid, talk_id, is_outgoing, is_imported, is_silent, user_id, client_uid,
                            type, text, content, file_id, reply_to_id, reactions, msec_timestamp, status, error_code, error, created_at, updated_at)
      select ${account}, ${chat.id}, ${channel.id}, gen_random_uuid(), talk_id, is_outgoing, is_imported, is_silent, user_id,
             ${chat.client_uid}, type, text, content, file_id, reply_to_id, reactions, at, status, error_code, error, at / 1000, at / 1000
        from json_to_recordset(${JSON.stringify(rows)}::json) as draft(
               talk_id bigint, is_outgoing boolean, is_imported boolean, is_silent boolean, user_id bigint, type text, text text,
               content jsonb, file_id bigint, reply_to_id bigint, reactions jsonb, at bigint, status text, error_code int, error text)
      returning id`),
  )
  return added.map(({ id }) => id)
}

export interface Journaled {
  entity_type: string
  entity_id: number
  actions: string[]
  before: object | null
  after: Record<string, unknown>
}

/** Runs a write, and answers what it journaled in the account, and the types of its events. */
export async function newsOf(
  { id, kontor: { database } }: TestAccount,
  write: () => Promise<unknown>,
): Promise<{ journal: Journaled[]; events: string[] }> {
  const last = await database.row<{ id: number }>(
    sql`select coalesce(max(id), 0) as id from journal where account_id = ${id}`,
  )
  const latest = await database.row<{ id: string }>(
    sql`select coalesce(max(id), '') as id from events where account_id = ${id}`,
  )
  await write()
  const journal = await database.rows<Journaled>(sql`
    select entity_type, entity_id, actions, before, after from journal
     where account_id = ${id} and id > ${last!.id} order by id`)
  const events = await database.rows<{ type: string }>(
    sql`select type from events where account_id = ${id} and id > ${latest!.id} order by id`,
  )
  return { journal, events: events.map(({ type }) => type) }
}
