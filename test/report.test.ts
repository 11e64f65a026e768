import { expect, test } from 'vitest'
import { failuresReport, timesReport } from './report.ts'
import type { FileTimes } from './report.ts'

const times = (suite: string, file: string, seconds: number, tests: FileTimes['tests'] = []) => ({
  suite,
  file,
  seconds,
  tests,
})

test('a run ends with the sums of its suites, its slowest files and its slowest tests', () => {
  const files = [
    times('servers', 'server/leads.test.ts', 12.34, [
      { title: 'a list', seconds: 5 },
      { title: 'a walk', seconds: 5.06 },
    ]),
    times('pages', 'test/browser/card.test.ts', 170, [{ title: 'a card', seconds: 31.4 }]),
    times('servers', 'test/broken.test.ts', 0.4),
  ]
  expect(timesReport(files, 3.21)).toBe(`Before the first test file: 3.2 s
Suites: files, tests, seconds of work
  servers      2     2     12.7
  pages        1     1    170.0
Slowest files: seconds of work
   170.0  test/browser/card.test.ts
    12.3  server/leads.test.ts
     0.4  test/broken.test.ts
Tests over 5 s: 2
    31.4  test/browser/card.test.ts > a card
     5.1  server/leads.test.ts > a walk
`)
})

test('of many files the ten slowest are named, all of them count', () => {
  const files = Array.from({ length: 12 }, (_, index) =>
    times('servers', `${index}.test.ts`, index),
  )
  const lines = timesReport(files, 0).split('\n')
  expect(lines[2]).toBe('  servers     12     0     66.0')
  const [first, last] = [
    lines.indexOf('Slowest files: seconds of work') + 1,
    lines.indexOf('Tests over 5 s: 0'),
  ]
  expect(lines.slice(first, last).map((line) => line.trim())).toEqual(
    [11, 10, 9, 8, 7, 6, 5, 4, 3, 2].map((index) => `${index}.0  ${index}.test.ts`),
  )
})

test('what failed is told once more at the end, each by its first lines', () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`)
  expect(
    failuresReport([
      { name: 'test/a.test.ts > a lead', messages: ['expected 1 to be 2'] },
      { name: 'test/b.test.ts', messages: [lines.join('\n')] },
    ]),
  ).toBe(
    [
      'Failed: 2',
      '  test/a.test.ts > a lead',
      '    expected 1 to be 2',
      '  test/b.test.ts',
      ...lines.slice(0, 12).map((line) => `    ${line}`),
      '',
    ].join('\n'),
  )
})
