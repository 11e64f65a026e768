// Two people at one card: each type of field, files, links and stages ask whose value stays, and an answer saves at once.
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import type { Client } from '../client.ts'
import { addLead } from '../leads.ts'
import { link, to } from '../links.ts'
import { addRecord } from '../records.ts'
import { signIn } from '../session.ts'
import { accessibilityFaults, openApplication } from './application.ts'
import { openBoard } from './board.ts'
import { useBrowser } from './chromium.ts'
import { addFields, control, edit, enums, line, unfold } from './fields.ts'
import type { MadeField } from './fields.ts'
import { keys, shortcut, type } from './keys.ts'
import { rest } from './rest.ts'

const browser = useBrowser()

/** A colleague who changes records without a page. */
async function colleague(account: TestAccount): Promise<Client> {
  const credentials = { email: `${crypto.randomUUID()}@example.com`, password: 'correct horse' }
  await account.addUser({ name: 'Bob Kay', is_admin: true, ...credentials })
  return (await signIn(account.kontor, credentials)).api
}

const mine = (page: Page) => page.getByRole('button', { name: 'Keep mine' })
const theirs = (page: Page) => page.getByRole('button', { name: 'Take theirs' })
const notice = (page: Page) => page.getByRole('alert').filter({ has: mine(page) })

interface Case {
  /** A field that is made; none for a member that every record has. */
  field?: object
  /** The name of the field; `Fact` for one that is made. */
  name?: string
  of?: 'leads' | 'contacts'
  /** Types a draft; `second` is another one. */
  fill: (page: Page, name: string, second: boolean) => Promise<unknown>
  /** The colleague saves these values. */
  theirs: (made: MadeField) => object[] | object
  /** What empties it again. */
  none?: object
  /** The notice says this of them. */
  said: RegExp
  /** A part of the draft in the record as the server answers it. */
  kept: string
  /** Where Enter ends the edit; a choice ends it by itself, and the mouse answers for the rest. */
  enter?: (page: Page, name: string) => Locator
  key?: string
}

const written =
  (first: string, second = `${first}2`) =>
  async (page: Page, name: string, isSecond: boolean) => {
    await keys(control(page, name), 'ControlOrMeta+a')
    await type(control(page, name), isSecond ? second : first)
  }

/** Fills a control that takes no text key by key. */
const filled =
  (first: string, second: string) =>
  (page: Page, name: string, isSecond: boolean): Promise<void> =>
    control(page, name).fill(isSecond ? second : first)

const chosen = (first: string, second: string) => (page: Page, _: string, isSecond: boolean) =>
  page.getByRole('option', { name: isSecond ? second : first, exact: true }).click()

const phone = (page: Page) => page.locator('[data-editing] input[type=tel]').first()
const legalName = (page: Page) => page.locator('[data-editing]').getByLabel('Name', { exact: true })

const day = Date.UTC(2030, 0, 15) / 1000

const enter = control

const cases: Record<string, Case> = {
  text: {
    field: {},
    fill: written('Mine'),
    theirs: () => [{ value: 'Hers' }],
    said: /“Hers”/,
    kept: 'Mine',
    enter,
  },
  textarea: {
    field: {},
    fill: written('Mine'),
    theirs: () => [{ value: 'Hers' }],
    said: /“Hers”/,
    kept: 'Mine',
    enter,
    key: 'Control+Enter',
  },
  url: {
    field: {},
    fill: written('mine.test'),
    theirs: () => [{ value: 'hers.test' }],
    said: /“hers.test”/,
    kept: 'mine.test',
    enter,
  },
  streetaddress: {
    field: {},
    fill: written('Dock 1'),
    theirs: () => [{ value: 'Quay 9' }],
    said: /“Quay 9”/,
    kept: 'Dock 1',
    enter,
  },
  numeric: {
    field: {},
    fill: written('1212'),
    theirs: () => [{ value: '99' }],
    said: /“99”/,
    kept: '1212',
    enter,
  },
  monetary: {
    field: { currency: 'EUR' },
    fill: written('1212'),
    theirs: () => [{ value: 99 }],
    said: /“€99”/,
    kept: '1212',
    enter,
  },
  date: {
    field: {},
    fill: filled('2031-01-01', '2031-02-02'),
    theirs: () => [{ value: day }],
    said: /Jan 15, 2030/,
    kept: '19249',
    enter,
  },
  birthday: {
    field: {},
    fill: filled('1991-01-01', '1991-02-02'),
    theirs: () => [{ value: day }],
    said: /Jan 15, 2030/,
    kept: '6626',
    enter,
  },
  date_time: {
    field: {},
    fill: filled('2031-01-01T10:00', '2031-02-02T10:00'),
    theirs: () => [{ value: day }],
    said: /2030/,
    kept: '19250',
    enter,
  },
  select: {
    field: enums('Courier', 'Post', 'Pigeon'),
    fill: chosen('Post', 'Post'),
    theirs: ({ enums: all }) => [{ enum_id: all![2]!.id }],
    said: /“Pigeon”/,
    kept: 'Post',
  },
  radiobutton: {
    field: enums('Cash', 'Invoice', 'Barter'),
    fill: (page) => page.getByRole('radio', { name: 'Invoice' }).click(),
    theirs: ({ enums: all }) => [{ enum_id: all![2]!.id }],
    said: /“Barter”/,
    kept: 'Invoice',
  },
  multiselect: {
    field: enums('Pumps', 'Pipes', 'Valves'),
    fill: chosen('Pumps', 'Pipes'),
    theirs: ({ enums: all }) => [{ enum_id: all![2]!.id }],
    said: /“Valves”/,
    kept: 'Pumps',
  },
  smart_address: {
    field: {},
    fill: (page, _, second) => page.getByLabel('City').fill(second ? 'Oslo' : 'Bergen'),
    theirs: () => [{ value: 'Paris', enum_id: 3 }],
    said: /Paris/,
    kept: 'Bergen',
    enter: (page) => page.getByLabel('City'),
  },
  legal_entity: {
    field: {},
    fill: (page, _, second) => legalName(page).fill(second ? 'Acme 2' : 'Acme'),
    theirs: () => [{ value: { name: 'Rival' } }],
    said: /Rival/,
    kept: 'Acme',
    enter: legalName,
  },
  phones: {
    name: 'Phone',
    of: 'contacts',
    fill: (page, _, second) => phone(page).fill(second ? '+4711111' : '+4722222'),
    theirs: () => [{ value: '+4733333', enum_code: 'WORK' }],
    said: /\+4733333/,
    kept: '+4722222',
    enter: phone,
  },
  price: {
    name: 'Price',
    fill: written('1212'),
    theirs: () => ({ price: 99 }),
    none: { price: 0 },
    said: /99/,
    kept: '"price":1212',
    enter,
  },
}

/** Waits until a part has the focus. */
const focusIn = (part: Locator) => part.locator(':focus').waitFor({ state: 'attached' })

test.each(Object.entries(cases))(
  'a field of the type %s asks whose value stays, by keys and by mouse, and saves at once',
  async (kind, { field, name = 'Fact', of = 'leads', fill, theirs: sent, none, ...rest }) => {
    const account = await newAccount()
    const made = field && (await addFields(account, [{ name, type: kind, ...field }]))[name]!
    const id =
      of === 'leads'
        ? await addLead(account.api, { name: 'Pump order' })
        : await addRecord(account.api, of, { name: 'Ivan' })
    const path = `/api/v4/${of}/${id}`
    const bob = await colleague(account)
    const { page } = await openApplication(browser(), `/${of}/${id}`, { account })
    const body = (values: object | null) => ({
      custom_fields_values: [
        { ...(made ? { field_id: made.id } : { field_code: 'PHONE' }), values },
      ],
    })
    const value = sent(made!)
    const change = async (isTheirs: boolean) =>
      bob.patch(path, none ? (isTheirs ? value : none) : body(isTheirs ? value : null))
    const record = async () => {
      const { price, custom_fields_values } = (await account.api.get(path)).body
      return JSON.stringify({ price, custom_fields_values })
    }
    const empty = await record()
    if (!none) await unfold(page)
    // A choice of these ends the edit, so others' change is there before it.
    const isChoice = ['select', 'radiobutton'].includes(kind)

    await edit(page, name)
    if (!isChoice) await fill(page, name, false)
    await change(true)
    await notice(page)
      .getByText(/^Bob Kay changed this/)
      .waitFor()
    await expect.poll(() => notice(page).textContent()).toMatch(rest.said)
    if (isChoice) await fill(page, name, false)
    if (rest.enter) await keys(rest.enter(page, name), rest.key ?? 'Enter')
    if (isChoice || rest.enter) await keys(mine(page), 'Enter')
    else await mine(page).click()
    await notice(page).waitFor({ state: 'detached' })
    await page.locator('[data-editing]').waitFor({ state: 'detached' })
    await focusIn(line(page, name))
    await expect.poll(record).toContain(rest.kept)

    await change(false)
    await expect.poll(record).toBe(empty)
    await line(page, name).getByText(/^Add$/).waitFor()
    await edit(page, name)
    if (!isChoice) await fill(page, name, true)
    await change(true)
    await notice(page).waitFor()
    const before = await record()
    await theirs(page).click()
    await notice(page).waitFor({ state: 'detached' })
    await page.locator('[data-editing]').waitFor({ state: 'detached' })
    await focusIn(line(page, name))
    expect(await record()).toBe(before)
  },
)

test('a name, a person, and a chain of lists ask the same', async () => {
  const account = await newAccount()
  const { api } = account
  const { body } = await api.post('/api/v4/catalogs', [{ name: 'Makers', type: 'regular' }])
  const catalog: number = body._embedded.catalogs[0].id
  const answer = await api.post(`/api/v4/catalogs/${catalog}/elements`, [
    { name: 'Agrisol' },
    { name: 'Bosch' },
  ])
  const [agrisol, bosch] = answer.body._embedded.elements as { id: number }[]
  const { Brand: brand } = await addFields(account, [
    {
      name: 'Brand',
      type: 'chained_list',
      chained_lists: [{ title: 'Maker', catalog_id: catalog, parent_catalog_id: null }],
    },
  ])
  const lead = await addLead(api, { name: 'Pump order' })
  const path = `/api/v4/leads/${lead}`
  const record = async () => (await api.get(path)).body
  const bob = await colleague(account)
  const cid = await account.addUser({ name: 'Cid Moe' })
  const { page } = await openApplication(browser(), `/leads/${lead}`, { account })

  await page.getByRole('button', { name: 'Pump order', exact: true }).click()
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  await type(name, 'Mine')
  await bob.patch(path, { name: 'His' })
  await notice(page).getByText('Bob Kay changed this to “His” meanwhile').waitFor()
  expect(await accessibilityFaults(page, '[data-record]')).toEqual([])
  await keys(name, 'Enter')
  await keys(mine(page), 'Enter')
  await expect.poll(async () => (await record()).name).toBe('Mine')
  await focusIn(page.getByRole('heading', { name: 'Mine' }))

  await edit(page, 'Responsible')
  await bob.patch(path, { responsible_user_id: cid.id })
  await notice(page).getByText('Bob Kay changed this to “Cid Moe” meanwhile').waitFor()
  await page.getByRole('option', { name: 'Ann Lee' }).click()
  await keys(mine(page), 'Enter')
  await line(page, 'Responsible').getByText('Ann Lee').waitFor()
  await expect.poll(async () => (await record()).responsible_user_id).not.toBe(cid.id)

  // From the menu of the head the same question comes once the choice is made.
  await shortcut(page, 'a')
  await bob.patch(path, { responsible_user_id: cid.id })
  await line(page, 'Responsible').getByText('Cid Moe').waitFor()
  const person = page.getByRole('combobox', { name: 'Person' })
  await type(person, 'Bob Kay')
  await keys(person, 'Enter')
  await notice(page).getByText('Bob Kay made Cid Moe responsible meanwhile').waitFor()
  await keys(mine(page), 'Enter')
  await line(page, 'Responsible').getByText('Bob Kay').waitFor()

  await unfold(page)
  await edit(page, 'Brand')
  await page.getByRole('combobox', { name: 'Maker' }).click()
  await page.getByRole('option', { name: 'Agrisol' }).click()
  const chain = (catalog_element_id: number) => [{ catalog_id: catalog, catalog_element_id }]
  await bob.patch(path, {
    custom_fields_values: [{ field_id: brand!.id, values: chain(bosch!.id) }],
  })
  await notice(page).waitFor()
  await mine(page).click()
  await expect
    .poll(async () => (await record()).custom_fields_values[0].values)
    .toMatchObject(chain(agrisol!.id))
  await focusIn(line(page, 'Brand'))
})

test('an invalid draft stays open with its fault as it is to be kept, and a field that is left keeps its notice', async () => {
  const account = await newAccount()
  const { Weight: field } = await addFields(account, [{ name: 'Weight', type: 'numeric' }])
  const lead = await addLead(account.api, { name: 'Pump order' })
  const path = `/api/v4/leads/${lead}`
  const bob = await colleague(account)
  const { page } = await openApplication(browser(), `/leads/${lead}`, { account })
  await unfold(page)
  await edit(page, 'Weight')
  await type(control(page, 'Weight'), 'abc')
  await bob.patch(path, { custom_fields_values: [{ field_id: field!.id, values: [{ value: 7 }] }] })
  await notice(page).waitFor()
  // Elsewhere: the draft and the notice stay.
  await page.getByRole('button', { name: 'Copy the link' }).focus()
  await expect.poll(() => control(page, 'Weight').inputValue()).toBe('abc')
  await mine(page).click()
  await line(page, 'Weight').getByText('Enter a number').waitFor()
  await notice(page).waitFor({ state: 'detached' })
  await keys(control(page, 'Weight'), 'ControlOrMeta+a')
  await type(control(page, 'Weight'), '12')
  await keys(control(page, 'Weight'), 'Enter')
  const value = async () =>
    (await account.api.get(path)).body.custom_fields_values[0].values[0].value
  await expect.poll(value).toBe('12')
})

test('a file that others replaced while it was sent is saved, or given up, at the answer', async () => {
  const account = await newAccount()
  const { Contract: field } = await addFields(account, [{ name: 'Contract', type: 'file' }])
  const lead = await addLead(account.api, { name: 'Pump order' })
  const bob = await colleague(account)
  const { page } = await openApplication(browser(), `/leads/${lead}`, { account })
  await unfold(page)
  const choose = (file: string) =>
    line(page, 'Contract')
      .locator('input[type=file]')
      .setInputFiles({ name: file, mimeType: 'text/plain', buffer: Buffer.from(file) })
  const replace = (file_name: string) =>
    bob.patch(`/api/v4/leads/${lead}`, {
      custom_fields_values: [
        {
          field_id: field!.id,
          values: [
            {
              value: {
                file_uuid: crypto.randomUUID(),
                version_uuid: crypto.randomUUID(),
                file_name,
              },
            },
          ],
        },
      ],
    })
  const releases: (() => void)[] = []
  await page.route('**/web/v1/files?*', async (route) => {
    await new Promise<void>((resolve) => releases.push(resolve))
    await route.continue()
  })
  await choose('mine.txt')
  await expect.poll(() => releases.length).toBe(1)
  await replace('his.txt')
  await notice(page).getByText('Bob Kay changed this to “his.txt” meanwhile').waitFor()
  releases[0]!()
  await mine(page).click()
  await line(page, 'Contract').getByRole('link').getByText('mine.txt').waitFor()
  await rest(page)
  await choose('mine again.txt')
  await expect.poll(() => releases.length).toBe(2)
  await replace('his again.txt')
  await notice(page).waitFor()
  releases[1]!()
  await theirs(page).click()
  await line(page, 'Contract').getByRole('link').getByText('his again.txt').waitFor()
  await focusIn(line(page, 'Contract'))
})

test.each(['Keep mine', 'Take theirs'])(
  'a stage that another chose while its menu was open: %s',
  async (answer) => {
    const opened = await openBoard(browser(), { leads: { New: [['Pump order']] } })
    const { page, account, leads, at } = opened
    const lead = leads['Pump order']!
    const bob = await colleague(account)
    const stage = async () => (await account.api.get(`/api/v4/leads/${lead}`)).body.status_id
    await page.goto(`${account.kontor.url}/leads/${lead}`)
    await page.getByRole('heading', { name: 'Pump order' }).waitFor()
    await shortcut(page, 'm')
    const target = page.getByRole('combobox', { name: 'Stage' })
    await type(target, 'Contract')
    await bob.patch(`/api/v4/leads/${lead}`, { status_id: at['Offer'] })
    await page.getByRole('listitem').locator('[aria-current=step]', { hasText: 'Offer' }).waitFor()
    await keys(target, 'Enter')
    await notice(page).getByText('Bob Kay moved this to Offer meanwhile').waitFor()
    expect(await accessibilityFaults(page, '[data-record]')).toEqual([])
    expect(await stage()).toBe(at['Offer'])
    const button = page.getByRole('button', { name: answer })
    if (answer === 'Keep mine') await keys(button, 'Enter')
    else await button.click()
    await notice(page).waitFor({ state: 'detached' })
    await expect.poll(stage).toBe(at[answer === 'Keep mine' ? 'Contract' : 'Offer'])
  },
)

test('a stage and a field that others changed while the connection was cut ask at its return', async () => {
  const account = await newAccount()
  const { Order: field } = await addFields(account, [{ name: 'Order', type: 'text' }])
  const opened = await openBoard(browser(), { account, leads: { New: [['Pump order']] } })
  const { page, leads, at, faults } = opened
  const lead = leads['Pump order']!
  const path = `/api/v4/leads/${lead}`
  const bob = await colleague(account)
  await page.goto(`${account.kontor.url}/leads/${lead}`)
  await unfold(page)
  let isCut = true
  await page.route(`**${path}`, (route) =>
    isCut ? route.abort('connectionreset') : route.continue(),
  )
  const cut = page.waitForEvent('requestfailed')
  await shortcut(page, 'm')
  const target = page.getByRole('combobox', { name: 'Stage' })
  await type(target, 'Contract')
  await keys(target, 'Enter')
  await cut
  await bob.patch(path, {
    status_id: at['Offer'],
    custom_fields_values: [{ field_id: field!.id, values: [{ value: 'His' }] }],
  })
  await notice(page).getByText('Bob Kay moved this to Offer meanwhile').waitFor()
  isCut = false
  await keys(mine(page), 'Enter')
  const record = async () => (await account.api.get(path)).body
  await expect.poll(async () => (await record()).status_id).toBe(at['Contract'])
  isCut = true
  const again = page.waitForEvent('requestfailed')
  await edit(page, 'Order')
  await keys(control(page, 'Order'), 'ControlOrMeta+a')
  await type(control(page, 'Order'), 'Mine')
  await keys(control(page, 'Order'), 'Enter')
  await again
  await bob.patch(path, {
    custom_fields_values: [{ field_id: field!.id, values: [{ value: 'His again' }] }],
  })
  await notice(page).getByText('Bob Kay changed this to “His again” meanwhile').waitFor()
  isCut = false
  await mine(page).click()
  await expect
    .poll(async () => (await record()).custom_fields_values[0].values)
    .toEqual([{ value: 'Mine' }])
  expect(faults.splice(0).filter((fault) => !/ERR_|failed/i.test(fault))).toEqual([])
})

test('links ask whose stays: a contact that is edited, a company that is replaced, a quantity', async () => {
  const account = await newAccount()
  const { api } = account
  const lead = await addLead(api, { name: 'Pump order' })
  const bob = await colleague(account)
  const ann = await addRecord(api, 'contacts', { name: 'Ann Berg' })
  const [acme, rival, nord] = await Promise.all(
    ['Acme', 'Rival', 'Nord'].map((name) => addRecord(api, 'companies', { name })),
  )
  const made = await api.post('/api/v4/catalogs', [{ name: 'Products', type: 'products' }])
  const catalog: number = made.body._embedded.catalogs[0].id
  const pump = (
    await api.post(`/api/v4/catalogs/${catalog}/elements`, [
      { name: 'Pump', custom_fields_values: [{ field_code: 'PRICE', values: [{ value: 10 }] }] },
    ])
  ).body._embedded.elements[0].id as number
  await link(api, 'leads', lead, to('contacts', ann))
  await link(api, 'leads', lead, to('companies', acme!))
  const quantity = (number: number) =>
    bob.post(`/api/v4/leads/${lead}/link`, [
      {
        to_entity_type: 'catalog_elements',
        to_entity_id: pump,
        metadata: { catalog_id: catalog, quantity: number },
      },
    ])
  await quantity(2)
  const { page } = await openApplication(browser(), `/leads/${lead}`, { account })

  await page.getByRole('button', { name: 'Actions with Ann Berg' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  const form = page.getByRole('form', { name: 'Ann Berg' })
  await form.getByLabel('Name').fill('Ann Mine')
  await bob.patch(`/api/v4/contacts/${ann}`, { name: 'Ann His' })
  await page.getByRole('form', { name: 'Ann His' }).waitFor()
  await keys(page.getByRole('form').getByLabel('Name'), 'Enter')
  await notice(page).getByText('Bob Kay changed this to “Ann His” meanwhile').waitFor()
  await keys(mine(page), 'Enter')
  // The feed names linked records, too, maybe before the section does.
  const linked = (section: string, name: string) =>
    page.getByRole('region', { name: section, exact: true }).getByRole('link', { name })
  await linked('Contacts', 'Ann Mine').waitFor()

  await page.getByRole('button', { name: 'Choose another company' }).click()
  const finder = page.getByRole('region', { name: 'Company' }).getByPlaceholder('Find')
  await type(finder, 'Nord')
  // The offer to make one of that name comes before what is found.
  const found = page.getByRole('option', { name: 'Nord', exact: true })
  await found.waitFor()
  await link(bob, 'leads', lead, to('companies', rival!))
  await linked('Company', 'Rival').waitFor()
  await found.click()
  await notice(page).getByText('Bob Kay changed this to “Rival” meanwhile').waitFor()
  await mine(page).click()
  await linked('Company', 'Nord').waitFor()
  expect(nord).toBeGreaterThan(0)

  const field = page.getByLabel('Quantity of Pump')
  await field.fill('5')
  await quantity(9)
  await page.getByText('$90').first().waitFor()
  await keys(field, 'Enter')
  await notice(page).getByText('Bob Kay changed this to “9” meanwhile').waitFor()
  await theirs(page).click()
  await notice(page).waitFor({ state: 'detached' })
  await expect.poll(() => field.inputValue()).toBe('9')
})
