// The signature of an attempt, by Standard Webhooks (https://www.standardwebhooks.com); pure. The
// receiver computes it too, over the bytes that arrived, and compares.
import { createHmac, randomBytes } from 'node:crypto'

/** Begins a secret as text; the base64 of the key follows. */
const prefix = 'whsec_'
/** Bytes of a key. Standard Webhooks allows 24 to 64. */
const keyBytes = 32

/** A new secret: `whsec_` and the base64 of 32 random bytes. */
export function newSigningSecret(): string {
  return prefix + randomBytes(keyBytes).toString('base64')
}

export interface Signed {
  /** The id of the delivery, the same in all attempts. */
  id: string
  /** Unix seconds of the attempt. */
  at: number
  body: string
}

/**
 * The headers that sign an attempt, with a signature for each secret: the receiver may know any one
 * of them. No secret: no headers.
 */
export function signatureHeaders(
  secrets: readonly string[],
  { id, at, body }: Signed,
): Record<string, string> {
  if (secrets.length === 0) return {}
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(at),
    'webhook-signature': signatures.join(' '),
  }
}
