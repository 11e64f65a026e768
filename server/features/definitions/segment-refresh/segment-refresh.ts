// The accounts whose customers are all to be evaluated by changed rules, and how far that is
// (decision 38). The clock does the work.
import sql from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import type { Reader, Tx } from '../../../database/connect.ts'
import type { SegmentRefreshProgress } from './schema.ts'

/** The signal that there is work. */
export const segmentRefreshChannel = 'kontor_customer_clock'

/** Has all customers of the account evaluated in the background, anew where that is going on. */
export async function refreshCustomersLater(tx: Tx, actor: Actor): Promise<void> {
  await tx.rows(sql`
    insert into customer_reevaluations as begun (account_id) values (${actor.accountId})
    on conflict (account_id) do update
      set round = nextval('customer_reevaluations_round'), is_ready = false, done_to = 0, done = 0, total = null`)
  await tx.rows(sql`select pg_notify(${segmentRefreshChannel}, '')`)
}

/** Has all customers evaluated where segments have conditions, one of which may name what goes. */
export async function refreshSegmentsLater(tx: Tx, actor: Actor): Promise<void> {
  const rule = await tx.row(sql`
    select from segments where account_id = ${actor.accountId} and entry_conditions <> '[]' limit 1`)
  if (rule) await refreshCustomersLater(tx, actor)
}

/** The progress in the account; where none goes on, nothing is done and nothing is counted. */
export async function segmentRefreshProgress(
  reader: Reader,
  actor: Actor,
): Promise<SegmentRefreshProgress> {
  const going = await reader.row<Omit<SegmentRefreshProgress, 'is_running'>>(
    sql`select done, total from customer_reevaluations where account_id = ${actor.accountId}`,
  )
  return { is_running: going !== undefined, done: going?.done ?? 0, total: going?.total ?? null }
}
