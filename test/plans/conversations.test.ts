// The plans of chats, their messages and their channels. Each part fills accounts of its own.
import sql, { raw as sqlRaw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Actor } from '../../server/access/actor.ts'
import { fullRights } from '../../server/access/rights.ts'
import type { RightLevel } from '../../server/access/rights.ts'
import { callingChannel } from '../../server/access/channels.ts'
import {
  accountOfAmojo,
  channelList,
  connectionsInForce,
  connectionsOfAccount,
  connectionsOfChannel,
  countChannels,
  lockCallingChannel,
  lockChannel,
} from '../../server/features/conversations/channels/queries.ts'
import { feedOf, scannedRows } from '../../server/features/application/feed/queries.ts'
import { end, parsePosition } from '../../server/features/application/feed/positions.ts'
import { countInbox, findChats } from '../../server/features/conversations/chats/inbox/inbox.ts'
import {
  inboxCounts,
  latestOfClient,
  messagePosition,
  oneInboxChat,
  unreadAfter,
} from '../../server/features/conversations/chats/inbox/queries.ts'
import type { InboxQuery } from '../../server/features/conversations/chats/inbox/schema.ts'
import {
  contactChatPage,
  contactsOfOpenTalks,
  keepContacts,
  lockChatsByUid,
} from '../../server/features/conversations/chats/contact-chats/queries.ts'
import { shownTalk } from '../../server/features/conversations/chats/talks/queries.ts'
import type { TalkFilter } from '../../server/features/conversations/chats/talks/schema.ts'
import { findTalks } from '../../server/features/conversations/chats/talks/talks.ts'
import {
  countTemplates,
  templateList,
  templateOrder,
} from '../../server/features/conversations/chats/templates/queries.ts'
import {
  messagesOfChats,
  talkMessagePage,
  threadPage,
  viewedChat,
  viewedTalk,
} from '../../server/features/conversations/messages/thread/queries.ts'
import {
  callbackFacts,
  chatOfContact,
  endCallbacks,
  lockChats,
  lockQueues,
  messageOfChat,
  messageStates,
  openLeadsOf,
  positionOfMessage,
  putOff,
  takeCallbacks,
  updateMessageStates,
} from '../../server/features/conversations/messages/outgoing/queries.ts'
import { payloadChats } from '../../server/features/conversations/chats/talks/webhook.ts'
import * as chatting from '../../server/features/conversations/chats/queries.ts'
import type { ChatRow } from '../../server/features/conversations/chats/chats.ts'
import * as named from '../../server/features/conversations/messages/queries.ts'
import type { NewMessageRow } from '../../server/features/conversations/messages/queries.ts'
import { chatsOfMessages, writersOf } from '../../server/features/conversations/messages/webhook.ts'
import * as itemChats from '../../server/features/records/unsorted/chats.ts'
import type { ChatInfo } from '../../server/features/records/unsorted/schema.ts'
import * as items from '../../server/features/records/unsorted/queries.ts'
import type { PagePosition } from '../../server/http/paging.ts'
import { admin } from '../actor.ts'
import { first, plansOn, read } from '../plans.ts'
import type { Plan, Plans } from '../plans.ts'
import { scratchDatabase } from '../scratch.ts'
import type { Scratch } from '../scratch.ts'
import { stretched } from '../slow.ts'

const base = 'http://kontor'

let scratch: Scratch
let plans: Plans

beforeAll(async () => {
  scratch = await scratchDatabase()
  plans = await plansOn(scratch.database)
}, stretched(300_000))
afterAll(() => scratch.drop())

describe('channels', () => {
  const asking = { ...admin, accountId: 10 }
  const id = (n: number, kind: number) =>
    `00000000-0000-4000-8000-${kind}${String(n).padStart(11, '0')}`

  // Account 10 owns channels 1 to 100, account 11 the others; each reaches the 50 accounts from 10 on.
  beforeAll(async () => {
    const { database } = scratch
    const idOf = (n: Sql, kind: Sql) =>
      sql`('00000000-0000-4000-8000-' || ${kind} || lpad(${n}::text, 11, '0'))::uuid`
    await database.list(sql`
      insert into accounts (id, subdomain, name, amojo_id, created_at, updated_at)
      select n, 'chat-' || n, 'Chats', ${idOf(sql`n`, sql`2`)}, 0, 0 from generate_series(10, 9999) n
          on conflict do nothing`)
    await database.list(sql`
      insert into channels (account_id, id, name, bot_name, secret, created_by, created_at, updated_at)
      select case when n <= 100 then 10 else 11 end, ${idOf(sql`n`, sql`1`)}, 'Line', 'Line', '', 0, 0, 0
        from generate_series(1, 5000) n`)
    await database.list(sql`
      insert into channel_connections (account_id, channel_id, title, hook_api_version, is_time_window_disabled, connected_at,
                                       disconnected_at, updated_at)
      select account, ${idOf(sql`n`, sql`1`)}, 'Line', 'v1', false, 0, case when n > 50 then 1 end, 0
        from generate_series(1, 5000) n, generate_series(10, 59) account where account <> 10 or n <= 100`)
    await database.list(sql`analyze accounts, channels, channel_connections`)
  })

  test.each<[string, Sql, channels: number, connections: number]>([
    ['those of an account', channelList(asking), 100, 0],
    ['their number', countChannels(asking), 100, 0],
  ])('%s', async (_what, statement, channels, connections) => {
    const steps = await plans.explain(statement)
    plans.judge(steps, channels)
    expect([read(steps, /^channels/), read(steps, /connections/)]).toEqual([channels, connections])
  })

  // A channel is known by its id alone (decision 52), and its connections stand in other accounts.
  const named = { channelId: id(7, 1), amojoId: id(12, 2) }
  test.each<[string, Sql, channels: number, connections: number]>([
    ['one of an account', channelList(asking, id(7, 1)), 1, 0],
    ['one to change', lockChannel(asking, id(7, 1)), 1, 0],
    ['the one that calls, and its connection', callingChannel(named), 1, 1],
    ['the one that calls, by its id alone', callingChannel({ ...named, amojoId: null }), 1, 0],
    ['the one that an account is connected to', lockCallingChannel(id(7, 1), 10, id(10, 2)), 1, 0],
    ['the connections of one', connectionsOfChannel(asking, id(7, 1), 1000), 1, 50],
    ['the connections of an account', connectionsOfAccount(asking, 1000), 100, 100],
    ['those in force of an account', connectionsInForce(asking), 50, 100],
    ['the one in force with a channel', connectionsInForce(asking, id(7, 1)), 1, 1],
    ['an account by its id', accountOfAmojo(id(12, 2)), 0, 0],
  ])('%s', async (_what, statement, channels, connections) => {
    const steps = await plans.explain(statement)
    expect(read(steps, /^channels/)).toBeLessThanOrEqual(channels)
    expect(read(steps, /connections/)).toBeLessThanOrEqual(connections)
    expect(read(steps, /accounts/)).toBeLessThanOrEqual(Math.max(1, 2 * connections))
  })
})

describe('reading chats', () => {
  const accountId = 7001
  const asking = { ...admin, accountId }
  const limited = (view: RightLevel, userId = 7): Actor => ({
    ...asking,
    isAdmin: false,
    userId,
    groupId: 3,
    rights: {
      ...fullRights,
      leads: { ...fullRights.leads, view },
      contacts: { ...fullRights.contacts, view },
    },
  })
  const uuid = (kind: number, n: Sql | number) =>
    sql`('00000000-0000-4000-8000-' || ${kind} || lpad((${n})::text, 11, '0'))::uuid`
  const uuidOf = (kind: number, n: number) =>
    `00000000-0000-4000-8000-${kind}${String(n).padStart(11, '0')}`

  // Of 20,000 chats in each of two accounts every tenth is open, every twentieth has unread messages.
  // Contact n has four chats; user 7 has 100 contacts, and user 49 has two, of old and closed chats.
  // Chat 1 has 50,000 messages, the first 100 of them in talk 1.
  beforeAll(async () => {
    const { database } = scratch
    const write = (statement: Sql) => database.list(statement)
    const chats = sql`generate_series(7001, 7002) account, generate_series(1, 20000) n`
    await write(sql`
      insert into accounts (id, subdomain, name, created_at, updated_at)
      select n, 'read-' || n, 'Chats', 0, 0 from generate_series(7001, 7002) n
          on conflict do nothing`)
    await write(sql`
      insert into channels (account_id, id, name, bot_name, secret, created_by, created_at, updated_at)
      select 7001, ${uuid(7, sql`n`)}, 'Line', 'Line', '', 0, 0, 0 from generate_series(1, 20) n`)
    await write(sql`
      insert into channel_connections (account_id, channel_id, title, hook_api_version, is_time_window_disabled, connected_at, updated_at)
      select 7001, ${uuid(7, sql`n`)}, 'Line', 'v1', false, 0, 0 from generate_series(1, 20) n`)
    for (const table of ['contacts', 'leads'])
      await write(sql`
        insert into ${sqlRaw(table)} (account_id, id, name, ${sqlRaw(table === 'leads' ? 'price, pipeline_id, status_id' : 'first_name, last_name')},
                                      responsible_user_id, group_id, created_by, updated_by, created_at, updated_at)
        select account, n, 'One', ${sqlRaw(table === 'leads' ? '0, 1, 1' : "'', ''")},
               case when n <= 2 then 49 else n % 49 end, n % 5, 1, 1, 1, 1
          from generate_series(7001, 7002) account, generate_series(1, 5000) n`)
    await write(sql`
      insert into chat_clients (account_id, uid, channel_id, client_id, name, created_at, updated_at)
      select account, ${uuid(8, sql`n`)}, ${uuid(7, sql`n % 20 + 1`)}, n, 'Client ' || n, 1, 1 from ${chats}`)
    await write(sql`
      insert into chats (account_id, id, uid, channel_id, client_uid, contact_id, entity_type, entity_id, item_id, talk_id, is_visible,
                         last_message_id, last_at, unread, waiting_since, created_at, updated_at)
      select account, n, ${uuid(9, sql`n`)}, ${uuid(7, sql`n % 20 + 1`)}, ${uuid(8, sql`n`)}, n % 5000 + 1,
             case when n % 7 = 0 then 'leads' end, case when n % 7 = 0 then n % 3000 + 1 end,
             case when n % 1000 = 0 then 1 end, case when n % 10 = 0 then n + 100000 end, true, n + 100000, 1700000000000 + n * 1000,
             case when n % 20 = 0 then 1 else 0 end, case when n % 20 = 0 then 1700000000000 + n * 1000 end, 1, 1 from ${chats}`)
    await write(sql`
      insert into talks (account_id, id, chat_id, contact_id, entity_type, entity_id, is_read, closed_at, created_at, updated_at)
      select account, n + extra, n, n % 5000 + 1, case when n % 7 = 0 then 'leads' end, case when n % 7 = 0 then n % 3000 + 1 end,
             n % 20 > 0, case when extra = 0 or n % 10 > 0 then 1 end, 1, 1
        from ${chats}, (values (0), (100000)) extra (extra)`)
    await write(sql`
      insert into messages (account_id, id, chat_id, channel_id, talk_id, is_outgoing, is_imported, is_silent, client_uid, type, text,
                            content, status, msec_timestamp, created_at, updated_at)
      select account, n + 100000, n, ${uuid(7, sql`n % 20 + 1`)}, n + 100000, false, false, false, ${uuid(8, sql`n`)}, 'text', '', '{}'::jsonb,
             null, 1700000000000 + n * 1000, 1, 1 from ${chats}
       union all
      select 7001, n, 1, ${uuid(7, 1)}, case when n > 100 then 100001 else 1 end, n % 2 = 0, false, n % 5 = 0, ${uuid(8, 1)}, 'text', '', '{}'::jsonb,
             case when n % 2 = 0 then 'sent' end, 1690000000000 + n, 1, 1 from generate_series(1, 50000) n`)
    await write(sql`
      insert into chat_templates (account_id, id, name, content, created_by, created_at, updated_at)
      select account, n, n, '', 1, 1, 1 from generate_series(7001, 7100) account, generate_series(1, 500) n
       where account < 7003`)
    await write(sql`
      insert into companies (account_id, id, name, responsible_user_id, group_id, created_by, updated_by, created_at, updated_at)
      select 7002, n, 'Few', 1, 0, 1, 1, 1, 1 from generate_series(1, 5000) n
       union all select 7001, 900007001, 'Many', 1, 0, 1, 1, 1, 1`)
    await write(sql`
      insert into links (account_id, from_type, from_id, to_type, to_id)
      select 7001, 'companies', 900007001, type, n from unnest(array['contacts', 'leads']) type, generate_series(1, 3000) n
       union all
      select 7001, 'leads', 7, 'contacts', n from generate_series(1, 40) n`)
    await write(sql`
      analyze accounts, channels, channel_connections, companies, contacts, leads, links, chat_clients, chats, talks, messages, chat_templates`)
  })

  /** No whole table, and no more rows of these tables than named. */
  function expectReads(steps: Plan[], bounds: Record<string, number>): void {
    for (const { 'Node Type': type, 'Relation Name': table } of steps)
      if (!['accounts', 'channels', 'channel_connections'].includes(table ?? ''))
        expect([type, table]).not.toEqual(['Seq Scan', table])
    for (const [table, most] of Object.entries(bounds))
      expect([table, read(steps, new RegExp(`^${table}$`)) <= most]).toEqual([table, true])
  }

  const open = 2000
  /** Rows that are read before a user's records are: 2,000, and once more up to the first behind them. */
  const tested = 2000 + 2001
  const later = {
    ...first,
    after: { key: Number.MAX_SAFE_INTEGER - 1_700_010_000_000, id: 10_000 },
  }
  const laterByTime = { ...first, after: { key: 1_700_010_000_000, id: 10_000 } }
  const lists: [
    name: string,
    query: InboxQuery,
    actor: Actor,
    chats: number,
    seek?: PagePosition,
  ][] = [
    ['those in work', {}, asking, 51],
    ['a later page of those in work', {}, asking, 51, later],
    ['the newest in work', { order: 'newest' }, asking, 51],
    ['those that wait', { filter: { is_unread: true } }, asking, 51],
    ['the newest that wait', { order: 'newest', filter: { is_unread: true } }, asking, open],
    ['those without unread messages', { filter: { is_unread: false } }, asking, 51],
    ['those of unsorted items', { tab: 'unassigned' }, asking, open],
    ['the closed ones', { tab: 'closed' }, asking, 51],
    ['a later page of the closed ones', { tab: 'closed' }, asking, 51, laterByTime],
    ['all', { tab: 'all' }, asking, 51],
    ['those of a channel in work', { filter: { channel_id: uuidOf(7, 1) } }, asking, 51],
    ['all of a channel', { tab: 'all', filter: { channel_id: uuidOf(7, 2) } }, asking, 20 * 51],
    ['those of a contact', { tab: 'all', filter: { contact_id: 77 } }, asking, 8],
    ['those of a lead', { tab: 'all', filter: { entity_type: 'leads', entity_id: 78 } }, asking, 8],
    ['those with a name', { query: '777' }, asking, open],
    ['all with a name', { tab: 'all', query: '777' }, asking, 20_000],
    ['those of a user', {}, limited('M'), tested + 2 * 1100],
    ['those of a user who is responsible', { tab: 'mine' }, limited('M'), tested + 2 * 1100],
    ['all of a user', { tab: 'all' }, limited('M'), tested + 2 * 1100],
    ['all of a user with old chats', { tab: 'all' }, limited('M', 49), tested + 30],
    ['all of a group', { tab: 'closed' }, limited('G'), 2000],
  ]
  test.each(lists)('%s', async (_name, query, actor, most, seek = first) => {
    const { reader, steps } = plans.watched()
    const rows = await findChats(reader, actor, base, query, seek)
    expect(rows.length).toBeGreaterThan(0)
    expectReads(steps, { chats: most, chat_clients: query.query ? most + 51 : 102, messages: 102 })
  })

  test('a user with few old chats sees all of them', async () => {
    const rows = await findChats(scratch.database, limited('M', 49), base, { tab: 'all' }, first)
    expect(rows.map(({ id }) => id)).toEqual([
      20_000, 15_001, 15_000, 10_001, 10_000, 5001, 5000, 1,
    ])
  })

  const talks: [name: string, filter: TalkFilter, actor: Actor, talks: number][] = [
    ['all talks', {}, asking, 51],
    ['talks in work', { only_in_work: true }, asking, 51],
    ['named talks', { talk_id: [1, 100_010] }, asking, 2],
    ['talks of contacts', { contact_id: [77, 78] }, asking, 16],
    ['talks of leads', { entity_type: 'lead', entity_id: [78] }, asking, 16],
    ['talks of a user', {}, limited('M', 49), tested + 60],
  ]
  test.each(talks)('%s', async (_name, filter, actor, most) => {
    const { reader, steps } = plans.watched()
    const rows = await findTalks(reader, actor, base, filter, first)
    expect(rows.length).toBeGreaterThan(0)
    expectReads(steps, { talks: most, chats: Math.max(51, 2 * most) })
  })

  const walk = { kind: 'walk' } as const
  const thread = (direction: 'before' | 'after', from?: { msec: number; id: number }) =>
    threadPage(asking, 1, { direction, from, limit: 51 })
  const middleOfThread = { msec: 1_690_000_025_000, id: 25_000 }
  const statements: [name: string, statement: Sql, bounds: Record<string, number>][] = [
    ['one chat', oneInboxChat(asking, base, 77), { chats: 1, messages: 1, chat_clients: 1 }],
    ['the counts', inboxCounts(asking, 2001), { chats: 2 * 2001 }],
    [
      'the counts of a user',
      inboxCounts(limited('M'), 1001),
      { chats: 2 * 1001, contacts: 2 * 1001 },
    ],
    [
      'the messages of a feed, the newest',
      scannedRows(
        asking,
        { types: [], singulars: [], ids: [], chats: [1, 2, 3] },
        { parts: new Set(['messages']), words: [] },
        { direction: 'before', from: end, most: 31 },
      )!,
      { messages: 3 * 31 },
    ],
    [
      'the messages of a feed, later ones with words',
      scannedRows(
        asking,
        { types: [], singulars: [], ids: [], chats: [1, 2, 3] },
        { parts: new Set(['messages']), words: ['nowhere'] },
        { direction: 'after', from: parsePosition('1690000025000'), most: 31 },
      )!,
      { messages: 3 * 31 },
    ],
    [
      'the chats of a feed, of a company with many contacts and leads',
      feedOf(asking, 'companies', 900_007_001, false),
      { links: 2 * 200, chats: 50 * 4 + 50 * 2, contacts: 200 + 300, leads: 200 + 300 },
    ],
    [
      'the chats of a feed, of a company for a user',
      feedOf(limited('M'), 'companies', 900_007_001, false),
      { links: 2 * 200, chats: 50 * 4 + 50 * 2, contacts: 200 + 2 * 300, leads: 200 + 2 * 300 },
    ],
    [
      'the chats of a feed, of a lead',
      feedOf(asking, 'leads', 7, false),
      { links: 40, chats: 40 * 4 + 2, contacts: 40 + 162, leads: 1 + 162 },
    ],
    ['messages of a feed by their ids', messagesOfChats(asking, [1], [5, 6]), { messages: 2 }],
    ['one talk', shownTalk(limited('M'), base, 77), { talks: 1, chats: 2, contacts: 1 }],
    ['the chat of a talk', chatting.chatOfTalk(asking, 77), { talks: 1 }],
    ['whether a user sees a chat', viewedChat(limited('M'), 77), { chats: 1, contacts: 1 }],
    [
      'whether a user sees a talk',
      viewedTalk(limited('M'), 77),
      { talks: 1, chats: 1, contacts: 1 },
    ],
    ['the newest messages', thread('before'), { messages: 51, chat_clients: 51 }],
    ['older messages', thread('before', middleOfThread), { messages: 51 }],
    ['newer messages', thread('after', middleOfThread), { messages: 51 }],
    ['the messages of a talk', talkMessagePage(asking, 1, {}, first), { messages: 51 }],
    [
      'the messages of a talk, in the middle',
      talkMessagePage(
        asking,
        1,
        {},
        { ...first, after: { key: middleOfThread.msec, id: middleOfThread.id } },
      ),
      { messages: 51 },
    ],
    ['a message of a chat', messagePosition(asking, 1, 25_000), { messages: 1 }],
    [
      'unread messages',
      unreadAfter(asking, 1, { msec_timestamp: 0, id: 0 }, 100),
      { messages: 300 },
    ],
    ['the latest of the client', latestOfClient(asking, 1), { messages: 5 }],
    [
      'chats of contacts',
      contactChatPage(asking, { contact_id: [77, 78] }, first, walk),
      { chats: 8 },
    ],
    [
      'bound chats by id',
      contactChatPage(asking, { chat_id: [uuidOf(9, 7)] }, first, walk),
      { chats: 1 },
    ],
    ['all bound chats', contactChatPage(asking, {}, first, walk), { chats: 51 }],
    ['chats to bind', lockChatsByUid(asking, [uuidOf(9, 7), uuidOf(9, 8)]), { chats: 2 }],
    ['contacts to bind', keepContacts(asking, [7, 8]), { contacts: 2 }],
    ['open talks of chats', contactsOfOpenTalks(asking, [10, 11]), { talks: 2 }],
    ['templates', templateList(asking), { chat_templates: 500 }],
    ['templates in their order', templateOrder(asking), { chat_templates: 500 }],
    ['the number of templates', countTemplates(asking), { chat_templates: 500 }],
  ]
  test.each(statements)('%s', async (name, statement, bounds) => {
    expectReads(await plans.explain(statement), bounds)
    if (/^the (?:messages of a talk|chats of a feed)/.test(name))
      expectReads(await plans.explainPrepared(statement), bounds)
  })
})

describe('an inbox of very many open chats', () => {
  const asking = { ...admin, accountId: 7101, userId: 7 }
  const limited = (contacts: RightLevel, leads: RightLevel): Actor => ({
    ...asking,
    isAdmin: false,
    groupId: 3,
    rights: {
      ...fullRights,
      leads: { ...fullRights.leads, view: leads },
      contacts: { ...fullRights.contacts, view: contacts },
    },
  })
  const uuid = (n: Sql) => sql`('00000000-0000-4000-b000-' || lpad((${n})::text, 12, '0'))::uuid`
  const few = '00000000-0000-4000-b000-000000000002'

  let ground: Scratch
  let its: Plans
  // 200,000 open chats, four of each contact and each lead; those of user 7 are the last 80 in both orders, 60 of them in a channel of
  // their own. One chat in 200 has no contact and an item that waits, and one contact in 500 is in the bin. Nothing is analyzed.
  beforeAll(async () => {
    ground = await scratchDatabase()
    const { database } = ground
    its = await plansOn(database)
    const accounts = sql`generate_series(7101, 7102) account`
    for (const table of ['chats', 'contacts', 'leads'])
      await database.list(sql`alter table ${sqlRaw(table)} set (autovacuum_enabled = false)`)
    await database.list(sql`
      insert into accounts (id, subdomain, name, created_at, updated_at)
      select n, 'inbox-' || n, 'Chats', 0, 0 from generate_series(7101, 7102) n`)
    await database.list(sql`
      insert into channels (account_id, id, name, bot_name, secret, created_by, created_at, updated_at)
      select 7101, ${uuid(sql`n`)}, 'Line', 'Line', '', 0, 0, 0 from generate_series(1, 2) n`)
    for (const table of ['contacts', 'leads'])
      await database.list(sql`
        insert into ${sqlRaw(table)} (account_id, id, name, ${sqlRaw(table === 'leads' ? 'price, pipeline_id, status_id' : 'first_name, last_name')},
                                      responsible_user_id, group_id, created_by, updated_by, created_at, updated_at, is_deleted)
        select account, n, 'One', ${sqlRaw(table === 'leads' ? '0, 1, 1' : "'', ''")}, case when n <= 20 then 7 else 8 + n % 40 end, n % 2, 1, 1, 1, 1,
               ${sqlRaw(table === 'leads' ? 'false' : 'n % 500 = 0')}
          from ${accounts}, generate_series(1, 50000) n where account = 7101 or n <= 5000`)
    await database.list(sql`
      insert into chats (account_id, id, channel_id, client_uid, contact_id, entity_type, entity_id, item_id, is_visible, talk_id, last_at,
                         unread, waiting_since, created_at, updated_at)
      select account, n, ${uuid(sql`case when n <= 60 then 2 else 1 end`)}, gen_random_uuid(), case when n % 200 > 0 then (n + 3) / 4 end, 'leads',
             (n + 3) / 4, case when n % 20 = 0 then n end, true, n, 1700000000000 + n, n % 2, case when n % 2 = 1 then 1800000000000 - n end, 1, 1
        from ${accounts}, generate_series(1, 200000) n where account = 7101 or n <= 20000`)
  }, stretched(300_000))
  afterAll(() => ground.drop())

  function expectReads(steps: Plan[], bounds: Record<string, number>): void {
    for (const [table, most] of Object.entries(bounds)) {
      const its = steps.filter((step) => step['Relation Name'] === table)
      for (const { 'Node Type': type } of its)
        expect([table, type]).not.toEqual([table, 'Seq Scan'])
      const number = read(its, /./)
      expect([table, number <= most, number]).toEqual([table, true, number])
    }
  }

  const [window, own] = [2000, 80]
  const beyond = 2 * window + 1
  const byRecords = { chats: beyond + 4 * own, contacts: window + 2 * own, leads: window + 2 * own }
  const byOwner = { ...byRecords, leads: 2 * window + 2 * own, contacts: 2 * window + 2 * own }
  const cases: [string, InboxQuery, Actor, rows: number, Record<string, number>][] = [
    ['those of a user', {}, limited('M', 'M'), 51, byRecords],
    ['the newest of a user', { order: 'newest' }, limited('M', 'M'), 51, byRecords],
    [
      'those that wait of a user',
      { filter: { is_unread: true } },
      limited('M', 'M'),
      40,
      byRecords,
    ],
    [
      'the newest that wait of a user',
      { order: 'newest', filter: { is_unread: true } },
      limited('M', 'M'),
      40,
      byRecords,
    ],
    ['unsorted ones of a user', { tab: 'unassigned' }, limited('M', 'M'), 4, byRecords],
    [
      'the newest unsorted ones of a user',
      { tab: 'unassigned', order: 'newest' },
      limited('M', 'M'),
      4,
      byRecords,
    ],
    [
      'those of a user in a channel',
      { filter: { channel_id: few } },
      limited('M', 'M'),
      51,
      { chats: 60, contacts: 60, leads: 60 },
    ],
    [
      'those without rights',
      {},
      limited('D', 'D'),
      0,
      { chats: beyond, contacts: window, leads: window },
    ],
    ['mine', { tab: 'mine' }, asking, 51, byOwner],
    ['my newest', { tab: 'mine', order: 'newest' }, asking, 51, byOwner],
    ['mine of a user', { tab: 'mine' }, limited('M', 'M'), 51, byOwner],
    ['mine of a user with all contacts', { tab: 'mine' }, limited('A', 'M'), 51, byOwner],
    ['the newest', { order: 'newest' }, asking, 51, { chats: 51 }],
    ['the newest unsorted ones', { tab: 'unassigned', order: 'newest' }, asking, 51, { chats: 51 }],
    [
      'the newest that wait',
      { order: 'newest', filter: { is_unread: true } },
      asking,
      51,
      { chats: window },
    ],
    ['those of a channel', { filter: { channel_id: few } }, asking, 51, { chats: 51 }],
    [
      'closed ones that wait',
      { tab: 'closed', filter: { is_unread: true } },
      asking,
      0,
      { chats: 0 },
    ],
    // Chats on which the lead decides: 1,000 have no contact, and 400 one in the bin.
    [
      'those of own contacts and all leads',
      {},
      limited('M', 'A'),
      51,
      {
        chats: beyond + 3 * (1000 + 400 + own),
        contacts: window + 100 + 20 + 1400 + own,
        leads: window + 1400,
      },
    ],
  ]
  describe.each(['freshly filled', 'analyzed'])('%s', (state) => {
    beforeAll(async () => {
      if (state === 'analyzed')
        await ground.database.list(sql`analyze accounts, channels, contacts, leads, chats`)
    })

    test.each(cases)(
      '%s',
      async (_name, query, actor, count, bounds) => {
        const { reader, steps } = its.watched()
        const rows = await findChats(reader, actor, base, query, first)
        expect(rows.length).toBe(count)
        expectReads(steps, bounds)
        // Without statistics, some of these take 50 s on two shared cores. Rows count here, not time.
      },
      stretched(240_000),
    )

    test.each([
      ['an administrator', asking, 2000],
      ['a user', limited('M', 'M'), 0],
      ['a user with all leads', limited('M', 'A'), 5],
    ] as const)('the counts of %s', async (_name, actor, passed) => {
      const { reader, steps } = its.watched()
      const { open, mine, unread } = await countInbox(reader, actor)
      expect([open.is_more, mine, unread.is_more]).toEqual([
        true,
        { count: 0, is_more: true },
        true,
      ])
      expect(open.count).toBe(passed)
      expectReads(steps, { chats: 2 * 2001, contacts: 3 * 2001, leads: 3 * 2001 })
    })
  })
})

describe('callbacks of chats', () => {
  const asking = { ...admin, accountId: 12_001 }
  const idOf = (n: Sql, kind: number) =>
    sql`('00000000-0000-4000-9000-' || ${String(kind)} || lpad((${n})::text, 11, '0'))::uuid`
  const id = (n: number, kind: number) =>
    `00000000-0000-4000-9000-${kind}${String(n).padStart(11, '0')}`

  // 20,000 chats of 10 channels in 4 accounts with 3 messages each. The 2,000 of one channel have 12 callbacks each that wait, half of them
  // for later, and 3 of another channel have one.
  beforeAll(async () => {
    const { database } = scratch
    const account = sql`12001 + n % 4`
    await database.list(sql`
      insert into accounts (id, subdomain, name, created_at, updated_at)
      select n, 'calls-back-' || n, 'Chats', 0, 0 from generate_series(12001, 12004) n`)
    await database.list(sql`
      insert into channels (account_id, id, name, bot_name, secret, created_by, created_at, updated_at)
      select 12001, ${idOf(sql`n`, 1)}, 'Line', 'Line', '', 0, 0, 0 from generate_series(0, 9) n`)
    await database.list(sql`
      insert into chat_clients (account_id, uid, channel_id, client_id, name, phone, created_at, updated_at)
      select ${account}, ${idOf(sql`n`, 2)}, ${idOf(sql`n % 10`, 1)}, 'cl-' || n, 'Ann', 'phone ' || n, 0, 0 from generate_series(1, 20000) n`)
    await database.list(sql`
      insert into chats (account_id, id, uid, channel_id, conversation_id, client_uid, contact_id, created_at, updated_at)
      select ${account}, 1000000 + n, ${idOf(sql`n`, 3)}, ${idOf(sql`n % 10`, 1)}, 'cv-' || n, ${idOf(sql`n`, 2)}, n / 10, 0, 0
        from generate_series(1, 20000) n`)
    await database.list(sql`
      insert into messages (account_id, id, uid, chat_id, channel_id, is_outgoing, is_imported, is_silent, client_uid, type, text, content,
                            reply_to_id, msec_timestamp, status, created_at, updated_at)
      select ${account}, 1000000 + 3 * n + part, ${idOf(sql`3 * n + part`, 4)}, 1000000 + n, ${idOf(sql`n % 10`, 1)}, true, false, false,
             ${idOf(sql`n`, 2)}, 'text', 'Hello', '{}', 1000000 + 3 * n, part, 'sending', 0, 0
        from generate_series(1, 20000) n, generate_series(0, 2) part`)
    await database.list(sql`
      insert into chat_callbacks (account_id, id, chat_id, message_id, created_at)
      select ${account}, 2000000 + 12 * n + part, 1000000 + n, 2000000 + 12 * n + part, 0
        from generate_series(1, 20000) n, generate_series(0, 11) part
       where n % 10 = 0 or n in (1, 11, 21) and part = 0`)
    await database.list(sql`
      insert into chat_queues (account_id, chat_id, channel_id, callback_id, due_at)
      select ${account}, 1000000 + n, ${idOf(sql`n % 10`, 1)}, 2000000 + 12 * n, case when n % 20 = 10 then 9000 else 1000 end
        from generate_series(1, 20000) n where n % 10 = 0 or n in (1, 11, 21)`)
    for (const table of ['chat_queues', 'chat_callbacks'])
      await database.list(sqlRaw(`alter table ${table} set (autovacuum_enabled = false)`))
    await database.list(sql`analyze accounts, channels, chat_clients, chats, messages`)
  })

  const callback = {
    account_id: 12_001,
    id: 2_000_240,
    chat_id: 1_000_020,
    channel_id: id(0, 1),
    message_id: 2_000_240,
    attempts: 0,
  }
  // 50 chats of the account, each with a callback that is due.
  const due = Array.from({ length: 50 }, (_, index) => ({
    ...callback,
    id: 2_000_000 + 12 * 20 * (index + 1),
    chat_id: 1_000_000 + 20 * (index + 1),
    due_at: 1000,
  }))
  const callbackKeys = due.map(({ account_id, chat_id }) => ({
    account_id,
    message_id: 1_000_000 + 3 * (chat_id - 1_000_000),
  }))

  // The sender looks at all accounts at once: 1,003 chats have a callback that is due, and 23,000 more wait.
  describe.each(['that nobody has analyzed', 'as PostgreSQL knows them'])('in tables %s', (how) => {
    beforeAll(async () => {
      const reltuples = await plans.count(
        sql`select from pg_class where relname = 'chat_queues' and reltuples < 0`,
      )
      expect(reltuples).toBe(1)
      if (how !== 'that nobody has analyzed')
        await scratch.database.list(sql`analyze chat_queues, chat_callbacks`)
    })

    // Each look puts off nothing: what it takes is due until then.
    const readBy = async (underWay: [string, number][], known: number[] = [], at = 2000) => {
      const room = { most: 256, mostOfChannel: 16, underWay: new Map(underWay), known }
      const steps = await plans.explain(takeCallbacks(at, 1000, room))
      const [taken] = steps
      expect(steps.filter((step) => step['Node Type'] === 'Seq Scan')).toEqual([])
      return [taken!['Actual Rows'], read(steps, /chat_queues/), read(steps, /chat_callbacks/)]
    }
    const [backlog, other] = [id(0, 1), id(1, 1)]

    test('a look reads what it can send, and a row for each channel', async () => {
      const [taken, queues, callbacks] = await readBy([])
      expect([taken, callbacks]).toEqual([19, 19])
      expect(queues).toBeLessThanOrEqual(2 + 2 + 3 * 19)
    })

    test('and nothing of a channel that has no room, whatever waits for it', async () => {
      const [taken, queues, callbacks] = await readBy([[backlog, 16]])
      expect([taken, callbacks]).toEqual([3, 3])
      expect(queues).toBeLessThanOrEqual(2 + 1 + 3 * 3)
      const full = [[backlog, 16] as [string, number], [other, 16] as [string, number]]
      expect(await readBy(full)).toEqual([0, 2, 0])
      expect(await readBy([], [], 500)).toEqual([0, 2, 0])
    })

    test('those in hand are passed over', async () => {
      const known = await scratch.database.list<{ id: number }>(sql`
        select callback_id as id from chat_queues where channel_id = ${backlog} order by due_at, account_id, chat_id limit 40`)
      const [taken, queues] = await readBy(
        [[backlog, 15]],
        known.map((each) => each.id),
      )
      expect(taken).toBe(4)
      expect(queues).toBeLessThanOrEqual(2 + 41 + 1 + 41 + 3 + 2 * 4)
    })
  })

  test.each<[string, Sql, RegExp, number]>([
    [
      'some with their messages',
      callbackFacts(callbackKeys),
      /messages|chats|chat_clients/,
      4 * 50,
    ],
    ['the chat of a message', positionOfMessage(asking, { id: 1_000_060 }), /messages/, 1],
    [
      'the chat of a message by its name',
      positionOfMessage(asking, { uid: id(60, 4), channelId: id(0, 1) }),
      /messages/,
      1,
    ],
    [
      'the states of messages',
      messageStates(
        asking,
        callbackKeys.map(({ message_id }) => message_id),
      ),
      /messages/,
      50,
    ],
    [
      'changing them',
      updateMessageStates(
        asking,
        callbackKeys.map(({ message_id: id }) => ({
          id,
          status: 'sent',
          error_code: null,
          error: null,
        })),
      ),
      /messages/,
      50,
    ],
    [
      'their chats, to lock them',
      lockChats(
        asking,
        due.map(({ chat_id }) => chat_id),
      ),
      /chats/,
      50,
    ],
    ['a quoted message', messageOfChat(asking, 1_000_020, 1_000_060), /messages/, 1],
    [
      'the chat with a phone',
      chatOfContact(asking, {
        channel_id: id(0, 1),
        contact_id: 2,
        phone: 'phone 20',
        email: null,
      }),
      /chats|chat_clients/,
      20,
    ],
    ['putting some off', putOff(12_001, due), /chat_queues/, 50],
    [
      'their queues, to lock them',
      lockQueues(
        12_001,
        due.map(({ chat_id }) => chat_id),
      ),
      /chat_queues/,
      50,
    ],
    ['ending some', endCallbacks(12_001, due, 5000), /chat_callbacks|chat_queues/, 4 * 50],
  ])('%s', async (_what, statement, table, most) => {
    const steps = await plans.explain(statement)
    plans.judge(steps, most)
    const number = read(steps, table)
    expect([number > 0, number <= most, number]).toEqual([true, true, number])
  })

  test('the open leads of a contact', async () => {
    const steps = await plans.explain(openLeadsOf(admin, 1))
    plans.judge(steps, 500)
    expect(read(steps, /leads/)).toBeLessThanOrEqual(500)
  })
})

describe('chats', () => {
  const asking = { ...admin, accountId: 12, at: 1_800_000_000 }
  const rights = { ...fullRights, leads: { ...fullRights.leads, view: 'M' as const } }
  const limited = { ...admin, isAdmin: false, rights, accountId: 12, userId: 7 }
  const idOf = (n: Sql, kind: number) =>
    sql`('00000000-0000-4000-a000-' || ${String(kind)} || lpad((${n})::text, 11, '0'))::uuid`
  const id = (n: number, kind: number) =>
    `00000000-0000-4000-a000-${kind}${String(n).padStart(11, '0')}`
  const [channel, client, chat, message, user] = [1, 2, 3, 4, 5] as const
  const scope = { accountId: 12, channelId: id(1, channel) }
  const busy = 1
  /** Of each table of the fixture. */
  const tables = sql`
    accounts, users, channels, chat_clients, chats, talks, messages, unsorted_items, leads, contacts, links, field_texts`

  let ground: Scratch
  let its: Plans
  // Two accounts with 20,000 chats, clients, leads and contacts and 120,000 messages each, of which chat 1 has 20,000. A chat
  // in ten has an item that waits, and half of those have no contact; the channel of account 12 has nearly all. Nothing is analyzed.
  beforeAll(async () => {
    ground = await scratchDatabase()
    const { database } = ground
    its = await plansOn(database)
    for (const statement of [
      sql`insert into accounts (id, subdomain, name, created_at, updated_at) overriding system value
          select n, 'chats-' || n, 'Chats', 0, 0 from generate_series(12, 13) n`,
      sql`insert into groups (account_id, id, name) select n, 0, 'All' from generate_series(12, 13) n on conflict do nothing`,
      sql`insert into users (account_id, id, name, email, language, rights, amojo_id, created_at, updated_at)
          select account, n, 'A user', account || '-' || n || '@chats.example', 'en', '{}',
                 case account when 12 then ${idOf(sql`n`, user)} else gen_random_uuid() end, 1, 1
            from generate_series(12, 13) account, generate_series(1, 100) n`,
      sql`insert into channels (account_id, id, name, bot_name, secret, created_by, created_at, updated_at)
          select 12, ${idOf(sql`n`, channel)}, 'Line', 'Line', '', 0, 0, 0 from generate_series(1, 2) n`,
      sql`insert into chat_clients (account_id, uid, channel_id, client_id, name, created_at, updated_at)
          select account, ${idOf(sql`n`, client)}, ${idOf(sql`case when n > 19990 then 2 else 1 end`, channel)}, 'client-' || n, 'Ann', 0, 0
            from generate_series(12, 13) account, generate_series(1, 20000) n`,
      sql`insert into chats (account_id, id, uid, channel_id, conversation_id, client_uid, contact_id, entity_type, entity_id, item_id, talk_id,
                             is_visible, last_message_id, last_at, created_at, updated_at)
          select account, n, ${idOf(sql`n`, chat)}, ${idOf(sql`case when n > 19990 then 2 else 1 end`, channel)}, 'talk-' || n,
                 ${idOf(sql`n`, client)}, case when not waits or n % 20 = 0 then n end, 'leads', n, case when waits then n end, n, true, n * 6, n, 0, 0
            from generate_series(12, 13) account, generate_series(1, 20000) n, lateral (select n % 10 = 0 as waits) item`,
      sql`insert into talks (account_id, id, chat_id, entity_type, entity_id, is_read, created_at, updated_at)
          select account, n, n, 'leads', n, false, 0, 0 from generate_series(12, 13) account, generate_series(1, 20000) n`,
      sql`insert into messages (account_id, id, uid, chat_id, channel_id, msgid, is_outgoing, is_imported, is_silent, client_uid, type, text,
                                content, msec_timestamp, status, created_at, updated_at)
          select account, n, ${idOf(sql`n`, message)}, place, ${idOf(sql`case when place > 19990 then 2 else 1 end`, channel)}, 'message-' || n,
                 n % 6 = 0, true, false, ${idOf(sql`place`, client)}, 'text', 'Hello', '{}', n * 7919::bigint % 120000,
                 case when n % 6 = 0 then 'sent' end, 0, 0
            from generate_series(12, 13) account, generate_series(1, 120000) n,
                 lateral (select case when n > 100000 then 1 else n % 20000 + 1 end) chat(place)`,
      sql`select setval('chats_id', 1000000), setval('talks_id', 1000000), setval('messages_id', 1000000)`,
      sql`delete from talks where id = 20000`,
      sql`insert into unsorted_items (account_id, id, uid, category, source_uid, source_name, pipeline_id, status_id, lead_ids, contact_ids,
                                      company_ids, content, metadata, data, created_by, updated_by, created_at, updated_at)
          select account, n, 'uid-' || n, 'chats', 'chat-' || n, 'Line', 1, 50, array[n], array[n], '{}', '', '{}', '{}', 0, 0, n, n
            from generate_series(12, 13) account, generate_series(10, 20000, 10) n`,
      sql`insert into leads (account_id, id, name, price, responsible_user_id, group_id, pipeline_id, status_id, created_by, updated_by,
                             created_at, updated_at, unsorted_id)
          select account, n, 'Lead', 0, n % 100 + 1, 0, 1, 50, 1, 1, n, n, case when n % 10 = 0 then n end
            from generate_series(12, 13) account, generate_series(1, 20000) n`,
      sql`insert into contacts (account_id, id, name, first_name, last_name, responsible_user_id, group_id, created_by, updated_by,
                                created_at, updated_at)
          select account, n, 'Ann', '', '', n % 100 + 1, 0, 1, 1, n, n from generate_series(12, 13) account, generate_series(1, 20000) n`,
      // Contact n has lead n, and contact 1 all of them.
      sql`insert into links (account_id, from_type, from_id, to_type, to_id)
          select distinct account, either.*
            from generate_series(12, 13) account, generate_series(1, 20000) n, unnest(array[1, n]) contact,
                 lateral (values ('contacts', contact, 'leads', n), ('leads', n, 'contacts', contact)) either`,
      sql`insert into field_texts (account_id, field_id, entity_type, value, entity_id)
          select account, 7, 'contacts', value, n
            from generate_series(12, 13) account, generate_series(1, 20000) n, lateral (values ('0'), (n::text)) phone(value)`,
    ])
      await database.list(statement)
  }, stretched(300_000))
  afterAll(() => ground.drop())

  const at = { contact_id: 5, entity_type: 'leads', entity_id: 5, item_id: null } as const
  const ofContact = { contact_id: 1, entity_type: null, entity_id: null }
  const uids = Array.from({ length: 50 }, (_, index) => `uid-${(index + 1) * 10}`)
  const ids = uids.map((uid) => Number(uid.slice(4)))
  const others = ids.map((n) => n + 10_000)
  const decisions = ids.map((item) => ({
    ...at,
    item_id: item,
    keepsContact: true,
    former_id: item,
  }))
  const arrival = { chatId: 5, messageId: 9, talkId: 5, msec: 9, isOutgoing: false }
  const ann = {
    uid: id(5, client),
    client_id: 'client-5',
    name: 'Ann',
    avatar: null,
    profile_link: null,
    phone: null,
    email: null,
  }
  const chatRow = { id: 5, ...at } as ChatRow
  const text: NewMessageRow = {
    chat_id: 5,
    channel_id: scope.channelId,
    msgid: null,
    talk_id: 5,
    is_outgoing: false,
    is_imported: true,
    is_silent: false,
    user_id: null,
    client_uid: ann.uid,
    ...ofContact,
    type: 'text',
    text: 'Hello',
    content: {},
    file_id: null,
    reply_to_id: null,
    msec_timestamp: 9,
    status: null,
  }
  const edited = {
    id: 9,
    msgid: 'message-9',
    type: 'text',
    text: 'x',
    content: {},
    file_id: null,
  } as const
  const info: ChatInfo = {
    from: 'Ann',
    to: 'Line',
    service: 'x',
    source_name: 'Line',
    received_at: 1,
    client: { name: 'Ann', avatar: null },
    origin: { chat_id: 'x', ref: null, visitor_uid: null },
    last_message_text: null,
  }
  const page = { offset: 0, limit: 50 }
  const keys = ids.map((n, index) => ({ place: index, field_id: 7, value: String(n) }))
  const common = { place: 0, field_id: 7, value: '0' }

  /** Statements, the tables of which rows are read, and how many at most. */
  const statements: [name: string, statement: Sql, reads: RegExp, most: number][] = [
    [
      'the names that wait for one another',
      named.lockNames(scope, ['a', 'b']),
      /messages|chats/,
      0,
    ],
    ['the author of a message', named.authorNamed(asking, id(5, user)), /users/, 100],
    ['a message of a name', named.knownMessage(scope, 'message-6'), /messages|chats/, 2],
    ['a message of an id', named.knownByUid(scope, id(6, message)), /messages|chats/, 2],
    ['a new message', named.insertMessage(asking, text), /messages/, 0],
    ['a quoted message', named.quotedMessage(scope, 6, { msgid: 'message-5' }), /messages/, 1],
    ['one by its id', named.quotedMessage(scope, 6, { id: id(5, message) }), /messages/, 1],
    ['one to edit', named.messageOfScope(scope, { uid: id(5, message) }), /messages/, 1],
    [
      'one to edit, by its name',
      named.messageOfScope(scope, { msgid: 'message-5' }),
      /messages/,
      1,
    ],
    ['an edit', named.updateMessage(asking, edited), /messages/, 1],
    ['a reaction', named.updateReactions(asking, 9, [{ user: 'x', emoji: 'y' }]), /messages/, 1],
    ['the chat of a message, to lock it', named.lockChatOfMessage(asking, 5), /chats/, 1],
    ['a client of a name', named.clientNamed(scope, 'client-5'), /chat_clients/, 1],
    ['a person of an id', named.personNamed(scope, id(5, client)), /chat_clients/, 1],
    ['the chat of a name', named.conversationNamed(scope, 'talk-5'), /chats/, 1],
    ['the newest of a chat', named.historyPage(scope, id(busy, chat), page), /messages/, 51],
    [
      'a deep page of a chat',
      named.historyPage(scope, id(busy, chat), { offset: 19_000, limit: 50 }),
      /messages/,
      19_051,
    ],
    ['a chat to change', chatting.lockChatRow(limited, 5, 'edit'), /chats|contacts|leads/, 2],
    ['one without a contact', chatting.lockChatRow(limited, 10, 'edit'), /chats|contacts|leads/, 2],
    ['a new talk', chatting.insertTalk(asking, { ...chatRow, id: 20_000 }, false), /chats/, 1],
    ['a message of a chat', chatting.updateByMessage(asking, arrival), /chats/, 1],
    ['the read mark of a talk', chatting.updateTalkRead(asking, 5, true), /talks/, 1],
    ['a conversation', chatting.lockConversationRow(scope, 'talk-5', null), /chats/, 1],
    [
      'a conversation by its id',
      chatting.lockConversationRow(scope, 'no', id(5, chat)),
      /chats/,
      1,
    ],
    [
      'a conversation by both',
      chatting.lockConversationRow(scope, 'talk-5', id(6, chat)),
      /chats/,
      2,
    ],
    [
      'the clients of a message',
      chatting.clientsOf(scope, 'client-5', id(6, client)),
      /clients/,
      2,
    ],
    ['a client that is known', chatting.insertClient(scope, ann, 1), /clients/, 0],
    ['a client that changed', chatting.updateClient(asking, ann), /clients/, 1],
    [
      'a new chat',
      chatting.insertChat(
        scope,
        { conversation_id: null, client_uid: ann.uid, source_id: null },
        1,
      ),
      /chats/,
      0,
    ],
    ['the name of a chat', chatting.nameConversation(asking, 5, 'talk-5'), /chats/, 1],
    ['the lead of a chat', chatting.openDestination(asking, at), /leads/, 1],
    [
      'the open lead of a contact',
      chatting.openDestination(asking, ofContact),
      /leads|links/,
      2000,
    ],
    ['another record for a chat', chatting.updateDestination(asking, 5, at), /chats/, 1],
    ['another record for a talk', chatting.updateTalkEntity(asking, 5, at), /talks/, 1],
    [
      'the chats of items',
      itemChats.lockChatsOfItems(asking, items.withUids(asking, uids)),
      /chats|unsorted_items/,
      2 * 50,
    ],
    [
      'the chats of items by their ids',
      itemChats.lockChatsOfItems(asking, items.withIds(ids)),
      /chats|unsorted_items/,
      2 * 50,
    ],
    ['decisions on chats', itemChats.bindDecidedChats(asking, decisions), /chats|talks/, 2 * 50],
    ['what an item shows', items.updateMetadata(asking, 10, info), /unsorted_items/, 1],
    ['the items of leads', items.itemsOfLeads(asking, ids), /leads/, 50],
    ['the contacts of chats', items.contactsOfChats(asking, others), /chats|contacts/, 50 + 25],
    ['the only contacts with keys', items.onlyContacts(asking, keys), /field_texts|contacts/, 100],
    ['a key of many contacts', items.onlyContacts(asking, [common]), /field_texts|contacts/, 200],
    ['the main contact of a lead', items.mainContact(asking, 'leads', 5), /links/, 2],
    ['the chats that webhooks show', chatsOfMessages(12, ids), /chats|chat_clients/, 2 * 50],
    ['the talks that webhooks show', payloadChats(12, ids), /chats/, 50],
    ['the writers that webhooks show', writersOf(12, [1, 2, 3]), /users/, 3],
  ]
  describe.each(['freshly filled', 'analyzed'])('%s', (state) => {
    beforeAll(async () => {
      if (state === 'freshly filled') return
      const { database } = ground
      // The tests before have changed these talks.
      await database.list(sql`delete from talks where account_id = 12 and chat_id = 20000`)
      await database.list(
        sql`update chats set item_id = id where account_id = 12 and id = any(${ids}::bigint[])`,
      )
      await database.list(sql`analyze ${tables}`)
    })

    test.each(statements)('%s', async (_name, statement, reads, most) => {
      const [steps, named] = [await its.explain(statement), await its.explainNamed(statement)]
      for (const { 'Node Type': type, 'Relation Name': table } of [...steps, ...named])
        // The two channels and the few users are read as a whole.
        if (!/^(channels|users)$/.test(table ?? ''))
          expect([type, table]).not.toEqual(['Seq Scan', table])
      its.judge(
        steps.filter(({ 'Relation Name': table }) => !/^(channels|users)$/.test(table ?? '')),
        Math.max(most, 2),
      )
      const number = read(steps, reads)
      expect([number > 0 || most === 0, number <= most, number]).toEqual([true, true, number])
    })
  })
})
