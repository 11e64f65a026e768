// One server, many accounts: the first account answers at the public address, each other at `<subdomain>.<host>`, and with a token at
// the bare host too (decision: accounts and addresses). Ports are part of a host.
import type { Kontor } from '../kontor.ts'

/** The public host with its port, e.g. `crm.example.com` or `127.0.0.1:8080`. */
export function publicHost(kontor: Pick<Kontor, 'url'>): string {
  return kontor.url.slice(kontor.url.indexOf('//') + 2)
}

/** The subdomain that a Host header names, undefined when it names the bare host or anything else. */
export function subdomainOf(
  kontor: Pick<Kontor, 'url'>,
  host: string | undefined,
): string | undefined {
  if (!host) return undefined
  const suffix = '.' + publicHost(kontor)
  const name = host.toLowerCase()
  if (!name.endsWith(suffix)) return undefined
  const subdomain = name.slice(0, -suffix.length)
  // What is no subdomain must not reach a link: a Host header may hold anything.
  return /^[a-z0-9-]+$/.test(subdomain) ? subdomain : undefined
}

/** The address, without a trailing slash, that links in an answer begin with: where the caller found us. */
export function baseOf(kontor: Pick<Kontor, 'url'>, host: string | undefined): string {
  return subdomainOf(kontor, host) === undefined
    ? kontor.url
    : kontor.url.slice(0, kontor.url.indexOf('//') + 2) + host!.toLowerCase()
}
