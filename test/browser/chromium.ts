import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

/** Without a sandbox: Chromium opens our own pages only, and root may not have one. */
export const launchOptions = {
  executablePath,
  args: ['--disable-gpu', '--disable-dev-shm-usage'],
}

/** One Chromium for the tests of a file. */
export function useBrowser(): () => Browser {
  let browser: Browser | undefined
  beforeAll(async () => {
    if (!existsSync(executablePath))
      throw new Error(
        `there is no Chromium at ${executablePath}: install Debian's package "chromium", or name another in the variable CHROMIUM`,
      )
    browser = await chromium.launch(launchOptions)
  })
  afterAll(() => browser?.close())
  return () => browser!
}
