-- Elements of catalogs on records, each with a quantity and, where it has one, its price.

create sequence element_links_id;
create table element_links (
  account_id bigint not null,
  entity_type text not null, -- of the record
  entity_id bigint not null,
  element_id bigint not null,
  catalog_id bigint not null,
  id bigint not null default nextval('element_links_id'), -- in the order of linking
  quantity numeric not null default 1 check (quantity > 0),
  price_id bigint, -- a field of the catalog
  primary key (account_id, entity_type, entity_id, element_id)
);
create index element_links_of_element on element_links (account_id, element_id, entity_type, entity_id);
