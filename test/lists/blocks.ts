// Blocks of search texts, made although there are few texts.
import sql from 'sql-template-tag'
import { vi } from 'vitest'
import type { Database } from '../../server/database/connect.ts'
import { blocking, keepBlocks } from '../../server/records/search/text-blocks.ts'
import { allKinds } from '../records.ts'
import { stretched } from '../slow.ts'

/**
 * Makes the blocks of all texts, or brings them up to date. Servers of other tests may be at it, and
 * then it is tried again, until those of the account are there.
 */
export async function blockAll(database: Database, accountId: number): Promise<void> {
  const usual = { ...blocking }
  const isAllThere = async () => {
    Object.assign(blocking, { fewestTexts: 1 })
    await keepBlocks(database).finally(() => Object.assign(blocking, usual))
    return (await changesLeft(database, accountId)) === 0
  }
  await vi.waitUntil(isAllThere, { timeout: stretched(200_000), interval: 50 })
}

/** The changes of an account's records that its blocks do not hold. */
export async function changesLeft(database: Database, accountId: number): Promise<number> {
  const [row] = await database.list<{ left: number }>(sql`
    select count(*) as left from journal left join blocked_texts using (account_id, entity_type)
     where account_id = ${accountId} and entity_type = any(${allKinds}::text[]) and id > coalesce(journal_id, 0)`)
  return row!.left
}
