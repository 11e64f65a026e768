// The pages of catalogs: by mouse, by keys alone, on a phone, beside a colleague, and without the right.
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { accessibilityFaults, openApplication } from './application.ts'
import { middleOf } from './board.ts'
import { useBrowser } from './chromium.ts'
import { keys, type, untilFocused, walk } from './keys.ts'
import { resize, rest } from './rest.ts'

const browser = useBrowser()

const row = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
/** The names in the tree, each with a dash for each level above it. */
const treeOf = (page: Page) =>
  page
    .getByRole('list', { name: 'Categories', exact: true })
    .locator('li[data-category]')
    .evaluateAll((items) =>
      items.map((item) => {
        const { style, querySelector } = item as unknown as {
          style: { getPropertyValue: (name: string) => string }
          querySelector: (selector: string) => { firstChild?: { textContent: string } | null }
        }
        const { firstChild } = querySelector.call(item, '[data-name]')
        // One whose name is typed shows no text.
        return (
          '-'.repeat(Number(style.getPropertyValue('--level'))) + (firstChild?.textContent ?? '')
        )
      }),
    )
const choose = async (page: Page, category: string, item: string) => {
  await page.getByRole('button', { name: `Actions for category “${category}”` }).click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}
const flip = (page: Page | Locator, name: string) =>
  page.getByRole('switch', { name }).click({ force: true })

/** An account with a catalog of products, whose tree has four categories. */
async function furnished() {
  const account = await newAccount()
  const { api } = account
  const made = await api.post('/api/v4/catalogs', [{ name: 'Goods', type: 'products' }])
  const id = made.body._embedded.catalogs[0].id as number
  const own = `/web/v1/fields/catalogs:${id}`
  const fields = (await api.get(own)).body.fields as { id: number; code: string }[]
  const fieldOf = (code: string) => fields.find((field) => field.code === code)!.id
  const tree = `${own}/${fieldOf('GROUP')}/categories`
  const { body } = await api.post(tree, { values: ['Lamps', 'Chairs'] })
  const [lamps] = body.field.nested as { id: number }[]
  await api.post(tree, { values: ['Table', 'Floor'], parent_id: lamps!.id })
  return { account, id, path: `/settings/catalogs/${id}`, tree, lamps: lamps!.id, fieldOf }
}

const flagsOf = async ({ api }: TestAccount, id: number) =>
  (await api.get(`/api/v4/catalogs/${id}`)).body

test('by mouse: a catalog of products is made, gets a price that is required, and a tree that is dragged', async () => {
  const { page, account, faults } = await openApplication(browser(), '/settings/catalogs')
  await page.getByText('No catalogs yet').waitFor()
  await page.getByRole('button', { name: 'New catalog' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'New catalog' }).click()
  await dialog.getByText('Enter a name').waitFor()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Goods')
  await dialog.getByText('What you sell, with prices').waitFor()
  await dialog.getByRole('button', { name: 'New catalog' }).click()
  await page.getByRole('heading', { name: 'Goods', level: 1 }).waitFor()
  const id = Number(new URL(page.url()).pathname.split('/').at(-1))

  await flip(page, 'People add elements')
  await page.getByRole('status').getByText('Saved').waitFor()
  expect(await flagsOf(account, id)).toMatchObject({
    type: 'products',
    can_add_elements: false,
    can_link_multiple: true,
  })
  await page.getByRole('button', { name: 'New field' }).click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Wholesale')
  await dialog.getByRole('combobox', { name: 'Type' }).click()
  await page.getByRole('option', { name: /^Price/ }).click()
  await dialog.getByRole('button', { name: 'New field' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await row(page, 'Wholesale').click()
  await flip(dialog, 'Required')
  await dialog.getByRole('status').getByText('Saved').waitFor()
  await flip(dialog, 'Visible')
  await expect.poll(() => dialog.getByRole('switch', { name: 'Visible' }).isChecked()).toBe(false)
  await keys(dialog, 'Escape')
  const wholesale = page.locator('li[data-ordered]', { has: row(page, 'Wholesale') }).last()
  await wholesale.getByText('Required').waitFor()
  await wholesale.getByText('Hidden').waitFor()
  // A built-in field is never required, and its tree is.
  await row(page, 'Group').click()
  await dialog.getByText('its name, place, visibility and categories can change').waitFor()
  await expect.poll(() => dialog.getByRole('switch', { name: 'Required' }).isDisabled()).toBe(true)
  await keys(dialog, 'Escape')
  await dialog.waitFor({ state: 'hidden' })

  await page.getByRole('textbox', { name: 'Add categories' }).fill('Lamps\nChairs\n lamps\nTools')
  await page.getByRole('button', { name: 'Add 4' }).click()
  await page.getByText('Already there: lamps').waitFor()
  await choose(page, 'Lamps', 'Add below')
  const below = page.getByRole('textbox', { name: 'Add below “Lamps”' })
  await type(below, 'Floor')
  await keys(below, 'Enter')
  await expect.poll(() => treeOf(page)).toEqual(['Lamps', '-Floor', 'Chairs', 'Tools'])
  await page.getByRole('button', { name: 'Add on the first level instead' }).click()

  const handle = (name: string) =>
    page.locator('li[data-category]', { hasText: new RegExp(`^${name}`) }).locator('[data-handle]')
  const drag = async (name: string, onto: string, by: number) => {
    await rest(page)
    await handle(name).scrollIntoViewIfNeeded()
    const from = await middleOf(handle(name))
    const to = await middleOf(handle(onto))
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(from.x + 4, from.y - 4, { steps: 4 })
    await page.mouse.move(to.x + 40, to.y + by, { steps: 8 })
    await page.mouse.move(to.x + 41, to.y + by)
    await page.mouse.up()
  }
  await drag('Tools', 'Chairs', 0)
  await expect.poll(() => treeOf(page)).toEqual(['Lamps', '-Floor', 'Chairs', '-Tools'])
  await drag('Chairs', 'Lamps', -14)
  await expect.poll(() => treeOf(page)).toEqual(['Chairs', '-Tools', 'Lamps', '-Floor'])
  await page.getByRole('button', { name: 'Hide what is below “Chairs”' }).click()
  await expect.poll(() => treeOf(page)).toEqual(['Chairs', 'Lamps', '-Floor'])
  await page.reload()
  await expect.poll(() => treeOf(page)).toEqual(['Chairs', '-Tools', 'Lamps', '-Floor'])

  // What elements have goes only after a question; so does what has others below it.
  const tree = (await account.api.get(`/web/v1/fields/catalogs:${id}`)).body.fields.find(
    ({ code }: { code: string }) => code === 'GROUP',
  )
  const tools = tree.nested.find(({ value }: { value: string }) => value === 'Tools').id
  const values = [{ field_id: tree.id, values: [{ enum_id: tools }] }]
  const drafts = [{ name: 'A hammer', custom_fields_values: values }]
  const wholesaleId = (await account.api.get(`/web/v1/fields/catalogs:${id}`)).body.fields.at(-1).id
  values.push({ field_id: wholesaleId, values: [{ value: 3 } as never] })
  expect((await account.api.post(`/api/v4/catalogs/${id}/elements`, drafts)).status).toBe(200)
  await choose(page, 'Chairs', 'Delete')
  await dialog.getByText('1 category below it is deleted as well.').waitFor()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByText('Elements may have it and lose it.').waitFor()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await expect.poll(() => treeOf(page)).toEqual(['Lamps', '-Floor'])
  expect(faults.splice(0).every((fault) => fault.includes('422'))).toBe(true)
})

test('by keys alone: catalogs and categories are put in order, named, and the focus stays', async () => {
  const { account, path } = await furnished()
  await account.api.post('/api/v4/catalogs', [{ name: 'Rooms' }])
  const { page, faults } = await openApplication(browser(), '/settings/catalogs', { account })
  const link = page.getByRole('link', { name: 'Goods' })
  await link.focus()
  await keys(link, 'Alt+ArrowDown')
  await expect
    .poll(async () => {
      const { body } = await account.api.get('/api/v4/catalogs')
      return body._embedded.catalogs.map(({ name }: { name: string }) => name)
    })
    .toEqual(['Rooms', 'Goods'])

  await page.goto(account.kontor.url + path)
  await expect.poll(() => treeOf(page)).toEqual(['Lamps', '-Table', '-Floor', 'Chairs'])
  const floor = page.locator('[data-category] [data-name]', { hasText: /^Floor/ })
  await floor.focus()
  await keys(floor, 'Alt+ArrowUp')
  await expect.poll(() => treeOf(page)).toEqual(['Lamps', '-Floor', '-Table', 'Chairs'])
  await keys(floor, 'Alt+ArrowDown', 'Alt+ArrowRight')
  await expect.poll(() => treeOf(page)).toEqual(['Lamps', '-Table', '--Floor', 'Chairs'])
  await page.getByRole('status').getByText('“Floor” is 1 of 1 below “Table”').waitFor()
  await keys(floor, 'Alt+ArrowLeft', 'Alt+ArrowLeft')
  await expect.poll(() => treeOf(page)).toEqual(['Lamps', '-Table', 'Floor', 'Chairs'])
  await page.getByRole('status').getByText('“Floor” is 2 of 3 on the first level').waitFor()
  await rest(page)
  await keys(floor, 'Enter')
  const input = page.getByRole('textbox', { name: 'Category “Floor”' })
  await type(input, ' lamps')
  await keys(input, 'Enter')
  await input.waitFor({ state: 'hidden' })
  const renamed = page.locator('[data-category] [data-name]', { hasText: 'Floor lamps' })
  await untilFocused(renamed)
  await expect.poll(() => treeOf(page)).toEqual(['Lamps', '-Table', 'Floor lamps', 'Chairs'])

  // A name that is there is refused beside its field, with what was typed; Escape takes it back.
  await keys(renamed, 'Enter')
  const again = page.getByRole('textbox', { name: 'Category “Floor lamps”' })
  await keys(again, 'Control+a')
  await type(again, 'chairs')
  await keys(again, 'Enter')
  await page.locator('[data-category] input[aria-invalid]').waitFor()
  await expect.poll(() => again.inputValue()).toBe('chairs')
  await keys(again, 'Escape')
  await untilFocused(renamed)
  await walk(page, 'Tab')
  const acts = page.getByRole('button', { name: 'Actions for category “Floor lamps”' })
  await keys(acts, 'Enter')
  await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
  await keys(page.getByRole('menu'), 'ArrowUp', 'Enter')
  await expect.poll(() => treeOf(page)).toEqual(['Lamps', '-Table', 'Chairs'])
  expect(faults.splice(0).every((fault) => fault.includes('400'))).toBe(true)
})

test('two administrators: the later one sees each change, and is asked about a name', async () => {
  const { account, id, path, tree, lamps } = await furnished()
  const { api } = account
  const { page, faults } = await openApplication(browser(), path, { account })
  await expect.poll(() => treeOf(page)).toEqual(['Lamps', '-Table', '-Floor', 'Chairs'])
  const name = page.getByRole('main').getByRole('textbox', { name: 'Name' })
  await name.fill('Wares')
  await api.patch(`/api/v4/catalogs/${id}`, { name: 'Stock', can_link_multiple: false })
  await page.getByRole('heading', { name: 'Stock', level: 1 }).waitFor()
  await expect
    .poll(() => page.getByRole('switch', { name: 'An element may be in several' }).isChecked())
    .toBe(false)
  await expect.poll(() => name.inputValue()).toBe('Wares')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Stock').last().waitFor()
  await page.getByRole('button', { name: 'Keep mine' }).click()
  await page.getByRole('heading', { name: 'Wares', level: 1 }).waitFor()
  expect(await flagsOf(account, id)).toMatchObject({ name: 'Wares', can_link_multiple: false })

  // A category that both rename: the later one is asked, and what others add stays.
  await row(page, 'Lamps').click()
  const input = page.getByRole('textbox', { name: 'Category “Lamps”' })
  await type(input, ' and bulbs')
  await api.patch(`${tree}/${lamps}`, { value: 'Lights' })
  await api.post(tree, { values: ['Tools'] })
  await expect.poll(async () => (await treeOf(page)).at(-1)).toBe('Tools')
  await keys(input, 'Enter')
  await page.getByText('Changed by someone else to “Lights”').waitFor()
  await page.getByRole('button', { name: 'Take theirs' }).click()
  await expect.poll(() => treeOf(page)).toEqual(['Lights', '-Table', '-Floor', 'Chairs', 'Tools'])
  expect(faults).toEqual([])
})

test('on a phone the pages fit, menus move categories, and both themes are accessible; others change nothing', async () => {
  const { account, id, path } = await furnished()
  const { page, faults } = await openApplication(browser(), path, { account }, { hasTouch: true })
  await resize(page, 390, 844)
  await expect.poll(() => treeOf(page)).toHaveLength(4)
  await choose(page, 'Chairs', 'Move below the one above')
  await expect.poll(() => treeOf(page)).toEqual(['Lamps', '-Table', '-Floor', '-Chairs'])
  await rest(page)
  expect(
    await page.evaluate(
      'document.documentElement.scrollWidth <= document.documentElement.clientWidth',
    ),
  ).toBe(true)
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await accessibilityFaults(page)).toEqual([])
  }
  expect(faults).toEqual([])
  await page.route('**/api/v4/catalogs?*', (route) => route.fulfill({ status: 500, body: '{}' }))
  await page.goto(`${account.kontor.url}/settings/catalogs`)
  const retry = page.getByRole('button', { name: 'Try again' })
  await retry.waitFor()
  await page.unroute('**/api/v4/catalogs?*')
  await retry.click()
  await page.getByRole('link', { name: 'Goods' }).waitFor()
  expect(faults.splice(0).every((fault) => fault.includes('500'))).toBe(true)

  const user = await account.addUser({ rights: { catalog_access: true } })
  for (const [sent, body] of [
    [`/web/v1/catalogs/${id}/move`, { before: null }],
    ['/api/v4/catalogs', [{ name: 'Mine' }]],
    [`/api/v4/catalogs/${id}/custom_fields`, [{ name: 'Mine', type: 'text' }]],
  ] as const)
    expect((await user.api.post(sent, body)).status).toBe(403)
  expect((await user.api.get(`/web/v1/fields/catalogs:${id}`)).status).toBe(403)
})
