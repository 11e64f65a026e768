// Somebody who types on while a field, a menu or a dialog opens: no letter is lost, and none goes
// anywhere else. `TYPINGS=200` types so often into each place; the first time its code is on the way.
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { stretched } from '../slow.ts'
import { newAccount, type TestAccount } from '../account.ts'
import { openApplication, type Opened } from './application.ts'
import { useBrowser } from './chromium.ts'
import { keys, keysAtOnce, shortcut, type, typeAhead, untilFocused } from './keys.ts'
import { rest } from './rest.ts'
import { seedScreens, type Screen } from './screens.ts'

const browser = useBrowser()

/** One furnished account, for the tests that leave it as it is. */
let furnished: Promise<{ account: TestAccount; screens: Screen[] }> | undefined

/** Opens a screen, by its name in screens.ts. */
async function openScreen(
  name: string,
  { isOwn = false } = {},
): Promise<Opened & { path: string }> {
  const { account, screens } = await (isOwn ? seedOne() : (furnished ??= seedOne()))
  const { path } = screens.find((screen) => screen.name === name)!
  const opened = await openApplication(browser(), path, { account })
  await rest(opened.page)
  return { ...opened, path }
}

async function seedOne() {
  const account = await newAccount()
  return { account, screens: await seedScreens(account.api) }
}

const times = Number(process.env['TYPINGS'] ?? 2)
/** Letters that mean something on most screens where they are no text. */
const text = 'quick note gs'

interface TypingCase {
  name: string
  /** The screen, by its name in screens.ts. */
  screen: string
  /** What has the focus before; nothing where it is the page. */
  from?: string
  /** The keys that open the field, or the menu of `item`. */
  keys: string[]
  /** The text of the choice in a menu that opens the field. */
  item?: string
  field: string
  /** What stands in the field already. */
  before?: string
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

const dialogText = '[role=dialog] :is(input, textarea):focus'

/** The place that a button opens, or a choice in its menu. */
const opened = (
  screen: string,
  from: string,
  item?: string,
  own: Partial<TypingCase> = {},
): TypingCase => ({
  name: item === undefined ? from : `${item} of ${from}`,
  screen,
  from,
  keys: ['Enter'],
  ...(item !== undefined && { item }),
  field: dialogField,
  ...own,
})

const quickAdd = { field: 'form[aria-label="New lead in this stage"] input:focus' }
const form = { field: dialogText, close: discard }
const inLinks = {
  field: 'section li form input:focus',
  before: 'Jana Schmidt',
  close: closed,
}
const finder = { field: 'section input:focus', close: closed }

/** Fields that a choice in a menu opens. */
const menus: TypingCase[] = [
  ...['Contact', 'Task'].map((item) => opened('home', '[aria-keyshortcuts=C]', item, form)),
  opened('board', '[aria-keyshortcuts=C]', 'Lead', quickAdd),
  opened('board', '[data-head]', 'Add a task to all loaded', { field: dialogText }),
  ...['Move to…', 'Assign to…', 'Tags…', 'Add a task'].map((item) =>
    opened('board', '[data-card]', item, { keys: ['Shift+F10'], field: dialogText }),
  ),
  ...['Move to…', 'Add a purchase'].map((item) =>
    opened('customer-board', '[data-customer]', item, { keys: ['Shift+F10'], field: dialogText }),
  ),
  opened('board', 'button[title=Views]', 'Save as view'),
  ...['Assign to…', 'Tags…'].map((item) => opened('lead', '[aria-label=Actions]', item)),
  opened('lead', '[aria-label^="Actions with Jana"]', 'Edit', inLinks),
  opened('lead', '[aria-label="Actions of the task"]', 'Edit the task', {
    field: 'form textarea:focus',
    before: 'Call the caretaker',
  }),
]

const cases: TypingCase[] = [
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
  {
    name: 'the filter of a list',
    screen: 'contact-list',
    keys: ['/'],
    field: 'main input:focus',
    close: emptied,
  },
  {
    name: 'a new row',
    screen: 'contact-list',
    keys: ['n'],
    field: 'main form input:focus',
    close: closed,
  },
  {
    name: 'a cell',
    screen: 'contact-list',
    from: '[data-table]',
    keys: ['e'],
    field: '[data-edited] input:focus',
    before: '',
  },
  { name: 'a new element', screen: 'products', keys: ['n'], field: dialogField, close: closed },
  {
    name: 'a cell of an element',
    screen: 'products',
    from: '[role=grid]',
    keys: ['e'],
    field: '[data-edited] input:focus',
    before: '',
  },
  {
    name: 'the search of a catalog',
    screen: 'products',
    keys: ['/'],
    field: 'main input:focus',
    close: emptied,
  },
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
    name: 'a new status of customers',
    screen: 'settings-customers',
    from: 'main button:has-text("Add a status")',
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
  {
    name: 'a new loss reason',
    screen: 'settings-loss-reasons',
    from: 'main button:has-text("New reason")',
    keys: ['Enter'],
    field: dialogField,
    close: closed,
  },
  {
    name: 'a new custom field',
    screen: 'settings-fields',
    from: 'main button:has-text("New field")',
    keys: ['Enter'],
    field: dialogField,
    close: closed,
  },
  {
    name: 'a new catalog',
    screen: 'settings-catalogs',
    from: 'main button:has-text("New catalog")',
    keys: ['Enter'],
    field: dialogField,
    close: closed,
  },
  {
    name: 'a category',
    screen: 'settings-catalog',
    from: '[data-category] button[data-name]',
    keys: ['Enter'],
    field: '[data-category] input:focus',
    before: 'Pumps',
  },
  {
    name: 'a new task type',
    screen: 'settings-task-types',
    from: 'main button:has-text("New type")',
    keys: ['Enter'],
    field: dialogField,
    close: closed,
  },
  {
    name: 'a new tag',
    screen: 'settings-tags',
    from: 'main button:has-text("New tag")',
    keys: ['Enter'],
    field: dialogField,
    close: closed,
  },
  {
    name: 'a new template',
    screen: 'settings-templates',
    from: 'main button:has-text("New template")',
    keys: ['Enter'],
    field: dialogField,
    close: closed,
  },
  {
    name: 'a new pipeline',
    screen: 'settings-pipelines',
    from: 'main button:has-text("New pipeline")',
    keys: ['Enter'],
    field: dialogField,
    close: closed,
  },
  {
    name: 'a custom field',
    screen: 'settings-fields',
    from: '[data-field]',
    keys: ['Enter'],
    field: dialogField,
    before: 'What the caretaker said about the boiler room',
    close: (field) => keys(field, 'Escape'),
  },
  { name: 'a lead in a column', screen: 'board', keys: ['c', 'l'], ...quickAdd },
  ...['m', 'a', '#', 't'].map((letter) => ({
    name: `${letter} on a card`,
    screen: 'board',
    from: '[data-card]',
    keys: [letter],
    field: dialogText,
  })),
  ...['m', 'b'].map((letter) => ({
    name: `${letter} on a customer`,
    screen: 'customer-board',
    from: '[data-customer]',
    keys: [letter],
    field: dialogText,
  })),
  ...['[aria-label="Add a contact"]', '[aria-label="Choose another company"]'].map((from) =>
    opened('lead', from, undefined, finder),
  ),
  opened('lead', '[aria-label="Add a product"]', undefined, finder),
  opened('lead', '[aria-label^="Complete: "]', undefined, {
    field: 'li form input:focus',
    close: closed,
  }),
  opened('lead', '[aria-label="Change the due date"]', undefined, { field: 'form input:focus' }),
  opened('lead', '[aria-label="Edit the note"]', undefined, {
    field: 'textarea[aria-label=Note]:focus',
    before: 'She asked for a **quiet** pump: https://example.com/q',
  }),
  opened('lead', '[data-edit]:has-text("The stairs are narrow")', undefined, {
    field: '[data-editing] textarea:focus',
    before: 'The stairs are narrow.\nBring two people.',
  }),
]

/** Opens a menu and makes its choice, by the mouse or by keys; the next key follows at once. */
async function choose(
  page: Page,
  opener: Locator,
  { keys: opening, item }: TypingCase,
  by: string,
) {
  const choice = page.getByRole('menuitem', { name: item!, exact: false }).first()
  if (by === 'the mouse') {
    await opener.click({ button: opening.includes('Enter') ? 'left' : 'right' })
    return choice.click()
  }
  await opener.focus()
  await keys(opener, ...opening)
  const menu = page.getByRole('menu')
  await untilFocused(menu)
  while ((await choice.and(page.locator(':focus')).count()) === 0) await keys(menu, 'ArrowDown')
  return keys(choice, 'Enter')
}

const ways = [
  ...cases.map((typingCase) => ({ ...typingCase, by: 'keys' })),
  ...menus.flatMap((typingCase) => [
    { ...typingCase, by: 'keys' },
    { ...typingCase, by: 'the mouse' },
  ]),
]

test.for(ways)(
  'letters arrive in $name, by $by',
  { timeout: stretched(60_000 + 5000 * times) },
  async (typingCase) => {
    const { screen, from, keys: opening, item, by, field, before = '', close } = typingCase
    const { page, path } = await openScreen(screen)
    for (let time = 0; time < times; time++) {
      if (from && item !== undefined) await choose(page, page.locator(from).first(), typingCase, by)
      else if (from) {
        const opener = page.locator(from).first()
        await opener.focus()
        await keys(opener, ...opening)
      } else await shortcut(page, ...opening)
      await typeAhead(page, text)
      const typed = () =>
        page.evaluate<string>(
          `document.querySelector(${JSON.stringify(field)})?.value ?? 'no field'`,
        )
      await expect.poll(typed, { message: `time ${time}` }).toBe(before + text)
      expect(new URL(page.url()).pathname).toBe(path.split('?')[0])
      const filled = page.locator(field)
      await (close ? close(filled, page) : keys(filled, 'Escape'))
      await rest(page)
    }
  },
)

interface LateAnswer {
  name: string
  screen: string
  /** The user does this before the note; its request is withheld. */
  act: (page: Page) => Promise<unknown>
  request: RegExp
  isRefused?: boolean
}

const lateAnswers: LateAnswer[] = [
  {
    name: 'a contact that was edited',
    screen: 'lead',
    request: /\/api\/v4\/contacts\/\d+$/,
    async act(page) {
      await page.getByRole('button', { name: 'Actions with Jana Schmidt', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Edit' }).click()
      const form = page.getByRole('form', { name: 'Jana Schmidt' })
      await form.getByLabel('Name').fill('Jana Lind')
      await form.getByRole('button', { name: 'Save' }).click()
    },
  },
  {
    name: 'a contact that was made',
    screen: 'lead',
    request: /\/api\/v4\/contacts$/,
    async act(page) {
      await page.getByRole('button', { name: 'Add a contact' }).click()
      await page.getByPlaceholder('Find or create a contact').fill('Somebody new')
      await page.getByRole('option', { name: 'Somebody new' }).click()
      const form = page.getByRole('form', { name: 'Add a contact' })
      await form.getByRole('button', { name: 'Create' }).click()
    },
  },
  {
    name: 'a field that is refused',
    screen: 'lead',
    request: /\/api\/v4\/leads\/\d+$/,
    isRefused: true,
    async act(page) {
      await page.locator('[data-edit]:has-text("54,000")').click()
      await page.getByRole('textbox', { name: 'Price' }).fill('55000')
      await keys(page.getByRole('textbox', { name: 'Price' }), 'Enter')
    },
  },
]

test.for(lateAnswers)(
  'a late answer about $name leaves the focus to a person who types elsewhere',
  async ({ screen, act, request, isRefused = false }) => {
    const { page, faults } = await openScreen(screen, { isOwn: true })
    const { promise: answers, resolve: answer } = Promise.withResolvers<void>()
    await page.route(request, async (route) => {
      if (route.request().method() === 'GET') return route.continue()
      await answers
      return isRefused ? route.fulfill({ status: 422, body: '{}' }) : route.continue()
    })
    await act(page)
    const note = page.getByRole('textbox', { name: 'Note' })
    await note.click()
    await type(note, 'half of ')
    const answered = page.waitForResponse(request)
    answer()
    await answered
    await rest(page)
    await typeAhead(page, 'a note')
    await expect.poll(() => note.inputValue()).toBe('half of a note')
    if (isRefused) expect(faults.splice(0).join()).toContain('422')
  },
)

/** The fields whose keys act: with Enter they save, choose or go on, with Escape they go away. */
const acting: TypingCase[] = [
  ...cases.filter(({ name }) =>
    ['the commands', 'the form of c l', 'the filter', 'a note', 'tags'].includes(name),
  ),
  ...cases.filter(({ name }) => /a lead in a column|has-text|Complete|Edit the note/.test(name)),
]

test.for(acting)(
  'an input method that composes has the keys in $name for itself',
  async ({ screen, from, keys: opening, field, before = '' }) => {
    const { page, context } = await openScreen(screen)
    if (from) {
      const opener = page.locator(from).first()
      await opener.focus()
      await keys(opener, ...opening)
    } else await shortcut(page, ...opening)
    const filled = page.locator(field)
    await untilFocused(filled)
    const protocol = await context.newCDPSession(page)
    const isLine = before === '' || field.includes('input')
    const word = { text: 'ねこ', selectionStart: 2, selectionEnd: 2 }
    for (const key of ['Enter', 'Escape', ...(isLine ? ['ArrowDown', 'Tab'] : [])]) {
      await protocol.send('Input.imeSetComposition', word)
      // A browser names the key itself, and says that a word is being composed.
      await protocol.send('Input.dispatchKeyEvent', {
        type: 'rawKeyDown',
        key,
        code: key,
        windowsVirtualKeyCode: 229,
      })
      await rest(page)
      await expect.poll(() => filled.inputValue(), { message: key }).toBe(`${before}ねこ`)
    }
    await protocol.send('Input.insertText', { text: 'ねこ' })
    await expect.poll(() => filled.inputValue()).toBe(`${before}ねこ`)
    // The word is complete: Escape is the field's again, or first its list's.
    await keys(filled, 'Escape')
    await rest(page)
    if ((await filled.count()) > 0) await keys(filled, 'Escape')
    await filled.waitFor({ state: 'hidden' })
  },
)

test('Escape leaves the text box, and then closes the card', async () => {
  const { page } = await openScreen('board-card')
  const task = page.locator('form textarea')
  await shortcut(page, 'n')
  const note = page.getByRole('textbox', { name: 'Note' })
  await type(note, 'a note')
  await keys(note, 'Escape')
  await expect.poll(() => page.locator('textarea:focus').count()).toBe(0)
  await expect.poll(() => note.inputValue()).toBe('a note')

  await page.getByRole('button', { name: 'Actions of the task' }).click()
  await page.getByRole('menuitem', { name: 'Edit the task' }).click()
  // A list that is open goes first, and its field keeps the focus.
  const responsible = page.locator('form').getByRole('combobox', { name: 'Responsible' })
  await responsible.click()
  await page.getByRole('option').first().waitFor()
  await keys(responsible, 'Escape')
  await expect.poll(() => page.getByRole('option').count()).toBe(0)
  await untilFocused(responsible)
  await keys(responsible, 'Escape')
  await task.waitFor({ state: 'hidden' })
  await note.waitFor()
  await keys(page.getByRole('button', { name: 'Actions of the task' }), 'Escape')
  await note.waitFor({ state: 'hidden' })
  expect(new URL(page.url()).search).toBe('')
})

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

// The trap of the component library looks for the focus of a layer by timers of 0 ms.
test('a timer behind the keys of a menu moves the focus nowhere', async () => {
  const { page } = await openApplication(browser(), '/settings/preferences')
  await rest(page)
  await page.evaluate(`
    window.timers = []
    const real = window.setTimeout
    window.setTimeout = (call, delay) => (delay ? real(call, delay) : window.timers.push(call))
    window.goOn = () => { window.setTimeout = real; for (const call of window.timers) call() }`)
  const button = page.getByRole('button', { name: 'Your account' })
  await button.focus()
  await keys(button, 'Enter')
  const menu = page.getByRole('menu')
  await untilFocused(menu)
  const focused = () => page.evaluate<string>('document.activeElement.outerHTML')
  const first = await focused()
  await keys(menu, 'ArrowDown')
  await expect.poll(focused).not.toBe(first)
  await page.evaluate('window.second = document.activeElement')
  await page.evaluate('window.goOn()')
  await rest(page)
  await expect.poll(() => page.evaluate('window.second === document.activeElement')).toBe(true)
})

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
