// What an account puts in an order in settings: loss reasons and types of tasks, their colours and icons, and
// templates of messages.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { addLead, addLeads, lost } from '../leads.ts'
import { accessibilityFaults, openApplication } from './application.ts'
import { drag } from './board.ts'
import { useBrowser } from './chromium.ts'
import { keys, type } from './keys.ts'
import { rest } from './rest.ts'

const browser = useBrowser()

async function made({ api }: TestAccount, path: string, ...drafts: object[]): Promise<number[]> {
  const ids: number[] = []
  for (const draft of drafts) {
    const { status, body } = await api.post(path, draft)
    if (status !== 201) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`)
    ids.push(body.id)
  }
  return ids
}

const reasons = '/web/v1/loss-reasons'
const types = '/web/v1/task-types'

const rows = (page: Page) => page.locator('[data-ordered]')
const names = (page: Page) => rows(page).locator('span[class*="name"]').allTextContents()
const row = (page: Page, name: string) => rows(page).filter({ hasText: name })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const said = (page: Page) => page.locator('[data-order-said]').textContent()
const storedNames = async ({ api }: TestAccount) =>
  (await api.get('/api/v4/leads/loss_reasons')).body._embedded.loss_reasons.map(
    ({ name }: { name: string }) => name,
  )

test('loss reasons are made, drawn, put in an order and deleted, by the mouse and by keys alone', async () => {
  const { page, account } = await openApplication(browser(), '/settings/loss-reasons')
  await page.getByText('No loss reasons yet').waitFor()
  await button(page, 'New reason').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'New reason' }).click()
  await dialog.getByText('Enter a name').waitFor()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Too dear')
  await dialog.getByRole('radio', { name: 'Coral', exact: true }).check()
  await dialog.getByRole('radio', { name: 'Bank card' }).check()
  expect(await accessibilityFaults(page)).toEqual([])
  await dialog.getByRole('button', { name: 'New reason' }).click()
  await row(page, 'Too dear').getByText('No leads').waitFor()
  for (const name of ['Silence', 'A rival']) {
    await rest(page)
    await button(page, 'New reason').focus()
    await keys(button(page, 'New reason'), 'Enter')
    await type(dialog.getByRole('textbox', { name: 'Name' }), name)
    await keys(dialog.getByRole('textbox', { name: 'Name' }), 'Enter')
    await row(page, name).waitFor()
  }
  await expect.poll(() => names(page)).toEqual(['Too dear', 'Silence', 'A rival'])

  // By the handle.
  await drag(page, button(page, 'Move “A rival”'), row(page, 'Too dear'))
  await expect.poll(() => storedNames(account)).not.toEqual(['Too dear', 'Silence', 'A rival'])
  await rest(page)
  const dragged = await names(page)
  expect(await storedNames(account)).toEqual(dragged)
  // By keys: several at once are all taken up, and the focus stays with the row.
  await button(page, 'Move “Silence”').focus()
  await keys(button(page, 'Move “Silence”'), 'Alt+ArrowUp', 'Alt+ArrowUp', 'Alt+ArrowUp')
  await expect.poll(() => said(page)).toBe('“Silence” is now 1 of 3')
  await keys(button(page, 'Move “Silence”'), 'Alt+ArrowDown')
  await expect.poll(() => said(page)).toBe('“Silence” is now 2 of 3')
  await keys(button(page, 'Move “Silence”'), 'Enter')
  await keys(page.getByRole('menu'), 'ArrowUp', 'Enter')
  await expect.poll(() => said(page)).toBe('“Silence” is now 3 of 3')
  await rest(page)
  await expect.poll(async () => (await names(page))[2]).toBe('Silence')
  expect(await storedNames(account)).toEqual(await names(page))

  const { body } = await account.api.get(reasons)
  const dear = body._embedded.loss_reasons.find(({ name }: { name: string }) => name === 'Too dear')
  expect(dear).toMatchObject({ color: 'ff8f92', icon_id: 11 })
  await addLead(account.api, { name: 'Pump', status_id: lost, loss_reason_id: dear.id })
  await page.reload()
  await row(page, 'Too dear').getByText('1 lead', { exact: true }).waitFor()
  await button(page, 'Edit “Too dear”').click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Over budget')
  await dialog.getByRole('radio', { name: 'No color' }).check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await row(page, 'Over budget').waitFor()
  await button(page, 'Delete “Over budget”').click()
  await dialog.getByText('1 lead has this reason').waitFor()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect.poll(() => row(page, 'Over budget').count()).toBe(0)
  await expect.poll(async () => (await names(page)).toSorted()).toEqual(['A rival', 'Silence'])
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await accessibilityFaults(page)).toEqual([])
})

test('types of tasks on a telephone: the menu moves them, predefined ones stay, deleted ones are apart', async () => {
  const account = await newAccount()
  const [visit] = await made(
    account,
    types,
    { name: 'Visit', color: '98cbff', icon_id: 6 },
    { name: 'Letter', color: 'ff8f92', icon_id: 3 },
  )
  await account.api.post('/api/v4/tasks', [
    { text: 'x', complete_till: 2_000_000_000, task_type_id: visit },
  ])
  const { page, faults } = await openApplication(
    browser(),
    '/settings/task-types',
    { account },
    { viewport: { width: 390, height: 844 }, hasTouch: true },
  )
  await page.getByText('Built in').first().waitFor()
  await expect.poll(() => names(page)).toEqual(['Visit', 'Letter'])
  await button(page, 'Move “Letter”').tap()
  await page.getByRole('menuitem', { name: 'To the top' }).tap()
  await expect.poll(() => names(page)).toEqual(['Letter', 'Visit'])
  await rest(page)
  expect(await accessibilityFaults(page)).toEqual([])
  const list = page.getByRole('list', { name: 'Task types' })
  for (const control of await list.getByRole('button').all()) {
    const { width, height } = (await control.boundingBox())!
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(24)
  }
  expect(
    await page.evaluate(
      'document.documentElement.scrollWidth <= document.documentElement.clientWidth',
    ),
  ).toBe(true)

  await button(page, 'Delete “Visit”').tap()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('1 task has this type and keeps it').waitFor()
  await dialog.getByRole('button', { name: 'Delete' }).tap()
  await page.getByRole('list', { name: 'Deleted types' }).getByText('Visit').waitFor()
  await button(page, 'New type').tap()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('letter')
  await dialog.getByRole('button', { name: 'New type' }).tap()
  await dialog.getByText('Another task type has this name').waitFor()
  expect(faults.splice(0).join()).toContain('400')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('visit')
  await dialog.getByRole('radio', { name: 'Car', exact: true }).check()
  await dialog.getByRole('button', { name: 'New type' }).tap()
  await expect.poll(() => names(page)).toEqual(['Letter', 'visit'])
  await expect.poll(() => page.getByText('Deleted types').count()).toBe(0)

  // Merged into a predefined one, which is a target alone, and back.
  await expect.poll(() => button(page, 'Merge “Call” into another').count()).toBe(0)
  await button(page, 'Merge “visit” into another').tap()
  await dialog.getByRole('option', { name: 'Call' }).tap()
  await dialog.getByText('1 task gets the other type').waitFor()
  await dialog.getByRole('button', { name: 'Merge', exact: true }).tap()
  await page.getByText('Task type “visit” merged').waitFor()
  await expect.poll(() => names(page)).toEqual(['Letter'])
  await rest(page)
  expect(await accessibilityFaults(page)).toEqual([])
  await button(page, 'Undo').tap()
  await page.getByText('Task type “visit” is back').waitFor()
  await expect.poll(() => names(page)).toEqual(['Letter', 'visit'])
})

test('a loss reason is merged into another with its count shown, and comes back by the undo', async () => {
  const account = await newAccount()
  const [dear] = await made(account, reasons, { name: 'Too dear' }, { name: 'Silence' })
  await addLeads(account.api, [
    { status_id: lost, loss_reason_id: dear },
    { status_id: lost, loss_reason_id: dear },
  ])
  const { page } = await openApplication(browser(), '/settings/loss-reasons', { account })
  await row(page, 'Too dear').getByText('2 leads').waitFor()
  const merge = button(page, 'Merge “Too dear” into another')
  await merge.focus()
  await keys(merge, 'Enter')
  const dialog = page.getByRole('dialog')
  await type(dialog.getByRole('combobox'), 'sil')
  await keys(dialog.getByRole('combobox'), 'Enter')
  await dialog.getByText('2 leads get the other reason').waitFor()
  await dialog.getByRole('button', { name: 'Merge', exact: true }).click()
  await page.getByText('Loss reason “Too dear” merged').waitFor()
  await expect.poll(() => names(page)).toEqual(['Silence'])
  await row(page, 'Silence').getByText('2 leads').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await button(page, 'Undo').click()
  await page.getByText('Loss reason “Too dear” is back').waitFor()
  await expect.poll(() => names(page)).toEqual(['Too dear', 'Silence'])
  await row(page, 'Too dear').getByText('2 leads').waitFor()
})

test('two administrators arrange and rename at once, and each sees the other', async () => {
  const account = await newAccount()
  const ids = await made(account, reasons, ...['a', 'b', 'c', 'd'].map((name) => ({ name })))
  const [ann, bea] = await Promise.all([
    openApplication(browser(), '/settings/loss-reasons', { account }),
    openApplication(browser(), '/settings/loss-reasons', { account, name: 'Bea' }),
  ])
  const up = async (page: Page, name: string) => {
    await button(page, `Move “${name}”`).focus()
    await keys(button(page, `Move “${name}”`), 'Alt+ArrowUp')
  }
  await Promise.all([up(ann.page, 'b'), up(bea.page, 'd')])
  // Whoever came first, both moves are done, and both see the order of the server.
  const order = ['b', 'a', 'd', 'c']
  await expect.poll(() => storedNames(account)).toEqual(order)
  for (const { page } of [ann, bea]) await expect.poll(() => names(page)).toEqual(order)

  await button(ann.page, 'Edit “a”').click()
  const dialog = ann.page.getByRole('dialog')
  await dialog.getByRole('radio', { name: 'Coral', exact: true }).check()
  await account.api.patch(`${reasons}/${ids[0]}`, { name: 'a by Bea' })
  await row(bea.page, 'a by Bea').waitFor()
  await dialog.getByRole('button', { name: 'Save' }).click()
  // The colour is saved, and the name of the other stays.
  await row(ann.page, 'a by Bea').waitFor()
  await dialog.waitFor({ state: 'hidden' })
  const { body } = await account.api.get(reasons)
  expect(body._embedded.loss_reasons).toContainEqual(
    expect.objectContaining({ name: 'a by Bea', color: 'ff8f92' }),
  )
  await button(ann.page, 'Edit “b”').click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('b by Ann')
  await account.api.patch(`${reasons}/${ids[1]}`, { name: 'b by Bea' })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Somebody has changed the name to “b by Bea” meanwhile.').waitFor()
  await dialog.getByRole('button', { name: 'Keep mine' }).click()
  await row(bea.page, 'b by Ann').waitFor()
})

test('templates are written with places for names, put in an order, and kept when a colleague changes or deletes them', async () => {
  const account = await newAccount()
  const templates = '/web/v1/chat-templates'
  const stored = async (): Promise<{ id: number; name: string; content: string }[]> =>
    (await account.api.get(templates)).body._embedded.templates
  const { body: group } = await account.api.post('/web/v1/groups', { name: 'Service' })
  const { page } = await openApplication(browser(), '/settings/templates', { account })
  await page.getByText('No templates yet').waitFor()
  // By keys alone.
  await button(page, 'New template').focus()
  await keys(button(page, 'New template'), 'Enter')
  const dialog = page.getByRole('dialog')
  const [name, text] = ['Name', 'Text'].map((label) => dialog.getByRole('textbox', { name: label }))
  await type(name!, 'Greeting')
  await text!.focus()
  await type(text!, 'Good morning ')
  await button(page, 'Insert').focus()
  await keys(button(page, 'Insert'), 'Enter')
  await page.getByRole('menuitem', { name: 'First name of the contact' }).waitFor()
  await keys(page.getByRole('menu'), 'Enter')
  await expect.poll(() => text!.inputValue()).toBe('Good morning {{contact.first_name}}')
  await type(text!, ', I am {{user.nam}}')
  await keys(text!, 'Control+Enter')
  await dialog.getByText('{{user.nam}} cannot be filled in').waitFor()
  await keys(text!, 'Backspace', 'Backspace')
  await type(text!, 'e}}')
  const preview = dialog.getByRole('region', { name: 'What it reads like' })
  await expect.poll(() => preview.textContent()).toContain('Good morning Maria, I am Ann')
  expect(await accessibilityFaults(page)).toEqual([])
  await keys(text!, 'Control+Enter')
  await row(page, 'Greeting').waitFor()
  const [greeting] = await stored()
  expect(greeting).toMatchObject({
    content: 'Good morning {{contact.first_name}}, I am {{user.name}}',
    group_ids: null,
  })
  await made(account, templates, ...['a', 'b'].map((each) => ({ name: each, content: 'x' })))
  await row(page, 'b').waitFor()
  await button(page, 'Move “b”').focus()
  await keys(button(page, 'Move “b”'), 'Alt+ArrowUp', 'Alt+ArrowUp')
  const order = ['b', 'Greeting', 'a']
  await expect.poll(() => names(page)).toEqual(order)
  await expect.poll(async () => (await stored()).map((each) => each.name)).toEqual(order)

  // A colleague's change beside it stays; a change of the same is said; and a deleted template can be kept.
  await button(page, 'Edit “Greeting”').click()
  await dialog.getByRole('radio', { name: 'Only some groups' }).check()
  await dialog.getByRole('combobox', { name: 'Groups' }).click()
  await page.getByRole('option', { name: 'Service' }).click()
  await account.api.patch(`${templates}/${greeting!.id}`, { content: 'Hello' })
  await expect.poll(() => row(page, 'Greeting').textContent()).toContain('Hello')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await row(page, 'Greeting').getByText('Only for Service').waitFor()
  expect((await stored())[1]).toMatchObject({ content: 'Hello', group_ids: [group.id] })
  await button(page, 'Edit “Greeting”').click()
  await text!.fill('Good day')
  await account.api.patch(`${templates}/${greeting!.id}`, { content: 'Good evening' })
  await dialog.getByText('changed this meanwhile: “Good evening”').waitFor()
  await account.api.delete(`${templates}/${greeting!.id}`)
  await dialog.getByText('A colleague has deleted this template').waitFor()
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 390, height: 844 })
  await rest(page)
  expect(await accessibilityFaults(page)).toEqual([])
  await dialog.getByRole('button', { name: 'New template' }).click()
  await expect.poll(() => names(page)).toEqual(['b', 'a', 'Greeting'])
  expect((await stored())[2]).toMatchObject({ content: 'Good day', group_ids: [group.id] })

  await button(page, 'Delete “a”').click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect.poll(() => names(page)).toEqual(['b', 'Greeting'])
  expect(
    await page.evaluate(
      'document.documentElement.scrollWidth <= document.documentElement.clientWidth',
    ),
  ).toBe(true)
  const more = Array.from({ length: 8 }, (_, at) => ({ name: `Reply ${at}`, content: 'Soon' }))
  await made(account, templates, ...more)
  await page.getByRole('textbox', { name: 'Find a template' }).fill('reply 7')
  await expect
    .poll(() => page.getByRole('list', { name: 'Message templates' }).getByRole('listitem').count())
    .toBe(1)
  await page.getByText('Reply 7').waitFor()
})

test('whoever is no administrator reads the lists and changes nothing; a failure is tried again', async () => {
  const account = await newAccount()
  const user = await account.addUser({ rights: {} })
  for (const path of [reasons, `${types}/5000`])
    expect((await user.api.patch(`${path}/1`.replace('/5000/1', '/5000'), {})).status).toBe(403)
  const limited = await openApplication(browser(), '/settings/loss-reasons', {
    account,
    is_admin: false,
    rights: {},
  })
  await limited.page.getByText('No loss reasons yet').waitFor()
  await account.api.post(reasons, { name: 'Too dear' })
  await limited.page.getByRole('listitem').filter({ hasText: 'Too dear' }).waitFor()
  const main = limited.page.getByRole('main')
  for (const list of ['loss-reasons', 'task-types', 'pipelines', 'fields/leads']) {
    await limited.page.goto(`${account.kontor.url}/settings/${list}`)
    await limited.page.getByText('Administrators change this.').waitFor()
    await main.getByRole('listitem').first().waitFor()
    await rest(limited.page)
    await expect.poll(() => main.getByRole('button').count()).toBe(0)
    await expect.poll(() => main.getByRole('textbox').count()).toBe(0)
    expect(await accessibilityFaults(limited.page)).toEqual([])
  }
  await limited.page.goto(`${account.kontor.url}/settings/pipelines`)
  await main.getByRole('list', { name: 'Pipelines' }).getByRole('link').first().click()
  await main.getByRole('list', { name: 'Stages' }).getByRole('listitem').first().waitFor()
  expect(limited.faults).toEqual([])

  const { page, faults } = await openApplication(browser(), '/settings/profile', { account })
  await page.route('**/web/v1/loss-reasons', (route) => route.fulfill({ status: 500, body: '{}' }))
  await page.getByRole('link', { name: 'Loss reasons' }).click()
  const retry = page.getByRole('button', { name: 'Try again' })
  await retry.waitFor()
  await page.unroute('**/web/v1/loss-reasons')
  await retry.click()
  await row(page, 'Too dear').waitFor()
  expect(faults.splice(0).join()).toContain('500')
})
