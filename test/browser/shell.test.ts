// The shell of the web application in a real browser: navigation, search, keys, live news, and the
// days on which something fails.
import { expect, test } from 'vitest'
import { addRecord } from '../records.ts'
import { accessibilityFaults, openApplication } from './application.ts'
import { useBrowser } from './chromium.ts'
import { settled } from './screens.ts'

const browser = useBrowser()

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
  await page.getByRole('heading', { name: 'Hello, Ann Lee' }).waitFor()
  expect(faults.splice(0).join()).toContain('404')
})

test('the command menu finds a record by its name, by keys alone, and opens it', async () => {
  const { page, account } = await openApplication(browser())
  const id = await addRecord(account.api, 'leads', { name: 'Zinc roof of the barn' })
  await page.keyboard.press('Control+k')
  await page.keyboard.type('zinc roof')
  await page.getByRole('button', { name: /Zinc roof of the barn/ }).waitFor()
  await settled(page)
  expect(await accessibilityFaults(page)).toEqual([])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/leads/${id}`)
  await page.getByRole('heading', { name: 'Zinc roof of the barn' }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'Hello, Ann Lee' }).waitFor()
})

test('keys go to pages on a Russian layout too, and not from within a field', async () => {
  const { page } = await openApplication(browser())
  // The key at the place of G types п, the one at the place of N types т. Both come at once: a pause
  // on a busy machine would end the sequence.
  const keys = [
    { code: 'KeyG', key: 'п' },
    { code: 'KeyN', key: 'т' },
  ]
  await page.evaluate(
    `for (const each of ${JSON.stringify(keys)})
       document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { ...each, bubbles: true, cancelable: true }))`,
  )
  await page.waitForURL('**/notifications')
  await page.getByRole('heading', { name: 'Notifications' }).waitFor()
  await page.keyboard.press('Shift+Slash')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await settled(page)
  expect(await accessibilityFaults(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.keyboard.press('Slash')
  await page.keyboard.type('gs')
  expect(new URL(page.url()).pathname).toBe('/notifications')
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
  await second.goto(account.kontor.url)
  await second.getByText('No leads yet').waitFor()
  await page.getByText('No leads yet').waitFor()
  await addRecord(account.api, 'leads', { name: 'Seen twice' })
  for (const tab of [page, second]) await tab.getByRole('link', { name: 'Seen twice' }).waitFor()
  const metrics = () => fetch(`${account.kontor.url}/metrics`).then((answer) => answer.text())
  await expect.poll(metrics).toMatch(/^kontor_live_listeners 1$/m)
})

test('a session that ended elsewhere is renewed in another window; the page stays as it is', async () => {
  const { page, context, account, email, password, faults } = await openApplication(
    browser(),
    '/notifications',
  )
  await account.kontor.database.transaction(async (tx) => {
    const { endSessions } = await import('../../server/features/sessions/sessions.ts')
    const { body } = await account.api.get('/api/v4/users')
    const me = body._embedded.users.find((user: { email: string }) => user.email === email)
    await endSessions(tx, { accountId: account.id, userId: me.id })
  })
  await page.getByText('Unread', { exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await dialog.waitFor()
  const { signIn } = await import('../session.ts')
  const { cookie } = await signIn(account.kontor, { email, password })
  const [name, value] = cookie.split('=', 2)
  await context.addCookies([{ name: name!, value: value!, url: account.kontor.url }])
  await page.getByRole('button', { name: 'Continue' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await page.getByText('Nothing is unread').waitFor()
  expect(faults.splice(0).join()).toContain('401')
})

test.each(['light', 'dark'] as const)('axe finds nothing in the %s theme', async (colorScheme) => {
  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    const options = { colorScheme, viewport }
    const { page, account } = await openApplication(browser(), '/', {}, options)
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
  const { page } = await openApplication(browser(), '/', { language: lang })
  await page.getByRole('heading', { name: hello }).waitFor()
  expect(await page.locator('html').getAttribute('lang')).toBe(lang)
})
