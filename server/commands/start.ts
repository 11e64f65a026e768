import type { Config } from '../config.ts'
import { listenOptions } from '../http/listen.ts'
import type { Kontor } from '../kontor.ts'
import { openKontor, serve } from '../main.ts'
import { createDemo, isEmpty } from './demo.ts'
import type { Demo } from './demo.ts'

type Say = (line: string) => void

/** `kontor start`: serves until it is stopped. An empty embedded database gets a demo account first. */
export async function start(config: Config, say: Say): Promise<void> {
  // A certificate that cannot be used is found out before there is a database to stop again.
  listenOptions(config)
  const opened = await openKontor(config, 'kontor start', say)
  const wantsDemo = config.databaseUrl === undefined && (await isEmpty(opened.kontor))
  await serve(opened, say, async (kontor) => {
    if (wantsDemo) say(introduction(kontor, await createDemo(kontor)))
    else say(`Kontor is ready at ${kontor.url}`)
    say('Stop it with Ctrl-C. "bin/kontor code" gives a fresh authorization code, "bin/kontor --help" shows everything else.')
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
Kontor is ready at ${kontor.url}
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
