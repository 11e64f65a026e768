import type { Config } from '../config.ts'
import { listenOptions } from '../http/listen.ts'
import type { Kontor } from '../kontor.ts'
import { serve } from '../main.ts'
import { openKontor, stopSignal } from '../open.ts'
import { isSetupNeeded } from '../features/people/accounts/accounts.ts'
import { setupCode } from '../features/application/setup/setup.ts'
import { isOpenToOthers } from '../http/listen.ts'
import { ensureBuild } from '../web/build.ts'
import { introduction, makeDemo } from './demo.ts'

type Say = (line: string) => void

/**
 * `kontor start`: serves until it is stopped. An empty embedded database first gets a demo account,
 * unless the settings say otherwise; then, and on another empty database, the first visitor sets it up.
 */
export async function start(config: Config, say: Say): Promise<void> {
  // Checks the certificate before a database is started.
  listenOptions(config)
  const isOwn = config.databaseUrl === undefined
  // Building the web application and starting the database take seconds each, and only once.
  const built = ensureBuild({ ...config, say })
  built.catch(() => undefined)
  // An embedded database must not stay behind when Ctrl-C comes while it starts. Waiting for
  // another database may be cut short.
  const early = isOwn ? stopSignal() : undefined
  const opened = await openKontor(config, 'kontor start', say).catch((error: unknown) => {
    // In a terminal Ctrl-C also ends initdb, which then fails.
    if (!early?.aborted) throw error
  })
  if (!opened || early?.aborted) return await opened?.close()
  const isNew = await built
    .then(() => isSetupNeeded(opened.kontor.database))
    // An open database would keep the process, which has nothing to serve.
    .catch(async (error: unknown) => {
      await opened.close()
      throw error
    })
  const wantsDemo = isNew && isOwn && config.demo
  await serve(opened, say, early ?? stopSignal(), async (kontor) => {
    const demo = wantsDemo ? await makeDemo(kontor) : undefined
    say(`Kontor is ready at ${kontor.url}`)
    if (demo) say(introduction(kontor, demo))
    else if (isNew) say(invitation(kontor))
    say(
      'Stop it with Ctrl-C. "bin/kontor code" gives a fresh authorization code, "bin/kontor --help" shows everything else.',
    )
  })
}

/** How to begin on a server without an account; the code stands nowhere else. */
function invitation(kontor: Kontor): string {
  const code = isOpenToOthers(kontor.config) ? ` The setup code is ${setupCode(kontor)}` : ''
  return `There is no account yet. Set it up at ${kontor.url}/setup${code}`
}
