// The room for files: the bytes of an account, those of the uploads of a user that nothing refers to,
// and what is free on the disk. An upload without room is refused; a file that is to be fetched waits
// for room, so a message with media never fails. Nothing but files is refused: the database, which
// needs the rest of the disk, goes on (docs/decisions/0054-files.md).
import type { Actor } from '../../../access/actor.ts'
import type { Config } from '../../../config.ts'
import type { Reader, Tx } from '../../../database/connect.ts'
import { freeSpace } from '../../../database/disk.ts'
import { Problem } from '../../../http/problem.ts'
import * as queries from './queries.ts'
import { folderOfFiles } from './storage.ts'

/** The most uploads of one user that nothing refers to: a million empty ones need no bytes. */
const mostUnreferred = 10_000

/**
 * Throws a 507 problem with the remedy where an upload of so many bytes has no room. The size may be
 * unknown until the upload has come; then it is asked again (`takeRoom`).
 */
export async function requireRoom(
  config: Config,
  reader: Reader,
  actor: Pick<Actor, 'accountId' | 'userId'>,
  size: number,
): Promise<void> {
  if (!(await isDiskRoomy(config, size)))
    throw noRoom(
      'The disk of the server is nearly full. An administrator of the server makes room, or lowers FILES_MIN_FREE_BYTES',
    )
  if (!(await hasAccountRoom(config, reader, actor.accountId, size))) throw accountIsFull(config)
  await requireOwnRoom(config, reader, actor, size)
}

/**
 * Takes the room of an upload that has come, in the transaction that stores it. Throws as `requireRoom`
 * does. The total of the account is held, so that uploads at the same time are counted one by one.
 */
export async function takeRoom(
  config: Config,
  tx: Tx,
  actor: Pick<Actor, 'accountId' | 'userId'>,
  size: number,
): Promise<void> {
  if (!(await tx.row(queries.addToTotal(actor.accountId, size, config.filesAccountBytes))))
    throw accountIsFull(config)
  await requireOwnRoom(config, tx, actor, size)
}

/** Whether a file that is to be fetched has room, as far as that is known before. */
export async function hasRoom(config: Config, reader: Reader, accountId: number): Promise<boolean> {
  return (await isDiskRoomy(config, 0)) && (await hasAccountRoom(config, reader, accountId, 1))
}

async function isDiskRoomy(config: Config, size: number): Promise<boolean> {
  const free = await freeSpace(folderOfFiles(config))
  return free === undefined || free - size >= config.filesMinFreeBytes
}

async function hasAccountRoom(
  { filesAccountBytes }: Config,
  reader: Reader,
  accountId: number,
  size: number,
): Promise<boolean> {
  if (filesAccountBytes === 0) return true
  const total = await reader.row<{ bytes: number }>(queries.totalOf(accountId))
  return (total?.bytes ?? 0) + size <= filesAccountBytes
}

async function requireOwnRoom(
  { filesUserBytes }: Config,
  reader: Reader,
  actor: Pick<Actor, 'accountId' | 'userId'>,
  size: number,
): Promise<void> {
  const { bytes, number } = (await reader.row<{ bytes: number; number: number }>(
    queries.unreferredOf(actor),
  ))!
  if (number >= mostUnreferred || bytes + size > filesUserBytes)
    throw noRoom(
      `You have uploaded ${number} files that nothing refers to. Attach them to records, or wait: they are removed after a week. The server keeps ${mostUnreferred} of a user, of ${filesUserBytes} bytes (FILES_USER_BYTES)`,
    )
}

const accountIsFull = ({ filesAccountBytes }: Config) =>
  noRoom(
    `The files of the account have reached ${filesAccountBytes} bytes. Delete some, or ask the administrator of the server to raise FILES_ACCOUNT_BYTES`,
  )

const noRoom = (detail: string) => new Problem(507, detail)
