import { expect, test } from 'vitest'
import { finish, inOneStep, inTurns } from './turns.ts'
import type { Steps } from './turns.ts'

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

test('two works share the turns, and immediates of others run in between', async () => {
  const done: string[] = []
  const both = Promise.all([inTurns(busy('a', 4, done)), inTurns(busy('b', 4, done))])
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
  expect(await inTurns(busy('a', 3, []), spending)).toBe('a')
  expect(turns).toBeGreaterThan(2)
  const before = turns
  const failing = inOneStep(() => {
    throw new Error('a faulty body')
  })
  await expect(inTurns(failing, spending)).rejects.toThrow('a faulty body')
  expect(turns).toBeGreaterThan(before)
  expect(await inTurns(inOneStep(() => 'the next'))).toBe('the next')
})

test('without turns, the work is done at once', () => {
  expect(finish(busy('a', 2, []))).toBe('a')
})
