-- The trigrams that stand in many search texts of an entity type, with about how many: a search asks the index for the others first
-- (docs/decisions/0060-common-trigrams.md). Counted in a sample from time to time. The row of the empty trigram counts all texts.
create table common_trigrams (
  entity_type text not null,
  trigram text not null,
  records bigint not null,
  counted_at timestamptz not null default now(),
  primary key (entity_type, trigram)
);
