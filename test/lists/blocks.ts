// Blocks of search texts, made although there are few texts.
import type { Database } from '../../server/database/connect.ts'
import { blocking, keepBlocks } from '../../server/records/search/text-blocks.ts'

/** Makes the blocks of all texts, of all accounts, or brings them up to date. */
export async function blockAll(database: Database): Promise<void> {
  const usual = { ...blocking }
  Object.assign(blocking, { fewestTexts: 1 })
  const isDone = await keepBlocks(database)
  Object.assign(blocking, usual)
  if (!isDone) throw new Error('some texts have no blocks')
}
