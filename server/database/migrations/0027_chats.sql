-- Conversations of chat channels, their messages and talks (docs/decisions/0053-chats.md). Times are Unix seconds, or milliseconds where said.

-- The people on the other side, one row for each that a channel names in an account.
create table chat_clients (
  account_id bigint not null references accounts,
  uid uuid not null default gen_random_uuid(),
  channel_id uuid not null references channels (id),
  client_id text collate "C", -- the channel's name of the client; null: a user wrote first and the channel has not answered
  name text not null,
  avatar text, -- an address
  profile_link text,
  phone text,
  email text,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, uid)
);
create unique index chat_clients_by_name on chat_clients (account_id, channel_id, client_id) where client_id is not null;

create sequence chats_id start 1001;
create table chats (
  account_id bigint not null references accounts,
  id bigint not null default nextval('chats_id'),
  uid uuid not null default gen_random_uuid(), -- chat_id of the interface
  channel_id uuid not null references channels (id),
  conversation_id text collate "C", -- the channel's name of the chat; null: a user wrote first and the channel has not answered
  client_uid uuid not null, -- chat_clients: the other side
  source_id bigint,
  contact_id bigint, -- the contact that the chat is bound to
  entity_type text collate "C" check (entity_type in ('leads', 'customers')), -- the record that messages go to, a waiting lead included
  entity_id bigint,
  item_id bigint, -- the unsorted item that waits for a decision
  talk_id bigint, -- the open talk
  is_visible boolean not null default false, -- false while it has only silent messages, or none
  last_message_id bigint,
  last_at bigint not null default 0, -- milliseconds: the latest visible message
  unread integer not null default 0, -- messages of the client since the last read mark
  waiting_since bigint, -- milliseconds: the first of them; null: none
  -- The order of the inbox: chats with unread messages by the longest wait, then the others by the latest message.
  place bigint not null generated always as (case when waiting_since is null then - last_at else waiting_since - 9007199254740991 end) stored,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id),
  check ((entity_type is null) = (entity_id is null)),
  check ((unread = 0) = (waiting_since is null))
);
create unique index chats_by_uid on chats (account_id, uid);
create unique index chats_by_conversation on chats (account_id, channel_id, conversation_id) where conversation_id is not null;
create index chats_by_contact on chats (account_id, contact_id, id) where contact_id is not null;
create index chats_bound on chats (account_id, id) where contact_id is not null;
create index chats_by_entity on chats (account_id, entity_type, entity_id, id) where entity_id is not null;
create index chats_by_item on chats (account_id, item_id) where item_id is not null;
create index chats_open on chats (account_id, place, id) where is_visible and talk_id is not null;
create index chats_unassigned on chats (account_id, place, id) where is_visible and talk_id is not null and item_id is not null;
create index chats_closed on chats (account_id, last_at, id) where is_visible and talk_id is null;
create index chats_by_time on chats (account_id, last_at, id) where is_visible;
create index chats_by_channel on chats (account_id, channel_id, last_at, id) where is_visible;

-- A stretch of a chat, from its first message until somebody closes it (/api/v4/talks).
create sequence talks_id start 1001;
create table talks (
  account_id bigint not null references accounts,
  id bigint not null default nextval('talks_id'),
  chat_id bigint not null,
  contact_id bigint, -- that of the chat; null until it has one
  entity_type text collate "C" check (entity_type in ('leads', 'customers')),
  entity_id bigint,
  rate integer not null default 0,
  is_read boolean not null,
  missed_at bigint,
  closed_at bigint, -- null: in work
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id),
  check ((entity_type is null) = (entity_id is null))
);
create index talks_of_chat on talks (account_id, chat_id, id);
create unique index talks_in_work on talks (account_id, chat_id) where closed_at is null;
create index talks_of_contact on talks (account_id, contact_id, id) where contact_id is not null;
create index talks_of_entity on talks (account_id, entity_type, entity_id, id) where entity_id is not null;
create index talks_open on talks (account_id, id) where closed_at is null;

create sequence messages_id start 1001;
create table messages (
  account_id bigint not null references accounts,
  id bigint not null default nextval('messages_id'),
  uid uuid not null default gen_random_uuid(), -- the id of the interface
  chat_id bigint not null,
  channel_id uuid not null references channels (id), -- with the account: the scope, in which msgid is known for ever
  msgid text collate "C", -- the channel's name of the message; null: written here, and not named since
  talk_id bigint,
  is_outgoing boolean not null,
  is_imported boolean not null, -- published by the channel, so that no callback tells of it
  is_silent boolean not null,
  user_id bigint, -- the user who wrote an outgoing message; null: the bot of the channel
  client_uid uuid not null, -- chat_clients: who wrote an incoming message, or gets an outgoing one
  contact_id bigint, -- where the message went: the contact, and the lead or the customer
  entity_type text collate "C" check (entity_type in ('leads', 'customers')),
  entity_id bigint,
  type text collate "C" not null check (type in ('text', 'picture', 'video', 'file', 'sticker', 'voice', 'audio', 'contact', 'location')),
  text text not null,
  content jsonb not null, -- {media, file_name, file_size, location, contact, …}: the members besides type and text, as the channel sent them
  file_id bigint, -- the file that is attached, once Kontor has or fetches it
  reply_to_id bigint,
  reactions jsonb, -- [{user: uuid, emoji}]
  msec_timestamp bigint not null, -- milliseconds: the order of the thread, before the id
  status text collate "C" check (status in ('sending', 'sent', 'delivered', 'read', 'error')), -- null: incoming
  error_code integer, -- 901 to 905
  error text, -- shown to the user
  created_at bigint not null, -- when it arrived
  updated_at bigint not null,
  primary key (account_id, id),
  check (is_outgoing = (status is not null)),
  check ((status = 'error') = (error_code is not null) or status is null)
);
create unique index messages_by_uid on messages (account_id, uid);
create unique index messages_by_msgid on messages (account_id, channel_id, msgid) where msgid is not null;
create index messages_of_chat on messages (account_id, chat_id, msec_timestamp, id);
create index messages_of_talk on messages (account_id, talk_id, msec_timestamp, id) where talk_id is not null;

-- Callbacks to channels, in order for each chat. A row goes when its callback has ended.
create sequence chat_callbacks_id start 1001;
create table chat_callbacks (
  account_id bigint not null references accounts,
  id bigint not null default nextval('chat_callbacks_id'),
  chat_id bigint not null,
  message_id bigint not null,
  attempts integer not null default 0,
  due_at bigint not null, -- milliseconds
  created_at bigint not null,
  primary key (account_id, id)
);
create unique index chat_callbacks_by_message on chat_callbacks (account_id, message_id);
create index chat_callbacks_of_chat on chat_callbacks (account_id, chat_id, id);
-- The sender looks at all accounts at once.
create index chat_callbacks_due on chat_callbacks (due_at, account_id, id);

-- Texts that users send again and again.
create sequence chat_templates_id start 1001;
create table chat_templates (
  account_id bigint not null references accounts,
  id bigint not null default nextval('chat_templates_id'),
  name text not null,
  content text not null,
  created_by bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id)
);
