// The page of custom fields: by mouse, by keys alone, on a phone, beside a colleague, and without the right.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { accessibilityFaults, excuse, openApplication } from './application.ts'
import { middleOf } from './board.ts'
import { useBrowser } from './chromium.ts'
import { keys, type, untilFocused, walk } from './keys.ts'
import { resize, rest } from './rest.ts'

const browser = useBrowser()

interface Made {
  id: number
  enums: { id: number; value: string }[]
}

async function addFields({ api }: TestAccount, ...drafts: object[]): Promise<Made[]> {
  const { status, body } = await api.post('/api/v4/companies/custom_fields', drafts)
  if (status !== 201) throw new Error(`the fields were refused: ${JSON.stringify(body)}`)
  return body._embedded.custom_fields
}
const options = (...values: string[]) => values.map((value) => ({ value }))

/** An account whose companies have a list, a text and a group, besides the built-in fields. */
async function furnished() {
  const account = await newAccount()
  const [list, text] = await addFields(
    account,
    { name: 'Delivery', type: 'select', enums: options('Post', 'Courier', 'Van') },
    { name: 'Region', type: 'text' },
  )
  await account.api.post('/api/v4/companies/custom_fields/groups', [{ name: 'Logistics', sort: 9 }])
  return { account, list: list!, text: text! }
}

const path = '/settings/fields/companies'
const row = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const namesIn = (page: Page, group: string) =>
  page
    .getByRole('list', { name: group, exact: true })
    .locator('button[data-field]')
    .allTextContents()
const menu = async (page: Page, of: string, item: string) => {
  await page.getByRole('button', { name: `Actions for ${of}` }).click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}
const optionsIn = (page: Page) =>
  page
    .getByRole('list', { name: 'Options' })
    .getByRole('textbox')
    .evaluateAll((fields) => fields.map((field) => (field as unknown as { value: string }).value))

test('by mouse: a list is pasted, colored, put in order, required from a stage and deleted by its name', async () => {
  const { account } = await furnished()
  const { page } = await openApplication(browser(), '/settings/fields', { account })
  await expect.poll(() => new URL(page.url()).pathname).toBe('/settings/fields/leads')
  await page.getByRole('tab', { name: 'Companies' }).click()
  await row(page, 'Delivery').waitFor()

  await page.getByRole('button', { name: 'New field' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Size')
  await dialog.getByRole('combobox', { name: 'Type' }).click()
  await page.getByRole('option', { name: /^List/ }).click()
  await dialog.getByText('One of the options that you list.').waitFor()
  await dialog.getByRole('button', { name: 'New field' }).click()
  await dialog.getByText('Enter at least one option').waitFor()
  await dialog.getByRole('textbox', { name: 'Options' }).fill('Small\n\n  Large \nsmall')
  await dialog.getByText('2 so far').waitFor()
  await dialog.getByRole('button', { name: 'New field' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await expect
    .poll(() => namesIn(page, 'General'))
    .toEqual(['Phone', 'E-mail', 'Website', 'Address', 'Delivery', 'Region', 'Size'])

  // The field opens under an address of its own.
  await row(page, 'Size').click()
  await expect.poll(() => new URL(page.url()).search).toMatch(/^\?field=\d+$/)
  await dialog.getByRole('textbox', { name: 'Add options' }).fill('Medium\nLARGE\nHuge')
  await dialog.getByRole('button', { name: 'Add 3' }).click()
  await dialog.getByText('Already there: LARGE').waitFor()
  await expect.poll(() => optionsIn(page)).toEqual(['Small', 'Large', 'Medium', 'Huge'])
  await dialog.getByRole('button', { name: 'Color of “Small”: No color' }).click()
  await page.getByRole('button', { name: 'Light blue', exact: true }).click()
  await dialog.getByRole('button', { name: 'Color of “Small”: Light blue' }).waitFor()
  await page.getByRole('button', { name: 'Move “Medium”' }).click()
  await page.getByRole('menuitem', { name: 'Up', exact: true }).click()
  await expect.poll(() => optionsIn(page)).toEqual(['Small', 'Medium', 'Large', 'Huge'])
  await menu(page, 'option “Huge”', 'Delete')
  await expect.poll(() => optionsIn(page)).toEqual(['Small', 'Medium', 'Large'])
  await dialog.getByRole('combobox', { name: 'Add a stage that requires the field' }).click()
  await page.getByRole('option', { name: 'Discussions' }).click()
  await dialog.getByRole('button', { name: /Take off .*Discussions/ }).waitFor()
  await dialog.getByRole('switch', { name: 'Read-only for people' }).click({ force: true })
  await dialog.getByRole('status').getByText('Saved').waitFor()
  await keys(dialog, 'Escape')
  await dialog.waitFor({ state: 'hidden' })
  await page.getByText('Required from “Discussions”').waitFor()

  // By its handle the field goes before another, and then into an empty group.
  const handle = page
    .locator('li[data-ordered]', { has: row(page, 'Size') })
    .last()
    .locator('[data-handle]')
  const dragTo = async (to: Awaited<ReturnType<typeof middleOf>>) => {
    await rest(page)
    const from = await middleOf(handle)
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(from.x + 4, from.y - 4, { steps: 4 })
    await page.mouse.move(to.x, to.y, { steps: 8 })
    await page.mouse.move(to.x + 1, to.y)
    await page.mouse.up()
  }
  const region = await middleOf(row(page, 'Region'))
  await dragTo({ x: region.x, y: region.y - 8 })
  await expect
    .poll(() => namesIn(page, 'General'))
    .toEqual(['Phone', 'E-mail', 'Website', 'Address', 'Delivery', 'Size', 'Region'])
  await dragTo(await middleOf(page.getByText('No fields here.')))
  await expect.poll(() => namesIn(page, 'Logistics')).toEqual(['Size'])
  await page.reload()
  await expect.poll(() => namesIn(page, 'Logistics')).toEqual(['Size'])

  // A field that has values is deleted by its name alone.
  const fields = (await account.api.get('/web/v1/fields/companies')).body.fields as (Made & {
    name: string
  })[]
  const size = fields.find(({ name }) => name === 'Size')!
  await account.api.post('/api/v4/companies', [
    { name: 'Acme', custom_fields_values: [{ field_id: size.id, values: [{ value: 'Large' }] }] },
  ])
  await page.reload()
  await page.getByText('In 1 record').waitFor()
  await menu(page, '“Size”', 'Delete')
  await dialog.getByText('In 1 record. These values are deleted').waitFor()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByText('This is not the name of the field').waitFor()
  await dialog.getByRole('textbox').fill('Size')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await row(page, 'Size').waitFor({ state: 'detached' })
})

test('by keys alone: fields are walked over, moved and renamed, and so are options', async () => {
  const { account, list } = await furnished()
  const { page } = await openApplication(browser(), path, { account })
  await row(page, 'Delivery').waitFor()
  await page.getByRole('heading', { level: 1 }).focus()
  for (let press = 0; press < 40; press++) {
    await walk(page, 'Tab')
    if (await page.evaluate<boolean>("document.activeElement.matches('[data-field]')")) break
  }
  await keys(row(page, 'Phone'), 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown')
  await keys(row(page, 'Region'), 'Alt+ArrowUp')
  await page.getByText('“Region” is 5 of 6 in “General”').waitFor({ state: 'attached' })
  await rest(page)
  await keys(row(page, 'Region'), 'Alt+ArrowDown')
  await page.getByText('“Region” is 6 of 6 in “General”').waitFor({ state: 'attached' })
  await rest(page)
  await keys(row(page, 'Region'), 'Alt+ArrowDown')
  await page.getByText('“Region” is 1 of 1 in “Logistics”').waitFor({ state: 'attached' })
  await expect.poll(() => namesIn(page, 'Logistics')).toEqual(['Region'])
  await keys(row(page, 'Region'), 'ArrowUp')
  await keys(row(page, 'Delivery'), 'Enter')
  const dialog = page.getByRole('dialog')
  const name = dialog.getByRole('textbox', { name: 'Name', exact: true })
  await keys(name, 'End')
  await type(name, ' by')
  await keys(name, 'Enter')
  await dialog.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
  await page.getByRole('dialog', { name: 'Delivery by' }).waitFor()

  const option = (value: string) => dialog.getByRole('textbox', { name: `Option “${value}”` })
  for (let press = 0; press < 6; press++) {
    await walk(page, 'Tab')
    if (await option('Post').and(page.locator(':focus')).count()) break
  }
  await keys(option('Post'), 'End')
  await type(option('Post'), ' office')
  // Escape takes back what was typed and leaves the dialog.
  await keys(option('Post'), 'Escape', 'End')
  await type(option('Post'), 'al')
  await keys(option('Post'), 'Enter')
  await keys(option('Postal'), 'Alt+ArrowDown')
  await page.getByText('“Postal” is now 2 of 3').waitFor({ state: 'attached' })
  await keys(option('Postal'), 'Alt+ArrowDown')
  await page.getByText('“Postal” is now 3 of 3').waitFor({ state: 'attached' })
  await untilFocused(option('Postal'))
  await expect.poll(() => optionsIn(page)).toEqual(['Courier', 'Van', 'Postal'])
  await rest(page)
  const { body } = await account.api.get(`/api/v4/companies/custom_fields/${list.id}`)
  expect([body.name, body.enums.map(({ value }: { value: string }) => value)]).toEqual([
    'Delivery by',
    ['Courier', 'Van', 'Postal'],
  ])
  await keys(dialog, 'Escape')
  await untilFocused(row(page, 'Delivery by'))
})

test('two administrators at one list: what one adds the other sees, and nothing is overwritten unseen', async () => {
  const { account, list } = await furnished()
  const at = `${path}?field=${list.id}`
  const { page } = await openApplication(browser(), at, { account })
  const { page: other } = await openApplication(browser(), at, { account, name: 'Bo Lee' })
  const add = async (on: Page, name: string) => {
    await on.getByRole('textbox', { name: 'Add options' }).fill(name)
    await on.getByRole('button', { name: 'Add', exact: true }).click()
  }
  await add(page, 'Bike')
  await add(other, 'Train')
  for (const each of [page, other])
    await expect
      .poll(async () => (await optionsIn(each)).toSorted())
      .toEqual(['Bike', 'Courier', 'Post', 'Train', 'Van'])
  // Who is typing a name hears of another one before it is saved.
  const field = page.getByRole('dialog').getByRole('textbox', { name: 'Name', exact: true })
  await field.fill('How it is sent')
  const theirs = other.getByRole('dialog').getByRole('textbox', { name: 'Name', exact: true })
  await theirs.fill('Shipping')
  await other.getByRole('button', { name: 'Save' }).click()
  await other.getByRole('dialog', { name: 'Shipping' }).waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Somebody has changed the name to “Shipping” meanwhile.').waitFor()
  await expect.poll(() => field.inputValue()).toBe('How it is sent')
  await page.getByRole('button', { name: 'Take theirs' }).click()
  await expect.poll(() => field.inputValue()).toBe('Shipping')

  // So does who renames an option.
  const option = page.getByRole('textbox', { name: 'Option “Bike”' })
  await option.fill('Bicycle')
  await other.getByRole('textbox', { name: 'Option “Bike”' }).fill('Cargo bike')
  await keys(other.getByRole('textbox', { name: 'Option “Bike”' }), 'Enter')
  const renamed = page.getByRole('textbox', { name: 'Option “Cargo bike”' })
  await renamed.waitFor()
  await keys(renamed, 'Enter')
  await page.getByText('Changed by someone else to “Cargo bike”').waitFor()
  await page.getByRole('button', { name: 'Keep mine' }).click()
  await expect.poll(() => optionsIn(other)).toContain('Bicycle')

  // A field that is deleted does not vanish without a word.
  await account.api.delete(`/api/v4/companies/custom_fields/${list.id}`)
  await other.getByText('This field does not exist').waitFor()
  await other.getByRole('button', { name: 'Close' }).click()
  await expect.poll(() => new URL(other.url()).search).toBe('')
})

test('options that records have are merged and deleted by jobs, which bring them back', async () => {
  const { account, list } = await furnished()
  const [post, courier] = list.enums as { id: number }[]
  const made = await account.api.post('/api/v4/companies', [
    { custom_fields_values: [{ field_id: list.id, values: [{ enum_id: post!.id }] }] },
  ])
  const { id } = made.body._embedded.companies[0]
  const chosen = async () => {
    const { body } = await account.api.get(`/api/v4/companies/${id}`)
    return body.custom_fields_values?.[0].values[0].enum_id
  }
  const { page, faults } = await openApplication(browser(), `${path}?field=${list.id}`, { account })
  await menu(page, 'option “Post”', 'Merge into another…')
  await page.getByRole('option', { name: 'Courier' }).click()
  const question = page.getByRole('dialog', { name: 'Merge “Post” into “Courier”?' })
  // Escape answers the question; the field stays open.
  await keys(question, 'Escape')
  await question.waitFor({ state: 'detached' })
  await menu(page, 'option “Post”', 'Merge into another…')
  await page.getByRole('option', { name: 'Courier' }).click()
  await question.getByRole('button', { name: 'Merge' }).click()
  await expect.poll(() => optionsIn(page)).toEqual(['Courier', 'Van'])
  expect(await chosen()).toBe(courier!.id)
  await keys(page.getByRole('dialog'), 'Escape')
  await page.getByText('Option “Post” merged. Records that now have “Courier”: 1').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Option “Post” is back.').waitFor()
  expect(await chosen()).toBe(post!.id)

  await row(page, 'Delivery').click()
  await expect.poll(() => optionsIn(page)).toEqual(['Post', 'Courier', 'Van'])
  await menu(page, 'option “Post”', 'Delete')
  await page.getByText('Records have this option and lose it.').waitFor()
  await page.getByRole('button', { name: 'Delete', exact: true }).last().click()
  await expect.poll(() => optionsIn(page)).toEqual(['Courier', 'Van'])
  expect(await chosen()).toBeUndefined()
  // The page learns from a refusal that records have the option.
  excuse(faults, 422)
  expect(faults).toEqual([])
})

test('on a phone: groups are made and filled by menus, in light and dark without a fault', async () => {
  const { account } = await furnished()
  const { page } = await openApplication(browser(), path, { account })
  await resize(page, 390, 844)
  await row(page, 'Delivery').waitFor()
  await page.getByRole('button', { name: 'New group' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Money')
  await dialog.getByRole('button', { name: 'New group' }).click()
  await page.getByRole('heading', { name: 'Money' }).waitFor()
  await menu(page, '“Delivery”', 'Move to “Money”')
  await expect.poll(() => namesIn(page, 'Money')).toEqual(['Delivery'])
  await menu(page, 'group “Money”', 'Move up')
  await expect
    .poll(() => page.getByRole('heading', { level: 2 }).allTextContents())
    .toEqual(['General', 'Money', 'Logistics'])
  expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')).toBe(
    true,
  )
  expect(await accessibilityFaults(page)).toEqual([])
  await page.emulateMedia({ colorScheme: 'dark' })
  await row(page, 'Delivery').click()
  await dialog.waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await keys(dialog, 'Escape')
  await menu(page, 'group “Money”', 'Delete')
  await dialog.getByText('Its 1 field moves to “General”.').waitFor()
  await dialog.getByRole('button', { name: 'Delete the group' }).click()
  await expect
    .poll(async () => (await namesIn(page, 'General')).slice(-2))
    .toEqual(['Delivery', 'Region'])
  await page.getByRole('tab', { name: 'Segments' }).click()
  await page.getByText('No fields yet').waitFor()
  await page.getByRole('link', { name: 'Settings' }).first().click()
  await page.getByRole('link', { name: 'Fields' }).waitFor()
})

test('who is no administrator reads the fields and changes none, by the page and by request', async () => {
  const { account, list } = await furnished()
  const { page } = await openApplication(browser(), path, { account, is_admin: false })
  await page.getByText('Administrators change this.').waitFor()
  await page.getByRole('listitem').filter({ hasText: 'Delivery' }).getByText('List (3)').waitFor()
  await expect.poll(() => page.getByRole('main').getByRole('button').count()).toBe(0)
  const { api } = await account.addUser({ is_admin: false })
  expect((await api.get('/web/v1/fields/companies')).status).toBe(403)
  expect(
    (await api.post(`/web/v1/fields/companies/${list.id}/enums`, { values: ['x'] })).status,
  ).toBe(403)
})
