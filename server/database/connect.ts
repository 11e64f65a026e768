// The connection pool of PostgreSQL. Statements are `sql` templates, so a value never becomes text.
// `rows` names a statement by its text (prepared once per connection: half the database's CPU on
// small reads); `list` leaves it unnamed, because filters make too many texts and need a plan for
// their values; `page` has one plan for all values (docs/decisions/0057-plans.md). Statements of one
// transaction that are not waited for one by one travel together. Only a `Tx` writes, and it refuses
// statements once its transaction has ended or its connection is lost.
import pg from 'pg'
import type { Sql } from 'sql-template-tag'
import { transactionChecks } from './transaction-checks.ts'
import type { Watch } from './transaction-checks.ts'

export interface Reader {
  /**
   * The pool's number in this process. The process keeps what it remembers of an account by this number and
   * the account's id: the accounts of several databases have the same ids.
   */
  readonly source: number
  /** Runs a statement with a fixed text, prepared under a name. */
  rows<Row extends object>(statement: Sql): Promise<Row[]>
  /** The first row of `rows`, or undefined. */
  row<Row extends object>(statement: Sql): Promise<Row | undefined>
  /** Runs a statement whose text varies. PostgreSQL plans it for these values. */
  list<Row extends object>(statement: Sql): Promise<Row[]>
  /**
   * Runs a statement whose text varies, and whose plan is the same for all values. Texts that come
   * often are prepared.
   */
  page<Row extends object>(statement: Sql): Promise<Row[]>
  /** Runs a statement in one of these ways. Answers its rows as the texts of their columns. */
  cells(way: 'rows' | 'list' | 'page', statement: Sql): Promise<Cells[]>
}

/** The columns of a row in their order, as PostgreSQL writes them. */
export type Cells = (string | null)[]

/** An open transaction. Only a Tx can write. */
export interface Tx extends Reader {
  /**
   * The time by the clock of the database, Unix seconds: read with the first statement of the
   * transaction and counted on from there, so that it costs no statement. Verbs ask for it by
   * `startWriting` (access/actor.ts).
   */
  now(): number
  /** Seconds that `now` and the times of events lie back. 0, but in `earlier`. */
  readonly ago: number
  /** Calls `then` once, after a successful commit. */
  afterCommit(then: () => void): void
  /** Signals every process, this one at once (changes/signals.ts). Called after the commit. */
  signal: (channel: string) => void
}

/**
 * The transaction as if it ran this many seconds ago: what it writes bears the times of then. For the
 * history of an account that nobody has asked yet (decision 90).
 */
export const earlier = (tx: Tx, seconds: number): Tx => ({
  ...tx,
  now: () => tx.now() - seconds,
  ago: tx.ago + seconds,
})

export interface TransactionOptions {
  /**
   * False: the commit does not wait for the disk. A crash of the database may undo it with all later
   * ones, of about the last half second; a crash of this process does not. For what is then repeated.
   */
  isDurable?: boolean
}

export interface Database extends Reader {
  /**
   * Runs `work` in one transaction: commits when it returns, rolls back when it throws. After a
   * deadlock or serialization failure it runs again (up to 5 times), so `work` must have no effect
   * besides its statements.
   */
  transaction<Result>(
    work: (tx: Tx) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>
  /**
   * A pool of its own of up to `size` connections, which the caller closes: for work that must not wait
   * behind requests, nor they behind it. PostgreSQL shows its name.
   */
  apart(size: number, name?: string): Database
  /**
   * A connection outside the pool, which the caller ends. For locks, LISTEN, and commands that must
   * not share one. Its 'error' needs no listener, and 'end' follows.
   */
  connection(): Promise<pg.Client>
  /**
   * The state of the pool: its connections, those that are idle, and the statements that wait for
   * one.
   */
  pool(): { total: number; idle: number; waiting: number }
  /** Throws Busy if the queue is full. Called before the server takes in a request. */
  forbidQueue(): void
  /**
   * Every connection of this process makes its plans anew before its next statement: PostgreSQL keeps
   * a plan although the statistics it was made by have changed.
   */
  forgetPlans(): void
  close(): Promise<void>
}

/** The connection was lost before the transaction's end was known. */
export class ConnectionLost extends Error {
  override name = 'ConnectionLost'
  /** The operating system's code for the cause, such as ECONNREFUSED. */
  code: string | undefined
}

/** The queue for connections is full: one more statement would make all of them wait longer. */
export class Busy extends Error {
  override name = 'Busy'
}

/** The pools that this process has opened. */
let sources = 0

/**
 * Opens a pool of up to `size` connections to the database at `url` (a PostgreSQL connection
 * string). While all are busy, up to `queue` statements and transactions wait; more throw Busy.
 * `signal` is what transactions signal with. `ahead` is for tests: the seconds by which the clock of
 * the database is taken to be ahead. PostgreSQL shows `name`.
 */
export function connect(
  url: string,
  size: number,
  queue = 1000,
  signal: (channel: string) => void = () => undefined,
  ahead: () => number = () => 0,
  name?: string,
): Database {
  const source = ++sources
  const isCommon = countTexts()
  const options: pg.ClientConfig = {
    connectionString: url,
    types,
    keepAlive: true,
    // Finds a connection that a firewall dropped after seconds instead of the system's two hours.
    // LISTEN would wait in silence.
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'kontor',
    pipeline: true,
  }
  const pool = new pg.Pool({
    ...options,
    max: size,
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: 20_000,
  })
  // The pool drops and replaces an idle connection that breaks (the server restarts). Without a
  // listener the error would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => {
    survive(client)
    generations.set(client, generation)
    // Its first statement fails with the connection where this fails.
    client.query(ownSettings).catch(() => undefined)
    // A name in the URL would win over one in the options.
    if (name !== undefined)
      client
        .query(`select set_config('application_name', $1, false)`, [name])
        .catch(() => undefined)
  })

  function forbidQueue(): void {
    // The pool's count includes statements that an idle connection, or one still to be opened, is
    // about to take.
    const free = pool.idleCount + size - pool.totalCount
    if (pool.waitingCount - free >= queue) throw new Busy('too many wait for the database')
  }

  /**
   * Lends a connection of the pool. Once it is lost, `lost` says why, and it leaves the pool.
   */
  async function lend<Result>(
    work: (client: pg.PoolClient, loan: Loan) => Promise<Result>,
  ): Promise<Result> {
    forbidQueue()
    const client = await pool.connect().catch(throwLoss)
    const loan: Loan = { lost: undefined }
    const onError = (error: Error) => {
      loan.lost = error
    }
    client.on('error', onError)
    try {
      return await work(client, loan)
    } catch (error) {
      if (error instanceof ConnectionLost) loan.lost ??= error
      throw error
    } finally {
      client.off('error', onError)
      client.release(loan.lost)
    }
  }

  const once = <Result>(
    work: (tx: Tx) => Promise<Result>,
    { isDurable = true }: TransactionOptions,
  ): Promise<Result> =>
    lend(async (client, loan) => {
      let ended = false
      let watch: Watch | undefined
      let clock: DatabaseClock | undefined
      const after: (() => void)[] = []
      const runGuarded = (<Row extends object>(planning: Planning, query: pg.QueryConfig) => {
        if (ended) return Promise.reject(new Error('this transaction has ended'))
        if (loan.lost) return Promise.reject(new ConnectionLost(loan.lost.message))
        if (!watch) return run<Row>(client, planning, query)
        return watched(watch, query, () => run<Row>(client, planning, query))
      }) satisfies Run
      const tx: Tx = {
        ...reader(runGuarded, source, isCommon),
        now() {
          watch?.timeRead()
          return Math.floor(clock!.read + (performance.now() - clock!.readAt) / 1000) + ahead()
        },
        ago: 0,
        afterCommit: (then) => {
          after.push(then)
        },
        signal,
      }
      try {
        // The transaction takes its number at once, so that othersEnded (changes/background.ts)
        // waits for it.
        const lasting = isDurable ? '' : 'set local synchronous_commit = off; '
        clock = await client
          .query<{ now: number }>(
            `begin; ${lasting}select pg_current_xact_id(), ${secondsNow} as now`,
          )
          .then(readClock, throwLoss)
        const result = transactionChecks
          ? await transactionChecks.transaction((each) => {
              watch = each
              return work(tx)
            })
          : await work(tx)
        ended = true
        if (loan.lost) throw new ConnectionLost(loan.lost.message)
        watch?.commit()
        const { command } = await client.query('commit').catch(throwLoss)
        // PostgreSQL answers a commit of a failed transaction with ROLLBACK and no error.
        if (command !== 'COMMIT') throw new Error('the transaction was rolled back by the database')
        for (const then of after) then()
        return result
      } catch (error) {
        ended = true
        if (!loan.lost)
          await client.query('rollback').catch((failure: Error) => {
            loan.lost = failure
          })
        // A rollback takes back the choice of how the connection plans.
        plannings.delete(client)
        throw error
      }
    })

  const database: Database = {
    ...reader(
      <Row extends object>(planning: Planning, query: pg.QueryConfig) =>
        lend((client) => run<Row>(client, planning, query)),
      source,
      isCommon,
    ),
    pool: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    forbidQueue,
    forgetPlans: () => void generation++,
    apart: (most, shown) => connect(url, most, queue, signal, ahead, shown),
    async transaction(work, transactionOptions = {}) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await once(work, transactionOptions)
        } catch (error) {
          if (!isRetryable(error) || attempt === 5) throw error
          // Colliding transactions would collide again at once. A few random milliseconds part
          // them.
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * attempt))
        }
      }
    },
    async connection() {
      const client = new pg.Client(options)
      survive(client)
      await client.connect()
      return client
    },
    close: () => pool.end(),
  }
  return database
}

/** A reading of the database's clock, in seconds, and of the process's own, which only grows. */
interface DatabaseClock {
  read: number
  /** Milliseconds. */
  readAt: number
}

const secondsNow = 'extract(epoch from clock_timestamp())::float8'

/** The last of several statements that travelled together has the time. */
function readClock(results: pg.QueryResult<{ now: number }>): DatabaseClock {
  const { rows } = [results].flat().at(-1)!
  return { read: rows[0]!.now, readAt: performance.now() }
}

/**
 * The error of a connection may arrive together with its welcome, before the borrower listens. An
 * error without a listener would end the process.
 */
function survive(client: pg.ClientBase): void {
  client.on('error', () => undefined)
}

/**
 * The statements of a CRM are short: neither compiling a plan pays nor processes that share it. Of a
 * page whose size is a value, PostgreSQL 15 expects fewer rows where they share it, and reads a whole
 * table for 50 records.
 */
const ownSettings = 'set max_parallel_workers_per_gather = 0; set jit = off'

/** How PostgreSQL plans a prepared statement: as it chooses, or once for all values. */
type Planning = keyof typeof planningModes
export const planningModes = {
  usual: 'set plan_cache_mode = auto',
  once: 'set plan_cache_mode = force_generic_plan',
}

/** How a connection plans, as far as this is known. */
const plannings = new WeakMap<pg.PoolClient, Planning>()

/** Counts how often the plans of this process were to be forgotten. */
let generation = 0

/** The generation of the plans that a connection has. */
const generations = new WeakMap<pg.PoolClient, number>()

/** A connection of the pool that is in use. */
interface Loan {
  lost: Error | undefined
}

type Run = <Row extends object>(planning: Planning, query: pg.QueryConfig) => Promise<Row[]>

function reader(run: Run, source: number, isCommon: (text: string) => boolean): Reader {
  const prepared = <Row extends object>(planning: Planning, { text, values }: Sql, form = {}) =>
    run<Row>(planning, { name: nameOf(text), text, values, ...form })
  const ways = {
    rows: <Row extends object>(statement: Sql, form = {}) =>
      prepared<Row>('usual', statement, form),
    list: <Row extends object>({ text, values }: Sql, form = {}) =>
      run<Row>('usual', { text, values, ...form }),
    page: <Row extends object>(statement: Sql, form = {}) =>
      isCommon(statement.text)
        ? prepared<Row>('once', statement, form)
        : ways.list<Row>(statement, form),
  }
  return {
    source,
    rows: (statement) => ways.rows(statement),
    row: async <Row extends object>(statement: Sql) => (await ways.rows<Row>(statement))[0],
    list: (statement) => ways.list(statement),
    page: (statement) => ways.page(statement),
    cells: (way, statement) => ways[way]<Cells>(statement, asCells),
  }
}

const asCells: Pick<pg.QueryArrayConfig, 'rowMode' | 'types'> = {
  rowMode: 'array',
  types: { getTypeParser: () => (text: unknown) => text },
}

/**
 * Runs a statement. Reads of one kind follow each other, so the connection keeps its way of planning
 * until a statement needs the other one; the change travels with that statement, and so does the order
 * to throw old plans away.
 */
async function run<Row extends object>(
  client: pg.PoolClient,
  planning: Planning,
  query: pg.QueryConfig,
): Promise<Row[]> {
  const isPlanning = plannings.get(client) === planning
  plannings.set(client, planning)
  const current = generation
  const [, , { rows }] = await Promise.all([
    generations.get(client) === current ? undefined : client.query('discard plans'),
    isPlanning ? undefined : client.query(planningModes[planning]),
    client.query<Row>(query),
  ]).catch(throwLoss)
  generations.set(client, current)
  return rows
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

/**
 * A faulty statement gives a DatabaseError. Any other failure is one of the connection, for which
 * pg has no type.
 */
function throwLoss(error: Error & { code?: string }): never {
  const isLost =
    !(error instanceof pg.DatabaseError) &&
    (error.code !== undefined || /connection|timeout/i.test(error.message))
  throw isLost ? Object.assign(new ConnectionLost(error.message), { code: error.code }) : error
}

/**
 * Statement names by text. The number of texts must stay finite; statements with free filters use
 * `list`.
 */
const names = new Map<string, string>()

function nameOf(text: string): string {
  let name = names.get(text)
  if (!name) names.set(text, (name = `k${names.size}`))
  return name
}

/** A text is prepared from this use on, and so many texts at most: each takes memory of every connection. */
const [commonUses, mostCommon] = [4, 200]

/** Counts the texts of a pool's pages: tells whether one comes so often that it is worth preparing. */
function countTexts(): (text: string) => boolean {
  /** How often each text came; the counts of texts that stay rare are forgotten. */
  const seen = new Map<string, number>()
  let common = 0
  return (text) => {
    const uses = seen.get(text) ?? 0
    if (uses >= commonUses) return true
    if (common === mostCommon) return false
    if (seen.size > 10 * mostCommon)
      for (const [each, its] of seen) if (its < commonUses) seen.delete(each)
    seen.set(text, uses + 1)
    if (uses + 1 === commonUses) common++
    return uses + 1 === commonUses
  }
}

/** 40P01 deadlock detected, 40001 serialization failure (PostgreSQL, appendix A). */
function isRetryable(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '40P01' || error.code === '40001')
}

/**
 * Reads bigint (type 20) as Number: every id, time and price of the interface is a safe integer.
 */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === 20 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}
