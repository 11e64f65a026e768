// Runs the test files of one chunk, one after the other in the order in which they are sent, and answers their outcome. main.ts starts
// it, and hears in its output all that vitest says.
import path from 'node:path'
import { createVitest } from 'vitest/node'
import { brokenOutcome, hearOutcome } from '../runs/outcome.ts'
import type { Outcome } from '../runs/outcome.ts'

const root = path.join(import.meta.dirname, '../..')

process.once('disconnect', () => process.exit())
process.once('message', (files: readonly string[]) => {
  void runFiles(files).then((outcome) => process.send!(outcome, () => process.exit()))
})

async function runFiles(files: readonly string[]): Promise<Outcome> {
  try {
    const { reporter, outcome } = hearOutcome(root)
    const vitest = await createVitest('test', {
      root,
      config: path.join(import.meta.dirname, 'vitest.config.ts'),
      watch: false,
      reporters: ['default', reporter],
    })
    await vitest.standalone()
    const project = vitest.getRootProject()
    const specifications = files.map((file) => project.createSpecification(path.join(root, file)))
    await vitest.runTestSpecifications(specifications)
    await vitest.close()
    return outcome()
  } catch (error) {
    console.error(error)
    return brokenOutcome(String(error))
  }
}
