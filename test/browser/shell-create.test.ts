// The create menu in a real browser: each noun by keys or by the mouse, what the server refuses, and
// who is offered what.
import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { addRecord, readRecord } from '../records.ts'
import { accessibilityFaults, openApplication } from './application.ts'
import { useBrowser } from './chromium.ts'
import { keys, shortcut, type, untilFocused, walk } from './keys.ts'

const browser = useBrowser()

/** Opens a dialog by its keys. */
async function open(page: Page, letters: string, name: string) {
  await shortcut(page, ...letters.split(''))
  const dialog = page.getByRole('dialog', { name })
  await dialog.getByRole('button', { name: 'Create' }).waitFor()
  return dialog
}

const firstField = (dialog: Locator) => dialog.locator('form').locator('input, textarea').first()

const idIn = (page: Page) => Number(new URL(page.url()).pathname.split('/')[2])

test('a lead with its contact is created by keys alone, and opens', async () => {
  const { page, account } = await openApplication(browser())
  const dialog = await open(page, 'cl', 'New lead')
  await type(firstField(dialog), 'Slate roof')
  for (const [label, typed] of [
    ['Pipeline', ''],
    ['Stage', ''],
    ['Price', '54000'],
    ['Responsible', ''],
    ['Contact name', 'Ann Berg'],
    ['Phone', '+371 2000'],
  ] as const) {
    await walk(page, 'Tab')
    await type(dialog.getByLabel(label), typed)
  }
  await keys(dialog.getByLabel('Phone'), 'Control+Enter')
  await page.getByRole('heading', { name: 'Slate roof' }).waitFor()
  await page.getByRole('link', { name: 'Slate roof' }).waitFor()
  const lead = await readRecord(account.api, 'leads', idIn(page), 'with=contacts')
  expect(lead).toMatchObject({ name: 'Slate roof', price: 54_000 })
  const contact = await readRecord(account.api, 'contacts', lead._embedded.contacts[0].id)
  expect(contact.name).toBe('Ann Berg')
  expect(contact.custom_fields_values[0].values[0].value).toBe('+371 2000')
})

test('the menu is used by the mouse, by its letters and by arrows', async () => {
  const { page } = await openApplication(browser())
  const button = page.getByRole('banner').getByRole('button', { name: 'Create' })
  const title = (name: string) => page.getByRole('dialog', { name })
  await button.click()
  await page.getByRole('menuitem', { name: 'Company' }).click()
  await keys(firstField(title('New company')), 'Escape')
  await title('New company').waitFor({ state: 'hidden' })
  await button.click()
  await page.getByRole('menu').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await keys(page.getByRole('menu'), 't')
  await keys(firstField(title('New task')), 'Escape')
  await title('New task').waitFor({ state: 'hidden' })
  await untilFocused(button)
  await shortcut(page, 'c')
  await keys(page.getByRole('menu'), 'Escape')
  await page.getByRole('menu').waitFor({ state: 'hidden' })
})

test('a contact gets a company that the field finds', async () => {
  const { page, account } = await openApplication(browser())
  const company = await addRecord(account.api, 'companies', { name: 'Vega Holding' })
  const dialog = await open(page, 'cc', 'New contact')
  await dialog.getByLabel('First name').fill('Nora')
  await dialog.getByLabel('Last name').fill('Lind')
  await dialog.getByLabel('E-mail').fill('nora@example.com')
  await dialog.getByRole('combobox', { name: 'Company' }).fill('vega')
  await page.getByRole('option', { name: 'Vega Holding' }).click()
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'Nora Lind' }).waitFor()
  const contact = await readRecord(account.api, 'contacts', idIn(page))
  expect(contact._embedded.companies.map(({ id }: { id: number }) => id)).toEqual([company])
  expect(contact.custom_fields_values[0].field_code).toBe('EMAIL')
})

test('what the server refuses stands at the field, and one sending makes one record', async () => {
  const { page, account, faults } = await openApplication(browser())
  const dialog = await open(page, 'co', 'New company')
  const [name, phone] = [dialog.getByLabel('Name'), dialog.getByLabel('Phone')]
  await keys(name, 'Control+Enter')
  await dialog.getByText('Enter a name.').waitFor()
  await name.fill('x'.repeat(300))
  await keys(name, 'Control+Enter')
  await dialog.getByText('It should have 255 characters or less').waitFor()
  await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true')
  await name.fill('Vega')
  await phone.fill('1'.repeat(300))
  await keys(phone, 'Control+Enter')
  await dialog.getByText('It should have 256 characters or less').waitFor()
  await expect.poll(() => name.getAttribute('aria-invalid')).toBeNull()
  await expect.poll(() => phone.getAttribute('aria-invalid')).toBe('true')
  expect(await accessibilityFaults(page)).toEqual([])
  expect(faults.splice(0).join()).toContain('400')
  let sendings = 0
  let isCut = true
  let answer = () => {}
  const isAnswered = new Promise<void>((resolve) => (answer = resolve))
  // One route for both: a page may send a request past a route that replaces another one.
  await page.route('**/api/v4/companies', async (route) => {
    if (isCut) return route.abort()
    sendings++
    await isAnswered
    await route.continue()
  })
  await phone.fill('')
  await keys(phone, 'Control+Enter')
  await dialog.getByText('The server does not answer').waitFor()
  await expect.poll(() => name.inputValue()).toBe('Vega')
  expect(faults.splice(0).join()).toContain('ERR_FAILED')
  isCut = false
  await keys(phone, 'Control+Enter', 'Control+Enter', 'Control+Enter')
  await dialog.locator('button[data-loading]').waitFor()
  answer()
  await page.getByRole('heading', { name: 'Vega' }).waitFor()
  expect(sendings).toBe(1)
  const { body } = await account.api.get('/api/v4/companies')
  expect(body._embedded.companies).toHaveLength(1)
})

const nouns = [
  ['cl', 'New lead', 'leads'],
  ['cc', 'New contact', 'contacts'],
  ['co', 'New company', 'companies'],
  ['cb', 'New customer', 'customers'],
  ['ct', 'New task', 'tasks'],
] as const

test('an answer that is lost is asked for again, and there is one record', async () => {
  const { page, account, faults } = await openApplication(browser())
  await account.api.patch('/api/v4/customers/mode', { mode: 'periodicity', is_enabled: true })
  await page.reload()
  await page.getByRole('main').waitFor()
  let losses = 0
  await page.route(/\/api\/v4\/\w+(?:\/complex)?$/, async (route) => {
    if (route.request().method() !== 'POST' || losses === 0) return route.continue()
    losses--
    // The server has done it.
    expect((await route.fetch()).ok()).toBe(true)
    await route.abort()
  })
  for (const [letters, title, noun] of [...nouns, nouns[0]]) {
    losses = 1
    const dialog = await open(page, letters, title)
    await type(firstField(dialog), `Once ${title}`)
    // With a contact, a lead is created by another method.
    const isTogether = noun === 'leads' && faults.length > 0
    if (isTogether) await dialog.getByLabel('Contact').fill('Once more')
    await keys(dialog, 'Control+Enter')
    await dialog.getByText('The server does not answer').waitFor()
    await keys(dialog, 'Control+Enter')
    await dialog.waitFor({ state: 'hidden' })
    const { body } = await account.api.get(`/api/v4/${noun}?limit=250`)
    const named = body._embedded[noun].map((each: { name?: string; text?: string }) =>
      noun === 'tasks' ? each.text : each.name,
    )
    const made = named.filter((name: string) => name === `Once ${title}`)
    expect([noun, made.length]).toEqual([noun, isTogether ? 2 : 1])
    // The page of the new record takes the focus from the dialog, and the keys with it.
    if (noun !== 'tasks') await page.getByRole('heading', { name: `Once ${title}` }).waitFor()
  }
  const { body } = await account.api.get('/api/v4/contacts?query=Once more')
  expect(body._embedded.contacts).toHaveLength(1)
  expect(faults.splice(0).every((fault) => fault.includes('ERR_FAILED'))).toBe(true)
})

test('a customer is due on the day that is chosen, in the zone of the account', async () => {
  const { page, account } = await openApplication(browser())
  await account.api.patch('/api/v4/customers/mode', { mode: 'periodicity', is_enabled: true })
  await page.reload()
  await page.getByRole('main').waitFor()
  const dialog = await open(page, 'cb', 'New customer')
  await type(firstField(dialog), 'Orion Bakery')
  await dialog.getByLabel('Next purchase on').fill('2030-02-01')
  await dialog.getByLabel('Expected amount').fill('120')
  await keys(dialog.getByLabel('Expected amount'), 'Control+Enter')
  await page.getByRole('heading', { name: 'Orion Bakery' }).waitFor()
  const zone = (await account.api.get('/web/v1/bootstrap')).body?.account?.timezone
  const customer = await readRecord(account.api, 'customers', idIn(page))
  const day = new Intl.DateTimeFormat('sv-SE', {
    ...(zone && { timeZone: zone }),
    dateStyle: 'short',
    timeStyle: 'short',
  }).format(customer.next_date * 1000)
  expect([day, customer.next_price]).toEqual(['2030-02-01 00:00', 120])
})

test('a task is of the record on the page, and its time is that of the user', async () => {
  const { page, account } = await openApplication(browser(), '/settings/preferences')
  const zone = page.getByRole('combobox', { name: 'Time zone' })
  await zone.fill('kiritimati')
  await page.getByRole('option', { name: 'Pacific/Kiritimati' }).click()
  await page.getByRole('status').filter({ hasText: 'Saved' }).first().waitFor()
  const lead = await addRecord(account.api, 'leads', { name: 'Marble stairs' })
  const nora = await account.addUser({ name: 'Nora Blind', rights: { leads: {} } })
  await page.goto(`${account.kontor.url}/leads/${lead}`)
  await page.getByRole('heading', { name: 'Marble stairs' }).waitFor()
  const dialog = await open(page, 'ct', 'New task')
  await type(firstField(dialog), 'Send the offer')
  await expect
    .poll(() => dialog.getByRole('combobox', { name: 'Belongs to' }).inputValue())
    .toBe('Marble stairs')
  // Who may not view the record is named before the choice.
  await dialog.getByRole('combobox', { name: 'Responsible' }).click()
  await page.getByRole('option', { name: 'Nora Blind Cannot open this record' }).click()
  await dialog.getByText('Nora Blind cannot open this record and sees only the task.').waitFor()
  await dialog.getByRole('button', { name: 'In a week' }).click()
  const due = dialog.getByLabel('Due', { exact: true })
  await due.fill('2030-05-06T07:30')
  await keys(due, 'Control+Enter')
  await dialog.waitFor({ state: 'hidden' })
  await page.getByRole('alert').getByRole('link', { name: 'Marble stairs' }).waitFor()
  const { body } = await account.api.get('/api/v4/tasks')
  expect(body._embedded.tasks).toMatchObject([
    {
      text: 'Send the offer',
      entity_type: 'leads',
      entity_id: lead,
      responsible_user_id: nora.id,
      complete_till: Date.parse('2030-05-06T07:30+14:00') / 1000,
    },
  ])
})

test('what was typed is not lost by a slip of the hand', async () => {
  const { page } = await openApplication(browser())
  const dialog = await open(page, 'cl', 'New lead')
  await type(firstField(dialog), 'Half a th')
  await keys(firstField(dialog), 'Escape')
  const discardDialog = page.getByRole('dialog', { name: 'Discard what you typed?' })
  await discardDialog.waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await keys(discardDialog, 'Escape')
  await discardDialog.waitFor({ state: 'hidden' })
  await expect.poll(() => dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('Half a th')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await discardDialog.getByRole('button', { name: 'Discard' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await open(page, 'cl', 'New lead')
  await expect.poll(() => dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('')
})

describe('the menu offers what the rights allow', () => {
  const offered = async (page: Page) => {
    await page.getByRole('banner').getByRole('button', { name: 'Create' }).click()
    await page.getByRole('menuitem', { name: 'Task' }).waitFor()
    const items = page.getByRole('menuitem')
    return (await items.allTextContents()).map((text) => /^[A-Z][a-z]+(?=C)/.exec(text)![0])
  }

  test('to somebody who may add contacts alone', async () => {
    const person = { is_admin: false, rights: { contacts: { add: 'A', view: 'A' } } } as const
    const { page } = await openApplication(browser(), '/notifications', person)
    expect(await offered(page)).toEqual(['Contact', 'Task'])
    await keys(page.getByRole('menu'), 'Escape')
    await page.getByRole('menu').waitFor({ state: 'hidden' })
    // The letter of what is not offered does nothing.
    await shortcut(page, 'c', 'l')
    await page.getByRole('menu').waitFor()
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  })

  test('and no contact in a lead to somebody who may add leads alone', async () => {
    const person = { is_admin: false, rights: { leads: { add: 'A', view: 'A' } } } as const
    const { page } = await openApplication(browser(), '/home', person)
    const dialog = await open(page, 'cl', 'New lead')
    await expect.poll(() => dialog.getByLabel('Contact name').count()).toBe(0)
    await type(firstField(dialog), 'Alone')
    await keys(firstField(dialog), 'Control+Enter')
    await page.getByRole('heading', { name: 'Alone' }).waitFor()
  })
})

test.each(['light', 'dark'] as const)('axe finds nothing in the %s theme', async (colorScheme) => {
  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    const { page } = await openApplication(browser(), '/home', {}, { colorScheme, viewport })
    for (const [letters, name] of [
      ['cl', 'New lead'],
      ['cc', 'New contact'],
      ['co', 'New company'],
      ['ct', 'New task'],
    ] as const) {
      const dialog = await open(page, letters, name)
      expect(await accessibilityFaults(page)).toEqual([])
      await keys(dialog, 'Escape')
      await dialog.waitFor({ state: 'hidden' })
    }
  }
})

test.each([
  ['ru', 'Новая сделка'],
  ['es', 'Nuevo lead'],
  ['pt', 'Novo lead'],
])('speaks %s to a user of that language', async (language, title) => {
  const { page } = await openApplication(browser(), '/home', { language })
  await page.getByRole('heading', { level: 1 }).waitFor()
  await shortcut(page, 'c', 'l')
  await page.getByRole('dialog', { name: title }).waitFor()
})
