-- The bytes of the stored files of each account, which the statements that store and delete files keep.
create table file_totals (
  account_id bigint primary key references accounts,
  bytes bigint not null check (bytes >= 0)
);
insert into file_totals (account_id, bytes)
select account_id, sum(size) from files where state = 'stored' group by account_id;

-- The uploads of a user that nothing refers to, or that something has ceased to refer to.
create index files_unreferred on files (account_id, created_by) include (size)
 where source is null and state = 'stored' and (attached_at is null or released_at is not null);
