// By keyboard alone: Tab reaches everything that can be used on a screen, in the order in which it is
// read, with a ring that is seen; and a dialog keeps the focus and gives it back.
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import { openApplication } from './application.ts'
import { useBrowser } from './chromium.ts'
import { keys, walk } from './keys.ts'
import { rest } from './rest.ts'
import { seedScreens, show, wordOf } from './screens.ts'
import { stretched } from '../slow.ts'

const browser = useBrowser()

async function openScreens() {
  const account = await newAccount()
  const screens = await seedScreens(account.api)
  const opened = await openApplication(browser(), '/home', { account }, { reducedMotion: 'reduce' })
  return { ...opened, screens }
}

const hasFocus = (page: Page, element: Locator) => element.and(page.locator(':focus')).waitFor()

/**
 * Notes each element that takes the focus, with its faults: it is not seen, has no ring, lies under
 * something else, or stands before the element that had the focus earlier.
 */
const watchFocus = (page: Page) =>
  page.evaluate(`
    window.nameOf = (each) => (each.getAttribute('aria-label') ?? (each.labels?.[0] ?? each).textContent ?? '').trim().slice(0, 40) || each.outerHTML.slice(0, 80)
    /** Inputs of switches and the like are hidden: their label shows where they are. */
    const shapeOf = (each) => {
      const box = each.getBoundingClientRect()
      return box.width > 2 && getComputedStyle(each).opacity !== '0' ? each : (each.labels?.[0] ?? each.parentElement)
    }
    const hasRing = (each) => [undefined, '::after', '::before'].some((pseudo) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(each, pseudo)
      return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2
    })
    const placeOf = (each) => {
      let { top, bottom, left, right } = each.getBoundingClientRect()
      for (let at = each.parentElement; at; at = at.parentElement) {
        top += at.scrollTop; bottom += at.scrollTop; left += at.scrollLeft; right += at.scrollLeft
      }
      return { top, bottom, left, right }
    }
    window.stops = []
    document.addEventListener('focusin', ({ target }) => {
      const shape = shapeOf(target)
      const name = nameOf(target)
      const faults = []
      const box = shape.getBoundingClientRect()
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2]
      if (box.width < 2 || box.height < 2) faults.push('is not seen')
      if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) faults.push('lies outside of the window')
      else {
        const above = document.elementFromPoint(x, y)
        if (above && !shape.contains(above) && !above.contains(shape)) faults.push('lies under ' + above.outerHTML.slice(0, 80))
      }
      const shown = [target, shape, ...shape.querySelectorAll('*'), target.nextElementSibling, target.parentElement].filter(Boolean)
      // The frame around a text and its buttons has the ring of the text.
      if (target.localName === 'textarea') for (let at = target.parentElement; at; at = at.parentElement) shown.push(at)
      // A ring around a field may be its border: Mantine's fields change its colour.
      if (!shown.some(hasRing)) faults.push('has no ring')
      const place = placeOf(shape)
      const before = window.stops.at(-1)?.place
      // To the next column the focus goes up.
      if (before && place.bottom <= before.top && place.left < before.right) faults.push('stands before ' + window.stops.at(-1).name)
      window.stops.push({ name, place, faults, target })
    })`)

/** The names of all that Tab must reach, in the order of the document. */
const stopsOf = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const radios = new Set()
    return [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')]
      .filter((each) => {
        if (each.tabIndex < 0 || each.disabled || !each.checkVisibility({ visibilityProperty: true }) || each.closest('[inert], [aria-hidden=true]')) return false
        if (each.type !== 'radio') return true
        // A group of radios is one stop: the chosen one, or else the first.
        const group = [...document.getElementsByName(each.name)]
        return each === (group.find(({ checked }) => checked) ?? group[0])
      })
      .map(nameOf)
  })()`)

test(
  'Tab reaches everything on every screen, in reading order and with a ring',
  async () => {
    const { page, screens } = await openScreens()
    await watchFocus(page)
    const faults: string[] = []
    for (const screen of screens.filter(({ button, path }) => !button && !path.includes('?'))) {
      await show(page, screen)
      await rest(page)
      const expected = await stopsOf(page)
      // The skip link is the first of every screen.
      await page.evaluate(
        'window.stops = []; document.querySelector(\'a[href="#content"]\').focus()',
      )
      for (let stop = 1; stop < expected.length; stop++) await walk(page, 'Tab')
      const stops = await page.evaluate<{ name: string; faults: string[] }[]>(
        'window.stops.map(({ name, faults }) => ({ name, faults }))',
      )
      expect
        .soft(
          stops.map(({ name }) => name),
          screen.name,
        )
        .toEqual(expected)
      for (const stop of stops)
        faults.push(...stop.faults.map((fault) => `${screen.name}: ${stop.name} ${fault}`))
    }
    expect(faults).toEqual([])
  },
  stretched(180_000),
)

test('the skip link leads to the content', async () => {
  const { page } = await openApplication(browser(), '/settings/profile')
  await page.evaluate("document.querySelector('h1').blur()")
  const skip = page.getByRole('link', { name: 'Skip to the content' })
  await skip.focus()
  await keys(skip, 'Enter')
  await hasFocus(page, page.locator('#content'))
  await walk(page, 'Tab')
  expect(
    await page.evaluate<boolean>("document.querySelector('main').contains(document.activeElement)"),
  ).toBe(true)
})

test(
  'a dialog takes the focus, keeps it and gives it back',
  async () => {
    const { page, screens } = await openScreens()
    for (const { button, ...screen } of screens) {
      if (!button) continue
      await show(page, screen)
      const name = wordOf('en', button)
      const opener = page.getByRole('main').getByRole('button', { name, exact: true }).first()
      await opener.focus()
      await keys(opener, 'Enter')
      const dialog = page.getByRole('dialog')
      await dialog.waitFor()
      // Nothing, or the element outside that has the focus.
      const outside = () =>
        page.evaluate<string>(
          "document.activeElement.closest('[role=dialog]') ? '' : document.activeElement.outerHTML.slice(0, 500)",
        )
      await expect.poll(outside, { message: screen.name }).toBe('')
      const stops = await dialog.locator('a[href], button, input, textarea').count()
      for (let stop = 0; stop <= stops; stop++) {
        await walk(page, 'Tab')
        expect(await outside(), `${screen.name}, stop ${stop} of ${stops}`).toBe('')
      }
      await keys(dialog, 'Escape')
      await dialog.waitFor({ state: 'hidden' })
      await hasFocus(page, opener)
    }
  },
  stretched(180_000),
)

test('menus open, move and close by keys, and give the focus back', async () => {
  const { page } = await openApplication(browser())
  const opener = page.getByRole('button', { name: 'Your account' })
  await opener.focus()
  await keys(opener, 'Enter')
  const menu = page.getByRole('menu')
  const item = (name: string) => menu.getByRole('menuitem', { name })
  await hasFocus(page, item('Settings'))
  await keys(item('Settings'), 'ArrowDown')
  await hasFocus(page, item('Developers'))
  await keys(item('Developers'), 'Escape')
  await menu.waitFor({ state: 'hidden' })
  await hasFocus(page, opener)
})
