// One attempt to deliver a webhook. An attempt ends with the first status line, also of 1xx; the
// rest of the answer is read to a small bound only so that the connection can be used again. The
// time covers the look-up of the name, the connection, TLS and the headers of the answer. An attempt
// never waits for another: the caller bounds how many run at once. Decision 46.
import http from 'node:http'
import https from 'node:https'
import { networkInterfaces } from 'node:os'
import { openNames } from './names.ts'
import type { LookUp } from './names.ts'
import { guarded, privateAddress, refusalOf } from './outgoing.ts'
import type { Allowed } from './outgoing.ts'

/** Why an attempt has no status. These words are stored and shown, so none changes its meaning. */
export type AttemptError =
  | 'timeout'
  | 'dns'
  | 'refused'
  | 'reset'
  | 'unreachable'
  | 'tls'
  | 'not http'
  | 'private address'
  | 'bad address'
  | 'aborted'
  | 'local'

export interface Attempted {
  /** The status of the first status line; 0: no answer. */
  status: number
  /** Set exactly if `status` is 0. */
  error: AttemptError | null
  milliseconds: number
  /** Whether this machine or process failed, not the receiver. */
  isOurs: boolean
}

export interface Attempts {
  /** Posts once. Never rejects. */
  attempt(
    address: string,
    headers: Record<string, string>,
    body: Buffer | string,
    signal?: AbortSignal,
  ): Promise<Attempted>
  /** Ends running attempts as `aborted` and closes the connections. */
  close(): Promise<void>
}

export interface AttemptOptions {
  allow: Allowed
  /** The time of an attempt (specification, Webhook delivery: 2 seconds). */
  timeoutMs?: number
  /** Name servers instead of the machine's own. */
  nameServers?: string[]
}

/** Of an answer so much is read after the status line; then the connection is closed. */
const mostBytes = 65_536

/** So many connections to one receiver may still be read after their attempts have ended. */
const mostDrained = 8

/** A connection is kept idle for less than the 5 s after which common servers close it. */
const idleMs = 4000

/** Idle connections beyond these bounds are closed. */
const mostIdle = 50
const mostConnections = 2000

/** Opens what attempts share: connections, look-ups of names, and a watch of the event loop. */
export function openAttempts({ allow, timeoutMs = 2000, nameServers }: AttemptOptions): Attempts {
  const names = openNames({ timeoutMs, servers: nameServers })
  const loop = watchLoop()
  const pools = { 'http:': pool(http.Agent, timeoutMs), 'https:': pool(https.Agent, timeoutMs) }
  /** Ends each attempt that runs. */
  const running = new Set<() => void>()
  /** How many answers of each destination are still read. */
  const drained = new Map<string, number>()
  let isClosed = false

  function attempt(
    address: string,
    headers: Record<string, string>,
    body: Buffer | string,
    signal?: AbortSignal,
  ): Promise<Attempted> {
    const began = performance.now()
    const stalledBefore = loop.stalledMs()
    const ended = (status: number, error: AttemptError | null, isOurs: boolean): Attempted => ({
      status,
      error,
      milliseconds: Math.round(performance.now() - began),
      isOurs,
    })
    const url = URL.parse(address)
    if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
      return Promise.resolve(ended(0, 'bad address', false))
    if (refusalOf(url, allow)) return Promise.resolve(ended(0, 'private address', false))
    if (isClosed || signal?.aborted) return Promise.resolve(ended(0, 'aborted', true))

    const { request: newRequest } = url.protocol === 'https:' ? https : http
    return new Promise((resolve) => {
      let request: http.ClientRequest
      let lookUp: LookUp | undefined
      let bytesBefore = 0
      let isDecided = false
      let isDraining = false

      const lookup = guarded(allow, (name) => {
        lookUp = names.lookUp(name)
        return lookUp.addresses
      })

      function start(agent: http.Agent | false) {
        request = newRequest(url!, { method: 'POST', headers, agent, lookup })
        request.on('socket', (socket) => void (bytesBefore = socket.bytesRead))
        request.on('information', ({ statusCode }) => answered(statusCode))
        request.on('upgrade', ({ statusCode }, socket) => {
          answered(statusCode!)
          socket.destroy()
        })
        request.on('response', (response) => {
          answered(response.statusCode!)
          response.on('data', stopIfLong)
          response.on('error', () => {})
        })
        request.on('error', failed)
        request.on('close', finish)
        request.end(body)
      }

      function answered(status: number) {
        if (isDecided) return stopIfLong()
        decide(ended(status, null, false))
        const count = drained.get(url!.host) ?? 0
        isDraining = true
        drained.set(url!.host, count + 1)
        // What has come with the status line is read first: most answers end with it.
        if (count >= mostDrained) setImmediate(() => request.destroy())
      }

      function stopIfLong() {
        const { socket } = request
        if (socket && socket.bytesRead - bytesBefore > mostBytes) request.destroy()
      }

      function failed(error: NodeJS.ErrnoException) {
        if (isDecided) return
        const [code, isOurs] = causeOf(error, url!)
        // The receiver closed an idle connection while the request was on its way.
        const isStale = request.reusedSocket && request.socket?.bytesRead === bytesBefore
        if (code === 'reset' && isStale) return start(false)
        decide(ended(0, code, isOurs))
      }

      function expire() {
        if (!isDecided) {
          const isLate = loop.stalledMs() - stalledBefore > timeoutMs / 10
          decide(ended(0, 'timeout', isLate))
        }
        request.destroy()
      }

      function stop() {
        decide(ended(0, 'aborted', true))
        request.destroy()
      }

      function decide(result: Attempted) {
        if (isDecided) return
        isDecided = true
        lookUp?.leave()
        resolve(result)
      }

      function finish() {
        if (!isDecided) return
        clearTimeout(timer)
        running.delete(stop)
        signal?.removeEventListener('abort', stop)
        if (!isDraining) return
        const rest = drained.get(url!.host)! - 1
        if (rest > 0) drained.set(url!.host, rest)
        else drained.delete(url!.host)
      }

      // An answer that came while the event loop was late is still read before the attempt ends.
      const timer = setTimeout(() => setImmediate(expire), timeoutMs)
      running.add(stop)
      signal?.addEventListener('abort', stop)
      try {
        start(pools[url.protocol as keyof typeof pools])
      } catch {
        // Node.js refuses a header.
        decide(ended(0, 'local', true))
        finish()
      }
    })
  }

  async function close() {
    isClosed = true
    loop.stop()
    for (const stop of running) stop()
    names.close()
    for (const agent of Object.values(pools)) agent.destroy()
  }

  return { attempt, close }
}

/** Connections without a bound while they are in use. */
function pool(Agent: typeof http.Agent | typeof https.Agent, timeoutMs: number) {
  const agent = new Agent({
    keepAlive: true,
    maxFreeSockets: mostIdle,
    timeout: idleMs,
    // Node.js gives up each address but the last after this time.
    autoSelectFamilyAttemptTimeout: Math.max(10, timeoutMs / 2),
  }) as https.Agent & { totalSocketCount: number }
  const keep = agent.keepSocketAlive.bind(agent)
  agent.keepSocketAlive = (socket) => agent.totalSocketCount <= mostConnections && keep(socket)
  return agent
}

const causes: Record<string, AttemptError> = {
  [privateAddress]: 'private address',
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
  EHOSTUNREACH: 'unreachable',
  EHOSTDOWN: 'unreachable',
  ENETUNREACH: 'unreachable',
  ENETDOWN: 'unreachable',
  EADDRNOTAVAIL: 'local',
  ETIMEDOUT: 'timeout',
  EMFILE: 'local',
  ENFILE: 'local',
  ENOBUFS: 'local',
  ENOMEM: 'local',
  EPERM: 'local',
  EACCES: 'local',
}

/** Names the cause of an error, and whether it lies in this machine. */
function causeOf(error: NodeJS.ErrnoException, url: URL): [AttemptError, boolean] {
  const { code = '', syscall = '' } = error
  // A refused query: this machine's own name server is not there.
  if (syscall.startsWith('query')) return ['dns', code === 'ECONNREFUSED' || !hasNetwork()]
  const cause =
    causes[code] ??
    (code.startsWith('HPE_') ? 'not http' : url.protocol === 'https:' ? 'tls' : 'local')
  return [cause, cause === 'local' || (cause === 'unreachable' && !hasNetwork())]
}

/** Whether this machine has an address that others can see. */
const hasNetwork = () =>
  Object.values(networkInterfaces()).some((list) => list?.some(({ internal }) => !internal))

/** How often the event loop is watched, and the delay from which a turn counts as late. */
const watchedMs = 100
const stallMs = 50

/** Sums the time by which the event loop was late. A busy loop with short turns is not late. */
function watchLoop() {
  let total = 0
  let expected = performance.now() + watchedMs
  const late = () => {
    const ms = performance.now() - expected
    return ms > stallMs ? ms : 0
  }
  const timer = setInterval(() => {
    total += late()
    expected = performance.now() + watchedMs
  }, watchedMs).unref()
  return { stalledMs: () => total + late(), stop: () => clearInterval(timer) }
}
