// One PostgreSQL server process (the postmaster) on the embedded database's files. PostgreSQL itself makes sure that there is at most
// one: by `postmaster.pid` (process id, folder, start, port, socket folder, address, shared memory, status, a line each) and by a piece
// of shared memory that lives as long as any of its processes. Both can outlive a killed server; what stands in the way of a start then
// is only removed after it is certain that nothing runs.
import { spawn, type ChildProcess } from 'node:child_process'
import { readFile, unlink } from 'node:fs/promises'
import net from 'node:net'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { cannotRun, environment } from './cluster.ts'
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

/** The server running on these files, once it is ready; undefined when none runs. Clears away what a dead one left. */
export async function findServer(
  place: DataFolder,
  say: (line: string) => void,
): Promise<PostgresServer | undefined> {
  const waits = progress(say, 'Waiting for the database, it is starting or stopping…')
  for (const start = Date.now(); ; await waits()) {
    const note = await readNote(place)
    if (!note) return undefined
    // An empty note is being written this moment, or a power cut has left it so; PostgreSQL does not start beside one.
    if (note.text === '' && Date.now() - start < 1000) continue
    if (!(await isServerOf(place, note.pid))) {
      await clearAway(place, note)
      return undefined
    }
    if (note.status === 'ready') return note
  }
}

/**
 * Starts a server and waits until it is ready, however long its recovery takes. Undefined: not now, because another start was faster or
 * the last server's processes are still ending. Throws an Error in one line with the log's last words.
 */
export async function startServer(
  place: DataFolder,
  say: (line: string) => void,
): Promise<PostgresServer | undefined> {
  const host = await makeSocketFolder(place)
  const port = process.platform === 'win32' ? await freePort() : 5432
  const log = await openLog(place)
  const settings = Object.entries(settingsOf(place, host, port)).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  // A session of its own: Ctrl-C in a terminal goes to Kontor, which still needs the database to stop in order.
  const child = spawn(place.binaries.postgres, ['-D', place.cluster, ...settings], {
    ...place.account,
    cwd: path.parse(place.data).root,
    env: environment(),
    stdio: ['ignore', log.handle.fd, log.handle.fd],
    detached: true,
    windowsHide: true,
  })
  const ended = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once('error', (error) => reject(new Error(cannotRun(place.binaries.postgres, error))))
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 0))
  })
  ended.catch(() => undefined)
  const waits = progress(say, 'Recovering the database after an abrupt end…')
  try {
    for (;;) {
      const note = await readNote(place)
      if (note?.pid === child.pid && note?.status === 'ready') break
      if (await Promise.race([ended.then(() => true), waits()]))
        return await explain(place, host, await ended, await log.lastWords(child.pid!))
    }
  } finally {
    await log.handle.close()
  }
  child.unref()
  return { pid: child.pid!, host, port }
}

/** Ends the server: open transactions are rolled back, everything committed is on disk. After 30 s without that, by force. */
export async function stopServer(place: DataFolder, server: PostgresServer): Promise<void> {
  const steps = [
    { signal: 'SIGINT', patience: 30_000 },
    { signal: 'SIGQUIT', patience: 30_000 },
  ] as const
  for (const { signal, patience } of steps) {
    if (!(await isServerOf(place, server.pid))) break
    await send(place, server.pid, signal)
    for (const end = Date.now() + patience; Date.now() < end && isAlive(server.pid);) await pause(5)
    if (!isAlive(server.pid)) break
  }
  if (isAlive(server.pid) && (await isServerOf(place, server.pid))) {
    throw new Error(
      `The database in ${place.shown} does not stop (process ${server.pid}). See ${path.join(place.shown, 'postgres.log')}`,
    )
  }
  await removeSocketFolder(server.host)
}

type Note = PostgresServer & { status: string; text: string }

async function readNote(place: DataFolder): Promise<Note | undefined> {
  const text = await readFile(noteFile(place), 'utf8').catch((error: NodeJS.ErrnoException) => {
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

/** Whether that process is a server on these files, and not another program that got a dead server's number. */
async function isServerOf(place: DataFolder, pid: number): Promise<boolean> {
  if (pid === process.pid || !isAlive(pid)) return false
  const command = await commandOf(pid)
  if (process.platform === 'win32') return command.includes('postgres')
  return `${command} `.includes(`-D ${place.cluster} `) || (await folderOf(pid)) === place.cluster
}

/** Removes the note of a server that is dead. */
async function clearAway(place: DataFolder, note: Note): Promise<void> {
  if (await answers(note)) {
    throw new Error(
      `A PostgreSQL that this process cannot see, perhaps in another container, runs on ${place.shown}. Stop it first, or set KONTOR_DATA to another folder`,
    )
  }
  // Another start may have put its own in place meanwhile.
  if ((await readNote(place))?.text !== note.text) return
  await removeSocket(note.host)
  await unlink(noteFile(place)).catch(() => undefined)
}

/** Whether something listens where the note says. A socket file tells even across containers that share the folder. */
async function answers({ host, port }: PostgresServer): Promise<boolean> {
  if (!host.startsWith('/')) return false
  const socket = net.connect(path.join(host, `.s.PGSQL.${port}`))
  return await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  }).finally(() => socket.destroy())
}

/** Why the server ended before it was ready: undefined when another attempt will do, else an Error is thrown. */
async function explain(
  place: DataFolder,
  host: string,
  code: number | NodeJS.Signals,
  words: string,
): Promise<undefined> {
  await removeSocketFolder(host)
  if (/lock file .* (already exists|is empty)/.test(words)) return undefined
  if (/shared memory block .* still in use/.test(words)) {
    // Their server is dead, so nothing they do can be kept; each would leave by itself after its current statement.
    for (const pid of await processesNamed(`postgres: ${clusterName(place)}: `))
      await send(place, pid, 'SIGKILL')
    return undefined
  }
  throw new Error(`PostgreSQL did not start in ${place.shown}: ${words || `it ended with ${code}`}`)
}

async function send(
  place: DataFolder,
  pid: number,
  signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL',
): Promise<void> {
  if (process.platform !== 'win32') {
    try {
      process.kill(pid, signal)
    } catch {
      // It has just ended.
    }
    return
  }
  // Windows has no signals; PostgreSQL takes them through a pipe that pg_ctl knows.
  const control = path.join(path.dirname(place.binaries.postgres), 'pg_ctl.exe')
  const child: ChildProcess = spawn(control, ['kill', signal.slice(3), String(pid)], {
    stdio: 'ignore',
    windowsHide: true,
  })
  await new Promise((resolve) => child.once('exit', resolve).once('error', resolve))
}

function noteFile(place: DataFolder): string {
  return path.join(place.cluster, 'postmaster.pid')
}

/** Waits 10 ms a time (a start takes about 30) and says the line once when it takes longer than two seconds. */
function progress(say: (line: string) => void, line: string): () => Promise<false> {
  const start = Date.now()
  let said = false
  return async () => {
    await pause(10)
    if (!said && Date.now() - start > 2000) {
      said = true
      say(line)
    }
    return false
  }
}
