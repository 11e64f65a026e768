// The tags of an account in settings: found, made, renamed, drawn, merged and deleted, with their way back.
import { expect, test } from 'vitest'
import { addLeads } from '../leads.ts'
import { newAccount } from '../account.ts'
import { accessibilityFaults, openApplication } from './application.ts'
import { useBrowser } from './chromium.ts'
import { keys, type } from './keys.ts'
import { rest } from './rest.ts'

const browser = useBrowser()
const path = '/api/v4/leads/tags'

test('tags are made, renamed, colored, merged and deleted, by the mouse and by keys alone', async () => {
  const { page, account } = await openApplication(browser(), '/settings/tags')
  const { api } = account
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const row = (name: string) =>
    page.getByRole('list', { name: 'Tags' }).getByRole('listitem').filter({ hasText: name })
  const names = () => page.getByRole('listitem').locator('span[class*="name"]').allTextContents()
  const dialog = page.getByRole('dialog')
  const inDialog = (name: string) => dialog.getByRole('button', { name, exact: true })
  const name = dialog.getByRole('textbox', { name: 'Name' })
  await page.waitForURL('**/settings/tags/leads')
  await page.getByText('No tags yet').waitFor()

  await button('New tag').click()
  await inDialog('New tag').click()
  await dialog.getByText('Enter a name').waitFor()
  await name.fill('Loyal')
  await dialog.getByRole('radio', { name: 'Sky blue' }).check()
  expect(await accessibilityFaults(page)).toEqual([])
  await inDialog('New tag').click()
  await row('Loyal').getByText('No records').waitFor()
  expect((await api.get(path)).body._embedded.tags).toMatchObject([
    { name: 'Loyal', color: '86C0FC' },
  ])
  // A name that exists is refused, whatever its case.
  await rest(page)
  await button('New tag').focus()
  await keys(button('New tag'), 'Enter')
  await type(name, 'loyal')
  await keys(name, 'Enter')
  await dialog.getByText('Another tag has this name.').waitFor()
  await name.fill('VIP')
  await keys(name, 'Enter')
  await row('VIP').waitFor()

  // A colleague's tags are seen at once, and so are the records of a tag.
  const tags = (await api.get(path)).body._embedded.tags as { id: number; name: string }[]
  const idOf = (of: string) => tags.find((tag) => tag.name === of)!.id
  const having = { _embedded: { tags: [{ id: idOf('Loyal') }] } }
  const leads = await addLeads(api, [having, having])
  await api.post(path, [{ name: 'Webform' }])
  await row('Webform').waitFor()
  await page.reload()
  await row('Loyal').getByText('2 records').waitFor()

  await rest(page)
  await button('Edit the tag “Webform”').focus()
  await keys(button('Edit the tag “Webform”'), 'Enter')
  await expect.poll(() => name.inputValue()).toBe('Webform')
  await keys(name, 'Control+a')
  await type(name, 'Site')
  await keys(name, 'Enter')
  await expect.poll(names).toEqual(['Loyal', 'Site', 'VIP'])

  // The other tag is found by its name; the job merges, and is taken back.
  await rest(page)
  await button('Merge “Loyal” into another').focus()
  await keys(button('Merge “Loyal” into another'), 'Enter')
  const search = dialog.getByRole('combobox')
  await type(search, 'vi')
  await rest(page)
  await keys(search, 'Enter')
  await dialog.getByText('2 records get the other tag, and this one disappears.').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await rest(page)
  await inDialog('Merge').click()
  await page.getByText('Tag “Loyal” merged. Records that now have “VIP”: 2').waitFor()
  await expect.poll(names).toEqual(['Site', 'VIP'])
  await row('VIP').getByText('2 records').waitFor()
  const tagsOf = async (id: number) =>
    (await api.get(`/api/v4/leads/${id}`)).body._embedded.tags.map((tag: { id: number }) => tag.id)
  expect(await tagsOf(leads[0]!)).toEqual([idOf('VIP')])
  await button('Undo').click()
  await page.getByText('Tag “Loyal” is back. Records that have it again: 2').waitFor()
  await row('Loyal').getByText('2 records').waitFor()
  expect(await tagsOf(leads[1]!)).toEqual([idOf('Loyal')])

  await button('Delete the tag “Loyal”').click()
  await dialog.getByText('2 records lose this tag. It can be undone for a day.').waitFor()
  await inDialog('Delete').click()
  await page.getByText('Tag “Loyal” deleted. Records that no longer have it: 2').waitFor()
  expect(await tagsOf(leads[0]!)).toEqual([])
})

test('many tags are found by a part of the name and shown page by page, also on a phone', async () => {
  const account = await newAccount()
  const drafts = Array.from({ length: 60 }, (_, at) => ({
    name: `Tag ${String(at).padStart(2, '0')}`,
  }))
  await account.api.post('/api/v4/contacts/tags', drafts)
  const { page } = await openApplication(browser(), '/settings/tags/contacts', { account })
  const rows = page.getByRole('list', { name: 'Tags' }).getByRole('listitem')
  await expect.poll(() => rows.count()).toBe(50)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(() => rows.count()).toBe(60)
  await page.getByRole('textbox', { name: 'Find a tag' }).fill('tag 07')
  await expect.poll(() => rows.count()).toBe(1)
  await page.getByRole('textbox', { name: 'Find a tag' }).fill('nothing like it')
  await page.getByText('Nothing found').waitFor()
  await page.getByRole('tab', { name: 'Companies' }).click()
  await page.getByText('No tags yet').waitFor()
  await page.goBack()
  await expect.poll(() => rows.count()).toBe(60)
  // A tag of contacts has no color.
  await page.getByRole('button', { name: 'New tag' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).waitFor()
  await expect.poll(() => page.getByRole('dialog').getByRole('radio').count()).toBe(0)
  await page.setViewportSize({ width: 390, height: 844 })
  await rest(page)
  expect(await accessibilityFaults(page)).toEqual([])
  expect(
    await page.evaluate(
      'document.documentElement.scrollWidth <= document.documentElement.clientWidth',
    ),
  ).toBe(true)
})

test('whoever is no administrator is refused, by the page and by its addresses', async () => {
  const account = await newAccount()
  const { page } = await openApplication(browser(), '/settings/tags/leads', {
    account,
    is_admin: false,
    rights: { leads: { view: 'A', edit: 'A' } },
  })
  await page.getByText('You have no access to this').first().waitFor()
  const user = await account.addUser({ rights: { leads: { view: 'A', edit: 'A' } } })
  expect((await user.api.get('/web/v1/tags/leads')).status).toBe(403)
})
