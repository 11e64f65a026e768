// The tables of faults fit the sources, and what npm run mutate chooses from them.
import path from 'node:path'
import { expect, test } from 'vitest'
import { groupsOf, kindOf, sampleOf, testsOf } from './plan.ts'
import { misfitsOf, plant, plantAll } from './sources.ts'

const root = path.join(import.meta.dirname, '../..')
const { mutants, misfits } = plantAll(root)

test('each fault of the tables has one place in the sources, and its tests are there', () => {
  expect(misfits).toEqual([])
})

const fault = (more: object = {}) => ({
  name: 'a-fault',
  find: 'a = 1',
  replace: 'a = 2',
  tests: ['package.json > "name"'],
  ...more,
})
const sources = new Map([
  ['server/a.ts', 'const a =\n    1\n'],
  ['server/b.ts', 'b = 1\nb = 1\n'],
])

test('a fault is planted whatever the white space, and what does not fit is said', () => {
  expect(plant(fault(), sources)).toEqual({ file: 'server/a.ts', text: 'const a = 2\n' })
  const wrong = [
    fault(),
    fault({ name: 'absent', find: 'c = 1' }),
    fault({ name: 'ambiguous', find: 'b = 1' }),
    fault({ name: 'same', replace: 'a = 1' }),
    fault({ name: 'untested', tests: [] }),
    fault({ name: 'untitled', tests: ['absent.test.ts', 'package.json > no such title'] }),
  ]
  expect(misfitsOf(root, wrong, sources)).toEqual([
    'absent: nowhere is "c = 1"',
    'ambiguous: in 2 places (server/b.ts:1, server/b.ts:2) is "b = 1"',
    'same: changes nothing',
    'untested: names no test',
    'untitled: there is no absent.test.ts',
    'untitled: package.json has no test "no such title"',
  ])
})

test('tests of one file are run together, and all of them where one fault names no title', () => {
  const [one, two, all] = [{ tests: ['a > x > y'] }, { tests: ['a > z', 'b'] }, { tests: ['a'] }]
  expect(testsOf(one, two)).toEqual([
    { file: 'a', titles: ['x > y', 'z'] },
    { file: 'b', titles: [] },
  ])
  expect(testsOf(one, all)).toEqual([{ file: 'a', titles: [] }])
  expect(groupsOf([two, one, all])).toEqual([[one, all], [two]])
})

test('a sample is the same for one commit, another for the next, and has a bit of everything', () => {
  const names = (seed: string) => sampleOf(mutants, seed, 100).map(({ name }) => name)
  expect(names('one')).toEqual(names('one'))
  expect(names('one')).not.toEqual(names('two'))
  for (const seed of ['one', 'two', 'three']) {
    const kinds = sampleOf(mutants, seed, 100).map(kindOf)
    expect(kinds).toEqual(expect.arrayContaining(['server', 'web']))
    expect(kinds.length).toBeGreaterThan(8)
    expect(kinds.length).toBeLessThan(50)
  }
})
