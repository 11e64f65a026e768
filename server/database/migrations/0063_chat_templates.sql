-- Templates of messages stand in an order that people choose, and each may be for the users of some groups alone.
alter table chat_templates
  add column sort int not null default 0,
  add column group_ids bigint[]; -- null: everybody; administrators choose among all
update chat_templates set sort = placed.place
  from (select account_id, id, row_number() over (partition by account_id order by lower(name collate kontor), id) as place
          from chat_templates) placed
 where placed.account_id = chat_templates.account_id and placed.id = chat_templates.id;

-- Open pages hear of them as of the rest of the vocabulary (migration 0054).
create trigger told after insert or delete on chat_templates for each row execute function tell_vocabulary('chat_templates');
create trigger told_change after update on chat_templates for each row when (old.* is distinct from new.*)
  execute function tell_vocabulary('chat_templates');
