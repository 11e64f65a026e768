// The statements that read a page of records, one for each way of finding its rows (find.ts).
import sql, { empty, join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../access/actor.ts'
import type { PagePosition } from '../../http/paging.ts'
import type { ListRequest } from './find.ts'
import type { RecordDescription, RecordType } from '../description.ts'
import { rowByKey, unguessed } from '../../database/by-key.ts'
import { comesAfter, orderedBy, pinnedTo } from './schema.ts'
import type { Ordering, Pin } from './schema.ts'
import { binnedColumns, lineColumns } from './select.ts'
import { seenBy } from '../search/search.ts'
import { allOf, asRange } from './conditions.ts'
import type { Condition } from './conditions.ts'

/** The tables that lists are found in: those of records, and tasks, which have the same columns. */
export type ListedTable = RecordType | 'tasks'

/** How a list finds its rows (find.ts). */
export type Way =
  /** PostgreSQL chooses the plan. */
  | { kind: 'plain' }
  /** One index has the rows of a single value in the order of the list. */
  | { kind: 'ordered'; pin: Pin }
  /** The ids of one condition are looked up one by one; `isCounted`: they are few. */
  | { kind: 'lookUp'; by: Condition; isCounted?: boolean }
  /** The index scans of one condition deliver the ids in the order of the list. */
  | { kind: 'scan'; by: Condition }
  /**
   * Only the first rows in the order of the list are tested. Conditions in `along` apply before the
   * first rows are taken, since an index delivers their rows in that order.
   */
  | { kind: 'window'; rows: number; along: Condition[] }

/**
 * Reads a page of the records that the actor may view, as bare lines; with `with=only_deleted`, of
 * the bin. Rows are found before they are rendered, so that a skipped row is never rendered.
 */
export function recordList(
  description: RecordDescription,
  actor: Actor,
  base: string,
  request: ListRequest,
  seek: PagePosition,
  way: Way = { kind: 'plain' },
): Sql {
  const { ordering, inBin, wanted } = request
  const columns = inBin
    ? binnedColumns(description, ordering.column)
    : lineColumns(description, actor, base, wanted, ordering.column)
  return sql`
    select ${columns} from (${matchingRows(description.type, actor, request, seek, way)}) record`
}

/** Selects the rows of a page, in a way. */
export function matchingRows(
  table: ListedTable,
  actor: Actor,
  { conditions, ordering, inBin, always, isUnlisted }: ListRequest,
  seek: PagePosition,
  way: Way,
): Sql {
  const { after, offset, limit } = seek
  const isLive = isInList(inBin)
  const isListed = sql`${isLive} ${always ? sql`and ${unguessed(always)}` : empty}`
  const rowsThat = (passes: Sql) => sql`select record.* from ${raw(table)} record
    where record.account_id = ${actor.accountId} and ${passes}`
  const rows = rowsThat(isListed)
  // By the index of all that is listed, in the order of ids, or by the key.
  const listedRows = isUnlisted
    ? rowsThat(sql`${unguessed(isLive)} ${always ? sql`and ${unguessed(always)}` : empty}`)
    : rowsThat(sql`${isLive} ${always ? sql`and ${always}` : empty}`)
  const isByListed =
    ordering.column === 'id' && conditions.every(({ isRight, pin }) => isRight && !pin)
  const byKey = (id: Sql) => rowByKey(table, actor.accountId, id)
  const rest = sql`${comesAfter(ordering, after)} ${orderedBy(ordering)} limit ${limit} offset ${offset}`
  switch (way.kind) {
    case 'plain':
      if (conditions.length === 0 && !inBin && ordering.column === 'id' && offset > 0)
        return sql`${listedRows} and ${startsFrom(table, actor, ordering, offset, always)} ${orderedBy(ordering)} limit ${limit}`
      return sql`${isByListed ? listedRows : rows} and ${allOf(conditions)} ${rest}`
    case 'ordered':
      return inRange(way.pin, sql`limit ${limit} offset ${offset}`)
    case 'lookUp': {
      if (conditions.length === 1 && isInBlocks(way.by, ordering))
        return inBlocks(way.by, sql`limit ${limit} offset ${offset}`)
      const others = allOf(
        conditions.filter((condition) => condition !== way.by || condition.count === undefined),
      )
      const isById = ordering.column === 'id'
      const further =
        isById && after
          ? sql`where found.id ${raw(ordering.direction === 'asc' ? '>' : '<')} ${after.id}`
          : empty
      // A condition on a column of the record selects only rows that the page shows, so that no
      // more ids are needed than the page has. `+ 0` keeps PostgreSQL from scanning the primary
      // key: it does not know that the matching rows lie at the end.
      const isWhole = isById && conditions.length === 1 && !way.by.ids
      const isEachOnce = isWhole || way.by.streams.includes('id')
      const most = isWhole
        ? sql`order by found.id + 0 ${raw(ordering.direction)} limit ${offset + limit}`
        : // Few ids are sorted before the look-ups. Else a plan for all values may walk all ids in order.
          isById && way.isCounted
          ? sql`order by found.id ${raw(ordering.direction)} offset 0`
          : empty
      // In the order of ids, the ids are sorted before the records are looked up: a page looks up
      // no more records than it needs.
      return sql`
        select record.* from (select ${isEachOnce ? empty : raw('distinct')} found.id from (${idsOf(table, actor, way.isCounted ? asRange(way.by) : way.by, isWhole ? always : undefined, isWhole)}) found ${further} ${most}) found
         cross join lateral ${byKey(sql`found.id`)} record
         where ${isListed} and ${others} ${isById ? empty : comesAfter(ordering, after)}
         ${isById ? sql`order by found.id ${raw(ordering.direction)}` : orderedBy(ordering)} limit ${limit} offset ${offset}`
    }
    case 'scan': {
      const direction = raw(ordering.direction)
      const isFurther = (id: Sql) =>
        after ? sql`${id} ${raw(ordering.direction === 'asc' ? '>' : '<')} ${after.id}` : sql`true`
      const ids = way.by.walks!.map(
        (walk) =>
          sql`(${walk(isFurther, seenBy(actor, table as RecordType), direction, offset + limit)})`,
      )
      return sql`
        select record.* from (select id from (${join(ids, ' union ')}) found order by id ${direction} limit ${limit} offset ${offset}) found
         cross join lateral ${byKey(sql`found.id`)} record
         where ${isListed} order by found.id ${direction}`
    }
    case 'window': {
      const [along] = way.along
      if (along && isInBlocks(along, ordering))
        return inBlocks(along, sql`limit ${way.rows}`, sql`limit ${limit} offset ${offset}`)
      const early = along?.pin
        ? inRange(along.pin, sql`limit ${way.rows}`)
        : sql`${way.along.length === 0 && ordering.column === 'id' ? listedRows : rows} and ${allOf(way.along)} ${comesAfter(ordering, after)} ${orderedBy(ordering)} limit ${way.rows}`
      return sql`
        select record.* from (${early}) record
         where ${allOf(conditions.filter((condition) => !way.along.includes(condition)))}
         ${orderedBy(ordering)} limit ${limit} offset ${offset}`
    }
  }

  /** Reads the rows of a single value along the index that has them in the order of the list. */
  function inRange(pin: Pin, cut: Sql): Sql {
    return sql`${rows} and ${pinnedTo(pin)} ${comesAfter(ordering, after, 'record', pin)} ${orderedBy(ordering, 'record', pin)} ${cut}`
  }

  /** Reads the first rows of a condition from its index, and of their records those that pass. */
  function inBlocks(by: Condition, entries: Sql, shown = empty): Sql {
    const { column, direction } = ordering
    const bits = by.blocks![column]!
    // A page ends within a block, and the next begins in the same.
    const further = after
      ? sql`${comesAfter(ordering, after)} and record.${raw(`${column} >> ${bits} ${direction === 'asc' ? '>=' : '<='}`)} ${column === 'id' ? after.id : after.key}::bigint >> ${raw(String(bits))}`
      : empty
    const order = raw(
      [`${column} >> ${bits}`, ...(column === 'id' ? [] : [column]), 'id']
        .map((each) => `early.${each} ${direction}`)
        .join(', '),
    )
    const others = conditions.filter((condition) => condition !== by)
    return sql`
      select record.* from (
        select early.* from (
          select record.id ${column === 'id' ? empty : raw(`, record.${column}`)} from ${raw(table)} record
           where record.account_id = ${actor.accountId} and not record.is_deleted and ${by.passes} ${always ? sql`and ${unguessed(always)}` : empty} ${further}) early
         order by ${order} ${entries}) early
       cross join lateral ${byKey(sql`early.id`)} record
       where ${isListed} and ${allOf(others)} order by ${order} ${shown}`
  }
}

/** The row is one of the bin, or of what is outside of it. */
const isInList = (inBin: boolean): Sql =>
  inBin ? sql`record.is_deleted` : sql`not record.is_deleted`

/** Selects the rows of a list in no order, at most so many: those that one condition names, or what PostgreSQL chooses. */
export function someRows(
  table: ListedTable,
  actor: Actor,
  { conditions, inBin, always }: ListRequest,
  most: number,
  by?: Condition,
): Sql {
  const isListed = sql`${isInList(inBin)} ${always ? sql`and ${unguessed(always)}` : empty}`
  const others = allOf(
    conditions.filter((condition) => condition !== by || condition.count === undefined),
  )
  return by
    ? sql`
      select record.* from (select distinct found.id from (${idsOf(table, actor, by)}) found) found
       cross join lateral ${rowByKey(table, actor.accountId, sql`found.id`)} record
       where ${isListed} and ${others} limit ${most}`
    : sql`
      select record.* from ${raw(table)} record
       where record.account_id = ${actor.accountId} and ${isListed} and ${allOf(conditions)} limit ${most}`
}

/** Whether an index delivers the rows of a condition in this order, block by block. */
export const isInBlocks = ({ blocks }: Condition, { column }: Ordering): boolean =>
  blocks?.[column] !== undefined

/**
 * The rows from the one on that is `offset` rows behind the first. An index alone counts to it, and no
 * record before it is read.
 */
const startsFrom = (
  table: ListedTable,
  { accountId }: Actor,
  { direction }: Ordering,
  offset: number,
  always: Sql | undefined,
): Sql => sql`
  record.id ${raw(direction === 'asc' ? '>=' : '<=')} (
    select record.id from ${raw(table)} record
     where record.account_id = ${accountId} and not record.is_deleted ${always ? sql`and ${always}` : empty}
     order by record.id ${raw(direction)} limit 1 offset ${offset})`

/** Counts the records that match each condition, deleted ones too, up to `most` (columns c0, c1, …). */
export function countList(
  table: ListedTable,
  actor: Actor,
  conditions: readonly Condition[],
  most: number,
): Sql {
  return sql`select ${join(
    conditions.map(
      (condition, index) => sql`
        (select count(*) from (select from (${idsOf(table, actor, asRange(condition))}) found limit ${most}) found) as ${raw(`c${index}`)}`,
    ),
  )}`
}

/**
 * Selects the ids of the records that match a condition and, unless it has ids, `always`. `isExact`: no
 * deleted records are among them.
 */
export function idsOf(
  table: ListedTable,
  { accountId }: Actor,
  { passes, ids, isOfAll }: Condition,
  always?: Sql,
  isExact = false,
): Sql {
  return (
    ids ??
    sql`
    select record.id from ${raw(table)} record where record.account_id = ${accountId} ${isOfAll && !isExact ? empty : sql`and not record.is_deleted`} and (${passes})
       ${always ? sql`and ${unguessed(always)}` : empty}`
  )
}
