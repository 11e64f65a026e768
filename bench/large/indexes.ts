// Filling a table and then making its indexes is several times faster than the reverse. The
// definitions are read from the database, so an index of a later migration is included.
import type pg from 'pg'

interface Index {
  table: string
  name: string
  definition: string
  /** The primary key or unique constraint that the index belongs to. */
  constraint: string | null
  size?: number
}

/**
 * Runs `work` while the tables have no indexes, and makes them again, also after a failure. `say`
 * gets the time of each.
 */
export async function withoutIndexes(
  session: pg.Client,
  tables: string[],
  say: (line: string) => void,
  work: () => Promise<void>,
): Promise<void> {
  const { rows } = await session.query<Index>(
    `select relation.relname as table, index.relname as name,
            coalesce(pg_get_constraintdef(rule.oid), replace(pg_get_indexdef(index.oid), ' ON ONLY ', ' ON ')) as definition,
            rule.conname as constraint
       from pg_index
       join pg_class index on index.oid = indexrelid
       join pg_class relation on relation.oid = indrelid
       left join pg_constraint rule on rule.conindid = index.oid and rule.contype in ('p', 'u')
      where relation.relname = any($1) and relation.relnamespace = 'public'::regnamespace
      order by relation.relname, index.relname`,
    [tables],
  )
  for (const { table, name, constraint } of rows)
    await session.query(
      constraint === null
        ? `drop index ${name}`
        : `alter table ${table} drop constraint ${constraint}`,
    )
  try {
    await work()
  } finally {
    for (const { table, name, definition, constraint } of rows) {
      const start = performance.now()
      await session.query(
        constraint === null
          ? definition
          : `alter table ${table} add constraint ${constraint} ${definition}`,
      )
      const seconds = (performance.now() - start) / 1000
      if (seconds > 5) say(`index ${name}: ${seconds.toFixed(0)} s`)
    }
  }
}
