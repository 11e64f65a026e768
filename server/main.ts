// The process: configuration, database, application, followers, and a stop that loses nothing.
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import type { Logger } from 'pino'
import { buildApp } from './app.ts'
import { ensureEventPartitions } from './changes/partitions.ts'
import { dropToldNews } from './changes/retention.ts'
import { newsChannel, openWire } from './changes/wake.ts'
import type { Config } from './config.ts'
import { connect } from './database/connect.ts'
import { borrowEmbedded, startEmbedded } from './database/embedded.ts'
import { migrate } from './database/migrate.ts'
import { purgeBin } from './entities/purge.ts'
import { openSigning } from './features/oauth/signing.ts'
import type { Kontor } from './kontor.ts'
import { openSecrets } from './secrets.ts'

type Say = (line: string) => void

export interface Opened {
  kontor: Kontor
  /** Resolves when the embedded database ends although nobody stopped it. */
  lost: Promise<Error>
  close(): Promise<void>
}

/** Opens database, keys and wire for a process called `holder`; the database is started, or borrowed where one runs. */
export async function openKontor(config: Config, holder: string, say: Say): Promise<Opened> {
  const open = holder === 'kontor start' ? startEmbedded : borrowEmbedded
  const embedded = config.databaseUrl === undefined ? await open(config.data, holder, say) : undefined
  const database = connect(embedded?.url ?? config.databaseUrl!, config.databasePool, config.databaseQueue)
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
    const wire = openWire(database)
    database.onNews = () => wire.notify(newsChannel)
    const url =
      config.url ??
      `http${config.tlsCert === undefined ? '' : 's'}://${config.host === '0.0.0.0' || config.host === '::' ? 'localhost' : config.host}:${config.port}`
    return {
      kontor: { config, database, secrets, signing, wire, now, url },
      lost: embedded?.lost ?? new Promise(() => undefined),
      async close() {
        await wire.close()
        await closeDatabase()
      },
    }
  } catch (error) {
    await closeDatabase()
    throw error
  }
}

/** Starts the server; `greet` runs when it listens. Ends the process's life on SIGINT, SIGTERM and the death of its launcher. */
export async function serve(opened: Opened, say: Say, greet: (kontor: Kontor) => Promise<void>): Promise<void> {
  const { kontor, lost, close } = opened
  const { config } = kontor
  const logger = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: false }))
  // Who it serves and where is said in plain words; the log is for what goes wrong.
  const app = await buildApp(kontor, logger.child({}, { level: config.logLevel === 'info' ? 'warn' : config.logLevel }))
  try {
    await app.listen({ port: config.port, host: config.host })
  } catch (error) {
    await app.close()
    await close()
    throw listenError(error as NodeJS.ErrnoException, config)
  }
  if (config.url === undefined) kontor.url = kontor.url.replace(/:\d+$/, `:${(app.server.address() as AddressInfo).port}`)
  const upkeep = keepUp(kontor, logger)
  await greet(kontor)

  const reason = await new Promise<string | Error>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve('Stopping…'))
    // The launcher died without a word; a server nobody can stop is worse than none.
    process.once('disconnect', () => resolve('The launcher is gone. Stopping…'))
    void lost.then(resolve)
  })
  process.channel?.unref()
  say(reason instanceof Error ? `The database ended: ${reason.message}. Stopping…` : reason)
  if (reason instanceof Error) process.exitCode = 1
  clearInterval(upkeep)
  await app.close()
  await close()
  say('Stopped.')
}

/** What has to be done now and then: months of the event log ahead of time, told news out of the journal, old records out of the bin. */
function keepUp(kontor: Kontor, logger: Logger): NodeJS.Timeout {
  const { database, config } = kontor
  const hourly = async () => {
    await ensureEventPartitions(database, new Date())
    await dropToldNews(database, config.journalDays)
    await purgeBin(database, config.binDays, kontor.now())
  }
  return setInterval(
    () => void hourly().catch((error: unknown) => logger.error({ err: error }, 'upkeep failed')),
    3_600_000,
  ).unref()
}

function listenError(error: NodeJS.ErrnoException, { port, host }: Config): Error {
  if (error.code === 'EADDRINUSE')
    return new Error(`port ${port} on ${host} is taken by another program; set PORT to a free one`)
  if (error.code === 'EACCES')
    return new Error(`port ${port} needs more rights than this user has; set PORT to one from 1024 on`)
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new Error(`this machine has no address ${host}; set HOST to one it has`)
  return error
}
