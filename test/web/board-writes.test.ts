// The queue of the board's writes: the order of one's own actions, and a cut connection. The server's answers are passed in.
import { afterEach, expect, test, vi } from 'vitest'
import { Problem } from '../../web/data/api.ts'
import { makeStore } from '../../web/features/board/store.ts'
import { makeWriter } from '../../web/features/board/writes.ts'
import { card, boardSearch } from './cards.ts'

/** A board with two leads in stage 1; `cards` are those that the server answers. */
async function openStore(cards = [card(2), card(1)]) {
  const at = (status_id: number) => {
    const list = cards.filter((each) => each.status_id === status_id)
    const sum = list.reduce((total, { price }) => total + price, 0)
    return { status_id, count: list.length, sum, is_more: false, cards: list }
  }
  /** The paths of the requests. */
  const requests: string[] = []
  vi.stubGlobal('fetch', (path: string) => {
    requests.push(path)
    return Promise.resolve(
      Response.json(
        path.startsWith('/web/v1/board/cards')
          ? { cards }
          : { columns: [at(1), at(2), at(3)], today_ends_at: 100 },
      ),
    )
  })
  const store = makeStore(boardSearch)
  await store.load()
  return { store, cards, requests }
}

afterEach(() => vi.unstubAllGlobals())

const move = (id: number, status_id: number) => [{ id, change: { status_id } }]

test('writes of one lead are sent one after the other, those of two leads together', async () => {
  const { store } = await openStore()
  const writer = makeWriter(store)
  const begun: string[] = []
  const open: (() => void)[] = []
  const send = (name: string) => () => {
    begun.push(name)
    return new Promise<void>((resolve) => open.push(resolve))
  }
  const first = writer.perform({ changes: move(1, 2), send: send('1 to 2') })
  const second = writer.perform({ changes: move(1, 3), send: send('1 to 3') })
  void writer.perform({ changes: move(2, 2), send: send('2 to 2') })
  expect(store.cards.shown(1)?.status_id).toBe(3)
  expect([store.order(1), store.order(2), store.order(3)]).toEqual([[], [2], [1]])
  await vi.waitFor(() => expect(begun).toEqual(['1 to 2', '2 to 2']))
  open.shift()?.()
  await first
  await vi.waitFor(() => expect(begun).toContain('1 to 3'))
  for (const each of open) each()
  expect(await second).toEqual({ kind: 'done' })
})

test('a write that is not kept in the browser counts as one that goes with the page', async () => {
  const { store } = await openStore()
  const writer = makeWriter(store)
  const kept: string[] = []
  const open: (() => void)[] = []
  const send = () => new Promise<void>((resolve) => open.push(resolve))
  const keep = (key: string) => {
    kept.push(key)
    return () => void kept.splice(kept.indexOf(key), 1)
  }
  const answers = [
    writer.perform({ changes: move(1, 2), send, keep }),
    writer.perform({ changes: [{ id: 2, change: null }], send }),
  ]
  await vi.waitFor(() => expect(open).toHaveLength(2))
  expect([writer.waiting(), writer.unkept(), kept.length]).toEqual([2, 1, 1])
  for (const each of open) each()
  await Promise.all(answers)
  expect([writer.waiting(), writer.unkept(), kept.length]).toEqual([0, 0, 0])
})

test('a refused write leaves no trace in the orders and totals', async () => {
  const { store } = await openStore()
  const refusal = new Problem(403, 'Forbidden', 'No')
  const answer = makeWriter(store).perform({
    changes: move(1, 2),
    send: () => Promise.reject(refusal),
  })
  expect([store.totals(1).count, store.totals(2).count, store.totals(2).sum]).toEqual([1, 1, 10])
  expect(await answer).toEqual({ kind: 'refused', error: refusal })
  expect([store.totals(1).count, store.totals(2).count, store.totals(1).sum]).toEqual([2, 0, 20])
  expect(store.order(1)).toEqual([2, 1])
})

test('a write is repeated with one key while nobody answers, and fails after its patience', async () => {
  const { store } = await openStore()
  const keys: string[] = []
  const answer = await makeWriter(store, { patience: 700 }).perform({
    changes: move(1, 2),
    send: (key) => {
      keys.push(key)
      return Promise.reject(new Problem(0, 'No connection', 'The server did not answer'))
    },
  })
  expect(answer.kind).toBe('refused')
  expect(keys.length).toBeGreaterThan(1)
  expect(new Set(keys).size).toBe(1)
  expect(store.cards.shown(1)?.status_id).toBe(1)
})

test('a write that waited is not sent over the move of somebody else', async () => {
  const { store, cards } = await openStore()
  let attempts = 0
  const answer = await makeWriter(store).perform({
    changes: move(1, 2),
    send: () => {
      attempts++
      cards.splice(1, 1, card(1, { status_id: 3 }))
      return Promise.reject(new Problem(0, 'No connection', 'The server did not answer'))
    },
  })
  expect([answer, attempts]).toEqual([{ kind: 'conflict', ids: [1] }, 1])
  expect(store.cards.shown(1)?.status_id).toBe(3)
  expect(store.order(3)).toEqual([1])
})

test.each(['the whole board', 'its card', 'both'])(
  'a card in hand stays where it is until it is released, though %s comes anew',
  async (what) => {
    const { store, cards } = await openStore()
    const shown = () =>
      [1, 2].map((stage) => {
        const { count, sum } = store.totals(stage)
        return [store.order(stage), count, sum]
      })
    expect(shown()).toEqual([
      [[2, 1], 2, 20],
      [[], 0, 0],
    ])
    store.hold([2])
    cards[0] = card(2, { status_id: 2, price: 30 })
    if (what !== 'the whole board') await store.refetch([2])
    if (what !== 'its card') await store.load()
    expect(shown()).toEqual([
      [[2, 1], 2, 20],
      [[], 0, 0],
    ])
    expect(store.newest(2)).toEqual(cards[0])
    store.release()
    expect(shown()).toEqual([
      [[1], 1, 10],
      [[2], 1, 30],
    ])
  },
)

test('a card in hand that has gone is taken off at the release, and its windows are asked for anew', async () => {
  const { store, cards, requests } = await openStore()
  store.hold([2])
  cards.shift()
  await store.load()
  expect(store.order(1)).toEqual([2, 1])
  // Its own state is asked for, so that a drop knows of it.
  await expect.poll(() => store.newest(2)).toBeUndefined()
  const boards = () => requests.filter((path) => path.startsWith('/web/v1/board?')).length
  const before = boards()
  store.release()
  expect(store.order(1)).toEqual([1])
  await expect.poll(boards).toBe(before + 1)
})

test('a window with a card in hand of another column is asked for no more until the release', async () => {
  const { store, cards, requests } = await openStore()
  store.hold([2])
  cards[0] = card(2, { status_id: 2 })
  await store.load()
  for (let time = 0; time < 3; time++) store.show(2, 0, 1, 0)
  expect(store.order(2)).toEqual([])
  expect(requests.filter((path) => path.includes('/column'))).toEqual([])
  const before = requests.length
  store.release()
  expect(store.order(2)).toEqual([2])
  await expect.poll(() => requests.length).toBeGreaterThan(before)
})
