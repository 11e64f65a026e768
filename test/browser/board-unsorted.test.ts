// Requests that wait, as the first column of the board: shown by the rule contact, then lead; accepted
// by a button, into a chosen stage, by dragging and by keys; declined with time to think; linked.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { addScope, personOf, published } from '../chats.ts'
import { phone } from '../complex.ts'
import { addLead, mainPipeline, readLead } from '../leads.ts'
import type { TestPipeline } from '../leads.ts'
import { addItem, uidsIn } from '../unsorted.ts'
import { accessibilityFaults, openApplication } from './application.ts'
import type { Opened } from './application.ts'
import { card, cardIn, column, drag, openBoard } from './board.ts'
import { useBrowser } from './chromium.ts'
import { keys } from './keys.ts'

const browser = useBrowser()

const waiting = (page: Page) => page.getByRole('region', { name: 'Incoming leads' })
const request = (page: Page, name: string) =>
  waiting(page).getByRole('article', { name: new RegExp(`^${name},`) })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

const form = (name: string, more: object = {}) => ({
  source_name: 'Shop',
  metadata: { form_id: 'quote', form_name: 'Ask for a quote' },
  _embedded: {
    leads: [{ name: `Order of ${name}`, price: 900 }],
    contacts: [{ name, ...more }],
  },
})

async function openMain(
  account: TestAccount,
  person = {},
): Promise<Opened & { main: TestPipeline }> {
  const main = await mainPipeline(account)
  const opened = await openApplication(browser(), `/leads/p/${main.id}`, { account, ...person })
  await waiting(opened.page).waitFor()
  return { ...opened, main }
}

test('requests show who they are from, how they came, and who is known already', async () => {
  const account = await newAccount()
  const { api, admin } = account
  const made = await api.post('/api/v4/contacts', [
    { name: 'Ivan Petrov', custom_fields_values: [phone('+7 900 555-01-77')] },
  ])
  const { id } = made.body._embedded.contacts[0]
  await addLead(api, { _embedded: { contacts: [{ id }] } })
  await addLead(api, { _embedded: { contacts: [{ id }] } })
  await addItem(
    api,
    form('Ivan', {
      custom_fields_values: [phone('+79005550177')],
      _embedded: { tags: [{ name: 'promo' }] },
    }),
  )
  await addItem(
    api,
    {
      source_name: 'Telephone',
      metadata: {
        phone: '+1 555 0100',
        called_at: 1_700_000_000,
        duration: 135,
        link: 'https://pbx.example/1.mp3',
        call_responsible: String(admin.id),
      },
    },
    'sip',
  )
  await addItem(api, { ...form(''), _embedded: { leads: [{ name: 'Garden house' }] } })
  const scope = await addScope(account, { name: 'Messenger' })
  await published(scope, { text: 'Is it still there?', sender: personOf('c', { name: 'Olga' }) })
  const { page } = await openMain(account)
  const ivan = request(page, 'Ivan')
  await ivan.waitFor()
  expect((await ivan.innerText()).split('\n').map((each) => each.trim())).toEqual(
    expect.arrayContaining(['Form', 'Shop', 'Ivan', 'Ask for a quote', 'promo']),
  )
  await ivan.getByText('Also: Ivan Petrov, 2 leads').waitFor()
  await expect
    .poll(() => ivan.getByRole('link', { name: 'Ivan Petrov' }).getAttribute('href'))
    .toBe(`/contacts/${id}`)
  const call = waiting(page).getByRole('article', { name: /, Call,/ })
  await call.getByText('2:15 · taken by The administrator').waitFor()
  await call.getByRole('button', { name: 'Play the recording' }).waitFor()
  await request(page, 'Garden house').waitFor()
  await request(page, 'Olga').getByText('Is it still there?').waitFor()
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await accessibilityFaults(page)).toEqual([])
  }
  // The chips count, and show one kind.
  await button(page, 'Forms 2').click()
  await request(page, 'Olga').waitFor({ state: 'detached' })
  await expect.poll(() => waiting(page).getByRole('article').count()).toBe(2)
  await button(page, 'Forms 2').click()
  await request(page, 'Olga').waitFor()
  // A new one comes in while one looks.
  await addItem(api, form('Nina'))
  await request(page, 'Nina').waitFor()
  await button(page, 'Forms 3').waitFor()
})

test('a request is accepted by a button, into a chosen stage, by dragging and by a key', async () => {
  const account = await newAccount()
  const names = ['Ann', 'Ben', 'Cid', 'Dora', 'Eve']
  for (const name of names) await addItem(account.api, form(name))
  const { page, main } = await openMain(account)
  const { page: other } = await openMain(account)
  await request(other, 'Ann').waitFor()
  await button(page, 'Accept Ann').click()
  await cardIn(page, 'Initial contact', 'Order of Ann').waitFor()
  await request(other, 'Ann').waitFor({ state: 'detached' })
  await cardIn(other, 'Initial contact', 'Order of Ann').waitFor()
  await button(page, 'Choose the stage for Ben').click()
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('menuitem', { name: 'Discussions' }).click()
  await cardIn(page, 'Discussions', 'Order of Ben').waitFor()
  await drag(page, request(page, 'Cid'), column(page, 'Decision making'))
  await cardIn(page, 'Decision making', 'Order of Cid').waitFor()
  await request(page, 'Dora').focus()
  await keys(request(page, 'Dora'), 'KeyY')
  await cardIn(page, 'Initial contact', 'Order of Dora').waitFor()
  await expect
    .poll(() => page.evaluate<string>(`document.activeElement.getAttribute('aria-label')`))
    .toContain('Eve')
  const { body } = await account.api.get(
    `/api/v4/leads?query=order&filter[pipeline_id]=${main.id}&with=contacts`,
  )
  const leads = body._embedded.leads as { id: number; name: string; status_id: number }[]
  const stageOf = (name: string) =>
    leads.find((lead) => lead.name === `Order of ${name}`)!.status_id
  expect(names.slice(0, 4).map(stageOf)).toEqual([
    main.statuses[0],
    main.statuses[1],
    main.statuses[2],
    main.statuses[0],
  ])
  expect(await uidsIn(account.api)).toHaveLength(1)
})

test('a decline waits five seconds for Undo; leaving the page sends it at once', async () => {
  const account = await newAccount()
  const { uid: ann } = await addItem(account.api, form('Ann'))
  const { uid: ben } = await addItem(account.api, form('Ben'))
  const { page } = await openMain(account)
  const declines: string[] = []
  page.on('request', (each) => {
    if (each.method() === 'DELETE') declines.push(each.url())
  })
  await button(page, 'Decline Ann').click()
  await request(page, 'Ann').waitFor({ state: 'detached' })
  expect(await accessibilityFaults(page)).toEqual([])
  await button(page, 'Undo').click()
  await request(page, 'Ann').waitFor()
  expect(declines).toEqual([])
  // By the key, and then away.
  await request(page, 'Ben').focus()
  await keys(request(page, 'Ben'), 'KeyD')
  await request(page, 'Ben').waitFor({ state: 'detached' })
  expect(declines).toEqual([])
  await page.goto('about:blank')
  await expect.poll(() => uidsIn(account.api)).toEqual([ann])
  // Nothing is left on a page: the time runs out.
  await page.goBack()
  await button(page, 'Decline Ann').click()
  await expect.poll(() => uidsIn(account.api)).toEqual([])
  expect(ben).not.toBe(ann)
})

test('a chat is linked with a lead that is found by its name', async () => {
  const account = await newAccount()
  const lead = await addLead(account.api, { name: 'Garden fence' })
  const scope = await addScope(account, { name: 'Messenger' })
  await published(scope, { text: 'About my fence', sender: personOf('c', { name: 'Olga' }) })
  const { page } = await openMain(account)
  await button(page, 'Link Olga with a lead').click()
  const dialog = page.getByRole('dialog', { name: 'Link the chat with a lead' })
  await dialog.getByText('No lead found').waitFor()
  await dialog.getByRole('searchbox', { name: 'Name, number or phone' }).fill('fence')
  await dialog.getByRole('button', { name: /Garden fence/ }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await dialog.getByRole('button', { name: /Garden fence/ }).click()
  await request(page, 'Olga').waitFor({ state: 'detached' })
  expect(await uidsIn(account.api)).toEqual([])
  const { body } = await account.api.get(`/api/v4/leads/${lead}?with=contacts`)
  expect(body._embedded.contacts).toHaveLength(1)
})

test('the recording of a call plays through the server', async () => {
  const requests: string[] = []
  const exchange = http.createServer(({ url = '' }, response) => {
    requests.push(url)
    response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': wav.length }).end(wav)
  })
  await new Promise<void>((resolve) => exchange.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void exchange.close())
  const account = await newAccount({ privateHooks: 'loopback' })
  const link = `http://127.0.0.1:${(exchange.address() as AddressInfo).port}/1.wav`
  const metadata = { phone: '+1 555 0100', called_at: 1_700_000_000, duration: 5, link }
  await addItem(account.api, { source_name: 'Telephone', metadata }, 'sip')
  const { page } = await openMain(account)
  await button(page, 'Play the recording').click()
  await button(page, 'Pause the recording').click()
  await button(page, 'Play the recording').waitFor()
  expect(requests).toContain('/1.wav')
})

test('a refusal of the server brings the request back, and says why', async () => {
  const account = await newAccount()
  await addItem(account.api, form('Ann'))
  const { page, faults } = await openMain(account)
  await page.route('**/accept', (route) =>
    route.fulfill({
      status: 403,
      contentType: 'application/problem+json',
      body: JSON.stringify({ title: 'Forbidden', detail: 'You have no right to decide this' }),
    }),
  )
  await button(page, 'Accept Ann').click()
  await page.getByRole('alert').getByText('You have no right to decide this').waitFor()
  await request(page, 'Ann').waitFor()
  expect(faults.splice(0)).toHaveLength(1)
})

test('without requests, without the right, and on a phone', async () => {
  const account = await newAccount()
  const { page: empty } = await openMain(account)
  await waiting(empty).getByText('No request waits').waitFor()
  await addItem(account.api, form('Ann'))
  // A user to whom the stage is closed has no such column.
  const { page } = await openBoard(browser(), {
    account,
    leads: { New: [['Pump order']] },
    person: { is_admin: false, rights: { leads: { view: 'A' } } },
  })
  await card(page, 'Pump order').waitFor()
  await expect.poll(() => waiting(page).count()).toBe(0)
  const { id } = await mainPipeline(account)
  const { page: phonePage } = await openApplication(
    browser(),
    `/leads/p/${id}`,
    { account },
    { viewport: { width: 390, height: 844 }, hasTouch: true },
  )
  await button(phonePage, 'Incoming leads').tap()
  await request(phonePage, 'Ann').waitFor()
  expect(await accessibilityFaults(phonePage)).toEqual([])
  await button(phonePage, 'Accept Ann').tap()
  await request(phonePage, 'Ann').waitFor({ state: 'detached' })
  await phonePage
    .getByRole('button', { name: /^Initial contact/ })
    .first()
    .tap()
  await card(phonePage, 'Order of Ann').waitFor()
  const { body } = await account.api.get('/api/v4/leads?query=order')
  expect((await readLead(account.api, body._embedded.leads[0].id)).name).toBe('Order of Ann')
})

/** Five seconds of silence. */
const wav = (() => {
  const samples = 8000 * 5
  const bytes = Buffer.alloc(44 + samples, 128)
  bytes.write('RIFF', 0)
  bytes.writeUInt32LE(36 + samples, 4)
  bytes.write('WAVEfmt ', 8)
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(8000, 24)
  bytes.writeUInt32LE(8000, 28)
  bytes.writeUInt16LE(1, 32)
  bytes.writeUInt16LE(8, 34)
  bytes.write('data', 36)
  bytes.writeUInt32LE(samples, 40)
  return bytes
})()
