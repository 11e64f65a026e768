import { existsSync } from 'node:fs'
import { configDefaults, defineConfig } from 'vitest/config'
import { chromiumPath } from './test/browser/chromium-path.ts'
import LongestFirst from './test/order.ts'
import { stretched } from './test/slow.ts'

/** The pages are opened in a real browser where there is one; in CI there must be. */
export const hasBrowser = process.env['CI'] !== undefined || existsSync(chromiumPath)

export default defineConfig({
  test: {
    include: ['{server,bin,test,docs}/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(hasBrowser ? [] : ['test/browser/**'])],
    reporters: ['default', './test/report.ts'],
    globalSetup: ['test/database.ts', 'test/build.ts'],
    setupFiles: 'test/each-file.ts',
    pool: 'forks',
    // Two cores have three workers, which take the next file, whether it tests the server or the pages: a file of pages
    // waits for Chromium half of its time. With two workers a quarter of both cores was idle (bench/results/2026-11-suite.md).
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // The files of a worker share its modules, the server of the usual settings (test/server.ts) and Chromium: loading
    // them for each file took a fifth of the time. A test puts back what it changes in a module; a run in
    // random order shows one that does not (test/order.ts).
    isolate: false,
    // Node.js runs the TypeScript of the tests as it runs the server's: what is tested is what starts, and no
    // bundler transforms a thousand modules for each worker. Nothing here is mocked, so nothing needs the bundler.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    testTimeout: stretched(60_000),
    expect: { poll: { timeout: stretched(15_000) } },
    // Fixtures fill databases; what they take on a busy machine says nothing of the product.
    hookTimeout: stretched(240_000),
  },
})
