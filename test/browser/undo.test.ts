// Offers to take back what was done: one toast with one button, and one key for all (web/ui/undo.ts). Each kind of offer
// that the application makes has its line; jobs have their button in the strip of the page.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { phone } from '../complex.ts'
import { addLead, readLead } from '../leads.ts'
import { link, linksOf, to } from '../links.ts'
import { addRecord } from '../records.ts'
import { pipelineOf } from '../pipelines.ts'
import { addItem, uidsIn } from '../unsorted.ts'
import { stretched } from '../slow.ts'
import { openApplication } from './application.ts'
import { card, column, drag } from './board.ts'
import { useBrowser } from './chromium.ts'
import { keys, shortcut } from './keys.ts'

const browser = useBrowser()

/** The account, the page and the records that the acts change. */
interface Ground {
  account: TestAccount
  page: Page
  pipeline: number
  lead: number
  contact: number
  customer: number
}

interface Offer {
  name: string
  path: (ground: Ground) => string
  act: (ground: Ground) => Promise<unknown>
  /** The part of the page that is back once the act is taken back. */
  shown: (ground: Ground) => ReturnType<Page['getByText']>
  /** Reads what the server has; an act that waits for a change of mind has not changed it. */
  stored: (ground: Ground) => Promise<unknown>
  isLate?: boolean
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const leadPath = ({ lead }: Ground) => `/leads/${lead}`
const boardPath = ({ pipeline }: Ground) => `/leads/p/${pipeline}`
const member =
  (name: string) =>
  async ({ account, lead }: Ground) =>
    ((await readLead(account.api, lead)) as unknown as Record<string, unknown>)[name]
const statusOf = (path: (ground: Ground) => string) => async (ground: Ground) =>
  (await ground.account.api.get(path(ground))).status
const note = ({ page }: Ground) => page.getByRole('article').filter({ hasText: 'blue one' })
const noteText = async ({ account, lead }: Ground) =>
  (await account.api.get(`/api/v4/leads/${lead}/notes`)).body._embedded.notes[0].params.text
const task = async ({ account }: Ground) =>
  (await account.api.get('/api/v4/tasks')).body._embedded.tasks[0]
const planned = ({ page }: Ground) => region(page, 'Planned')

const offers: Offer[] = [
  {
    name: 'a move on the board',
    path: boardPath,
    act: ({ page }) => drag(page, card(page, 'Pump order'), column(page, 'Offer')),
    shown: ({ page }) => column(page, 'New').getByText('Pump order'),
    stored: member('status_id'),
  },
  {
    name: 'the stage of a card',
    path: leadPath,
    act: ({ page }) => button(page, 'Offer').click(),
    shown: ({ page }) => page.locator('[aria-current]').getByText('New', { exact: true }),
    stored: member('status_id'),
  },
  {
    name: 'the responsible of a card',
    path: leadPath,
    async act({ page }) {
      await page
        .getByRole('button', { name: /^Responsible/ })
        .first()
        .click()
      await page.getByRole('option', { name: 'Berta Brown' }).click()
    },
    shown: ({ page }) =>
      page.getByRole('button', { name: /^Responsible: The administrator/ }).first(),
    stored: member('responsible_user_id'),
  },
  {
    name: 'the deletion of a card',
    path: leadPath,
    async act({ page }) {
      await button(page, 'Actions').click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
    },
    shown: ({ page }) => button(page, 'Offer'),
    stored: statusOf(({ lead }) => `/api/v4/leads/${lead}`),
  },
  {
    name: 'a contact that is unlinked',
    path: leadPath,
    async act({ page }) {
      await button(page, 'Actions with Ann Berg').click()
      await page.getByRole('menuitem', { name: 'Unlink' }).click()
    },
    shown: ({ page }) => region(page, 'Contacts').getByRole('link', { name: 'Ann Berg' }),
    stored: ({ account, lead }) => linksOf(account.api, 'leads', lead),
  },
  {
    name: 'a note that is edited',
    path: leadPath,
    async act(ground) {
      await note(ground).hover()
      await note(ground).getByRole('button', { name: 'Edit the note' }).click()
      const text = ground.page.getByRole('article').getByRole('textbox', { name: 'Note' })
      await text.fill('the green one')
      await keys(text, 'Control+Enter')
    },
    shown: note,
    stored: noteText,
  },
  {
    name: 'a note that is deleted',
    path: leadPath,
    async act(ground) {
      await note(ground).hover()
      await note(ground).getByRole('button', { name: 'Delete the note' }).click()
    },
    shown: note,
    stored: noteText,
    isLate: true,
  },
  {
    name: 'the date of a task',
    path: leadPath,
    async act(ground) {
      await planned(ground).getByRole('button', { name: 'Change the due date' }).click()
      const dialog = ground.page.getByRole('dialog')
      await dialog.getByRole('textbox', { name: 'Due' }).fill('in 2 days')
      await dialog.getByRole('button', { name: 'Save' }).click()
    },
    shown: (ground) => planned(ground).getByText('overdue'),
    stored: async (ground) => (await task(ground)).complete_till,
  },
  {
    name: 'a task that is done',
    path: leadPath,
    async act(ground) {
      await planned(ground).getByRole('button', { name: 'Complete: Call back' }).click()
      await keys(ground.page.getByRole('textbox', { name: 'Result' }), 'Enter')
    },
    shown: (ground) => planned(ground).getByText('Call back'),
    stored: async (ground) => (await task(ground)).is_completed,
  },
  {
    name: 'a task that is deleted',
    path: leadPath,
    async act(ground) {
      await planned(ground).getByRole('button', { name: 'Actions of the task' }).click()
      await ground.page.getByRole('menuitem', { name: 'Delete' }).click()
    },
    shown: (ground) => planned(ground).getByText('Call back'),
    stored: async (ground) => (await task(ground)).id,
    isLate: true,
  },
  {
    name: 'a purchase that is deleted',
    path: ({ customer }) => `/customers/${customer}`,
    async act({ page }) {
      await page.getByRole('tab', { name: 'Purchases' }).click()
      await button(page, 'Delete the purchase of $40').click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    },
    shown: ({ page }) => button(page, 'Delete the purchase of $40'),
    stored: async ({ account, customer }) =>
      (await account.api.get(`/api/v4/customers/${customer}/transactions`)).body._embedded
        .transactions.length,
    isLate: true,
  },
  {
    name: 'a request that is declined',
    path: boardPath,
    act: ({ page }) => button(page, 'Decline Carl').click(),
    shown: ({ page }) => page.getByRole('article', { name: /^Carl,/ }),
    stored: ({ account }) => uidsIn(account.api),
    isLate: true,
  },
  {
    name: 'a merge',
    path: ({ contact }) => `/contacts/${contact}`,
    async act({ page }) {
      await button(page, 'Compare').click()
      await page.getByRole('dialog').getByRole('button', { name: 'Merge', exact: true }).click()
    },
    shown: ({ page }) => page.getByText('1 other contact shares this phone'),
    stored: async ({ account }) =>
      (await account.api.get('/api/v4/contacts')).body._embedded.contacts.length,
  },
]

async function openGround(path: Offer['path']): Promise<Ground> {
  const account = await newAccount()
  const { api } = account
  await api.patch('/api/v4/customers/mode', { mode: 'periodicity', is_enabled: true })
  await account.addUser({ name: 'Berta Brown', is_admin: true })
  const { id: pipeline, at } = await pipelineOf(api, 'New', 'Offer')
  const lead = await addLead(api, {
    name: 'Pump order',
    pipeline_id: pipeline,
    status_id: at['New'],
  })
  const contact = await addRecord(api, 'contacts', {
    name: 'Ann Berg',
    custom_fields_values: [phone('+37120000000')],
  })
  await addRecord(api, 'contacts', {
    name: 'Ann B.',
    custom_fields_values: [phone('+37120000000')],
  })
  await link(api, 'leads', lead, to('contacts', contact))
  await api.post(`/api/v4/leads/${lead}/notes`, [
    { note_type: 'common', params: { text: 'She likes the blue one' } },
  ])
  await api.post('/api/v4/tasks', [
    {
      text: 'Call back',
      complete_till: account.kontor.now() - 3600,
      entity_type: 'leads',
      entity_id: lead,
    },
  ])
  const customer = await addRecord(api, 'customers', {
    name: 'Nord',
    next_date: account.kontor.now() + 86_400,
  })
  await api.post(`/api/v4/customers/${customer}/transactions`, [{ price: 100 }, { price: 40 }])
  await addItem(api, {
    source_name: 'Shop',
    pipeline_id: pipeline,
    metadata: { form_id: 'quote', form_name: 'Ask for a quote' },
    _embedded: { leads: [{ name: 'Order of Carl' }], contacts: [{ name: 'Carl' }] },
  })
  const { page } = await openApplication(browser(), '/settings/preferences', { account })
  // Long enough for the slowest machine to press a button or a key.
  await page.request.patch(`${account.kontor.url}/web/v1/preferences`, {
    data: { delayed_action_seconds: 30 },
    headers: { origin: account.kontor.url },
  })
  const ground = { account, page, pipeline, lead, contact, customer }
  await page.goto(account.kontor.url + path(ground))
  return ground
}

/** The toasts that offer to take something back. */
const toasts = (page: Page) =>
  page.locator('.mantine-Notification-root').filter({ has: button(page, 'Undo') })

const ways = {
  'its button': ({ page }: Ground) => toasts(page).getByRole('button').click(),
  'Ctrl Z': ({ page }: Ground) => shortcut(page, 'ControlOrMeta+z'),
}

for (const [way, takeBack] of Object.entries(ways))
  test.each(offers)(
    `$name is taken back by ${way}`,
    async ({ path, act, shown, stored, isLate }) => {
      const ground = await openGround(path)
      const before = await stored(ground)
      await act(ground)
      await expect.poll(() => toasts(ground.page).count()).toBe(1)
      await expect.poll(() => toasts(ground.page).getByRole('button').count()).toBe(1)
      if (!isLate) await expect.poll(() => stored(ground)).not.toEqual(before)
      await takeBack(ground)
      await expect.poll(() => stored(ground)).toEqual(before)
      await shown(ground).first().waitFor()
      await expect.poll(() => toasts(ground.page).count()).toBe(0)
    },
  )

/** Moves the clock of the page; its timers go on as they are. */
const later = (page: Page, minutes: number) =>
  page.clock.setFixedTime(Date.now() + minutes * 60_000)

const stage = member('status_id')
const nothing = ({ page }: Ground) => page.getByText('There is nothing to undo')

/** Moves the card of a board by the mouse. */
async function move(ground: Ground, to: string): Promise<void> {
  const before = await stage(ground)
  await drag(ground.page, card(ground.page, 'Pump order'), column(ground.page, to))
  await expect.poll(() => stage(ground)).not.toEqual(before)
}

/** Waits until all toasts are gone, which takes them ten seconds. */
const untilGone = ({ page }: Ground) =>
  expect.poll(() => toasts(page).count(), { timeout: stretched(20_000) }).toBe(0)

test('on a board the key takes back what was done within ten minutes, the latest first', async () => {
  const ground = await openGround(boardPath)
  const { page } = ground
  const first = await stage(ground)
  await move(ground, 'Offer')
  const second = await stage(ground)
  await move(ground, 'New')
  await untilGone(ground)
  await later(page, 9)
  await shortcut(page, 'ControlOrMeta+z')
  await expect.poll(() => stage(ground)).toEqual(second)
  await column(page, 'Offer').getByText('Pump order').waitFor()
  await shortcut(page, 'ControlOrMeta+z')
  await expect.poll(() => stage(ground)).toEqual(first)
  await shortcut(page, 'ControlOrMeta+z')
  await nothing(ground).waitFor()
})

test('after ten minutes the key takes back nothing of a board', async () => {
  const ground = await openGround(boardPath)
  await move(ground, 'Offer')
  await untilGone(ground)
  await later(ground.page, 11)
  await shortcut(ground.page, 'ControlOrMeta+z')
  await nothing(ground).waitFor()
})

test('once the toast is gone, the key takes back nothing of a board behind a card or on another screen', async () => {
  const ground = await openGround(boardPath)
  const { page } = ground
  const before = await stage(ground)
  await move(ground, 'Offer')
  await untilGone(ground)
  await card(page, 'Pump order').getByRole('link').click()
  await page.getByRole('region', { name: 'Pump order' }).waitFor()
  await shortcut(page, 'ControlOrMeta+z')
  await nothing(ground).waitFor()
  await page.getByRole('button', { name: 'Close the card' }).click()
  await page.getByRole('region', { name: 'Pump order' }).waitFor({ state: 'detached' })
  await nothing(ground).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Home' }).click()
  await page.getByRole('heading', { name: 'Latest leads' }).waitFor()
  await shortcut(page, 'ControlOrMeta+z')
  await nothing(ground).waitFor()
  expect(await stage(ground)).not.toEqual(before)
  await page.goBack()
  await card(page, 'Pump order').waitFor()
  await shortcut(page, 'ControlOrMeta+z')
  await expect.poll(() => stage(ground)).toEqual(before)
})

test('a move that is later than a job is taken back before it', async () => {
  const ground = await openGround(boardPath)
  const { account, page, pipeline } = ground
  const before = await stage(ground)
  const responsible = member('responsible_user_id')
  const first = await responsible(ground)
  const { body } = await account.api.get('/api/v4/users')
  const { id: berta } = (body._embedded.users as { id: number; name: string }[]).find(
    ({ name }) => name === 'Berta Brown',
  )!
  await page.request.post(`${account.kontor.url}/web/v1/bulk`, {
    data: {
      entity_type: 'leads',
      filter: `filter[pipeline_id]=${pipeline}`,
      action: { assign: { responsible_user_id: berta } },
    },
    headers: { origin: account.kontor.url },
  })
  const strip = page.getByRole('region', { name: 'Changes of many records' })
  await strip.getByRole('button', { name: 'Undo' }).waitFor()
  await expect.poll(() => responsible(ground)).toBe(berta)
  await move(ground, 'Offer')
  // The strip of jobs is drawn anew, later than the toast.
  await page.getByRole('link', { name: 'Home' }).click()
  await page.getByRole('heading', { name: 'Latest leads' }).waitFor()
  await page.goBack()
  await strip.getByRole('button', { name: 'Undo' }).waitFor()
  await shortcut(page, 'ControlOrMeta+z')
  await expect.poll(() => stage(ground)).toEqual(before)
  expect(await responsible(ground)).toBe(berta)
  await shortcut(page, 'ControlOrMeta+z')
  await expect.poll(() => responsible(ground)).toBe(first)
})
