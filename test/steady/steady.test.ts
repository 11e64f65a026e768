// What npm run steady takes, in which order, what it keeps and says; and that nothing of it stays.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { isAlive } from '../../server/database/processes.ts'
import { openResults } from '../runs/results.ts'
import { chunksOf, keyOf, summaryOf, testFilesOf } from './plan.ts'
import type { Chunk, Ended } from './plan.ts'

const files = Array.from({ length: 30 }, (_, index) => `server/${index}.test.ts`)
const orderOf = (chunks: readonly Chunk[]) => chunks.flatMap((chunk) => chunk.files)

const ended = (chunk: Chunk, more: Partial<Ended> = {}): Ended => ({
  ...chunk,
  begun: 10,
  seconds: 1.5,
  failed: [],
  tests: [],
  ...more,
})

test('a suite has its own test files, of which names choose', () => {
  const all = [
    'bin/dev.test.ts',
    'docs/api/describe.ts',
    'server/a.test.ts',
    'test/a.test.ts',
    'test/browser/a.test.ts',
    'test/browser/application.ts',
    'web/a.test.ts',
  ]
  expect(testFilesOf(all, 'pages', [])).toEqual(['test/browser/a.test.ts'])
  expect(testFilesOf(all, 'servers', [])).toEqual([
    'bin/dev.test.ts',
    'server/a.test.ts',
    'test/a.test.ts',
  ])
  expect(testFilesOf(all, 'servers', ['bin/', 'test/a'])).toEqual([
    'bin/dev.test.ts',
    'test/a.test.ts',
  ])
})

test('each round takes every file once, in an order that its seed alone decides', () => {
  const [one, two] = [1, 2].map((round) =>
    orderOf(chunksOf(files, 'servers', 7, 2).filter((chunk) => chunk.round === round)),
  ) as [string[], string[]]
  for (const order of [one, two]) expect(order.toSorted()).toEqual(files.toSorted())
  expect(new Set([one, two, files].map(String)).size).toBe(3)
  expect(orderOf(chunksOf(files, 'servers', 8, 1))).toEqual(two)
  const without = files.slice(1)
  expect(orderOf(chunksOf(without, 'servers', 8, 1))).toEqual(
    two.filter((file) => without.includes(file)),
  )
})

test('a file of pages is a chunk, and a dozen of servers are one', () => {
  const sizes = (chunks: readonly Chunk[]) => chunks.map((chunk) => chunk.files.length)
  expect(sizes(chunksOf(files, 'servers', 7, 2))).toEqual([12, 12, 6, 12, 12, 6])
  expect(sizes(chunksOf(files.slice(0, 3), 'pages', 7, 1))).toEqual([1, 1, 1])
})

test('a run that was stopped leaves out what has ended, whether it passed or failed', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'kontor-steady-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [first, second, third] = chunksOf(files, 'servers', 7, 1) as [Chunk, Chunk, Chunk]
  const before = openResults<Ended>(folder)
  before.add(keyOf(second), ended(second))
  before.add(keyOf(third), ended(third, { output: '7-3.txt' }))
  const results = openResults<Ended>(folder)
  expect(chunksOf(files, 'servers', 7, 1).filter((chunk) => !results.has(keyOf(chunk)))).toEqual([
    first,
  ])
  expect(results.get(keyOf(third))).toEqual(ended(third, { output: '7-3.txt' }))
  const other = chunksOf(files, 'servers', 8, 1)
  expect(other.filter((chunk) => results.has(keyOf(chunk)))).toEqual([])
})

test('the summary has a line for each round, and of each failure the output and the way to see it again', () => {
  const chunks = [
    ended({ round: 1, seed: 7, number: 1, files: ['a.test.ts', 'b.test.ts'] }),
    ended(
      { round: 2, seed: 8, number: 1, files: ['b.test.ts', 'a.test.ts'] },
      {
        begun: 4,
        failed: [
          { file: 'a.test.ts', why: 'expected 1 to be 2' },
          { file: 'b.test.ts', why: 'no such module' },
        ],
        tests: [{ file: 'a.test.ts', title: 'one', why: 'expected 1 to be 2' }],
        output: 'cache/8-1.txt',
      },
    ),
  ]
  expect(summaryOf(chunks, ({ seed }) => `npm run steady -- --seed ${seed}`)).toBe(
    `    round     seed    files    tests   failed  seconds
        1        7        2       10        0      1.5
        2        8        2        4        2      1.5

FAILED  a.test.ts > one: expected 1 to be 2
FAILED  b.test.ts: no such module
  round 2, seed 8; its output: cache/8-1.txt
  again: npm run steady -- --seed 8`,
  )
})

test('busy processes end with the process that started them, even where that is killed', async () => {
  const start = `const { startBusy } = await import('./busy.ts')
    console.log(startBusy(2).map(({ pid }) => pid).join(' '))`
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', start], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [said] = (await parent.stdout.take(1).toArray()) as Buffer[]
  const busy = String(said).trim().split(' ').map(Number)
  expect(busy.filter(isAlive)).toHaveLength(2)
  parent.kill('SIGKILL')
  await vi.waitUntil(() => !busy.some(isAlive), { timeout: 10_000, interval: 10 })
})
