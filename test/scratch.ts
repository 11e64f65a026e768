// A database for tests that need one alone: the journal has one order for all accounts.
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { connect, type Database } from '../server/database/connect.ts'
import { migrate } from '../server/database/migrate.ts'

export interface Scratch {
  url: string
  database: Database
  /** Opens the database again, as another process would. */
  another(): Database
  drop(): Promise<void>
}

/**
 * Makes an empty, migrated database on the server of `KONTOR_TEST_DATABASE`, on request with the
 * migrations of another folder.
 */
export async function scratchDatabase(folder?: string): Promise<Scratch> {
  const name = `scratch_${randomUUID().replaceAll('-', '')}`
  const base = process.env['KONTOR_TEST_DATABASE']
  if (!base) throw new Error('KONTOR_TEST_DATABASE holds no connection string')
  await query(base, `create database ${name}`)
  const url = base.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, `$1${name}`)
  const opened = [connect(url, 10)]
  await migrate(opened[0]!, () => undefined, folder)
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
      await query(base, `drop database ${name} with (force)`)
    },
  }
}

async function query(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}
