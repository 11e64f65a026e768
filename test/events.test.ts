// The events of every write, against the table of test/routes/events.ts.
import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import {
  isEventType,
  mayStandOn,
  eventTypeFacts,
  eventTypeNames,
} from '../server/features/activity/events/types.ts'
import { rows } from './routes.ts'
import { ask } from './routes/ask.ts'
import { newRouteFixture } from './routes/fixture.ts'
import type { RouteFixture } from './routes/fixture.ts'
import { eventRequests } from './routes/event-requests.ts'
import { eventsOfWrites } from './routes/events.ts'
import { requests } from './routes/requests.ts'

let fixture: RouteFixture
beforeAll(async () => {
  fixture = await newRouteFixture()
})

/** The status of the answer to an administrator, by route. */
const statuses = new Map(rows.map(({ method, path, expected }) => [`${method} ${path}`, expected]))

test('every write has a row, and every row a write and a request', () => {
  const writes = fixture.account.routes
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => `${method} ${path}`)
  expect([...new Set(eventsOfWrites.map(({ route }) => route))].toSorted()).toEqual(
    writes.toSorted(),
  )
  const named = eventsOfWrites.filter(({ row, route }) => row !== route).map(({ row }) => row)
  expect(Object.keys(eventRequests).toSorted()).toEqual(named.toSorted())
})

test.each(eventsOfWrites)('$row', async ({ row, route, events }) => {
  const [method, path] = route.split(' ') as [string, string]
  const expected = statuses.get(route)!
  const caller = expected.admin === '403' || route.endsWith('/complex') ? 'app' : 'admin'
  const prepare = row === route ? requests[route]! : eventRequests[row]!
  for (const request of [await prepare(fixture, caller)].flat()) {
    const before = (await newest())[0]?.id ?? ''
    const { status, text } = await ask(fixture, { method, path }, caller, request)
    expect([status, text]).toEqual([request.status ?? Number(expected[caller]), text])
    const since = (await newest()).filter(({ id }) => id > before)
    const caused = since.filter((event) => !isOfClock(event, since))
    expect(caused.toReversed().map(wordsFor)).toEqual(events)
  }
})

/** Time, or the rules of a row above, may move a customer of which this write says nothing. */
function isOfClock({ created_by, type, entity_type, entity_id }: Shown, since: Shown[]): boolean {
  const isMove = entity_type === 'customer' && type === 'customer_status_changed'
  const isInWebhook = since.some(
    (other) =>
      other.created_by !== 0 && other.entity_type === 'customer' && other.entity_id === entity_id,
  )
  return created_by === 0 && isMove && !isInWebhook
}

interface Shown {
  id: string
  type: string
  entity_id: number
  entity_type: string
  created_by: number
}

async function newest(): Promise<Shown[]> {
  return (await fixture.account.api.get('/api/v4/events?limit=100')).body._embedded.events
}

const wordsFor = ({ entity_type, type }: Shown) =>
  `${entity_type.replace(/^catalog_\d+$/, 'catalog_{id}')} ${type.replace(/_\d+_/, '_{id}_')}`

const guide = readFileSync(new URL('../docs/guides/events.md', import.meta.url), 'utf8')

/** The types in the tables of the guide, with their causes. */
const documented = guide
  .slice(guide.indexOf('## What causes an event'))
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .flatMap((line) => {
    const [types, cause] = line.split('|').slice(1) as [string, string]
    return [...types.matchAll(/`([^`]+)`/g)].map(([, type]) => [type!, cause.trim()] as const)
  })

const typesWithValues = eventTypeNames.filter((type) => eventTypeFacts(type).value !== undefined)

test('every event stands on an entity where the log looks for its type', () => {
  const logged = new Set(eventsOfWrites.flatMap(({ events }) => events))
  for (const event of logged) {
    const [entity = '', type = ''] = event.split(' ')
    const general = type.replace(/^custom_field_.*_value_changed$/, 'custom_field_value_changed')
    expect([event, isEventType(general) && mayStandOn(general, entity)]).toEqual([event, true])
  }
})

test('the guide on events has every type of the interface that has values, once', () => {
  expect(documented.map(([type]) => type).toSorted()).toEqual(
    [...typesWithValues, 'custom_field_{FIELD_ID}_value_changed'].toSorted(),
  )
})

test('the guide on events says of a type that nothing causes it yet where no write does', () => {
  // An event of a field has the field's own type, or the general one where that was asked for.
  const general = (type: string) => type.replace(/_\{\w+\}_/, '_')
  const caused = eventsOfWrites.flatMap(({ events }) => events.map((words) => words.split(' ')[1]!))
  const claimed = documented.filter(([, cause]) => cause !== 'Nothing yet').map(([type]) => type)
  const sorted = (types: string[]) => [...new Set(types.map(general))].toSorted()
  expect(sorted(claimed)).toEqual(sorted(caused))
})
