-- Files: uploads, and media that is fetched from addresses (docs/decisions/0054-files.md). The bytes are in the store of the
-- configuration, under the account and the uid. Times are Unix seconds, or milliseconds where said.

create sequence files_id start 1001;
create table files (
  account_id bigint not null references accounts,
  id bigint not null default nextval('files_id'),
  uid uuid not null default gen_random_uuid(),
  name text not null,
  type text collate "C" not null, -- the media type; of stored files judged by the content, where that says it
  size bigint, -- bytes; null until stored
  state text collate "C" not null check (state in ('fetching', 'stored', 'failed')),
  source text, -- the address to fetch from; null: an upload
  error text, -- why the latest attempt failed
  attempts integer not null default 0,
  due_at bigint, -- milliseconds: when to fetch next, or when an upload that has not ended counts as dead; null: not fetching
  created_by bigint not null, -- the user; 0: a channel or the server
  created_at bigint not null,
  stored_at bigint,
  attached_at bigint, -- when something first referred to an upload
  primary key (account_id, id),
  check ((state = 'stored') = (stored_at is not null)),
  check (state <> 'stored' or size is not null),
  check ((state = 'fetching') = (due_at is not null))
);
create unique index files_by_uid on files (account_id, uid);
-- The worker and the clean-up look at all accounts at once.
create index files_to_fetch on files (account_id, due_at, id) where state = 'fetching' and source is not null;
create index files_due on files (due_at, account_id, id) where state = 'fetching' and source is null;
create index files_unattached on files (stored_at, account_id, id) where source is null and attached_at is null and state = 'stored';
