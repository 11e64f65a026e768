import type { Demo } from '../features/application/demo/demo.ts'
import type { Kontor } from '../kontor.ts'

/** Loaded when it is wanted: it needs most features. */
export const makeDemo = async (kontor: Kontor): Promise<Demo> =>
  (await import('../features/application/demo/demo.ts')).createDemo(kontor)

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
