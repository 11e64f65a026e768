// `kontor doctor`: whether this machine and this configuration can run Kontor, and how to mend what
// cannot. It changes nothing. An embedded database that is not running is started for the checks
// only.
import os from 'node:os'
import sql from 'sql-template-tag'
import type { Config } from '../config.ts'
import { clusterExists } from '../database/cluster.ts'
import { connect, type Database } from '../database/connect.ts'
import { freeSpace } from '../database/disk.ts'
import { folderOfFiles } from '../features/files/files.ts'
import { waitingCallbacks } from '../features/messages/outgoing/queries.ts'
import {
  countUnbuilt,
  lateDeliveries,
  mostCounted,
} from '../features/webhooks/deliveries/queries.ts'
import type { LateDeliveries } from '../features/webhooks/deliveries/queries.ts'
import { borrowEmbedded } from '../database/embedded.ts'
import { examine } from '../database/migrate.ts'
import { shorten } from '../database/data-folder.ts'
import { certificate, port } from './listening.ts'
import type { Finding } from './listening.ts'

const gigabyte = 1024 ** 3

/**
 * Prints one line per finding (`ok`, `warn` or `fail`, with the remedy) and per setting. False if a
 * check failed.
 */
export async function doctor(config: Config, say: (line: string) => void): Promise<boolean> {
  let sound = true
  const report = ([level, text]: Finding) => {
    if (level === 'fail') sound = false
    say(`${level.padEnd(4)}  ${text}`)
  }
  report(node())
  report(memory())
  report(await disk(config))
  for (const finding of await database(config)) report(finding)
  if (config.tlsCert !== undefined) report(certificate(config))
  report(await port(config))
  say('')
  say('Settings in force (environment variables):')
  for (const [name, value] of settings(config)) say(`      ${name}=${value}`)
  return sound
}

/** Node.js 24.7 added argon2 to node:crypto. The launcher requires the same version. */
function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 24 || (major === 24 && minor >= 7))
    return ['ok', `Node.js ${process.versions.node} (${process.execPath})`]
  return [
    'fail',
    `Node.js ${process.versions.node} is too old: install 24.7 or later, or run bin/kontor, which finds the bundled one`,
  ]
}

/** PostgreSQL takes 256 MB for its buffers, and Node.js about as much. */
function memory(): Finding {
  const limit = process.constrainedMemory()
  const total = limit > 0 ? Math.min(limit, os.totalmem()) : os.totalmem()
  const text = `${(total / gigabyte).toFixed(1)} GB of memory`
  return total < 0.9 * gigabyte
    ? ['warn', `${text}: Kontor with its own database is at ease with 1 GB or more`]
    : ['ok', text]
}

/** The embedded database's write-ahead log alone may grow to 4 GB. */
async function disk(config: Config): Promise<Finding> {
  const free = await freeSpace(config.data)
  if (free === undefined)
    return ['warn', `the disk of ${shorten(config.data)} does not say how much is free`]
  const text = `${(free / gigabyte).toFixed(1)} GB free for ${shorten(config.data)}`
  if (free < 0.5 * gigabyte)
    return ['fail', `${text}: make room, or set KONTOR_DATA to a folder on another disk`]
  if (free < 6 * gigabyte && !config.databaseUrl)
    return ['warn', `${text}: the database may need 6 GB under load`]
  return ['ok', text]
}

async function database(config: Config): Promise<Finding[]> {
  if (config.databaseUrl) return await ask(connect(config.databaseUrl, 2), 'DATABASE_URL')
  if (!(await clusterExists(config.data))) {
    return [
      ['ok', `database: none yet in ${shorten(config.data)}; "kontor start" makes it`],
      clock(),
    ]
  }
  try {
    const embedded = await borrowEmbedded(config.data, 'kontor doctor', () => undefined)
    return await ask(connect(embedded.url, 2), `embedded in ${shorten(config.data)}`).finally(() =>
      embedded.stop(),
    )
  } catch (error) {
    return [['fail', `database: ${(error as Error).message}`], clock()]
  }
}

async function ask(database: Database, which: string): Promise<Finding[]> {
  try {
    const { version, encoding, pending } = await examine(database)
    const name = `database (${which}): PostgreSQL ${Math.floor(version / 10_000)}.${version % 10_000}, ${encoding}`
    const migrations: Finding =
      pending.length === 0
        ? ['ok', 'migrations: all have run']
        : ['warn', `migrations: "kontor start" or "kontor migrate" will run ${pending.join(', ')}`]
    const hooks = pending.length === 0 ? await webhookFindings(database) : []
    const chats = pending.length === 0 ? [await callbackFinding(database)] : []
    return [['ok', name], migrations, ...hooks, ...chats, await clockAgainst(database)]
  } catch (error) {
    return [['fail', `database (${which}): ${(error as Error).message}`], clock()]
  } finally {
    await database.close()
  }
}

/** The seconds that a first attempt may wait before the doctor warns. */
const lateSeconds = 60

async function webhookFindings(database: Database): Promise<Finding[]> {
  const late = (await database.row<LateDeliveries>(lateDeliveries(Date.now(), lateSeconds)))!
  const { count } = (await database.row<{ count: number }>(countUnbuilt))!
  const sent: Finding =
    late.destinations === 0
      ? ['ok', 'webhooks: no delivery waits for its first attempt for long']
      : [
          'warn',
          `webhooks: deliveries to ${counted(late.destinations, 'destination')} wait for their first attempts, the oldest for ${duration(late.age)}: they go out while "kontor start" runs; if it does, its log says why they wait`,
        ]
  const unbuilt: Finding =
    count === 0
      ? ['ok', 'webhooks: all notices could be built']
      : [
          'warn',
          `webhooks: ${counted(count, 'change')}${count >= mostCounted ? ' or more' : ''} could not be told, and ${count === 1 ? 'is' : 'are'} set aside: "kontor webhook unbuilt" shows why; "kontor webhook replay --unbuilt", after an update say, sends them`,
        ]
  return [sent, unbuilt]
}

/** The last repeat of a callback begins after 755 seconds. */
const lateCallbackSeconds = 900

async function callbackFinding(database: Database): Promise<Finding> {
  const { count, since } = (await database.row<{ count: number; since: number | null }>(
    waitingCallbacks,
  ))!
  const age = since === null ? 0 : Math.floor((Date.now() - since) / 1000)
  if (age <= lateCallbackSeconds) return ['ok', 'chats: no message waits for its channel for long']
  return [
    'warn',
    `chats: ${counted(count, 'message')}${count >= mostCounted ? ' or more' : ''} wait for their channels, the oldest for ${duration(age)}: they go out while "kontor start" runs; if it does, its log says why they wait`,
  ]
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

/** As `3 d`, `5 h`, `7 min`: in the largest unit, rounded down. */
function duration(seconds: number): string {
  const units = { d: 86_400, h: 3600, min: 60 }
  for (const [unit, length] of Object.entries(units))
    if (seconds >= length) return `${Math.floor(seconds / length)} ${unit}`
  return `${seconds} s`
}

/**
 * Tokens and signatures carry times. A clock that was never set (a board without battery) makes
 * them worthless.
 */
function clock(): Finding {
  const now = new Date()
  if (now.getUTCFullYear() >= 2025) return ['ok', `clock: ${now.toISOString()}`]
  return [
    'warn',
    `clock: ${now.toISOString()} cannot be right: set it, or let the system do so (timedatectl set-ntp true)`,
  ]
}

async function clockAgainst(database: Database): Promise<Finding> {
  const before = Date.now()
  const [row] = await database.list<{ time: number }>(
    sql`select (extract(epoch from clock_timestamp()) * 1000)::bigint as time`,
  )
  const apart = Math.abs(row!.time - (before + Date.now()) / 2) / 1000
  if (apart < 2) return clock()
  return [
    'warn',
    `clock: it is ${apart.toFixed(0)} s away from the database's: set both by the same time server`,
  ]
}

/** Every setting of the configuration. The type fails to compile while a new setting is missing. */
function settings(config: Config): [name: string, value: string][] {
  const unset = '(not set)'
  const shown: { [Key in keyof Config]-?: [string, string] } = {
    port: ['PORT', String(config.port)],
    host: ['HOST', config.host],
    url: ['KONTOR_URL', config.url ?? unset],
    data: ['KONTOR_DATA', config.data],
    databaseUrl: ['DATABASE_URL', config.databaseUrl ? withoutPassword(config.databaseUrl) : unset],
    databasePool: ['DATABASE_POOL', String(config.databasePool)],
    secretKey: ['KONTOR_SECRET_KEY', config.secretKey ? '****' : unset],
    emptyList: ['EMPTY_LIST', String(config.emptyList)],
    unknownKeys: ['UNKNOWN_KEYS', config.unknownKeys],
    privateHooks: ['ALLOW_PRIVATE_HOOKS', config.privateHooks ?? unset],
    bodyLimit: ['BODY_LIMIT', String(config.bodyLimit)],
    compression: ['COMPRESSION', config.compression ? 'on' : 'off'],
    tlsCert: ['KONTOR_TLS_CERT', config.tlsCert ?? unset],
    tlsKey: ['KONTOR_TLS_KEY', config.tlsKey ?? unset],
    trustedProxy: ['TRUSTED_PROXY', config.trustedProxy.join(',') || unset],
    rateLimitIntegration: ['RATE_LIMIT_INTEGRATION', String(config.rateLimitIntegration)],
    rateLimitAccount: ['RATE_LIMIT_ACCOUNT', String(config.rateLimitAccount)],
    rateLimitAddress: ['RATE_LIMIT_ADDRESS', String(config.rateLimitAddress)],
    rateLimitScope: ['RATE_LIMIT_SCOPE', String(config.rateLimitScope)],
    databaseQueue: ['DATABASE_QUEUE', String(config.databaseQueue)],
    metricsToken: ['METRICS_TOKEN', config.metricsToken ? '****' : unset],
    idempotencyKeys: ['IDEMPOTENCY_KEYS', String(config.idempotencyKeys)],
    binDays: ['BIN_DAYS', String(config.binDays)],
    eventDays: ['EVENT_DAYS', String(config.eventDays)],
    deliveryDays: ['DELIVERY_DAYS', String(config.deliveryDays)],
    journalDays: ['JOURNAL_DAYS', String(config.journalDays)],
    filesFolder: ['FILES_DIR', folderOfFiles(config)],
    fileMaxBytes: ['FILE_MAX_BYTES', String(config.fileMaxBytes)],
    fileAddressSeconds: ['FILE_ADDRESS_SECONDS', String(config.fileAddressSeconds)],
    callRecordings: ['CALL_RECORDINGS', config.callRecordings],
    hasGallery: ['KONTOR_GALLERY', config.hasGallery ? 'on' : 'off'],
    filesS3Bucket: ['FILES_S3_BUCKET', config.filesS3Bucket ?? unset],
    filesS3Endpoint: ['FILES_S3_ENDPOINT', config.filesS3Endpoint ?? unset],
    filesS3Region: ['FILES_S3_REGION', config.filesS3Region],
    filesS3Prefix: ['FILES_S3_PREFIX', config.filesS3Prefix || unset],
    filesS3AccessKey: ['FILES_S3_ACCESS_KEY', config.filesS3AccessKey ?? unset],
    filesS3SecretKey: ['FILES_S3_SECRET_KEY', config.filesS3SecretKey ? '****' : unset],
    demo: ['KONTOR_DEMO', config.demo ? 'on' : 'off'],
    logLevel: ['LOG_LEVEL', config.logLevel],
  }
  return Object.values(shown)
}

/**
 * A password may stand before the host or among the parameters. Text that is no URL may be a
 * password as a whole.
 */
function withoutPassword(text: string): string {
  if (!URL.canParse(text)) return '****'
  const url = new URL(text)
  if (url.password) url.password = '****'
  for (const name of ['password', 'sslpassword', 'sslkey'])
    if (url.searchParams.has(name)) url.searchParams.set(name, '****')
  return url.href
}
