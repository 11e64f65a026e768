// The order of the test files: the longest first, so that all workers end together. With a seed
// (npm test -- --sequence.seed 7) it is a random one, the same for the same seed: the files of a
// worker share its modules, and no file may depend on what another has left in them.
import { statSync } from 'node:fs'
import path from 'node:path'
import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'
import { shuffled } from './runs/digest.ts'

/**
 * The files that take longest, the longest first; the report at the end of a run says which they are now. The others
 * follow by their size.
 */
const longest: readonly string[] = [
  'test/plans/plans.test.ts',
  'test/fuzz.test.ts',
  'test/plans/conversations.test.ts',
  'test/browser/card.test.ts',
  'test/browser/states.test.ts',
  'test/browser/screens.test.ts',
  'test/browser/feed.test.ts',
  'test/browser/rights.test.ts',
  'test/crash/crash.test.ts',
  'test/browser/settings-people.test.ts',
  'test/crash/chats.test.ts',
  'test/browser/bad-days.test.ts',
  'test/routes/records.test.ts',
  'test/routes/programs.test.ts',
  'test/routes/application.test.ts',
  'test/routes/conversations.test.ts',
  'test/routes/activity.test.ts',
  'test/routes/fields.test.ts',
  'test/routes/setup.test.ts',
  'server/database/embedded.test.ts',
  'test/browser/shell-create.test.ts',
  'test/browser/developers.test.ts',
  'test/browser/settings-personal.test.ts',
  'test/browser/settings-connect.test.ts',
  'test/browser/settings-programs.test.ts',
  'test/browser/card-journeys.test.ts',
  'test/browser/keyboard.test.ts',
  'test/browser/gallery.test.ts',
  'server/records/search/search.test.ts',
  'server/features/application/setup/setup.test.ts',
  'server/database/data-folder.test.ts',
  'server/commands/start.trouble.test.ts',
  'server/commands/start.test.ts',
  'test/hostile/hostile.test.ts',
  'test/crash/webhooks.test.ts',
  'test/documents/paste.test.ts',
]

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root, sequence } = this.ctx.config
    if (sequence.seed === undefined)
      return files.toSorted((one, other) => lengthOf(other.moduleId) - lengthOf(one.moduleId))
    return shuffled(files, String(sequence.seed), ({ moduleId }) => path.relative(root, moduleId))
  }
}

function lengthOf(file: string): number {
  const rank = longest.findIndex((name) => file.endsWith(`/${name}`))
  return rank < 0 ? statSync(file).size : Number.MAX_SAFE_INTEGER - rank
}
