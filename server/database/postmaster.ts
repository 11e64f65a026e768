// The PostgreSQL server process (the postmaster) of the embedded database. PostgreSQL allows at
// most one, by `postmaster.pid` (a line each: process id, folder, start, port, socket folder,
// address, shared memory, status) and by shared memory that lives as long as any of its processes.
// Both can outlive a killed server; they are removed only when certainly none of its processes
// runs.
import { spawn, type ChildProcess } from 'node:child_process'
import { readFile, unlink } from 'node:fs/promises'
import net from 'node:net'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { cannotRun, environment } from './cluster.ts'
import { diskFull, isDiskFull } from './disk.ts'
import { openLog } from './log.ts'
import type { DataFolder } from './data-folder.ts'
import { commandOf, folderOf, isAlive, processesNamed } from './processes.ts'
import { clusterName, freePort, settingsOf } from './settings.ts'
import { makeSocketFolder, removeSocket, removeSocketFolder } from './socket.ts'

/** A server that accepts connections. */
export interface PostgresServer {
  pid: number
  /** Folder of the unix socket, or 127.0.0.1. */
  host: string
  port: number
}

/**
 * The server that runs on these files, once it is ready; undefined if none runs. Removes the
 * leftovers of a dead one.
 */
export async function findServer(
  folder: DataFolder,
  say: (line: string) => void,
): Promise<PostgresServer | undefined> {
  const waits = progress(say, 'Waiting for the database, it is starting or stopping…')
  for (const start = performance.now(); ; await waits()) {
    const note = await readNote(folder)
    if (!note) return undefined
    // Another start may be writing an empty postmaster.pid right now, or a power cut left it.
    // PostgreSQL does not start beside one.
    if (note.text === '' && performance.now() - start < 1000) continue
    if (!(await isServerOf(folder, note.pid))) {
      await clearAway(folder, note)
      return undefined
    }
    if (note.status === 'ready') return note
  }
}

/**
 * Starts a server and waits until it is ready, however long recovery takes. Undefined: try again,
 * because another start was faster or the last server's processes are still ending. Throws an Error
 * of one line with the log's last lines.
 */
export async function startServer(
  folder: DataFolder,
  say: (line: string) => void,
): Promise<PostgresServer | undefined> {
  const host = await makeSocketFolder(folder)
  const port = process.platform === 'win32' ? await freePort() : 5432
  const log = await openLog(folder)
  const settings = Object.entries(settingsOf(folder, host, port)).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const how = (await wasStopped(folder))
    ? 'Starting the database…'
    : 'Recovering the database after an abrupt end…'
  // A session of its own: Ctrl-C in a terminal then reaches only Kontor, which needs the database
  // to stop in order.
  const child = spawn(folder.binaries.postgres, ['-D', folder.cluster, ...settings], {
    ...folder.account,
    cwd: path.parse(folder.data).root,
    env: environment(),
    stdio: ['ignore', log.handle.fd, log.handle.fd],
    detached: true,
    windowsHide: true,
  })
  const ended = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once('error', (error) => reject(new Error(cannotRun(folder.binaries.postgres, error))))
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 0))
  })
  ended.catch(() => undefined)
  const waits = progress(say, how)
  try {
    for (;;) {
      const note = await readNote(folder)
      if (note?.pid === child.pid && note?.status === 'ready') break
      if (await Promise.race([ended.then(() => true), waits()]))
        return await explain(folder, host, await ended, await log.lastWords(child.pid!))
    }
  } finally {
    await log.handle.close()
  }
  child.unref()
  return { pid: child.pid!, host, port }
}

/** Where PostgreSQL keeps the state of a cluster in its control file, and the states of an ordered end. */
const stateAt = 16
const stopped = new Set([1, 2])

/** Whether the last server on these files ended in order, or none has run on them yet. */
export async function wasStopped({ cluster }: Pick<DataFolder, 'cluster'>): Promise<boolean> {
  const control = await readFile(path.join(cluster, 'global', 'pg_control'))
  return stopped.has(control.readUInt32LE(stateAt))
}

/**
 * Ends the server: open transactions are rolled back, committed ones are on disk. Ends it by force
 * after 30 seconds.
 */
export async function stopServer(folder: DataFolder, server: PostgresServer): Promise<void> {
  const steps = [
    { signal: 'SIGINT', patience: 30_000 },
    { signal: 'SIGQUIT', patience: 30_000 },
  ] as const
  for (const { signal, patience } of steps) {
    if (!(await isServerOf(folder, server.pid))) break
    await send(folder, server.pid, signal)
    for (const end = performance.now() + patience; performance.now() < end && isAlive(server.pid);)
      await pause(5)
    if (!isAlive(server.pid)) break
  }
  if (isAlive(server.pid) && (await isServerOf(folder, server.pid))) {
    throw new Error(
      `The database in ${folder.shown} does not stop (process ${server.pid}). See ${path.join(folder.shown, 'postgres.log')}`,
    )
  }
  await removeSocketFolder(server.host)
}

type Note = PostgresServer & { status: string; text: string }

async function readNote(folder: DataFolder): Promise<Note | undefined> {
  const text = await readFile(noteFile(folder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const [pid, , , port, socket, address, , status] = text.split('\n').map((line) => line.trim())
  return {
    pid: Number(pid),
    port: Number(port),
    host: socket || address || '',
    status: status ?? '',
    text,
  }
}

/**
 * Whether that process is a server on these files, and not another program that got a dead server's
 * id.
 */
async function isServerOf(folder: DataFolder, pid: number): Promise<boolean> {
  if (pid === process.pid || !isAlive(pid)) return false
  const command = await commandOf(pid)
  if (process.platform === 'win32') return command.includes('postgres')
  return `${command} `.includes(`-D ${folder.cluster} `) || (await folderOf(pid)) === folder.cluster
}

/** Removes the postmaster.pid of a dead server. */
async function clearAway(folder: DataFolder, note: Note): Promise<void> {
  if (await answers(note)) {
    throw new Error(
      `A PostgreSQL that this process cannot see, perhaps in another container, runs on ${folder.shown}. Stop it first, or set KONTOR_DATA to another folder`,
    )
  }
  // Another start may have written its own postmaster.pid meanwhile.
  if ((await readNote(folder))?.text !== note.text) return
  await removeSocket(note.host)
  await unlink(noteFile(folder)).catch(() => undefined)
}

/**
 * Whether a server answers at the socket in postmaster.pid. That works across containers that share
 * the folder.
 */
async function answers({ host, port }: PostgresServer): Promise<boolean> {
  if (!host.startsWith('/')) return false
  const socket = net.connect(path.join(host, `.s.PGSQL.${port}`))
  return await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  }).finally(() => socket.destroy())
}

/**
 * Why the server ended before it was ready. Undefined if another attempt may succeed, else throws
 * an Error.
 */
async function explain(
  folder: DataFolder,
  host: string,
  code: number | NodeJS.Signals,
  words: string,
): Promise<undefined> {
  await removeSocketFolder(host)
  if (/lock file .* (already exists|is empty)/.test(words)) return undefined
  if (/shared memory block .* still in use/.test(words)) {
    // Their server is dead, so their work is lost in any case. Each would end by itself after its
    // current statement.
    for (const pid of await processesNamed(`postgres: ${clusterName(folder)}: `))
      await send(folder, pid, 'SIGKILL')
    return undefined
  }
  if (await isDiskFull(folder.data, words)) throw diskFull(folder.data)
  throw new Error(
    `PostgreSQL did not start in ${folder.shown}: ${words || `it ended with ${code}`}`,
  )
}

async function send(
  folder: DataFolder,
  pid: number,
  signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL',
): Promise<void> {
  if (process.platform !== 'win32') {
    try {
      process.kill(pid, signal)
    } catch {
      // The process has just ended.
    }
    return
  }
  // Windows has no signals. PostgreSQL takes them through a pipe that pg_ctl writes to.
  const control = path.join(path.dirname(folder.binaries.postgres), 'pg_ctl.exe')
  const child: ChildProcess = spawn(control, ['kill', signal.slice(3), String(pid)], {
    stdio: 'ignore',
    windowsHide: true,
  })
  await new Promise((resolve) => child.once('exit', resolve).once('error', resolve))
}

function noteFile(folder: DataFolder): string {
  return path.join(folder.cluster, 'postmaster.pid')
}

/**
 * Waits 10 ms per call (a start takes about 30). Says the line once if it takes longer than two
 * seconds.
 */
function progress(say: (line: string) => void, line: string): () => Promise<false> {
  const start = performance.now()
  let said = false
  return async () => {
    await pause(10)
    if (!said && performance.now() - start > 2000) {
      said = true
      say(line)
    }
    return false
  }
}
