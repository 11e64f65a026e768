// Common trigrams of search texts, counted although there are few texts.
import sql, { raw } from 'sql-template-tag'
import type { Database } from '../../server/database/connect.ts'
import { countTrigrams, sampling } from '../../server/records/search/common-trigrams.ts'
import { allKinds } from '../records.ts'

/** Counts the trigrams of all texts, of all accounts. */
export async function countAll(database: Database): Promise<void> {
  const usual = { ...sampling }
  Object.assign(sampling, { fewestTexts: 1, least: 10_000_000, most: 10_000_000, age: 0 })
  for (const kind of allKinds) {
    await database.list(sql`analyze record_texts_of_${raw(kind)}`)
    await countTrigrams(database, kind)
  }
  Object.assign(sampling, usual)
}
