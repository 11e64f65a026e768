// A database of its own for tests that must be alone: the journal has one order for all accounts.
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { connect, type Database } from '../server/database/connect.ts'
import { migrate } from '../server/database/migrate.ts'
import { inDatabase } from './database.ts'

export interface Scratch {
  url: string
  database: Database
  /** Opens the database once more, as another process would. */
  another(): Database
  drop(): Promise<void>
}

/**
 * Makes an empty migrated database on the server of `KONTOR_TEST_DATABASE`, with the migrations of a
 * folder where one is named.
 */
export async function scratchDatabase(folder?: string): Promise<Scratch> {
  const made = folder === undefined ? await copy() : await newDatabase()
  const { name, url } = made
  if (folder !== undefined) await migrated(made, folder)
  const opened = [connect(url, 10)]
  return {
    url,
    database: opened[0]!,
    another: () => {
      const database = connect(url, 4)
      opened.push(database)
      return database
    },
    async drop() {
      await Promise.all(opened.map((database) => database.close()))
      await query(`drop database ${name} with (force)`)
    },
  }
}

export interface ScratchWithFiles extends Scratch {
  folder: string
}

/** Makes an empty migrated database and an empty folder for its files. `drop` removes both. */
export async function scratchWithFiles(): Promise<ScratchWithFiles> {
  const scratch = await scratchDatabase()
  const folder = await mkdtemp(path.join(tmpdir(), 'kontor-test-'))
  const drop = async () => {
    await rm(folder, { recursive: true })
    await scratch.drop()
  }
  return { ...scratch, folder, drop }
}

/** The name of a migrated database that nobody is connected to. */
let template: Promise<string> | undefined

/** To copy a migrated database takes a fraction of the time of migrations. */
async function copy(): Promise<{ name: string; url: string }> {
  template ??= newDatabase().then((made) => migrated(made))
  return newDatabase(await template)
}

async function newDatabase(copied = 'template1'): Promise<{ name: string; url: string }> {
  const name = `scratch_${randomUUID().replaceAll('-', '')}`
  await query(`create database ${name} template ${copied}`)
  return { name, url: inDatabase(base(), name) }
}

async function migrated({ name, url }: { name: string; url: string }, folder?: string) {
  const database = connect(url, 1)
  await migrate(database, () => undefined, folder)
  await database.close()
  return name
}

function base(): string {
  const url = process.env['KONTOR_TEST_DATABASE']
  if (!url) throw new Error('KONTOR_TEST_DATABASE holds no connection string')
  return url
}

async function query(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: base() })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}
