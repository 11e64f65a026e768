// The days on which something fails: the server dies and comes back, the network is gone, a new build is served. Processes as users start them.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { newHome } from '../kontor.ts'
import { client } from '../client.ts'
import { signIn } from '../session.ts'
import { freePort } from '../port.ts'
import { watch } from './application.ts'
import { useBrowser } from './chromium.ts'
import { keys, type } from './keys.ts'
import { stretched } from '../slow.ts'

const browser = useBrowser()

/** A server with its demo, which the tests of this file stop and start, and who signs in there. */
const home = await newHome({ PORT: String(await freePort()) })
let running = await home.start()
const credentials = {
  email: /E-mail\s+(\S+)/.exec(running.said())![1]!,
  password: /Password\s+(\S+)/.exec(running.said())![1]!,
}
afterAll(() => home.close())

async function kill(): Promise<void> {
  process.kill(running.server, 'SIGKILL')
  await running.ended
}

const start = async (settings: Record<string, string> = {}) => {
  running = await home.start(settings)
}

/** A signed-in page of it, at its address or at another that leads to it. */
async function openHome(url = running.url) {
  const { cookie, api } = await signIn(running, credentials)
  const context = await browser().newContext()
  onTestFinished(() => context.close())
  const [name, value] = cookie.split('=', 2)
  await context.addCookies([{ name: name!, value: value!, url }])
  const page = await context.newPage()
  const faults = watch(page)
  await page.goto(`${url}/home`)
  await page.getByRole('heading', { name: 'Latest leads' }).waitFor()
  return { page, context, api, faults }
}

const strip = (page: Page) => page.getByText('Connection lost')

/** A network before the server: a request waits for `pass`, and is cut off where that rejects. */
async function network(pass: (path: string) => Promise<void> | undefined): Promise<string> {
  const server = http.createServer(({ method, url = '', headers }, response) => {
    const { host, hostname, port } = new URL(running.url)
    const forward = () =>
      http
        .request({ hostname, port, method, path: url, headers: { ...headers, host } }, (answer) => {
          response.writeHead(answer.statusCode!, answer.headers)
          answer.pipe(response)
        })
        .on('error', () => response.destroy())
        .end()
    void Promise.resolve(pass(url)).then(forward, () => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a change that comes before the stream is open is shown too', async () => {
  const { promise: opens, resolve: open } = Promise.withResolvers<void>()
  const url = await network((path) => (path.startsWith('/web/v1/stream') ? opens : undefined))
  const { page, api } = await openHome(url)
  await page.getByRole('main').getByRole('link').first().waitFor()
  await api.post('/api/v4/leads', [{ name: 'Added before the stream' }])
  await api.patch('/web/v1/profile', { name: 'Named before the stream' })
  open()
  await page.getByRole('heading', { name: /Named before the stream/ }).waitFor()
  await page.getByRole('link', { name: 'Added before the stream' }).waitFor()
})

test('a stream whose code is not answered is told of, and tried again', async () => {
  let isCut = true
  const url = await network((path) =>
    isCut && path.includes('live.worker') ? Promise.reject(new Error('cut')) : undefined,
  )
  const { page, api } = await openHome(url)
  await strip(page).waitFor()
  await api.post('/api/v4/leads', [{ name: 'Added without a stream' }])
  isCut = false
  await strip(page).waitFor({ state: 'hidden' })
  await page.getByRole('link', { name: 'Added without a stream' }).waitFor()
})

test('a killed server is told of, and what changed meanwhile appears once it is back', async () => {
  const { page, api, faults } = await openHome()
  await kill()
  await strip(page).waitFor()
  const named = ['user', 'set', credentials.email, '--name', 'Named at night']
  expect(await home.run(named)).toMatchObject({ code: 0 })
  await start()
  await api.post('/api/v4/leads', [{ name: 'Added after the night' }])
  await strip(page).waitFor({ state: 'hidden' })
  await page.getByRole('heading', { name: /Named at night/ }).waitFor()
  await page.getByRole('link', { name: 'Added after the night' }).waitFor()
  // The page asked a server that was gone.
  expect(faults.every((fault) => /ERR_|failed/.test(fault))).toBe(true)
})

test('a page without a network says so, keeps what it shows, and catches up', async () => {
  const { page, context, api } = await openHome()
  // The code of the list comes in idle time, before the network goes.
  await expect
    .poll(() =>
      page.evaluate<boolean>(
        "performance.getEntriesByType('resource').some(({ name }) => name.includes('notification-list'))",
      ),
    )
    .toBe(true)
  await context.setOffline(true)
  await strip(page).waitFor()
  await page
    .getByRole('link', { name: 'Notifications' })
    .or(page.getByRole('button', { name: 'Notifications' }))
    .click()
  await page.getByText('The server does not answer').waitFor()
  await expect
    .poll(() => page.getByRole('heading', { name: 'Latest leads' }).isVisible())
    .toBe(true)
  await api.post('/api/v4/leads', [{ name: 'Added in between' }])
  await api.patch('/web/v1/profile', { name: 'Named in between' })
  await context.setOffline(false)
  await page.getByRole('heading', { name: /Named in between/ }).waitFor()
  // What failed is asked again by itself.
  await page.getByText('You are up to date').waitFor()
  await keys(page.getByRole('dialog', { name: 'Notifications' }), 'Escape')
  await page.getByRole('link', { name: 'Added in between' }).waitFor()
})

/** A page of a new lead, the field of it that is edited, and how its price is set. */
async function openLead() {
  const opened = await openHome()
  const { page, api } = opened
  const { body } = await api.post('/api/v4/leads', [{ name: 'Pump order', price: 100 }])
  const id = body._embedded.leads[0].id as number
  await page.goto(`${running.url}/leads/${id}`)
  const price = page
    .locator('[data-member]')
    .filter({ has: page.getByText('Price', { exact: true }) })
  const edited = page.locator('[data-editing]')
  const setPrice = async (amount: string) => {
    await price.locator('[data-edit]').click()
    await keys(edited, 'Control+a')
    await type(edited, amount)
    await keys(edited, 'Enter')
  }
  await price.locator('[data-edit]').waitFor()
  await page.getByRole('feed').getByRole('article').first().waitFor()
  const read = async () => (await api.get(`/api/v4/leads/${id}`)).body
  return { ...opened, id, price, edited, setPrice, read }
}

test('a card without a network keeps what is typed, says so, and sends it once it is back', async () => {
  const { page, context, api, id, price, edited, setPrice, read } = await openLead()
  await context.setOffline(true)
  await setPrice('54000')
  await price.getByText('54,000').waitFor()
  await page.getByRole('button', { name: 'Pump order', exact: true }).click()
  await type(edited, 'Pumps and hoses')
  await keys(edited, 'Enter')
  await page.getByRole('heading', { level: 1, name: 'Pumps and hoses' }).waitFor()
  await strip(page).waitFor()
  expect(await read()).toMatchObject({ name: 'Pump order', price: 100 })
  // Somebody else works on the card meanwhile, elsewhere in it.
  await api.patch(`/api/v4/leads/${id}`, { tags_to_add: [{ name: 'while away' }] })
  await context.setOffline(false)
  await price.getByRole('status').getByText('Saved').waitFor()
  await expect.poll(read).toMatchObject({ name: 'Pumps and hoses', price: 54_000 })
  await page.getByText('while away', { exact: true }).first().waitFor()
  await strip(page).waitFor({ state: 'detached' })
  await price.getByText('54,000').waitFor()
})

test(
  'a card whose server dies sends what was typed when it is back, once',
  async () => {
    const { page, api, id, price, setPrice, read } = await openLead()
    await kill()
    await setPrice('700')
    await price.getByText('700').waitFor()
    await strip(page).waitFor()
    await start()
    await price
      .getByRole('status')
      .getByText('Saved')
      .waitFor({ timeout: stretched(60_000) })
    expect(await read()).toMatchObject({ price: 700 })
    const { body } = await api.get(
      `/api/v4/events?filter[entity]=lead&filter[entity_id]=${id}&filter[type]=sale_field_changed`,
    )
    expect(body._embedded.events).toHaveLength(1)
  },
  stretched(120_000),
)

test('a new build is offered, and the next screen is of it', async () => {
  const { page } = await openHome()
  const old = await page.evaluate<string>('document.documentElement.dataset.build')
  await kill()
  await strip(page).waitFor()
  // With the gallery it is another build.
  await start({ KONTOR_GALLERY: 'on' })
  await page.getByText('A new version of Kontor is ready').waitFor()
  await page.getByRole('link', { name: 'Settings' }).click()
  await expect
    .poll(() => page.evaluate<string>('document.documentElement.dataset.build').catch(() => old))
    .not.toBe(old)
  await page.waitForURL('**/settings**')
})

test('a signed-out browser is led to the sign-in, and programs are not', async () => {
  const { page, context } = await openHome()
  await context.clearCookies()
  const answer = await client({ url: new URL(page.url()).origin }).get('/api/v4/leads')
  expect(answer.status).toBe(401)
  const [first] = await Promise.all([
    page.waitForResponse(/\/$/),
    page.goto(running.url).catch(() => null),
  ])
  expect([first.status(), first.headers()['location']]).toEqual([303, '/login'])
})
