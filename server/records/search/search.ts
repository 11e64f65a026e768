// Text search over the texts of records (`record_texts`), which are written together with them. A
// lead also matches by a single linked contact or company that contains all words, unless that
// record is in the bin or the actor may not view it. Where few texts match, their ids are fetched
// first. Where many match, the records are found by an index scan in the order of ids, or tested
// one by one (docs/decisions/0017-search.md).
import sql, { empty, join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Reader } from '../../database/connect.ts'
import type { Actor } from '../../access/actor.ts'
import type { Fields } from '../fields/definitions.ts'
import type { RecordType } from '../description.ts'
import { answers, isIndexed, questionOf } from './question.ts'
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
  const question = questionOf(query)
  if (!question) return []
  const others =
    type === 'leads'
      ? (['contacts', 'companies'] as const).filter((other) => !mayNone(actor, other, 'view'))
      : []
  const [indexed, matches] = [answers(question, gone, true), answers(question, gone, false)]
  const selects = [type, ...others].map((each) => ({
    select: sql`select entity_id as id from record_texts found where ${textsOf(actor, each, indexed)}`,
    // A search without trigrams would have to read every text to count the matching ones.
    isMany: each === type && !isIndexed(question) ? sql`true` : isCommon(actor, each, matches),
  }))
  const [own, ...holders] = await fetchFew(reader, selects, few)
  const linked = await linkedIds(reader, actor, type, others, holders, few)
  const parts = [
    own ? listed(own) : ownPart(actor, type, matches),
    ...others.map((other, place) => {
      const ids = linked[place]
      return ids ? listed(ids) : linkedPart(actor, type, other, matches, holders[place])
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
      hasNoIndex: true,
    },
  ]
}

/**
 * The first texts of an entity type that are sampled, and the matches among them that make a search
 * common.
 */
const [sampleRows, sampleHits] = [100, 2]

/**
 * Whether many texts of an entity type match, judged by a sample: counting all matches in the index
 * would take longer than finding a page.
 */
const isCommon = ({ accountId }: Actor, type: RecordType, matches: Sql) => sql`
  (select count(*) filter (where ${matches}) >= ${sampleHits}
     from (select text from record_texts
            where account_id = ${accountId} and entity_type = ${type} order by entity_id limit ${sampleRows}) found)`

interface Select {
  select: Sql
  /** Whether it would select too many ids, where that is known beforehand. */
  isMany?: Sql
}

/** The ids that each select yields; undefined where they are more than `few`. */
async function fetchFew(
  reader: Reader,
  selects: Select[],
  few: number,
): Promise<(number[] | undefined)[]> {
  const parts = selects.map(
    ({ select, isMany = sql`false` }, part) => sql`
      (with common as materialized (select ${isMany} as is_many)
       (select ${part}::int as part, id from (${select}) found where not (select is_many from common) limit ${few + 1})
       union all select ${part}::int, null from common where is_many)`,
  )
  // A named statement: its text depends on little more than the number of trigrams, and planning it
  // each time took twice as long.
  const rows = await reader.rows<{ part: number; id: number | null }>(join(parts, ' union all '))
  return selects.map((_, place) => {
    const ids = rows.flatMap(({ part, id }) => (part === place ? [id] : []))
    return ids.length > few || ids.includes(null) ? undefined : (ids as number[])
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
    .map((other, place) => ({ other, ids: holders[place] }))
    .filter(({ ids }) => ids && ids.length > 0)
  const select = ({ other, ids = [] }: (typeof requested)[number]): Select => ({
    select: sql`
      select to_id as id from links
       where account_id = ${actor.accountId} and from_type = ${other} and from_id = any(${ids}::bigint[]) and to_type = ${type}
         and ${seenBy(actor, other)(sql`links.from_id`)}`,
  })
  const ids = requested.length > 0 ? await fetchFew(reader, requested.map(select), few) : []
  return others.map((other, place) => {
    if (holders[place]?.length === 0) return []
    const at = requested.findIndex((each) => each.other === other)
    return at === -1 ? undefined : ids[at]
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

function ownPart(actor: Actor, type: RecordType, matches: Sql): Part {
  const answering = textsOf(actor, type, matches)
  return {
    passes: sql`exists (select from record_texts found where ${answering} and found.entity_id = record.id)`,
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
  const answering = sql`exists (select from record_texts found where ${textsOf(actor, other, matches)} and found.entity_id = link.to_id)`
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
