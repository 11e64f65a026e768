// Connections to receivers, kept open between requests. A connection carries one request at a time.
// Nobody waits for one: if none is idle, another is opened.
import { isIP, connect as connectPlain } from 'node:net'
import type { LookupFunction, Socket } from 'node:net'
import { connect as connectSecure } from 'node:tls'
import { portOf } from './guarded.ts'
import type { Permit } from './guarded.ts'

export interface Connection {
  destination: string
  /** Whether it has carried a request before. */
  isReused: boolean
  /** Whether it stands, with TLS too, so that bytes of a request may have left. */
  isOpen: boolean
  openedAt: number
  /** Hears of the request that the connection carries; null while it is idle. */
  hearer: Hearer | null
  /** Sends once the connection stands and, with TLS, the certificate is accepted. */
  write(bytes: Buffer | string): void
  destroy(): void
}

export interface Hearer {
  /** Bytes of the answer. */
  read(part: Buffer): void
  /** The connection is closed. */
  closed(error: NodeJS.ErrnoException | null): void
}

export interface Connections {
  /** The idle connection to a destination that was used last. */
  take(destination: string): Connection | undefined
  open(url: URL, destination: string, lookup: LookupFunction): Connection
  /** Keeps a connection for the next request. */
  keep(connection: Connection): void
  close(): void
}

/** A connection is kept idle for less than the 5 s after which common servers close it. */
const idleMs = 4000

/** More idle connections are not kept, to one destination and in all. */
const mostIdle = 50
const mostIdleInAll = 2000

/** An older connection is closed after its answer, so that a name may move to another address. */
const mostAgeMs = 60_000

/** TLS sessions are remembered for so many destinations. */
const mostSessions = 1000

/** Where a connection leads, and for whom: what may reach less must not use it. */
export const destinationOf = ({ protocol, host }: URL, { reach }: Permit) =>
  `${reach} ${protocol}//${host}`

/** Of several addresses of a name, each but the last is tried for `triedMs`. */
export function openConnections({ triedMs }: { triedMs: number }): Connections {
  const all = new Set<Connection>()
  const idle = new Map<string, { connection: Connection; since: number }[]>()
  const sessions = new Map<string, Buffer>()
  let idleInAll = 0

  function leaveIdle(connection: Connection) {
    const list = idle.get(connection.destination)
    const at = list?.findLastIndex((each) => each.connection === connection) ?? -1
    if (at < 0) return
    list!.splice(at, 1)
    idleInAll--
    if (list!.length === 0) idle.delete(connection.destination)
  }

  const sweeper = setInterval(() => {
    const oldest = performance.now() - idleMs
    for (const list of idle.values())
      while (list[0] && list[0].since < oldest) list[0].connection.destroy()
  }, idleMs / 8).unref()

  function connect(url: URL, destination: string, lookup: LookupFunction): Socket {
    const isSecure = url.protocol === 'https:'
    const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
    const options = {
      host,
      port: portOf(url),
      lookup,
      noDelay: true,
      autoSelectFamilyAttemptTimeout: Math.max(10, triedMs),
    }
    if (!isSecure) return connectPlain(options)
    const session = sessions.get(destination)
    const socket = connectSecure({
      ...options,
      ...(isIP(host) ? {} : { servername: host }),
      ...(session && { session }),
      ALPNProtocols: ['http/1.1'],
    })
    socket.on('session', (newer) => {
      sessions.delete(destination)
      sessions.set(destination, newer)
      if (sessions.size > mostSessions) sessions.delete(sessions.keys().next().value!)
    })
    socket.on('error', () => sessions.delete(destination))
    return socket
  }

  return {
    take(destination) {
      const connection = idle.get(destination)?.at(-1)?.connection
      if (connection) leaveIdle(connection)
      return connection
    },

    open(url, destination, lookup) {
      const socket = connect(url, destination, lookup)
      let failure: NodeJS.ErrnoException | null = null
      /** The bytes that are written before the certificate is accepted. */
      let unsent: (Buffer | string)[] | null = url.protocol === 'https:' ? [] : null
      const connection: Connection = {
        destination,
        isReused: false,
        isOpen: false,
        openedAt: performance.now(),
        hearer: null,
        write: (bytes) => void (unsent ? unsent.push(bytes) : socket.write(bytes)),
        destroy() {
          leaveIdle(connection)
          connection.hearer = null
          socket.destroy()
        },
      }
      all.add(connection)
      socket.on(unsent ? 'secureConnect' : 'connect', () => {
        connection.isOpen = true
        for (const bytes of unsent ?? []) socket.write(bytes)
        unsent = null
      })
      socket.on('data', (part) => {
        if (connection.hearer) connection.hearer.read(part)
        // Nobody asked: some servers say that they close an idle connection.
        else connection.destroy()
      })
      socket.on('end', () => leaveIdle(connection))
      socket.on('error', (error) => (failure = error))
      socket.on('close', () => {
        all.delete(connection)
        leaveIdle(connection)
        connection.hearer?.closed(failure)
      })
      return connection
    },

    keep(connection) {
      connection.hearer = null
      connection.isReused = true
      const since = performance.now()
      const list = idle.get(connection.destination) ?? []
      const isFull = list.length >= mostIdle || idleInAll >= mostIdleInAll
      if (isFull || since - connection.openedAt > mostAgeMs) return connection.destroy()
      idle.set(connection.destination, list)
      list.push({ connection, since })
      idleInAll++
    },

    close() {
      clearInterval(sweeper)
      for (const connection of all) connection.destroy()
    },
  }
}
