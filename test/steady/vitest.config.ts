// The tests as ever, but in the order that the run asks for, and on the database that KONTOR_TEST_DATABASE names: one PostgreSQL serves
// all chunks, since another takes longer to make than many of them take to run.
import { defineConfig } from 'vitest/config'
import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'
import base from '../../vitest.config.ts'

class AsListed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files
  }
}

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    globalSetup: ['test/build.ts'],
    sequence: { sequencer: AsListed },
    // Files that share a worker run in the order of the run, and the same again.
    maxWorkers: 1,
  },
})
