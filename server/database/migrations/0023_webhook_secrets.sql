-- The secrets that sign the deliveries of webhooks, encrypted. Times are Unix seconds.

create table webhook_secrets (
  account_id bigint not null,
  webhook_id bigint not null,
  id bigint generated always as identity,
  secret bytea not null,
  created_at bigint not null,
  ends_at bigint, -- a rotation lets it sign until then; null: the present one
  primary key (account_id, webhook_id, id),
  foreign key (account_id, webhook_id) references webhooks on delete cascade
);
create unique index webhook_secrets_present on webhook_secrets (account_id, webhook_id) where ends_at is null;
