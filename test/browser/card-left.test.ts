// The left halves of the cards of companies and customers in a real browser, with real data: by the
// mouse, and by the keyboard alone.
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import type { Client } from '../client.ts'
import { phone } from '../complex.ts'
import { link, linksOf, to } from '../links.ts'
import { addRecord, readRecord } from '../records.ts'
import { accessibilityFaults, openApplication } from './application.ts'
import { useBrowser } from './chromium.ts'
import { control, line, saved } from './fields.ts'
import { keys, type, walk } from './keys.ts'

const browser = useBrowser()

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/** The way to edit a line. */
const pencil = (page: Page, name: string) => line(page, name).locator('[data-edit]')
/** The field of a section that finds and makes records. */
const finder = (page: Page, name: string) => section(page, name).getByPlaceholder('Find or create')

const email = (value: string) => ({ field_code: 'EMAIL', values: [{ value }] })

/** The name of what has the focus. */
const focused = (page: Page) =>
  page.evaluate<string>(`(() => {
    const { activeElement: at } = document
    const named = (at.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent ?? '')
    return at.getAttribute('aria-label') ?? (named.join(' ').trim() || at.textContent.trim())
  })()`)

/** Goes on by Tab until what is called so has the focus. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const seen: string[] = []
  for (let press = 0; press < 80; press++) {
    await walk(page, 'Tab')
    const now = await focused(page)
    if (typeof name === 'string' ? now === name : name.test(now)) return
    seen.push(now)
  }
  throw new Error(`${name} is not reached by Tab, but ${seen.join(' | ')}`)
}

describe('a company', () => {
  async function openCard() {
    const account = await newAccount()
    const { api } = account
    await api.patch('/api/v4/customers/mode', { mode: 'periodicity', is_enabled: true })
    const company = await addRecord(api, 'companies', {
      name: 'Acme',
      custom_fields_values: [phone('+371 2000 1000'), email('office@acme.example')],
    })
    const ann = await addRecord(api, 'contacts', {
      name: 'Ann Berg',
      custom_fields_values: [phone('+371 2000'), email('ann@acme.example')],
    })
    const ben = await addRecord(api, 'contacts', { name: 'Ben Holm' })
    const pump = await addRecord(api, 'leads', { name: 'Pump order', price: 54_000 })
    const won = await addRecord(api, 'leads', { name: 'Roof tiles', status_id: 142 })
    const nord = await addRecord(api, 'customers', { name: 'Nord GmbH', next_date: 1_900_000_000 })
    await link(
      api,
      'companies',
      company,
      ...[ann, ben].map((id) => to('contacts', id)),
      ...[pump, won].map((id) => to('leads', id)),
      to('customers', nord),
    )
    const opened = await openApplication(browser(), `/companies/${company}`, { account })
    return { ...opened, api, company, ann, ben, pump, nord }
  }

  test('has its employees, leads and customers, and phones that call, by the mouse', async () => {
    const { page, api, company, ben } = await openCard()
    const employees = section(page, 'Employees')
    await employees.getByRole('link', { name: 'Ann Berg' }).waitFor()
    const href = (name: string) => page.getByRole('link', { name }).getAttribute('href')
    expect(await href('+371 2000 1000')).toBe('tel:+37120001000')
    expect(await href('office@acme.example')).toBe('mailto:office@acme.example')
    expect(await href('Call +371 2000')).toBe('tel:+3712000')
    expect(await href('Write to ann@acme.example')).toBe('mailto:ann@acme.example')
    const customers = section(page, 'Customers')
    await customers.getByRole('link', { name: 'Nord GmbH' }).waitFor()
    await customers.getByText('No purchases').waitFor()
    await customers.getByText(/next .*2030/).waitFor()
    await section(page, 'Leads').getByText('$54,000').waitFor()
    await section(page, 'Leads').getByText('Closed: 1').waitFor()

    await employees.getByRole('button', { name: 'Actions with Ben Holm' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await employees.getByRole('form').getByLabel('Phone').fill('+371 3000')
    await employees.getByRole('button', { name: 'Save' }).click()
    await employees.getByRole('link', { name: 'Call +371 3000' }).waitFor()
    await expect
      .poll(async () => (await readRecord(api, 'contacts', ben)).custom_fields_values)
      .toMatchObject([{ values: [{ value: '+371 3000' }] }])

    await customers.getByRole('button', { name: 'Add a customer' }).click()
    await type(finder(page, 'Customers'), 'Harbour')
    await page.getByRole('option', { name: 'New customer “Harbour”' }).click()
    await customers.getByRole('link', { name: 'Harbour' }).waitFor()
    await expect.poll(async () => (await linksOf(api, 'companies', company)).length).toBe(2 + 2 + 2)

    await keys(finder(page, 'Customers'), 'Escape')
    expect(await accessibilityFaults(page)).toEqual([])
    await section(page, 'Leads').getByRole('link', { name: 'Pump order' }).click()
    await page.getByRole('heading', { level: 1, name: 'Pump order' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Acme' }).waitFor()
  })

  test('makes one lead where the answer is lost and the name is sent again', async () => {
    const { page, api, company, faults } = await openCard()
    let losses = 1
    await page.route('**/api/v4/leads', async (route) => {
      if (losses === 0) return route.continue()
      losses--
      expect((await route.fetch()).ok()).toBe(true)
      await route.abort()
    })
    const leads = section(page, 'Leads')
    await leads.getByRole('button', { name: 'Add a lead' }).click()
    await type(finder(page, 'Leads'), 'Second pump')
    const make = page.getByRole('option', { name: 'New lead “Second pump”' })
    await make.click()
    await leads.getByText('The server does not answer').waitFor()
    await leads.getByRole('combobox').or(leads.locator('input')).first().click()
    await make.click()
    await leads.getByRole('link', { name: 'Second pump' }).waitFor()
    await leads.getByText('The server does not answer').waitFor({ state: 'detached' })
    await expect.poll(() => leads.getByRole('link', { name: 'Second pump' }).count()).toBe(1)
    const linked = (await linksOf(api, 'companies', company)).filter((each) =>
      each.startsWith('leads '),
    )
    expect(linked).toHaveLength(3)
    expect(faults.splice(0).join()).toContain('ERR_FAILED')
  })

  test('is used by the keyboard alone', async () => {
    const { page, api, company, ben } = await openCard()
    await section(page, 'Employees').getByRole('link', { name: 'Ben Holm' }).waitFor()
    await expect.poll(() => focused(page)).toBe('Acme')
    // The phone of the company: its pencil, another number, and the focus is back.
    await tabTo(page, 'Edit: Phone')
    await keys(pencil(page, 'Phone'), 'Enter')
    await keys(control(page, 'Phone'), 'Control+a')
    await type(control(page, 'Phone'), '+371 4000')
    await keys(control(page, 'Phone'), 'Enter')
    await saved(page, 'Phone')
    await expect.poll(() => focused(page)).toBe('Edit: Phone')
    await page.getByRole('link', { name: '+371 4000' }).waitFor()

    await tabTo(page, 'Actions with Ben Holm')
    await keys(page.getByRole('button', { name: 'Actions with Ben Holm' }), 'Enter')
    await keys(page.getByRole('menuitem', { name: 'Edit' }), 'ArrowUp')
    await keys(page.getByRole('menuitem', { name: 'Unlink' }), 'Enter')
    await section(page, 'Employees')
      .getByRole('link', { name: 'Ben Holm' })
      .waitFor({ state: 'detached' })
    await expect.poll(() => linksOf(api, 'companies', company)).not.toContain(`contacts ${ben}`)

    await tabTo(page, 'Add a lead')
    await keys(page.getByRole('button', { name: 'Add a lead' }), 'Enter')
    await type(finder(page, 'Leads'), 'Hoses')
    await page.getByRole('option', { name: 'New lead “Hoses”' }).waitFor()
    await keys(finder(page, 'Leads'), 'Enter')
    await section(page, 'Leads').getByRole('link', { name: 'Hoses' }).waitFor()
    await keys(finder(page, 'Leads'), 'Escape')
    await expect.poll(() => focused(page)).toBe('Add a lead')
    await tabTo(page, 'Nord GmbH')
    await keys(page.getByRole('link', { name: 'Nord GmbH' }), 'Enter')
    await page.getByRole('heading', { level: 1, name: 'Nord GmbH' }).waitFor()
    await expect.poll(() => focused(page)).toBe('Nord GmbH')
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Acme' }).waitFor()
  })
})

describe('a customer', () => {
  async function openCard(mode: 'periodicity' | 'segments') {
    const account = await newAccount()
    const { api } = account
    await api.patch('/api/v4/customers/mode', { mode, is_enabled: true })
    const customer = await addRecord(api, 'customers', {
      name: 'Nord GmbH',
      next_date: 1_900_000_000,
      next_price: 700,
      periodicity: 30,
    })
    await api.post(`/api/v4/customers/${customer}/transactions`, [{ price: 700 }, { price: 300 }])
    await addRecord(api, 'contacts', {
      name: 'Ann Berg',
      custom_fields_values: [phone('+371 2000')],
    })
    return { account, api, customer }
  }
  const open = (account: Awaited<ReturnType<typeof openCard>>['account'], customer: number) =>
    openApplication(browser(), `/customers/${customer}`, { account })
  const computed = (page: Page) =>
    page.locator('dl[aria-label="Purchases so far"] dd').allTextContents()
  const read = (api: Client, id: number) => readRecord(api, 'customers', id)

  test('has sums, a status, the next date and contacts, by the mouse', async () => {
    const { account, api, customer } = await openCard('periodicity')
    const { statuses } = (await api.get('/api/v4/customers/statuses')).body._embedded as {
      statuses: { id: number; name: string }[]
    }
    const { page } = await open(account, customer)
    await expect.poll(() => computed(page)).toEqual(['$1,000', '2', '$500'])
    await expect.poll(() => line(page, 'Segments').count()).toBe(0)
    const present = (await read(api, customer)).status_id
    const other = statuses.find(({ id }) => id !== present)!
    await pencil(page, 'Status').click()
    await page.getByRole('option', { name: other.name, exact: true }).click()
    await saved(page, 'Status')
    for (const [name, typed] of [
      ['Repeats, days', '45'],
      ['Expected amount', '1 250'],
    ] as const) {
      await pencil(page, name).click()
      await keys(control(page, name), 'Control+a')
      await type(control(page, name), typed)
      await keys(control(page, name), 'Enter')
      await saved(page, name)
    }
    const next = line(page, 'Next purchase')
    for (const day of ['2020-02-01', '2030-02-01']) {
      await next.locator('[data-edit]').click()
      await next.locator('input').fill(day)
      await keys(next.locator('input'), 'Enter')
      await saved(page, 'Next purchase')
      const isLate = day === '2020-02-01'
      await next.getByText(isLate ? /years ago/ : /in \d+ (years|months|days)/).waitFor()
      await expect.poll(() => next.locator('[data-late]').count()).toBe(isLate ? 1 : 0)
    }
    const { status_id, ...now } = await read(api, customer)
    expect(now).toMatchObject({ periodicity: 45, next_price: 1250 })
    // The conditions of the statuses may have put the customer elsewhere: the answer wins.
    const named = statuses.find(({ id }) => id === status_id)!.name
    await line(page, 'Status').getByText(named, { exact: true }).waitFor()
    const contacts = section(page, 'Contacts')
    await contacts.getByRole('button', { name: 'Add a contact' }).click()
    await type(finder(page, 'Contacts'), 'ann')
    await page.getByRole('option', { name: 'Ann Berg' }).click()
    await contacts.getByRole('link', { name: 'Call +371 2000' }).waitFor()
    await expect.poll(async () => (await linksOf(api, 'customers', customer)).length).toBe(1)
    // A purchase elsewhere changes the sums here.
    await api.post(`/api/v4/customers/${customer}/transactions`, [{ price: 2000 }])
    await expect.poll(() => computed(page)).toEqual(['$3,000', '3', '$1,000'])
    await keys(finder(page, 'Contacts'), 'Escape')
    expect(await accessibilityFaults(page)).toEqual([])
  })

  test('takes what can be a number or a day, and says why it does not take the rest', async () => {
    const { account, api, customer } = await openCard('periodicity')
    const { page, faults } = await open(account, customer)
    for (const [name, typed] of [
      ['Repeats, days', 'often'],
      ['Repeats, days', '-3'],
      ['Repeats, days', '1.5'],
      ['Expected amount', '12,5'],
      ['Expected amount', '9'.repeat(40)],
    ] as const) {
      await pencil(page, name).click()
      await keys(control(page, name), 'Control+a')
      await type(control(page, name), typed)
      await keys(control(page, name), 'Enter')
      await line(page, name).getByRole('alert').waitFor()
      await expect.poll(() => control(page, name).inputValue()).toBe(typed)
      await keys(control(page, name), 'Escape')
      await pencil(page, name).waitFor()
    }
    expect(await read(api, customer)).toMatchObject({ periodicity: 30, next_price: 700 })
    expect(faults.splice(0).every((fault) => fault.includes('400'))).toBe(true)
  })

  test('has segments in their mode, by the keyboard alone', async () => {
    const { account, api, customer } = await openCard('segments')
    const ids: number[] = []
    for (const name of ['Loyal', 'Sleeping', 'New'])
      ids.push((await api.post('/api/v4/customers/segments', { name })).body.id)
    const { page } = await open(account, customer)
    await expect.poll(() => computed(page)).toEqual(['$1,000', '2', '$500'])
    await expect.poll(() => line(page, 'Status').count()).toBe(0)
    await tabTo(page, /^Next purchase /)
    await keys(pencil(page, 'Next purchase'), 'Enter')
    await keys(control(page, 'Next purchase'), 'Escape')
    await expect.poll(() => focused(page)).toMatch(/^Next purchase /)
    await tabTo(page, /^Segments /)
    await keys(pencil(page, 'Segments'), 'Enter')
    await page.getByRole('option', { name: 'Loyal' }).waitFor()
    await type(control(page, 'Segments'), 'sl')
    await keys(control(page, 'Segments'), 'ArrowDown', 'Enter', 'Control+a')
    await type(control(page, 'Segments'), 'loy')
    await keys(control(page, 'Segments'), 'ArrowDown', 'Enter')
    await walk(page, 'Tab')
    await saved(page, 'Segments')
    const segments = async () => {
      const { _embedded } = await read(api, customer)
      return _embedded.segments.map(({ id }: { id: number }) => id).toSorted()
    }
    await expect.poll(segments).toEqual(ids.slice(0, 2))
    await tabTo(page, 'Add a contact')
    await keys(page.getByRole('button', { name: 'Add a contact' }), 'Enter')
    await type(finder(page, 'Contacts'), 'ann')
    await page.getByRole('option', { name: 'Ann Berg' }).waitFor()
    await keys(finder(page, 'Contacts'), 'Enter')
    await section(page, 'Contacts').getByRole('link', { name: 'Call +371 2000' }).waitFor()
    await keys(finder(page, 'Contacts'), 'Escape')
    await expect.poll(() => focused(page)).toBe('Add a contact')
    expect(await accessibilityFaults(page)).toEqual([])
  })
})
