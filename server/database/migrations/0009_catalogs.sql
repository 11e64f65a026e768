-- Catalogs: lists of products, invoices or anything else.

create sequence catalogs_id start 1001;
create table catalogs (
  account_id bigint not null references accounts,
  id bigint not null default nextval('catalogs_id'),
  name text not null,
  type text not null check (type in ('regular', 'products', 'invoices')),
  sort int not null,
  can_add_elements boolean not null,
  can_show_in_cards boolean not null,
  can_link_multiple boolean not null,
  created_by bigint not null,
  updated_by bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id)
);
create unique index catalogs_of_type on catalogs (account_id, type) where type <> 'regular';

-- The fields of a catalog stand under the entity type catalogs:<id>.
alter table custom_fields
  add column is_visible boolean not null default true,
  add column is_required boolean not null default false; -- of new elements

create sequence catalog_elements_id start 1001;
create table catalog_elements (
  account_id bigint not null,
  id bigint not null default nextval('catalog_elements_id'),
  catalog_id bigint not null,
  name text not null,
  created_by bigint not null,
  updated_by bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  currency_id bigint,
  custom_fields_values jsonb,
  primary key (account_id, id)
);
create index catalog_elements_in_order on catalog_elements (account_id, catalog_id, id);

-- The texts of the elements of a catalog, under the entity type catalogs:<id>.
create table record_texts_of_catalogs partition of record_texts default;
