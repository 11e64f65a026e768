// Somebody who types on while a field, a menu or a dialog opens: no letter is lost, and none goes
// anywhere else. `TYPINGS=200` types so often into each place; the first time its code is on the way.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { stretched } from '../slow.ts'
import { openApplication } from './application.ts'
import { useBrowser } from './chromium.ts'
import { rest } from './rest.ts'
import { furnish } from './screens.ts'

const browser = useBrowser()

/** Milliseconds between two keys of somebody who types fast. */
const pauseMs = 8
const times = Number(process.env['TYPINGS'] ?? 2)
/** Letters that mean something on most screens where they are no text. */
const text = 'quick note gs'

interface Place {
  name: string
  /** The screen, by its name in screens.ts. */
  screen: string
  /** What has the focus before; nothing where it is the page. */
  from?: string
  /** The keys that open the field. */
  keys: string[]
  field: string
  /** Closes it; Escape where nothing is said. */
  close?: (page: Page) => Promise<unknown>
}

const dialogField = '[role=dialog] input:focus'
const discard = async (page: Page) => {
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Discard' }).click()
}
/** Empties the field, and leaves it to the page. */
async function emptied(page: Page): Promise<void> {
  await page.locator(':focus').fill('')
  await page.locator(':focus').blur()
}
async function closed(page: Page): Promise<void> {
  await page.locator(':focus').fill('')
  await page.keyboard.press('Escape')
}

const places: Place[] = [
  { name: 'the search', screen: 'home', keys: ['/'], field: dialogField },
  { name: 'the commands', screen: 'home', keys: ['Control+k'], field: dialogField },
  ...['l', 'c', 'o', 'b', 't'].map((letter) => ({
    name: `the form of c ${letter}`,
    screen: 'home',
    keys: ['c', letter],
    field: '[role=dialog] :is(input, textarea):focus',
    close: discard,
  })),
  { name: 'the filter', screen: 'board', keys: ['/'], field: 'main input:focus', close: emptied },
  { name: 'a note', screen: 'lead', keys: ['n'], field: '[aria-label=Note]:focus', close: emptied },
  { name: 'a task', screen: 'lead', keys: ['t'], field: 'main textarea:focus', close: emptied },
  { name: 'tags', screen: 'lead', keys: ['#'], field: dialogField },
  { name: 'the responsible user', screen: 'lead', keys: ['a'], field: dialogField },
  { name: 'the stage', screen: 'lead', keys: ['m'], field: dialogField },
  {
    name: 'the name of a record',
    screen: 'lead',
    from: '[data-title] button',
    keys: ['Enter'],
    field: '[data-editing] :is(input, textarea):focus',
  },
  {
    name: 'a new webhook',
    screen: 'settings-webhooks',
    from: 'main button:has-text("Add webhook")',
    keys: ['Enter'],
    field: dialogField,
    close: closed,
  },
  {
    name: 'a new group',
    screen: 'settings-groups',
    from: 'main button:has-text("New group")',
    keys: ['Enter'],
    field: dialogField,
    close: closed,
  },
]

test.for(places)(
  'letters arrive in $name',
  { timeout: stretched(180_000) },
  async ({ screen, from, keys, field, close }) => {
    const { page, account } = await openApplication(browser(), '/home')
    const { path } = (await furnish(account.api)).find(({ name }) => name === screen)!
    await page.goto(account.kontor.url + path)
    await rest(page)
    for (let time = 0; time < times; time++) {
      if (from) await page.locator(from).first().focus()
      for (const key of keys) await page.keyboard.press(key, { delay: 0 })
      await page.keyboard.type(text, { delay: pauseMs })
      const typed = () =>
        page.evaluate<string>(
          `document.querySelector(${JSON.stringify(field)})?.value ?? 'no field'`,
        )
      await expect.poll(typed, { message: `time ${time}` }).toBe(text)
      expect(new URL(page.url()).pathname).toBe(path.split('?')[0])
      await (close ?? ((of: Page) => of.keyboard.press('Escape')))(page)
      await rest(page)
    }
  },
)
