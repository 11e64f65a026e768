// npm run mutate -- [fault…] [--sample] [--check] [--again] [--why] [--workers N] [--results folder]
// Plants faults (faults/), one at a time, in copies of the working tree, and shows that the tests named beside each
// notice it. A fault that survives says that something may break unheard. Faults that were caught are kept and not planted again until
// their source or their tests change, so a run that was stopped goes on where it was; `--again` plants them all the same. `--sample`
// plants a few, others for each commit. `--check` only looks whether the tables fit the sources; `--why` adds what the failing test said.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { hasBrowser } from '../../vitest.config.ts'
import { filesOf } from '../repository.ts'
import { openDatabases } from '../runs/databases.ts'
import { digestOf } from '../runs/digest.ts'
import { beforeSignals, removeFolder } from '../runs/ending.ts'
import type { Outcome } from '../runs/outcome.ts'
import { openResults } from '../runs/results.ts'
import { openCopy } from './copies.ts'
import type { Copy } from './copies.ts'
import { groupsOf, kindOf, sampleOf, testsOf } from './plan.ts'
import type { TestFile } from './plan.ts'
import { plantAll } from './sources.ts'
import type { Mutant } from './sources.ts'

/** The seconds of processor time that a sample takes, about, and the milliseconds after which it begins nothing more. */
const [sampleSeconds, sampleMs] = [80, 70_000]

const root = path.join(import.meta.dirname, '../..')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    again: { type: 'boolean', default: false },
    why: { type: 'boolean', default: false },
    workers: { type: 'string', default: '2' },
    results: { type: 'string', default: path.join(root, 'node_modules/.cache/kontor-mutate') },
  },
})
const workers = Number(values.workers)
const { mutants, misfits } = plantAll(root)
if (misfits.length > 0) {
  console.error(
    `The tables of faults do not fit the sources:\n${misfits.map((line) => `  ${line}`).join('\n')}`,
  )
  process.exit(1)
}
const unknown = positionals.find((name) => !mutants.some((mutant) => mutant.name === name))
if (unknown !== undefined || !Number.isInteger(workers) || workers < 1) {
  console.error(
    `usage: npm run mutate -- [fault…] [--sample] [--check] [--again] [--why] [--workers N] [--results folder]
faults: ${mutants.map(({ name }) => name).join(', ')}`,
  )
  process.exit(64)
}
if (values.check) {
  console.log(`${mutants.length} faults, each in one place`)
  process.exit(0)
}

let tree: string | undefined
const start = performance.now()
const files = filesOf(root)
const textOf = (file: string): string => readFileSync(path.join(root, file), 'utf8')
/** Only good ones are kept: a fault that survived is planted again, whatever has changed. */
const results = openResults<{ caught?: string; by?: string | undefined; passes?: string }>(
  values.results,
)
const folder = mkdtempSync(path.join(tmpdir(), 'kontor-mutate-'))
// PostgreSQL runs as another user when this runs as root.
chmodSync(folder, 0o755)
const databases = openDatabases(path.join(folder, 'data'), 'kontor mutate')
const copies: Copy[] = []
beforeSignals(cleanUp)
try {
  process.exitCode = await mutate()
} finally {
  cleanUp()
}

function cleanUp(): void {
  for (const copy of copies) copy.end()
  databases.end()
  removeFolder(folder)
}

async function mutate(): Promise<number> {
  const able = hasBrowser ? mutants : mutants.filter((mutant) => kindOf(mutant) !== 'page')
  if (able.length < mutants.length)
    console.log(`${mutants.length - able.length} faults need Chromium and are left out`)
  if (values.sample) return plantSample(sampleOf(able, seedOf(root), sampleSeconds))
  const chosen =
    positionals.length === 0 ? able : able.filter(({ name }) => positionals.includes(name))
  const open = chosen.filter((mutant) => !isKept(keyOf(mutant)))
  if (open.length < chosen.length)
    console.log(`${chosen.length - open.length} faults were caught by an earlier run`)
  const groups = groupsOf(open)
  const bad: string[] = []
  await inCopies(groups.length, async (copy) => {
    for (let group = groups.shift(); group; group = groups.shift())
      bad.push(...(await judgeGroup(copy, group)))
  })
  return tally(chosen.length, bad)
}

/** A check comes to its sample after all tests, so these are not run without a fault before, and nothing is kept. */
async function plantSample(sample: Mutant[]): Promise<number> {
  const left = [...sample]
  const bad: string[] = []
  await inCopies(left.length, async (copy) => {
    while (left.length > 0 && performance.now() - start < sampleMs) {
      const { fault } = await judge(copy, left.shift()!)
      if (fault !== undefined) bad.push(fault)
    }
  })
  if (left.length > 0) console.log(`${left.length} more are left out, since this takes long`)
  return tally(sample.length - left.length, bad)
}

function tally(count: number, bad: string[]): number {
  const words = `${count - bad.length} caught, ${bad.length} not`
  console.log(`${count} faults: ${words}, in ${seconds(start).trim()} s`)
  for (const line of bad) console.log(`  ${line}`)
  return bad.length > 0 ? 1 : 0
}

/** The commit; where there is no git, the day. */
function seedOf(folder: string): string {
  const { stdout, status } = spawnSync('git', ['rev-parse', 'HEAD'], {
    cwd: folder,
    encoding: 'utf8',
  })
  return status === 0 ? stdout.trim() : new Date().toISOString().slice(0, 10)
}

function isKept(key: string): boolean {
  return !values.again && results.has(key)
}

/** As many copies at work as there are workers, and something to do. */
async function inCopies(tasks: number, work: (copy: Copy) => Promise<void>): Promise<void> {
  for (let at = 1; at <= Math.min(workers, tasks); at++)
    copies.push(openCopy(root, files, path.join(folder, String(at)), databases))
  await Promise.all(copies.map(work))
}

/** Plants each fault of a group. Answers a line for each that is not caught. */
async function judgeGroup(copy: Copy, group: readonly Mutant[]): Promise<string[]> {
  const failures = await failuresWithout(copy, group)
  for (const { file, why } of failures) console.log(`FAILS WITHOUT A FAULT  ${file}: ${why}`)
  if (failures.length > 0) return group.map(({ name }) => `${name}: its tests fail without it`)
  const bad: string[] = []
  for (const mutant of group) {
    const { fault, by } = await judge(copy, mutant)
    if (fault === undefined) results.add(keyOf(mutant), { caught: mutant.name, by })
    else bad.push(fault)
  }
  return bad
}

/** A test that fails by itself would catch everything. One that fails on a busy machine has a second try. */
async function failuresWithout(copy: Copy, group: readonly Mutant[]): Promise<Outcome['failed']> {
  const began = performance.now()
  const unproved = testsOf(...group).filter((tests) => !keysOf(tests).every(isKept))
  if (unproved.length === 0) return []
  const first = await copy.run(unproved)
  const { passed, failed } = first.passed ? first : await copy.run(unproved)
  if (!passed) return failed
  const names = unproved.map(({ file }) => file).join(', ')
  for (const tests of unproved)
    for (const key of keysOf(tests)) results.add(key, { passes: tests.file })
  console.log(`passes  ${seconds(began)} s  ${names}`)
  return []
}

/** The test that caught a fault, or what is at fault with it. Where no test began, the machine may be, so there is a second try. */
async function judge(copy: Copy, mutant: Mutant): Promise<{ fault?: string; by?: string }> {
  const { name, planted } = mutant
  const began = performance.now()
  const isBroken = ({ passed, tests }: Outcome) => !passed && tests.length === 0
  const first = await copy.run(testsOf(mutant), planted)
  const outcome = isBroken(first) ? await copy.run(testsOf(mutant), planted) : first
  const word = outcome.passed ? 'SURVIVED' : isBroken(outcome) ? 'BROKEN  ' : 'caught  '
  const [caught] = outcome.tests
  const reason = values.why && caught ? `  ${caught.title}: ${caught.why}` : ''
  console.log(`${word}${seconds(began)} s  ${name}${reason}`)
  if (caught) return { by: caught.title }
  const why = outcome.passed ? 'survived' : `kept tests from beginning: ${outcome.failed[0]?.why}`
  return { fault: `${name}: ${why}` }
}

/** The key of a verdict, which depends on the source with its fault and on the tests, as far as anybody can say. */
function keyOf(mutant: Mutant): string {
  const { planted, tests } = mutant
  const texts = testsOf(mutant).map(({ file }) => textOf(file))
  return digestOf(planted.file, planted.text, JSON.stringify(tests), ...texts)
}

/** Whether tests pass without a fault depends on everything. */
function keysOf({ file, titles }: TestFile): string[] {
  tree ??= digestOf(...files.flatMap((each) => [each, textOf(each)]))
  return (titles.length > 0 ? titles : ['']).map((title) => digestOf(tree!, file, title))
}

function seconds(from: number): string {
  return ((performance.now() - from) / 1000).toFixed(1).padStart(6)
}
