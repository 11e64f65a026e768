// `kontor doctor`: whether this machine and this configuration can run Kontor, and how to mend what
// cannot. It changes nothing. An embedded database that is not running is started for the checks
// only.
import os from 'node:os'
import sql from 'sql-template-tag'
import { settings } from '../config.ts'
import type { Config } from '../config.ts'
import { clusterExists } from '../database/cluster.ts'
import { connect, type Database } from '../database/connect.ts'
import { freeSpace } from '../database/disk.ts'
import { folderOfFiles, largestFiles } from '../features/activity/files/files.ts'
import { waitingCallbacks } from '../features/conversations/messages/outgoing/queries.ts'
import {
  countUnbuilt,
  lateDeliveries,
  mostCounted,
} from '../features/programs/webhooks/deliveries/queries.ts'
import type { LateDeliveries } from '../features/programs/webhooks/deliveries/queries.ts'
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
  for (const [name, value] of settingsInForce(config)) say(`      ${name}=${value}`)
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
  if (config.databaseUrl) return await ask(config, connect(config.databaseUrl, 2), 'DATABASE_URL')
  if (!(await clusterExists(config.data))) {
    return [
      ['ok', `database: none yet in ${shorten(config.data)}; "kontor start" makes it`],
      clock(),
    ]
  }
  try {
    const embedded = await borrowEmbedded(config.data, 'kontor doctor', () => undefined)
    return await ask(
      config,
      connect(embedded.url, 2),
      `embedded in ${shorten(config.data)}`,
    ).finally(() => embedded.stop())
  } catch (error) {
    return [['fail', `database: ${(error as Error).message}`], clock()]
  }
}

async function ask(config: Config, database: Database, which: string): Promise<Finding[]> {
  try {
    const { version, encoding, pending } = await examine(database)
    const name = `database (${which}): PostgreSQL ${Math.floor(version / 10_000)}.${version % 10_000}, ${encoding}`
    const migrations: Finding =
      pending.length === 0
        ? ['ok', 'migrations: all have run']
        : ['warn', `migrations: "kontor start" or "kontor migrate" will run ${pending.join(', ')}`]
    const hooks = pending.length === 0 ? await webhookFindings(database) : []
    const chats = pending.length === 0 ? [await callbackFinding(database)] : []
    const files = pending.length === 0 ? [await filesFinding(config, database)] : []
    return [['ok', name], migrations, ...hooks, ...chats, ...files, await clockAgainst(database)]
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

/** The account with the most files, and the free space of their folder. */
async function filesFinding(
  { filesAccountBytes, filesMinFreeBytes, ...config }: Config,
  database: Database,
): Promise<Finding> {
  const free = await freeSpace(folderOfFiles(config))
  if (free !== undefined && free < filesMinFreeBytes)
    return [
      'warn',
      `files: ${sizeOf(free)} free in ${shorten(folderOfFiles(config))}, and FILES_MIN_FREE_BYTES keeps ${sizeOf(filesMinFreeBytes)}: uploads are refused, and media of chats and recordings wait. Make room, or lower it`,
    ]
  const [largest] = await database.list<{ subdomain: string; bytes: number }>(largestFiles)
  if (!largest) return ['ok', 'files: none']
  const { subdomain, bytes } = largest
  const text = `files: ${sizeOf(bytes)} in the account ${subdomain}`
  if (filesAccountBytes === 0) return ['ok', text]
  const of = `${text}, which may have ${sizeOf(filesAccountBytes)}`
  return bytes > nearlyFull * filesAccountBytes
    ? ['warn', `${of}: delete files, or raise FILES_ACCOUNT_BYTES`]
    : ['ok', of]
}

const nearlyFull = 0.9

const sizeOf = (bytes: number) =>
  bytes < gigabyte ? `${Math.ceil(bytes / 1024 ** 2)} MB` : `${(bytes / gigabyte).toFixed(1)} GB`

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
function settingsInForce(config: Config): [name: string, value: string][] {
  const unset = '(not set)'
  const shown: Record<keyof Config, string> = {
    port: String(config.port),
    host: config.host,
    url: config.url ?? unset,
    data: config.data,
    databaseUrl: config.databaseUrl ? withoutPassword(config.databaseUrl) : unset,
    databasePool: String(config.databasePool),
    secretKey: config.secretKey ? '****' : unset,
    emptyList: String(config.emptyList ?? unset),
    unknownKeys: config.unknownKeys,
    privateHooks: config.privateHooks ?? unset,
    bodyLimit: String(config.bodyLimit),
    compression: config.compression ? 'on' : 'off',
    tlsCert: config.tlsCert ?? unset,
    tlsKey: config.tlsKey ?? unset,
    trustedProxy: config.trustedProxy.join(',') || unset,
    rateLimitIntegration: String(config.rateLimitIntegration),
    rateLimitAccount: String(config.rateLimitAccount),
    rateLimitAddress: String(config.rateLimitAddress),
    rateLimitScope: String(config.rateLimitScope),
    databaseQueue: String(config.databaseQueue),
    metricsToken: config.metricsToken ? '****' : unset,
    idempotencyKeys: String(config.idempotencyKeys),
    jobRecords: String(config.jobRecords),
    binDays: String(config.binDays),
    eventDays: String(config.eventDays),
    deliveryDays: String(config.deliveryDays),
    journalDays: String(config.journalDays),
    filesFolder: folderOfFiles(config),
    fileMaxBytes: String(config.fileMaxBytes),
    filesUserBytes: String(config.filesUserBytes),
    filesAccountBytes: String(config.filesAccountBytes),
    filesMinFreeBytes: String(config.filesMinFreeBytes),
    fileAddressSeconds: String(config.fileAddressSeconds),
    callRecordings: config.callRecordings,
    hasGallery: config.hasGallery ? 'on' : 'off',
    filesS3Bucket: config.filesS3Bucket ?? unset,
    filesS3Endpoint: config.filesS3Endpoint ?? unset,
    filesS3Region: config.filesS3Region,
    filesS3Prefix: config.filesS3Prefix || unset,
    filesS3AccessKey: config.filesS3AccessKey ?? unset,
    filesS3SecretKey: config.filesS3SecretKey ? '****' : unset,
    demo: config.demo ? 'on' : 'off',
    logLevel: config.logLevel,
  }
  return Object.entries(shown).map(([key, value]) => [settings[key as keyof Config].name, value])
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
