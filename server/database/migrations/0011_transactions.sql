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
  created_by bigint not null,
  updated_by bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  is_deleted boolean not null default false,
  primary key (account_id, id)
);
create index transactions_of_customer on transactions (account_id, customer_id, id) where not is_deleted;
create index transactions_by_completion on transactions (account_id, customer_id, completed_at) where not is_deleted;
