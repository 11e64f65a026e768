// npm run mutate -- [fault…] [--workers N] [--check] [--why]
// Plants faults (faults.ts), one at a time, in copies of the working tree, and shows that the tests named beside each notice it. A fault
// that survives says that something may break unheard. `--check` only looks whether the table fits the sources; `--why` adds what the
// failing test said.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { openCopy } from './copies.ts'
import type { Copy } from './copies.ts'
import { faults } from './faults.ts'
import type { Fault } from './faults.ts'
import { plant, readSources, wrongWith } from './sources.ts'

const root = path.join(import.meta.dirname, '../..')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    workers: { type: 'string', default: '2' },
    check: { type: 'boolean', default: false },
    why: { type: 'boolean', default: false },
  },
})
const workers = Number(values.workers)
const unknown = positionals.find((name) => !faults.some((fault) => fault.name === name))
if (unknown !== undefined || !Number.isInteger(workers) || workers < 1) {
  console.error(`usage: npm run mutate -- [fault…] [--workers N] [--check] [--why]
faults: ${faults.map(({ name }) => name).join(', ')}`)
  process.exit(64)
}

const sources = readSources(root)
const wrong = wrongWith(root, faults, sources)
if (wrong.length > 0) {
  console.error(
    `The table of faults does not fit the sources:\n${wrong.map((line) => `  ${line}`).join('\n')}`,
  )
  process.exit(1)
}
if (values.check) {
  console.log(`${faults.length} faults, each in one place`)
  process.exit(0)
}

const folder = mkdtempSync(path.join(tmpdir(), 'kontor-mutate-'))
// PostgreSQL runs as another user when this runs as root.
chmodSync(folder, 0o755)
const copies: Copy[] = []
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)
  process.once(signal, () => {
    cleanUp()
    process.exit(code)
  })
try {
  process.exitCode = await mutate()
} finally {
  cleanUp()
}

function cleanUp(): void {
  for (const copy of copies) copy.end()
  // Databases that were just told to end may still write.
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}

async function mutate(): Promise<number> {
  const chosen =
    positionals.length === 0 ? faults : faults.filter(({ name }) => positionals.includes(name))
  const numbers = Array.from({ length: Math.min(workers, chosen.length) }, (_, place) =>
    String(place + 1),
  )
  for (const number of numbers) copies.push(openCopy(root, path.join(folder, number)))
  if (!(await passWithout(chosen))) return 1

  const counts = { caught: 0, survived: 0, broken: 0 }
  const rest = [...chosen]
  await each(async (copy) => {
    for (let fault = rest.shift(); fault; fault = rest.shift()) counts[await judge(copy, fault)]++
  })
  const broken = counts.broken > 0 ? `, ${counts.broken} kept the tests from beginning` : ''
  console.log(`${counts.caught} caught, ${counts.survived} survived${broken}`)
  return counts.survived + counts.broken > 0 ? 1 : 0
}

/** A test that fails by itself would catch everything. One that fails beside others, on a busy machine, has a second try alone. */
async function passWithout(chosen: readonly Fault[]): Promise<boolean> {
  const files = [...new Set(chosen.flatMap(({ tests }) => tests))]
  const start = performance.now()
  const failed: { file: string; why: string }[] = []
  await each(async (copy, place) => {
    const own = files.filter((_, at) => at % copies.length === place)
    if (own.length === 0) return
    for (const { file } of (await copy.run(own)).failed)
      failed.push(...(await copy.run([file])).failed)
  })
  if (failed.length > 0)
    console.error(
      `Tests fail without any fault:\n${failed.map(({ file, why }) => `  ${file}: ${why}`).join('\n')}`,
    )
  else console.log(`${files.length} test files pass without a fault${spent(start)} s`)
  return failed.length === 0
}

async function judge(copy: Copy, fault: Fault): Promise<'caught' | 'survived' | 'broken'> {
  const start = performance.now()
  const { passed, failed, tests } = await copy.run(fault.tests, plant(fault, sources))
  const verdict = passed ? 'survived' : tests.length > 0 ? 'caught' : 'broken'
  const word = { caught: 'caught', survived: 'SURVIVED', broken: 'BROKEN' }[verdict]
  const [told] =
    tests.length > 0
      ? tests.map(({ title, why }) => `  ${title}: ${why}`)
      : failed.map(({ why }) => `  ${why}`)
  console.log(
    `${word.padEnd(8)}${spent(start)} s  ${fault.name}${(values.why || verdict === 'broken') && told ? told : ''}`,
  )
  return verdict
}

/** All copies at work at the same time. */
async function each(work: (copy: Copy, place: number) => Promise<void>): Promise<void> {
  await Promise.all(copies.map(work))
}

function spent(start: number): string {
  return ((performance.now() - start) / 1000).toFixed(1).padStart(7)
}
