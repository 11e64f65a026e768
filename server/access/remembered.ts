import sql from 'sql-template-tag'
import type { Tx } from '../database/connect.ts'

/** Says, with the commit of `tx`, that what somebody may do has changed: every process forgets what it remembered. */
export async function forgetAccess(tx: Tx): Promise<void> {
  await tx.rows(sql`select pg_notify('kontor_access', '')`)
}
