// Which index a statement takes, whatever the statistics say: a row is looked up by its key, and a test
// beside the one that is to choose has none.
import sql, { raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'

/**
 * Selects all columns of the row of an account with an id, an expression that may refer to what stands
 * before in a lateral join. Only the key fits: `offset 0` keeps out the conditions that follow. Beside
 * them, PostgreSQL would take an index of theirs where it lacks statistics, once for each row.
 */
export const rowByKey = (table: string, accountId: number, id: Sql): Sql =>
  sql`(select row.* from ${raw(table)} row where row.account_id = ${accountId} and row.id = ${id} offset 0)`

/** Selects the rows of an account with these ids, each looked up by the key. */
export const rowsByKey = (table: string, accountId: number, ids: readonly number[]): Sql =>
  sql`(select row.* from unnest(${ids}::bigint[]) wanted (id), lateral ${rowByKey(table, accountId, sql`wanted.id`)} row)`

/**
 * A test that chooses no index: PostgreSQL expects half of the rows to pass. Where it has no statistics,
 * it expects one row in 200 of `=` and of `is null`, and any index is then as good as the one meant.
 */
export const unguessed = (test: Sql): Sql => sql`coalesce(${test}, false)`
