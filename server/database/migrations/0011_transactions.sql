-- Purchases of customers, and what customers keep of them.

alter table customers
  add column last_purchase_at bigint, -- the latest completed_at of the purchases; null: none
  add column bonus_points bigint not null default 0;

create sequence transactions_id start 1001;
create table transactions (
  account_id bigint not null,
  id bigint not null default nextval('transactions_id'),
  customer_id bigint not null,
  price bigint not null,
  comment text,
  completed_at bigint not null,
  receipt_link text,
  external_id text,
  bonus_points bigint not null default 0, -- what the purchase brought its customer
  note_id bigint not null, -- the note of type transaction
  created_by bigint not null,
  updated_by bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  is_deleted boolean not null default false,
  primary key (account_id, id)
);
create index transactions_in_order on transactions (account_id, id) where not is_deleted;
-- The list of one customer, and all that a purge of the customer removes.
create index transactions_of_customer on transactions (account_id, customer_id, is_deleted, id);
create index transactions_by_completion on transactions (account_id, customer_id, completed_at) where not is_deleted;

-- What was bought: elements of catalogs.
create table transaction_elements (
  account_id bigint not null,
  transaction_id bigint not null,
  element_id bigint not null,
  catalog_id bigint not null,
  quantity numeric not null,
  primary key (account_id, transaction_id, element_id)
);

-- Purged customers whose purchases are still to be removed, a few thousand at a time.
create table purged_customers (
  account_id bigint not null,
  id bigint not null,
  primary key (account_id, id)
);
