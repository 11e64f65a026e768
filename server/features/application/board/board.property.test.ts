// Any filter, search, order and window of a board, asked for by any user: the columns equal the plain
// sort of all leads that the reference of lists finds (test/lists/reference.ts), whichever way the board
// finds them. `FUZZ_SEED` changes the requests, `FUZZ_RUNS` their number.
import fc from 'fast-check'
import sql from 'sql-template-tag'
import { beforeAll, expect, test } from 'vitest'
import { blockAll } from '../../../../test/lists/blocks.ts'
import { searchesOf, written } from '../../../../test/lists/searches.ts'
import { listOf } from '../../../../test/lists/reference.ts'
import type { Known } from '../../../../test/lists/reference.ts'
import { countAll } from '../../../../test/lists/trigrams.ts'
import { within } from '../../../../test/lists/ways.ts'
import { stretched } from '../../../../test/slow.ts'
import { newGround } from '../../../../test/lists/dataset.ts'
import type { Ground } from '../../../../test/lists/dataset.ts'
import { lost, won } from '../../../../test/leads.ts'
import type { Nested } from '../../../http/nested.ts'
import { boardSorts, firstCards } from './schema.ts'
import type { BoardSort, Card, Column, ColumnTotals } from './schema.ts'

const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_123)
const numRuns = 3 * Number(process.env['FUZZ_RUNS'] ?? 40)
const board = '/web/v1/board'
const later = 4_000_000_000

let ground: Ground
/** The place of each lead in the order of names. */
let names: ReadonlyMap<number, number>

beforeAll(async () => {
  ground = await newGround(seed, { leads: 150, contacts: 40, companies: 40, customers: 40 })
  const { account, dataset } = ground
  const { database } = account.kontor
  await countAll(database)
  await blockAll(database, account.id)
  // Tasks after today, which the ground lacks.
  await database.transaction((tx) =>
    tx.rows(sql`
      update leads set closest_task_at = ${later} + id % 3 where account_id = ${account.id} and id % 4 = 0`),
  )
  for (const lead of dataset.records.leads)
    if (lead.id % 4 === 0) lead.closest_task_at = later + (lead.id % 3)
  const rows = await database.rows<{ id: number; place: number }>(sql`
    select id, rank() over (order by lower(name collate kontor))::int as place from leads where account_id = ${account.id}`)
  names = new Map(rows.map(({ id, place: index }) => [id, index]))
  // Blocks are made of the texts of all accounts, also of those of other files.
}, stretched(240_000))

/** Bounds so low that a hundred leads count as many. */
const lowBounds = fc.record({
  smallSet: fc.constantFrom(0, 2, 8),
  windowRows: fc.constantFrom(0, 3, 30),
  costlyWindowRows: fc.constantFrom(0, 3, 30),
  mediumSet: fc.constantFrom(0, 10, 1000),
})

test('a board shows the leads that a list finds, in the order of each column', async () => {
  const { viewers, stages, dataset } = ground
  const able = viewers.filter(({ viewer }) => viewer.view.leads !== 'D' || viewer.opened)
  const searches = fc.record({
    query: fc.oneof(searchesOf(ground, 'leads'), fc.constant<Nested>({})),
    isEmpty: fc.boolean(),
    by: fc.nat({ max: able.length - 1 }),
    pipeline: fc.constantFrom(...new Set(stages.map(({ pipeline_id }) => pipeline_id))),
    sort: fc.constantFrom(...boardSorts),
    closed: fc.boolean(),
    offset: fc.nat({ max: 8 }),
    limit: fc.integer({ min: 1, max: 9 }),
    bounds: fc.option(lowBounds, { nil: {}, freq: 8 }),
  })
  await fc.assert(
    fc.asyncProperty(searches, async ({ query, isEmpty, by, pipeline, sort, closed, ...more }) => {
      const { offset, limit, bounds } = more
      const { user, viewer } = able[by]!
      const filter = Object.fromEntries(
        ['filter', 'query'].flatMap((name) => (query[name] ? [[name, query[name]]] : [])),
      )
      const ids = new Set(listOf(dataset, 'leads', viewer, filter))
      const found = dataset.records.leads.filter(({ id }) => ids.has(id))
      const columnOf = (status: number) =>
        found
          .filter(({ pipeline_id, status_id }) => pipeline_id === pipeline && status_id === status)
          .toSorted((one, other) => compared(sort, one, other))
      const parameters = `pipeline_id=${pipeline}&sort=${sort}${closed ? '&closed=1' : ''}&${written(filter, isEmpty)}`
      const get = async (path: string) => {
        const { status, body } = await user.api.get(path)
        expect([status, body.detail]).toEqual([200, undefined])
        return body
      }
      await within(bounds, async () => {
        const { columns } = (await get(`${board}?${parameters}`)) as { columns: Column[] }
        expect(columns.some(({ status_id }) => status_id === won)).toBe(closed)
        for (const column of columns) {
          const expected = columnOf(column.status_id)
          expect(idsOf(column)).toEqual(expected.slice(0, firstCards).map(({ id }) => id))
          expectTotals(column, expected)
        }
        const { status_id } = columns[offset % columns.length]!
        const page = await get(
          `${board}/column?${parameters}&status_id=${status_id}&offset=${offset}&limit=${limit}`,
        )
        const expected = columnOf(status_id)
        expect(idsOf(page)).toEqual(expected.slice(offset, offset + limit).map(({ id }) => id))
        expectTotals(page, expected)
        const totals = (await get(`${board}/totals?${parameters}`)).columns as ColumnTotals[]
        expect(totals.map((each) => each.status_id)).toEqual(columns.map((each) => each.status_id))
        for (const each of totals) expectTotals(each, columnOf(each.status_id))
        const named = dataset.records.leads.filter((_, index) => index % 3 === offset % 3)
        const { cards } = await get(
          `${board}/cards?${parameters}&ids=${named.map(({ id }) => id).join()}`,
        )
        const shown = new Set(columns.flatMap((each) => columnOf(each.status_id)))
        expect(cards.map(({ id }: Card) => id)).toEqual(
          named.filter((lead) => shown.has(lead)).map(({ id }) => id),
        )
        const aggregate = await get(`/web/v1/aggregate?entity=leads&${written(filter, isEmpty)}`)
        expect(aggregate).toEqual({ count: found.length, sum: sumOf(found), is_more: false })
      })
    }),
    { seed, numRuns },
  )
})

function expectTotals({ count, sum, is_more }: Omit<ColumnTotals, 'status_id'>, expected: Known[]) {
  if (is_more) {
    expect(count).toBeLessThanOrEqual(expected.length)
    expect(sum).toBeLessThanOrEqual(sumOf(expected))
  } else expect([count, sum]).toEqual([expected.length, sumOf(expected)])
}

const idsOf = ({ cards }: Column) => cards.map(({ id }) => id)
const sumOf = (leads: Known[]) => leads.reduce((sum, lead) => sum + Number(lead['price']), 0)

function compared(sort: BoardSort, one: Known, other: Known): number {
  const newest = other.id - one.id
  const isClosed = [won, lost].includes(one['status_id'] as number)
  if (isClosed) return newest
  return keyOf(sort, one) - keyOf(sort, other) || newest
}

/** The smaller, the earlier. */
function keyOf(sort: BoardSort, lead: Known): number {
  const task = lead.closest_task_at
  switch (sort) {
    case 'task':
      return task === null ? later / 2 : task
    case 'activity':
      return -(lead['updated_at'] as number)
    case 'created':
      return 0
    case 'price':
      return -(lead['price'] as number)
    case 'name':
      return names.get(lead.id)!
  }
}
