// The room of products: a catalog as a table that is searched, edited in place and added to, where an element is used,
// what the rights to a catalog leave of it, and two people at one cell.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import { addLead } from '../leads.ts'
import { link, toElement } from '../links.ts'
import { addRecord } from '../records.ts'
import { accessibilityFaults, excuse, openApplication } from './application.ts'
import { useBrowser } from './chromium.ts'
import { keys, shortcut, type } from './keys.ts'
import { rest } from './rest.ts'

const browser = useBrowser()

const grid = (page: Page) => page.getByRole('grid')
const row = (page: Page, text: string) => grid(page).getByRole('row').filter({ hasText: text })
const cell = (page: Page, text: string, column: string) =>
  row(page, text).locator(`[data-column="${column}"]`)
/** Polls the names of the elements, from the first one on screen. */
const names = (page: Page) =>
  expect.poll(async () =>
    (await grid(page).locator('[role=gridcell][data-column=name]').allInnerTexts()).map((text) =>
      text.trim(),
    ),
  )

/** A catalog of products with a price, a category and a needed unit, and three of them. */
async function seedProducts() {
  const account = await newAccount()
  const { api } = account
  const made = await api.post('/api/v4/catalogs', [{ name: 'Products', type: 'products' }])
  const catalog = made.body._embedded.catalogs[0].id as number
  const path = `/api/v4/catalogs/${catalog}`
  const fields = (await api.get(`${path}/custom_fields?limit=250`)).body._embedded.custom_fields
  const idOf = (code: string): number =>
    fields.find((field: { code: string }) => field.code === code).id
  const [price, group] = [idOf('PRICE'), idOf('GROUP')]
  await api.patch(`${path}/custom_fields/${group}`, {
    nested: [
      { value: 'Tools', request_id: 'tools' },
      { value: 'Drills', parent_request_id: 'tools' },
    ],
  })
  const added = await api.post(
    `${path}/elements`,
    ['Lamp', 'Shelf', 'Drill'].map((name, index) => ({
      name,
      custom_fields_values: [{ field_id: price, values: [{ value: 1000 * (index + 1) + 0.5 }] }],
    })),
  )
  const [lamp, shelf, drill] = added.body._embedded.elements.map(
    ({ id }: { id: number }) => id,
  ) as [number, number, number]
  const read = async (id: number) => (await api.get(`${path}/elements/${id}`)).body
  return { account, api, catalog, path, price, group, lamp, shelf, drill, read }
}

/** The value of a field of an element as the interface has it. */
const valueIn = (element: { custom_fields_values: Field[] | null }, field: number) =>
  element.custom_fields_values?.find(({ field_id }) => field_id === field)?.values[0]?.value
interface Field {
  field_id: number
  values: { value: unknown }[]
}

test('by keys alone: found, edited in place, taken back, added, and where it is used', async () => {
  const { account, api, catalog, path, price, group, lamp, drill, read } = await seedProducts()
  const lead = await addLead(api, { name: 'Pump order' })
  await link(api, 'leads', lead, toElement({ catalog, id: lamp }, { quantity: 2.5 }))
  const company = await addRecord(api, 'companies', { name: 'Acme' })
  await link(api, 'companies', company, toElement({ catalog, id: lamp }))
  const { page } = await openApplication(browser(), '/home', { account })
  await shortcut(page, 'g', 'p')
  await names(page).toEqual(['Drill', 'Shelf', 'Lamp'])
  await expect.poll(() => cell(page, 'Drill', `field:${price}`).innerText()).toBe('$3,000.50')
  expect(await accessibilityFaults(page)).toEqual([])

  // A price is typed over; Enter goes down.
  await rest(page)
  await grid(page).focus()
  await keys(grid(page), 'Home')
  const at = await grid(page).getByRole('columnheader').allInnerTexts()
  const to = (name: string) => Array.from({ length: at.indexOf(name) }, () => 'ArrowRight')
  await keys(grid(page), ...to('Price'), 'Enter')
  const field = page.getByRole('textbox', { name: 'Price' })
  await type(field, 'twelve')
  await keys(field, 'Enter')
  await page.getByRole('alert').waitFor()
  await keys(field, 'Control+a')
  await type(field, '12')
  await keys(field, 'Enter')
  await expect.poll(() => cell(page, 'Drill', `field:${price}`).innerText()).toBe('$12')
  await expect.poll(async () => valueIn(await read(drill), price)).toBe('12')
  await keys(grid(page), 'ArrowUp')
  await shortcut(page, 'Control+z')
  await expect.poll(async () => valueIn(await read(drill), price)).toBe('3000.5')

  // A category is chosen by its path.
  await keys(grid(page), 'Home', ...to('Group'))
  await shortcut(page, 'e')
  const choice = page.getByRole('combobox', { name: 'Group' })
  await type(choice, 'Dri')
  await page.getByRole('option', { name: 'Tools / Drills' }).waitFor()
  await keys(choice, 'ArrowDown', 'Enter')
  await expect.poll(async () => valueIn(await read(drill), group)).toBe('Drills')
  await expect.poll(() => cell(page, 'Drill', `field:${group}`).innerText()).toBe('Drills')

  // A new one stands above the others, where a field that it needs has a value.
  await api.post(`${path}/custom_fields`, [{ name: 'Unit', type: 'text', is_required: true }])
  await grid(page).getByRole('columnheader', { name: 'Unit' }).waitFor()
  await shortcut(page, 'n')
  const dialog = page.getByRole('dialog')
  await type(dialog.getByRole('textbox', { name: 'Name' }), 'Saw')
  await keys(dialog.getByRole('textbox', { name: 'Name' }), 'Enter')
  await dialog.getByText('Fill this in').waitFor()
  await keys(dialog.getByRole('textbox', { name: 'Name' }), 'Tab')
  await type(dialog.getByRole('textbox', { name: 'Unit' }), 'piece')
  await keys(dialog.getByRole('textbox', { name: 'Unit' }), 'Enter')
  await dialog.waitFor({ state: 'hidden' })
  await names(page).toEqual(['Saw', 'Drill', 'Shelf', 'Lamp'])

  // A file is sent, and the element leads to it.
  await api.post(`${path}/custom_fields`, [{ name: 'Drawing', type: 'file' }])
  await grid(page).getByRole('columnheader', { name: 'Drawing' }).waitFor()
  await grid(page).focus()
  await keys(grid(page), 'Control+Home', 'End', 'Enter')
  await page.getByRole('button', { name: 'Choose a file' }).waitFor()
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'saw.txt', mimeType: 'text/plain', buffer: Buffer.from('a plan') })
  const address = await grid(page).getByRole('link', { name: 'saw.txt' }).getAttribute('href')
  await rest(page)
  const answer = await page.request.get(account.kontor.url + address)
  expect(await answer.text()).toBe('a plan')

  // The search keeps to the address; Space shows where an element is used.
  await shortcut(page, '/')
  const search = page.getByRole('searchbox', { name: 'Find in the catalog' })
  await type(search, 'lam')
  await expect.poll(() => new URL(page.url()).search).toBe('?query=lam')
  await names(page).toEqual(['Lamp'])
  await rest(page)
  await keys(search, 'Enter')
  await keys(grid(page), 'Home', ' ')
  const uses = page.getByRole('complementary', { name: 'Where Lamp is used' })
  await uses.getByRole('region', { name: 'Leads' }).getByText('× 2.5').waitFor()
  await uses.getByRole('region', { name: 'Companies' }).getByText('Acme').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await uses.getByRole('link', { name: 'Pump order' }).click()
  await page.getByRole('heading', { name: 'Pump order' }).waitFor()
  await shortcut(page, 'Escape')
  await page.getByRole('heading', { name: 'Pump order' }).waitFor({ state: 'hidden' })
  // A card leads back to the element.
  await page.goto(`${account.kontor.url}/leads/${lead}`)
  await page.getByRole('link', { name: 'Lamp', exact: true }).click()
  await expect.poll(() => page.url()).toBe(`${account.kontor.url}/products/${catalog}?query=Lamp`)
  await names(page).toEqual(['Lamp'])
})

test('pages come on scrolling, and two people at one cell see each other', async () => {
  const { account, api, path, price, lamp, read } = await seedProducts()
  await api.post(
    `${path}/elements`,
    Array.from({ length: 240 }, (_, index) => ({ name: `Bolt ${index}` })),
  )
  const one = (await openApplication(browser(), '/products', { account })).page
  await grid(one).focus()
  for (const more of [143, 243])
    await expect
      .poll(async () => {
        await keys(grid(one), 'Control+End')
        return Number(await row(one, '').last().getAttribute('aria-rowindex'))
      })
      .toBeGreaterThan(more)
  await row(one, 'Lamp').waitFor()
  const place = () => grid(one).evaluate((box: { scrollTop: number }) => box.scrollTop)
  const before = await place()

  // The other has a cell open while this one sets another price.
  const other = (await openApplication(browser(), `/products?query=lamp`, { account })).page
  await cell(other, 'Lamp', `field:${price}`).click()
  await keys(grid(other), 'Enter')
  const theirs = other.getByRole('textbox', { name: 'Price' })
  await keys(theirs, 'Control+a')
  await type(theirs, '70')
  await rest(one)
  await cell(one, 'Lamp', `field:${price}`).click()
  await keys(grid(one), 'Enter')
  const mine = one.getByRole('textbox', { name: 'Price' })
  await keys(mine, 'Control+a')
  await type(mine, '60')
  await keys(mine, 'Enter')
  await other.getByText('Somebody else has just entered $60').waitFor()
  await keys(theirs, 'Enter')
  await other.getByRole('button', { name: 'Keep mine' }).click()
  await expect.poll(async () => valueIn(await read(lamp), price)).toBe('70')
  await expect.poll(() => cell(one, 'Lamp', `field:${price}`).innerText()).toBe('$70')
  expect(Math.abs((await place()) - before)).toBeLessThan(40)
})

test('a user reads a catalog without the right to change it, and not the others', async () => {
  const { account, api, catalog } = await seedProducts()
  const made = await api.post('/api/v4/catalogs', [{ name: 'Secret machines' }])
  const secret = made.body._embedded.catalogs[0].id as number
  const denied = { view: 'D', edit: 'D', add: 'D', delete: 'D', export: 'D' } as const
  const view = { ...denied, view: 'A' } as const
  const rights = { catalog_rights: [{ catalog_id: catalog, rights: view }] }
  const { page, faults } = await openApplication(browser(), '/products', {
    account,
    is_admin: false,
    rights,
  })
  await names(page).toEqual(['Drill', 'Shelf', 'Lamp'])
  await expect.poll(() => page.getByRole('combobox', { name: 'Catalog' }).count()).toBe(0)
  await expect.poll(() => page.getByRole('button', { name: 'New element' }).count()).toBe(0)
  await grid(page).focus()
  await keys(grid(page), 'Home', 'Enter', 'F2')
  await shortcut(page, 'e')
  await expect.poll(() => grid(page).getByRole('textbox').count()).toBe(0)
  await expect.poll(() => page.getByText('Secret machines').count()).toBe(0)
  await page.goto(`${account.kontor.url}/products/${secret}`)
  await page.getByText('You have no access to this').waitFor()
  excuse(faults, 403)
})

test('on a phone, in the dark: the way there, an edit by touch, and where it is used', async () => {
  const { account, catalog, lamp, read } = await seedProducts()
  const { page, faults } = await openApplication(
    browser(),
    '/home',
    { account },
    { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: 'dark' },
  )
  await page.getByRole('button', { name: 'You' }).tap()
  await page.getByRole('menuitem', { name: 'Products' }).tap()
  await rest(page)
  const own = cell(page, 'Lamp', 'name')
  await own.tap()
  await own.tap()
  const field = page.getByRole('textbox', { name: 'Name' })
  await keys(field, 'Control+a')
  await type(field, 'Desk lamp')
  await keys(field, 'Enter')
  await expect.poll(async () => (await read(lamp)).name).toBe('Desk lamp')
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Where Desk lamp is used' }).tap()
  await page.getByText('Not used yet').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Close', exact: true }).tap()
  await page.getByText('Not used yet').waitFor({ state: 'hidden' })
  await page.goto(`${account.kontor.url}/products/${catalog}999`)
  await page.getByText('Nothing is here').waitFor()
  excuse(faults, 404)
})
