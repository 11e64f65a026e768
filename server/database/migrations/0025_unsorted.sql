-- Requests that wait for a decision, and the leads that stand for them meanwhile (docs/decisions/0051-unsorted.md).

create sequence unsorted_items_id start 1001;
create table unsorted_items (
  account_id bigint not null,
  id bigint not null default nextval('unsorted_items_id'),
  uid text collate "C" not null,
  category text collate "C" not null check (category in ('sip', 'mail', 'forms', 'chats')),
  source_uid text collate "C" not null,
  source_name text not null,
  pipeline_id bigint not null,
  status_id bigint not null, -- of unsorted leads in this pipeline
  lead_ids bigint[] not null,
  contact_ids bigint[] not null, -- nobody has these ids before the acceptance
  company_ids bigint[] not null,
  content bytea, -- SHA-256 of the request; null once it is decided, and so are the next two
  metadata jsonb, -- the call or the form
  data jsonb, -- {leads, contacts, companies, notes} as drafts
  client_id uuid, -- the integration that added the item
  result text check (result in ('accepted', 'declined')), -- null while the item waits
  created_by bigint not null,
  updated_by bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  decided_at bigint,
  primary key (account_id, id),
  check ((result is null) = (decided_at is null))
);
create unique index unsorted_items_uid on unsorted_items (account_id, uid);
create unique index unsorted_items_source on unsorted_items (account_id, category, source_uid) where result is null;

-- Lists show what waits, in order of time; counts read an index alone.
create index unsorted_by_creation on unsorted_items (account_id, created_at, id) include (pipeline_id, status_id, category) where result is null;
create index unsorted_by_update on unsorted_items (account_id, updated_at, id) where result is null;
create index unsorted_by_category on unsorted_items (account_id, category, created_at, id) where result is null;
create index unsorted_by_pipeline on unsorted_items (account_id, pipeline_id, created_at, id) where result is null;
create index unsorted_by_decision on unsorted_items (account_id, decided_at) include (pipeline_id, status_id, result, created_at, uid)
  where result is not null;

-- The item that a lead waits with. Lists without a filter for its status leave such a lead out.
alter table leads add column unsorted_id bigint;
