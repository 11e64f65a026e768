-- Segments of customers.

create sequence segments_id start 1001;
create table segments (
  account_id bigint not null references accounts,
  id bigint not null default nextval('segments_id'),
  name text not null,
  color text not null, -- of the palette, without #
  available_products_price_types bigint[] not null, -- ids of fields; deleted ones are not shown
  custom_fields_values jsonb,
  entry_conditions jsonb not null default '[]', -- an OR of ANDs; []: no rule changes the segment
  exit_conditions jsonb not null default '[]',
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id)
);

alter table customers
  add column segment_ids bigint[] not null default '{}', -- in the order of the ids
  add column segment_ids_by_hand bigint[] not null default '{}'; -- those of them that no rule removes

-- The customers of a segment outside the bin are the sum of its rows. A transaction changes a row
-- that no other one has locked, and adds one where there is none, so that none waits for another.
create sequence segment_counts_slot;
create table segment_counts (
  account_id bigint not null,
  segment_id bigint not null,
  slot bigint not null default nextval('segment_counts_slot'),
  customers bigint not null,
  primary key (account_id, segment_id, slot)
) with (fillfactor = 50);

alter table cleanups add column segment_id bigint; -- of customers

-- Whether the account sells products. Only the catalog of products is ever turned off.
alter table catalogs add column is_enabled boolean not null default true;
