import type { Config } from '../config.ts'
import { listenOptions } from '../http/listen.ts'
import type { Kontor } from '../kontor.ts'
import { openKontor, serve, stopSignal } from '../main.ts'
import { createDemo, isEmpty } from './demo.ts'
import type { Demo } from './demo.ts'

type Say = (line: string) => void

/** `kontor start`: serves until it is stopped. An empty embedded database gets a demo account first. */
export async function start(config: Config, say: Say): Promise<void> {
  // A certificate that cannot be used is found out before there is a database to stop again.
  listenOptions(config)
  const isOwn = config.databaseUrl === undefined
  // A database of its own must not stay behind when Ctrl-C comes while it starts; waiting for one elsewhere may be cut short.
  const early = isOwn ? stopSignal() : undefined
  const opened = await openKontor(config, 'kontor start', say).catch((error: unknown) => {
    // Ctrl-C in a terminal also ends what makes the database.
    if (!early?.aborted) throw error
  })
  if (!opened || early?.aborted) return await opened?.close()
  const wantsDemo = isOwn && (await isEmpty(opened.kontor))
  await serve(opened, say, early ?? stopSignal(), async (kontor) => {
    const demo = wantsDemo ? await createDemo(kontor) : undefined
    say(`Kontor is ready at ${kontor.url}`)
    if (demo) say(introduction(kontor, demo))
    say(
      'Stop it with Ctrl-C. "bin/kontor code" gives a fresh authorization code, "bin/kontor --help" shows everything else.',
    )
  })
}

/** What a newcomer needs, with a command to paste. */
export function introduction(kontor: Kontor, demo: Demo): string {
  const body = JSON.stringify({
    client_id: demo.client_id,
    client_secret: demo.client_secret,
    grant_type: 'authorization_code',
    code: demo.code,
    redirect_uri: demo.redirect_uri,
  })
  return `
A demo account was made for you. The password is shown only this once.

  Account        ${demo.subdomain}
  E-mail         ${demo.email}
  Password       ${demo.password}
  client_id      ${demo.client_id}
  client_secret  ${demo.client_secret}
  redirect_uri   ${demo.redirect_uri}
  code           ${demo.code}   (good for 20 minutes, once)

Exchange the code for a pair of tokens:

  curl -s ${kontor.url}/oauth2/access_token -H 'Content-Type: application/json' -d '${body}'
`
}
