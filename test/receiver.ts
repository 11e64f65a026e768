// A receiver of webhooks on a port of its own, plain or with TLS. It records all that arrives, and
// misbehaves on command: `behave(path, …)` says how a path answers, request by request; some paths
// say it themselves (`behaviourOf`). It writes its answers byte by byte, so none is too wrong for it.
import net from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import tls from 'node:tls'
import { slowly } from './moments.ts'

export interface Arrival {
  /** Milliseconds since 1970. */
  at: number
  method: string
  /** With the query. */
  path: string
  headers: Record<string, string>
  body: string
  /** Counts the connections of the receiver from 1. */
  connection: number
}

/** How a request is answered: status 200 at once, unless told otherwise. */
export interface Behaviour {
  status?: number
  /** Statuses that are sent before it, each with a head of its own. */
  before?: number[]
  headers?: Record<string, string>
  body?: string
  /** Bytes that are sent in place of an answer. */
  raw?: string
  delayMs?: number
  /** The answer waits until this is fulfilled. */
  until?: Promise<unknown>
  /** Sends the head one byte at a time, with this pause before each. */
  dripMs?: number
  /** Sends a body without end, until the client closes. */
  isEndless?: boolean
  /** After the answer the connection stays open, unless told otherwise. */
  after?: 'close' | 'reset'
  /** Happens in place of an answer. */
  instead?: 'silence' | 'close' | 'reset'
}

export interface Receiver {
  /** Without a slash at the end. */
  url: string
  port: number
  arrivals: Arrival[]
  /** All connections since the receiver was opened. */
  connections: number
  /** The connections that are open now. */
  sockets: Set<Socket>
  /** The treatment of new connections; `silence` is silence before TLS, too. */
  welcome: 'listen' | 'silence' | 'close' | 'reset'
  /** Tells how a path answers its next requests. The last behaviour stays. */
  behave(path: string, ...behaviours: Behaviour[]): void
  /** Waits until so many requests have arrived in all. */
  heard(count: number): Promise<Arrival[]>
  close(): Promise<void>
}

export async function openReceiver({
  certificate,
  host = '127.0.0.1',
  port = 0,
}: {
  certificate?: { cert: string; key: string }
  host?: string
  port?: number
} = {}): Promise<Receiver> {
  const planned = new Map<string, Behaviour[]>()
  const waiting = new Set<() => void>()
  const context = certificate && tls.createSecureContext(certificate)
  const server = net.createServer((socket) => {
    const connection = ++receiver.connections
    receiver.sockets.add(socket)
    socket.on('close', () => receiver.sockets.delete(socket)).on('error', () => {})
    if (receiver.welcome === 'close') socket.destroy()
    else if (receiver.welcome === 'reset') socket.resetAndDestroy()
    else if (receiver.welcome === 'silence') socket.pause()
    else converse(context ? secured(socket, context) : socket, socket, connection)
  })

  function converse(stream: Socket, socket: Socket, connection: number) {
    readRequests(stream, (request) => {
      const arrival = { at: Date.now(), ...request, connection }
      receiver.arrivals.push(arrival)
      for (const look of waiting) look()
      const [path = ''] = request.path.split('?')
      const queue = planned.get(path)
      const behaviour = (queue && queue.length > 1 ? queue.shift() : queue?.[0]) ?? null
      return answer(stream, socket, behaviour ?? behaviourOf(request.path))
    })
  }

  const receiver: Receiver = {
    url: '',
    port: 0,
    arrivals: [],
    connections: 0,
    sockets: new Set(),
    welcome: 'listen',
    behave: (path, ...behaviours) => void planned.set(path, behaviours),
    heard: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (receiver.arrivals.length < count) return
          waiting.delete(look)
          resolve(receiver.arrivals)
        }
        waiting.add(look)
        look()
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of receiver.sockets) socket.destroy()
      }),
  }
  await new Promise<void>((resolve) => void server.listen(port, host, resolve))
  receiver.port = (server.address() as AddressInfo).port
  const name = host.includes(':') ? `[${host}]` : host
  receiver.url = `${certificate ? 'https' : 'http'}://${name}:${receiver.port}`
  return receiver
}

/** The behaviours that paths name themselves, for tests that only have an address. */
function behaviourOf(path: string): Behaviour {
  const [, word = '', value = ''] = path.split(/[/?]/)
  const said: Record<string, Behaviour> = {
    status: { status: Number(value) },
    delay: { delayMs: Number(value) },
    drip: { dripMs: Number(value) },
    huge: { isEndless: true },
    garbage: { raw: 'SSH-2.0-OpenSSH_9.9\r\n\r\n' },
    redirect: { status: 302, headers: { location: decodeURIComponent(value) } },
    silence: { instead: 'silence' },
    close: { instead: 'close' },
    reset: { instead: 'reset' },
  }
  return said[word] ?? {}
}

function secured(socket: Socket, secureContext: tls.SecureContext): Socket {
  const stream = new tls.TLSSocket(socket, { isServer: true, secureContext })
  return stream.on('error', () => {})
}

type ReadRequest = Pick<Arrival, 'method' | 'path' | 'headers' | 'body'>

/** Reads requests one after another; each waits for the answer to the one before it. */
function readRequests(stream: Socket, answerTo: (request: ReadRequest) => Promise<boolean>) {
  let bytes: Buffer = Buffer.alloc(0)
  let isBusy = false
  const next = async () => {
    const end = bytes.indexOf('\r\n\r\n')
    if (isBusy || end < 0) return
    const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
    const [method = '', path = ''] = first.split(' ')
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
    )
    const length = Number(headers['content-length'] ?? 0)
    if (bytes.length < end + 4 + length) return
    const body = bytes.toString('utf8', end + 4, end + 4 + length)
    bytes = bytes.subarray(end + 4 + length)
    isBusy = true
    const mayContinue = await answerTo({ method, path, headers, body })
    isBusy = !mayContinue
    void next()
  }
  stream.on('data', (part: Buffer) => {
    bytes = bytes.length === 0 ? part : Buffer.concat([bytes, part])
    // TLS begins with a byte that no method begins with.
    if (bytes[0] === 0x16) stream.end(headersOf(400, { connection: 'close' }))
    void next()
  })
}

/** Answers, and returns whether the connection can carry another request. */
async function answer(stream: Socket, socket: Socket, behaviour: Behaviour): Promise<boolean> {
  const { status = 200, before = [], headers, body = '', delayMs, dripMs } = behaviour
  if (delayMs) await slowly(delayMs)
  await behaviour.until
  if (behaviour.instead) return leave(stream, socket, behaviour.instead)
  const isBare = status < 200 || status === 204 || status === 304
  const framing: Record<string, string> = behaviour.isEndless
    ? { 'transfer-encoding': 'chunked' }
    : isBare
      ? {}
      : { 'content-length': String(Buffer.byteLength(body)) }
  const answerHead =
    before.map((each) => headersOf(each, {})).join('') +
    headersOf(status, { ...framing, ...headers })
  const bytes = behaviour.raw ?? answerHead
  if (dripMs)
    for (const byte of bytes) {
      await slowly(dripMs)
      if (stream.destroyed) return false
      stream.write(byte, 'latin1')
    }
  else stream.write(behaviour.raw ?? answerHead + body)
  while (behaviour.isEndless && !stream.destroyed) {
    if (!stream.write(chunk)) await Promise.race([event(stream, 'drain'), event(stream, 'close')])
  }
  // A reset at once might overtake the answer.
  if (behaviour.after === 'reset') await slowly(20)
  return leave(stream, socket, behaviour.after)
}

function leave(stream: Socket, socket: Socket, how: Behaviour['instead']): boolean {
  if (how === 'close') stream.end()
  if (how === 'reset') socket.resetAndDestroy()
  return how === undefined
}

/** The status has three digits at least: 99 is sent as 099. */
function headersOf(status: number, headers: Record<string, string>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${String(status).padStart(3, '0')} Said\r\n${lines.join('')}\r\n`
}

const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`

const event = (stream: Socket, name: string) =>
  new Promise<void>((resolve) => void stream.once(name, () => resolve()))
