// A database that a Kontor of before has filled, brought to the newest schema and served by this one.
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sql, { raw } from 'sql-template-tag'
import { expect } from 'vitest'
import type { Config } from '../../server/config.ts'
import type { Database } from '../../server/database/connect.ts'
import { migrate } from '../../server/database/migrate.ts'
import type { Kontor } from '../../server/kontor.ts'
import { scratchDatabase } from '../scratch.ts'
import { server } from '../server.ts'
import { secretKey } from './schema-0001.ts'
import type { Filled } from './schema-0001.ts'

const migrations = path.join(import.meta.dirname, '../../server/database/migrations')

/** All rows as JSON, by table. */
type Rows = Record<string, object[]>

/** The content that an older Kontor leaves in its database. */
export interface Fixture<Its extends Filled> {
  /** The last migration of that version. */
  last: string
  /** Tables that it fills, among others. */
  tables: string[]
  /** Columns that later versions keep elsewhere, by table. */
  moved?: Record<string, string[]>
  /** How many rows later versions add for each account, by table. */
  added?: Record<string, number>
  /** Types of events and the leads they are about, newest first. */
  events: [type: string, lead: 'First' | 'Second'][]
  /** Adds an account in use, and returns what programs and people hold of it. */
  fill(database: Database, account: number): Promise<Its>
}

export interface Upgraded<Its extends Filled = Filled> {
  filled: Map<number, Its>
  kontor: Kontor
  database: Database
  /** The settings of the server that serves it. */
  settings: Partial<Config>
  before: Rows
  after: Rows
  drop(): Promise<void>
}

/** Two, so that nothing of one is taken for the other's; below those that new accounts get. */
export const accounts = [501, 502]

/** Migrates to the schema of a fixture, fills, migrates to the newest, and serves. */
export async function upgrade<Its extends Filled>(fixture: Fixture<Its>): Promise<Upgraded<Its>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kontor-migrations-'))
  const names = (await readdir(migrations)).filter((name) => name <= fixture.last)
  await Promise.all(
    names.map((name) => copyFile(path.join(migrations, name), path.join(folder, name))),
  )
  const { database, url, drop } = await scratchDatabase(folder)
  await rm(folder, { recursive: true })
  for (const ago of [0, 1]) await makeMonth(database, ago)
  const filled = new Map<number, Its>()
  for (const account of accounts) filled.set(account, await fixture.fill(database, account))
  const before = await everything(database)
  await migrate(database, () => undefined)
  const after = await everything(database)
  const settings = { databaseUrl: url, secretKey }
  const { kontor } = await server(settings)
  return { filled, kontor, database, settings, before, after, drop }
}

/** This month and the last have partitions of the event log, as in every schema. */
async function makeMonth(database: Database, ago: number): Promise<void> {
  const now = new Date()
  const [start, end] = [0, 1].map((more) =>
    Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago + more),
  ) as [number, number]
  const name = new Date(start).toISOString().slice(0, 7).replace('-', '_')
  const bounds = (await database.row<{ low: string; high: string }>(sql`
    select ulid_time(${start}::bigint) as low, ulid_time(${end}::bigint) as high`))!
  await database.list(sql`
    create table ${raw(`events_${name}`)} partition of events
      for values from (${raw(`'${bounds.low}'`)}) to (${raw(`'${bounds.high}'`)})`)
}

/**
 * Every table has rows, and every row is as it was, with new columns at most. A new version of the
 * fields of an account makes processes read them again, and says no more.
 */
export function expectAllThere(
  { before, after }: Upgraded,
  { added = {}, moved = {} }: Fixture<Filled>,
): void {
  for (const [table, all] of Object.entries(before)) {
    const rows = table === 'events' ? all.filter(isNoTwin) : all
    expect([table, rows.length > 0]).toEqual([table, true])
    const more = accounts.length * (added[table] ?? 0)
    expect([table, after[table]!.length]).toEqual([table, rows.length + more])
    const kept = rows.map((row) => {
      const left = ['fields_version', ...(moved[table] ?? [])]
      const columns = Object.entries(row).filter(([column]) => !left.includes(column))
      return expect.objectContaining(Object.fromEntries(columns))
    })
    expect(after[table]).toEqual(expect.arrayContaining(kept))
  }
}

/** A changed field was two events once. The one with the field in its type went. */
const isNoTwin = (event: object) =>
  !/^custom_field_\d+_value_changed$/.test((event as { type: string }).type)

/** Partitions count as their table. */
async function everything(database: Database): Promise<Rows> {
  const tables = await database.list<{ name: string }>(sql`
    select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> 'migrations' order by 1`)
  const rows = async (name: string) =>
    (
      await database.list<{ rows: object[] }>(sql`
      select coalesce(json_agg(each order by row_to_json(each)::text), '[]') as rows from ${raw(name)} each`)
    )[0]!.rows
  return Object.fromEntries(
    await Promise.all(tables.map(async ({ name }) => [name, await rows(name)] as const)),
  )
}
