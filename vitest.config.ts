import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{server,bin,test,docs}/**/*.test.ts'],
    globalSetup: 'test/database.ts',
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
