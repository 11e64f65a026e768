import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ensureEventPartitions } from '../server/changes/partitions.ts'
import { connect } from '../server/database/connect.ts'
import { startEmbedded } from '../server/database/embedded.ts'
import { migrate } from '../server/database/migrate.ts'

const silent = () => undefined

/**
 * Starts one real PostgreSQL for the whole run. Its connection string is in `KONTOR_TEST_DATABASE`.
 * Every test makes its own account.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const data = await mkdtemp(path.join(tmpdir(), 'kontor-test-'))
  const embedded = await startEmbedded(data, 'kontor test', silent)
  process.env['KONTOR_TEST_DATABASE'] = embedded.url
  const database = connect(embedded.url, 2)
  await migrate(database, silent)
  await ensureEventPartitions(database, new Date())
  await database.close()
  return async () => {
    await embedded.stop()
    await rm(data, { recursive: true, force: true })
  }
}
