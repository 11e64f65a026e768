// Every row of an area with every type of caller, against the table in test/routes.ts. No answer to
// the alien may hold data of the account, and no request of the alien may change a row of it.
import sql, { raw as sqlRaw } from 'sql-template-tag'
import { beforeAll, expect, test } from 'vitest'
import { plural } from '../../server/entity-types.ts'
import type { TestUser } from '../account.ts'
import { rowsOf, tracesIn } from '../account-data.ts'
import type { RawAnswer } from '../raw.ts'
import type { Column, Route, Row } from '../routes.ts'
import { rowsOfArea } from './areas.ts'
import type { Area } from './areas.ts'
import { ask } from './ask.ts'
import { newRouteFixture } from './fixture.ts'
import type { RouteFixture } from './fixture.ts'
import { requests } from './requests.ts'
import type { RouteRequest } from './requests.ts'

let fixture: RouteFixture

/** Declares the tests of an area, which has a file of its own: files run at once, rows do not. */
export function testArea(area: Area): void {
  const rows = rowsOfArea(area)
  beforeAll(async () => {
    fixture = await newRouteFixture()
  })

  test.each(rows)('$method $path', async (row) => {
    const answered: Record<string, string> = {}
    const items = new Map()
    for (const column of Object.keys(row.expected) as Column[]) {
      const words = new Set<string>()
      const shared = changesNothing(row, column) ? items : undefined
      for (const request of await requestsOf(row, column, shared)) {
        const before = column === 'alien' ? await rowsOf(fixture.account) : undefined
        const answer = await ask(fixture, row, column, request)
        words.add(await wordFor(answer, column, request))
        if (before) await expectNothingOfOurs(answer, request, before)
      }
      answered[column] = [...words].join(' or ')
    }
    expect(answered).toEqual(row.expected)
  })

  const writes = rows.filter(
    ({ method, path, expected }) =>
      method !== 'GET' && path.startsWith('/api/') && expected.admin?.startsWith('2'),
  )
  if (writes.length > 0)
    test.each(writes)(
      '$method $path reads what PHP and curl write: lists as objects, a request_id anywhere, no useful type',
      async (row) => {
        for (const request of await requestsOf(row, 'admin')) {
          if (request.body === undefined || typeof request.body === 'string') continue
          const body = JSON.stringify(asPhpWrites(request.body))
          const headers = { 'content-type': 'application/x-www-form-urlencoded' }
          const answer = await ask(fixture, row, 'admin', { ...request, body, headers })
          expect([answer.status, answer.text]).toEqual([Number(row.expected.admin), answer.text])
        }
      },
    )

  // Every write of the interface that somebody may make; refusals are not kept.
  const keyed = rows.filter(
    ({ method, path, expected: { admin, app } }) =>
      ['POST', 'PATCH'].includes(method) &&
      path.startsWith('/api/') &&
      [admin, app].some((cell) => cell?.startsWith('2')),
  )
  if (keyed.length > 0)
    test.each(keyed)(
      '$method $path with an Idempotency-Key is answered once and for all',
      async (row) => {
        const caller = row.expected.admin === '403' ? 'app' : 'admin'
        for (const request of await requestsOf(row, caller)) {
          const headers = { ...request.headers, 'idempotency-key': nameOf(row) }
          const first = await ask(fixture, row, caller, { ...request, headers })
          const before = await rowsOf(fixture.account)
          const second = await ask(fixture, row, caller, { ...request, headers })
          expect(second).toEqual({
            ...first,
            headers: {
              ...first.headers,
              'idempotency-replayed': 'true',
              'x-request-id': second.headers['x-request-id'],
              ...(second.headers['runtime-timestamp'] !== undefined && {
                'runtime-timestamp': second.headers['runtime-timestamp'],
              }),
              date: second.headers.date,
            },
          })
          expect(await rowsOf(fixture.account)).toEqual(before)
        }
      },
    )
}

const nameOf = ({ method, path }: Route) => `${method} ${path}`

/** The requests of a row, about things of their own or about those made before. */
async function requestsOf(
  row: Row,
  column: Column,
  shared?: RouteFixture['items'],
): Promise<RouteRequest[]> {
  fixture.items = shared
  try {
    return [await requests[nameOf(row)]!(fixture, column)].flat()
  } finally {
    fixture.items = undefined
  }
}

/** Reads and refusals: their things are as they were, and serve the next request of the row. */
function changesNothing({ method, expected }: Row, column: Column): boolean {
  return method === 'GET' || Number(expected[column]) >= 400
}

/** Lists become objects, empty objects lists, and each item of a list gets a name. */
function asPhpWrites(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value))
    return value.length === 0
      ? value
      : Object.fromEntries(value.map((each, index) => [index, asPhpItem(each, index)]))
  const entries = Object.entries(value)
  if (entries.length === 0) return []
  return Object.fromEntries(entries.map(([key, inner]) => [key, asPhpWrites(inner)]))
}

function asPhpItem(item: unknown, index: number): unknown {
  const isObject = typeof item === 'object' && item !== null && !Array.isArray(item)
  return isObject
    ? { ...(asPhpWrites(item) as object), request_id: String(index) }
    : asPhpWrites(item)
}

interface Listed {
  id: number | string
  client_id?: string
  uid?: string
  scope_id?: string
  responsible_user_id?: number
  entity_type?: string
  entity_id?: number
  to_entity_id?: number
  customer_id?: number
  talk_id?: number
  contact_id?: number
}

/** The word of the table for an answer. */
async function wordFor(
  { status, text }: RawAnswer,
  column: Column,
  { list }: RouteRequest,
): Promise<string> {
  if (status !== 200 || !list) return String(status)
  // The log of the web application has each event beside what it names; a delivery names its event by a word.
  const listed = (
    JSON.parse(text)._embedded[list.of] as (Listed & { event?: Listed | string })[]
  ).map((each) => (typeof each.event === 'object' ? each.event : each))
  if (listed.length === 0) return 'none'
  // expectNothingOfOurs checks that the list holds no data of ours.
  if (column === 'alien') return 'own'
  const nameOf = ({ id, scope_id, client_id, uid, to_entity_id, talk_id, contact_id }: Listed) =>
    scope_id ?? client_id ?? uid ?? to_entity_id ?? id ?? talk_id ?? contact_id
  if (list.holds !== undefined)
    return listed.some((each) => list.holds === nameOf(each)) ? 'all' : 'some'
  // Elements of catalogs have no responsible user; elements.test.ts proves who sees their events.
  const owned = listed.filter(({ entity_type = '' }) => !entity_type.startsWith('catalog_'))
  const owners = new Set(await Promise.all(owned.map(ownerOf)))
  const { callers, colleague, outsider } = fixture
  const isOf = (...users: TestUser[]) =>
    [...owners].every((owner) => users.some(({ id }) => id === owner))
  if (isOf(callers[column as 'M-own'].user)) return 'own'
  if (isOf(callers['G-own'].user, colleague)) return 'group'
  return [callers['M-own'].user, colleague, outsider].every(({ id }) => owners.has(id))
    ? 'all'
    : 'some'
}

/** The user responsible for a record, or for the record of an event or a purchase. */
async function ownerOf({
  responsible_user_id,
  customer_id,
  entity_type = customer_id === undefined ? undefined : 'customer',
  entity_id = customer_id,
}: Listed): Promise<number | undefined> {
  if (responsible_user_id !== undefined) return responsible_user_id
  const table = sqlRaw(plural(entity_type!)!)
  const found = await fixture.account.kontor.database.row<{ id: number }>(
    sql`select responsible_user_id as id from ${table} where account_id = ${fixture.account.id} and id = ${entity_id}`,
  )
  return found?.id
}

async function expectNothingOfOurs(
  answer: RawAnswer,
  request: RouteRequest,
  before: object,
): Promise<void> {
  const { account, mark, callers } = fixture
  const tokens = Object.entries(callers).flatMap(([column, { token }]) =>
    column === 'alien' ? [] : token,
  )
  const secrets = [mark, ...tokens]
  expect(await tracesIn(account, secrets, JSON.stringify(request), answer)).toEqual([])
  expect(await rowsOf(account)).toEqual(before)
}
