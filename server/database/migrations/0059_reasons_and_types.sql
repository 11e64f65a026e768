-- Administrators give loss reasons a colour and an icon, and put types of tasks in an order.
alter table loss_reasons
  add column color text, -- six hexadecimal digits; null: none chosen
  add column icon_id bigint; -- a number of the web application's list (web/crm/icons.tsx)

alter table task_types add column sort int not null default 0;
update task_types set sort = placed.place
  from (select account_id, id, row_number() over (partition by account_id order by id) as place from task_types) placed
 where placed.account_id = task_types.account_id and placed.id = task_types.id;

-- How many leads a reason has is counted up to a bound, and those of one that is merged are found, in the bin too.
create index leads_by_loss_reason on leads (account_id, loss_reason_id, is_deleted, id)
  where loss_reason_id is not null;
