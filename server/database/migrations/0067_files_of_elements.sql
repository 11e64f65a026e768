-- The elements of catalogs keep the files that they name, as the records of migration 0045 do.
insert into field_texts (account_id, field_id, entity_type, value, entity_id)
select field.account_id, field.id, field.entity_type, lower(element.custom_fields_values -> field.id::text -> 0 ->> 'file_uuid'), element.id
  from custom_fields field
  join catalog_elements element on element.account_id = field.account_id and field.entity_type = 'catalogs:' || element.catalog_id
 where field.type = 'file' and element.custom_fields_values -> field.id::text -> 0 ->> 'file_uuid' is not null
on conflict do nothing;
update files set attached_at = stored_at
 where attached_at is null and state = 'stored'
   and exists (select from custom_fields field
                 join field_texts named on named.account_id = field.account_id and named.field_id = field.id
                                       and named.entity_type = field.entity_type and named.value = files.uid::text
                where field.account_id = files.account_id and field.type = 'file' and field.entity_type like 'catalogs:%');
