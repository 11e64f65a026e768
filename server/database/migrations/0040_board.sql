-- The board of a pipeline: kept totals of its stages (docs/decisions/0072-totals-of-the-board.md), the orders of its columns
-- (docs/decisions/0073-windows-of-the-board.md), and since when a lead is in its stage.

-- Leads outside the bin: their number and the sum of their prices, as of the deltas that were added to them.
create table lead_totals (
  account_id bigint not null,
  pipeline_id bigint not null,
  status_id bigint not null,
  responsible_user_id bigint not null,
  group_id bigint not null,
  is_unsorted boolean not null,
  count bigint not null,
  sum numeric not null, -- a thousand of the highest prices are more than a bigint holds
  primary key (account_id, pipeline_id, status_id, responsible_user_id, group_id, is_unsorted)
);

-- The changes since: writers only add rows, so they never wait for each other. A worker adds them to the totals.
create table lead_total_deltas (
  account_id bigint not null,
  pipeline_id bigint not null,
  status_id bigint not null,
  responsible_user_id bigint not null,
  group_id bigint not null,
  is_unsorted boolean not null,
  count bigint not null,
  sum numeric not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
create index lead_total_deltas_by_pipeline on lead_total_deltas (account_id, pipeline_id);

create function count_added_leads() returns trigger language plpgsql as $$
begin
  insert into lead_total_deltas
  select account_id, pipeline_id, status_id, responsible_user_id, group_id, unsorted_id is not null, count(*), sum(price)
    from added where not is_deleted
   group by account_id, pipeline_id, status_id, responsible_user_id, group_id, unsorted_id is not null;
  return null;
end
$$;

create function count_removed_leads() returns trigger language plpgsql as $$
begin
  insert into lead_total_deltas
  select account_id, pipeline_id, status_id, responsible_user_id, group_id, unsorted_id is not null, - count(*), - sum(price)
    from removed where not is_deleted
   group by account_id, pipeline_id, status_id, responsible_user_id, group_id, unsorted_id is not null;
  return null;
end
$$;

-- Most changes leave every number as it was, and add nothing.
create function count_changed_leads() returns trigger language plpgsql as $$
begin
  insert into lead_total_deltas
  select account_id, pipeline_id, status_id, responsible_user_id, group_id, is_unsorted, sum(sign), sum(sign * price)
    from (select account_id, pipeline_id, status_id, responsible_user_id, group_id, unsorted_id is not null as is_unsorted, price, -1 as sign
            from removed where not is_deleted
           union all
          select account_id, pipeline_id, status_id, responsible_user_id, group_id, unsorted_id is not null, price, 1
            from added where not is_deleted) side
   group by account_id, pipeline_id, status_id, responsible_user_id, group_id, is_unsorted
  having sum(sign) <> 0 or sum(sign * price) <> 0;
  return null;
end
$$;

create trigger leads_added after insert on leads
  referencing new table as added for each statement execute function count_added_leads();
create trigger leads_removed after delete on leads
  referencing old table as removed for each statement execute function count_removed_leads();
create trigger leads_changed after update on leads
  referencing old table as removed new table as added for each statement execute function count_changed_leads();

insert into lead_totals
select account_id, pipeline_id, status_id, responsible_user_id, group_id, unsorted_id is not null, count(*), sum(price)
  from leads where not is_deleted
 group by account_id, pipeline_id, status_id, responsible_user_id, group_id, unsorted_id is not null;

-- Since when a lead is in its stage; null: the lead entered it before this column, and the event log says when.
alter table leads add column entered_at bigint;

create function date_entry() returns trigger language plpgsql as $$
begin
  new.entered_at := case when tg_op = 'INSERT' then new.created_at else greatest(new.updated_at, new.created_at) end;
  return new;
end
$$;
create trigger leads_entering before insert on leads for each row execute function date_entry();
create trigger leads_moving before update of pipeline_id, status_id on leads for each row
  when (old.pipeline_id <> new.pipeline_id or old.status_id <> new.status_id) execute function date_entry();

-- The orders of the columns of open stages. Closed columns, and the order by creation, have leads_by_status.
create index leads_board_by_task on leads (account_id, pipeline_id, status_id, closest_task_at, id desc)
  where not is_deleted and unsorted_id is null and status_id not in (142, 143);
create index leads_board_by_update on leads (account_id, pipeline_id, status_id, updated_at, id)
  where not is_deleted and unsorted_id is null and status_id not in (142, 143);
create index leads_board_by_price on leads (account_id, pipeline_id, status_id, price, id)
  where not is_deleted and unsorted_id is null and status_id not in (142, 143);
create index leads_board_by_name on leads (account_id, pipeline_id, status_id, lower(name collate kontor), id desc)
  where not is_deleted and unsorted_id is null and status_id not in (142, 143);
