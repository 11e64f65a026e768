// On a phone by fingers alone: the bar, the menu and the dialogs open by taps, everything is large
// enough for a finger, and nothing waits for a pointer that hovers.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import { addRecords } from '../records.ts'
import { accessibilityFaults, openApplication } from './application.ts'
import { useBrowser } from './chromium.ts'
import { rest } from './rest.ts'
import { closeDialog, seedScreens, show } from './screens.ts'
import { stretched } from '../slow.ts'

const browser = useBrowser()

const phone = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  reducedMotion: 'reduce',
} as const

/**
 * Controls that are too small for a finger: 44 px for buttons with the colour of the main action and
 * for the bar, 24 for all others. A link in a sentence is as high as its line (WCAG 2.5.8).
 */
const small = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const faults = []
    for (const each of document.querySelectorAll('a[href], button, input, select, textarea, summary, [role=tab], [role=option]')) {
      if (!each.checkVisibility({ visibilityProperty: true }) || each.closest('[aria-hidden=true], [data-mantine-stop-propagation], div.mantine-Input-wrapper:has([class*=PillsInputField])')) continue
      const box = each.getBoundingClientRect()
      // Of a hidden input its label takes the finger, and a row may be the target of its link.
      const boxes = [box, ...[...(each.labels ?? [])].map((label) => label.getBoundingClientRect())]
      // A card of a board opens by a tap anywhere.
      const card = each.matches('a[tabindex="-1"]') && each.closest('[data-card], [data-customer]')
      if (card) boxes.push(card.getBoundingClientRect())
      const cover = getComputedStyle(each, '::after')
      if (cover.position === 'absolute') boxes.push({ width: parseFloat(cover.width), height: parseFloat(cover.height) })
      const isSkip = each.getAttribute('href') === '#content'
      const isInSentence = getComputedStyle(each).display === 'inline' && each.parentElement.textContent.trim() !== each.textContent.trim()
      if (isSkip || isInSentence || box.width <= 2) continue
      const isMain = each.closest('nav[aria-label=Navigation]') || (each.dataset.variant === 'filled')
      const least = isMain ? 44 : 24
      if (!boxes.some(({ width, height }) => width >= 24 && height >= least))
        faults.push((each.getAttribute('aria-label') ?? each.textContent).trim().slice(0, 40) + ' is ' + Math.round(box.width) + ' by ' + Math.round(box.height) + ': ' + each.outerHTML.slice(0, 90))
    }
    return faults
  })()`)

test(
  'every control of every screen and dialog is large enough for a finger',
  async () => {
    const account = await newAccount()
    const screens = await seedScreens(account.api)
    const { page } = await openApplication(browser(), '/home', { account }, phone)
    const faults: string[] = []
    for (const screen of screens) {
      await show(page, screen)
      await rest(page)
      faults.push(...(await small(page)).map((fault) => `${screen.name}: ${fault}`))
      if (screen.button) await closeDialog(page)
    }
    expect(faults).toEqual([])
  },
  stretched(180_000),
)

test('the bar, the menu, the search and a dialog open by taps', async () => {
  const { page } = await openApplication(browser(), '/home', {}, phone)
  const bar = page.getByRole('navigation', { name: 'Navigation' })
  const { y } = (await bar.boundingBox())!
  expect(y).toBeGreaterThan(700)
  await bar.getByRole('link', { name: 'Notifications' }).tap()
  await page.getByRole('heading', { name: 'Notifications', level: 1 }).waitFor()
  await bar.getByRole('link', { name: 'Settings' }).tap()
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Groups' }).tap()
  await page.getByRole('button', { name: 'New group' }).tap()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('South')
  expect(await accessibilityFaults(page)).toEqual([])
  await dialog.getByRole('button', { name: 'New group' }).tap()
  await page.getByText('South', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Your account' }).tap()
  await page.getByRole('menuitem', { name: 'Settings' }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  // The empty room under the list.
  await page.touchscreen.tap(20, 720)
  await page.getByRole('menu').waitFor({ state: 'hidden' })
  await page.getByRole('banner').getByRole('button', { name: 'Search' }).tap()
  await page.getByRole('dialog').locator('input').waitFor()
})

test('rows of a list are edited, and changed together, by taps', async () => {
  const account = await newAccount()
  await addRecords(account.api, 'companies', [{ name: 'Alpha' }, { name: 'Beta' }, { name: 'Cy' }])
  const path = '/companies?sort=name&dir=asc&columns=name,responsible_user_id'
  const { page } = await openApplication(browser(), path, { account }, phone)
  const names = () => page.locator('[role=row] [data-column=name]').allInnerTexts()
  await expect.poll(names).toEqual(['Alpha', 'Beta', 'Cy'])
  // The first tap chooses the cell, beside the link of its name; the second edits it.
  const cell = page.locator('[aria-rowindex="3"] [data-column=name]')
  const beside = { position: { x: 160, y: 6 } }
  await cell.tap(beside)
  await cell.tap(beside)
  await cell.getByRole('textbox').fill('Bravo')
  await page.locator('[aria-rowindex="2"] [data-column=responsible_user_id]').tap()
  await expect.poll(names).toEqual(['Alpha', 'Bravo', 'Cy'])
  for (const name of ['Alpha', 'Cy'])
    await page.getByRole('checkbox', { name: `Select ${name}` }).tap()
  const bar = page.getByRole('toolbar', { name: 'Selected records' })
  await bar.getByText('2 companies').waitFor()
  // It stands above the bar of the application.
  const box = (await bar.boundingBox())!
  const navigation = (await page.getByRole('navigation', { name: 'Navigation' }).boundingBox())!
  expect(box.y + box.height).toBeLessThanOrEqual(navigation.y)
  expect([await accessibilityFaults(page), await small(page)]).toEqual([[], []])
  await bar.getByRole('button', { name: 'All that the filter finds' }).tap()
  await page.getByRole('checkbox', { name: 'Select Bravo' }).tap()
  await bar.getByText('All 3 companies, except 1').waitFor()
  await bar.getByRole('button', { name: 'Delete' }).tap()
  const dialog = page.getByRole('dialog', { name: 'Delete the records?' })
  expect([await accessibilityFaults(page), await small(page)]).toEqual([[], []])
  await dialog.getByRole('button', { name: 'Delete' }).tap()
  const strip = page.getByRole('region', { name: 'Changes of many records' })
  await strip.getByText('Companies. Deleted: 2').waitFor()
  await expect.poll(names).toEqual(['Bravo'])
  await strip.getByRole('button', { name: 'Undo' }).tap()
  await strip.getByText('Companies. As before: 2').waitFor()
  await expect.poll(names).toEqual(['Alpha', 'Bravo', 'Cy'])
})

test('no style shows under a hovering pointer what is hidden otherwise', async () => {
  const { page } = await openApplication(browser())
  const rules = await page.evaluate<string[]>(`(() => {
    const found = []
    const read = (rules) => {
      for (const rule of rules) {
        if (rule.cssRules?.length) read(rule.cssRules)
        if (!rule.selectorText?.includes(':hover')) continue
        for (const property of ['display', 'visibility', 'opacity', 'pointer-events', 'transform', 'height', 'max-height'])
          if (rule.style.getPropertyValue(property)) found.push(rule.selectorText + ' ' + property)
      }
    }
    for (const sheet of document.styleSheets) read(sheet.cssRules)
    return found
  })()`)
  expect(rules.filter((rule) => !rule.includes('.m_'))).toEqual([])
})
