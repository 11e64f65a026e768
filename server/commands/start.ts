import type { Config } from '../config.ts'
import { listenOptions } from '../http/listen.ts'
import type { Kontor } from '../kontor.ts'
import { openKontor, serve, stopSignal } from '../main.ts'
import type { Demo } from '../features/demo/demo.ts'
import { isOpenToOthers, isSetupNeeded, setupCode } from '../features/setup/setup.ts'
import { ensureBuild } from '../web/build.ts'

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
  await built
  const isNew = await isSetupNeeded(opened.kontor.database)
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

/** Loaded when it is wanted: it needs most features. */
export const makeDemo = async (kontor: Kontor): Promise<Demo> =>
  (await import('../features/demo/demo.ts')).createDemo(kontor)

/** How to begin on a server without an account; the code stands nowhere else. */
function invitation(kontor: Kontor): string {
  const code = isOpenToOthers(kontor.config) ? ` The setup code is ${setupCode(kontor)}` : ''
  return `There is no account yet. Set it up at ${kontor.url}/setup${code}`
}

/** A greeting for new users, with a command to paste. */
export function introduction(kontor: Kontor, demo: Demo): string {
  const body = JSON.stringify({
    client_id: demo.client_id,
    client_secret: demo.client_secret,
    grant_type: 'authorization_code',
    code: demo.code,
    redirect_uri: demo.redirect_uri,
  })
  return `
A demo account was made for you. The passwords are shown only this once.

  Account        ${demo.subdomain}
  E-mail         ${demo.email}
  Password       ${demo.password}
  Sales e-mail   ${demo.sales_email}   (a user who views only own leads)
  Sales password ${demo.sales_password}
  client_id      ${demo.client_id}
  client_secret  ${demo.client_secret}
  redirect_uri   ${demo.redirect_uri}
  code           ${demo.code}   (good for 20 minutes, once)

Exchange the code for a pair of tokens:

  curl -s ${kontor.url}/oauth2/access_token -H 'Content-Type: application/json' -d '${body}'
`
}
