-- The account and its people: roles, sessions, contacts, companies, links between records, the bin.

create sequence roles_id start 1001;
create table roles (
  account_id bigint not null references accounts,
  id bigint not null default nextval('roles_id'),
  name text not null,
  rights jsonb not null,
  primary key (account_id, id)
);
create index users_by_role on users (account_id, role_id) where role_id is not null;

-- A session is one browser that signed in. Its hash is the same in each account whose password was right.
create table sessions (
  account_id bigint not null,
  hash bytea not null,
  user_id bigint not null,
  is_chosen boolean not null, -- the account that answers where the address names none
  created_at bigint not null,
  expires_at bigint not null,
  primary key (account_id, hash),
  foreign key (account_id, user_id) references users
);
create index sessions_by_hash on sessions (hash);
create index sessions_by_user on sessions (account_id, user_id);

alter table users
  add column phone_number text,
  add column user_rank text check (user_rank in ('newbie', 'candidate', 'master')),
  add column amojo_id uuid not null default gen_random_uuid(),
  add column group_move xid8, -- the transaction that moved the user to another group, until the records of the user say so too
  add constraint users_role foreign key (account_id, role_id) references roles;
create index users_by_group on users (account_id, group_id);
create index users_on_the_move on users (account_id) where group_move is not null;

-- A deleted integration stays for what its grants did, without secret and logo.
alter table integrations
  add column is_public boolean not null default false, -- other accounts may install it too
  add column logo bytea,
  add column logo_type text, -- image/png, image/jpeg, image/gif
  add column uninstall_hook text,
  add column deleted_at bigint;
create index installations_by_client on installations (client_id);
create index grants_by_client on grants (account_id, client_id, id) where revoked_at is null;
-- What the person who allowed the code saw; later changes of the integration do not widen it.
alter table authorization_codes add column scopes text[];
create index authorization_codes_by_client on authorization_codes (account_id, client_id) where used_at is null;

create sequence contacts_id start 1001;
create table contacts (
  account_id bigint not null,
  id bigint not null default nextval('contacts_id'),
  name text not null,
  first_name text not null,
  last_name text not null,
  responsible_user_id bigint not null,
  group_id bigint not null,
  created_by bigint not null,
  updated_by bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  closest_task_at bigint,
  is_deleted boolean not null default false,
  custom_fields_values jsonb,
  tag_ids bigint[] not null default '{}',
  primary key (account_id, id)
);
create index contacts_by_name on contacts (account_id, lower(name collate kontor), id);
create index contacts_by_responsible on contacts (account_id, responsible_user_id, id);
create index contacts_by_group on contacts (account_id, group_id, id);
create index contacts_by_creator on contacts (account_id, created_by, id) where not is_deleted;
create index contacts_by_updater on contacts (account_id, updated_by, id) where not is_deleted;
create index contacts_by_creation on contacts (account_id, created_at, id) where not is_deleted;
create index contacts_by_update on contacts (account_id, updated_at, id) where not is_deleted;

create sequence companies_id start 1001;
create table companies (
  account_id bigint not null,
  id bigint not null default nextval('companies_id'),
  name text not null,
  responsible_user_id bigint not null,
  group_id bigint not null,
  created_by bigint not null,
  updated_by bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  closest_task_at bigint,
  is_deleted boolean not null default false,
  custom_fields_values jsonb,
  tag_ids bigint[] not null default '{}',
  primary key (account_id, id)
);
create index companies_by_name on companies (account_id, lower(name collate kontor), id);
create index companies_by_responsible on companies (account_id, responsible_user_id, id);
create index companies_by_group on companies (account_id, group_id, id);
create index companies_by_creator on companies (account_id, created_by, id) where not is_deleted;
create index companies_by_updater on companies (account_id, updated_by, id) where not is_deleted;
create index companies_by_creation on companies (account_id, created_at, id) where not is_deleted;
create index companies_by_update on companies (account_id, updated_at, id) where not is_deleted;

-- A link is symmetric and kept from both ends, so that either end finds it by its key.
create table links (
  account_id bigint not null,
  from_type text not null, -- leads, contacts, companies, customers
  from_id bigint not null,
  to_type text not null,
  to_id bigint not null,
  is_main boolean not null default false, -- the main contact of a lead or customer
  primary key (account_id, from_type, from_id, to_type, to_id)
);

-- The bin: what was deleted, in the order of ids and of deletion.
create index leads_in_bin on leads (account_id, id) where is_deleted;
create index contacts_in_bin on contacts (account_id, id) where is_deleted;
create index companies_in_bin on companies (account_id, id) where is_deleted;
create index leads_in_bin_by_deletion on leads (account_id, updated_at, id) where is_deleted;
create index contacts_in_bin_by_deletion on contacts (account_id, updated_at, id) where is_deleted;
create index companies_in_bin_by_deletion on companies (account_id, updated_at, id) where is_deleted;
create index notes_of_record on notes (account_id, entity_type, entity_id) where note_type = 'entity_added';
