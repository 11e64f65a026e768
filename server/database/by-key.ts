// Looking a row up by its key, whatever the statistics say.
import sql, { raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'

/**
 * Selects all columns of the row of an account with an id, an expression that may refer to what stands
 * before in a lateral join. Only the key fits: `offset 0` keeps out the conditions that follow. Beside
 * them, PostgreSQL would take an index of theirs where it lacks statistics, once for each row.
 */
export const rowByKey = (table: string, accountId: number, id: Sql): Sql =>
  sql`(select row.* from ${raw(table)} row where row.account_id = ${accountId} and row.id = ${id} offset 0)`
