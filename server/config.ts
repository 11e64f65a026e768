import path from 'node:path'

/** Everything that can be set from outside, with its default. Times are seconds, sizes are bytes. */
export interface Config {
  /** TCP port of the HTTP server (`PORT`, 8080). 0 takes any free one. */
  port: number
  /** Address the server listens on (`HOST`, 127.0.0.1: only this machine). */
  host: string
  /** Public address without a trailing slash (`KONTOR_URL`), undefined: `http://<host>:<port>`. Its host is the first account's. */
  url: string | undefined
  /** Folder of the embedded database and the key file (`KONTOR_DATA`, ./data). */
  data: string
  /** A PostgreSQL 15 or later to use instead of the embedded one (`DATABASE_URL`), a session connection. */
  databaseUrl: string | undefined
  /** Connections to the database that one process opens at most (`DATABASE_POOL`, 10). */
  databasePool: number
  /** Passphrase that encrypts secrets at rest (`KONTOR_SECRET_KEY`), undefined: a key file in the data folder. */
  secretKey: string | undefined
  /** What an empty list answers where the integration does not say (`EMPTY_LIST`, 200): 200 with an empty collection or 204 without body. */
  emptyList: 200 | 204
  /** What a key unknown to a record does in a body (`UNKNOWN_KEYS`, reject): 400, or nothing. */
  unknownKeys: 'reject' | 'ignore'
  /** Largest request body (`BODY_LIMIT`, 4 MiB). Larger: 413. */
  bodyLimit: number
  /** Days that told news stay in the journal (`JOURNAL_DAYS`, 3). */
  journalDays: number
  /** Least severe log line written (`LOG_LEVEL`, info), as JSON on standard error. */
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
}

/**
 * Reads the configuration from environment variables.
 * Throws an Error in one line that names the variable, what it holds and what it may hold.
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
    bodyLimit: whole(env, 'BODY_LIMIT', 4 * 1024 * 1024, 1024, 64 * 1024 * 1024),
    journalDays: whole(env, 'JOURNAL_DAYS', 3, 1, 3650),
    logLevel: choice(env, 'LOG_LEVEL', ['info', 'debug', 'warn', 'error', 'silent']),
  }
}

function whole(env: NodeJS.ProcessEnv, name: string, preset: number, least: number, most: number): number {
  const text = env[name]
  if (!text) return preset
  const value = Number(text)
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw new Error(`${name} is "${text}", but it takes a whole number from ${least} to ${most}`)
}

/** The first choice is the default. */
function choice<const Choice extends string>(env: NodeJS.ProcessEnv, name: string, choices: readonly Choice[]): Choice {
  const text = env[name] || choices[0]
  const found = choices.find((each) => each === text)
  if (found) return found
  throw new Error(`${name} is "${text}", but it takes one of ${choices.join(', ')}`)
}

function address(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const text = env[name]
  if (!text) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search) return url.origin
  throw new Error(`${name} is "${text}", but it takes an address like https://crm.example.com, without a path`)
}
