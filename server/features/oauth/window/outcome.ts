// Where the outcome goes. A code in the wrong hands lets a stranger join somebody's data to an account of the stranger's own at the
// integration, so a code goes nowhere but to the stored redirect address, or by message to a page of the same site; what `origin` says
// is whoever opened the window says, and proves nothing.
import { isIP } from 'node:net'
import { publicHost } from '../../../http/addresses.ts'
import type { Kontor } from '../../../kontor.ts'

export interface Granted {
  code: string
  /** The account's host, which the integration asks for its tokens. */
  referer: string
  client_id: string
  state: string | undefined
}

/** The redirect that hands over a code (reference of authorization, result on Allow); 2 is the platform outside Russia. */
export function grantedAddress(
  redirect_uri: string,
  { code, referer, state, client_id }: Granted,
): string {
  return withParameters(redirect_uri, { code, referer, state, client_id, platform: '2' })
}

export function deniedAddress(redirect_uri: string, state: string | undefined): string {
  return withParameters(redirect_uri, { error: 'access_denied', state })
}

/** What the address asks already stays as it is written. */
function withParameters(address: string, parameters: Record<string, string | undefined>): string {
  const url = new URL(address)
  const added = Object.entries(parameters)
    .flatMap(([name, value]) => (value === undefined ? [] : `${name}=${encodeURIComponent(value)}`))
    .join('&')
  url.search = url.search ? `${url.search}&${added}` : added
  return url.href
}

/**
 * The origin of the page that a code may be posted to: the redirect address's, or `origin` where that is the same site (the same host,
 * one above the other, or the other's `www.`) and no less safe. Undefined: `origin` is another site.
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

/** The origin that may hear that nothing was granted: there is no secret in that. */
export function refusalTarget(redirect_uri: string, origin: string | undefined): string {
  return (
    (origin === undefined ? undefined : webOrigin(origin)?.origin) ?? new URL(redirect_uri).origin
  )
}

function webOrigin(text: string): URL | undefined {
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined
}

/**
 * The host where an account answers to everyone, with its port: the public one for the first account, and for all where the public host
 * cannot have others below it (an address, or a name without a dot).
 */
export function hostOf(
  kontor: Kontor,
  { subdomain, is_first }: { subdomain: string; is_first: boolean },
): string {
  const { hostname } = new URL(kontor.url)
  const canHaveOthers = hostname.includes('.') && isIP(hostname) === 0 && !hostname.startsWith('[')
  return is_first || !canHaveOthers ? publicHost(kontor) : `${subdomain}.${publicHost(kontor)}`
}
