// A card that is left with a field in edit: whatever way it is left, a valid draft is saved, and one that is invalid or in
// conflict is kept and offered when the record is opened again. Changes that wait for the server survive the page.
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { link, linksOf, to } from '../links.ts'
import { addRecord } from '../records.ts'
import { accessibilityFaults } from './application.ts'
import { card, cardIn, column, drag, openBoard, openFrom } from './board.ts'
import type { OpenedBoard } from './board.ts'
import { useBrowser } from './chromium.ts'
import { addFields, control, edit, line, unfold } from './fields.ts'
import { keys, shortcut, type } from './keys.ts'
import { rest } from './rest.ts'

const browser = useBrowser()

const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

interface LeavingFixture extends OpenedBoard {
  lead: number
  account: TestAccount
}

const weightOf = async ({ account, lead }: LeavingFixture): Promise<unknown> => {
  const { body } = await account.api.get(`/api/v4/leads/${lead}`)
  return body.custom_fields_values?.[0].values[0].value ?? null
}

/** A card over the board that was left for another one and opened again, with a field in edit. */
async function openEdited(text: string, isConflict = false): Promise<LeavingFixture> {
  const account = await newAccount()
  const { Weight: field } = await addFields(account, [{ name: 'Weight', type: 'numeric' }])
  const opened = await openBoard(browser(), {
    account,
    leads: { New: [['Roof tiles'], ['Pump order']] },
  })
  const { page, leads } = opened
  const lead = leads['Pump order']!
  const ann = await addRecord(account.api, 'contacts', { name: 'Ann Berg' })
  await link(account.api, 'leads', lead, to('contacts', ann))
  await openFrom(page, 'New', 'Pump order')
  await panel(page, 'Pump order').waitFor()
  await unfold(page)
  await edit(page, 'Weight')
  await type(control(page, 'Weight'), text)
  if (isConflict) {
    await account.api.patch(`/api/v4/leads/${lead}`, {
      custom_fields_values: [{ field_id: field!.id, values: [{ value: 7 }] }],
    })
    await page.getByRole('button', { name: 'Keep mine' }).waitFor()
  }
  return { ...opened, lead }
}

/** The feed of a card names the contact, too. */
const contactIn = (opened: Locator) =>
  opened
    .getByRole('region', { name: 'Contacts', exact: true })
    .getByRole('link', { name: 'Ann Berg' })

const ways: Record<string, (opened: LeavingFixture) => Promise<unknown>> = {
  Back: async ({ page }) => {
    await page.goBack()
    await panel(page, 'Pump order').waitFor({ state: 'detached' })
  },
  Forward: async ({ page, account, lead }) => {
    // The card is the middle one of three addresses.
    await contactIn(panel(page, 'Pump order')).click()
    await panel(page, 'Ann Berg').waitFor()
    await page.goBack()
    await page.waitForURL(`${account.kontor.url}/leads/${lead}`)
    await panel(page, 'Pump order').waitFor()
  },
  'Ctrl K to another record': async ({ page }) => {
    await keys(control(page, 'Weight'), 'ControlOrMeta+k')
    const search = page.getByRole('textbox', { name: 'Search and commands' })
    await type(search, 'Roof tiles')
    await page.locator('[data-action]', { hasText: 'Roof tiles' }).first().waitFor()
    await keys(search, 'Enter')
    await page.getByRole('heading', { name: 'Roof tiles' }).waitFor()
  },
  'a link': async ({ page }) => {
    await contactIn(panel(page, 'Pump order')).click()
    await panel(page, 'Ann Berg').waitFor()
  },
  Close: async ({ page }) => {
    await page.getByRole('button', { name: 'Close the card' }).click()
    await panel(page, 'Pump order').waitFor({ state: 'detached' })
  },
  'the next card': async ({ page }) => {
    await page
      .getByRole('button', { name: 'Next card' })
      .or(page.getByRole('button', { name: 'Previous card' }))
      .and(page.locator(':enabled'))
      .first()
      .click()
    await panel(page, 'Roof tiles').waitFor()
  },
  'a click beside the card': async ({ page }) => {
    await page.locator('[data-veil]').click({ position: { x: 10, y: 400 } })
    await panel(page, 'Pump order').waitFor({ state: 'detached' })
  },
  reload: async ({ page }) => {
    await page.reload()
    await page.getByRole('heading', { name: 'Pump order' }).waitFor()
  },
  'the closed tab': async ({ page }) => {
    const closed = page.waitForEvent('close')
    await page.close({ runBeforeUnload: true })
    await closed
  },
}
/** Clicks leave the field before they leave the card, and a fault keeps neither. */
const names = Object.keys(ways).filter((name) => name !== 'Forward')

/** Opens the record anew, in the tab or in another one. */
async function reopen({ page, context, account, lead }: LeavingFixture): Promise<Page> {
  const at = page.isClosed() ? await context.newPage() : page
  await at.goto(`${account.kontor.url}/leads/${lead}`)
  await at.getByRole('heading', { name: 'Pump order' }).waitFor()
  return at
}

test.each(names)('a valid draft is saved by %s', async (way) => {
  const opened = await openEdited('12')
  await ways[way]!(opened)
  await expect.poll(() => weightOf(opened), { timeout: 15_000 }).toBe('12')
  const page = await reopen(opened)
  await line(page, 'Weight').getByText('12').waitFor()
  await expect.poll(() => page.locator('[data-editing]').count()).toBe(0)
})

test.each(names)('an invalid draft is kept by %s, and offered with its fault', async (way) => {
  const opened = await openEdited('abc')
  await ways[way]!(opened)
  const page = await reopen(opened)
  await line(page, 'Weight')
    .getByText(/^Your draft, left/)
    .waitFor()
  await line(page, 'Weight').getByText('Enter a number').waitFor()
  await expect.poll(() => control(page, 'Weight').inputValue()).toBe('abc')
  expect(await weightOf(opened)).toBe(null)
  await page.getByRole('article').first().waitFor()
  expect(await accessibilityFaults(page, '[data-record]')).toEqual([])
  await control(page, 'Weight').fill('5')
  await keys(control(page, 'Weight'), 'Enter')
  await expect.poll(() => weightOf(opened)).toBe('5')
  // It is offered once.
  await page.reload()
  await line(page, 'Weight').getByText('5').waitFor()
  await expect.poll(() => page.getByText(/^Your draft, left/).count()).toBe(0)
})

test.each(names)('a draft that others overtook is kept by %s, and asks again', async (way) => {
  const opened = await openEdited('12', true)
  await ways[way]!(opened)
  const page = await reopen(opened)
  await line(page, 'Weight')
    .getByText(/changed this to “7” meanwhile/)
    .waitFor()
  await expect.poll(() => control(page, 'Weight').inputValue()).toBe('12')
  expect(await weightOf(opened)).toBe('7')
  await page.getByRole('button', { name: 'Keep mine' }).click()
  await expect.poll(() => weightOf(opened)).toBe('12')
})

test('Forward saves a valid draft, and a draft that is offered can be thrown away', async () => {
  const opened = await openEdited('abc')
  const { page } = opened
  await ways['Forward']!(opened)
  await line(page, 'Weight')
    .getByText(/^Your draft, left/)
    .waitFor()
  await page.getByRole('button', { name: 'Throw away' }).click()
  await page.locator('[data-editing]').waitFor({ state: 'detached' })
  await edit(page, 'Weight')
  await type(control(page, 'Weight'), '12')
  await page.goForward()
  await panel(page, 'Ann Berg').waitFor()
  await expect.poll(() => weightOf(opened)).toBe('12')
  await page.goBack()
  await line(page, 'Weight').getByText('12').waitFor()
  await expect.poll(() => page.getByText(/^Your draft, left/).count()).toBe(0)
})

test.each([false, true])(
  'a change that waits for the server is sent by the next page, once; another moved meanwhile: %s',
  async (isOvertaken) => {
    const account = await newAccount()
    const opened = await openBoard(browser(), {
      account,
      leads: { New: [['Pump order'], ['Roof tiles']], Offer: [['Garden fence']] },
    })
    const { page, leads, at, faults } = opened
    const lead = leads['Pump order']!
    const stage = async () => (await account.api.get(`/api/v4/leads/${lead}`)).body.status_id
    const isCut = { now: true }
    // The page does not hear of the other move before it is left.
    await page.route(/\/api\/v4\/leads$|\/web\/v1\/board\/cards/, (route) =>
      isCut.now ? route.abort('connectionreset') : route.continue(),
    )
    // The second attempt comes after a look at the cards, which fails too.
    const again = page.waitForEvent('requestfailed', (request) =>
      request.url().includes('/board/cards'),
    )
    await drag(page, card(page, 'Pump order'), column(page, 'Offer'))
    await cardIn(page, 'Offer', 'Pump order').waitFor()
    await again
    if (isOvertaken) await account.api.patch(`/api/v4/leads/${lead}`, { status_id: at['Contract'] })
    // Nothing is lost, so nothing is asked.
    await page.reload()
    isCut.now = false
    if (isOvertaken) {
      await page.getByText('A change of “Pump order” was not saved').waitFor()
      await page.getByRole('button', { name: 'Open', exact: true }).click()
      await page.getByText(/moved this to Contract meanwhile/).waitFor()
      expect(await stage()).toBe(at['Contract'])
      await page.getByRole('button', { name: 'Keep mine' }).click()
    }
    await expect.poll(stage, { timeout: 15_000 }).toBe(at['Offer'])
    const { body } = await account.api.get('/api/v4/events?filter[type]=lead_status_changed')
    expect(body._embedded.events).toHaveLength(isOvertaken ? 2 : 1)
    expect(faults.splice(0).filter((fault) => !/ERR_|failed/i.test(fault))).toEqual([])
  },
)

/** A card over the board with a contact and a product of which there are two. */
async function openLinked(): Promise<LeavingFixture> {
  const account = await newAccount()
  const { api } = account
  const made = await api.post('/api/v4/catalogs', [{ name: 'Products', type: 'products' }])
  const catalog: number = made.body._embedded.catalogs[0].id
  const path = `/api/v4/catalogs/${catalog}/elements`
  const { body } = await api.post(path, [{ name: 'Pump' }])
  const pump: number = body._embedded.elements[0].id
  const opened = await openBoard(browser(), {
    account,
    leads: { New: [['Roof tiles'], ['Pump order']] },
  })
  const lead = opened.leads['Pump order']!
  const ann = await addRecord(api, 'contacts', { name: 'Ann Berg' })
  await link(api, 'leads', lead, to('contacts', ann))
  const metadata = { catalog_id: catalog, quantity: 2 }
  await link(api, 'leads', lead, { ...to('catalog_elements', pump), metadata })
  await openFrom(opened.page, 'New', 'Pump order')
  await panel(opened.page, 'Pump order').waitFor()
  return { ...opened, lead }
}

const quantity = (page: Page) => page.getByLabel('Quantity of Pump')

async function storedQuantity({ account, lead }: LeavingFixture): Promise<number> {
  const { body } = await account.api.get(`/api/v4/leads/${lead}?with=catalog_elements`)
  return body._embedded.catalog_elements[0].metadata.quantity
}

const waysOfLinks = ['Back', 'a link', 'Close', 'reload', 'the closed tab']

test.each(waysOfLinks)('a quantity that is typed is saved or offered by %s', async (way) => {
  const opened = await openLinked()
  await quantity(opened.page).fill('5')
  await ways[way]!(opened)
  const page = await reopen(opened)
  // A page that is closed may not have reached the server. Then the draft is here.
  await expect.poll(() => quantity(page).inputValue()).toBe('5')
  const draft = page.getByText(/^Your draft, left/)
  if ((await storedQuantity(opened)) !== 5) {
    await draft.waitFor()
    await quantity(page).focus()
    await keys(quantity(page), 'Enter')
  }
  await expect.poll(() => storedQuantity(opened)).toBe(5)
  await draft.waitFor({ state: 'detached' })
  await page.reload()
  await expect.poll(() => quantity(page).inputValue()).toBe('5')
  await draft.waitFor({ state: 'detached' })
})

/** Writes of a card that no browser keeps, and what the server shows after them. */
const writes: Record<
  string,
  {
    act: (page: Page) => Promise<unknown>
    stored: (opened: LeavingFixture) => Promise<unknown>
    now: unknown
  }
> = {
  'a quantity': {
    act: async (page) => {
      await quantity(page).fill('5')
      await keys(quantity(page), 'Enter')
    },
    stored: storedQuantity,
    now: 5,
  },
  'an unlinked contact': {
    act: async (page) => {
      await page.getByRole('button', { name: 'Actions with Ann Berg' }).click()
      await page.getByRole('menuitem', { name: 'Unlink' }).click()
    },
    stored: async ({ account, lead }) =>
      (await linksOf(account.api, 'leads', lead)).filter((each) => each.startsWith('contacts')),
    now: [],
  },
  'an unlinked contact behind a quantity': {
    act: async (page) => {
      await quantity(page).fill('5')
      await keys(quantity(page), 'Enter')
      await page.getByRole('button', { name: 'Actions with Ann Berg' }).click()
      await page.getByRole('menuitem', { name: 'Unlink' }).click()
    },
    stored: async (opened) => [
      await storedQuantity(opened),
      ...(await linksOf(opened.account.api, 'leads', opened.lead)).filter((each) =>
        each.startsWith('contacts'),
      ),
    ],
    now: [5],
  },
  'a note': {
    act: async (page) => {
      const box = page.getByRole('textbox', { name: 'Note' })
      await shortcut(page, 'n')
      await type(box, 'Call back')
      await keys(box, 'ControlOrMeta+Enter')
    },
    stored: async ({ account, lead }) => {
      const { status, body } = await account.api.get(`/api/v4/leads/${lead}/notes`)
      return status === 200 ? body._embedded.notes.length : 0
    },
    now: 1,
  },
}

test.each(Object.keys(writes))('%s outlives the page that is left at once', async (name) => {
  const { act, stored, now } = writes[name]!
  const opened = await openLinked()
  const { page } = opened
  await rest(page)
  const protocol = await page.context().newCDPSession(page)
  await protocol.send('Network.enable')
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 1000 }
  await protocol.send('Network.emulateNetworkConditions', slow)
  const sent = page.waitForRequest((request) => request.method() !== 'GET')
  await act(page)
  await sent
  await page.goto('about:blank')
  await expect.poll(() => stored(opened), { timeout: 15_000 }).toEqual(now)
})

test.each(waysOfLinks)('a quantity that is none is kept by %s, and offered', async (way) => {
  const opened = await openLinked()
  await quantity(opened.page).fill('many')
  await ways[way]!(opened)
  const page = await reopen(opened)
  await page.getByText(/^Your draft, left/).waitFor()
  await expect.poll(() => quantity(page).inputValue()).toBe('many')
  expect(await storedQuantity(opened)).toBe(2)
  expect(await accessibilityFaults(page, '[data-record]')).toEqual([])
  await page.getByRole('button', { name: 'Throw away' }).click()
  await expect.poll(() => quantity(page).inputValue()).toBe('2')
  await page.reload()
  await expect.poll(() => quantity(page).inputValue()).toBe('2')
})

test.each(waysOfLinks)('the form of a contact is kept by %s, and offered', async (way) => {
  const opened = await openLinked()
  const contacts = (page: Page) => page.getByRole('region', { name: 'Contacts', exact: true })
  await contacts(opened.page).getByRole('button', { name: 'Actions with Ann Berg' }).click()
  await opened.page.getByRole('menuitem', { name: 'Edit' }).click()
  const phone = (page: Page, form: string) =>
    page.getByRole('form', { name: form }).getByLabel('Phone')
  await phone(opened.page, 'Ann Berg').fill('+1 202 555 0100')
  await contacts(opened.page).getByRole('button', { name: 'Add a contact' }).click()
  const finder = contacts(opened.page).getByPlaceholder(/^Find/)
  await type(finder, 'Ben Ode')
  await opened.page.getByRole('option', { name: /Ben Ode/ }).click()
  await phone(opened.page, 'Add a contact').waitFor()
  // The other links of the section are gone from sight while a form is open, so the company's is not used here.
  if (way === 'a link') await opened.page.goto(`${opened.account.kontor.url}/leads`)
  else await ways[way]!(opened)
  const page = await reopen(opened)
  await expect.poll(() => page.getByText(/^Your draft, left/).count()).toBe(2)
  await expect.poll(() => phone(page, 'Ann Berg').inputValue()).toBe('+1 202 555 0100')
  expect(await accessibilityFaults(page, '[data-record]')).toEqual([])
  const made = page.getByRole('form', { name: 'Add a contact' })
  await expect.poll(() => made.getByLabel('Name').inputValue()).toBe('Ben Ode')
  await made.getByRole('button', { name: 'Create' }).click()
  await made.waitFor({ state: 'detached' })
  await phone(page, 'Ann Berg').focus()
  await keys(phone(page, 'Ann Berg'), 'Enter')
  await contacts(page).getByText('+1 202 555 0100').waitFor()
  await page.reload()
  await contacts(page).getByRole('link', { name: 'Ben Ode' }).waitFor()
  await expect.poll(() => page.getByText(/^Your draft, left/).count()).toBe(0)
})

test('a file on its way is saved where its card is closed, and the page is not left without a question', async () => {
  const account = await newAccount()
  await addFields(account, [{ name: 'Contract', type: 'file' }])
  const opened = await openBoard(browser(), { account, leads: { New: [['Pump order']] } })
  const { page, leads } = opened
  await openFrom(page, 'New', 'Pump order')
  await unfold(page)
  const releases: (() => void)[] = []
  await page.route('**/web/v1/files?*', async (route) => {
    await new Promise<void>((resolve) => releases.push(resolve))
    await route.continue()
  })
  await line(page, 'Contract')
    .locator('input[type=file]')
    .setInputFiles({ name: 'offer.txt', mimeType: 'text/plain', buffer: Buffer.from('an offer') })
  await page.getByRole('progressbar', { name: 'Sending offer.txt' }).waitFor({ state: 'attached' })
  const dialogOpened = page.waitForEvent('dialog')
  const reloading = page.reload({ timeout: 3000 }).catch(() => undefined)
  await (await dialogOpened).dismiss()
  await reloading
  await page.getByRole('button', { name: 'Close the card' }).click()
  await panel(page, 'Pump order').waitFor({ state: 'detached' })
  for (const go of releases) go()
  const stored = async () => {
    const { body } = await account.api.get(`/api/v4/leads/${leads['Pump order']}`)
    return body.custom_fields_values?.[0].values[0].value.file_name
  }
  await expect.poll(stored).toBe('offer.txt')
})

test('what is typed back to what stood there is no draft', async () => {
  const opened = await openLinked()
  const { page } = opened
  await page.getByRole('button', { name: 'Actions with Ann Berg' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  const name = page.getByRole('form', { name: 'Ann Berg' }).getByLabel('Name')
  await name.fill('Ann Bergx')
  await name.fill('Ann Berg')
  await ways['Back']!(opened)
  const again = await reopen(opened)
  await again.getByRole('button', { name: 'Actions with Ann Berg' }).waitFor()
  await expect.poll(() => again.getByText(/^Your draft, left/).count()).toBe(0)
})

test('a quantity of a product that another takes away brings it not back', async () => {
  const opened = await openLinked()
  const { page, account, lead } = opened
  await quantity(page).fill('5')
  const elements = async () =>
    (await account.api.get(`/api/v4/leads/${lead}?with=catalog_elements`)).body._embedded
      .catalog_elements
  const [{ id, metadata }] = await elements()
  await account.api.post(`/api/v4/leads/${lead}/unlink`, [
    { to_entity_id: id, to_entity_type: 'catalog_elements', metadata },
  ])
  await quantity(page).waitFor({ state: 'detached' })
  await ways['Close']!(opened)
  expect(await elements()).toEqual([])
  const again = await reopen(opened)
  await again.getByText('No products yet').waitFor()
})
