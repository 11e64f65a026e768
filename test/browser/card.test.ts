// The card of a record in a real browser: its fields of every type, two people at one card, the ways to
// it and back, the bin, rights, and phones.
import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { addLead } from '../leads.ts'
import { addRecord, readRecord } from '../records.ts'
import { accessibilityFaults, openApplication } from './application.ts'
import { card, focused, openBoard, openFrom, scrolled, scrollTo } from './board.ts'
import { useBrowser } from './chromium.ts'
import { addFields, control, edit, enums, fillIn, line, saved, unfold } from './fields.ts'
import { keys, shortcut, shortcutWithout, type } from './keys.ts'
import { resize, rest } from './rest.ts'
import { seedScreens } from './screens.ts'

const browser = useBrowser()

/** The values of the fields of a lead by their names, as the interface answers them. */
async function valuesOf({ api }: TestAccount, path: string): Promise<Record<string, unknown>> {
  const { body } = await api.get(path)
  const all = (body.custom_fields_values ?? []) as { field_name: string; values: object[] }[]
  return Object.fromEntries(all.map(({ field_name, values }) => [field_name, values]))
}

/** Gives the record of the card another name. */
async function rename(page: Page, from: string, to: string): Promise<void> {
  await page.getByRole('button', { name: from, exact: true }).click()
  const field = page.getByRole('textbox', { name: 'Name', exact: true })
  await type(field, to)
  await keys(field, 'Enter')
}

test('fields of every type are filled in place, saved one by one, and cleared', async () => {
  const account = await newAccount()
  await addFields(account, [
    { name: 'Order', type: 'text' },
    { name: 'Story', type: 'textarea' },
    { name: 'Site', type: 'url' },
    { name: 'Street', type: 'streetaddress' },
    { name: 'Weight', type: 'numeric' },
    { name: 'Advance', type: 'monetary', currency: 'EUR' },
    { name: 'Delivery', type: 'select', ...enums('Courier', 'Post') },
    { name: 'Payment', type: 'radiobutton', ...enums('Cash', 'Invoice') },
    { name: 'Wishes', type: 'multiselect', ...enums('Pumps', 'Pipes', 'Valves') },
    { name: 'Urgent', type: 'checkbox' },
    { name: 'Day', type: 'date' },
    { name: 'Born', type: 'birthday' },
    { name: 'Meeting', type: 'date_time' },
    { name: 'Place', type: 'smart_address' },
    { name: 'Firm', type: 'legal_entity' },
  ])
  const lead = await addLead(account.api, { name: 'Pump order' })
  const path = `/api/v4/leads/${lead}`
  const { page } = await openApplication(browser(), `/leads/${lead}`, { account })
  await unfold(page)
  const save = async (name: string, text: string, last?: string) => {
    await fillIn(page, name, text, last)
    await saved(page, name)
  }
  await save('Order', 'A-17')
  await save('Story', 'Two lines', 'Control+Enter')
  await save('Site', 'example.com/pumps')
  // The focus that leaves a field saves it too.
  await save('Street', 'Dock Road 40', 'Tab')
  await save('Weight', '1 234,5')
  await save('Advance', '54000')
  await save('Day', '05062026')
  await save('Born', '11051966')
  await edit(page, 'Delivery')
  await page.getByRole('option', { name: 'Post' }).click()
  await saved(page, 'Delivery')
  await edit(page, 'Payment')
  await page.getByRole('radio', { name: 'Invoice' }).click()
  await saved(page, 'Payment')
  await edit(page, 'Wishes')
  await page.getByRole('option', { name: 'Pumps' }).click()
  await page.getByRole('option', { name: 'Valves' }).click()
  await keys(control(page, 'Wishes'), 'Tab')
  await saved(page, 'Wishes')
  await page.getByRole('checkbox', { name: 'Urgent' }).check()
  await saved(page, 'Urgent')
  await edit(page, 'Meeting')
  await page.getByLabel('Meeting').fill('2026-06-05T14:30')
  await keys(control(page, 'Meeting'), 'Enter')
  await saved(page, 'Meeting')
  await edit(page, 'Place')
  const city = page.getByRole('textbox', { name: 'City' })
  await city.fill('Riga')
  await keys(city, 'Enter')
  await saved(page, 'Place')
  await edit(page, 'Firm')
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Acme Ltd')
  const tax = page.getByRole('textbox', { name: 'Tax number' })
  await tax.fill('LV400')
  await keys(tax, 'Enter')
  await saved(page, 'Firm')
  expect(await valuesOf(account, path)).toMatchObject({
    Order: [{ value: 'A-17' }],
    Story: [{ value: 'Two lines' }],
    Site: [{ value: 'example.com/pumps' }],
    Street: [{ value: 'Dock Road 40' }],
    Weight: [{ value: '1234.5' }],
    Advance: [{ value: '54000' }],
    Day: [{ value: Date.parse('2026-05-06T00:00Z') / 1000 }],
    Born: [{ value: Date.parse('1966-11-05T00:00Z') / 1000 }],
    Meeting: [{ value: Date.parse('2026-06-05T14:30Z') / 1000 }],
    Delivery: [{ value: 'Post' }],
    Payment: [{ value: 'Invoice' }],
    Wishes: [{ value: 'Pumps' }, { value: 'Valves' }],
    Urgent: [{ value: true }],
    Place: [{ value: 'Riga', enum_code: 'city' }],
    Firm: [{ value: { name: 'Acme Ltd', vat_id: 'LV400' } }],
  })
  await expect
    .poll(() => page.getByRole('link', { name: 'example.com/pumps' }).getAttribute('href'))
    .toBe('https://example.com/pumps')
  await line(page, 'Advance').getByText('€54,000').waitFor()
  await edit(page, 'Order')
  await page.getByRole('button', { name: 'Clear: Order' }).click()
  await saved(page, 'Order')
  await edit(page, 'Wishes')
  await page.getByRole('button', { name: 'Clear: Wishes' }).click()
  await saved(page, 'Wishes')
  const left = await valuesOf(account, path)
  expect([left['Order'], left['Wishes']]).toEqual([undefined, undefined])
})

test('values are copied and pasted by the keys of the clipboard, and what is wrong says so', async () => {
  const account = await newAccount()
  await addFields(account, [
    { name: 'Order', type: 'text' },
    { name: 'Weight', type: 'numeric' },
    { name: 'Advance', type: 'monetary', currency: 'EUR' },
    { name: 'Delivery', type: 'select', ...enums('Courier', 'Post') },
    { name: 'Wishes', type: 'multiselect', ...enums('Pumps', 'Pipes', 'Valves') },
  ])
  const [from, to] = [
    await addLead(account.api, { name: 'Pump order' }),
    await addLead(account.api, { name: 'Another' }),
  ]
  const { page } = await openApplication(browser(), `/leads/${from}`, { account })
  await unfold(page)
  /** The value of a field, which has the focus. */
  const value = async (name: string) => {
    const button = line(page, name).locator('[data-edit]')
    await button.focus()
    return button
  }
  const copy = async (name: string) => {
    await keys(await value(name), 'Control+c')
    await line(page, name).getByText('Copied').waitFor()
  }
  const paste = async (name: string) => {
    await keys(await value(name), 'Control+v')
    await saved(page, name)
  }
  await fillIn(page, 'Advance', '1234.5')
  await saved(page, 'Advance')
  await copy('Advance')
  await paste('Weight')
  await paste('Order')
  await edit(page, 'Wishes')
  await page.getByRole('option', { name: 'Pumps' }).click()
  await page.getByRole('option', { name: 'Valves' }).click()
  await keys(control(page, 'Wishes'), 'Tab')
  await saved(page, 'Wishes')
  // A number that a text does not have opens to be corrected.
  await fillIn(page, 'Order', 'two pumps')
  await saved(page, 'Order')
  await copy('Order')
  await keys(await value('Weight'), 'Control+v')
  await line(page, 'Weight').getByRole('alert').waitFor()
  await expect.poll(() => control(page, 'Weight').inputValue()).toBe('two pumps')
  await keys(control(page, 'Weight'), 'Escape')
  // A choice has no such value, nor has a number that of two lines.
  await copy('Wishes')
  await keys(await value('Delivery'), 'Control+v')
  await line(page, 'Delivery').getByText('The clipboard has no value for this field').waitFor()
  await keys(await value('Weight'), 'Control+v')
  await line(page, 'Weight').getByText('The clipboard has no value for this field').waitFor()
  // Another record, and a selection in the line, which is copied as it is.
  await page.goto(`${account.kontor.url}/leads/${to}`)
  await unfold(page)
  await paste('Wishes')
  await page.evaluate(`{
    const names = [...document.querySelectorAll('[data-member] [id$="-name"]')]
    getSelection().selectAllChildren(names.find((name) => name.textContent === 'Wishes'))
  }`)
  await keys(await value('Wishes'), 'Control+c')
  await page.evaluate('getSelection().removeAllRanges()')
  await paste('Order')
  const stored = (id: number) => valuesOf(account, `/api/v4/leads/${id}`)
  expect(await stored(from)).toMatchObject({
    Weight: [{ value: '1234.5' }],
    Order: [{ value: 'two pumps' }],
    Wishes: [{ value: 'Pumps' }, { value: 'Valves' }],
  })
  expect(await stored(to)).toMatchObject({
    Wishes: [{ value: 'Pumps' }, { value: 'Valves' }],
    Order: [{ value: 'Wishes' }],
  })
})

test('the name, the price, the responsible user and tags of a lead are changed in place', async () => {
  const account = await newAccount()
  const { id: jana } = await account.addUser({ name: 'Jana Schmidt' })
  const lead = await addLead(account.api, { name: 'Pump order', price: 10 })
  const { page } = await openApplication(browser(), `/leads/${lead}`, { account })
  await rename(page, 'Pump order', 'Pump order, two pieces')
  await page.getByRole('heading', { level: 1, name: 'Pump order, two pieces' }).waitFor()
  await expect.poll(() => page.title()).toBe('Pump order, two pieces · Kontor')
  await fillIn(page, 'Price', '54 000')
  await saved(page, 'Price')
  await shortcut(page, 'a')
  const person = page.getByRole('combobox', { name: 'Person' })
  await person.fill('Jana')
  await keys(person, 'Enter')
  await page.getByText('Responsible: Jana Schmidt').waitFor()
  await shortcut(page, '#')
  const tag = page.getByRole('combobox', { name: 'Tag' })
  await tag.fill('vip')
  await keys(tag, 'Enter')
  const read = async () => (await account.api.get(`/api/v4/leads/${lead}`)).body
  await expect.poll(async () => (await read())._embedded.tags).toMatchObject([{ name: 'vip' }])
  expect(await read()).toMatchObject({
    name: 'Pump order, two pieces',
    price: 54_000,
    responsible_user_id: jana,
  })
})

test('a value that the server refuses stays as it was typed, with the reason beside it', async () => {
  const account = await newAccount()
  await addFields(account, [{ name: 'Weight', type: 'numeric' }])
  const lead = await addLead(account.api, { name: 'Pump order' })
  const { page, faults } = await openApplication(browser(), `/leads/${lead}`, { account })
  await unfold(page)
  await fillIn(page, 'Weight', 'heavy')
  await line(page, 'Weight').getByText('Enter a number').waitFor()
  const weight = page.getByRole('textbox', { name: 'Weight' })
  await weight.fill('123456789012345678901')
  await keys(weight, 'Enter')
  await line(page, 'Weight')
    .getByRole('alert')
    .getByText(/digits/)
    .waitFor()
  await expect.poll(() => weight.inputValue()).toBe('123456789012345678901')
  expect(await accessibilityFaults(page)).toEqual([])
  await weight.fill('12')
  await keys(weight, 'Enter')
  await saved(page, 'Weight')
  expect(faults.splice(0)).toEqual([expect.stringContaining('400')])
})

test('a colleague who came after the page was loaded has a name, and is offered as responsible', async () => {
  const account = await newAccount()
  const lead = await addLead(account.api, { name: 'Pump order' })
  const { page } = await openApplication(browser(), `/leads/${lead}`, { account })
  await page.getByRole('button', { name: 'Responsible: The administrator' }).waitFor()
  const zoe = await account.addUser({ name: 'Zoe Late', is_admin: true })
  // Somebody else gives the lead to her.
  await account.api.patch(`/api/v4/leads/${lead}`, { responsible_user_id: zoe.id })
  await page.getByRole('button', { name: 'Responsible: Zoe Late' }).waitFor()
  // She does something herself.
  const max = await account.addUser({ name: 'Max Later', is_admin: true })
  await max.api.post(`/api/v4/leads/${lead}/notes`, [
    { note_type: 'common', params: { text: 'Called them' } },
  ])
  const note = page.getByRole('article').filter({ hasText: 'Called them' })
  await note.getByText('Max Later').first().waitFor()
  // Nothing told of the last one; who looks for somebody later than a minute asks anew.
  await account.addUser({ name: 'Nina Last', is_admin: true })
  await page.clock.setFixedTime(Date.now() + 90_000)
  await shortcut(page, 'a')
  await page.getByRole('option', { name: 'Nina Last' }).waitFor()
})

test('tags are found among all of the account as somebody types, and a failed search is told', async () => {
  const account = await newAccount()
  const { api } = account
  const names = Array.from({ length: 130 }, (_, n) => ({
    name: `Tag ${String(n).padStart(3, '0')}`,
  }))
  await api.post('/api/v4/contacts/tags', names)
  const contact = await addRecord(api, 'contacts', { name: 'Ann' })
  const { page, faults } = await openApplication(browser(), `/contacts/${contact}`, { account })
  let isCut = true
  await page.route('**/api/v4/contacts/tags?*', (route) =>
    isCut ? route.abort() : route.continue(),
  )
  await page.getByRole('button', { name: 'Tags…' }).waitFor()
  const shown = await page.evaluate<string[]>(
    "fetch('/web/v1/bootstrap').then((answer) => answer.json()).then(({ tags }) => tags.contacts.map(({ name }) => name))",
  )
  const { name } = names.find((each) => !shown.includes(each.name))!
  await shortcut(page, '#')
  const tag = page.getByRole('combobox', { name: 'Tag' })
  await type(tag, name)
  await page.getByText('The server does not answer').waitFor()
  expect(faults.splice(0).join()).toContain('ERR_FAILED')
  isCut = false
  await keys(tag, 'Backspace')
  const found = page.getByRole('option', { name, exact: true })
  await found.waitFor()
  await type(tag, name.at(-1)!)
  await expect.poll(() => page.getByRole('option').allTextContents()).toEqual([name])
  await keys(tag, 'Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const tags = async () => (await readRecord(api, 'contacts', contact))._embedded.tags
  await expect.poll(tags).toMatchObject([{ name }])
  // The tag that is there was taken; none was made.
  expect((await api.get('/api/v4/contacts/tags?limit=250')).body._embedded.tags).toHaveLength(130)
})

test('a stage asks for the fields that it needs, and keeps them from being emptied', async () => {
  const account = await newAccount()
  const opened = await openBoard(browser(), {
    account,
    leads: { New: [['Pump order']], Offer: [] },
  })
  const { page, pipeline, at, leads } = opened
  await addFields(account, [
    {
      name: 'Delivery',
      type: 'text',
      required_statuses: [{ pipeline_id: pipeline, status_id: at['Offer'] }],
    },
  ])
  await page.goto(`${account.kontor.url}/leads/${leads['Pump order']}`)
  await page.getByRole('button', { name: 'Offer', exact: true }).click()
  await page.getByRole('dialog', { name: 'This stage needs more' }).waitFor()
  await page.getByRole('textbox', { name: 'Delivery' }).fill('By courier')
  await page.getByRole('button', { name: 'Move', exact: true }).click()
  await page.getByText('“Pump order” moved to Offer').waitFor()
  await line(page, 'Delivery').getByText('By courier').waitFor()
  await edit(page, 'Delivery')
  await keys(control(page, 'Delivery'), 'Backspace', 'Enter')
  await line(page, 'Delivery').getByText('required at this stage').waitFor()
  await keys(control(page, 'Delivery'), 'Escape')
  await line(page, 'Delivery').getByText('By courier').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  const stage = async () =>
    (await account.api.get(`/api/v4/leads/${leads['Pump order']}`)).body.status_id
  await expect.poll(stage).toBe(at['New'])
  await shortcut(page, 'm')
  const target = page.getByRole('combobox', { name: 'Stage' })
  await target.fill('Contract')
  await keys(target, 'Enter')
  await expect.poll(stage).toBe(at['Contract'])
})

const choose = (page: Page, name: string, file: string, text: string) =>
  line(page, name)
    .locator('input[type=file]')
    .setInputFiles({ name: file, mimeType: 'text/plain', buffer: Buffer.from(text) })

const fileIn = (page: Page, name: string) => line(page, name).getByRole('link')

/** The text of the file that the link of a field leads to, as its reader gets it. */
async function textAt(page: Page, name: string): Promise<string> {
  const { origin } = new URL(page.url())
  const href = await fileIn(page, name).getAttribute('href')
  return (await page.request.get(origin + href!)).text()
}

test.each([
  ['leads', { name: 'Pump order' }],
  ['contacts', { name: 'Ivan' }],
  ['companies', { name: 'Acme' }],
  ['customers', { name: 'Nord', next_date: 2_100_000_000 }],
])(
  'a file on a card of %s is chosen, opened, replaced by a drop, and cleared',
  async (type, of) => {
    const account = await newAccount()
    await addFields(account, [{ name: 'Contract', type: 'file' }], type)
    const made = await account.api.post(`/api/v4/${type}`, [of])
    const id = made.body._embedded[type][0].id as number
    const { page } = await openApplication(browser(), `/${type}/${id}`, { account })
    await unfold(page)
    const picker = page.waitForEvent('filechooser')
    const choice = line(page, 'Contract').getByRole('button', { name: 'Contract' })
    await choice.focus()
    await keys(choice, 'Enter')
    await (
      await picker
    ).setFiles({ name: 'offer.txt', mimeType: 'text/plain', buffer: Buffer.from('an offer') })
    await saved(page, 'Contract')
    await expect.poll(() => fileIn(page, 'Contract').textContent()).toBe('offer.txt8 byte')
    expect(await textAt(page, 'Contract')).toBe('an offer')
    await expect.poll(() => focused(page)).toBe('Replace the file: Contract')
    if (type === 'leads') {
      expect(await accessibilityFaults(page, '[data-record]')).toEqual([])
    }
    await page.evaluate(`{
    const transfer = new DataTransfer()
    transfer.items.add(new File(['a plan'], 'plan.txt', { type: 'text/plain' }))
    const target = document.querySelector('[data-member] a[href*="/files/"]')
    for (const name of ['dragover', 'drop'])
      target.dispatchEvent(new DragEvent(name, { dataTransfer: transfer, bubbles: true, cancelable: true }))
  }`)
    await fileIn(page, 'Contract').getByText('plan.txt').waitFor()
    await saved(page, 'Contract')
    expect(await textAt(page, 'Contract')).toBe('a plan')
    const { Contract: values } = await valuesOf(account, `/api/v4/${type}/${id}`)
    expect(values).toEqual([
      { value: expect.objectContaining({ file_name: 'plan.txt', file_size: 6 }) },
    ])
    await page.reload()
    expect(await textAt(page, 'Contract')).toBe('a plan')
    const clear = line(page, 'Contract').getByRole('button', { name: 'Clear: Contract' })
    await clear.focus()
    await keys(clear, 'Enter')
    await saved(page, 'Contract')
    await line(page, 'Contract').getByText('Choose a file').waitFor()
    expect(await valuesOf(account, `/api/v4/${type}/${id}`)).toEqual({})
  },
)

test('a file that is dropped beside the fields does not take the place of the page', async () => {
  const { page } = await openApplication(browser())
  const isTaken = await page.evaluate<boolean[]>(`['dragover', 'drop'].map((name) => {
    const transfer = new DataTransfer()
    transfer.items.add(new File(['a plan'], 'plan.txt', { type: 'text/plain' }))
    const event = new DragEvent(name, { dataTransfer: transfer, bubbles: true, cancelable: true })
    document.querySelector('main').dispatchEvent(event)
    return event.defaultPrevented
  })`)
  expect(isTaken).toEqual([true, true])
})

test('a file that is too large, refused or given up says so at its field, and is sent again', async () => {
  const account = await newAccount({ fileMaxBytes: 2000 })
  await addFields(account, [{ name: 'Contract', type: 'file' }])
  const lead = await addLead(account.api, { name: 'Pump order' })
  const { page, faults } = await openApplication(browser(), `/leads/${lead}`, { account })
  await unfold(page)
  const alertShown = (text: string) =>
    line(page, 'Contract').getByRole('alert').getByText(text).waitFor()
  await choose(page, 'Contract', 'large.txt', 'x'.repeat(3000))
  await alertShown('A file has 2 kB at most. Choose a smaller one.')
  await page.getByRole('article').first().waitFor()
  expect(await accessibilityFaults(page, '[data-record]')).toEqual([])
  await choose(page, 'Contract', 'empty.txt', '')
  await alertShown('This file is empty.')
  // The first is held until it is given up, the second is cut off, the third goes through.
  let sent = 0
  await page.route('**/web/v1/files?*', async (route) => {
    sent += 1
    if (sent === 2) await route.abort()
    else if (sent > 2) await route.continue()
  })
  await choose(page, 'Contract', 'offer.txt', 'an offer')
  await page.getByRole('progressbar', { name: 'Sending offer.txt' }).waitFor({ state: 'attached' })
  await keys(page.getByRole('button', { name: 'Stop sending' }), 'Escape')
  await page.getByRole('progressbar').waitFor({ state: 'detached' })
  await line(page, 'Contract').getByText('Choose a file').waitFor()
  await choose(page, 'Contract', 'offer.txt', 'an offer')
  await alertShown('The server does not answer. Send the file again in a moment.')
  await page.getByRole('button', { name: 'Send the file again: Contract' }).click()
  await saved(page, 'Contract')
  expect(await textAt(page, 'Contract')).toBe('an offer')
  expect(sent).toBe(3)
  expect(faults.splice(0).filter((fault) => !/40[03]|413|ERR_FAILED/.test(fault))).toEqual([])
})

test('a file that others replace while another is sent asks whose stays', async () => {
  const account = await newAccount()
  const { Contract: field } = await addFields(account, [{ name: 'Contract', type: 'file' }])
  const lead = await addLead(account.api, { name: 'Pump order' })
  const { page } = await openApplication(browser(), `/leads/${lead}`, { account })
  await unfold(page)
  const value = { file_uuid: crypto.randomUUID(), version_uuid: crypto.randomUUID() }
  let goOn = () => {}
  const isFree = new Promise<void>((resolve) => (goOn = resolve))
  await page.route('**/web/v1/files?*', async (route) => {
    await isFree
    await route.continue()
  })
  await choose(page, 'Contract', 'mine.txt', 'mine')
  await page.getByRole('progressbar', { name: 'Sending mine.txt' }).waitFor({ state: 'attached' })
  await account.api.patch(`/api/v4/leads/${lead}`, {
    custom_fields_values: [
      { field_id: field!.id, values: [{ value: { ...value, file_name: 'theirs.txt' } }] },
    ],
  })
  await page.getByText(/changed this to “theirs.txt” meanwhile/).waitFor()
  goOn()
  await page.getByRole('button', { name: 'Keep mine' }).click()
  await saved(page, 'Contract')
  expect(await textAt(page, 'Contract')).toBe('mine')
})

test('two people at one card: others’ changes appear, and the edited field asks whose stays', async () => {
  const account = await newAccount()
  await addFields(account, [
    { name: 'Order', type: 'text' },
    { name: 'Site', type: 'text' },
  ])
  const lead = await addLead(account.api, { name: 'Pump order' })
  const anna = await openApplication(browser(), `/leads/${lead}`, { account, name: 'Anna Berg' })
  const bob = await openApplication(browser(), `/leads/${lead}`, { account, name: 'Bob Kay' })
  const { page } = bob
  // The names of users come with the page.
  await anna.page.reload()
  await page.getByRole('img', { name: 'Anna Berg has this card open' }).waitFor()
  await unfold(anna.page)
  await unfold(page)
  await edit(page, 'Order')
  await anna.page.getByRole('img', { name: 'Bob Kay is editing this' }).waitFor()
  await type(control(page, 'Order'), 'Mine')
  await fillIn(anna.page, 'Site', 'Quietly')
  await line(page, 'Site').getByText('Quietly').waitFor()
  await fillIn(anna.page, 'Order', 'Hers')
  await page.getByText('Anna Berg changed this to “Hers” meanwhile').waitFor()
  await expect.poll(() => page.getByRole('textbox', { name: 'Order' }).inputValue()).toBe('Mine')
  expect(await accessibilityFaults(page, '[data-record]')).toEqual([])
  await page.getByRole('button', { name: 'Keep mine' }).click()
  await line(anna.page, 'Order').getByText('Mine').waitFor()
  await edit(page, 'Order')
  await type(control(page, 'Order'), 'Mine again')
  await fillIn(anna.page, 'Order', 'Hers again')
  await page.getByRole('button', { name: 'Take theirs' }).click()
  await line(page, 'Order').getByText('Hers again').waitFor()
  await anna.page.close({ runBeforeUnload: true })
  await page.getByRole('img', { name: 'Anna Berg has this card open' }).waitFor({ state: 'hidden' })
})

test('a field that is edited again right after it was saved was changed by nobody else', async () => {
  const account = await newAccount()
  await addFields(account, [{ name: 'Order', type: 'text' }])
  const lead = await addLead(account.api, { name: 'Pump order' })
  const { page } = await openApplication(browser(), `/leads/${lead}`, { account })
  await unfold(page)
  const releases: (() => void)[] = []
  let isWithheld = true
  await page.route(`**/web/v1/cards/leads/${lead}`, async (route) => {
    if (isWithheld) await new Promise<void>((resolve) => releases.push(resolve))
    await route.continue()
  })
  // The server answers it without the spaces.
  await fillIn(page, 'Order', '  First ')
  await saved(page, 'Order')
  await edit(page, 'Order')
  await keys(control(page, 'Order'), 'ControlOrMeta+a')
  await type(control(page, 'Order'), 'Second')
  await expect.poll(() => releases.length).toBeGreaterThan(0)
  const answered = page.waitForResponse(`**/web/v1/cards/leads/${lead}`)
  isWithheld = false
  for (const release of releases) release()
  await answered
  await rest(page)
  await expect.poll(() => page.getByText('changed this').count()).toBe(0)
  await keys(control(page, 'Order'), 'Enter')
  await expect
    .poll(() => valuesOf(account, `/api/v4/leads/${lead}`))
    .toEqual({ Order: [{ value: 'Second' }] })
})

test('a card opens over the board by mouse and by keys, and Escape and Back return to it', async () => {
  const many = Array.from({ length: 40 }, (_, at): [string] => [`Lead ${at + 1}`])
  const { page, pipeline, leads, account } = await openBoard(browser(), { leads: { New: many } })
  const board = `${account.kontor.url}/leads/p/${pipeline}`
  await scrollTo(page, 'New', 600)
  const top = await openFrom(page, 'New', 'Lead 30')
  const panel = page.getByRole('region', { name: 'Lead 30' })
  await panel.waitFor()
  expect(page.url()).toBe(`${account.kontor.url}/leads/${leads['Lead 30']}`)
  await panel.getByText('11/40').waitFor()
  await keys(panel, 'Escape')
  await panel.waitFor({ state: 'detached' })
  expect(page.url()).toBe(board)
  await expect.poll(() => focused(page)).toMatch(/^Lead 30,/)
  expect(top).toBeGreaterThan(0)
  expect(await scrolled(page, 'New')).toBe(top)
  await keys(card(page, 'Lead 30'), 'ArrowDown')
  await keys(card(page, 'Lead 29'), 'Enter')
  await page.getByRole('region', { name: 'Lead 29' }).waitFor()
  await shortcut(page, ']')
  await page.getByRole('region', { name: 'Lead 28' }).waitFor()
  await shortcut(page, '[', '[')
  await page.getByRole('region', { name: 'Lead 30' }).waitFor()
  await page.goBack()
  await expect.poll(() => focused(page)).toMatch(/^Lead 30,/)
  expect(page.url()).toBe(board)
  await page.goForward()
  await page.getByRole('region', { name: 'Lead 30' }).waitFor()
  // Reloaded, the lead is over the board still. Its address by itself is a page.
  await page.reload()
  await page.getByRole('region', { name: 'Lead 30' }).waitFor()
  expect(page.url()).toBe(`${account.kontor.url}/leads/${leads['Lead 30']}`)
  await shortcut(page, 'Escape')
  await page.waitForURL(board)
  await page.goto(`${account.kontor.url}/leads/${leads['Lead 30']}`)
  await page.getByRole('heading', { level: 1, name: 'Lead 30' }).waitFor()
  await page.getByRole('button', { name: 'Back to the board' }).click()
  await page.waitForURL(board)
})

test('a deleted lead is offered back, and one that is deleted elsewhere can only be read', async () => {
  const { page, leads, account } = await openBoard(browser(), {
    leads: { New: [['Pump order'], ['Roof tiles']] },
  })
  await card(page, 'Pump order').getByRole('link').click()
  await page.getByRole('region', { name: 'Pump order' }).waitFor()
  await page.getByRole('button', { name: 'Actions', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await card(page, 'Pump order').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await card(page, 'Pump order').waitFor()
  await page.goto(`${account.kontor.url}/leads/${leads['Roof tiles']}`)
  await page.getByRole('button', { name: 'Roof tiles' }).waitFor()
  await account.api.delete(`/api/v4/leads/${leads['Roof tiles']}`)
  await page.getByText(/^Deleted by The administrator .* It can only be read\.$/).waitFor()
  await page.getByRole('button', { name: 'Roof tiles' }).waitFor({ state: 'detached' })
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Restore' }).click()
  await page.getByRole('button', { name: 'Roof tiles' }).waitFor()
})

test('a card without rights says so, and one without the right to edit only shows', async () => {
  const account = await newAccount()
  const hidden = await addLead(account.api, { name: 'Hidden' })
  const level = { view: 'M', edit: 'D', add: 'D', delete: 'D', export: 'D' } as const
  const rights = { leads: level }
  const opened = await openApplication(browser(), '/', {
    account,
    name: 'Robin',
    is_admin: false,
    rights,
  })
  const { page, faults } = opened
  const users = (await account.api.get('/api/v4/users')).body._embedded.users
  const robin = users.find(({ name }: { name: string }) => name === 'Robin').id as number
  const own = await addLead(account.api, { name: 'Own', responsible_user_id: robin })
  await page.goto(`${account.kontor.url}/leads/${own}`)
  await page.getByRole('heading', { level: 1, name: 'Own' }).waitFor()
  await line(page, 'Responsible').getByText('Robin').waitFor()
  await expect.poll(() => page.locator('[data-edit]').count()).toBe(0)
  await page.goto(`${account.kontor.url}/leads/${hidden}`)
  await page.getByText('You have no access to this').waitFor()
  expect(faults.splice(0)).toEqual([expect.stringContaining('403')])
  await page.goto(`${account.kontor.url}/leads/${hidden + 1_000_000}`)
  await page.getByText('Nothing is here').waitFor()
  expect(faults.splice(0)).toEqual([expect.stringContaining('404')])
})

test('on paper a card has nothing to press', async () => {
  const account = await newAccount()
  const screens = await seedScreens(account.api)
  const { page } = await openApplication(browser(), '/home', { account })
  for (const name of ['lead', 'contact', 'company', 'customer']) {
    await page.goto(account.kontor.url + screens.find((each) => each.name === name)!.path)
    await rest(page)
    // A new renderer may begin with the screen.
    await page.emulateMedia({ media: 'print' })
    // Values, the stages, the pipeline, the user and the parts of the card are buttons that say something.
    const toPress = `[...document.querySelectorAll('button, select, [role=combobox]')]
      .filter((each) => each.checkVisibility() && each.textContent + each.ariaLabel !== '')
      .filter((each) => !each.closest('h1, ol, article, [role=tablist], [data-edit], [data-printed], [data-title]'))
      .map((each) => (each.ariaLabel ?? '') + each.textContent)`
    await expect.poll(() => page.evaluate(toPress), { message: name }).toEqual([])
    await page.getByRole('heading', { level: 1 }).waitFor()
  }
})

test('contacts have phones and e-mails to call and to write, with their labels', async () => {
  const account = await newAccount()
  const { body } = await account.api.post('/api/v4/contacts', [
    {
      name: 'Ivan Petrov',
      custom_fields_values: [
        { field_code: 'PHONE', values: [{ value: '+7 900 111-22-33', enum_code: 'MOB' }] },
      ],
    },
  ])
  const id = body._embedded.contacts[0].id as number
  const { body: fields } = await account.api.get('/api/v4/contacts/custom_fields')
  const { name: email } = fields._embedded.custom_fields.find(
    ({ code }: { code: string }) => code === 'EMAIL',
  ) as { name: string }
  const { page } = await openApplication(browser(), `/contacts/${id}`, { account })
  const phone = page.getByRole('link', { name: '+7 900 111-22-33' })
  await expect.poll(() => phone.getAttribute('href')).toBe('tel:+79001112233')
  await line(page, 'Phone').getByText('Mobile').waitFor()
  await edit(page, 'Phone')
  await page.getByRole('button', { name: 'One more' }).click()
  const second = line(page, 'Phone').locator('input[type=tel]').nth(1)
  await type(second, '+371 200')
  await keys(second, 'Enter')
  await saved(page, 'Phone')
  await unfold(page)
  await fillIn(page, email, 'ivan@example.com')
  await saved(page, email)
  expect(await valuesOf(account, `/api/v4/contacts/${id}`)).toMatchObject({
    Phone: [
      { value: '+7 900 111-22-33', enum_code: 'MOB' },
      { value: '+371 200', enum_code: 'WORK' },
    ],
    [email]: [{ value: 'ivan@example.com', enum_code: 'WORK' }],
  })
})

test.each(['light', 'dark'] as const)(
  'axe finds nothing on a card in the %s theme, over the board and on a phone',
  async (colorScheme) => {
    const { page, account, leads } = await openBoard(browser(), {
      leads: { New: [['Pump order', 54_000], ['Roof tiles']] },
      browserOptions: { colorScheme },
    })
    await account.api.patch(`/api/v4/leads/${leads['Pump order']}`, {
      tags_to_add: [{ name: 'vip' }],
    })
    await card(page, 'Pump order').getByRole('link').click()
    await page.getByRole('region', { name: 'Pump order' }).getByText('Price').waitFor()
    await page.getByRole('article').first().waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await resize(page, 390, 844)
    await page.getByText('Details', { exact: true }).waitFor()
    expect(
      await page.evaluate<boolean>(
        `document.documentElement.scrollWidth <= document.documentElement.clientWidth`,
      ),
    ).toBe(true)
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByText('Feed', { exact: true }).click()
    await page.getByRole('textbox', { name: 'Search the feed' }).waitFor()
    await page.getByText('Details', { exact: true }).click()
    await line(page, 'Price').getByText('$54,000').waitFor()
  },
)

/** Asks for a failed part until it comes: a request that was on its way may still fail. */
async function tryAgain(failed: Locator): Promise<void> {
  const again = failed.getByRole('button', { name: 'Try again' })
  await expect
    .poll(async () => {
      await again.click({ timeout: 1000 }).catch(() => undefined)
      return failed.count()
    })
    .toBe(0)
}

describe('a part of a card that fails', () => {
  /** Answers 500 to these requests until it is mended. */
  async function broken(page: Page, pattern: RegExp) {
    const state = { isBroken: true }
    await page.route(pattern, (route) =>
      state.isBroken
        ? route.fulfill({ status: 500, contentType: 'application/problem+json', body: '{}' })
        : route.continue(),
    )
    return state
  }
  const refused = (fault: string) => /500|ERR_FAILED/.test(fault)

  test('leaves the rest at work: the feed of a lead', async () => {
    const account = await newAccount()
    const lead = await addLead(account.api, { name: 'Pump order' })
    const { page, faults } = await openApplication(browser(), '/home', { account })
    const feed = await broken(page, /\/web\/v1\/timeline\//)
    await page.goto(`${account.kontor.url}/leads/${lead}`)
    await page.getByRole('alert').getByText('That did not work').waitFor()
    await fillIn(page, 'Price', '54000')
    await saved(page, 'Price')
    expect(await accessibilityFaults(page)).toEqual([])
    feed.isBroken = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Price changed').or(page.getByRole('article')).first().waitFor()
    expect(faults.splice(0).every(refused)).toBe(true)
  })

  test('leaves the rest at work: the code of the feed does not come', async () => {
    const account = await newAccount()
    const lead = await addLead(account.api, { name: 'Pump order' })
    const { page, faults } = await openApplication(browser(), '/home', { account })
    let isCut = true
    await page.route(/\/assets\/feed-.*\.js/, (route) => (isCut ? route.abort() : route.continue()))
    await page.goto(`${account.kontor.url}/leads/${lead}`)
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    await fillIn(page, 'Price', '54000')
    await saved(page, 'Price')
    isCut = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('article').first().waitFor()
    await line(page, 'Price').getByText('$54,000').waitFor()
    expect(faults.splice(0)).not.toEqual([])
  })

  test('that comes late does what a key asked of it before', async () => {
    const account = await newAccount()
    const lead = await addLead(account.api, { name: 'Pump order' })
    const { page } = await openApplication(browser(), '/home', { account })
    const late = Promise.withResolvers<void>()
    await page.route(/\/assets\/feed-.*\.js/, async (route) => {
      await late.promise
      await route.continue()
    })
    await page.goto(`${account.kontor.url}/leads/${lead}`)
    await edit(page, 'Price')
    await keys(control(page, 'Price'), 'Escape')
    await page.locator('[data-editing]').waitFor({ state: 'detached' })
    await shortcutWithout(/^(part feed|a part)$/, page, 'n')
    late.resolve()
    await page.locator('textarea[aria-label="Note"]:focus').waitFor()
  })

  test('leaves the rest at work: the purchases of a customer and their months', async () => {
    const account = await newAccount()
    const { api } = account
    await api.patch('/api/v4/customers/mode', { mode: 'periodicity', is_enabled: true })
    const customer = await addRecord(api, 'customers', { name: 'Nord GmbH' })
    await api.post(`/api/v4/customers/${customer}/transactions`, [{ price: 700 }])
    const { page, faults } = await openApplication(browser(), '/home', { account })
    const list = await broken(page, /\/customers\/\d+\/transactions/)
    const months = await broken(page, /\/purchases-by-month/)
    await page.goto(`${account.kontor.url}/customers/${customer}`)
    await page.getByRole('tab', { name: 'Purchases' }).click()
    const part = page.getByRole('region', { name: 'Purchases' })
    await part.getByText('The months could not be loaded').waitFor()
    await part.getByRole('alert').getByText('That did not work').waitFor()
    // The news of a change ask for both anew.
    const requests = ['transactions', 'purchases-by-month'].map((path) =>
      page.waitForResponse((response) => response.url().includes(`/${path}`)),
    )
    await rename(page, 'Nord GmbH', 'Nord AG')
    await page.getByRole('heading', { level: 1, name: 'Nord AG' }).waitFor()
    await Promise.all(requests)
    expect(await accessibilityFaults(page)).toEqual([])
    list.isBroken = months.isBroken = false
    for (const text of ['The months could not be loaded', 'That did not work']) {
      const alertShown = part.getByRole('alert').filter({ hasText: text })
      await tryAgain(alertShown)
    }
    await part.getByRole('listitem').getByText('$700').waitFor()
    expect(faults.splice(0).every(refused)).toBe(true)
  })

  test('leaves the rest at work: the duplicates and the merges of a contact', async () => {
    const account = await newAccount()
    const { api } = account
    const phone = { field_code: 'PHONE', values: [{ value: '+371 2000 1000' }] }
    const [contact] = (
      await api.post('/api/v4/contacts', [
        { name: 'Ann', custom_fields_values: [phone] },
        { name: 'Anna', custom_fields_values: [phone] },
      ])
    ).body._embedded.contacts.map(({ id }: { id: number }) => id)
    const { page, faults } = await openApplication(browser(), '/home', { account })
    const duplicates = await broken(page, /\/web\/v1\/duplicates\//)
    const merges = await broken(page, /\/web\/v1\/merges\?/)
    await page.goto(`${account.kontor.url}/contacts/${contact}`)
    await page.getByText('Duplicates could not be looked for').waitFor()
    await page.getByText('Merges that can be undone could not be looked for').waitFor()
    // The news of a change ask for both anew.
    const requests = ['duplicates/', 'merges?'].map((path) =>
      page.waitForResponse((response) => response.url().includes(`/web/v1/${path}`)),
    )
    await rename(page, 'Ann', 'Ann Berg')
    await page.getByRole('heading', { level: 1, name: 'Ann Berg' }).waitFor()
    await Promise.all(requests)
    expect(await accessibilityFaults(page)).toEqual([])
    duplicates.isBroken = merges.isBroken = false
    for (const text of ['Merges that can be undone', 'Duplicates']) {
      const banner = page.getByRole('status').filter({ hasText: `${text} could not be looked for` })
      await tryAgain(banner)
    }
    await page.getByText('1 other contact shares this phone').waitFor()
    expect(faults.splice(0).every(refused)).toBe(true)
  })
})
