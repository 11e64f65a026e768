// The reference in a real browser: it shows the interface, tries it, and asks nobody but its own server.
import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { addChannel, amojoIdOf } from '../channels.ts'
import { routes } from '../routes.ts'
import { signIn } from '../session.ts'
import { useBrowser } from './chromium.ts'
import { rest } from './rest.ts'

/** An element of the page, as far as the tests read it: the types of browsers are not loaded here. */
interface Found {
  querySelector(selector: string): {
    textContent: string
    getAttribute(name: string): string
  }
}

const browser = useBrowser()

let account: TestAccount
let page: Page
let complaints: string[] = []
let requests: string[] = []

/** One page for a group of tests, each of which goes on where the one before ended. */
function usePage(): void {
  beforeAll(async () => {
    account = await newAccount()
    page = await browser().newPage({ viewport: { width: 1280, height: 900 } })
    page.on(
      'console',
      (message) => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()),
    )
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('request', (request) => requests.push(request.url()))
    await page.goto(`${account.kontor.url}/developers`)
    await page.locator('.opblock').first().waitFor()
  })
  beforeEach(() => {
    complaints = []
  })
  afterEach(() => {
    expect(
      requests.filter((url) => !url.startsWith(account.kontor.url) && !url.startsWith('data:')),
    ).toEqual([])
    requests = []
  })
  afterAll(() => page.close())
}

const inSight = () =>
  page
    .locator('.opblock')
    .evaluateAll((operations) =>
      (operations as unknown as Found[]).map((operation) =>
        [
          operation.querySelector('.opblock-summary-method').textContent,
          operation.querySelector('.opblock-summary-path').getAttribute('data-path'),
        ].join(' '),
      ),
    )

/** The page holds only the operations that are in sight; people find one by its path, or by going down. */
async function open(path: string, method = 'get'): Promise<Locator> {
  await page.locator('.operation-filter-input').fill(path)
  await expect
    .poll(async () => (await inSight()).every((operation) => operation.includes(path)))
    .toBe(true)
  const operation = page.locator(`.opblock-${method}`, {
    has: page.locator(`[data-path="${path}"]`),
  })
  await operation.locator('.opblock-summary-control').click()
  return operation
}

/** Opens an operation and presses both buttons; answers the status that the page shows. */
async function tryOut(path: string, method = 'get'): Promise<string> {
  const operation = await open(path, method)
  await operation.getByRole('button', { name: 'Try it out' }).click()
  await operation.getByRole('button', { name: 'Execute' }).click()
  return statusIn(operation)
}

async function statusIn(operation: Locator): Promise<string> {
  const status = operation.locator('.live-responses-table .response-col_status')
  await status.last().waitFor()
  return (await status.last().innerText()).split(/\s/)[0]!
}

describe('/developers in a browser', () => {
  usePage()

  test('every operation is there, and nothing is wrong', async () => {
    const shown = new Set<string>()
    for (let isEnd = false; !isEnd;) {
      for (const operation of await inSight()) shown.add(operation)
      isEnd = await page.evaluate<boolean>(
        'innerHeight + scrollY >= document.documentElement.scrollHeight - 1',
      )
      await page.evaluate('scrollBy(0, innerHeight / 2)')
      await rest(page)
    }
    expect([...shown].toSorted()).toEqual(
      routes.map(({ method, path }) => `${method} ${path}`).toSorted(),
    )
    expect(complaints).toEqual([])
  })

  test('an operation opens with its parameters and its answers', async () => {
    const operation = await open('/api/v4/leads')
    await operation.locator('.responses-table .response-col_status', { hasText: '200' }).waitFor()
    await expect
      .poll(() => operation.locator('.parameters tr[data-param-name]').count())
      .toBeGreaterThan(3)
    expect(complaints).toEqual([])
  })

  test('without a token or a session "Try it out" answers 401', async () => {
    expect(await tryOut('/api/v4/account')).toBe('401')
  })

  test('with a token, "Try it out" answers from the own account', async () => {
    await page.getByRole('button', { name: 'Authorize' }).click()
    // The first of several ways in: API keys and signatures have buttons of their own.
    const buttons = page.locator('.auth-btn-wrapper').first()
    await page.locator('#auth-bearer-value').fill(account.admin.token)
    await buttons.getByRole('button', { name: 'Apply credentials' }).click()
    await buttons.getByRole('button', { name: 'Close' }).click()
    const operation = page.locator('.opblock-get', {
      has: page.locator('[data-path="/api/v4/account"]'),
    })
    await operation.getByRole('button', { name: 'Execute' }).click()
    await expect.poll(() => statusIn(operation)).toBe('200')
    await expect
      .poll(() =>
        page.locator('.live-responses-table .response-col_description').last().innerText(),
      )
      .toContain(account.subdomain)
    expect(complaints).toEqual([])
  })
})

describe('/developers in a browser, for an administrator who is signed in', () => {
  usePage()

  beforeAll(async () => {
    const password = 'correct horse battery staple'
    const { email } = await account.addUser({ is_admin: true, password })
    const { cookie } = await signIn(account.kontor, { email, password })
    const [name = '', value = ''] = cookie.split('=')
    await page
      .context()
      .addCookies([{ name, value, url: account.kontor.url, httpOnly: true, sameSite: 'Lax' }])
  })

  test('it runs as whoever is signed in, writes too', async () => {
    expect(await tryOut('/api/v4/account')).toBe('200')
    expect(await tryOut('/api/v4/contacts/tags', 'post')).toBe('200')
    expect(complaints).toEqual([])
  })

  test('the methods of channels are signed', async () => {
    const { id } = await addChannel(account)
    const operation = await open('/v2/origin/custom/{channel_id}/connect', 'post')
    await operation.getByRole('button', { name: 'Try it out' }).click()
    await operation.locator('tr[data-param-name="channel_id"] input').fill(id)
    const body = JSON.stringify({ account_id: await amojoIdOf(account), hook_api_version: 'v2' })
    await operation.locator('.body-param textarea').fill(body)
    await operation.getByRole('button', { name: 'Execute' }).click()
    const answer = operation.locator('.live-responses-table')
    await answer.getByText('scope_id').first().waitFor()
    await expect
      .poll(() => answer.locator('.response-col_status').last().innerText())
      .toMatch(/^200/)
  })
})
