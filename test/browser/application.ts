// Opens the web application in Chromium as a user sees it. A page error, an error on the console, a
// violation of the page's policy and a failed request fail the test.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import type { RightsDraft } from '../../server/access/rights.ts'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { signIn } from '../session.ts'
import { slowPages } from '../slow.ts'
import { rest } from './rest.ts'

export interface Opened {
  account: TestAccount
  context: BrowserContext
  page: Page
  email: string
  password: string
  /** Faults that the test expects and has looked at leave here. */
  faults: string[]
}

interface Person {
  account?: TestAccount
  name?: string
  is_admin?: boolean
  language?: string
  rights?: RightsDraft
}

const password = 'correct horse'

/** A signed-in user at `path`, whose page is at rest; by default an administrator of a new account. */
export async function openApplication(
  browser: Browser,
  path = '/home',
  { account, ...person }: Person = {},
  options: BrowserContextOptions = {},
): Promise<Opened> {
  const at = account ?? (await newAccount())
  const email = `${crypto.randomUUID()}@example.com`
  await at.addUser({ name: 'Ann Lee', is_admin: true, ...person, email, password })
  const { cookie } = await signIn(at.kontor, { email, password })
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
  onTestFinished(() => context.close())
  const [name, value] = cookie.split('=', 2)
  await context.addCookies([{ name: name!, value: value!, url: at.kontor.url }])
  const page = await context.newPage()
  const faults = watch(page)
  await page.goto(`${at.kontor.url}${path}`)
  await page.locator('h1').first().waitFor({ state: 'attached' })
  await rest(page)
  onTestFinished(() => expect(faults).toEqual([]))
  return { account: at, context, page, email, password, faults }
}

/**
 * Takes refusals of a status off the faults of a page: what was on its way when a right, a session or a record went
 * is refused, and a browser says so.
 */
export function excuse(faults: string[], status: 403 | 404 | 422): void {
  faults.splice(0, faults.length, ...faults.filter((fault) => !fault.includes(String(status))))
}

/** A page that is slowed down uses what it has preloaded later than the browser expects. */
const isLate = (text: string): boolean =>
  slowPages > 1 && /was preloaded using link preload but not used/.test(text)

/** The faults of a page, which grow while it is used. */
export function watch(page: Page): string[] {
  const faults: string[] = []
  page.on('pageerror', ({ message }) => faults.push(`page error: ${message}`))
  page.on('console', (message) => {
    const isFault = ['error', 'warning'].includes(message.type())
    if (isFault && !isLate(message.text())) faults.push(`console: ${message.text()}`)
  })
  page.on('requestfailed', (request) => {
    const { errorText = '' } = request.failure() ?? {}
    // A page that is left ends its requests.
    if (errorText !== 'net::ERR_ABORTED') faults.push(`failed: ${request.url()} ${errorText}`)
  })
  return faults
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface AxeResult {
  violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[]
}

/**
 * The faults that axe finds against WCAG 2.2 A and AA on the page at rest, or in parts of it. `withheld` names the
 * answers that the test withholds (rest.ts).
 */
export async function accessibilityFaults(
  page: Page,
  parts = 'html',
  withheld?: RegExp,
): Promise<string[]> {
  await rest(page, withheld)
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe)
  const { violations } = await page.evaluate<AxeResult>(
    // Initials are not what anybody calls a button by, so that experimental rule is left out.
    `axe.run('${parts}', { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
                         rules: { 'label-content-name-mismatch': { enabled: false } },
                         resultTypes: ['violations'] })`,
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  )
}
