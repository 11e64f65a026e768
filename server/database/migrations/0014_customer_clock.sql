-- The statuses of customers follow their dates as time passes.

-- Type 4: days after a purchase. Type 1: days before the next purchase. Type 3: days after it was missed.
alter table customer_statuses add column days int;
update customer_statuses set days = case type when 3 then 30 else 7 end where type in (1, 3, 4);
alter table customer_statuses add check ((days is not null) = (type in (1, 3, 4)));

create or replace function give_first_customer_statuses(account bigint) returns void language sql as $$
  insert into customer_statuses (account_id, name, sort, color, type, is_default, days)
  values (account, 'Recently purchased', 1, '#deff81', 4, true, 7),
         (account, 'Stage', 2, '#fffeb2', 0, false, null),
         (account, 'Purchase expected', 3, '#98cbff', 1, true, 7),
         (account, 'Did not purchase', 4, '#ff8f92', 2, true, null),
         (account, 'Closed', 5, '#e6e8ea', 3, true, 30)
$$;

alter table customers
  add column is_status_by_hand boolean not null default false, -- a person chose it; a changed setting leaves it
  add column status_due_at bigint, -- when the passing of time changes the status; null: never
  add column segments_due_at bigint; -- the same for the segments
-- A customer without a chosen status began in the first ordinary one, or in "did not purchase".
update customers set is_status_by_hand = true
  from customer_statuses status
 where status.account_id = customers.account_id and status.id = customers.status_id
   and not (status.type = 2 and customers.next_date < customers.created_at)
   and status.id <> coalesce((select first.id from customer_statuses first
                               where first.account_id = customers.account_id and first.type = 0 order by first.sort limit 1), 0);
create index customers_due on customers (account_id, least(status_due_at, segments_due_at), id)
  where not is_deleted and least(status_due_at, segments_due_at) is not null;

-- The accounts whose customers are all to be evaluated again, and how far that is.
create sequence customer_reevaluations_round;
create table customer_reevaluations (
  account_id bigint primary key references accounts,
  round bigint not null default nextval('customer_reevaluations_round'), -- grows when it begins anew
  is_ready boolean not null default false, -- the transactions that may have used the rules of before have ended
  done_to bigint not null default 0, -- the id of a customer
  done int not null default 0,
  total int -- null: not counted yet
);
insert into customer_reevaluations (account_id) select distinct account_id from customers;
