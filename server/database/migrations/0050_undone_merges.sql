-- Where the event log has the changes of a survivor while a merge stood: after its undo they retell the
-- record that came back (access/undone-merges.ts). `events_from` is in it, `events_until` is not.
alter table merges add column events_from text collate "C", add column events_until text collate "C";
-- The clock of the server and that of the database are kept 300 s apart at most (changes/record.ts).
update merges set events_from = ulid_time((created_at - 302) * 1000), events_until = ulid_time((undone_at + 302) * 1000);
alter table merges
  alter column events_from set not null,
  alter column events_from set default ulid_time((extract(epoch from transaction_timestamp()) * 1000)::bigint);
create index merges_undone on merges (account_id, entity_type, into_id) where undone_at is not null;
