// The session by which a process uses the embedded database. Its locks decide which process may
// stop the server, and PostgreSQL drops them as soon as the process is gone:
// - hold: exclusive, for the one process that is responsible for the server. A server without a
//   holder is an orphan.
// - use: shared, for each process that borrows the server. The holder takes it exclusively before
//   it stops the server.
import pg from 'pg'

/** The two numbers of each advisory lock; the first is "kont" in ASCII. */
const locks = { hold: '1802464884, 1', use: '1802464884, 2' }

export interface Holder {
  /** Such as `kontor start`. */
  name: string
  pid: number
}

/**
 * A session named after its process. Undefined while the server starts or stops. Locks belong to
 * one database, so it connects to `postgres`, which every cluster has, instead of the `kontor` of
 * `url`.
 */
export async function openSession(url: string, holder: string): Promise<pg.Client | undefined> {
  const connectionString = url.replace('/kontor?', '/postgres?')
  const session = new pg.Client({
    connectionString,
    application_name: `${holder}, process ${process.pid}`,
  })
  // Its users notice the end of the session. An error without a listener would end the process.
  session.on('error', () => undefined)
  try {
    await session.connect()
    return session
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    await close(session)
    if (code === '28P01') {
      throw new Error(
        'The database does not take the password in postgres.password. Restore that file, or stop Kontor, remove it and start again',
        { cause: error },
      )
    }
    // 53300: all connections are in use. 57P03: the server starts or stops.
    if (code?.startsWith('E') || code === '57P03' || code === '53300' || /terminated/.test(message))
      return undefined
    throw error
  }
}

export function tryHold(session: pg.Client): Promise<boolean> {
  return ask(session, `pg_try_advisory_lock(${locks.hold})`)
}

export function tryUse(session: pg.Client): Promise<boolean> {
  return ask(session, `pg_try_advisory_lock_shared(${locks.use})`)
}

/** Whether no process borrows the server. If so, none can from now on. */
export function tryEnd(session: pg.Client): Promise<boolean> {
  return ask(session, `pg_try_advisory_lock(${locks.use})`)
}

/**
 * Waits until no process borrows the server, `patience` milliseconds at most (0: without limit).
 */
export async function waitToEnd(session: pg.Client, patience: number): Promise<void> {
  await session
    .query(`set lock_timeout = ${patience}; select pg_advisory_lock(${locks.use})`)
    .catch(() => undefined)
}

/** The holder of the server, by the name of its session. */
export async function holderOf(session: pg.Client): Promise<Holder | undefined> {
  const [type, number] = locks.hold.split(', ')
  const { rows } = await session.query<{ name: string }>(
    `select application_name as name from pg_stat_activity join pg_locks using (pid)
      where locktype = 'advisory' and classid = ${type} and objid = ${number} and objsubid = 2 and granted`,
  )
  const match = /^(.*), process (\d+)$/.exec(rows[0]?.name ?? '')
  return match ? { name: match[1]!, pid: Number(match[2]) } : undefined
}

/** Ends the session. One that is broken already is no error. */
export async function close(session: pg.Client): Promise<void> {
  await session.end().catch(() => undefined)
}

async function ask(session: pg.Client, lock: string): Promise<boolean> {
  const { rows } = await session.query<{ locked: boolean }>(`select ${lock} as locked`)
  return rows[0]!.locked
}
