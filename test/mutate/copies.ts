// Copies of the working tree, in which faults are planted and tests run. Everything that a copy or a test leaves lies below its folder.
import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import {
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { openDatabases } from './databases.ts'
import type { Planted } from './sources.ts'

export interface Copy {
  /** Runs test files, with a fault or without. */
  run(tests: readonly string[], planted?: Planted): Promise<Outcome>
  /** Ends what is running, and the database, at once. */
  end(): void
}

/** The outcome of test files. */
export interface Outcome {
  passed: boolean
  /** The files that failed, and why. */
  failed: { file: string; why: string }[]
  /** The tests that failed; none where not even one began. */
  tests: { title: string; why: string }[]
}

/** The time a run may take, and more for each test file; a fault may keep one from ever ending. */
const [patienceMs, patiencePerFileMs] = [180_000, 60_000]

/** Copies what git knows, and what it would, into a folder of its own; the packages are linked, one by one. */
export function openCopy(root: string, folder: string): Copy {
  const tree = path.join(folder, 'tree')
  const temporary = path.join(folder, 'tmp')
  const report = path.join(folder, 'report.json')
  for (const file of filesOf(root))
    cpSync(path.join(root, file), path.join(tree, file), { verbatimSymlinks: true })
  mkdirSync(path.join(tree, 'node_modules'))
  for (const name of readdirSync(path.join(root, 'node_modules')))
    // The caches of tools there belong to this copy.
    if (!['.cache', '.vite', '.vite-temp'].includes(name))
      symlinkSync(path.join(root, 'node_modules', name), path.join(tree, 'node_modules', name))
  const databases = openDatabases(path.join(folder, 'data'))
  let running: ChildProcess | undefined

  async function run(tests: readonly string[], isWhole: boolean): Promise<Outcome> {
    mkdirSync(temporary)
    const vitest = [
      'run',
      '--root',
      '.',
      '--config',
      'test/mutate/vitest.config.ts',
      '--maxWorkers',
      '1',
    ]
    const told = ['--bail', isWhole ? '0' : '1', '--reporter=json', `--outputFile=${report}`]
    running = spawn(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', ...vitest, ...told, ...tests],
      {
        cwd: tree,
        env: { ...process.env, TMPDIR: temporary, KONTOR_TEST_DATABASE: await databases.fresh() },
        stdio: ['ignore', 'ignore', 'pipe'],
        // A group of its own: Ctrl-C reaches only this process, which ends the others in order.
        detached: true,
      },
    )
    try {
      const { code, words } = await endOf(running, patienceMs + tests.length * patiencePerFileMs)
      return outcomeOf(tree, report, code, words)
    } finally {
      killGroup(running)
      for (const leftover of [temporary, report])
        rmSync(leftover, { recursive: true, force: true, maxRetries: 10 })
    }
  }

  return {
    async run(tests, planted) {
      if (!planted) return run(tests, true)
      const target = path.join(tree, planted.file)
      const whole = readFileSync(target)
      writeFileSync(target, planted.text)
      return run(tests, false).finally(() => writeFileSync(target, whole))
    },
    end() {
      killGroup(running)
      databases.end()
    },
  }
}

/** The packages may be a link, which git takes for a file. */
function filesOf(root: string): string[] {
  const { stdout, status } = spawnSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    },
  )
  if (status !== 0) throw new Error('git does not say which files there are')
  const names = [...new Set(stdout.split('\0'))].filter(
    (name) => name !== '' && name !== 'node_modules',
  )
  return names.filter(
    (name) => lstatSync(path.join(root, name), { throwIfNoEntry: false }) !== undefined,
  )
}

async function endOf(
  child: ChildProcess,
  ms: number,
): Promise<{ code: number | null; words: string }> {
  let words = ''
  child
    .stderr!.setEncoding('utf8')
    .on('data', (text: string) => (words = (words + text).slice(-4000)))
  const timer = setTimeout(() => {
    words += `\nIt did not end within ${ms / 60_000} minutes.`
    killGroup(child)
  }, ms)
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('exit', resolve).once('error', reject),
  )
  clearTimeout(timer)
  return { code, words }
}

interface Report {
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[]
  }[]
}

function outcomeOf(tree: string, report: string, code: number | null, words: string): Outcome {
  const results = resultsIn(report)
  if (code === 0 && results.length > 0) return { passed: true, failed: [], tests: [] }
  const bad = results.filter(({ status }) => status === 'failed')
  const tests = bad.flatMap(({ assertionResults }) =>
    assertionResults.flatMap(({ fullName, status, failureMessages }) =>
      status === 'failed'
        ? [{ title: fullName.trim(), why: firstLine(failureMessages.join('\n')) }]
        : [],
    ),
  )
  const failed = bad.map(({ name, message, assertionResults }) => {
    const said = assertionResults.flatMap(({ failureMessages }) => failureMessages).join('\n')
    return {
      file: path.relative(tree, name).replaceAll('\\', '/'),
      why: firstLine(message || said),
    }
  })
  return {
    passed: false,
    failed: failed.length > 0 ? failed : [{ file: 'vitest', why: firstLine(words) }],
    tests,
  }
}

/** None where vitest did not come so far. */
function resultsIn(report: string): Report['testResults'] {
  try {
    return (JSON.parse(readFileSync(report, 'utf8')) as Report).testResults
  } catch {
    return []
  }
}

function firstLine(text: string): string {
  return (text.trim().split('\n', 1)[0] ?? '').slice(0, 200)
}

function killGroup(child: ChildProcess | undefined): void {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL')
  } catch {
    // It has just ended.
  }
}
