// npm run steady: shows that a suite is sure. `usage` below says how.
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { hasBrowser } from '../../vitest.config.ts'
import { filesOf } from '../repository.ts'
import { openDatabases } from '../runs/databases.ts'
import { digestOf } from '../runs/digest.ts'
import { beforeSignals, killGroup, removeFolder } from '../runs/ending.ts'
import { brokenOutcome } from '../runs/outcome.ts'
import type { Outcome } from '../runs/outcome.ts'
import { openResults } from '../runs/results.ts'
import { startBusy } from './busy.ts'
import { chunksOf, failuresOf, keyOf, suites, summaryOf, testFilesOf } from './plan.ts'
import type { Chunk, Ended, Suite, Weather } from './plan.ts'

const usage = `npm run steady -- [files or folders…] --suite servers|pages [options]
Runs a suite several times, each round in another order, and tells what failed. Without names it takes the whole suite.

  --suite servers|pages  the tests of test/browser, or all others
  --times N              rounds (1)
  --seed N               of the first round; each next one has the next seed (1)
  --busy N               processes beside the tests that keep a core busy each (0)
  --slow-pages N         Chromium is up to N times slower, now more, now less (1)
  --slow-answers MS      an answer to a page comes up to so many milliseconds later (0)
  --in-order             runs the named files, anew, in the order in which they are named, as one chunk
  --fresh                forgets what an earlier run of the same kept

A round goes in chunks: 12 files of servers, or one of pages, one after the other in a process. What came of each is kept in
node_modules/.cache/kontor-steady, with the output of those that failed. A run that was stopped goes on where it was when it is
called again, as long as its options and the files of the repository are the same; more rounds may be asked for then. Tests may
wait longer where something slows them down (test/slow.ts), so what fails is no matter of time.`

/** The time in which a file must end, whatever slows it; a test may keep one from ever ending. */
const longestFileMs = 30 * 60_000

const root = path.join(import.meta.dirname, '../..')
const { values, positionals } = readArguments()
const suite = values.suite as Suite
const [times, seed, busy, slowPages, slowAnswers] = [
  values.times,
  values.seed,
  values.busy,
  values['slow-pages'],
  values['slow-answers'],
].map(Number) as [number, number, number, number, number]
const weather: Weather = { busy, slowPages, slowAnswers }
const files = filesOf(root)
const chunks = chosenChunks()
if (
  chunks.length === 0 ||
  ![times, seed, busy, slowPages, slowAnswers].every((each) => Number.isInteger(each) && each >= 0)
) {
  console.error(`No test file of the suite is named so, or a number is none.\n\n${usage}`)
  process.exit(64)
}
if (suite === 'pages' && !hasBrowser) {
  console.error('The pages need Chromium.')
  process.exit(1)
}

const kept = path.join(root, 'node_modules/.cache/kontor-steady', `${suite}-${idOfRun()}`)
if (values.fresh || values['in-order']) rmSync(kept, { recursive: true, force: true })
const results = openResults<Ended>(kept)
// Its path is short, because sockets of PostgreSQL lie below those of tests.
const folder = mkdtempSync(path.join(tmpdir(), 'ks-'))
// PostgreSQL runs as another user when this runs as root.
chmodSync(folder, 0o755)
const databases = openDatabases(path.join(folder, 'data'), 'kontor steady')
const beside: ChildProcess[] = []
let running: ChildProcess | undefined
beforeSignals(() => {
  cleanUp()
  console.log('\nStopped. The same command goes on where this was.')
})
try {
  process.exitCode = await runAll()
} finally {
  cleanUp()
}

function cleanUp(): void {
  for (const child of beside) child.kill('SIGKILL')
  killGroup(running)
  databases.end()
  removeFolder(folder)
}

function readArguments() {
  try {
    const read = parseArgs({
      allowPositionals: true,
      options: {
        suite: { type: 'string', default: '' },
        times: { type: 'string', default: '1' },
        seed: { type: 'string', default: '1' },
        busy: { type: 'string', default: '0' },
        'slow-pages': { type: 'string', default: '1' },
        'slow-answers': { type: 'string', default: '0' },
        'in-order': { type: 'boolean', default: false },
        fresh: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
    if (read.values.help) {
      console.log(usage)
      process.exit(0)
    }
    if (!(suites as string[]).includes(read.values.suite)) throw new Error('Which suite?')
    return read
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`)
    process.exit(64)
  }
}

function chosenChunks(): Chunk[] {
  const chosen = testFilesOf(files, suite, positionals)
  if (!values['in-order']) return chunksOf(chosen, suite, seed, times)
  const isWhole = positionals.length > 0 && positionals.every((name) => chosen.includes(name))
  return isWhole ? [{ round: 1, seed, number: 1, files: positionals }] : []
}

/** Another one for other tests, other weather or other files of the repository; the rounds and their seeds have keys of their own. */
function idOfRun(): string {
  const texts = files.flatMap((file) => [file, readFileSync(path.join(root, file), 'utf8')])
  return digestOf(JSON.stringify([positionals, values['in-order'], weather]), ...texts)
}

/** Answers the exit code. */
async function runAll(): Promise<number> {
  const open = chunks.filter((chunk) => !results.has(keyOf(chunk)))
  if (open.length < chunks.length)
    console.log(`${chunks.length - open.length} of ${chunks.length} chunks ended in an earlier run`)
  if (open.length > 0) beside.push(...startBusy(busy))
  for (const chunk of open) {
    const ended = await runChunk(chunk)
    results.add(keyOf(chunk), ended)
    console.log(lineOf(ended))
  }
  const ended = chunks.map((chunk) => ({ ...results.get(keyOf(chunk))!, ...chunk }))
  console.log(`\n${summaryOf(ended, commandOf)}`)
  return ended.some(({ output }) => output !== undefined) ? 1 : 0
}

async function runChunk(chunk: Chunk): Promise<Ended> {
  const database = await databases.fresh('chunk')
  const began = performance.now()
  const output = path.join(kept, `${chunk.seed}-${chunk.number}.txt`)
  const temporary = path.join(folder, `${chunk.seed}-${chunk.number}`)
  mkdirSync(temporary)
  const { passed, ...outcome } = await outcomeOf(chunk, database, output, temporary)
  const seconds = (performance.now() - began) / 1000
  // Chromium, which ends a moment after its tests, still clears its own away.
  rmSync(temporary, { recursive: true, force: true, maxRetries: 10 })
  if (passed) rmSync(output)
  return { ...chunk, ...outcome, seconds, ...(!passed && { output: path.relative(root, output) }) }
}

/** What came of the files, whose output goes into a file. A process that ends without a word, or takes too long, failed. */
async function outcomeOf(
  chunk: Chunk,
  database: string,
  output: string,
  temporary: string,
): Promise<Outcome> {
  const log = openSync(output, 'w')
  const child = fork(path.join(import.meta.dirname, 'chunk.ts'), {
    cwd: root,
    env: {
      ...process.env,
      KONTOR_TEST_DATABASE: database,
      TMPDIR: temporary,
      SLOW_PAGES: String(slowPages),
      SLOW_ANSWERS: String(slowAnswers),
      SLOW_SEED: String(chunk.seed),
      BUSY: String(busy),
      // People read the output in a file.
      NO_COLOR: '1',
    },
    stdio: ['ignore', log, log, 'ipc'],
    // A group of its own: Ctrl-C reaches only this process, which ends the others in order.
    detached: true,
  })
  running = child
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const longest = longestFileMs * chunk.files.length
  const timer = setTimeout(() => {
    resolve(brokenOutcome(`the files did not end within ${longest / 60_000} minutes`))
    killGroup(child)
  }, longest)
  const end = () => resolve(brokenOutcome('the process of the tests ended without an answer'))
  child.once('message', resolve).once('exit', end).once('error', end)
  child.send(chunk.files)
  const outcome = await promise
  clearTimeout(timer)
  if (child.exitCode === null && child.signalCode === null)
    await new Promise((ended) => child.once('exit', ended))
  closeSync(log)
  return outcome
}

function lineOf(chunk: Ended): string {
  const inRound = chunks.filter(({ round }) => round === chunk.round).length
  const word = chunk.output === undefined ? 'passed' : 'FAILED'
  const names = chunk.files.length > 1 ? `${chunk.files.length} files` : chunk.files[0]
  const heading = `${word}  ${chunk.seconds.toFixed(1).padStart(6)} s  round ${chunk.round}, ${chunk.number} of ${inRound}: ${names}`
  return [heading, ...failuresOf(chunk).map((line) => `  ${line}`)].join('\n')
}

/** The command that runs a chunk again, with its order and its seed. */
function commandOf(chunk: Chunk): string {
  return [
    `npm run steady -- --suite ${suite} --seed ${chunk.seed} --in-order`,
    ...(busy > 0 ? [`--busy ${busy}`] : []),
    ...(slowPages > 1 ? [`--slow-pages ${slowPages}`] : []),
    ...(slowAnswers > 0 ? [`--slow-answers ${slowAnswers}`] : []),
    ...chunk.files,
  ].join(' ')
}
