// Finds the folder of the embedded database and the user that runs it. PostgreSQL refuses to run as
// root, so for root an unprivileged user runs it and must reach programs and data. Below a closed
// folder (a project in /root) it cannot, and Kontor does not open other owners' folders: it then
// copies the programs and keeps the data below /var/lib/kontor, and makes the data folder a link to
// it. Access is tried as that user, because modes, ACLs and mount options all matter.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmod,
  lchown,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rmdir,
  stat,
  symlink,
} from 'node:fs/promises'
import path from 'node:path'
import { bundledBinaries, copyBinaries, type Binaries } from './binaries.ts'

/** The user of this machine that runs PostgreSQL. */
export interface SystemUser {
  uid: number
  gid: number
}

export interface DataFolder {
  /** The data folder as the user wrote it, for messages: ./data. */
  shown: string
  /** The data folder with links resolved. */
  data: string
  /** PostgreSQL's own folder in the data folder. */
  cluster: string
  binaries: Binaries
  /** The user that runs PostgreSQL. Undefined: Kontor's own user. */
  account: SystemUser | undefined
}

const stages = '/var/lib/kontor'

/**
 * Makes the data folder if there is none, and finds programs and user for it. `say` gets a line if
 * the data is kept elsewhere.
 */
export async function openDataFolder(
  data: string,
  say: (line: string) => void,
): Promise<DataFolder> {
  const given = path.resolve(data)
  const shown = shorten(given)
  const bundled = await bundledBinaries()
  let real = await withoutLinks(given)
  const there = await stat(real).catch(() => undefined)
  if (there && !there.isDirectory())
    throw new Error(`${shown} is not a folder. Set KONTOR_DATA to one`)
  if (process.getuid?.() !== 0) {
    await mkdir(real, { recursive: true, mode: 0o700 }).catch((error: Error) => {
      throw new Error(
        `The data folder ${shown} cannot be made (${error.message}). Set KONTOR_DATA to a folder you may write to`,
      )
    })
    await mustOwn(real, shown)
    await tighten(real, 0o700)
    return {
      shown,
      data: real,
      cluster: path.join(real, 'postgres'),
      binaries: bundled,
      account: undefined,
    }
  }
  const account = await accountFor(real)
  const stage = stageOf(given)
  const offered = await offer(account, real)
  if (!offered) {
    real = await moveToStage(real, path.join(stage, 'data'))
    say(
      `PostgreSQL does not run as root, and its user cannot reach ${shown}: the data is kept in ${real}, ${shown} is a link to it`,
    )
  }
  const share = path.join(bundled.home, 'share')
  const reached =
    reaches(account, '-x', bundled.postgres, bundled.initdb) && reaches(account, '-r', share)
  const binaries = reached ? bundled : await copyBinaries(bundled, stage)
  if (!(offered && reached) && !reaches(account, '-x', real, binaries.postgres)) {
    throw new Error(
      `The user with id ${account.uid} cannot reach ${stage}. Make it and ${stages} passable (chmod 711)`,
    )
  }
  await tighten(real, 0o711)
  const cluster = path.join(real, 'postgres')
  await giveTo(account, cluster)
  return { shown, data: real, cluster, binaries, account }
}

/** The mode of folders of older versions: everybody might list them. */
const openToAll = 0o755

/**
 * Closes a data folder that Kontor has made to lists. A folder without a database of Kontor, or with
 * another mode, is as its operator wants it.
 */
async function tighten(data: string, mode: number): Promise<void> {
  const there = await stat(data)
  const isOurs =
    [0, there.uid].includes(process.getuid?.() ?? -1) &&
    (await stat(path.join(data, 'postgres')).catch(() => undefined))
  if (isOurs && (there.mode & 0o777) === openToAll) await chmod(data, mode)
}

/** A path for messages: relative inside the working directory, else absolute. */
export function shorten(file: string): string {
  const relative = path.relative(process.cwd(), file)
  return relative.startsWith('..') || path.isAbsolute(relative) ? file : `.${path.sep}${relative}`
}

async function withoutLinks(file: string): Promise<string> {
  try {
    return await realpath(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const target = await readlink(file).catch(() => undefined)
    if (target === undefined) return file
    // An empty database in place of a missing one would look like lost data.
    throw new Error(
      `${shorten(file)} is a link to ${target}, which does not exist. Restore that folder, or remove the link to begin anew`,
      { cause: error },
    )
  }
}

/**
 * Throws unless the database's files belong to Kontor's user: PostgreSQL refuses those of another.
 */
async function mustOwn(data: string, shown: string): Promise<void> {
  const uid = process.getuid?.()
  const owner = await stat(path.join(data, 'postgres')).catch(() => undefined)
  if (uid === undefined || owner === undefined || owner.uid === uid) return
  throw new Error(
    `The database in ${shown} belongs to the user with id ${owner.uid}. Run Kontor as that user or as root`,
  )
}

/** The owner of existing files, else the first user that exists of kontor, postgres and nobody. */
async function accountFor(data: string): Promise<SystemUser> {
  const users = new Map<string, SystemUser>()
  for (const line of (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n')) {
    const [name, , uid, gid] = line.split(':')
    if (name && uid && gid) users.set(name, { uid: Number(uid), gid: Number(gid) })
  }
  for (const folder of [path.join(data, 'postgres'), data]) {
    const owner = await stat(folder).catch(() => undefined)
    if (!owner?.uid) continue
    return (
      [...users.values()].find(({ uid }) => uid === owner.uid) ?? { uid: owner.uid, gid: owner.gid }
    )
  }
  for (const name of ['kontor', 'postgres', 'nobody']) {
    const account = users.get(name)
    if (account?.uid) return account
  }
  throw new Error(
    'PostgreSQL does not run as root, and there is no user kontor, postgres or nobody to run it as. Add one: useradd -r kontor',
  )
}

/** Whether the user passes the test of `sh` (-x, -r) for every path. Runs the test as that user. */
export function reaches({ uid, gid }: SystemUser, test: '-x' | '-r', ...files: string[]): boolean {
  const script = 'for file; do test "$0" "$file" || exit 1; done'
  const { status, error } = spawnSync('/bin/sh', ['-c', script, test, ...files], {
    uid,
    gid,
    cwd: '/',
    stdio: 'ignore',
  })
  if (!error) return status === 0
  throw new Error(
    `PostgreSQL does not run as root, and Kontor may not become the user with id ${uid} (${error.message}). Run Kontor as an ordinary user`,
  )
}

/** Makes the data folder passable for the user, if changing the folder itself is enough. */
async function offer(account: SystemUser, data: string): Promise<boolean> {
  const there = await stat(data).catch(() => undefined)
  if (!there) {
    let parent = path.dirname(data)
    while (!(await stat(parent).catch(() => undefined))) parent = path.dirname(parent)
    if (!reaches(account, '-x', parent)) return false
    await mkdir(data, { recursive: true })
    await chmod(data, 0o711)
  } else if (reaches(account, '-x', data)) {
    return true
  } else if (reaches(account, '-x', path.dirname(data))) {
    await chmod(data, (there.mode & 0o777) | 0o111)
  }
  return reaches(account, '-x', data)
}

/**
 * The place for data and programs that the user cannot reach: for `/srv/crm/data` it is
 * /var/lib/kontor/crm-<hash of the path>.
 */
export function stageOf(data: string): string {
  const hash = createHash('sha256').update(data).digest('hex').slice(0, 8)
  const folder = path.basename(path.dirname(data)).toLowerCase()
  return path.join(stages, [...(folder.match(/[a-z0-9]+/g) ?? []), hash].join('-').slice(-40))
}

/**
 * Moves the data folder, if there is one, and leaves a link. Continues a move that a killed start
 * began.
 */
async function moveToStage(data: string, target: string): Promise<string> {
  for (const folder of [stages, path.dirname(target)]) {
    if (await mkdir(folder, { recursive: true })) await chmod(folder, 0o711)
  }
  const existing = await lstat(target).catch(() => undefined)
  const there = await lstat(data).catch(() => undefined)
  if (there && existing) {
    await rmdir(data).catch(() => {
      throw new Error(
        `Both ${shorten(data)} and ${target} hold data. Keep one: move the other away`,
      )
    })
  } else if (there) {
    await rename(data, target).catch((error: NodeJS.ErrnoException) => {
      throw new Error(
        `PostgreSQL's user cannot reach ${shorten(data)}, and it cannot be moved to ${target} (${error.code}). Set KONTOR_DATA to another folder`,
      )
    })
  } else if (!existing) {
    await mkdir(target)
    await mkdir(path.dirname(data), { recursive: true })
  }
  const { mode } = await stat(target)
  await chmod(
    target,
    existing || !there ? 0o711 : (mode & 0o777) === openToAll ? 0o711 : (mode & 0o777) | 0o111,
  )
  await symlink(target, data).catch(async (error: NodeJS.ErrnoException) => {
    // Another start has just made the link.
    if (error.code !== 'EEXIST' || (await realpath(data)) !== target) throw error
  })
  return target
}

/**
 * Gives files that root copied back from a backup to the user. The top folder comes last, so that
 * the next start finishes the work of a killed one.
 */
async function giveTo({ uid, gid }: SystemUser, cluster: string): Promise<void> {
  if ((await stat(cluster).catch(() => undefined))?.uid !== 0) return
  for (const entry of await readdir(cluster, { recursive: true }))
    await lchown(path.join(cluster, entry), uid, gid)
  await lchown(cluster, uid, gid)
}
