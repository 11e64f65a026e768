// Every input of a number or an amount, in which the number is typed as the application shows it
// (test/web/number.test.ts has the writings). A new input gets its place here.
import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { mainPipeline } from '../leads.ts'
import { readRecord, addRecord } from '../records.ts'
import { accessibilityFaults, openApplication } from './application.ts'
import { cardIn, openBoard } from './board.ts'
import { useBrowser } from './chromium.ts'
import { control, fillIn, line, saved } from './fields.ts'
import { keys, shortcut, type } from './keys.ts'
import { languages, wordOf } from './screens.ts'
import type { Language } from './screens.ts'

const browser = useBrowser()

const two = ['en', 'pt'] as const

/** An amount as the application shows it, and a number. */
const amount = (language: Language, value: number, currency = 'USD') =>
  new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: Number.isInteger(value) ? 0 : 2,
    maximumFractionDigits: 2,
  }).format(value)
const number = (language: Language, value: number) =>
  new Intl.NumberFormat(language, { maximumFractionDigits: 10 }).format(value)

const until = (read: () => Promise<unknown>, wanted: unknown) =>
  expect.poll(read, { timeout: 15_000 }).toEqual(wanted)

/** A number field and an amount in euros, which a stage may require. */
const addFields = async ({ api }: TestAccount, required_statuses: object[] = []) => {
  const { body } = await api.post('/api/v4/leads/custom_fields', [
    { name: 'Weight', type: 'numeric', required_statuses },
    { name: 'Advance', type: 'monetary', currency: 'EUR', required_statuses },
  ])
  return body._embedded.custom_fields as { id: number }[]
}

/** The price and the values of the fields of a lead, in the order of their ids. */
async function storedIn({ api }: TestAccount, lead: number): Promise<unknown[]> {
  const { price, custom_fields_values } = await readRecord(api, 'leads', lead)
  const fields = (custom_fields_values ?? []) as { field_id: number; values: { value: string }[] }[]
  return [
    price,
    ...fields
      .toSorted((one, other) => one.field_id - other.field_id)
      .map(({ values }) => values[0]!.value),
  ]
}

describe.each(languages)('in %s, on a card,', (language) => {
  test('what is shown, typed back, is the same number', async () => {
    const account = await newAccount()
    const [weight, advance] = await addFields(account)
    const lead = await addRecord(account.api, 'leads', {
      name: 'Pump order',
      price: 70_000,
      custom_fields_values: [
        { field_id: weight!.id, values: [{ value: '1234.5' }] },
        { field_id: advance!.id, values: [{ value: '70125.5' }] },
      ],
    })
    const { page } = await openApplication(browser(), `/leads/${lead}`, { account, language })
    const price = wordOf(language, 'card.price')
    const names = [price, 'Weight', 'Advance']
    const shown: string[] = []
    for (const name of names) {
      const text = await line(page, name).locator('[data-edit] bdi').textContent()
      shown.push(text!)
      await fillIn(page, name, '5')
      await saved(page, name, wordOf(language, 'ui.saved'))
    }
    expect(shown).toEqual([
      amount(language, 70_000),
      number(language, 1234.5),
      amount(language, 70_125.5, 'EUR'),
    ])
    await until(() => storedIn(account, lead), [5, '5', '5'])
    for (const [index, name] of names.entries()) {
      await fillIn(page, name, shown[index]!)
      await saved(page, name, wordOf(language, 'ui.saved'))
    }
    await until(() => storedIn(account, lead), [70_000, '1234.5', '70125.5'])
    // An editor that is left without a change saves the same.
    await line(page, 'Weight').locator('[data-edit]').click()
    await expect
      .poll(() => control(page, 'Weight').inputValue())
      .toBe(number(language, 1234.5).replaceAll(/\s|(?<=1)[.,]/g, ''))
    await keys(control(page, 'Weight'), 'Enter')
    expect(await storedIn(account, lead)).toEqual([70_000, '1234.5', '70125.5'])
  })

  test('the two numbers of an ambiguous text are offered, by keys and by the mouse', async () => {
    const account = await newAccount()
    await addFields(account)
    const lead = await addRecord(account.api, 'leads', { name: 'Pump order', price: 5 })
    const { page } = await openApplication(browser(), `/leads/${lead}`, { account, language })
    await page.getByRole('button', { name: /2/, expanded: false }).first().click()
    // A point divides no groups in English, and in the others a comma.
    const typed = language === 'en' ? '7.000' : '7,000'
    await fillIn(page, 'Weight', typed)
    const fault = line(page, 'Weight').getByRole('alert')
    await fault.getByText(wordOf(language, 'ui.number.ambiguous')).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    const choice = (value: number) =>
      fault.getByRole('button', { name: number(language, value), exact: true })
    await choice(7).focus()
    await keys(choice(7), 'Tab')
    await keys(choice(7000), 'Enter')
    await saved(page, 'Weight', wordOf(language, 'ui.saved'))
    await until(() => storedIn(account, lead), [5, '7000'])
    await fillIn(page, 'Weight', typed)
    await choice(7).click()
    await saved(page, 'Weight', wordOf(language, 'ui.saved'))
    await until(() => storedIn(account, lead), [5, '7'])
    // Escape leaves the field as it was, also from the choice.
    await fillIn(page, 'Weight', typed)
    await choice(7000).focus()
    await keys(choice(7000), 'Escape')
    await line(page, 'Weight').locator('[data-edit]').getByText('7', { exact: true }).waitFor()
    // A field of whole numbers has no such question.
    const price = wordOf(language, 'card.price')
    await fillIn(page, price, typed)
    await saved(page, price, wordOf(language, 'ui.saved'))
    await until(() => storedIn(account, lead), [7000, '7'])
    await fillIn(page, price, '12.5')
    await line(page, price).getByText(wordOf(language, 'ui.number.notWhole')).waitFor()
    await expect.poll(() => control(page, price).inputValue()).toBe('12.5')
    await keys(control(page, price), 'Escape')
    expect(await storedIn(account, lead)).toEqual([7000, '7'])
  })
})

/** The card of a new customer, opened in a language. */
async function openCustomer(account: TestAccount, language: Language) {
  const { api, kontor } = account
  await api.patch('/api/v4/customers/mode', { mode: 'periodicity', is_enabled: true })
  const next_date = kontor.now() + 86_400
  const customer = await addRecord(api, 'customers', { name: 'Nord', next_date })
  const opened = await openApplication(browser(), `/customers/${customer}`, { account, language })
  return { ...opened, customer }
}

describe.each(two)('in %s', (language) => {
  const word = (key: string) => wordOf(language, key)
  const field = (part: Page | Locator, key: string) =>
    part.getByRole('textbox', { name: word(key), exact: true })

  test('the card of a customer takes its amount and its days', async () => {
    const account = await newAccount()
    const { api } = account
    const { page, customer } = await openCustomer(account, language)
    const [price, days] = [word('card.nextPrice'), word('card.periodicity')]
    await fillIn(page, price, amount(language, 70_000))
    await saved(page, price, wordOf(language, 'ui.saved'))
    await fillIn(page, days, number(language, 12_000))
    await saved(page, days, wordOf(language, 'ui.saved'))
    await until(async () => {
      const { next_price, periodicity } = await readRecord(api, 'customers', customer)
      return [next_price, periodicity]
    }, [70_000, 12_000])
    await fillIn(page, days, number(language, 40_000))
    await line(page, days)
      .getByText(word('ui.number.tooHigh').replace('{limit}', number(language, 36_500)))
      .waitFor()
    await keys(control(page, days), 'Escape')
  })

  test('a stage takes its days, and refuses what are none', async () => {
    const account = await newAccount()
    const { id, statuses } = await mainPipeline(account)
    const { page } = await openApplication(browser(), `/settings/pipelines/${id}`, {
      account,
      language,
    })
    await page.locator(`[data-stage="${statuses[0]}"]`).click()
    const days = field(page, 'pipelines.staleAfter')
    await days.fill('1.5')
    await keys(days, 'Enter', 'Tab')
    await page.getByText(word('ui.number.notWhole')).waitFor()
    await days.fill(number(language, 14))
    await days.focus()
    await keys(days, 'Enter')
    await until(async () => {
      const { body } = await account.api.get('/web/v1/bootstrap')
      const [pipeline] = body.pipelines
      return pipeline.statuses.find(({ id: stage }: { id: number }) => stage === statuses[0])
        .stale_after_days
    }, 14)
  })

  test('the quick add of a board takes an amount, and refuses what is none', async () => {
    const { page, account } = await openBoard(browser(), { person: { language } })
    await page
      .getByRole('button', { name: word('board.newLead'), exact: true })
      .first()
      .click()
    const form = page.getByRole('form', { name: word('board.quickAdd') })
    await type(field(form, 'board.leadName'), 'Windows')
    const price = field(form, 'board.price')
    await price.fill('12.5')
    await price.focus()
    await keys(price, 'Enter')
    await form.getByText(word('ui.number.notWhole')).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await expect.poll(() => price.inputValue()).toBe('12.5')
    await price.fill(amount(language, 70_000))
    await keys(price, 'Enter')
    await cardIn(page, 'New', 'Windows').waitFor()
    await until(async () => {
      const { body } = await account.api.get('/api/v4/leads?query=Windows')
      return body._embedded?.leads.map((lead: { price: number }) => lead.price)
    }, [70_000])
  })

  test('the new row of a list takes an amount, and refuses what is none', async () => {
    const { page, account } = await openApplication(browser(), '/leads/list', { language })
    await page.getByRole('button', { name: word('rows.new.leads'), exact: true }).click()
    const form = page.getByRole('form', { name: word('rows.new.leads') })
    await type(field(form, 'rows.columns.name'), 'Gutters')
    const price = field(form, 'rows.columns.price')
    await price.fill('12.5')
    await price.focus()
    await keys(price, 'Enter')
    await form.getByText(word('ui.number.notWhole')).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await expect.poll(() => price.inputValue()).toBe('12.5')
    await price.fill(amount(language, 80_000))
    await keys(price, 'Enter')
    await until(async () => {
      const { body } = await account.api.get('/api/v4/leads?query=Gutters')
      return body._embedded?.leads.map((lead: { price: number }) => lead.price)
    }, [80_000])
  })

  test('the create dialogs take an amount, and refuse what is none', async () => {
    const { page, account } = await openApplication(browser(), '/home', { language })
    await account.api.patch('/api/v4/customers/mode', { mode: 'periodicity', is_enabled: true })
    await page.reload()
    await page.getByRole('main').waitFor()
    for (const [letters, title, label, noun, member] of [
      ['cl', 'create.titles.lead', 'create.price', 'leads', 'price'],
      ['cb', 'create.titles.customer', 'create.nextPrice', 'customers', 'next_price'],
    ] as const) {
      await shortcut(page, ...letters.split(''))
      const dialog = page.getByRole('dialog', { name: word(title) })
      await dialog.locator('form').locator('input').first().fill('Slate roof')
      const price = field(dialog, label)
      await price.fill('12 kg')
      await price.focus()
      await keys(price, 'Control+Enter')
      await dialog.getByText(word('ui.number.foreign').replace('{text}', 'kg')).waitFor()
      await price.fill(amount(language, 70_000))
      await keys(price, 'Control+Enter')
      await page.waitForURL(new RegExp(`/${noun}/\\d+$`))
      const id = Number(/\d+$/.exec(new URL(page.url()).pathname)![0])
      expect((await readRecord(account.api, noun, id))[member]).toBe(70_000)
    }
  })

  test('the dialog of a stage takes the numbers that it needs', async () => {
    const account = await newAccount()
    const leads = { New: [['Pump order', 5]], Offer: [] } as Record<string, [string, number?][]>
    const opened = await openBoard(browser(), { account, leads, person: { language } })
    const { page, pipeline, at } = opened
    await addFields(account, [{ pipeline_id: pipeline, status_id: at['Offer'] }])
    const lead = opened.leads['Pump order']!
    await page.goto(`${account.kontor.url}/leads/${lead}`)
    await page.getByRole('button', { name: 'Offer', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: word('card.stageNeeds') })
    await dialog.getByRole('textbox', { name: 'Weight' }).fill(number(language, 1234.5))
    const advance = dialog.getByRole('textbox', { name: 'Advance' })
    await advance.fill(language === 'en' ? '€7.500' : '7,500')
    await advance.focus()
    await keys(advance, 'Enter')
    await dialog.getByText(word('ui.number.ambiguous')).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: amount(language, 7500, 'EUR'), exact: true }).click()
    await keys(advance, 'Enter')
    await dialog.waitFor({ state: 'detached' })
    await until(() => storedIn(account, lead), [5, '1234.5', '7500'])
  })

  test('filters take the ends of a range, and the line a comparison', async () => {
    const account = await newAccount()
    const [weight] = await addFields(account)
    const { page } = await openBoard(browser(), {
      account,
      leads: { New: [['Pump order', 70_000]] },
      person: { language },
    })
    const filterIn = () => decodeURIComponent(new URL(page.url()).search)
    const filterLine = page.getByRole('search').getByRole('combobox')
    await filterLine.click()
    await page.getByRole('option', { name: word('filter.fields.price'), exact: true }).click()
    const editor = page.getByRole('dialog', { name: word('filter.fields.price') })
    const apply = editor.getByRole('button', { name: word('filter.apply') })
    await field(editor, 'filter.fromLabel').fill('12.5')
    await apply.click()
    await editor.getByText(word('ui.number.notWhole')).waitFor()
    await field(editor, 'filter.fromLabel').fill(amount(language, 60_000))
    await field(editor, 'filter.toLabel').fill(number(language, 80_000))
    await apply.click()
    await expect.poll(filterIn).toBe('?filter[price][from]=60000&filter[price][to]=80000')
    await filterLine.fill(`> ${amount(language, 65_000)}`)
    await keys(filterLine, 'Enter')
    await expect.poll(filterIn).toBe('?filter[price][from]=65000')
    await filterLine.fill(`< ${number(language, 1234.5)}`)
    await page.getByRole('option', { name: /^Weight/ }).click()
    await expect
      .poll(filterIn)
      .toBe(`?filter[price][from]=65000&filter[custom_fields_values][${weight!.id}][to]=1234.5`)
    await page.getByRole('button', { name: /^Weight: / }).click()
    await expect
      .poll(() => field(page.getByRole('dialog'), 'filter.toLabel').inputValue())
      .toBe(language === 'en' ? '1234.5' : '1234,5')
  })

  /** The name of a text about a product. */
  const ofLamp = (key: string) => word(key).replace('{name}', 'Lamp')

  async function addLamp({ api }: TestAccount): Promise<void> {
    const made = await api.post('/api/v4/catalogs', [{ name: 'Products', type: 'products' }])
    const catalog: number = made.body._embedded.catalogs[0].id
    await api.post(`/api/v4/catalogs/${catalog}/elements`, [
      { name: 'Lamp', custom_fields_values: [{ field_code: 'PRICE', values: [{ value: 12.5 }] }] },
    ])
  }

  test('the products of a lead take a quantity', async () => {
    const account = await newAccount()
    await addLamp(account)
    const lead = await addRecord(account.api, 'leads', { name: 'Pump order' })
    const { page } = await openApplication(browser(), `/leads/${lead}`, { account, language })
    const products = page.getByRole('region', { name: word('links.sections.elements') })
    await products.getByRole('button', { name: word('links.add.elements') }).click()
    await page.getByRole('option', { name: 'Lamp' }).click()
    const quantity = products.getByLabel(ofLamp('links.quantity'))
    const stored = async () => {
      const { _embedded } = await readRecord(account.api, 'leads', lead, 'with=catalog_elements')
      return _embedded.catalog_elements[0]?.metadata.quantity
    }
    await until(stored, 1)
    await quantity.fill(number(language, 1234.5))
    await keys(quantity, 'Enter')
    await until(stored, 1234.5)
    const amounts = products.getByText(amount(language, 15_431.25)).first()
    await amounts.waitFor()
    await quantity.fill('0')
    await quantity.focus()
    await keys(quantity, 'Enter')
    await products.getByText(word('ui.number.notPositive')).waitFor()
    await keys(quantity, 'Escape')
    await quantity.fill(language === 'en' ? '2.500' : '2,500')
    await keys(quantity, 'Tab')
    await products.getByText(word('ui.number.ambiguous')).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await products.getByRole('button', { name: number(language, 2.5), exact: true }).click()
    await until(stored, 2.5)
  })

  test('a purchase takes its amount and the quantities of its items', async () => {
    const account = await newAccount()
    const { api } = account
    await addLamp(account)
    const { page, customer } = await openCustomer(account, language)
    await page.getByRole('tab', { name: word('purchases.title') }).click()
    const purchases = page.getByRole('region', { name: word('purchases.title'), exact: true })
    await purchases.getByRole('button', { name: word('purchases.add'), exact: true }).click()
    const form = purchases.getByRole('form', { name: word('purchases.addTitle') })
    await form.getByRole('button', { name: word('purchases.findItem') }).click()
    await page.getByRole('option', { name: 'Lamp' }).click()
    const quantity = form.getByLabel(ofLamp('purchases.quantity'))
    await quantity.fill(number(language, 1234.5))
    const price = field(form, 'purchases.price')
    // The items make the amount, which has no decimals.
    await expect.poll(() => price.inputValue()).toBe('15431')
    await price.fill(amount(language, 70_000))
    await quantity.fill('many')
    await price.focus()
    await keys(price, 'Control+Enter')
    await form.getByText(word('ui.number.noNumber')).waitFor()
    await quantity.fill(number(language, 1234.5))
    await form.getByLabel(word('purchases.comment')).fill('Partial delivery')
    await price.focus()
    await keys(price, 'Control+Enter')
    const row = purchases.getByRole('listitem').filter({ hasText: 'Partial delivery' })
    await row.waitFor()
    // The amount and the comment are apart for everybody who reads or copies them.
    await expect
      .poll(async () => (await row.textContent())!.replaceAll(/\s/g, ' '))
      .toContain(`${amount(language, 70_000).replaceAll(/\s/g, ' ')} Partial delivery`)
    const { body } = await api.get(`/api/v4/customers/${customer}/transactions`)
    const [purchase] = body._embedded.transactions
    expect(purchase.price).toBe(70_000)
    expect(purchase._embedded.catalog_elements[0].metadata.quantity).toBe(1234.5)
    await page.getByRole('tab', { name: word('card.feed') }).click()
    // The customer and its first purchase are one line of the feed, until it is unfolded.
    const feed = page.getByRole('article')
    await feed.getByRole('button', { expanded: false }).first().click()
    const news = feed.getByRole('listitem').filter({ hasText: 'Partial delivery' })
    await expect.poll(() => news.textContent()).toMatch(/70[.,]000 Partial delivery/)
  })
})
