// Autovacuum makes statistics, too: tests that judge by them keep it away.
import sql from 'sql-template-tag'
import type { Database } from '../server/database/connect.ts'

/** Keeps autovacuum from all tables of a database. */
export const stopAutovacuum = (database: Database) =>
  database.list(sql`
    do $$ declare name text; begin
      for name in select oid::regclass::text from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
      loop execute 'alter table ' || name || ' set (autovacuum_enabled = false)'; end loop; end $$`)
