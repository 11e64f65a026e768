// Opens what the server and the commands share: database, keys and signals. A command waits for all
// that this file imports, so nothing of the application stands here.
import { isIPv6 } from 'node:net'
import { ensureEventPartitions } from './changes/partitions.ts'
import { openSignals } from './changes/signals.ts'
import type { Signals } from './changes/signals.ts'
import type { Config } from './config.ts'
import { connect } from './database/connect.ts'
import type { Database } from './database/connect.ts'
import { diskFull, isDiskFull } from './database/disk.ts'
import { migrate } from './database/migrate.ts'
import type { Kontor } from './kontor.ts'
import { openDoor } from './outgoing/door.ts'
import { openSecrets } from './secrets.ts'
import { openSigning } from './signing.ts'

type Say = (line: string) => void

export interface Opened {
  kontor: Kontor
  /** Resolves if the embedded database ends although no process stopped it. */
  lost: Promise<Error>
  close(): Promise<void>
}

/**
 * Opens database, keys and signals for a process named `holder`. The embedded database is started,
 * or borrowed if one runs.
 */
export async function openKontor(config: Config, holder: string, say: Say): Promise<Opened> {
  const embedded =
    config.databaseUrl === undefined ? await openEmbedded(config.data, holder, say) : undefined
  let signals: Signals | undefined
  const signal = (channel: string) => signals?.notify(channel)
  const url = embedded?.url ?? config.databaseUrl!
  const database = connect(url, config.databasePool, config.databaseQueue, signal)
  const closeDatabase = async () => {
    await database.close()
    await embedded?.stop()
  }
  try {
    const now = () => Math.floor(Date.now() / 1000)
    await migrate(database, say)
    await ensureEventPartitions(database, new Date())
    const secrets = await openSecrets(config)
    const signing = await openSigning(database, secrets, now())
    const opened = signalsOnDemand(database)
    signals = opened
    return {
      kontor: {
        config,
        database,
        secrets,
        signing,
        door: openDoor(config, database, url),
        signals: opened,
        now,
        elapsedMs: () => performance.now(),
        url: config.url ?? addressOf(config),
      },
      lost: embedded?.lost ?? new Promise(() => undefined),
      async close() {
        await opened.close()
        await closeDatabase()
      },
    }
  } catch (error) {
    const isFull = embedded !== undefined && (await isDiskFull(config.data))
    await closeDatabase()
    throw isFull ? diskFull(config.data, error) : error
  }
}

/** Loaded where it is wanted: with DATABASE_URL it is not. */
async function openEmbedded(data: string, holder: string, say: Say) {
  const { borrowEmbedded, startEmbedded } = await import('./database/embedded.ts')
  const open = holder === 'kontor start' ? startEmbedded : borrowEmbedded
  return open(data, holder, say)
}

/** Signals that connect when the first is sent or listened for. Most commands need no connection. */
function signalsOnDemand(database: Database): Signals {
  let opened: Signals | undefined
  const open = () => (opened ??= openSignals(database))
  return {
    notify: (channel, payload) => open().notify(channel, payload),
    on: (channel, listener) => open().on(channel, listener),
    connected: () => opened?.connected() ?? false,
    close: async () => opened?.close(),
  }
}

/**
 * Aborts, with a message as its reason, on SIGINT, SIGTERM, SIGHUP or the death of the launcher.
 * The process survives these signals, also later ones: Ctrl-C comes twice, from the terminal and
 * from the launcher.
 */
export function stopSignal(): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => stop.abort('Stopping…'))
  // The launcher died, and with it the way to stop this server.
  process.on('disconnect', () => stop.abort('The launcher is gone. Stopping…'))
  process.channel?.unref()
  return stop.signal
}

/** The address of the server for this machine. */
function addressOf({ host, port, tlsCert }: Config): string {
  const local =
    { '0.0.0.0': 'localhost', '::': 'localhost' }[host] ?? (isIPv6(host) ? `[${host}]` : host)
  return `${tlsCert === undefined ? 'http' : 'https'}://${local}:${port}`
}
