-- The number of the last transaction that changed or deleted tags of the account: processes remember the texts of tags by it
-- (docs/decisions/0063-one-statement.md).
alter table accounts add column tags_version bigint not null default 0;
