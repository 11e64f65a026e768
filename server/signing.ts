// Access tokens are JSON Web Tokens, signed with RS256. The first start makes the key pair and
// stores it in the database, the private key encrypted, so all processes sign and verify with the
// same keys. What signs and what verifies is loaded by the first token: most commands see none.
import { randomUUID } from 'node:crypto'
import type { CryptoKey, JWK } from 'jose'
import sql from 'sql-template-tag'
import type { Database } from './database/connect.ts'
import { fromBase64url } from './secrets.ts'
import type { Secrets } from './secrets.ts'

/**
 * The claims of an access token (interface: Access token). Times are Unix seconds.
 */
export interface Claims {
  account_id: number
  /** The permission that issued the token. Revoking it makes the token invalid. */
  grant_id: number
  user_id: number
  /** The integration; null for a token issued on the server itself. */
  client_id: string | null
  scopes: string[]
  exp: number
}

export interface Signing {
  /**
   * Signs claims into a token. `api_domain` is the host, with port, that answers account look-ups.
   */
  sign(claims: Claims, at: number, api_domain: string): Promise<string>
  /** The claims of a token with a valid signature that has not expired at `at`, else undefined. */
  verify(token: string, at: number): Promise<Claims | undefined>
}

/** A key pair as the database holds it. The private key is decrypted, in PEM. */
interface Key {
  kid: string
  publicKey: JWK
  privateKey: string
}

/** Throws an Error of one line if the keys were encrypted with another secret key. */
export async function openSigning(
  database: Database,
  secrets: Secrets,
  at: number,
): Promise<Signing> {
  let keys = await loadKeys(database, secrets)
  if (keys.length === 0) {
    await makeKey(database, secrets, at)
    keys = await loadKeys(database, secrets)
  }
  const newest = keys.at(-1)!
  let signer: ReturnType<typeof openSigner> | undefined
  let verifier: ReturnType<typeof openVerifier> | undefined

  return {
    async sign({ account_id, grant_id, user_id, client_id, scopes, exp }, at, api_domain) {
      const { SignJWT, privateKey } = await (signer ??= openSigner(newest))
      const claims = {
        account_id,
        grant_id,
        base_domain: api_domain,
        version: 2,
        scopes,
        api_domain,
      }
      return new SignJWT(claims)
        .setProtectedHeader({ typ: 'JWT', alg: 'RS256', kid: newest.kid })
        .setAudience(client_id ?? 'kontor')
        .setJti(randomUUID())
        .setIssuedAt(at)
        .setNotBefore(at)
        .setExpirationTime(exp)
        .setSubject(String(user_id))
        .sign(privateKey)
    },

    async verify(token, at) {
      // The signature covers the texts of the two other parts, and its own text may be spelled anew.
      if (!token.split('.').every((part) => fromBase64url(part))) return undefined
      const { jwtVerify, JOSEError, publicKeys } = await (verifier ??= openVerifier(keys))
      try {
        const { payload } = await jwtVerify(
          token,
          ({ kid }) => publicKeys.get(kid ?? '') ?? publicKeys.get(newest.kid)!,
          {
            algorithms: ['RS256'],
            // A token is good from its issue on, also while a clock that was put back calls that
            // time the future. Only its expiry is compared, below.
            clockTolerance: Number.MAX_SAFE_INTEGER,
            requiredClaims: ['exp', 'sub', 'account_id', 'grant_id'],
          },
        )
        if (payload.exp! <= at) return undefined
        return {
          account_id: Number(payload['account_id']),
          grant_id: Number(payload['grant_id']),
          user_id: Number(payload.sub),
          client_id: payload.aud === 'kontor' ? null : String(payload.aud),
          scopes: payload['scopes'] as string[],
          exp: payload.exp!,
        }
      } catch (error) {
        if (error instanceof JOSEError || error instanceof TypeError) return undefined
        throw error
      }
    },
  }
}

async function openSigner({ privateKey }: Key) {
  const { SignJWT } = await import('jose/jwt/sign')
  const { importPKCS8 } = await import('jose/key/import')
  return { SignJWT, privateKey: await importPKCS8(privateKey, 'RS256') }
}

async function openVerifier(keys: Key[]) {
  const { jwtVerify } = await import('jose/jwt/verify')
  const { JOSEError } = await import('jose/errors')
  const { importJWK } = await import('jose/key/import')
  const publicKeys = new Map<string, CryptoKey>()
  for (const { kid, publicKey } of keys)
    publicKeys.set(kid, (await importJWK(publicKey, 'RS256')) as CryptoKey)
  return { jwtVerify, JOSEError, publicKeys }
}

async function loadKeys(database: Database, secrets: Secrets): Promise<Key[]> {
  const rows = await database.rows<{ id: string; public_key: JWK; private_key: Buffer }>(
    sql`select id, public_key, private_key from signing_keys order by created_at, id`,
  )
  return rows.map(({ id, public_key, private_key }) => ({
    kid: id,
    publicKey: public_key,
    privateKey: unseal(secrets, private_key),
  }))
}

function unseal(secrets: Secrets, sealed: Buffer): string {
  try {
    return secrets.decrypt(sealed)
  } catch {
    throw new Error(
      'the secrets in this database were encrypted with another key: set KONTOR_SECRET_KEY, or restore secret.key in the data folder',
    )
  }
}

async function makeKey(database: Database, secrets: Secrets, at: number): Promise<void> {
  const { generateKeyPair } = await import('jose/key/generate/keypair')
  const { exportJWK, exportPKCS8 } = await import('jose/key/export')
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true })
  const publicText = JSON.stringify(await exportJWK(publicKey))
  const sealed = secrets.encrypt(await exportPKCS8(privateKey))
  await database.transaction(async (tx) => {
    // Two processes may start on an empty database at once. The lock lets only one make a key.
    await tx.rows(sql`lock table signing_keys in exclusive mode`)
    await tx.rows(sql`
      insert into signing_keys (id, public_key, private_key, created_at)
      select ${randomUUID()}::uuid, ${publicText}::jsonb, ${sealed}::bytea, ${at}::bigint
       where not exists (select from signing_keys)`)
  })
}
