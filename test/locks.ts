// Waits for locks, as the database shows them.
import sql from 'sql-template-tag'
import { vi } from 'vitest'
import type { Tx } from '../server/database/connect.ts'

/**
 * Waits until another connection waits for a lock that this transaction holds, or that the
 * connection `holder` does; answers the process id of the other. Each statement of a transaction
 * reads pg_locks anew, while pg_stat_activity stays as it was first read.
 */
export async function untilAwaited(tx: Pick<Tx, 'list'>, holder?: number): Promise<number> {
  const waiting = sql`
    select pid from pg_locks
     where not granted and coalesce(${holder ?? null}::int, pg_backend_pid()) = any(pg_blocking_pids(pid)) limit 1`
  const [first] = await vi.waitUntil(
    async () => {
      const found = await tx.list<{ pid: number }>(waiting)
      return found.length > 0 && found
    },
    { timeout: 10_000, interval: 10 },
  )
  return first!.pid
}

/** The process id of the connection that a transaction runs on. */
export const pidOf = async (tx: Tx): Promise<number> =>
  (await tx.row<{ pid: number }>(sql`select pg_backend_pid() as pid`))!.pid
