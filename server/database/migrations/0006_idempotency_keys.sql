-- The answers to writes that carried an Idempotency-Key, kept for a day. Key and request are hashes: neither is needed as it was sent.

create table idempotency_keys (
  account_id bigint not null,
  hash bytea not null, -- of the caller and its key
  request_hash bytea not null, -- of method, address and body
  created_at bigint not null,
  status smallint not null,
  type text, -- the media type of the answer; null: no body
  body text not null,
  primary key (account_id, hash)
);
create index idempotency_keys_by_age on idempotency_keys (account_id, created_at);
