-- Subscriptions of programs to the changes of an account.

create sequence webhooks_id start 1001;
create table webhooks (
  account_id bigint not null,
  id bigint not null default nextval('webhooks_id'),
  destination text collate "C" not null,
  settings text[] not null, -- names of events
  sort int not null,
  is_disabled boolean not null default false,
  disabled_at bigint,
  format text not null default 'form' check (format in ('form', 'json')), -- of bodies
  deletion_form text not null default 'id' check (deletion_form in ('id', 'list')),
  after_journal_id bigint not null, -- the last journal id drawn when the webhook was made: it hears of later rows only
  client_id uuid, -- the integration that subscribed last, whose uninstallation ends the webhook; null: a user did
  created_by bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id),
  unique (account_id, destination),
  check (cardinality(settings) > 0),
  check (is_disabled = (disabled_at is not null))
);
