// A press counts for the control on which it began, though the page moves it away from under the pointer meanwhile;
// and for nothing else.
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import { addRecord } from '../records.ts'
import { openApplication } from './application.ts'
import type { Opened } from './application.ts'
import { useBrowser } from './chromium.ts'
import { keys } from './keys.ts'
import { rest } from './rest.ts'

const browser = useBrowser()

interface PressCase {
  name: string
  /** Brings the control on the screen. */
  find: (page: Page) => Promise<Locator>
  /** How it is moved; to the right where nothing is said. */
  by?: string
  /** Answers whether the control did what it does. */
  isDone: (page: Page, control: Locator) => Promise<boolean>
}

const openMenu = (page: Page) => page.getByRole('button', { name: 'Actions' }).click()
const isPressed = async (_: Page, control: Locator) =>
  (await control.getAttribute('aria-pressed')) === 'true'

const cases: PressCase[] = [
  {
    name: 'a button',
    find: async (page) => page.getByRole('button', { name: 'Changes', exact: true }),
    isDone: isPressed,
  },
  {
    name: 'a tab',
    find: async (page) => page.getByRole('tab', { name: 'Task' }),
    isDone: async (_, control) => (await control.getAttribute('aria-selected')) === 'true',
  },
  {
    name: 'a link',
    find: async (page) => page.getByRole('navigation').getByRole('link', { name: 'Settings' }),
    by: '0 -60px',
    isDone: async (page) => new URL(page.url()).pathname.startsWith('/settings'),
  },
  {
    name: 'a choice in a menu',
    find: async (page) => {
      await openMenu(page)
      return page.getByRole('menuitem', { name: 'Delete' })
    },
    by: '0 -40px',
    isDone: async (page) => (await page.getByText('Undo').count()) > 0,
  },
  {
    name: 'a choice in a list',
    find: async (page) => {
      await page.getByRole('tab', { name: 'Task' }).click()
      const list = page.getByRole('combobox', { name: 'Responsible' })
      await list.click()
      return page.getByRole('option', { name: 'Nina Last' })
    },
    by: '0 -40px',
    isDone: async (page) =>
      (await page.getByRole('combobox', { name: 'Responsible' }).inputValue()) === 'Nina Last',
  },
]

async function openCard(): Promise<Opened> {
  const account = await newAccount()
  await account.addUser({ name: 'Nina Last', is_admin: true })
  const lead = await addRecord(account.api, 'leads', { name: 'Pump order' })
  const opened = await openApplication(browser(), `/leads/${lead}`, { account })
  await rest(opened.page)
  return opened
}

/** Presses on a control; `during` happens before the button of the mouse is up again. */
async function press(page: Page, control: Locator, during: () => Promise<unknown>): Promise<void> {
  await control.hover()
  await page.mouse.down()
  await during()
  await page.mouse.up()
  await rest(page)
}

/** Tests know no types of the browser: an element, as far as they change it. */
interface Styled {
  style: { setProperty: (name: string, value: string) => void }
  setAttribute: (name: string, value: string) => void
}

/** Moves a control away from under the pointer, to where nothing covers it. */
const move = (control: Locator, by = '120px') =>
  control.evaluate(
    (element, to) => (element as unknown as Styled).style.setProperty('translate', to),
    by,
  )

test.each(cases)('$name that moves away is pressed all the same', async ({ find, by, isDone }) => {
  const { page } = await openCard()
  const control = await find(page)
  await press(page, control, () => move(control, by))
  await expect.poll(() => isDone(page, control)).toBe(true)
})

const others: { name: string; during: (page: Page, control: Locator) => Promise<unknown> }[] = [
  {
    name: 'the pointer goes away',
    during: async (page, control) => {
      await page.mouse.move(640, 500)
      await move(control)
    },
  },
  {
    name: 'the page is scrolled',
    during: async (page, control) => {
      await page.mouse.wheel(0, 10)
      await move(control)
    },
  },
  {
    name: 'something covers it',
    during: (page) =>
      page.evaluate(`{
        const cover = document.body.appendChild(document.createElement('div'))
        Object.assign(cover.style, { position: 'fixed', inset: 0, zIndex: 9999 })
      }`),
  },
  {
    name: 'it is hidden',
    during: (_, control) =>
      control.evaluate((element) =>
        (element as unknown as Styled).style.setProperty('display', 'none'),
      ),
  },
  {
    name: 'it is disabled',
    during: async (_, control) => {
      await control.evaluate((element) =>
        (element as unknown as Styled).setAttribute('disabled', ''),
      )
      await move(control)
    },
  },
]

test.each(others)('a control is not pressed where $name', async ({ during }) => {
  const { page } = await openCard()
  const control = page.getByRole('button', { name: 'Changes', exact: true, includeHidden: true })
  await press(page, control, () => during(page, control))
  await expect.poll(() => isPressed(page, control)).toBe(false)
  // The same press, undisturbed, does it: the control was there to be pressed.
  await page.reload()
  await press(page, control, async () => undefined)
  await expect.poll(() => isPressed(page, control)).toBe(true)
})

test('a control is not pressed through a dialog that appears over it', async () => {
  const { page } = await openCard()
  // The library's buttons go down by a pixel while they are pressed, which is no move.
  const control = page.getByRole('button', { name: 'Create', exact: true })
  await press(page, control, async () => {
    await keys(page.locator('body'), 'ControlOrMeta+k')
    await page.getByRole('dialog').waitFor()
  })
  await expect.poll(() => page.getByRole('menu').count()).toBe(0)
})

test.each([
  { name: 'that the browser counts', during: async () => undefined },
  { name: 'on a control that moves', during: (control: Locator) => move(control) },
])('a press $name is one click, on the control', async ({ during }) => {
  const { page } = await openCard()
  const control = page.getByRole('button', { name: 'Changes', exact: true })
  await page.evaluate(`{
    window.clicked = []
    document.addEventListener('click', ({ target }) => window.clicked.push(target.textContent), { capture: true })
  }`)
  await press(page, control, () => during(control))
  await expect.poll(() => page.evaluate('window.clicked')).toEqual(['Changes'])
})
