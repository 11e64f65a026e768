// The folder of the database's unix socket. The system limits a socket's path to about 100 bytes,
// and a Cyrillic letter takes two. If the data folder's path is longer, the socket lies in a
// private temporary folder; `postmaster.pid` names it.
import { chmod, chown, mkdir, mkdtemp, readdir, realpath, rm, rmdir } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { reaches, type DataFolder } from './data-folder.ts'

const longest = 100
const prefix = 'kontor-'

/**
 * A folder for the socket, open to PostgreSQL's user only. On Windows, where PostgreSQL has no such
 * sockets, the loopback address.
 */
export async function makeSocketFolder({ data, account }: DataFolder): Promise<string> {
  if (process.platform === 'win32') return '127.0.0.1'
  let folder = path.join(data, 'socket')
  if (fits(folder)) {
    await mkdir(folder, { recursive: true })
  } else {
    const roots = await Promise.all(
      [os.tmpdir(), '/tmp'].map((root) => realpath(root).catch(() => '/tmp')),
    )
    const root = roots.find(
      (each) =>
        fits(path.join(each, `${prefix}123456`)) && (!account || reaches(account, '-x', each)),
    )
    if (!root)
      throw new Error(
        `The path ${data} is too long for a socket, and so is ${roots[0]}. Set KONTOR_DATA to a shorter one`,
      )
    folder = await mkdtemp(path.join(root, prefix))
  }
  await chmod(folder, 0o700)
  if (account) await chown(folder, account.uid, account.gid)
  return folder
}

/**
 * Removes a killed server's files from the socket's folder. PostgreSQL would take the lock file for
 * a running server's once another process has its id.
 */
export async function removeSocket(folder: string): Promise<void> {
  if (!path.isAbsolute(folder)) return
  for (const name of await readdir(folder).catch(() => [])) {
    if (name.startsWith('.s.PGSQL.')) await rm(path.join(folder, name), { force: true })
  }
  await removeSocketFolder(folder)
}

/** Removes an empty folder that was made for one server. */
export async function removeSocketFolder(folder: string): Promise<void> {
  if (path.basename(folder).startsWith(prefix)) await rmdir(folder).catch(() => undefined)
}

function fits(folder: string): boolean {
  return Buffer.byteLength(path.join(folder, '.s.PGSQL.5432')) <= longest
}
