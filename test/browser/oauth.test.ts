// The access-granting window in a real browser: what people see and do, and what the page that opened the window hears of it.
import type { BrowserContext, Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import type { NewIntegration } from '../../server/features/programs/integrations/integrations.ts'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { client } from '../client.ts'
import { accessibilityFaults } from './application.ts'
import { useBrowser } from './chromium.ts'
import { keys, shortcut, untilFocused, walk } from './keys.ts'
import { openSite } from './site.ts'
import type { Site } from './site.ts'

const browser = useBrowser()
const site: Site = await openSite()
const password = 'correct horse'

interface OauthFixture {
  account: TestAccount
  email: string
  integration: { client_id: string; client_secret: string; redirect_uri: string }
  page: Page
  context: BrowserContext
  /** The window's address. */
  ask(parameters?: Record<string, string>): string
}

/** An account with an integration, an administrator of it who can sign in, and a fresh browser. */
async function openAuthorization(
  draft: Partial<NewIntegration> = {},
  { javaScriptEnabled = true } = {},
): Promise<OauthFixture> {
  const account = await newAccount()
  const email = `${crypto.randomUUID()}@example.com`
  await account.addUser({ name: 'Ann Lee', email, password, is_admin: true })
  const integration = await account.addIntegration({
    name: 'Mailer',
    redirect_uri: `${site.url}/result?page=1`,
    ...draft,
  })
  const context = await browser().newContext({
    viewport: { width: 750, height: 580 },
    javaScriptEnabled,
  })
  onTestFinished(() => context.close())
  const { client_id } = integration
  const ask = (parameters = {}) =>
    `${account.kontor.url}/oauth?${new URLSearchParams({ client_id, ...parameters }).toString()}`
  return { account, email, integration, context, page: await context.newPage(), ask }
}

async function signIn(page: Page, { email }: OauthFixture, word = password): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(word)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Opens the window from the site, as its button does. */
async function popUp(
  { page, context }: OauthFixture,
  address: string,
  from = site.url,
): Promise<Page> {
  await page.goto(from)
  const opened = context.waitForEvent('page')
  await page.evaluate(`void open(${JSON.stringify(address)}, 'grant', 'width=750,height=580')`)
  return opened
}

interface Heard {
  data: { url?: string; result?: string; error?: string; client_id?: string }
  origin: string
}

const heardBy = (page: Page) => page.evaluate<Heard[]>('heard')

async function arrived(page: Page): Promise<Record<string, string>> {
  await page.waitForURL(`${site.url}/result*`)
  return Object.fromEntries(new URL(page.url()).searchParams)
}

/** The answer to an exchange of the code. */
async function exchange({ account, integration }: OauthFixture, code: string): Promise<number> {
  const sent = { ...integration, grant_type: 'authorization_code', code }
  return (await client(account.kontor).post('/oauth2/access_token', sent)).status
}

test('a person signs in, sees what is asked, and allows it', async () => {
  const here = await openAuthorization({
    description: 'Sends <b>letters</b>',
    scopes: ['crm', 'files_delete'],
  })
  const { page, account, integration } = here
  await page.goto(here.ask({ state: 'a b&c=d/ü\n"é' }))
  await signIn(page, here, 'wrong')
  await expect.poll(() => page.getByRole('alert').textContent()).toBe('Wrong e-mail or password.')
  await expect.poll(() => page.getByLabel('E-mail').inputValue()).toBe(here.email)
  await signIn(page, here)
  await page.getByRole('heading', { name: 'Mailer' }).waitFor()
  const text = await page.locator('main').innerText()
  for (const shown of [
    'Sends <b>letters</b>',
    'Delete files',
    account.subdomain,
    'full access',
    'Ann Lee',
  ])
    expect(text).toContain(shown)
  await page.getByRole('button', { name: 'Allow' }).click()
  const { code, ...rest } = await arrived(page)
  const referer = new URL(account.kontor.url).host
  expect(rest).toEqual({
    page: '1',
    referer,
    state: 'a b&c=d/ü\n"é',
    client_id: integration.client_id,
    platform: '2',
  })
  expect(await exchange(here, code!)).toBe(200)
})

test('without state there is none in the redirect; a redirect that leads on is followed', async () => {
  const here = await openAuthorization({ redirect_uri: `${site.url}/moved` })
  await here.page.goto(here.ask())
  await signIn(here.page, here)
  await here.page.getByRole('button', { name: 'Allow' }).click()
  expect(Object.keys(await arrived(here.page))).toEqual([
    'code',
    'referer',
    'client_id',
    'platform',
  ])
})

test('a person denies, and nothing is let in', async () => {
  const here = await openAuthorization()
  await here.account.api.delete(`/web/v1/integrations/${here.integration.client_id}/installation`)
  await here.page.goto(here.ask({ state: 's1' }))
  await signIn(here.page, here)
  await here.page.getByRole('button', { name: 'Deny' }).click()
  expect(await arrived(here.page)).toEqual({ page: '1', error: 'access_denied', state: 's1' })
  const read = await here.account.api.get(`/web/v1/integrations/${here.integration.client_id}`)
  expect(read.body.is_enabled).toBe(false)
})

test('who is an administrator of several accounts chooses one, and allowing installs it there', async () => {
  const here = await openAuthorization({ is_public: true })
  const other = await newAccount()
  await other.addUser({ name: 'Ann elsewhere', email: here.email, password, is_admin: true })
  await here.page.goto(here.ask())
  await signIn(here.page, here)
  await here.page.getByLabel(other.subdomain).check()
  await here.page.getByRole('button', { name: 'Allow' }).click()
  const { code } = await arrived(here.page)
  expect(await exchange(here, code!)).toBe(200)
  expect(
    (await other.api.get(`/web/v1/integrations/${here.integration.client_id}`)).body.is_enabled,
  ).toBe(true)
})

test('a user may allow only where an administrator has installed it', async () => {
  const here = await openAuthorization()
  const email = `${crypto.randomUUID()}@example.com`
  await here.account.addUser({ email, password })
  const at = `/web/v1/integrations/${here.integration.client_id}/installation`
  await here.account.api.delete(at)
  await here.page.goto(here.ask())
  await signIn(here.page, { ...here, email })
  await expect
    .poll(() => here.page.getByRole('alert').textContent())
    .toContain('An administrator of the account has to install it first')
  await here.account.api.send('PUT', at)
  await here.page.reload()
  await expect.poll(() => here.page.locator('main').innerText()).not.toContain('full access')
  await here.page.getByRole('button', { name: 'Allow' }).click()
  expect(await exchange(here, (await arrived(here.page))['code']!)).toBe(200)
})

test('popup: the page that opened the window hears the address, and the window closes', async () => {
  const here = await openAuthorization()
  const popup = await popUp(
    here,
    here.ask({
      mode: 'popup',
      state: '</script><script>alert(1)</script>',
      origin: `${site.url}/some/page`,
    }),
  )
  await signIn(popup, here)
  const closed = popup.waitForEvent('close')
  await popup.getByRole('button', { name: 'Allow' }).click()
  await closed
  await expect.poll(() => heardBy(here.page)).toHaveLength(1)
  const [{ data, origin }] = (await heardBy(here.page)) as [Heard]
  expect([Object.keys(data), origin]).toEqual([['url'], here.account.kontor.url])
  const url = new URL(data.url!)
  expect([url.origin + url.pathname, url.searchParams.get('state')]).toEqual([
    `${site.url}/result`,
    '</script><script>alert(1)</script>',
  ])
  expect(await exchange(here, url.searchParams.get('code')!)).toBe(200)
})

test('popup: the page that opened the window hears a refusal', async () => {
  const here = await openAuthorization()
  const popup = await popUp(here, here.ask({ mode: 'popup' }))
  await signIn(popup, here)
  const closed = popup.waitForEvent('close')
  await popup.getByRole('button', { name: 'Deny' }).click()
  await closed
  const expected = { client_id: here.integration.client_id, error: 'access_denied' }
  await expect
    .poll(async () => (await heardBy(here.page)).map(({ data }) => data))
    .toEqual([expected])
})

test('popup: another site hears no code, whatever it says of itself; the redirect happens in the window', async () => {
  const here = await openAuthorization()
  const popup = await popUp(here, here.ask({ mode: 'popup', origin: site.address }), site.address)
  await signIn(popup, here)
  await popup.getByRole('button', { name: 'Allow' }).click()
  expect(await arrived(popup)).toHaveProperty('code')
  // Its messages come from the integration's own page, which posts to everyone.
  expect(
    (await heardBy(here.page)).filter(({ origin }) => origin === here.account.kontor.url),
  ).toEqual([])
})

test('popup: a site that claims to be the integration’s does not get the message', async () => {
  const here = await openAuthorization()
  const popup = await popUp(here, here.ask({ mode: 'popup', origin: site.url }), site.address)
  await signIn(popup, here)
  const closed = popup.waitForEvent('close')
  await popup.getByRole('button', { name: 'Allow' }).click()
  await closed
  expect(await heardBy(here.page)).toEqual([])
})

test('popup without an opener redirects in place', async () => {
  const here = await openAuthorization()
  await here.page.goto(here.ask({ mode: 'popup', state: 's2' }))
  await signIn(here.page, here)
  await here.page.getByRole('button', { name: 'Allow' }).click()
  expect(await arrived(here.page)).toMatchObject({ state: 's2' })
})

test('post_message: the redirect happens in the window, whose page tells the opener', async () => {
  const here = await openAuthorization()
  for (const [button, error] of [
    ['Allow', undefined],
    ['Deny', 'access_denied'],
  ] as const) {
    const popup = await popUp(here, here.ask({ mode: 'post_message', state: 's3' }))
    if (button === 'Allow') await signIn(popup, here)
    await popup.getByRole('button', { name: button }).click()
    await expect.poll(() => heardBy(here.page)).toHaveLength(1)
    const [{ data, origin }] = (await heardBy(here.page)) as [Heard]
    expect([data.error, origin]).toEqual([error, site.url])
    expect(new URLSearchParams(data.result).get('state')).toBe('s3')
    await popup.waitForLoadState()
    await popup.close()
  }
})

test.each([
  ['popup', 'url'],
  ['post_message', 'result'],
] as const)(
  'mode "%s" by keys alone, in both themes without a fault of accessibility',
  async (mode, mentioned) => {
    const here = await openAuthorization()
    const popup = await popUp(here, here.ask({ mode, state: 's6' }))
    await signIn(popup, here)
    const allow = popup.getByRole('button', { name: 'Allow' })
    await allow.waitFor()
    for (const colorScheme of ['dark', 'light'] as const) {
      await popup.emulateMedia({ colorScheme })
      expect(await accessibilityFaults(popup)).toEqual([])
    }
    await untilFocused(popup.getByRole('heading', { name: 'Mailer' }))
    await walk(popup, 'Tab')
    await untilFocused(popup.getByRole('button', { name: 'Deny' }))
    await walk(popup, 'Tab')
    await untilFocused(allow)
    // A click that is on its way when the window opens allows nothing.
    await popup.locator('#allow:not([aria-disabled])').waitFor()
    await keys(allow, 'Enter')
    await expect.poll(() => heardBy(here.page)).toHaveLength(1)
    const [{ data }] = (await heardBy(here.page)) as [Heard]
    const query = new URL(data[mentioned]!, site.url).searchParams
    const parameters = mentioned === 'url' ? query : new URLSearchParams(data.result)
    expect(parameters.get('state')).toBe('s6')
    expect(await exchange(here, parameters.get('code')!)).toBe(200)
  },
)

test('Escape denies once it is confirmed, and a code is good for twenty minutes', async () => {
  const here = await openAuthorization()
  await here.page.goto(here.ask({ state: 's7' }))
  await signIn(here.page, here)
  await here.page.getByRole('button', { name: 'Allow' }).waitFor()
  here.page.once('dialog', (dialog) => void dialog.dismiss())
  await shortcut(here.page, 'Escape')
  expect(new URL(here.page.url()).pathname).toBe('/oauth')
  here.page.once('dialog', (dialog) => void dialog.accept())
  await shortcut(here.page, 'Escape')
  expect(await arrived(here.page)).toMatchObject({ error: 'access_denied', state: 's7' })

  const code = async () => {
    await here.page.goto(here.ask())
    await here.page.getByRole('button', { name: 'Allow' }).click()
    return (await arrived(here.page))['code']!
  }
  const [first, second] = [await code(), await code()]
  onTestFinished(() => void (here.account.clock.ahead = 0))
  here.account.clock.ahead = 1150
  expect(await exchange(here, first)).toBe(200)
  here.account.clock.ahead = 1210
  expect(await exchange(here, second)).toBe(400)
})

test('an integration that is not there is said, and nothing is redirected', async () => {
  const here = await openAuthorization()
  const address = here.ask({ client_id: crypto.randomUUID(), redirect_uri: site.url })
  const answer = await here.page.goto(address)
  expect(answer!.status()).toBe(400)
  await here.page.getByRole('heading', { level: 1 }).waitFor()
  expect(here.page.url()).toBe(address)
  expect(await accessibilityFaults(here.page)).toEqual([])
})

test.each(['', 'popup', 'post_message'])(
  'without scripts everything works, mode "%s"',
  async (mode) => {
    const here = await openAuthorization({}, { javaScriptEnabled: false })
    for (const [button, expected] of [
      ['Deny', { error: 'access_denied', state: 's4' }],
      ['Allow', { state: 's4', platform: '2' }],
    ] as const) {
      await here.page.goto(here.ask({ state: 's4', ...(mode && { mode }) }))
      if (button === 'Deny') await signIn(here.page, here)
      await here.page.getByRole('button', { name: button }).click()
      expect(await arrived(here.page)).toMatchObject(expected)
    }
  },
)

test('a session that is there is used, and may be left for another', async () => {
  const here = await openAuthorization()
  await here.page.goto(here.ask())
  await signIn(here.page, here)
  await here.page.getByRole('button', { name: 'Allow' }).waitFor()
  await here.page.goto(here.ask({ state: 's5' }))
  await here.page.getByRole('button', { name: 'Use another account' }).click()
  await signIn(here.page, here)
  await here.page.getByRole('button', { name: 'Allow' }).click()
  expect(await arrived(here.page)).toMatchObject({ state: 's5' })
})

test('what others have written stays text', async () => {
  const attack =
    '"><img src=x onerror=alert(1)><script>alert(2)</script>\'`{{7*7}}${alert(3)}</title></style>'
  const here = await openAuthorization({ name: attack, description: attack })
  const faults: string[] = []
  here.page.on(
    'dialog',
    (dialog) => void dialog.dismiss().then(() => faults.push('a dialog opened')),
  )
  here.page.on('pageerror', (error) => faults.push(error.message))
  here.page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  await here.page.goto(here.ask({ state: attack, mode: attack.slice(0, 64), origin: attack }))
  await signIn(here.page, here)
  await here.page.getByRole('heading', { name: attack }).waitFor()
  expect(await here.page.title()).toContain(attack)
  await expect.poll(() => here.page.locator('main img, main script').count()).toBe(0)
  await here.page.getByRole('button', { name: 'Allow' }).click()
  expect((await arrived(here.page))['state']).toBe(attack)
  expect(faults).toEqual([])
})

test('no page may frame the window', async () => {
  const here = await openAuthorization()
  const refused = here.page.waitForEvent('console', (message) =>
    /frame-ancestors|X-Frame-Options/i.test(message.text()),
  )
  await here.page.goto(`${site.url}/frame?of=${encodeURIComponent(here.ask())}`)
  await refused
  await expect.poll(() => here.page.frames()[1]!.locator('form').count()).toBe(0)
})

test('a logo is shown, and fits', async () => {
  const pixel =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const here = await openAuthorization({
    logo: `data:image/png;base64,${pixel}`,
    scopes: ['crm', 'files', 'files_delete', 'notifications', 'push_notifications'],
  })
  await here.page.goto(here.ask())
  expect(await here.page.evaluate('document.images[0].naturalWidth')).toBe(1)
  await signIn(here.page, here)
  await here.page.getByRole('button', { name: 'Allow' }).waitFor()
  const height = await here.page.evaluate('document.documentElement.scrollHeight')
  expect(height).toBeLessThanOrEqual(580)
})
