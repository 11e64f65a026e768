// Every screen and every dialog, in every language: axe finds nothing, nothing is cut and nothing lies beside the window, at 200 % zoom of a desk (720
// pixels) and at 320. Each language has a look of its own, so that both themes and all densities come with every screen.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import { accessibilityFaults, openApplication } from './application.ts'
import { useBrowser } from './chromium.ts'
import { resize } from './rest.ts'
import { closeDialog, seedScreens, show, showPart } from './screens.ts'

const browser = useBrowser()

/**
 * Texts of buttons, links, headings and labels that do not fit, and a page, a screen or a dialog that
 * is wider than its window.
 */
const cut = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const faults = []
    for (const each of [document.documentElement, ...document.querySelectorAll('main, [role=dialog]')]) {
      const over = each.scrollWidth - each.clientWidth
      if (over > 0) faults.push((each.getAttribute('role') ?? each.localName) + ' is ' + over + ' px too wide')
    }
    for (const each of document.querySelectorAll('button, a, h1, h2, h3, label, p, th')) {
      if (each.offsetParent === null || each.textContent.trim() === '') continue
      const style = getComputedStyle(each)
      if (style.overflowX === 'visible' || style.textOverflow === 'ellipsis') continue
      if (each.scrollWidth > each.clientWidth + 1) faults.push('cut: ' + each.textContent.trim().slice(0, 60))
    }
    return faults
  })()`)

test.each([
  ['en', 'light', 'normal'],
  ['ru', 'dark', 'normal'],
  ['es', 'light', 'compact'],
  ['pt', 'dark', 'roomy'],
] as const)(
  'in %s, %s and %s',
  async (language, colorScheme, density) => {
    const account = await newAccount()
    const screens = await seedScreens(account.api)
    const options = { colorScheme, reducedMotion: 'reduce' } as const
    const { page, faults: heard } = await openApplication(
      browser(),
      '/home',
      { account, language },
      options,
    )
    await page.evaluate(`document.documentElement.dataset.density = '${density}'`)
    const faults: string[] = []
    for (const screen of screens) {
      await show(page, screen, language)
      // The shell around the screens is the same on all of them.
      const parts = screen.path === '/home' ? 'html' : screen.button ? '[role=dialog]' : 'main'
      const found = await accessibilityFaults(page, parts)
      for (const width of [720, 320]) {
        await resize(page, width, 600)
        await showPart(page, screen, language)
        found.push(...(await cut(page)).map((fault) => `${fault} at ${width} px`))
      }
      await resize(page, 1440, 900)
      if (screen.button) await closeDialog(page)
      faults.push(...found.map((fault) => `${screen.name}: ${fault}`))
    }
    expect(faults).toEqual([])
    expect(heard).toEqual([])
  },
  180_000,
)
