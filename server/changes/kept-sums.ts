// Sums that are kept while records are written. Triggers write each change as a delta, so no way of writing is
// missed and no writer waits for another. Reads add the deltas to the kept sums in one statement, so they are right
// after every write. A worker folds the deltas into the sums (docs/decisions/0072-totals-of-the-board.md).
import sql, { raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Database } from '../database/connect.ts'
import type { App, Kontor } from '../kontor.ts'
import { workInBackground } from './background.ts'

/** A table of sums, and the one of its deltas with the same columns. */
export interface KeptSums {
  table: string
  deltas: string
  /** The columns that name a sum, the account first. */
  key: readonly string[]
  sums: readonly string[]
}

/** Deltas that one transaction folds: about 50 ms. */
const atOnce = 10_000
/** The worker looks for deltas this often. */
const lookMs = 5000

const listed = (columns: readonly string[]): Sql => raw(columns.join(', '))

/** The sums of an account as rows: each has a kept part, and others for its deltas. */
export const sumsOf = ({ table, deltas, key, sums }: KeptSums, accountId: number): Sql => sql`
  (select ${listed([...key, ...sums])} from ${raw(table)} where account_id = ${accountId}
    union all
   select ${listed([...key, ...sums])} from ${raw(deltas)} where account_id = ${accountId})`

export function foldInBackground(app: App, kontor: Kontor, kept: KeptSums): void {
  workInBackground(app, kontor, {
    channel: `kontor_${kept.table}`,
    everyMs: lookMs,
    failure: `the deltas of ${kept.table} could not be folded`,
    finish: (database, isStopped) => foldSums(database, kept, isStopped),
  })
}

/** Folds the deltas of all accounts. Answers whether none are left that this process may fold. */
export async function foldSums(
  database: Database,
  kept: KeptSums,
  isStopped: () => boolean = () => false,
): Promise<boolean> {
  const accounts = await database.rows<{ account_id: number }>(
    sql`select distinct account_id from ${raw(kept.deltas)}`,
  )
  for (const { account_id } of accounts)
    for (let folded = atOnce; folded === atOnce;) {
      if (isStopped()) return false
      // A crash may undo a fold: the deltas are then there again.
      folded = await database.transaction(
        async (tx) => {
          const [locked] = await tx.rows<{ taken: boolean }>(take(kept, account_id))
          // Another process folds them.
          if (!locked!.taken) return 0
          const [{ count } = { count: 0 }] = await tx.rows<{ count: number }>(
            foldDeltas(kept, account_id),
          )
          await tx.rows(dropEmpty(kept, account_id))
          return count
        },
        { isDurable: false },
      )
    }
  return true
}

const take = ({ table }: KeptSums, accountId: number): Sql => sql`
  select pg_try_advisory_xact_lock(hashtextextended(${`kontor ${table.replaceAll('_', ' ')}`}::text || ' ' || ${accountId}::bigint, 0)) as taken`

/** Nobody but the holder of the lock removes deltas or writes sums. */
const foldDeltas = ({ table, deltas, key, sums }: KeptSums, accountId: number): Sql => sql`
  with folded as (
    delete from ${raw(deltas)}
     where ctid = any(array(select ctid from ${raw(deltas)} where account_id = ${accountId} limit ${atOnce}))
    returning *
  ), kept as (
    insert into ${raw(table)} as kept
    select ${listed(key)}, ${listed(sums.map((each) => `sum(${each})`))} from folded group by ${listed(key)}
        on conflict (${listed(key)}) do update set ${listed(sums.map((each) => `${each} = kept.${each} + excluded.${each}`))}
  )
  select count(*)::int as count from folded`

const dropEmpty = ({ table, sums }: KeptSums, accountId: number): Sql => sql`
  delete from ${raw(table)} where account_id = ${accountId} and ${raw(sums.map((each) => `${each} = 0`).join(' and '))}`
