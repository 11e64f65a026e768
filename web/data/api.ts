// How the application asks the server. Every answer that is no success becomes a Problem; a session
// that has ended is told to the shell, which asks the user to sign in again without leaving the page.

import type { Fault as SentFault } from '../../server/http/problem.ts'
import { waitFor } from './rest.ts'

/** One fault of a refused body. `about`: the one of several values, where the path alone does not show it. */
export type Fault = SentFault & { about?: string }

/** A refusal of the server (problem+json), or a request that never reached it (status 0). */
export class Problem extends Error {
  override name = 'Problem'
  readonly status: number
  readonly title: string
  readonly faults: Fault[]
  /** Names the request in the server's log. */
  readonly requestId: string | undefined
  /** Names the reason, where the server gives one. */
  readonly code: string | undefined
  /** Seconds after which the server takes the request again. */
  readonly retryAfter: number | undefined
  /** The most bytes that the server takes, where a file has more. */
  readonly limit: number | undefined

  constructor(
    status: number,
    title: string,
    detail: string,
    {
      faults = [],
      code,
      requestId,
      retryAfter,
      limit,
    }: {
      faults?: Fault[]
      code?: string | undefined
      requestId?: string | undefined
      retryAfter?: number | undefined
      limit?: number | undefined
    } = {},
  ) {
    super(detail)
    this.status = status
    this.title = title
    this.faults = faults
    this.code = code
    this.requestId = requestId
    this.retryAfter = retryAfter
    this.limit = limit
  }
}

/** The server did not answer, or restarts: the same may go well in a moment. */
export const isPassing = (error: unknown): boolean =>
  error instanceof Problem && (error.status === 0 || error.status >= 502)

export interface AskOptions {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  body?: unknown
  signal?: AbortSignal | undefined
  /** Of a write below /api/ that may be sent again: the server does it once. */
  key?: string
  /** The card of a record, where a task that is closed with its result is one change, not two. */
  surface?: 'card'
}

const ended = new EventTarget()

/** Calls `then` when an answer says that the session has ended. Answers a function that stops it. */
export function onSessionEnd(then: () => void): () => void {
  ended.addEventListener('end', then)
  return () => ended.removeEventListener('end', then)
}

/** The reads of this page that were not answered yet, and how each is stopped. */
const reading = new Set<AbortController>()
/** Reads begin once it is over; undefined for at once. */
let pause: Promise<void> | undefined

/**
 * Ends the session by `end`. Reads that were not answered are stopped, and new ones wait: the server
 * would refuse them. All go on if `end` fails.
 */
export async function endWithoutReads(end: () => Promise<unknown>): Promise<void> {
  let goOn = () => {}
  pause = new Promise((resolve) => (goOn = resolve))
  for (const each of reading) each.abort()
  await end().catch((error: unknown) => {
    pause = undefined
    goOn()
    throw error
  })
}

interface Sent extends RequestInit {
  body?: string
}

/** The bytes that all requests which outlive a page may have together (Fetch standard, keepalive). */
let room = 60_000

/** Whether a write with this body would outlive the page if it were sent now. */
export const outlivesPage = (body: string): boolean => sizeOf(body) <= room

/** A write goes on when its page is left, as long as there is room: whoever saved it sees it as done. */
async function sendToLast(path: string, request: Sent): Promise<[Response, string]> {
  const size = sizeOf(request.body ?? '')
  if (size > room) return readWhole(path, request)
  room -= size
  try {
    return await readWhole(path, { ...request, keepalive: true })
  } finally {
    room += size
  }
}

/** In bytes. */
const sizeOf = (text: string): number => new Blob([text]).size

async function readWhole(path: string, init: RequestInit): Promise<[Response, string]> {
  const answer = await fetch(path, init)
  return [answer, await answer.text()]
}

/** Sends a request and reads its answer; a read again after a pause that stopped it. */
async function send(path: string, request: Sent): Promise<[Response, string]> {
  const name = `${request.method} ${path}`
  if (request.method !== 'GET') return waitFor(name, sendToLast(path, request))
  const caller = request.signal
  for (;;) {
    if (pause) await pause
    const stop = new AbortController()
    const onAbort = () => stop.abort(caller?.reason)
    if (caller?.aborted) onAbort()
    caller?.addEventListener('abort', onAbort)
    reading.add(stop)
    try {
      return await waitFor(name, readWhole(path, { ...request, signal: stop.signal }))
    } catch (error) {
      if (!stop.signal.aborted || caller?.aborted) throw error
    } finally {
      reading.delete(stop)
      caller?.removeEventListener('abort', onAbort)
    }
  }
}

/**
 * Asks the server and answers the JSON of its answer; undefined where it has none. Throws a Problem.
 */
export async function ask<Answer>(path: string, options: AskOptions = {}): Promise<Answer> {
  const { method = 'GET', body, signal, key, surface } = options
  const [answer, text] = await send(path, {
    method,
    ...(signal && { signal }),
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: {
        'content-type': 'application/json',
        ...(key !== undefined && { 'idempotency-key': key }),
        ...(surface && { 'x-kontor-surface': surface }),
      },
    }),
  }).catch((error: Error) => {
    if (error.name === 'AbortError') throw error
    throw new Problem(0, 'No connection', 'The server did not answer')
  })
  if (answer.ok) return (text === '' ? undefined : JSON.parse(text)) as Answer
  const problem = problemOf(answer, text, (name) => answer.headers.get(name))
  if (answer.status === 401 && path !== '/web/v1/session') ended.dispatchEvent(new Event('end'))
  throw problem
}

/** A page of a list, and the path of the next one. */
export interface Slice<Item> {
  items: Item[]
  next: string | undefined
}

/** Asks for a page of a list. An answer without content is an empty list. Throws a Problem. */
export async function askPage<Item>(
  path: string,
  collection: string,
  options: AskOptions = {},
): Promise<Slice<Item>> {
  const answer = await ask<
    | { _embedded: Record<string, Item[]>; _links?: { next?: { href: string } | undefined } }
    | undefined
  >(path, options)
  const next = answer?._links?.next && new URL(answer._links.next.href)
  return {
    items: answer?._embedded[collection] ?? [],
    next: next && next.pathname + next.search,
  }
}

/** Asks for a list that has no pages. Throws a Problem. */
export const askList = async <Item>(
  path: string,
  collection: string,
  options: AskOptions = {},
): Promise<Item[]> => (await askPage<Item>(path, collection, options)).items

interface ProblemBody {
  code?: string
  title?: string
  detail?: string
  limit?: number
  'validation-errors'?: { errors: Fault[] }[]
}

/** The refusal that an answer with this text is. `headerOf` answers a header of it. */
export function problemOf(
  { status, statusText }: { status: number; statusText: string },
  text: string,
  headerOf: (name: string) => string | null,
): Problem {
  let body: ProblemBody = {}
  try {
    body = JSON.parse(text) as ProblemBody
  } catch {
    // A proxy before the server answers HTML.
  }
  const title = body.title ?? (statusText || `HTTP ${status}`)
  const retryAfter = Number(headerOf('retry-after')) || undefined
  return new Problem(status, title, body.detail ?? title, {
    faults: body['validation-errors']?.flatMap(({ errors }) => errors) ?? [],
    code: body.code,
    requestId: headerOf('x-request-id') ?? undefined,
    retryAfter,
    limit: body.limit,
  })
}
