-- The settings of an account that only the web application shows (docs/decisions/0104-account-settings.md).
alter table accounts
  add column week_starts_on smallint not null default 1 check (week_starts_on in (0, 1, 6)), -- 0: Sunday
  add column is_task_result_required boolean not null default false, -- pages ask people for one; programs are not asked
  add column chat_warn_minutes int, -- how long a client waits before a chat is marked; null: no mark
  add column chat_late_minutes int,
  add column working_hours jsonb not null default '{}', -- {"monday": [{"from": 540, "to": 1080}]} in minutes of the day
  add column logo text, -- the hash of its bytes, which browsers know it by; null: none
  add constraint accounts_chat_minutes_check check (chat_warn_minutes < chat_late_minutes);

-- Apart from the account, which nearly every request reads.
create table account_logos (
  account_id bigint primary key references accounts,
  type text not null, -- judged by the bytes: image/png, image/jpeg or image/webp
  content bytea not null check (octet_length(content) <= 262144)
) with (autovacuum_vacuum_scale_factor = 0.1, autovacuum_vacuum_insert_scale_factor = 0.1,
        autovacuum_analyze_scale_factor = 0.05);
