// The overlay of pending operations (docs/decisions/0076-overlay-of-operations.md): pure, so it is compared with a plain model.
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { makeOverlay } from '../../web/data/overlay.ts'
import type { Operation } from '../../web/data/overlay.ts'

interface Item {
  id: number
  stage: number
  price: number
}

const item = (change: Partial<Item> = {}): Item => ({ id: 1, stage: 1, price: 10, ...change })

test('an operation shows at once, and a refused one leaves what the server said', () => {
  const overlay = makeOverlay<Item>()
  overlay.put(item(), overlay.tick())
  const move = overlay.begin(1, { stage: 2 })
  expect(overlay.shown(1)).toEqual(item({ stage: 2 }))
  expect(overlay.snapshot(1)).toEqual(item())
  overlay.drop(move)
  expect(overlay.shown(1)).toEqual(item())
  expect(overlay.changedIds()).toEqual([])
})

test('a confirmed operation stays until an answer that was asked for after it', () => {
  const overlay = makeOverlay<Item>()
  overlay.put(item(), overlay.tick())
  const move = overlay.begin(1, { stage: 2 })
  const early = overlay.tick()
  overlay.confirm(move)
  overlay.put(item({ price: 20 }), early)
  expect(overlay.shown(1)).toEqual(item({ stage: 2, price: 20 }))
  overlay.put(item({ stage: 3 }), overlay.tick())
  expect(overlay.shown(1)).toEqual(item({ stage: 3 }))
})

test('an answer that was overtaken is not taken', () => {
  const overlay = makeOverlay<Item>()
  const [older, newer] = [overlay.tick(), overlay.tick()]
  expect(overlay.put(item({ price: 2 }), newer)).toBe(true)
  expect(overlay.put(item({ price: 1 }), older)).toBe(false)
  expect(overlay.remove(1, older)).toBe(false)
  expect(overlay.shown(1)?.price).toBe(2)
})

test('a removed record comes back whole, and a part of one does not make it', () => {
  const overlay = makeOverlay<Item>()
  overlay.put(item(), overlay.tick())
  overlay.remove(1, overlay.tick())
  const part = overlay.begin(1, { stage: 2 })
  expect(overlay.shown(1)).toBeUndefined()
  overlay.drop(part)
  overlay.begin(1, item({ stage: 3 }))
  expect(overlay.shown(1)).toEqual(item({ stage: 3 }))
})

test('a watcher hears of its own record only, and of nothing that is the same', () => {
  const overlay = makeOverlay<Item>()
  const [one, two] = [vi.fn(), vi.fn()]
  overlay.watch(1, one)
  const stop = overlay.watch(2, two)
  overlay.put(item(), overlay.tick())
  const before = overlay.shown(1)
  overlay.put(item(), overlay.tick())
  expect(overlay.shown(1)).toBe(before)
  expect([one.mock.calls.length, two.mock.calls.length]).toEqual([1, 0])
  stop()
  overlay.put(item({ id: 2 }), overlay.tick())
  expect(two).not.toHaveBeenCalled()
})

describe('whatever happens', () => {
  type Act =
    | { kind: 'tell'; stage: number | null; isLate: boolean }
    | { kind: 'begin'; stage: number }
    | { kind: 'confirm' | 'drop'; at: number }
  const acts: fc.Arbitrary<Act[]> = fc.array(
    fc.oneof(
      fc.record({
        kind: fc.constant('tell' as const),
        stage: fc.option(fc.integer({ min: 1, max: 5 })),
        isLate: fc.boolean(),
      }),
      fc.record({ kind: fc.constant('begin' as const), stage: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ kind: fc.constantFrom('confirm' as const, 'drop' as const), at: fc.nat(8) }),
    ),
    { maxLength: 40 },
  )

  test('it shows the last answer with all later operations over it, in their order', () => {
    fc.assert(
      fc.property(acts, (list) => {
        const overlay = makeOverlay<Item>()
        // The model: an answer, when it was asked for, and the operations with their confirmation.
        let server: Item | undefined
        let serverAt = 0
        let clock = 0
        let pending: { operation: Operation<Item>; stage: number; confirmedAt?: number }[] = []
        for (const act of list) {
          if (act.kind === 'begin') {
            const operation = overlay.begin(1, { stage: act.stage })
            pending.push({ operation, stage: act.stage })
          } else if (act.kind === 'tell') {
            // A late answer is one to the request before the last.
            const asOf = act.isLate ? clock : overlay.tick()
            if (!act.isLate) clock++
            const next = act.stage === null ? undefined : item({ stage: act.stage })
            if (next) overlay.put(next, asOf)
            else overlay.remove(1, asOf)
            if (asOf < serverAt) continue
            server = next
            serverAt = asOf
            pending = pending.filter(
              ({ confirmedAt }) => confirmedAt === undefined || confirmedAt >= asOf,
            )
          } else {
            const entry = pending[act.at]
            if (!entry) continue
            if (act.kind === 'confirm') {
              overlay.confirm(entry.operation)
              entry.confirmedAt = clock
            } else {
              overlay.drop(entry.operation)
              pending = pending.filter((each) => each !== entry)
            }
          }
          const stage = pending.at(-1)?.stage
          const shown = server && (stage === undefined ? server : { ...server, stage })
          expect(overlay.shown(1)).toEqual(shown)
          expect(overlay.snapshot(1)).toEqual(server)
          expect(overlay.operations(1)).toHaveLength(pending.length)
        }
      }),
      { numRuns: 500 },
    )
  })
})
