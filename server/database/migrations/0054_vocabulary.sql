-- Open pages hear of each change of what their account calls things: stages, fields, people, rights, tags
-- (server/features/live/vocabulary.ts, decision 93). The tables tell it themselves, whoever writes them.
-- PostgreSQL sends equal notices of a transaction once, at its commit.
create function tell_vocabulary() returns trigger language plpgsql as $$
begin
  perform pg_notify('kontor_vocabulary', coalesce(new.account_id, old.account_id) || ' ' || tg_argv[0]);
  return null;
end
$$;

create function tell_account() returns trigger language plpgsql as $$
begin
  perform pg_notify('kontor_vocabulary', new.id || ' account');
  return null;
end
$$;

do $$
declare
  named record;
begin
  for named in
    select name, kind
      from (values ('pipelines', 'stages'), ('statuses', 'stages'), ('custom_fields', 'fields'),
                   ('custom_field_groups', 'fields'), ('loss_reasons', 'loss_reasons'), ('task_types', 'task_types'),
                   ('groups', 'people'), ('roles', 'people'), ('catalogs', 'catalogs'), ('sources', 'sources'),
                   ('segments', 'segments'), ('customer_statuses', 'customer_statuses')) told (name, kind)
  loop
    execute format('create trigger told after insert or delete on %I for each row execute function tell_vocabulary(%L)',
                   named.name, named.kind);
    execute format('create trigger told_change after update on %I for each row when (old.* is distinct from new.*)
                      execute function tell_vocabulary(%L)', named.name, named.kind);
  end loop;
end
$$;

-- A new tag changes nothing that is shown; records of programs bring many.
create trigger told after insert on tags for each row execute function tell_vocabulary('new_tags');
create trigger told_change after update on tags for each row when (old.* is distinct from new.*)
  execute function tell_vocabulary('tags');
create trigger told_end after delete on tags for each row execute function tell_vocabulary('tags');

-- Passwords and moves that the background settles are nobody else's business.
create trigger told after insert or delete on users for each row execute function tell_vocabulary('people');
create trigger told_change after update on users for each row
  when ((old.name, old.email, old.language, old.group_id, old.role_id, old.is_admin, old.is_free, old.is_active, old.rights)
        is distinct from
        (new.name, new.email, new.language, new.group_id, new.role_id, new.is_admin, new.is_free, new.is_active, new.rights))
  execute function tell_vocabulary('people');

-- Each change of fields or tags counts a version up here.
create trigger told_change after update on accounts for each row
  when ((to_jsonb(old) - 'fields_version' - 'tags_version' - 'updated_at')
        is distinct from (to_jsonb(new) - 'fields_version' - 'tags_version' - 'updated_at'))
  execute function tell_account();
