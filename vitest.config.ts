import { existsSync } from 'node:fs'
import { configDefaults, defineConfig } from 'vitest/config'

/** The pages are opened in a real browser if there is one. CI must have one. */
const hasBrowser =
  process.env['CI'] !== undefined || existsSync(process.env['CHROMIUM'] ?? '/usr/bin/chromium')

export default defineConfig({
  test: {
    include: ['{server,bin,test,docs}/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(hasBrowser ? [] : ['test/browser/**'])],
    globalSetup: 'test/database.ts',
    setupFiles: ['test/witness.ts'],
    pool: 'forks',
    // Most of a test is waiting for PostgreSQL. So two files at once cost little more than one,
    // even on two cores.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
