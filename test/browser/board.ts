// Shared by tests of the board: a pipeline with leads, and its parts as a user finds them.
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { addLeads } from '../leads.ts'
import { pipelineOf } from '../pipelines.ts'
import { openApplication } from './application.ts'
import type { Opened } from './application.ts'

export interface OpenedBoard extends Opened {
  pipeline: number
  /** The stages New, Offer and Contract by their names. */
  at: Record<string, number>
  /** The ids of the leads by their names. */
  leads: Record<string, number>
}

interface Options {
  account?: TestAccount
  /** The names and prices of leads by stage. */
  leads?: Record<string, [name: string, price?: number][]>
  person?: { is_admin?: boolean; name?: string; rights?: object; language?: string }
  browserOptions?: BrowserContextOptions
  search?: string
}

/** The board of a new pipeline, shown with these leads. */
export async function openBoard(
  browser: Browser,
  { account, leads = {}, person = {}, browserOptions = {}, search = '' }: Options = {},
): Promise<OpenedBoard> {
  const of = account ?? (await newAccount())
  const { id, at } = await pipelineOf(of.api, 'New', 'Offer', 'Contract')
  const drafts = Object.entries(leads).flatMap(([stage, list]) =>
    list.map(([name, price = 0]) => ({
      name,
      price,
      pipeline_id: id,
      status_id: at[stage],
    })),
  )
  const ids = drafts.length > 0 ? await addLeads(of.api, drafts) : []
  const opened = await openApplication(
    browser,
    `/leads/p/${id}${search}`,
    { account: of, ...person },
    browserOptions,
  )
  if (drafts.length > 0) await opened.page.locator('[data-card]').first().waitFor()
  return {
    ...opened,
    pipeline: id,
    at,
    leads: Object.fromEntries(drafts.map(({ name }, index) => [name, ids[index]!])),
  }
}

export const list = (page: Page, stage: string): Locator =>
  page.getByRole('list', { name: stage, exact: true })

/** A card by the name of its lead, wherever it is. */
export const card = (page: Page, name: string): Locator =>
  page.getByRole('listitem', { name: new RegExp(`^${name},`) })

export const cardIn = (page: Page, stage: string, name: string): Locator =>
  list(page, stage).getByRole('listitem', { name: new RegExp(`^${name},`) })

/** The header of a column, which names its count and its sum. */
export const columnHead = (page: Page, text: string): Locator =>
  page.getByRole('button', { name: new RegExp(`^${text}`) })

/** The middle of an element, in pixels of the window. */
export const middleOf = async (locator: Locator) => {
  const { x, y, width, height } = (await locator.boundingBox())!
  return { x: x + width / 2, y: y + height / 2 }
}

/** Takes a card with the mouse and moves it; the button stays pressed. */
export async function take(page: Page, from: Locator): Promise<void> {
  const { x, y } = await middleOf(from)
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + 8, y + 8, { steps: 4 })
}

export async function carry(page: Page, to: Locator): Promise<void> {
  const { x, y } = await middleOf(to)
  await page.mouse.move(x, y, { steps: 6 })
  // The browser tells of the place that the pointer rests on.
  await page.mouse.move(x + 1, y + 1)
}

export async function drag(page: Page, from: Locator, to: Locator): Promise<void> {
  await take(page, from)
  await carry(page, to)
  await page.mouse.up()
}

export const column = (page: Page, stage: string): Locator =>
  page.getByRole('region', { name: stage, exact: true })

/** The words of the live region. */
export const said = (page: Page): Promise<string> =>
  page.evaluate<string>(`document.querySelector('[data-live]').textContent`)

export const scrollerOf = (stage: string) =>
  `document.querySelector('[role="list"][aria-label="${stage}"]').parentElement`

/** Scrolls a column to so many pixels from its top, once it is drawn. */
export const scrollTo = async (page: Page, stage: string, top: number): Promise<void> => {
  const act = `(box) => { box.scrollTo(0, ${top}); return box.scrollTop }`
  await expect
    .poll(() => page.evaluate<number>(`(${act})(${scrollerOf(stage)})`))
    .toBeGreaterThan(top > 0 ? 0 : -1)
}

export const scrolled = (page: Page, stage: string): Promise<number> =>
  page.evaluate<number>(`${scrollerOf(stage)}.scrollTop`)

interface Scroller {
  scrollTop: number
  addEventListener(name: 'click', listener: () => void, options: object): void
}

/**
 * Opens a card of a column. Answers how far the column was scrolled at that moment: the click itself
 * brings a card into view, and does so again where the page has just drawn it anew.
 */
export async function openFrom(page: Page, stage: string, name: string): Promise<number> {
  const scroller = await page.evaluateHandle(scrollerOf(stage))
  const top = scroller.evaluate<number, Scroller>(
    (box) =>
      new Promise((resolve) =>
        box.addEventListener('click', () => resolve(box.scrollTop), { capture: true, once: true }),
      ),
  )
  await card(page, name).getByRole('link').click()
  return top
}

/** The name of what has the focus. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate<string>(`document.activeElement.getAttribute('aria-label') ?? ''`)
