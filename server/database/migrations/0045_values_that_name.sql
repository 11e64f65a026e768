-- Values of fields that name something else: files, and contacts and companies in the elements of catalogs.

-- A value of the type file names a file and a version. Whoever knows the version was told it by the upload, or by a record that has the
-- file; the uid alone stands in addresses that end, and opens nothing.
alter table files add column version_uid uuid not null default gen_random_uuid();

-- Files are found by their uids as texts are, so that a file that a record names is kept.
insert into field_texts (account_id, field_id, entity_type, value, entity_id)
select field.account_id, field.id, field.entity_type, lower(named.value -> field.id::text -> 0 ->> 'file_uuid'), named.id
  from custom_fields field,
       lateral (select id, custom_fields_values as value from leads where field.entity_type = 'leads' and account_id = field.account_id
                union all
                select id, custom_fields_values from contacts where field.entity_type = 'contacts' and account_id = field.account_id
                union all
                select id, custom_fields_values from companies where field.entity_type = 'companies' and account_id = field.account_id
                union all
                select id, custom_fields_values from customers where field.entity_type = 'customers' and account_id = field.account_id) named
 where field.type = 'file' and named.value -> field.id::text -> 0 ->> 'file_uuid' is not null
on conflict do nothing;
update files set attached_at = stored_at
 where attached_at is null and state = 'stored'
   and exists (select from custom_fields field
                 join field_texts named on named.account_id = field.account_id and named.field_id = field.id
                                       and named.entity_type = field.entity_type and named.value = files.uid::text
                where field.account_id = files.account_id and field.type = 'file');

-- The elements of catalogs whose values name a record, by its id; the few others are left out of the index. A merge repoints them
-- (docs/decisions/0083-values-that-name.md).
create index catalog_elements_naming on catalog_elements using gin (jsonb_path_query_array(custom_fields_values, '$.*[*].entity_id') jsonb_path_ops)
  where custom_fields_values @? '$.*[*].entity_id';
alter table merges add column element_values json not null default '[]'; -- [{element_id, field_id, before, after}]: values that named the one merged away
