// The pages of "Connect" in settings, in a real browser: integrations, webhooks, API keys and chat
// channels, from nothing to a program that works with them.
import type { Page } from 'playwright-core'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventNames } from '../../server/features/programs/webhooks/event-names.ts'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { client } from '../client.ts'
import type { Receiver } from '../receiver.ts'
import { addRecord } from '../records.ts'
import { accessibilityFaults, openApplication } from './application.ts'
import { useBrowser } from './chromium.ts'
import { openDelivering } from '../delivering.ts'
import { keys } from './keys.ts'

const browser = useBrowser()
let receiver: Receiver
/** An account of a server that delivers, on a database of its own. */
let delivering: TestAccount
let close: () => Promise<void>

beforeAll(async () => {
  ;({ account: delivering, receiver, close } = await openDelivering())
})

afterAll(() => close())

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true })
const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name })

/** The value of a field under its label. */
const field = (page: Page, label: string) => page.getByRole('textbox', { name: label, exact: true })

async function expectAccessible(page: Page): Promise<void> {
  expect(await accessibilityFaults(page)).toEqual([])
}

/** The page as it is, in both themes. */
async function expectAccessibleInBothThemes(page: Page): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await expect
      .poll(() => page.evaluate('document.documentElement.dataset.mantineColorScheme'))
      .toBe(colorScheme)
    await expectAccessible(page)
  }
}

test('the list of settings finds a page by words, and the first is the usual one', async () => {
  const { page } = await openApplication(browser(), '/settings')
  await page.waitForURL('**/settings/profile')
  const settings = page.getByRole('navigation', { name: 'Settings' })
  await expect
    .poll(() => settings.getByRole('link', { name: 'Profile' }).getAttribute('aria-current'))
    .toBe('page')
  const find = page.getByRole('searchbox', { name: 'Find a setting' })
  await find.fill('messenger')
  await expect.poll(() => settings.getByRole('link').allInnerTexts()).toEqual(['Chat channels'])
  await keys(find, 'Enter')
  await page.waitForURL('**/settings/channels')
  await find.fill('nothing like it')
  await page.getByText('No setting matches').waitFor()
})

test('on a phone the list comes first, then the page, and a way back', async () => {
  const { page } = await openApplication(
    browser(),
    '/settings',
    {},
    {
      viewport: { width: 390, height: 844 },
    },
  )
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  await expectAccessibleInBothThemes(page)
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
  await expectAccessible(page)
  await page.getByRole('main').getByRole('link', { name: 'Settings' }).click()
  await page.waitForURL('**/settings')
})

test('a user without rights sees own API keys, and who can grant the other pages', async () => {
  const { page } = await openApplication(browser(), '/settings/webhooks', { is_admin: false })
  await page.getByText('You have no access to this').waitFor()
  await page.getByText('can grant it.').waitFor()
  const settings = page.getByRole('navigation', { name: 'Settings' })
  await expect.poll(() => settings.getByRole('link', { name: 'Webhooks' }).count()).toBe(0)
  await settings.getByRole('link', { name: 'API keys' }).click()
  await page.getByText('No API keys').waitFor()
  await expect.poll(() => page.getByText('All users').count()).toBe(0)
})

test('an integration is created, its code exchanged, its grant revoked, and it is deleted', async () => {
  const { page, account, password } = await openApplication(browser(), '/settings/integrations')
  const create = button(page, 'Create integration')
  await create.click()
  await dialog(page, 'Create integration').waitFor()
  // The account of a test has an integration already.
  await dialog(page, 'Create integration')
    .getByRole('button', { name: 'Create integration' })
    .click()
  await page.getByText('Enter a name').waitFor()
  await expectAccessibleInBothThemes(page)
  await page.getByRole('textbox', { name: 'Name' }).fill('ERP bridge')
  // The typed text is there again, and the focus returns to the button.
  await keys(page.getByRole('textbox', { name: 'Name' }), 'Escape')
  await expect
    .poll(() =>
      page.evaluate<boolean>("document.activeElement.textContent.includes('Create integration')"),
    )
    .toBe(true)
  await create.click()
  await expect
    .poll(() => page.getByRole('textbox', { name: 'Name' }).inputValue())
    .toBe('ERP bridge')
  await page.getByRole('textbox', { name: 'Redirect URI' }).fill('https://erp.example/oauth')
  const ported = page.getByRole('radiogroup', { name: 'Was the program written for' })
  await ported.getByRole('radio', { name: 'Yes' }).check()
  await field(page, 'Your password').fill(password)
  await dialog(page, 'Create integration')
    .getByRole('button', { name: 'Create integration' })
    .click()
  await page.getByRole('heading', { name: 'ERP bridge', level: 1 }).waitFor()

  await button(page, 'Get a code').click()
  await page.getByText(/^Valid for 1?\d:\d\d$/).waitFor()
  await button(page, 'New code').waitFor()
  await expectAccessibleInBothThemes(page)
  const expected = {
    client_id: await field(page, 'Integration ID').inputValue(),
    client_secret: await field(page, 'Secret key').inputValue(),
    code: await field(page, 'Authorization code').inputValue(),
    grant_type: 'authorization_code',
    redirect_uri: 'https://erp.example/oauth',
  }
  const { status, body } = await client(account.kontor).post('/oauth2/access_token', expected)
  expect(status).toBe(200)
  const api = client(account.kontor, body.access_token)
  expect((await api.get('/api/v4/account')).status).toBe(200)
  expect((await api.get('/api/v4/leads')).status).toBe(204)

  await page.reload()
  await page.getByRole('tab', { name: 'Grants' }).click()
  await button(page, 'Revoke: Ann Lee').click()
  await dialog(page, 'Revoke this grant?').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('No grants yet').waitFor()
  expect((await api.get('/api/v4/account')).status).toBe(401)

  await page.getByRole('tab', { name: 'Settings' }).click()
  await button(page, 'Delete integration').click()
  await dialog(page, 'Delete ERP bridge?').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('ERP bridge is deleted').waitFor()
  await page.waitForURL('**/settings/integrations')
  await expectAccessibleInBothThemes(page)
  await expect.poll(() => page.getByRole('link', { name: 'ERP bridge' }).count()).toBe(0)
})

test('changed settings are kept until they are saved or discarded', async () => {
  const account = await newAccount()
  const { page } = await openApplication(
    browser(),
    `/settings/integrations/${account.integration.client_id}?tab=settings`,
    { account },
  )
  await page.getByRole('textbox', { name: 'Name' }).fill('Renamed')
  await page.getByText('You have unsaved changes').waitFor()
  await page.getByRole('tab', { name: 'Keys' }).click()
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await dialog(page, 'Leave without saving?').waitFor()
  await expectAccessible(page)
  await button(page, 'Stay on the page').click()
  await page.getByRole('tab', { name: 'Settings' }).click()
  await expect.poll(() => page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Renamed')
  await expectAccessibleInBothThemes(page)
  await button(page, 'Save').click()
  await page.getByRole('heading', { name: 'Renamed', level: 1 }).waitFor()
  await expect.poll(() => page.getByText('You have unsaved changes').count()).toBe(0)
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
})

test('a webhook is added, tested, hears a change, and its log shows both', async () => {
  const account = delivering
  const { page, faults } = await openApplication(browser(), '/settings/webhooks', { account })
  await page.getByText('Send changes to another system').waitFor()
  await expectAccessibleInBothThemes(page)
  await button(page, 'Add webhook').click()
  const adding = dialog(page, 'Add webhook')
  await adding.getByText(`of ${eventNames.length} chosen`).waitFor()
  await expectAccessibleInBothThemes(page)
  await page.getByRole('textbox', { name: 'Address' }).fill('nowhere')
  await adding.getByRole('button', { name: 'Add webhook' }).click()
  await page.getByText('Enter a whole address').waitFor()
  await page.getByRole('textbox', { name: 'Address' }).fill('https://user:secret@app.example')
  await adding.getByRole('button', { name: 'Add webhook' }).click()
  await expect.poll(() => faults.splice(0).join()).toContain('400')
  await page.getByRole('textbox', { name: 'Address' }).fill(`${receiver.url}/hook`)
  await adding.getByRole('checkbox', { name: 'Contact: Added' }).check()
  await adding.getByRole('button', { name: 'Add webhook' }).click()

  await button(page, 'Send test').click()
  await page.getByText('It arrived').waitFor()
  expect(receiver.arrivals.at(-1)).toMatchObject({ method: 'POST', path: '/hook' })
  await expectAccessibleInBothThemes(page)

  await page.getByRole('tab', { name: 'Deliveries' }).click()
  const log = page.getByRole('list', { name: 'Deliveries' })
  const entry = (name: string) =>
    log.getByRole('button', { name: new RegExp(`^${name} .*Request and answer`) })
  await entry('test').waitFor()
  const id = await addRecord(account.api, 'contacts', { name: 'Came by itself' })
  await entry('add_contact').click()
  await page.getByText(`contacts[add][0][id]=${id}`).waitFor()
  await expectAccessibleInBothThemes(page)

  const before = receiver.arrivals.length
  await log.getByRole('button', { name: /^Replay: add_contact/ }).click()
  await receiver.heard(before + 1)
  await page.getByText('Not delivered', { exact: true }).click()
  await page.getByText('No delivery matches').waitFor()
})

test('a webhook that was switched off says why, and is enabled again', async () => {
  const account = delivering
  const hook = { destination: `${receiver.url}/off`, settings: ['add_lead'] }
  const { id } = (await account.api.post('/api/v4/webhooks', hook)).body
  await account.kontor.database.transaction((tx) =>
    tx.rows(sql`update webhooks set is_disabled = true, disabled_at = 1 where id = ${id}`),
  )
  const { page } = await openApplication(browser(), '/settings/webhooks', { account })
  await page.getByText('More than 100 invalid answers came within two hours').waitFor()
  await expectAccessibleInBothThemes(page)
  await button(page, 'Re-enable').click()
  await page.getByText('The webhook is enabled again').waitFor()
  await page.getByText('Not used yet').waitFor()
  expect((await account.api.get(`/web/v1/webhooks/${id}`)).body.disabled).toBe(false)

  await page.getByRole('link', { name: hook.destination }).click()
  await page.getByRole('tab', { name: 'Settings' }).waitFor()
  await page.getByRole('checkbox', { name: 'Task: Added' }).check()
  await page.getByRole('radio', { name: 'JSON' }).check()
  await button(page, 'Save').click()
  await page.getByText('Saved', { exact: true }).waitFor()
  await button(page, 'Sign deliveries').click()
  await page.getByText('It is shown only this once.').waitFor()
  await expect.poll(() => field(page, 'Signing secret').inputValue()).toMatch(/^whsec_/)
  await expectAccessibleInBothThemes(page)
  await button(page, 'I have kept it').click()
  await button(page, 'Renew secret').waitFor()
  await expectAccessibleInBothThemes(page)
  expect((await account.api.get(`/web/v1/webhooks/${id}`)).body).toMatchObject({
    settings: ['add_lead', 'add_task'],
    format: 'json',
    signature: { overlap_until: null },
  })
})

test('an API key is shown once, opens version 2, and is deleted', async () => {
  const { page, account, email, password } = await openApplication(browser(), '/settings/api-keys')
  await page.getByText('No API keys').waitFor()
  await expectAccessibleInBothThemes(page)
  await button(page, 'Create key').click()
  await page.getByRole('textbox', { name: 'Program' }).fill('The old shop')
  await field(page, 'Your password').fill(password)
  await dialog(page, 'Create key').getByRole('button', { name: 'Create key' }).click()
  await dialog(page, 'Key for The old shop').waitFor()
  await expectAccessibleInBothThemes(page)
  const key = await field(page, 'API key').inputValue()
  const called = () =>
    client(account.kontor).get(
      `/api/v2/webhooks?${String(new URLSearchParams({ login: email, api_key: key }))}`,
    )
  expect([200, 204]).toContain((await called()).status)
  await button(page, 'I have kept it').click()
  await page.getByText('The old shop').waitFor()
  await expectAccessibleInBothThemes(page)
  await button(page, 'Delete: The old shop').click()
  await dialog(page, 'Delete the key The old shop?').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No API keys').waitFor()
  expect((await called()).status).toBe(401)
})

test('a channel is registered, connects the account by a try, and is deleted', async () => {
  const { page, account } = await openApplication(browser(), '/settings/channels')
  await page.getByText('Bring a messenger into your chats').waitFor()
  await expectAccessibleInBothThemes(page)
  await button(page, 'Register channel').click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Bridge')
  await dialog(page, 'Register channel').getByRole('button', { name: 'Register channel' }).click()
  await dialog(page, 'Keys of Bridge').waitFor()
  const id = await field(page, 'Channel ID').inputValue()
  await expect.poll(() => field(page, 'Secret').inputValue()).toMatch(/^[0-9a-f]{40}$/)
  await button(page, 'I have kept it').click()
  await page.waitForURL(`**/settings/channels/${id}`)
  await page.getByText('No connections yet').waitFor()
  await expectAccessibleInBothThemes(page)

  const { amojo_id } = (await account.api.get('/api/v4/account?with=amojo_id')).body
  await page.getByRole('tab', { name: 'Try a request' }).click()
  await page.getByRole('textbox', { name: 'Body' }).fill(JSON.stringify({ account_id: amojo_id }))
  await button(page, 'Send').click()
  await page.getByText('Answer 200').waitFor()
  await expectAccessibleInBothThemes(page)
  await page.reload()
  await page.getByRole('tab', { name: 'Overview' }).click()
  await page.getByText('Connected', { exact: true }).waitFor()

  await page.getByRole('tab', { name: 'Settings' }).click()
  await page
    .getByRole('textbox', { name: 'Address for callbacks, version 2' })
    .fill('https://bridge.example/:scope_id')
  await button(page, 'Save').click()
  await page.getByText('Saved', { exact: true }).waitFor()
  await expectAccessibleInBothThemes(page)
  await button(page, 'Delete channel').click()
  await dialog(page, 'Delete Bridge?').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Bridge is deleted').waitFor()
})
