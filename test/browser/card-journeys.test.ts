// Ways through cards in a real browser: back and forward, two tabs and links, every key of the sheet on
// two keyboards, and a lead with far more of everything than usual.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import { link, to } from '../links.ts'
import { addNote, addNotes, text } from '../notes.ts'
import { addRecord, readRecord } from '../records.ts'
import { openApplication, watch } from './application.ts'
import { card, focused, openBoard, openFrom, scrolled, scrollTo } from './board.ts'
import { useBrowser } from './chromium.ts'
import { keys, type } from './keys.ts'
import { press } from './press.ts'
import { resize } from './rest.ts'
import { stretched } from '../slow.ts'

const browser = useBrowser()

const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const title = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true })

test('back, forward, reload, a link and a second tab each show the card that they name', async () => {
  const many = Array.from({ length: 30 }, (_, at): [string] => [`Lead ${at + 1}`])
  const opened = await openBoard(browser(), { leads: { New: many } })
  const { page, account, context, leads, pipeline } = opened
  const { api, kontor } = account
  const lead = leads['Lead 20']!
  const ann = await addRecord(api, 'contacts', { name: 'Ann Berg' })
  await link(api, 'leads', lead, to('contacts', ann))
  const board = `${kontor.url}/leads/p/${pipeline}`

  await scrollTo(page, 'New', 600)
  const top = await openFrom(page, 'New', 'Lead 20')
  expect(top).toBeGreaterThan(0)
  await panel(page, 'Lead 20').getByRole('link', { name: 'Ann Berg' }).click()
  await panel(page, 'Ann Berg').waitFor()
  expect(page.url()).toBe(`${kontor.url}/contacts/${ann}`)
  await page.goBack()
  await panel(page, 'Lead 20').waitFor()
  expect(page.url()).toBe(`${kontor.url}/leads/${lead}`)
  await page.goForward()
  await panel(page, 'Ann Berg').waitFor()
  // Escape leaves all cards at once, and the board is where it was.
  await keys(panel(page, 'Ann Berg'), 'Escape')
  await panel(page, 'Ann Berg').waitFor({ state: 'detached' })
  expect(page.url()).toBe(board)
  await expect.poll(() => focused(page)).toMatch(/^Lead 20,/)
  expect(await scrolled(page, 'New')).toBe(top)

  // The address of the open card is a page of its own in another tab.
  await card(page, 'Lead 20').getByRole('link').click()
  await panel(page, 'Lead 20').waitFor()
  const second = await context.newPage()
  const faults = watch(second)
  await second.goto(page.url())
  await title(second, 'Lead 20').waitFor()
  await second.getByRole('link', { name: 'Ann Berg' }).click()
  await title(second, 'Ann Berg').waitFor()
  await second.reload()
  await title(second, 'Ann Berg').waitFor()
  await second.goBack()
  await title(second, 'Lead 20').waitFor()
  // A change in one tab shows in the other, which stays where it is.
  await second.getByRole('button', { name: 'Lead 20', exact: true }).click()
  const name = second.getByRole('textbox', { name: 'Name', exact: true })
  await type(name, 'Lead twenty')
  await keys(name, 'Enter')
  await panel(page, 'Lead twenty').waitFor()
  expect(page.url()).toBe(`${kontor.url}/leads/${lead}`)
  await keys(panel(page, 'Lead twenty'), 'Escape')
  await card(page, 'Lead twenty').waitFor()
  expect(faults).toEqual([])
})

test.each([
  ['a Latin', false],
  ['a Russian', true],
] as const)('every key of a card works on %s keyboard', async (_name, isRussian) => {
  const account = await newAccount()
  const { api } = account
  const { page, leads } = await openBoard(browser(), {
    account,
    leads: { New: [['Pump order'], ['Roof tiles']] },
  })
  const notes = Array.from({ length: 40 }, (_, at) => text(`Note ${at + 1}`))
  await addNotes(api, 'leads', leads['Roof tiles']!, notes)
  await card(page, 'Roof tiles').getByRole('link').click()
  await panel(page, 'Roof tiles').waitFor()
  const feed = page.getByRole('feed')
  await feed.getByText('Note 40', { exact: true }).waitFor()

  const blur = () => page.evaluate('document.activeElement.blur()')
  const picker = async (name: string) => {
    await keys(page.getByRole('combobox', { name }), 'Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  const composes = async (name: string) => {
    await page.locator(`textarea[aria-label="${name}"]:focus`).waitFor()
    await blur()
  }
  const isTabChosen = (name: string) => page.getByRole('tab', { name, selected: true }).waitFor()
  const steps: [text: string, pressed: string, does: () => Promise<unknown>][] = [
    ['Next card', ']', () => panel(page, 'Pump order').waitFor()],
    ['Previous card', '[', () => panel(page, 'Roof tiles').waitFor()],
    ['Group of fields 2', 'alt+2', () => isTabChosen('Statistics')],
    ['Group of fields 1', 'alt+1', () => isTabChosen('General')],
    [
      'Edit the first field',
      'e',
      async () => {
        await keys(page.locator('[data-editing]'), 'Escape')
        await page.locator('[data-editing]').waitFor({ state: 'detached' })
      },
    ],
    ['Assign to…', 'a', () => picker('Person')],
    ['Tags…', '#', () => picker('Tag')],
    ['Move to…', 'm', () => picker('Stage')],
    ['Write a note', 'n', () => composes('Note')],
    ['Add a task', 't', () => composes('Task')],
    [
      'Pin the note',
      'p',
      () => page.getByRole('region', { name: 'Pinned notes' }).getByText('Note 40').waitFor(),
    ],
    [
      'Show the event log of the record',
      'l',
      async () => {
        await page.waitForURL('**/events?*')
        await page.goBack()
        await panel(page, 'Roof tiles').waitFor()
        await feed.getByText('Note 40', { exact: true }).first().waitFor()
      },
    ],
    ['Go to the unread', 'u', () => feed.getByText('Brand new').waitFor()],
    [
      'Back to the board',
      'Escape',
      async () => {
        await panel(page, 'Roof tiles').waitFor({ state: 'detached' })
        await card(page, 'Roof tiles').getByRole('link').click()
        await panel(page, 'Roof tiles').waitFor()
        await feed.waitFor()
      },
    ],
    ['Write to the client', 'r', () => isTabChosen('Chat')],
  ]
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await blur()
  await press(page, 'u', isRussian)
  await press(page, '?', isRussian)
  const names = sheet.getByRole('region', { name: 'Lead', exact: true }).locator('p')
  await names.first().waitFor()
  const named = await names.allInnerTexts()
  // The keys of the clipboard are the browser's (card.test.ts).
  const native = ['Copy the value of the field in focus', 'Paste a value into the field in focus']
  expect(named.toSorted()).toEqual([...steps.map(([name]) => name), ...native].toSorted())
  await keys(sheet, 'Escape')
  await sheet.waitFor({ state: 'detached' })
  for (const [, pressed, does] of steps) {
    if (pressed === 'u') {
      await feed.hover()
      // Rows up to 600 pixels below the screen stay drawn.
      await page.mouse.wheel(0, -1500)
      await feed.getByText('Note 40', { exact: true }).waitFor({ state: 'detached' })
      await addNote(api, 'leads', leads['Roof tiles']!, text('Brand new'))
      await page.getByRole('button', { name: '1 new' }).waitFor()
    }
    await press(page, pressed, isRussian)
    await does()
  }
})

test('B begins a purchase on the card of a customer, on both keyboards', async () => {
  const account = await newAccount()
  const customer = await addRecord(account.api, 'customers', { name: 'Harbour Office' })
  const { page } = await openApplication(browser(), `/customers/${customer}`, { account })
  for (const isRussian of [false, true]) {
    await page.getByRole('tab', { name: 'Feed' }).click()
    await page.getByRole('feed').waitFor()
    await press(page, 'b', isRussian)
    const form = page.getByRole('form', { name: 'New purchase' })
    await keys(form, 'Escape')
    await form.waitFor({ state: 'hidden' })
  }
})

/** A lead as large as they get, and how large its page may be. */
const [manyFields, manyItems, mostNodes] = [200, 5000, 2500]
/** Steps upward in the feed, through some dozen pages of it, and the pixels of each at least. */
const [steps, leastPixels] = [60, 200]
const longName = `עסקה גדולה 🏗️👩‍👩‍👧‍👦 ${'Replacement of pumps '.repeat(20)}`.slice(0, 255)

test(
  'a lead with 200 fields, 5,000 items and a long name in two directions stays usable',
  async () => {
    const account = await newAccount()
    const { api } = account
    const fields: number[] = []
    for (let at = 0; at < manyFields; at += 50) {
      const drafts = Array.from({ length: 50 }, (_, n) => ({
        name: `שדה ${at + n + 1} 🧱 of a rather large form`,
        type: 'text',
      }))
      const { body } = await api.post('/api/v4/leads/custom_fields', drafts)
      fields.push(...body._embedded.custom_fields.map(({ id }: { id: number }) => id))
    }
    const lead = await addRecord(api, 'leads', {
      name: longName,
      custom_fields_values: fields.slice(0, manyFields / 2).map((field_id, at) => ({
        field_id,
        values: [{ value: `ערך ${at} ${'word '.repeat(9)}` }],
      })),
    })
    const from = 1_700_000_000
    for (let at = 0; at < manyItems; at += 250)
      await addNotes(
        api,
        'leads',
        lead,
        Array.from({ length: 250 }, (_, n) => ({
          ...text(`הערה ${at + n + 1} 🚚 ${'goes on and on. '.repeat(1 + ((n * 7) % 9))}`),
          created_at: from + (at + n) * 600,
        })),
      )
    const { page } = await openApplication(browser(), `/leads/${lead}`, { account })
    await page.getByRole('feed').getByText(`הערה ${manyItems} `).waitFor()
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe(longName)

    const nodes = () => page.evaluate<number>("document.querySelectorAll('*').length")
    const overflow = () =>
      page.evaluate<
        string[]
      >(`[document.documentElement, ...document.querySelectorAll('main, [data-record], [data-record] header, [role=feed]')]
      .filter((each) => each.scrollWidth > each.clientWidth)
      .map((each) => each.outerHTML.slice(0, 120))`)
    expect(await nodes()).toBeLessThanOrEqual(mostNodes)
    for (const width of [1440, 1000, 390]) {
      await resize(page, width, 844)
      expect(await overflow(), `${width} px`).toEqual([])
    }
    await resize(page, 1440, 900)

    const last = page.locator('[data-member]').filter({ hasText: 'שדה 100 ' })
    await last.locator('[data-edit]').click()
    const control = last.locator('input')
    await keys(control, 'Control+a')
    await type(control, 'שלום 👋 hello')
    await keys(control, 'Enter')
    await last.getByRole('status').getByText('Saved').waitFor()
    const { custom_fields_values: values } = await readRecord(api, 'leads', lead)
    expect(values.at(-1).values).toEqual([{ value: 'שלום 👋 hello' }])

    // Upward by steps, as rows are measured for the first time: after each, the highest row that was
    // drawn before stands exactly so much lower.
    await page.evaluate(`(() => {
    const box = document.querySelector('[role=feed]')
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const topOf = (key) => {
      const found = box.querySelector('[data-key="' + key + '"]')
      return found && found.getBoundingClientRect().top - box.getBoundingClientRect().top
    }
    const stateOf = (key = box.querySelector('[data-key]').dataset.key) => ({
      key,
      top: topOf(key),
      height: box.scrollHeight,
      nodes: document.querySelectorAll('*').length,
    })
    // Of this row, once it is not where it was any more; else of the highest one.
    window.whenStill = async (key, from) => {
      const until = performance.now() + 5000
      while (key && topOf(key) === from && performance.now() < until) await frame()
      let [before, equal] = [undefined, 0]
      while (equal < 3) {
        await frame()
        const now = JSON.stringify(stateOf(key))
        equal = now === before && box.getAttribute('aria-busy') !== 'true' ? equal + 1 : 0
        before = now
      }
      return stateOf(key)
    }
  })()`)
    type Step = { key: string; top: number; height: number; nodes: number }
    const climb = { faults: [] as string[], pages: 0, nodes: 0 }
    await page.getByRole('feed').hover()
    for (let step = 0; step < steps; step++) {
      const from = await page.evaluate<Step>('whenStill()')
      const by = Math.max(leastPixels, 300 - Math.round(from.top))
      await page.mouse.wheel(0, -by)
      const to = await page.evaluate<Step>(`whenStill('${from.key}', ${from.top})`)
      if (!(Math.abs(to.top - from.top - by) <= 1))
        climb.faults.push(`${from.key} went by ${to.top - from.top} rather than ${by}`)
      climb.nodes = Math.max(climb.nodes, to.nodes)
      if (to.height > from.height + 2000) climb.pages++
    }
    expect(climb.faults).toEqual([])
    expect(climb.pages).toBeGreaterThan(5)
    expect(climb.nodes).toBeLessThanOrEqual(mostNodes)
  },
  stretched(180_000),
)
