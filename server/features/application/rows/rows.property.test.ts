// Any filter, search, order and window of a list of the web application, asked for by any user: the rows equal the
// plain sort of all records that the reference of lists finds (test/lists/reference.ts), and the answer of the same
// request to the interface. `FUZZ_SEED` changes the requests, `FUZZ_RUNS` their number.
import fc from 'fast-check'
import sql, { raw } from 'sql-template-tag'
import { beforeAll, expect, test } from 'vitest'
import { blockAll } from '../../../../test/lists/blocks.ts'
import { newGround } from '../../../../test/lists/dataset.ts'
import type { Ground } from '../../../../test/lists/dataset.ts'
import { listOf } from '../../../../test/lists/reference.ts'
import type { Known } from '../../../../test/lists/reference.ts'
import { searchesOf, written } from '../../../../test/lists/searches.ts'
import { countAll } from '../../../../test/lists/trigrams.ts'
import { within } from '../../../../test/lists/ways.ts'
import { rightsOf } from '../../../../test/records.ts'
import { stretched } from '../../../../test/slow.ts'
import type { Nested } from '../../../http/nested.ts'
import { rowBounds } from './rows.ts'
import { rowTypes } from './schema.ts'
import type { RowGroups, Row, RowWindow, RowType, RowSummary } from './schema.ts'

const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_128)
const numRuns = 170 * (Number(process.env['FUZZ_RUNS'] ?? 40) / 40)

let ground: Ground
/** The places of the records in the orders of texts, by type, column and id. */
const places = new Map<string, ReadonlyMap<number, number>>()

/** The fields of a type that a list is sorted by: one of each sort. */
const sortedTypes = ['numeric', 'date', 'date_time', 'text', 'select', 'checkbox', 'multitext']
const fieldOf = (type: RowType, of: string) =>
  ground.fields[type].find((field) => field.type === of)

beforeAll(async () => {
  ground = await newGround(seed, { leads: 150, contacts: 70, companies: 50, customers: 40 })
  const { account } = ground
  const { database } = account.kontor
  await countAll(database)
  await blockAll(database, account.id)
  const rank = async (name: string, statement: ReturnType<typeof sql>) => {
    const rows = await database.list<{ id: number; place: number | null }>(statement)
    places.set(
      name,
      new Map(rows.flatMap(({ id, place }) => (place === null ? [] : [[id, place]]))),
    )
  }
  for (const type of rowTypes) {
    const from = sql`from ${raw(type)} where account_id = ${account.id}`
    await rank(
      `${type} name`,
      sql`select id, rank() over (order by lower(name collate kontor))::int as place ${from}`,
    )
    for (const [of, path] of [
      ['text', '{0}'],
      ['multitext', '{0,0}'],
    ] as const) {
      const field = fieldOf(type, of)
      if (!field) continue
      const value = sql`custom_fields_values -> ${String(field.id)}::text #>> ${path}::text[]`
      await rank(
        `${type} field:${field.id}`,
        sql`select id, case when ${value} is not null then rank() over (order by lower(${value} collate kontor)) end::int as place ${from}`,
      )
    }
  }
  await rank(
    'users',
    sql`select id, rank() over (order by lower(name collate kontor))::int as place from users where account_id = ${account.id}`,
  )
  await rank(
    'stages',
    sql`select id * 1000000000 + pipeline_id as id, row_number() over (order by pipeline_id, sort, id)::int as place from statuses where account_id = ${account.id}`,
  )
  await rank(
    'customer statuses',
    sql`select id, row_number() over (order by sort, id)::int as place from customer_statuses where account_id = ${account.id}`,
  )
  // Blocks are made of the texts of all accounts, also of those of other files.
}, stretched(240_000))

/** Bounds so low that a hundred records count as many. */
const lowBounds = fc.record({
  smallSet: fc.constantFrom(0, 2, 8),
  windowRows: fc.constantFrom(0, 30, 90),
  costlyWindowRows: fc.constantFrom(0, 30, 90),
  mediumSet: fc.constantFrom(0, 30, 60, 1000),
})

const orders = (type: RowType) => [
  'id',
  'name',
  'created_at',
  'updated_at',
  'closest_task_at',
  'responsible_user_id',
  ...(type === 'leads' ? ['price', 'closed_at', 'status_id'] : []),
  ...(type === 'customers'
    ? ['next_price', 'next_date', 'ltv', 'purchases_count', 'average_check', 'status_id']
    : []),
  ...sortedTypes.flatMap((of) => {
    const field = fieldOf(type, of)
    return field ? [`field:${field.id}`] : []
  }),
]

test.for(rowTypes)('rows of %s are those that a list finds, in any order', async (type) => {
  const { viewers, dataset } = ground
  const able = viewers.filter(
    ({ viewer }) => viewer.view[rightsOf(type)] !== 'D' || (type === 'leads' && viewer.opened),
  )
  const groupings = [
    'responsible_user_id',
    ...(type === 'leads' ? ['status_id', 'pipeline_id'] : []),
    ...(type === 'customers' ? ['status_id'] : []),
    ...['select', 'checkbox']
      .flatMap((of) => fieldOf(type, of)?.id ?? [])
      .map((id) => `field:${id}`),
  ]
  const searches = fc.record({
    query: fc.oneof({ weight: 3, arbitrary: searchesOf(ground, type) }, fc.constant<Nested>({})),
    isEmpty: fc.boolean(),
    by: fc.nat({ max: able.length - 1 }),
    order: fc.constantFrom(...orders(type)),
    direction: fc.constantFrom('asc', 'desc'),
    offset: fc.nat({ max: 40 }),
    limit: fc.integer({ min: 1, max: 30 }),
    of: fc.constantFrom(...groupings),
    counted: fc.constantFrom(rowBounds.counted, rowBounds.counted, 5),
    bounds: fc.option(lowBounds, { nil: {}, freq: 8 }),
  })
  const fields = ground.fields[type].map(({ id }) => id)
  await fc.assert(
    fc.asyncProperty(searches, async ({ query, isEmpty, by, order, direction, ...more }) => {
      const { offset, limit, of, bounds, counted } = more
      const { user, viewer } = able[by]!
      const filter = Object.fromEntries(
        ['filter', 'query'].flatMap((name) => (query[name] ? [[name, query[name]]] : [])),
      )
      const ids = new Set(listOf(dataset, type, viewer, filter))
      const found = dataset.records[type].filter(({ id }) => ids.has(id))
      const sign = direction === 'asc' ? 1 : -1
      const key = (record: Known) => keyOf(type, order, record)
      const expected = found.toSorted((one, other) => {
        const [a, b] = [key(one), key(other)]
        if (a === null || b === null)
          return Number(a === null) - Number(b === null) || sign * (one.id - other.id)
        return sign * (a - b) || sign * (one.id - other.id)
      })
      const parameters = written(filter, isEmpty)
      const get = async (path: string) => {
        const { status, body } = await user.api.get(path)
        expect([status, body.detail]).toEqual([200, undefined])
        return body
      }
      await within(bounds, async () => {
        const usual = { ...rowBounds }
        Object.assign(rowBounds, { counted })
        try {
          const path = `/web/v1/rows/${type}`
          const parts = `fields=${fields.join()}&${parameters}`
          const window: RowWindow = await get(
            `${path}?${parts}&order=${order}&direction=${direction}&offset=${offset}&limit=${limit}`,
          )
          expect(window.rows.map(({ id }) => id)).toEqual(
            expected.slice(offset, offset + limit).map(({ id }) => id),
          )
          expect([null, expected.length]).toContain(window.count)
          const [column, sent] = ['id', 'created_at', 'updated_at'].includes(order)
            ? [order, direction]
            : ['id', 'desc']
          if (column === order && expected.length <= 250) {
            const { status, body } = await user.api.get(
              `/api/v4/${type}?${parameters}&order[${column}]=${sent}&limit=250`,
            )
            const records = status === 204 ? [] : body._embedded[type]
            for (const [index, row] of window.rows.entries())
              expect(row).toMatchObject(asRow(records[offset + index]))
          }
          const named = dataset.records[type].filter((_, index) => index % 3 === offset % 3)
          const some: { rows: Row[] } = await get(
            `${path}/named?${parts}&ids=${named.map(({ id }) => id).join()}`,
          )
          expect(some.rows.map(({ id }) => id)).toEqual(
            named.filter(({ id }) => ids.has(id)).map(({ id }) => id),
          )
          const summary: RowSummary = await get(
            `${path}/summary?columns=created_at,closest_task_at,${order === 'id' ? 'name' : order}&${parameters}`,
          )
          expectCount(summary, expected)
          if (!summary.is_part) expectNumbers(summary, found)
          const groups: RowGroups = await get(`${path}/groups?of=${of}&${parameters}`)
          expectCount(groups, expected)
          if (!groups.is_part)
            expect(new Map(groups.groups.map(({ value, count }) => [value, count]))).toEqual(
              countsBy(found, (record) => groupOf(of, record)),
            )
          const [first] = groups.groups
          if (first) {
            const inGroup: RowWindow = await get(
              `${path}?${parameters}&by=${of}&value=${encodeURIComponent(first.value)}&direction=asc&limit=250`,
            )
            expect(inGroup.rows.map(({ id }) => id)).toEqual(
              found
                .filter((record) => groupOf(of, record) === first.value)
                .map(({ id }) => id)
                .toSorted((a, b) => a - b),
            )
          }
        } finally {
          Object.assign(rowBounds, usual)
        }
      })
    }),
    { seed: seed + rowTypes.indexOf(type), numRuns },
  )
})

test('an order without an index is refused where too many records match, and an index goes on', async () => {
  const { api } = ground.account
  const all = ground.dataset.records.leads.filter(({ isDeleted }) => !isDeleted)
  const [number, text] = [fieldOf('leads', 'numeric')!, fieldOf('leads', 'text')!]
  const usual = { ...rowBounds }
  Object.assign(rowBounds, { sorted: 100 })
  try {
    for (const order of ['responsible_user_id', 'status_id', `field:${text.id}`]) {
      const { status, body } = await api.get(`/web/v1/rows/leads?order=${order}`)
      expect([order, status, body.code, body.limit]).toEqual([order, 422, 'TooManyToSort', 100])
    }
    const get = async () =>
      (await api.get(`/web/v1/rows/leads?order=field:${number.id}&direction=asc&limit=90`))
        .body as RowWindow
    const expected = all
      .map((record) => ({ id: record.id, key: keyOf('leads', `field:${number.id}`, record) }))
      .toSorted((one, other) => {
        if (one.key === null || other.key === null)
          return Number(one.key === null) - Number(other.key === null) || one.id - other.id
        return one.key - other.key || one.id - other.id
      })
    const valued = expected.filter(({ key }) => key !== null)
    // The records without a number follow those that have one.
    const some = await get()
    expect(some.rows.map(({ id }) => id)).toEqual(expected.slice(0, 90).map(({ id }) => id))
    expect([some.count, some.reach]).toEqual([all.length, 100])
    // Where more have one than are tested, those are the end.
    Object.assign(rowBounds, { sorted: 8, reached: 1 })
    const few = await get()
    expect(few.rows.length).toBe(few.reach)
    expect(few.rows.length).toBeLessThanOrEqual(8)
    expect(few.rows.map(({ id }) => id)).toEqual(
      valued.slice(0, few.rows.length).map(({ id }) => id),
    )
  } finally {
    Object.assign(rowBounds, usual)
  }
})

/** A count is exact, or says that there are more. */
function expectCount(
  { count, is_more }: Pick<RowSummary, 'count' | 'is_more'>,
  expected: Known[],
): void {
  if (is_more) expect(count).toBeLessThanOrEqual(expected.length)
  else expect(count).toBe(expected.length)
}

function expectNumbers({ columns }: RowSummary, found: Known[]): void {
  for (const name of ['created_at', 'closest_task_at'] as const) {
    const values = found.flatMap((record) => (record[name] as number | null) ?? [])
    expect(columns[name]).toEqual({
      filled: values.length,
      sum: values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0),
      average:
        values.length === 0
          ? null
          : expect.closeTo(values.reduce((sum, value) => sum + value, 0) / values.length, 3),
      least: values.length === 0 ? null : Math.min(...values),
      greatest: values.length === 0 ? null : Math.max(...values),
    })
  }
}

function keyOf(type: RowType, column: string, record: Known): number | null {
  const [, id] = /^field:(\d+)$/.exec(column) ?? []
  if (id === undefined)
    switch (column) {
      case 'name':
        return places.get(`${type} name`)!.get(record.id)!
      case 'responsible_user_id':
        return places.get('users')!.get(record.responsible_user_id) ?? null
      case 'status_id':
        if (type === 'customers')
          return places.get('customer statuses')!.get(record['status_id'] as number)!
        return places
          .get('stages')!
          .get((record['status_id'] as number) * 1_000_000_000 + (record['pipeline_id'] as number))!
      default:
        return record[column] as number | null
    }
  const ranked = places.get(`${type} ${column}`)
  if (ranked) return ranked.get(record.id) ?? null
  const field = ground.fields[type].find((each) => each.id === Number(id))!
  const value = record.custom_fields_values?.find(({ field_id }) => field_id === Number(id))
    ?.values[0]
  if (field.type === 'checkbox') return value?.value === true ? 1 : 0
  if (!value) return null
  if (field.type === 'select') return field.enums.findIndex((each) => each.id === value.enum_id)
  return Number(value.value)
}

function groupOf(column: string, record: Known): string {
  const [, id] = /^field:(\d+)$/.exec(column) ?? []
  if (id === undefined) {
    if (column === 'status_id' && record['pipeline_id'] !== undefined)
      return [record['pipeline_id'], record['status_id']].join(':')
    return String(record[column] === 0 ? '' : record[column])
  }
  const field = record.custom_fields_values?.find(({ field_id }) => field_id === Number(id))
  const [value] = field?.values ?? []
  const isFlag = ground.dataset.types.get(Number(id)) === 'checkbox'
  if (isFlag) return value?.value === true ? '1' : '0'
  return value?.enum_id === undefined ? '' : String(value.enum_id)
}

const countsBy = (found: Known[], of: (record: Known) => string): Map<string, number> =>
  new Map([...Map.groupBy(found, of)].map(([value, all]) => [value, all.length]))

/** A record of the interface, as far as rows show it. */
function asRow(record: Record<string, never>): Partial<Row> {
  const {
    custom_fields_values: values,
    _embedded,
    ...members
  } = record as unknown as Known & {
    _embedded: { tags: Row['tags'] }
  }
  const names = [
    'id',
    'name',
    'responsible_user_id',
    'created_by',
    'updated_by',
    'created_at',
    'updated_at',
    'closest_task_at',
    'price',
    'pipeline_id',
    'status_id',
    'closed_at',
    'loss_reason_id',
    'next_price',
    'next_date',
    'periodicity',
    'ltv',
    'purchases_count',
    'average_check',
  ]
  return {
    ...(Object.fromEntries(
      names.filter((name) => name in members).map((name) => [name, members[name]]),
    ) as Partial<Row>),
    tags: _embedded.tags,
    fields: Object.fromEntries((values ?? []).map(({ field_id, values: of }) => [field_id, of])),
  }
}
