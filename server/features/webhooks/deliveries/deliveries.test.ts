// From a change to the receiver. The retry table, the order within a subscription and the grouping
// of items are pure, and stand first.
import { describe, expect, test } from 'vitest'
import type { Notice } from '../notices.ts'
import { groupsOf } from './deliveries.ts'
import { newLane } from './lane.ts'
import type { DueDelivery } from './queries.ts'
import { isValid, waitAfter } from './schedule.ts'

const minute = 60_000

describe('the schedule', () => {
  test.for<[status: number, waits: number[]]>([
    [0, [5, 15]],
    [99, [5, 15]],
    [100, []],
    [101, []],
    [103, []],
    [199, []],
    [200, []],
    [299, []],
    [300, [5, 15]],
    [404, [5, 15]],
    [498, [5, 15]],
    [499, [5, 15, 15, 60]],
    [500, [5, 15, 15, 60]],
    [599, [5, 15, 15, 60]],
    [600, [5, 15]],
  ])('an answer of %i is followed by attempts after %j minutes', ([status, waits]) => {
    const all = [1, 2, 3, 4, 5].map((number) => waitAfter(number, status))
    expect(all.filter((wait) => wait !== undefined)).toEqual(waits.map((each) => each * minute))
    expect(all.indexOf(undefined)).toBe(waits.length)
    expect(isValid(status)).toBe(waits.length === 0)
  })

  test('the failure before each attempt decides whether it follows', () => {
    expect([500, 404, 404].map((status, place) => waitAfter(place + 1, status))).toEqual([
      5 * minute,
      15 * minute,
      undefined,
    ])
    expect([404, 404, 500, 499].map((status, place) => waitAfter(place + 1, status))).toEqual([
      5 * minute,
      15 * minute,
      15 * minute,
      60 * minute,
    ])
  })
})

describe('a lane', () => {
  const delivery = (id: number, ...records: string[]): DueDelivery => ({
    account_id: 1,
    webhook_id: 1,
    id,
    attempts: 0,
    event: 'update_lead',
    records,
    body: '',
  })
  const ids = (deliveries: DueDelivery[]) => deliveries.map(({ id }) => id)

  test('sends the notices of a record one after the other, and those of others meanwhile', () => {
    const lane = newLane()
    const [one, two, three, both, last] = [
      delivery(1, 'leads 1'),
      delivery(2, 'leads 1'),
      delivery(3, 'leads 2'),
      delivery(4, 'leads 1', 'leads 3'),
      delivery(5, 'leads 3'),
    ]
    lane.add([three, one])
    lane.add([two, both, last])
    expect(ids(lane.take(8))).toEqual([1, 3])
    expect(ids(lane.take(8))).toEqual([])
    lane.end(three)
    expect(ids(lane.take(8))).toEqual([])
    lane.end(one)
    expect(ids(lane.take(8))).toEqual([2])
    lane.end(two)
    expect(ids(lane.take(8))).toEqual([4])
    lane.end(both)
    expect(ids(lane.take(8))).toEqual([5])
    expect(lane.underWay()).toBe(1)
  })

  test('takes no more than there is room for, in order', () => {
    const lane = newLane()
    lane.add([5, 3, 4, 1, 2].map((id) => delivery(id, `leads ${id}`)))
    expect(ids(lane.take(2))).toEqual([1, 2])
    expect(ids(lane.take(0))).toEqual([])
    expect(ids(lane.take(9))).toEqual([3, 4, 5])
    expect(lane.known.size).toBe(5)
    lane.forget(3)
    expect(lane.known.has(3)).toBe(false)
  })
})

describe('groups of notices', () => {
  let journalId = 0
  const notice = (name: string, entityId: number, request = 'r1'): Notice => {
    const [action = '', entity = ''] = name.split('_')
    return {
      event: name,
      entityType: `${entity}s` as 'leads',
      entityId,
      action: action as 'update',
      journalId: ++journalId,
      requestId: request === 'none' ? null : request,
      item: {},
    }
  }
  const shown = (notices: Notice[]) =>
    groupsOf(notices).map((group) =>
      [group[0]!.event, ...group.map(({ entityId }) => entityId)].join(' '),
    )

  test('items of one request and event share a body, deletions and those of no request do not', () => {
    expect(
      shown([
        notice('add_lead', 1),
        notice('add_lead', 2),
        notice('add_lead', 3, 'r2'),
        notice('delete_lead', 4),
        notice('delete_lead', 5),
        notice('add_lead', 6, 'none'),
        notice('add_lead', 7, 'none'),
        notice('add_contact', 8),
      ]),
    ).toEqual([
      'add_lead 1 2',
      'add_lead 3',
      'delete_lead 4',
      'delete_lead 5',
      'add_lead 6',
      'add_lead 7',
      'add_contact 8',
    ])
  })

  test('a body holds 250 items', () => {
    const many = Array.from({ length: 501 }, (_, id) => notice('update_lead', id))
    expect(groupsOf(many).map(({ length }) => length)).toEqual([250, 250, 1])
  })

  test('the notices of a record keep their order, also where requests run together', () => {
    expect(
      shown([
        notice('status_lead', 1),
        notice('update_lead', 1),
        notice('status_lead', 2),
        notice('update_lead', 2),
        notice('update_lead', 3, 'r2'),
        notice('update_lead', 3),
        notice('update_lead', 4),
      ]),
    ).toEqual(['status_lead 1 2', 'update_lead 1 2', 'update_lead 3', 'update_lead 3 4'])
  })
})
