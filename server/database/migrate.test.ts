import { mkdtemp, readdir, rm, writeFile, chmod } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { connect, type Database } from './connect.ts'
import { startEmbedded, type Embedded } from './embedded.ts'
import { examine, migrate } from './migrate.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

const shipped = path.join(import.meta.dirname, 'migrations')

let folder: string
let embedded: Embedded
let number = 0
let url: string
let database: Database
let said: string[]
const say = (line: string) => said.push(line)

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kontor-test-'))
  await chmod(folder, 0o755)
  embedded = await startEmbedded(path.join(folder, 'data'), 'kontor test', () => undefined)
})

afterAll(async () => {
  await embedded.stop()
  await rm(folder, { recursive: true })
})

beforeEach(async () => {
  said = []
  url = await newDatabase()
  database = connect(url, 2)
})

afterEach(() => database.close())

test('a new database gets every migration once', async () => {
  const names = (await readdir(shipped)).toSorted()
  expect((await examine(database)).pending).toEqual(names)
  await migrate(database, say)
  expect(said).toEqual(names.map((name) => `Migrating the database: ${name}`))
  expect((await examine(database)).pending).toEqual([])

  said = []
  await migrate(database, say)
  expect(said).toEqual([])
})

test('processes that start at once run each migration once', async () => {
  const others = [connect(url, 2), connect(url, 2), connect(url, 2)]
  await Promise.all([database, ...others].map((each) => migrate(each, say)))
  expect(said).toHaveLength((await readdir(shipped)).length)
  for (const other of others) await other.close()
})

test('a migration that fails leaves nothing behind, and those before it stay', async () => {
  const files = await migrations({
    '0001_one.sql': 'create table one ()',
    '0002_two.sql': 'create table two ();\n\nselect nonsense;',
  })
  await expect(migrate(database, say, files)).rejects.toThrow(
    '0002_two.sql, line 3: column "nonsense" does not exist',
  )
  expect(await tables()).toEqual(['migrations', 'one'])

  await writeFile(path.join(files, '0002_two.sql'), 'create table two ()')
  await migrate(database, say, files)
  expect(await tables()).toEqual(['migrations', 'one', 'two'])
})

test('an edited migration is refused, other line ends are no edit', async () => {
  const files = await migrations({ '0001_one.sql': 'create table\none ()\n' })
  await migrate(database, say, files)
  await writeFile(path.join(files, '0001_one.sql'), 'create table\r\none ()\r\n')
  await migrate(database, say, files)
  await writeFile(path.join(files, '0001_one.sql'), 'create table\none (id int)\n')
  await expect(migrate(database, say, files)).rejects.toThrow(
    '0001_one.sql differs from what ran on this database',
  )
})

test('a database that a newer Kontor migrated is refused', async () => {
  const newer = await migrations({
    '0001_one.sql': 'create table one ()',
    '0002_two.sql': 'create table two ()',
  })
  await migrate(database, say, newer)
  await rm(path.join(newer, '0002_two.sql'))
  await expect(migrate(database, say, newer)).rejects.toThrow(
    'migrated by a newer Kontor (0002_two.sql)',
  )
})

test('a database that is not UTF-8 is refused', async () => {
  const other = connect(
    await newDatabase(`encoding 'SQL_ASCII' locale_provider libc locale 'C' template template0`),
    2,
  )
  await expect(migrate(other, say)).rejects.toThrow(
    'The database is encoded in SQL_ASCII, Kontor needs UTF8',
  )
  await other.close()
})

test('a database that cannot be reached is told in one line', async () => {
  for (const address of [
    'postgresql://127.0.0.1:1/x',
    'postgresql://localhost:1/x',
    url.replace(/:[^:@]+@/, ':wrong@'),
  ]) {
    const other = connect(address, 2)
    await expect(migrate(other, say)).rejects.toThrow(
      /^The database cannot be reached: .+\. Check DATABASE_URL$/,
    )
    await other.close()
  }
})

test('a pooler that gives one session to two connections is refused', async () => {
  const session = await database.connection()
  const pooled: Database = {
    ...database,
    connection: () => Promise.resolve(session),
    list: async <Row extends object>(statement: { text: string; values: unknown[] }) =>
      (await session.query<Row>(statement.text, statement.values)).rows,
  }
  await expect(migrate(pooled, say)).rejects.toThrow('pooler in transaction mode')
  expect(await tables()).toEqual([])
})

async function newDatabase(options = ''): Promise<string> {
  const name = `test_${++number}`
  const admin = connect(embedded.url, 1)
  const client = await admin.connection()
  await client.query(`create database ${name} ${options}`)
  await client.end()
  await admin.close()
  return embedded.url.replace('/kontor?', `/${name}?`)
}

async function migrations(texts: Record<string, string>): Promise<string> {
  const made = await mkdtemp(path.join(folder, 'migrations-'))
  for (const [name, text] of Object.entries(texts)) await writeFile(path.join(made, name), text)
  return made
}

async function tables(): Promise<string[]> {
  const rows = await database.list<{ name: string }>(
    sql`select table_name as name from information_schema.tables where table_schema = 'public' order by 1`,
  )
  return rows.map(({ name }) => name)
}
