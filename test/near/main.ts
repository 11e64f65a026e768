// npm run near -- [commit] [--list]
// Runs the tests that the change since a commit can reach, and says why each. `--list` only says it.
// Without a commit, it is the one at which the branch left main. `npm run check -- --near` runs this.
import path from 'node:path'
import { parseArgs } from 'node:util'
import { createVitest } from 'vitest/node'
import { filesOf } from '../repository.ts'
import { readChangedFiles } from './changed.ts'
import { chooseTests } from './choose.ts'
import type { TestChoice } from './choose.ts'
import { readImports } from './imports.ts'
import { browserTests, ofMostPages } from './pages.ts'
import { readPlanRows } from './plans.ts'
import { readRoutes } from './routes.ts'

const root = path.join(import.meta.dirname, '../..')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { list: { type: 'boolean', default: false } },
})
const change = readChangedFiles(root, positionals[0])
const choice = await chooseFrom(change.files)
console.log(listed(choice))
process.exitCode = values.list || choice.tests.length === 0 ? 0 : await run(choice)

async function chooseFrom(changed: readonly string[]): Promise<TestChoice> {
  const files = new Set(filesOf(root))
  const isServer = changed.some((file) => file.startsWith('server/'))
  return chooseTests(changed, {
    files,
    imports: readImports(root, files),
    routes: isServer ? await readRoutes(root) : [],
    plans: isServer ? readPlanRows(root, files) : [],
    browserTests,
    ofMostPages,
  })
}

function listed({ tests, beyond }: TestChoice): string {
  const width = Math.max(...tests.map(({ file }) => file.length))
  return [
    `${change.files.length} files differ from ${change.commit}. They reach:`,
    ...tests.map(({ file, why }) => `  ${file.padEnd(width)}  ${why}`),
    ...(beyond.length > 0
      ? ['They reach more than this, so npm run check is needed too:']
      : ['What else they reach is for npm run check.']),
    ...beyond.map((sentence) => `  ${sentence}`),
    '',
  ].join('\n')
}

/** Answers the exit code. */
async function run({ tests }: TestChoice): Promise<number> {
  const vitest = await createVitest('test', { watch: false })
  await vitest.standalone()
  const project = vitest.getRootProject()
  const specifications = tests.map(({ file, only }) =>
    project.createSpecification(path.join(root, file), {
      ...(only && { testNamePattern: new RegExp(only.join('|')) }),
    }),
  )
  try {
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
    return unhandledErrors.length > 0 || testModules.some((module) => !module.ok()) ? 1 : 0
  } finally {
    await vitest.close()
  }
}
