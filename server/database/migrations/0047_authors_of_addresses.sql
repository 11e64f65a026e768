-- Who wrote an address that Kontor fetches from (docs/decisions/0088-one-door.md): the user, 0 for a channel. Null in
-- rows from before: a setting that allows private addresses still covers them, a try-out does not.
alter table notes add column link_by bigint;
alter table files add column source_by bigint;
