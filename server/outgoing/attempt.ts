// One attempt to deliver a webhook, or the callback of a chat. An attempt ends with the first status
// line, also of 1xx; the rest of the answer is read to a small bound only so that the connection can be
// used again, for the text that is kept of it, and the head of a callback's 429 and 503 for the wait that it asks for. The time covers the look-up of the name, the connection, TLS and the wait for the status line. An
// attempt never waits for another: the caller bounds how many run at once. Decision 46.
import { isIPv6 } from 'node:net'
import type { LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import { readAnswer } from './answer-reader.ts'
import { answerText, mostRawBytes } from './answer-text.ts'
import { destinationOf, openConnections } from './connections.ts'
import type { Connection } from './connections.ts'
import { openNames } from '../http/names.ts'
import type { LookUp } from '../http/names.ts'
import { http } from '../http/node-http.ts'
import { guarded, portOf, privateAddress, refusalOf } from './guarded.ts'
import type { Permit } from './guarded.ts'

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
  /** Whether bytes of the request may have left: without them it certainly did not arrive. */
  isSent: boolean
  /** The header of a status 429 or 503, if the final status decides. */
  retryAfter?: string | undefined
  /** The beginning of the answer's body, if it is text; of a valid answer, what came with its status. */
  answer?: string
}

export interface DeliveryAttempts {
  /** Posts once. Never rejects. */
  attempt(
    address: string,
    permit: Permit,
    headers: Record<string, string>,
    body: Buffer | string,
    signal?: AbortSignal,
  ): Promise<Attempted>
  /** Ends running attempts as `aborted` and closes the connections. */
  close(): Promise<void>
}

export interface AttemptOptions {
  /** The time of an attempt (interface: Webhook delivery). */
  timeoutMs?: number
  /**
   * Whether a request must not arrive twice, and its final status decides: no connection is kept for
   * another, because one that the receiver closes meanwhile says nothing of the request.
   */
  isOnce?: boolean
  /** Name servers instead of the machine's own. */
  nameServers?: string[]
}

/** Of an answer so much is read after the status line; then the connection is closed. */
const mostBytes = 65_536

/** Milliseconds for which the body of an invalid answer is waited for: people ask what it says. */
const answerMs = 250

/** So many connections may still be read after their attempts: to one receiver, and in all. */
const mostDrained = 16
const mostDrainedInAll = 512

/** Opens what attempts share: connections, look-ups of names, and a watch of the event loop. */
export function openDeliveryAttempts({
  timeoutMs = 2000,
  isOnce = false,
  nameServers,
}: AttemptOptions = {}): DeliveryAttempts {
  const names = openNames({ timeoutMs, servers: nameServers })
  const connections = openConnections({ triedMs: timeoutMs / 2 })
  const loop = watchLoop()
  /** Ends each attempt that runs. */
  const running = new Set<() => void>()
  /** How many answers of each destination are still read after their attempts. */
  const drained = new Map<string, number>()
  let drainedInAll = 0
  let isClosed = false

  function attempt(
    address: string,
    permit: Permit,
    headers: Record<string, string>,
    body: Buffer | string,
    signal?: AbortSignal,
  ): Promise<Attempted> {
    const began = performance.now()
    const stalledBefore = loop.stalledMs()
    let connection: Connection | undefined
    const ended = (status: number, error: AttemptError | null, isOurs: boolean): Attempted => ({
      status,
      error,
      milliseconds: Math.round(performance.now() - began),
      isOurs,
      isSent: connection?.isOpen ?? false,
    })
    const url = URL.parse(address)
    if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
      return Promise.resolve(ended(0, 'bad address', false))
    if (refusalOf(url, permit)) return Promise.resolve(ended(0, 'private address', false))
    if (isClosed || signal?.aborted) return Promise.resolve(ended(0, 'aborted', true))
    const bytes = requestOf(url, headers, body)
    if (!bytes) return Promise.resolve(ended(0, 'local', true))
    const destination = destinationOf(url, permit)

    return new Promise((resolve) => {
      let lookUp: LookUp | undefined
      let decision: Attempted | undefined
      let isDone = false
      let answerTimer: NodeJS.Timeout | undefined
      /** The first bytes of the answer. */
      let raw: Buffer[] = []
      let rawBytes = 0
      let isDraining = false
      let isFinished = false
      /** A status 429 or 503 whose head is not complete yet. */
      let busyStatus = 0

      const lookup: LookupFunction = (host, options, done) => {
        lookUp = names.lookUp(host)
        const { addresses } = lookUp
        guarded(permit, portOf(url), () => addresses)(host, options, done)
      }

      function post(kept?: Connection) {
        const answer = readAnswer({ isFinal: isOnce })
        let length = 0
        const its = kept ?? connections.open(url!, destination, lookup)
        connection = its
        its.hearer = {
          read(part) {
            length += part.length
            keepRaw(part)
            answer.read(part)
            const { status, state, retryAfter } = answer
            busyStatus = isOnce && state === 'head' && mayAskToWait(status) ? status : 0
            if (status && !(isOnce && isInformational(status)) && !busyStatus)
              decide({
                ...ended(status, null, false),
                ...(isOnce && mayAskToWait(status) && { retryAfter }),
              })
            if (answer.state === 'complete') return finish(isOnce ? drop : connections.keep)
            if (answer.state !== 'broken' && length <= mostBytes && mayDrain()) return
            decide(ended(0, 'not http', false))
            finish(drop)
          },
          closed(error) {
            const [cause, isOurs] = error ? causeOf(error, url!) : (['reset', false] as const)
            // The receiver closed an idle connection while the request was on its way.
            if (!decision && its.isReused && length === 0 && cause === 'reset') return post()
            decide(ended(0, cause, isOurs))
            finish(drop)
          },
        }
        its.write(bytes!)
      }

      /** The outcome stands; the attempt ends with the body of an invalid answer, the connection may live on. */
      function decide(result: Attempted) {
        if (decision) return
        lookUp?.leave()
        decision = busyStatus ? ended(busyStatus, null, false) : result
        if (isOnce || decision.status < 300) complete()
        else answerTimer = setTimeout(complete, answerMs)
      }

      function complete() {
        if (isDone || !decision) return
        isDone = true
        clearTimeout(answerTimer)
        const text = decision.status && !isOnce ? answerText(Buffer.concat(raw)) : null
        resolve(text === null ? decision : { ...decision, answer: text })
        raw = []
      }

      function keepRaw(part: Buffer) {
        if (isOnce || isDone || rawBytes >= mostRawBytes) return
        raw.push(part)
        rawBytes += part.length
      }

      /** Whether the rest of the answer is waited for, so that the connection can be used again. */
      function mayDrain(): boolean {
        if (!decision || isDraining) return true
        const count = drained.get(destination) ?? 0
        if (count >= mostDrained || drainedInAll >= mostDrainedInAll) return false
        drained.set(destination, count + 1)
        drainedInAll++
        isDraining = true
        return true
      }

      function finish(end: (connection: Connection) => void) {
        isFinished = true
        complete()
        clearTimeout(timer)
        running.delete(stop)
        signal?.removeEventListener('abort', stop)
        end(connection!)
        if (!isDraining) return
        drainedInAll--
        const others = drained.get(destination)! - 1
        if (others > 0) drained.set(destination, others)
        else drained.delete(destination)
      }

      function expire() {
        if (isFinished) return
        const isLate = loop.stalledMs() - stalledBefore > timeoutMs / 10
        decide(ended(0, 'timeout', isLate))
        finish(drop)
      }

      function stop() {
        decide(ended(0, 'aborted', true))
        finish(drop)
      }

      // An answer that came while the event loop was late is read before the attempt ends.
      const timer = setTimeout(() => setImmediate(expire), timeoutMs)
      running.add(stop)
      signal?.addEventListener('abort', stop)
      post(connections.take(destination))
    })
  }

  async function close() {
    isClosed = true
    loop.stop()
    for (const stop of running) stop()
    names.close()
    connections.close()
  }

  return { attempt, close }
}

/** The answer is still to come; after 101 none follows. */
const isInformational = (status: number) => status >= 100 && status < 200 && status !== 101

/** The head of such an answer may say how long to wait. */
const mayAskToWait = (status: number) => status === 429 || status === 503

const drop = (connection: Connection) => connection.destroy()

/** Writes the request; undefined if HTTP does not allow a header. */
function requestOf(
  url: URL,
  headers: Record<string, string>,
  body: Buffer | string,
): Buffer | string | undefined {
  let requestHead = `POST ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n`
  try {
    if (url.username || url.password) {
      const secret = [url.username, url.password].map(decode).join(':')
      requestHead += `authorization: Basic ${Buffer.from(secret).toString('base64')}\r\n`
    }
    for (const [name, value] of Object.entries(headers)) {
      http.validateHeaderName(name)
      http.validateHeaderValue(name, value)
      requestHead += `${name}: ${value}\r\n`
    }
  } catch {
    return undefined
  }
  requestHead += `content-length: ${Buffer.byteLength(body)}\r\n\r\n`
  // Header values are bytes of Latin-1; a body is UTF-8.
  if (typeof body === 'string' && ascii.test(requestHead)) return requestHead + body
  return Buffer.concat([Buffer.from(requestHead, 'latin1'), Buffer.from(body)])
}

/** Undoes what a URL does to a text; a text that is not so encoded stays as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const ascii = /^[\0-\x7f]*$/

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
  // A firewall forbids the connection, or the address is one of broadcast.
  EPERM: 'unreachable',
  EACCES: 'unreachable',
  ETIMEDOUT: 'timeout',
  EMFILE: 'local',
  ENFILE: 'local',
  ENOBUFS: 'local',
  ENOMEM: 'local',
}

type ConnectError = NodeJS.ErrnoException & { address?: string }

/** Names the cause of an error, and whether it lies in this machine. */
export function causeOf(error: ConnectError, url: URL): [AttemptError, boolean] {
  const { code = '', syscall = '', address = '' } = error
  // A refused query: this machine's own name server is not there.
  if (syscall.startsWith('query')) return ['dns', code === 'ECONNREFUSED' || !hasNetwork()]
  // A machine without version 6 has no version 6 address to connect from.
  if (code === 'EADDRNOTAVAIL' && isIPv6(address)) return ['unreachable', false]
  const isOfTls = url.protocol === 'https:' && syscall !== 'connect'
  const cause = causes[code] ?? (isOfTls ? 'tls' : 'unreachable')
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
