import { expect, test } from 'vitest'
import { finish, Gone, inOneStep, inTurns } from './turns.ts'
import type { Steps, TurnTaker } from './turns.ts'

/** Steps that take a little more than a turn each. */
function* busy(name: string, steps: number, done: string[]): Steps<string> {
  for (let step = 0; step < steps; step++) {
    const end = performance.now() + 1.2
    while (performance.now() < end);
    done.push(name)
    yield
  }
  return name
}

const takerOf = (caller: string, more: Partial<TurnTaker> = {}): TurnTaker => ({
  caller,
  spending: (turn) => turn(),
  isGone: () => false,
  ...more,
})

test('two works share the turns, and immediates of others run in between', async () => {
  const done: string[] = []
  const both = Promise.all([
    inTurns(busy('a', 4, done), takerOf('one')),
    inTurns(busy('b', 4, done), takerOf('one')),
  ])
  const other = () => {
    done.push('other')
    if (done.length < 16) setImmediate(other)
  }
  setImmediate(other)
  expect(await both).toEqual(['a', 'b'])
  expect(done.filter((each) => each !== 'other')).toEqual(['a', 'b', 'a', 'b', 'a', 'b', 'a', 'b'])
  expect(done.slice(0, 12).filter((each) => each === 'other').length).toBeGreaterThan(2)
})

test('the time of each turn is counted, the one that fails, too', async () => {
  let turns = 0
  const spending = (turn: () => void) => {
    turns++
    turn()
  }
  expect(await inTurns(busy('a', 3, []), takerOf('one', { spending }))).toBe('a')
  expect(turns).toBeGreaterThan(2)
  const before = turns
  const failing = inOneStep(() => {
    throw new Error('a faulty body')
  })
  await expect(inTurns(failing, takerOf('one', { spending }))).rejects.toThrow('a faulty body')
  expect(turns).toBeGreaterThan(before)
  expect(
    await inTurns(
      inOneStep(() => 'the next'),
      takerOf('one'),
    ),
  ).toBe('the next')
})

test('callers have their turns one after the other, however many works each of them has', async () => {
  const done: string[] = []
  const many = Array.from({ length: 5 }, () => inTurns(busy('many', 2, done), takerOf('many')))
  await inTurns(busy('few', 2, done), takerOf('few'))
  expect(done.filter((each) => each === 'many').length).toBeLessThanOrEqual(3)
  await Promise.all(many)
  expect(done).toHaveLength(12)
})

test('a work that nobody waits for ends at its next turn', async () => {
  const done: string[] = []
  const isGone = () => done.length === 1
  const gone = inTurns(busy('gone', 3, done), takerOf('one', { isGone }))
  const other = inTurns(busy('other', 1, []), takerOf('one'))
  await expect(gone).rejects.toThrow(Gone)
  expect(done).toEqual(['gone'])
  expect(await other).toBe('other')
})

test('without turns, the work is done at once', () => {
  expect(finish(busy('a', 2, []))).toBe('a')
})
