// Files: what users upload, and media that the server fetches after it has answered. Other features
// refer to files by id and hand out their addresses with rights of their own. An address is signed and
// ends, and everybody who has it may read the file (docs/decisions/0054-files.md).
import { createHmac } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Actor } from '../../../access/actor.ts'
import type { Config } from '../../../config.ts'
import type { Reader, Tx } from '../../../database/connect.ts'
import { badRequest, notFound } from '../../../http/problem.ts'
import type { Kontor } from '../../../kontor.ts'
import { sameSecret } from '../../../secrets.ts'
import { cleanName, declaredType, judgedType } from './media-type.ts'
import * as queries from './queries.ts'
import type { AbandonedFile, FileRow, NamedFile, SeenFile, UploadKey } from './queries.ts'
import { requireRoom, takeRoom } from './room.ts'
import { dropIncoming, fileKey, receiveFile, fileStoreOf } from './storage.ts'

export { fetchesChannel, startFetching } from './fetching.ts'
export type { Fetching } from './fetching.ts'
export type { FileRow, NamedFile, SeenFile } from './queries.ts'
export { largestFiles } from './queries.ts'
export { folderOfFiles } from './storage.ts'

/** Milliseconds after which an upload that has not ended counts as dead. A request has a minute. */
const uploadMs = 86_400_000
/** Seconds that a file waits for something that refers to it. */
const unattachedSeconds = 7 * 86_400

/**
 * Stores an upload as its bytes come, and answers it. `type` is a Content-Type header, `size` its bytes
 * as far as they are known. More than `FILE_MAX_BYTES`: 413; no room: 507; an empty file, or a request
 * that ends early: 400; and nothing stays.
 */
export async function storeFile(
  { config, database, now }: Kontor,
  actor: Pick<Actor, 'accountId' | 'userId' | 'at'>,
  { name, type, size = 0 }: { name: string; type: string | undefined; size?: number },
  body: Readable,
): Promise<SeenFile> {
  await requireRoom(config, database, actor, size)
  const draft = { name: cleanName(name), type: declaredType(type) }
  const statement = queries.insertUpload(actor, draft, Date.now() + uploadMs)
  const { id, uid } = (await database.transaction((tx) => tx.row<UploadKey>(statement)))!
  try {
    const received = await receiveFile(config, bytesOf(body), config.fileMaxBytes)
    const judged = { type: judgedType(draft.type, received.firstBytes), size: received.size }
    await fileStoreOf(config).keep(fileKey(actor.accountId, uid), received, judged.type)
    const finish = queries.finishUpload(actor.accountId, id, judged, now())
    return (await database.transaction(async (tx) => {
      await takeRoom(config, tx, actor, received.size)
      return tx.row<SeenFile>(finish)
    }))!
  } catch (error) {
    // Where this fails too, the upkeep does it.
    const file = { account_id: actor.accountId, id, uid }
    await database.transaction((tx) => drop(tx, config, file)).catch(() => undefined)
    throw error
  }
}

async function drop(tx: Tx, config: Config, { account_id, id, uid }: AbandonedFile): Promise<void> {
  await fileStoreOf(config).remove(fileKey(account_id, uid))
  await tx.rows(queries.deleteFile(account_id, id))
}

/** The stream must outlive a refusal: the answer goes over the connection that it reads. */
async function* bytesOf(body: Readable): AsyncGenerator<Buffer> {
  const parts = body.iterator({ destroyOnReturn: false })
  try {
    for await (const part of parts) yield part as Buffer
  } catch (error) {
    throw Object.assign(badRequest('The request ended early'), { cause: error })
  }
}

/** Media that a channel or a program names by its address. */
export interface RemoteFile {
  address: string
  /** The user who wrote the address, or what stands for a channel (outgoing/door.ts); by default the actor. */
  by?: number | undefined
  name?: string | undefined
  /** The media type, as the sender says. */
  type?: string | undefined
  /** Bytes, as the sender says. */
  size?: number | undefined
}

/**
 * Has a file fetched after the commit, and answers its id. Never refuses an address: a fetch that
 * cannot succeed fails later, and its caller's work stands. It begins within a second, or at once
 * where the caller notifies `fetchesChannel` after the commit.
 */
export async function fetchLater(
  tx: Tx,
  actor: Pick<Actor, 'accountId' | 'userId' | 'at'>,
  file: RemoteFile,
): Promise<number> {
  return (await fetchAllLater(tx, actor, [file]))[0]!
}

/**
 * The same for several files, by one statement; answers their ids in the same order. Of those that
 * wait, the ones with a smaller `dueAt` (milliseconds) are fetched first.
 */
export async function fetchAllLater(
  tx: Tx,
  actor: Pick<Actor, 'accountId' | 'userId' | 'at'>,
  files: RemoteFile[],
  dueAt = 0,
): Promise<number[]> {
  if (files.length === 0) return []
  const drafts = files.map(({ address, by = actor.userId, name, type, size }) => ({
    name: cleanName(name ?? nameIn(address)),
    type: declaredType(type),
    size: size !== undefined && Number.isSafeInteger(size) && size >= 0 ? size : null,
    source: address.toWellFormed(),
    source_by: by,
  }))
  const rows = await tx.rows<{ id: number }>(queries.insertFetches(actor, drafts, dueAt))
  return rows.map(({ id }) => id)
}

/** The last part of the path of an address. */
function nameIn(address: string): string {
  const last = URL.parse(address)?.pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

/** A file that the actor uploaded, or any of the account for an administrator. Unknown: 404. */
export async function seeFile(reader: Reader, actor: Actor, id: number): Promise<SeenFile> {
  const [file] = await reader.list<SeenFile>(queries.fileOfActor(actor, id))
  if (!file) throw notFound()
  return file
}

/** The files with these ids, in no order. The caller has asked for the rights to what refers to them. */
export function filesByIds(
  reader: Reader,
  actor: Pick<Actor, 'accountId'>,
  ids: number[],
): Promise<FileRow[]> {
  if (ids.length === 0) return Promise.resolve([])
  return reader.rows<FileRow>(queries.filesOfIds(actor, ids))
}

/**
 * The stored upload of the actor that something is about to refer to; from now on it is kept. Unknown,
 * of another user, or not stored: 400.
 */
export async function requireOwnFile(
  tx: Tx,
  actor: Pick<Actor, 'accountId' | 'userId' | 'at'>,
  id: number,
): Promise<FileRow> {
  const file = await tx.row<FileRow>(queries.attachUpload(actor, id))
  if (!file) throw badRequest(`You have uploaded no file ${id}`)
  return file
}

/**
 * Marks stored files that something is about to refer to as kept; answers their ids by their uids,
 * in small letters. Those that are unknown, and uploads that the actor may not use, are missing.
 */
export async function attachFiles(
  tx: Tx,
  actor: Pick<Actor, 'accountId' | 'userId' | 'at' | 'isAdmin'>,
  named: readonly NamedFile[],
): Promise<ReadonlyMap<string, number>> {
  if (named.length === 0) return new Map()
  const rows = await tx.rows<UploadKey>(queries.attachNamed(actor, named))
  return new Map(rows.map(({ id, uid }) => [uid, id]))
}

/** Says that something has ceased to refer to files. Those that nothing refers to go in a week. */
export async function releaseFiles(
  tx: Tx,
  actor: Pick<Actor, 'accountId' | 'at'>,
  ids: number[],
): Promise<void> {
  if (ids.length > 0) await tx.rows(queries.releaseOf(actor, ids))
}

/** An attachment as answers show it (schema.ts). */
export interface Attachment {
  media: string | null
  file_name: string | null
  /** Bytes. */
  file_size: number | null
}

/**
 * The attachment of what refers to a file. `said` is what its sender said of it, and stands until a
 * copy is stored.
 */
export function attachmentOf(
  kontor: Pick<Kontor, 'config' | 'now' | 'secrets' | 'url'>,
  accountId: number,
  base: string,
  file: FileRow | undefined,
  said: Attachment,
): Attachment {
  const stored = file?.state === 'stored' ? file : undefined
  return {
    media: stored ? addressOf(kontor, accountId, stored, { base }) : said.media,
    file_name: said.file_name ?? stored?.name ?? null,
    file_size: said.file_size ?? stored?.size ?? null,
  }
}

interface AddressOptions {
  /** The beginning of the address; `KONTOR_URL` by default. */
  base?: string
  /** The seconds that it is good for at least; `FILE_ADDRESS_SECONDS` by default. */
  expiresIn?: number
}

/**
 * A signed address of a file. Its end is rounded up by a quarter of its time at most, so that
 * browsers meet the same address again and keep what they have.
 */
export function addressOf(
  { config, now, secrets, url }: Pick<Kontor, 'config' | 'now' | 'secrets' | 'url'>,
  accountId: number,
  { uid, name }: Pick<FileRow, 'uid' | 'name'>,
  { base = url, expiresIn = config.fileAddressSeconds }: AddressOptions = {},
): string {
  const step = Math.ceil(expiresIn / 4)
  const expires = Math.ceil((now() + expiresIn) / step) * step
  const signature = signatureOf(secrets, accountId, uid, expires)
  // The name is for people: nothing reads it. Routers take parts of 200 characters.
  const shown = encodeURIComponent(Array.from(name).slice(-100).join(''))
  return `${base}/files/${accountId}/${uid}/${shown}?expires=${expires}&signature=${signature}`
}

/** Whether a signature is right and has not ended. */
export function isSigned(
  { now, secrets }: Pick<Kontor, 'now' | 'secrets'>,
  accountId: number,
  uid: string,
  { expires = '', signature = '' }: { expires?: string; signature?: string },
): boolean {
  if (!/^[1-9]\d{0,11}$/.test(expires) || Number(expires) <= now()) return false
  return sameSecret(signature, signatureOf(secrets, accountId, uid, Number(expires)))
}

/** The uid of the file of the account whose signed address this is; undefined for all others. */
export function signedFileIn(
  kontor: Pick<Kontor, 'now' | 'secrets'>,
  accountId: number,
  address: string,
): string | undefined {
  const { pathname = '', searchParams } = URL.parse(address) ?? {}
  const [, uid] = signedPath.exec(pathname) ?? []
  if (uid === undefined) return undefined
  // The signature is over the account as well, so the path need not be asked for it.
  return isSigned(kontor, accountId, uid, Object.fromEntries(searchParams!))
    ? uid.toLowerCase()
    : undefined
}

const signedPath = /^\/files\/\d{1,15}\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\/[^/]*$/i

/** The account and the file are signed together, so an address opens nothing in another account. */
const signatureOf = (
  secrets: Kontor['secrets'],
  accountId: number,
  uid: string,
  expires: number,
): string =>
  createHmac('sha256', secrets.keyFor('addresses of files'))
    .update(`${accountId}/${uid.toLowerCase()}/${expires}`)
    .digest('hex')

/** The file that an address names; undefined if there is none or its fetch failed. */
export async function fileAt(
  reader: Reader,
  accountId: number,
  uid: string,
): Promise<FileRow | undefined> {
  const file = await reader.row<FileRow>(queries.fileOfUid(accountId, uid))
  return file?.state === 'failed' ? undefined : file
}

/**
 * The stored file that a value of a field names; undefined where there is none, and where the value has not
 * its version: the uid alone is no proof that its writer might read the file.
 */
export function fileOfValue(
  reader: Reader,
  { accountId }: Pick<Actor, 'accountId'>,
  { file_uuid, version_uuid }: { file_uuid: string; version_uuid: string },
): Promise<FileRow | undefined> {
  return reader.row<FileRow>(queries.fileOfVersion(accountId, file_uuid, version_uuid))
}

/**
 * Removes uploads that died, and files that nothing has referred to for a week: no message, no note and
 * no field of a record.
 */
export async function dropAbandonedFiles({ config, database, now }: Kontor): Promise<void> {
  await dropIncoming(config)
  const statement = queries.nextAbandoned(now() * 1000, now() - unattachedSeconds)
  // The row is held while its bytes go, so nothing can refer to it meanwhile.
  const dropNext = async (tx: Tx) => {
    const found = await tx.rows<AbandonedFile>(statement)
    for (const file of found) await drop(tx, config, file)
    return found.length > 0
  }
  while (await database.transaction(dropNext));
  const released = queries.nextReleased(now() - unattachedSeconds)
  // A verb that refers to the file anew changes its row, and so waits, or makes this pass it over.
  // The references are looked for by a statement of their own, which sees all that was committed
  // until the row was held.
  const dropReleased = async (tx: Tx) => {
    const file = await tx.row<AbandonedFile>(released)
    if (!file) return false
    const referred = await tx.row<{ answer: boolean }>(queries.isReferredTo(file))
    if (referred!.answer) await tx.rows(queries.keepReleased(file))
    else await drop(tx, config, file)
    return true
  }
  while (await database.transaction(dropReleased));
}
