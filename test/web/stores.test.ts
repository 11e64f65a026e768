// The stores of cards: the ones in use outlive any number of other cards, the others do not pile up.
import { expect, test, vi } from 'vitest'

vi.hoisted(() => vi.stubGlobal('addEventListener', () => undefined))
const { storeOf } = await import('../../web/features/card/store.ts')

const openOthers = (from: number) => {
  for (let id = from; id < from + 30; id++) storeOf('contacts', id)
}

test('a store that a card shows stays, and one that nobody shows makes room', () => {
  const store = storeOf('leads', 1)
  const leave = store.watch(() => undefined)
  openOthers(1)
  expect(storeOf('leads', 1)).toBe(store)
  leave()
  openOthers(101)
  expect(storeOf('leads', 1)).not.toBe(store)
})

test('a store stays while the server has not answered a change', async () => {
  const answer = Promise.withResolvers<Response>()
  vi.stubGlobal('fetch', () => answer.promise)
  const store = storeOf('leads', 2)
  const saved = store.save({ name: 'Ann' }, { name: 'Ann' })
  openOthers(201)
  expect(storeOf('leads', 2)).toBe(store)
  expect(store.waiting()).toBe(1)
  answer.resolve(new Response('{}'))
  await saved
  expect(store.waiting()).toBe(0)
  openOthers(301)
  expect(storeOf('leads', 2)).not.toBe(store)
})
