// The places of cards in a column: pure functions of web/features/board.
import { describe, expect, test } from 'vitest'
import {
  missingWindows,
  indexIn,
  shiftOf,
  withLength,
  without,
  withWindow,
} from '../../web/features/board/order.ts'
import { compareNames, comparisonOf } from '../../web/features/board/sort.ts'
import type { Card, Column } from '../../server/features/application/board/schema.ts'
import { newAccount } from '../account.ts'
import { addLeads } from '../leads.ts'
import { pipelineOf } from '../pipelines.ts'

const none = undefined

describe('an order', () => {
  test('takes a window at its places, and an id once', () => {
    expect(withWindow([1, 2, none, none], 2, [3, 2])).toEqual([1, none, 3, 2])
    expect(withWindow([], 2, [3])).toEqual([none, none, 3])
  })

  test('grows and shrinks at the end', () => {
    expect(withLength([1], 3)).toEqual([1, none, none])
    expect(withLength([1, 2, 3], 2)).toEqual([1, 2])
    expect(without([1, 2, 3], 2)).toEqual([1, 3])
  })

  test.each([
    [[10, 30], 20, 1, true],
    [[10, none, 30], 20, 1, false],
    [[10, none], 20, 1, false],
    [[10], 20, 1, true],
    [[], 20, 0, true],
    [[none, 30], 20, 0, false],
  ])('%j: the place of %i is %i, certain: %s', (order, id, index, isCertain) => {
    expect(indexIn(order, (other) => other < id)).toEqual({ index, isCertain })
  })

  test('asks for the windows that hold unknown places, once each', () => {
    const order = [...Array.from({ length: 60 }, (_, at) => at), ...Array<undefined>(60)]
    expect(missingWindows(order, 55, 110, 50)).toEqual([
      { offset: 50, limit: 50 },
      { offset: 100, limit: 50 },
    ])
    expect(missingWindows(order, 0, 60, 50)).toEqual([])
    expect(missingWindows(order, 100, 500, 50)).toEqual([{ offset: 100, limit: 50 }])
  })

  test('knows by how far the cards on screen moved, whatever one of them does', () => {
    expect(shiftOf([1, 2, 3, 4], [9, 1, 2, 3, 4], 1, 4)).toBe(1)
    expect(shiftOf([1, 2, 3, 4, 5], [5, 1, 2, 3, 4], 2, 5)).toBe(1)
    expect(shiftOf([1, 2, 3, 4], [1, 2, 3, 4, 9], 1, 4)).toBe(0)
  })
})

describe('the order', () => {
  const card = (id: number, change: Partial<Card> = {}) =>
    ({ id, name: `N${id}`, price: 0, updated_at: 0, closest_task_at: null, ...change }) as Card
  const sorted = (sort: Parameters<typeof comparisonOf>[0], cards: Card[]) =>
    cards.toSorted(comparisonOf(sort, 1000)).map(({ id }) => id)

  test('task: overdue and today first, then none, then later ones', () => {
    const cards = [
      card(1, { closest_task_at: 2000 }),
      card(2),
      card(3, { closest_task_at: 999 }),
      card(4, { closest_task_at: 5 }),
      card(5),
      card(6, { closest_task_at: 1000 }),
    ]
    expect(sorted('task', cards)).toEqual([4, 3, 5, 2, 6, 1])
  })

  test('won and lost: the newest first in every order', () => {
    const cards = [1, 2, 3].map((id) => card(id, { status_id: 142, price: 10 - id }))
    expect(sorted('price', cards)).toEqual([3, 2, 1])
  })

  test.each([
    ['activity', [2, 3, 1]],
    ['created', [3, 2, 1]],
    ['price', [3, 1, 2]],
    ['name', [1, 3, 2]],
  ] as const)('%s: %j', (sort, order) => {
    const cards = [
      card(1, { updated_at: 1, price: 5, name: 'apple' }),
      card(2, { updated_at: 9, price: 1, name: 'Cherry' }),
      card(3, { updated_at: 1, price: 9, name: 'Banana' }),
    ]
    expect(sorted(sort, cards)).toEqual(order)
  })
})

test('names have the order that the server gives them', async () => {
  const { api } = await newAccount()
  const { id: pipeline_id, at } = await pipelineOf(api, 'New')
  const names =
    'a A á Á z ё Е я ß ẞ ΟΔΟΣ οδοσ οδος İ i ı I 東京 😀 \uFF21 \uE000 _ 10 9 ab Ab'.split(' ')
  await addLeads(
    api,
    names.map((name) => ({ name, pipeline_id, status_id: at['New'] })),
  )
  const { body } = await api.get(`/web/v1/board?pipeline_id=${pipeline_id}&sort=name`)
  const column = (body.columns as Column[]).find(({ status_id }) => status_id === at['New'])!
  expect(column.cards).toHaveLength(names.length)
  const compare = comparisonOf('name', 0)
  expect(column.cards.map(({ name }) => name)).toEqual(
    column.cards.toSorted(compare).map(({ name }) => name),
  )
  expect(column.cards.map(({ name }) => name)).toEqual(names.toReversed().toSorted(compareNames))
})
