-- The event log at scale: an index for each filter, each ending in id so that a page comes out in order, and its values.

-- The change of a field was stored twice, under a general type and under one with the id of the field. One row stays; answers name it
-- after the field (features/events).
delete from events where type ~ '^custom_field_\d+_value_changed$';

-- The list asks for each type and entity type, or for each user and type, by itself (features/events/queries.ts).
create index events_by_type on events (account_id, type, entity_type, id);
create index events_by_author on events (account_id, created_by, type, id);

-- The keys by which events are found by their values (changes/event-keys.ts), such as 'after stage 12:142'. The key follows their insertion.
create table event_keys (
  account_id bigint not null,
  key text collate "C" not null,
  event_id text collate "C" not null
) partition by range (event_id);
create table event_keys_rest partition of event_keys default;

-- As many partitions as the log has (changes/partitions.ts).
do $$
declare
  month record;
begin
  for month in
    select replace(log.relname, 'events', 'event_keys') as name, pg_get_expr(log.relpartbound, log.oid) as bounds
      from pg_inherits part join pg_class log on log.oid = part.inhrelid
     where part.inhparent = 'events'::regclass and log.relname <> 'events_rest'
  loop
    execute format('create table %I partition of event_keys %s', month.name, month.bounds);
  end loop;
end
$$;

-- The keys of the events so far. A value of more than 64 bytes stands as its hash.
insert into event_keys (account_id, key, event_id)
select event.account_id,
       side.name || ' ' || found.name || ' ' || case when octet_length(found.value) <= 64 then found.value else
         '#' || rtrim(translate(encode(sha256(convert_to(found.value, 'UTF8')), 'base64'), '+/', '-_'), '=') end,
       event.id
  from events event,
       lateral (values ('before', event.value_before), ('after', event.value_after)) side (name, items),
       lateral jsonb_array_elements(side.items) item,
       lateral (values
         ('lead_status_changed', 'stage', item #>> '{lead_status,pipeline_id}' || ':' || (item #>> '{lead_status,id}')),
         ('customer_status_changed', 'customer_status', item #>> '{customer_status,id}'),
         ('entity_responsible_changed', 'responsible_user', item #>> '{responsible_user,id}'),
         ('sale_field_changed', 'sale', item #>> '{sale_field_value,sale}'),
         ('name_field_changed', 'name', item #>> '{name_field_value,name}'),
         ('ltv_field_changed', 'ltv', item #>> '{ltv_field_value,ltv}'),
         ('custom_field_value_changed', 'text', item #>> '{custom_field_value,text}'),
         ('custom_field_value_changed', 'enum of ' || (item #>> '{custom_field_value,field_id}'), item #>> '{custom_field_value,enum_id}'),
         ('custom_field_value_changed', 'text of ' || (item #>> '{custom_field_value,field_id}'), item #>> '{custom_field_value,text}')
       ) found (type, name, value)
 where event.type = found.type and found.name is not null and found.value is not null
 union
select event.account_id, 'field ' || (item #>> '{custom_field_value,field_id}'), event.id
  from events event, lateral jsonb_array_elements(event.value_before || event.value_after) item
 where event.type = 'custom_field_value_changed' and item #>> '{custom_field_value,field_id}' is not null;
alter table event_keys add primary key (account_id, key, event_id);
