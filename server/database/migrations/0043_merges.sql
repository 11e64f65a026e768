-- Merged records, with what an undo needs to take them apart again (docs/decisions/0078-merges.md).

create sequence merges_id start 1001;
create table merges (
  account_id bigint not null references accounts,
  id bigint not null default nextval('merges_id'),
  entity_type text collate "C" not null check (entity_type in ('contacts', 'companies')),
  into_id bigint not null, -- the record that survived
  from_id bigint not null, -- the record that was merged away, which lies in the bin
  before json not null, -- of the survivor: the columns that a merge decides about, as they were
  after json not null, -- the same, as the merge left them
  links json not null, -- [{of, type, id, is_main, outward, inward, is_moved}]: the links of the one merged away, and those that the survivor lost
  elements json not null, -- [{element_id, catalog_id, quantity, price_id, is_moved}]: its elements
  notes bigint[] not null, -- the ids of what went over to the survivor, here and below
  tasks bigint[] not null,
  chats bigint[] not null,
  talks bigint[] not null,
  messages bigint[] not null,
  created_by bigint not null,
  created_at bigint not null,
  undo_until bigint not null,
  undone_at bigint, -- null: it stands
  undone_by bigint,
  primary key (account_id, id),
  check ((undone_at is null) = (undone_by is null))
);
-- What a record took in, and where it went; the purge asks for the latter.
create index merges_into on merges (account_id, entity_type, into_id, id) where undone_at is null;
create index merges_from on merges (account_id, entity_type, from_id, id) where undone_at is null;
-- The upkeep looks at all accounts at once.
create index merges_old on merges (created_at);
