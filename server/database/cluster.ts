// The files of the embedded database in the data folder: `postgres/` (PostgreSQL's own),
// `postgres.password` and `postgres.log`. initdb works in a folder of its own, which is renamed
// when it is complete. So a start killed in the middle leaves no half-made database.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmod,
  chown,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { major } from './binaries.ts'
import { diskFull, isDiskFull } from './disk.ts'
import type { DataFolder } from './data-folder.ts'
import { isAlive } from './processes.ts'

/** The name of PostgreSQL's superuser and of the database. */
export const superuser = 'kontor'

/**
 * Makes the database's files if there are none. Throws an Error of one line if they are of another
 * major version.
 */
export async function prepareCluster(
  folder: DataFolder,
  say: (line: string) => void,
): Promise<void> {
  if (!(await clusterExists(folder.data))) {
    say(`Preparing a database in ${folder.shown} (first start)…`)
    // Waiting for another start is quicker than a second initdb. If it takes long, two of them do
    // no harm.
    for (
      const end = performance.now() + 5000;
      (await clearDrafts(folder)) && performance.now() < end;
    )
      await pause(20)
    if (!(await clusterExists(folder.data))) return await initialise(folder)
  }
  const version = await readFile(path.join(folder.cluster, 'PG_VERSION'), 'utf8')
  if (version.trim() !== String(major)) {
    throw new Error(
      `${folder.shown} holds a database of PostgreSQL ${version.trim()}, this Kontor runs ${major}. Start the Kontor that made it and move the data by backup and restore, or set KONTOR_DATA to another folder`,
    )
  }
  // A copy may lack file modes. PostgreSQL refuses a folder that others can read.
  const { mode } = await stat(folder.cluster)
  if (mode & 0o027 && process.platform !== 'win32') await chmod(folder.cluster, 0o700)
  if ((await readPassword(folder)) === undefined) await replacePassword(folder, say)
}

/** The superuser's password, or undefined if its file is lost. */
export async function readPassword(folder: DataFolder): Promise<string | undefined> {
  const text = await readFile(passwordFile(folder), 'utf8').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return ''
      throw new Error(
        `${passwordFile(folder)} cannot be read (${error.code}). Run Kontor as the user that owns it`,
      )
    },
  )
  return text.trim() || undefined
}

/**
 * The environment of PostgreSQL's programs: no secrets, and no PG* settings that change their
 * behaviour.
 */
export function environment(): NodeJS.ProcessEnv {
  const passed = [
    'PATH',
    'LD_LIBRARY_PATH',
    'NIX_LD',
    'NIX_LD_LIBRARY_PATH',
    'SystemRoot',
    'TEMP',
    'TMP',
  ]
  const values = passed.flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]],
  )
  return { ...Object.fromEntries(values), LC_ALL: 'C', TZ: 'UTC' }
}

/** Whether the data folder holds a database. */
export async function clusterExists(data: string): Promise<boolean> {
  return (
    (await stat(path.join(data, 'postgres', 'PG_VERSION')).catch(() => undefined)) !== undefined
  )
}

async function initialise(folder: DataFolder): Promise<void> {
  if ((await readdir(folder.cluster).catch(() => [])).length > 0) {
    throw new Error(
      `${shownCluster(folder)} holds files but no database. Move them away, or set KONTOR_DATA to another folder`,
    )
  }
  const draft = `${folder.cluster}.new-${process.pid}-${randomBytes(4).toString('hex')}`
  await mkdir(draft, { mode: 0o700 })
  try {
    const password = path.join(draft, 'password')
    await writeFile(password, await makePassword(folder), { mode: 0o600 })
    if (folder.account)
      for (const file of [draft, password])
        await chown(file, folder.account.uid, folder.account.gid)
    const cluster = path.join(draft, 'cluster')
    // PostgreSQL's own locale, so that case and order of Cyrillic do not depend on LANG and the C
    // library.
    const locale = [
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
    ]
    const access = ['-U', superuser, '-A', 'scram-sha-256', `--pwfile=${password}`]
    await run(folder, folder.binaries.initdb, ['-D', cluster, ...access, ...locale])
    await rename(cluster, folder.cluster).catch(async (error: NodeJS.ErrnoException) => {
      // Another start may have been faster. Its database is as good and has the same password.
      if (!(await clusterExists(folder.data))) throw error
    })
    await syncFolder(folder.data)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/**
 * Removes drafts of killed starts. Answers whether another start is still at work, judged by age:
 * in a container every start may have the same process id.
 */
async function clearDrafts(folder: DataFolder): Promise<boolean> {
  let busy = false
  for (const name of await readdir(folder.data)) {
    const pid = /^postgres\.new-(\d+)-/.exec(name)?.[1]
    if (pid === undefined) continue
    const draft = path.join(folder.data, name)
    const age = Date.now() - ((await stat(draft).catch(() => undefined))?.mtimeMs ?? 0)
    const atWork = Number(pid) !== process.pid && isAlive(Number(pid)) && age < 600_000
    if (atWork) busy = true
    else await rm(draft, { recursive: true, force: true }).catch(() => undefined)
  }
  return busy
}

/** The password of the file, made first if there is none. Two starts at once get the same one. */
async function makePassword(folder: DataFolder): Promise<string> {
  const file = passwordFile(folder)
  const draft = `${file}.${randomBytes(4).toString('hex')}`
  try {
    await writeFile(draft, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600, flush: true })
    // A power cut may leave an empty file.
    if ((await stat(file).catch(() => undefined))?.size === 0) await unlink(file)
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    // A draft must not stay on a full disk, or each attempt would leave one.
    await rm(draft, { force: true })
  }
  await syncFolder(folder.data)
  return await readFile(file, 'utf8')
}

/**
 * Gives the superuser a new password, in single-user mode, because no session can begin without the
 * old one.
 */
async function replacePassword(folder: DataFolder, say: (line: string) => void): Promise<void> {
  say(`${passwordFile(folder)} is missing: setting a new password for the database`)
  const password = (await makePassword(folder)).trim()
  const statement = `alter role ${superuser} password '${password}'\n`
  await run(
    folder,
    folder.binaries.postgres,
    ['--single', '-D', folder.cluster, 'postgres'],
    statement,
  ).catch(async (error) => {
    await unlink(passwordFile(folder))
    throw error
  })
}

/** Runs one of PostgreSQL's programs to its end. Throws its last output if it fails. */
async function run(folder: DataFolder, program: string, args: string[], input = ''): Promise<void> {
  const child = spawn(program, args, {
    ...folder.account,
    cwd: path.parse(folder.data).root,
    env: environment(),
    windowsHide: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stdin.on('error', () => undefined).end(input)
  const code = await new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    child.on('error', (error) => reject(new Error(cannotRun(program, error))))
    child.on('close', (code, signal) => resolve(code ?? signal))
  })
  if (code === 0) return
  const lines = output.split('\n').filter((line) => /error|fatal|panic|hint|detail|not/i.test(line))
  const words = lines.slice(-2).join(' ').trim() || `it ended with ${code}`
  if (await isDiskFull(folder.data, words)) throw diskFull(folder.data)
  if (/could not look up effective user/.test(words)) {
    throw new Error(
      `PostgreSQL needs a user with a name, and the user with id ${process.getuid?.()} has none. Add it to /etc/passwd, or set DATABASE_URL to a PostgreSQL 15 or later`,
    )
  }
  throw new Error(
    `${path.basename(program)} could not prepare the database in ${folder.shown}: ${words}`,
  )
}

/** A program that exists but "is not found" lacks its loader: the bundled programs need glibc. */
export function cannotRun(program: string, error: NodeJS.ErrnoException): string {
  const reason = error.code === 'ENOENT' ? 'its C library (glibc) is missing here' : error.message
  return `The bundled PostgreSQL does not run on this machine (${program}: ${reason}). Set DATABASE_URL to a PostgreSQL 15 or later`
}

function passwordFile(folder: DataFolder): string {
  return path.join(folder.data, 'postgres.password')
}

function shownCluster(folder: DataFolder): string {
  return path.join(folder.shown, path.basename(folder.cluster))
}

/** Syncs the folder, so that a rename in it survives a power cut. Windows has no such call. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}
