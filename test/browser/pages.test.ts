// The pages before the sign-in in a real browser: by keyboard, without scripts, in both themes and
// all languages.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContextOptions, Page } from 'playwright-core'
import sql from 'sql-template-tag'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { pageLanguages } from '../../server/pages/language.ts'
import type { PageLanguage } from '../../server/pages/language.ts'
import { setupCode } from '../../server/features/application/setup/setup.ts'
import { newAccount, proof } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { scratchDatabase } from '../scratch.ts'
import { server } from '../server.ts'
import { useBrowser } from './chromium.ts'
import { keys, type, untilFocused, walk } from './keys.ts'
import { resize } from './rest.ts'
import { stretched } from '../slow.ts'

const browser = useBrowser()
const password = 'correct horse'
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const languages = Object.keys(pageLanguages) as PageLanguage[]

/** A user, and a page of a fresh browser in which nothing may go wrong. */
async function openPages(options: BrowserContextOptions = {}) {
  const account = await newAccount()
  const email = `${crypto.randomUUID()}@example.com`
  const { id } = await account.addUser({ name: 'Ann Lee', email, password, is_admin: true })
  return { account, url: account.kontor.url, email, id, page: await openPage(options) }
}

async function openPage(options: BrowserContextOptions): Promise<Page> {
  const context = await browser().newContext(options)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    // A refused form is answered with its status, which Chromium reports.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(message.text())
  })
  onTestFinished(() => expect(faults).toEqual([]))
  return page
}

/** The application behind an address has its own tests. */
const arriveAt = (page: Page, address: string) => page.waitForURL(address, { waitUntil: 'commit' })

test('a person signs in by keyboard alone, after a wrong password', async () => {
  const { page, url, email } = await openPages()
  await page.goto(`${url}/login?next=${encodeURIComponent('/settings/profile?a=1')}`)
  await untilFocused(page.locator('#email'))
  await type(page.locator('#email'), email)
  await walk(page, 'Tab')
  const word = page.locator('#password')
  await type(word, 'wrong')
  await keys(word, 'Enter')
  await page.getByRole('alert').waitFor()
  await untilFocused(word)
  await expect.poll(() => page.getByLabel('E-mail').inputValue()).toBe(email)
  await expect
    .poll(() => page.getByLabel('Password').getAttribute('aria-describedby'))
    .toBe(await page.getByRole('alert').getAttribute('id'))
  await type(word, password)
  await walk(page, 'Tab')
  await keys(page.locator('#reveal'), 'Space')
  await expect.poll(() => word.getAttribute('type')).toBe('text')
  await keys(word, 'Enter')
  await arriveAt(page, `${url}/settings/profile?a=1`)
})

test('without scripts everything works: sign-in, reset link, invitation, sign-out', async () => {
  const { account, page, url, email, id } = await openPages({ javaScriptEnabled: false })
  const { body } = await account.api.post(`/web/v1/users/${id}/reset-link`, proof)
  await page.goto(body.url)
  await page.getByLabel('New password').fill('another horse')
  await expect.poll(() => page.locator('#reveal').isVisible()).toBe(false)
  await page.getByRole('button').click()
  await page.getByRole('status').waitFor()
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill('another horse')
  await page.getByRole('button').click()
  await arriveAt(page, `${url}/`)
  await page.setContent(
    `<form method="post" action="${url}/logout"><button>Sign out</button></form>`,
  )
  await page.getByRole('button').click()
  await arriveAt(page, `${url}/login`)
  const invitation = { email: `${crypto.randomUUID()}@example.com`, ...proof }
  await page.goto((await account.api.post('/web/v1/invitations', invitation)).body.url)
  await page.getByLabel('Your name').fill('Bob')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button').click()
  await arriveAt(page, `${url}/`)
})

test('the language is chosen with a link and stays', async () => {
  const { page, url } = await openPages({ locale: 'es-ES' })
  await page.goto(`${url}/login`)
  await page.getByRole('heading', { name: 'Iniciar sesión' }).waitFor()
  await page.getByRole('link', { name: 'Русский' }).click()
  await page.getByRole('heading', { name: 'Вход' }).waitFor()
  await page.goto(`${url}/login/forgot`)
  await page.getByRole('heading', { name: 'Забыли пароль?' }).waitFor()
})

test('the window begins at its heading, and Allow waits for half a second', async () => {
  const { account, page, url, email } = await openPages()
  await page.goto(`${url}/login`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await arriveAt(page, `${url}/`)
  await page.goto(`${url}/oauth?client_id=${account.integration.client_id}`)
  await untilFocused(page.getByRole('heading', { level: 1 }))
  const allow = page.locator('#allow')
  // In one step: half a second is soon over.
  const stored = await page.evaluate<string>(`(() => {
    dispatchEvent(new Event('focus'))
    const held = allow.getAttribute('aria-disabled')
    allow.click()
    return held
  })()`)
  expect(stored).toBe('true')
  await expect.poll(() => allow.getAttribute('aria-disabled')).toBe(null)
  await walk(page, 'Tab')
  await untilFocused(page.locator('#deny'))
  await walk(page, 'Tab')
  await untilFocused(allow)
  expect(page.url()).toContain('/oauth?')
})

let emptyUrl: Promise<string> | undefined
afterAll(() => (emptyUrl = undefined))

/** The code of the server below. */
let code = ''

/** The address of a server without an account, which asks for its code. */
async function emptyServer(): Promise<string> {
  const scratch = await scratchDatabase()
  const { kontor } = await server({ databaseUrl: scratch.url, trustedProxy: ['10.0.0.1'] })
  code = setupCode(kontor)
  return kontor.url
}

const next = 'form button.primary'
/** The element that shows that the state of a page has come; by default a refusal or the code. */
const arrived: Record<string, string> = {
  'setup-process': '[name=sales_process]',
  'setup-data': '[name=invite]',
}

/** Answers the first step of the setup, in the language of the page. */
async function fillAccount(page: Page): Promise<void> {
  await page.locator('#code').fill(code)
  await page.locator('#company').fill('Acme Pumps')
  await page.locator('#language').selectOption(await page.locator('html').getAttribute('lang'))
  await page.locator('#name').fill('Ann Lee')
  await page.locator('#email').fill('ann@pumps.example')
  await page.locator('#password').fill(password)
  await page.locator(next).click()
  await page.locator('[name=sales_process]').first().waitFor()
}

test('a person sets the server up by keys alone, is helped by a reload, and passes a link on', async () => {
  const scratch = await scratchDatabase()
  const { kontor } = await server({ databaseUrl: scratch.url })
  const page = await openPage({ locale: 'en-US' })
  await page.goto(`${kontor.url}/setup`)
  await untilFocused(page.locator('#company'))
  await type(page.locator('#company'), 'Acme Pumps')
  await page.locator('#name').focus()
  await type(page.locator('#name'), 'Ann Lee')
  await walk(page, 'Tab')
  await type(page.locator('#email'), 'ann@pumps.example')
  await walk(page, 'Tab')
  await type(page.locator('#password'), password)
  await keys(page.locator('#password'), 'Enter')
  await page.getByRole('heading', { name: 'Your sales process' }).waitFor()
  await page.reload()
  const simple = page.getByRole('radio', { name: 'Simple sales' })
  await simple.focus()
  await keys(simple, 'ArrowDown')
  const long = page.getByRole('radio', { name: 'Long sales' })
  await expect.poll(() => long.isChecked()).toBe(true)
  await keys(long, 'Enter')
  await page.getByRole('heading', { name: 'Data and people' }).waitFor()
  await page.getByRole('link', { name: 'Back' }).click()
  await expect.poll(() => long.isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('checkbox', { name: 'Demo data' }).uncheck()
  await page.getByLabel('Invite people').fill('bob@pumps.example')
  await page.getByRole('button', { name: 'Open the CRM' }).click()
  await page.getByRole('heading', { name: 'Your CRM is ready' }).waitFor()
  await expect.poll(() => page.getByLabel('bob@pumps.example').inputValue()).toContain('/invite/')
  expect(await faultsOf(page, wcag)).toEqual([])
  await page.getByRole('link', { name: 'Open the CRM' }).click()
  // The board, with what is to be done first.
  await page.waitForURL('**/leads/p/*')
  await page.getByRole('region', { name: 'First steps' }).getByText('1 of 7 done').waitFor()
})

test('the setup fills the time zone in', async () => {
  const page = await openPage({ timezoneId: 'Europe/Lisbon' })
  await page.goto(`${await (emptyUrl ??= emptyServer())}/setup`)
  await expect.poll(() => page.getByLabel('Time zone').inputValue()).toBe('Europe/Lisbon')
})

/** Gives a user a second factor. */
async function addFactor({ id, kontor }: TestAccount, userId: number): Promise<void> {
  const secret = kontor.secrets.encrypt('JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP')
  await kontor.database.transaction((tx) =>
    tx.rows(sql`
      insert into second_factors (account_id, user_id, secret, created_at, confirmed_at)
      values (${id}, ${userId}, ${secret}, ${kontor.now()}, ${kontor.now()})`),
  )
}

interface AxeFault {
  id: string
  nodes: { html: string; failureSummary: string }[]
}

test(
  'axe finds nothing on any page in any language and theme, and nothing is wider than a phone',
  async () => {
    const { account, page, url, email, id } = await openPages({ reducedMotion: 'reduce' })
    const { client_id } = await account.addIntegration({
      name: 'ERP bridge',
      description: 'Copies paid invoices into your leads.',
      scopes: ['crm', 'files', 'files_delete'],
    })
    const guarded = `${crypto.randomUUID()}@example.com`
    await addFactor(account, (await account.addUser({ email: guarded, password })).id)
    const elsewhere = await newAccount()
    await elsewhere.addUser({ email, password, is_admin: true })
    const pathOf = async (path: string, body?: object) =>
      new URL((await account.api.post(path, { ...body, ...proof })).body.url).pathname
    const enter = async (who: string, word = password) => {
      await page.locator('#email').fill(who)
      await page.locator('#password').fill(word)
      await page.locator('form button.primary').click()
    }
    const refuse = async () => {
      await page.evaluate("document.querySelector('form').noValidate = true")
      await page.locator('form button.primary').click()
      await page.locator('#password[aria-invalid]').waitFor()
    }
    const reset = await pathOf(`/web/v1/users/${id}/reset-link`)
    const invite = await pathOf('/web/v1/invitations', { email: 'bob@example.com', name: 'Bob' })
    const consent = `/oauth?client_id=${client_id}`
    /** Each page: its address, and what brings it into its state. */
    const shown: [name: string, address: string, prepare?: () => Promise<unknown>][] = [
      ['login', '/login'],
      ['login-wrong', '/login', () => enter(email, 'wrong')],
      ['login-code', '/login', () => enter(guarded)],
      ['forgot', '/login/forgot'],
      ['changed', '/login?changed=password'],
      ['void', '/reset/void'],
      ['reset', reset],
      ['reset-wrong', reset, refuse],
      ['invite', invite],
      ['invite-wrong', invite, refuse],
      ['window-login', consent],
      ['window-unknown', '/oauth?client_id=unknown'],
      ['setup', '/setup'],
      ['setup-wrong', '/setup', refuse],
      ['setup-process', '/setup?step=1', () => fillAccount(page)],
      [
        'setup-data',
        '/setup?step=1',
        async () => {
          await fillAccount(page)
          await page.locator(next).click()
        },
      ],
      ['window', consent],
    ]
    const faults: string[] = []
    for (const [name, address, prepare] of shown) {
      if (name === 'window') {
        await page.goto(`${url}${address}`)
        await enter(email)
        await page.locator('#allow').waitFor()
      }
      const base = name.startsWith('setup') ? await (emptyUrl ??= emptyServer()) : url
      // States of a page differ in a sentence: one language is enough.
      for (const language of prepare ? (['pt'] as const) : languages) {
        await page.goto(`${base}${address}${address.includes('?') ? '&' : '?'}lang=${language}`)
        await prepare?.()
        if (prepare)
          await page
            .locator(arrived[name] ?? '[role=alert], #code, [aria-invalid]')
            .first()
            .waitFor()
        if (name === 'window')
          await expect.poll(() => page.locator('#allow').getAttribute('aria-disabled')).toBe(null)
        await expect.poll(() => page.locator('html').getAttribute('lang')).toBe(language)
        const found = await faultsOf(page, wcag)
        // Themes differ in colours alone.
        await page.emulateMedia({ colorScheme: 'dark' })
        found.push(
          ...(await faultsOf(page, ['color-contrast', 'link-in-text-block'])).map(
            (fault) => `dark ${fault}`,
          ),
        )
        await page.emulateMedia({ colorScheme: 'light' })
        faults.push(...found.map((fault) => `${name} ${language}: ${fault}`))
        await resize(page, 320, 700)
        const width = await page.evaluate('document.documentElement.scrollWidth')
        if (width !== 320) faults.push(`${name} ${language}: ${String(width)} wide`)
        await resize(page, 1440, 900)
      }
    }
    expect(faults).toEqual([])
  },
  stretched(300_000),
)

const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** The faults that axe finds against rules, by their names or by their tags. */
async function faultsOf(page: Page, rules: string[]): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe)
  const found = await page.evaluate<AxeFault[]>(
    `axe.run({ runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  )
  return found.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => html + failureSummary).join()}`,
  )
}
