import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{server,bin,test,docs}/**/*.test.ts'],
    globalSetup: 'test/database.ts',
    pool: 'forks',
    // Most of a test is waiting for PostgreSQL, so two files at once cost little more than one, also on two cores.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
