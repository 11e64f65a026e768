// A PostgreSQL in a temporary folder, for one run of a bench, with the settings of an installation (fsync on).
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { stageOf } from '../server/database/data-folder.ts'
import { startEmbedded } from '../server/database/embedded.ts'

export interface TemporaryPostgres {
  url: string
  /** The environment of a process of Kontor that uses this database. */
  environment: Record<string, string>
  /** Stops PostgreSQL and removes its folder. */
  stop(): Promise<void>
}

/** The folder is called `kontor-<name>-…`. */
export async function startTemporaryPostgres(
  name: string,
  say: (line: string) => void = () => undefined,
): Promise<TemporaryPostgres> {
  const data = await mkdtemp(path.join(tmpdir(), `kontor-${name}-`))
  const clear = async () => {
    for (const folder of [data, stageOf(data)]) await rm(folder, { recursive: true, force: true })
  }
  const embedded = await startEmbedded(data, 'kontor bench', say).catch(async (error: unknown) => {
    await clear()
    throw error
  })
  return {
    url: embedded.url,
    environment: {
      DATABASE_URL: embedded.url,
      KONTOR_DATA: data,
      KONTOR_SECRET_KEY: 'the key of the bench',
    },
    async stop() {
      await embedded.stop()
      await clear()
    },
  }
}
