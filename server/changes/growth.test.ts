// Tables that grow: their statistics, their indexes, and the plans of every process.
import sql, { raw } from 'sql-template-tag'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { stopAutovacuum } from '../../test/autovacuum.ts'
import { scratchDatabase, type Scratch } from '../../test/scratch.ts'
import { connect, planningModes } from '../database/connect.ts'
import type { Database } from '../database/connect.ts'
import { followGrowth, growth, newlyTended, statisticsChannel, tendGrowth } from './growth.ts'
import { newsChannel, openSignals } from './signals.ts'
import type { Signals } from './signals.ts'

let scratch: Scratch
let signals: Signals
let analyzed: string[]
const tended = newlyTended()

beforeEach(async () => {
  scratch = await scratchDatabase()
  await stopAutovacuum(scratch.database)
  signals = openSignals(scratch.database)
  analyzed = []
  signals.on(statisticsChannel, (tables) => void (tables && analyzed.push(tables)))
  for (const known of Object.values(tended)) known.clear()
})
afterEach(async () => {
  await signals.close()
  await scratch.drop()
})

const tend = (database: Database = scratch.database) => tendGrowth({ database, signals }, tended)

/** Runs a statement, and has PostgreSQL count at once what it wrote. */
const write = (statement: ReturnType<typeof sql>, database = scratch.database) =>
  database.transaction(async (tx) => {
    await tx.list(sql`select pg_stat_force_next_flush()`)
    await tx.list(statement)
  })

const addLeads = (from: number, to: number) =>
  write(sql`
    insert into leads (account_id, id, name, price, pipeline_id, status_id, responsible_user_id, group_id,
                       created_by, updated_by, created_at, updated_at)
    select 1, n, 'Lead', n, 1, 1, 1, 0, 1, 1, n, n from generate_series(${from}::int, ${to}) n`)

const addTexts = (from: number, to: number) =>
  write(sql`
    insert into record_texts (account_id, entity_type, entity_id, text, grams)
    select 1, 'leads', n, 'lead ' || n, 'lead ' || n from generate_series(${from}::int, ${to}) n`)

/** The rows that PostgreSQL believes a table to have; null where it never looked. */
async function believed(table: string): Promise<number | null> {
  const row = await scratch.database.row<{ rows: number }>(
    sql`select reltuples as rows from pg_class where oid = ${table}::regclass`,
  )
  return row!.rows < 0 ? null : row!.rows
}

describe('statistics', () => {
  test('are made once a table has a thousand rows, and anew whenever it has doubled', async () => {
    await addLeads(1, growth.fewestRows - 1)
    expect([await tend(), await believed('leads')]).toEqual([[], null])
    await addLeads(growth.fewestRows, 1500)
    expect([await tend(), await believed('leads')]).toEqual([['leads'], 1500])
    await addLeads(1501, 2900)
    expect(await tend()).toEqual([])
    await addLeads(2901, 3000)
    expect([await tend(), await believed('leads')]).toEqual([['leads'], 3000])
    expect(analyzed).toEqual(['leads', 'leads'])
  })

  test('are made of each table that grows along, the small ones first', async () => {
    await addLeads(1, 3000)
    await addTexts(1, 2000)
    await write(sql`
      insert into events (account_id, id, type, entity_type, entity_id, created_by, created_at, value_before, value_after)
      select 1, lpad(n::text, 26, '0'), 'lead_added', 'lead', 1, 1, 1, '[]', '[]' from generate_series(1, 1000) n`)
    expect(await tend()).toEqual(['events_rest', 'record_texts_of_leads', 'leads'])
  })

  test('are not made for the changes of a table that has not grown', async () => {
    await addLeads(1, 2000)
    await tend()
    for (let number = 0; number < 3; number++) await write(sql`update leads set price = price + 1`)
    expect(await tend()).toEqual([])
  })

  test('are made where a crash took the counters with it', async () => {
    await addLeads(1, 10_000)
    await scratch.database.list(sql`select pg_stat_reset()`)
    expect(await tend()).toEqual(['leads'])
    expect(await tend()).toEqual([])
  })

  test('wait for whoever else works on the table, and keep nobody from it', async () => {
    await addLeads(1, 2000)
    await addTexts(1, 2000)
    const other = await scratch.database.connection()
    await other.query('begin; lock table leads in share update exclusive mode')
    expect([await tend(), await believed('leads')]).toEqual([['record_texts_of_leads'], null])
    await other.query('rollback')
    await other.end()
    expect(await tend()).toEqual(['leads'])
  })

  test('are left to the process that is at it', async () => {
    await addLeads(1, 2000)
    const other = await scratch.database.connection()
    const { rows } = await other.query(
      `select pg_try_advisory_lock(hashtextextended('kontor growth', 0)) as taken`,
    )
    expect([rows, await tend()]).toEqual([[{ taken: true }], []])
    await other.end()
    await expect.poll(() => tend()).toEqual(['leads'])
  })

  test('are left to the owner of the tables', async () => {
    await addLeads(1, 2000)
    await addTexts(1, 2000)
    const name = `reader_${Date.now()}`
    await scratch.database.list(
      raw(
        `create role ${name} login password 'x'; grant select on all tables in schema public to ${name}`,
      ),
    )
    const url = new URL(scratch.url.replace('@/', '@host/'))
    url.username = name
    url.password = 'x'
    const reader = connect(url.href.replace('@host/', '@/'), 1)
    expect(await tend(reader)).toEqual([])
    await reader.close()
    await scratch.database.list(raw(`drop owned by ${name}; drop role ${name}`))
  })
})

test('new entries of an index are sorted in', async () => {
  const waiting = async () =>
    (await scratch.database.row<{ pages: number }>(
      sql`select gin_clean_pending_list('record_texts_of_leads_account_id_grams_idx') as pages`,
    ))!.pages
  await addTexts(1, growth.unsortedRows - 1)
  await tend()
  await addTexts(growth.unsortedRows, growth.unsortedRows)
  await tend()
  expect(await waiting()).toBe(0)
  await addTexts(1000, 1000 + growth.unsortedRows)
  expect(await waiting()).toBeGreaterThan(0)
})

describe('plans', () => {
  /** A table whose rows nearly all have the value 1; PostgreSQL knows how many rows, but not that. */
  async function addUneven(): Promise<void> {
    await scratch.database.list(sql`create table uneven (value bigint, name text)`)
    await scratch.database.list(sql`insert into uneven select 1, 'a' from generate_series(1, 5000)`)
    await scratch.database.list(sql`create index uneven_by_value on uneven (value)`)
    await scratch.database.list(sql`alter table uneven set (autovacuum_enabled = false)`)
    await scratch.database.list(sql`vacuum analyze uneven`)
    await scratch.database.list(sql`delete from pg_statistic where starelid = 'uneven'::regclass`)
  }
  const statement = sql`select name from uneven where value = ${1}`

  /** Asks as often as a text must come until it has one plan, and answers that. */
  async function planOf(database: Database): Promise<string> {
    for (let number = 0; number < 6; number++) await database.page(statement)
    const prepared = await database.row<{ name: string }>(
      sql`select name from pg_prepared_statements where statement = ${statement.text}`,
    )
    const lines = await database.transaction(async (tx) => {
      await tx.list(raw(planningModes.once.replace('set ', 'set local ')))
      return tx.list<{ 'QUERY PLAN': string }>(raw(`explain execute ${prepared!.name} (1)`))
    })
    return lines.map((line) => line['QUERY PLAN']).join('\n')
  }

  test('stay although the statistics are new, until they are to be forgotten', async () => {
    await addUneven()
    const database = connect(scratch.url, 1)
    expect(await planOf(database)).toContain('uneven_by_value')
    await scratch.database.list(sql`analyze uneven`)
    expect(await planOf(database)).toContain('uneven_by_value')
    database.forgetPlans()
    expect(await planOf(database)).toContain('Seq Scan')
    await database.close()
  })

  test('are forgotten by a process that hears of new statistics from another one', async () => {
    await addUneven()
    const database = connect(scratch.url, 1)
    const its = openSignals(database)
    const following = followGrowth({ database, signals: its } as never, { error: fail })
    await expect.poll(() => its.connected()).toBe(true)
    expect(await planOf(database)).toContain('uneven_by_value')
    await scratch.database.list(sql`analyze uneven`)
    signals.notify(statisticsChannel, 'uneven')
    await expect.poll(() => planOf(database)).toContain('Seq Scan')
    await following.stop()
    await its.close()
    await database.close()
  })
})

const fail = (facts: unknown) => {
  throw new Error(JSON.stringify(facts))
}

test('a server looks while there are news, and for a while after the last', async () => {
  const usual = { ...growth }
  Object.assign(growth, { everyMs: 20, lastMs: 200 })
  const looks = vi.spyOn(scratch.database, 'rows')
  const following = followGrowth({ database: scratch.database, signals } as never, { error: fail })
  await addLeads(1, 1500)
  signals.notify(newsChannel)
  await expect.poll(() => analyzed).toEqual(['leads'])
  let before = 0
  await expect
    .poll(
      () => {
        const last = before
        before = looks.mock.calls.length
        return before - last
      },
      { interval: 100 },
    )
    .toBe(0)
  await addLeads(1501, 3000)
  signals.notify(newsChannel)
  await expect.poll(() => analyzed).toEqual(['leads', 'leads'])
  await following.stop()
  Object.assign(growth, usual)
})
