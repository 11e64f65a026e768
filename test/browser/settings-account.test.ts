// The pages of settings about the account itself: General and Customers.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { TestAccount } from '../account.ts'
import { addLead } from '../leads.ts'
import { accessibilityFaults, excuse, openApplication } from './application.ts'
import { useBrowser } from './chromium.ts'
import { keys, shortcut, type, untilFocused, walk } from './keys.ts'
import { resize, rest } from './rest.ts'

const browser = useBrowser()
const path = '/web/v1/account-settings'

const settingsOf = async ({ api }: TestAccount) =>
  (await api.get(path)).body as Record<string, unknown> & {
    working_hours: Record<string, { from: number; to: number }[]>
  }
const namesOf = async ({ api }: TestAccount) =>
  (await api.get('/api/v4/customers/statuses')).body._embedded.statuses.map(
    ({ name }: { name: string }) => name,
  ) as string[]

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
const choiceOf = (page: Page, name: string) => page.getByRole('combobox', { name, exact: true })
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click()

/** A PNG of one dot. */
const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
)

test('the account gets name, logo, currency, zone and hours, and the pages follow at once', async () => {
  const { page, account } = await openApplication(browser(), '/settings/general')
  await page.getByText('30 days').waitFor()
  await page.getByText('BIN_DAYS').waitFor()

  await field(page, 'Name').fill('')
  await save(page)
  await page.getByText('Enter a name.').waitFor()
  await type(field(page, 'Name'), 'Acme')
  await save(page)
  await page.getByRole('banner').getByText('Acme').waitFor()
  await field(page, 'Name').focus()
  await type(field(page, 'Name'), ' Ltd')
  await save(page)
  await page.getByRole('banner').getByText('Acme Ltd').waitFor()

  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose a picture' }).click()
  await (await chooser).setFiles({ name: 'a.svg', mimeType: 'image/svg+xml', buffer: dot })
  await page.getByText('Choose a PNG, JPEG or WebP picture.').waitFor()
  const again = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose a picture' }).click()
  await (await again).setFiles({ name: 'a.png', mimeType: 'image/png', buffer: dot })
  await page.getByRole('main').getByRole('img', { name: 'Logo of Acme Ltd' }).waitFor()
  await page.getByRole('link', { name: 'Acme Ltd' }).getByRole('img').waitFor()

  await choiceOf(page, 'Currency').fill('euro')
  await page.getByRole('option', { name: 'EUR · Euro · €' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('nothing is converted').waitFor()
  await dialog.getByRole('button', { name: 'Change' }).click()
  await expect.poll(async () => (await settingsOf(account))['currency_symbol']).toBe('€')
  await choiceOf(page, 'Time zone').fill('riga')
  await page.getByRole('option', { name: /^Europe\/Riga/ }).click()
  await dialog.getByText('Stored days and moments stay as they are').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect((await settingsOf(account))['timezone']).toBe('UTC')
  await choiceOf(page, 'Time zone').fill('riga')
  await page.getByRole('option', { name: /^Europe\/Riga/ }).click()
  await dialog.getByRole('button', { name: 'Change' }).click()
  await expect.poll(async () => (await settingsOf(account))['timezone']).toBe('Europe/Riga')

  await choiceOf(page, 'A chat waits').click()
  await page.getByRole('option', { name: '15 minutes', exact: true }).click()
  await choiceOf(page, 'A chat is late').click()
  await expect
    .poll(() => page.getByRole('option', { name: '5 minutes', exact: true }).count())
    .toBe(0)
  await page.getByRole('option', { name: '1 hour', exact: true }).click()
  await expect.poll(async () => (await settingsOf(account))['chat_late_minutes']).toBe(60)

  await page.getByRole('button', { name: 'Monday to Friday, 9:00 to 18:00' }).click()
  await page.getByRole('button', { name: 'Add hours: Saturday' }).click()
  await page.getByLabel('Saturday, to').fill('08:00')
  await page.getByText('The end should be after the beginning.').waitFor()
  await save(page)
  await untilFocused(page.getByLabel('Saturday, from'))
  expect((await settingsOf(account)).working_hours['monday']).toEqual([])
  await page.getByLabel('Saturday, to').fill('00:00')
  await save(page)
  await expect
    .poll(async () => (await settingsOf(account)).working_hours)
    .toMatchObject({
      monday: [{ from: 540, to: 1080 }],
      saturday: [{ from: 540, to: 1440 }],
      sunday: [],
    })
  await page.getByRole('button', { name: 'Save', exact: true }).waitFor({ state: 'detached' })
  expect(await accessibilityFaults(page)).toEqual([])
})

test('of two administrators the later one is asked whose value stays', async () => {
  const opened = await openApplication(browser(), '/settings/general', { name: 'Ann' })
  const { page, account, faults } = opened
  const bob = await openApplication(browser(), '/settings/general', { account, name: 'Bob' })
  await field(page, 'Name').fill('Of Ann')
  await field(bob.page, 'Name').fill('Of Bob')
  await save(bob.page)
  await page.getByText('Bob has changed this to Of Bob.').waitFor()
  await page.getByRole('button', { name: 'Take theirs' }).click()
  await expect.poll(() => field(page, 'Name').inputValue()).toBe('Of Bob')

  // News that do not come: the server itself refuses to overwrite.
  await page.route('**/web/v1/bootstrap', (route) => route.abort())
  await page.route('**/web/v1/account-settings', (route) =>
    route.request().method() === 'GET' ? route.abort() : route.continue(),
  )
  await choiceOf(bob.page, 'First day of the week').click()
  await bob.page.getByRole('option', { name: 'Sunday' }).click()
  await expect.poll(async () => (await settingsOf(account))['week_starts_on']).toBe(0)
  const refused = page.waitForResponse(
    (answer) => answer.url().endsWith(path) && answer.status() === 409,
  )
  await choiceOf(page, 'First day of the week').click()
  await page.getByRole('option', { name: 'Saturday' }).click()
  await refused
  await page.unrouteAll()
  await page.getByText('Bob has changed this to Sunday.').waitFor()
  await page.getByRole('button', { name: 'Keep mine' }).click()
  await expect.poll(async () => (await settingsOf(account))['week_starts_on']).toBe(6)
  await expect.poll(() => choiceOf(bob.page, 'First day of the week').inputValue()).toBe('Saturday')
  // The requests that were stopped above, and the refusal.
  expect(faults.splice(0).join()).toContain('409')
}, 60_000)

test('by keys alone on a phone, in the dark, until a task asks for its result', async () => {
  const { page, account } = await openApplication(
    browser(),
    '/settings/general',
    {},
    { colorScheme: 'dark', viewport: { width: 390, height: 844 }, hasTouch: true },
  )
  const first = choiceOf(page, 'First day of the week')
  await first.focus()
  await keys(first, 'ArrowDown', 'ArrowDown', 'Enter')
  await expect.poll(async () => (await settingsOf(account))['week_starts_on']).toBe(6)
  await walk(page, 'Tab')
  await keys(page.getByRole('switch', { name: 'Tasks need a result' }), 'Space')
  await expect.poll(async () => (await settingsOf(account))['is_task_result_required']).toBe(true)
  const add = page.getByRole('button', { name: 'Add hours: Sunday' })
  await add.focus()
  await keys(add, 'Enter')
  await page.getByLabel('Sunday, from').focus()
  await type(page.getByLabel('Sunday, from'), '1000AM')
  const send = page.getByRole('button', { name: 'Save', exact: true })
  await send.focus()
  await keys(send, 'Enter')
  await expect
    .poll(async () => (await settingsOf(account)).working_hours['sunday'])
    .toEqual([{ from: 600, to: 1080 }])
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  expect(await accessibilityFaults(page)).toEqual([])

  const lead = await addLead(account.api, { name: 'Pump order' })
  const { body } = await account.api.post('/api/v4/tasks', [
    {
      text: 'Call',
      complete_till: account.kontor.now() + 60,
      entity_id: lead,
      entity_type: 'leads',
    },
  ])
  const { id } = body._embedded.tasks[0]
  const isDone = async () => (await account.api.get(`/api/v4/tasks/${id}`)).body.is_completed
  await resize(page, 1440, 900)
  await page.goto(`${account.kontor.url}/leads/${lead}`)
  await page.getByRole('button', { name: 'Complete: Call' }).click()
  const result = page.getByRole('textbox', { name: 'Result' })
  await keys(result, 'Enter')
  await page.getByText('Say what came of it').waitFor()
  expect(await isDone()).toBe(false)
  await type(result, 'Sold')
  await keys(result, 'Enter')
  await expect.poll(isDone).toBe(true)
}, 60_000)

test('statuses of customers are named, coloured, ordered and deleted, and the mode says what it hides', async () => {
  const { page, account, faults } = await openApplication(browser(), '/home')
  await shortcut(page, 'Control+k')
  const menu = page.getByRole('textbox', { name: 'Search and commands' })
  await type(menu, 'periodic purchase')
  await page.getByRole('button', { name: 'Settings › Customers' }).waitFor()
  await keys(menu, 'ArrowDown', 'Enter')
  await page.getByRole('heading', { name: 'Customers', level: 1 }).waitFor()
  const row = (name: string) => page.getByRole('listitem').filter({ hasText: name })
  await row('Did not purchase').getByText('Always there').waitFor()
  await expect
    .poll(() =>
      row('Did not purchase')
        .getByRole('button', { name: /^Delete/ })
        .count(),
    )
    .toBe(0)

  await page.getByRole('button', { name: 'Add a status' }).click()
  const dialog = page.getByRole('dialog')
  await type(dialog.getByRole('textbox', { name: 'Name' }), 'Regular')
  await dialog.getByRole('radio', { name: 'Mint' }).check({ force: true })
  expect(await accessibilityFaults(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Add a status' }).click()
  await row('Regular').waitFor()
  const first = ['Recently purchased', 'Stage', 'Regular', 'Purchase expected']
  await expect.poll(async () => (await namesOf(account)).slice(0, 4)).toEqual(first)

  // By keys that do not wait for an answer, by the menu and by dragging.
  const handle = page.getByRole('button', { name: 'Move “Regular”', exact: true })
  await handle.focus()
  await keys(handle, 'Alt+ArrowUp', 'Alt+ArrowUp')
  await expect.poll(async () => (await namesOf(account)).indexOf('Regular')).toBe(0)
  await page.getByText('“Regular” is now 1 of 6').waitFor({ state: 'attached' })
  await untilFocused(handle)
  await handle.click()
  await page.getByRole('menuitem', { name: 'Down', exact: true }).click()
  await expect.poll(async () => (await namesOf(account)).indexOf('Regular')).toBe(1)
  await rest(page)
  await handle.dragTo(row('Purchase expected'), { targetPosition: { x: 200, y: 40 } })
  await expect.poll(async () => (await namesOf(account)).indexOf('Regular')).toBe(3)

  // A colleague renames what this page is renaming.
  await page.getByRole('button', { name: 'Name and color of Regular' }).click()
  const { body } = await account.api.get('/api/v4/customers/statuses')
  const { id } = body._embedded.statuses.find(({ name }: { name: string }) => name === 'Regular')
  await account.api.patch(`/api/v4/customers/statuses/${id}`, { name: 'Loyal' })
  await row('Loyal').waitFor({ state: 'attached' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Faithful')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Somebody has changed the name to “Loyal”').waitFor()
  await dialog.getByRole('button', { name: 'Keep mine' }).click()
  await row('Faithful').waitFor()
  await page.getByRole('button', { name: 'Delete Faithful' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect.poll(async () => await namesOf(account)).not.toContain('Faithful')

  await page.getByRole('radio', { name: 'Segments' }).click()
  await dialog.getByText('Hidden: the statuses').waitFor()
  await dialog.getByText('Stays: all customers').waitFor()
  await dialog.getByRole('button', { name: 'Change' }).click()
  await page.getByText('They are hidden while periodic purchases are off').waitFor()
  await page.getByRole('radio', { name: 'Off' }).click()
  await dialog.getByRole('button', { name: 'Change' }).click()
  await expect
    .poll(async () => (await account.api.get('/api/v4/account')).body.customers_mode)
    .toBe('disabled')
  expect(faults).toEqual([])
}, 60_000)

test('who is no administrator is refused by address and by the interface', async () => {
  const { page, account, faults } = await openApplication(browser(), '/settings/general', {
    is_admin: false,
  })
  await page.getByText('You have no access to this').waitFor()
  await page.goto(`${account.kontor.url}/settings/customers`)
  await page.getByText('You have no access to this').waitFor()
  await expect.poll(() => page.getByRole('link', { name: 'General' }).count()).toBe(0)
  const statuses = await page.evaluate<number[]>(`Promise.all([
    fetch('${path}'),
    fetch('${path}', { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: '{"name":"Mine"}' }),
    fetch('/web/v1/account-logo', { method: 'DELETE' }),
  ]).then((answers) => answers.map(({ status }) => status))`)
  expect(statuses).toEqual([403, 403, 403])
  excuse(faults, 403)
})
