// Work that a commit leaves behind, because it takes longer than a request may: done in the background, by whichever process comes to it.
// What is to be done is in the database, so nothing of it is lost with a process.
import sql from 'sql-template-tag'
import type { Database } from '../database/connect.ts'
import type { App, Kontor } from '../kontor.ts'

/** How long older transactions are waited for, and the pause before work that was not finished is taken up again. */
const patienceMs = 60_000
const pauseMs = 30_000

interface Work {
  /** Where the word comes from that there is something to do. */
  channel: string
  /** What to write into the log when it fails. */
  failure: string
  /** Does all there is to do, and ends early when it is stopped; answers whether nothing is left. */
  settle(database: Database, isStopped: () => boolean): Promise<boolean>
}

/** Does the work whenever there is word of it, and after a start or a lost connection, when that may have been missed. */
export function workInBackground(
  app: App,
  { database, signals }: Kontor,
  { channel, failure, settle }: Work,
): void {
  let running: Promise<void> | undefined
  let again = false
  let stopped = false
  let retry: NodeJS.Timeout | undefined
  const work = () => {
    clearTimeout(retry)
    again = running !== undefined
    running ??= settle(database, () => stopped)
      .catch((error: unknown) => {
        app.log.error({ err: error }, failure)
        return false
      })
      .then((settled) => {
        running = undefined
        if (stopped) return
        if (again) work()
        else if (!settled) retry = setTimeout(work, pauseMs).unref()
      })
  }
  const deaf = signals.on(channel, work)
  app.addHook('onClose', async () => {
    stopped = true
    clearTimeout(retry)
    deaf()
    await running
  })
}

/**
 * Whether all transactions that are under way now have ended, after a minute at most: those that may still write by what they read before
 * the commit that the caller has seen. Transactions have numbers from their first moment (database/connect.ts). The mark is a number of its
 * own: the end of a snapshot is one more than the last number that is done with, and transactions with higher ones may be under way.
 */
export async function othersEnded(database: Database, isStopped: () => boolean): Promise<boolean> {
  const now = await database.row<{ mark: string }>(sql`select pg_current_xact_id()::text as mark`)
  for (const until = Date.now() + patienceMs; Date.now() < until && !isStopped();) {
    const state = await database.row<{ ended: boolean }>(
      sql`select pg_snapshot_xmin(pg_current_snapshot()) >= ${now!.mark}::xid8 as ended`,
    )
    if (state!.ended) return true
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return false
}
