-- What is sent to webhooks. Times are milliseconds since 1970.

-- Answers count against a webhook since then (Unix seconds); 0: since it was made.
alter table webhooks add column enabled_at bigint not null default 0;
-- Administrators were last warned at so many invalid answers, and when.
alter table webhooks add column warned int not null default 0, add column warned_at bigint not null default 0;

-- One body serves all subscriptions with the same form, and all attempts.
create sequence delivery_bodies_id;
create table delivery_bodies (
  account_id bigint not null,
  id bigint not null default nextval('delivery_bodies_id'),
  format text not null check (format in ('form', 'json')),
  body text not null,
  created_at bigint not null, -- that of its deliveries
  primary key (account_id, id)
);

create sequence deliveries_id start 1001;
create table deliveries (
  account_id bigint not null,
  id bigint not null default nextval('deliveries_id'),
  webhook_id bigint not null,
  body_id bigint not null,
  event text not null, -- such as update_lead; test for a test notice
  records text[] not null, -- such as 'leads 42': their notices go out in the order of the changes
  created_at bigint not null,
  attempts int not null default 0, -- finished ones
  due_at bigint, -- of the next attempt; 0: the first one, at once; null: none
  replayed_after int, -- attempts finished before the last replay, with which the schedule begins anew; null: never replayed
  state text not null default 'waiting', -- waiting, delivered, failed, ended (the subscription was switched off), held (it was off)
  primary key (account_id, id)
);
create index deliveries_due on deliveries (account_id, webhook_id, due_at, id) where due_at is not null;
create index deliveries_of_webhook on deliveries (account_id, webhook_id, id);
-- Whether a body is still needed.
create index deliveries_of_body on deliveries (account_id, body_id);
-- What can be replayed.
create index deliveries_unsent on deliveries (account_id, webhook_id, id) where state in ('failed', 'ended', 'held');

create table delivery_attempts (
  account_id bigint not null,
  delivery_id bigint not null,
  number int not null,
  webhook_id bigint not null,
  status int not null, -- 0: no answer
  error text,
  milliseconds int not null,
  ended_at bigint not null,
  is_counted boolean not null, -- whether an invalid answer counts against the webhook; not for replays and tests
  primary key (account_id, delivery_id, number)
);
-- The answers by which a subscription is switched off.
create index delivery_attempts_invalid on delivery_attempts (account_id, webhook_id, ended_at) where is_counted and not status between 100 and 299;
create index delivery_attempts_latest on delivery_attempts (account_id, webhook_id, ended_at);

-- Changes whose notices could not be built. The follower went on without them.
create table unbuilt_notices (
  account_id bigint not null,
  journal_id bigint not null,
  change json not null,
  error text not null,
  created_at bigint not null,
  primary key (account_id, journal_id)
);
