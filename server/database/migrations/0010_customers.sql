-- Customers, the two ways of working with them, and the statuses of the periodic one.

-- Both may be on. The one that the account says is the first of them.
alter table accounts
  drop column customers_mode,
  add column is_periodicity_on boolean not null default true,
  add column is_segments_on boolean not null default true,
  add column customers_mode text not null
    generated always as (case when is_periodicity_on then 'periodicity' when is_segments_on then 'segments' else 'disabled' end) stored;

-- Ids are those of lead statuses too: both are a `status_id`, and no id means one of each.
create table customer_statuses (
  account_id bigint not null references accounts,
  id bigint not null default nextval('statuses_id'),
  name text not null,
  sort int not null, -- 1, 2, 3 …
  color text not null,
  type smallint not null, -- 0 ordinary, 1 purchase expected, 2 did not purchase, 3 closed, 4 recently purchased
  is_default boolean not null default false, -- every account has one of each type but 0; they are never deleted
  primary key (account_id, id),
  check (is_default = (type <> 0))
);

-- The statuses that a fresh account has (entities reference, 23), in colors of the palette.
create function give_first_customer_statuses(account bigint) returns void language sql as $$
  insert into customer_statuses (account_id, name, sort, color, type, is_default)
  values (account, 'Recently purchased', 1, '#deff81', 4, true),
         (account, 'Stage', 2, '#fffeb2', 0, false),
         (account, 'Purchase expected', 3, '#98cbff', 1, true),
         (account, 'Did not purchase', 4, '#ff8f92', 2, true),
         (account, 'Closed', 5, '#e6e8ea', 3, true)
$$;
select give_first_customer_statuses(id) from accounts order by id;

create sequence customers_id start 1001;
create table customers (
  account_id bigint not null,
  id bigint not null default nextval('customers_id'),
  name text not null,
  next_price bigint not null default 0, -- of the next purchase
  next_date bigint not null,
  periodicity int not null default 0, -- days between purchases; 0: none
  status_id bigint not null,
  ltv bigint not null default 0, -- the sum of the purchases
  purchases_count int not null default 0,
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
create index customers_by_name on customers (account_id, lower(name collate kontor), id);
create index customers_by_next_price on customers (account_id, next_price, id) where not is_deleted;
create index customers_by_next_date on customers (account_id, next_date, id) where not is_deleted;
create index customers_by_status on customers (account_id, status_id, id);
create index customers_by_responsible on customers (account_id, responsible_user_id, id);
create index customers_by_group on customers (account_id, group_id, id);
create index customers_by_creator on customers (account_id, created_by, id) where not is_deleted;
create index customers_by_updater on customers (account_id, updated_by, id) where not is_deleted;
create index customers_by_creation on customers (account_id, created_at, id) where not is_deleted;
create index customers_by_update on customers (account_id, updated_at, id) where not is_deleted;
create index customers_by_task on customers (account_id, closest_task_at, id) where not is_deleted;
create index customers_in_bin on customers (account_id, id) where is_deleted;
create index customers_in_bin_by_deletion on customers (account_id, updated_at, id) where is_deleted;
