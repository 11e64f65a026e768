// The trigrams that stand in many texts (`common_trigrams`). The index keeps one list of texts for
// each trigram, and a search that asks for a common one walks its list beside those of the rare ones,
// ten times as long. They are counted in a sample of all accounts' texts, at the start of a process,
// every hour, and when the texts of a type have doubled. A wrong count costs time and changes no
// answer (docs/decisions/0060-common-trigrams.md).
import sql, { raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { workInBackground } from '../../changes/background.ts'
import { statisticsChannel } from '../../changes/growth.ts'
import type { Database, Reader } from '../../database/connect.ts'
import type { App, Kontor } from '../../kontor.ts'
import { recordTypes } from '../description.ts'
import type { RecordType } from '../description.ts'

/** Tests lower them. */
export const sampling = {
  /** Below so many texts, PostgreSQL finds them soon without counts. */
  fewestTexts: 20_000,
  /** The texts of a sample: one in 200, but within these bounds. 5,000 take 0.4 s. */
  least: 5000,
  most: 50_000,
  /** Counts are as old as this, in seconds, before they are made anew. */
  age: 1800,
}

/** The most trigrams that a search asks the index for. */
export const mostPatterns = 6
/** A search asks for a further trigram as long as it expects more texts than this of the others. */
const enough = 20

export function countTrigramsInBackground(app: App, kontor: Kontor): void {
  workInBackground(app, kontor, {
    channel: statisticsChannel,
    everyMs: 3_600_000,
    failure: 'the trigrams of search texts could not be counted',
    async finish(database, isStopped) {
      for (const type of recordTypes) if (!isStopped()) await countTrigrams(database, type)
      return true
    },
  })
}

/**
 * Counts the trigrams of an entity type anew, unless it has few texts, or was counted of late and has
 * not doubled since.
 */
export async function countTrigrams(database: Database, type: RecordType): Promise<void> {
  if (!isDue(await textsToCount(database, type))) return
  await database.transaction(async (tx) => {
    // Readers see the former counts until the commit. Another process may count just now.
    await tx.rows(sql`lock table common_trigrams in share row exclusive mode`)
    const total = await textsToCount(tx, type)
    if (!isDue(total)) return
    await tx.rows(sql`delete from common_trigrams where entity_type = ${type}`)
    await tx.rows(insertCounts(type, total))
  })
}

const isDue = (total: number) => total >= sampling.fewestTexts

/** The number of texts, as PostgreSQL last estimated it; 0 where about as many were counted of late. */
async function textsToCount(reader: Reader, type: RecordType): Promise<number> {
  const found = await reader.row<{ total: number }>(sql`
    select case when exists (select from common_trigrams where entity_type = ${type} and trigram = ''
                                and counted_at > now() - make_interval(secs => ${sampling.age}) and reltuples < 2 * records)
                then 0 else greatest(reltuples, 0)::bigint end as total
      from pg_class where oid = ${`record_texts_of_${type}`}::regclass`)
  return found!.total
}

/** A trigram of a single text of the sample is not common. */
function insertCounts(type: RecordType, total: number): Sql {
  const sampled = Math.min(Math.max(total / 200, sampling.least), sampling.most)
  const percent = Math.min((100 * sampled) / total, 100)
  return sql`
    with sampled as materialized (select grams from ${textTable(type)} tablesample system (${percent}::real)),
         size as materialized (select greatest(count(*), 1) as texts from sampled)
    insert into common_trigrams (entity_type, trigram, records)
    select ${type}, trigram, greatest(count(*) * ${total}::bigint / (select texts from size), 1)
      from sampled, unnest(show_trgm(grams)) trigram where trigram ~ '^[a-z0-9]{3}$'
     group by trigram having count(*) > 1
    union all select ${type}, '', ${total}::bigint`
}

export const textTable = (type: RecordType): Sql => raw(`record_texts_of_${type}`)

/**
 * Selects the patterns of the trigrams to ask the index for, the rarest first, and about how many texts
 * have the rarest; null where nothing was counted. Then all trigrams are patterns.
 */
export const rarestOf = (type: RecordType, trigrams: readonly string[]): Sql => sql`
  select array_agg('%' || trigram || '%' order by place) as patterns, min(records) as records
    from (select trigram, records, row_number() over rarest as place,
                 total * exp(sum(ln(records / total)) over (rarest rows between unbounded preceding and 1 preceding)) as expected
            from (select given.trigram, total.records::float8 as total,
                         least(coalesce(common.records, total.records / 5000.0), total.records)::float8 as records
                    from unnest(${trigrams}::text[]) given(trigram)
                    left join common_trigrams total on total.entity_type = ${type} and total.trigram = ''
                    left join common_trigrams common on common.entity_type = ${type} and common.trigram = given.trigram) counted
          window rarest as (order by records, trigram)) ranked
   where place <= ${mostPatterns} and (expected is null or expected > ${enough})`
