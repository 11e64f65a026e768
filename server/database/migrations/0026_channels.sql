-- Channels of online chats, and the accounts that they are connected to (docs/decisions/0052-channels.md). Times are Unix seconds.

create sequence channels_number start 1001;
create table channels (
  account_id bigint not null references accounts, -- the owner
  id uuid not null default gen_random_uuid(),
  number bigint not null default nextval('channels_number'),
  code text collate "C" not null generated always as ('kontor.ext.' || number::text) stored,
  name text not null,
  bot_id uuid not null default gen_random_uuid(),
  bot_name text not null,
  hook_v1 text collate "C", -- addresses of callbacks, with the marker :scope_id; null: none
  hook_v2 text collate "C",
  secret bytea not null, -- encrypted; empty once the channel is deleted
  client_id uuid, -- the owner's integration, without which no account is connected; null: none
  allowed_accounts uuid[] not null default '{}', -- amojo ids besides the owner's
  is_avatar_required boolean not null default true,
  created_by bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  deleted_at bigint, -- the row stays, because conversations name their channel
  primary key (account_id, id)
);
-- A request of the chat protocol names the channel alone: its secret decides, and no account is known before.
create unique index channels_by_id on channels (id);
create unique index channels_by_number on channels (number);
create index channels_by_integration on channels (client_id) where client_id is not null;

create table channel_connections (
  account_id bigint not null references accounts, -- the connected account, which need not be the owner
  channel_id uuid not null references channels (id),
  title text not null,
  hook_api_version text not null check (hook_api_version in ('v1', 'v2')),
  is_time_window_disabled boolean not null,
  connected_at bigint not null,
  disconnected_at bigint, -- null while connected
  last_error text, -- why the latest callback failed; null: it did not
  last_error_at bigint,
  updated_at bigint not null,
  primary key (account_id, channel_id),
  check ((last_error is null) = (last_error_at is null))
);
-- The owner sees the connections of a channel in all accounts.
create index channel_connections_by_channel on channel_connections (channel_id, account_id);

create unique index accounts_amojo_id on accounts (amojo_id);
