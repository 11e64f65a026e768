// The tests as ever, on the database that KONTOR_TEST_DATABASE names instead of one that the run starts: a PostgreSQL takes longer to make
// than most test files take to run.
import { defineConfig } from 'vitest/config'
import base from '../../vitest.config.ts'

export default defineConfig({ ...base, test: { ...base.test, globalSetup: [] } })
