// The links of a card and the purchases of a customer in a real browser, by the addresses of their
// records.
import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import type { Client } from '../client.ts'
import { phone } from '../complex.ts'
import { linksOf } from '../links.ts'
import { addRecord, readRecord } from '../records.ts'
import { accessibilityFaults, openApplication } from './application.ts'
import { useBrowser } from './chromium.ts'
import { keys, shortcut, type } from './keys.ts'
import { rest } from './rest.ts'

const browser = useBrowser()

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const add = (part: Locator, name: string) => part.getByRole('button', { name, exact: true })
/** The field of a section that finds records. */
const finder = (part: Locator) => part.getByPlaceholder('Find')
const focusedIn = (part: Locator, selector: string) =>
  part.locator(`${selector}:focus`).waitFor({ state: 'visible' })

/** Waits until the server answers what the page showed before it. */
const until = (read: () => Promise<unknown>, wanted: unknown) =>
  expect.poll(read, { timeout: 15_000 }).toEqual(wanted)

/** A catalog of products with prices; answers their ids by name. `special`: a second price field. */
async function addProducts(
  api: Client,
  prices: Record<string, number>,
  special: Record<string, number> = {},
) {
  const made = await api.post('/api/v4/catalogs', [{ name: 'Products', type: 'products' }])
  const catalog: number = made.body._embedded.catalogs[0].id
  const { body: more } = await api.post(`/api/v4/catalogs/${catalog}/custom_fields`, [
    { name: 'Wholesale', type: 'price', code: 'WHOLESALE' },
  ])
  const wholesale: number = more._embedded.custom_fields[0].id
  const priced = (field_code: string, value: number | undefined) =>
    value === undefined ? [] : [{ field_code, values: [{ value }] }]
  const drafts = Object.entries(prices).map(([name, value]) => ({
    name,
    custom_fields_values: [...priced('PRICE', value), ...priced('WHOLESALE', special[name])],
  }))
  const { body } = await api.post(`/api/v4/catalogs/${catalog}/elements`, drafts)
  const elements = body._embedded.elements as { id: number; name: string }[]
  return {
    catalog,
    wholesale,
    ids: Object.fromEntries(elements.map(({ id }, n) => [drafts[n]!.name, id])),
  }
}

describe('the links of a lead', () => {
  test('contacts are found, made, marked as the main one, changed, and unlinked with undo', async () => {
    const account = await newAccount()
    const { api } = account
    const lead = await addRecord(api, 'leads', { name: 'Pump order' })
    const ann = await addRecord(api, 'contacts', {
      name: 'Ann Berg',
      custom_fields_values: [phone('+371 2000')],
    })
    const { page } = await openApplication(browser(), `/leads/${lead}`, { account })
    const contacts = section(page, 'Contacts')
    await contacts.getByText('Link a contact').waitFor()

    await add(contacts, 'Add a contact').focus()
    await keys(add(contacts, 'Add a contact'), 'Enter')
    await type(finder(contacts), 'ann')
    await page.getByRole('option', { name: 'Ann Berg' }).waitFor()
    await keys(finder(contacts), 'Enter')
    await contacts.getByRole('link', { name: 'Ann Berg' }).waitFor()
    await contacts.getByText('Main', { exact: true }).waitFor()
    await expect
      .poll(() => contacts.getByRole('link', { name: 'Call +371 2000' }).getAttribute('href'))
      .toBe('tel:+3712000')
    await until(() => linksOf(api, 'leads', lead), [`contacts ${ann} main`])

    // The field is still there: what is not found is made, with what was typed.
    await type(finder(contacts), 'Ben Holm')
    await page.getByRole('option', { name: 'New contact “Ben Holm”' }).click()
    const form = contacts.getByRole('form', { name: 'Add a contact' })
    await expect.poll(() => form.getByLabel('Name').inputValue()).toBe('Ben Holm')
    await form.getByLabel('E-mail').fill('ben@example.com')
    await keys(form.getByLabel('E-mail'), 'Enter')
    await contacts.getByRole('link', { name: 'Write to ben@example.com' }).waitFor()
    await focusedIn(contacts, 'button[aria-label="Add a contact"]')
    await until(async () => (await linksOf(api, 'leads', lead)).length, 2)
    expect(await accessibilityFaults(page)).toEqual([])

    await contacts.getByRole('button', { name: 'Actions with Ben Holm' }).click()
    await page.getByRole('menuitem', { name: 'Make it the main contact' }).click()
    await contacts.getByRole('listitem').first().getByRole('link', { name: 'Ben Holm' }).waitFor()
    const ben = Number(
      (await contacts.getByRole('link', { name: 'Ben Holm' }).getAttribute('href'))!.split('/')[2],
    )
    await until(() => linksOf(api, 'leads', lead), [`contacts ${ann}`, `contacts ${ben} main`])

    await contacts.getByRole('button', { name: 'Actions with Ann Berg' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const edit = contacts.getByRole('form', { name: 'Ann Berg' })
    await edit.getByLabel('Name').fill('Ann Berg-Lind')
    await edit.getByLabel('Phone').fill('+371 2999')
    await keys(edit.getByLabel('Phone'), 'Enter')
    await contacts.getByRole('link', { name: 'Ann Berg-Lind' }).waitFor()
    await focusedIn(contacts, 'button[aria-label="Actions with Ann Berg-Lind"]')
    const changed = await readRecord(api, 'contacts', ann)
    expect([changed.name, changed.custom_fields_values[0].values[0].value]).toEqual([
      'Ann Berg-Lind',
      '+371 2999',
    ])

    await contacts.getByRole('button', { name: 'Actions with Ben Holm' }).click()
    await page.getByRole('menuitem', { name: 'Unlink' }).click()
    await contacts.getByRole('link', { name: 'Ben Holm' }).waitFor({ state: 'detached' })
    await focusedIn(contacts, 'button[aria-label="Actions with Ann Berg-Lind"]')
    await until(async () => (await linksOf(api, 'leads', lead)).length, 1)
    await page.getByRole('alert').getByRole('button', { name: 'Undo' }).click()
    await contacts.getByRole('link', { name: 'Ben Holm' }).waitFor()
    await until(() => linksOf(api, 'leads', lead), [`contacts ${ann}`, `contacts ${ben} main`])

    await contacts.getByRole('link', { name: 'Ben Holm' }).click()
    await page.waitForURL(`**/contacts/${ben}`)
  })

  /** A lead without products, and a lamp and a shelf that are looked for. */
  async function toProducts(second: Record<string, number> = {}) {
    const account = await newAccount()
    const { api } = account
    const made = await addProducts(api, { Lamp: 12.5, Shelf: 80 }, second)
    const lead = await addRecord(api, 'leads', { name: 'Pump order' })
    const { page, faults } = await openApplication(browser(), `/leads/${lead}`, { account })
    const products = section(page, 'Products')
    await add(products, 'Add a product').click()
    await page.getByRole('option', { name: 'Lamp' }).waitFor()
    return { ...made, account, api, lead, page, faults, products }
  }

  test('products have quantities and a sum; a refusal takes back what was shown', async () => {
    const { ids, api, lead, page, faults, products } = await toProducts()
    await page.getByRole('option', { name: 'Shelf' }).click()
    await products.getByRole('listitem').filter({ hasText: 'Shelf' }).waitFor()
    await type(finder(products), 'lam')
    await page.getByRole('option', { name: 'Lamp' }).waitFor()
    await keys(finder(products), 'Enter')
    await products.getByLabel('Quantity of Lamp').fill('3')
    await keys(products.getByLabel('Quantity of Lamp'), 'Enter')
    await products.getByText('$117.50').waitFor()
    const quantities = async () => {
      const { _embedded } = await readRecord(api, 'leads', lead, 'with=catalog_elements')
      return Object.fromEntries(
        _embedded.catalog_elements.map(
          ({ id, metadata }: { id: number; metadata: { quantity: number } }) => [
            id,
            metadata.quantity,
          ],
        ),
      )
    }
    await until(quantities, { [ids['Lamp']!]: 3, [ids['Shelf']!]: 1 })
    await products.getByRole('button', { name: 'Close' }).click()
    await focusedIn(products, 'button[aria-label="Add a product"]')

    await page.route('**/unlink', (route) => route.fulfill({ status: 503, body: '' }))
    await products.getByRole('button', { name: 'Unlink: Shelf' }).click()
    await page.getByRole('alert').filter({ hasText: 'The links were not changed' }).waitFor()
    await products.getByRole('listitem').filter({ hasText: 'Shelf' }).waitFor()
    expect(faults.splice(0).join()).toContain('503')
    await page.unroute('**/unlink')
    await products.getByRole('button', { name: 'Unlink: Shelf' }).click()
    await products.getByText('$37.50').last().waitFor()
    await until(quantities, { [ids['Lamp']!]: 3 })
    await page.getByRole('button', { name: 'Undo' }).click()
    await until(quantities, { [ids['Lamp']!]: 3, [ids['Shelf']!]: 1 })
  })

  test('a product of several prices is sold at the chosen one, and the sum follows', async () => {
    const opened = await toProducts({ Lamp: 10 })
    const { ids, wholesale, api, lead, page, faults, products } = opened
    await page.getByRole('option', { name: 'Shelf' }).click()
    await page.getByRole('option', { name: 'Lamp $12.50 · $10' }).click()
    await products.getByText('$92.50').waitFor()
    await expect
      .poll(() => products.getByRole('combobox', { name: 'Price of Shelf' }).count())
      .toBe(0)
    const quantity = products.getByLabel('Quantity of Lamp')
    await quantity.fill('3')
    await keys(quantity, 'Enter')
    const price = products.getByRole('combobox', { name: 'Price of Lamp' })
    await price.focus()
    await keys(price, 'Enter', 'ArrowDown', 'Enter')
    await products.getByText('$110').waitFor()
    const linked = async () => {
      const { _embedded } = await readRecord(api, 'leads', lead, 'with=catalog_elements')
      return Object.fromEntries(
        _embedded.catalog_elements.map(
          ({ id, metadata }: { id: number; metadata: { quantity: number; price_id: number } }) => [
            id,
            [metadata.quantity, metadata.price_id],
          ],
        ),
      )
    }
    await until(linked, { [ids['Lamp']!]: [3, wholesale], [ids['Shelf']!]: [1, null] })
    await page.reload()
    await products.getByText('$110').waitFor()
    await expect.poll(() => price.inputValue()).toBe('$10 · Wholesale')
    expect(await accessibilityFaults(page)).toEqual([])
    // A changed quantity keeps the price, and a refused price takes back what was shown.
    await quantity.fill('2')
    await keys(quantity, 'Enter')
    await until(linked, { [ids['Lamp']!]: [2, wholesale], [ids['Shelf']!]: [1, null] })
    await page.route('**/link', (route) => route.fulfill({ status: 503, body: '' }))
    await price.click()
    await page.getByRole('option', { name: '$12.50 · Price' }).click()
    await page.getByRole('alert').filter({ hasText: 'The links were not changed' }).waitFor()
    await expect.poll(() => price.inputValue()).toBe('$10 · Wholesale')
    expect(faults.splice(0).join()).toContain('503')
  })

  test('a card that was asked for before a change takes back nothing of it', async () => {
    const { ids, wholesale, api, lead, page, products } = await toProducts({ Lamp: 10 })
    await page.getByRole('option', { name: 'Lamp $12.50 · $10' }).click()
    const quantity = products.getByLabel('Quantity of Lamp')
    const price = products.getByRole('combobox', { name: 'Price of Lamp' })
    await quantity.waitFor()
    await rest(page)
    const bodies: object[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/link')) bodies.push(request.postDataJSON())
    })
    /** The answers that hold the new name, kept back in their order. */
    const releases: (() => Promise<void>)[] = []
    let isWithholding = true
    await page.route('**/web/v1/cards/leads/*', async (route) => {
      const response = await route.fetch()
      const isOfBefore = !(await response.text()).includes('urgent')
      if (isOfBefore || !isWithholding) await route.fulfill({ response })
      else releases.push(() => route.fulfill({ response }))
    })
    await api.patch(`/api/v4/leads/${lead}`, { name: 'Pump order, urgent' })
    await expect.poll(() => releases.length).toBe(1)

    const written = page.waitForResponse('**/link')
    await quantity.fill('3')
    await keys(quantity, 'Enter')
    await written
    await releases[0]!()
    await page.getByRole('heading', { name: 'Pump order, urgent' }).waitFor()
    await expect.poll(() => releases.length).toBe(2)
    await products.getByText('$37.50').first().waitFor()
    await price.focus()
    await keys(price, 'Enter', 'ArrowDown', 'Enter')
    await products.getByText('$30').first().waitFor()
    // A change says nothing of the terms that it is not about: others may change them meanwhile.
    const metadata = { catalog_id: expect.any(Number) }
    await expect
      .poll(() => bodies)
      .toEqual(
        [{ quantity: 3 }, { price_id: wholesale }].map((terms) => [
          expect.objectContaining({ metadata: { ...metadata, ...terms } }),
        ]),
      )
    isWithholding = false
    await releases[1]!()
    await rest(page)
    await products.getByText('$30').first().waitFor()
    const { _embedded } = await readRecord(api, 'leads', lead, 'with=catalog_elements')
    expect(_embedded.catalog_elements).toMatchObject([
      { id: ids['Lamp'], metadata: { quantity: 3, price_id: wholesale } },
    ])
  })

  test('what somebody else links appears, and who may not edit sees no ways to', async () => {
    const account = await newAccount()
    const { api } = account
    const lead = await addRecord(api, 'leads')
    const company = await addRecord(api, 'companies', { name: 'Acme' })
    const view = { view: 'A', edit: 'D', add: 'D', delete: 'D', export: 'D' } as const
    const { page } = await openApplication(browser(), `/leads/${lead}`, {
      account,
      is_admin: false,
      rights: { leads: view, contacts: view, companies: view },
    })
    await section(page, 'Company').getByText('No company yet').waitFor()
    await api.post(`/api/v4/leads/${lead}/link`, [
      { to_entity_id: company, to_entity_type: 'companies' },
    ])
    await section(page, 'Company').getByRole('link', { name: 'Acme' }).waitFor()
    await expect.poll(() => section(page, 'Company').getByRole('button').count()).toBe(0)
    await expect.poll(() => section(page, 'Contacts').getByRole('button').count()).toBe(0)
  })
})

test('a company tells open leads from closed ones, and makes leads and employees linked to it', async () => {
  const account = await newAccount()
  const { api } = account
  const company = await addRecord(api, 'companies', { name: 'Acme' })
  const linked = { _embedded: { companies: [{ id: company }] } }
  await addRecord(api, 'leads', { name: 'Running', price: 54_000, ...linked })
  await addRecord(api, 'leads', { name: 'Won before', status_id: 142, ...linked })
  const { page } = await openApplication(browser(), `/companies/${company}`, { account })
  const leads = section(page, 'Leads')
  const [open, closed] = [leads.getByRole('list').first(), leads.getByRole('list').last()]
  await open.getByText('$54,000').waitFor()
  await leads.getByText('Closed: 1').waitFor()
  await expect.poll(() => open.getByRole('link').allTextContents()).toEqual(['Running'])
  await expect.poll(() => closed.getByRole('link').allTextContents()).toEqual(['Won before'])

  await add(leads, 'Add a lead').click()
  await type(finder(leads), 'Second pump')
  await page.getByRole('option', { name: 'New lead “Second pump”' }).click()
  await open.getByRole('link', { name: 'Second pump' }).waitFor()
  await keys(finder(leads), 'Escape')
  await focusedIn(leads, 'button[aria-label="Add a lead"]')

  const employees = section(page, 'Employees')
  await add(employees, 'Add an employee').click()
  await type(finder(employees), '+371 2000')
  await page.getByRole('option', { name: 'New contact “+371 2000”' }).click()
  const name = employees.getByRole('form').getByLabel('Name')
  await name.fill('Nora')
  await keys(name, 'Enter')
  const nora = employees.getByRole('link', { name: 'Nora' })
  await nora.waitFor()
  const id = Number((await nora.getAttribute('href'))!.split('/')[2])
  await until(async () => {
    const { _embedded } = await readRecord(api, 'contacts', id)
    return _embedded.companies.map((each: { id: number }) => each.id)
  }, [company])
  expect(await accessibilityFaults(page)).toEqual([])
})

describe('the purchases of a customer', () => {
  const monthOfSeconds = 30 * 86_400
  const showPurchases = (page: Page) => page.getByRole('tab', { name: 'Purchases' }).click()
  const fact = (page: Page, name: string) =>
    section(page, 'Purchases').locator('dl > div').filter({ hasText: name }).locator('dd')

  /** Holds timers of five seconds, in which a deletion can be taken back, until the test lets them end. */
  const undoJob = `{
    const [start, stop, held] = [setTimeout, clearTimeout, new Map()]
    let last = 0
    window.setTimeout = (run, ms, ...rest) =>
      ms === 5000 ? (held.set(--last, run), last) : start(run, ms, ...rest)
    window.clearTimeout = (id) => (held.delete(id) ? undefined : stop(id))
    window.endHeld = () => { for (const run of held.values()) run() }
  }`

  async function withCustomer() {
    const account = await newAccount()
    await account.api.patch('/api/v4/customers/mode', { mode: 'periodicity', is_enabled: true })
    const next_date = account.kontor.now() + monthOfSeconds
    const customer = await addRecord(account.api, 'customers', { name: 'Nord', next_date })
    return { account, api: account.api, customer }
  }

  test('are added with items and the next date, and the sums follow at once', async () => {
    const { account, api, customer } = await withCustomer()
    const { catalog, ids } = await addProducts(api, { Lamp: 12.5, Shelf: 80 })
    const { page } = await openApplication(browser(), `/customers/${customer}`, { account })
    const purchases = section(page, 'Purchases')
    await showPurchases(page)
    await purchases.getByText('No purchases yet').waitFor()
    await shortcut(page, 'b')
    const form = purchases.getByRole('form', { name: 'New purchase' })
    await keys(form.getByLabel('Amount'), 'Control+Enter')
    await form.getByText('Enter an amount.').waitFor()
    await form.getByRole('button', { name: 'Find a product' }).click()
    await page.getByRole('option', { name: 'Shelf' }).click()
    await form.getByLabel('Quantity of Shelf').fill('2')
    await form.getByLabel('Comment').fill('Second delivery')
    await form.getByLabel('Next purchase on').fill('2031-02-01')
    // The items make the amount.
    await expect.poll(() => form.getByLabel('Amount').inputValue()).toBe('160')
    expect(await accessibilityFaults(page)).toEqual([])
    await keys(form.getByLabel('Next purchase on'), 'Control+Enter')
    await purchases.getByRole('listitem').filter({ hasText: 'Second delivery' }).waitFor()
    await form.waitFor({ state: 'detached' })
    await focusedIn(purchases, 'button')
    await expect.poll(() => fact(page, 'Brought in').textContent()).toBe('$160')
    await expect.poll(() => fact(page, 'Average purchase').textContent()).toBe('$160')
    await expect.poll(() => fact(page, 'Next purchase').textContent()).toContain('2031')
    const { body } = await api.get(`/api/v4/customers/${customer}/transactions`)
    const [purchase] = body._embedded.transactions
    expect(purchase).toMatchObject({ price: 160, comment: 'Second delivery' })
    expect(purchase._embedded.catalog_elements).toMatchObject([
      { id: ids['Shelf'], metadata: { catalog_id: catalog, quantity: 2 } },
    ])
    // The bars have a twin for screen readers.
    const month = purchases.getByRole('table', { name: 'Purchases by month' }).getByRole('row')
    await expect.poll(() => month.last().textContent()).toContain('$160')
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('count an item at the price that is chosen for it', async () => {
    const { account, api, customer } = await withCustomer()
    await addProducts(api, { Lamp: 12.5 }, { Lamp: 10 })
    const { page } = await openApplication(browser(), `/customers/${customer}`, { account })
    const purchases = section(page, 'Purchases')
    await showPurchases(page)
    await purchases.getByText('No purchases yet').waitFor()
    await shortcut(page, 'b')
    const form = purchases.getByRole('form', { name: 'New purchase' })
    await form.getByRole('button', { name: 'Find a product' }).click()
    await page.getByRole('option', { name: 'Lamp' }).click()
    await form.getByLabel('Quantity of Lamp').fill('4')
    await expect.poll(() => form.getByLabel('Amount').inputValue()).toBe('50')
    const price = form.getByRole('combobox', { name: 'Price of Lamp' })
    await price.click()
    await page.getByRole('option', { name: '$10 · Wholesale' }).click()
    await expect.poll(() => form.getByLabel('Amount').inputValue()).toBe('40')
    expect(await accessibilityFaults(page)).toEqual([])
    await keys(price, 'Control+Enter')
    await expect.poll(() => fact(page, 'Brought in').textContent()).toBe('$40')
  })

  test('are deleted after a question and some seconds, unless it is undone', async () => {
    const { account, api, customer } = await withCustomer()
    await api.post(`/api/v4/customers/${customer}/transactions`, [{ price: 100 }, { price: 40 }])
    const kept = async () => {
      const { body } = await api.get(`/api/v4/customers/${customer}/transactions`)
      return body._embedded.transactions.map(({ price }: { price: number }) => price)
    }
    const { page } = await openApplication(browser(), '/', { account })
    await page.addInitScript(undoJob)
    await page.goto(`${account.kontor.url}/customers/${customer}`)
    const purchases = section(page, 'Purchases')
    await showPurchases(page)
    const rows = purchases.getByRole('listitem')
    const remove = async (name: string) => {
      await purchases.getByRole('button', { name }).click()
      const dialog = page.getByRole('dialog', { name: 'Delete this purchase?' })
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await dialog.waitFor({ state: 'hidden' })
    }
    await remove('Delete the purchase of $40')
    await expect.poll(() => rows.count()).toBe(1)
    await expect.poll(() => fact(page, 'Brought in').textContent()).toBe('$100')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => rows.count()).toBe(2)
    await expect.poll(() => fact(page, 'Average purchase').textContent()).toBe('$70')
    await page.evaluate('endHeld()')
    expect(await kept()).toEqual([100, 40])

    await remove('Delete the purchase of $40')
    await expect.poll(() => rows.count()).toBe(1)
    expect(await kept()).toEqual([100, 40])
    await page.evaluate('endHeld()')
    await until(kept, [100])
    await expect.poll(() => fact(page, 'Brought in').textContent()).toBe('$100')

    // Leaving the card does not wait.
    await remove('Delete the purchase of $100')
    await page.getByRole('link', { name: 'Home' }).click()
    await until(kept, [])
  })

  test('say that customers are turned off, also where the server does', async () => {
    const { account, customer } = await withCustomer()
    const { page, faults } = await openApplication(browser(), '/', { account })
    await page.route('**/transactions?**', (route) =>
      route.fulfill({ status: 422, contentType: 'application/problem+json', body: '{}' }),
    )
    await page.goto(`${account.kontor.url}/customers/${customer}`)
    await showPurchases(page)
    await section(page, 'Purchases').getByText('Customers are turned off').waitFor()
    await expect.poll(() => section(page, 'Purchases').getByRole('button').count()).toBe(0)
    expect(faults.splice(0).join()).toContain('422')
  })
})

test.each([
  ['light', 390, 844],
  ['dark', 1440, 900],
] as const)(
  'axe finds nothing in the %s theme at %d pixels',
  async (colorScheme, width, height) => {
    const account = await newAccount()
    const { api } = account
    await addProducts(api, { Lamp: 12.5 })
    const contact = await addRecord(api, 'contacts', {
      name: 'Ann Berg',
      custom_fields_values: [phone('+371 2000')],
    })
    const linked = { _embedded: { contacts: [{ id: contact }] } }
    const next_date = account.kontor.now() + 86_400
    const customer = await addRecord(api, 'customers', { name: 'Nord', next_date, ...linked })
    await api.post(`/api/v4/customers/${customer}/transactions`, [{ price: 100, comment: 'First' }])
    const options = { colorScheme, viewport: { width, height } }
    const path = `/customers/${customer}`
    const { page } = await openApplication(browser(), path, { account }, options)
    const contacts = section(page, 'Contacts')
    await add(contacts, 'Add a contact').click()
    await type(finder(contacts), 'ann')
    await page.getByRole('option', { name: 'New contact “ann”' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await keys(finder(contacts), 'Escape')
    // A phone has one part of the card at a time.
    const main = page.getByRole('main')
    await (
      width < 900
        ? main.getByText('Purchases', { exact: true }).first()
        : page.getByRole('tab', { name: 'Purchases' })
    ).click()
    await section(page, 'Purchases').getByText('First').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect(await page.evaluate<number>(overflow)).toBe(0)
  },
)
