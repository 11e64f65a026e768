// Finds the page of a list. By itself, PostgreSQL assumes that matching rows are spread evenly over
// the account. The leads of last week or of one pipeline are not, and a page of 50 then reads a
// million rows. A list that one index delivers in its order is therefore read directly, and any
// other list in steps that each read a bounded number of rows (docs/decisions/0016-finding.md).
// The ways (`Way` in pages.ts):
//
//   ordered one index has the rows of the only filter, a single value, in the order of the list
//   plain   one index has all that is asked for in its order, or nothing better is known
//   lookUp  the ids of the smallest set are looked up one by one
//   window  many rows match, so the first rows of the list are read
//   scan    a search with many matches is read by its index scans, in the order of ids
import sql, { join } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Cells, Reader } from '../../database/connect.ts'
import type { Actor } from '../../access/actor.ts'
import type { PagePosition } from '../../http/paging.ts'
import { fieldsOf, noFields } from '../fields/definitions.ts'
import type { Fields } from '../fields/definitions.ts'
import { fieldConditions } from '../fields/filter.ts'
import type { FieldFilters } from '../fields/filter.ts'
import type { RecordDescription } from '../description.ts'
import { orderingOf } from './schema.ts'
import type { Ordering } from './schema.ts'
import { countList, idsOf, isInBlocks, matchingRows, recordList, someRows } from './pages.ts'
import type { ListedTable, Way } from './pages.ts'
import type { RecordQuery } from '../schema.ts'
import { searched } from '../search/search.ts'
import { created, named, oneOf, tagged, viewed, within, withinOrNone } from './conditions.ts'
import type { Condition } from './conditions.ts'

/** How many rows each step reads. Tests lower them, so that few rows make a list take any step. */
export const bounds = {
  /** The largest set that is looked up at once: 2,000 rows take about 4 ms. */
  smallSet: 2000,
  /**
   * The rows tested at the beginning of the list, before it is known whether enough of them match.
   */
  windowRows: 2000,
  /** The same for searches: testing a row costs ten times as much. */
  costlyWindowRows: 300,
  /**
   * The largest set that is looked up after the beginning of the list did not fill the page: 20,000
   * rows take about 40 ms.
   */
  mediumSet: 20_000,
}

/** A list to be found: its conditions, its order, and what it shows. */
export interface ListRequest {
  conditions: Condition[]
  ordering: Ordering
  /** A test of all rows besides the conditions, which no index answers and nearly all pass. */
  always?: Sql
  /** No index has exactly the rows that are listed, in the order of ids: the key has them. */
  isUnlisted?: boolean
  /** The values of `with`. */
  wanted: ReadonlySet<string>
  inBin: boolean
  /** Whether the request names the ids, so that the primary key finds the records. */
  isNamed: boolean
}

/**
 * Answers the rows of a page of records, and one more where another page follows: those of
 * `lineColumns` or, in the bin, of `binnedColumns`. Throws a 400 problem for a filter that does not
 * fit its custom field.
 */
export async function findRecords(
  reader: Reader,
  actor: Actor,
  base: string,
  description: RecordDescription,
  query: RecordQuery,
  seek: PagePosition,
): Promise<Cells[]> {
  const request = await openList(reader, actor, description, query)
  return findRows(reader, actor, description.type, request, seek, (way) =>
    recordList(description, actor, base, request, seek, way),
  )
}

/**
 * The list that a query asks for. Throws a 400 problem for a filter that does not fit its custom field. `known` saves
 * reading the definitions of fields.
 */
export async function openList(
  reader: Reader,
  actor: Actor,
  description: RecordDescription,
  query: RecordQuery,
  known?: Fields,
): Promise<ListRequest> {
  const { type } = description
  const needsFields = query.filter?.custom_fields_values !== undefined || query.query
  const fields = known ?? (needsFields ? await fieldsOf(reader, actor.accountId, type) : noFields)
  const search = await searched(reader, actor, type, query.query, fields, bounds.smallSet)
  return listRequestOf(description, actor, query, fields, search)
}

/** Chooses the way of a list, and answers the rows of its page, which `read` selects in that way. */
export async function findRows(
  reader: Reader,
  actor: Actor,
  table: ListedTable,
  request: ListRequest,
  seek: PagePosition,
  read: (way?: Way) => Sql,
): Promise<Cells[]> {
  const list = (way?: Way) => reader.cells(planningOf(request, way), read(way))
  const { smallSet, windowRows, costlyWindowRows, mediumSet } = bounds
  const [one] = request.conditions
  if (isDirect(request)) return list(directWay(request))

  // 1. The smallest set with few rows is looked up row by row.
  const rare = await smallestSet(reader, table, actor, request.conditions, smallSet)
  if (rare) return list({ kind: 'lookUp', by: rare, isCounted: true })

  // 2. No condition matches few rows: where many match, the first rows of the list fill the page.
  const along = request.conditions
    .filter(
      ({ streams, ids, walks }) => streams.includes(request.ordering.column) && !ids && !walks,
    )
    .slice(0, 1)
  const costly = request.conditions.find(({ isCostly }) => isCostly)
  const rows = costly ? (costly.isFrequent ? 3 : 1) * costlyWindowRows : windowRows
  // Times of creation come first: they are mostly in the order of the list. Their rows are looked up
  // one by one, which costs twice as much.
  const blocked = request.conditions.find((each) => isInBlocks(each, request.ordering))
  const usual = { kind: 'window', rows, along } as const
  const windows: Way[] = blocked
    ? [{ ...usual, rows: rows / 2, along: [blocked] }, ...(along.length > 0 ? [usual] : [])]
    : [usual]
  for (const way of seek.offset + seek.limit <= rows ? windows : []) {
    const seen = await list(way)
    if (seen.length === seek.limit) return seen
  }
  // 3. A search with many matches, alone and in the order of ids, is read by its index scans.
  const [walked, ...others] = request.conditions.filter(({ isRight }) => !isRight)
  if (walked?.walks && others.length === 0 && request.ordering.column === 'id')
    return list({ kind: 'scan', by: walked })
  // 4. A middle-sized set is looked up. The ids of several large sets are intersected before any
  // record is read; a single large set is read from its index, up to the page. Where no index
  // helps, PostgreSQL chooses the plan; later pages seek from the end of this one.
  const middle =
    request.conditions.length === 1 && request.ordering.column === 'id' && !one!.hasNoIndex
      ? one
      : ((await smallestSet(reader, table, actor, request.conditions, mediumSet)) ??
        meetingOf(table, actor, request.conditions))
  return list(middle ? { kind: 'lookUp', by: middle } : { kind: 'plain' })
}

/**
 * The statement that selects the records of a list in no order, at most so many: by the smallest set that is known, or
 * by the intersection of several large ones.
 */
export async function allRows(
  reader: Reader,
  table: ListedTable,
  actor: Actor,
  request: ListRequest,
  most: number,
): Promise<Sql> {
  const { conditions, inBin } = request
  // The sets of conditions leave the bin out.
  if (inBin) return someRows(table, actor, request, most)
  const [walked, ...others] = conditions.filter(({ isRight }) => !isRight)
  if (walked?.walks && others.length === 0) {
    const byId = { ...request, ordering: { column: 'id', direction: 'asc' as const } }
    const seek = { after: undefined, offset: 0, limit: most }
    return matchingRows(table, actor, byId, seek, { kind: 'scan', by: walked })
  }
  const [only] = conditions
  const isOne = conditions.length === 1 && only!.isPlannable
  const by = isOne
    ? undefined
    : ((await smallestSet(reader, table, actor, conditions, bounds.mediumSet)) ??
      meetingOf(table, actor, conditions))
  return someRows(table, actor, request, most, by)
}

/**
 * The intersection of several large sets. Only index entries are read, and the records that are in
 * all sets.
 */
export function meetingOf(
  table: ListedTable,
  actor: Actor,
  conditions: readonly Condition[],
): Condition | undefined {
  const sets = conditions.filter(({ hasNoIndex, isRight }) => !hasNoIndex && !isRight)
  if (sets.length < 2) return undefined
  const ids = join(
    sets.map((condition) => sql`(${idsOf(table, actor, condition)})`),
    ' intersect ',
  )
  return { passes: sql`true`, ids, streams: ['id'] }
}

/** The condition with the fewest matching rows, provided that they are no more than `most`. */
export async function smallestSet(
  reader: Reader,
  table: ListedTable,
  actor: Actor,
  conditions: readonly Condition[],
  most: number,
): Promise<Condition | undefined> {
  const known = conditions.find(({ count }) => count !== undefined)
  if (known) return known
  const unknown = conditions.filter(({ hasNoIndex }) => !hasNoIndex)
  if (unknown.length === 0) return undefined
  const statement = countList(table, actor, unknown, most + 1)
  const counted = unknown.every(({ isPlannable }) => isPlannable)
    ? reader.page<Record<string, number>>(statement)
    : reader.list<Record<string, number>>(statement)
  const [counts] = await counted
  const [least] = unknown
    .map((condition, index) => ({ condition, count: counts![`c${index}`]! }))
    .toSorted((a, b) => a.count - b.count)
  return least!.count <= most ? least!.condition : undefined
}

/** How the statement of a list is planned (docs/decisions/0057-plans.md). */
function planningOf(request: ListRequest, way?: Way): 'rows' | 'page' | 'list' {
  const { conditions } = request
  // A search whose few matches are already known always has the same text and needs no new plan.
  if (conditions.length === 1 && conditions[0]!.count !== undefined) return 'rows'
  return hasOnePlan(request, way) ? 'page' : 'list'
}

/**
 * Whether a list reads the same indexes whatever its values are: it has no conditions, or its way
 * bounds the rows that the indexes of its conditions are asked for.
 */
function hasOnePlan({ conditions, ordering, inBin, isNamed }: ListRequest, way?: Way): boolean {
  const isById = ordering.column === 'id'
  // The order of a range, or of what is open by time, is in its index alone.
  if (way?.kind === 'ordered' || (!way && !inBin && !isNamed && !isById)) return true
  if (!conditions.every(({ isPlannable }) => isPlannable)) return false
  if (conditions.length === 0 || isNamed) return true
  if (way?.kind === 'window')
    return way.along.every((each) => !isInBlocks(each, ordering) && (each.pin ?? !isById))
  return way?.kind === 'lookUp' && way.isCounted === true
}

/** Whether one index delivers the whole list in its order. */
function isDirect({
  conditions: [one, ...others],
  ordering,
  inBin,
  isNamed,
}: ListRequest): boolean {
  return (
    inBin ||
    isNamed ||
    !one ||
    (others.length === 0 &&
      !one.isCostly &&
      (one.streams.includes(ordering.column) || isInBlocks(one, ordering)))
  )
}

/** How one index reads a list in its order; undefined where nothing more is known. */
function directWay({ conditions: [one], ordering, inBin, isNamed }: ListRequest): Way | undefined {
  if (!one || inBin || isNamed) return undefined
  if (one.ids || isInBlocks(one, ordering)) return { kind: 'lookUp', by: one }
  return one.pin && { kind: 'ordered', pin: one.pin }
}

/** Whether a query lists the bin. */
export const isOfBin = ({ with: names }: RecordQuery): boolean =>
  names?.some((name) => name.trim() === 'only_deleted') ?? false

/** The conditions of a query: its filters, its search, and the actor's right to view. */
export function listRequestOf(
  description: RecordDescription,
  actor: Actor,
  query: RecordQuery,
  fields: Fields,
  search: Condition[] = [],
): ListRequest {
  const { filter = {}, order } = query
  const always = description.always?.(filter)
  return {
    conditions: [
      ...oneOf('id', filter.id),
      ...named(filter.name),
      ...tagged(actor, description.type, filter.tags),
      ...oneOf('responsible_user_id', filter.responsible_user_id),
      ...oneOf('created_by', filter.created_by),
      ...oneOf('updated_by', filter.updated_by),
      ...created(filter.created_at),
      ...within('updated_at', filter.updated_at, 'from'),
      ...withinOrNone('closest_task_at', filter.closest_task_at),
      ...(description.filters?.(filter) ?? []),
      ...fieldConditions(
        actor,
        description.type,
        fields,
        filter.custom_fields_values as FieldFilters,
      ),
      ...search,
      ...viewed(actor, description.type),
    ],
    ordering: orderingOf(order),
    ...(always ? { always } : { isUnlisted: description.always !== undefined }),
    wanted: description.with.wanted(query.with),
    inBin: isOfBin(query),
    isNamed: filter.id !== undefined,
  }
}
