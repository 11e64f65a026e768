const base = 'http://kontor.invalid'

/**
 * The address on this server that a parameter asks for, `/` for anything else. Browsers read
 * `//host`, `/\host` and `/⇥/host` as another server.
 */
export function localPath(wanted: unknown): string {
  if (typeof wanted !== 'string' || wanted.length > 2000 || !wanted.startsWith('/')) return '/'
  const url = URL.parse(wanted, base)
  if (url?.origin !== base) return '/'
  const { pathname, search, hash } = url
  // `/.//host` has lost its dot by now.
  return pathname.startsWith('//') ? '/' : pathname + search + hash
}
