// The session by which a process has the embedded database. The locks it keeps say who may stop the server, and PostgreSQL drops them
// the moment the process is gone:
//   hold  exclusive, by the one process that answers for the server. A server whose hold is free is an orphan.
//   use   shared, by each process that borrows it. The holder asks for it exclusively before it stops the server.
import pg from 'pg'

/** The two numbers of each advisory lock; the first is "kont" in ASCII. */
const locks = { hold: '1802464884, 1', use: '1802464884, 2' }

export interface Holder {
  /** E.g. kontor start. */
  name: string
  pid: number
}

/**
 * A session that bears the name of its process. Undefined while the server starts or stops. Locks belong to one database: `url` leads to
 * `kontor`, the session to `postgres`, which every cluster has.
 */
export async function openSession(url: string, holder: string): Promise<pg.Client | undefined> {
  const connectionString = url.replace('/kontor?', '/postgres?')
  const session = new pg.Client({
    connectionString,
    application_name: `${holder}, process ${process.pid}`,
  })
  // Its end is noticed by those who wait for it; an error without a listener would end the process.
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
    // 53300: all connections are taken; 57P03: it is starting or stopping.
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

/** Whether nobody borrows the server; nobody can from now on. */
export function tryEnd(session: pg.Client): Promise<boolean> {
  return ask(session, `pg_try_advisory_lock(${locks.use})`)
}

/** Waits until nobody borrows the server, `patience` milliseconds at most (0: as long as it takes). */
export async function waitToEnd(session: pg.Client, patience: number): Promise<void> {
  await session
    .query(`set lock_timeout = ${patience}; select pg_advisory_lock(${locks.use})`)
    .catch(() => undefined)
}

/** Who holds the server, by the name that its session bears. */
export async function holderOf(session: pg.Client): Promise<Holder | undefined> {
  const [type, number] = locks.hold.split(', ')
  const { rows } = await session.query<{ name: string }>(
    `select application_name as name from pg_stat_activity join pg_locks using (pid)
      where locktype = 'advisory' and classid = ${type} and objid = ${number} and objsubid = 2 and granted`,
  )
  const match = /^(.*), process (\d+)$/.exec(rows[0]?.name ?? '')
  return match ? { name: match[1]!, pid: Number(match[2]) } : undefined
}

/** Ends the session; one that is broken already is no fault. */
export async function close(session: pg.Client): Promise<void> {
  await session.end().catch(() => undefined)
}

async function ask(session: pg.Client, lock: string): Promise<boolean> {
  const { rows } = await session.query<{ locked: boolean }>(`select ${lock} as locked`)
  return rows[0]!.locked
}
