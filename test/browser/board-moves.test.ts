// Moving leads on the board: with the mouse, by keys alone, by menus, refused, undone, and at the
// same time as somebody else.
import { raw } from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { addLead, readLead, won, lost } from '../leads.ts'
import type { Receiver } from '../receiver.ts'
import { accessibilityFaults } from './application.ts'
import {
  card,
  cardIn,
  carry,
  column,
  drag,
  focused,
  columnHead,
  openBoard,
  said,
  scrollTo,
  take,
} from './board.ts'
import { useBrowser } from './chromium.ts'
import { openDelivering } from '../delivering.ts'
import { keys, shortcut, type } from './keys.ts'
import { rest } from './rest.ts'

const browser = useBrowser()

let receiver: Receiver
/** An account of a server that delivers webhooks, on a database of its own. */
let delivering: TestAccount
let close: () => Promise<void>

beforeAll(async () => {
  ;({ account: delivering, receiver, close } = await openDelivering())
})

afterAll(() => close())

const three: Record<string, [string, number?][]> = {
  New: [
    ['Pump order', 54_000],
    ['Roof tiles', 1200],
  ],
  Offer: [['Garden fence', 300]],
}

const stageOf = async (account: Awaited<ReturnType<typeof newAccount>>, id: number) =>
  (await readLead(account.api, id)).status_id as number

test('a dragged lead is in the new stage at once, with one request, and its news goes out', async () => {
  const account = delivering
  await account.api.post('/api/v4/webhooks', {
    destination: `${receiver.url}/moves`,
    settings: ['status_lead'],
  })
  const { page, at, leads } = await openBoard(browser(), { account, leads: three })
  const patches: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') patches.push(request.url())
  })
  await drag(page, card(page, 'Pump order'), column(page, 'Offer'))
  await cardIn(page, 'Offer', 'Pump order').waitFor()
  await columnHead(page, 'New, 1 lead, ').waitFor()
  await columnHead(page, 'Offer, 2 leads, .*54,300').waitFor()
  await expect.poll(() => stageOf(account, leads['Pump order']!)).toBe(at['Offer'])
  expect(patches).toHaveLength(1)
  const { body } = await account.api.get('/api/v4/events?filter[type]=lead_status_changed')
  expect(body._embedded.events).toHaveLength(1)
  const [arrival] = await receiver.heard(1)
  expect(decodeURIComponent(arrival!.body)).toContain(`leads[status][0][status_id]=${at['Offer']}`)
})

test('a colleague sees the move, and his totals with it', async () => {
  const account = await newAccount()
  const { page, pipeline } = await openBoard(browser(), { account, leads: three })
  const { openApplication } = await import('./application.ts')
  const { page: other } = await openApplication(browser(), `/leads/p/${pipeline}`, { account })
  await card(other, 'Pump order').waitFor()
  await drag(page, card(page, 'Pump order'), column(page, 'Contract'))
  await cardIn(other, 'Contract', 'Pump order').waitFor()
  await columnHead(other, 'Contract, 1 lead, .*54,000').waitFor()
  await columnHead(other, 'New, 1 lead, ').waitFor()
})

test('keys alone lift a card, choose a stage, and drop it; the focus stays on it', async () => {
  const { page, account, at, leads } = await openBoard(browser(), { leads: three })
  const lead = card(page, 'Roof tiles')
  await lead.focus()
  await keys(lead, 'Space')
  await expect.poll(() => said(page)).toContain('“Roof tiles” lifted')
  await keys(lead, 'ArrowRight')
  await expect.poll(() => said(page)).toBe('Offer, 1 lead')
  await keys(lead, 'ArrowRight')
  await expect.poll(() => said(page)).toBe('Contract, 0 leads')
  await keys(lead, 'Enter')
  await cardIn(page, 'Contract', 'Roof tiles').waitFor()
  await expect.poll(() => said(page)).toBe('“Roof tiles” moved to Contract')
  await expect.poll(() => focused(page)).toContain('Roof tiles')
  await expect.poll(() => stageOf(account, leads['Roof tiles']!)).toBe(at['Contract'])
  await keys(lead, 'Space')
  await expect.poll(() => said(page)).toContain('lifted')
  await keys(lead, 'Escape')
  await expect.poll(() => said(page)).toBe('Put back')
})

test('arrows and letters move the focus between cards, columns and heads', async () => {
  const { page } = await openBoard(browser(), { leads: three })
  await card(page, 'Roof tiles').focus()
  await keys(card(page, 'Roof tiles'), 'ArrowDown')
  await expect.poll(() => focused(page)).toContain('Pump order')
  await keys(card(page, 'Pump order'), 'KeyL')
  await expect.poll(() => focused(page)).toContain('Garden fence')
  await keys(card(page, 'Garden fence'), 'ArrowUp')
  await expect.poll(() => focused(page)).toBe('Offer, 1 lead, $300')
  await keys(columnHead(page, 'Offer, 1 lead'), 'ArrowRight')
  await expect.poll(() => focused(page)).toBe('Contract, 0 leads, $0')
  await keys(columnHead(page, 'Contract, 0 leads'), '1')
  await expect.poll(() => focused(page)).toContain('Roof tiles')
  await keys(card(page, 'Roof tiles'), 'Shift+KeyC')
  await keys(page.getByRole('button', { name: 'New, 2 leads', expanded: false }), 'Enter')
  await card(page, 'Roof tiles').waitFor()
})

test('the menu of a card and the key M move without dragging', async () => {
  const { page, account, at, leads } = await openBoard(browser(), { leads: three })
  await card(page, 'Garden fence').hover()
  await page.getByRole('button', { name: 'Actions: Garden fence' }).click()
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('menuitem', { name: 'Move to…' }).click()
  const stage = page.getByRole('combobox', { name: 'Stage' })
  await stage.fill('contr')
  expect(await accessibilityFaults(page)).toEqual([])
  await keys(stage, 'Enter')
  await cardIn(page, 'Contract', 'Garden fence').waitFor()
  await card(page, 'Garden fence').focus()
  await keys(card(page, 'Garden fence'), 'KeyM')
  await stage.fill('New')
  await keys(stage, 'Enter')
  await cardIn(page, 'New', 'Garden fence').waitFor()
  await expect.poll(() => stageOf(account, leads['Garden fence']!)).toBe(at['New'])
})

test('a lost lead asks its reason, Enter goes on without one, and both are undone', async () => {
  const { page, account, at, leads } = await openBoard(browser(), { leads: three })
  await account.api.post('/api/v4/leads/loss_reasons', [{ name: 'Too expensive' }])
  await page.reload()
  await take(page, card(page, 'Pump order'))
  await carry(page, column(page, 'Offer'))
  await carry(page, page.locator('[data-kind=lost]'))
  await page.mouse.up()
  await page.getByRole('option', { name: 'Too expensive' }).click()
  await card(page, 'Pump order').waitFor({ state: 'detached' })
  const id = leads['Pump order']!
  await expect.poll(() => stageOf(account, id)).toBe(lost)
  expect((await readLead(account.api, id)).loss_reason_id).toBeGreaterThan(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await cardIn(page, 'New', 'Pump order').waitFor()
  await expect.poll(() => stageOf(account, id)).toBe(at['New'])
  expect((await readLead(account.api, id)).closed_at).toBeNull()

  await card(page, 'Pump order').focus()
  await keys(card(page, 'Pump order'), 'Shift+KeyW')
  await keys(page.getByRole('dialog').locator('input'), 'Enter')
  await expect.poll(() => stageOf(account, id)).toBe(lost)
  expect((await readLead(account.api, id)).loss_reason_id).toBeNull()
})

test('a won lead leaves the board with a toast, and the key Z brings it back', async () => {
  const { page, account, at, leads } = await openBoard(browser(), { leads: three })
  await take(page, card(page, 'Pump order'))
  await carry(page, column(page, 'Offer'))
  await carry(page, page.locator('[data-kind=won]'))
  await page.mouse.up()
  await card(page, 'Pump order').waitFor({ state: 'detached' })
  await expect.poll(() => stageOf(account, leads['Pump order']!)).toBe(won)
  await shortcut(page, 'Control+z')
  await cardIn(page, 'New', 'Pump order').waitFor()
  await expect.poll(() => stageOf(account, leads['Pump order']!)).toBe(at['New'])
})

test('a deleted lead is restored by undo', async () => {
  const { page, account, leads } = await openBoard(browser(), { leads: three })
  await take(page, card(page, 'Pump order'))
  await carry(page, column(page, 'Offer'))
  await carry(page, page.locator('[data-kind=delete]'))
  await page.mouse.up()
  await card(page, 'Pump order').waitFor({ state: 'detached' })
  await expect
    .poll(async () => (await account.api.get(`/api/v4/leads/${leads['Pump order']}`)).status)
    .not.toBe(200)
  await page.getByRole('button', { name: 'Undo' }).click()
  await cardIn(page, 'New', 'Pump order').waitFor()
  await expect
    .poll(async () => (await account.api.get(`/api/v4/leads/${leads['Pump order']}`)).status)
    .toBe(200)
})

test('a field that the stage requires is asked before the drop is sent', async () => {
  const account = await newAccount()
  const { page, at, leads, pipeline } = await openBoard(browser(), { account, leads: three })
  const { body } = await account.api.post('/api/v4/leads/custom_fields', [
    {
      name: 'Delivery',
      type: 'text',
      required_statuses: [{ pipeline_id: pipeline, status_id: at['Contract'] }],
    },
  ])
  expect(body._embedded.custom_fields).toHaveLength(1)
  await page.reload()
  await drag(page, card(page, 'Pump order'), column(page, 'Contract'))
  const dialog = page.getByRole('dialog', { name: 'This stage needs more' })
  await dialog.waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  expect(await stageOf(account, leads['Pump order']!)).toBe(at['New'])
  await dialog.getByRole('button', { name: 'Move' }).click()
  await dialog.getByText('Fill this in').waitFor()
  const delivery = dialog.getByRole('textbox', { name: 'Delivery' })
  await delivery.fill('By train')
  await keys(delivery, 'Enter')
  await cardIn(page, 'Contract', 'Pump order').waitFor()
  await expect.poll(() => stageOf(account, leads['Pump order']!)).toBe(at['Contract'])
  const lead = await readLead(account.api, leads['Pump order']!)
  expect(lead.custom_fields_values[0].values[0].value).toBe('By train')
})

test('the dialog of a stage has the controls of the card, in words', async () => {
  const account = await newAccount()
  const { page, at, pipeline, leads } = await openBoard(browser(), { account, leads: three })
  const required_statuses = [{ pipeline_id: pipeline, status_id: at['Contract'] }]
  await account.api.post('/api/v4/leads/custom_fields', [
    { name: 'Site', type: 'smart_address', required_statuses },
    { name: 'Payer', type: 'legal_entity', required_statuses },
    { name: 'Signed', type: 'checkbox', required_statuses },
    { name: 'Call', type: 'date_time', required_statuses },
  ])
  await page.reload()
  await drag(page, card(page, 'Pump order'), column(page, 'Contract'))
  const dialog = page.getByRole('dialog', { name: 'This stage needs more' })
  await type(
    dialog.getByRole('group', { name: 'Site' }).getByLabel('Street and house'),
    '1 Oak Street',
  )
  await dialog.getByRole('button', { name: 'Move' }).click()
  await expect.poll(() => dialog.getByText('Fill this in').count()).toBe(3)
  expect(await accessibilityFaults(page)).toEqual([])
  await dialog.getByRole('group', { name: 'Payer' }).getByLabel('Name').fill('Acme LLC')
  // The name of a box ticks it.
  await dialog.getByText('Signed', { exact: true }).click()
  await dialog.getByLabel('Call').fill('2026-12-31T23:30')
  await dialog.getByRole('button', { name: 'Move' }).click()
  await cardIn(page, 'Contract', 'Pump order').waitFor()
  await expect
    .poll(async () =>
      ((await readLead(account.api, leads['Pump order']!)).custom_fields_values ?? []).map(
        ({ field_name, values }: { field_name: string; values: { value: unknown }[] }) => [
          field_name,
          typeof values[0]!.value,
        ],
      ),
    )
    .toEqual([
      ['Site', 'string'],
      ['Payer', 'object'],
      ['Signed', 'boolean'],
      ['Call', 'number'],
    ])
})

test('several leads move together, with one request and one undo', async () => {
  const { page, account, at, leads } = await openBoard(browser(), { leads: three })
  const patches: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') patches.push(request.postData() ?? '')
  })
  await card(page, 'Pump order').click({ modifiers: ['Control'] })
  await card(page, 'Roof tiles').click({ modifiers: ['Control'] })
  await page.getByRole('toolbar', { name: 'Selected leads' }).getByText('2 selected').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await drag(page, card(page, 'Roof tiles'), column(page, 'Contract'))
  await columnHead(page, 'Contract, 2 leads, .*55,200').waitFor()
  await expect.poll(() => stageOf(account, leads['Roof tiles']!)).toBe(at['Contract'])
  expect(patches).toHaveLength(1)
  await page.getByRole('button', { name: 'Undo' }).click()
  await columnHead(page, 'New, 2 leads, ').waitFor()
  await expect.poll(() => stageOf(account, leads['Pump order']!)).toBe(at['New'])
  await expect.poll(() => stageOf(account, leads['Roof tiles']!)).toBe(at['New'])
})

test('the bar of a selection assigns, tags and adds a task', async () => {
  const account = await newAccount()
  await account.addUser({ name: 'Jana Schmidt' })
  // The page knows the newest tags only.
  await account.api.post('/api/v4/leads/tags', [{ name: 'Spring' }])
  const tags = Array.from({ length: 110 }, (_, at) => ({ name: `Tag ${at}` }))
  await account.api.post('/api/v4/leads/tags', tags)
  const { page, leads } = await openBoard(browser(), { account, leads: three })
  await card(page, 'Pump order').focus()
  await keys(card(page, 'Pump order'), 'KeyX', 'ArrowUp')
  await keys(card(page, 'Roof tiles'), 'Shift+KeyX')
  const bar = page.getByRole('toolbar', { name: 'Selected leads' })
  await bar.getByText('2 selected').waitFor()
  await bar.getByRole('button', { name: 'Assign' }).click()
  const person = page.getByRole('combobox', { name: 'Person' })
  await person.fill('jana')
  await keys(person, 'Enter')
  await card(page, 'Pump order').getByTitle('Jana Schmidt').waitFor()
  await bar.getByRole('button', { name: 'Tag' }).click()
  await page.getByRole('combobox', { name: 'Tag' }).fill('spring')
  await page.getByRole('option', { name: 'Spring', exact: true }).click()
  await card(page, 'Roof tiles').getByText('Spring').waitFor()
  await bar.getByRole('button', { name: 'Task' }).click()
  const task = page.getByRole('textbox', { name: 'What is to be done' })
  await task.fill('Call them')
  await keys(task, 'Enter')
  await expect
    .poll(async () => (await account.api.get('/api/v4/tasks')).body?._embedded.tasks.length)
    .toBe(2)
  const lead = await readLead(account.api, leads['Pump order']!)
  expect(lead._embedded.tags.map(({ name }: { name: string }) => name)).toEqual(['Spring'])
  await keys(card(page, 'Roof tiles'), 'Escape')
  await bar.waitFor({ state: 'detached' })
})

test('a move without the right goes back, with the reason', async () => {
  const account = await newAccount()
  const leadRights = { view: 'A', edit: 'A', add: 'A', delete: 'A', export: 'D' }
  const { page, at, leads, faults } = await openBoard(browser(), {
    account,
    leads: three,
    person: { is_admin: false, rights: { leads: leadRights } },
  })
  // An administrator takes the right away while the board is open, and a card in hand.
  const { body } = await account.api.get('/api/v4/users')
  const me = body._embedded.users.find(({ name }: { name: string }) => name === 'Ann Lee')
  await take(page, card(page, 'Pump order'))
  await carry(page, column(page, 'Offer'))
  const { status } = await account.api.patch(`/web/v1/users/${me.id}`, {
    rights: { leads: { ...leadRights, edit: 'D' } },
  })
  expect(status).toBe(200)
  await page.mouse.up()
  await page.getByRole('alert').getByText('Pump order could not be moved').waitFor()
  await cardIn(page, 'New', 'Pump order').waitFor()
  await columnHead(page, 'New, 2 leads, ').waitFor()
  expect(await stageOf(account, leads['Pump order']!)).toBe(at['New'])
  expect(faults.splice(0).join()).toContain('403')
})

test('a move that fails in the server goes back, and no count stays wrong', async () => {
  const account = delivering
  const { page, at, leads, faults } = await openBoard(browser(), { account, leads: three })
  // A database of its own, which fails a write of this lead.
  await account.kontor.database.rows(
    raw(`alter table leads add constraint no_move
           check (id <> ${leads['Pump order']!} or status_id <> ${at['Offer']!}) not valid`),
  )
  await drag(page, card(page, 'Pump order'), column(page, 'Offer'))
  await page.getByRole('alert').getByText('Pump order could not be moved').waitFor()
  await cardIn(page, 'New', 'Pump order').waitFor()
  await columnHead(page, 'New, 2 leads, ').waitFor()
  await columnHead(page, 'Offer, 1 lead, ').waitFor()
  expect(await stageOf(account, leads['Pump order']!)).toBe(at['New'])
  expect(faults.splice(0).join()).toContain('500')
})

// No route of the board answers 409, so this one is made up.
test('a move that the server refuses for a conflict goes back', async () => {
  const { page, at, leads, account, faults } = await openBoard(browser(), { leads: three })
  await page.route('**/api/v4/leads', (route) =>
    route.request().method() === 'PATCH'
      ? route.fulfill({
          status: 409,
          contentType: 'application/problem+json',
          body: JSON.stringify({ title: 'No', status: 409, detail: 'Refused with 409' }),
        })
      : route.continue(),
  )
  await drag(page, card(page, 'Pump order'), column(page, 'Offer'))
  await page.getByRole('alert').getByText('Refused with 409').waitFor()
  await cardIn(page, 'New', 'Pump order').waitFor()
  await columnHead(page, 'New, 2 leads, ').waitFor()
  await columnHead(page, 'Offer, 1 lead, ').waitFor()
  expect(await stageOf(account, leads['Pump order']!)).toBe(at['New'])
  expect(faults.splice(0)).toHaveLength(1)
})

test('what somebody else moved while the card was in hand is shown, and moved only if wanted', async () => {
  const { page, at, leads, account } = await openBoard(browser(), { leads: three })
  const id = leads['Pump order']!
  await take(page, card(page, 'Pump order'))
  await carry(page, column(page, 'Offer'))
  const answered = page.waitForResponse(/board\/cards/)
  await account.api.patch(`/api/v4/leads/${id}`, { status_id: at['Contract'] })
  await answered
  await rest(page)
  // It stays under the hand until it is dropped.
  await cardIn(page, 'New', 'Pump order').waitFor()
  await page.mouse.up()
  await page
    .getByRole('alert')
    .getByText('The administrator moved “Pump order” to Contract meanwhile')
    .waitFor()
  await cardIn(page, 'Contract', 'Pump order').waitFor()
  expect(await stageOf(account, id)).toBe(at['Contract'])
  await page.getByRole('button', { name: 'Move all the same' }).click()
  await cardIn(page, 'Offer', 'Pump order').waitFor()
  await expect.poll(() => stageOf(account, id)).toBe(at['Offer'])
})

test('a drop lands although its column was scrolled and the card was far away', async () => {
  const many: [string, number?][] = Array.from({ length: 120 }, (_, at) => [`Lead ${at}`])
  const { page, account, leads, at } = await openBoard(browser(), { leads: { New: many } })
  const name = 'Lead 119'
  await take(page, card(page, name))
  // Near an edge the column would scroll by itself.
  await carry(page, column(page, 'New'))
  await scrollTo(page, 'New', 6000)
  await card(page, 'Lead 55').waitFor()
  await carry(page, column(page, 'Offer'))
  await page.mouse.up()
  await cardIn(page, 'Offer', name).waitFor()
  await expect.poll(() => stageOf(account, leads[name]!)).toBe(at['Offer'])
})

test('a lead that is added by somebody else while one reads does not move what one reads', async () => {
  const many: [string, number?][] = Array.from({ length: 60 }, (_, at) => [`Lead ${at}`])
  const { page, account, pipeline, at } = await openBoard(browser(), { leads: { New: many } })
  await scrollTo(page, 'New', 2000)
  await card(page, 'Lead 30').waitFor()
  const topOfCard = async () => (await card(page, 'Lead 30').boundingBox())!.y
  const before = await topOfCard()
  await addLead(account.api, { name: 'Above all', pipeline_id: pipeline, status_id: at['New'] })
  await columnHead(page, 'New, 61 leads, ').waitFor()
  await expect.poll(topOfCard).toBe(before)
})
