// The shell of the web application in a real browser: navigation, search, keys, live news, and the
// days on which something fails.
import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { notifyAdministrators } from '../../server/features/activity/notifications/notifications.ts'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { addRecord } from '../records.ts'
import { signIn } from '../session.ts'
import { stretched } from '../slow.ts'
import { accessibilityFaults, excuse, openApplication, watch } from './application.ts'
import { useBrowser } from './chromium.ts'
import { keys, shortcut, type } from './keys.ts'
import { rest } from './rest.ts'
import { closeDialog, seedScreens, show } from './screens.ts'

const browser = useBrowser()

/** Goes to an address inside the application, and answers whether something is there. */
async function isThere(page: Page, address: string): Promise<boolean> {
  await page.evaluate(`history.pushState({}, '', ${JSON.stringify(address)})`)
  await rest(page)
  await page.locator('h1').first().waitFor({ state: 'attached' })
  return (await page.getByText('Nothing is here', { exact: true }).all()).length === 0
}

/** The field of the command menu. */
const searchBox = (page: Page) => page.getByRole('textbox', { name: 'Search and commands' })

test('the page starts with what the server wrote into it, and asks no other host', async () => {
  const { page, account } = await openApplication(browser())
  const hosts = new Set<string>()
  page.on('request', (request) => hosts.add(new URL(request.url()).origin))
  await page.reload()
  await page.getByRole('heading', { name: 'Hello, Ann Lee' }).waitFor()
  expect([...hosts]).toEqual([account.kontor.url])
  expect(await page.title()).toBe('Hello, Ann Lee · Kontor')
})

test('an unknown address shows that nothing is there, signed in, and leads back', async () => {
  const { page, faults, account } = await openApplication(browser())
  const answer = await page.goto(`${account.kontor.url}/nothing/of/this`)
  expect(answer!.status()).toBe(404)
  await page.getByRole('link', { name: 'Go to the start page' }).click()
  await page.waitForURL('**/leads/p/*')
  expect(faults.splice(0).join()).toContain('404')
})

test('the command menu finds a record by its name, by keys alone, and opens it', async () => {
  const { page, account } = await openApplication(browser())
  const id = await addRecord(account.api, 'leads', { name: 'Zinc roof of the barn' })
  await shortcut(page, 'Control+k')
  await type(searchBox(page), 'zinc roof')
  await page.getByRole('button', { name: /Zinc roof of the barn/ }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await keys(searchBox(page), 'ArrowDown', 'Enter')
  await page.waitForURL(`**/leads/${id}`)
  await page.getByRole('heading', { name: 'Zinc roof of the barn' }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'Hello, Ann Lee' }).waitFor()
})

test('keys go to pages on a Russian layout too, and not from within a field', async () => {
  const { page } = await openApplication(browser())
  // The key at the place of G types п, the one at the place of N types т. Both come at once: a pause
  // on a busy machine would end the sequence.
  const sequence = [
    { code: 'KeyG', key: 'п' },
    { code: 'KeyN', key: 'т' },
  ]
  await page.evaluate(
    `for (const each of ${JSON.stringify(sequence)})
       document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { ...each, bubbles: true, cancelable: true }))`,
  )
  await page.waitForURL('**/notifications')
  await page.getByRole('heading', { name: 'Notifications' }).waitFor()
  await shortcut(page, 'Shift+Slash')
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await sheet.waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  // Under the open dialog, keys of the page are still; once it closes, they are not.
  await page.getByRole('heading', { name: 'Keyboard shortcuts' }).click()
  await type(sheet, 'gh')
  expect(new URL(page.url()).pathname).toBe('/notifications')
  await keys(sheet, 'Escape')
  await shortcut(page, 'Slash')
  await type(searchBox(page), 'gs')
  await expect.poll(() => searchBox(page).inputValue()).toBe('gs')
  expect(new URL(page.url()).pathname).toBe('/notifications')
})

test('letters that come before the search has the focus arrive in it, and do nothing else', async () => {
  const { page } = await openApplication(browser())
  for (const open of ['/', 'Control+k']) {
    // Nothing waits for the field.
    await shortcut(page, open, 'g', 's', 'x', 'Backspace', '!')
    await expect.poll(() => searchBox(page).inputValue()).toBe('gs!')
    expect(new URL(page.url()).pathname).toBe('/home')
    await keys(searchBox(page), 'Escape')
    await searchBox(page).waitFor({ state: 'hidden' })
  }
})

test('the first sign of a question chooses actions, numbers, people or pages', async () => {
  const { page, account } = await openApplication(browser())
  const lead = await addRecord(account.api, 'leads', { name: 'Copper gutter' })
  await addRecord(account.api, 'contacts', {
    name: 'Berta Copper',
    custom_fields_values: [{ field_code: 'PHONE', values: [{ value: '+371 2000-1234' }] }],
  })
  const labels = () => page.locator('[data-action]').allTextContents()
  const first = async (typed: string, name: RegExp) => {
    await shortcut(page, 'Control+k')
    await searchBox(page).fill(typed)
    await page.locator('[data-action][data-selected]').filter({ hasText: name }).waitFor()
  }
  await first('>key', /^Keyboard shortcuts/)
  expect((await labels()).join()).not.toMatch(/Copper|Settings/)
  await keys(searchBox(page), 'Enter')
  await keys(page.getByRole('dialog', { name: 'Keyboard shortcuts' }), 'Escape')
  await first('/pref', /^Settings › Preferences/)
  await keys(searchBox(page), 'Enter')
  await page.getByRole('heading', { name: 'Preferences' }).waitFor()
  await first('@copper', /Berta Copper/)
  expect((await labels()).join()).not.toContain('Copper gutter')
  await keys(searchBox(page), 'Escape')
  await searchBox(page).waitFor({ state: 'hidden' })
  await first('37120001234', /Berta Copper/)
  await keys(searchBox(page), 'Escape')
  await searchBox(page).waitFor({ state: 'hidden' })
  await first(`#${lead}`, /Copper gutter/)
  await keys(searchBox(page), 'Enter')
  await page.waitForURL(`**/leads/${lead}`)
})

test('a name with one wrong letter is offered as a similar one, beside a new lead of that name', async () => {
  const { page, account } = await openApplication(browser())
  const id = await addRecord(account.api, 'contacts', { name: 'Johanna Schmidt' })
  await shortcut(page, 'Control+k')
  await searchBox(page).fill('Schmitt')
  const similar = page.getByRole('dialog').locator('[data-action]').filter({ hasText: 'Johanna' })
  await similar.waitFor()
  await page.locator('[data-action]').filter({ hasText: 'Create the lead “Schmitt”' }).waitFor()
  await expect.poll(() => page.getByText('Nothing found').count()).toBe(0)
  await similar.click()
  await page.waitForURL(`**/contacts/${id}`)
})

test('records that were looked at are offered at once, until the user signs out', async () => {
  const { page, account } = await openApplication(browser())
  const id = await addRecord(account.api, 'contacts', { name: 'Clara of yesterday' })
  await page.goto(`${account.kontor.url}/contacts/${id}`)
  await page.getByRole('heading', { name: 'Clara of yesterday' }).waitFor()
  await page.goto(`${account.kontor.url}/home`)
  // Without an answer of the server.
  await page.route('**/web/v1/search*', () => undefined)
  await page.getByRole('button', { name: /^Search/ }).click()
  const recent = page.locator('[data-action]').filter({ hasText: 'Clara of yesterday' })
  await recent.waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await type(searchBox(page), 'yest')
  await page.locator('[data-action][data-selected]').filter({ hasText: 'Clara' }).waitFor()
  await keys(searchBox(page), 'Enter')
  await page.waitForURL(`**/contacts/${id}`)
  const kept = () => page.evaluate<string>('JSON.stringify({ ...localStorage })')
  expect(await kept()).toContain('Clara')
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/login')
  expect(await kept()).toBe('{}')
})

test('what was asked for before the sign-out is not waited for, and is asked again if it fails', async () => {
  const { page, account, faults } = await openApplication(browser())
  const id = await addRecord(account.api, 'contacts', { name: 'Clara' })
  let isCut = true
  let requested = Promise.withResolvers<Route>()
  await page.route('**/web/v1/session', (route) =>
    isCut && route.request().method() === 'DELETE' ? route.abort() : route.continue(),
  )
  // The first two requests wait for longer than the session lives.
  let requests = 0
  await page.route('**/web/v1/timeline/**', (route) =>
    ++requests > 2 ? route.continue() : requested.resolve(route),
  )
  const signOut = async () => {
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
  }
  await page.goto(`${account.kontor.url}/contacts/${id}`)
  await requested.promise
  requested = Promise.withResolvers()
  await signOut()
  await page.getByText('The server does not answer').waitFor()
  expect(faults.splice(0).join()).toContain('ERR_FAILED')
  const again = await requested.promise
  isCut = false
  await signOut()
  await page.waitForURL('**/login')
  await again.continue().catch(() => undefined)
})

test('a record that nothing is found of is created from its question', async () => {
  const { page, account } = await openApplication(browser())
  await shortcut(page, 'Control+k')
  await type(searchBox(page), 'Quartz window')
  await page
    .locator('[data-action][data-selected]')
    .filter({ hasText: 'Create the lead “Quartz window”' })
    .waitFor()
  await keys(searchBox(page), 'Enter')
  const dialog = page.getByRole('dialog', { name: 'New lead' })
  const name = dialog.getByLabel('Name', { exact: true })
  await name.waitFor()
  await expect.poll(() => name.inputValue()).toBe('Quartz window')
  await keys(name, 'Control+Enter')
  await page.getByRole('heading', { name: 'Quartz window' }).waitFor()
  const { body } = await account.api.get('/api/v4/leads?query=Quartz')
  expect(body._embedded.leads).toHaveLength(1)
})

test('a lead that somebody adds appears without a reload', async () => {
  const { page, account } = await openApplication(browser())
  await page.getByText('No leads yet').waitFor()
  await addRecord(account.api, 'leads', { name: 'Came by itself' })
  await page.getByRole('link', { name: 'Came by itself' }).waitFor()
})

test('two tabs of a browser share one stream', async () => {
  const { page, context, account } = await openApplication(browser())
  const second = await context.newPage()
  await second.goto(`${account.kontor.url}/home`)
  await second.getByText('No leads yet').waitFor()
  await page.getByText('No leads yet').waitFor()
  await addRecord(account.api, 'leads', { name: 'Seen twice' })
  for (const tab of [page, second]) await tab.getByRole('link', { name: 'Seen twice' }).waitFor()
  const metrics = () => fetch(`${account.kontor.url}/metrics`).then((answer) => answer.text())
  await expect.poll(metrics).toMatch(/^kontor_live_listeners 1$/m)
})

test('preferences and the language reach the other tabs, and so does the sign-out', async () => {
  const { page, context, account } = await openApplication(browser(), '/settings/preferences')
  const second = await context.newPage()
  await second.goto(page.url())
  await second.getByRole('heading', { name: 'Preferences' }).waitFor()
  await second.evaluate('window.isSame = true')
  const root = second.locator('html')
  await page.getByText('Dark', { exact: true }).click()
  await expect.poll(() => root.getAttribute('data-mantine-color-scheme')).toBe('dark')
  await page.getByText('Roomy', { exact: true }).click()
  await expect.poll(() => root.getAttribute('data-density')).toBe('roomy')
  const singleKeys = (tab: Page) => tab.getByRole('switch', { name: 'Shortcuts of a single key' })
  await singleKeys(page).click({ force: true })
  await expect.poll(() => singleKeys(second).isChecked()).toBe(false)
  await page.goto(`${account.kontor.url}/settings/profile`)
  await page.getByRole('combobox', { name: 'Language of the application' }).click()
  await page.getByRole('option', { name: 'Español' }).click()
  await second.getByRole('heading', { name: 'Preferencias' }).waitFor()
  await shortcut(second, 'g', 'h')
  expect(new URL(second.url()).pathname).toBe('/settings/preferences')
  expect(await second.evaluate('window.isSame')).toBe(true)
  await page.getByRole('banner').getByRole('button').last().click()
  await page.getByRole('menuitem').last().click()
  for (const tab of [page, second]) await tab.waitForURL('**/login')
})

test('a tab of a user who signed out shows who signed in after that', async () => {
  const { page, context, account, faults } = await openApplication(browser())
  const email = `${crypto.randomUUID()}@example.com`
  await account.addUser({ name: 'Bo Next', email, password: 'correct horse' })
  const { cookie } = await signIn(account.kontor, { email, password: 'correct horse' })
  const [name, value] = cookie.split('=', 2)
  await page.evaluate(`localStorage.setItem('kontor:1:1:recent', '[]')`)
  await context.addCookies([{ name: name!, value: value!, url: account.kontor.url }])
  const second = await context.newPage()
  await second.goto(`${account.kontor.url}/home`)
  await second.getByRole('heading', { name: 'Hello, Bo Next' }).waitFor()
  await page.getByRole('heading', { name: 'Hello, Bo Next' }).waitFor()
  await expect.poll(() => page.evaluate('localStorage.length')).toBe(0)
  // Until it is loaded anew, the first tab asks for what an administrator sees.
  excuse(faults, 403)
})

test('the start page in the navigation says how many tasks wait', async () => {
  const { page, account, email } = await openApplication(browser())
  const { body } = await account.api.get('/api/v4/users')
  const me = body._embedded.users.find((user: { email: string }) => user.email === email)
  const task = { text: 'Call back', responsible_user_id: me.id }
  const now = Math.floor(account.kontor.now())
  await account.api.post('/api/v4/tasks', [{ ...task, complete_till: now - 86_400 }])
  await page.getByRole('link', { name: 'Home 1 task is due' }).waitFor()
})

test('a session that ended elsewhere is renewed in another window; the page stays as it is', async () => {
  const { page, context, account, email, password, faults } = await openApplication(
    browser(),
    '/notifications',
  )
  await account.kontor.database.transaction(async (tx) => {
    const { endSessions } = await import('../../server/features/people/sessions/sessions.ts')
    const { body } = await account.api.get('/api/v4/users')
    const me = body._embedded.users.find((user: { email: string }) => user.email === email)
    await endSessions(tx, { accountId: account.id, userId: me.id })
  })
  // The end of its stream makes the page ask, before it says that the connection is lost.
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await dialog.waitFor()
  await expect.poll(() => page.getByText('Connection lost').count()).toBe(0)
  const { cookie } = await signIn(account.kontor, { email, password })
  const [name, value] = cookie.split('=', 2)
  await context.addCookies([{ name: name!, value: value!, url: account.kontor.url }])
  await page.getByRole('button', { name: 'Continue' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await page.getByText('Unread', { exact: true }).click()
  await page.getByText('Nothing is unread').waitFor()
  expect(faults.splice(0).join()).toContain('401')
})

test('a start page that does not exist leads home', async () => {
  const { page, account, email, password } = await openApplication(browser())
  const { api } = await signIn(account.kontor, { email, password })
  for (const start_page of ['/tasks?mine=1', '/anything/5']) {
    expect((await api.patch('/web/v1/preferences', { start_page })).status).toBe(200)
    await page.goto(`${account.kontor.url}/`)
    await page.getByRole('heading', { name: 'Hello' }).waitFor()
  }
})

test(
  'every link of every screen leads somewhere',
  async () => {
    const account = await newAccount()
    // Of an address without anything there is a screen, too.
    const screens = (await seedScreens(account.api)).filter(({ name }) => name !== 'absent')
    const { page } = await openApplication(browser(), '/home', { account })
    const from = new Map<string, string>()
    for (const screen of screens) {
      await show(page, screen)
      const links = await page.evaluate<string[]>(
        `[...document.querySelectorAll('a[href]')].filter((each) => each.origin === location.origin).map((each) => each.pathname + each.search)`,
      )
      for (const link of links) if (!from.has(link)) from.set(link, screen.name)
      if (screen.button) await closeDialog(page)
    }
    expect(from.size).toBeGreaterThan(30)
    // Pages of the server and files are answered; the application is the answer to its own addresses.
    const answers = await page.evaluate<[number, boolean][]>(
      `Promise.all(${JSON.stringify([...from.keys()])}.map(async (link) => {
         const answer = await fetch(link)
         return [answer.status, (await answer.text()).includes('id="root"')]
       }))`,
    )
    const faults: string[] = []
    for (const [index, [link, name]] of [...from].entries()) {
      const [status, isOfApplication] = answers[index]!
      if (status >= 400) faults.push(`${link} of ${name} is answered ${status}`)
      else if (isOfApplication && !(await isThere(page, link))) faults.push(`${link} of ${name}`)
    }
    expect(faults).toEqual([])
    // A link to nothing would be seen.
    expect(await isThere(page, '/leads/p/999999999')).toBe(false)
  },
  stretched(180_000),
)

test('notifications of one webhook are one row, and both tabs count what is unread', async () => {
  const { account, context, page } = await openApplication(browser())
  const second = await context.newPage()
  const faults = watch(second)
  await second.goto(`${account.kontor.url}/notifications`)
  await second.getByText('You are up to date').waitFor()
  const [orders, stock] = [await addWebhook(account, 'orders'), await addWebhook(account, 'stock')]
  const notify = (webhook_id: number, ...numbers: number[]) =>
    account.kontor.database.transaction((tx) =>
      notifyAdministrators(
        tx,
        account.kontor.signals,
        numbers.map((invalid_answers) => ({
          account_id: account.id,
          kind: 'webhook_failing' as const,
          values: { webhook_id, destination: 'https://example.com/', invalid_answers },
        })),
        account.kontor.now(),
      ),
    )
  await notify(orders, 50, 70, 90)
  await notify(stock, 50)
  const isCounted = async (text: RegExp) => {
    for (const each of [page, second]) await each.getByRole('button', { name: text }).waitFor()
  }
  await isCounted(/4 unread/)
  const rows = second.getByRole('main').getByRole('listitem')
  await expect.poll(() => rows.count()).toBe(2)
  await rows.nth(1).getByText('90 times within two hours (2 earlier)').waitFor()
  await rows.nth(1).getByRole('link').click()
  await second.waitForURL(`**/settings/webhooks/${orders}`)
  await isCounted(/1 unread/)
  await second.goBack()
  await second.getByRole('button', { name: 'Mark all as read' }).click()
  await isCounted(/^Notifications$/)
  expect(faults).toEqual([])
})

async function addWebhook({ api }: TestAccount, name: string): Promise<number> {
  const draft = { destination: `https://example.com/${name}`, settings: ['add_lead'] }
  return (await api.post('/api/v4/webhooks', draft)).body.id as number
}

test.each(['light', 'dark'] as const)('axe finds nothing in the %s theme', async (colorScheme) => {
  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    const options = { colorScheme, viewport }
    const { page, account } = await openApplication(browser(), '/home', {}, options)
    await addRecord(account.api, 'leads', { name: 'Pump order', price: 54_000 })
    await page.getByRole('link', { name: 'Pump order' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.goto(`${account.kontor.url}/notifications`)
    await page.getByText('You are up to date').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
  }
})

test.each([
  ['ru', 'Здравствуйте, Ann Lee'],
  ['es', 'Hola, Ann Lee'],
  ['pt', 'Olá, Ann Lee'],
])('speaks %s to a user of that language', async (lang, hello) => {
  const { page } = await openApplication(browser(), '/home', { language: lang })
  await page.getByRole('heading', { name: hello }).waitFor()
  await expect.poll(() => page.locator('html').getAttribute('lang')).toBe(lang)
})
