import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContext, Logger, Page } from 'playwright-core'
import { afterEach, beforeAll } from 'vitest'
import { randomly, slowPages, stretched } from '../slow.ts'
import { chromiumPath } from './chromium-path.ts'

/** Without a sandbox: Chromium opens our own pages only, and root may not have one. */
const launchOptions = {
  executablePath: chromiumPath,
  args: [
    '--disable-gpu',
    '--disable-dev-shm-usage',
    // Chromium trusts loopback addresses, whatever serves there; a name it does not (lan.test.ts).
    '--host-resolver-rules=MAP kontor.lan 127.0.0.1',
  ],
}

/** What Playwright waits for an element or an address, in milliseconds, where a test names no time. */
const usualWaitMs = 30_000

function beginContext(context: BrowserContext): void {
  context.setDefaultTimeout(stretched(usualWaitMs))
  if (slowPages > 1) context.on('page', slowDown)
}

async function slowDown(page: Page): Promise<void> {
  // A page may be left before anything slows it down.
  const session = await page
    .context()
    .newCDPSession(page)
    .catch(() => undefined)
  if (!session) return
  while (!page.isClosed()) {
    const rate = 1 + randomly() ** 2 * (slowPages - 1)
    await session.send('Emulation.setCPUThrottlingRate', { rate }).catch(() => undefined)
    await setTimeout(100)
  }
}

/** The last calls of Playwright and what came of them, the oldest first. */
const calls: string[] = []

/** How many of them a test that fails tells. */
const toldCalls = 12

const logger: Logger = {
  isEnabled: (name) => name === 'api',
  log(_name, _severity, message) {
    calls.push(String(message))
    if (calls.length > toldCalls) calls.shift()
  },
}

/** A test that ran out of its time names no line: its last calls and the pages that stand open say where it was. */
function tellWhere(browser: Browser): void {
  const pages = browser.contexts().flatMap((context) => context.pages())
  console.error(
    ['The last calls:', ...calls, 'The pages:', ...pages.map((page) => page.url())].join('\n  '),
  )
}

/** The Chromium of this worker. It ends with the worker. */
let running: Promise<Browser> | undefined

async function launch(): Promise<Browser> {
  if (!existsSync(chromiumPath))
    throw new Error(
      `there is no Chromium at ${chromiumPath}: install Debian's package "chromium-headless-shell" or "chromium", or name another in the variable CHROMIUM`,
    )
  const browser = await chromium.launch({ ...launchOptions, logger })
  browser.on('context', beginContext)
  return browser
}

/** One Chromium for all files of a worker; each test has a context of its own. Another takes the place of one that died. */
export function useBrowser(): () => Browser {
  let browser: Browser | undefined
  beforeAll(async () => {
    const known = await running?.catch(() => undefined)
    if (!known?.isConnected()) running = launch()
    browser = await running
  })
  afterEach(({ task }) => {
    if (browser && task.result?.state === 'fail') tellWhere(browser)
  })
  return () => browser!
}
