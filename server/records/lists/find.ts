// How a list finds its page. Left alone, PostgreSQL guesses how many rows pass each filter and takes them to be spread evenly over the
// account; what was created last week, or what one pipeline holds, is not, and a page of 50 then reads a million rows. So what one index
// gives in the order of the list is asked for at once, and everything else in steps that each look at a bounded number of rows:
//
//   1. Each filter's rows are counted by its index, up to a few. The smallest set that is small is looked up row by row.
//   2. No filter is rare: the first rows in the order of the list are looked at, and where many pass, the page is full.
//   3. Neither rare nor common there: the rows are counted further, and a set of middle size is looked up.
//   4. Several large sets: their ids meet first, without a look at records. One alone is read by its index, up to the page.
//   5. What is left is common and lies far behind: PostgreSQL chooses, once, for the pages that follow seek from there.
//
// docs/decisions/0016-finding.md has the figures.
import sql, { join } from 'sql-template-tag'
import type { Reader } from '../../database/connect.ts'
import type { Actor } from '../../access/actor.ts'
import type { PagePosition } from '../../http/paging.ts'
import type { BareRecord } from './embed.ts'
import { fieldsOf, noFields } from '../fields/definitions.ts'
import type { Fields } from '../fields/definitions.ts'
import { fieldConditions } from '../fields/filter.ts'
import type { FieldFilters } from '../fields/filter.ts'
import type { RecordDescription } from '../description.ts'
import { orderingOf } from './schema.ts'
import type { Ordering } from './schema.ts'
import { countList, idsOf, recordList } from './pages.ts'
import type { Way } from './pages.ts'
import { wantedBy } from '../schema.ts'
import type { RecordQuery } from '../schema.ts'
import { searched } from '../search/search.ts'
import { named, oneOf, viewed, within, withinOrNone } from './conditions.ts'
import type { Condition } from './conditions.ts'

/** How many rows each step looks at. Tests set them low, so that few rows make a list take any way. */
export const bounds = {
  /** A set that is looked up row by row: 2,000 rows take about 4 ms. */
  few: 2000,
  /** Rows of the list that are looked at in hope, as many as that. */
  windowRows: 2000,
  /** A row that a search looks at costs ten times as much. */
  costlyWindowRows: 300,
  /** A set that is still looked up row by row when nothing better is known: 20,000 rows take about 40 ms. */
  middling: 20_000,
}

/** What a list is asked for. */
export interface ListRequest {
  conditions: Condition[]
  ordering: Ordering
  /** The values of `with`. */
  wanted: ReadonlySet<string>
  inBin: boolean
  /** Whether the ids are named, so that there is nothing to find. */
  isNamed: boolean
}

/** A page of records as bare lines, one more than the page holds where there are more. Throws a 400 problem for a filter that fits no field. */
export async function findRecords(
  reader: Reader,
  actor: Actor,
  base: string,
  kind: RecordDescription,
  query: RecordQuery,
  seek: PagePosition,
): Promise<BareRecord[]> {
  const needsFields = query.filter?.custom_fields_values !== undefined || query.query
  const fields = needsFields ? await fieldsOf(reader, actor.accountId, kind.type) : noFields
  const { few, windowRows, costlyWindowRows, middling } = bounds
  const search = await searched(reader, actor, kind.type, query.query, fields, few)
  const asked = listRequestOf(kind, actor, query, fields, search)
  // A search alone that found few has always the same text, and need not be planned each time.
  const isFixed = asked.conditions.length === 1 && asked.conditions[0]!.count !== undefined
  const list = (way?: Way) => {
    const statement = recordList(kind, actor, base, asked, seek, way)
    return isFixed ? reader.rows<BareRecord>(statement) : reader.list<BareRecord>(statement)
  }
  const [one] = asked.conditions
  if (isDirect(asked))
    return list(
      one?.ids && !asked.inBin && !asked.isNamed ? { kind: 'driven', by: one } : undefined,
    )

  const rare = await smallest(reader, kind, actor, asked.conditions, few)
  if (rare) return list({ kind: 'driven', by: rare })

  const along = asked.conditions
    .filter(({ streams, ids, walks }) => streams.includes(asked.ordering.column) && !ids && !walks)
    .slice(0, 1)
  const rows = asked.conditions.some(({ isCostly: isDear }) => isDear)
    ? costlyWindowRows
    : windowRows
  if (seek.offset + seek.limit <= rows) {
    const seen = await list({ kind: 'window', rows, along })
    if (seen.length === seek.limit) return seen
  }
  const [walked, ...others] = asked.conditions.filter(({ isRight }) => !isRight)
  if (walked?.walks && others.length === 0 && asked.ordering.column === 'id')
    return list({ kind: 'walked', by: walked })
  const middle =
    asked.conditions.length === 1 && asked.ordering.column === 'id' && !one!.hasNoIndex
      ? one
      : ((await smallest(reader, kind, actor, asked.conditions, middling)) ??
        meeting(kind, actor, asked.conditions))
  return list(middle ? { kind: 'driven', by: middle } : { kind: 'plain' })
}

/** Where several large sets meet, told by their indexes alone: entries are read, and only the records that are in all of them. */
function meeting(
  kind: RecordDescription,
  actor: Actor,
  conditions: readonly Condition[],
): Condition | undefined {
  const sets = conditions.filter(({ hasNoIndex: isBlind, isRight }) => !isBlind && !isRight)
  if (sets.length < 2) return undefined
  const ids = join(
    sets.map((condition) => sql`(${idsOf(kind.type, actor, condition)})`),
    ' intersect ',
  )
  return { passes: sql`true`, ids, streams: ['id'] }
}

/** The condition that lets the fewest pass, if those are not more than `most`. */
async function smallest(
  reader: Reader,
  kind: RecordDescription,
  actor: Actor,
  conditions: readonly Condition[],
  most: number,
): Promise<Condition | undefined> {
  const known = conditions.find(({ count }) => count !== undefined)
  if (known) return known
  const unknown = conditions.filter(({ hasNoIndex: isBlind }) => !isBlind)
  if (unknown.length === 0) return undefined
  const [counts] = await reader.list<Record<string, number>>(
    countList(kind, actor, unknown, most + 1),
  )
  const [least] = unknown
    .map((condition, place) => ({ condition, count: counts![`c${place}`]! }))
    .toSorted((a, b) => a.count - b.count)
  return least!.count <= most ? least!.condition : undefined
}

/** Whether one index has all that is asked for, in the order that is asked for. */
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
    (others.length === 0 && !one.isCostly && one.streams.includes(ordering.column))
  )
}

/** What a query asks for: its filters, its search, and what the actor may view. */
export function listRequestOf(
  kind: RecordDescription,
  actor: Actor,
  query: RecordQuery,
  fields: Fields,
  search: Condition[] = [],
): ListRequest {
  const { filter = {}, order } = query
  const wanted = wantedBy(query.with)
  return {
    conditions: [
      ...oneOf('id', filter.id),
      ...named(filter.name),
      ...oneOf('responsible_user_id', filter.responsible_user_id),
      ...oneOf('created_by', filter.created_by),
      ...oneOf('updated_by', filter.updated_by),
      ...within('created_at', filter.created_at, 'from'),
      ...within('updated_at', filter.updated_at, 'from'),
      ...withinOrNone('closest_task_at', filter.closest_task_at),
      ...(kind.filters?.(filter) ?? []),
      ...fieldConditions(actor, kind.type, fields, filter.custom_fields_values as FieldFilters),
      ...search,
      ...viewed(actor, kind.type),
    ],
    ordering: orderingOf(order),
    wanted,
    inBin: wanted.has('only_deleted'),
    isNamed: filter.id !== undefined,
  }
}
