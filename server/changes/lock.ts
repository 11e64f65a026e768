// A lock that one process of all has, on a connection of its own: the server frees it when the connection or the process dies.
import type { Database } from '../database/connect.ts'

export interface Lock {
  /** Takes the lock if it is free; throws once the connection is gone. */
  take(): Promise<boolean>
  /** Whether the connection is gone, and the lock with it. */
  lost(): boolean
  /** Frees the lock. */
  end(): Promise<void>
}

export async function openLock(
  database: Database,
  name: string,
  onLost: () => void,
): Promise<Lock> {
  const client = await database.connection()
  let lost = false
  const lose = () => {
    lost = true
    onLost()
  }
  client.on('error', lose)
  client.on('end', lose)
  // A machine that loses its power closes nothing: the server finds out in about a minute, not in two hours.
  await client.query(
    "select set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false)",
  )
  return {
    async take() {
      const { rows } = await client.query<{ taken: boolean }>(
        'select pg_try_advisory_lock(hashtextextended($1, 0)) as taken',
        [name],
      )
      return rows[0]!.taken
    },
    lost: () => lost,
    end: () => client.end(),
  }
}
