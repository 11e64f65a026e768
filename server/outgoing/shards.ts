// Processes share the items of a sender, which are spread over shards. A process holds the advisory
// locks of its shards on one connection, and shares them out evenly among the processes that are
// there. The database frees the locks of a process that dies.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import type { Logger } from 'pino'
import { beMissedSoon } from '../changes/lock.ts'
import type { Database } from '../database/connect.ts'

/** Milliseconds between two looks at who is there. */
const lookMs = 1000

export interface Shards {
  /** The shards of this process. */
  held(): number[]
  stop(): Promise<void>
}

/** How a sender is spread over processes. */
export interface Spread {
  /** The number of shards; with 1, one process sends it all. */
  count: number
  /** First numbers of its advisory locks: of the processes that are there, and of the shards. */
  processesKey: number
  shardsKey: number
}

interface Circumstances {
  database: Pick<Database, 'connection'>
  log: Pick<Logger, 'error'>
  /** The items as a plural noun, for the log and for the connection, whose name PostgreSQL shows. */
  name: string
  spread: Spread
  /** Called when this process has gained a shard. */
  gained(): void
  /** Awaited before a shard is given up. */
  release(shard: number): Promise<void>
  /** Called when the process has no shard any more: its connection is lost, or it stops. */
  lost(): void
}

/** Takes shards until it is stopped. */
export function openShards({
  database,
  log,
  name,
  spread: { count, processesKey, shardsKey },
  gained,
  release,
  lost,
}: Circumstances): Shards {
  const stop = new AbortController()
  let held: number[] = []
  const ended = run()

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        await hold(await database.connection())
      } catch (error) {
        log.error({ err: error }, `the shards of ${name} are lost for a moment`)
        await pause()
      }
    }
  }

  async function hold(client: Client): Promise<void> {
    const loss = new Promise<never>((_, reject) => {
      client.on('error', reject)
      client.on('end', () => reject(new Error('the connection ended')))
    })
    loss.catch(() => undefined)
    try {
      await beMissedSoon(client, `kontor ${name}`)
      await client.query('select pg_advisory_lock_shared($1, 0)', [processesKey])
      while (!stop.signal.aborted) {
        await Promise.race([share(client), loss])
        await Promise.race([pause(), loss])
      }
    } finally {
      held = []
      lost()
      await client.end().catch(() => undefined)
    }
  }

  async function share(client: Client): Promise<void> {
    const { rows } = await client.query<{ count: string }>(
      `select count(*) from pg_locks where locktype = 'advisory' and mode = 'ShareLock' and classid = $1 and objid = 0
          and database = (select oid from pg_database where datname = current_database())`,
      [processesKey],
    )
    const fair = Math.ceil(count / Math.max(1, Number(rows[0]!.count)))
    while (held.length > fair) {
      const shard = held.at(-1)!
      held = held.slice(0, -1)
      await release(shard)
      await client.query('select pg_advisory_unlock($1, $2)', [shardsKey, shard])
    }
    for (let shard = 0; shard < count && held.length < fair; shard++) {
      if (held.includes(shard)) continue
      const taken = await client.query<{ taken: boolean }>(
        'select pg_try_advisory_lock($1, $2) as taken',
        [shardsKey, shard],
      )
      if (!taken.rows[0]!.taken) continue
      held = [...held, shard]
      gained()
    }
  }

  async function pause(): Promise<void> {
    await sleep(lookMs, undefined, { signal: stop.signal }).catch(() => undefined)
  }

  return {
    held: () => held,
    async stop() {
      stop.abort()
      await ended
    },
  }
}
