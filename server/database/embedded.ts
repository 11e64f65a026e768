// The embedded database: a real PostgreSQL that Kontor starts and stops itself, in the data folder. Several processes may want it at
// once (a server, commands beside it), and any of them may be killed. Who may stop it is settled by locks inside the database, which
// PostgreSQL drops the moment their process is gone:
//   hold  exclusive, by the one process that answers for the server. A server whose hold is free is an orphan.
//   use   shared, by each process that borrows it. The holder asks for it exclusively before it stops the server.
// The connection that keeps these locks also tells its process when the server dies.
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { prepareCluster, readPassword, superuser } from './cluster.ts'
import { trimLog } from './log.ts'
import { settle, type Place } from './place.ts'
import { findServer, startServer, stopServer, type Server } from './postmaster.ts'
import { isAlive } from './processes.ts'

export interface Embedded {
  /** A connection string for pg. It contains the password. */
  url: string
  /** Resolves when the database ends although nobody stopped it here. Never rejects. */
  lost: Promise<Error>
  /** Stops the database and waits for its end; for a borrower, gives it back. */
  stop(): Promise<void>
}

type Say = (line: string) => void

/** The two numbers of an advisory lock; the first is "kont" in ASCII. */
const hold = '1802464884, 1'
const use = '1802464884, 2'

/** The holder that does not end by itself. Everybody else is a command: worth waiting for. */
const lasting = 'kontor start'
const patience = 10_000

/**
 * Starts the database under the data folder, making it on first use and recovering it after a crash. `say` hears what takes time.
 * `holder` ('kontor start', 'kontor code') is what others are told. Throws an Error in one line with the way out.
 */
export function startEmbedded(data: string, holder: string, say: Say): Promise<Embedded> {
  return open(data, holder, say, false)
}

/** For commands beside a running server: the database that runs under `data`, else one started for the command's time. */
export function borrowEmbedded(data: string, holder: string, say: Say): Promise<Embedded> {
  return open(data, holder, say, true)
}

async function open(data: string, holder: string, say: Say, mayBorrow: boolean): Promise<Embedded> {
  const place = await settle(data, say)
  let refusal = ''
  let until = Infinity
  const refused = (reason: string) => {
    refusal = reason
    until = Math.min(until, Date.now() + patience)
  }
  for (; Date.now() < until; await pause(50)) {
    const found = await findServer(place, say)
    if (!found) await prepareCluster(place, say)
    const server = found ?? (await startServer(place, say))
    if (!server) {
      refused('its last server has not ended yet')
      continue
    }
    const url = await urlOf(place, server)
    const session = await connect(url, holder)
    if (!session) {
      refused(`its PostgreSQL, process ${server.pid}, does not answer`)
      continue
    }
    if (await has(session, `pg_try_advisory_lock(${hold})`)) {
      // Started anew, an orphan runs with this Kontor's programs and settings. Who borrows it is not cut off.
      if (found && (await has(session, `pg_try_advisory_lock(${use})`))) {
        say('The last Kontor was killed: restarting its database…')
        await stopServer(place, found)
        await session.end().catch(() => undefined)
        continue
      }
      return await held(place, server, session, url, holder)
    }
    if (mayBorrow && (await has(session, `pg_try_advisory_lock_shared(${use})`))) return borrowed(session, url)
    const other = await holderOf(session)
    await session.end().catch(() => undefined)
    refused(other ? `${other.name}, process ${other.pid}` : 'another process is just starting it')
    // A killed holder's session ends a moment after it, so one that is not to be seen here gets that moment.
    if (other?.name === lasting && other.pid !== process.pid && isAlive(other.pid)) break
  }
  throw new Error(
    `Kontor is already running on ${place.shown} (${refusal}). Stop it first, or set KONTOR_DATA to another folder`,
  )
}

async function held(place: Place, server: Server, session: pg.Client, url: string, holder: string): Promise<Embedded> {
  const { rowCount } = await session.query(`select from pg_database where datname = 'kontor'`)
  if (rowCount === 0) await session.query('create database kontor')
  const trimming = setInterval(() => void trimLog(place).catch(() => undefined), 60_000).unref()
  const watch = watchOver(session)
  let stopped: Promise<void> | undefined
  const stop = async () => {
    clearInterval(trimming)
    watch.release()
    // Commands that borrowed the database may finish: under a server for five seconds, so that it stops in time, else all of them.
    await session
      .query(`set lock_timeout = ${holder === lasting ? 5000 : 0}; select pg_advisory_lock(${use})`)
      .catch(() => undefined)
    await stopServer(place, server)
    await session.end().catch(() => undefined)
  }
  return { url, lost: watch.lost, stop: () => (stopped ??= stop()) }
}

function borrowed(session: pg.Client, url: string): Embedded {
  const watch = watchOver(session)
  let stopped: Promise<void> | undefined
  const stop = async () => {
    watch.release()
    await session.end().catch(() => undefined)
  }
  return { url, lost: watch.lost, stop: () => (stopped ??= stop()) }
}

function watchOver(session: pg.Client): { lost: Promise<Error>; release(): void } {
  let released = false
  const lost = new Promise<Error>((resolve) => {
    const tell = (error?: Error) => {
      if (!released) resolve(new Error(`The database ended unexpectedly${error ? ` (${error.message})` : ''}`))
    }
    session.on('error', tell).on('end', () => tell())
  })
  return {
    lost,
    release() {
      released = true
    },
  }
}

/** A connection that names its process to others. Undefined while the server starts or stops. */
async function connect(url: string, holder: string): Promise<pg.Client | undefined> {
  // Locks belong to one database: always the one that every cluster has.
  const connectionString = url.replace('/kontor?', '/postgres?')
  const session = new pg.Client({ connectionString, application_name: `${holder}, process ${process.pid}` })
  session.on('error', () => undefined)
  try {
    await session.connect()
    return session
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    await session.end().catch(() => undefined)
    if (code === '28P01') {
      throw new Error(
        'The database does not take the password in postgres.password. Restore that file, or stop Kontor, remove it and start again',
        { cause: error },
      )
    }
    // 53300: all connections are taken; 57P03: it is starting or stopping.
    if (code?.startsWith('E') || code === '57P03' || code === '53300' || /terminated/.test(message)) return undefined
    throw error
  }
}

async function has(session: pg.Client, lock: string): Promise<boolean> {
  return await session.query<{ locked: boolean }>(`select ${lock} as locked`).then(({ rows }) => rows[0]!.locked)
}

/** Who holds the server, by the name its session bears. */
async function holderOf(session: pg.Client): Promise<{ name: string; pid: number } | undefined> {
  const [type, number] = hold.split(', ')
  const { rows } = await session.query<{ name: string }>(
    `select application_name as name from pg_stat_activity join pg_locks using (pid)
      where locktype = 'advisory' and classid = ${type} and objid = ${number} and objsubid = 2 and granted`,
  )
  const match = /^(.*), process (\d+)$/.exec(rows[0]?.name ?? '')
  return match ? { name: match[1]!, pid: Number(match[2]) } : undefined
}

async function urlOf(place: Place, { host, port }: Server): Promise<string> {
  const password = await readPassword(place)
  if (!password) throw new Error(`${path.join(place.shown, 'postgres.password')} is missing. Stop Kontor and start it again`)
  // Stated in full, because pg would fill gaps from PGPORT and PGSSLMODE.
  return host.startsWith('/')
    ? `postgresql://${superuser}:${password}@/kontor?host=${encodeURIComponent(host)}&port=${port}&sslmode=disable`
    : `postgresql://${superuser}:${password}@${host}:${port}/kontor?sslmode=disable`
}
