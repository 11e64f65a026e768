-- What the lists of the web application keep (docs/decisions/0100-windows-of-lists.md), and the index of tags
-- (docs/decisions/0101-filter-by-tags.md).

-- How many records lists show of each block of 4,096 ids, as of the deltas that were added to it. An unfiltered list
-- finds its row at any position by them.
create table listed_counts (
  account_id bigint not null,
  entity_type text not null,
  block bigint not null,
  count bigint not null,
  primary key (account_id, entity_type, block)
);
create table listed_count_deltas (
  account_id bigint not null,
  entity_type text not null,
  block bigint not null,
  count bigint not null
);
create index listed_count_deltas_by_type on listed_count_deltas (account_id, entity_type);

-- The records with a tag. Triggers write it, so no way of tagging is missed, and a change of anything else costs nothing.
create table record_tags (
  account_id bigint not null,
  entity_type text not null,
  tag_id bigint not null,
  entity_id bigint not null,
  primary key (account_id, entity_type, tag_id, entity_id)
);

do $$
declare
  name text;
begin
  foreach name in array array['listed_counts', 'listed_count_deltas', 'record_tags'] loop
    execute 'alter table ' || name || ' set (
      autovacuum_vacuum_scale_factor = 0.1, autovacuum_vacuum_insert_scale_factor = 0.1, autovacuum_analyze_scale_factor = 0.05)';
  end loop;
end $$;

create function list_added() returns trigger language plpgsql as $$
begin
  insert into listed_count_deltas
  select account_id, tg_table_name, id >> 12, count(*) from added where not is_deleted group by account_id, id >> 12;
  insert into record_tags
  select account_id, tg_table_name, tag, id from added, unnest(tag_ids) tag on conflict do nothing;
  return null;
end
$$;

-- Leads are counted for the board already (0040_board.sql), by the same trigger. One that waits with its unsorted item is in
-- no list.
create or replace function count_added_leads() returns trigger language plpgsql as $$
begin
  insert into lead_total_deltas
  select account_id, pipeline_id, status_id, responsible_user_id, group_id, unsorted_id is not null, count(*), sum(price)
    from added where not is_deleted
   group by account_id, pipeline_id, status_id, responsible_user_id, group_id, unsorted_id is not null;
  insert into listed_count_deltas
  select account_id, tg_table_name, id >> 12, count(*) from added where not is_deleted and unsorted_id is null
   group by account_id, id >> 12;
  insert into record_tags
  select account_id, tg_table_name, tag, id from added, unnest(tag_ids) tag on conflict do nothing;
  return null;
end
$$;

-- The record enters the lists of its type (1), or leaves them (-1).
create function count_listed() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    insert into listed_count_deltas values (old.account_id, tg_table_name, old.id >> 12, tg_argv[0]::bigint);
  else
    insert into listed_count_deltas values (new.account_id, tg_table_name, new.id >> 12, tg_argv[0]::bigint);
  end if;
  return null;
end
$$;

create function tag_record() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from record_tags
     where account_id = old.account_id and entity_type = tg_table_name and tag_id = any(old.tag_ids) and entity_id = old.id;
    return null;
  end if;
  delete from record_tags
   where account_id = old.account_id and entity_type = tg_table_name and entity_id = old.id
     and tag_id = any(old.tag_ids) and tag_id <> all(new.tag_ids);
  insert into record_tags
  select new.account_id, tg_table_name, tag, new.id from unnest(new.tag_ids) tag where tag <> all(old.tag_ids)
  on conflict do nothing;
  return null;
end
$$;

do $$
declare
  name text;
  is_listed text;
begin
  foreach name in array array['leads', 'contacts', 'companies', 'customers'] loop
    is_listed := 'not %1$s.is_deleted' || case name when 'leads' then ' and %1$s.unsorted_id is null' else '' end;
    if name <> 'leads' then
      execute format(
        'create trigger %1$s_list after insert on %1$s referencing new table as added for each statement execute function list_added()',
        name);
    end if;
    execute format(
      'create trigger %1$s_listed after update on %1$s for each row when (not (%2$s) and %3$s) execute function count_listed(''1'')',
      name, format(is_listed, 'old'), format(is_listed, 'new'));
    execute format(
      'create trigger %1$s_unlisted after update on %1$s for each row when (%2$s and not (%3$s)) execute function count_listed(''-1'')',
      name, format(is_listed, 'old'), format(is_listed, 'new'));
    execute format(
      'create trigger %1$s_gone after delete on %1$s for each row when (%2$s) execute function count_listed(''-1'')',
      name, format(is_listed, 'old'));
    execute format(
      'create trigger %1$s_tagged after update on %1$s for each row when (old.tag_ids is distinct from new.tag_ids) execute function tag_record()',
      name);
    execute format(
      'create trigger %1$s_untagged after delete on %1$s for each row when (old.tag_ids <> ''{}'') execute function tag_record()',
      name);
    execute format(
      'insert into listed_counts select account_id, %1$L, id >> 12, count(*) from %1$s record where %2$s group by account_id, id >> 12',
      name, format(is_listed, 'record'));
    execute format(
      'insert into record_tags select account_id, %1$L, tag, id from %1$s, unnest(tag_ids) tag on conflict do nothing', name);
  end loop;
end $$;
