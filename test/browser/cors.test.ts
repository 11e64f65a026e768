// Pages of another site that call the interface from a real browser.
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { newPair } from '../oauth.ts'
import { raw } from '../raw.ts'
import { useBrowser } from './chromium.ts'
import { openSite } from './site.ts'
import type { Site } from './site.ts'

const browser = useBrowser()
const site: Site = await openSite()

interface Heard {
  status?: number
  body?: { _embedded?: { leads: { name: string }[] }; status?: number }
  headers?: Record<string, string>
  error?: string
}

interface Sent extends Pick<RequestInit, 'method' | 'headers' | 'body' | 'credentials'> {
  path: string
}

/** An account with an integration whose pages are at `site.url`, and its token. */
async function startSite() {
  const account = await newAccount()
  const integration = await account.addIntegration({ origins: [site.url] })
  const { access_token } = await newPair(account, integration)
  const preflightHeaders = { origin: site.url, 'access-control-request-method': 'GET' }
  const preflight = { method: 'OPTIONS', path: '/api/v4/leads', headers: preflightHeaders }
  await expect.poll(async () => (await raw(account.kontor, preflight)).status).toBe(204)
  const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
  return { account, headers }
}

async function pageAt(address: string): Promise<Page> {
  const context = await browser().newContext()
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(address)
  return page
}

/** The answer as a script of the page hears it. */
function heardBy(page: Page, { kontor }: TestAccount, { path, ...init }: Sent): Promise<Heard> {
  return page.evaluate<Heard>(`fetch(${JSON.stringify(kontor.url + path)}, ${JSON.stringify(init)})
    .then(async (answer) => ({ status: answer.status, headers: Object.fromEntries(answer.headers),
                               body: await answer.json().catch(() => undefined) }))
    .catch((error) => ({ error: error.name }))`)
}

const leadsOf = async ({ api }: TestAccount) =>
  (await api.get('/api/v4/leads')).body._embedded.leads.map(({ name }: { name: string }) => name)

test('a page of a named origin reads and writes with a token, and understands refusals', async () => {
  const { account, headers } = await startSite()
  const page = await pageAt(site.url)
  const path = '/api/v4/leads'
  const body = JSON.stringify([{ name: 'From a page' }])
  const keyed = { ...headers, 'idempotency-key': 'of a page' }
  const write = { method: 'POST', path, headers: keyed, body }
  expect(await heardBy(page, account, write)).toMatchObject({ status: 200 })
  const again = await heardBy(page, account, write)
  expect(again).toMatchObject({ status: 200, headers: { 'idempotency-replayed': 'true' } })
  const read = await heardBy(page, account, { path, headers })
  expect(read.body?._embedded?.leads).toMatchObject([{ name: 'From a page' }])
  expect(read.headers?.['x-request-id']).toMatch(/^[\da-f-]{36}$/)
  const change = { method: 'PATCH', path: `${path}/1`, headers, body: '{"name":"x"}' }
  expect(await heardBy(page, account, change)).toMatchObject({ status: 404, body: { status: 404 } })
  const forged = { authorization: 'Bearer forged' }
  expect(await heardBy(page, account, { path, headers: forged })).toMatchObject({ status: 401 })
})

test('a page of an origin that nobody named hears nothing and writes nothing', async () => {
  const { account, headers } = await startSite()
  const page = await pageAt(site.address)
  const path = '/api/v4/leads'
  expect(await heardBy(page, account, { path, headers })).toEqual({ error: 'TypeError' })
  const body = JSON.stringify([{ name: 'From a page' }])
  const write = { method: 'POST', path, headers, body }
  expect(await heardBy(page, account, write)).toEqual({ error: 'TypeError' })
  expect(await leadsOf(account)).toEqual([])
})

test('a page of a named origin can use neither cookies nor the token endpoint', async () => {
  const { account, headers } = await startSite()
  const page = await pageAt(site.url)
  const withCookies = { path: '/api/v4/leads', headers, credentials: 'include' } as const
  expect(await heardBy(page, account, withCookies)).toEqual({ error: 'TypeError' })
  const exchange = { method: 'POST', path: '/oauth2/access_token', body: 'grant_type=x' }
  expect(await heardBy(page, account, exchange)).toEqual({ error: 'TypeError' })
  expect(await heardBy(page, account, { path: '/web/v1/session' })).toEqual({ error: 'TypeError' })
})
