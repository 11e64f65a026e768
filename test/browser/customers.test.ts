// The tables of customers: by statuses and next purchases, and by segments that overlap.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { addRecords, readRecord } from '../records.ts'
import { accessibilityFaults, openApplication } from './application.ts'
import { useBrowser } from './chromium.ts'
import { keys, shortcut, type as typeIn, untilFocused } from './keys.ts'
import { resize, rest } from './rest.ts'

const browser = useBrowser()

const table = (page: Page) => page.getByRole('grid')
const cell = (page: Page, row: number, column: string) =>
  page.locator(`[aria-rowindex="${row + 2}"] [data-column="${column}"]`)
const column = (page: Page, name: string) =>
  page.locator(`[role=row] [data-column="${name}"]`).allInnerTexts()

async function openList(account: TestAccount, path: string) {
  const opened = await openApplication(browser(), path, { account })
  await table(opened.page).waitFor()
  await rest(opened.page)
  return opened
}

const day = 86_400

test('customers have a status and a next purchase, which are edited, filtered, grouped and taken back', async () => {
  const account = await newAccount()
  const { api } = account
  const now = account.kontor.now()
  const [nord, roza] = (await addRecords(api, 'customers', [
    { name: 'Nord', next_date: now - 40 * day, next_price: 900 },
    { name: 'Roza', next_date: now + 60 * day, next_price: 1200 },
  ])) as [number, number]
  await api.post(`/api/v4/customers/${roza}/transactions`, [{ price: 300 }, { price: 500 }])
  const { page, faults } = await openList(account, '/customers?sort=name&dir=asc')
  await expect.poll(() => column(page, 'ltv')).toEqual(['', '$800'])
  await expect.poll(() => column(page, 'purchases_count')).toEqual(['', '2'])
  // The date of one has passed; the other is not late.
  const late = () => cell(page, 0, 'next_date').locator('[data-late]').count()
  await expect.poll(late).toBe(1)
  await expect.poll(() => cell(page, 1, 'next_date').locator('[data-late]').count()).toBe(0)
  expect(await accessibilityFaults(page)).toEqual([])
  // Another date moves a customer to the status that it says.
  const status = async () => (await column(page, 'status_id'))[0]
  await expect.poll(status).toMatch(/Closed|Did not/)
  await cell(page, 0, 'next_date').click({ position: { x: 3, y: 4 } })
  await keys(table(page), 'Enter')
  const date = cell(page, 0, 'next_date').locator('input')
  await date.fill('2031-05-05')
  await keys(date, 'Enter')
  await expect.poll(status).toBe('Stage')
  await expect.poll(late).toBe(0)
  await shortcut(page, 'Control+z')
  await expect.poll(status).toMatch(/Closed|Did not/)
  // What the server computes is not typed.
  await cell(page, 0, 'ltv').click({ position: { x: 3, y: 4 } })
  await keys(table(page), 'Enter')
  await expect.poll(() => cell(page, 0, 'ltv').locator('input').count()).toBe(0)
  // A line for a new one proposes a date, and needs one.
  await keys(table(page), 'n')
  const form = page.getByRole('form', { name: 'New customer' })
  const [name, next] = [form.getByRole('textbox', { name: 'Name' }), form.locator('[type=date]')]
  await untilFocused(name)
  await typeIn(name, 'Metsa')
  await next.fill('')
  await keys(next, 'Enter')
  await form.getByText('Enter the day of the next purchase.').waitFor()
  await untilFocused(next)
  await next.fill('2031-06-01')
  await keys(next, 'Enter')
  await expect.poll(() => column(page, 'name')).toEqual(['Metsa', 'Nord', 'Roza'])
  await keys(name, 'Escape')
  // Late ones alone, by the filter that is ready.
  await page.goto(`${account.kontor.url}/customers?filter[next_date]=overdue`)
  await expect.poll(() => column(page, 'name')).toEqual(['Nord'])
  await page.getByRole('button', { name: /Next purchase: Overdue/ }).waitFor()
  await page.goto(`${account.kontor.url}/customers?group=status_id&sort=name&dir=asc`)
  await page.getByRole('button', { name: /Stage/ }).waitFor()
  // All at once: one job, and its undo.
  await table(page).focus()
  await keys(table(page), 'Control+a')
  await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByText('All 3 customers').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No customers yet').waitFor()
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await page.getByText('Customers. As before: 3').waitFor()
  expect(await readRecord(api, 'customers', nord)).toMatchObject({ name: 'Nord' })
  expect(faults).toEqual([])
})

test('customers stand in segments that overlap, and each change sends the whole set', async () => {
  const account = await newAccount()
  const { api } = account
  await api.patch('/api/v4/customers/mode', { mode: 'segments', is_enabled: true })
  const { page, faults } = await openApplication(browser(), '/settings/customers', { account })
  const add = page.getByRole('button', { name: 'Add a segment' })
  const dialog = page.getByRole('dialog')
  for (const [name, color] of [
    ['Loyal', 'Turquoise'],
    ['Asleep', 'Rust'],
  ] as const) {
    await add.first().click()
    await dialog.getByRole('textbox', { name: 'Name' }).fill(name)
    await dialog.getByRole('radio', { name: color, exact: true }).check()
    await dialog.getByRole('button', { name: 'Add a segment' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await page.getByText('2 of 100').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  const segments = (await api.get('/api/v4/customers/segments')).body._embedded.segments as {
    id: number
    color: string
  }[]
  expect(segments.map(({ color }) => color)).toEqual(['06d6a0', 'bf2600'])
  const [loyal, asleep] = segments.map(({ id }) => id)
  const into = (...ids: (number | undefined)[]) => ({
    _embedded: { segments: ids.map((id) => ({ id })) },
  })
  const [ann] = (await addRecords(api, 'customers', [
    { name: 'Ann', ...into(loyal) },
    { name: 'Bob', ...into(loyal, asleep) },
    { name: 'Cid' },
  ])) as [number]
  await page.goto(`${account.kontor.url}/customers?sort=name&dir=asc`)
  const rail = page.getByRole('navigation', { name: 'Segments' })
  await rail.getByRole('link', { name: 'Loyal 2' }).click()
  await expect.poll(() => column(page, 'name')).toEqual(['Ann', 'Bob'])
  await rail.getByRole('checkbox', { name: 'Also in Asleep' }).check()
  await expect.poll(() => column(page, 'name')).toEqual(['Bob'])
  await page.getByText('In Loyal and Asleep: 1 customer.').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await rail.getByRole('link', { name: /All customers/ }).click()
  await expect.poll(() => column(page, 'name')).toEqual(['Ann', 'Bob', 'Cid'])
  await table(page).focus()
  await shortcut(page, ']')
  await expect.poll(() => column(page, 'name')).toEqual(['Ann', 'Bob'])
  await shortcut(page, '[')
  await expect.poll(() => column(page, 'name')).toEqual(['Ann', 'Bob', 'Cid'])
  // A colleague changes the set while it is being edited: that is said, and nothing is overwritten unseen.
  await cell(page, 0, 'segment_ids').click({ position: { x: 3, y: 4 } })
  await keys(table(page), 'Enter')
  const field = cell(page, 0, 'segment_ids').locator('input:not([type=hidden])').first()
  await untilFocused(field)
  await page.getByRole('option', { name: 'Asleep' }).click()
  await api.patch(`/api/v4/customers/${ann}`, into())
  const mine = page.getByRole('button', { name: 'Keep mine' })
  await mine.waitFor()
  // The open list of choices lies over it.
  await keys(field, 'Escape')
  await mine.click()
  const setOf = async () =>
    (await readRecord(api, 'customers', ann))._embedded.segments.map(({ id }: { id: number }) => id)
  await expect.poll(setOf).toEqual([loyal, asleep])
  await rail.getByRole('link', { name: 'Asleep 2' }).waitFor()
  await resize(page, 390, 844)
  await rail.getByRole('link', { name: 'Asleep 2' }).click()
  await expect.poll(() => column(page, 'name')).toEqual(['Ann', 'Bob'])
  expect(await accessibilityFaults(page)).toEqual([])
  // Turned off, they are not shown, and an administrator is led to the switch.
  await api.patch('/api/v4/customers/mode', { mode: 'segments', is_enabled: false })
  await page.goto(`${account.kontor.url}/customers`)
  await page.getByRole('link', { name: 'Turn on customers' }).click()
  await page.getByRole('heading', { name: 'Customers' }).waitFor()
  expect(faults).toEqual([])
})
