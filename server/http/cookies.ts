import type { Kontor } from '../kontor.ts'

/**
 * The value of a cookie in a `Cookie` header. The first of several wins: browsers send the most
 * specific path first.
 */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const equals = pair.indexOf('=')
    if (equals > 0 && pair.slice(0, equals).trim() === name)
      return pair.slice(equals + 1).trim() || undefined
  }
  return undefined
}

/**
 * A `Set-Cookie` header for this host alone: another account's address must not receive the
 * session. Scripts cannot read the cookie, and forms of other sites do not send it. `maxAge` is in
 * seconds: 0 removes the cookie, undefined keeps it until the browser closes.
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
