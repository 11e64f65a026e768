import sql from 'sql-template-tag'
import type { Tx } from '../database/connect.ts'
import type { Actor } from '../http/access.ts'

/** The groups of those of the ids that belong to active users of the account. */
export async function groupsOfActiveUsers(tx: Tx, actor: Actor, ids: number[]): Promise<Map<number, number>> {
  const rows = await tx.rows<{ id: number; group_id: number }>(
    sql`select id, group_id from users where account_id = ${actor.accountId} and id = any(${ids}::bigint[]) and is_active`,
  )
  return new Map(rows.map(({ id, group_id }) => [id, group_id]))
}
