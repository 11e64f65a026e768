// Brings a database to this version's schema. The numbered files of migrations/ run in order, each
// in a transaction with its row in `migrations`, so a crash leaves only whole migrations. Processes
// that start at once wait for each other.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type pg from 'pg'
import sql from 'sql-template-tag'
import type { Database } from './connect.ts'

interface Migration {
  number: number
  /** The name of the file, such as 0001_foundation.sql. */
  name: string
  /** SHA-256 of the text with Unix line ends, in hexadecimal. */
  checksum: string
}

const files = path.join(import.meta.dirname, 'migrations')

/** The two numbers of an advisory lock. The first is "kont" in ASCII. */
const lock = '1802464884, 3'

/**
 * Migrates the database; one cheap query if there is nothing to do. `say` gets a line per
 * migration. Throws an Error of one line with the remedy: an old or non-UTF-8 database, an edited
 * migration, or a database that a newer Kontor migrated.
 */
export async function migrate(
  database: Database,
  say: (line: string) => void,
  folder = files,
): Promise<void> {
  const migrations = readMigrations(folder)
  const state = await readState(database)
  mustServe(state)
  if (missing(migrations, state.applied ?? []).length === 0) return

  const connection = await database.connection()
  try {
    await takeLock(database, connection)
    if (!state.applied) await connection.query(table)
    const { rows: applied } = await connection.query<Migration>(
      'select number, name, checksum from migrations',
    )
    for (const migration of missing(migrations, applied)) {
      say(`Migrating the database: ${migration.name}`)
      await apply(connection, migration, readFileSync(path.join(folder, migration.name), 'utf8'))
    }
  } finally {
    await connection.end().catch(() => undefined)
  }
}

const table = `create table if not exists migrations (
  number int primary key,
  name text not null,
  checksum text not null,
  applied_at bigint not null
)`

/**
 * For `kontor doctor`: server version (150004), encoding, and the names of the migrations still to
 * run.
 */
export async function examine(
  database: Database,
  folder = files,
): Promise<{ version: number; encoding: string; pending: string[] }> {
  const { version, encoding, applied } = await readState(database)
  return {
    version,
    encoding,
    pending: missing(readMigrations(folder), applied ?? []).map(({ name }) => name),
  }
}

interface State {
  /** Such as 150004. */
  version: number
  encoding: string
  /** Undefined for a new database. */
  applied: Migration[] | undefined
}

async function readState(database: Database): Promise<State> {
  const facts = sql`current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding`
  const statements = {
    // One query; json_agg avoids a row per migration that repeats the same facts.
    migrated: sql`select ${facts}, (select coalesce(json_agg(migrations), '[]') from migrations) as applied`,
    fresh: sql`select ${facts}`,
  }
  const read = async (statement: typeof statements.fresh) =>
    (await database.list<State>(statement))[0]!
  try {
    return await read(statements.migrated)
  } catch (error) {
    const { code } = error as { code?: string }
    // 42P01: the table does not exist.
    if (code === '42P01') return { ...(await read(statements.fresh)), applied: undefined }
    throw unreachable(error) ?? error
  }
}

/** A failed connection in words. After several addresses pg gives an empty message. */
function unreachable(error: unknown): Error | undefined {
  const {
    code = '',
    message,
    errors,
  } = error as { code?: string; message: string; errors?: Error[] }
  const words = message || errors?.map((each) => each.message).join(', ') || code
  // 28: authorization failed. 3D: no such database. 53300: no connection left. 57P03: the server
  // starts.
  if (!/^E[A-Z]+$|^28|^3D|^53300$|^57P03$/.test(code) && !errors) return undefined
  return new Error(`The database cannot be reached: ${words}. Check DATABASE_URL`)
}

function mustServe({ version, encoding }: State): void {
  if (version < 150_000) {
    throw new Error(
      `The database server is PostgreSQL ${Math.floor(version / 10_000)}, Kontor needs 15 or later. Upgrade it, or leave DATABASE_URL empty for the embedded one`,
    )
  }
  if (encoding === 'UTF8') return
  throw new Error(
    `The database is encoded in ${encoding}, Kontor needs UTF8. Make one with: create database kontor encoding 'UTF8' template template0`,
  )
}

/** Reads at once, before anything else happens: a promise per file takes thrice the time. */
function readMigrations(folder: string): Migration[] {
  const names = readdirSync(folder).filter((name) => /^\d{4}_\w+\.sql$/.test(name))
  return names.toSorted().map((name) => {
    const text = readFileSync(path.join(folder, name), 'utf8').replaceAll('\r\n', '\n')
    return {
      number: Number(name.slice(0, 4)),
      name,
      checksum: createHash('sha256').update(text).digest('hex'),
    }
  })
}

/**
 * The migrations still to run. Throws if the database's migrations are not the first ones of this
 * version.
 */
function missing(migrations: Migration[], applied: Migration[]): Migration[] {
  const known = new Map(migrations.map((migration) => [migration.number, migration]))
  for (const { number, name, checksum } of applied) {
    const file = known.get(number)
    if (!file) {
      throw new Error(
        `The database was migrated by a newer Kontor (${name}). Install that version, or restore a backup made before it`,
      )
    }
    if (file.checksum === checksum) continue
    throw new Error(
      `${file.name} differs from what ran on this database. Restore the file; a change needs a migration of its own`,
    )
  }
  const done = new Set(applied.map(({ number }) => number))
  return migrations.filter(({ number }) => !done.has(number))
}

/** Waits for other processes that migrate. */
async function takeLock(database: Database, connection: pg.Client): Promise<void> {
  // A role's limits could end a long index build.
  await connection.query(
    'set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0',
  )
  await connection.query(`select pg_advisory_lock(${lock})`)
  const [second] = await database.list<{ locked: boolean }>(
    sql`select pg_try_advisory_lock(1802464884, 3) as locked`,
  )
  // Both connections share one session: the lock would exclude no process, and LISTEN would receive
  // nothing.
  if (second?.locked) {
    throw new Error(
      'DATABASE_URL leads to a pooler in transaction mode. Kontor needs session mode, or a direct connection',
    )
  }
}

async function apply(
  connection: pg.Client,
  { number, name, checksum }: Migration,
  text: string,
): Promise<void> {
  await connection.query('begin')
  try {
    await connection.query(text)
    await connection.query(
      'insert into migrations values ($1, $2, $3, extract(epoch from clock_timestamp())::bigint)',
      [number, name, checksum],
    )
    await connection.query('commit')
  } catch (error) {
    await connection.query('rollback').catch(() => undefined)
    const { message, position } = error as { message: string; position?: string }
    const line =
      position === undefined ? '' : `, line ${text.slice(0, Number(position)).split('\n').length}`
    throw new Error(`${name}${line}: ${message}. The database is as it was before this migration`, {
      cause: error,
    })
  }
}
