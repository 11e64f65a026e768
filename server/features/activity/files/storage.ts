// Where the bytes of files are: a local folder, or a bucket that speaks S3. A file is always received
// whole into the folder `incoming` first, so that its size and its type are known, and nobody ever
// sees half of one: the folder then takes it over by a rename, the bucket by one PUT of a known
// length. A process that dies leaves files in `incoming`, which the upkeep removes.
import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import type { Config } from '../../../config.ts'
import { badRequest, payloadTooLarge, unavailable } from '../../../http/problem.ts'
import { longestSignature } from './media-type.ts'

/** A file in `incoming`. */
export interface Received {
  path: string
  size: number
  /** Its first bytes. */
  firstBytes: Buffer
}

/** Bytes of a file, both ends included. */
export interface ByteRange {
  from: number
  to: number
}

export interface FileStore {
  /** Takes a received file over, which is gone from `incoming` in any case. Throws a 503 problem where the bucket does not answer. */
  keep(key: string, received: Received, type: string): Promise<void>
  /** Undefined if there is no such file. */
  open(key: string, range: ByteRange): Promise<Readable | undefined>
  /** Removes a file, or nothing. */
  remove(key: string): Promise<void>
}

/** The key of a file in every store. The first letters of the uid keep folders small. */
export const fileKey = (accountId: number, uid: string) => `${accountId}/${uid.slice(0, 2)}/${uid}`

/** The folder of the files of this configuration. */
export const folderOfFiles = ({ data, filesFolder }: Pick<Config, 'data' | 'filesFolder'>) =>
  filesFolder ?? path.join(data, 'files')

const stores = new WeakMap<Config, FileStore>()

/** The store of a configuration: one for a process. */
export function fileStoreOf(config: Config): FileStore {
  const known = stores.get(config)
  if (known) return known
  const made = config.filesS3Bucket === undefined ? openFolder(config) : openBucket(config)
  stores.set(config, made)
  return made
}

const incomingOf = (config: Config) => path.join(folderOfFiles(config), 'incoming')

/**
 * Writes bytes to a file of their own as they come, and to the disk. More than `most`: 413, none at
 * all: 400, and nothing stays.
 */
export async function receiveFile(
  config: Config,
  bytes: AsyncIterable<Buffer>,
  most: number,
): Promise<Received> {
  await makeFolder(incomingOf(config))
  const file = path.join(incomingOf(config), randomUUID())
  const handle = await open(file, 'wx', 0o600)
  try {
    let size = 0
    let firstBytes: Buffer = Buffer.alloc(0)
    for await (const part of bytes) {
      size += part.length
      if (size > most) throw payloadTooLarge(`A file has at most ${most} bytes`, most)
      if (firstBytes.length < longestSignature)
        firstBytes = Buffer.concat([
          firstBytes,
          part.subarray(0, longestSignature - firstBytes.length),
        ])
      await writeWhole(handle, part)
    }
    if (size === 0) throw badRequest('The file is empty')
    await handle.sync()
    return { path: file, size, firstBytes }
  } catch (error) {
    await rm(file, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}

/** A write may take a part only, when the disk is nearly full. */
async function writeWhole(handle: Awaited<ReturnType<typeof open>>, part: Buffer): Promise<void> {
  for (let from = 0; from < part.length;)
    from += (await handle.write(part, from, part.length - from)).bytesWritten
}

/** Removes received files that nobody took over, once they are older than a day. */
export async function dropIncoming(config: Config): Promise<void> {
  const folder = incomingOf(config)
  const names = await readdir(folder).catch(ifMissing([] as string[]))
  const oldest = Date.now() - 86_400_000
  for (const name of names) {
    const file = path.join(folder, name)
    const found = await stat(file).catch(ifMissing(undefined))
    if (found && found.mtimeMs < oldest) await rm(file, { force: true })
  }
}

function openFolder(config: Config): FileStore {
  const pathOf = (key: string) => path.join(folderOfFiles(config), key)
  return {
    async keep(key, received) {
      const folder = path.dirname(pathOf(key))
      try {
        await makeFolder(folder)
        await rename(received.path, pathOf(key))
        await syncFolderOf(folder)
      } finally {
        await rm(received.path, { force: true })
      }
    },
    async open(key, { from, to }) {
      const handle = await open(pathOf(key)).catch(ifMissing(undefined))
      return handle?.createReadStream({ start: from, end: to })
    },
    remove: (key) => rm(pathOf(key), { force: true }),
  }
}

/** Makes a folder with those above it. Its name must survive a power cut like what it holds. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let each = folder; each.length >= first.length; each = path.dirname(each))
    await syncFolderOf(path.dirname(each))
}

/** Windows has no such call. */
async function syncFolderOf(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder)
  await handle.sync().finally(() => handle.close())
}

const ifMissing =
  <Value>(value: Value) =>
  (error: NodeJS.ErrnoException): Value => {
    if (error.code === 'ENOENT') return value
    throw error
  }

/** Downloads hold connections as long as their readers take, and uploads must not wait for those. */
const mostConnections = 200

/**
 * The library is loaded when the first file is kept or read: it takes 0.3 s and 34 MB, which a
 * server without a bucket does not spend.
 */
function openBucket(config: Config): FileStore {
  const Bucket = config.filesS3Bucket!
  const objectOf = (key: string) => ({ Bucket, Key: config.filesS3Prefix + key })
  let opened:
    | Promise<{ library: typeof import('@aws-sdk/client-s3'); client: S3Client }>
    | undefined
  const open = () => (opened ??= openClient(config))
  return {
    async keep(key, received, type) {
      try {
        const { library, client } = await open()
        const command = new library.PutObjectCommand({
          ...objectOf(key),
          Body: createReadStream(received.path),
          ContentLength: received.size,
          ContentType: type,
        })
        await client.send(command).catch(throwUnavailable)
      } finally {
        await rm(received.path, { force: true })
      }
    },
    async open(key, { from, to }) {
      const { library, client } = await open()
      const command = new library.GetObjectCommand({
        ...objectOf(key),
        Range: `bytes=${from}-${to}`,
      })
      const answer = await client.send(command).catch((error: unknown) => {
        if (error instanceof library.NoSuchKey) return undefined
        return throwUnavailable(error)
      })
      return answer?.Body as Readable | undefined
    },
    async remove(key) {
      const { library, client } = await open()
      await client.send(new library.DeleteObjectCommand(objectOf(key))).catch(throwUnavailable)
    },
  }
}

async function openClient(config: Config) {
  const library = await import('@aws-sdk/client-s3')
  const { filesS3Endpoint: endpoint, filesS3AccessKey, filesS3SecretKey } = config
  const agent = { maxSockets: mostConnections }
  const client = new library.S3Client({
    region: config.filesS3Region,
    // Servers of one's own seldom have a name for each bucket.
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(filesS3AccessKey !== undefined && {
      credentials: { accessKeyId: filesS3AccessKey, secretAccessKey: filesS3SecretKey! },
    }),
    // The log has what fails; the library would write to standard error beside it.
    logger: { trace: silent, debug: silent, info: silent, warn: silent, error: silent },
    // Many S3-compatible servers refuse the checksums that the library adds by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 5000,
      requestTimeout: 60_000,
      httpAgent: agent,
      httpsAgent: agent,
    },
  })
  return { library, client }
}

const silent = () => undefined

/** The log has the cause; the caller may try again. */
function throwUnavailable(cause: unknown): never {
  throw Object.assign(unavailable('The store of files does not answer right now, try again', 5), {
    cause,
  })
}
