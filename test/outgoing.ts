// Chats as a channel makes them, for tests of what leaves the account.
import sql from 'sql-template-tag'
import type { TestAccount } from './account.ts'
import { addChannel, amojoIdOf, connect } from './channels.ts'
import type { TestChannel } from './channels.ts'
import { addRecord } from './records.ts'

export interface TestLine extends TestChannel {
  scope: string
  /** The account in the chat service. */
  amojoId: string
}

/** A channel that the account is connected to, with these settings. */
export async function addLine(
  account: TestAccount,
  { version = 'v2', ...draft }: { version?: 'v1' | 'v2'; hook_v1?: string; hook_v2?: string } = {},
): Promise<TestLine> {
  const channel = await addChannel(account, draft)
  const amojoId = await amojoIdOf(account)
  const body = { account_id: amojoId, hook_api_version: version }
  const answer = await connect(account, channel, body)
  return { ...channel, amojoId, scope: answer.body.scope_id }
}

export interface TestChat {
  id: number
  uid: string
  contactId: number
  conversationId: string
  client: { uid: string; id: string; name: string }
}

let chats = 0

/** A chat of a new contact, as the first message of its client leaves it, without the message. */
export async function addTestChat(
  account: TestAccount,
  channel: Pick<TestChannel, 'id'>,
  { responsible, lead }: { responsible?: number; lead?: number } = {},
): Promise<TestChat> {
  const { api, id: accountId, kontor } = account
  const number = ++chats
  const fields = responsible === undefined ? {} : { responsible_user_id: responsible }
  const contactId = await addRecord(api, 'contacts', { name: 'Ann', ...fields })
  const client = { id: `cl-${number}`, name: 'Ann B' }
  const conversationId = `cv-${number}`
  const at = kontor.now()
  const made = await kontor.database.transaction((tx) =>
    tx.row<{ id: number; uid: string; client_uid: string }>(sql`
      with client as (
        insert into chat_clients (account_id, channel_id, client_id, name, phone, created_at, updated_at)
        values (${accountId}, ${channel.id}, ${client.id}, ${client.name}, '+15550100', ${at}, ${at}) returning uid
      )
      insert into chats (account_id, channel_id, conversation_id, client_uid, contact_id, entity_type, entity_id, is_visible, created_at,
                         updated_at)
      select ${accountId}::bigint, ${channel.id}::uuid, ${conversationId}, uid, ${contactId}::bigint,
             case when ${lead ?? null}::bigint is not null then 'leads' end, ${lead ?? null}::bigint, true, ${at}::bigint, ${at}::bigint
        from client returning id, uid, client_uid`),
  )
  const { id, uid, client_uid } = made!
  return { id, uid, contactId, conversationId, client: { uid: client_uid, ...client } }
}

/** A message of the client, as the channel publishes it, a minute ago. Answers its id and uid. */
export async function addIncoming(
  { id: accountId, kontor }: TestAccount,
  { id: chatId }: Pick<TestChat, 'id'>,
  { text = 'Hello', ago = 60 }: { text?: string; ago?: number } = {},
): Promise<{ id: number; uid: string; msec: number }> {
  const at = kontor.now()
  const msec = (at - ago) * 1000
  const made = await kontor.database.transaction((tx) =>
    tx.row<{ id: number; uid: string }>(sql`
      with message as (
        insert into messages (account_id, chat_id, channel_id, msgid, is_outgoing, is_imported, is_silent, client_uid, contact_id, type, text,
                              content, msec_timestamp, created_at, updated_at)
        select account_id, id, channel_id, gen_random_uuid()::text, false, true, false, client_uid, contact_id, 'text', ${text}, '{}',
               ${msec}::bigint, ${at}::bigint, ${at}::bigint
          from chats where account_id = ${accountId} and id = ${chatId} returning id, uid
      ), chat as (
        update chats set last_at = ${msec}::bigint, unread = unread + 1, waiting_since = coalesce(waiting_since, ${msec}::bigint)
         where account_id = ${accountId} and id = ${chatId}
      )
      select id, uid from message`),
  )
  return { ...made!, msec }
}
