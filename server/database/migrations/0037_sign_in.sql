-- What a user manages of signing in: sessions, links for a new password and for new users, the second factor, and preferences
-- (docs/decisions/0065-links-and-second-factors.md).

-- A session is shown to its user by an id; the token is stored as a hash only.
create sequence sessions_id;
alter table sessions
  add column id bigint not null default nextval('sessions_id'),
  add column last_used_at bigint, -- up to an hour too early; null: not since the sign-in
  add column browser text, -- "Firefox on Linux"; null: not known
  add column address text;

-- A link with which a user sets a new password. A user has one at most, and it is good once.
create table password_resets (
  account_id bigint not null,
  user_id bigint not null,
  hash bytea not null,
  created_by bigint not null, -- the link is void when this user is no longer an active administrator
  created_at bigint not null,
  expires_at bigint not null,
  primary key (account_id, user_id),
  foreign key (account_id, user_id) references users,
  foreign key (account_id, created_by) references users
);
create unique index password_resets_by_hash on password_resets (hash);
create index password_resets_by_creator on password_resets (account_id, created_by);

-- A link with which somebody becomes a user. An e-mail has one at most in an account.
create sequence invitations_id;
create table invitations (
  account_id bigint not null references accounts,
  id bigint not null default nextval('invitations_id'),
  email text not null, -- trimmed, in lower case
  name text,
  role_id bigint, -- null: no rights, unless an administrator
  group_id bigint, -- null: the built-in group
  is_admin boolean not null,
  hash bytea not null,
  created_by bigint not null, -- the link is void when this user is no longer an active administrator
  created_at bigint not null,
  expires_at bigint not null,
  primary key (account_id, id),
  foreign key (account_id, role_id) references roles on delete set null (role_id),
  foreign key (account_id, group_id) references groups on delete set null (group_id),
  foreign key (account_id, created_by) references users
);
create unique index invitations_by_hash on invitations (hash);
create unique index invitations_email on invitations (account_id, email);
create index invitations_by_role on invitations (account_id, role_id) where role_id is not null;
create index invitations_by_group on invitations (account_id, group_id) where group_id is not null;
create index invitations_by_creator on invitations (account_id, created_by);

-- The second factor of a user: codes by time (TOTP).
create table second_factors (
  account_id bigint not null,
  user_id bigint not null,
  secret bytea not null, -- encrypted
  created_at bigint not null,
  confirmed_at bigint, -- null: begun, and not yet asked for
  last_step bigint not null default 0, -- the step of the latest code that was accepted: no code is accepted twice
  primary key (account_id, user_id),
  foreign key (account_id, user_id) references users
);

create table recovery_codes (
  account_id bigint not null,
  user_id bigint not null,
  hash bytea not null,
  primary key (account_id, user_id, hash),
  foreign key (account_id, user_id) references second_factors on delete cascade
);

-- What a user has set otherwise than the default.
create table preferences (
  account_id bigint not null,
  user_id bigint not null,
  settings jsonb not null,
  primary key (account_id, user_id),
  foreign key (account_id, user_id) references users
);
