-- Who wrote an address that Kontor fetches from (docs/decisions/0088-one-door.md): the user, 0 for a channel of the account, -1
-- for one of another account. Null in notes from before: a setting that allows private addresses still covers them, a try-out
-- does not. Files from before have their creator instead.
alter table notes add column link_by bigint;
alter table files add column source_by bigint;
