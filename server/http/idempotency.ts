// The header Idempotency-Key: a program names a write, and may send it again until it has an answer.
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { badRequest } from './problem.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** SHA-256 of the bytes of the body. Set only if there is a body and a key. */
    bodyHash: Buffer | undefined
  }
}

const header = 'idempotency-key'

/** Methods that take a key. Every other method can be repeated anyway. */
const methods = ['POST', 'PATCH']

/** Whether a key has an effect at this address. */
export const takesKey = (method: string, path: string): boolean =>
  methods.includes(method) && path.startsWith('/api/')

/** The hash of a body that is about to be parsed, if the request carries a key. */
export function hashBody({ headers }: FastifyRequest, body: string | Buffer): Buffer | undefined {
  return headers[header] === undefined ? undefined : createHash('sha256').update(body).digest()
}

/** The key of a request, undefined without one. A key that cannot be one is a 400 problem. */
export function keyOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const key = headers[header] as string | undefined
  if (key === undefined) return undefined
  if (/^[\x20-\x7e]{1,255}$/.test(key) && key.trim() !== '') return key
  throw badRequest('Idempotency-Key takes 1 to 255 printable ASCII characters')
}

type IdentifiedRequest = Pick<FastifyRequest, 'method' | 'url' | 'headers' | 'bodyHash'>

/**
 * SHA-256 of what is asked: the method, the address with its query, and the bytes of the body. A
 * parser that forgot the hash is a bug, or requests with different bodies would count as one.
 */
export function hashRequest({ method, url, headers, bodyHash }: IdentifiedRequest): Buffer {
  if (!bodyHash && hasBody(headers)) throw new Error('the body of a keyed request was not hashed')
  return createHash('sha256')
    .update(`${method} ${url}\n`)
    .update(bodyHash ?? noBody)
    .digest()
}

const noBody = createHash('sha256').digest()

function hasBody(headers: FastifyRequest['headers']): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
