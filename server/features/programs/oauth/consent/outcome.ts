// The targets of the outcome. A stolen code lets an attacker connect a user's account to the
// attacker's own at the integration. So a code goes only to the stored redirect address, or by
// message to a page of the same site. The opener of the window chose `origin`, so it proves
// nothing.
import { isIP } from 'node:net'

export interface Granted {
  code: string
  /** The host of the account, where the integration requests its tokens. */
  referer: string
  client_id: string
  state: string | undefined
}

/**
 * The redirect that delivers a code (interface: Access-granting window). Platform 2 is the one
 * outside Russia.
 */
export function grantedAddress(
  redirect_uri: string,
  { code, referer, state, client_id }: Granted,
): string {
  return withParameters(redirect_uri, { code, referer, state, client_id, platform: '2' })
}

export function deniedAddress(redirect_uri: string, state: string | undefined): string {
  return withParameters(redirect_uri, { error: 'access_denied', state })
}

/** Adds parameters to an address and leaves its own query string as it is. */
function withParameters(address: string, parameters: Record<string, string | undefined>): string {
  const url = new URL(address)
  const added = Object.entries(parameters)
    .flatMap(([name, value]) => (value === undefined ? [] : `${name}=${encodeURIComponent(value)}`))
    .join('&')
  url.search = url.search ? `${url.search}&${added}` : added
  return url.href
}

/**
 * The origin that may receive a code: that of the redirect address, or `origin` if it is the same
 * site and no less secure. Hosts are the same site if they are equal, if one is below the other, or
 * if they differ by `www.`. Undefined: `origin` is another site.
 */
export function codeTarget(redirect_uri: string, origin: string | undefined): string | undefined {
  const own = new URL(redirect_uri)
  if (origin === undefined) return own.origin
  const page = webOrigin(origin)
  if (!page || (own.protocol === 'https:' && page.protocol !== 'https:')) return undefined
  const [one, other] = [own.hostname, page.hostname].map((host) => host.replace(/^www\./, '')) as [
    string,
    string,
  ]
  if (one === other) return page.origin
  const isNamed = [one, other].every(
    (host) => host.includes('.') && isIP(host) === 0 && !host.startsWith('['),
  )
  return isNamed && (one.endsWith(`.${other}`) || other.endsWith(`.${one}`))
    ? page.origin
    : undefined
}

/** The origin that is notified of a refusal. A refusal is no secret, so any origin will do. */
export function refusalTarget(redirect_uri: string, origin: string | undefined): string {
  return (
    (origin === undefined ? undefined : webOrigin(origin)?.origin) ?? new URL(redirect_uri).origin
  )
}

function webOrigin(text: string): URL | undefined {
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined
}
