// The parameters of a query string by which older programs say who they are. They are taken out
// of the address before anything else sees it, on every path: so no log line, link, error, metric or
// stored answer can repeat a key, and no check of a query string meets them
// (docs/decisions/0050-api-keys.md).
import type { IncomingMessage } from 'node:http'

/** The names of each parameter; the second is older (authorization, legacy authentication). */
const names = { login: ['login', 'USER_LOGIN'], key: ['api_key', 'USER_HASH'] } as const

/** The login and the key that a request names. Neither is checked. */
export interface KeyParameters {
  login: string
  key: string
}

const taken = new WeakMap<IncomingMessage, KeyParameters>()

/** The login and the key that the address of a request had; undefined unless it had both. */
export const keyParametersOf = (raw: IncomingMessage): KeyParameters | undefined => taken.get(raw)

/**
 * The address of a request without these parameters, the rest unchanged. Remembers what they said;
 * of several values, the last one counts. Never throws.
 */
export function withoutKeyParameters(raw: IncomingMessage, url: string): string {
  const queryStart = url.indexOf('?')
  if (queryStart === -1 || !mayHaveKeys.test(url)) return url
  const found = new Map<string, string>()
  const pairs = url.slice(queryStart + 1).split('&')
  const left = pairs.filter((pair) => {
    const equals = pair.indexOf('=')
    const name = decoded(equals === -1 ? pair : pair.slice(0, equals))
    const own = all.find((each) => name === each || name.startsWith(`${each}[`))
    if (own === undefined) return true
    found.set(name, equals === -1 ? '' : decoded(pair.slice(equals + 1)))
    return false
  })
  if (left.length === pairs.length) return url
  const [login, key] = [valueOf(found, names.login), valueOf(found, names.key)]
  if (login !== undefined && key !== undefined) taken.set(raw, { login, key })
  return url.slice(0, queryStart) + (left.length === 0 ? '' : `?${left.join('&')}`)
}

/**
 * A name of a parameter, or a percent sequence that may stand for a letter of one. Most addresses
 * have neither, and brackets are no letters.
 */
const mayHaveKeys = /login|api_key|USER_|%(?:[467]|5[^BbDd])/

const all: readonly string[] = Object.values(names).flat()

const valueOf = (found: Map<string, string>, known: readonly string[]): string | undefined =>
  known.map((name) => found.get(name)).find((value) => value !== undefined)

/** A text that cannot be decoded stays as it is: as a login or a key it is wrong anyway. */
function decoded(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}
