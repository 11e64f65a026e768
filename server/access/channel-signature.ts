// The signature of the chat protocol (interface: Channel signature); pure. It is the HMAC-SHA1 of
// the bytes of the body, or of the canonical form that newer programs sign: method, Content-MD5,
// Content-Type, Date and path, joined by line feeds.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** A new secret of a channel: 40 hexadecimal digits. */
export const newChannelSecret = (): string => randomBytes(20).toString('hex')

/** The lowercase hexadecimal HMAC-SHA1 of a text or of bytes. */
export const chatSignature = (secret: string, body: string | Buffer): string =>
  createHmac('sha1', secret).update(body).digest('hex')

/**
 * The parts of a request that a signature may cover. Header values are as sent; a missing header
 * counts as ''.
 */
export interface SignedRequest {
  method: string
  /** The path alone, as sent: no host, no query. */
  path: string
  contentMd5?: string | undefined
  contentType?: string | undefined
  date?: string | undefined
  body: Buffer
  /** The value of X-Signature, in any case of letters. */
  signature: string | undefined
}

/** How far the Date of a canonical form may be from now, in seconds. */
const mostApart = 15 * 60

/** Whether the text can be a signature at all. */
export const isSignature = (text: string | undefined): text is string =>
  text !== undefined && /^[\da-f]{40}$/i.test(text)

/**
 * Why a signature is not accepted at a time (Unix seconds); undefined if it is. A GET without a body
 * takes the canonical form only: the HMAC of no bytes would fit every path for ever.
 */
export function signatureFault(
  secret: string,
  request: SignedRequest,
  at: number,
): string | undefined {
  const { method, body, contentMd5 = '', contentType = '', date = '', path, signature } = request
  const lines = canonicalForm({ method, contentMd5, contentType, date, path })
  const isOfBody = fits(secret, body, signature) && (body.length > 0 || !isBodyless(method))
  const isCanonical = fits(secret, lines, signature)
  if (isOfBody) return undefined
  if (!isCanonical) return 'X-Signature does not fit the request'
  // The body of a GET counts for nothing, so its digest may be that of no bytes.
  const digests = [md5(body), ...(isBodyless(method) ? [md5('')] : [])]
  if (!digests.includes(contentMd5))
    return 'Content-MD5 is not the MD5 of the body, in lowercase hexadecimal digits'
  const sentAt = secondsOf(date)
  if (sentAt === undefined) return 'Date is no date of RFC 2822'
  return Math.abs(at - sentAt) > mostApart ? 'Date is more than 15 minutes from now' : undefined
}

const md5 = (body: string | Buffer) => createHash('md5').update(body).digest('hex')

const canonicalForm = (
  covered: Record<'method' | 'contentMd5' | 'contentType' | 'date' | 'path', string>,
) =>
  [covered.method, covered.contentMd5, covered.contentType, covered.date, covered.path].join('\n')

interface SignableRequest {
  method: string
  path: string
  body: string
  'content-type': string
  date: string
}

/** The headers Content-MD5 and X-Signature of the canonical form of a request. */
export function canonicalSignature(
  secret: string,
  request: SignableRequest,
): Record<'content-md5' | 'x-signature', string> {
  const { contentMd5, lines } = coveredBy(request)
  return { 'content-md5': contentMd5, 'x-signature': chatSignature(secret, lines) }
}

/** The parts of the canonical form of a request. */
export function coveredBy(request: SignableRequest): { contentMd5: string; lines: string } {
  const contentMd5 = md5(request.body)
  const { method, date, 'content-type': contentType } = request
  const [path] = request.path.split('?', 1) as [string]
  return { contentMd5, lines: canonicalForm({ method, contentMd5, contentType, date, path }) }
}

export const isBodyless = (method: string): boolean => method === 'GET' || method === 'HEAD'

function fits(secret: string, covered: string | Buffer, signature: string | undefined): boolean {
  const own = Buffer.from(chatSignature(secret, covered), 'hex')
  return isSignature(signature) && timingSafeEqual(own, Buffer.from(signature, 'hex'))
}

/** A date without a zone would be one of this machine. */
const rfc2822 =
  /^(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}(?::\d{2})? (?:[+-]\d{4}|GMT|UTC?)$/

function secondsOf(date: string): number | undefined {
  if (!rfc2822.test(date)) return undefined
  const milliseconds = Date.parse(date.replace(/UTC?$/, 'GMT'))
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000
}
