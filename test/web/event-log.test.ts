// The event log of the web application: which filters go together, what an event is filtered by, and how
// newer events come to the ones that are shown.
import { describe, expect, test } from 'vitest'
import type { Change } from '../../web/crm/logged.ts'
import { makeLog } from '../../web/features/events/log-store.ts'
import type { LogItem } from '../../web/features/events/log-store.ts'
import {
  chipsOfEvent,
  eventForms,
  fieldChoices,
  settled,
} from '../../web/features/filter/event-fields.ts'
import type { EventPart } from '../../web/features/filter/event-fields.ts'
import {
  chipsOf,
  parametersOf,
  queryStringOf,
  searchOfChips,
} from '../../web/features/filter/filter.ts'
import { parseSearch, stringifySearch } from '../../web/data/search.ts'

/** The field 12 has choices. */
const hasChoices = (fieldId: number) => fieldId === 12
const fieldOf = (id: number, type: string) => ({ id, type, enums: [{ id: 6, value: 'Red' }] })

test('the choices of a phone are no choices of a value: they name it', () => {
  const fields = [fieldOf(1, 'select'), fieldOf(2, 'multitext'), fieldOf(3, 'multiselect')]
  const found = fieldChoices({ custom_fields: { contacts: { fields } } } as never)
  expect([...found.keys()]).toEqual([1, 3])
})

const chips = (address: string) => chipsOf(parseSearch(address), eventForms)
const address = (some: Parameters<typeof searchOfChips>[0]) =>
  decodeURIComponent(stringifySearch(searchOfChips(some, eventForms)))

describe('filters that go together', () => {
  test.each([
    [
      'one type of a field replaces the others',
      'filter[type]=lead_added,custom_field_12_value_changed',
      '?filter[type]=custom_field_12_value_changed',
      0,
    ],
    [
      'another type replaces that of a field',
      'filter[type]=custom_field_12_value_changed,lead_added',
      '?filter[type]=lead_added',
      0,
    ],
    [
      'records need one kind',
      'filter[entity]=lead,contact&filter[entity_id]=5',
      '?filter[entity]=lead,contact',
      1,
    ],
    [
      'records of one kind stay',
      'filter[entity]=lead&filter[entity_id]=5',
      '?filter[entity]=lead&filter[entity_id]=5',
      0,
    ],
    [
      'a value needs its type',
      'filter[type]=lead_added&filter[value_after][value]=5',
      '?filter[type]=lead_added',
      1,
    ],
    [
      'a value needs one type',
      'filter[type]=sale_field_changed,lead_added&filter[value_after][value]=5',
      '?filter[type]=sale_field_changed,lead_added',
      1,
    ],
    [
      'a value of its type stays',
      'filter[type]=sale_field_changed&filter[value_before][value]=5',
      '?filter[type]=sale_field_changed&filter[value_before][value]=5',
      0,
    ],
    [
      'the value of a field with choices may be a text',
      'filter[type]=custom_field_12_value_changed&filter[value_after][value]=Red',
      '?filter[type]=custom_field_12_value_changed&filter[value_after][value]=Red',
      0,
    ],
    [
      'each side has one value, the last one',
      'filter[type]=custom_field_12_value_changed&filter[value_after][value]=Red&filter[value_after][custom_field_values]=6&filter[value_before][value]=Red',
      '?filter[type]=custom_field_12_value_changed&filter[value_after][custom_field_values]=6&filter[value_before][value]=Red',
      1,
    ],
    [
      'ten people at most',
      'filter[created_by]=1,2,3,4,5,6,7,8,9,10,11',
      '?filter[created_by]=1,2,3,4,5,6,7,8,9,10',
      1,
    ],
    [
      'what nobody understands stays',
      'filter[value_after][color]=red',
      '?filter[value_after][color]=red',
      0,
    ],
  ] as const)('%s', (_, before, after, dropped) => {
    const fitting = settled(chips(before), hasChoices)
    expect(address(fitting.chips)).toBe(after)
    expect(fitting.dropped).toHaveLength(dropped)
  })

  test.each([
    [
      'filter[type]=lead_status_changed&filter[value_after][leads_statuses]=1:2,3:4&filter[value_before][leads_statuses]=1:5',
      'filter[type]=lead_status_changed&filter[value_after][leads_statuses][0][pipeline_id]=1&filter[value_after][leads_statuses][0][status_id]=2&filter[value_after][leads_statuses][1][pipeline_id]=3&filter[value_after][leads_statuses][1][status_id]=4&filter[value_before][leads_statuses][0][pipeline_id]=1&filter[value_before][leads_statuses][0][status_id]=5',
    ],
    [
      'filter[type]=customer_status_changed&filter[value_after][customers_statuses]=7,8',
      'filter[type]=customer_status_changed&filter[value_after][customers_statuses][0][status_id]=7&filter[value_after][customers_statuses][1][status_id]=8',
    ],
    ['filter[created_by]=me,0', 'filter[created_by]=3,0'],
  ])('%s is asked for as the interface has it, and read from that', (short, asked) => {
    const asker = { me: 3, timeZone: 'UTC', dayZone: 'UTC', weekStartsOn: 1, now: 0 }
    const request = (text: string) =>
      queryStringOf(parametersOf(chips(text), eventForms, asker)).replaceAll('%5B', '[')
    expect(request(short)).toBe(asked)
    expect(request(asked)).toBe(asked)
  })
})

describe('what an event is filtered by', () => {
  const event = (type: string, more: Partial<Change> = {}) =>
    ({
      id: '0'.repeat(26),
      type,
      entity_type: 'lead',
      entity_id: 5,
      created_by: 4,
      created_at: Date.UTC(2026, 10, 23, 23, 30) / 1000,
      value_before: [],
      value_after: [],
      ...more,
    }) as unknown as Change
  const after = (name: string, members: object) =>
    ({ value_after: [{ [name]: members }] }) as Partial<Change>

  test.each<[EventPart, Change, string]>([
    // The day is that of the user, in whose zone it is the 24th.
    [
      'time',
      event('lead_added'),
      `?filter[created_at][from]=${Date.UTC(2026, 10, 23, 23) / 1000}&filter[created_at][to]=${Date.UTC(2026, 10, 24, 23) / 1000 - 1}`,
    ],
    ['person', event('lead_added'), '?filter[created_by]=4'],
    ['person', event('lead_added', { created_by: 3 }), '?filter[created_by]=me'],
    ['person', event('lead_added', { created_by: 0 }), '?filter[created_by]=0'],
    ['type', event('lead_added'), '?filter[type]=lead_added'],
    ['record', event('lead_added'), '?filter[entity]=lead&filter[entity_id]=5'],
    [
      'record',
      event('name_field_changed', { entity_type: 'catalog_8' }),
      '?filter[entity]=catalog_8&filter[entity_id]=5',
    ],
    [
      'change',
      event('lead_status_changed', after('lead_status', { id: 2, pipeline_id: 1 })),
      '?filter[type]=lead_status_changed&filter[value_after][leads_statuses]=1:2',
    ],
    [
      'change',
      event('customer_status_changed', after('customer_status', { id: 2 })),
      '?filter[type]=customer_status_changed&filter[value_after][customers_statuses]=2',
    ],
    [
      'change',
      event('entity_responsible_changed', after('responsible_user', { id: 9 })),
      '?filter[type]=entity_responsible_changed&filter[value_after][responsible_user_id]=9',
    ],
    [
      'change',
      event('sale_field_changed', after('sale_field_value', { sale: 0 })),
      '?filter[type]=sale_field_changed&filter[value_after][value]=0',
    ],
    [
      'change',
      event('ltv_field_changed', after('ltv_field_value', { ltv: 7 })),
      '?filter[type]=ltv_field_changed&filter[value_after][value]=7',
    ],
    [
      'change',
      event('name_field_changed', after('name_field_value', { name: 'A b' })),
      '?filter[type]=name_field_changed&filter[value_after][value]=A b',
    ],
    [
      'change',
      event('nps_rate_added', after('nps', { rate: 9 })),
      '?filter[type]=nps_rate_added&filter[value_after][value]=9',
    ],
    [
      'change',
      event(
        'custom_field_12_value_changed',
        after('custom_field_value', { enum_id: 6, text: 'Red' }),
      ),
      '?filter[type]=custom_field_12_value_changed&filter[value_after][custom_field_values]=6',
    ],
    [
      'change',
      event(
        'custom_field_13_value_changed',
        after('custom_field_value', { enum_id: null, text: 'Red' }),
      ),
      '?filter[type]=custom_field_13_value_changed&filter[value_after][value]=Red',
    ],
    // Where nothing came in its place, by what was there before.
    [
      'change',
      event('custom_field_13_value_changed', {
        value_before: [{ custom_field_value: { text: 'Red' } }],
      }),
      '?filter[type]=custom_field_13_value_changed&filter[value_before][value]=Red',
    ],
    ['change', event('lead_added'), ''],
    ['change', event('entity_tag_added', after('tag', { name: 'VIP' })), ''],
  ])('%s of %o', (part, of, expected) => {
    const found = chipsOfEvent(part, of, { me: 3, timeZone: 'Europe/Berlin', hasChoices })
    expect(address(found)).toBe(expected)
    expect(settled(found, hasChoices).dropped).toEqual([])
  })
})

describe('the log', () => {
  const item = (id: number) => ({ event: { id: String(id).padStart(26, '0') } }) as LogItem
  /** A log of events 1 to `newest`, three to a page. */
  function logOf(newest: number) {
    const events = Array.from({ length: newest }, (_, index) => item(index + 1))
    const asked: string[] = []
    let fails = 0
    const store = makeLog('filter[type]=lead_added', async (path) => {
      asked.push(path)
      if (fails-- > 0) throw new Error('no connection')
      const after = /after=(\d+)/.exec(path)?.[1]
      const rest = events
        .filter(({ event }) => after === undefined || event.id < after)
        .toSorted((a, b) => (a.event.id < b.event.id ? 1 : -1))
      return { _embedded: { events: rest.slice(0, 3) }, has_more: rest.length > 3 }
    })
    const ids = () => store.state().items.map(({ event }) => Number(event.id))
    return { store, events, asked, ids, fail: () => (fails = 1) }
  }

  test('comes page by page, and goes on after a failure', async () => {
    const { store, ids, asked, fail } = logOf(7)
    await store.load()
    expect(ids()).toEqual([7, 6, 5])
    await Promise.all([store.loadMore(), store.loadMore()])
    expect(asked).toHaveLength(2)
    fail()
    await store.loadMore()
    expect([store.state().more, ids().length]).toEqual(['failed', 6])
    await store.loadMore()
    expect([store.state().more, ids()]).toEqual(['none', [7, 6, 5, 4, 3, 2, 1]])
    expect(asked[0]).toBe('/web/v1/events?filter[type]=lead_added')
    await store.loadMore()
    expect(asked).toHaveLength(4)
  })

  test('that begins anew takes nothing of a page that was on its way', async () => {
    const { store, events, ids } = logOf(6)
    await store.load()
    events.push(...[7, 8, 9, 10].map(item))
    await store.look()
    const late = store.loadMore()
    store.showFresh()
    await late
    expect(ids()).toEqual([10, 9, 8])
    await store.loadMore()
    expect(ids()).toEqual([10, 9, 8, 7, 6, 5])
  })

  test('counts newer events, and shows them when they are wanted', async () => {
    const { store, events, ids } = logOf(5)
    await store.load()
    await store.look()
    expect(store.state().fresh).toEqual({ count: 0, isMore: false })
    events.push(item(6), item(7))
    await store.look()
    expect([store.state().fresh, ids()]).toEqual([{ count: 2, isMore: false }, [5, 4, 3]])
    store.showFresh()
    expect([store.state().fresh.count, ids()]).toEqual([0, [7, 6, 5, 4, 3]])
  })

  test('begins anew where more has come than a page holds', async () => {
    const { store, events, ids } = logOf(4)
    await store.load()
    await store.loadMore()
    events.push(...[5, 6, 7, 8].map(item))
    await store.look()
    expect(store.state().fresh).toEqual({ count: 3, isMore: true })
    store.showFresh()
    expect([store.state().more, ids()]).toEqual(['idle', [8, 7, 6]])
    await store.loadMore()
    expect(ids()).toEqual([8, 7, 6, 5, 4, 3])
  })

  test('puts an event that came late where it belongs, and leaves those below to the next page', async () => {
    const { store, events, ids } = logOf(0)
    events.push(...[2, 5, 7].map(item))
    await store.load()
    events.push(item(6))
    await store.look()
    expect(store.state().fresh.count).toBe(1)
    store.showFresh()
    expect(ids()).toEqual([7, 6, 5, 2])
    const other = logOf(0)
    other.events.push(...[3, 5, 6, 7].map(item))
    await other.store.load()
    other.events.push(item(4))
    await other.store.look()
    expect(other.store.state().fresh.count).toBe(0)
  })
})
