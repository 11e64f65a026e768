// The feed of a card in a real browser: what happened, what is planned, and the box to write.
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RightsDraft } from '../../server/access/rights.ts'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { addNote, addNotes, readNote, text } from '../notes.ts'
import { addIncoming, addLine, addTestChat } from '../outgoing.ts'
import { pipelineOf } from '../pipelines.ts'
import { addRecord } from '../records.ts'
import { accessibilityFaults, openApplication } from './application.ts'
import type { Opened } from './application.ts'
import { useBrowser } from './chromium.ts'
import { openDelivering } from '../delivering.ts'
import type { Delivering } from '../delivering.ts'
import { keys, type } from './keys.ts'
import { resize, rest } from './rest.ts'

const browser = useBrowser()

const feedOf = (page: Page): Locator => page.getByRole('feed', { name: 'Feed' })
const items = (page: Page): Locator => feedOf(page).getByRole('article')
const item = (page: Page, has: string | RegExp): Locator => items(page).filter({ hasText: has })
const composer = (page: Page): Locator => page.getByRole('region', { name: 'Write' })
const planned = (page: Page): Locator => page.getByRole('region', { name: 'Planned' })
const mode = (page: Page, name: string): Promise<void> =>
  composer(page).getByRole('tab', { name }).click()
const field = (page: Page, name: string): Locator => composer(page).getByRole('textbox', { name })

interface Card extends Opened {
  lead: number
}

/** The feed of a new lead, which has these notes. */
async function openFeed({
  account,
  notes = [],
  lead,
  ...person
}: {
  account?: TestAccount
  notes?: string[]
  lead?: number
  language?: string
  name?: string
  is_admin?: boolean
  rights?: RightsDraft
} = {}): Promise<Card> {
  const at = account ?? (await newAccount())
  const id = lead ?? (await addRecord(at.api, 'leads', { name: 'Pump order' }))
  if (notes.length > 0) await addNotes(at.api, 'leads', id, notes.map(text))
  const opened = await openApplication(browser(), `/leads/${id}`, { account: at, ...person })
  await items(opened.page).first().waitFor()
  return { ...opened, lead: id }
}

const addTask = async ({ api }: TestAccount, lead: number, draft: object = {}): Promise<number> => {
  const { body } = await api.post('/api/v4/tasks', [
    {
      text: 'Call Ivan',
      complete_till: 1_700_000_000,
      entity_id: lead,
      entity_type: 'leads',
      ...draft,
    },
  ])
  return body._embedded.tasks[0].id
}

const now = () => Math.floor(Date.now() / 1000)

describe('notes', () => {
  test('are added at once, edited, pinned and deleted, each with its way back', async () => {
    const { page, account, lead } = await openFeed()
    await field(page, 'Note').fill('She likes the <b>blue</b> one 🚚 https://shop.example/x.')
    await keys(field(page, 'Note'), 'Control+Enter')
    const note = item(page, 'She likes')
    await note.waitFor()
    await expect.poll(() => field(page, 'Note').inputValue()).toBe('')
    // Text stays text, and only what is an address becomes a link.
    await expect
      .poll(() => note.getByRole('link').getAttribute('href'))
      .toBe('https://shop.example/x')
    await expect.poll(() => note.locator('b').count()).toBe(0)
    await expect.poll(() => note.getByRole('link').getAttribute('rel')).toContain('noopener')

    // The note is shown before it is stored, and gets its id then.
    await expect.poll(() => note.getAttribute('data-key')).toMatch(/^note /)
    const listed = await account.api.get(`/api/v4/leads/${lead}/notes`)
    const [{ id }] = listed.body._embedded.notes
    await expect.poll(() => note.getAttribute('data-key')).toBe(`note ${id}`)
    await note.hover()
    await note.getByRole('button', { name: 'Pin', exact: true }).click()
    const pinned = page.getByRole('region', { name: 'Pinned notes' })
    await pinned.getByText('She likes').waitFor()
    await expect
      .poll(async () => (await readNote(account.api, 'leads', id, 'with=is_pinned')).is_pinned)
      .toBe(true)

    await note.getByRole('button', { name: 'Edit the note' }).click()
    const again = note.getByRole('textbox', { name: 'Note' })
    await again.fill('She likes the green one')
    await keys(again, 'Control+Enter')
    await note.getByText('green one').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await note.getByText('blue').waitFor()
    await expect
      .poll(async () => (await readNote(account.api, 'leads', id)).params.text)
      .toContain('blue')

    await pinned.getByRole('button', { name: 'Unpin' }).click()
    await pinned.waitFor({ state: 'hidden' })

    await note.hover()
    await note.getByRole('button', { name: 'Delete the note' }).click()
    await note.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await note.waitFor()
    expect((await account.api.get(`/api/v4/leads/notes/${id}`)).status).toBe(200)
    await note.hover()
    await note.getByRole('button', { name: 'Delete the note' }).click()
    // The page that is left sends it at once.
    await page.goto(`${account.kontor.url}/notifications`)
    await expect
      .poll(async () => (await account.api.get(`/api/v4/leads/notes/${id}`)).status)
      .not.toBe(200)
  })

  test('that could not be sent stay with the reason, and are sent again', async () => {
    const { page, account, lead, faults } = await openFeed()
    const path = `**/api/v4/leads/${lead}/notes`
    await page.route(path, (route) => route.abort())
    await field(page, 'Note').fill('Kept in spite of it')
    await keys(field(page, 'Note'), 'Control+Enter')
    const note = item(page, 'Kept in spite of it')
    await note.getByText('Not sent.').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    // An item that is not sent yet is there under any filter, and waits for the user.
    await page.getByRole('button', { name: 'Changes', exact: true }).click()
    await note.getByText('Not sent.').waitFor()
    await page.unroute(path)
    await note.getByRole('button', { name: 'Try again' }).click()
    await note.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await expect.poll(() => note.getAttribute('data-key')).toMatch(/^note /)
    const { body } = await account.api.get(`/api/v4/leads/${lead}/notes`)
    expect(body._embedded.notes).toHaveLength(1)
    expect(faults.splice(0).join()).toContain('ERR_FAILED')
  })

  test('that could not be sent outlive the page, and are added once', async () => {
    const { page, context, account, lead, faults } = await openFeed()
    // The server writes the note, and its answer is lost; the task does not reach it.
    let isCut = true
    await page.route(/\/api\/v4\/(leads\/\d+\/notes|tasks)$/, async (route) => {
      if (!isCut) return route.continue()
      if (route.request().url().endsWith('notes')) await route.fetch()
      return route.abort()
    })
    await field(page, 'Note').fill('Once and only once')
    await keys(field(page, 'Note'), 'Control+Enter')
    const unsent = item(page, 'Not sent.')
    await unsent.getByText('Once and only once').waitFor()
    await mode(page, 'Task')
    await field(page, 'Task').fill('Call once')
    await keys(field(page, 'Task'), 'Control+Enter')
    await unsent.getByText('Call once').waitFor()
    await page.reload()
    await expect.poll(() => unsent.count()).toBe(2)
    expect(await accessibilityFaults(page)).toEqual([])
    // Another tab of the browser shows the same, and hears what became of it.
    const second = await context.newPage()
    await second.goto(page.url())
    await expect.poll(() => item(second, 'Not sent.').count()).toBe(2)
    isCut = false
    await unsent
      .filter({ hasText: 'Once and only once' })
      .getByRole('button', { name: 'Try again' })
      .click()
    await expect.poll(() => unsent.count()).toBe(1)
    await expect.poll(() => item(second, 'Not sent.').count()).toBe(1)
    await item(second, 'Call once').getByRole('button', { name: 'Try again' }).click()
    await planned(second).getByText('Call once').waitFor()
    await expect.poll(() => unsent.count()).toBe(0)
    await page.reload()
    await planned(page).getByText('Call once').waitFor()
    await expect.poll(() => item(page, 'Once and only once').count()).toBe(1)
    await expect.poll(() => unsent.count()).toBe(0)
    const { body } = await account.api.get(`/api/v4/leads/${lead}/notes`)
    expect(body._embedded.notes).toHaveLength(1)
    expect((await account.api.get('/api/v4/tasks')).body._embedded.tasks).toHaveLength(1)
    expect(faults.splice(0).join()).toContain('ERR_FAILED')
  })

  test('that were not sent are gone once they are discarded, and with the sign-out', async () => {
    const { page, account, lead, email, password, faults } = await openFeed()
    await page.route(`**/api/v4/leads/${lead}/notes`, (route) => route.abort())
    for (const words of ['Discarded', 'Left behind']) {
      await field(page, 'Note').fill(words)
      await keys(field(page, 'Note'), 'Control+Enter')
      await item(page, words).getByText('Not sent.').waitFor()
    }
    await item(page, 'Discarded').getByRole('button', { name: 'Discard' }).click()
    await item(page, 'Discarded').waitFor({ state: 'hidden' })
    await page.reload()
    await item(page, 'Left behind').getByText('Not sent.').waitFor()
    await expect.poll(() => item(page, 'Discarded').count()).toBe(0)
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(password)
    await keys(page.getByLabel('Password'), 'Enter')
    await page.waitForURL((url) => !url.pathname.startsWith('/login'))
    await page.goto(`${account.kontor.url}/leads/${lead}`)
    await items(page).first().waitFor()
    await expect.poll(() => item(page, 'Not sent.').count()).toBe(0)
    expect(faults.splice(0).join()).toContain('ERR_FAILED')
  })

  test('are drafts of their record and mode until they are sent', async () => {
    const { page, account, lead } = await openFeed()
    const other = await addRecord(account.api, 'leads', { name: 'Other' })
    await field(page, 'Note').fill('half a note')
    await mode(page, 'Task')
    await field(page, 'Task').fill('half a task')
    await page.goto(`${account.kontor.url}/leads/${other}`)
    await expect.poll(() => field(page, 'Task').inputValue()).toBe('')
    await page.goto(`${account.kontor.url}/leads/${lead}`)
    await expect.poll(() => field(page, 'Task').inputValue()).toBe('half a task')
    await mode(page, 'Note')
    await expect.poll(() => field(page, 'Note').inputValue()).toBe('half a note')
  })

  test('mention colleagues, who are notified', async () => {
    const { page, account } = await openFeed()
    const { api, id } = await account.addUser({ name: 'Berta Brown', is_admin: true })
    await page.reload()
    await items(page).first().waitFor()
    await field(page, 'Note').click()
    await type(field(page, 'Note'), 'Please look, @ber')
    const option = page.getByRole('option', { name: 'Berta Brown' })
    await option.waitFor()
    await expect.poll(() => option.getAttribute('aria-selected')).toBe('true')
    expect(await accessibilityFaults(page)).toEqual([])
    await keys(field(page, 'Note'), 'Enter')
    await expect.poll(() => field(page, 'Note').inputValue()).toBe('Please look, @Berta Brown ')
    await expect.poll(() => option.count()).toBe(0)
    await type(field(page, 'Note'), 'by Friday')
    await keys(field(page, 'Note'), 'Control+Enter')
    await item(page, 'by Friday').getByText('@Berta Brown').waitFor()
    expect(id).toBeGreaterThan(0)
    await expect
      .poll(async () => JSON.stringify((await api.get('/web/v1/notifications')).body))
      .toContain('mention')
  })

  test('say who may not view the record, before a colleague is mentioned or has its task', async () => {
    const { page, account, lead } = await openFeed()
    const denied = { view: 'D', edit: 'D', add: 'D', delete: 'D', export: 'D' } as const
    const berta = await account.addUser({ name: 'Berta Brown', rights: { leads: denied } })
    await account.addUser({ name: 'Bernd Braun', is_admin: true })
    await page.reload()
    await items(page).first().waitFor()
    await field(page, 'Note').click()
    await type(field(page, 'Note'), '@ber')
    const suggested = page.getByRole('option', { name: 'Bernd Braun', exact: true })
    await suggested.waitFor()
    const untold = page.getByRole('option', {
      name: 'Berta Brown Cannot open this record: will not be told',
    })
    await untold.click()
    await type(field(page, 'Note'), 'hears nothing')
    await keys(field(page, 'Note'), 'Control+Enter')
    await item(page, 'hears nothing').getByText('@Berta Brown').waitFor()
    const mentions = (await berta.api.get('/web/v1/notifications')).body
    expect(mentions._embedded.notifications).toEqual([])

    await page.getByRole('tab', { name: 'Task' }).click()
    await type(field(page, 'Task'), 'Call the caretaker')
    const responsible = composer(page).getByRole('combobox', { name: 'Responsible' })
    await responsible.click()
    await page.getByRole('option', { name: 'Bernd Braun', exact: true }).waitFor()
    await page.getByRole('option', { name: 'Berta Brown Cannot open this record' }).click()
    await page.getByText('Berta Brown cannot open this record and sees only the task.').waitFor()
    // Who has a task may view it, and is told of it.
    await field(page, 'Task').click()
    await type(field(page, 'Task'), ' @berta')
    await page.getByRole('option', { name: 'Berta Brown', exact: true }).waitFor()
    await keys(field(page, 'Task'), 'Escape')
    expect(await accessibilityFaults(page)).toEqual([])
    await composer(page).getByRole('button', { name: 'Add the task' }).click()
    // The task is hers, and stands on the card.
    await page.getByRole('region', { name: 'Feed' }).getByText('Berta Brown').last().waitFor()
    const tasks = async () =>
      (await berta.api.get('/api/v4/tasks')).body?._embedded.tasks as { entity_id: number }[]
    await expect.poll(async () => (await tasks())?.map((each) => each.entity_id)).toEqual([lead])
  })

  test('keep the button that removes a file in its place when the upload ends or fails', async () => {
    const { page, faults } = await openFeed()
    for (const end of [{ status: 201 }, { status: 413, body: 'Too large' }]) {
      let answer = () => {}
      const whenAnswered = new Promise<void>((resolve) => (answer = resolve))
      await page.route('**/web/v1/files?*', async (route) => {
        await whenAnswered
        await (end.status === 201 ? route.continue() : route.fulfill(end))
      })
      await composer(page)
        .locator('input[type=file]')
        .setInputFiles({ name: 'offer.txt', mimeType: 'text/plain', buffer: Buffer.from('x') })
      const bar = composer(page).getByRole('progressbar')
      await bar.waitFor({ state: 'attached' })
      const remove = composer(page).getByRole('button', { name: 'Remove offer.txt' })
      const box = await remove.boundingBox()
      answer()
      await bar.waitFor({ state: 'detached' })
      await expect.poll(() => remove.boundingBox()).toEqual(box)
      await remove.click()
      await composer(page).getByText('offer.txt').waitFor({ state: 'hidden' })
      await page.unrouteAll({ behavior: 'wait' })
    }
    // The browser tells of the refused one.
    await expect.poll(() => faults.join()).toMatch(/^\S+ [^,]*413[^,]*$/)
    faults.length = 0
  })

  test('have attachments: chosen, pasted and dropped', async () => {
    const { page, account, lead } = await openFeed()
    await composer(page)
      .locator('input[type=file]')
      .setInputFiles({
        name: 'offer.txt',
        mimeType: 'text/plain',
        buffer: Buffer.from('an offer'),
      })
    await composer(page).getByText('offer.txt').waitFor()
    await page.evaluate(`{
      const transfer = new DataTransfer()
      transfer.items.add(new File(['x'], 'plan.pdf', { type: 'application/pdf' }))
      const target = document.querySelector('[aria-label=Feed]')
      for (const name of ['dragover', 'drop'])
        target.dispatchEvent(new DragEvent(name, { dataTransfer: transfer, bubbles: true, cancelable: true }))
      const pasted = new DataTransfer()
      pasted.items.add(new File(['y'], 'paste.txt', { type: 'text/plain' }))
      document.querySelector('textarea[aria-label=Note]')
        .dispatchEvent(new ClipboardEvent('paste', { clipboardData: pasted, bubbles: true, cancelable: true }))
    }`)
    await composer(page).getByText('plan.pdf').waitFor()
    await composer(page).getByText('paste.txt').waitFor()
    await composer(page).getByRole('button', { name: 'Remove paste.txt' }).click()
    await composer(page).getByText('paste.txt').waitFor({ state: 'hidden' })
    const add = composer(page).getByRole('button', { name: 'Add', exact: true })
    await expect.poll(() => add.isEnabled()).toBe(true)
    await field(page, 'Note').fill('The offer and the plan')
    await add.click()
    await item(page, 'The offer and the plan').waitFor()
    const file = item(page, 'offer.txt').getByRole('link')
    await file.waitFor()
    const address = (await file.getAttribute('href'))!
    expect(await (await fetch(address)).text()).toBe('an offer')
    // The files of a note are sent one after the other.
    const types = async () => {
      const { body } = await account.api.get(`/api/v4/leads/${lead}/notes`)
      return body._embedded.notes.map((each: { note_type: string }) => each.note_type).toSorted()
    }
    await expect.poll(types).toEqual(['attachment', 'attachment', 'common'])
  })
})

describe('tasks', () => {
  let delivering: Delivering
  beforeAll(async () => {
    delivering = await openDelivering()
  })
  afterAll(() => delivering.close())

  test('are completed in the card with their result by one webhook notice', async () => {
    const { account, receiver } = delivering
    const lead = await addRecord(account.api, 'leads', { name: 'Pump order' })
    const id = await addTask(account, lead)
    await account.api.post('/api/v4/webhooks', {
      destination: `${receiver.url}/tasks`,
      settings: ['update_task'],
    })
    const { page } = await openFeed({ account, lead })
    await planned(page).getByRole('button', { name: 'Complete: Call Ivan' }).click()
    const result = page.getByRole('textbox', { name: 'Result' })
    await result.fill('He agreed')
    expect(await accessibilityFaults(page)).toEqual([])
    await keys(result, 'Enter')
    await item(page, 'He agreed').waitFor()
    await planned(page).waitFor({ state: 'hidden' })
    await receiver.heard(1)
    // A second notice would come before that of a later change.
    await account.api.patch(`/api/v4/tasks/${id}`, { text: 'Call Anna' })
    const [first, second] = await receiver.heard(2)
    expect(decodeURIComponent(first!.body)).toContain('He+agreed')
    expect(decodeURIComponent(first!.body)).toContain('[status]=1')
    expect(decodeURIComponent(second!.body)).toContain('Call+Anna')
    expect(receiver.arrivals).toHaveLength(2)
  })

  test('are planned by typed dates, put off, changed and deleted', async () => {
    const { page, account, lead } = await openFeed()
    await mode(page, 'Task')
    await field(page, 'Task').fill('Send the contract')
    const due = field(page, 'Due')
    await due.fill('sometime')
    await composer(page).getByText('Not understood as a date').waitFor()
    const add = composer(page).getByRole('button', { name: 'Add the task' })
    await expect.poll(() => add.isDisabled()).toBe(true)
    await due.fill('завтра в 10')
    await composer(page)
      .getByText(/10:00 AM/)
      .waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await field(page, 'Task').focus()
    await keys(field(page, 'Task'), 'Control+Enter')
    await planned(page).getByText('Send the contract').waitFor()
    await expect.poll(async () => (await account.api.get('/api/v4/tasks')).status).toBe(200)
    const stored = async () => (await account.api.get('/api/v4/tasks')).body._embedded.tasks[0]
    const { id, complete_till, entity_id } = await stored()
    expect(entity_id).toBe(lead)
    expect(complete_till).toBeGreaterThan(now())

    await expect
      .poll(() => planned(page).getByRole('listitem').getAttribute('data-key'))
      .toBe(`task ${id}`)
    await planned(page).getByRole('button', { name: 'Change the due date' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Due' }).fill('in 2 days')
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect.poll(async () => (await stored()).complete_till).toBeGreaterThan(complete_till)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(async () => (await stored()).complete_till).toBe(complete_till)

    await planned(page).getByRole('button', { name: 'Actions of the task' }).click()
    await page.getByRole('menuitem', { name: 'Edit the task' }).click()
    await planned(page).getByRole('textbox', { name: 'Task' }).fill('Send both contracts')
    await planned(page).getByRole('button', { name: 'Save' }).click()
    await expect.poll(async () => (await stored()).text).toBe('Send both contracts')

    await planned(page).getByRole('button', { name: 'Actions of the task' }).click()
    await page.getByRole('menuitem', { name: 'Delete the task' }).click()
    await planned(page).waitFor({ state: 'hidden' })
    await expect
      .poll(async () => (await account.api.get(`/api/v4/tasks/${id}`)).status, { timeout: 12_000 })
      .not.toBe(200)
  })

  test('that are done here can be taken back, and those of others come and go by themselves', async () => {
    const { page, account, lead } = await openFeed()
    const [late, later] = [
      await addTask(account, lead, { text: 'Late one' }),
      await addTask(account, lead, { text: 'Later one', complete_till: now() + 90_000 }),
    ]
    const tasks = planned(page).getByRole('listitem')
    await expect.poll(() => tasks.count()).toBe(2)
    await expect.poll(() => tasks.first().textContent()).toContain('overdue')
    await planned(page).getByRole('button', { name: 'Complete: Late one' }).click()
    await keys(page.getByRole('textbox', { name: 'Result' }), 'Enter')
    await item(page, 'Late one').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => tasks.count()).toBe(2)
    await expect.poll(() => item(page, 'Late one').count()).toBe(0)
    await account.api.patch(`/api/v4/tasks/${later}`, {
      is_completed: true,
      result: { text: 'By phone' },
    })
    await item(page, 'By phone').waitFor()
    await account.api.delete(`/api/v4/tasks/${late}`)
    await planned(page).waitFor({ state: 'hidden' })
  })
})

describe('changes', () => {
  test('show what was before and after, and fold', async () => {
    const account = await newAccount()
    const { id: pipeline, at } = await pipelineOf(account.api, 'New', 'Offer')
    const lead = await addRecord(account.api, 'leads', {
      name: 'Pump order',
      price: 100,
      pipeline_id: pipeline,
      status_id: at['New'],
    })
    await addNote(account.api, 'leads', lead)
    const { page } = await openFeed({ account, lead })
    await account.api.patch(`/api/v4/leads/${lead}`, { price: 54_000 })
    await account.api.patch(`/api/v4/leads/${lead}`, { status_id: at['Offer'] })
    await account.api.patch(`/api/v4/leads/${lead}`, { name: 'ש'.repeat(255) })
    const folded = item(page, '3 changes')
    await folded.waitFor()
    await expect.poll(() => folded.textContent()).toMatch(/Stage.*New.*Offer/)
    await folded.getByRole('button', { name: '3 changes' }).click()
    const lines = folded.getByRole('listitem')
    await expect.poll(() => lines.count()).toBe(3)
    await expect.poll(() => lines.first().textContent()).toMatch(/Price.*100.*54,000/)
    expect(await accessibilityFaults(page)).toEqual([])
    await folded.getByRole('button', { name: '3 changes' }).click()
    await expect.poll(() => lines.count()).toBe(0)
  })

  test('are found by filters and words', async () => {
    const { page, account, lead } = await openFeed({ notes: ['about copper pipes', 'about zinc'] })
    await account.api.patch(`/api/v4/leads/${lead}`, { price: 7 })
    await item(page, 'Price').waitFor()
    const filter = (name: string) => page.getByRole('button', { name, exact: true }).click()
    await filter('Changes')
    await expect.poll(() => item(page, 'zinc').count()).toBe(0)
    // Without the notes between them, the creation and the price are one line.
    await item(page, '2 changes').waitFor()
    await filter('Calls')
    await page.getByText('Nothing matches').waitFor()
    await page.getByRole('button', { name: 'Show everything' }).click()
    await item(page, 'zinc').waitFor()
    const search = page.getByRole('textbox', { name: 'Search the feed' })
    await search.fill('copper')
    await expect.poll(() => item(page, 'zinc').count()).toBe(0)
    await item(page, 'copper pipes').waitFor()
    await keys(search, 'Escape')
    await item(page, 'zinc').waitFor()
  })
})

describe('a long feed', () => {
  let account: TestAccount
  let lead: number
  beforeAll(async () => {
    account = await newAccount()
    lead = await addRecord(account.api, 'leads', { name: 'Pump order' })
    const at = now() - 400 * 3600
    const drafts = Array.from({ length: 250 }, (_, n) => ({
      ...text(`Note ${n}, ${'which goes on and on over lines. '.repeat(1 + ((n * 7) % 9))}`),
      created_at: at + n * 3600,
    }))
    await addNotes(account.api, 'leads', lead, drafts)
  })

  /** The items on screen, with their distance from the top of the list. */
  const tops = (page: Page) =>
    page.evaluate<Record<string, number>>(`(() => {
      const box = document.querySelector('[role=feed]')
      const top = box.getBoundingClientRect().top
      return Object.fromEntries([...box.querySelectorAll('[data-key]')]
        .map((each) => [each.dataset.key, each.getBoundingClientRect()])
        .filter(([, { bottom, top: at }]) => bottom > top && at < top + box.clientHeight)
        .map(([key, { top: at }]) => [key, at - top]))
    })()`)

  test('opens at the newest, and older items come above without a jump', async () => {
    const { page } = await openFeed({ account, lead })
    await item(page, 'Note 249,').waitFor()
    const end = () =>
      page.evaluate<number>(
        `(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)(document.querySelector('[role=feed]'))`,
      )
    const scrollTop = () => page.evaluate<number>(`document.querySelector('[role=feed]').scrollTop`)
    await expect.poll(end).toBeLessThan(2)
    // The answers with older items wait until the list is still, so that only they can move it.
    let release: (() => void)[] = []
    await page.route('**/web/v1/timeline/**before=**', async (route) => {
      await new Promise<void>((resolve) => release.push(resolve))
      await route.continue()
    })
    await feedOf(page).hover()
    for (let pages = 0; pages < 3; pages++) {
      // Each turn of the wheel has come before the next: one that comes late would be taken for a jump.
      while (release.length === 0) {
        const at = await scrollTop()
        await page.mouse.wheel(0, -400)
        await expect.poll(async () => at === 0 || (await scrollTop()) !== at).toBe(true)
      }
      const before = await stillTops(page)
      const [key, top] = Object.entries(before)[1]!
      const position = () =>
        feedOf(page).locator(`[data-key="${key}"]`).getAttribute('aria-posinset')
      const formerPosition = await position()
      for (const go of release.splice(0)) go()
      // As many items as came stand before it now.
      await expect.poll(position).not.toBe(formerPosition)
      const after = await stillTops(page)
      expect(Math.abs(after[key]! - top), `page ${pages}, ${key}`).toBeLessThanOrEqual(1)
    }
    release = []
  })

  /** The places of the items when two frames in a row agree. */
  async function stillTops(page: Page): Promise<Record<string, number>> {
    let before = ''
    await expect
      .poll(async () => {
        const last = before
        before = JSON.stringify(await tops(page))
        return before === last
      })
      .toBe(true)
    return JSON.parse(before) as Record<string, number>
  }

  test('goes up by the wheel although heights change in the same frame', async () => {
    const { page } = await openFeed({ account, lead })
    await item(page, 'Note 249,').waitFor()
    await feedOf(page).hover()
    await stillTops(page)
    // The page is busy while the wheel turns; then its frame has both, and the event of the scrolling comes first.
    await page.evaluate(`(() => {
      const feed = document.querySelector('[role=feed]')
      feed.addEventListener('wheel', () => {
        feed.firstElementChild.style.paddingBottom = '300px'
      }, { once: true })
    })()`)
    await page.mouse.wheel(0, -900)
    await expect.poll(() => item(page, 'Note 249,').count()).toBe(0)
    await stillTops(page)
    await expect.poll(() => item(page, 'Note 249,').count()).toBe(0)
  })

  test('stays where it is when news come, and leads to them', async () => {
    const { page } = await openFeed({ account, lead })
    await item(page, 'Note 249,').waitFor()
    await feedOf(page).hover()
    await page.mouse.wheel(0, -900)
    await expect.poll(() => item(page, 'Note 249,').count()).toBe(0)
    const before = await stillTops(page)
    await addNote(account.api, 'leads', lead, text('Brand new'))
    const pill = page.getByRole('button', { name: '1 new' })
    await pill.waitFor()
    const after = await stillTops(page)
    for (const [key, top] of Object.entries(before))
      expect(Math.abs((after[key] ?? NaN) - top), key).toBeLessThanOrEqual(1)
    await expect.poll(() => page.locator('[data-announcer]').textContent()).toMatch(/^Note, /)
    expect(await accessibilityFaults(page)).toEqual([])
    await pill.click()
    await item(page, 'Brand new').waitFor()
    await pill.waitFor({ state: 'hidden' })
  })
})

describe('chats', () => {
  test('are sent by Enter, unless the user likes it otherwise; Shift Enter begins a line', async () => {
    const account = await newAccount()
    const lead = await addRecord(account.api, 'leads', { name: 'Pump order' })
    const line = await addLine(account)
    const chat = await addTestChat(account, line, { lead })
    await addIncoming(account, chat, { text: 'Is it in stock?' })
    const { page } = await openFeed({ account, lead })
    await mode(page, 'Chat')
    await composer(page).getByText('Ann B').waitFor()
    const message = field(page, 'Message')
    const texts = async () =>
      (await account.api.get(`/web/v1/chats/${chat.id}/messages`)).body._embedded.messages.map(
        ({ text }: { text: string }) => text,
      )
    await message.click()
    await type(message, 'Yes,')
    await keys(message, 'Shift+Enter')
    await type(message, 'it is')
    await keys(message, 'Enter')
    await expect.poll(texts).toEqual(['Is it in stock?', 'Yes,\nit is'])
    await expect.poll(() => message.inputValue()).toBe('')
    const changed = await page.request.patch(`${account.kontor.url}/web/v1/preferences`, {
      data: { enter_sends: false },
      headers: { origin: account.kontor.url },
    })
    expect(changed.status()).toBe(200)
    await page.reload()
    await message.click()
    await type(message, 'One')
    await keys(message, 'Enter')
    await type(message, 'two')
    await expect.poll(() => message.inputValue()).toBe('One\ntwo')
    await keys(message, 'Control+Enter')
    await expect.poll(async () => (await texts()).at(-1)).toBe('One\ntwo')
  })

  test('are written from the card: marks, templates, refusals', async () => {
    const account = await newAccount()
    await account.api.post('/web/v1/chat-templates', {
      name: 'Greeting',
      content: 'Good morning {{contact.first_name}}, about {{record.name}}: how can I help?',
    })
    const lead = await addRecord(account.api, 'leads', { name: 'Pump order' })
    const line = await addLine(account)
    const chat = await addTestChat(account, line, { lead })
    await addIncoming(account, chat, { text: 'Is it in stock?' })
    const { page } = await openFeed({ account, lead })
    await item(page, 'Is it in stock?').waitFor()
    await mode(page, 'Chat')
    await composer(page).getByText('Ann B').waitFor()
    await field(page, 'Message').click()
    await type(field(page, 'Message'), '/gre')
    await page.getByRole('option', { name: /Greeting/ }).waitFor()
    await keys(field(page, 'Message'), 'Enter')
    await expect
      .poll(() => field(page, 'Message').inputValue())
      .toBe('Good morning Ann B, about Pump order: how can I help?')
    await keys(field(page, 'Message'), 'Control+Enter')
    const sent = item(page, 'Good morning')
    await sent.getByRole('img', { name: 'Sending' }).waitFor()
    const latest = async () =>
      (await account.api.get(`/web/v1/chats/${chat.id}/messages`)).body._embedded.messages.at(-1)
    await expect
      .poll(async () => (await latest()).text)
      .toBe('Good morning Ann B, about Pump order: how can I help?')
    const message = await latest()
    expect(message.is_outgoing).toBe(true)
    await expect.poll(() => sent.getAttribute('data-key')).toBe(`message ${message.id}`)
    expect(await accessibilityFaults(page)).toEqual([])
    await addIncoming(account, chat, { text: 'Thanks', ago: 0 })
    await account.api.patch(`/api/v4/leads/${lead}`, { price: 1 })
    await item(page, 'Thanks').waitFor()
  })

  test('are begun by anybody who may edit the contact', async () => {
    const account = await newAccount()
    const phone = { field_code: 'PHONE', values: [{ value: '+37120001234' }] }
    const contact = await addRecord(account.api, 'contacts', {
      name: 'Maria Ozola',
      custom_fields_values: [phone],
    })
    const lead = await addRecord(account.api, 'leads', {
      name: 'Pump order',
      _embedded: { contacts: [{ id: contact }] },
    })
    await addLine(account)
    const all = { view: 'A', edit: 'A', add: 'A', delete: 'D', export: 'D' } as const
    const open = (edit: 'A' | 'D') =>
      openFeed({
        account,
        lead,
        is_admin: false,
        rights: { leads: all, contacts: { ...all, edit }, companies: all },
      })
    const { page } = await open('A')
    await mode(page, 'Chat')
    await composer(page).getByText('Maria Ozola').waitFor()
    await composer(page).getByText('The first message begins the chat').waitFor()
    await field(page, 'Message').fill('Good morning')
    await keys(field(page, 'Message'), 'Control+Enter')
    await expect
      .poll(() => item(page, 'Good morning').getAttribute('data-key'))
      .toMatch(/^message /)
    const { body } = await account.api.get('/web/v1/chats?tab=all')
    expect(body._embedded.chats).toMatchObject([{ contact_id: contact, entity_id: lead }])

    const other = await open('D')
    await mode(other.page, 'Chat')
    const target = composer(other.page).getByRole('combobox', { name: 'Recipient' })
    // The chat that there is, and no way to begin another.
    await composer(other.page).getByText('Maria Ozola').waitFor()
    await expect.poll(() => target.count()).toBe(0)
  })

  test('are read once their end was on screen for a moment, and the board counts down', async () => {
    const account = await newAccount()
    const { id: pipeline, at } = await pipelineOf(account.api, 'New')
    const lead = await addRecord(account.api, 'leads', {
      name: 'Pump order',
      pipeline_id: pipeline,
      status_id: at['New'],
    })
    const chat = await addTestChat(account, await addLine(account), { lead })
    await addIncoming(account, chat, { text: 'Is it in stock?', ago: 9000 })
    const from = now() - 5000
    const notes = Array.from({ length: 30 }, (_, n) => ({
      ...text(`Note ${n}`),
      created_at: from + n,
    }))
    await addNotes(account.api, 'leads', lead, notes)
    await addIncoming(account, chat, { text: 'Anybody there?', ago: 0 })
    const board = await openApplication(browser(), `/leads/p/${pipeline}`, { account })
    const count = board.page.getByTitle(/ unread message/)
    await expect.poll(() => count.getAttribute('title')).toBe('2 unread messages')

    const { page, context } = await openApplication(browser(), '/home', { account })
    const readMarks: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith(`/chats/${chat.id}/read`)) readMarks.push(request.postData() ?? '')
    })
    await context.addInitScript(`{
      globalThis.isAway = true
      const state = () => globalThis.isAway ? 'hidden' : 'visible'
      Object.defineProperty(document, 'visibilityState', { get: state })
    }`)
    await page.clock.install()
    const see = (isAway: boolean) =>
      page.evaluate(`{
        globalThis.isAway = ${isAway}
        document.dispatchEvent(new Event('visibilitychange'))
      }`)
    await page.goto(`${account.kontor.url}/leads/${lead}`)
    // Nobody looks at the tab.
    await item(page, 'Anybody there?').waitFor()
    await page.clock.runFor(5000)
    expect(readMarks).toEqual([])
    // Nobody looks at the messages.
    await rest(page)
    await feedOf(page).hover()
    // Rows within 600 pixels of the screen stay drawn.
    await page.mouse.wheel(0, -1000)
    await expect.poll(() => item(page, 'Anybody there?').isVisible()).toBe(false)
    await see(false)
    await page.clock.runFor(5000)
    expect(readMarks).toEqual([])
    await expect.poll(() => count.getAttribute('title')).toBe('2 unread messages')
    // A message that is passed is none that was read.
    await page.mouse.wheel(0, 2000)
    await item(page, 'Anybody there?').waitFor()
    await page.clock.runFor(5000)
    await count.waitFor({ state: 'detached' })
    expect(readMarks).toHaveLength(1)
    const unread = async () => (await account.api.get(`/web/v1/chats/${chat.id}`)).body.unread
    expect(await unread()).toBe(0)

    // The next one is read while the card is open.
    await addIncoming(account, chat, { text: 'Hello?', ago: 0 })
    await account.api.patch(`/api/v4/leads/${lead}`, { price: 1 })
    await item(page, 'Hello?').waitFor()
    await page.clock.runFor(5000)
    await expect.poll(unread).toBe(0)
    expect(readMarks).toHaveLength(2)
  })

  test('say why nothing can be written', async () => {
    const { page } = await openFeed()
    await mode(page, 'Chat')
    await composer(page).getByText('no contact is linked').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
  })
})

test.each(['light', 'dark'] as const)('the feed is accessible in %s', async (colorScheme) => {
  const account = await newAccount()
  const lead = await addRecord(account.api, 'leads', { name: 'Pump order' })
  await addNotes(account.api, 'leads', lead, [
    text('@Ann Lee, שלום 🚚'),
    {
      note_type: 'call_in',
      params: {
        duration: 75,
        source: 'pbx',
        phone: '+37120001234',
        link: 'https://pbx.example/a.mp3',
      },
    },
    { note_type: 'sms_out', params: { text: 'Ready', phone: '+37120001234' } },
    { note_type: 'geolocation', params: { address: 'Riga', longitude: '24', latitude: '56' } },
  ])
  await addTask(account, lead)
  const line = await addLine(account)
  const chat = await addTestChat(account, line, { lead })
  await addIncoming(account, chat)
  const { page } = await openApplication(browser(), `/leads/${lead}`, { account }, { colorScheme })
  await item(page, 'Riga').waitFor()
  await planned(page).waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await resize(page, 390, 844)
  expect(await accessibilityFaults(page)).toEqual([])
})

test('the feed fails by itself, and is tried again', async () => {
  const account = await newAccount()
  const lead = await addRecord(account.api, 'leads', { name: 'Pump order' })
  const { page, faults } = await openApplication(browser(), '/', { account })
  await page.route('**/web/v1/timeline/**', (route) => route.fulfill({ status: 500, body: '' }))
  await page.goto(`${account.kontor.url}/leads/${lead}`)
  const region = page.getByRole('region', { name: 'Feed' })
  await region.getByText('That did not work').waitFor()
  await page.unroute('**/web/v1/timeline/**')
  await region.getByRole('button', { name: 'Try again' }).click()
  await items(page).first().waitFor()
  expect(faults.splice(0).join()).toContain('500')
})
