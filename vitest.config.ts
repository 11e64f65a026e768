import { existsSync } from 'node:fs'
import { configDefaults, defineConfig } from 'vitest/config'
import { chromiumPath } from './test/browser/chromium-path.ts'

/** The pages are opened in a real browser where there is one; in CI there must be. */
const hasBrowser = process.env['CI'] !== undefined || existsSync(chromiumPath)

/** Of the tests of both projects. */
const shared = {
  setupFiles: 'test/each-file.ts',
  pool: 'forks',
  // The files of a worker share its modules and the server of the usual settings (test/server.ts):
  // loading both for each file took a fifth of the time. A test puts back what it changes in a module.
  isolate: false,
  // Node.js runs the TypeScript of the tests as it runs the server's: what is tested is what starts, and no
  // bundler transforms a thousand modules for each worker. Nothing here is mocked, so nothing needs the bundler.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  testTimeout: 60_000,
  expect: { poll: { timeout: 15_000 } },
  hookTimeout: 60_000,
} as const

export default defineConfig({
  test: {
    reporters: ['default', './test/report.ts'],
    // Once for both projects: one that extends this configuration would have a database of its own.
    globalSetup: ['test/database.ts', 'test/build.ts'],
    projects: [
      {
        test: {
          ...shared,
          name: 'servers',
          include: ['{server,bin,test,docs}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, 'test/browser/**'],
          // Most of a test is waiting for PostgreSQL, so two files at once cost little more than one, also on two cores.
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: 'pages',
          include: hasBrowser ? ['test/browser/**/*.test.ts'] : [],
          // Chromium, the server and PostgreSQL are busy at once: a second file would make both slower.
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
