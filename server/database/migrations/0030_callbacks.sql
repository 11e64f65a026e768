-- The first callback of each chat, and when it is due (docs/decisions/0055-callbacks.md). The sender reads these rows only, so callbacks
-- that wait behind others cost it nothing. The row of a chat goes with its last callback. Times are milliseconds.

-- A server of the former version writes no more callbacks from here on.
lock table chat_callbacks in access exclusive mode;

create table chat_queues (
  account_id bigint not null references accounts,
  chat_id bigint not null,
  channel_id uuid not null references channels (id), -- that of the chat
  callback_id bigint not null, -- the first callback of the chat
  attempts integer not null default 0, -- of that callback, which have failed
  due_at bigint not null,
  primary key (account_id, chat_id)
);
insert into chat_queues (account_id, chat_id, channel_id, callback_id, attempts, due_at)
select distinct on (callback.account_id, callback.chat_id)
       callback.account_id, callback.chat_id, chat.channel_id, callback.id, callback.attempts, callback.due_at
  from chat_callbacks callback
  join chats chat on chat.account_id = callback.account_id and chat.id = callback.chat_id
 order by callback.account_id, callback.chat_id, callback.id;
-- The sender looks at all accounts at once, channel by channel.
create index chat_queues_due on chat_queues (channel_id, due_at, account_id, chat_id);

-- With due_at goes its index.
alter table chat_callbacks drop column attempts, drop column due_at;
