// One server holds many accounts. The first account answers at the public address, each other
// account at `<subdomain>.<host>`. A request with a token reaches its account at the bare host too
// (interface: Addresses of accounts). Ports are part of a host.
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Kontor } from '../kontor.ts'

/** The public host with its port, e.g. `crm.example.com` or `127.0.0.1:8080`. */
export function publicHost(kontor: Pick<Kontor, 'url'>): string {
  return kontor.url.slice(kontor.url.indexOf('//') + 2)
}

/**
 * The subdomain that a Host header names, undefined when it names the bare host or anything else.
 */
export function subdomainOf(
  kontor: Pick<Kontor, 'url'>,
  host: string | undefined,
): string | undefined {
  if (!host) return undefined
  const suffix = '.' + publicHost(kontor)
  const name = host.toLowerCase()
  if (!name.endsWith(suffix)) return undefined
  const subdomain = name.slice(0, -suffix.length)
  // A Host header may hold anything, so only a valid subdomain may reach a link.
  return /^[a-z0-9-]+$/.test(subdomain) ? subdomain : undefined
}

/**
 * The public address that a Host header names, without a trailing slash: that of its account, or of
 * the server. Links for other people begin with it.
 */
export function publicBaseOf(kontor: Pick<Kontor, 'url'>, host: string | undefined): string {
  return subdomainOf(kontor, host) === undefined
    ? kontor.url
    : kontor.url.slice(0, kontor.url.indexOf('//') + 2) + host!.toLowerCase()
}

/**
 * The names that mean this machine everywhere. No other text of a Host header but a subdomain
 * reaches an answer.
 */
const loopbackHost = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::(\d+))?$/i

/**
 * The address that a client on this machine used, without a trailing slash; undefined unless its
 * Host header is one of the three names with the port that the connection reached.
 */
export function loopbackBaseOf({
  host,
  protocol,
  socket,
}: Pick<FastifyRequest, 'host' | 'protocol' | 'socket'>): string | undefined {
  const match = loopbackHost.exec(host)
  if (!match) return undefined
  const [, port = protocol === 'https' ? '443' : '80'] = match
  return port === String(socket.localPort) ? `${protocol}://${host.toLowerCase()}` : undefined
}

interface AccountAddress {
  subdomain: string
  /** Whether it is the first account of the server. */
  is_first: boolean
}

/**
 * The public host of an account, with its port. The first account has the public host of the
 * server. So has every account if that host cannot have subdomains (an address, or a name without a
 * dot).
 */
export function hostOf(
  kontor: Pick<Kontor, 'url'>,
  { subdomain, is_first }: AccountAddress,
): string {
  const { hostname } = new URL(kontor.url)
  const canHaveOthers = hostname.includes('.') && isIP(hostname) === 0 && !hostname.startsWith('[')
  return is_first || !canHaveOthers ? publicHost(kontor) : `${subdomain}.${publicHost(kontor)}`
}

/** The public address of an account, without a trailing slash. */
export function accountAddress(kontor: Pick<Kontor, 'url'>, account: AccountAddress): string {
  return kontor.url.slice(0, kontor.url.indexOf('//') + 2) + hostOf(kontor, account)
}
