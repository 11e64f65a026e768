// How the chat protocol speaks: programs of channels read errors of a form of their own, as
// `application/json` (interface: Chat errors).
import type { Problem } from './problem.ts'

/** All methods of the chat protocol stand below this path. */
export const chatPrefix = '/v2/origin/custom'

/** By the address as it was sent: an unknown path below the prefix is answered in this form, too. */
export const isChat = (url: string): boolean =>
  url.startsWith(chatPrefix) && /^[/?]?$/.test(url.charAt(chatPrefix.length))

/** The names of the errors, by status. A problem may name its own as `error_type`. */
const types: Record<number, string> = {
  400: 'invalid_request',
  402: 'payment_required',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'timeout',
  413: 'payload_too_large',
  414: 'address_too_long',
  415: 'unsupported_media_type',
  422: 'unprocessable',
  429: 'too_many_requests',
  503: 'unavailable',
}

/** The faults of a body that a description names at most. */
const mostNamed = 5

/** A problem as the chat protocol shows it. The description names the faulty values. */
export function chatError(problem: Problem): object {
  const { status, detail, error_type, 'validation-errors': items = [] } = problem.body()
  const faults = items
    .flatMap(({ errors }) => errors)
    .slice(0, mostNamed)
    .map(({ path, detail: why }) => (path === '' ? why : `${path}: ${why}`))
  return {
    error_code: status,
    error_type: error_type ?? types[status] ?? 'internal_error',
    error_description: [detail, ...faults].join(' '),
  }
}
