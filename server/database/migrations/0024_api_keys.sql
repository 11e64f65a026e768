-- The keys by which older programs authenticate as a user, in the query string of the version-2 methods.

create sequence api_keys_id start 1001;
create table api_keys (
  account_id bigint not null,
  id bigint not null default nextval('api_keys_id'),
  user_id bigint not null,
  name text not null,
  hash bytea not null, -- SHA-256 of the key, which holds 238 random bits
  created_at bigint not null,
  last_used_at bigint, -- at most an hour too early; null: never used
  primary key (account_id, id),
  unique (account_id, hash)
);
create index api_keys_by_user on api_keys (account_id, user_id, id);
