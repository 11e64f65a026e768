// The addresses that webhooks may be sent to: URLs of RFC 2396 with http or https. A refusal never
// repeats the address, because receivers keep secrets in it and refusals are logged.
import { isIP } from 'node:net'
import { portOf } from '../../../outgoing/guarded.ts'
import type { Permit } from '../../../outgoing/guarded.ts'

/** The most characters of an address. */
export const longestDestination = 2000

/**
 * Why webhooks cannot be sent to an address; undefined if they can. A name is looked up only when
 * something is sent: then its addresses are checked (outgoing/guarded.ts).
 */
export function destinationFault(text: string, permit: Permit): string | undefined {
  const [, authority, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(text) ?? []
  if (authority === undefined) return 'The address must begin with http:// or https://.'
  if (authority.includes('@')) return 'The address must not hold a user name or a password.'
  if (!/^(?:[a-z\d._-]+|\[[\da-f:.]+\])(?::\d*)?$/i.test(authority))
    return 'The host must be a name of Latin letters, digits, dots and hyphens, or an IP address; write other names as xn--….'
  const bad = /(?!%[\dA-Fa-f]{2})[^\w.!~*'();/?:@&=+$,-]/u.exec(rest)?.[0]
  if (bad === '#') return 'The address must not have a fragment (#).'
  if (bad !== undefined)
    return `The character ${JSON.stringify(bad)} must be percent-encoded (RFC 2396).`
  if (!URL.canParse(text)) return 'This is not a valid URL.'
  // The parser writes every notation of an IP address in the usual way: 127.1, 0x7f000001.
  const url = new URL(text)
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const address = /^(?:.+\.)?localhost$/.test(host) ? '127.0.0.1' : host
  return isIP(address) && permit.refuses(address, portOf(url))
    ? 'The address is a private one, which the server does not allow (ALLOW_PRIVATE_HOOKS).'
    : undefined
}
