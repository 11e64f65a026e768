import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sql from 'sql-template-tag'
import { ensureEventPartitions } from '../server/changes/partitions.ts'
import { connect } from '../server/database/connect.ts'
import { startEmbedded } from '../server/database/embedded.ts'
import type { Embedded } from '../server/database/embedded.ts'
import { migrate } from '../server/database/migrate.ts'

const silent = () => undefined

/**
 * One real PostgreSQL for the whole run; its connection string is in `KONTOR_TEST_DATABASE`. Every
 * test makes its own account.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const data = await mkdtemp(path.join(tmpdir(), 'kontor-test-'))
  const embedded = await startMigrated(data, 'kontor test')
  process.env['KONTOR_TEST_DATABASE'] = embedded.url
  return async () => {
    await embedded.stop()
    await rm(data, { recursive: true, force: true })
  }
}

/**
 * Starts a PostgreSQL in an empty folder, for `holder`, with a migrated database. Nothing in it has
 * to survive a crash, so no commit waits for the disk.
 */
export async function startMigrated(folder: string, holder: string): Promise<Embedded> {
  const embedded = await startEmbedded(folder, holder, silent)
  const database = connect(embedded.url, 2)
  await database.rows(sql`alter system set fsync = off`)
  await database.rows(sql`select pg_reload_conf()`)
  await migrate(database, silent)
  await ensureEventPartitions(database, new Date())
  await database.close()
  return embedded
}

/** The connection string of another database of the same server. */
export function inDatabase(url: string, name: string): string {
  return url.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, `$1${name}`)
}
