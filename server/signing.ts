// Access tokens are JSON Web Tokens, signed with RS256. The first start makes the key pair and
// stores it in the database, the private key encrypted, so all processes sign and verify with the
// same keys.
import { randomUUID } from 'node:crypto'
import {
  errors,
  exportJWK,
  exportPKCS8,
  generateKeyPair,
  importJWK,
  importPKCS8,
  jwtVerify,
  SignJWT,
} from 'jose'
import type { CryptoKey, JWK } from 'jose'
import sql from 'sql-template-tag'
import type { Database } from './database/connect.ts'
import type { Secrets } from './secrets.ts'

/**
 * The claims of an access token (reference of the interface, access token). Times are Unix seconds.
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

interface Key {
  kid: string
  publicKey: CryptoKey
  privateKey: CryptoKey
}

export async function openSigning(
  database: Database,
  secrets: Secrets,
  at: number,
): Promise<Signing> {
  const keys = await loadKeys(database, secrets)
  if (keys.size === 0) {
    await makeKey(database, secrets, at)
    for (const [kid, key] of await loadKeys(database, secrets)) keys.set(kid, key)
  }
  const newest = [...keys.values()].at(-1)!

  return {
    sign: ({ account_id, grant_id, user_id, client_id, scopes, exp }, at, api_domain) =>
      new SignJWT({ account_id, grant_id, base_domain: api_domain, version: 2, scopes, api_domain })
        .setProtectedHeader({ typ: 'JWT', alg: 'RS256', kid: newest.kid })
        .setAudience(client_id ?? 'kontor')
        .setJti(randomUUID())
        .setIssuedAt(at)
        .setNotBefore(at)
        .setExpirationTime(exp)
        .setSubject(String(user_id))
        .sign(newest.privateKey),

    async verify(token, at) {
      try {
        const { payload } = await jwtVerify(
          token,
          ({ kid }) => keys.get(kid ?? '')?.publicKey ?? newest.publicKey,
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
        if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined
        throw error
      }
    },
  }
}

async function loadKeys(database: Database, secrets: Secrets): Promise<Map<string, Key>> {
  const rows = await database.rows<{ id: string; public_key: JWK; private_key: Buffer }>(
    sql`select id, public_key, private_key from signing_keys order by created_at, id`,
  )
  const keys = rows.map(async ({ id, public_key, private_key }): Promise<[string, Key]> => {
    const publicKey = (await importJWK(public_key, 'RS256')) as CryptoKey
    return [
      id,
      { kid: id, publicKey, privateKey: await importPKCS8(unseal(secrets, private_key), 'RS256') },
    ]
  })
  return new Map(await Promise.all(keys))
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
