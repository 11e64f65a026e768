import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

/** Without a sandbox: Chromium opens our own pages only, and root may not have one. */
export const launchOptions = {
  executablePath,
  args: ['--disable-gpu', '--disable-dev-shm-usage'],
}

/**
 * The most times that pages are slower than this machine, now more, now less, as on a machine that
 * has much to do. A test that passes only because a page was fast fails with 8 here.
 */
const slowPages = Number(process.env['SLOW_PAGES'] ?? 1)

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  while (!page.isClosed()) {
    const rate = 1 + Math.random() ** 2 * (slowPages - 1)
    await session.send('Emulation.setCPUThrottlingRate', { rate }).catch(() => undefined)
    await setTimeout(100)
  }
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
    if (slowPages > 1) browser.on('context', (context) => context.on('page', slowDown))
  })
  afterAll(() => browser?.close())
  return () => browser!
}
