// What came of the tests of a run, as a reporter of vitest hears it.
import path from 'node:path'
import type { Reporter } from 'vitest/node'

/** The outcome of tests. Files are named by their paths below the repository. */
export interface Outcome {
  passed: boolean
  /** How many tests began. */
  begun: number
  /** The files that failed, and why. */
  failed: { file: string; why: string }[]
  /** The tests that failed; none where not even one began. */
  tests: { file: string; title: string; why: string }[]
}

/** The outcome where vitest itself failed. */
export function brokenOutcome(why: string): Outcome {
  return { passed: false, begun: 0, failed: [{ file: 'vitest', why }], tests: [] }
}

/** A reporter, and the outcome of the run that it heard last. */
export function hearOutcome(root: string): { reporter: Reporter; outcome: () => Outcome } {
  const begin = (): Outcome => ({ passed: false, begun: 0, failed: [], tests: [] })
  let outcome = begin()
  const fileOf = (id: string) => path.relative(root, id).replaceAll('\\', '/')
  const reporter: Reporter = {
    onTestRunStart() {
      outcome = begin()
    },
    onTestCaseResult(test) {
      const { state, errors } = test.result()
      if (state !== 'skipped') outcome.begun++
      if (state !== 'failed') return
      const file = fileOf(test.module.moduleId)
      outcome.tests.push({ file, title: test.fullName, why: firstLine(errors) })
    },
    onTestModuleEnd(module) {
      if (module.ok()) return
      const suites = [...module.children.allSuites()].flatMap((suite) => suite.errors())
      const tests = [...module.children.allTests()].flatMap((test) => test.result().errors ?? [])
      const why = firstLine([...module.errors(), ...suites, ...tests])
      outcome.failed.push({ file: fileOf(module.moduleId), why })
    },
    onTestRunEnd(_modules, errors, reason) {
      outcome.passed = reason === 'passed' && outcome.failed.length === 0 && outcome.begun > 0
      if (outcome.passed || outcome.failed.length > 0) return
      const why = errors.length > 0 ? firstLine(errors) : 'no test ran'
      outcome.failed.push({ file: 'vitest', why })
    },
  }
  return { reporter, outcome: () => outcome }
}

function firstLine(errors: readonly { message?: string }[] = []): string {
  const [first = ''] = errors
    .map(({ message = '' }) => message.trim())
    .filter((text) => text !== '')
  return first.split('\n', 1)[0]!.slice(0, 200)
}
