// The personal pages of settings in a real browser: the profile, the preferences, and how the user
// signs in.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { client } from '../client.ts'
import { codeAt } from '../second-factor.ts'
import { signIn } from '../session.ts'
import { accessibilityFaults, openApplication } from './application.ts'
import { addLead } from '../leads.ts'
import { newAccount } from '../account.ts'
import { useBrowser } from './chromium.ts'
import { keys, shortcut, type } from './keys.ts'

const browser = useBrowser()
const chosen = 'another horse'

const rootOf = (page: Page, name: string) => page.locator('html').getAttribute(name)

/** The opening tag of the root in the answer of the server, before any script has run. */
const rootInAnswer = async (page: Page) =>
  /<html[^>]*>/.exec(await (await page.request.get(page.url())).text())![0]

const saved = (page: Page) =>
  page.getByRole('status').filter({ hasText: 'Saved' }).first().waitFor()

test('settings begin with the profile, which shows the e-mail and saves what is changed', async () => {
  const { page, email } = await openApplication(browser(), '/settings')
  await page.waitForURL('**/settings/profile')
  await expect.poll(() => page.getByLabel('E-mail').inputValue()).toBe(email)
  await page.getByLabel('Name').fill('Ann Berg')
  await page.getByLabel('Phone number').fill(' +371 2000 ')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved').waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menu').getByText('Ann Berg').waitFor()
  await page.reload()
  await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Ann Berg')
  await expect.poll(() => page.getByLabel('Phone number').inputValue()).toBe('+371 2000')
})

test('leaving with unsaved changes asks, and a fault stands beside its field', async () => {
  const { page, faults } = await openApplication(browser(), '/settings/profile')
  const name = page.getByLabel('Name')
  await name.fill('https://spam.example')
  await page.getByRole('link', { name: 'Security' }).click()
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
  await dialog.getByRole('button', { name: 'Stay on the page' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true')
  const fault = await name.getAttribute('aria-describedby')
  await expect
    .poll(() => page.locator(`[id="${fault!.split(' ').at(-1)}"]`).textContent())
    .toMatch(/\w+/)
  await name.fill('')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Enter your name.').waitFor()
  await page.getByRole('button', { name: 'Discard' }).click()
  await expect.poll(() => name.inputValue()).toBe('Ann Lee')
  expect(faults.splice(0).join()).toContain('400')
})

test('another language is spoken at once, and after a reload', async () => {
  const { page } = await openApplication(browser(), '/settings/profile')
  await page.getByRole('combobox', { name: 'Language of the application' }).click()
  await page.getByRole('option', { name: 'Русский' }).click()
  await page.getByRole('heading', { name: 'Профиль' }).waitFor()
  await page.getByRole('link', { name: 'Главная' }).first().waitFor()
  await expect.poll(() => rootOf(page, 'lang')).toBe('ru')
  await page.reload()
  await page.getByRole('heading', { name: 'Профиль' }).waitFor()
  expect(await rootInAnswer(page)).toContain('lang="ru"')
})

test('theme, density and motion work at once, and stand in the next answer of the server', async () => {
  const { page } = await openApplication(browser(), '/settings/preferences')
  expect(await rootOf(page, 'data-mantine-color-scheme')).toBe('light')
  expect(await rootInAnswer(page)).not.toContain('data-mantine-color-scheme')
  await page.getByText('Dark', { exact: true }).click()
  await saved(page)
  await expect.poll(() => rootOf(page, 'data-mantine-color-scheme')).toBe('dark')
  await page.getByText('Roomy', { exact: true }).click()
  await expect.poll(() => rootOf(page, 'data-density')).toBe('roomy')
  const height = async () =>
    (await page.getByRole('combobox', { name: 'Time zone' }).boundingBox())!.height
  expect(await height()).toBe(36)
  await page.getByRole('switch', { name: 'Less motion' }).click({ force: true })
  await expect.poll(() => rootOf(page, 'data-motion')).toBe('reduced')
  await expect.poll(() => rootInAnswer(page)).toContain('data-motion="reduced"')
  const root = await rootInAnswer(page)
  expect(root).toContain('data-mantine-color-scheme="dark"')
  expect(root).toContain('data-density="roomy"')
  // Any moment of another theme during the load would be a flash.
  await page.addInitScript(`
    window.schemes = []
    new MutationObserver(() =>
      window.schemes.push(document.documentElement?.dataset.mantineColorScheme),
    ).observe(document, { attributes: true, subtree: true, attributeFilter: ['data-mantine-color-scheme'] })
  `)
  await page.reload()
  await page.getByRole('heading', { name: 'Preferences' }).waitFor()
  const schemes = await page.evaluate<string[]>('window.schemes')
  expect(schemes.filter((scheme) => scheme !== 'dark')).toEqual([])
  expect(await rootOf(page, 'data-mantine-color-scheme')).toBe('dark')
  expect(await rootOf(page, 'data-density')).toBe('roomy')
  expect(await height()).toBe(36)
  await page.getByText('System', { exact: true }).click()
  await expect.poll(() => rootOf(page, 'data-mantine-color-scheme')).toBe('light')
})

test('without time for a change of mind, a deletion is sent at once and nothing is offered', async () => {
  const account = await newAccount()
  const lead = await addLead(account.api, { name: 'Pump order' })
  await account.api.post(`/api/v4/leads/${lead}/notes`, [
    { note_type: 'common', params: { text: 'Called in the morning' } },
    { note_type: 'common', params: { text: 'Called at noon' } },
  ])
  const notes = async () => {
    const { body } = await account.api.get(`/api/v4/leads/${lead}/notes?filter[note_type]=common`)
    return (body?._embedded.notes ?? []).length as number
  }
  const { page } = await openApplication(browser(), '/settings/preferences', { account })
  const remove = async (text: string) => {
    await page.goto(`${account.kontor.url}/leads/${lead}`)
    const note = page.getByRole('article').filter({ hasText: text })
    await note.hover()
    await note.getByRole('button', { name: 'Delete the note' }).click()
    await note.waitFor({ state: 'detached' })
  }
  await remove('Called in the morning')
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  expect(await notes()).toBe(2)
  await page.goto(`${account.kontor.url}/settings/preferences`)
  const time = page.getByRole('combobox', { name: 'Time for a change of mind' })
  await expect.poll(() => time.inputValue()).toBe('5 seconds')
  await time.click()
  await page.getByRole('option', { name: 'None: at once' }).click()
  await saved(page)
  // The page that was left has sent the first one.
  await expect.poll(notes).toBe(1)
  await remove('Called at noon')
  await expect.poll(notes).toBe(0)
  await expect.poll(() => page.getByRole('button', { name: 'Undo' }).isVisible()).toBe(false)
})

test('the rail stays as it was left, and single keys rest while they are off', async () => {
  const { page } = await openApplication(browser(), '/settings/preferences')
  const rail = page.getByRole('navigation', { name: 'Navigation' })
  await expect.poll(() => rail.getAttribute('data-pinned')).toBe('true')
  await page.getByRole('button', { name: 'Show icons only' }).click()
  await expect.poll(() => rail.getAttribute('data-pinned')).toBeNull()
  await expect
    .poll(() => page.getByRole('switch', { name: 'Wide navigation' }).isChecked())
    .toBe(false)
  const shortcuts = page.getByRole('switch', { name: 'Shortcuts of a single key' })
  await shortcuts.click({ force: true })
  await saved(page)
  await page.getByRole('heading', { name: 'Preferences' }).focus()
  await shortcut(page, 'g', 'h', 'Control+k')
  await keys(page.getByPlaceholder('Type a name, a number'), 'Escape')
  expect(new URL(page.url()).pathname).toBe('/settings/preferences')
  await page.reload()
  await shortcuts.waitFor()
  await expect.poll(() => rail.getAttribute('data-pinned')).toBeNull()
  await expect.poll(() => shortcuts.isChecked()).toBe(false)
  await shortcuts.click({ force: true })
  await saved(page)
  await page.getByRole('heading', { name: 'Preferences' }).focus()
  await shortcut(page, 'g', 'h')
  await page.getByRole('heading', { name: 'Hello, Ann Lee' }).waitFor()
})

test('the start page is the board, or another one that the user chooses', async () => {
  const { page, account } = await openApplication(browser(), '/')
  await page.waitForURL('**/leads/p/*')
  const steps = page.getByRole('region', { name: 'First steps' })
  await steps.getByRole('link', { name: 'Create a role' }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await steps.getByRole('button', { name: 'Hide the first steps' }).click()
  await steps.waitFor({ state: 'hidden' })
  await page.goto(`${account.kontor.url}/settings/preferences`)
  const choice = page.getByRole('combobox', { name: 'Start page' })
  await expect.poll(() => choice.inputValue()).toBe('Leads: the latest pipeline')
  await choice.click()
  await page.getByRole('option', { name: 'Home' }).click()
  await saved(page)
  await page.getByRole('link', { name: 'Kontor' }).click()
  await page.getByRole('heading', { name: 'Hello, Ann Lee' }).waitFor()
  await page.goto(account.kontor.url)
  await page.getByRole('heading', { name: 'Hello, Ann Lee' }).waitFor()
  await expect.poll(() => page.getByRole('region', { name: 'First steps' }).count()).toBe(0)
  // An address that a program has set, with a question.
  await page.evaluate(`fetch('/web/v1/preferences', {
    method: 'PATCH', headers: { 'content-type': 'application/json' }, body: '{"start_page":"/leads?sort=price"}' })`)
  await page.goto(account.kontor.url)
  await page.waitForURL('**/leads/p/*?sort=price')
})

test('dates follow the format and the zone of the user', async () => {
  const { page, account } = await openApplication(browser(), '/settings/security')
  const shown = page.getByRole('list', { name: 'Where you are signed in' }).locator('time').first()
  const stamp = new Date((await shown.getAttribute('datetime'))!)
  await page.goto(`${account.kontor.url}/settings/preferences`)
  await page.getByRole('combobox', { name: 'Date format' }).click()
  await page.getByRole('option', { name: 'Year first' }).click()
  const zone = page.getByRole('combobox', { name: 'Time zone' })
  await zone.fill('kiritimati')
  await page.getByRole('option', { name: 'Pacific/Kiritimati' }).click()
  await expect.poll(() => zone.inputValue()).toBe('Pacific/Kiritimati')
  await page.getByRole('link', { name: 'Security' }).click()
  const wanted = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Pacific/Kiritimati' }).format(stamp)
  await expect.poll(() => shown.textContent()).toMatch(new RegExp(`^${wanted}, \\d`))
})

test('a preference that the server refuses goes back, and the row says why', async () => {
  const { page, faults } = await openApplication(browser(), '/settings/preferences')
  await page.route('**/web/v1/preferences', (route) => route.abort())
  const motion = page.getByRole('switch', { name: 'Less motion' })
  await motion.click({ force: true })
  await page.getByRole('alert').filter({ hasText: 'The server does not answer' }).waitFor()
  await expect.poll(() => motion.isChecked()).toBe(false)
  expect(await rootOf(page, 'data-motion')).toBeNull()
  expect(faults.splice(0).join()).toContain('ERR_FAILED')
})

test('a new password ends the other sessions and keeps this one; faults stand beside the fields', async () => {
  const { page, account, email, password, faults } = await openApplication(
    browser(),
    '/settings/security',
  )
  const { kontor } = account
  const other = await signIn(kontor, { email, password })
  const present = page.getByLabel('Present password', { exact: true })
  const fresh = page.getByLabel('New password', { exact: true })
  await present.fill('wrong horse')
  await fresh.fill('short')
  const change = page.getByRole('button', { name: 'Change password' })
  await change.click()
  await expect.poll(() => fresh.getAttribute('aria-invalid')).toBe('true')
  await fresh.fill(chosen)
  await change.click()
  await page.getByText('This is not your present password.').waitFor()
  await expect.poll(() => present.getAttribute('aria-invalid')).toBe('true')
  await expect.poll(() => fresh.getAttribute('aria-invalid')).toBeNull()
  expect(faults.splice(0).join()).toContain('400')
  await present.fill(password)
  await change.click()
  await page.getByText('Your password is changed.').waitFor()
  await expect.poll(() => present.inputValue()).toBe('')
  expect((await other.api.get('/web/v1/session')).status).toBe(401)
  await page.reload()
  await page.getByText('This browser').waitFor()
  expect((await signIn(kontor, { email, password: chosen })).answer.status).toBe(200)
})

test('the second factor is turned on by keyboard alone, asked for at the sign-in, and turned off', async () => {
  const { page, account, email, password, faults } = await openApplication(
    browser(),
    '/settings/security',
  )
  const { kontor } = account
  const opener = page.getByRole('button', { name: 'Turn on' })
  await opener.focus()
  await keys(opener, 'Enter')
  const dialog = page.getByRole('dialog', { name: 'Turn on two-step sign-in' })
  const passwordField = dialog.getByLabel('Your password', { exact: true })
  await type(passwordField, 'wrong horse')
  await keys(passwordField, 'Enter')
  await dialog.getByText('This is not your present password.').waitFor()
  await keys(passwordField, 'Control+a')
  await type(passwordField, password)
  await keys(passwordField, 'Enter')
  await dialog.getByRole('img', { name: 'QR code' }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  const secret = await dialog.getByLabel('Secret').first().inputValue()
  const codeField = dialog.getByLabel('Code', { exact: true })
  await type(codeField, '000000')
  await keys(codeField, 'Enter')
  await dialog.getByText('This code is wrong, or was used already.').waitFor()
  expect(faults.splice(0).join()).toContain('400')
  await keys(codeField, 'Control+a')
  await type(codeField, codeAt(secret, kontor.now()))
  await keys(codeField, 'Enter')
  const codes = page.getByRole('dialog', { name: 'Recovery codes', exact: true })
  const items = codes.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
  await expect.poll(() => items.count()).toBe(10)
  expect(await accessibilityFaults(page)).toEqual([])
  const [first = '', second = '', third = ''] = await items.allTextContents()
  const file = page.waitForEvent('download')
  const download = codes.getByRole('link', { name: 'Download' })
  await download.focus()
  await keys(download, 'Enter')
  expect((await file).suggestedFilename()).toBe('kontor-recovery-codes.txt')
  // Codes that are shown once do not go with a slip of the hand.
  await keys(download, 'Escape')
  await expect.poll(() => codes.isVisible()).toBe(true)
  const kept = codes.getByRole('button', { name: 'I have kept them' })
  await kept.focus()
  await keys(kept, 'Enter')
  await codes.waitFor({ state: 'hidden' })
  await page.getByText('10 recovery codes are left.').waitFor()

  const post = (code?: string, word = password) =>
    client(kontor).post(
      '/web/v1/session',
      { email, password: word, ...(code !== undefined && { code }) },
      { origin: kontor.url },
    )
  expect((await post()).status).not.toBe(200)
  expect((await post(first)).status).toBe(200)

  await page.getByRole('button', { name: 'New recovery codes' }).click()
  const passwordAgain = page.getByRole('dialog').getByLabel('Your password', { exact: true })
  await type(passwordAgain, password)
  const codeAgain = page.getByRole('dialog').getByLabel('Code of your second factor')
  await codeAgain.fill(second)
  await keys(codeAgain, 'Enter')
  await items.first().waitFor()
  const [renewed = '', another = ''] = await items.allTextContents()
  await kept.click()
  await codes.waitFor({ state: 'hidden' })
  expect((await post(third)).status).not.toBe(200)

  // A new password asks for a code, too.
  const change = page.getByRole('button', { name: 'Change password' })
  await page.getByLabel('Present password', { exact: true }).fill(password)
  await page.getByLabel('New password', { exact: true }).fill(chosen)
  await change.click()
  const codeOfChange = page.getByLabel('Code of your second factor')
  await page.getByText('Your second factor is on: enter a code of it.').waitFor()
  expect(faults.splice(0).join()).toContain('400')
  await type(codeOfChange, another)
  await keys(codeOfChange, 'Enter')
  await page.getByText('Your password is changed.').waitFor()
  await expect.poll(() => codeOfChange.inputValue()).toBe('')

  await page.getByRole('button', { name: 'Turn off' }).click()
  const off = page.getByRole('dialog', { name: 'Turn off two-step sign-in?' })
  await off.getByLabel('Your password', { exact: true }).fill(chosen)
  await off.getByLabel('Code').fill(renewed)
  await off.getByRole('button', { name: 'Turn off' }).click()
  await off.waitFor({ state: 'hidden' })
  await page.getByText('The password alone signs you in.').waitFor()
  expect((await post(undefined, chosen)).status).toBe(200)
})

test('a session is ended from the list, and then all of them', async () => {
  const { page, account, email, password } = await openApplication(browser(), '/settings/security')
  const { kontor } = account
  const other = await signIn(kontor, { email, password })
  await page.reload()
  const list = page.getByRole('list', { name: 'Where you are signed in' })
  const rows = list.getByRole('listitem')
  await expect.poll(() => rows.count()).toBe(2)
  await expect
    .poll(() => rows.filter({ hasText: 'This browser' }).getByRole('button').count())
    .toBe(0)
  await rows.getByRole('button', { name: /^Sign out/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await expect.poll(() => rows.count()).toBe(1)
  expect((await other.api.get('/web/v1/session')).status).toBe(401)
  const third = await signIn(kontor, { email, password })
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  const dialog = page.getByRole('dialog', { name: 'Sign out everywhere?' })
  await dialog.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.waitForURL('**/login')
  expect((await third.api.get('/web/v1/session')).status).toBe(401)
})

test.each(['light', 'dark'] as const)('axe finds nothing in the %s theme', async (colorScheme) => {
  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    const options = { colorScheme, viewport }
    const { page, account } = await openApplication(browser(), '/settings/profile', {}, options)
    await page.getByLabel('Name').fill('Ann')
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Discard' }).click()
    for (const [path, ready] of [
      ['preferences', 'Shortcuts of a single key'],
      ['security', 'This browser'],
    ]) {
      await page.goto(`${account.kontor.url}/settings/${path}`)
      await page.getByText(ready!).waitFor()
      expect(await accessibilityFaults(page)).toEqual([])
    }
  }
})
