// The board of customers: a column for each status, moves by the mouse and by keys, drops that ask for a purchase or a
// date, moves of others, a limited user, and a phone.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { addRecord } from '../records.ts'
import { accessibilityFaults, openApplication } from './application.ts'
import {
  card,
  cardIn,
  carry,
  column,
  columnHead,
  drag,
  focused,
  said,
  scrollTo,
  take,
} from './board.ts'
import { useBrowser } from './chromium.ts'
import { keys, shortcut, type } from './keys.ts'
import { rest } from './rest.ts'

const browser = useBrowser()

const day = 86_400
const now = Math.floor(Date.now() / 1000)
/** Ordinary, expected, overdue, closed and recent: the statuses of a new account by their types. */
const types = [0, 1, 2, 3, 4] as const

interface Status {
  id: number
  name: string
  type: number
}

/** An account with customers: the next date in days from now, and the expected amount, by their names. */
async function seed(customers: Record<string, [days: number, amount?: number]>) {
  const account = await newAccount()
  const { body } = await account.api.get('/web/v1/bootstrap')
  const statuses = body.customer_statuses as Status[]
  const [ordinary, expected, overdue, closed, recent] = types.map((each) =>
    statuses.find(({ type: of }) => of === each)!,
  ) as [Status, Status, Status, Status, Status]
  const ids: Record<string, number> = {}
  for (const [name, [days, next_price = 0]] of Object.entries(customers))
    ids[name] = await addRecord(account.api, 'customers', {
      name,
      next_price,
      next_date: now + days * day,
    })
  return { account, ids, ordinary, expected, overdue, closed, recent }
}

const statusOf = async ({ api }: TestAccount, id: number) =>
  (await api.get(`/api/v4/customers/${id}`)).body.status_id as number

const dialog = (page: Page) => page.getByRole('dialog')

test('by mouse: counts, sums and cards, a drop on a status, and one that others have overtaken', async () => {
  const { account, ids, ordinary, overdue, closed, expected } = await seed({
    Bakery: [200, 1200],
    Canteen: [300, 300],
    'Nord GmbH': [-3, 900],
  })
  const { page } = await openApplication(browser(), '/customers', { account })
  await shortcut(page, 'v')
  await page.waitForURL('**/customers/board')
  await columnHead(page, `${ordinary.name}, 2 customers, \\$1,500`).waitFor()
  const names = column(page, ordinary.name).getByRole('listitem').getByRole('link')
  await expect.poll(() => names.allInnerTexts()).toEqual(['Bakery', 'Canteen'])
  await cardIn(page, overdue.name, 'Nord GmbH').getByText('3 d late').waitFor()
  await column(page, closed.name).getByText('long ago without a purchase').waitFor()
  await columnHead(page, overdue.name).click()
  await page.getByText('whose next date has passed').waitFor()
  await keys(columnHead(page, overdue.name), 'Escape')
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await accessibilityFaults(page)).toEqual([])
  }

  const patches: unknown[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') patches.push(request.postDataJSON())
  })
  await drag(page, card(page, 'Bakery'), column(page, closed.name))
  await cardIn(page, closed.name, 'Bakery').waitFor()
  await columnHead(page, `${closed.name}, 1 customer, \\$1,200`).waitFor()
  await expect.poll(() => statusOf(account, ids['Bakery']!)).toBe(closed.id)
  expect(patches).toEqual([[{ id: ids['Bakery'], status_id: closed.id }]])
  await page.getByRole('button', { name: 'Undo' }).click()
  await cardIn(page, ordinary.name, 'Bakery').waitFor()
  await expect.poll(() => statusOf(account, ids['Bakery']!)).toBe(ordinary.id)

  // Somebody else moves the card while it is in hand.
  await take(page, card(page, 'Canteen'))
  await carry(page, column(page, closed.name))
  await account.api.patch(`/api/v4/customers/${ids['Canteen']}`, { status_id: expected.id })
  await rest(page)
  await page.mouse.up()
  await page.getByRole('alert').getByText(`moved “Canteen” to ${expected.name}`).waitFor()
  await cardIn(page, expected.name, 'Canteen').waitFor()
  expect(await statusOf(account, ids['Canteen']!)).toBe(expected.id)
  await page.getByRole('button', { name: 'Move all the same' }).click()
  await cardIn(page, closed.name, 'Canteen').waitFor()

  // The card opens over the board, with its neighbours.
  await card(page, 'Canteen').click()
  await page.waitForURL(`**/customers/${ids['Canteen']}`)
  await keys(page.locator('body'), 'Escape')
  await page.waitForURL('**/customers/board**')
  await expect.poll(() => focused(page)).toContain('Canteen')
})

test('by keys: lifting, M, a purchase, a date, and an answer that puts the customer elsewhere', async () => {
  const { account, ids, ordinary, expected, overdue, recent } = await seed({
    Bakery: [200, 1200],
    Canteen: [300, 300],
    Nursery: [-3, 50],
  })
  const { page } = await openApplication(browser(), '/customers/board', { account })
  await card(page, 'Bakery').focus()
  await keys(card(page, 'Bakery'), 'ArrowDown')
  await keys(card(page, 'Canteen'), 'KeyK', 'Space')
  await expect.poll(() => said(page)).toContain('“Bakery” lifted')
  await keys(card(page, 'Bakery'), 'Escape')
  await expect.poll(() => said(page)).toBe('Put back')

  // Onto the recent ones with a purchase, which moves the card.
  await keys(card(page, 'Bakery'), 'KeyM')
  const status = page.getByRole('combobox', { name: 'Status' })
  await type(status, recent.name)
  await keys(status, 'Enter')
  const amount = dialog(page).getByLabel('Amount')
  expect(await accessibilityFaults(page)).toEqual([])
  await type(amount, '80')
  await keys(amount, 'Enter')
  await cardIn(page, recent.name, 'Bakery').getByText('total $80').waitFor()
  expect(await statusOf(account, ids['Bakery']!)).toBe(recent.id)
  await expect.poll(() => focused(page)).toContain('Bakery')

  // Onto the expected ones with a date that is near.
  await card(page, 'Nursery').focus()
  await keys(card(page, 'Nursery'), 'KeyM')
  await type(status, expected.name)
  await keys(status, 'Enter')
  const date = dialog(page).getByLabel('Next purchase on')
  expect(await accessibilityFaults(page)).toEqual([])
  await keys(date, 'Enter')
  await cardIn(page, expected.name, 'Nursery').getByText('tomorrow').waitFor()
  await expect.poll(() => focused(page)).toContain('Nursery')
  await shortcut(page, 'Control+z')
  await cardIn(page, overdue.name, 'Nursery').waitFor()

  // A date far away leaves the customer where its dates say.
  await card(page, 'Canteen').focus()
  await keys(card(page, 'Canteen'), 'KeyM')
  await type(status, expected.name)
  await keys(status, 'Enter')
  await date.fill('2036-05-01')
  await keys(date, 'Enter')
  await page.getByRole('alert').getByText(`“Canteen” is in ${ordinary.name}`).waitFor()
  await page.getByRole('alert').getByText('not near yet').waitFor()
  await cardIn(page, ordinary.name, 'Canteen').getByText('May 1, 2036').waitFor()

  // A purchase without a move.
  await keys(card(page, 'Canteen'), 'KeyB')
  await type(amount, '5')
  await keys(amount, 'Enter')
  await cardIn(page, recent.name, 'Canteen').waitFor()
  await expect.poll(() => focused(page)).toContain('Canteen')
})

test('a colleague sees moves at once; a limited user sees fewer, and moves none but their own', async () => {
  const { account, ids, ordinary, closed, overdue } = await seed({
    Bakery: [200, 1200],
    Canteen: [300, 300],
  })
  const own = { view: 'A', edit: 'M', delete: 'M', add: 'A' } as const
  const { page, faults } = await openApplication(browser(), '/customers/board', {
    account,
    is_admin: false,
    rights: { leads: own, contacts: own, companies: own },
  })
  await account.api.patch(`/api/v4/customers/${ids['Canteen']}`, { status_id: closed.id })
  await cardIn(page, closed.name, 'Canteen').waitFor()
  await columnHead(page, `${ordinary.name}, 1 customer, \\$1,200`).waitFor()
  await card(page, 'Bakery').focus()
  await keys(card(page, 'Bakery'), 'KeyM')
  await page.getByRole('alert').getByText('You may not change it.').waitFor()
  await drag(page, card(page, 'Bakery'), column(page, closed.name))
  expect(await statusOf(account, ids['Bakery']!)).toBe(ordinary.id)
  await expect.poll(() => dialog(page).count()).toBe(0)

  // The filter of the list is that of the board, and a status of it is its only column.
  await page.goto(`${account.kontor.url}/customers/board?filter[status_id]=${closed.id}`)
  await cardIn(page, closed.name, 'Canteen').waitFor()
  await expect.poll(() => column(page, ordinary.name).count()).toBe(0)
  await page.goto(`${account.kontor.url}/customers/board?query=Nobody`)
  await page.getByText('Nothing matches the filter').waitFor()

  // All columns fail, and are asked for again.
  await page.route('**/web/v1/rows/customers?**', (route) => route.fulfill({ status: 500 }))
  await page.goto(`${account.kontor.url}/customers/board`)
  const retry = page.getByRole('main').getByRole('button', { name: 'Try again' })
  await retry.waitFor()
  await page.unroute('**/web/v1/rows/customers?**')
  await retry.click()
  await cardIn(page, closed.name, 'Canteen').waitFor()
  expect(faults.splice(0).every((fault) => fault.includes('500'))).toBe(true)
  await column(page, overdue.name).getByText('has passed without a purchase').waitFor()
})

test('a phone shows one status at a time, and a finger moves by the menu of a card', async () => {
  const { account, ids, ordinary, closed } = await seed({ Bakery: [200, 1200], Canteen: [300] })
  const { page } = await openApplication(
    browser(),
    '/customers/board',
    { account },
    { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  )
  const choice = (name: string) =>
    page.getByRole('group', { name: 'Statuses' }).getByRole('button', { name })
  await choice(ordinary.name).tap()
  await cardIn(page, ordinary.name, 'Canteen').waitFor()
  await expect.poll(() => page.locator('[data-column]').count()).toBe(1)
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Actions: Canteen' }).tap()
  await page.getByRole('menuitem', { name: 'Move to…' }).tap()
  await page.getByRole('option', { name: closed.name }).tap()
  await expect.poll(() => statusOf(account, ids['Canteen']!)).toBe(closed.id)
  await choice(closed.name).tap()
  await cardIn(page, closed.name, 'Canteen').waitFor()
})

test('a long column loads as it is scrolled', async () => {
  const { account, ordinary } = await seed({})
  const names = Array.from({ length: 350 }, (_, at) => `Shop ${String(at).padStart(3, '0')}`)
  await account.api.post(
    '/api/v4/customers',
    names.map((name, at) => ({ name, next_price: 2, next_date: now + (100 + at) * day })),
  )
  const { page } = await openApplication(browser(), '/customers/board', { account })
  await columnHead(page, `${ordinary.name}, 350 customers, \\$700`).waitFor()
  await scrollTo(page, ordinary.name, 100_000)
  await card(page, 'Shop 349').waitFor()
  await scrollTo(page, ordinary.name, 15_000)
  await card(page, 'Shop 155').waitFor()
})
