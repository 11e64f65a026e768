-- For administrators, about the programs that are connected: the answers of receivers, and the latest calls of integrations and
-- chat channels (docs/decisions/0070-calls-of-programs.md).

alter table delivery_attempts
  add column answer text; -- the beginning of the answer's body; null: it had none, or none that is text

alter table webhooks
  add column disabled_by bigint; -- the user who switched it off; null: too many invalid answers did

-- When a grant was used last, up to five minutes too early. Not a column of grants: each change of those makes all processes forget
-- their callers.
create table grant_uses (
  account_id bigint not null,
  grant_id bigint not null,
  used_at bigint not null,
  primary key (account_id, grant_id),
  foreign key (account_id, grant_id) references grants on delete cascade
);

-- The latest calls. They help to find a fault, and may be lost with a crash.
create sequence integration_calls_id;
create unlogged table integration_calls (
  account_id bigint not null,
  client_id uuid not null,
  id bigint not null default nextval('integration_calls_id'),
  user_id bigint not null,
  method text not null,
  path text not null,
  status int not null,
  fault text, -- why it was refused
  milliseconds int not null,
  called_at bigint not null, -- milliseconds since 1970
  primary key (account_id, client_id, id)
);
create index integration_calls_by_time on integration_calls (called_at);

create sequence channel_calls_id;
create unlogged table channel_calls (
  account_id bigint not null, -- the owner of the channel
  channel_id uuid not null,
  id bigint not null default nextval('channel_calls_id'),
  is_incoming boolean not null, -- from the program of the channel, or a callback to it
  method text not null,
  path text not null, -- of a callback, the address without its query
  status int not null, -- 0: no answer
  fault text,
  milliseconds int not null,
  called_at bigint not null, -- milliseconds since 1970
  primary key (account_id, channel_id, id)
);
create index channel_calls_by_time on channel_calls (called_at);
