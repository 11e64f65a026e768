// Duplicates and merges in a real browser: the banner, the comparison by mouse and by keys alone, the undo,
// and what a user without rights sees.
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { firstFields } from '../fields.ts'
import { linksOf } from '../links.ts'
import { addNote } from '../notes.ts'
import { addRecord, readRecord } from '../records.ts'
import { accessibilityFaults, excuse, openApplication } from './application.ts'
import { useBrowser } from './chromium.ts'
import { keys } from './keys.ts'

const browser = useBrowser()

interface Ground {
  account: TestAccount
  ann: number
  annie: number
  lead: number
}

/** Two contacts with one phone, the second with a lead and a note. */
async function newGround(): Promise<Ground> {
  const account = await newAccount()
  const { api } = account
  await firstFields(account, 'contacts')
  const of = (phone: string, email: string) => [
    { field_code: 'PHONE', values: [{ value: phone, enum_code: 'WORK' }] },
    { field_code: 'EMAIL', values: [{ value: email, enum_code: 'WORK' }] },
  ]
  const ann = await addRecord(api, 'contacts', {
    name: 'Ann Berg',
    custom_fields_values: of('+371 2000 0001', 'ann@example.com'),
  })
  const annie = await addRecord(api, 'contacts', {
    name: 'Annie B.',
    custom_fields_values: [
      ...of('(371) 2000-0001', 'annie@example.com'),
      { field_code: 'POSITION', values: [{ value: 'Buyer' }] },
    ],
  })
  const lead = await addRecord(api, 'leads', { _embedded: { contacts: [{ id: annie }] } })
  await addNote(api, 'contacts', annie)
  return { account, ann, annie, lead }
}

async function compare(page: Page) {
  await page.getByText('1 other contact shares this phone').waitFor()
  await page.getByRole('button', { name: 'Compare' }).click()
  const dialog = page.getByRole('dialog', { name: 'Merge contacts' })
  await dialog.getByText('1 lead and 1 note').waitFor()
  return dialog
}

/** News may have a page ask once more for the record that is gone, which the console tells. */
const withoutGone = (faults: string[]) => excuse(faults, 404)

const mergeButton = (page: Page) =>
  page.getByRole('dialog').getByRole('button', { name: 'Merge', exact: true })

describe('merging two contacts', () => {
  test('fields are picked, the survivor is shown, and the toast takes it back', async () => {
    const { account, ann, annie, lead } = await newGround()
    const { page } = await openApplication(browser(), `/contacts/${ann}`, { account })
    const dialog = await compare(page)
    expect(await accessibilityFaults(page)).toEqual([])
    const row = (name: string) => dialog.getByRole('radiogroup', { name: `${name}: which value` })
    await row('Name').getByRole('radio', { name: 'Annie B.' }).check()
    await expect
      .poll(() => row('E-mail').getByRole('radio', { name: 'Both' }).isChecked())
      .toBe(true)
    await expect
      .poll(() => row('Position').getByRole('radio', { name: 'Buyer' }).isChecked())
      .toBe(true)
    await mergeButton(page).click()
    await dialog.waitFor({ state: 'hidden' })
    await page.getByRole('heading', { name: 'Annie B.' }).waitFor()
    const merged = await readRecord(account.api, 'contacts', ann)
    expect(merged.name).toBe('Annie B.')
    expect(await linksOf(account.api, 'leads', lead)).toEqual([`contacts ${ann} main`])
    await page.getByText('Merged with Annie B.').waitFor()
    const toast = page
      .locator('.mantine-Notification-root')
      .filter({ hasText: 'Merged into Annie B.' })
    await toast.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('heading', { name: 'Ann Berg' }).waitFor()
    await page.getByText('1 other contact shares this phone').waitFor()
    expect(await linksOf(account.api, 'leads', lead)).toEqual([`contacts ${annie} main`])
  })

  test('by keys alone, with the other one staying, and the banner takes it back', async () => {
    const { account, ann, annie } = await newGround()
    const { page, faults } = await openApplication(browser(), `/contacts/${ann}`, { account })
    const begin = page.getByRole('button', { name: 'Compare' })
    await begin.focus()
    await keys(begin, 'Enter')
    await page.getByRole('dialog').getByText('1 lead and 1 note').waitFor()
    const survivor = page.getByRole('radiogroup', { name: 'Which one stays' })
    await keys(survivor, 'ArrowRight')
    await page.getByRole('dialog').getByText('Ann Berg goes to the bin').waitFor()
    await keys(page.getByRole('dialog'), 'Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await keys(begin, 'Enter')
    await keys(survivor, 'ArrowRight')
    await page.getByRole('dialog').getByText('Nothing hangs on it').waitFor()
    await mergeButton(page).focus()
    await keys(mergeButton(page), 'Enter')
    await page.waitForURL(`**/contacts/${annie}`)
    await page.getByText('Merged with Ann Berg').waitFor()
    expect((await readRecord(account.api, 'contacts', annie)).name).toBe('Annie B.')
    await page.getByRole('main').getByRole('button', { name: 'Undo' }).click()
    await page.getByText('1 other contact shares this phone').waitFor()
    expect((await readRecord(account.api, 'contacts', ann)).name).toBe('Ann Berg')
    withoutGone(faults)
  })

  test('one that was deleted meanwhile is said, on a phone too', async () => {
    const { account, ann, annie } = await newGround()
    const opened = await openApplication(
      browser(),
      `/contacts/${ann}`,
      { account },
      { viewport: { width: 390, height: 844 } },
    )
    const { page, faults } = opened
    await compare(page)
    expect(await accessibilityFaults(page)).toEqual([])
    expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')).toBe(
      true,
    )
    await page.route('**/web/v1/merges', async (route) => {
      await account.api.delete(`/api/v4/contacts/${annie}`)
      await route.continue()
    })
    await mergeButton(page).click()
    await page.getByRole('dialog').getByRole('alert').waitFor()
    withoutGone(faults)
  })

  test('a user who may not edit sees the banner without a way on', async () => {
    const { account, ann } = await newGround()
    const rights = { contacts: { view: 'A' } } as const
    const { page } = await openApplication(browser(), `/contacts/${ann}`, {
      account,
      is_admin: false,
      rights,
    })
    await page.getByText('1 other contact shares this phone').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Compare' }).count()).toBe(0)
  })

  test('a user who may not delete the other learns it in the comparison', async () => {
    const { account, ann } = await newGround()
    const rights = { contacts: { view: 'A', edit: 'A' } } as const
    const { page } = await openApplication(browser(), `/contacts/${ann}`, {
      account,
      is_admin: false,
      rights,
    })
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByRole('dialog').getByText('You have no right to edit both').waitFor()
    await expect.poll(() => mergeButton(page).isDisabled()).toBe(true)
  })
})
