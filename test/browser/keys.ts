// Keys as a person presses them: where the focus is. Nothing here moves the focus, so that a test fails where a
// person would lose a letter. No other file of the tests presses keys (test/architecture.test.ts).
import type { Locator, Page } from 'playwright-core'
import { rest } from './rest.ts'

/**
 * Waits until an element has the focus, or one inside of it, and presses keys one after the other, as Playwright
 * names them: `keys(field, 'End', 'Shift+Home', 'Enter')`.
 */
export async function keys(target: Locator, ...pressed: string[]): Promise<void> {
  await untilFocused(target)
  for (const key of pressed) await target.page().keyboard.press(key)
}

/** Presses keys as `keys` does, but each before the page has taken up the one before it. */
export async function keysAtOnce(target: Locator, ...pressed: string[]): Promise<void> {
  await untilFocused(target)
  await Promise.all(pressed.map((key) => target.page().keyboard.press(key)))
}

/** Waits until an element has the focus, or one inside of it, and types a text. */
export async function type(target: Locator, text: string): Promise<void> {
  await untilFocused(target)
  await target.page().keyboard.type(text)
}

/** Waits until an element has the focus, or one inside of it. */
export async function untilFocused(target: Locator): Promise<void> {
  await target.and(target.page().locator(':focus-within')).first().waitFor()
}

/**
 * Presses shortcuts of the page, once it is at rest and no field has the focus: `shortcut(page, 'g', 's')`. Answers
 * that the test withholds do not count (rest.ts).
 */
export async function shortcut(page: Page, ...pressed: string[]): Promise<void> {
  await rest(page)
  await press(page, pressed)
}

/** Presses shortcuts of the page while answers that match are withheld. */
export async function shortcutWithout(
  withheld: RegExp,
  page: Page,
  ...pressed: string[]
): Promise<void> {
  await rest(page, withheld)
  await press(page, pressed)
}

/** Walks on to another element, wherever the focus is: `Tab`, `Shift+Tab`. */
export const walk = (page: Page, key: 'Tab' | 'Shift+Tab'): Promise<void> =>
  page.keyboard.press(key)

/** Types on while a field, a menu or a dialog opens, with so many milliseconds between two keys. */
export const typeAhead = (page: Page, text: string, delay = 8): Promise<void> =>
  page.keyboard.type(text, { delay })

/** Holds a key down while `during` goes on. */
export async function holding(
  page: Page,
  key: string,
  during: () => Promise<unknown>,
): Promise<void> {
  await page.keyboard.down(key)
  try {
    await during()
  } finally {
    await page.keyboard.up(key)
  }
}

async function press(page: Page, pressed: string[]): Promise<void> {
  await page
    .locator('body:not(:has(:is(input:not([type=checkbox], [type=radio]), textarea):focus))')
    .waitFor()
  for (const key of pressed) await page.keyboard.press(key)
}
