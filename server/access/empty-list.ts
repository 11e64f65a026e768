// The status that answers a caller where nothing is found (interface: Missing records). The setting of
// the integration decides, then EMPTY_LIST. Where both are silent, the User-Agent does: some clients
// fail on 200 with an empty list, and whoever ports a program of theirs has set nothing yet.
import type { IncomingHttpHeaders } from 'node:http'

/** `client`: 204, because the User-Agent is that of a client that needs it. */
export type EmptyList = 200 | 204 | 'client'

/** How the User-Agent of clients begins that need 204, in any case of letters. */
export const clientsOf204: readonly string[] = ['amoCRM-API-Library/']

const prefixes = clientsOf204.map((prefix) => prefix.toLowerCase())

/** A remembered caller has `client` where nothing is set; what it sends with a request decides. */
export function emptyListFor(
  setting: EmptyList,
  { 'user-agent': client = '' }: Pick<IncomingHttpHeaders, 'user-agent'>,
): EmptyList {
  if (setting !== 'client') return setting
  const name = client.toLowerCase()
  return prefixes.some((prefix) => name.startsWith(prefix)) ? 'client' : 200
}
