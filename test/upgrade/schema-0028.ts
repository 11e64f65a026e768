// An account in use, as the twenty-eighth schema (0028_files.sql) knew it, written in SQL: what the
// twenty-sixth one had, and on top of it a conversation of the line with a file, one of a channel
// without an address whose messages wait to be told, and templates.
import sql from 'sql-template-tag'
import type { Database } from '../../server/database/connect.ts'
import { schema0026 } from './schema-0026.ts'
import type { FilledWithChannels } from './schema-0026.ts'
import type { Fixture } from './upgraded.ts'

const now = Math.floor(Date.now() / 1000)

export interface FilledWithChats extends FilledWithChannels {
  /** A chat of the line that is bound to a lead and its contact; its client, and its open talk. */
  chat: { id: number; talk: number; conversation: string; client: string; lead: number }
  /** A completed task of that lead, which was changed later: when it was completed. */
  completed: { id: number; at: number }
  /** A chat whose two messages wait to be told to a channel that has no address. */
  waiting: { id: number; messages: [number, number] }
}

export const schema0028: Fixture<FilledWithChats> = {
  last: '0028_files.sql',
  tables: [
    ...schema0026.tables,
    'chat_callbacks',
    'chat_clients',
    'chat_templates',
    'chats',
    'files',
    'messages',
    'talks',
  ],
  events: schema0026.events,
  moved: { chat_callbacks: ['attempts', 'due_at'] },
  fill,
}

async function fill(database: Database, account: number): Promise<FilledWithChats> {
  const filled = await schema0026.fill(database, account)
  const admin = account * 100 + 1
  const numbered = (index: number) => account * 10 + index
  const [bound, silent] = [numbered(1), numbered(2)]
  const [talk, closed, second] = [numbered(1), numbered(2), numbered(3)]
  const [requested, answered, shown, first, last] = [1, 2, 3, 4, 5].map(numbered) as [
    number,
    number,
    number,
    number,
    number,
  ]
  const { contact, lead } = filled.ids
  const ms = now * 1000
  const completed = { id: account * 10 + 8, at: now - 3600 }
  const chat = { id: bound, talk, conversation: `talk-${account}`, client: 'client-9', lead }
  await database.transaction(async (tx) => {
    const [mute] = await tx.list<{ id: string }>(sql`
      insert into channels (account_id, number, name, bot_name, hook_v1, hook_v2, secret, client_id, allowed_accounts,
                            is_avatar_required, created_by, created_at, updated_at, deleted_at)
      select account_id, ${numbered(2)}, 'Mute', bot_name, null, null, secret, null, '{}', false, created_by, created_at, updated_at, null
        from channels where account_id = ${account} and id = ${filled.channel.id} returning id`)
    await tx.list(sql`
      insert into channel_connections (account_id, channel_id, title, hook_api_version, is_time_window_disabled, connected_at,
                                       disconnected_at, last_error, last_error_at, updated_at)
      values (${account}, ${mute!.id}, 'Mute', 'v2', true, ${now}, null, null, null, ${now})`)
    const clients = await tx.list<{ uid: string }>(sql`
      insert into chat_clients (account_id, channel_id, client_id, name, avatar, profile_link, phone, email, created_at, updated_at)
      values (${account}, ${filled.channel.id}, ${chat.client}, 'Cleo', 'https://img.example/cleo.png', 'https://line.example/cleo',
              '+15550123', 'cleo@client.example', ${now}, ${now}),
             (${account}, ${mute!.id}, null, 'Dan', null, null, null, null, ${now}, ${now})
      returning uid`)
    const [cleo, dan] = [clients[0]!.uid, clients[1]!.uid]
    await tx.list(sql`
      insert into chats (account_id, id, channel_id, conversation_id, client_uid, source_id, contact_id, entity_type, entity_id, item_id,
                         talk_id, is_visible, last_message_id, last_at, unread, waiting_since, created_at, updated_at)
      values (${account}, ${bound}, ${filled.channel.id}, ${chat.conversation}, ${cleo}, null, ${contact}, 'leads', ${lead}, null,
              ${talk}, true, ${shown}, ${ms + 3}, 1, ${ms + 3}, ${now}, ${now}),
             (${account}, ${silent}, ${mute!.id}, null, ${dan}, null, ${contact}, null, null, null, ${second}, true, ${last}, ${ms + 2}, 0, null,
              ${now}, ${now})`)
    await tx.list(sql`
      insert into talks (account_id, id, chat_id, contact_id, entity_type, entity_id, rate, is_read, missed_at, closed_at, created_at, updated_at)
      values (${account}, ${talk}, ${bound}, ${contact}, 'leads', ${lead}, 0, false, null, null, ${now}, ${now}),
             (${account}, ${closed}, ${bound}, ${contact}, null, null, 0, true, ${now}, ${now}, ${now - 60}, ${now}),
             (${account}, ${second}, ${silent}, ${contact}, null, null, 0, true, null, null, ${now}, ${now})`)
    await tx.list(sql`
      insert into files (account_id, id, name, type, size, state, source, error, attempts, due_at, created_by, created_at, stored_at, attached_at)
      values (${account}, ${numbered(1)}, 'plan.pdf', 'application/pdf', 12, 'stored', null, null, 0, null, ${admin}, ${now}, ${now}, ${now}),
             (${account}, ${numbered(2)}, 'cat.png', 'image/png', null, 'failed', 'https://img.example/cat.png', 'It answered 404', 1, null, 0,
              ${now}, null, null)`)
    const media = (name: string) => JSON.stringify({ media: `https://img.example/${name}` })
    await tx.list(sql`
      insert into messages (account_id, id, chat_id, channel_id, msgid, talk_id, is_outgoing, is_imported, is_silent, user_id, client_uid,
                            contact_id, entity_type, entity_id, type, text, content, file_id, reply_to_id, reactions, msec_timestamp, status,
                            error_code, error, created_at, updated_at)
      values (${account}, ${requested}, ${bound}, ${filled.channel.id}, 'm-1', ${closed}, false, true, false, null, ${cleo}, ${contact}, null, null,
              'picture', 'The kitchen', ${media('cat.png')}, ${numbered(2)}, null, ${'[{"user":"cleo","emoji":"👍"}]'}, ${ms + 1}, null, null, null,
              ${now}, ${now}),
             (${account}, ${answered}, ${bound}, ${filled.channel.id}, null, ${talk}, true, false, false, ${admin}, ${cleo}, ${contact}, 'leads',
              ${lead}, 'file', 'The plan', ${media('plan.pdf')}, ${numbered(1)}, ${requested}, null, ${ms + 2}, 'error', 905, 'Blocked', ${now}, ${now}),
             (${account}, ${shown}, ${bound}, ${filled.channel.id}, 'm-2', ${talk}, false, true, false, null, ${cleo}, ${contact}, 'leads', ${lead},
              'text', 'Thank you', '{}', null, null, null, ${ms + 3}, null, null, null, ${now}, ${now}),
             (${account}, ${first}, ${silent}, ${mute!.id}, null, ${second}, true, false, false, ${admin}, ${dan}, ${contact}, null, null, 'text',
              'First', '{}', null, null, null, ${ms + 1}, 'sending', null, null, ${now}, ${now}),
             (${account}, ${last}, ${silent}, ${mute!.id}, null, ${second}, true, false, false, ${admin}, ${dan}, ${contact}, null, null, 'text',
              'Second', '{}', null, null, null, ${ms + 2}, 'sending', null, null, ${now}, ${now})`)
    await tx.list(sql`
      insert into chat_callbacks (account_id, id, chat_id, message_id, attempts, due_at, created_at)
      values (${account}, ${numbered(1)}, ${silent}, ${first}, 1, ${ms}, ${now}), (${account}, ${numbered(2)}, ${silent}, ${last}, 0, ${ms}, ${now})`)
    await tx.list(sql`
      insert into chat_templates (account_id, id, name, content, created_by, created_at, updated_at)
      values (${account}, ${numbered(1)}, 'Hours', 'We are open from 9 to 5.', ${admin}, ${now}, ${now})`)
    await tx.list(sql`
      insert into tasks (account_id, id, text, task_type_id, responsible_user_id, group_id, entity_type, entity_id, complete_till, duration,
                         is_completed, result, created_by, updated_by, created_at, updated_at)
      select ${account}, ${completed.id}, 'Write', task_type_id, responsible_user_id, group_id, entity_type, entity_id, complete_till, duration,
             true, null, created_by, updated_by, created_at, updated_at
        from tasks where account_id = ${account} and entity_type = 'leads' and entity_id = ${lead}`)
    await tx.list(sql`
      insert into events (account_id, id, type, entity_type, entity_id, created_by, created_at, value_before, value_after)
      values (${account}, ulid_time(${completed.at * 1000}::bigint) || lpad(to_hex(nextval('events_number')), 16, '0'), 'task_completed', 'task',
              ${completed.id}, ${admin}, ${completed.at}, '[]', '[]')`)
  })
  return { ...filled, chat, completed, waiting: { id: silent, messages: [first, last] } }
}
