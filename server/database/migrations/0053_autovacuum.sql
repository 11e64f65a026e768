-- When autovacuum comes to a table, on every PostgreSQL that Kontor runs on (decision 92). The usual
-- shares are those of a database that nobody looks at while it grows: a fifth of a table's rows, for
-- a million leads 200,000, have to change before their dead versions go, and a tenth before the
-- statistics are made anew. Months of the event log get the same as they are made.
do $$
declare
  name text;
begin
  for name in
    select oid::regclass::text from pg_class
     where relkind = 'r' and relnamespace = current_schema()::regnamespace
  loop
    execute 'alter table ' || name || ' set (
      -- Dead versions of rows and index entries are read by every list until they go.
      autovacuum_vacuum_scale_factor = 0.1,
      -- Counts read an index alone only where new rows have been seen to be visible to all.
      autovacuum_vacuum_insert_scale_factor = 0.1,
      -- Values change without growth, such as the stages of leads.
      autovacuum_analyze_scale_factor = 0.05)';
  end loop;
end $$;
