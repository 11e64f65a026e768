// The tables of records: sorted, filtered, edited and pasted into by keys, and what is on screen while others change it.
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { addField, firstFields } from '../fields.ts'
import { addLead, addLeads } from '../leads.ts'
import { addRecord, addRecords, readRecord } from '../records.ts'
import { accessibilityFaults, openApplication } from './application.ts'
import { useBrowser } from './chromium.ts'
import { keys, shortcut, type as typeIn, untilFocused, walk } from './keys.ts'
import { resize, rest } from './rest.ts'

const browser = useBrowser()

const table = (page: Page) => page.getByRole('grid')
const cell = (page: Page, row: number, column: string): Locator =>
  page.locator(`[aria-rowindex="${row + 2}"] [data-column="${column}"]`)
/** The texts of a column, from above. */
const column = (page: Page, name: string) =>
  page.locator(`[role=row] [data-column="${name}"]`).allInnerTexts()
const head = (page: Page, name: string) => page.getByRole('columnheader', { name, exact: false })

/** Opens a list and waits for its rows. */
async function openList(account: TestAccount, path: string) {
  const opened = await openApplication(browser(), path, { account })
  await table(opened.page).waitFor()
  await rest(opened.page)
  return opened
}

/** Puts the focus on a cell, as a person does who clicks beside its text. */
async function focusOn(page: Page, row: number, name: string): Promise<Locator> {
  await cell(page, row, name).click({ position: { x: 3, y: 4 } })
  return table(page)
}

async function pricesOf({ api }: TestAccount): Promise<Record<string, number>> {
  const { body } = await api.get('/api/v4/leads?limit=250')
  const all = body._embedded.leads as { name: string; price: number }[]
  return Object.fromEntries(all.map(({ name, price }) => [name, price]))
}

const three = [
  { name: 'Alpha', price: 10 },
  { name: 'Beta', price: 30 },
  { name: 'Gamma', price: 20 },
]

test('a list is sorted by its headers, and its address and the footer say so', async () => {
  const account = await newAccount()
  await addLeads(account.api, three)
  const { page, faults } = await openList(account, '/leads/list')
  await expect.poll(() => column(page, 'name')).toEqual(['Gamma', 'Beta', 'Alpha'])
  await head(page, 'Price').getByRole('button', { name: 'Price', exact: true }).click()
  await expect.poll(() => column(page, 'name')).toEqual(['Alpha', 'Gamma', 'Beta'])
  await head(page, 'Price').getByRole('button', { name: 'Price', exact: true }).click()
  await expect.poll(() => column(page, 'name')).toEqual(['Beta', 'Gamma', 'Alpha'])
  expect(new URL(page.url()).search).toBe('?sort=price&dir=desc')
  await expect.poll(() => head(page, 'Price').first().getAttribute('aria-sort')).toBe('descending')
  await page.getByText('3 leads', { exact: true }).waitFor()
  await expect.poll(() => page.locator('[data-number-of=price]').innerText()).toMatch(/Sum\s+\$60/)
  expect(await accessibilityFaults(page)).toEqual([])
  expect(faults).toEqual([])
})

test('a cell is edited by keys as in a spreadsheet, and taken back', async () => {
  const account = await newAccount()
  await addLeads(account.api, three)
  const { page } = await openList(account, '/leads/list?sort=name&dir=asc')
  const grid = await focusOn(page, 0, 'price')
  await keys(grid, 'Enter')
  const field = cell(page, 0, 'price').getByRole('textbox')
  await typeIn(field, '75')
  await keys(field, 'Enter')
  // The focus went down, and the next cell is edited from there.
  await keys(grid, 'F2')
  const next = cell(page, 1, 'price').getByRole('textbox')
  await typeIn(next, '1x')
  await keys(next, 'Enter')
  await page
    .getByRole('alert')
    .getByText(/1x|number/)
    .waitFor()
  await keys(next, 'Escape')
  await rest(page)
  await expect.poll(() => pricesOf(account)).toEqual({ Alpha: 75, Beta: 30, Gamma: 20 })
  await shortcut(page, 'Control+z')
  await page.getByText('Taken back', { exact: true }).waitFor()
  expect(await pricesOf(account)).toEqual({ Alpha: 10, Beta: 30, Gamma: 20 })
})

test('a name, a choice, tags and the responsible user are edited in their cells', async () => {
  const account = await newAccount()
  const { id: jana, name } = await account.addUser({ name: 'Jana Schmidt' }).then(({ id }) => ({
    id,
    name: 'Jana Schmidt',
  }))
  const fields = await account.api.post('/api/v4/contacts/custom_fields', [
    { name: 'Size', type: 'select', enums: [{ value: 'Small' }, { value: 'Large' }] },
  ])
  expect(fields.status).toBe(201)
  const id = await addRecord(account.api, 'contacts', { name: 'Ann' })
  const { page } = await openList(account, '/contacts')
  // All columns are on screen.
  await resize(page, 2600, 900)
  await page.getByRole('button', { name: 'Layout', exact: true }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Size', exact: true }).click()
  await page.getByRole('heading', { name: 'Contacts' }).click()
  const grid = await focusOn(page, 0, 'name')
  await keys(grid, 'F2')
  const field = cell(page, 0, 'name').getByRole('textbox')
  await typeIn(field, 'Ann Lee')
  await keys(field, 'Enter')
  const choose = async (columnName: string, choice: string) => {
    await focusOn(page, 0, columnName)
    await keys(grid, 'Enter')
    await page.getByRole('option', { name: choice, exact: true }).click()
    await expect.poll(() => cell(page, 0, columnName).innerText()).toBe(choice)
  }
  const size = await page
    .locator('[role=columnheader]', { hasText: 'Size' })
    .getAttribute('data-head')
  await choose(size!, 'Large')
  await choose('responsible_user_id', name)
  await focusOn(page, 0, 'tags')
  await keys(grid, 'Enter')
  const tags = cell(page, 0, 'tags').getByRole('combobox')
  await typeIn(tags, 'vip')
  await keys(tags, 'Enter', 'Tab')
  await expect.poll(() => cell(page, 0, 'tags').innerText()).toBe('vip')
  await rest(page)
  await expect
    .poll(async () => {
      const stored = await readRecord(account.api, 'contacts', id)
      return [
        stored.name,
        stored.responsible_user_id,
        stored._embedded.tags.map((tag: { name: string }) => tag.name),
        stored.custom_fields_values?.[0]?.values[0].value,
      ]
    })
    .toEqual(['Ann Lee', jana, ['vip'], 'Large'])
})

test('a block is copied and pasted as one request, and taken back as one', async () => {
  const account = await newAccount()
  await addLeads(account.api, three)
  const { page } = await openList(account, '/leads/list?sort=name&dir=asc')
  const writes: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') writes.push(new URL(request.url()).pathname)
  })
  const paste = async (text: string) => {
    await page.evaluate(
      `{
        const data = new DataTransfer()
        data.setData('text/plain', ${JSON.stringify(text)})
        document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
      }`,
    )
    await rest(page)
  }
  await focusOn(page, 0, 'price')
  await paste('1\n2\n3\n')
  await expect.poll(() => pricesOf(account)).toEqual({ Alpha: 1, Beta: 2, Gamma: 3 })
  expect(writes).toEqual(['/api/v4/leads'])
  // The block that was pasted is marked, and is copied as it stands.
  const copied = await page.evaluate<string>(
    `(() => {
      const data = new DataTransfer()
      document.activeElement.dispatchEvent(new ClipboardEvent('copy', { clipboardData: data, bubbles: true, cancelable: true }))
      return data.getData('text/plain')
    })()`,
  )
  expect(copied).toBe('1\n2\n3')
  await shortcut(page, 'Control+z')
  await page.getByText('Taken back', { exact: true }).waitFor()
  expect(await pricesOf(account)).toEqual({ Alpha: 10, Beta: 30, Gamma: 20 })
  // A text that is no value leaves its cell as it is, which is said; the others are pasted.
  await focusOn(page, 0, 'price')
  await paste('7\nmany\n9')
  await page.getByText('1 cell was not pasted', { exact: true }).waitFor()
  await expect.poll(() => pricesOf(account)).toEqual({ Alpha: 7, Beta: 30, Gamma: 9 })
})

test('a cell that others have changed since stays when an act is taken back', async () => {
  const account = await newAccount()
  const [alpha] = await addLeads(account.api, three)
  const { page } = await openList(account, '/leads/list?sort=name&dir=asc')
  const grid = await focusOn(page, 0, 'price')
  await keys(grid, 'Shift+ArrowDown', 'Shift+ArrowDown', 'Control+d')
  await expect.poll(() => pricesOf(account)).toEqual({ Alpha: 10, Beta: 10, Gamma: 10 })
  await rest(page)
  const { body } = await account.api.get('/api/v4/leads?query=Gamma')
  const gamma = body._embedded.leads[0].id as number
  await account.api.patch(`/api/v4/leads/${gamma}`, { price: 99 })
  await expect.poll(() => cell(page, 2, 'price').innerText()).toBe('$99')
  await shortcut(page, 'Control+z')
  await page.getByText('Some cells stay: others have changed them since').waitFor()
  expect(await pricesOf(account)).toEqual({ Alpha: 10, Beta: 30, Gamma: 99 })
  expect(alpha).toBeGreaterThan(0)
})

test('somebody else’s change is asked about while the same cell is edited', async () => {
  const account = await newAccount()
  const lead = await addLead(account.api, { name: 'Alpha', price: 10 })
  const { page } = await openList(account, '/leads/list')
  const grid = await focusOn(page, 0, 'price')
  await keys(grid, 'Enter')
  const field = cell(page, 0, 'price').getByRole('textbox')
  await typeIn(field, '20')
  await account.api.patch(`/api/v4/leads/${lead}`, { price: 15 })
  await page.getByText('Somebody else has just entered $15').waitFor()
  await page.getByRole('button', { name: 'Keep mine' }).click()
  await expect.poll(() => pricesOf(account)).toEqual({ Alpha: 20 })
})

test('new rows come at the top, and those on screen stay where they are', async () => {
  const account = await newAccount()
  await addRecords(
    account.api,
    'contacts',
    Array.from({ length: 200 }, (_, index) => ({ name: `Person ${index}` })),
  )
  const { page } = await openList(account, '/contacts')
  await page.getByText('200 contacts', { exact: true }).waitFor()
  const grid = await focusOn(page, 0, 'name')
  await keys(grid, 'Control+End')
  await cell(page, 199, 'name').getByText('Person 0', { exact: true }).waitFor()
  await keys(grid, 'PageUp', 'PageUp', 'PageUp')
  await rest(page)
  const before = (await table(page).evaluate(
    'document.querySelector("[data-table]").scrollTop',
  )) as number
  const [shown] = (await column(page, 'name')).slice(12, 13)
  const y = await page.getByText(shown!, { exact: true }).boundingBox()
  await addRecord(account.api, 'contacts', { name: 'Somebody new' })
  await page.getByText('201 contacts', { exact: true }).waitFor()
  await expect
    .poll(() => table(page).evaluate('document.querySelector("[data-table]").scrollTop'))
    .toBe(before + 36)
  expect((await page.getByText(shown!, { exact: true }).boundingBox())!.y).toBe(y!.y)
})

test('records are typed in over the list, one after the other, by keys and by the button', async () => {
  const account = await newAccount()
  const phone = (await firstFields(account, 'contacts')).find(({ code }) => code === 'PHONE')
  await addRecord(account.api, 'contacts', {
    name: 'Ann Lee',
    custom_fields_values: [{ field_id: phone!.id, values: [{ value: '+1 202 555 0155' }] }],
  })
  const { page, faults } = await openList(account, '/contacts')
  await focusOn(page, 0, 'tags')
  await keys(table(page), 'n')
  const form = page.getByRole('form', { name: 'New contact' })
  const field = (name: string) => form.getByRole('textbox', { name })
  await typeIn(field('Name'), 'Ana Lee')
  await walk(page, 'Tab')
  await typeIn(field('Phone'), '202 555 0155')
  await keys(field('Phone'), 'Enter')
  await cell(page, 0, 'name').getByText('Ana Lee').waitFor()
  await cell(page, 0, 'name').getByRole('button', { name: '1 other contact' }).waitFor()
  await typeIn(field('Name'), 'Bob')
  await walk(page, 'Tab')
  await walk(page, 'Tab')
  await typeIn(field('E-mail'), 'bob@example.com')
  expect(await accessibilityFaults(page)).toEqual([])
  await keys(field('E-mail'), 'Enter')
  await expect
    .poll(() => column(page, 'name'))
    .toEqual(['Bob', 'Ana Lee', 'Ann Lee'].map((each) => expect.stringContaining(each)))
  await keys(field('Name'), 'Escape')
  await expect.poll(() => form.count()).toBe(0)
  await keys(table(page), 'j')
  // A filter that does not find the new record says so, and leads to it.
  await page.goto(`${account.kontor.url}/companies?query=nothing`)
  await page.getByText('Nothing matches the filter').waitFor()
  await page.getByRole('button', { name: 'New company' }).click()
  const company = page.getByRole('form', { name: 'New company' })
  const name = company.getByRole('textbox', { name: 'Name' })
  await untilFocused(name)
  await walk(page, 'Tab')
  await typeIn(company.getByRole('textbox', { name: 'Phone' }), '12')
  await keys(company.getByRole('textbox', { name: 'Phone' }), 'Enter')
  await company.getByText('Enter a name.').waitFor()
  await typeIn(name, 'Oak')
  await expect.poll(() => company.getByText('Enter a name.').count()).toBe(0)
  await keys(name, 'Enter')
  await page.getByText('Oak was added, but the filter does not find it').waitFor()
  expect(faults).toEqual([])
})

test('a line that is cut comes back or is said, is added once, and stays while it is not sent', async () => {
  const account = await newAccount()
  const { page, faults } = await openList(account, '/companies')
  await shortcut(page, 'n')
  const form = page.getByRole('form', { name: 'New company' })
  const name = form.getByRole('textbox', { name: 'Name' })
  // The server makes the record, and its answer is cut.
  await page.route(/api\/v4\/companies$/, async (route) => {
    await route.fetch()
    await route.abort()
  })
  await typeIn(name, 'Ash')
  await keys(name, 'Enter')
  await form.getByRole('alert').waitFor()
  await expect.poll(() => name.inputValue()).toBe('Ash')
  await page.unroute(/api\/v4\/companies$/)
  await keys(name, 'Enter')
  await expect.poll(() => column(page, 'name')).toEqual(['Ash'])
  // Where the next line is begun, the cut one is said.
  const { promise: begun, resolve: go } = Promise.withResolvers<void>()
  await page.route(/api\/v4\/companies$/, async (route) => {
    await begun
    await route.abort()
  })
  await typeIn(name, 'Birch')
  await keys(name, 'Enter')
  await typeIn(name, 'Ced')
  go()
  await page.getByText('Not added: Birch').waitFor()
  await expect.poll(() => name.inputValue()).toBe('Ced')
  await page.unroute(/api\/v4\/companies$/)
  await keys(name, 'Escape')
  await keys(table(page), 'n')
  await expect.poll(() => name.inputValue()).toBe('Ced')
  await typeIn(name, 'ar')
  await keys(name, 'Enter')
  await expect.poll(() => column(page, 'name')).toEqual(['Cedar', 'Ash'])
  // The same key leads to a line that is open already.
  await table(page).focus()
  await keys(table(page), 'n')
  await untilFocused(name)
  faults.splice(0)
})

test('a new lead goes to the pipeline of the filter, and what the filter does not find is said', async () => {
  const account = await newAccount()
  const { body } = await account.api.post('/api/v4/leads/pipelines', [
    {
      name: 'Service',
      is_main: false,
      is_unsorted_on: false,
      sort: 20,
      _embedded: { statuses: [{ name: 'Asked', sort: 10, color: '#fffeb2' }] },
    },
  ])
  const [{ id: pipelineId }] = body._embedded.pipelines
  const { page } = await openList(
    account,
    `/leads/list?filter[pipeline_id]=${pipelineId}&filter[price][from]=100`,
  )
  await page.getByRole('button', { name: 'New lead' }).click()
  const form = page.getByRole('form', { name: 'New lead' })
  const [name, price] = ['Name', 'Price'].map((each) => form.getByRole('textbox', { name: each }))
  await untilFocused(name!)
  await walk(page, 'Tab')
  await typeIn(price!, '2x')
  await keys(price!, 'Enter')
  await expect.poll(() => price!.getAttribute('aria-invalid')).toBe('true')
  await keys(price!, 'Backspace', 'Enter')
  await form.getByText('Enter a name.').waitFor()
  await typeIn(name!, 'Roof')
  await keys(name!, 'Enter')
  await page.getByText('Roof was added, but the filter does not find it').waitFor()
  await typeIn(name!, 'Wall')
  await walk(page, 'Tab')
  await typeIn(price!, '150')
  await keys(price!, 'Enter')
  await expect.poll(() => column(page, 'name')).toEqual(['Wall'])
  const leads = (await account.api.get('/api/v4/leads')).body._embedded.leads as {
    name: string
    pipeline_id: number
  }[]
  expect(Object.fromEntries(leads.map((lead) => [lead.name, lead.pipeline_id]))).toEqual({
    Roof: pipelineId,
    Wall: pipelineId,
  })
  await page.getByRole('link', { name: 'Roof' }).click()
  await page.getByRole('heading', { name: 'Roof' }).waitFor()
})

test('a card opens over the list, and the list is as it was after it', async () => {
  const account = await newAccount()
  await addLeads(account.api, three)
  const { page } = await openList(account, '/leads/list?sort=name&dir=asc')
  const grid = await focusOn(page, 1, 'price')
  await shortcut(page, 'o')
  await page.getByRole('heading', { name: 'Beta' }).waitFor()
  expect(new URL(page.url()).pathname).toMatch(/^\/leads\/\d+$/)
  await page.getByText('2/3', { exact: true }).waitFor()
  await shortcut(page, ']')
  await page.getByRole('heading', { name: 'Gamma' }).waitFor()
  await shortcut(page, 'Escape')
  await page.getByRole('heading', { name: 'Gamma' }).waitFor({ state: 'detached' })
  await keys(grid, 'ArrowUp')
  expect(new URL(page.url()).search).toBe('?sort=name&dir=asc')
})

test('columns are chosen, moved, frozen and made wider, and stay so', async () => {
  const account = await newAccount()
  await addLeads(account.api, three)
  const { page } = await openList(account, '/leads/list')
  const heads = () =>
    page
      .locator('[data-head]')
      .evaluateAll((all) =>
        all.map((each) => (each as unknown as { dataset: { head: string } }).dataset.head),
      )
  const menu = async (name: string, item: string) => {
    await page.getByRole('button', { name: `Column ${name}`, exact: true }).click()
    await page.getByRole('menuitem', { name: item, exact: true }).click()
    // A width may be chosen several times.
    const left = page.getByRole('menu')
    if (await left.isVisible()) await keys(left, 'Escape')
    await rest(page)
  }
  await expect.poll(async () => (await heads()).slice(0, 3)).toEqual(['name', 'contact', 'company'])
  await menu('Company', 'Move left')
  await menu('Contact', 'Hide')
  await menu('Company', 'Freeze up to here')
  const width = async () => (await page.locator('[data-head=company]').boundingBox())!.width
  const narrow = await width()
  await menu('Company', 'Wider')
  await expect.poll(width).toBe(narrow + 24)
  await page.reload()
  await table(page).waitFor()
  await rest(page)
  await expect
    .poll(async () => (await heads()).slice(0, 3))
    .toEqual(['name', 'company', 'status_id'])
  await expect.poll(width).toBe(narrow + 24)
  await expect.poll(() => page.locator('[data-head=company][data-frozen]').count()).toBe(1)
})

test('a filter by a tag finds the rows, and the copied request finds the same', async () => {
  const account = await newAccount()
  await addLead(account.api, { name: 'Tagged', tags_to_add: [{ name: 'vip' }] })
  await addLead(account.api, { name: 'Plain' })
  const { page } = await openList(account, '/leads/list')
  await page.getByRole('button', { name: 'Column Tags', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Filter by this column' }).click()
  await page.getByRole('checkbox', { name: 'vip' }).check()
  await expect.poll(() => column(page, 'name')).toEqual(['Tagged'])
  expect(decodeURIComponent(new URL(page.url()).search)).toMatch(/^\?filter\[tags\]=\d+$/)
  const { body } = await account.api.get(`/api/v4/leads${new URL(page.url()).search}`)
  expect(body._embedded.leads.map(({ name }: { name: string }) => name)).toEqual(['Tagged'])
})

test('selected rows are changed together, and taken back', async () => {
  const account = await newAccount()
  const { id: jana } = await account.addUser({ name: 'Jana Schmidt' })
  await addLeads(account.api, three)
  const { page } = await openList(account, '/leads/list?sort=name&dir=asc')
  await page.getByRole('checkbox', { name: 'Select Alpha' }).click()
  await page.getByRole('checkbox', { name: 'Select Beta' }).click()
  await page.getByRole('button', { name: 'Assign', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Responsible' }).click()
  await page.getByRole('option', { name: 'Jana Schmidt' }).click()
  await dialog.getByRole('button', { name: 'Assign', exact: true }).click()
  await page.getByText('Leads. Assigned: 2').waitFor()
  await expect
    .poll(async () => (await column(page, 'responsible_user_id')).slice(0, 2))
    .toEqual(['Jana Schmidt', 'Jana Schmidt'])
  const own = async () => {
    const { status, body } = await account.api.get(
      `/api/v4/leads?filter[responsible_user_id]=${jana}`,
    )
    return status === 204 ? 0 : body._embedded.leads.length
  }
  expect(await own()).toBe(2)
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect.poll(own).toBe(0)
})

test('all contacts but one are given to somebody by keys alone, and taken back', async () => {
  const account = await newAccount()
  const { id: jana } = await account.addUser({ name: 'Jana Schmidt' })
  await addRecords(account.api, 'contacts', [{ name: 'Ann' }, { name: 'Bob' }, { name: 'Cy' }])
  const { page } = await openList(account, '/contacts?sort=name&dir=asc')
  const grid = await focusOn(page, 1, 'tags')
  await keys(grid, 'Control+a')
  const bar = page.getByRole('toolbar', { name: 'Selected records' })
  await bar.getByText('All 3 contacts', { exact: true }).waitFor()
  // Bob, whose row has the focus, stays as he is.
  await keys(grid, 'x')
  await bar.getByText('All 3 contacts, except 1').waitFor()
  await expect.poll(() => page.locator('[role=row][aria-selected=true]').count()).toBe(2)
  await keys(grid, 'a')
  const dialog = page.getByRole('dialog', { name: 'Change the responsible user' })
  await dialog.getByText('All 3 contacts, except 1').waitFor()
  const user = dialog.getByRole('combobox', { name: 'Responsible' })
  await typeIn(user, 'Jana')
  await keys(user, 'ArrowDown', 'Enter')
  await walk(page, 'Tab')
  await walk(page, 'Tab')
  await keys(dialog.getByRole('button', { name: 'Assign', exact: true }), 'Enter')
  const strip = page.getByRole('region', { name: 'Changes of many records' })
  await strip.getByText('Contacts. Assigned: 2').waitFor()
  const own = async () => {
    const { status, body } = await account.api.get(
      `/api/v4/contacts?order[id]=asc&filter[responsible_user_id]=${jana}`,
    )
    return status === 204
      ? []
      : (body._embedded.contacts as { name: string }[]).map(({ name }) => name)
  }
  expect(await own()).toEqual(['Ann', 'Cy'])
  // The selection is gone, and the keys go on in the table.
  await expect.poll(() => bar.count()).toBe(0)
  await keys(grid, 'Control+z')
  await strip.getByText('Contacts. As before: 2').waitFor()
  expect(await own()).toEqual([])
})

test('a field of many companies is set and emptied, with what is wrong beside it', async () => {
  const account = await newAccount()
  await addField(account, 'companies', { type: 'numeric', name: 'Employees' })
  const ids = await addRecords(account.api, 'companies', [
    { name: 'A' },
    { name: 'B' },
    { name: 'C' },
  ])
  const { page } = await openList(account, '/companies?sort=name&dir=asc')
  const choose = async () => {
    for (const name of ['A', 'C'])
      await page.getByRole('checkbox', { name: `Select ${name}` }).click()
    const bar = page.getByRole('toolbar', { name: 'Selected records' })
    await bar.getByText('2 companies', { exact: true }).waitFor()
    // Companies have no stages.
    await expect.poll(() => bar.getByRole('button', { name: 'Move' }).count()).toBe(0)
    expect(await accessibilityFaults(page)).toEqual([])
    await bar.getByRole('button', { name: 'Field', exact: true }).click()
    return page.getByRole('dialog', { name: 'Change a field' })
  }
  const values = async () => {
    const all = await Promise.all(ids.map((id) => readRecord(account.api, 'companies', id)))
    return all.map(
      ({ custom_fields_values: own }) => own?.[0].values[0].value as string | undefined,
    )
  }
  const set = await choose()
  const send = set.getByRole('button', { name: 'Change', exact: true })
  await page.getByRole('option', { name: 'Employees' }).click()
  await send.click()
  await set.getByRole('alert').waitFor()
  const number = set.getByRole('textbox', { name: 'Employees' })
  await number.fill('many')
  await send.click()
  await set.getByRole('alert').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await number.fill('12')
  await send.click()
  const strip = page.getByRole('region', { name: 'Changes of many records' })
  await strip.getByText('Companies. Field changed: 2').waitFor()
  expect(await values()).toEqual(['12', undefined, '12'])
  await strip.getByRole('button', { name: 'Close' }).click()
  const emptied = await choose()
  await page.getByRole('option', { name: 'Employees' }).click()
  await emptied.getByRole('checkbox', { name: 'Empty the field' }).check()
  await emptied.getByRole('button', { name: 'Change', exact: true }).click()
  await strip.getByText('Companies. Field changed: 2').waitFor()
  expect(await values()).toEqual([undefined, undefined, undefined])
  await strip.getByRole('button', { name: 'Undo', exact: true }).click()
  await strip.getByText('Companies. As before: 2').waitFor()
  expect(await values()).toEqual(['12', undefined, '12'])
})

test('deleted rows are found in the bin of the list and restored, chosen ones and all', async () => {
  const account = await newAccount()
  await addRecords(account.api, 'contacts', [
    { name: 'Ann' },
    { name: 'Bob' },
    { name: 'Cid' },
    { name: 'Dan' },
  ])
  const { page, faults } = await openList(account, '/contacts?sort=name&dir=asc')
  for (const name of ['Ann', 'Bob', 'Dan'])
    await page.getByRole('checkbox', { name: `Select ${name}` }).click()
  await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect.poll(() => column(page, 'name')).toEqual(['Cid'])
  await page.getByRole('button', { name: 'Layout' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Deleted records' }).click()
  await page.getByRole('heading', { name: 'Deleted contacts' }).waitFor()
  await expect.poll(() => column(page, 'name')).toEqual(['Ann', 'Bob', 'Dan'])
  await page.getByText('3 contacts', { exact: true }).waitFor()
  // Who deleted them, and when, and how many of each kind there are.
  await expect.poll(() => column(page, 'updated_by')).toEqual(['Ann Lee', 'Ann Lee', 'Ann Lee'])
  const kinds = page.getByRole('navigation', { name: 'Kinds of records' })
  await kinds.getByRole('link', { name: 'Contacts 3' }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  // Nothing is opened, edited or added here.
  await focusOn(page, 1, 'name')
  await keys(table(page), 'Enter')
  const said = page.getByText('It is deleted. Restore it to open or change it.')
  await said.waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'New contact' }).count()).toBe(0)
  await keys(table(page), 'x')
  const acts = () =>
    page.getByRole('toolbar', { name: 'Selected records' }).getByRole('button').allInnerTexts()
  await expect.poll(acts).toEqual(expect.arrayContaining(['Restore']))
  expect(await acts()).not.toContain('Delete')
  await keys(table(page), 'r')
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
  await expect.poll(() => column(page, 'name')).toEqual(['Ann', 'Dan'])
  // All that the filter of the bin finds.
  await page.goto(`${account.kontor.url}/contacts?bin=1&query=dan`)
  await expect.poll(() => column(page, 'name')).toEqual(['Dan'])
  await table(page).focus()
  await keys(table(page), 'Control+a', 'r')
  await page.getByRole('dialog').getByText('The only contact').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
  await page.getByText('Nothing matches the filter').waitFor()
  await page.getByRole('button', { name: 'Clear the filter' }).click()
  await expect.poll(() => column(page, 'name')).toEqual(['Ann'])
  // What is deleted for good is in no list.
  await table(page).focus()
  await keys(table(page), 'Control+a')
  await page
    .getByRole('toolbar', { name: 'Selected records' })
    .getByRole('button', { name: 'Delete for good' })
    .click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click()
  await page.getByText('The bin is empty').waitFor()
  await kinds.getByRole('link', { name: 'Contacts 0' }).waitFor()
  await kinds.getByRole('link', { name: 'Companies 0' }).click()
  await page.getByRole('heading', { name: 'Deleted companies' }).waitFor()
  await kinds.getByRole('link', { name: 'Contacts 0' }).click()
  await page.getByRole('link', { name: 'Leave the bin' }).click()
  await expect
    .poll(async () => (await column(page, 'name')).toSorted())
    .toEqual(['Bob', 'Cid', 'Dan'])
  expect(faults).toEqual([])
})

test('a list in groups has headings with counts, which the keys open and close', async () => {
  const account = await newAccount()
  const { id: jana } = await account.addUser({ name: 'Jana Schmidt' })
  const ids = await addLeads(account.api, [
    { name: 'A', price: 1 },
    { name: 'B', price: 2 },
    { name: 'C', price: 3 },
    { name: 'D', price: 4, responsible_user_id: jana },
    { name: 'E', price: 5, responsible_user_id: jana },
  ])
  const path = '/leads/list?group=responsible_user_id&sort=name&dir=asc'
  const { page, faults } = await openList(account, path)
  const headings = async () =>
    (await page.locator('[data-group]').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))
  await expect.poll(headings).toEqual(['Jana Schmidt 2', 'The administrator 3'])
  await expect.poll(() => column(page, 'name')).toEqual(['D', 'E', 'A', 'B', 'C'])
  expect(await accessibilityFaults(page)).toEqual([])
  // A block goes over the heading between two groups.
  const grid = await focusOn(page, 2, 'price')
  await page.evaluate(`(() => {
    const data = new DataTransfer()
    data.setData('text/plain', '30\\n40')
    document.querySelector('[data-table]').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
  })()`)
  await expect.poll(() => pricesOf(account)).toMatchObject({ D: 4, E: 30, A: 40 })
  await keys(grid, 'Control+ArrowUp')
  await keys(grid, 'Enter')
  await expect.poll(() => column(page, 'name')).toEqual(['A', 'B', 'C'])
  expect(await accessibilityFaults(page)).toEqual([])
  // What somebody else gives away goes to the other group.
  await account.api.patch(`/api/v4/leads/${ids[3]}`, { responsible_user_id: account.admin.id })
  await expect.poll(headings).toEqual(['Jana Schmidt 1', 'The administrator 4'])
  await keys(grid, 'Enter')
  await expect.poll(() => column(page, 'name')).toEqual(['E', 'A', 'B', 'C', 'D'])
  // The neighbours of a card pass over the heading.
  await keys(grid, 'ArrowDown', 'o')
  await page.getByRole('heading', { name: 'E', exact: true }).waitFor()
  await page.getByText('1/5', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Next card' }).click()
  await page.getByRole('heading', { name: 'A', exact: true }).waitFor()
  await page.goBack()
  await table(page).waitFor()
  await page.getByRole('button', { name: 'Column Stage' }).click()
  await page.getByRole('menuitem', { name: 'Group by this column' }).click()
  await expect.poll(async () => (await headings()).length).toBe(1)
  expect(new URL(page.url()).searchParams.get('group')).toBe('status_id')
  await page.getByRole('button', { name: 'Layout', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Do not group' }).click()
  await expect.poll(headings).toEqual([])
  expect(faults).toEqual([])
})

test('the look at a row follows the focus, says who shares its phone, and merges two at hand', async () => {
  const account = await newAccount()
  const phone = (await firstFields(account, 'contacts')).find(({ code }) => code === 'PHONE')
  const own = {
    custom_fields_values: [{ field_id: phone!.id, values: [{ value: '+1 202 555 0143' }] }],
  }
  const [ann, ana] = (await addRecords(account.api, 'contacts', [
    { name: 'Ann Lee', ...own },
    { name: 'Ana Lee', ...own },
    { name: 'Bob' },
  ])) as [number, number, number]
  await account.api.post(`/api/v4/contacts/${ann}/notes`, [
    { note_type: 'common', params: { text: 'Prefers mornings' } },
  ])
  const { page } = await openList(account, '/contacts?sort=name&dir=asc')
  const grid = await focusOn(page, 0, 'tags')
  await keys(grid, ' ')
  const look = page.getByRole('complementary', { name: 'Look at the row' })
  await look.getByRole('heading', { name: 'Ana Lee' }).waitFor()
  await look.getByText('+1 202 555 0143').first().waitFor()
  await keys(grid, 'j')
  await look.getByRole('heading', { name: 'Ann Lee' }).waitFor()
  await look.getByText('Prefers mornings').waitFor()
  await look.getByText('1 other contact shares this phone').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await keys(grid, 'j')
  await look.getByRole('heading', { name: 'Bob' }).waitFor()
  await look.getByText('Contact created').waitFor()
  // It is as the user left it on the next list.
  await page.reload()
  await look.waitFor()
  await table(page).focus()
  await keys(table(page), ' ')
  await expect.poll(() => look.count()).toBe(0)
  for (const name of ['Ana Lee', 'Ann Lee'])
    await page.getByRole('checkbox', { name: `Select ${name}` }).click()
  await keys(table(page), 'Shift+M')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Ana Lee').first().waitFor()
  await dialog.getByRole('button', { name: /^Merge/ }).click()
  await expect.poll(() => column(page, 'name')).toHaveLength(2)
  const left = await Promise.all(
    [ann, ana].map(async (id) => (await account.api.get(`/api/v4/contacts/${id}`)).status),
  )
  expect(left.toSorted((one, other) => one - other)).toEqual([200, 404])
})

test('a row says how many share its phone or e-mail, and leads to the comparison by mouse and by keys', async () => {
  const account = await newAccount()
  const phone = (await firstFields(account, 'companies')).find(({ code }) => code === 'PHONE')
  const reachedBy = (value: string) => ({
    custom_fields_values: [{ field_id: phone!.id, values: [{ value }] }],
  })
  const shared = reachedBy('+1 202 555 0177')
  await addRecords(account.api, 'companies', [
    { name: 'Acme', ...shared },
    { name: 'Acme Inc', ...shared },
    { name: 'Birch', ...reachedBy('+1 202 555 0188') },
    { name: 'Cork' },
  ])
  const { page } = await openList(account, '/companies?sort=name&dir=asc')
  const mark = cell(page, 0, 'name').getByRole('button', {
    name: '1 other company shares a phone or e-mail',
  })
  await mark.waitFor()
  await expect.poll(() => cell(page, 2, 'name').getByRole('button').count()).toBe(0)
  expect(await accessibilityFaults(page)).toEqual([])
  await mark.click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Acme Inc').first().waitFor()
  await keys(page.getByRole('radio', { name: 'Acme', exact: true }).first(), 'Escape')
  await expect.poll(() => dialog.count()).toBe(0)
  // What somebody adds is counted without a word of the user.
  await addRecord(account.api, 'companies', { name: 'Acme Ltd', ...shared })
  await cell(page, 0, 'name')
    .getByRole('button', { name: '2 other companies share a phone or e-mail' })
    .waitFor()
  // The comparison asks anew: Birch had no duplicate when its card was open.
  await cell(page, 3, 'name').getByText('Birch').waitFor()
  await focusOn(page, 3, 'tags')
  await keys(table(page), 'o')
  await page.getByRole('heading', { name: 'Birch' }).waitFor()
  await shortcut(page, 'Escape')
  await page.getByRole('heading', { name: 'Birch' }).waitFor({ state: 'detached' })
  await addRecord(account.api, 'companies', { name: 'Birch Ltd', ...reachedBy('+1 202 555 0188') })
  const birch = cell(page, 3, 'name').getByRole('button', { name: '1 other company' })
  await birch.click()
  await dialog.getByText('Birch Ltd').first().waitFor()
  await keys(page.getByRole('radio', { name: 'Birch', exact: true }).first(), 'Escape')
  await expect.poll(() => dialog.count()).toBe(0)
  await cell(page, 5, 'name').getByText('Cork').waitFor()
  await focusOn(page, 5, 'tags')
  await keys(table(page), 'd')
  await page.getByText('Nothing else shares its phone or e-mail').waitFor()
  await focusOn(page, 0, 'tags')
  await keys(table(page), 'd')
  await dialog.getByRole('button', { name: /^Merge/ }).click()
  await expect.poll(() => column(page, 'name')).toHaveLength(5)
  await cell(page, 0, 'name').getByRole('button', { name: '1 other company' }).waitFor()
})

test('a limited user sees only own rows, and edits only what is allowed', async () => {
  const account = await newAccount()
  const { page, email } = await openApplication(browser(), '/contacts', {
    account,
    is_admin: false,
    rights: { contacts: { view: 'M', edit: 'D', add: 'D' } },
  })
  const { body } = await account.api.get('/api/v4/users?limit=250')
  const sam = body._embedded.users.find((user: { email: string }) => user.email === email)
  await addRecord(account.api, 'contacts', { name: 'Own', responsible_user_id: sam.id })
  await addRecord(account.api, 'contacts', { name: 'Canary' })
  await page.getByText('1 contact', { exact: true }).waitFor()
  await expect.poll(() => column(page, 'name')).toEqual(['Own'])
  await focusOn(page, 0, 'tags')
  await keys(table(page), 'Enter')
  await page.getByText('You have no right to change this record.').waitFor({ state: 'attached' })
  await expect.poll(() => page.getByRole('button', { name: 'New contact' }).count()).toBe(0)
  await page.goto(`${account.kontor.url}/companies`)
  await page.getByText('You have no access to this', { exact: false }).first().waitFor()
})
