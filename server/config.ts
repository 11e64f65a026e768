// The settings: environment variables, each in one place with its default, its values and its text for operators. readConfig reads
// them, and docs/guides/settings.ts writes docs/guides/settings.md from them. Times are in seconds, sizes in bytes.
import { isIP } from 'node:net'
import path from 'node:path'

type Environment = NodeJS.ProcessEnv

/** How a setting is read, and what the page says of its values. */
interface Values<Value> {
  /** The default as an operator would write it; empty: none. */
  preset: string
  /** The values that it takes, in Markdown. */
  takes: string
  /** `text` is the value of the variable `name`, undefined where it is not set. */
  read(text: string | undefined, name: string, env: Environment): Value
}

interface Setting extends Values<unknown> {
  /** The environment variable. */
  name: string
  /** The heading of the page under which it stands. */
  group: string
  /** The meaning for operators, in Markdown. */
  text: string
}

const mebibyte = 1024 ** 2

export const settings = {
  port: {
    name: 'PORT',
    group: 'Address and HTTPS',
    ...whole(8080, 0, 65_535),
    text: 'TCP port of the HTTP server. 0 takes any free port.',
  },
  host: {
    name: 'HOST',
    group: 'Address and HTTPS',
    preset: '127.0.0.1',
    takes: 'an address of this machine',
    read: (text: string | undefined) => text || '127.0.0.1',
    text: 'Address to listen on. The default accepts connections from this machine only, `0.0.0.0` from every network.',
  },
  url: {
    name: 'KONTOR_URL',
    group: 'Address and HTTPS',
    ...address(),
    preset: 'http://<host>:<port>',
    text: 'Public address, used in links and tokens. The first account answers at its host.',
  },
  tlsCert: {
    name: 'KONTOR_TLS_CERT',
    group: 'Address and HTTPS',
    ...file(),
    takes: 'a PEM file',
    text: 'Certificate chain with which Kontor serves HTTPS itself ([guide](reverse-proxy.md)). A changed file is read again. Without it, Kontor serves plain HTTP.',
  },
  tlsKey: {
    name: 'KONTOR_TLS_KEY',
    group: 'Address and HTTPS',
    ...file(),
    takes: 'a PEM file',
    text: 'Private key of the certificate.',
  },
  trustedProxy: {
    name: 'TRUSTED_PROXY',
    group: 'Address and HTTPS',
    preset: '',
    takes: 'addresses and networks, separated by commas, or `loopback`, `linklocal`, `uniquelocal`',
    read: networks,
    text: 'Proxies whose `X-Forwarded-*` headers are trusted ([guide](reverse-proxy.md#behind-a-proxy)).',
  },
  compression: {
    name: 'COMPRESSION',
    group: 'Address and HTTPS',
    ...toggle('on'),
    text: 'Whether responses are compressed for clients that ask. Turn it off where a proxy compresses.',
  },

  data: {
    name: 'KONTOR_DATA',
    group: 'Database',
    preset: './data',
    takes: 'a folder',
    read: (text: string | undefined) => path.resolve(text || 'data'),
    text: 'Folder of the embedded database, the key file and uploaded files.',
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    group: 'Database',
    ...text(),
    takes: 'such as `postgres://kontor:password@db.example.com/kontor`',
    text: 'PostgreSQL 15 or later to use instead of the embedded one. A connection pooler must run in session mode.',
  },
  databasePool: {
    name: 'DATABASE_POOL',
    group: 'Database',
    ...whole(10, 2, 1000),
    text: 'Maximum number of database connections for requests of one process. Webhooks, signals and locks take six more.',
  },
  databaseQueue: {
    name: 'DATABASE_QUEUE',
    group: 'Database',
    ...whole(1000, 1, 1_000_000),
    text: 'Statements that may wait for a connection. Further requests are answered 503.',
  },
  secretKey: {
    name: 'KONTOR_SECRET_KEY',
    group: 'Database',
    ...text(),
    takes: 'a passphrase',
    text: 'Passphrase that encrypts secrets in the database. Without it, the file `secret.key` in the data folder is the key.',
  },

  emptyList: {
    name: 'EMPTY_LIST',
    group: 'Requests',
    ...choice('200', '204'),
    preset: '',
    read: (text: string | undefined, name: string): 200 | 204 | undefined =>
      text ? (choice('200', '204').read(text, name) === '204' ? 204 : 200) : undefined,
    text: 'Status of an empty list, for integrations without a setting of their own: 200 with an empty collection, or 204 without a body. Without it, 204 for clients that are known by their `User-Agent` to need it ([list](connect.md#the-integration)), and 200 for all others.',
  },
  unknownKeys: {
    name: 'UNKNOWN_KEYS',
    group: 'Requests',
    ...choice('reject', 'ignore'),
    text: 'Unknown keys in a body: `reject` answers 400, `ignore` drops them.',
  },
  privateHooks: {
    name: 'ALLOW_PRIVATE_HOOKS',
    group: 'Requests',
    ...choice('none', 'loopback', 'all'),
    preset: '',
    read: (text: string | undefined, name: string) =>
      text ? choice('none', 'loopback', 'all').read(text, name) : undefined,
    text: 'Private addresses that Kontor may call where an administrator or a chat channel wrote them: webhooks, callbacks and media of chats, recordings of calls, uninstall hooks. Without it, public addresses only; with the embedded database and a server that only this machine reaches, the first account may use loopback addresses too ([details](../security.md#what-is-promised)).',
  },

  bodyLimit: {
    name: 'BODY_LIMIT',
    group: 'Limits',
    ...whole(4 * mebibyte, 1024, 64 * mebibyte),
    text: 'Largest request body in bytes, 4 MiB by default. Larger ones are answered 413. Where no token is required, the limit is 64 KiB at most.',
  },
  rateLimitIntegration: {
    name: 'RATE_LIMIT_INTEGRATION',
    group: 'Limits',
    ...whole(0, 0, 1_000_000),
    text: 'Requests per second of one integration in one account. Further requests are answered 429. 0 means no limit, here and below.',
  },
  rateLimitAccount: {
    name: 'RATE_LIMIT_ACCOUNT',
    group: 'Limits',
    ...whole(0, 0, 1_000_000),
    text: 'Requests per second of all callers of one account together.',
  },
  rateLimitAddress: {
    name: 'RATE_LIMIT_ADDRESS',
    group: 'Limits',
    ...whole(50, 0, 1_000_000),
    text: 'Requests per second of one address where no token is required, and of its first or wrong tries with an API key.',
  },
  rateLimitScope: {
    name: 'RATE_LIMIT_SCOPE',
    group: 'Limits',
    ...whole(50, 0, 1_000_000),
    text: 'Requests per second of one chat channel in one account.',
  },
  idempotencyKeys: {
    name: 'IDEMPOTENCY_KEYS',
    group: 'Limits',
    ...whole(1_000_000, 1, 1_000_000_000),
    text: 'Idempotency keys that the callers of one account may use within a day. Further ones are answered 429.',
  },
  jobRecords: {
    name: 'JOB_RECORDS',
    group: 'Limits',
    ...whole(2_000_000, 1, 100_000_000),
    text: 'Records that one change of many may find by a filter. A filter that finds more fails before anything is changed.',
  },

  binDays: {
    name: 'BIN_DAYS',
    group: 'Retention',
    ...whole(30, 1, 36_500),
    text: 'Days that a deleted record stays in the bin.',
  },
  eventDays: {
    name: 'EVENT_DAYS',
    group: 'Retention',
    ...whole(0, 0, 36_500),
    text: 'Days that the event log goes back. 0 keeps it for ever. A month is dropped as a whole, once its last day is that old.',
  },
  deliveryDays: {
    name: 'DELIVERY_DAYS',
    group: 'Retention',
    ...whole(30, 1, 3650),
    text: 'Days that the log of webhook deliveries goes back, and that a delivery can be sent again.',
  },
  journalDays: {
    name: 'JOURNAL_DAYS',
    group: 'Retention',
    ...whole(3, 1, 3650),
    text: 'Days that changes stay in the journal after all followers have processed them.',
  },

  filesFolder: {
    name: 'FILES_DIR',
    group: 'Files',
    ...file(),
    preset: '<KONTOR_DATA>/files',
    takes: 'a folder',
    text: 'Folder of uploads, recordings and fetched media. With a bucket, files only pass through it.',
  },
  fileMaxBytes: {
    name: 'FILE_MAX_BYTES',
    group: 'Files',
    ...whole(100 * mebibyte, 1024, 5 * 1024 ** 3),
    text: 'Largest file in bytes, 100 MiB by default. Larger ones are answered 413.',
  },
  filesUserBytes: {
    name: 'FILES_USER_BYTES',
    group: 'Files',
    ...whole(1024 ** 3, mebibyte, 2 ** 50),
    text: 'Bytes of uploads of one user that no record, note or message refers to, 1 GiB by default. Further uploads are answered 507.',
  },
  filesAccountBytes: {
    name: 'FILES_ACCOUNT_BYTES',
    group: 'Files',
    ...whole(100 * 1024 ** 3, 0, 2 ** 50),
    text: 'Bytes of all files of one account, 100 GiB by default. Further uploads are answered 507, and media of chats and recordings wait. 0: no bound.',
  },
  filesMinFreeBytes: {
    name: 'FILES_MIN_FREE_BYTES',
    group: 'Files',
    ...whole(1024 ** 3, 0, 2 ** 50),
    text: 'Bytes that stay free on the disk of the files, 1 GiB by default: below it, uploads are answered 507, and media of chats and recordings wait.',
  },
  fileAddressSeconds: {
    name: 'FILE_ADDRESS_SECONDS',
    group: 'Files',
    ...whole(86_400, 60, 31_536_000),
    text: 'Seconds that the signed address of a file works at least.',
  },
  callRecordings: {
    name: 'CALL_RECORDINGS',
    group: 'Files',
    ...choice('fetch', 'link'),
    text: 'Recordings of calls: `fetch` copies them from the addresses in `link`, `link` keeps only the addresses.',
  },
  filesS3Bucket: {
    name: 'FILES_S3_BUCKET',
    group: 'Files',
    ...text(),
    takes: 'the name of a bucket',
    text: 'Bucket of an S3-compatible service that keeps files instead of the folder. The settings below need it.',
  },
  filesS3Endpoint: {
    name: 'FILES_S3_ENDPOINT',
    group: 'Files',
    ...address('http://minio:9000'),
    text: 'Address of that service. Without it, files go to AWS.',
  },
  filesS3Region: {
    name: 'FILES_S3_REGION',
    group: 'Files',
    preset: 'us-east-1',
    takes: 'the name of a region',
    read: (text: string | undefined) => text || 'us-east-1',
    text: 'Region of the bucket.',
  },
  filesS3Prefix: {
    name: 'FILES_S3_PREFIX',
    group: 'Files',
    preset: '',
    takes: 'such as `kontor/`',
    read: (text: string | undefined) => text ?? '',
    text: 'Beginning of the keys of all objects.',
  },
  filesS3AccessKey: {
    name: 'FILES_S3_ACCESS_KEY',
    group: 'Files',
    ...text(),
    takes: 'an access key',
    text: 'Access key. Without one, the client library looks for credentials itself: in its own variables or a role of the machine.',
  },
  filesS3SecretKey: {
    name: 'FILES_S3_SECRET_KEY',
    group: 'Files',
    ...text(),
    takes: 'a secret',
    text: 'Secret of the access key.',
  },

  metricsToken: {
    name: 'METRICS_TOKEN',
    group: 'Logs and metrics',
    ...text(),
    takes: 'a token of your choice',
    text: 'Bearer token for `/metrics` ([guide](monitoring.md)). Without it, only this machine may read the metrics.',
  },
  logLevel: {
    name: 'LOG_LEVEL',
    group: 'Logs and metrics',
    ...choice('info', 'debug', 'warn', 'error', 'silent'),
    text: 'The least severe lines to write. The log is JSON on standard error.',
  },

  demo: {
    name: 'KONTOR_DEMO',
    group: 'Trying out',
    ...toggle('on'),
    text: 'Whether an empty embedded database gets a demo account. With `off`, the first account is created in the browser.',
  },
  hasGallery: {
    name: 'KONTOR_GALLERY',
    group: 'Trying out',
    ...toggle('off'),
    text: 'Whether `/developers/ui` shows every component of the web application, for its tests.',
  },
} satisfies Record<string, Setting>

/** The values of all settings. */
export type Config = {
  [Key in keyof typeof settings]: ReturnType<(typeof settings)[Key]['read']>
}

/**
 * Reads the configuration from environment variables. Throws an Error of one line that names the
 * variable, its value and the allowed values.
 */
export function readConfig(env: Environment = process.env): Config {
  checkCertificate(env)
  checkBucket(env)
  const values = Object.entries(settings).map(([key, { name, read }]) => [
    key,
    read(env[name], name, env),
  ])
  return Object.fromEntries(values) as Config
}

function text(): Values<string | undefined> {
  return { preset: '', takes: 'a text', read: (text) => text || undefined }
}

/** A path, from the folder in which Kontor was started. */
function file(): Values<string | undefined> {
  return { preset: '', takes: 'a file', read: (text) => (text ? path.resolve(text) : undefined) }
}

function whole(preset: number, least: number, most: number): Values<number> {
  return {
    preset: String(preset),
    takes: `${least} to ${most}`,
    read(text, name) {
      if (!text) return preset
      const value = Number(text)
      if (Number.isInteger(value) && value >= least && value <= most) return value
      throw new Error(`${name} is "${text}", but it takes a whole number from ${least} to ${most}`)
    },
  }
}

/** The first choice is the default. */
function choice<const Choice extends string>(
  ...choices: readonly [Choice, ...Choice[]]
): Values<Choice> & { read(text: string | undefined, name: string): Choice } {
  return {
    preset: choices[0],
    takes: choices.map((each) => `\`${each}\``).join(', '),
    read(text, name) {
      const found = choices.find((each) => each === (text || choices[0]))
      if (found) return found
      throw new Error(`${name} is "${text}", but it takes one of ${choices.join(', ')}`)
    },
  }
}

function toggle(preset: 'on' | 'off'): Values<boolean> {
  const either = choice(preset, preset === 'on' ? 'off' : 'on')
  return { ...either, read: (text, name) => either.read(text, name) === 'on' }
}

function address(example = 'https://crm.example.com'): Values<string | undefined> {
  return {
    preset: '',
    takes: `an address without a path, such as \`${example}\``,
    read(text, name) {
      if (!text) return undefined
      const url = URL.canParse(text) ? new URL(text) : undefined
      if (url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search)
        return url.origin
      throw new Error(
        `${name} is "${text}", but it takes an address like https://crm.example.com, without a path`,
      )
    },
  }
}

function checkCertificate(env: Environment): void {
  const [hasCertificate, hasKey] = [!!env['KONTOR_TLS_CERT'], !!env['KONTOR_TLS_KEY']]
  if (hasCertificate !== hasKey)
    throw new Error(
      `KONTOR_TLS_${hasCertificate ? 'KEY' : 'CERT'} is not set, but HTTPS takes a certificate and its key`,
    )
}

/** A part of these settings alone is a mistake: files would go where nobody looks for them. */
function checkBucket(env: Environment): void {
  const names = ['ENDPOINT', 'REGION', 'PREFIX', 'ACCESS_KEY', 'SECRET_KEY']
  const given = names.find((name) => env[`FILES_S3_${name}`])
  if (!env['FILES_S3_BUCKET'] && given !== undefined)
    throw new Error(`FILES_S3_BUCKET is not set, but FILES_S3_${given} is`)
  const [hasKey, hasSecret] = [!!env['FILES_S3_ACCESS_KEY'], !!env['FILES_S3_SECRET_KEY']]
  if (hasKey !== hasSecret)
    throw new Error(
      `FILES_S3_${hasKey ? 'SECRET' : 'ACCESS'}_KEY is not set, but an access key takes its secret`,
    )
}

/**
 * Takes addresses, not a number of proxies: with a number, a client that bypasses the proxies could
 * claim any address.
 */
function networks(text: string | undefined, name: string): string[] {
  const parts = (text ?? '').split(',').flatMap((part) => part.trim() || [])
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
