// The last lines of a run: the sums of each suite, the slowest files, the slowest tests, and what
// failed once more, for whoever sees only the end of a log. vitest.config.ts and .ci/run name this
// file as a reporter.
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/** A test file with its times in seconds. */
export interface FileTimes {
  /** Tests of the pages in a browser, or of the server and all else. */
  suite: string
  file: string
  /** All that the worker did for the file: the modules it loaded, the setup, tests and hooks. */
  seconds: number
  /** Those that ran. */
  tests: { title: string; seconds: number }[]
}

/** A test that failed, or a file that failed before its first test. */
export interface Failure {
  name: string
  messages: string[]
}

const slowestFiles = 10
const linesPerFailure = 12
const slowTestSeconds = 5

export default class TimesReporter implements Reporter {
  #start = 0
  /** The seconds in which the run started the database and built the web application. */
  #secondsBefore: number | undefined

  onInit(): void {
    this.#start = performance.now()
  }

  onTestModuleQueued(): void {
    this.#secondsBefore ??= (performance.now() - this.#start) / 1000
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    console.log(timesReport(modules.map(timesOf), this.#secondsBefore ?? 0))
    const failures = modules.flatMap(failuresOf)
    if (failures.length > 0) console.log(failuresReport(failures))
  }
}

/** The seconds of files that ran at the same time add up, so a sum may exceed the time of the run. */
export function timesReport(files: readonly FileTimes[], secondsBefore: number): string {
  const suites = Map.groupBy(files, ({ suite }) => suite)
  const slowest = files.toSorted((one, other) => other.seconds - one.seconds)
  const slowTests = files
    .flatMap(({ file, tests }) =>
      tests.map(({ title, seconds }) => ({ name: `${file} > ${title}`, seconds })),
    )
    .filter(({ seconds }) => seconds > slowTestSeconds)
    .toSorted((one, other) => other.seconds - one.seconds)
  return [
    `Before the first test file: ${secondsBefore.toFixed(1)} s`,
    'Suites: files, tests, seconds of work',
    ...[...suites].map(([suite, its]) => suiteLine(suite, its)),
    'Slowest files: seconds of work',
    ...slowest.slice(0, slowestFiles).map(({ file, seconds }) => timeLine(file, seconds)),
    `Tests over ${slowTestSeconds} s: ${slowTests.length}`,
    ...slowTests.map(({ name, seconds }) => timeLine(name, seconds)),
    '',
  ].join('\n')
}

/** Each failure with the first lines of what it says. */
export function failuresReport(failures: readonly Failure[]): string {
  return [
    `Failed: ${failures.length}`,
    ...failures.flatMap(({ name, messages }) => [
      `  ${name}`,
      ...messages
        .flatMap((message) => message.split('\n'))
        .slice(0, linesPerFailure)
        .map((line) => `    ${line}`),
    ]),
    '',
  ].join('\n')
}

function suiteLine(suite: string, files: readonly FileTimes[]): string {
  const tests = files.reduce((sum, file) => sum + file.tests.length, 0)
  const seconds = files.reduce((sum, file) => sum + file.seconds, 0)
  const counts = [files.length, tests].map((count) => String(count).padStart(6))
  return `  ${suite.padEnd(8)}${counts.join('')}${seconds.toFixed(1).padStart(9)}`
}

function timeLine(name: string, seconds: number): string {
  return `${seconds.toFixed(1).padStart(8)}  ${name}`
}

function timesOf(module: TestModule): FileTimes {
  const { environmentSetupDuration, prepareDuration, setupDuration, collectDuration, duration } =
    module.diagnostic()
  const milliseconds =
    environmentSetupDuration + prepareDuration + setupDuration + collectDuration + duration
  return {
    suite: module.relativeModuleId.startsWith('test/browser/') ? 'pages' : 'servers',
    file: module.relativeModuleId,
    seconds: milliseconds / 1000,
    tests: [...module.children.allTests()]
      .filter((test) => test.result().state !== 'skipped')
      .map((test) => ({
        title: test.fullName,
        seconds: (test.diagnostic()?.duration ?? 0) / 1000,
      })),
  }
}

function failuresOf(module: TestModule): Failure[] {
  const file = module.relativeModuleId
  const ofTests = [...module.children.allTests('failed')].map((test) => ({
    name: `${file} > ${test.fullName}`,
    messages: (test.result().errors ?? []).map(messageOf),
  }))
  const ofFile = module.errors()
  return [
    ...(ofFile.length > 0 ? [{ name: file, messages: ofFile.map(messageOf) }] : []),
    ...ofTests,
  ]
}

/** With the line of the source that failed, where it is known. */
function messageOf({ message, stacks = [] }: SerializedError): string {
  const [frame] = stacks
  return frame === undefined ? message : `${frame.file}:${frame.line}: ${message}`
}
