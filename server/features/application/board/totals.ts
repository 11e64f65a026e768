// The totals of leads, kept by pipeline, status, responsible user and group. Triggers on `leads` write
// each change as a delta, so no way of writing leads is missed and no writer waits for another. Reads
// add the deltas to the totals in one statement, so they are right after every write. A worker folds
// the deltas into the totals (docs/decisions/0072-totals-of-the-board.md).
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { may } from '../../../access/record-rights.ts'
import { workInBackground } from '../../../changes/background.ts'
import type { Database } from '../../../database/connect.ts'
import type { App, Kontor } from '../../../kontor.ts'

export interface StageTotal {
  pipeline_id: number
  status_id: number
  count: number
  sum: number
}

/** Deltas that one transaction folds: about 50 ms. */
const atOnce = 10_000
/** The worker looks for deltas this often. */
const lookMs = 5000

const key = sql`account_id, pipeline_id, status_id, responsible_user_id, group_id, is_unsorted`

/**
 * The totals of stages with leads that the actor may view. `passes` may test the columns of the key of
 * the row named `record`.
 */
export const totalsOf = (actor: Actor, passes: Sql, withUnsorted = false): Sql => sql`
  select record.pipeline_id, record.status_id, sum(record.count)::float8 as count, sum(record.sum)::float8 as sum
    from (select ${key}, count, sum from lead_totals where account_id = ${actor.accountId}
           union all
          select ${key}, count, sum from lead_total_deltas where account_id = ${actor.accountId}) record
   where ${may(actor, 'leads', 'view')} and (${withUnsorted}::boolean or not record.is_unsorted) and ${passes}
   group by record.pipeline_id, record.status_id
  having sum(record.count) > 0`

export function foldTotalsInBackground(app: App, kontor: Kontor): void {
  workInBackground(app, kontor, {
    channel: 'kontor_lead_totals',
    everyMs: lookMs,
    failure: 'the totals of leads could not be brought up to date',
    finish: foldTotals,
  })
}

/** Folds the deltas of all accounts. Answers whether none are left that this process may fold. */
export async function foldTotals(
  database: Database,
  isStopped: () => boolean = () => false,
): Promise<boolean> {
  const accounts = await database.rows<{ account_id: number }>(
    sql`select distinct account_id from lead_total_deltas`,
  )
  for (const { account_id } of accounts)
    for (let folded = atOnce; folded === atOnce;) {
      if (isStopped()) return false
      // A crash may undo a fold: the deltas are then there again.
      folded = await database.transaction(
        async (tx) => {
          const [locked] = await tx.rows<{ taken: boolean }>(takeTotals(account_id))
          // Another process folds them.
          if (!locked!.taken) return 0
          const [{ count } = { count: 0 }] = await tx.rows<{ count: number }>(
            foldDeltas(account_id),
          )
          await tx.rows(dropEmpty(account_id))
          return count
        },
        { isDurable: false },
      )
    }
  return true
}

const takeTotals = (accountId: number): Sql => sql`
  select pg_try_advisory_xact_lock(hashtextextended('kontor lead totals ' || ${accountId}::bigint, 0)) as taken`

/** Nobody but the holder of the lock removes deltas or writes totals. */
const foldDeltas = (accountId: number): Sql => sql`
  with folded as (
    delete from lead_total_deltas
     where ctid = any(array(select ctid from lead_total_deltas where account_id = ${accountId} limit ${atOnce}))
    returning *
  ), kept as (
    insert into lead_totals as total
    select ${key}, sum(count), sum(sum) from folded group by ${key}
        on conflict (${key}) do update set count = total.count + excluded.count, sum = total.sum + excluded.sum
  )
  select count(*)::int as count from folded`

const dropEmpty = (accountId: number): Sql => sql`
  delete from lead_totals where account_id = ${accountId} and count = 0 and sum = 0`
