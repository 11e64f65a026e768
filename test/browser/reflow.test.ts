// Nothing is cut or lies beside the screen: at 200 % zoom of a desk (720 pixels), and at 320, in the two languages with the longest words.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import { addRecord } from '../records.ts'
import { openApplication } from './application.ts'
import { useBrowser } from './chromium.ts'

const browser = useBrowser()

const addresses = [
  '/',
  '/notifications',
  ...['profile', 'preferences', 'security', 'users', 'groups', 'roles'].map(inSettings),
  ...['integrations', 'webhooks', 'api-keys', 'channels'].map(inSettings),
]

function inSettings(page: string): string {
  return `/settings/${page}`
}

/** Texts of buttons, links, headings and labels that do not fit, and a page that is wider than its window. */
const cut = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const faults = []
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth > clientWidth) faults.push('the page is ' + (scrollWidth - clientWidth) + ' px too wide')
    const main = document.querySelector('main')
    if (main.scrollWidth > main.clientWidth) faults.push('the content is ' + (main.scrollWidth - main.clientWidth) + ' px too wide')
    for (const each of document.querySelectorAll('button, a, h1, h2, h3, label, p, th')) {
      if (each.offsetParent === null || each.textContent.trim() === '') continue
      const style = getComputedStyle(each)
      if (style.overflowX === 'visible' || style.textOverflow === 'ellipsis') continue
      if (each.scrollWidth > each.clientWidth + 1) faults.push('cut: ' + each.textContent.trim().slice(0, 60))
    }
    return faults
  })()`)

test.each(['ru', 'pt'])('in %s', async (language) => {
  const account = await newAccount()
  await addRecord(account.api, 'leads', {
    name: 'A name that is long enough to need a second line',
  })
  for (const width of [720, 320]) {
    const viewport = { width, height: 600 }
    const { page } = await openApplication(browser(), '/', { account, language }, { viewport })
    for (const address of addresses) {
      await page.goto(account.kontor.url + address)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.waitForTimeout(300)
      expect(await cut(page), `${address} at ${width} px`).toEqual([])
    }
  }
})
