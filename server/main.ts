// The server's process: application, work beside requests, and a stop that loses no request.
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { pino } from 'pino'
import { buildApp } from './app.ts'
import type { Config } from './config.ts'
import type { App, Kontor } from './kontor.ts'
import type { Opened } from './open.ts'
import { workOf } from './work.ts'

type Say = (line: string) => void

/**
 * Serves until `stop` aborts or the embedded database ends, then closes everything. `greet` runs
 * once the server listens.
 */
export async function serve(
  opened: Opened,
  say: Say,
  stop: AbortSignal,
  greet: (kontor: Kontor) => Promise<void>,
): Promise<void> {
  const { kontor, lost, close } = opened
  const { config } = kontor
  // The reader of the log may be gone, or its disk full. That is no reason to end. Lines that cannot
  // be written wait, up to 1 MB.
  const destination = pino
    .destination({ dest: 2, sync: false, maxLength: 1_000_000 })
    .on('error', () => undefined)
  const logger = pino({ level: config.logLevel }, destination)
  // The greeting names the address in plain words. The log is for warnings and errors.
  const warnings = logger.child(
    {},
    { level: config.logLevel === 'info' ? 'warn' : config.logLevel },
  )
  const app = await buildApp(kontor, warnings)
  // bin/kontor kept the young generation small while the modules were loaded (decision 61).
  setFlagsFromString('--semi-space-growth-factor=2')
  const work = workOf(kontor, app.metrics, { warnings, logger })
  try {
    await app
      .listen({ port: config.port, host: config.host })
      .catch((error: NodeJS.ErrnoException) => {
        throw listenError(error, config)
      })
    const { port } = app.server.address() as AddressInfo
    kontor.door.close(port)
    if (config.url === undefined) kontor.url = kontor.url.replace(/:\d+$/, `:${port}`)
    work.start()
    giveBack()
    await greet(kontor)
    const stopped = new Promise((resolve) =>
      stop.aborted ? resolve(0) : stop.addEventListener('abort', resolve),
    )
    const error = await Promise.race([lost, stopped.then(() => undefined)])
    say(error ? `The database ended: ${error.message}. Stopping…` : stop.reason)
    if (error) process.exitCode = 1
  } finally {
    await work.stop()
    await closeApp(app)
    await close()
  }
  say('Stopped.')
}

/** Collects what only the start needed: 15 MiB that would stay until the server is busy (decision 61). */
function giveBack(): void {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  setFlagsFromString('--no-expose-gc')
}

/** Milliseconds for open requests at a stop. A slow client must not delay the stop longer. */
const lastRequestsMs = 5000

async function closeApp(app: App): Promise<void> {
  const impatience = setTimeout(() => app.server.closeAllConnections(), lastRequestsMs)
  await app.close()
  clearTimeout(impatience)
}

function listenError(error: NodeJS.ErrnoException, { port, host }: Config): Error {
  if (error.code === 'EADDRINUSE')
    return new Error(`port ${port} on ${host} is taken by another program; set PORT to a free one`)
  if (error.code === 'EACCES')
    return new Error(
      `port ${port} needs more rights than this user has; set PORT to one from 1024 on`,
    )
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new Error(`this machine has no address ${host}; set HOST to one it has`)
  return error
}
