// The event log: what happened in words, filters that go together, newer events behind a bar, and the log of a
// record one key from its card.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { addLead, addLeads, mainPipeline } from '../leads.ts'
import { addRecord } from '../records.ts'
import { accessibilityFaults, excuse, openApplication } from './application.ts'
import { useBrowser } from './chromium.ts'
import { keys, shortcut, type } from './keys.ts'
import { rest } from './rest.ts'

const browser = useBrowser()

const grid = (page: Page) => page.getByRole('grid', { name: 'Event log' })
const row = (page: Page, text: string) => grid(page).getByRole('row').filter({ hasText: text })
const cell = (page: Page, text: string, column: string) =>
  row(page, text).first().locator(`[data-column=${column}]`)
/** The texts of a column, from the newest event on. */
const column = (page: Page, name: string) =>
  grid(page).locator(`[role=gridcell][data-column=${name}]`).allInnerTexts()
/** Polls the titles of the events, the newest first. */
const types = (page: Page) => expect.poll(() => column(page, 'type'))
const chips = (page: Page) => page.locator('[data-chip]').allInnerTexts()
const search = (page: Page) => decodeURIComponent(new URL(page.url()).search.replaceAll('+', ' '))

/** A lead whose stage, price, responsible, field and tags change, with a contact and a task. */
async function seedLog(account: TestAccount) {
  const { api } = account
  const jana = await account.addUser({ name: 'Jana Schmidt' })
  const { id: pipeline_id, statuses } = await mainPipeline(account)
  const field = (
    await api.post('/api/v4/leads/custom_fields', [
      { name: 'Size', type: 'select', enums: [{ value: 'Small' }, { value: 'Large' }] },
    ])
  ).body._embedded.custom_fields[0]
  const lead = await addLead(api, { name: 'Pump order', pipeline_id, status_id: statuses[0] })
  const contact = await addRecord(api, 'contacts', { name: 'Ada Byron' })
  const change = (body: object) => api.patch(`/api/v4/leads/${lead}`, body)
  await change({ status_id: statuses[1] })
  await change({ price: 1500 })
  await change({ responsible_user_id: jana.id })
  await change({ custom_fields_values: [{ field_id: field.id, values: [{ value: 'Small' }] }] })
  await change({ custom_fields_values: [{ field_id: field.id, values: [{ value: 'Large' }] }] })
  await change({ tags_to_add: [{ name: 'VIP' }] })
  await api.post(`/api/v4/leads/${lead}/link`, [
    { to_entity_id: contact, to_entity_type: 'contacts' },
  ])
  await api.post('/api/v4/tasks', [
    { text: 'Call Ada', complete_till: 2_000_000_000, entity_id: lead, entity_type: 'leads' },
  ])
  return { lead, contact, jana, field, pipeline_id, statuses }
}

/** The events of that lead after its creation, but for its task: the newest first. */
const changesOfLead = [
  'Contact linked',
  'Tags added',
  'Field “Size” changed',
  'Field “Size” changed',
  'Responsible user changed',
  'Budget changed',
  'Stage changed',
]

test('events are told in words, and each cell filters by what it says, by keys alone', async () => {
  const account = await newAccount()
  const { lead, statuses } = await seedLog(account)
  const { page } = await openApplication(browser(), '/events', { account })
  const { pipelines } = (await account.api.get('/web/v1/bootstrap')).body
  const stage = (id: number) =>
    pipelines[0].statuses.find((status: { id: number }) => status.id === id).name as string
  await types(page).toEqual([
    'New task',
    'Lead linked',
    ...changesOfLead,
    'New contact',
    'New lead',
  ])
  const said = (title: string) =>
    expect.poll(async () => (await cell(page, title, 'change').innerText()).replaceAll(/\s+/g, ' '))
  await said('Stage changed').toBe(`${stage(statuses[0])} became ${stage(statuses[1])}`)
  await said('Budget changed').toContain('1,500')
  await said('Responsible user changed').toContain('became Jana Schmidt')
  await said('Field “Size” changed').toBe('Small became Large')
  await said('Tags added').toBe('VIP')
  await said('Contact linked').toBe('Ada Byron')
  await cell(page, 'New task', 'record').getByText('Task Call Ada').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])

  // To the stage of the ninth event, whose new value is filtered by.
  await grid(page).focus()
  await keys(grid(page), ...Array.from({ length: 8 }, () => 'ArrowDown'), 'Control+ArrowRight')
  await shortcut(page, 'f')
  await expect
    .poll(() => search(page))
    .toBe(
      `?filter[type]=lead_status_changed&filter[value_after][leads_statuses]=${pipelines[0].id}:${statuses[1]}`,
    )
  await rest(page)
  await types(page).toEqual(['Stage changed'])
  // The table keeps the focus, and another cell narrows the filter.
  await keys(grid(page), 'ArrowLeft')
  await shortcut(page, 'f')
  await expect.poll(() => search(page)).toContain(`filter[entity]=lead&filter[entity_id]=${lead}`)
  await page.goBack()
  await page.goBack()
  await expect.poll(() => search(page)).toBe('')
  await types(page).toHaveLength(11)

  // Of the time, all of the day.
  await rest(page)
  await grid(page).focus()
  await keys(grid(page), 'Home')
  await shortcut(page, 'f')
  await expect.poll(() => search(page)).toMatch(/^\?filter\[created_at\]\[from\]=\d+&filter/)
  await rest(page)
  await types(page).toContain('New task')
})

test('filters that do not go together are not offered, and leave with a word', async () => {
  const account = await newAccount()
  const { lead } = await seedLog(account)
  const { page } = await openApplication(browser(), '/events', { account })
  const line = page.getByRole('combobox', { name: 'Filter', exact: true })
  const options = () => page.getByRole('option').allInnerTexts()
  await shortcut(page, '/')
  await expect.poll(options).toContain('Kind of record')
  const offered = await options()
  expect(offered).not.toContain('Record number')
  expect(offered).not.toContain('New stage')
  await type(line, 'stage changed')
  await page.getByRole('option', { name: 'Event: Stage changed' }).waitFor()
  await keys(line, 'Enter')
  await expect.poll(() => search(page)).toBe('?filter[type]=lead_status_changed')
  await rest(page)
  await line.click()
  await expect.poll(options).toContain('New stage')
  await keys(line, 'Escape')
  await page.goto(
    `${account.kontor.url}/events?filter[entity]=lead&filter[entity_id]=${lead}&filter[type]=sale_field_changed&filter[value_after][value]=1500`,
  )
  await rest(page)
  await types(page).toEqual(['Budget changed'])
  // Another type takes the value away, another kind the record.
  await page.getByRole('button', { name: /^Event: / }).click()
  await page.getByRole('textbox', { name: 'Find in Event' }).fill('Stage changed')
  await page.getByRole('checkbox', { name: 'Stage changed', exact: true }).check()
  await page.getByText('Taken out of the filter').waitFor()
  await expect
    .poll(() => page.getByText('Taken out of the filter').innerText())
    .toContain('New value: “1500”')
  await expect.poll(() => chips(page)).toHaveLength(3)
  await rest(page)
  await types(page).toEqual(['Budget changed', 'Stage changed'])
  expect(await accessibilityFaults(page)).toEqual([])
})

test('what the server refuses in an address is said, and the filter can be mended', async () => {
  const account = await newAccount()
  await seedLog(account)
  const { page, faults } = await openApplication(browser(), '/home', { account })
  await page.goto(`${account.kontor.url}/events?filter[entity_id]=5`)
  await page.getByText('filter[entity_id] works only together with filter[entity]').waitFor()
  expect(faults.splice(0).every((fault) => fault.includes('400'))).toBe(true)
  await rest(page)
  await page.getByRole('button', { name: 'Remove all filters' }).click()
  await types(page).toHaveLength(11)
  await page.goto(`${account.kontor.url}/events?filter[created_at][to]=86400`)
  await page.getByText('No event matches the filter').waitFor()
  await rest(page)
  await page.getByRole('button', { name: 'Search all time' }).click()
  await types(page).toHaveLength(11)
})

test('newer events wait behind a bar that counts them, and come without moving what is read', async () => {
  const account = await newAccount()
  await addLeads(
    account.api,
    Array.from({ length: 99 }, (_, index) => ({ name: `Lead ${index + 1}` })),
  )
  await addLead(account.api, { name: 'First' })
  const { page } = await openApplication(browser(), '/events', { account })
  await row(page, 'First').waitFor()
  await grid(page).focus()
  await addLeads(account.api, [{ name: 'Second' }, { name: 'Third' }])
  await page.getByRole('button', { name: '2 new events' }).waitFor()
  await row(page, 'Third').waitFor({ state: 'hidden' })
  expect(await accessibilityFaults(page)).toEqual([])
  await shortcut(page, 'u')
  await row(page, 'Third').waitFor()
  await expect
    .poll(async () => (await column(page, 'record')).slice(0, 3))
    .toEqual(['Lead Third', 'Lead Second', 'Lead First'])
  await page.getByRole('button', { name: /new events?$/ }).waitFor({ state: 'hidden' })

  // Switched off, the log stays as it is, also after a reload.
  const live = page.getByRole('switch', { name: 'Live' })
  await rest(page)
  await live.focus()
  await keys(live, 'Space')
  await page.reload()
  await rest(page)
  await expect.poll(() => live.isChecked()).toBe(false)
  await addLead(account.api, { name: 'Fourth' })
  await live.focus()
  await keys(live, 'Space')
  await addLead(account.api, { name: 'Fifth' })
  await page.getByRole('button', { name: '2 new events' }).click()
  await row(page, 'Fourth').waitFor()

  // To the end: older pages come as they are reached.
  await rest(page)
  await grid(page).focus()
  for (let pages = 0; pages < 2; pages++) {
    await keys(grid(page), 'Control+End')
    await rest(page)
  }
  await row(page, 'Lead 1').first().waitFor()
  // The row above what is on screen comes out from under the head.
  await keys(grid(page), ...Array.from({ length: 60 }, () => 'ArrowUp'))
  await expect
    .poll(() =>
      page.evaluate(`(() => {
        const { left, top } = document.querySelector('[role=gridcell][data-focus]').getBoundingClientRect()
        return document.elementFromPoint(left + 20, top + 4)?.closest('[data-focus]') !== null
      })()`),
    )
    .toBe(true)
  // The new event stands at the top, and is shown there.
  await addLead(account.api, { name: 'Sixth' })
  await page.getByRole('button', { name: '1 new event' }).click()
  await row(page, 'Sixth').waitFor()
  const scrolled = () => page.evaluate("document.querySelector('[role=grid]').scrollTop")
  await expect.poll(scrolled).toBe(0)
  // So does another filter.
  await rest(page)
  await grid(page).focus()
  await keys(grid(page), 'Control+End')
  await page.getByRole('combobox', { name: 'Filter', exact: true }).click()
  await page.getByRole('option', { name: 'Today' }).click()
  await expect.poll(() => search(page)).toBe('?filter[created_at]=today')
  await rest(page)
  await expect.poll(scrolled).toBe(0)
})

test('a card opens over the log, and its own log is one key away', async () => {
  const account = await newAccount()
  const { lead } = await seedLog(account)
  await addLead(account.api, { name: 'Another' })
  const { page } = await openApplication(browser(), '/events', { account })
  await grid(page).focus()
  await keys(grid(page), 'Enter')
  await page.getByRole('heading', { name: 'Another' }).waitFor()
  await shortcut(page, 'Escape')
  await page.getByRole('heading', { name: 'Another' }).waitFor({ state: 'hidden' })
  await rest(page)
  await cell(page, 'Stage changed', 'record').getByRole('link').click()
  await page.getByRole('heading', { name: 'Pump order' }).waitFor()
  await shortcut(page, 'l')
  await expect.poll(() => search(page)).toBe(`?filter[entity]=lead&filter[entity_id]=${lead}`)
  await types(page).toEqual([...changesOfLead, 'New lead'])
  await page.goBack()
  await page.getByRole('heading', { name: 'Pump order' }).waitFor()
})

test('a user sees what happened to the records in view, and nothing of others', async () => {
  const account = await newAccount()
  const { lead } = await seedLog(account)
  const rights = { leads: { view: 'M', edit: 'M', add: 'A', delete: 'D', export: 'D' } } as const
  const { page, email } = await openApplication(browser(), '/events', {
    account,
    is_admin: false,
    rights,
  })
  await page.getByText('Nothing has happened yet').waitFor()
  const { body } = await account.api.get('/api/v4/users')
  const me = body._embedded.users.find((user: { email: string }) => user.email === email)
  await account.api.patch(`/api/v4/leads/${lead}`, { responsible_user_id: me.id })
  await page.reload()
  await row(page, 'Stage changed').waitFor()
  // The contact that was linked is out of view: neither its events nor its name are here.
  await row(page, 'New contact').waitFor({ state: 'hidden' })
  await cell(page, 'Contact linked', 'change')
    .getByText(/^Contact #\d+$/)
    .waitFor()
})

test('on a phone an event is a few lines, and a tap on a value offers to filter by it', async () => {
  const account = await newAccount()
  await seedLog(account)
  const { page, faults } = await openApplication(
    browser(),
    '/events',
    { account },
    { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  )
  // On screen from the start: while the list scrolls, it takes no taps.
  await cell(page, 'New task', 'type').tap()
  await cell(page, 'New task', 'type').getByRole('button').tap()
  await expect.poll(() => search(page)).toBe('?filter[type]=task_added')
  await rest(page)
  await types(page).toEqual(['New task'])
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  expect(await accessibilityFaults(page)).toEqual([])
  // The way there is in the menu of the user.
  await page.getByRole('button', { name: 'You' }).tap()
  await page.getByRole('menuitem', { name: 'Event log' }).waitFor()
  excuse(faults, 404)
})
