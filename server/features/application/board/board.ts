// The board of a pipeline: its columns with their totals and windows of cards. Without a filter, the
// totals are kept (totals.ts) and an index delivers each window. A filtered board finds its leads as
// lists do (records/lists/find.ts): by the smallest set where it is small, or else by testing the first
// leads of each column, and only where these do not fill a window by more
// (docs/decisions/0073-windows-of-the-board.md).
import type { Actor } from '../../../access/actor.ts'
import { requireRight, sees } from '../../../access/record-rights.ts'
import type { Reader } from '../../../database/connect.ts'
import { badRequest, notFound } from '../../../http/problem.ts'
import { fieldsOf, noFields } from '../../../records/fields/definitions.ts'
import type { Fields } from '../../../records/fields/definitions.ts'
import { valuesText } from '../../../records/fields/show.ts'
import type { KeptValues } from '../../../records/fields/values.ts'
import { allOf } from '../../../records/lists/conditions.ts'
import { bounds, findRows, meetingOf, openList, smallestSet } from '../../../records/lists/find.ts'
import type { ListRequest } from '../../../records/lists/find.ts'
import { tagTexts } from '../../../records/lists/tag-texts.ts'
import { leads } from '../../records/leads/leads.ts'
import { isClosed } from '../../definitions/pipelines/pipelines.ts'
import {
  aggregateRows,
  boardSummary,
  cardsOf,
  firstColumns,
  keptAggregate,
  somePrices,
  wholeColumns,
  windowsOf,
} from './queries.ts'
import type {
  BoardSummary,
  BoardWindow,
  CardRow,
  FilteredBoard,
  FilteredColumn,
} from './queries.ts'
import { firstCards, mostAggregated, mostInColumn } from './schema.ts'
import type {
  Aggregate,
  AggregateQuery,
  Board,
  BoardQuery,
  Card,
  CardsQuery,
  Column,
  ColumnQuery,
  ColumnTotals,
} from './schema.ts'

export { keptAggregate } from './queries.ts'
export { leadTotals } from './totals.ts'

/** The board as it is shown first. Throws 404 where the pipeline does not exist. */
export async function readBoard(reader: Reader, actor: Actor, query: BoardQuery): Promise<Board> {
  const search = await searchOf(reader, actor, query)
  const summary = await readSummary(reader, search)
  const { unsorted, cursor, today_ends_at } = summary
  const window = windowOf(query, summary, { limit: firstCards })
  const columns = await readColumns(reader, search, summary, search.shown(summary), window)
  const { pipeline_id } = query
  return { pipeline_id, sort: window.sort, today_ends_at, columns, unsorted, cursor }
}

/** A window of one column. Throws 404 where the pipeline or the stage does not exist. */
export async function readColumn(
  reader: Reader,
  actor: Actor,
  query: ColumnQuery,
): Promise<Column> {
  const { status_id, offset = 0, limit = firstCards } = query
  if (offset + limit > mostInColumn)
    throw badRequest(`A column is shown up to its card ${mostInColumn}`)
  const search = await searchOf(reader, actor, query)
  const summary = await readSummary(reader, search)
  if (!summary.stages.includes(status_id)) throw notFound('The pipeline has no such stage')
  const window = windowOf(query, summary, { offset, limit })
  const [column] = await readColumns(reader, search, summary, [status_id], window)
  return column!
}

/** The totals of all columns. */
export async function readTotals(
  reader: Reader,
  actor: Actor,
  query: BoardQuery,
): Promise<ColumnTotals[]> {
  const search = await searchOf(reader, actor, query)
  const summary = await readSummary(reader, search)
  const window = windowOf(query, summary, { limit: 0 })
  const columns = await readColumns(reader, search, summary, search.shown(summary), window)
  return columns.map(({ cards: _, ...totals }) => totals)
}

/** Those of these cards that are on the board, in the order of the ids. */
export async function readBoardCards(
  reader: Reader,
  actor: Actor,
  query: CardsQuery,
): Promise<Card[]> {
  const search = await searchOf(reader, actor, query)
  const summary = await readSummary(reader, search)
  const { conditions } = search.list
  const rows = await reader.list<CardRow>(
    cardsOf(actor, query.pipeline_id, search.shown(summary), query.ids, query.field_id, conditions),
  )
  const found = await cardsFrom(reader, actor, query.field_id, rows)
  const cards = new Map(found.map((each) => [each.id, each]))
  return [...new Set(query.ids)].flatMap((id) => cards.get(id) ?? [])
}

/** The number of leads that a list with this filter has, and the sum of their prices. */
export async function readAggregate(
  reader: Reader,
  actor: Actor,
  query: AggregateQuery,
): Promise<Aggregate> {
  const { list, isKept } = await searchOf(reader, actor, query)
  if (isKept) {
    const passes = allOf(list.conditions)
    const total = await reader.list<Omit<Aggregate, 'is_more'>>(
      keptAggregate(actor, passes, list.always === undefined),
    )
    return { ...total[0]!, is_more: false }
  }
  const prices = await pricesOf(reader, actor, list)
  const counted = prices.slice(0, mostAggregated)
  const sum = counted.reduce((all, price) => all + price, 0)
  return { count: counted.length, sum, is_more: prices.length > mostAggregated }
}

/** The prices of the leads of a list, or of more of them than an aggregate counts. */
async function pricesOf(reader: Reader, actor: Actor, list: ListRequest): Promise<number[]> {
  const most = mostAggregated + 1
  // Any leads are enough where there are many, so the first entries of an index are read in its order.
  const by = list.conditions.find((each) => !each.hasNoIndex && !each.isRight && !each.isCostly)
  if (by) {
    const some = await reader.list<{ price: number }>(
      somePrices(actor, list, by, bounds.smallSet, most),
    )
    if (some.length === most) return some.map(({ price }) => price)
  }
  const seek = { after: undefined, offset: 0, limit: most }
  const rows = await findRows(reader, actor, 'leads', list, seek, (way) =>
    aggregateRows(actor, list, seek, way),
  )
  return rows.map(([price]) => Number(price))
}

/** A board that is asked for: its leads, whoever asks. */
interface BoardSearch {
  actor: Actor
  pipelineId: number
  fieldId: number | undefined
  /** The conditions of the filter, and of the actor's rights. */
  list: ListRequest
  /** Whether the kept totals answer the filter. */
  isKept: boolean
  /** Whether only the rights of the actor restrict the board. */
  isUnfiltered: boolean
  /** The stages that are columns. */
  shown(head: BoardSummary): number[]
}

/** The filters that test columns of the kept totals. */
export const keptFilters: readonly string[] = ['responsible_user_id', 'statuses', 'pipeline_id']

async function searchOf(
  reader: Reader,
  actor: Actor,
  query: Pick<BoardQuery, 'filter' | 'query'> & Partial<BoardQuery>,
): Promise<BoardSearch> {
  requireRight(actor, 'leads', 'view')
  const { filter = {}, query: words, closed = false } = query
  const list = await openList(reader, actor, leads, { filter, ...(words && { query: words }) })
  const names = Object.keys(filter)
  return {
    actor,
    pipelineId: query.pipeline_id ?? 0,
    fieldId: query.field_id,
    list,
    isKept: !words && names.every((name) => keptFilters.includes(name)),
    isUnfiltered: !words && names.length === 0,
    shown: ({ stages }) => stages.filter((id) => closed || !isClosed(id)),
  }
}

async function readSummary(
  reader: Reader,
  { actor, pipelineId, isKept, list }: BoardSearch,
): Promise<BoardSummary> {
  const kept = isKept ? allOf(list.conditions) : undefined
  const [summary] = await reader.page<BoardSummary>(boardSummary(actor, pipelineId, kept))
  if (!summary) throw notFound('Pipeline not found')
  return summary
}

const windowOf = (
  { sort = 'task' }: Pick<BoardQuery, 'sort'>,
  summary: BoardSummary,
  { offset = 0, limit }: { offset?: number; limit: number },
): BoardWindow => ({ sort, offset, limit, todayEndsAt: summary.today_ends_at })

async function readColumns(
  reader: Reader,
  { actor, pipelineId, fieldId, isUnfiltered, list: { conditions } }: BoardSearch,
  { totals: kept }: BoardSummary,
  stages: number[],
  window: BoardWindow,
): Promise<Column[]> {
  const totals = kept && new Map(kept.map((each) => [each.status_id, each]))
  // With kept totals, only the cards are looked for, and there are no more than the total says.
  const countIn = (id: number) => (totals ? (totals.get(id)?.count ?? 0) : Infinity)
  const looked = stages.filter((id) => !totals || countIn(id) > window.offset)
  const isWhole = (id: number) => isUnfiltered && seesWhole(actor, pipelineId, id)
  const whole = looked.filter(isWhole)
  const tested = looked.filter((id) => !isWhole(id))
  const board = { actor, pipelineId, stages: tested, window, fieldId, conditions }
  const isRead = !totals || window.limit > 0
  const rows =
    isRead && whole.length > 0
      ? await reader.page<CardRow>(windowsOf({ ...board, stages: whole }))
      : []
  const filtered =
    isRead && tested.length > 0 ? await findColumns(reader, board, totals !== null, countIn) : []
  const counts = new Map<number, ColumnCount>(
    totals
      ? [...totals].map(([id, total]) => [id, { ...total, is_part: false }])
      : filtered.map((each) => [each.column_id, each]),
  )
  const all = [...rows, ...filtered].filter(({ id }) => id !== null)
  const cards = await cardsFrom(reader, actor, fieldId, all)
  const byColumn = Map.groupBy(cards.keys(), (index) => all[index]!.column_id)
  return stages.map((status_id) => {
    const { count = 0, sum = 0, is_part: is_more = false } = counts.get(status_id) ?? {}
    const indexes = byColumn.get(status_id) ?? []
    return { status_id, count, sum, is_more, cards: indexes.map((index) => cards[index]!) }
  })
}

type ColumnCount = Pick<FilteredColumn, 'count' | 'sum' | 'is_part'>

/** Whether the actor may view all leads of a stage. */
const seesWhole = (actor: Actor, pipeline_id: number, status_id: number): boolean =>
  actor.isAdmin ||
  sees(actor, 'leads', { pipeline_id, status_id, responsible_user_id: -1, group_id: -1 })

type CountedColumn = CardRow & FilteredColumn

/** Finds the leads of filtered columns, in steps that each read a bounded number of rows where that is enough. */
async function findColumns(
  reader: Reader,
  board: FilteredBoard,
  isCounted: boolean,
  countIn: (status: number) => number,
): Promise<CountedColumn[]> {
  const { actor, stages, window, conditions } = board
  const end = window.offset + window.limit
  const { smallSet, windowRows, costlyWindowRows, mediumSet } = bounds

  // 1. The smallest set with few rows is looked up.
  const rare = await smallestSet(reader, 'leads', actor, conditions, smallSet)
  if (rare) return reader.list(wholeColumns(board, rare))
  // 2. Many leads match: the first of each column fill its window.
  const isCostly = conditions.some((each) => each.isCostly)
  // A board has several columns, so half of the rows of a list are enough for each.
  const most = Math.ceil(((isCostly ? costlyWindowRows : windowRows) + 1) / 2)
  const seen = await reader.list<CountedColumn>(
    firstColumns(board, most + end, isCounted ? 0 : most),
  )
  const cardsIn = (id: number) =>
    seen.filter((row) => row.column_id === id && row.id !== null).length
  const cut = stages.filter(
    (id) =>
      seen.some((row) => row.column_id === id && row.is_cut) &&
      window.offset + cardsIn(id) < Math.min(end, countIn(id)),
  )
  // More leads may be shown than were counted, since they were tested in another order.
  const filled = seen.flatMap((row) => {
    if (cut.includes(row.column_id)) return []
    const cards = cardsIn(row.column_id)
    return { ...row, count: Math.max(row.count, cards && window.offset + cards) }
  })
  if (cut.length === 0) return filled
  // 3. A middle-sized set is looked up, or several large ones are intersected.
  const middle =
    (await smallestSet(reader, 'leads', actor, conditions, mediumSet)) ??
    meetingOf('leads', actor, conditions)
  const exact = await reader.list<CountedColumn>(wholeColumns({ ...board, stages: cut }, middle))
  return [...filled, ...exact]
}

async function cardsFrom(
  reader: Reader,
  { accountId }: Actor,
  fieldId: number | undefined,
  rows: CardRow[],
): Promise<Card[]> {
  const [first] = rows
  if (!first) return []
  const ids = [...new Set(rows.flatMap(({ tag_ids }) => tag_ids.map(String)))]
  const texts = await tagTexts(reader, accountId, first.tags_version, ids)
  const tags = new Map(
    [...texts].flatMap(([id, text]) => (text ? [[id, JSON.parse(text) as Tag] as const] : [])),
  )
  const fields =
    fieldId === undefined
      ? noFields
      : await fieldsOf(reader, accountId, 'leads', first.fields_version)
  return rows.map((row) => ({
    id: row.id!,
    name: row.name,
    price: row.price,
    pipeline_id: row.pipeline_id,
    status_id: row.status_id,
    responsible_user_id: row.responsible_user_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    closed_at: row.closed_at,
    loss_reason_id: row.loss_reason_id,
    closest_task_at: row.closest_task_at,
    entered_at: row.entered_at,
    tags: row.tag_ids.flatMap((id) => tags.get(String(id)) ?? []),
    contact: row.contact,
    company: row.company,
    unread: row.unread,
    field: row.kept && fieldValues(fields, fieldId!, row.kept),
    may_edit: row.may_edit,
    may_delete: row.may_delete,
  }))
}

type Tag = Card['tags'][number]

/** The values of a field as records show them; null where the field was deleted. */
function fieldValues(fields: Fields, fieldId: number, kept: unknown[]): unknown[] | null {
  const text = valuesText(fields, { [String(fieldId)]: kept } as KeptValues)
  return (JSON.parse(text) as { values: unknown[] }[] | null)?.[0]?.values ?? null
}
