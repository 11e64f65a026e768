// The embedded database: a real PostgreSQL in the data folder that Kontor starts and stops. Several
// processes may need it at once (a server, commands beside it), and any of them may be killed;
// locks inside the database decide which one may stop it (session.ts). data-folder.ts finds its
// folder and user, cluster.ts makes its files, postmaster.ts runs the process.
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { prepareCluster, readPassword, superuser } from './cluster.ts'
import { diskFull, isDiskFull } from './disk.ts'
import { trimLog } from './log.ts'
import { openDataFolder, type DataFolder } from './data-folder.ts'
import { findServer, startServer, stopServer, type PostgresServer } from './postmaster.ts'
import { isAlive } from './processes.ts'
import {
  close,
  holderOf,
  openSession,
  tryEnd,
  tryHold,
  tryUse,
  waitToEnd,
  type Holder,
} from './session.ts'

export interface Embedded {
  /** A connection string for pg. It contains the password. */
  url: string
  /** Resolves if the database ends although this process did not stop it. Never rejects. */
  lost: Promise<Error>
  /** Stops the database and waits for its end. A borrower only gives it back. */
  stop(): Promise<void>
}

type Say = (line: string) => void

/**
 * The one holder that does not end by itself. All others are commands, whose end is worth waiting
 * for.
 */
const lasting = 'kontor start'
/** Milliseconds. */
const patience = 10_000
const orphanMs = 200

/**
 * Starts the database in the data folder; makes it on first use and recovers it after a crash.
 * `say` gets lines about slow steps, and other processes see `holder` ('kontor start', 'kontor
 * code'). Throws an Error of one line with the remedy.
 */
export function startEmbedded(data: string, holder: string, say: Say): Promise<Embedded> {
  return open(data, holder, say, false)
}

/**
 * For commands beside a running server: the database that runs in `data`, else one started until
 * the command ends.
 */
export function borrowEmbedded(data: string, holder: string, say: Say): Promise<Embedded> {
  return open(data, holder, say, true)
}

async function open(data: string, holder: string, say: Say, mayBorrow: boolean): Promise<Embedded> {
  const folder = await openDataFolder(data, say)
  let refusal = ''
  let suspect: number | undefined
  let until = Infinity
  const refused = (reason: string) => {
    refusal = reason
    until = Math.min(until, performance.now() + patience)
  }
  for (; performance.now() < until; await pause(50)) {
    const found = await findServer(folder, say)
    if (!found) await prepareCluster(folder, say)
    const server = found ?? (await startServer(folder, say))
    if (!server) {
      refused('its last PostgreSQL has not ended yet')
      continue
    }
    const url = await urlOf(folder, server)
    const session = await openSession(url, holder)
    if (!session) {
      refused(`its PostgreSQL, process ${server.pid}, does not answer`)
      continue
    }
    const hold = await holdOf(session, mayBorrow).catch(() => undefined)
    if (!hold) {
      // Another process stopped the server between two queries.
      await close(session)
      refused(`its PostgreSQL, process ${server.pid}, ended just now`)
      continue
    }
    if (hold.is === 'held') {
      if (!found) {
        const held = await holdServer(folder, server, session, url, holder).catch(unlessEnded)
        if (held) return held
        // Another process took the server for an orphan, since this one was slow to hold it.
        await close(session)
        refused(`its PostgreSQL, process ${server.pid}, ended just now`)
        continue
      }
      // A process that has just started the server takes its hold a moment later. Only a server
      // found twice without a holder is an orphan.
      if (suspect !== found.pid) {
        suspect = found.pid
        await close(session)
        await pause(orphanMs)
        continue
      }
      // A restarted orphan runs with this Kontor's programs and settings. Processes that borrow it
      // are not cut off.
      if (!(await tryEnd(session).catch(() => true)))
        return await holdServer(folder, server, session, url, holder)
      say('The last Kontor was killed: restarting its database…')
      await stopServer(folder, found)
      await close(session)
      continue
    }
    if (hold.is === 'borrowed') return borrowed(folder, session, url)
    const { other } = hold
    await close(session)
    refused(other ? `${other.name}, process ${other.pid}` : 'another process is just starting it')
    // The session of a killed holder ends a moment after it. So an unknown or dead holder gets that
    // moment.
    if (other?.name === lasting && other.pid !== process.pid && isAlive(other.pid)) break
  }
  throw new Error(
    `Kontor is already running on ${folder.shown} (${refusal}). Stop it first, or set KONTOR_DATA to another folder`,
  )
}

/** PostgreSQL's code for a session that ends with its server. */
const endedByServer = '57P01'

/** Answers nothing for the error of a server that was stopped, and throws any other. */
function unlessEnded(error: unknown): undefined {
  if ((error as { code?: unknown }).code !== endedByServer) throw error
}

type Hold = { is: 'held' } | { is: 'borrowed' } | { is: 'refused'; other: Holder | undefined }

/** How the session may use the server. Throws if the server ends meanwhile. */
async function holdOf(session: pg.Client, mayBorrow: boolean): Promise<Hold> {
  if (await tryHold(session)) return { is: 'held' }
  if (mayBorrow && (await tryUse(session))) return { is: 'borrowed' }
  return { is: 'refused', other: await holderOf(session) }
}

async function holdServer(
  folder: DataFolder,
  server: PostgresServer,
  first: pg.Client,
  url: string,
  holder: string,
): Promise<Embedded> {
  const { rowCount } = await first.query(`select from pg_database where datname = 'kontor'`)
  if (rowCount === 0) await first.query('create database kontor')
  const trimming = setInterval(() => void trimLog(folder).catch(() => undefined), 60_000).unref()
  let session = first
  let stopped: Promise<void> | undefined
  const isWanted = () => !stopped && isAlive(server.pid)
  const lost = new Promise<Error>((resolve) => {
    const lose = () => void gone(folder).then(resolve)
    const watch = () => session.once('end', () => void regain().catch(lose))
    // When one of its processes is killed (out of memory), PostgreSQL ends all sessions, recovers
    // and goes on.
    const regain = async () => {
      for (
        const end = performance.now() + 60_000;
        isWanted() && performance.now() < end;
        await pause(50)
      ) {
        const next = await openSession(url, holder)
        if (next && (await tryHold(next))) {
          session = next
          watch()
          return
        }
        if (next) await close(next)
      }
      if (!stopped) lose()
    }
    watch()
  })
  const stop = async () => {
    clearInterval(trimming)
    // Commands that borrowed the database may finish. A server must stop in time, so it waits five
    // seconds for them.
    await waitToEnd(session, holder === lasting ? 5000 : 0)
    await stopServer(folder, server)
    await close(session)
  }
  return { url, lost, stop: () => (stopped ??= stop()) }
}

function borrowed(folder: DataFolder, session: pg.Client, url: string): Embedded {
  let stopped: Promise<void> | undefined
  const lost = new Promise<Error>((resolve) => {
    session.once('end', () => stopped ?? void gone(folder).then(resolve))
  })
  return { url, lost, stop: () => (stopped ??= close(session)) }
}

async function gone({ data }: DataFolder): Promise<Error> {
  if (await isDiskFull(data)) return diskFull(data)
  return new Error(
    'The database ended unexpectedly. Its last words are in postgres.log in the data folder',
  )
}

async function urlOf(folder: DataFolder, { host, port }: PostgresServer): Promise<string> {
  const password = await readPassword(folder)
  if (!password)
    throw new Error(
      `${path.join(folder.shown, 'postgres.password')} is missing. Stop Kontor and start it again`,
    )
  // All parts are given: pg would fill gaps from PGPORT and PGSSLMODE.
  return host.startsWith('/')
    ? `postgresql://${superuser}:${password}@/kontor?host=${encodeURIComponent(host)}&port=${port}&sslmode=disable`
    : `postgresql://${superuser}:${password}@${host}:${port}/kontor?sslmode=disable`
}
