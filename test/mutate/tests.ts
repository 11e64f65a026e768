// Runs tests in the copy that this file stands in, in one vitest for all faults: its start and what it made of the sources cost more than
// most tests do. Each run has a process of its own for the tests. copies.ts sends the runs, one at a time, and hears each outcome.
import { existsSync, renameSync } from 'node:fs'
import path from 'node:path'
import { build, loadConfigFromFile } from 'vite'
import type { Plugin } from 'vite'
import { createVitest } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'
import { idOfSources } from '../../server/web/build.ts'
import { literally } from '../literally.ts'
import { brokenOutcome, hearOutcome } from '../runs/outcome.ts'
import type { Outcome } from '../runs/outcome.ts'
import type { TestFile } from './plan.ts'

export interface Run {
  tests: TestFile[]
  /** Whether the tests go on after the first that fails. */
  isWhole: boolean
  /** The sources that have changed since the last run, below the repository. */
  changed: string[]
  database: string
  /** The folder for what the tests write. */
  temporary: string
}

const tree = path.join(import.meta.dirname, '../..')
const web = path.join(tree, 'web')

const { reporter, outcome } = hearOutcome(tree)

const vitest = await createVitest('test', {
  root: tree,
  config: path.join(import.meta.dirname, 'vitest.config.ts'),
  watch: false,
  maxWorkers: 1,
  reporters: [reporter],
})

process.on('message', (run: Run) => {
  void runTests(run).then((ended) => process.send!(ended))
})
process.once('disconnect', () => process.exit())

async function runTests({ tests, isWhole, changed, database, temporary }: Run): Promise<Outcome> {
  process.env['KONTOR_TEST_DATABASE'] = database
  process.env['TMPDIR'] = temporary
  for (const file of changed) vitest.invalidateFile(path.join(tree, file))
  for (const { config } of vitest.projects) config.bail = isWhole ? 0 : 1
  try {
    const specifications = await Promise.all(tests.map(specificationOf))
    // Every server serves the web application; below servers nothing needs it.
    if (tests.some(({ file }) => !file.startsWith('test/web'))) await ensureQuickBuild()
    await vitest.runTestSpecifications(specifications)
    return outcome()
  } catch (error) {
    return brokenOutcome(String(error))
  }
}

async function specificationOf({ file, titles }: TestFile): Promise<TestSpecification> {
  const found = (await vitest.globTestSpecifications([file])).find(
    ({ moduleId }) => path.relative(tree, moduleId).replaceAll('\\', '/') === file,
  )
  if (!found) throw new Error(`vitest finds no ${file}`)
  if (titles.length === 0) return found
  const testNamePattern = new RegExp(titles.map(literally).join('|'))
  return found.project.createSpecification(found.moduleId, { testNamePattern })
}

/** Builds the web application where its sources have changed. Compressing it takes three quarters of the time of a build, and is left out. */
async function ensureQuickBuild(): Promise<void> {
  const folder = path.join(web, 'dist', await idOfSources(false))
  if (existsSync(folder)) return
  const { NODE_ENV = 'test' } = process.env
  const { config } = (await loadConfigFromFile(
    { command: 'build', mode: 'production' },
    path.join(web, 'vite.config.ts'),
  ))!
  const plugins = (config.plugins ?? []).flat() as Plugin[]
  const draft = path.join(web, 'dist/.draft')
  try {
    await build({
      ...config,
      configFile: false,
      plugins: plugins.filter(({ name }) => name !== 'kontor-compressed'),
      build: { ...config.build, outDir: draft, emptyOutDir: true },
      logLevel: 'silent',
    })
    renameSync(draft, folder)
  } finally {
    // The configuration sets what the tests would see.
    process.env['NODE_ENV'] = NODE_ENV
  }
}
