// A lock that at most one process holds, on a connection of its own. The database frees it when
// that connection or process dies.
import type { Client } from 'pg'
import type { Database } from '../database/connect.ts'

export interface Lock {
  /** Takes the lock if it is free; throws once the connection is gone. */
  take(): Promise<boolean>
  /** Whether the connection, and with it the lock, is gone. */
  lost(): boolean
  /** Runs a statement on the connection of the lock, whose name PostgreSQL shows. */
  run(statement: string): Promise<void>
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
  await beMissedSoon(client, name)
  return {
    async take() {
      const { rows } = await client.query<{ taken: boolean }>(
        'select pg_try_advisory_lock(hashtextextended($1, 0)) as taken',
        [name],
      )
      return rows[0]!.taken
    },
    lost: () => lost,
    async run(statement) {
      await client.query(statement)
    },
    end: () => client.end(),
  }
}

/**
 * Makes a connection that holds locks known to PostgreSQL by a name. A machine that loses power closes no
 * connection: after this the database notices its loss in about a minute instead of two hours, and frees the
 * locks of the connection.
 */
export async function beMissedSoon(client: Client, name: string): Promise<void> {
  await client.query(
    `select set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false),
            set_config('application_name', $1, false)`,
    [name],
  )
}
