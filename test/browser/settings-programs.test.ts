// Settings of connected programs that misbehave, in a real browser: a webhook whose receiver
// fails until it is switched off, calls of an integration, and the console of a chat channel.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { addChannel, amojoIdOf, chatPath, connect, hmac, sendSigned } from '../channels.ts'
import { client } from '../client.ts'
import { addLeads } from '../leads.ts'
import { newPair } from '../oauth.ts'
import type { Receiver } from '../receiver.ts'
import { codeAt } from '../second-factor.ts'
import { accessibilityFaults, openApplication } from './application.ts'
import { useBrowser } from './chromium.ts'
import { openDelivering } from '../delivering.ts'
import { keys, type } from './keys.ts'

const browser = useBrowser()
let receiver: Receiver
/** An account of a server that delivers, on a database of its own, with a clock that the test moves. */
let delivering: TestAccount
let close: () => Promise<void>

beforeAll(async () => {
  ;({ account: delivering, receiver, close } = await openDelivering())
})

afterAll(() => close())

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true })
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })
const field = (page: Page, label: string) => page.getByRole('textbox', { name: label, exact: true })

/** The page as it is, in both themes. */
async function expectAccessibleInBothThemes(page: Page): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await expect
      .poll(() => page.evaluate('document.documentElement.dataset.mantineColorScheme'))
      .toBe(colorScheme)
    expect(await accessibilityFaults(page)).toEqual([])
  }
}

test('a receiver that fails 101 times is switched off, says why, and is enabled and replayed by keys', async () => {
  const { api, clock } = delivering
  const { page, faults } = await openApplication(browser(), '/settings/webhooks', {
    account: delivering,
  })
  const path = '/failing'
  const destination = `${receiver.url}${path}`
  const arrived = () => receiver.arrivals.filter((each) => each.path === path)
  receiver.behave(path, { status: 500, body: 'Fatal error: no connection to the database' })
  const hook = (await api.post('/api/v4/webhooks', { destination, settings: ['add_lead'] })).body
  const its = `/web/v1/webhooks/${hook.id}`
  const log = async (query = '') =>
    (await api.get(`${its}/deliveries?limit=250${query}`)).body._embedded.deliveries as {
      id: number
      state: string
    }[]
  const answers = async () => (await api.get(its)).body.health.invalid_answers as number
  const attempted = (count: number) =>
    expect.poll(answers, { timeout: 20_000, interval: 100 }).toBe(count)

  // 25 deliveries fail in four attempts each, on the clock of their schedule: 100 invalid answers.
  for (let index = 0; index < 25; index++) await addLeads(api, [{ name: `Lead ${index}` }])
  await attempted(25)
  for (const [index, wait] of [301, 901, 901].entries()) {
    clock.ahead += wait
    await attempted(25 * (index + 2))
  }
  expect(arrived()).toHaveLength(100)
  await page.reload()
  await page.getByText('Failures in 2 h: 100 / 100').waitFor()
  await expect.poll(() => page.getByText('Switched off', { exact: true }).count()).toBe(0)

  // The 101st answer.
  await addLeads(api, [{ name: 'One more' }])
  await expect.poll(async () => (await api.get(its)).body.disabled, { timeout: 20_000 }).toBe(true)
  await page.getByRole('button', { name: /^Notifications/ }).click()
  await page
    .getByRole('link', { name: /switched off/i })
    .first()
    .click()
  await page.waitForURL(`**/settings/webhooks/${hook.id}`)
  await page.getByText('More than 100 invalid answers came within two hours').waitFor()
  await page.getByText('The last answer was 500').waitFor()
  await page.getByText('Fatal error: no connection to the database').first().waitFor()
  await expectAccessibleInBothThemes(page)

  // While it is off, a change is held.
  await addLeads(api, [{ name: 'Meanwhile' }])
  await expect.poll(async () => (await log('&filter[state]=held')).length).toBe(1)
  expect(arrived()).toHaveLength(101)
  receiver.behave(path, { status: 200, body: 'thank you' })

  await button(page, 'Re-enable').focus()
  await keys(button(page, 'Re-enable'), 'Enter')
  await page.getByText('The webhook is enabled again').waitFor()
  await page.getByText('Failures in 2 h: 0 / 100').waitFor()
  expect((await api.get(its)).body).toMatchObject({ disabled: false, disabled_at: null })

  const tab = page.getByRole('tab', { name: 'Settings' })
  await tab.focus()
  await keys(tab, 'ArrowRight')
  await page.waitForURL('**tab=deliveries')
  const list = page.getByRole('list', { name: 'Deliveries' })
  const newest = list.getByRole('button', { name: /^add_lead .*Request and answer/ }).first()
  await newest.focus()
  await keys(newest, 'y')
  await expect.poll(() => arrived().length).toBe(102)
  await expect.poll(async () => (await log())[0]!.state).toBe('delivered')
  await keys(newest, 'Enter')
  const answer = page.getByRole('region', { name: 'Answer to attempt 1' })
  await answer.getByText('thank you').waitFor()
  await expectAccessibleInBothThemes(page)

  await button(page, 'Replay undelivered').click()
  await dialog(page, 'Replay undelivered').getByRole('button', { name: 'Replay' }).click()
  await page.getByText('26 deliveries are sent again').waitFor()
  await expect.poll(() => arrived().length, { timeout: 20_000 }).toBe(128)
  await expect.poll(async () => (await log('&filter[state]=delivered')).length).toBe(27)
  expect(await answers()).toBe(0)
  expect(faults).toEqual([])
})

test('a webhook is switched off by hand, which looks unlike a failure', async () => {
  const destination = `${receiver.url}/by-hand`
  const hook = (
    await delivering.api.post('/api/v4/webhooks', { destination, settings: ['add_contact'] })
  ).body
  const { page } = await openApplication(browser(), `/settings/webhooks/${hook.id}`, {
    account: delivering,
  })
  await button(page, 'Switch off').click()
  await dialog(page, 'Switch this webhook off?').getByRole('button', { name: 'Switch off' }).click()
  await page.getByText('Nothing is sent to this address until you re-enable it').waitFor()
  await expectAccessibleInBothThemes(page)
  const state = async () => (await delivering.api.get(`/web/v1/webhooks/${hook.id}`)).body
  expect(await state()).toMatchObject({ disabled: true, disabled_by: expect.any(Number) })
  await button(page, 'Re-enable').click()
  await page.getByText('The webhook is enabled again').waitFor()
  expect(await state()).toMatchObject({ disabled: false, disabled_by: null })
})

/** Turns the second factor of the user of a page on, as the application does, and answers its secret. */
async function addFactor(page: Page, password: string, at: number): Promise<string> {
  const asUser = (path: string, body: object) =>
    page.evaluate<{ secret: string }>(
      `fetch(${JSON.stringify(path)}, { method: 'POST', headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(JSON.stringify(body))} }).then((answer) => answer.json())`,
    )
  const { secret } = await asUser('/web/v1/second-factor', { password })
  await asUser('/web/v1/second-factor/confirm', { code: codeAt(secret, at) })
  return secret
}

test('the secret of an integration asks for password and code, and its calls are in the log', async () => {
  const account = await newAccount()
  const { integration, kontor } = account
  const { page, password, faults } = await openApplication(browser(), '/settings/security', {
    account,
  })
  const secret = await addFactor(page, password, kontor.now())
  await page.goto(`${kontor.url}/settings/integrations/${integration.client_id}`)

  await button(page, 'Show').click()
  const proof = dialog(page, 'Show')
  await expectAccessibleInBothThemes(page)
  await type(field(page, 'Your password'), 'wrong')
  await keys(field(page, 'Your password'), 'Enter')
  await page.getByText('This is not your present password.').waitFor()
  await field(page, 'Your password').fill(password)
  await keys(field(page, 'Your password'), 'Enter')
  await field(page, 'Code of your second factor').waitFor()
  await expectAccessibleInBothThemes(page)
  await field(page, 'Code of your second factor').fill(codeAt(secret, kontor.now() + 30))
  await keys(field(page, 'Code of your second factor'), 'Enter')
  await proof.waitFor({ state: 'hidden' })
  await expect.poll(() => field(page, 'Secret key').inputValue()).toBe(integration.client_secret)
  expect(faults.splice(0)).toHaveLength(2)
  await page.reload()
  await button(page, 'Show').waitFor()
  expect(await page.content()).not.toContain(integration.client_secret)

  const { access_token } = await newPair(account)
  const its = client(kontor, access_token)
  await its.get('/api/v4/leads?limit=7')
  await its.post('/api/v4/leads', [{ name: 5 }])
  await page.getByRole('tab', { name: 'Log' }).click()
  const log = page.getByRole('list', { name: 'Log' })
  await log.getByText('/api/v4/leads?limit=7').waitFor()
  await log.getByText('This value should be of type string.').waitFor()
  await expect.poll(() => log.getByRole('listitem').count()).toBe(2)
  await expectAccessibleInBothThemes(page)
  await page.getByText('Refused', { exact: true }).click()
  await expect.poll(() => log.getByRole('listitem').count()).toBe(1)
  await page.goto(`${kontor.url}/settings/integrations/${integration.client_id}?tab=grants`)
  await page.getByText(/^Last used/).waitFor()
  await page.goto(`${kontor.url}/settings/integrations`)
  await page.getByText('1 grant').waitFor()
  await page.getByText(/^Last call/).waitFor()
  await expectAccessibleInBothThemes(page)
})

test('with a second factor an API key asks for the password, then for a code, and keeps neither', async () => {
  const { page, account, password, faults } = await openApplication(browser(), '/settings/api-keys')
  const { kontor } = account
  const secret = await addFactor(page, password, kontor.now())
  const code = field(page, 'Code of your second factor')
  await button(page, 'Create key').click()
  const name = field(page, 'Program')
  await type(name, 'The old shop')
  await keys(name, 'Enter')
  await page.getByText('Enter your password').waitFor()
  await field(page, 'Your password').fill(password)
  await expect.poll(() => code.count()).toBe(0)
  await keys(field(page, 'Your password'), 'Enter')
  await page.getByText('Your second factor is on: enter a code of it.').waitFor()
  await expectAccessibleInBothThemes(page)
  await type(code, '000000')
  await keys(code, 'Enter')
  await page.getByText('This code is wrong, or was used already.').waitFor()
  await expect.poll(() => code.getAttribute('aria-invalid')).toBe('true')
  await keys(code, 'Control+a')
  await type(code, codeAt(secret, kontor.now() + 30))
  await keys(code, 'Enter')
  await dialog(page, 'Key for The old shop').waitFor()
  expect(faults.splice(0)).toHaveLength(2)
  await button(page, 'I have kept it').click()
  await button(page, 'Create key').click()
  await expect.poll(() => field(page, 'Program').inputValue()).toBe('')
  await expect.poll(() => field(page, 'Your password').inputValue()).toBe('')
  await expect.poll(() => code.count()).toBe(0)
})

test('a long-lived token asks for the password, and opens the interface', async () => {
  const account = await newAccount()
  const at = `/settings/integrations/${account.integration.client_id}`
  const { page, password } = await openApplication(browser(), at, { account })
  await button(page, 'Create token').click()
  await type(field(page, 'Your password'), password)
  await keys(field(page, 'Your password'), 'Enter')
  await dialog(page, 'Long-lived token').waitFor()
  const token = await field(page, 'Long-lived token').inputValue()
  expect((await client(account.kontor, token).get('/api/v4/account')).status).toBe(200)
})

test('an integration is let manage people, and the people that it made go with it', async () => {
  const account = await newAccount()
  const { api, kontor, integration } = account
  const its = `/web/v1/integrations/${integration.client_id}`
  const at = `/settings/integrations/${integration.client_id}`
  const { page } = await openApplication(browser(), `${at}?tab=settings`, { account })
  await page.getByRole('switch', { name: 'Manage people and roles' }).click()
  await button(page, 'Save').click()
  await page.getByText('Saved', { exact: true }).waitFor()
  expect((await api.get(its)).body.may_manage_people).toBe(true)
  const { access_token } = await newPair(account)
  const draft = { email: `${crypto.randomUUID()}@example.com`, password: 'Secret1' }
  const rights = { is_free: true }
  const made = await client(kontor, access_token).post('/api/v4/users', [
    { name: 'Made by it', ...draft, rights },
  ])
  const [{ id }] = made.body._embedded.users
  await page.goto(`${kontor.url}/settings/users/${id}`)
  await page.getByText('The integration An integration made this user.').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await page.goto(`${kontor.url}${at}?tab=settings`)
  await button(page, 'Disable').click()
  const confirmation = dialog(page, 'Disable An integration?')
  await confirmation.getByRole('checkbox', { name: 'Deactivate the user that it made' }).click()
  expect(await accessibilityFaults(page)).toEqual([])
  await confirmation.getByRole('button', { name: 'Disable' }).click()
  await confirmation.waitFor({ state: 'hidden' })
  expect((await api.get(`/api/v4/users/${id}`)).body.rights.is_active).toBe(false)
})

test('an account says whether an integration of another one manages its people', async () => {
  const [account, maker] = [await newAccount(), await newAccount()]
  const { client_id } = await maker.addIntegration({
    name: 'The ERP',
    redirect_uri: 'https://erp.example.com/back',
    is_public: true,
    manages_people: true,
  })
  const its = `/web/v1/integrations/${client_id}`
  await account.api.send('PUT', `${its}/installation`)
  const at = `/settings/integrations/${client_id}?tab=settings`
  const { page } = await openApplication(browser(), at, { account })
  const lets = page.getByRole('switch', { name: 'Manage people and roles' })
  await expect.poll(() => lets.isChecked()).toBe(false)
  await lets.click()
  await expect.poll(async () => (await account.api.get(its)).body.may_manage_people).toBe(true)
  await expect.poll(() => lets.isChecked()).toBe(true)
  await expectAccessibleInBothThemes(page)
})

test('a renewed secret replaces the old one, and a logo is shown to who is asked', async () => {
  const account = await newAccount()
  const { integration } = account
  const at = `/settings/integrations/${integration.client_id}`
  const { page, password } = await openApplication(browser(), at, { account })
  await button(page, 'Rotate').click()
  await field(page, 'Your password').fill(password)
  await dialog(page, 'Make a new secret key?').getByRole('button', { name: 'Rotate' }).click()
  await page.getByText('The secret key is new.').waitFor()
  const renewed = await field(page, 'Secret key').inputValue()
  expect(renewed).not.toBe(integration.client_secret)
  const exchanged = async (client_secret: string) =>
    (
      await client(account.kontor).post('/oauth2/access_token', {
        ...integration,
        client_secret,
        grant_type: 'authorization_code',
        code: await account.code(),
      })
    ).status
  expect([await exchanged(integration.client_secret), await exchanged(renewed)]).toEqual([401, 200])

  await page.getByRole('tab', { name: 'Settings' }).click()
  const choose = async (name: string, mimeType: string, buffer: Buffer) => {
    const chooser = page.waitForEvent('filechooser')
    await button(page, /^(Choose a picture|Replace)$/).click()
    await (await chooser).setFiles({ name, mimeType, buffer })
  }
  await choose('logo.svg', 'image/svg+xml', Buffer.from('<svg/>'))
  await page.getByText('Choose a PNG, JPEG or GIF picture').waitFor()
  await choose('logo.png', 'image/png', Buffer.alloc(200_001))
  await page.getByText('The picture is larger than 200 kB').waitFor()
  const pixel =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  await choose('logo.png', 'image/png', Buffer.from(pixel, 'base64'))
  await page.getByRole('img', { name: 'Logo' }).waitFor()
  await expectAccessibleInBothThemes(page)
  await button(page, 'Save').click()
  await page.getByText('Saved', { exact: true }).waitFor()
  const saved = (await account.api.get(`/web/v1/integrations/${integration.client_id}`)).body
  expect(saved.logo).toBe(`data:image/png;base64,${pixel}`)
  await page.goto(`${account.kontor.url}/oauth?client_id=${integration.client_id}`)
  expect(await page.evaluate('document.images[0].naturalWidth')).toBe(1)
})

test('the console of a channel shows requests in both directions, and why one was refused', async () => {
  const account = await newAccount()
  const channel = await addChannel(account)
  const account_id = await amojoIdOf(account)
  const at = `${chatPath}/${channel.id}/connect`
  const { page } = await openApplication(
    browser(),
    `/settings/channels/${channel.id}?tab=console`,
    { account },
  )
  await page.getByText('No requests yet').waitFor()
  await connect(account, channel, { account_id })
  await sendSigned(account, 'not the secret', 'POST', at, { account_id })
  const list = page.getByRole('list', { name: 'Console' })
  await list.getByText('X-Signature does not fit the request').waitFor()
  await expect.poll(() => list.getByRole('listitem').count()).toBe(2)
  await expectAccessibleInBothThemes(page)

  const body = JSON.stringify({ account_id })
  await field(page, 'Body, byte by byte').fill(body)
  await field(page, 'X-Signature of the program').fill(hmac('not the secret', body))
  await button(page, 'Work it out').click()
  await page.getByText('The signature does not fit').waitFor()
  await expect
    .poll(() => field(page, 'X-Signature over the body').inputValue())
    .toBe(hmac(channel.secret, body))
  await field(page, 'X-Signature of the program').fill(hmac(channel.secret, body))
  await page.getByText('The signature fits').waitFor()
  await expectAccessibleInBothThemes(page)
})
