import { isIP } from 'node:net'
import path from 'node:path'

/** All settings, with their defaults. Times are in seconds, sizes in bytes. */
export interface Config {
  /** TCP port of the HTTP server (`PORT`, 8080). 0 takes any free port. */
  port: number
  /** Address the server listens on (`HOST`, 127.0.0.1: only this machine). */
  host: string
  /**
   * Public address without a trailing slash (`KONTOR_URL`). Undefined: `http://<host>:<port>`. Its
   * host is the first account's.
   */
  url: string | undefined
  /** Folder of the embedded database and the key file (`KONTOR_DATA`, ./data). */
  data: string
  /**
   * PostgreSQL 15 or later to use instead of the embedded one (`DATABASE_URL`), in session mode.
   */
  databaseUrl: string | undefined
  /** The most connections to the database for requests of one process (`DATABASE_POOL`, 10). */
  databasePool: number
  /**
   * Passphrase that encrypts stored secrets (`KONTOR_SECRET_KEY`). Undefined: a key file in the
   * data folder.
   */
  secretKey: string | undefined
  /**
   * The answer to an empty list if the integration has no setting (`EMPTY_LIST`, 200): 200 with an
   * empty collection, or 204 without body.
   */
  emptyList: 200 | 204
  /**
   * The answer to an unknown key in a body (`UNKNOWN_KEYS`, reject): 400, or the key is ignored.
   */
  unknownKeys: 'reject' | 'ignore'
  /**
   * Private addresses that requests to addresses of administrators and channels may reach
   * (`ALLOW_PRIVATE_HOOKS`): none, loopback or all. Undefined: the door decides (outgoing/door.ts).
   */
  privateHooks: 'none' | 'loopback' | 'all' | undefined
  /**
   * The largest request body (`BODY_LIMIT`, 4 MiB; at most 64 KiB on routes without a token).
   * Larger: 413.
   */
  bodyLimit: number
  /**
   * Whether answers are compressed for clients that ask (`COMPRESSION`, on). Off where a proxy does
   * it.
   */
  compression: boolean
  /**
   * Certificate chain, a PEM file that is read again when it changes (`KONTOR_TLS_CERT`).
   * Undefined: plain HTTP.
   */
  tlsCert: string | undefined
  /** Its private key, a PEM file (`KONTOR_TLS_KEY`). */
  tlsKey: string | undefined
  /**
   * Addresses and networks of trusted proxies, whose X-Forwarded-* headers count (`TRUSTED_PROXY`,
   * none).
   */
  trustedProxy: string[]
  /**
   * Requests per second of one integration in one account, besides short bursts
   * (`RATE_LIMIT_INTEGRATION`, 0: no limit). More: 429.
   */
  rateLimitIntegration: number
  /**
   * Requests per second of all clients of one account together (`RATE_LIMIT_ACCOUNT`, 0: no limit).
   */
  rateLimitAccount: number
  /**
   * Requests per second of one address on routes without a token, such as the token endpoint
   * (`RATE_LIMIT_ADDRESS`, 50; 0: no limit).
   */
  rateLimitAddress: number
  /**
   * Requests per second of one channel in one account (`RATE_LIMIT_SCOPE`, 50; 0: no limit).
   */
  rateLimitScope: number
  /**
   * Statements that may wait for a connection to the database (`DATABASE_QUEUE`, 1000). More: 503.
   */
  databaseQueue: number
  /**
   * Bearer token that opens `/metrics` to other machines (`METRICS_TOKEN`). Undefined: only this
   * machine may read them.
   */
  metricsToken: string | undefined
  /**
   * Idempotency keys that the callers of one account may use within a day (`IDEMPOTENCY_KEYS`,
   * 1,000,000). More: 429.
   */
  idempotencyKeys: number
  /** Days that a deleted record stays in the bin (`BIN_DAYS`, 30). */
  binDays: number
  /**
   * Days that the event log goes back (`EVENT_DAYS`, 0: for ever). Months go as a whole, once their
   * last day is that old.
   */
  eventDays: number
  /** Days that the deliveries of webhooks, their attempts and their bodies stay (`DELIVERY_DAYS`, 30). */
  deliveryDays: number
  /** Days that journal rows stay once all followers have passed them (`JOURNAL_DAYS`, 3). */
  journalDays: number
  /**
   * Folder of uploads and fetched media (`FILES_DIR`). Undefined: `files` in the data folder. With an
   * S3 bucket, files only pass through it.
   */
  filesFolder: string | undefined
  /** The largest file, in bytes (`FILE_MAX_BYTES`, 100 MiB). Larger: 413. */
  fileMaxBytes: number
  /** The seconds that a signed address of a file is good for at least (`FILE_ADDRESS_SECONDS`, 86400). */
  fileAddressSeconds: number
  /**
   * Whether the recordings of calls are fetched from their addresses (`CALL_RECORDINGS`, fetch), or only
   * the addresses are kept.
   */
  callRecordings: 'fetch' | 'link'
  /**
   * Whether `/developers/ui` shows every component of the web application (`KONTOR_GALLERY`, off).
   * For its tests.
   */
  hasGallery: boolean
  /** The bucket that keeps files instead of the folder (`FILES_S3_BUCKET`). */
  filesS3Bucket: string | undefined
  /** Address of an S3-compatible server (`FILES_S3_ENDPOINT`). Undefined: that of AWS. */
  filesS3Endpoint: string | undefined
  /** The region of the bucket (`FILES_S3_REGION`, us-east-1). */
  filesS3Region: string
  /** The beginning of the keys of all objects (`FILES_S3_PREFIX`). */
  filesS3Prefix: string
  /**
   * The access key (`FILES_S3_ACCESS_KEY`). Undefined: the client library looks for credentials
   * itself, in a role of the machine say.
   */
  filesS3AccessKey: string | undefined
  /** Its secret (`FILES_S3_SECRET_KEY`). */
  filesS3SecretKey: string | undefined
  /**
   * Whether an empty embedded database gets a demo account (`KONTOR_DEMO`, on). Off, the first account
   * is made in the browser.
   */
  demo: boolean
  /** The least severe log lines to write (`LOG_LEVEL`, info), as JSON on standard error. */
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
}

/**
 * Reads the configuration from environment variables. Throws an Error of one line that names the
 * variable, its value and the allowed values.
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  return {
    port: whole(env, 'PORT', 8080, 0, 65_535),
    host: env['HOST'] || '127.0.0.1',
    url: address(env, 'KONTOR_URL'),
    data: path.resolve(env['KONTOR_DATA'] || 'data'),
    databaseUrl: env['DATABASE_URL'] || undefined,
    databasePool: whole(env, 'DATABASE_POOL', 10, 2, 1000),
    secretKey: env['KONTOR_SECRET_KEY'] || undefined,
    emptyList: choice(env, 'EMPTY_LIST', ['200', '204']) === '204' ? 204 : 200,
    unknownKeys: choice(env, 'UNKNOWN_KEYS', ['reject', 'ignore']),
    privateHooks: env['ALLOW_PRIVATE_HOOKS']
      ? choice(env, 'ALLOW_PRIVATE_HOOKS', ['none', 'loopback', 'all'])
      : undefined,
    bodyLimit: whole(env, 'BODY_LIMIT', 4 * 1024 * 1024, 1024, 64 * 1024 * 1024),
    compression: choice(env, 'COMPRESSION', ['on', 'off']) === 'on',
    ...certificate(env),
    trustedProxy: networks(env, 'TRUSTED_PROXY'),
    rateLimitIntegration: whole(env, 'RATE_LIMIT_INTEGRATION', 0, 0, 1_000_000),
    rateLimitAccount: whole(env, 'RATE_LIMIT_ACCOUNT', 0, 0, 1_000_000),
    rateLimitAddress: whole(env, 'RATE_LIMIT_ADDRESS', 50, 0, 1_000_000),
    rateLimitScope: whole(env, 'RATE_LIMIT_SCOPE', 50, 0, 1_000_000),
    databaseQueue: whole(env, 'DATABASE_QUEUE', 1000, 1, 1_000_000),
    metricsToken: env['METRICS_TOKEN'] || undefined,
    idempotencyKeys: whole(env, 'IDEMPOTENCY_KEYS', 1_000_000, 1, 1_000_000_000),
    binDays: whole(env, 'BIN_DAYS', 30, 1, 36_500),
    eventDays: whole(env, 'EVENT_DAYS', 0, 0, 36_500),
    deliveryDays: whole(env, 'DELIVERY_DAYS', 30, 1, 3650),
    journalDays: whole(env, 'JOURNAL_DAYS', 3, 1, 3650),
    filesFolder: env['FILES_DIR'] ? path.resolve(env['FILES_DIR']) : undefined,
    fileMaxBytes: whole(env, 'FILE_MAX_BYTES', 100 * 1024 * 1024, 1024, 5 * 1024 ** 3),
    fileAddressSeconds: whole(env, 'FILE_ADDRESS_SECONDS', 86_400, 60, 31_536_000),
    callRecordings: choice(env, 'CALL_RECORDINGS', ['fetch', 'link']),
    hasGallery: choice(env, 'KONTOR_GALLERY', ['off', 'on']) === 'on',
    ...bucket(env),
    demo: choice(env, 'KONTOR_DEMO', ['on', 'off']) === 'on',
    logLevel: choice(env, 'LOG_LEVEL', ['info', 'debug', 'warn', 'error', 'silent']),
  }
}

function whole(
  env: NodeJS.ProcessEnv,
  name: string,
  preset: number,
  least: number,
  most: number,
): number {
  const text = env[name]
  if (!text) return preset
  const value = Number(text)
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw new Error(`${name} is "${text}", but it takes a whole number from ${least} to ${most}`)
}

/** The first choice is the default. */
function choice<const Choice extends string>(
  env: NodeJS.ProcessEnv,
  name: string,
  choices: readonly Choice[],
): Choice {
  const text = env[name] || choices[0]
  const found = choices.find((each) => each === text)
  if (found) return found
  throw new Error(`${name} is "${text}", but it takes one of ${choices.join(', ')}`)
}

function address(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const text = env[name]
  if (!text) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search)
    return url.origin
  throw new Error(
    `${name} is "${text}", but it takes an address like https://crm.example.com, without a path`,
  )
}

function certificate(env: NodeJS.ProcessEnv): Pick<Config, 'tlsCert' | 'tlsKey'> {
  const [tlsCert, tlsKey] = ['KONTOR_TLS_CERT', 'KONTOR_TLS_KEY'].map((name) =>
    env[name] ? path.resolve(env[name]) : undefined,
  )
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new Error(
      `KONTOR_TLS_${tlsCert === undefined ? 'CERT' : 'KEY'} is not set, but HTTPS takes a certificate and its key`,
    )
  return { tlsCert, tlsKey }
}

type Bucket = `filesS3${'Bucket' | 'Endpoint' | 'Region' | 'Prefix' | 'AccessKey' | 'SecretKey'}`

/** A part of these settings alone is a mistake: files would go where nobody looks for them. */
function bucket(env: NodeJS.ProcessEnv): Pick<Config, Bucket> {
  const names = ['ENDPOINT', 'REGION', 'PREFIX', 'ACCESS_KEY', 'SECRET_KEY']
  const given = names.find((name) => env[`FILES_S3_${name}`])
  if (!env['FILES_S3_BUCKET'] && given !== undefined)
    throw new Error(`FILES_S3_BUCKET is not set, but FILES_S3_${given} is`)
  const [accessKey, secretKey] = ['FILES_S3_ACCESS_KEY', 'FILES_S3_SECRET_KEY'].map(
    (name) => env[name] || undefined,
  )
  if ((accessKey === undefined) !== (secretKey === undefined))
    throw new Error(
      `FILES_S3_${accessKey === undefined ? 'ACCESS' : 'SECRET'}_KEY is not set, but an access key takes its secret`,
    )
  return {
    filesS3Bucket: env['FILES_S3_BUCKET'] || undefined,
    filesS3Endpoint: address(env, 'FILES_S3_ENDPOINT'),
    filesS3Region: env['FILES_S3_REGION'] || 'us-east-1',
    filesS3Prefix: env['FILES_S3_PREFIX'] ?? '',
    filesS3AccessKey: accessKey,
    filesS3SecretKey: secretKey,
  }
}

/**
 * Takes addresses, not a number of proxies: with a number, a client that bypasses the proxies could
 * claim any address.
 */
function networks(env: NodeJS.ProcessEnv, name: string): string[] {
  const parts = (env[name] ?? '').split(',').flatMap((part) => part.trim() || [])
  for (const part of parts) {
    const [address = '', prefix, ...rest] = part.split('/')
    const bits = { 4: 32, 6: 128 }[isIP(address)] ?? -1
    const isNetwork = prefix === undefined || (/^\d+$/.test(prefix) && Number(prefix) <= bits)
    if (
      ['loopback', 'linklocal', 'uniquelocal'].includes(part) ||
      (bits > 0 && isNetwork && rest.length === 0)
    )
      continue
    throw new Error(
      `${name} holds "${part}", but it takes addresses and networks with commas between, like 127.0.0.1,10.0.0.0/8, or loopback, linklocal, uniquelocal`,
    )
  }
  return parts
}
