// Text search over the texts of records (`record_texts`), which are written together with them. A
// lead also matches by a single linked contact or company that contains all words, unless that
// record is in the bin or the actor may not view it. Where few texts match, their ids are fetched
// first. Where many match, the records are found by an index scan in the order of ids, or tested
// one by one (docs/decisions/0017-search.md). Words without trigrams are looked up in blocks of texts
// (text-blocks.ts).
import sql, { empty, join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Reader } from '../../database/connect.ts'
import type { Actor } from '../../access/actor.ts'
import type { Fields } from '../fields/definitions.ts'
import type { RecordType } from '../description.ts'
import { mostPatterns, rarestOf, textTable } from './common-trigrams.ts'
import { answers, hasShortWord, isIndexed, searchTermsOf, trigramsIn } from './terms.ts'
import type { SearchTerms } from './terms.ts'
import { blockedTypes, byBlocks, isInTextBlocks } from './text-blocks.ts'
import { may, mayAll, mayNone } from '../../access/record-rights.ts'
import type { Condition } from '../lists/conditions.ts'

/**
 * The condition of `query`; none for an empty one. At most `few` ids are fetched for each entity
 * type.
 */
export async function searched(
  reader: Reader,
  actor: Actor,
  type: RecordType,
  query: string | undefined,
  { gone }: Pick<Fields, 'gone'>,
  few: number,
): Promise<Condition[]> {
  const terms = searchTermsOf(query)
  if (!terms) return []
  const others =
    type === 'leads'
      ? (['contacts', 'companies'] as const).filter((other) => !mayNone(actor, other, 'view'))
      : []
  const matches = answers(terms, gone)
  // A search of accents only has no words and finds nothing.
  const byIndex = terms.length > 0 && isIndexed(terms)
  const ownLevel = levelOfMatches(actor, type, matches)
  const blocked = hasShortWord(terms) ? await blockedTypes(reader, actor) : undefined
  const selects = [type, ...others].map((each) => {
    // Where a page is soon full of records that match by themselves, no others are fetched.
    const level =
      each === type
        ? ownLevel
        : sql`greatest(${levelOfMatches(actor, each, matches)}, ${ownLevel} - 1)`
    const journalId = blocked?.get(each)
    if (journalId !== undefined) {
      const part = byBlocks(actor, each, terms, matches, journalId)
      const known = each === type ? sql`ends` : sql`ends - 1`
      return {
        ...part,
        level: sql`(select case when ${known} > 0 then ${known} else ${part.level} end
                      from (select ${levelAtBothEnds(actor, type, matches)} as ends) sample)`,
      }
    }
    if (byIndex) return indexed(actor, each, terms, gone, few, level)
    const select = sql`select entity_id as id from ${textTable(each)} found where ${textsOf(actor, each, matches)}`
    // Without trigrams and blocks, every text would be read to count the matching ones.
    return { select, level: each === type && terms.length > 0 ? sql`1` : level }
  })
  const fetched = await fetchFew(byIndex || blocked?.size ? reader.page : reader.rows, selects, few)
  const isFrequent = fetched[0] === 'frequent'
  const journalId = fetched[0] === 'in blocks' ? blocked?.get(type) : undefined
  const [own, ...holders] = fetched.map((ids) => (typeof ids === 'string' ? undefined : ids))
  const linked = await linkedIds(reader, actor, type, others, holders, few)
  const parts = [
    own
      ? listed(own)
      : ownPart(
          actor,
          type,
          matches,
          journalId === undefined ? undefined : isInTextBlocks(actor, type, terms, journalId),
        ),
    ...others.map((other, index) => {
      const ids = linked[index]
      return ids ? listed(ids) : linkedPart(actor, type, other, matches, holders[index])
    }),
  ]
  const ids = [...new Set(parts.flatMap((part) => part.ids ?? []))]
  const many = parts.filter(({ walk }) => walk)
  const list = listed(ids)
  if (many.length === 0)
    return [{ passes: list.passes, ids: listOf(ids), count: ids.length, streams: ['id'] }]
  return [
    {
      passes: join(
        [list, ...many].map(({ passes }) => passes),
        ' or ',
      ),
      walks: [...(ids.length > 0 ? [walkOfList(ids)] : []), ...many.map(({ walk }) => walk!)],
      streams: ['id'],
      isCostly: true,
      isFrequent,
      hasNoIndex: true,
    },
  ]
}

/**
 * The ids of the texts of an entity type that match each search of one alternative by itself, in the order of
 * the searches; undefined where more than `few` match, or where a search has no trigram to look up.
 */
export async function fewMatching(
  reader: Reader,
  actor: Actor,
  type: RecordType,
  searches: readonly SearchTerms[],
  { gone }: Pick<Fields, 'gone'>,
  few: number,
): Promise<(number[] | undefined)[]> {
  const indexedTerms = searches.filter(isIndexed)
  if (indexedTerms.length === 0) return searches.map(() => undefined)
  // To walk over a part of very many texts, in order to find that it is one, would take long in itself.
  const level = sql`case when records0 > ${20 * few} then 1 else 0 end`
  const selects = indexedTerms.map((each) => indexed(actor, type, each, gone, few, level))
  const found = await fetchFew(reader.page, selects, few)
  return searches.map((each) => {
    const ids = found[indexedTerms.indexOf(each)]
    return typeof ids === 'string' ? undefined : ids
  })
}

/**
 * The first texts of an entity type that are sampled, the matches among them that make a search common,
 * and those that make it frequent: a page is then full after 600 records.
 */
const [sampleRows, commonHits, frequentHits] = [100, 2, 8]

/**
 * How many texts of an entity type match: 0 perhaps few, 1 many, 2 very many. It is judged by a sample:
 * counting all matches in the index would take longer than finding a page.
 */
const levelOfMatches = (
  { accountId }: Actor,
  type: RecordType,
  matches: Sql,
  direction = raw('asc'),
) => sql`
  (select case when hits >= ${raw(String(frequentHits))} then 2 when hits >= ${raw(String(commonHits))} then 1 else 0 end
     from (select count(*) filter (where ${matches}) as hits
             from (select text from ${textTable(type)}
                    where account_id = ${accountId} and entity_type = ${type}
                    order by entity_id ${direction} limit ${raw(String(sampleRows))}) found) sample)`

/**
 * The lower level of those at both ends of an entity type. Counting the blocks of a word that is common
 * at both would take longer than a page of it.
 */
const levelAtBothEnds = (actor: Actor, type: RecordType, matches: Sql) => sql`
  least(${levelOfMatches(actor, type, matches)}, ${levelOfMatches(actor, type, matches, raw('desc'))})`

interface Select {
  select: Sql
  /** Above 0 where it would select too many ids, and that is known beforehand. */
  level?: Sql
  /** A part of the statement that both read. */
  before?: Sql
}

/**
 * Selects the ids of the texts of an entity type by their trigrams. Where one is rare among the texts of
 * all accounts, the index is not asked for the account, which is common itself.
 */
function indexed(
  actor: Actor,
  type: RecordType,
  terms: SearchTerms,
  gone: readonly number[],
  few: number,
  level: Sql,
): Select {
  const alternatives = terms.map((words, index) => ({
    rarest: sql`(${rarestOf(type, trigramsIn(words))}) ${raw(`asked${index}(patterns${index}, records${index})`)}`,
    records: raw(`records${index}`),
  }))
  const [first, ...others] = alternatives.map(({ rarest }) => rarest)
  const isRare = join(
    alternatives.map(({ records }) => sql`coalesce(${records} <= ${few}, false)`),
    ' and ',
  )
  const candidates = answers(terms, gone, (words, index) =>
    trigramsIn(words)
      .slice(0, mostPatterns)
      .map((_, at) => {
        const patterns = raw(`rarest.patterns${index}`)
        return sql`found.grams like coalesce(${patterns}[${raw(String(at + 1))}], ${patterns}[1])`
      }),
  )
  const found = (isOfRare: Sql, account: Sql) => sql`
    select found.id from rarest cross join lateral (
      select found.entity_id as id from ${textTable(type)} found
       where ${account} = ${actor.accountId} and ${candidates} offset 0) found
     where ${isOfRare}`
  return {
    before: sql`rarest as materialized (select *, ${isRare} as is_rare from ${first!} ${join([empty, ...others], ' cross join ')}),`,
    level: sql`(select case when is_rare then 0 else ${level} end from rarest)`,
    select: sql`${found(sql`rarest.is_rare`, sql`found.account_id + 0`)} union all ${found(sql`not rarest.is_rare`, sql`found.account_id`)}`,
  }
}

/**
 * The ids that each select yields; undefined where they are more than `few`, 'frequent' where very many
 * are expected, and 'in blocks' where blocks rule out most records. By trigrams the plan is the same for
 * all values, and making it takes four times as long as the search.
 */
async function fetchFew(
  read: Reader['page'],
  selects: Select[],
  few: number,
): Promise<(number[] | 'frequent' | 'in blocks' | undefined)[]> {
  const parts = selects.map(
    ({ before = empty, select, level = sql`0` }, part) => sql`
      (with ${before} common as materialized (select ${level} as level)
       (select ${part}::int as part, id from (${select}) found where (select level from common) = 0 limit ${raw(String(few + 1))})
       union all select ${part}::int, -level from common where level > 0)`,
  )
  const rows = await read<{ part: number; id: number }>(join(parts, ' union all '))
  return selects.map((_, index) => {
    const ids = rows.flatMap(({ part, id }) => (part === index ? [id] : []))
    if (ids[0] === -2) return 'frequent'
    if (ids[0] === -3) return 'in blocks'
    return ids.length > few || ids[0] === -1 ? undefined : ids
  })
}

/**
 * The records linked to the matching contacts, and to the matching companies; undefined where
 * either the matches or the linked records are too many.
 */
async function linkedIds(
  reader: Reader,
  actor: Actor,
  type: RecordType,
  others: readonly RecordType[],
  holders: readonly (number[] | undefined)[],
  few: number,
): Promise<(number[] | undefined)[]> {
  const requested = others
    .map((other, index) => ({ other, ids: holders[index] }))
    .filter(({ ids }) => ids && ids.length > 0)
  const select = ({ other, ids = [] }: (typeof requested)[number]): Select => ({
    // The holders come first, by their ids: the links of those that the actor may not view would cost
    // most, and PostgreSQL would read all that the actor may view to leave them out.
    select: sql`
      select link.to_id as id
        from (select record.id from ${raw(other)} record
               where record.account_id = ${actor.accountId} and record.id = any(${ids}::bigint[]) and not record.is_deleted
                 ${mayAll(actor, other, 'view') ? empty : sql`and ${may(actor, other, 'view')}`} offset 0) holder
       cross join lateral (
             select link.to_id from links link
              where link.account_id = ${actor.accountId} and link.from_type = ${other} and link.from_id = holder.id
                and link.to_type = ${type} offset 0) link`,
  })
  const ids = requested.length > 0 ? await fetchFew(reader.rows, requested.map(select), few) : []
  return others.map((other, index) => {
    if (holders[index]?.length === 0) return []
    const at = requested.findIndex((each) => each.other === other)
    const found = ids[at]
    return typeof found === 'string' ? undefined : found
  })
}

/**
 * The records that match by the texts of one entity type: their ids where they are few, otherwise
 * an index scan and a test of a single record.
 */
interface Part {
  ids?: number[]
  passes: Sql
  walk?: Walk
}

/**
 * Selects up to `limit` matching ids in the order of ids, in a column `id`. `after` and `isSeen`
 * are conditions on an id.
 */
export type Walk = (
  after: (id: Sql) => Sql,
  isSeen: (id: Sql) => Sql,
  direction: Sql,
  limit: number,
) => Sql

const listOf = (ids: readonly number[]) => sql`select unnest(${ids}::bigint[]) as id`
const listed = (ids: number[]): Part => ({ ids, passes: sql`record.id = any(${ids}::bigint[])` })
const walkOfList =
  (ids: readonly number[]): Walk =>
  (after, isSeen, direction, limit) =>
    sql`
    select id from (${listOf(ids)}) found where ${after(sql`found.id`)} and ${isSeen(sql`found.id`)} order by id ${direction} limit ${limit}`

const textsOf = ({ accountId }: Actor, type: RecordType, matches: Sql) => sql`
  found.account_id = ${accountId} and found.entity_type = ${type} and ${matches}`

/** `isInBlock` tests a record before its text is read, where that rules out most. */
function ownPart(actor: Actor, type: RecordType, matches: Sql, isInBlock: Sql | undefined): Part {
  const answering = textsOf(actor, type, matches)
  return {
    // `offset 0`: each record is tested in the order of the list.
    passes: isInBlock
      ? sql`(${isInBlock} and exists (select from ${textTable(type)} found where ${answering} and found.entity_id = record.id offset 0))`
      : sql`exists (select from ${textTable(type)} found where ${answering} and found.entity_id = record.id offset 0)`,
    walk: (after, isSeen, direction, limit) => sql`
      select found.entity_id as id from record_texts found
       where ${answering} and ${after(sql`found.entity_id`)} and ${isSeen(sql`found.entity_id`)}
       order by found.entity_id ${direction} limit ${limit}`,
  }
}

/**
 * Records that match by their links: to a few matching records with many links, or to many matching
 * records.
 */
function linkedPart(
  actor: Actor,
  type: RecordType,
  other: RecordType,
  matches: Sql,
  holders: number[] | undefined,
): Part {
  const link = sql`link.account_id = ${actor.accountId} and link.from_type = ${type} and link.to_type = ${other}`
  const answering = sql`exists (select from ${textTable(other)} found where ${textsOf(actor, other, matches)} and found.entity_id = link.to_id offset 0)`
  const isHolder = sql`${holders ? sql`link.to_id = any(${holders}::bigint[])` : answering} and ${seenBy(actor, other)(sql`link.to_id`)}`
  return {
    // `offset 0`: PostgreSQL would look up the links of all matching records, for a page that tests few.
    passes: sql`exists (select from links link where ${link} and link.from_id = record.id and ${isHolder} offset 0)`,
    walk: (after, isSeen, direction, limit) => sql`
      select distinct link.from_id as id from links link
       where ${link} and ${after(sql`link.from_id`)} and ${isHolder} and ${isSeen(sql`link.from_id`)}
       order by link.from_id ${direction} limit ${limit}`,
  }
}

/**
 * Whether the record with an id is neither in the bin nor an unsorted lead, and the actor may view
 * it. The condition may refer to the row as `record`.
 */
export const seenBy = (actor: Actor, type: RecordType) => (id: Sql) =>
  sql`
  exists (select from ${raw(type)} record
           where record.account_id = ${actor.accountId} and record.id = ${id} and not record.is_deleted
             ${type === 'leads' ? sql`and record.unsorted_id is null` : empty}
             ${mayAll(actor, type, 'view') ? empty : sql`and ${may(actor, type, 'view')}`})`
