-- Trees of categories.

-- [{id, parent_id, value, sort}], parents first; the ids are of the sequence of choices.
alter table custom_fields add column nested jsonb;

-- Products are put into groups; the field is one of those that a new catalog of products has.
insert into custom_fields (account_id, entity_type, name, type, code, sort, is_visible, is_predefined, is_deletable, nested)
select account_id, 'catalogs:' || id, 'Group', 'category', 'GROUP',
       (select coalesce(max(sort), 0) + 1 from custom_fields field
         where field.account_id = catalogs.account_id and field.entity_type = 'catalogs:' || catalogs.id), true, true, false, '[]'
  from catalogs
 where type = 'products'
   and not exists (select from custom_fields field
                    where field.account_id = catalogs.account_id and field.entity_type = 'catalogs:' || catalogs.id and field.code = 'GROUP')
 order by account_id, id;
update accounts set fields_version = pg_current_xact_id()::text::bigint where exists (select from catalogs where account_id = accounts.id);
