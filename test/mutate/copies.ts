// Copies of the working tree, in which faults are planted and tests run. Everything that a copy or a test leaves lies below its folder.
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import type { Databases } from '../runs/databases.ts'
import { killGroup } from '../runs/ending.ts'
import { brokenOutcome } from '../runs/outcome.ts'
import type { Outcome } from '../runs/outcome.ts'
import type { TestFile } from './plan.ts'
import type { Planted } from './sources.ts'
import type { Run } from './tests.ts'

export interface Copy {
  /** Runs tests, with a fault until the first of them fails, or without a fault to the end. */
  run(tests: readonly TestFile[], planted?: Planted): Promise<Outcome>
  /** Ends what is running at once. */
  end(): void
}

/** The time a run may take, and more for each test file; a fault may keep one from ever ending. */
const [patienceMs, patiencePerFileMs] = [180_000, 60_000]

/** Copies these files into a folder of its own; the packages are linked, one by one. */
export function openCopy(
  root: string,
  files: readonly string[],
  folder: string,
  databases: Databases,
): Copy {
  const tree = path.join(folder, 'tree')
  for (const file of files)
    cpSync(path.join(root, file), path.join(tree, file), { verbatimSymlinks: true })
  mkdirSync(path.join(tree, 'node_modules/.cache'), { recursive: true })
  for (const name of readdirSync(path.join(root, 'node_modules')))
    // The caches of tools there belong to this copy.
    if (!['.cache', '.vite', '.vite-temp'].includes(name))
      symlinkSync(path.join(root, 'node_modules', name), path.join(tree, 'node_modules', name))
  const database = `copy_${path.basename(folder)}`
  let suite: ChildProcess | undefined
  /** The source that the last run changed. */
  let last: string | undefined
  let runs = 0

  async function run(tests: readonly TestFile[], planted?: Planted): Promise<Outcome> {
    // Another one for each run: Chromium, which ends a moment after its tests, still clears its own away.
    const temporary = path.join(folder, `run-${++runs}`)
    mkdirSync(temporary)
    suite ??= startSuite(tree)
    const present = suite
    const changed = [last, planted?.file].filter((file) => file !== undefined)
    last = planted?.file
    try {
      return await outcomeOf(
        present,
        {
          tests: [...tests],
          isWhole: !planted,
          changed,
          database: await databases.fresh(database),
          temporary,
        },
        patienceMs + tests.length * patiencePerFileMs,
      )
    } finally {
      if (present.exitCode !== null || present.signalCode !== null) suite = undefined
      rmSync(temporary, { recursive: true, force: true, maxRetries: 10 })
    }
  }

  return {
    async run(tests, planted) {
      if (!planted) return run(tests)
      const target = path.join(tree, planted.file)
      const whole = readFileSync(target)
      writeFileSync(target, planted.text)
      return run(tests, planted).finally(() => writeFileSync(target, whole))
    },
    end: () => killGroup(suite),
  }
}

function startSuite(tree: string): ChildProcess {
  const cache = path.join(tree, 'node_modules/.cache')
  return fork('test/mutate/tests.ts', {
    cwd: tree,
    env: { ...process.env, TMPDIR: cache, NODE_COMPILE_CACHE: path.join(cache, 'node') },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // A group of its own: Ctrl-C reaches only this process, which ends the others in order.
    detached: true,
  })
}

/** The suite's answer; its last words where the suite ends without one, or is ended because none comes in time. */
async function outcomeOf(suite: ChildProcess, run: Run, ms: number): Promise<Outcome> {
  let words = ''
  const listen = (text: string) => void (words = (words + text).slice(-4000))
  const timer = setTimeout(() => {
    words = `The tests did not end within ${ms / 60_000} minutes.`
    killGroup(suite)
  }, ms)
  suite.stderr!.setEncoding('utf8').on('data', listen)
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const end = () => resolve(brokenOutcome(words.trim().split('\n').at(-1)!.slice(0, 200)))
  suite.once('message', resolve).once('exit', end).once('error', end)
  suite.send(run)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    suite.stderr!.off('data', listen)
    suite.off('message', resolve).off('exit', end).off('error', end)
  }
}
