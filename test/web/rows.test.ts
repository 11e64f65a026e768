// Tables of records: the scrollbar over more rows than a browser can scroll, and blocks of cells as spreadsheets write
// them.
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { blockText, cellsOf } from '../../web/features/rows/clipboard.ts'
import { afterScroll, mostPixels, spaceOf, stateAt, topOf } from '../../web/features/rows/scroll.ts'
import {
  blockOf,
  followRows,
  isSelected,
  makeTableSelection,
  marksOf,
} from '../../web/features/rows/selection.ts'
import { makeRowStore } from '../../web/features/rows/store.ts'

const view = 800
const rowHeight = 36

describe('the scrollbar', () => {
  test('of a list that a browser can scroll moves with the rows', () => {
    const space = spaceOf(1000 * rowHeight)
    const state = afterScroll({ scrollTop: 0, offset: 0 }, 5000, space, view)
    expect(topOf(state)).toBe(5000)
    expect(topOf(stateAt(1e9, space, view))).toBe(1000 * rowHeight - view)
  })

  test('of a million rows reaches every row, and small steps move as far as they say', () => {
    const total = 1_000_000 * rowHeight
    const space = spaceOf(total)
    expect(space.height).toBe(mostPixels)
    expect(topOf(stateAt(total, space, view))).toBe(total - view)
    // The scrollbar at its half is at half of the list.
    const half = afterScroll({ scrollTop: 0, offset: 0 }, (mostPixels - view) / 2, space, view)
    expect(topOf(half)).toBeCloseTo((total - view) / 2, 0)
    // From there, the wheel moves a hundred pixels.
    const further = afterScroll(half, half.scrollTop + 100, space, view)
    expect(topOf(further)).toBeCloseTo(topOf(half) + 100, 0)
    expect(topOf(afterScroll(half, mostPixels - view, space, view))).toBeCloseTo(total - view, 0)
    expect(topOf(afterScroll(half, 0, space, view))).toBe(0)
  })

  test('of any list stays within it, and steps from any place arrive at the ends', () => {
    const steps = fc.array(fc.integer({ min: -700, max: 700 }), { maxLength: 60 })
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5_000_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        steps,
        (rows, share, moves) => {
          const total = Math.max(view, rows * rowHeight)
          const space = spaceOf(total)
          let state = stateAt(share * (total - view), space, view)
          for (const move of moves) {
            const before = topOf(state)
            const wanted = Math.min(Math.max(0, state.scrollTop + move), space.height - view)
            const moved = wanted - state.scrollTop
            state = afterScroll(state, wanted, space, view)
            expect(topOf(state)).toBeGreaterThanOrEqual(-0.5)
            expect(topOf(state)).toBeLessThanOrEqual(total - view + 0.5)
            expect(state.scrollTop).toBeGreaterThanOrEqual(0)
            expect(state.scrollTop).toBeLessThanOrEqual(space.height - view)
            const expected = Math.min(Math.max(0, before + moved), total - view)
            expect(Math.abs(topOf(state) - expected)).toBeLessThan(2)
          }
        },
      ),
    )
  })
})

describe('the rows on screen', () => {
  afterEach(() => void vi.useRealTimers())

  /** A list of a million leads, the offsets that it has asked for, and whether the server answers. */
  function list() {
    const [offsets, server] = [[] as number[], { isAnswering: true }]
    vi.useFakeTimers()
    vi.stubGlobal('fetch', (path: string, { signal }: RequestInit) => {
      offsets.push(Number(/offset=(\d+)/.exec(path)![1]))
      if (server.isAnswering)
        return Promise.resolve(Response.json({ rows: [], count: 1_000_000, reach: null }))
      const aborted = new DOMException('aborted', 'AbortError')
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(aborted)))
    })
    const key = { type: 'leads', order: 'id', direction: 'desc', filter: '' } as const
    return { store: makeRowStore({ ...key, extras: [], fieldIds: [] }, 1), offsets, server }
  }

  test('are asked for once, by the table or with the list', async () => {
    const { store, offsets } = list()
    store.show(0, 30)
    await store.load()
    await vi.advanceTimersByTimeAsync(0)
    expect([offsets, store.length()]).toEqual([[0], 1_000_000])
  })

  test('are asked for at once after a jump, and now and then while rows fly past', async () => {
    const { store, offsets, server } = list()
    await store.load()
    server.isAnswering = false
    store.show(500_000, 500_030)
    expect(offsets).toEqual([0, 500_000])
    const [from, to, step] = [1000, 60_000, 500]
    for (let row = from; row < to; row += step) {
      store.show(row, row + 30)
      await vi.advanceTimersByTimeAsync(12)
    }
    // Each is passed after 12 ms, and the next is asked for 60 ms later.
    expect(offsets.length).toBeLessThan(2 + (((to - from) / step) * 12) / 60)
    await vi.advanceTimersByTimeAsync(60)
    expect(offsets.at(-1)).toBe(to - step)
  })
})

describe('a block of cells', () => {
  test.for<[text: string, cells: string[][]]>([
    ['one', [['one']]],
    [
      '1\t2\n3\t4',
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    // Spreadsheets end a text with a line.
    ['1\r\n2\r\n', [['1'], ['2']]],
    ['"two\nlines"\tb', [['two\nlines', 'b']]],
    ['"a ""quoted"" word"', [['a "quoted" word']]],
    ['"unclosed', [['"unclosed']]],
    ['"a" b\tc', [['"a" b', 'c']]],
    ['', [['']]],
    ['\t', [['', '']]],
  ])('%j is read as %j', ([text, cells]) => {
    expect(cellsOf(text)).toEqual(cells)
  })

  test('is read as it was written', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', '\t', '\n', ' ', ','), maxLength: 6 })
    const block = fc
      .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 }))
      .chain(([rows, columns]) =>
        fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), {
          minLength: rows,
          maxLength: rows,
        }),
      )
      // A last line without a text is the end of the line before it.
      .filter((rows) => rows.length === 1 || rows.at(-1)!.some((text) => text !== ''))
    fc.assert(
      fc.property(block, (rows) => {
        expect(cellsOf(blockText(rows))).toEqual(rows)
      }),
    )
  })

  test('has its corners in order, and marks the rows that it crosses', () => {
    const state = { focus: { row: 2, column: 1 }, anchor: { row: 4, column: 3 } }
    expect(blockOf(state)).toEqual({ from: { row: 2, column: 1 }, to: { row: 4, column: 3 } })
    expect([1, 2, 3, 5].map((row) => marksOf(state, row))).toEqual(['', '1-3:1', '1-3', ''])
  })

  test('of rows has those that are chosen, or all without those that are taken out', () => {
    const selection = makeTableSelection()
    const chosen = () => [1, 2, 3].filter((id) => isSelected(selection.get(), id))
    selection.select([1, 2], true)
    selection.select([1], false)
    expect(chosen()).toEqual([2])
    selection.selectAll()
    expect(chosen()).toEqual([1, 2, 3])
    selection.select([1, 2], false)
    selection.select([2], true)
    expect(chosen()).toEqual([2, 3])
    expect([selection.get().isAll, [...selection.get().left]]).toEqual([true, [1]])
    selection.selectNone()
    expect(chosen()).toEqual([])
    selection.selectAll()
    expect(chosen()).toEqual([1, 2, 3])
  })

  test('stays on its records while rows come and go, and shrinks to the focus where they part', () => {
    let ids = [10, 20, 30, 40]
    const watchers = new Set<() => void>()
    const selection = makeTableSelection()
    const stop = followRows(
      {
        idAt: (index) => ids[index],
        indexOf: (id) => ids.indexOf(id),
        watch: (watcher) => {
          watchers.add(watcher)
          return () => watchers.delete(watcher)
        },
      },
      selection,
    )
    const change = (next: number[]) => {
      ids = next
      for (const watcher of watchers) watcher()
      const { focus, anchor } = selection.get()
      return [focus?.row, anchor?.row]
    }
    selection.set({ focus: { row: 2, column: 1 }, anchor: { row: 1, column: 0 } })
    expect(change([5, 10, 20, 30, 40])).toEqual([3, 2])
    expect(change([20, 30, 40])).toEqual([1, 0])
    expect(change([20, 25, 30, 40])).toEqual([2, 2])
    // A record that is gone leaves the focus where it was.
    expect(change([20, 25, 40])).toEqual([2, 2])
    stop()
    expect(change([1, 20, 25, 40])).toEqual([2, 2])
  })
})
