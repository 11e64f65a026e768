// One real PostgreSQL for many runs of tests, and in it a new database for each, so that no run leaves anything to the next.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { inDatabase, startMigrated } from '../database.ts'

export interface Databases {
  /** Makes a migrated, empty database, in place of the one of this name; answers its connection string. */
  fresh(name: string): Promise<string>
  /** Ends the server at once, without a wait, whether or not it is ready. */
  end(): void
}

/** The server of `holder` starts in an empty folder when the first database is asked for. */
export function openDatabases(folder: string, holder: string): Databases {
  let started: Promise<{ url: string; client: pg.Client }> | undefined
  return {
    async fresh(name) {
      const { url, client } = await (started ??= start(folder, holder))
      await client.query(`drop database if exists ${name} with (force)`)
      await client.query(`create database ${name} template kontor`)
      return inDatabase(url, name)
    },
    end() {
      try {
        process.kill(
          Number.parseInt(readFileSync(path.join(folder, 'postgres/postmaster.pid'), 'utf8'), 10),
          'SIGQUIT',
        )
      } catch {
        // It has not begun, or has ended.
      }
    },
  }
}

async function start(folder: string, holder: string): Promise<{ url: string; client: pg.Client }> {
  const { url } = await startMigrated(folder, holder)
  const client = new pg.Client({ connectionString: inDatabase(url, 'postgres') })
  // It ends with its server.
  client.on('error', () => undefined)
  await client.connect()
  return { url, client }
}
