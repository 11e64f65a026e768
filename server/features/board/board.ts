// The board of a pipeline: its columns with their totals and windows of cards. Without a filter, the
// totals are kept (totals.ts) and an index delivers each window. A filtered board finds its leads as
// lists do (records/lists/find.ts): by the smallest set where it is small, or else by testing the first
// leads of each column, and only where these do not fill a window by more
// (docs/decisions/0074-windows-of-the-board.md).
import type { Actor } from '../../access/actor.ts'
import { requireRight, sees } from '../../access/record-rights.ts'
import type { Reader } from '../../database/connect.ts'
import { badRequest, notFound } from '../../http/problem.ts'
import { fieldsOf, noFields } from '../../records/fields/definitions.ts'
import { valuesText } from '../../records/fields/show.ts'
import type { KeptValues } from '../../records/fields/values.ts'
import { allOf } from '../../records/lists/conditions.ts'
import type { Condition } from '../../records/lists/conditions.ts'
import {
  bounds,
  findRows,
  listRequestOf,
  meetingOf,
  smallestSet,
} from '../../records/lists/find.ts'
import type { ListRequest } from '../../records/lists/find.ts'
import { tagTexts } from '../../records/lists/tag-texts.ts'
import { searched } from '../../records/search/search.ts'
import { leads } from '../leads/leads.ts'
import { isClosed } from '../pipelines/pipelines.ts'
import {
  aggregateRows,
  boardHead,
  cardsOf,
  filteredColumns,
  keptAggregate,
  windowsOf,
} from './queries.ts'
import type { BoardHead, BoardWay, BoardWindow, CardRow, FilteredColumn } from './queries.ts'
import { firstCards, mostCounted, mostInColumn } from './schema.ts'
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

/** The board as it is shown first. Throws 404 where the pipeline does not exist. */
export async function readBoard(reader: Reader, actor: Actor, query: BoardQuery): Promise<Board> {
  const question = await questionOf(reader, actor, query)
  const head = await readHead(reader, question)
  const { unsorted, cursor, today_ends_at } = head
  const window = windowOf(query, head, { limit: firstCards })
  const columns = await readColumns(reader, question, head, question.shown(head), window)
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
  const question = await questionOf(reader, actor, query)
  const head = await readHead(reader, question)
  if (!head.stages.includes(status_id)) throw notFound('The pipeline has no such stage')
  const window = windowOf(query, head, { offset, limit })
  const [column] = await readColumns(reader, question, head, [status_id], window)
  return column!
}

/** The totals of all columns. */
export async function readTotals(
  reader: Reader,
  actor: Actor,
  query: BoardQuery,
): Promise<ColumnTotals[]> {
  const question = await questionOf(reader, actor, query)
  const head = await readHead(reader, question)
  const window = windowOf(query, head, { limit: 0 })
  const columns = await readColumns(reader, question, head, question.shown(head), window)
  return columns.map(({ cards: _, ...totals }) => totals)
}

/** Those of these cards that are on the board, in the order of the ids. */
export async function readCards(reader: Reader, actor: Actor, query: CardsQuery): Promise<Card[]> {
  const question = await questionOf(reader, actor, query)
  const head = await readHead(reader, question)
  const { conditions } = question.list
  const rows = await reader.list<CardRow>(
    cardsOf(actor, query.pipeline_id, question.shown(head), query.ids, query.field_id, conditions),
  )
  const cards = new Map((await cardsFrom(reader, question, rows)).map((each) => [each.id, each]))
  return [...new Set(query.ids)].flatMap((id) => cards.get(id) ?? [])
}

/** The number of leads that a list with this filter has, and the sum of their prices. */
export async function readAggregate(
  reader: Reader,
  actor: Actor,
  query: AggregateQuery,
): Promise<Aggregate> {
  const { list, isKept } = await questionOf(reader, actor, query)
  if (isKept) {
    const passes = allOf(list.conditions)
    const total = await reader.list<Omit<Aggregate, 'is_more'>>(
      keptAggregate(actor, passes, list.always === undefined),
    )
    return { ...total[0]!, is_more: false }
  }
  const seek = { after: undefined, offset: 0, limit: mostCounted + 1 }
  const rows = await findRows(reader, actor, 'leads', list, seek, (way) =>
    aggregateRows(actor, list, seek, way),
  )
  const counted = rows.slice(0, mostCounted)
  const sum = counted.reduce((all, [price]) => all + Number(price), 0)
  return { count: counted.length, sum, is_more: rows.length > mostCounted }
}

/** A board that is asked for: its leads, whoever asks. */
interface Question {
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
  shown(head: BoardHead): number[]
}

/** The filters that test columns of the kept totals. */
const keptFilters = ['responsible_user_id', 'statuses', 'pipeline_id']

async function questionOf(
  reader: Reader,
  actor: Actor,
  query: Pick<BoardQuery, 'filter' | 'query'> & Partial<BoardQuery>,
): Promise<Question> {
  requireRight(actor, 'leads', 'view')
  const { filter = {}, query: words, closed = false } = query
  const needsFields = 'custom_fields_values' in filter || words
  const fields = needsFields ? await fieldsOf(reader, actor.accountId, 'leads') : noFields
  const search = await searched(reader, actor, 'leads', words, fields, bounds.few)
  const list = listRequestOf(leads, actor, { filter }, fields, search)
  const names = Object.keys(filter)
  return {
    actor,
    pipelineId: query.pipeline_id ?? 0,
    fieldId: query.field_id,
    list,
    isKept: search.length === 0 && names.every((name) => keptFilters.includes(name)),
    isUnfiltered: search.length === 0 && names.length === 0,
    shown: ({ stages }) => stages.filter((id) => closed || !isClosed(id)),
  }
}

async function readHead(
  reader: Reader,
  { actor, pipelineId, isKept, list }: Question,
): Promise<BoardHead> {
  const kept = isKept ? allOf(list.conditions) : undefined
  const [head] = await reader.page<BoardHead>(boardHead(actor, pipelineId, kept))
  if (!head) throw notFound('Pipeline not found')
  return head
}

const windowOf = (
  { sort = 'task' }: Pick<BoardQuery, 'sort'>,
  head: BoardHead,
  { offset = 0, limit }: { offset?: number; limit: number },
): BoardWindow => ({ sort, offset, limit, todayEndsAt: head.today_ends_at })

async function readColumns(
  reader: Reader,
  question: Question,
  head: BoardHead,
  stages: number[],
  window: BoardWindow,
): Promise<Column[]> {
  const { actor, pipelineId, fieldId, isUnfiltered } = question
  const totals = head.totals && new Map(head.totals.map((each) => [each.status_id, each]))
  const filled = stages.filter((id) => !totals || (totals.has(id) && window.limit > 0))
  const isStreamed = (id: number) => isUnfiltered && seesWhole(actor, pipelineId, id)
  const streamed = filled.filter(isStreamed)
  const tested = filled.filter((id) => !isStreamed(id))
  const rows =
    streamed.length > 0
      ? await reader.page<CardRow>(windowsOf(actor, pipelineId, streamed, window, fieldId))
      : []
  // A column holds no more cards than its kept total says.
  const wanted = (id: number) =>
    Math.min(window.offset + window.limit, totals?.get(id)?.count ?? Infinity)
  const filtered =
    tested.length > 0 ? await findColumns(reader, question, tested, window, wanted) : []
  const counts = new Map(filtered.map((each) => [each.column_id, each]))
  const all = [...rows, ...filtered]
  const cards = await cardsFrom(reader, question, all)
  const byColumn = Map.groupBy(
    all
      .filter(({ id }) => id !== null)
      .map((row, place) => ({ column_id: row.column_id, card: cards[place]! })),
    ({ column_id }) => column_id,
  )
  return stages.map((id) => ({
    status_id: id,
    ...(totals ? keptColumn(totals.get(id)) : countedColumn(counts.get(id))),
    cards: (byColumn.get(id) ?? []).map(({ card }) => card),
  }))
}

const keptColumn = (total: { count: number; sum: number } | undefined) => ({
  count: total?.count ?? 0,
  sum: total?.sum ?? 0,
  is_more: false,
})

const countedColumn = (column: CountedColumn | undefined) => ({
  count: column?.count ?? 0,
  sum: column?.sum ?? 0,
  is_more: column?.isPart ?? false,
})

/** Whether the actor may view all leads of a stage. */
const seesWhole = (actor: Actor, pipeline_id: number, status_id: number): boolean =>
  actor.isAdmin ||
  sees(actor, 'leads', { pipeline_id, status_id, responsible_user_id: -1, group_id: -1 })

/** `isPart`: only the first leads of the column were tested. */
type CountedColumn = CardRow & FilteredColumn & { isPart: boolean }

/** Finds the leads of filtered columns, in steps that each read a bounded number of rows where that is enough. */
async function findColumns(
  reader: Reader,
  { actor, pipelineId, fieldId, list: { conditions } }: Question,
  stages: number[],
  window: BoardWindow,
  wanted: (status: number) => number,
): Promise<CountedColumn[]> {
  const read = async (ids: number[], way: BoardWay) =>
    (
      await reader.list<CardRow & FilteredColumn>(
        filteredColumns(actor, pipelineId, ids, window, fieldId, conditions, way),
      )
    ).map((row) => ({ ...row, isPart: way.kind === 'along' && row.tested >= way.rows }))

  // 1. The smallest set with few rows is looked up.
  const rare = await smallestSet(reader, 'leads', actor, conditions, bounds.few)
  if (rare) return read(stages, { kind: 'driven', by: rare })
  // 2. Many leads match: the first of each column fill its window.
  const rows = testedRows(conditions, window)
  const seen = await read(stages, { kind: 'along', rows })
  const unfilled = stages.filter((id) =>
    seen.some((row) => row.column_id === id && row.isPart && row.count < wanted(id)),
  )
  if (unfilled.length === 0) return seen
  // 3. A middle-sized set is looked up, or several large ones are intersected.
  const middle =
    (await smallestSet(reader, 'leads', actor, conditions, bounds.middling)) ??
    meetingOf('leads', actor, conditions)
  const exact = await read(unfilled, middle ? { kind: 'driven', by: middle } : { kind: 'whole' })
  return [...seen.filter((row) => !unfilled.includes(row.column_id)), ...exact]
}

/** How many of the first leads of a column are tested. */
function testedRows(conditions: readonly Condition[], { offset, limit }: BoardWindow): number {
  const isCostly = conditions.some((each) => each.isCostly)
  return (isCostly ? bounds.costlyWindowRows : bounds.windowRows) + offset + Math.max(limit, 1)
}

/** The cards of rows; rows without a card have none. */
async function cardsFrom(
  reader: Reader,
  { actor: { accountId }, fieldId }: Question,
  rows: CardRow[],
): Promise<Card[]> {
  const shown = rows.filter(({ id }) => id !== null)
  const [first] = shown
  if (!first) return []
  const ids = [...new Set(shown.flatMap(({ tag_ids }) => tag_ids.map(String)))]
  const tags = await tagTexts(reader, accountId, first.tags_version, ids)
  const fields =
    fieldId === undefined
      ? noFields
      : await fieldsOf(reader, accountId, 'leads', first.fields_version)
  return shown.map((row) => {
    const {
      column_id: _,
      kept,
      tag_ids,
      tags_version: _tags,
      fields_version: _fields,
      ...card
    } = row
    const values = kept && valuesText(fields, { [String(fieldId)]: kept } as KeptValues)
    return {
      ...withoutTotals(card),
      id: card.id!,
      tags: tag_ids.flatMap((id) => {
        const text = tags.get(String(id))
        return text ? [JSON.parse(text) as Card['tags'][number]] : []
      }),
      field: values ? fieldValues(values) : null,
    }
  })
}

/** The values of the only field of a text as records show it. */
const fieldValues = (text: string): unknown[] | null =>
  (JSON.parse(text) as { values: unknown[] }[] | null)?.[0]?.values ?? null

function withoutTotals<Row extends object>(
  row: Row & Partial<FilteredColumn> & { isPart?: boolean },
) {
  const { tested: _tested, count: _count, sum: _sum, isPart: _isPart, ...card } = row
  return card
}
