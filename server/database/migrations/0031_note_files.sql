-- Files of notes: attachments, and recordings of calls (docs/decisions/0056-files-of-notes.md). Files that nothing refers to any more go.

-- By this and the next one the clean-up finds out that nothing refers to a file.
create index messages_of_file on messages (account_id, file_id) where file_id is not null;

alter table notes add column file_id bigint; -- the file of an attachment, or the recording of a call that Kontor has or fetches
alter table files add column released_at bigint; -- when something last ceased to refer to the file; null: nothing has since it was used

create index notes_of_file on notes (account_id, file_id) where file_id is not null;
-- The clean-up looks at all accounts at once. The bytes of a file that is being fetched may still come.
create index files_released on files (released_at, account_id, id) where released_at is not null and state <> 'fetching';
