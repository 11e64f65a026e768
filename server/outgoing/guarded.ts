// Requests to addresses that others have written. They must not reach services that only this machine
// can reach: private addresses are refused when a connection opens, after the name is resolved, so no
// name can change in between. Redirects are not followed. A permit says what a request may reach; the
// door gives it (outgoing/door.ts), and nothing else does.
import type { LookupAddress, LookupOptions } from 'node:dns'
import { lookup as lookUpOnThreads } from 'node:dns/promises'
import type { IncomingHttpHeaders } from 'node:http'
import https from 'node:https'
import { BlockList, isIP } from 'node:net'
import type { LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import { http } from '../http/node-http.ts'

/** The addresses that are allowed besides public ones. */
export type Reach = 'none' | 'loopback' | 'all'

/** The addresses and ports that a request may connect to. */
export interface Permit {
  /** Requests of one reach may share connections. */
  reach: Reach
  /** Whether a port of an IP address must not be used. */
  refuses(address: string, port: number): boolean
}

/** A permit for an attempt; `isOwn` knows the ports of Kontor and of its database, which none reaches. */
export const newPermit = (
  reach: Reach,
  isOwn: (address: string, port: number) => boolean = () => false,
): Permit => ({
  reach,
  refuses(withZone, port) {
    // The hosts file of the machine may name an address with its zone: fe80::1%eth0.
    const address = withZone.replace(/%.*$/, '')
    return isRefused(address, reach) || isOwn(address, port)
  },
})

export interface Outgoing {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** Milliseconds for everything together: name lookup, connection, request and answer. */
  timeoutMs: number
  permit: Permit
}

export interface Returned {
  status: number
  headers: IncomingHttpHeaders
  /** The first 64 kB of the answer at most. */
  body: Buffer
}

const mostBytes = 65_536

/** Sends one request. Throws an Error for a refused address, a network failure, or a timeout. */
export function send(
  address: string,
  { method = 'GET', headers = {}, body, timeoutMs, permit }: Outgoing,
): Promise<Returned> {
  const url = new URL(address)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Error(`${url.protocol} is not a way to send`)
  const refused = refusalOf(url, permit)
  if (refused) return Promise.reject(refused)
  const { request } = url.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const options = {
      method,
      headers: { 'user-agent': 'Kontor', ...headers },
      signal: AbortSignal.timeout(timeoutMs),
      lookup: guarded(permit, portOf(url)),
      agent: false,
    } as const
    const sent = request(url, options, (response) => {
      const parts: Buffer[] = []
      let length = 0
      const finish = () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          body: Buffer.concat(parts),
        })
      response.on('data', (part: Buffer) => {
        parts.push(part.subarray(0, mostBytes - length))
        length += part.length
        if (length < mostBytes) return
        finish()
        response.destroy()
      })
      response.on('end', finish)
      response.on('error', reject)
    })
    // A 101 answer ends here: without a listener, Node.js closes the connection without an event.
    sent.on('upgrade', ({ statusCode, headers }, socket) => {
      resolve({ status: statusCode!, headers, body: Buffer.alloc(0) })
      socket.destroy()
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Every address of a name, or an Error. */
type LookUpAll = (name: string, options: LookupOptions) => Promise<LookupAddress[]>

/**
 * Resolves a name, and refuses it if any of its addresses is refused: the connection may use any of
 * them, and none that was not checked.
 */
export function guarded(
  permit: Permit,
  port: number,
  lookUp: LookUpAll = (name, options) => lookUpOnThreads(name, { ...options, all: true }),
): LookupFunction {
  const find = callbackify(async (name: string, options: LookupOptions) => {
    const addresses = await lookUp(name, options)
    const bad = addresses.find(({ address }) => permit.refuses(address, port))
    if (bad) throw refusal(bad.address)
    return addresses
  })
  return (name, options, done) =>
    find(name, options, (error, addresses) => {
      if (error) done(error, '', 0)
      else if (options.all) done(null, addresses)
      else done(null, addresses[0]!.address, addresses[0]!.family)
    })
}

/** The refusal of an address that is written as an IP address, which Node.js does not look up. */
export function refusalOf(url: URL, permit: Permit): Error | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return isIP(host) && permit.refuses(host, portOf(url)) ? refusal(host) : undefined
}

/** The port of an address with http or https. */
export const portOf = ({ port, protocol }: URL): number =>
  Number(port || (protocol === 'https:' ? 443 : 80))

/** The code of the Error for a refused address. */
export const privateAddress = 'EPRIVATE'

const refusal = (address: string) =>
  Object.assign(
    new Error(`${address} is a private address, which is not allowed (ALLOW_PRIVATE_HOOKS)`),
    { code: privateAddress },
  )

/** Whether an IP address is outside of a reach. */
export function isRefused(address: string, reach: Reach): boolean {
  if (reach === 'all') return false
  if (reach === 'loopback' && isLoopback(address)) return false
  return reserved.check(address, familyOf(address))
}

/** The family of an IP address, as lists of addresses name it. */
export const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/**
 * Reads `address/prefix` entries. A version 4 address in version 6 notation is matched as version
 * 4.
 */
function listOf(networks: string): BlockList {
  const list = new BlockList()
  for (const network of networks.trim().split(/\s+/)) {
    const [address = '', prefix] = network.split('/')
    list.addSubnet(address, Number(prefix), familyOf(address))
  }
  return list
}

const loopback = listOf('127.0.0.0/8 ::1/128')

export const isLoopback = (address: string): boolean => loopback.check(address, familyOf(address))

/**
 * IANA's registries of special-purpose addresses, multicast, and the networks that map version 6
 * addresses to version 4. 168.63.129.16 is public, but within Azure it is the host of the machine.
 */
const reserved = listOf(`
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24
  168.63.129.16/32 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
  ::/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 5f00::/16
  fc00::/7 fe80::/10 fec0::/10 ff00::/8`)
