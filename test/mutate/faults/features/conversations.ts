// Faults of server/features/conversations.
import type { Fault } from '../../fault.ts'

export const faults: readonly Fault[] = [
  // Connected programs, as administrators see them
  {
    name: 'callback-noted-with-its-query',
    find: "path: hook.split('?', 1)[0]!,",
    replace: 'path: hook,',
    tests: ['server/features/conversations/messages/outgoing/outgoing.test.ts'],
  },
  // The door for requests to addresses that others have written
  {
    name: 'media-of-a-channel-of-another-account',
    find: 'const by = isOwn ? channelItself : channelOfAnother',
    replace: 'const by = channelItself',
    tests: ['server/outgoing/door.test.ts'],
  },
  // Channels: who is let in by signature, and whom a channel reaches
  {
    name: 'channel-of-any-account',
    find: 'if (!locked?.is_allowed) throw notAllowed()',
    replace: 'if (!locked) throw notAllowed()',
    tests: ['server/features/conversations/channels/channels.test.ts'],
  },
  {
    name: 'channel-without-installation',
    find: 'if (clientId !== null && !(await keepInstallation(tx, account.id, clientId))) throw notAllowed()',
    replace: '',
    tests: ['server/features/conversations/channels/channels.test.ts'],
  },
  {
    name: 'channel-without-consent',
    find: "if (client_id !== null || surface === 'server') return []",
    replace: 'if (surface) return []',
    tests: ['server/features/conversations/channels/channels.test.ts'],
  },
  {
    name: 'channel-reaches-the-removed',
    find: 'const after = await tx.row<StoredChannel>(queries.updateChannel(actor, id, settings)) await tx.rows(queries.endForbiddenConnections(id, actor.at))',
    replace:
      'const after = await tx.row<StoredChannel>(queries.updateChannel(actor, id, settings))',
    tests: ['server/features/conversations/channels/channels.test.ts'],
  },
  {
    name: 'channel-secret-in-clear',
    find: 'const sealed = secrets.encrypt(secret) const made =',
    replace: 'const sealed = Buffer.from(secret); const made =',
    tests: ['server/features/conversations/channels/channels.test.ts'],
  },
  // Chats: who sees them, in which order, and what marks and moves change
  {
    name: 'chats-of-anybody',
    find: "...(query === undefined ? [] : [isOfClient(actor, query)]), mayOnChat(actor, 'view'),",
    replace: '...(query === undefined ? [] : [isOfClient(actor, query)]),',
    tests: ['server/features/conversations/chats/inbox/inbox.test.ts'],
  },
  {
    name: 'chats-beyond-the-window-unseen',
    find: 'if (rows.length === limit) return rows',
    replace: 'return rows',
    tests: ['test/plans/conversations.test.ts'],
  },
  {
    name: 'chats-behind-the-window-unseen',
    find: 'if (further.length === 0) return rows',
    replace: 'if (further.length >= 0) return rows',
    tests: ['server/features/conversations/chats/inbox/inbox.test.ts'],
  },
  {
    name: 'chats-of-contacts-in-the-bin-unseen',
    find: "...(isAnyWhole ? [chatsOfRecords(actor, 'contacts', sql`record.is_deleted`)] : []),",
    replace: '',
    tests: ['server/features/conversations/chats/inbox/inbox.test.ts'],
  },
  {
    name: 'own-chats-without-customers',
    find: "const types = ['leads', 'customers', 'contacts'] as const",
    replace: "const types = ['leads', 'contacts'] as const",
    tests: ['server/features/conversations/chats/inbox/inbox.test.ts'],
  },
  {
    name: 'inbox-counts-of-anybody',
    find: 'and chat.is_viewed and ${passes}',
    replace: 'and ${passes}',
    tests: ['server/features/conversations/chats/inbox/inbox.test.ts'],
  },
  {
    name: 'inbox-counts-end-unsaid',
    find: 'is_more: tested > windowRows',
    replace: 'is_more: passed > windowRows',
    tests: ['server/features/conversations/chats/inbox/inbox.test.ts'],
  },
  {
    name: 'live-of-a-chat-by-its-contact-alone',
    find: '...(entity_type === null ? [] : [{ type: entity_type, id: entity_id! }]),',
    replace:
      '...(entity_type === null || contact_id !== null ? [] : [{ type: entity_type, id: entity_id! }]),',
    tests: ['server/features/application/live/live.test.ts'],
  },
  {
    name: 'inbox-page-begins-at-its-end',
    find: 'and (chat.place, chat.id) > (${Number(after.key) - shift}, ${after.id})',
    replace: 'and (chat.place, chat.id) >= (${Number(after.key) - shift}, ${after.id})',
    tests: ['server/features/conversations/chats/inbox/inbox.test.ts'],
  },
  {
    name: 'read-mark-makes-unread',
    find: 'queries.unreadAfter(actor, id, position, chat.unread)',
    replace: 'queries.unreadAfter(actor, id, position, 1000)',
    tests: ['server/features/conversations/chats/inbox/inbox.test.ts'],
  },
  {
    name: 'read-mark-counts-silent-messages',
    find: 'and not is_outgoing and not is_silent order by msec_timestamp desc, id desc limit ${most}',
    replace: 'and not is_outgoing order by msec_timestamp desc, id desc limit ${most}',
    tests: ['server/features/conversations/chats/inbox/inbox.test.ts'],
  },
  {
    name: 'talk-closed-with-the-right-to-view',
    find: "const chat = await lockTalk(tx, actor, id, 'edit', isClosed)",
    replace: "const chat = await lockTalk(tx, actor, id, 'view', isClosed)",
    tests: ['server/features/conversations/chats/talks/talks.test.ts'],
  },
  {
    name: 'talk-closed-in-place-of-a-later-one',
    find: 'if (chat.talk_id !== id) throw new Problem(422, title)',
    replace: 'if (chat.talk_id === null) throw new Problem(422, title)',
    tests: ['server/features/conversations/chats/talks/talks.test.ts'],
  },
  {
    name: 'chat-bound-to-a-deleted-contact',
    find: 'where account_id = ${accountId} and id = any(${ids}::bigint[]) and not is_deleted order by id for share`',
    replace:
      'where account_id = ${accountId} and id = any(${ids}::bigint[]) order by id for share`',
    tests: ['server/features/conversations/chats/talks/talks.test.ts'],
  },
  {
    name: 'thread-by-time-alone',
    find: 'and (message.msec_timestamp, message.id) ${sign} (${from.msec}, ${from.id})',
    replace: 'and message.msec_timestamp ${sign} ${from.msec}',
    tests: ['server/features/conversations/messages/thread/thread.test.ts'],
  },
  {
    name: 'channel-hook-unchecked',
    find: ': destinationFault(hook.replaceAll(scopeMarker, someScope), permit)',
    replace:
      ': destinationFault(hook.replaceAll(scopeMarker, someScope), { ...permit, refuses: () => false })',
    tests: ['server/features/conversations/channels/channels.test.ts'],
  },
  // Messages that channels publish: each once, in its scope, to the record and the contact it belongs to
  {
    name: 'message-stored-twice',
    find: 'if (known) return answerTo(known, msgid)',
    replace: '',
    tests: ['server/features/conversations/messages/messages.test.ts'],
  },
  {
    name: 'message-names-unheld',
    find: 'select pg_advisory_xact_lock(hash) from hashes`',
    replace: 'select hash from hashes`',
    tests: ['server/features/conversations/messages/messages.test.ts'],
  },
  {
    name: 'silent-message-makes-an-item',
    find: 'const chat = silent ? begun : await chatForMessage(',
    replace: 'const chat = begun.id < 0 ? begun : await chatForMessage(',
    tests: ['server/features/conversations/messages/messages.test.ts'],
  },
  {
    name: 'silent-message-opens-a-talk',
    find: 'const talk = silent ? undefined : await',
    replace: 'const talk = chat.id < 0 ? undefined : await',
    tests: ['server/features/conversations/messages/messages.test.ts'],
  },
  {
    name: 'client-without-avatar',
    find: 'if (!isAvatarRequired || receiver || sender.avatar !== undefined) return',
    replace: 'if (!isAvatarRequired || receiver || sender.id) return',
    tests: ['server/features/conversations/messages/messages.test.ts'],
  },
  {
    name: 'message-to-a-closed-lead',
    find: 'and id = ${entity_id} and not is_deleted and status_id not in (${won}, ${lost})`',
    replace: 'and id = ${entity_id} and not is_deleted and ${won} <> ${lost}`',
    tests: ['server/features/conversations/messages/messages.test.ts'],
  },
  {
    name: 'message-to-a-deleted-lead',
    find: 'and id = ${entity_id} and not is_deleted and status_id not in (${won}, ${lost})`',
    replace: 'and id = ${entity_id} and status_id not in (${won}, ${lost})`',
    tests: ['server/features/conversations/messages/messages.test.ts'],
  },
  {
    name: 'author-of-anybody',
    find: 'const userId = sent.receiver ? await authorOf(tx, actor, connection, sent.sender) : null',
    replace: 'const userId = null',
    tests: ['server/features/conversations/messages/messages.test.ts'],
  },
  {
    name: 'client-by-ref-id-alone',
    find: 'if (!sender || (receiver && sender.ref_id !== undefined)) return []',
    replace: 'if (!sender || sender.ref_id !== undefined) return []',
    tests: ['server/features/conversations/messages/messages.test.ts'],
  },
  {
    name: 'kept-object-unbounded',
    find: 'JSON.stringify(value).length > longestKept',
    replace: 'JSON.stringify(value).length < 0',
    tests: ['server/features/conversations/messages/messages.test.ts'],
  },
  {
    name: 'reaction-in-another-chat',
    find: 'if (isElsewhere) throw',
    replace: 'if (isElsewhere && id === msgid) throw',
    tests: ['server/features/conversations/messages/messages.test.ts'],
  },
  {
    name: 'conversation-of-another-channel',
    find: 'where chat.account_id = ${accountId} and chat.channel_id = ${channelId}::uuid and (chat.conversation_id',
    replace:
      "where chat.account_id = ${accountId} and ${channelId}::text > '' and (chat.conversation_id",
    tests: ['server/features/conversations/messages/messages.test.ts'],
  },
  {
    name: 'message-known-to-another-channel',
    find: 'where message.account_id = ${accountId} and message.channel_id = ${channelId}::uuid and ${which}`',
    replace: "where message.account_id = ${accountId} and ${channelId}::text > '' and ${which}`",
    tests: ['server/features/conversations/messages/messages.test.ts'],
  },
  {
    name: 'message-of-another-channel',
    find: 'from messages where account_id = ${accountId} and channel_id = ${channelId}::uuid and ${uid === undefined',
    replace:
      "from messages where account_id = ${accountId} and ${channelId}::text > '' and ${uid === undefined",
    tests: ['server/features/conversations/messages/messages.test.ts'],
  },
  {
    name: 'message-of-another-account',
    find: 'from messages where account_id = ${accountId} and channel_id = ${channelId}::uuid and ${uid === undefined',
    replace:
      'from messages where ${accountId}::bigint > 0 and channel_id = ${channelId}::uuid and ${uid === undefined',
    tests: ['server/features/conversations/messages/messages.test.ts'],
  },
  {
    name: 'client-of-another-channel',
    find: 'from chat_clients where account_id = ${accountId} and channel_id = ${channelId}::uuid and client_id = ${clientId} union all',
    replace:
      "from chat_clients where account_id = ${accountId} and ${channelId}::text > '' and client_id = ${clientId} union all",
    tests: ['server/features/conversations/messages/messages.test.ts'],
  },
  {
    name: 'history-of-another-channel',
    find: 'from chats where account_id = ${accountId} and channel_id = ${channelId}::uuid and uid = ${chatUid}::uuid) chat',
    replace: 'from chats where account_id = ${accountId} and uid = ${chatUid}::uuid) chat',
    tests: ['server/features/conversations/messages/messages.test.ts'],
  },
  {
    name: 'quote-of-another-chat',
    find: 'select id from messages where account_id = ${accountId} and chat_id = ${chatId} and ${id === undefined',
    replace:
      'select id from messages where account_id = ${accountId} and ${chatId}::bigint > 0 and ${id === undefined',
    tests: ['server/features/conversations/messages/messages.test.ts'],
  },
  {
    name: 'chat-of-a-contact-for-anybody',
    find: "coalesce(${of('contacts', sql`chat.contact_id`)},",
    replace: 'coalesce(case when chat.contact_id is not null then true end,',
    tests: ['server/features/conversations/chats/inbox/inbox.test.ts'],
  },
  {
    name: 'chat-of-a-lead-for-anybody',
    find: "when 'leads' then ${of('leads', sql`chat.entity_id`)}",
    replace: "when 'leads' then true",
    tests: ['server/features/conversations/chats/inbox/inbox.test.ts'],
  },
  // Messages that leave, and their callbacks
  {
    name: 'callback-by-anybody',
    find: "const chat = await lockChat(tx, actor, chatId, 'edit')",
    replace: "const chat = await lockChat(tx, { ...actor, isAdmin: true }, chatId, 'edit')",
    tests: ['server/features/conversations/messages/outgoing/outgoing.test.ts'],
  },
  {
    name: 'callback-out-of-order',
    find: 'order by account_id, chat_id, inserted.id\n',
    replace: 'order by account_id, chat_id, inserted.id desc\n',
    tests: ['server/features/conversations/messages/outgoing/queue.test.ts'],
  },
  {
    name: 'callback-asleep-where-its-insert-comes-first',
    find: 'await tx.rows(queries.lockQueues(accountId, chatsOf(callbacks)))',
    replace: '',
    tests: ['server/features/conversations/messages/outgoing/queue.test.ts'],
  },
  {
    name: 'callback-asleep-where-its-queue-is-not-locked',
    find: 'on conflict (account_id, chat_id) do update set attempts = queue.attempts',
    replace: 'on conflict (account_id, chat_id) do nothing',
    tests: ['server/features/conversations/messages/outgoing/queue.test.ts'],
  },
  {
    name: 'callback-with-the-attempts-of-another',
    find: 'set callback_id = next.id, attempts = 0,',
    replace: 'set callback_id = next.id,',
    tests: ['server/features/conversations/messages/outgoing/queue.test.ts'],
  },
  {
    name: 'callback-beyond-the-share-of-its-channel',
    find: 'chat_id limit open.room) queue',
    replace: 'chat_id limit 256) queue',
    tests: ['server/features/conversations/messages/outgoing/queue.test.ts'],
  },
  {
    name: 'callback-against-retry-after',
    find: 'waitMs: Math.max(waitMs, leastMs), error',
    replace: 'waitMs, error',
    tests: ['server/features/conversations/messages/outgoing/callbacks.test.ts'],
  },
  {
    name: 'callback-for-ever-by-retry-after',
    find: 'Math.min(wished, longestWait)',
    replace: 'wished',
    tests: ['server/features/conversations/messages/outgoing/callbacks.test.ts'],
  },
  {
    name: 'callback-repeated-late',
    find: 'if (!isSent) return isOurs',
    replace: "if (!isSent || error === 'timeout') return isOurs",
    tests: ['server/features/conversations/messages/outgoing/callbacks.test.ts'],
  },
  {
    name: 'callback-without-a-claim',
    find: 'takeCallbacks(at, at + timeoutMs + spareMs, room)',
    replace: 'takeCallbacks(at, at, room)',
    tests: ['server/features/conversations/messages/outgoing/outgoing.test.ts'],
  },
  {
    name: 'callback-of-a-known-state',
    find: "if (message?.status !== 'sending') return { result: 'needless' }",
    replace: "if (!message) return { result: 'needless' }",
    tests: ['server/features/conversations/messages/outgoing/outgoing.test.ts'],
  },
  {
    name: 'callbacks-wait-for-a-queue-of-others',
    find: '  await tx.rows(queries.boundLocks)',
    replace: '',
    tests: ['server/features/conversations/messages/outgoing/outgoing.test.ts'],
  },
  {
    name: 'callback-in-hand-for-ever',
    find: 'if (!held.has(chat_id)) known.delete(id)',
    replace: 'void [id, chat_id]',
    tests: ['server/features/conversations/messages/outgoing/outgoing.test.ts'],
  },
  {
    name: 'callback-by-a-former-connection',
    find: '    connections.clear()\n',
    replace: '',
    tests: ['server/features/conversations/messages/outgoing/outgoing.test.ts'],
  },
  {
    name: 'state-steps-back',
    find: 'return ladder.indexOf(status) < ladder.indexOf(next) ? next : undefined',
    replace: 'return next',
    tests: ['server/features/conversations/messages/outgoing/callbacks.test.ts'],
  },
  {
    name: 'state-set-back-by-the-answer',
    find: "return before?.status === 'sending' ? [{ before, after }] : []",
    replace: 'return before ? [{ before, after }] : []',
    tests: ['server/features/conversations/messages/outgoing/outgoing.test.ts'],
  },
  {
    name: 'state-of-another-scope',
    find: 'sql`uid = ${named.uid}::uuid and channel_id = ${named.channelId}::uuid`',
    replace: 'sql`uid = ${named.uid}::uuid`',
    tests: ['server/features/conversations/messages/outgoing/outgoing.test.ts'],
  },
  {
    name: 'channel-takes-all-attempts',
    find: '[256, 16]',
    replace: '[256, 256]',
    tests: ['server/features/conversations/messages/outgoing/outgoing.test.ts'],
  },
  {
    name: 'template-of-another-group',
    find: 'or group_ids is null or ${groupId}::bigint = any(group_ids))',
    replace: 'or group_ids is null or ${groupId}::bigint <> 0)',
    tests: ['server/features/conversations/chats/templates/templates.test.ts'],
  },
]
