-- The browsers in which a user has signed in. Each counts its own wrong passwords, so that strangers cannot close its sign-in. A browser
-- has one hash, the same for all users who sign in with it; it outlives its sessions and ends with the password.
create table known_browsers (
  account_id bigint not null,
  user_id bigint not null,
  hash bytea not null,
  expires_at bigint not null,
  primary key (account_id, user_id, hash),
  foreign key (account_id, user_id) references users
);
create index known_browsers_by_hash on known_browsers (hash);
