// What tables need while they grow: statistics, by which PostgreSQL chooses its plans; new plans in
// every process, since those made before stay; and indexes whose new entries are sorted in. Autovacuum
// looks once a minute, vacuums a table with all its indexes before it analyzes it, and throws no plan
// away (docs/decisions/0092-growth.md). The counters of PostgreSQL tell what has grown, whoever wrote.
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Database } from '../database/connect.ts'
import type { Kontor } from '../kontor.ts'
import { openLock } from './lock.ts'
import { newsChannel } from './signals.ts'

/** The signal that statistics are new. The payload names their tables, with commas; '' may be any. */
export const statisticsChannel = 'kontor_statistics'

export const growth = {
  /** While others write, growth is looked for this often. Milliseconds. */
  everyMs: 2000,
  /** And so soon after the first news, then after twice as long: a table that was empty may fill in a second. */
  firstMs: 250,
  /** And for so long after the last news: an idle connection counts what it wrote after 10 s at most. */
  lastMs: 12_000,
  /** The rows of a table whose plans matter. */
  fewestRows: 1000,
  /** New entries of an index are sorted in after so many rows: each search reads those that wait. */
  unsortedRows: 200,
}

/** The tables and indexes that a process has tended, and how large they were then. */
export interface Tended {
  /** The rows of a table at its last statistics. */
  rows: Map<string, number>
  /** The changes of an index's table when its entries were last sorted in. */
  changes: Map<string, number>
}

export const newlyTended = (): Tended => ({ rows: new Map(), changes: new Map() })

export interface Growth {
  stop(): Promise<void>
}

/** Tends the tables of the database as long as somebody writes, until it is stopped. */
export function followGrowth(kontor: Kontor, log: Pick<Logger, 'error'>): Growth {
  const { database, signals } = kontor
  const stopping = new AbortController()
  const { signal } = stopping
  const tended = newlyTended()
  let until = 0
  let running: Promise<void> | undefined
  async function tend(): Promise<void> {
    let waitMs = growth.firstMs
    while (performance.now() < until && !signal.aborted) {
      await tendGrowth(kontor, tended, () => signal.aborted).catch((error: unknown) =>
        log.error({ err: error }, 'the statistics of tables that grow could not be renewed'),
      )
      const ms = Math.min(waitMs, growth.everyMs)
      waitMs *= 2
      await pause(ms, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
  const ends = [
    signals.on(statisticsChannel, () => database.forgetPlans()),
    signals.on(newsChannel, () => {
      until = performance.now() + growth.lastMs
      running ??= tend().finally(() => (running = undefined))
    }),
  ]
  return {
    async stop() {
      for (const end of ends) end()
      stopping.abort()
      await running
    },
  }
}

/**
 * Sorts in the new entries of indexes, and makes statistics of the tables that have doubled since the
 * last ones, one at a time; then every process forgets its plans. Answers the tables. Where another
 * process is at it, it is left to that one.
 */
export async function tendGrowth(
  { database, signals }: Pick<Kontor, 'database' | 'signals'>,
  tended: Tended,
  isStopped: () => boolean = () => false,
): Promise<string[]> {
  const unsorted = await unsortedIndexes(database, tended)
  const grown = await grownTables(database, tended)
  if (unsorted.length === 0 && grown.length === 0) return []
  const lock = await openLock(database, 'kontor growth', () => undefined)
  try {
    if (!(await lock.take())) return []
    for (const { name, changes } of unsorted) {
      await lock.run(`select gin_clean_pending_list('${name}'::regclass)`)
      tended.changes.set(name, changes)
    }
    const renewed: string[] = []
    for (const { name, rows } of grown) {
      if (isStopped()) break
      // To wait for autovacuum would make it give up its work. Where it was at the table, that is due still.
      await lock.run(`analyze (skip_locked) ${name}`)
      if ((await database.row(grownTable(name))) !== undefined) continue
      tended.rows.set(name, rows)
      renewed.push(name)
    }
    if (renewed.length === 0) return []
    signals.notify(statisticsChannel, renewed.join(','))
    return renewed
  } finally {
    await lock.end()
  }
}

interface Table {
  name: string
  rows: number
}

/**
 * The tables that have doubled, the small ones first. The rows of a queue change all the time: it is
 * one of them only once it holds twice as many as ever.
 */
async function grownTables(database: Database, { rows: known }: Tended): Promise<Table[]> {
  const changed = await database.rows<Table>(sql`${changedTables()} order by rows`)
  return changed.filter(({ name, rows }) => rows >= 2 * (known.get(name) ?? 0))
}

const grownTable = (name: string): Sql =>
  sql`${changedTables()} and pg_class.oid = ${name}::regclass`

/**
 * Selects the tables of which half the rows are newer than the statistics, and those that have some
 * and were never looked at: after a crash, PostgreSQL has lost its counters. Only an owner may analyze.
 */
const changedTables = (): Sql => sql`
  select pg_class.oid::regclass::text as name, greatest(live, 0) as rows
    from pg_class, lateral (select pg_stat_get_live_tuples(oid) as live, pg_stat_get_mod_since_analyze(oid) as changed) counted
   where relkind = 'r' and relnamespace = current_schema()::regnamespace and pg_has_role(relowner, 'usage')
     and (changed >= greatest(${growth.fewestRows}, live / 2) or reltuples < 0 and pg_relation_size(pg_class.oid) > 500000)`

interface Index {
  name: string
  /** The rows of its table that were ever written. */
  changes: number
}

async function unsortedIndexes(database: Database, { changes: known }: Tended): Promise<Index[]> {
  const indexes = await database.rows<Index>(sql`
    select indexrelid::regclass::text as name,
           pg_stat_get_tuples_inserted(indrelid) + pg_stat_get_tuples_updated(indrelid) as changes
      from pg_index join pg_class on pg_class.oid = indexrelid
     where relkind = 'i' and relnamespace = current_schema()::regnamespace and pg_has_role(relowner, 'usage')
       and relam = (select oid from pg_am where amname = 'gin')`)
  return indexes.filter(
    ({ name, changes }) => Math.abs(changes - (known.get(name) ?? 0)) >= growth.unsortedRows,
  )
}
