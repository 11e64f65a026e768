// Makes certificates for tests of TLS. A self-signed X.509 certificate is a few nested values in
// DER (RFC 5280).
import { createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

/**
 * A certificate for localhost and 127.0.0.1, valid for a day around now, and its key, both as PEM.
 */
export function newCertificate(name: string): { cert: string; key: string } {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const body = bodyOf(name, privateKey)
  const der = sequence(body, signedBy, bits(sign('sha256', body, privateKey)))
  const lines = der.toString('base64').replaceAll(/(.{64})/g, '$1\n')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

function bodyOf(name: string, key: KeyObject): Buffer {
  const version3 = tagged(0xa0, tagged(0x02, Buffer.from([2])))
  const serial = tagged(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)]))
  const commonName = sequence(
    tagged(0x31, sequence(oid('550403'), tagged(0x0c, Buffer.from(name)))),
  )
  const dayMs = 86_400_000
  const validity = sequence(time(Date.now() - dayMs), time(Date.now() + dayMs))
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' })
  const names = sequence(
    tagged(0x82, Buffer.from('localhost')),
    tagged(0x87, Buffer.from([127, 0, 0, 1])),
  )
  const extensions = tagged(0xa3, sequence(sequence(oid('551d11'), tagged(0x04, names))))
  return sequence(
    version3,
    serial,
    signedBy,
    commonName,
    validity,
    commonName,
    publicKey,
    extensions,
  )
}

function tagged(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, ...parts)
}

/** An object identifier, given as encoded hexadecimal. */
function oid(encoded: string): Buffer {
  return tagged(0x06, Buffer.from(encoded, 'hex'))
}

function bits(content: Buffer): Buffer {
  return tagged(0x03, Buffer.from([0]), content)
}

/** YYMMDDHHMMSSZ */
function time(ms: number): Buffer {
  return tagged(
    0x17,
    Buffer.from(`${new Date(ms).toISOString().replaceAll(/\D/g, '').slice(2, 14)}Z`),
  )
}

/** ecdsa-with-SHA256 */
const signedBy = sequence(oid('2a8648ce3d040302'))
