// An error is thrown once, as a Problem, and rendered in one place as application/problem+json.
import pg from 'pg'
import { Busy, ConnectionLost } from '../database/connect.ts'
import { isOutOfSpace } from '../database/disk.ts'
import { http } from './node-http.ts'

export interface ProblemBody {
  /** The reason phrase of the status, or a title of its own. */
  title: string
  type: `https://httpstatus.es/${number}`
  status: number
  /** An English sentence for the reader of the log. */
  detail: string
  'validation-errors'?: ItemFaults[]
  [extra: string]: unknown
}

/** The codes of values on the wrong side of a bound. A fault with one names the bound. */
export type BoundCode = 'TooFew' | 'TooHigh' | 'TooLong' | 'TooLow' | 'TooMany' | 'TooShort'

/** The codes of faults that stand alone. `web/` has a text for each code. */
export type PlainCode =
  | 'EntityNotFound'
  | 'FieldMissing'
  | 'FieldNotExpected'
  | 'InvalidFormat'
  | 'InvalidType'
  | 'InvalidUrl'
  | 'InvalidValue'
  | 'NotBlank'
  | 'NotNullable'
  | 'NotSupportedChoice'
  | 'NotUnique'
  | 'WrongCode'
  | 'WrongPassword'

/** A code for programs, and a sentence for people. */
export type Complaint =
  | { code: PlainCode; detail: string }
  /** `limit`: the least or the most that would be taken, or what a value has to be above or below. */
  | { code: BoundCode; detail: string; limit: number }

/** One fault: a complaint, and the path of the value that it is about. */
export type Fault = Complaint & {
  /**
   * Dotted, relative to the item: `custom_fields_values.0.values.1.enum_id`. In a query string as
   * the client wrote it: `filter[price][from]`.
   */
  path: string
}

/** The faults of one item of a batch, under the client's name for it. */
export type ItemFaults = { request_id: string; errors: Fault[] }

export class Problem extends Error {
  override name = 'Problem'
  readonly status: number
  readonly headers: Record<string, string>
  readonly #extra: Record<string, unknown>

  constructor(
    status: number,
    detail: string,
    options: { headers?: Record<string, string>; extra?: Record<string, unknown> } = {},
  ) {
    super(detail)
    this.status = status
    this.headers = options.headers ?? {}
    this.#extra = options.extra ?? {}
  }

  body(): ProblemBody {
    return {
      title: http.STATUS_CODES[this.status] ?? 'Error',
      ...this.#extra,
      type: `https://httpstatus.es/${this.status}`,
      status: this.status,
      detail: this.message,
    }
  }
}

export const badRequest = (detail: string) => new Problem(400, detail)
export const unauthorized = (detail = 'Unauthorized') =>
  new Problem(401, detail, { headers: { 'www-authenticate': 'Bearer' } })
export const paymentRequired = () => new Problem(402, 'Payment Required')
export const forbidden = (detail = 'Forbidden') => new Problem(403, detail)
export const notFound = (detail = 'Entity not found') => new Problem(404, detail)
export const unknownPath = () => notFound('There is nothing at this address')
export const methodNotAllowed = (allow: readonly string[]) =>
  new Problem(405, `This path takes ${allow.join(', ')}`, { headers: { allow: allow.join(', ') } })
/** `limit`: the most bytes that would be taken, where a person may choose something smaller. */
export const payloadTooLarge = (detail = 'The body is too large', limit?: number) =>
  new Problem(413, detail, { extra: limit === undefined ? {} : { limit } })
const uriTooLong = () => new Problem(414, 'The address is too long')
export const unsupportedMediaType = (detail = 'The body must be JSON or form-encoded') =>
  new Problem(415, detail)
/** `retryAfter` in seconds. */
export const tooManyRequests = (retryAfter: number, detail = 'Request limit exceeded') =>
  new Problem(429, detail, {
    headers: { 'retry-after': String(Math.ceil(retryAfter)) },
  })
/** `retryAfter` in seconds. */
export const unavailable = (
  detail = 'The database cannot be reached right now, try again',
  retryAfter = 1,
) => new Problem(503, detail, { headers: { 'retry-after': String(retryAfter) } })
/** Somebody has to make room, which takes longer than a moment. */
export const diskIsFull = () => unavailable('The disk of the server is full', 30)
/** The answer to an error that `asProblem` does not know: a bug. It reveals nothing. */
export const internal = () => new Problem(500, 'Something went wrong on the server')

/** A complaint as code writes it: the limit stands last. */
export type Said =
  | [code: PlainCode, detail: string]
  | [code: BoundCode, detail: string, limit: number]

export const faultAt = (path: string, ...[code, detail, limit]: Said): Fault =>
  ({ code, path, detail, ...(limit !== undefined && { limit }) }) as Fault

/** The same of a complaint that is there, to put it at a path. */
export const saidIn = (complaint: Complaint): Said =>
  'limit' in complaint
    ? [complaint.code, complaint.detail, complaint.limit]
    : [complaint.code, complaint.detail]

/**
 * 400 with one element per faulty item (interface: Problems). `isCut`: there may be further faults.
 */
export function invalid(items: ItemFaults[], isCut = false): Problem {
  const detail = `Request validation failed${isCut ? '; there may be more faults than are listed' : ''}`
  return new Problem(400, detail, { extra: { 'validation-errors': items } })
}

/** 400 for the faults of a request without items: of its parameters, or of members of its only object. */
export const invalidFor = (...errors: Fault[]): Problem => invalid([{ request_id: '0', errors }])

export const invalidValue = (code: PlainCode, path: string, detail: string): Problem =>
  invalidFor(faultAt(path, code, detail))

/** 400 with a sentence for each refused id or name: the interface's other form for faults. */
export function refusal(errors: Record<string, string>): Problem {
  return new Problem(400, 'Invalid request body', { extra: { errors } })
}

/**
 * The problems for constraints of the database. A request meets them when two writes pass their
 * checks at the same time.
 */
export const constraintProblems: Record<string, () => Problem> = {
  accounts_subdomain_key: () => badRequest('Another account has this subdomain'),
  users_email: () => badRequest('Another user has this email'),
  tags_name: () => badRequest('Another tag has this name'),
  views_pipeline: () => badRequest('There is no such pipeline'),
}

/**
 * The problem for an error: the error itself, one of Fastify's refusals, a known constraint, a full
 * disk, or an unreachable database. Undefined means a bug: the caller answers `internal()` and logs it.
 */
export function asProblem(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error
  if (error instanceof ConnectionLost) return unavailable()
  if (error instanceof Busy) return unavailable('Too many requests at once are waiting, try again')
  if (isOutOfSpace(error)) return diskIsFull()
  if (error instanceof pg.DatabaseError) return ofDatabase(error)
  if (error instanceof Error) return ofFastify(error)
  return undefined
}

function ofDatabase({ code = '', constraint = '' }: pg.DatabaseError): Problem | undefined {
  if (Object.hasOwn(constraintProblems, constraint)) return constraintProblems[constraint]!()
  return passing.test(code) ? unavailable() : undefined
}

/**
 * 08: connection exceptions. 40001 and 40P01: collisions that outlived their retries. 53300: too
 * many connections. 57P0x: the server stops or starts.
 */
const passing = /^(?:08...|40001|40P01|53300|57P0[123])$/

function ofFastify(error: Error & { code?: string; statusCode?: number }): Problem | undefined {
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return badRequest('Invalid JSON')
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return badRequest('The body is not as long as Content-Length says')
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return payloadTooLarge()
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedMediaType()
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_INVALID_URL':
      return badRequest('The address is not valid')
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return uriTooLong()
    case 'FST_ERR_NOT_FOUND':
      return notFound('No such path')
    case 'FST_ERR_HANDLER_TIMEOUT':
      return unavailable()
    case 'ECONNRESET':
      // Fastify marks the error of a request that ended early with 400. Without the mark, one of
      // our own connections failed.
      return error.statusCode === 400 ? badRequest('The request ended early') : undefined
    default:
      return undefined
  }
}
