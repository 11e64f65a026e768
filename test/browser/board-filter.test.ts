// The filter of the board: chips that are typed, changed and removed, the request that finds the same
// leads, saved views, and acts on all that the filter finds.
import type { Locator, Page } from 'playwright-core'
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { addLeads, readLead } from '../leads.ts'
import { pipelineOf } from '../pipelines.ts'
import { accessibilityFaults, openApplication } from './application.ts'
import { card, columnHead, list, openBoard } from './board.ts'
import { useBrowser } from './chromium.ts'
import { resize } from './rest.ts'
import { keys, shortcut, walk } from './keys.ts'

const browser = useBrowser()

const line = (page: Page) => page.getByRole('combobox', { name: 'Filter' })
const chip = (page: Page, text: string) =>
  page.getByRole('button', { name: `${text}. Change`, exact: true })
const button = (page: Page | Locator, name: string) =>
  page.getByRole('button', { name, exact: true })
const item = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true })

/** The filter in the address. */
const filterIn = (page: Page) => decodeURIComponent(new URL(page.url()).search)

async function expectAccessible(page: Page): Promise<void> {
  expect(await accessibilityFaults(page)).toEqual([])
}

/** Types into the filter line, and takes the first proposal. */
async function filterBy(page: Page, text: string): Promise<void> {
  await shortcut(page, '/')
  await line(page).fill(text)
  await keys(line(page), 'Enter')
}

/** The names of the cards, and those that the copied request finds, once both are the same. */
async function expectSameAsRequest(page: Page, { api }: TestAccount): Promise<string[]> {
  await button(page, 'More about the filter').click()
  await item(page, 'Copy API request').click()
  const dialog = page.getByRole('dialog', { name: 'Copy API request' })
  const curl = await dialog.getByRole('region', { name: 'Request' }).innerText()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await dialog.waitFor({ state: 'detached' })
  const { pathname, search } = new URL(/'(http[^']+)'/.exec(curl)![1]!)
  const { status, body } = await api.get(pathname + search)
  const found = status === 204 ? [] : body._embedded.leads.map(({ name }: { name: string }) => name)
  await expect
    .poll(async () =>
      (await page.locator('[data-card]').getByRole('link').allInnerTexts()).toSorted(),
    )
    .toEqual(found.toSorted())
  return found.toSorted()
}

const some: Record<string, [string, number?][]> = {
  New: [
    ['Pump order', 54_000],
    ['Roof tiles', 1200],
  ],
  Offer: [
    ['Garden fence', 300],
    ['Pump repair', 900],
  ],
}

test('a filter is typed, changed and taken away by keys alone, and the address keeps it', async () => {
  const { page, account, pipeline, at } = await openBoard(browser(), { leads: some })
  await shortcut(page, '/')
  await page.getByRole('option', { name: 'My open' }).waitFor()
  await expectAccessible(page)
  await line(page).fill('st')
  await keys(line(page), 'Enter')
  const editor = page.getByRole('dialog', { name: 'Stage' })
  const stage = (name: string) => editor.getByRole('checkbox', { name })
  await stage('New').waitFor()
  await expectAccessible(page)
  await keys(stage('New'), 'Space')
  await chip(page, 'Stage: New').waitFor()
  await keys(stage('New'), 'Enter')
  await editor.waitFor({ state: 'detached' })
  await expect.poll(() => filterIn(page)).toBe(`?filter[statuses]=${pipeline}:${at['New']}`)
  await line(page).fill('> 1000')
  await keys(line(page), 'Enter')
  await chip(page, 'Price: from $1,000').waitFor()
  expect(await expectSameAsRequest(page, account)).toEqual(['Pump order', 'Roof tiles'])
  await filterBy(page, 'pump')
  await chip(page, 'Search: “pump”').waitFor()
  expect(await expectSameAsRequest(page, account)).toEqual(['Pump order'])
  // The same address shows the same to a colleague.
  const { page: other } = await openApplication(
    browser(),
    new URL(page.url()).pathname + new URL(page.url()).search,
    { account },
  )
  await chip(other, 'Stage: New').waitFor()
  expect(await expectSameAsRequest(other, account)).toEqual(['Pump order'])
  // To the chip before the field, and away with it.
  await shortcut(page, '/')
  await keys(line(page), 'ArrowLeft')
  await keys(chip(page, 'Search: “pump”'), 'Delete')
  await chip(page, 'Search: “pump”').waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate('document.activeElement.role')).toBe('combobox')
  await keys(line(page), 'ArrowLeft')
  await keys(chip(page, 'Price: from $1,000'), 'ArrowLeft')
  await keys(chip(page, 'Stage: New'), 'Enter')
  await editor.getByRole('checkbox', { name: 'New', checked: true }).waitFor()
  await keys(stage('New'), 'ArrowDown')
  await keys(stage('Offer'), 'Space')
  await chip(page, 'Stage: New or Offer').waitFor()
  await keys(stage('Offer'), 'Escape')
  await keys(line(page), 'Escape')
  await page.goBack()
  await chip(page, 'Stage: New').waitFor()
})

test('by mouse: presets, ranges, one field from the list, and everything away', async () => {
  const { page, account } = await openBoard(browser(), { leads: some })
  await line(page).click()
  await page.getByRole('option', { name: 'Without a task' }).click()
  await chip(page, 'Next task: None').waitFor()
  expect(await expectSameAsRequest(page, account)).toHaveLength(4)
  await line(page).click()
  await page.getByRole('option', { name: 'Price', exact: true }).click()
  const editor = page.getByRole('dialog', { name: 'Price' })
  await editor.getByRole('textbox', { name: 'To' }).fill('1000')
  await expectAccessible(page)
  await button(editor, 'Apply').click()
  await chip(page, 'Price: up to $1,000').waitFor()
  expect(await expectSameAsRequest(page, account)).toEqual(['Garden fence', 'Pump repair'])
  await chip(page, 'Price: up to $1,000').click()
  await editor.getByRole('textbox', { name: 'From' }).fill('500')
  await button(editor, 'Apply').click()
  expect(await expectSameAsRequest(page, account)).toEqual(['Pump repair'])
  await button(page, 'Remove the filter Price').click()
  await chip(page, 'Price: $500 – $1,000').waitFor({ state: 'detached' })
  await line(page).click()
  await page.getByRole('option', { name: 'Created', exact: true }).click()
  await button(page, 'Today').click()
  await chip(page, 'Created: Today').waitFor()
  expect(await expectSameAsRequest(page, account)).toHaveLength(4)
  await line(page).click()
  await page.getByRole('option', { name: 'Won', exact: true }).click()
  await page.getByText('Nothing matches').waitFor()
  await expectAccessible(page)
  await button(page, 'Remove all filters').click()
  await card(page, 'Pump order').waitFor()
  expect(new URL(page.url()).search).toBe('')
})

test('every form of a filter stands in an address as a chip, and unknown ones are named', async () => {
  const account = await newAccount()
  const { api, admin } = account
  const { id, at } = await pipelineOf(api, 'New', 'Offer')
  const fields = [
    { name: 'Order', type: 'text' },
    { name: 'Amount', type: 'numeric' },
    { name: 'Signed', type: 'checkbox' },
    { name: 'Shipping', type: 'select', enums: [{ value: 'Courier' }, { value: 'Freight' }] },
    { name: 'Due', type: 'date' },
  ]
  const { body } = await api.post('/api/v4/leads/custom_fields', fields)
  const [order, amount, signed, shipping, due] = body._embedded.custom_fields as {
    id: number
    enums: { id: number }[]
  }[]
  const value = (field: { id: number }, each: object) => ({ field_id: field.id, values: [each] })
  const drafts = Array.from({ length: 4 }, (_, index) => ({
    name: `Lead ${index}`,
    price: index * 100,
    pipeline_id: id,
    status_id: at['New'],
    custom_fields_values: [
      value(order!, { value: `A-${index % 2}` }),
      value(amount!, { value: index }),
      value(signed!, { value: index > 1 }),
      value(shipping!, { enum_id: shipping!.enums[index % 2]!.id }),
      value(due!, { value: 1_767_225_600 + index * 86_400 }),
    ],
  }))
  const ids = await addLeads(api, drafts)
  const by = (field: { id: number }) => `filter[custom_fields_values][${field.id}]`
  const { page } = await openApplication(browser(), `/leads/p/${id}`, { account })
  const cases: [address: string, chips: string[], leads: number][] = [
    [
      `${by(order!)}[]=A-1&${by(amount!)}[from]=1&${by(amount!)}[to]=2&${by(shipping!)}[]=${shipping!.enums[1]!.id}`,
      ['Order: “A-1”', 'Amount: 1 – 2', 'Shipping: Freight'],
      1,
    ],
    [
      `${by(amount!)}[]=0,3&${by(signed!)}[]=1&query=lead`,
      ['Amount: 0 or 3', 'Signed: Yes', 'Search: “lead”'],
      1,
    ],
    [
      `${by(due!)}[from]=1.1.2026&${by(due!)}[to]=2.1.2026&filter[price]=100`,
      ['Due: 1.1.2026 – 2.1.2026', 'Price: $100'],
      1,
    ],
    [
      `filter[id]=${ids[0]},${ids[2]}&filter[name][]=lead 0&filter[name][]=Lead 2`,
      [`Number: #${ids[0]} or #${ids[2]}`, 'Name: “lead 0” or “Lead 2”'],
      2,
    ],
    [
      `filter[responsible_user_id]=me,${admin.id}&filter[closest_task_at]=0`,
      ['Responsible: Ann Lee (me) or The administrator', 'Next task: None'],
      4,
    ],
    ['filter[closest_task_at]=overdue', ['Next task: Overdue'], 0],
  ]
  for (const [address, texts, leads] of cases) {
    await page.goto(`${account.kontor.url}/leads/p/${id}?${address}`)
    for (const text of texts) await chip(page, text).waitFor()
    expect(await expectSameAsRequest(page, account), address).toHaveLength(leads)
  }
  await page.goto(
    `${account.kontor.url}/leads/p/${id}?filter[colour]=red&filter[price]=cheap&query=lead`,
  )
  await button(page, 'Not understood: filter[colour]=red').waitFor()
  await button(page, 'Not understood: filter[price]=cheap').waitFor()
  expect(await expectSameAsRequest(page, account)).toHaveLength(4)
  await expectAccessible(page)
})

test('a view is saved, shared, told apart from the present filter, changed and deleted', async () => {
  const { page, account, pipeline } = await openBoard(browser(), { leads: some })
  await filterBy(page, 'pump')
  await chip(page, 'Search: “pump”').waitFor()
  await button(page, 'Views').click()
  await page.getByText('No views yet').waitFor()
  await expectAccessible(page)
  await item(page, 'Save as view').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Search: “pump”').waitFor()
  await button(dialog, 'Save').click()
  await dialog.getByText('Enter a name').waitFor()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Pumps')
  await dialog.getByText('Everybody').click()
  await expectAccessible(page)
  await button(dialog, 'Save').click()
  await button(page, 'View: Pumps').waitFor()
  await expect.poll(() => filterIn(page)).toMatch(/^\?query=pump&view=\d+$/)
  // A colleague finds it, and the board says that his filter is another one.
  const { page: other } = await openApplication(browser(), `/leads/p/${pipeline}`, {
    account,
    name: 'Ben Roe',
    is_admin: false,
    rights: { leads: { view: 'A' } },
  })
  await card(other, 'Pump order').waitFor()
  await button(other, 'Views').click()
  await other
    .getByRole('group', { name: 'Shared by others' })
    .getByRole('menuitemradio', { name: 'Pumps' })
    .click()
  await chip(other, 'Search: “pump”').waitFor()
  await filterBy(other, '> 1000')
  await button(other, 'View: Pumps, changed').click()
  await expect.poll(() => item(other, 'Rename or share').count()).toBe(0)
  await item(other, 'Back to the saved view').click()
  await button(other, 'View: Pumps').waitFor()
  expect(await expectSameAsRequest(other, account)).toEqual(['Pump order', 'Pump repair'])
  // Its author keeps another filter in it.
  await filterBy(page, '> 1000')
  await button(page, 'Save the changes in Pumps').click()
  await button(page, 'View: Pumps').waitFor()
  await button(page, 'View: Pumps').click()
  await item(page, 'Rename or share').click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Dear pumps')
  await dialog.getByText('Only me').click()
  await button(dialog, 'Save').click()
  await button(page, 'View: Dear pumps').waitFor()
  // It leaves the colleague at once, who keeps the filter.
  await button(other, 'Views').waitFor()
  await chip(other, 'Search: “pump”').waitFor()
  await page.goto(page.url())
  await button(page, 'View: Dear pumps').click()
  await item(page, 'Delete view').click()
  await button(page.getByRole('dialog'), 'Delete view').click()
  await button(page, 'Views').waitFor()
  await chip(page, 'Price: from $1,000').waitFor()
})

/** Enough leads that a column shows only the first of them. */
const many = (count: number, pipeline_id: number, status_id: number) =>
  Array.from({ length: count }, (_, index) => ({
    name: `Lead ${index}`,
    price: index < count / 2 ? 10 : 20,
    pipeline_id,
    status_id,
  }))

test('all leads that the filter finds are tagged by a job, which is undone', async () => {
  const account = await newAccount()
  const { id, at } = await pipelineOf(account.api, 'New', 'Offer')
  const ids = await addLeads(account.api, many(120, id, at['New']!))
  // The page knows the newest tags only.
  const { body } = await account.api.post('/api/v4/leads/tags', [{ name: 'Rare' }])
  const tags = Array.from({ length: 110 }, (_, number) => ({ name: `Tag ${number}` }))
  await account.api.post('/api/v4/leads/tags', tags)
  const { page } = await openApplication(browser(), `/leads/p/${id}?filter[price]=10`, { account })
  await columnHead(page, 'New, 60 leads').click()
  await item(page, 'Select all loaded').click()
  await button(page, 'All of New: 60').click()
  const bar = page.getByRole('toolbar', { name: 'Selected records' })
  await bar.getByText('All 60 leads').waitFor()
  await expectAccessible(page)
  await button(bar, 'Tags').click()
  const dialog = page.getByRole('dialog', { name: 'Change tags' })
  await dialog.getByText(/Stage: New · Price: \$10/).waitFor()
  const added = dialog.getByRole('combobox', { name: 'Add tags' })
  await added.fill('spring')
  await keys(added, 'Enter')
  await dialog.getByRole('combobox', { name: 'Remove tags' }).fill('rare')
  await page.getByRole('option', { name: 'Rare' }).click()
  await walk(page, 'Tab')
  await expectAccessible(page)
  const begun = page.waitForRequest((request) => request.method() === 'POST')
  await button(dialog, 'Change').click()
  expect((await begun).postDataJSON()).toMatchObject({
    action: { tag: { add: ['spring'], remove: [body._embedded.tags[0].id] } },
  })
  const strip = page.getByRole('region', { name: 'Changes of many records' })
  await strip.getByText('Leads. Tags changed: 60').waitFor()
  const tagged = async () => {
    const { body } = await account.api.get(`/api/v4/leads?limit=250&filter[pipeline_id]=${id}`)
    return (body._embedded.leads as { id: number; _embedded: { tags: object[] } }[])
      .filter(({ _embedded }) => _embedded.tags.length > 0)
      .map((lead) => lead.id)
      .toSorted((a, b) => a - b)
  }
  expect(await tagged()).toEqual(ids.slice(0, 60))
  // A page that is opened anew shows it too, and takes it back.
  await page.reload()
  await strip.getByText('Leads. Tags changed: 60').waitFor()
  await expectAccessible(page)
  await button(strip, 'Undo').click()
  await strip.getByText('Leads. As before: 60').waitFor()
  expect(await tagged()).toEqual([])
  await button(strip, 'Close').click()
  await strip.waitFor({ state: 'detached' })
})

test('a job that is cancelled half-way leaves the board as it is in truth', async () => {
  const account = await newAccount()
  const { database } = account.kontor
  const { id, at } = await pipelineOf(account.api, 'New', 'Offer')
  const ids = [
    ...(await addLeads(account.api, many(250, id, at['New']!))),
    ...(await addLeads(account.api, many(150, id, at['New']!))),
  ]
  const { page } = await openApplication(browser(), `/leads/p/${id}`, { account })
  await columnHead(page, 'New, 400 leads').waitFor()
  // Somebody else holds a lead of the second batch, which waits for it.
  let release!: () => void
  const whenReleased = new Promise<void>((resolve) => (release = resolve))
  const holding = database.transaction(async (tx) => {
    await tx.rows(sql`
      select from leads where account_id = ${account.id} and id = ${ids.at(-1)} for update`)
    await whenReleased
  })
  const job = {
    entity_type: 'leads',
    filter: `filter[pipeline_id]=${id}`,
    action: { move: { pipeline_id: id, status_id: at['Offer'] } },
  }
  await page.evaluate(
    `fetch('/web/v1/bulk', { method: 'POST', headers: { 'content-type': 'application/json' },
                            body: ${JSON.stringify(JSON.stringify(job))} })`,
  )
  const strip = page.getByRole('region', { name: 'Changes of many records' })
  await strip.getByText('250 of 400').waitFor()
  // The numbers count up before it, and do not move it from under the pointer.
  const corner = async () => {
    const row = (await strip.boundingBox())!
    const cancel = (await button(strip, 'Cancel').boundingBox())!
    return [row.x + row.width - cancel.x - cancel.width, cancel.y - row.y].map(Math.round)
  }
  await expect.poll(corner).toEqual([16, 6])
  await resize(page, 390, 800)
  await expect.poll(corner).toEqual([16, 6])
  await resize(page, 1440, 900)
  await button(strip, 'Cancel').click()
  await strip.getByText('Cancelled. Moved: 250').waitFor()
  release()
  await holding
  await columnHead(page, 'New, 150 leads').waitFor()
  await columnHead(page, 'Offer, 250 leads').waitFor()
  await shortcut(page, 'ControlOrMeta+z')
  await strip.getByText('As before: 250').waitFor()
  await columnHead(page, 'New, 400 leads').waitFor()
})

test('all leads of the board are moved by keys; those without the right stay', async () => {
  const account = await newAccount()
  const { id, at } = await pipelineOf(account.api, 'New', 'Offer')
  const ids = await addLeads(account.api, many(70, id, at['New']!))
  const { page } = await openApplication(browser(), `/leads/p/${id}`, {
    account,
    is_admin: false,
    rights: { leads: { view: 'A', edit: 'M', delete: 'D', add: 'D' } },
  })
  const mine = ids.slice(0, 3)
  const users = await account.api.get('/api/v4/users')
  const me = (users.body._embedded.users as { id: number; name: string }[]).find(
    ({ name }) => name === 'Ann Lee',
  )!
  await account.api.patch(
    '/api/v4/leads',
    mine.map((lead) => ({ id: lead, responsible_user_id: me.id })),
  )
  await list(page, 'New').getByRole('listitem').first().waitFor()
  await list(page, 'New').getByRole('listitem').first().focus()
  const enter = async (element: Locator) => {
    await element.focus()
    await keys(element, 'Enter')
  }
  await enter(columnHead(page, 'New, 70 leads'))
  await enter(item(page, 'Select all loaded'))
  await enter(button(page, 'All of New: 70'))
  const bar = page.getByRole('toolbar', { name: 'Selected records' })
  await bar.getByText('All 70 leads').waitFor()
  await enter(button(bar, 'Move'))
  const dialog = page.getByRole('dialog', { name: 'Move leads' })
  const stage = dialog.getByRole('combobox', { name: 'Stage' })
  await stage.fill('Offer')
  await keys(stage, 'ArrowDown', 'Enter')
  await enter(button(dialog, 'Move'))
  const strip = page.getByRole('region', { name: 'Changes of many records' })
  await strip.getByText('Moved: 3').waitFor()
  await strip.getByText('Skipped: 67').waitFor()
  await columnHead(page, 'Offer, 3 leads').waitFor()
  expect((await readLead(account.api, mine[0]!)).status_id).toBe(at['Offer'])
})

test('a reload with a card open keeps the filter and the order of the board under it', async () => {
  const { page, account, leads } = await openBoard(browser(), {
    leads: some,
    search: '?filter[price][from]=2000&sort=price',
  })
  const address = page.url()
  await card(page, 'Pump order').getByRole('link').click()
  const panel = page.getByRole('region', { name: 'Pump order', exact: true })
  await panel.waitFor()
  for (const leave of [
    () => keys(panel, 'Escape'),
    () => page.getByRole('button', { name: 'Close the card' }).click(),
    () => page.goBack(),
  ]) {
    expect(page.url()).toBe(`${account.kontor.url}/leads/${leads['Pump order']}`)
    await page.reload()
    await panel.waitFor()
    expect(page.url()).toBe(`${account.kontor.url}/leads/${leads['Pump order']}`)
    await leave()
    await panel.waitFor({ state: 'detached' })
    expect(page.url()).toBe(address)
    await chip(page, 'Price: from $2,000').waitFor()
    await card(page, 'Pump order').waitFor()
    await expect.poll(() => card(page, 'Roof tiles').count()).toBe(0)
    await page.goForward()
    await panel.waitFor()
  }
})
