import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sql from 'sql-template-tag'
import { ensureEventPartitions } from '../server/changes/partitions.ts'
import { connect } from '../server/database/connect.ts'
import { startEmbedded } from '../server/database/embedded.ts'
import { migrate } from '../server/database/migrate.ts'

const silent = () => undefined

/**
 * One real PostgreSQL for the whole run; its connection string is in `KONTOR_TEST_DATABASE`. Every
 * test makes its own account. Nothing in it has to survive a crash, so no commit waits for the disk.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const data = await mkdtemp(path.join(tmpdir(), 'kontor-test-'))
  const embedded = await startEmbedded(data, 'kontor test', silent)
  process.env['KONTOR_TEST_DATABASE'] = embedded.url
  const database = connect(embedded.url, 2)
  await database.rows(sql`alter system set fsync = off`)
  await database.rows(sql`select pg_reload_conf()`)
  await migrate(database, silent)
  await ensureEventPartitions(database, new Date())
  await database.close()
  return async () => {
    await embedded.stop()
    await rm(data, { recursive: true, force: true })
  }
}
