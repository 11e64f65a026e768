// Work that a commit leaves behind because it takes longer than a request may. Any process does it
// in the background. The database holds the work to do, so none is lost when a process ends.
import sql from 'sql-template-tag'
import type { Database } from '../database/connect.ts'
import type { App, Kontor } from '../kontor.ts'

/**
 * Milliseconds to wait for older transactions, and the pause before unfinished work is tried again.
 */
const patienceMs = 60_000
const pauseMs = 30_000

interface Work {
  /** The channel of the signals that announce work. */
  channel: string
  /** The log message of a failure. */
  failure: string
  /** Work that falls due as time passes is looked for this often, in milliseconds. */
  everyMs?: number
  /** Does all work there is, or less once it is stopped. Answers whether no work is left. */
  finish(database: Database, isStopped: () => boolean): Promise<boolean>
}

/**
 * Does the work after each signal on the channel, after a start or a lost connection, when a signal
 * may have been missed, and every so often where it falls due as time passes.
 */
export function workInBackground(
  app: App,
  { database, signals }: Kontor,
  { channel, everyMs, failure, finish }: Work,
): void {
  let running: Promise<void> | undefined
  let again = false
  let stopped = false
  let retry: NodeJS.Timeout | undefined
  const work = () => {
    clearTimeout(retry)
    again = running !== undefined
    running ??= finish(database, () => stopped)
      .catch((error: unknown) => {
        app.log.error({ err: error }, failure)
        return false
      })
      .then((isFinished) => {
        running = undefined
        if (stopped) return
        const waitMs = isFinished ? everyMs : Math.min(everyMs ?? pauseMs, pauseMs)
        if (again) work()
        else if (waitMs !== undefined) retry = setTimeout(work, waitMs).unref()
      })
  }
  const unsubscribe = signals.on(channel, work)
  app.addHook('onClose', async () => {
    stopped = true
    clearTimeout(retry)
    unsubscribe()
    await running
  })
}

/**
 * Waits until all transactions of this database that are open now have ended, for a minute at most;
 * false after that. Those may still write what they read before the caller's commit. The mark is a
 * number of its own, because the end of a snapshot lies below numbers that are taken (decision 4).
 */
export async function othersEnded(database: Database, isStopped: () => boolean): Promise<boolean> {
  const now = await database.row<{ mark: string }>(sql`select pg_current_xact_id()::text as mark`)
  for (const until = performance.now() + patienceMs; performance.now() < until && !isStopped();) {
    const state = await database.row<{ ended: boolean }>(ended(now!.mark))
    if (state!.ended) return true
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return false
}

/**
 * Whether no transaction below the mark is open. Numbers belong to the whole server, so one passes
 * that is proved to be another database's: a transaction locks its number as long as it is open,
 * and every role sees those locks and whose they are. One that has no lock yet is waited for.
 */
const ended = (mark: string) => sql`
  select pg_snapshot_xmin(pg_current_snapshot()) >= ${mark}::xid8 or not exists (
           select from pg_snapshot_xip(pg_current_snapshot()) as open (xid)
            where xid < ${mark}::xid8 and not exists (
                    select from pg_locks
                      left join pg_stat_activity using (pid)
                      left join pg_prepared_xacts on transaction = transactionid
                     where locktype = 'transactionid' and mode = 'ExclusiveLock' and granted and transactionid = xid::xid
                       and coalesce(datname, pg_prepared_xacts.database) <> current_database())) as ended`
