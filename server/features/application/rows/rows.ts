// The rows of a list in the web application: windows at any position, and numbers about all that a filter finds.
//
// The unfiltered list in the order of ids has a scrollbar over all of its rows: their number is kept by blocks of ids
// (records/lists/listed-counts.ts). Any other window is found as the pages of lists are (records/lists/find.ts), up to a
// row that bounds the work. Records that are empty where the list is sorted come last, and are found by themselves. An
// order that no index has sorts a bounded number of records (docs/decisions/0100-windows-of-lists.md).
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { mayAll, requireRight } from '../../../access/record-rights.ts'
import type { Cells, Reader } from '../../../database/connect.ts'
import { badRequest, Problem, tooManyRequests } from '../../../http/problem.ts'
import { fieldsOf } from '../../../records/fields/definitions.ts'
import type { Fields } from '../../../records/fields/definitions.ts'
import { valuesText } from '../../../records/fields/show.ts'
import type { KeptValues } from '../../../records/fields/values.ts'
import { allOf } from '../../../records/lists/conditions.ts'
import type { Condition } from '../../../records/lists/conditions.ts'
import { allRows, findRows, openList } from '../../../records/lists/find.ts'
import type { ListRequest } from '../../../records/lists/find.ts'
import { countListed, positionOf } from '../../../records/lists/listed-counts.ts'
import { matchingRows } from '../../../records/lists/pages.ts'
import type { Way } from '../../../records/lists/pages.ts'
import type { Ordering } from '../../../records/lists/schema.ts'
import { tagTexts } from '../../../records/lists/tag-texts.ts'
import type { RecordDescription } from '../../../records/description.ts'
import { companies } from '../../records/companies/companies.ts'
import { contacts } from '../../records/contacts/contacts.ts'
import { customers } from '../../records/customers/customers.ts'
import { leads } from '../../records/leads/leads.ts'
import { inSegments } from '../../records/segments/segments.ts'
import { keptAggregate, keptFilters } from '../board/board.ts'
import { columnOf } from './columns.ts'
import type { ListColumn } from './columns.ts'
import * as queries from './queries.ts'
import type { RowParts, StoredRow } from './queries.ts'
import { mostFar, mostGroups, mostRows, mostSorted, mostSummed } from './schema.ts'
import type {
  ColumnNumbers,
  RowGroups,
  RowGroupsQuery,
  NamedRowsQuery,
  Row,
  RowFilter,
  RowWindow,
  RowType,
  RowSummary,
  RowSummaryQuery,
  RowWindowQuery,
} from './schema.ts'

const descriptions: Record<RowType, RecordDescription> = { leads, contacts, companies, customers }

/** The rows of a window when the request names no number. */
const usualRows = 100

/** What bounds the work of a request. Tests lower them, so that few records count as many. */
export const rowBounds = {
  /** A list with a filter, or in an order other than that of ids, is shown up to this row. */
  far: mostFar,
  /** An order that no index has sorts so many records. */
  sorted: mostSorted,
  /** Numbers about a filter are counted up to so many records, unless they are kept. */
  counted: mostSummed,
  /** An order of which fewer records are reached is refused. */
  reached: mostRows,
}

/** A window of a list. Throws 422 where too many records match to be sorted. */
export async function readRows(
  reader: Reader,
  actor: Actor,
  type: RowType,
  query: RowWindowQuery,
): Promise<RowWindow> {
  const list = await openRows(reader, actor, type, query)
  const { offset = 0, limit = usualRows, order = 'id', direction = 'desc' } = query
  const column = columnOf(actor, type, list.fields, order)
  const isEndless = column.indexed?.column === 'id' && list.isUnfiltered
  if (!isEndless && offset + limit > rowBounds.far)
    throw badRequest(`A filtered or sorted list is shown up to its row ${rowBounds.far}`)
  const kept = await keptCount(reader, list)
  const parts = { extras: query.with ?? [], fieldIds: query.fields ?? [] }
  const found = await windowOf(reader, list, column, direction, parts, { offset, limit })
  const rows = await shownRows(reader, list, found.cells)
  const end = rows.length > 0 ? offset + rows.length : 0
  const isEnd = rows.length < limit && (rows.length > 0 || offset === 0)
  // More rows may have come than were counted a moment before.
  const count = isEnd && !found.isCut ? end : kept === null ? null : Math.max(kept, end)
  return { rows, count, reach: isEndless ? null : found.reach }
}

/** Those of these records that the list shows, in the order of the ids. */
export async function readNamedRows(
  reader: Reader,
  actor: Actor,
  type: RowType,
  query: NamedRowsQuery,
): Promise<Row[]> {
  const list = await openRows(reader, actor, type, query)
  const parts = { extras: query.with ?? [], fieldIds: query.fields ?? [] }
  const statement = queries.namedRows(actor, type, parts, list.request, query.ids)
  const rows = await shownRows(reader, list, await reader.cells('list', statement))
  const byId = new Map(rows.map((row) => [row.id, row]))
  return [...new Set(query.ids)].flatMap((id) => byId.get(id) ?? [])
}

/** How many records a list has, and the numbers of its columns. */
export async function readSummary(
  reader: Reader,
  actor: Actor,
  type: RowType,
  { columns: names = [], whole = false, ...query }: RowSummaryQuery,
): Promise<RowSummary> {
  const list = await openRows(reader, actor, type, query)
  const columns = names.map((name) => [name, columnOf(actor, type, list.fields, name)] as const)
  const most = whole ? Number.MAX_SAFE_INTEGER : rowBounds.counted
  if (list.isKept && names.every((name) => name === 'price')) {
    const { count, sum } = await keptTotal(reader, list)
    const price = columns.length > 0 && {
      price: {
        filled: count,
        sum,
        average: count === 0 ? null : sum / count,
        ...(await endsOf(reader, list, columns[0]![1])),
      },
    }
    return { count, is_more: false, columns: price || {}, is_part: false }
  }
  const kept = await keptCount(reader, list)
  if (kept !== null && columns.length === 0)
    return { count: kept, is_more: false, columns: {}, is_part: false }
  const found = await allRows(reader, type, actor, list.request, most + 1)
  const count = () =>
    countRows(
      reader,
      found,
      columns.map(([, column]) => column),
    )
  const [counted, ...numbers] = await (whole ? inTurn(count) : count())
  const total = totalOf(kept, counted, most)
  const isPart = counted > most
  const shown = await Promise.all(
    columns.map(async ([name, column], index): Promise<[string, ColumnNumbers]> => {
      const ends = isPart && indexIn(list, column) && (await endsOf(reader, list, column))
      return [name, { ...numbers[index]!, ...ends }]
    }),
  )
  return { ...total, columns: Object.fromEntries(shown), is_part: isPart }
}

/** The groups that a column makes of a list, in the order of their values. */
export async function readGroups(
  reader: Reader,
  actor: Actor,
  type: RowType,
  { of, ...query }: RowGroupsQuery,
): Promise<RowGroups> {
  const list = await openRows(reader, actor, type, query)
  const column = columnOf(actor, type, list.fields, of)
  if (!column.group) throw badRequest(`The column ${of} makes no groups`)
  const isKept = list.isKept && ['responsible_user_id', 'status_id', 'pipeline_id'].includes(of)
  const most = rowBounds.counted
  const { request } = list
  const found = isKept ? undefined : await allRows(reader, type, actor, request, most + 1)
  const statement = found
    ? queries.groupsOf(actor, type, found, column, mostGroups + 1)
    : queries.keptGroups(
        actor,
        allOf(request.conditions),
        column,
        mostGroups + 1,
        request.always === undefined,
      )
  const rows = await reader.list<RowGroups['groups'][number]>(statement)
  const groups = rows.slice(0, mostGroups)
  const areMore = rows.length > mostGroups
  const sum = rows.reduce((all, { count }) => all + count, 0)
  const counted = found && areMore ? (await countRows(reader, found, []))[0] : sum
  return {
    ...totalOf(await keptCount(reader, list), counted, most),
    groups,
    are_more: areMore,
    is_part: found !== undefined && counted > most,
  }
}

/** A list that is asked for. */
interface OpenedList {
  actor: Actor
  type: RowType
  fields: Fields
  /** In the order of ids; the conditions of the filter, of the group and of the actor's rights. */
  request: ListRequest
  /** Neither a filter nor rights restrict it. */
  isUnfiltered: boolean
  /** The kept totals of leads answer it. */
  isKept: boolean
}

async function openRows(
  reader: Reader,
  actor: Actor,
  type: RowType,
  { filter = {}, query, by, value = '', bin = false, segments }: RowFilter,
): Promise<OpenedList> {
  requireRight(actor, type, 'view')
  const fields = await fieldsOf(reader, actor.accountId, type)
  const opened = await openList(
    reader,
    actor,
    descriptions[type],
    { filter, ...(query && { query }), ...(bin && { with: ['only_deleted'] }) },
    fields,
  )
  const group = by === undefined ? [] : inGroup(columnOf(actor, type, fields, by), by, value)
  const conditions = [...opened.conditions, ...inSegments(segments), ...group]
  const request = { ...opened, conditions }
  const isPlain =
    !bin && !query && Object.keys(filter).length === 0 && by === undefined && !segments
  return {
    actor,
    type,
    fields,
    request,
    isUnfiltered: isPlain && mayAll(actor, type, 'view'),
    isKept:
      type === 'leads' &&
      !bin &&
      !query &&
      [...Object.keys(filter), ...(by === undefined ? [] : [by])].every((name) =>
        [...keptFilters, 'status_id'].includes(name),
      ),
  }
}

function inGroup({ group }: ListColumn, name: string, value: string): Condition[] {
  if (!group) throw badRequest(`The column ${name} makes no groups`)
  return group.within(value)
}

/** The indexes of the bin: by its records and by the time of their deletion. */
const binnedIndexes: readonly string[] = ['id', 'updated_at']

/** The index that has the order of a column in a list. */
const indexIn = (
  { request: { inBin } }: OpenedList,
  { indexed }: ListColumn,
): ListColumn['indexed'] =>
  inBin && indexed && !binnedIndexes.includes(indexed.column) ? undefined : indexed

/** The number of records of a list where it is kept. */
async function keptCount(reader: Reader, list: OpenedList): Promise<number | null> {
  if (list.isUnfiltered) return countListed(reader, list.actor, list.type)
  return list.isKept ? (await keptTotal(reader, list)).count : null
}

const totalOf = (
  kept: number | null,
  counted: number,
  most: number,
): Pick<RowSummary, 'count' | 'is_more'> =>
  kept === null
    ? { count: Math.min(counted, most), is_more: counted > most }
    : { count: kept, is_more: false }

async function keptTotal(
  reader: Reader,
  { actor, request }: OpenedList,
): Promise<{ count: number; sum: number }> {
  const [total] = await reader.list<{ count: number; sum: number }>(
    keptAggregate(actor, allOf(request.conditions), request.always === undefined),
  )
  return total!
}

/** The number of the records that a statement selects, and the numbers of columns. */
async function countRows(
  reader: Reader,
  found: Sql,
  columns: readonly ListColumn[],
): Promise<[number, ...ColumnNumbers[]]> {
  const [[text] = []] = await reader.cells('list', queries.numbersOf(found, columns))
  return JSON.parse(text!) as [number, ...ColumnNumbers[]]
}

/** The most counts without a bound that wait in a process. */
const mostTurns = 4
/** The end of the last of them: a process makes one at a time, so that other requests have their turn. */
let turn: Promise<unknown> = Promise.resolve()
let turns = 0

async function inTurn<Result>(count: () => Promise<Result>): Promise<Result> {
  if (turns >= mostTurns) throw tooManyRequests(10, 'Other counts of all records wait already')
  turns++
  const counted = turn.then(count)
  turn = counted.catch(() => undefined)
  try {
    return await counted
  } finally {
    turns--
  }
}

const plain: Way = { kind: 'plain' }

/** The least and the greatest value of a column whose index has them at its ends. */
async function endsOf(
  reader: Reader,
  { actor, type, request }: OpenedList,
  { indexed, number }: ListColumn,
): Promise<Pick<ColumnNumbers, 'least' | 'greatest'>> {
  const filled = indexed!.filled ? [indexed!.filled] : []
  const end = async (direction: 'asc' | 'desc') => {
    const ordered = orderedBy(request, { column: indexed!.column, direction }, filled)
    const seek = { after: undefined, offset: 0, limit: 1 }
    const [[text] = []] = await findRows(reader, actor, type, ordered, seek, (way = plain) =>
      queries.numbersOf(matchingRows(type, actor, ordered, seek, way), [{ number: number! }]),
    )
    const [, numbers] = JSON.parse(text ?? '[0]') as [number, ColumnNumbers?]
    return numbers?.least ?? null
  }
  return { least: await end('asc'), greatest: await end('desc') }
}

const orderedBy = (
  request: ListRequest,
  ordering: Ordering,
  conditions: readonly Condition[] = [],
): ListRequest => ({
  ...request,
  ordering,
  conditions: [...request.conditions, ...conditions],
})

interface Window {
  offset: number
  limit: number
}

/** The rows of a window, and the first position that the list does not show. */
interface Found {
  cells: Cells[]
  reach: number | null
  /** The end of the window may not be that of the list. */
  isCut?: boolean
}

/** One of the parts that a list consists of, one after the other. */
interface Part {
  find: (window: Window) => Promise<Cells[]>
  /** The number of its rows. */
  count: () => Promise<number>
}

async function windowOf(
  reader: Reader,
  list: OpenedList,
  column: ListColumn,
  direction: 'asc' | 'desc',
  parts: RowParts,
  window: Window,
): Promise<Found> {
  const { actor, type, request, isUnfiltered } = list
  const { numbers, key } = column
  const indexed = indexIn(list, column)
  const found = async (ordered: ListRequest, { offset, limit }: Window, at?: Window) => {
    const seek =
      at && isUnfiltered
        ? await positionOf(reader, actor, type, ordered.ordering, at)
        : { after: undefined, offset, limit }
    return findRows(reader, actor, type, ordered, seek, (way) =>
      queries.listedRows(actor, type, parts, ordered, seek, way),
    )
  }
  const partOf = (ordered: ListRequest): Part => ({
    find: (at) => found(ordered, at),
    count: async () =>
      (await countRows(reader, await allRows(reader, type, actor, ordered, rowBounds.far), []))[0],
  })
  const emptyLast = (empty: Condition) =>
    partOf(orderedBy(request, { column: 'id', direction }, [empty]))
  if (indexed?.column === 'id') {
    const ordered = orderedBy(request, { column: 'id', direction })
    return { cells: await found(ordered, window, window), reach: rowBounds.far }
  }
  if (indexed) {
    const ordered = (conditions: Condition[]) =>
      partOf(orderedBy(request, { column: indexed.column, direction }, conditions))
    const all = indexed.empty
      ? [ordered([indexed.filled!]), emptyLast(indexed.empty)]
      : [ordered([])]
    return { cells: await inParts(all, window), reach: rowBounds.far }
  }
  if (!key) throw badRequest('A list is not sorted by this column')
  const all = await allRows(reader, type, actor, request, rowBounds.sorted + 1)
  const statement = queries.sortedRows(actor, type, parts, all, { key, direction }, window)
  const sorted = await reader.cells('list', statement)
  const count = Number(sorted[0]?.[0] ?? 0)
  if (count <= rowBounds.sorted)
    return {
      cells: sorted.flatMap(([, row]) => (row === null ? [] : [[row!]])),
      reach: rowBounds.far,
    }
  // The index of numbers is read for records outside the bin.
  if (!numbers || request.inBin) throw tooManyToSort()
  const by = { field: numbers.field, direction, most: rowBounds.sorted }
  const counts = queries.countByNumber(actor, type, request, by)
  const [counted] = await reader.list<{ count: number; is_cut: boolean }>(counts)
  const first: Part = {
    find: (at) => reader.cells('list', queries.rowsByNumber(actor, type, parts, request, by, at)),
    count: async () => counted!.count,
  }
  // Where more records have a number, those without one are out of reach.
  const { count: valued, is_cut: isCut } = counted!
  if (isCut && valued < rowBounds.reached) throw tooManyToSort()
  const cells = await inParts(isCut ? [first] : [first, emptyLast(numbers.empty)], window)
  return { cells, isCut: true, reach: isCut ? valued : rowBounds.sorted }
}

const tooManyToSort = () =>
  new Problem(422, `More than ${rowBounds.sorted} records match, too many to sort by this column`, {
    extra: { code: 'TooManyToSort', limit: rowBounds.sorted },
  })

/** The window of a list that consists of parts. */
async function inParts(parts: readonly Part[], { offset, limit }: Window): Promise<Cells[]> {
  const cells: Cells[] = []
  let skipped = offset
  for (const [index, part] of parts.entries()) {
    const found = await part.find({ offset: skipped, limit: limit - cells.length })
    cells.push(...found)
    if (cells.length === limit || index === parts.length - 1) break
    // Where the window begins behind the part, the next one is not read from its beginning.
    skipped = found.length > 0 ? 0 : Math.max(0, skipped - (await part.count()))
  }
  return cells
}

/** The rows as they are shown, with their tags and the values of their fields. */
async function shownRows(reader: Reader, list: OpenedList, cells: Cells[]): Promise<Row[]> {
  const { actor, type } = list
  const stored = cells.map(([text]) => JSON.parse(text!) as StoredRow)
  const [first] = stored
  if (!first) return []
  const { accountId } = actor
  const tagIds = [...new Set(stored.flatMap(({ tag_ids }) => tag_ids.map(String)))]
  const texts = await tagTexts(reader, accountId, first.tags_version, tagIds)
  const tags = new Map(
    [...texts].flatMap(([id, text]) => (text ? [[id, JSON.parse(text) as Tag] as const] : [])),
  )
  const fields = await fieldsOf(reader, accountId, type, first.fields_version)
  return stored.map(({ tag_ids, kept, fields_version: _, tags_version: __, ...row }) => ({
    ...row,
    // A deleted record is restored before it is edited.
    may_edit: row.may_edit && !list.request.inBin,
    tags: tag_ids.flatMap((id) => tags.get(String(id)) ?? []),
    fields: kept === null ? {} : valuesById(fields, kept as KeptValues),
  }))
}

type Tag = Row['tags'][number]

function valuesById(fields: Fields, kept: KeptValues): Record<string, unknown[]> {
  const shown = JSON.parse(valuesText(fields, kept)) as
    | { field_id: number; values: unknown[] }[]
    | null
  return Object.fromEntries((shown ?? []).map(({ field_id, values }) => [field_id, values]))
}
