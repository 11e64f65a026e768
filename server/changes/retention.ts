// Drops journal rows once all followers have passed them, and the blocks of search texts hold what
// they tell of (records/search/text-blocks.ts). People read the event log.
import sql from 'sql-template-tag'
import type { Database, Tx } from '../database/connect.ts'

/** Rows per transaction: few enough to take milliseconds. */
const chunk = 5000

/**
 * Drops journal rows older than `days` that every follower has passed (all old rows if there is no
 * follower). Begins at the oldest id and ends at the first chunk that holds a younger row. Returns
 * the number of dropped rows.
 */
export async function dropReadJournal(
  database: Database,
  days: number,
  now = new Date(),
): Promise<number> {
  const before = Math.floor(now.getTime() / 1000) - days * 86_400
  let dropped = 0
  let after = 0
  for (;;) {
    const step = await database.transaction((tx) => dropChunk(tx, after, before))
    dropped += step.dropped
    if (step.dropped < chunk) return dropped
    after = step.last
  }
}

/**
 * Starts after the last chunk. From the beginning it would read the dead rows that earlier chunks
 * left to VACUUM.
 */
async function dropChunk(
  tx: Tx,
  after: number,
  before: number,
): Promise<{ dropped: number; last: number }> {
  const step = await tx.row<{ dropped: number; last: number }>(sql`
    with dropped as (
      delete from journal
       where created_at < ${before} and id = any (array(
               select id from journal
                where id > ${after} and id <= (select coalesce(least(min(low_water), (select min(journal_id) from blocked_texts)), 9223372036854775807)
                                                 from followers)
                order by id limit ${chunk}))
      returning id
    )
    select count(*) as dropped, coalesce(max(id), 0) as last from dropped`)
  return step!
}
