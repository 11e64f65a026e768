// How Kontor talks to PostgreSQL. Statements are `sql` templates, so a value never becomes text. Two ways to run one:
// `rows` names the statement by its text (prepared once per connection: half the database's CPU on small reads), `list` leaves it
// unnamed, because a list with free filters has too many texts and needs a plan made for its values. Writing needs a `Tx`:
// nothing else is in reach of a verb, and a Tx is dead once its transaction has ended or its connection is lost, so no statement
// can slip out of it.
import pg from 'pg'
import type { Sql } from 'sql-template-tag'
import { witness } from './witness.ts'
import type { Watch } from './witness.ts'

export interface Reader {
  /** Runs a statement with a fixed text, prepared under a name. */
  rows<Row extends object>(statement: Sql): Promise<Row[]>
  /** The first row of `rows`, or undefined. */
  row<Row extends object>(statement: Sql): Promise<Row | undefined>
  /** Runs a statement whose text varies; PostgreSQL plans it for these values. */
  list<Row extends object>(statement: Sql): Promise<Row[]>
}

/** A transaction that is still open. Only a Tx can write. */
export interface Tx extends Reader {
  /** Calls `then` once, after a commit that succeeded. */
  afterCommit(then: () => void): void
  /** Wakes the followers of the journal; to be called after the commit. */
  wake: () => void
}

export interface Database extends Reader {
  /**
   * Runs `work` in one transaction: committed when it returns, rolled back when it throws. A deadlock or serialization failure runs it
   * again (up to 5 times), so `work` must have no other effect than its statements.
   */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
  /** A connection of its own, outside the pool; the caller ends it. For locks, LISTEN and commands that must not share. */
  connection(): Promise<pg.Client>
  /** How busy the pool is: connections there are, those of them without work, and statements waiting for one. */
  pool(): { total: number; idle: number; waiting: number }
  /** Throws Busy when as many wait for a connection as may; whoever is about to take in a request asks first. */
  forbidQueue(): void
  close(): Promise<void>
}

/** The connection was lost before the transaction's end was known. */
export class ConnectionLost extends Error {
  override name = 'ConnectionLost'
  /** The operating system's word for why, such as ECONNREFUSED. */
  code: string | undefined
}

/** So many wait for a connection that one more would only make all of them wait longer. */
export class Busy extends Error {
  override name = 'Busy'
}

/**
 * Opens a pool of up to `size` connections to the database at `url` (a PostgreSQL connection string). When all are in use, up to
 * `queue` statements and transactions wait, each with what its request holds in memory; more are refused with Busy.
 * `wake` is called after each commit that recorded news.
 */
export function connect(
  url: string,
  size: number,
  queue = 1000,
  wake: () => void = () => undefined,
): Database {
  const options: pg.ClientConfig = {
    connectionString: url,
    types,
    keepAlive: true,
    // A connection that a firewall forgot is found out after seconds, not after the system's two hours: LISTEN waits in silence.
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'kontor',
  }
  const pool = new pg.Pool({
    ...options,
    max: size,
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: 20_000,
  })
  // An idle connection that breaks (the server restarts) is dropped and replaced by the pool; without a listener it would end the process.
  pool.on('error', () => undefined)

  function forbidQueue(): void {
    // The pool counts those too that a free connection, or one that may still be opened, takes up in this very moment.
    const free = pool.idleCount + size - pool.totalCount
    if (pool.waitingCount - free >= queue) throw new Busy('too many wait for the database')
  }

  async function once<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    forbidQueue()
    const client = await pool.connect().catch(throwLoss)
    let lost: Error | undefined
    let ended = false
    let watch: Watch | undefined
    const after: (() => void)[] = []
    const onError = (error: Error) => {
      lost = error
    }
    client.on('error', onError)
    const guard = <Row extends object>(query: pg.QueryConfig): Promise<Row[]> => {
      if (ended) return Promise.reject(new Error('this transaction has ended'))
      if (lost) return Promise.reject(new ConnectionLost(lost.message))
      if (!watch) return run<Row>(client, query)
      return watched(watch, query, () => run<Row>(client, query))
    }
    const tx: Tx = {
      ...reader(guard),
      afterCommit: (then) => {
        after.push(then)
      },
      wake,
    }
    try {
      // Numbered from its first moment: whoever waits for the transactions of now to end misses none (changes/background.ts).
      await client.query('begin; select pg_current_xact_id()').catch(throwLoss)
      const result = witness
        ? await witness.transaction((each) => {
            watch = each
            return work(tx)
          })
        : await work(tx)
      ended = true
      if (lost) throw new ConnectionLost(lost.message)
      watch?.commit()
      const { command } = await client.query('commit').catch(throwLoss)
      // PostgreSQL answers a commit of a failed transaction with ROLLBACK and no error.
      if (command !== 'COMMIT') throw new Error('the transaction was rolled back by the database')
      for (const then of after) then()
      return result
    } catch (error) {
      ended = true
      if (!lost) await client.query('rollback').catch(onError)
      throw error
    } finally {
      client.off('error', onError)
      client.release(lost)
    }
  }

  const database: Database = {
    ...reader(async <Row extends object>(query: pg.QueryConfig) => {
      forbidQueue()
      return await run<Row>(pool, query)
    }),
    pool: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    forbidQueue,
    async transaction(work) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await once(work)
        } catch (error) {
          if (!isRetryable(error) || attempt === 5) throw error
          // Colliding transactions would meet again at once; a few random milliseconds part them.
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * attempt))
        }
      }
    },
    async connection() {
      const client = new pg.Client(options)
      await client.connect()
      return client
    },
    close: () => pool.end(),
  }
  return database
}

type Runner = <Row extends object>(query: pg.QueryConfig) => Promise<Row[]>

function reader(run: Runner): Reader {
  return {
    rows: (statement) =>
      run({ name: nameOf(statement.text), text: statement.text, values: statement.values }),
    row: async <Row extends object>(statement: Sql) =>
      (
        await run<Row>({
          name: nameOf(statement.text),
          text: statement.text,
          values: statement.values,
        })
      )[0],
    list: (statement) => run({ text: statement.text, values: statement.values }),
  }
}

async function run<Row extends object>(
  on: pg.Pool | pg.PoolClient,
  query: pg.QueryConfig,
): Promise<Row[]> {
  return (await on.query<Row>(query).catch(throwLoss)).rows
}

async function watched<Row extends object>(
  watch: Watch,
  { text }: pg.QueryConfig,
  send: () => Promise<Row[]>,
): Promise<Row[]> {
  watch.statement(text)
  const rows = await send()
  watch.answered(text, rows)
  return rows
}

/** What is wrong with a statement comes as a DatabaseError; without an answer, the connection failed (pg has no type for that). */
function throwLoss(error: Error & { code?: string }): never {
  const isLost =
    !(error instanceof pg.DatabaseError) &&
    (error.code !== undefined || /connection|timeout/i.test(error.message))
  throw isLost ? Object.assign(new ConnectionLost(error.message), { code: error.code }) : error
}

/** Statement names by text. The number of texts is finite: whoever builds texts freely uses `list`. */
const names = new Map<string, string>()

function nameOf(text: string): string {
  let name = names.get(text)
  if (!name) names.set(text, (name = `k${names.size}`))
  return name
}

/** 40P01 deadlock detected, 40001 serialization failure (PostgreSQL, appendix A). */
function isRetryable(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '40P01' || error.code === '40001')
}

/** bigint (type 20) as Number: every id, time and price of the interface is a safe integer. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === 20 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}
