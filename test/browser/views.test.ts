// Saved views of lists: with their columns and order, pinned to the navigation, and those of leads on the board, too.
// Those of the board alone: board-filter.test.ts.
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { addRecords } from '../records.ts'
import { accessibilityFaults, openApplication } from './application.ts'
import { card, openBoard } from './board.ts'
import { useBrowser } from './chromium.ts'
import { keys, shortcut, type as typeIn } from './keys.ts'
import { rest } from './rest.ts'

const browser = useBrowser()

const button = (page: Page | Locator, name: string) =>
  page.getByRole('button', { name, exact: true })
const item = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true })
const view = (page: Page, name: RegExp) => page.getByRole('menuitemradio', { name })
const column = (page: Page, name: string) =>
  page.locator(`[role=row] [data-column="${name}"]`).allInnerTexts()
const heads = async (page: Page) =>
  Promise.all(
    (await page.locator('[data-head]').all()).map((head) => head.getAttribute('data-head')),
  )
const searchIn = (page: Page) => decodeURIComponent(new URL(page.url()).search)
const searchBox = (page: Page) => page.getByRole('textbox', { name: 'Search and commands' })
const pinned = (page: Page) => page.getByRole('group', { name: 'Pinned views' }).getByRole('link')

async function open(account: TestAccount, path: string, person = {}) {
  const opened = await openApplication(browser(), path, { account, ...person })
  await opened.page.getByRole('grid').waitFor()
  await rest(opened.page)
  return opened
}

async function save(page: Page, name: string, isShared = false): Promise<void> {
  await button(page, 'Views').click()
  await item(page, 'Save as view').click()
  const dialog = page.getByRole('dialog')
  const field = dialog.getByRole('textbox', { name: 'Name' })
  await typeIn(field, name)
  if (isShared) await dialog.getByText('Everybody').click()
  await button(dialog, 'Save').click()
  await button(page, `View: ${name}`).waitFor()
}

test('a view of contacts brings its filter, order and columns, and is pinned to the navigation', async () => {
  const account = await newAccount()
  await addRecords(account.api, 'contacts', [
    { name: 'Ann Ore' },
    { name: 'Ben Ore' },
    { name: 'Cid' },
  ])
  const start = '/contacts?query=ore&sort=name&dir=asc'
  const { page, faults } = await open(account, start)
  await expect.poll(() => column(page, 'name')).toEqual(['Ann Ore', 'Ben Ore'])
  await save(page, 'Ores', true)
  const usual = await heads(page)
  expect(searchIn(page)).toMatch(/columns=name,.*&dir=asc&query=ore&sort=name&view=\d+$/)
  // A column more is another look than the view has, until it is saved in it.
  await button(page, 'Layout').click()
  await page.getByRole('menuitemcheckbox', { name: 'Created', exact: true }).click()
  await button(page, 'Layout').click()
  await button(page, 'View: Ores, changed').waitFor()
  await expect.poll(() => heads(page)).toEqual([...usual, 'created_at'])
  await button(page, 'Save the changes in Ores').click()
  await button(page, 'View: Ores').click()
  await item(page, 'Pin to the navigation').click()
  await expect.poll(() => pinned(page).allInnerTexts()).toEqual(['Ores'])
  await expect.poll(() => pinned(page).getAttribute('aria-current')).toBe('page')
  expect(await accessibilityFaults(page)).toEqual([])
  // The list itself keeps its own columns.
  await page.getByRole('navigation').getByRole('link', { name: 'Contacts', exact: true }).click()
  await expect.poll(() => column(page, 'name')).toEqual(['Cid', 'Ben Ore', 'Ann Ore'])
  await expect.poll(() => heads(page)).toEqual(usual)
  await expect.poll(() => pinned(page).getAttribute('aria-current')).toBe(null)
  await pinned(page).click()
  await expect.poll(() => column(page, 'name')).toEqual(['Ann Ore', 'Ben Ore'])
  await page.reload()
  await expect.poll(() => heads(page)).toEqual([...usual, 'created_at'])
  await expect.poll(() => column(page, 'name')).toEqual(['Ann Ore', 'Ben Ore'])
  // A colleague finds it by its name, and has pinned nothing.
  const { page: other } = await openApplication(browser(), '/home', { account })
  await shortcut(other, 'Control+k')
  const search = searchBox(other)
  await typeIn(search, 'ores')
  await other.locator('[data-action][data-selected]').filter({ hasText: 'View: Ores' }).waitFor()
  await keys(search, 'Enter')
  await expect.poll(() => column(other, 'name')).toEqual(['Ann Ore', 'Ben Ore'])
  await expect.poll(() => pinned(other).count()).toBe(0)
  // Who may not view contacts has no view of them.
  const { page: limited } = await openApplication(browser(), '/home', {
    account,
    is_admin: false,
    rights: { contacts: { view: 'D' }, leads: { view: 'A' } },
  })
  await shortcut(limited, 'Control+k')
  const limitedSearch = searchBox(limited)
  await typeIn(limitedSearch, 'ores')
  await limited.getByText('Nothing found').waitFor()
  await button(page, 'View: Ores').click()
  await item(page, 'Unpin from the navigation').click()
  await expect.poll(() => pinned(page).count()).toBe(0)
  expect(faults).toEqual([])
})

test('a view of leads is a board and a list, one key apart', async () => {
  const { page, pipeline, faults } = await openBoard(browser(), {
    leads: {
      New: [
        ['Pump order', 10],
        ['Roof', 20],
      ],
      Offer: [['Pump repair', 30]],
    },
    search: '?query=pump&sort=price',
  })
  await card(page, 'Pump order').waitFor()
  await save(page, 'Pumps')
  await shortcut(page, 'v')
  await page.getByRole('grid').waitFor()
  await button(page, 'View: Pumps').waitFor()
  await expect.poll(() => column(page, 'name')).toEqual(['Pump repair', 'Pump order'])
  // Back on the board, the view has its order again.
  await rest(page)
  await shortcut(page, 'v')
  await card(page, 'Pump order').waitFor()
  await button(page, 'View: Pumps').waitFor()
  await expect.poll(() => searchIn(page)).toMatch(/^\?query=pump&sort=price&view=\d+$/)
  // Another filter on the list is another filter than that of the view.
  await rest(page)
  await shortcut(page, 'v')
  await page.getByRole('grid').waitFor()
  await page.getByRole('button', { name: /^Search: “pump”/ }).waitFor()
  await rest(page)
  await shortcut(page, '/')
  const line = page.getByRole('combobox', { name: 'Filter' })
  await typeIn(line, '> 20')
  await keys(line, 'Enter')
  await expect.poll(() => column(page, 'name')).toEqual(['Pump repair'])
  await button(page, 'View: Pumps, changed').waitFor()
  // Saved in it, the view is that of a list.
  await button(page, 'Save the changes in Pumps').click()
  await button(page, 'View: Pumps').waitFor()
  await page.goto(new URL(`/leads/p/${pipeline}`, page.url()).href)
  await card(page, 'Roof').waitFor()
  await button(page, 'Views').click()
  await view(page, /^Pumps/).click()
  await page.getByRole('grid').waitFor()
  await expect.poll(() => column(page, 'name')).toEqual(['Pump repair'])
  expect(faults).toEqual([])
})

test('a view keeps the column that makes groups of a list', async () => {
  const account = await newAccount()
  await addRecords(account.api, 'companies', [{ name: 'Oak' }, { name: 'Pine' }])
  const { page } = await open(account, '/companies?group=responsible_user_id')
  const headings = () => page.locator('[data-group]').count()
  await expect.poll(headings).toBe(1)
  await save(page, 'By people')
  await button(page, 'Layout').click()
  await item(page, 'Do not group').click()
  await button(page, 'View: By people, changed').click()
  await expect.poll(headings).toBe(0)
  await item(page, 'Back to the saved view').click()
  await expect.poll(headings).toBe(1)
  await button(page, 'View: By people').waitFor()
})
