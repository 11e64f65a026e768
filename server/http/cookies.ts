import type { Kontor } from '../kontor.ts'

/** The value of a cookie in a `Cookie` header; of several with the name the first, as browsers put the most specific path first. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const equals = pair.indexOf('=')
    if (equals > 0 && pair.slice(0, equals).trim() === name)
      return pair.slice(equals + 1).trim() || undefined
  }
  return undefined
}

/**
 * A `Set-Cookie` header that scripts cannot read and other sites' forms do not send. It is for this host alone: an account's address
 * must not receive what was signed in at another. `maxAge` in seconds, 0 removes it; undefined: until the browser closes.
 */
export function setCookie(
  { url }: Pick<Kontor, 'url'>,
  name: string,
  value: string,
  { path = '/', maxAge }: { path?: string; maxAge?: number } = {},
): string {
  return [
    `${name}=${value}`,
    `Path=${path}`,
    ...(maxAge === undefined ? [] : [`Max-Age=${maxAge}`]),
    'HttpOnly',
    'SameSite=Lax',
    ...(url.startsWith('https:') ? ['Secure'] : []),
  ].join('; ')
}
