// The order of the test files: the longest first, so that both workers end together.
import { statSync } from 'node:fs'
import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'

/**
 * The files that take longest, the longest first; the report at the end of a run says which they are now. The others
 * follow by their size.
 */
const longest: readonly string[] = []

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const weightOf = ({ moduleId }: TestSpecification) => {
      const rank = longest.findIndex((name) => moduleId.endsWith(`/${name}`))
      return rank < 0 ? statSync(moduleId).size : Number.MAX_SAFE_INTEGER - rank
    }
    return files.toSorted((one, other) => weightOf(other) - weightOf(one))
  }
}
