// The totals of leads, kept by pipeline, status, responsible user and group (server/changes/kept-sums.ts).
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { may } from '../../../access/record-rights.ts'
import { sumsOf } from '../../../changes/kept-sums.ts'
import type { KeptSums } from '../../../changes/kept-sums.ts'

export interface StageTotal {
  pipeline_id: number
  status_id: number
  count: number
  sum: number
}

/** The number and the prices of the leads outside the bin. */
export const leadTotals: KeptSums = {
  table: 'lead_totals',
  deltas: 'lead_total_deltas',
  key: ['account_id', 'pipeline_id', 'status_id', 'responsible_user_id', 'group_id', 'is_unsorted'],
  sums: ['count', 'sum'],
}

/**
 * The totals of stages with leads that the actor may view. `passes` may test the columns of the key of
 * the row named `record`.
 */
export const totalsOf = (actor: Actor, passes: Sql, withUnsorted = false): Sql => sql`
  select record.pipeline_id, record.status_id, sum(record.count)::float8 as count, sum(record.sum)::float8 as sum
    from ${sumsOf(leadTotals, actor.accountId)} record
   where ${may(actor, 'leads', 'view')} and (${withUnsorted}::boolean or not record.is_unsorted) and ${passes}
   group by record.pipeline_id, record.status_id
  having sum(record.count) > 0`
