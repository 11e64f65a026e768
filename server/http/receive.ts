// How the bytes of a body become a value. Each bound is asked while the bytes arrive, and the first
// one that a body meets ends the reading: the rest is not kept, and the connection closes after the
// answer.
import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { App } from '../kontor.ts'
import { brace, bracket, carriageReturn, lineFeed, space, tab } from './characters.ts'
import { hashBody } from './idempotency.ts'
import { parseJson, parseJsonInSteps } from './json.ts'
import { flatFormBounds, formBounds, parseNestedInSteps } from './nested.ts'
import { badRequest, payloadTooLarge, Problem, unsupportedMediaType } from './problem.ts'
import { mostStructure, scanStructure } from './structure.ts'
import type { Container } from './structure.ts'
import { finish, Gone, inOneStep, inTurns } from './turns.ts'
import type { Steps } from './turns.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The form-encoded bodies that the route takes besides JSON. `flat`: at most 32 pairs and 8 KiB,
     * for routes without credentials. `nested`: keys in the style of PHP.
     */
    takesForms?: 'flat' | 'nested'
    /** Set by `bytes()` of body.ts: the handler reads the body, whatever its content type. */
    takesBytes?: true
  }
  interface FastifyRequest {
    /**
     * Set by admission where the bytes of a body say who calls: throws a Problem for a caller that
     * is not let in. Called once, with no bytes for a request without a body, and nothing of the
     * body is looked at before. The body is then JSON, whatever its content type.
     */
    judgeBytes: ((bytes: Buffer) => Promise<void>) | undefined
    /** The cost of the body; undefined until its first byte. */
    bodyCost?: BodyCost
    /** Whether the body is read in turns with other requests. */
    hasLargeBody?: boolean
  }
}

/** Bounds what the bodies of one account, and of all, take at once. */
export interface BodyBudget {
  /**
   * Called before a body is read, with the bytes that the request declares (0: unknown). Throws a
   * 429 or 503 Problem.
   */
  open(request: FastifyRequest, declared: number): BodyCost
  /**
   * Whether a refused body of this many bytes may be read and discarded, so that the connection
   * stays good; counted for the caller.
   */
  mayDiscard(request: FastifyRequest, bytes: number): boolean
}

export interface BodyCost {
  /** Counts bytes that have arrived. Throws a 429 or 503 Problem. */
  grow(bytes: number): void
  /** Who the body is counted for. */
  caller: string
  /** Counts milliseconds of the processor. */
  spend(milliseconds: number): void
  /** Throws a 429 Problem where the time of the caller is used up, by other bodies than this one. */
  requireTime(): void
  /** The body was refused: its time counts several times. */
  refuse(): void
  /** The request is answered or gone: its bytes are free again. */
  close(): void
  isClosed(): boolean
}

/** The most bytes of a form on a route without credentials. */
const flatFormLimit = 8 * 1024

/** Replaces Fastify's parsers, which read a body whole before they look at it. */
export function receiveBodies(app: App, budget: BodyBudget): void {
  app.removeAllContentTypeParsers()
  app.decorateRequest('bodyHash')
  app.decorateRequest('judgeBytes')
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
    if (request.routeOptions.config.takesBytes) return unread(request, payload)
    const media = mediaOf(request)
    const received = await receive(request, payload, media, budget)
    const { bytes } = received
    let { outline } = received
    request.hasLargeBody = bytes.length > largeBody
    // Others may have used up the time of the account while the body arrived.
    if (request.hasLargeBody) request.bodyCost?.requireTime()
    spending(request, () => (request.bodyHash = hashBody(request, bytes)))
    if (request.judgeBytes) {
      await judge(request, bytes)
      const scan = scanStructure(mostStructure(limitOf(request, media)))
      spending(request, () => scan.take(bytes))
      outline = scan.outline()
    }
    // An empty body counts as none, whatever its content type.
    if (bytes.length === 0) return undefined
    return inStepsOf(request, parse(request, media, bytes, outline))
  })
  app.addHook('preParsing', (request, reply, _payload, done) => {
    if (!['GET', 'HEAD'].includes(request.method))
      reply.raw.once('close', () => request.bodyCost?.close())
    done()
  })
  // Fastify runs no parser for a request that has no body.
  app.addHook('preValidation', async (request) => {
    if (request.judgeBytes) await judge(request, await emptyJsonOf(request))
  })
}

/**
 * Bytes. A larger body is read in turns with other requests, because it can take the process longer
 * than a millisecond: 64 KiB of the costliest one take three.
 */
const largeBody = 64 * 1024

const mostChunks = 1024

const noBytes = Buffer.alloc(0)

/** The most bytes that an empty JSON value takes, with its blanks. */
const longestEmptyJson = 16

/**
 * The bytes of the `[]` or `{}` that clients of some languages send with a GET, and sign. Fastify
 * reads no body of a GET, and any other one counts as none.
 */
async function emptyJsonOf({ method, headers, raw }: FastifyRequest): Promise<Buffer> {
  const declared = Number(headers['content-length'] ?? 0)
  if (method !== 'GET' || !(declared > 0 && declared <= longestEmptyJson)) return noBytes
  const chunks: Buffer[] = []
  await new Promise<void>((resolve, reject) => {
    raw.on('data', (chunk: Buffer) => chunks.push(chunk))
    raw.on('end', resolve)
    raw.on('error', () => reject(endedEarly()))
    raw.on('close', () => reject(endedEarly()))
  })
  const bytes = Buffer.concat(chunks)
  return /^\s*(?:\[\s*\]|\{\s*\})\s*$/.test(bytes.toString('latin1')) ? bytes : noBytes
}

/** Judges the bytes that decide whether the caller is let in, once. */
async function judge(request: FastifyRequest, bytes: Buffer): Promise<void> {
  const { judgeBytes } = request
  request.judgeBytes = undefined
  await judgeBytes?.(bytes)
}

/** The body as it arrives. Undefined for an empty one, which counts as none. */
function unread({ headers }: FastifyRequest, payload: Readable): Readable | undefined {
  requireUncompressed(headers)
  return headers['content-length'] === '0' ? undefined : payload
}

function requireUncompressed(headers: FastifyRequest['headers']): void {
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw unsupportedMediaType('The body must not be compressed')
}

/** Runs a step of reading a body, and counts the time of the processor. */
export function spending<Result>({ bodyCost }: FastifyRequest, step: () => Result): Result {
  if (!bodyCost) return step()
  const begun = process.threadCpuUsage()
  try {
    return step()
  } finally {
    const { user, system } = process.threadCpuUsage(begun)
    bodyCost.spend((user + system) / 1000)
  }
}

/** Reads a body in steps, between which others have their turns if it is large, and counts the time. */
export async function inStepsOf<T>(request: FastifyRequest, steps: Steps<T>): Promise<T> {
  const { bodyCost, hasLargeBody } = request
  if (!hasLargeBody || !bodyCost) return spending(request, () => finish(steps))
  try {
    return await inTurns(steps, {
      caller: bodyCost.caller,
      spending: (turn) => spending(request, turn),
      isGone: () => bodyCost.isClosed(),
    })
  } catch (error) {
    throw error instanceof Gone ? endedEarly() : error
  }
}

/**
 * How a body is read. `json` and `form` by the content type. `guess`: JSON if it looks like it, for
 * programs that send none, `text/plain`, or curl's form default (interface: Bodies). `first byte`:
 * without a content type where forms are taken, the first byte decides.
 */
type Media = 'json' | 'form' | 'guess' | 'form or guess' | 'first byte' | 'other'

function mediaOf({ headers, judgeBytes, routeOptions, url }: FastifyRequest): Media {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';')
  const essence = type.trim().toLowerCase()
  requireUtf8(parameters)
  requireUncompressed(headers)
  if (judgeBytes) return 'json'
  if (/^application\/(?:[\w.-]+\+)?json$/.test(essence)) return 'json'
  const guesses = url.startsWith('/api/')
  const takesForms = routeOptions.config.takesForms !== undefined
  if (essence === 'application/x-www-form-urlencoded')
    return guesses ? (takesForms ? 'form or guess' : 'guess') : takesForms ? 'form' : 'other'
  if (!guesses || (essence !== '' && essence !== 'text/plain')) return 'other'
  return takesForms ? 'first byte' : 'guess'
}

function requireUtf8(parameters: string[]): void {
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=')
    if (name.trim().toLowerCase() !== 'charset') continue
    const charset = value.trim().replaceAll('"', '').toLowerCase()
    if (!['utf-8', 'utf8', 'us-ascii', 'ascii'].includes(charset))
      throw unsupportedMediaType('The charset of the body must be UTF-8')
  }
}

const endedEarly = () => badRequest('The request ended early')

/** The bytes of a body, as far as its media and its bounds let it in. */
function receive(
  request: FastifyRequest,
  payload: Readable,
  media: Media,
  budget: BodyBudget,
): Promise<{ bytes: Buffer; outline: Container | undefined }> {
  const limit = limitOf(request, media)
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > limit) throw payloadTooLarge()
  // A small body cannot cost much, whatever it holds.
  const isSmall = declared > 0 && declared <= Math.min(limit / 64, largeBody)
  const scan = isSmall || request.judgeBytes ? undefined : scanStructure(mostStructure(limit))
  const chunks: Buffer[] = []
  const whole: Buffer[] = []
  let length = 0
  /** Undefined until a byte other than a blank has come. */
  let looksLikeJson: boolean | undefined

  const take = (chunk: Buffer): void => {
    request.bodyCost ??= budget.open(request, declared)
    request.bodyCost.grow(chunk.length)
    length += chunk.length
    if (length > limit) throw payloadTooLarge()
    looksLikeJson ??= beginsAsJson(chunk)
    if (media === 'other' || (media === 'guess' && looksLikeJson === false))
      throw refusalOf(request)
    if (scan && (media === 'json' || looksLikeJson)) spending(request, () => scan.take(chunk))
    chunks.push(chunk)
    // A body may come byte by byte, and each chunk is an object of its own.
    if (chunks.length === mostChunks) whole.push(Buffer.concat(chunks.splice(0)))
  }
  return new Promise((resolve, reject) => {
    const end = (finish: () => void) => {
      payload.off('data', onData).off('end', onEnd).off('error', onError)
      finish()
    }
    const onData = (chunk: Buffer) => {
      try {
        take(chunk)
      } catch (error) {
        end(() => reject(error))
      }
    }
    const onEnd = () =>
      end(() => {
        const parts = [...whole, ...chunks]
        const bytes = parts.length === 1 ? parts[0]! : spending(request, () => Buffer.concat(parts))
        resolve({ bytes, outline: scan?.outline() })
      })
    const onError = () => end(() => reject(endedEarly()))
    payload.on('data', onData).on('end', onEnd).on('error', onError)
  })
}

function limitOf({ routeOptions }: FastifyRequest, media: Media): number {
  const limit = routeOptions.bodyLimit
  return media === 'form' && routeOptions.config.takesForms === 'flat'
    ? Math.min(limit, flatFormLimit)
    : limit
}

/** Undefined only if all bytes are blank: structure is not counted before this is known. */
function beginsAsJson(bytes: Buffer): boolean | undefined {
  const first = bytes.find((byte) => !blanks.includes(byte))
  return first === undefined ? undefined : first === brace || first === bracket
}

/** Tab, line feed, carriage return, space, and the bytes of a byte order mark. */
const blanks = [tab, lineFeed, carriageReturn, space, 0xef, 0xbb, 0xbf]

function* parse(
  request: FastifyRequest,
  media: Media,
  bytes: Buffer,
  outline: Container | undefined,
): Steps<unknown> {
  if (!isUtf8(bytes)) throw badRequest('The body is not valid UTF-8')
  const form = () => parseForm(request, bytes.toString('utf8'))
  const json = () =>
    request.hasLargeBody
      ? parseJsonInSteps(bytes, outline)
      : inOneStep(() => parseJson(bytes.toString('utf8')))
  if (media === 'json') return yield* json()
  if (media === 'form') return yield* form()
  if (media === 'first byte') return yield* beginsAsJson(bytes) ? json() : form()
  try {
    return yield* json()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (media === 'guess') throw refusalOf(request)
    return yield* form()
  }
}

const parseForm = ({ routeOptions: { config } }: FastifyRequest, text: string) =>
  parseNestedInSteps(text, config.takesForms === 'flat' ? flatFormBounds : formBounds)

/** 415, in the words that help: a form where only JSON is taken, or a type that is never taken. */
function refusalOf({ headers }: FastifyRequest): Problem {
  return /^\s*application\/x-www-form-urlencoded/i.test(headers['content-type'] ?? '')
    ? unsupportedMediaType('This method takes a JSON body')
    : unsupportedMediaType()
}
