// The people of an account in settings: users and invitations, groups, roles and their rights.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { actions, normalise, rightLevels } from '../../server/access/rights.ts'
import { limitOf, withLevel } from '../../web/features/roles/rights.ts'
import { proof } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { client } from '../client.ts'
import { addRecord, addRecords } from '../records.ts'
import { signIn } from '../session.ts'
import { accessibilityFaults, openApplication } from './application.ts'
import { useBrowser } from './chromium.ts'
import { keys, type, untilFocused, walk } from './keys.ts'
import { resize, rest } from './rest.ts'

const browser = useBrowser()

const addRole = async ({ api }: TestAccount, name: string, rights: object = {}) => {
  const { body } = await api.post('/api/v4/roles', [{ name, rights }])
  return body._embedded.roles[0] as { id: number; name: string }
}
const roleOf = async ({ api }: TestAccount, id: number) =>
  (await api.get(`/api/v4/roles/${id}`)).body as {
    rights: Record<string, unknown>
  }
const userOf = async ({ api }: TestAccount, id: number) =>
  (await api.get(`/api/v4/users/${id}`)).body

/** A cell of the matrix of rights. */
const cellOf = (page: Page, name: string) => page.locator(`[data-cell="${name}"]`)

/** Chooses an option of a select. */
async function choose(page: Page, label: string, option: string) {
  await page.getByRole('combobox', { name: label, exact: true }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

/** Types the own password into a dialog. */
const prove = (page: Page, password: string) =>
  page.getByRole('dialog').getByLabel('Your password', { exact: true }).fill(password)

test('the matrix weakens rights as the server does, and refuses what the server would weaken', () => {
  const each = rightLevels.flatMap((view) =>
    rightLevels.flatMap((edit) => rightLevels.map((remove) => ({ view, edit, delete: remove }))),
  )
  for (const sent of each) {
    const before = normalise({ leads: { ...sent, add: 'A', export: sent.edit } }).leads
    for (const action of actions)
      for (const level of action === 'add'
        ? (['A', 'D'] as const)
        : (['A', 'G', 'M', 'D'] as const)) {
        const after = normalise({ leads: { ...before, [action]: level } }).leads
        expect(limitOf(before, action, level) === undefined).toBe(after[action] === level)
        if (after[action] === level) expect(withLevel(before, action, level)).toEqual(after)
      }
  }
})

test('an invited person accepts the link, and stands in the table with role and group', async () => {
  const { page, account, password } = await openApplication(browser(), '/settings/groups')
  await addRole(account, 'Seller')
  await page.getByRole('button', { name: 'New group' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('North')
  await page.getByRole('dialog').getByRole('button', { name: 'New group' }).click()
  await page.getByText('North', { exact: true }).waitFor()

  await page.getByRole('link', { name: 'Users', exact: true }).click()
  await page.getByRole('button', { name: 'Invite a person' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Create the link' }).click()
  await dialog.getByText('Enter an e-mail address').waitFor()
  await dialog.getByText('Enter your password').waitFor()
  const email = `kim@${account.subdomain}.example`
  await dialog.getByRole('textbox', { name: 'E-mail' }).fill(email)
  await choose(page, 'Role', 'Seller')
  await choose(page, 'Group', 'North')
  // A dialog that was closed keeps what was typed, but no password.
  await prove(page, password)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Invite a person' }).click()
  await expect.poll(() => dialog.getByRole('textbox', { name: 'E-mail' }).inputValue()).toBe(email)
  await expect.poll(() => dialog.getByLabel('Your password', { exact: true }).inputValue()).toBe('')
  await prove(page, password)
  await dialog.getByRole('button', { name: 'Create the link' }).click()
  const url = await dialog.getByRole('textbox', { name: 'Link' }).inputValue()
  await dialog.getByText('Valid until').waitFor()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('list', { name: 'Open invitations' }).getByText(email).waitFor()

  const token = new URL(url).pathname.split('/').at(-1)
  const { status } = await client(account.kontor).post(
    `/web/v1/invites/${token}`,
    { name: 'Kim Doe', password: 'a long password of Kim' },
    { origin: account.kontor.url },
  )
  expect(status).toBe(200)
  await page.reload()
  const row = page.getByRole('row', { name: /Kim Doe/ })
  await row.waitFor()
  await row.getByText('Off').waitFor()
  await expect
    .poll(() => row.getByRole('cell').allTextContents())
    .toEqual([
      expect.stringMatching(`Kim Doe.*${email}`),
      'Seller',
      'North',
      expect.stringMatching(/now|second|minute/),
      'Off',
      'Active',
    ])
  await expect.poll(() => page.getByText('Open invitations').count()).toBe(0)
  await page.getByRole('searchbox', { name: 'Find a person' }).fill('seller north')
  await expect.poll(() => page.getByRole('row').count()).toBe(2)
})

test('an open invitation gets another link, which ends the former one', async () => {
  const { page, account, password } = await openApplication(browser(), '/settings/users')
  const email = `eva@${account.subdomain}.example`
  const { body: made } = await account.api.post('/web/v1/invitations', { email, ...proof })
  await page.reload()
  await page.getByRole('button', { name: `New link for ${email}` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Create the link' }).click()
  await dialog.getByText('Enter your password').waitFor()
  await prove(page, password)
  await dialog.getByRole('button', { name: 'Create the link' }).click()
  const url = await dialog.getByRole('textbox', { name: 'Link' }).inputValue()
  expect(await accessibilityFaults(page)).toEqual([])
  await keys(dialog.getByRole('button', { name: 'Done' }), 'Enter')
  await dialog.waitFor({ state: 'hidden' })
  const statusOf = async (link: string) => {
    const token = new URL(link).pathname.split('/').at(-1)
    return (await client(account.kontor).get(`/web/v1/invites/${token}`)).status
  }
  expect([await statusOf(made.url), await statusOf(url)]).toEqual([404, 200])
  await page.getByRole('list', { name: 'Open invitations' }).getByText(email).waitFor()
})

test('a revoked invitation is void', async () => {
  const { page, account, password } = await openApplication(browser(), '/settings/users')
  const email = `max@${account.subdomain}.example`
  await page.getByRole('button', { name: 'Invite a person' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'E-mail' }).fill(email)
  await prove(page, password)
  await dialog.getByRole('button', { name: 'Create the link' }).click()
  const url = await dialog.getByRole('textbox', { name: 'Link' }).inputValue()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: `Revoke the invitation of ${email}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await expect.poll(() => page.getByText('Open invitations').count()).toBe(0)
  const token = new URL(url).pathname.split('/').at(-1)
  expect((await client(account.kontor).get(`/web/v1/invites/${token}`)).status).toBe(404)
})

test('a deactivated person is signed out, and signs in again once activated', async () => {
  const { page, account } = await openApplication(browser(), '/settings/users')
  const password = 'correct horse'
  const email = `lee@${account.subdomain}.example`
  const { id } = await account.addUser({ name: 'Lee Park', email, password })
  const person = await signIn(account.kontor, { email, password })
  await page.reload()
  await page.getByRole('link', { name: 'Lee Park' }).click()
  await page.waitForURL(`**/settings/users/${id}`)
  await page.getByRole('button', { name: 'Deactivate', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Deactivate', exact: true }).click()
  await page.getByRole('button', { name: 'Activate', exact: true }).waitFor()
  expect((await person.api.get('/web/v1/session')).status).toBe(401)

  await page.getByRole('navigation').getByRole('link', { name: 'Users', exact: true }).click()
  await page.getByText('1 deactivated user').click()
  await page.getByRole('link', { name: 'Lee Park' }).click()
  await page.getByRole('button', { name: 'Activate', exact: true }).click()
  await page.getByRole('button', { name: 'Deactivate', exact: true }).waitFor()
  await signIn(account.kontor, { email, password })
})

test('several people are invited at once; an address of a user is named', async () => {
  const { page, account, password, faults } = await openApplication(browser(), '/settings/users')
  const [one, two] = ['one', 'two'].map((name) => `${name}@${account.subdomain}.example`)
  await page.getByRole('button', { name: 'Invite a person' }).click()
  const dialog = page.getByRole('dialog')
  const emails = dialog.getByRole('textbox', { name: 'E-mail addresses' })
  await emails.fill(`${one}, nobody`)
  await prove(page, password)
  await dialog.getByRole('button', { name: 'Create 2 links' }).click()
  await dialog.getByText('This is no e-mail address: nobody').waitFor()
  await emails.fill(`${one} ${account.admin.email}`)
  await dialog.getByRole('button', { name: 'Create 2 links' }).click()
  await dialog.getByText(`${account.admin.email}: Another user has this e-mail.`).waitFor()
  expect(faults.splice(0).join()).toContain('400')
  await emails.fill(`${one},\n${two}`)
  await dialog.getByRole('button', { name: 'Create 2 links' }).click()
  await dialog.getByText('2 people are invited').waitFor()
  const urls = await Promise.all(
    [one!, two!].map((name) => dialog.getByRole('textbox', { name }).inputValue()),
  )
  for (const [index, url] of urls.entries()) {
    const token = new URL(url).pathname.split('/').at(-1)
    const { body } = await client(account.kontor).get(`/web/v1/invites/${token}`)
    expect(body.email).toBe([one, two][index])
  }
  expect(await accessibilityFaults(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('list', { name: 'Open invitations' }).getByText(two!).waitFor()
})

test('a person who leaves hands over, by keys alone', async () => {
  const { page, account } = await openApplication(browser(), '/settings/users')
  const leaver = await account.addUser({ name: 'Lee Park' })
  const heir = await account.addUser({ name: 'Kim Doe' })
  const its = { responsible_user_id: leaver.id }
  const ids = await addRecords(
    account.api,
    'leads',
    ['One', 'Two'].map((name) => ({ name, ...its })),
  )
  const task = { text: 'Call', complete_till: account.kontor.now() + 3600, ...its }
  await account.api.post('/api/v4/tasks', [task])
  await page.goto(`${account.kontor.url}/settings/users/${leaver.id}`)
  const deactivate = page.getByRole('button', { name: 'Deactivate', exact: true })
  await deactivate.focus()
  await keys(deactivate, 'Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Responsible for 2 leads and 1 open task.').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  const to = dialog.getByRole('combobox', { name: 'Hand over to' })
  await to.focus()
  await type(to, 'Kim')
  await page.getByRole('option', { name: 'Kim Doe' }).waitFor()
  await keys(to, 'ArrowDown', 'Enter')
  const confirm = dialog.getByRole('button', { name: 'Deactivate' })
  await confirm.focus()
  await keys(confirm, 'Enter')
  await page.getByText('3 records are handed over').waitFor()
  await page.getByRole('button', { name: 'Activate', exact: true }).waitFor()
  for (const id of ids)
    expect((await account.api.get(`/api/v4/leads/${id}`)).body.responsible_user_id).toBe(heir.id)
  await page.getByRole('button', { name: 'Hand over' }).click()
  await dialog.getByText('This person is responsible for nothing.').waitFor()
})

test('a handover that the server refuses says so, and is begun again', async () => {
  const { page, account, faults } = await openApplication(browser(), '/settings/users')
  const leaver = await account.addUser({ name: 'Lee Park' })
  await account.addUser({ name: 'Kim Doe' })
  await addRecord(account.api, 'leads', { name: 'Theirs', responsible_user_id: leaver.id })
  await page.goto(`${account.kontor.url}/settings/users/${leaver.id}`)
  let isDown = true
  await page.route('**/handover', (route) =>
    isDown && route.request().method() === 'POST'
      ? route.fulfill({
          status: 503,
          contentType: 'application/problem+json',
          body: JSON.stringify({ title: 'Service Unavailable', status: 503, detail: 'Busy' }),
        })
      : route.fallback(),
  )
  await page.getByRole('button', { name: 'Hand over' }).click()
  const dialog = page.getByRole('dialog')
  await choose(page, 'Hand over to', 'Kim Doe')
  await dialog.getByRole('button', { name: 'Hand over' }).click()
  await dialog.getByRole('alert').getByText('Busy').waitFor()
  expect(faults.splice(0).join()).toContain('503')
  isDown = false
  await dialog.getByRole('button', { name: 'Hand over' }).click()
  await page.getByText('1 record is handed over').waitFor()
})

test('the start page offers first steps, follows what is done, and hides them for good', async () => {
  const { page, account } = await openApplication(browser())
  const steps = page.getByRole('region', { name: 'First steps' })
  // The administrator of the account is there, and its integration.
  await steps.getByText('2 of 7 done').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  const create = steps.getByRole('link', { name: 'Create a role' })
  await create.focus()
  await keys(create, 'Enter')
  await page.getByRole('heading', { level: 1, name: 'Roles' }).waitFor()
  await addRole(account, 'Seller')
  await page.getByRole('link', { name: 'Home' }).click()
  // The settings have the steps, too, until the other page is there.
  await page.getByRole('heading', { name: 'Latest leads' }).waitFor()
  await steps.getByText('3 of 7 done').waitFor()
  const saved = page.waitForResponse('**/web/v1/preferences')
  await steps.getByRole('button', { name: 'Hide the first steps' }).click()
  await expect.poll(() => steps.count()).toBe(0)
  await saved
  await page.reload()
  await page.getByRole('heading', { name: 'Latest leads' }).waitFor()
  await expect.poll(() => steps.count()).toBe(0)
})

test.each([
  ['es', 'Nombre', 'Guardar', 'Un nombre lleva letras', 'Como máximo 50 caracteres.'],
  ['ru', 'Имя', 'Сохранить', 'В имени могут быть буквы', 'Не больше 50 символов.'],
  ['pt', 'Nome', 'Salvar', 'Um nome tem letras', 'No máximo 50 caracteres.'],
])(
  'a fault of the server is said in the language of the user: %s',
  async (language, label, save, text, limit) => {
    const { page, faults } = await openApplication(browser(), '/settings/profile', { language })
    await page.getByRole('textbox', { name: label }).fill('Mia: Chen')
    await page.getByRole('button', { name: save }).click()
    await page.getByText(text).waitFor()
    await page.getByRole('textbox', { name: label }).fill('m'.repeat(51))
    await page.getByRole('button', { name: save }).click()
    await page.getByText(limit).waitFor()
    expect(faults.splice(0).map((fault) => fault.includes('400'))).toEqual([true, true])
  },
)

test('a person changes: name, group, language, role, own rights; and gets a new password', async () => {
  const { page, account, faults, ...me } = await openApplication(browser(), '/settings/users')
  const email = `mia@${account.subdomain}.example`
  const { id } = await account.addUser({ name: 'Mia Wong', email, password: 'correct horse' })
  const role = await addRole(account, 'Seller', { leads: { view: 'G' } })
  await page.goto(`${account.kontor.url}/settings/users/${id}`)
  await page.getByRole('textbox', { name: 'Name' }).fill('Mia: Chen')
  await choose(page, 'Language', 'Português')
  await choose(page, 'Role', 'Seller')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('A name is made of letters').waitFor()
  await page.getByRole('textbox', { name: 'Name' }).fill('Mia Chen')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Mia Chen' }).waitFor()
  await page.getByText('Sees those of the own group').waitFor()
  expect(await userOf(account, id)).toMatchObject({
    name: 'Mia Chen',
    lang: 'pt',
    rights: { role_id: role.id },
  })

  await choose(page, 'Role', 'Own rights')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Leads, View: Group' }).focus()
  await keys(cellOf(page, 'leads view'), 'o')
  await page.getByText('Sees only own').waitFor()
  await expect
    .poll(async () => (await userOf(account, id)).rights)
    .toMatchObject({ role_id: null, leads: { view: 'M' } })

  await page.getByRole('button', { name: 'Reset link' }).click()
  const dialog = page.getByRole('dialog')
  const passwordField = dialog.getByLabel('Your password', { exact: true })
  await type(passwordField, 'wrong horse')
  await keys(passwordField, 'Enter')
  await dialog.getByText('This is not your present password.').waitFor()
  await prove(page, me.password)
  await keys(passwordField, 'Enter')
  const url = await page.getByRole('dialog').getByRole('textbox', { name: 'Link' }).inputValue()
  await page.getByRole('button', { name: 'Done' }).click()
  const token = new URL(url).pathname.split('/').at(-1)
  const password = 'a new long password'
  const reset = await client(account.kontor).post(
    `/web/v1/password-resets/${token}`,
    { password },
    { origin: account.kontor.url },
  )
  expect(reset.status).toBe(204)
  await signIn(account.kontor, { email, password })

  await page.getByRole('button', { name: 'Remove second factor' }).click()
  await prove(page, me.password)
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('Mia Chen has no second factor.').waitFor()
  expect(faults.splice(0).join()).toMatch(/400.*400.*404/)
})

test('the last administrator keeps the right, and reads why', async () => {
  const { page, account, faults } = await openApplication(browser(), '/settings/users')
  const { body } = await account.api.get('/api/v4/users')
  const me = body._embedded.users.find(({ name }: { name: string }) => name === 'Ann Lee')
  await page.goto(`${account.kontor.url}/settings/users/${account.admin.id}`)
  await page.getByRole('button', { name: 'Deactivate', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Deactivate', exact: true }).click()
  await page.getByRole('button', { name: 'Activate', exact: true }).waitFor()
  await page.goto(`${account.kontor.url}/settings/users/${me.id}`)
  await page.getByRole('switch', { name: 'Administrator' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('An account needs an active administrator').waitFor()
  expect(faults.splice(0).join()).toContain('400')
})

test('an answer from before a change of a role does not bring back what was changed', async () => {
  const { page, account } = await openApplication(browser(), '/settings/roles')
  const { id } = await addRole(account, 'Reader')
  await page.goto(`${account.kontor.url}/settings/roles/${id}`)
  const cell = cellOf(page, 'leads view')
  await cell.waitFor()
  await rest(page)
  // The news of the first change have the role asked for anew; that answer comes after the second change.
  let release = () => {}
  const isReleased = new Promise<void>((resolve) => (release = resolve))
  let withheld = 0
  await page.route(new RegExp(`/api/v4/roles/${id}(?:\\?|$)`), async (route) => {
    if (route.request().method() !== 'GET' || withheld > 0) return route.continue()
    withheld++
    const response = await route.fetch()
    await isReleased
    // Nobody may want it any more.
    await route.fulfill({ response }).catch(() => undefined)
  })
  const levelsOf = async () => (await roleOf(account, id)).rights['leads']
  await cell.focus()
  await keys(cell, 'a')
  await expect.poll(levelsOf).toMatchObject({ view: 'A' })
  await expect.poll(() => withheld).toBe(1)
  await keys(cell, 'ArrowRight')
  await keys(cellOf(page, 'leads edit'), 'g')
  await expect.poll(levelsOf).toMatchObject({ view: 'A', edit: 'G' })
  await page.getByRole('button', { name: 'Leads, Edit: Group' }).waitFor()
  release()
  await rest(page)
  await keys(cellOf(page, 'leads edit'), 'ArrowRight', 'ArrowRight')
  await keys(cellOf(page, 'leads delete'), 'o')
  await expect.poll(levelsOf).toMatchObject({ view: 'A', edit: 'G', delete: 'M' })
  await page.getByRole('button', { name: 'Leads, Edit: Group' }).waitFor()
})

test('a role that is made by keys alone has these rights, and its user gets no more', async () => {
  const { page, account } = await openApplication(browser(), '/settings/roles')
  const create = page.getByRole('button', { name: 'New role' })
  await create.focus()
  await keys(create, 'Enter')
  const name = page.getByRole('dialog').getByRole('textbox', { name: 'Name' })
  await type(name, 'Reader')
  await keys(name, 'Enter')
  await page.getByRole('heading', { name: 'Reader' }).waitFor()
  const id = Number(new URL(page.url()).pathname.split('/').at(-1))
  await page.getByRole('button', { name: 'Leads, View: None' }).waitFor()
  for (let tabs = 0; tabs < 60; tabs++) {
    await walk(page, 'Tab')
    if (await page.evaluate(`document.activeElement.dataset.cell === 'leads view'`)) break
  }
  const cell = () => page.evaluate(`document.activeElement.getAttribute('aria-label')`)
  await keys(cellOf(page, 'leads view'), 'a')
  await expect.poll(() => cell()).toBe('Leads, View: All')
  await keys(cellOf(page, 'leads view'), 'ArrowRight')
  await keys(cellOf(page, 'leads edit'), 'g')
  await expect.poll(() => cell()).toBe('Leads, Edit: Group')
  await keys(cellOf(page, 'leads edit'), 'ArrowRight')
  await keys(cellOf(page, 'leads add'), 'g')
  await page.getByRole('alert').getByText('either Yes or No').waitFor()
  await keys(cellOf(page, 'leads add'), 'ArrowRight')
  await keys(cellOf(page, 'leads delete'), 'a')
  await page.getByRole('alert').getByText('“Delete” cannot go further than “Edit”').waitFor()
  expect(await cell()).toBe('Leads, Delete: None')
  await keys(cellOf(page, 'leads delete'), 'o', 'ArrowDown')
  await keys(cellOf(page, 'contacts delete'), 'Home')
  await keys(cellOf(page, 'contacts view'), 'o')
  await expect.poll(() => cell()).toBe('Contacts, View: Own')
  await keys(cellOf(page, 'contacts view'), 'ArrowDown')
  // Below it is no cell: the arrow leads nowhere.
  await keys(cellOf(page, 'companies view'), 'ArrowDown', 'n', 'ArrowUp')
  await keys(cellOf(page, 'contacts view'), 'ArrowUp')
  await expect
    .poll(async () => (await roleOf(account, id)).rights)
    .toMatchObject({
      leads: { view: 'A', edit: 'G', add: 'D', delete: 'M', export: 'D' },
      contacts: { view: 'M', edit: 'D' },
      companies: { view: 'D' },
    })
  // A narrower view takes what needs it along.
  await keys(cellOf(page, 'leads view'), 'ArrowUp', 'o')
  await page.getByRole('button', { name: 'Leads, Edit: Own' }).waitFor()
  await expect
    .poll(async () => (await roleOf(account, id)).rights['leads'])
    .toMatchObject({ view: 'M', edit: 'M', delete: 'M' })

  const lists = page.getByRole('switch', { name: 'Lists' })
  await lists.focus()
  await keys(lists, 'Space')
  await page.getByText('Uses all lists').waitFor()
  await expect
    .poll(async () => (await roleOf(account, id)).rights)
    .toMatchObject({ catalog_access: true })

  const lead = await addRecord(account.api, 'leads', { name: 'Not theirs' })
  const person = await account.addUser({ role_id: id })
  expect((await person.api.get(`/api/v4/leads/${lead}`)).status).toBe(403)
  expect((await person.api.get('/api/v4/companies')).status).toBe(403)
  expect((await person.api.post('/api/v4/leads', [{ name: 'New' }])).status).toBe(403)
})

test('a right that the server refuses goes back, with the reason', async () => {
  const { page, account, faults } = await openApplication(browser())
  const { id } = await addRole(account, 'Seller')
  await page.goto(`${account.kontor.url}/settings/roles/${id}`)
  await page.route('**/api/v4/roles/*', (route) =>
    route.request().method() === 'PATCH'
      ? route.fulfill({
          status: 403,
          contentType: 'application/problem+json',
          body: JSON.stringify({ title: 'Forbidden', status: 403, detail: 'Not any more' }),
        })
      : route.fallback(),
  )
  await page.getByRole('button', { name: 'Leads, View: None' }).focus()
  await keys(cellOf(page, 'leads view'), 'Enter')
  await expect
    .poll(() => page.evaluate(`document.activeElement.textContent`))
    .toBe('NoneNot allowed')
  await keys(page.getByRole('menuitem', { name: /^None/ }), 'Home')
  await keys(page.getByRole('menuitem', { name: /^All/ }), 'Enter')
  await page.getByRole('alert').getByText('Not any more').waitFor()
  await page.getByRole('button', { name: 'Leads, View: None' }).waitFor()
  await untilFocused(cellOf(page, 'leads view'))
  expect(faults.splice(0).join()).toContain('403')
})

test('a stage is an exception, in words and in force', async () => {
  const { page, account } = await openApplication(browser())
  const { id } = await addRole(account, 'Seller', { leads: { view: 'A' } })
  const lead = await addRecord(account.api, 'leads', { name: 'Hidden' })
  const person = await account.addUser({ role_id: id })
  expect((await person.api.get(`/api/v4/leads/${lead}`)).status).toBe(200)
  const { body } = await account.api.get('/api/v4/leads/pipelines')
  const [pipeline] = body._embedded.pipelines
  const { body: found } = await account.api.get(`/api/v4/leads/${lead}`)
  const stage = pipeline._embedded.statuses.find(
    (status: { id: number }) => status.id === found.status_id,
  )
  const name = `${pipeline.name}: ${stage.name}`
  await page.goto(`${account.kontor.url}/settings/roles/${id}`)
  await choose(page, 'Add a stage', name)
  await page.getByRole('button', { name: `${name}, View: No` }).waitFor()
  await expect.poll(async () => (await person.api.get(`/api/v4/leads/${lead}`)).status).toBe(403)
  await page.getByRole('button', { name: `${name}, View: No` }).click()
  await page.getByRole('button', { name: `${name}, View: Yes` }).waitFor()
  await expect.poll(async () => (await person.api.get(`/api/v4/leads/${lead}`)).status).toBe(200)
  await page.getByRole('button', { name: `Remove the exception of ${name}` }).click()
  await expect
    .poll(async () => JSON.stringify(await roleOf(account, id)))
    .not.toContain(`"status_id":${stage.id},`)
})

test('groups and roles are renamed and deleted; their people stay', async () => {
  const { page, account } = await openApplication(browser())
  const { id } = await addRole(account, 'Seller', { leads: { view: 'A' } })
  const person = await account.addUser({ name: 'Kim Doe', role_id: id })
  await page.goto(`${account.kontor.url}/settings/roles`)
  await page.getByRole('listitem').filter({ hasText: 'Seller' }).getByText('1 user').waitFor()
  await page.getByRole('link', { name: 'Seller' }).click()
  await page.getByRole('link', { name: 'Kim Doe' }).waitFor()
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Sales')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Sales', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('1 user keeps these rights as own rights.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No roles yet').waitFor()
  expect((await userOf(account, person.id)).rights).toMatchObject({
    role_id: null,
    leads: { view: 'A' },
  })

  await page.getByRole('navigation').getByRole('link', { name: 'Groups' }).click()
  await page.getByRole('button', { name: 'New group' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('North')
  await page.getByRole('dialog').getByRole('button', { name: 'New group' }).click()
  await page.getByRole('button', { name: 'Rename “North”' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('South')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Delete “South”' }).click()
  await page.getByText('Nobody is in this group.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect.poll(() => page.getByText('South').count()).toBe(0)
})

test('a limited user finds none of these pages, and asks the server for nothing of them', async () => {
  const { page, account } = await openApplication(browser(), '/settings', { is_admin: false })
  const { id } = await addRole(account, 'Seller')
  const passwordField: string[] = []
  page.on('request', (request) => passwordField.push(new URL(request.url()).pathname))
  for (const [path, title] of [
    ['users', 'Users'],
    [`users/${account.admin.id}`, 'Users'],
    ['groups', 'Groups'],
    ['roles', 'Roles'],
    [`roles/${id}`, 'Roles'],
  ]) {
    await page.goto(`${account.kontor.url}/settings/${path}`)
    await page.getByText('You have no access to this').waitFor()
    await page.getByRole('heading', { name: title!, exact: true }).waitFor()
    await expect.poll(() => page.getByRole('link', { name: title!, exact: true }).count()).toBe(0)
  }
  expect(
    passwordField.filter(
      (path) => /users|groups|roles|invitations/.test(path) && path.startsWith('/api'),
    ),
  ).toEqual([])
  expect(
    passwordField.filter((path) => /^\/web\/v1\/(users|groups|invitations)/.test(path)),
  ).toEqual([])
})

test.each(['light', 'dark'] as const)('axe finds nothing in the %s theme', async (colorScheme) => {
  const { page, account } = await openApplication(browser(), '/home', {}, { colorScheme })
  const { id } = await addRole(account, 'Seller', {
    leads: { view: 'A', edit: 'G', add: 'A', delete: 'M' },
  })
  const own = await account.addUser({ name: 'Kim Doe' })
  const left = await account.addUser({ name: 'Lee Park', role_id: id })
  await account.api.post('/api/v4/users/deactivate', [{ id: left.id }])
  await account.api.post('/web/v1/invitations', { email: 'new@example.com', ...proof })
  for (const [path, text] of [
    ['users', '1 deactivated user'],
    [`users/${own.id}`, 'Exceptions for stages'],
    [`users/${left.id}`, 'Activate'],
    ['groups', 'Built in'],
    ['roles', 'Seller'],
    [`roles/${id}`, 'People with this role'],
  ]) {
    await page.goto(`${account.kontor.url}/settings/${path}`)
    await page.getByText(text!, { exact: true }).first().waitFor()
    await page.getByText(text!, { exact: true }).first().click({ trial: true })
    expect(await accessibilityFaults(page), path).toEqual([])
  }
  await page.getByRole('button', { name: 'Leads, Edit: Group' }).click()
  await page.getByRole('menuitem', { name: /^All/ }).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await resize(page, 390, 844)
  await page.goto(`${account.kontor.url}/settings/users`)
  await page.getByText('1 deactivated user').click()
  await page.getByText('Lee Park').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
})
