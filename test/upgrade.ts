// A database that an older Kontor has filled, migrated to the newest schema and served by this one.
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sql, { raw } from 'sql-template-tag'
import { expect } from 'vitest'
import { ensureEventPartitions } from '../server/changes/partitions.ts'
import type { Config } from '../server/config.ts'
import type { Database } from '../server/database/connect.ts'
import { migrate } from '../server/database/migrate.ts'
import type { Kontor } from '../server/kontor.ts'
import { secretKey } from './first-schema.ts'
import { scratchDatabase } from './scratch.ts'
import { server } from './server.ts'

const migrations = path.join(import.meta.dirname, '../server/database/migrations')

/** All rows as JSON, by table. */
type Rows = Record<string, object[]>

export interface Upgraded {
  kontor: Kontor
  database: Database
  /** The settings that select the server of this database. */
  settings: Partial<Config>
  before: Rows
  after: Rows
  drop(): Promise<void>
}

/**
 * Migrates up to `last`, such as 0001_foundation.sql, fills the database, migrates it to the newest
 * schema, and serves it.
 */
export async function upgrade(
  last: string,
  fill: (database: Database) => Promise<void>,
): Promise<Upgraded> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kontor-migrations-'))
  const names = (await readdir(migrations)).filter((name) => name <= last)
  await Promise.all(
    names.map((name) => copyFile(path.join(migrations, name), path.join(folder, name))),
  )
  const { database, url, drop } = await scratchDatabase(folder)
  await rm(folder, { recursive: true })
  await ensureEventPartitions(database, new Date())
  await fill(database)
  const before = await everything(database)
  await migrate(database, () => undefined)
  const after = await everything(database)
  const settings = { databaseUrl: url, secretKey }
  const { kontor } = await server(settings)
  return { kontor, database, settings, before, after, drop }
}

/** Expects rows in every table, and every row unchanged except for new columns. */
export function expectAllThere({ before, after }: Upgraded): void {
  for (const [table, rows] of Object.entries(before)) {
    expect([table, rows.length > 0]).toEqual([table, true])
    expect([table, after[table]!.length]).toEqual([table, rows.length])
    expect(after[table]).toMatchObject(rows)
  }
}

/** Rows of partitions count as their table's. */
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
