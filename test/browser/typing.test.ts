// Somebody who types on while a field, a menu or a dialog opens: no letter is lost, and none goes
// anywhere else. `TYPINGS=200` types so often into each place; the first time its code is on the way.
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { stretched } from '../slow.ts'
import { openApplication } from './application.ts'
import { useBrowser } from './chromium.ts'
import { keys, keysAtOnce, shortcut, typeAhead } from './keys.ts'
import { rest } from './rest.ts'
import { furnish } from './screens.ts'

const browser = useBrowser()

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
  close?: (field: Locator, page: Page) => Promise<unknown>
}

const dialogField = '[role=dialog] input:focus'
const discard = async (field: Locator, page: Page) => {
  await keys(field, 'Escape')
  await page.getByRole('button', { name: 'Discard' }).click()
}
/** Empties the field, and leaves it to the page. */
async function emptied(field: Locator): Promise<void> {
  await field.fill('')
  await field.blur()
}
async function closed(field: Locator): Promise<void> {
  await field.fill('')
  await keys(field, 'Escape')
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
  { timeout: stretched(60_000 + 5000 * times) },
  async ({ screen, from, keys: opening, field, close }) => {
    const { page, account } = await openApplication(browser(), '/home')
    const { path } = (await furnish(account.api)).find(({ name }) => name === screen)!
    await page.goto(account.kontor.url + path)
    await rest(page)
    for (let time = 0; time < times; time++) {
      if (from) {
        const opener = page.locator(from).first()
        await opener.focus()
        await keys(opener, ...opening)
      } else await shortcut(page, ...opening)
      await typeAhead(page, text)
      const typed = () =>
        page.evaluate<string>(
          `document.querySelector(${JSON.stringify(field)})?.value ?? 'no field'`,
        )
      await expect.poll(typed, { message: `time ${time}` }).toBe(text)
      expect(new URL(page.url()).pathname).toBe(path.split('?')[0])
      const filled = page.locator(field)
      await (close ? close(filled, page) : keys(filled, 'Escape'))
      await rest(page)
    }
  },
)

/** The keys that open a choice. */
const openings = ['Enter', 'Space', 'ArrowDown', 'ArrowUp']

test.for(openings)(
  'a choice that %s opens takes the next option from a person who types on',
  { timeout: stretched(60_000 + 5000 * times) },
  async (opening) => {
    const { page } = await openApplication(browser(), '/settings/preferences')
    const choice = page.getByRole('combobox', { name: 'Date format' })
    await choice.click()
    const options = await page.getByRole('option').allInnerTexts()
    await page.getByRole('option').nth(1).click()
    for (let time = 0; time < times; time++) {
      await rest(page)
      const present = options.indexOf(await choice.inputValue())
      await choice.focus()
      await keysAtOnce(choice, opening, 'ArrowDown', 'Enter')
      await expect
        .poll(() => choice.inputValue(), { message: `time ${time}` })
        .toBe(options[(present + 1) % options.length])
    }
  },
)

// The component library marks the present option by timers of 0 ms. One that fires between two keys
// moved the mark back.
test.for(openings)(
  'a timer between the keys of a choice that %s opens moves nothing',
  async (opening) => {
    const { page } = await openApplication(browser(), '/settings/preferences')
    const choice = page.getByRole('combobox', { name: 'Date format' })
    await choice.click()
    const options = await page.getByRole('option').allInnerTexts()
    await page.getByRole('option').nth(0).click()
    await rest(page)
    await choice.focus()
    await page.evaluate(`
    window.timers = []
    const real = window.setTimeout
    window.setTimeout = (call, delay) => (delay ? real(call, delay) : window.timers.push(call))
    window.goOn = () => { window.setTimeout = real; for (const call of window.timers) call() }`)
    await keys(choice, opening, 'ArrowDown')
    await page.evaluate('window.timers.shift()()')
    await keys(choice, 'Enter')
    await page.evaluate('window.goOn()')
    await expect.poll(() => choice.inputValue()).toBe(options[1])
  },
)

test('a page waits without a gap from its first byte to its first screen', async () => {
  const { page } = await openApplication(browser(), '/home')
  await page.addInitScript(`
    window.early = []
    new MutationObserver(() => {
      if (document.documentElement?.dataset.busy === undefined && !document.querySelector('h1'))
        window.early.push(document.readyState)
    }).observe(document, { subtree: true, childList: true, attributes: true })`)
  for (const path of ['/home', '/leads', '/settings/preferences']) {
    await page.goto(new URL(path, page.url()).href)
    await rest(page)
    expect([path, await page.evaluate('window.early')]).toEqual([path, []])
  }
})
