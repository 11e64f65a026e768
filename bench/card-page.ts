// npm run bench:card-page -- [--leads 1000000] [--keep folder] [--cards 2000]
//
// How cards behave in Chromium. With --leads the account has so many, and five events for each (large.ts), else 1,000.
//   opening from the board, hovered before   click to the frame that has the fields and the feed, their data being local
//   opening cold                             the same for a card that nobody has asked for, its code being loaded
//   typing                                   key to the frame that shows it, in a field of a card while 100 changes a second arrive, 20 of them of this card
//   heap                                     before and after `cards` cards were opened and closed, both collected
// Prints a table for bench/results.
import { parseArgs } from 'node:util'
import type { APIRequestContext, CDPSession, Page } from 'playwright-core'
import { openApplication } from './application.ts'
import type { Application } from './application.ts'
import { openLarge } from './large/open.ts'

const { values } = parseArgs({
  options: {
    leads: { type: 'string' },
    keep: { type: 'string' },
    cards: { type: 'string', default: '2000' },
    openings: { type: 'string', default: '40' },
    seconds: { type: 'string', default: '30' },
  },
})
const [cards, openings, seconds] = [values.cards, values.openings, values.seconds].map(Number)
/** Cards that are opened before the heap is measured. */
const warm = 200
const at = (list: number[], share: number) =>
  list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))]!
const mutter = (line: string) => console.error(line)

const started: (() => Promise<void>)[] = []
try {
  const application = await openFilled()
  started.push(application.close)
  const context = await application.signIn()
  const page = await context.newPage()
  page.on('pageerror', (error) => mutter(`an error of the page: ${error.message}`))
  await page.goto(`${application.base}/leads?sort=created`)
  await page.locator('[data-card]').first().waitFor()
  await page.waitForTimeout(3000)
  const ids = await cardsOn(page)
  // The first card loads the code of cards.
  await openCard(page, ids[0]!)
  const rows: Record<string, number[]> = {}
  for (let turn = 0; turn < openings!; turn++) {
    const id = ids[turn % ids.length]!
    await page.locator(`[data-card="${id}"]`).hover()
    await page.waitForTimeout(700)
    ;(rows['opening from the board, ms'] ??= []).push(await openCard(page, id))
  }
  const unseen = await unseenLeads(context.request, application.base, openings!)
  for (const id of unseen) (rows['opening cold, ms'] ??= []).push(await openAddress(page, id))
  mutter('typing')
  rows['key to frame under 100 changes a second, ms'] = await typing(application, page, unseen)
  mutter(`opening and closing ${cards} cards`)
  await page.goto(`${application.base}/leads?sort=created`)
  await page.locator('[data-card]').first().waitFor()
  const session = await context.newCDPSession(page)
  // The engine compiles the code of cards while the first ones open; that is not growth.
  for (let turn = 0; turn < warm; turn++) await openCard(page, ids[turn % ids.length]!)
  const before = await heap(page, session)
  for (let turn = 0; turn < cards!; turn++) await openCard(page, ids[turn % ids.length]!)
  const after = await heap(page, session)
  console.log('| | median | p95 |\n|---|---|---|')
  for (const [name, list] of Object.entries(rows))
    console.log(`| ${name} | ${at(list, 0.5).toFixed(1)} | ${at(list, 0.95).toFixed(1)} |`)
  const grown = (after / before - 1) * 100
  console.log(
    `\nHeap before and after ${cards} cards: ${before.toFixed(1)} and ${after.toFixed(1)} MB, ${grown.toFixed(1)} % more.`,
  )
} finally {
  for (const stop of started.toReversed()) await stop()
}

async function openFilled(): Promise<Application> {
  if (values.leads !== undefined) {
    const { environment } = await openLarge(Number(values.leads), values.keep, mutter, started)
    return openApplication({ environment, account: 'large' })
  }
  const application = await openApplication()
  const { request } = await application.signIn()
  for (let from = 0; from < 1000; from += 250)
    await request.post(`${application.base}/api/v4/leads`, {
      headers: { origin: application.base },
      data: Array.from({ length: 250 }, (_, index) => ({
        name: `Lead ${from + index}`,
        price: from + index,
      })),
    })
  return application
}

/** The ids of the leads whose cards are whole on the screen. */
function cardsOn(page: Page): Promise<number[]> {
  return page.evaluate<number[]>(
    `[...document.querySelectorAll('[data-card]')].filter((each) => {
       const { top, bottom, left, right } = each.getBoundingClientRect()
       return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth
     }).map((each) => Number(each.dataset.card))`,
  )
}

/** The card is whole: its own fields, and its feed or the words that there is none. */
function isWhole(id: number): string {
  return `document.querySelector('[data-record="leads-${id}"] [data-member]') && document.querySelector('[data-record="leads-${id}"] [role="feed"]')`
}

/** Ms from the start of `act` to the first frame in which `condition` holds. Both are scripts. */
function untilFrame(page: Page, act: string, condition: string): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const begun = performance.now()
    ${act}
    const look = () => (${condition}) ? resolve(performance.now() - begun) : requestAnimationFrame(look)
    requestAnimationFrame(look)
  })`)
}

/** Opens the card of a lead on the board, and closes it. Answers the ms until it was whole. */
async function openCard(page: Page, id: number): Promise<number> {
  const taken = await untilFrame(
    page,
    `document.querySelector('[data-card="${id}"] a').click()`,
    isWhole(id),
  )
  await untilFrame(
    page,
    `document.querySelector('[data-veil]').click()`,
    `!document.querySelector('[data-record]')`,
  )
  return taken
}

/** The same by the address, from inside the application. */
function openAddress(page: Page, id: number): Promise<number> {
  return untilFrame(
    page,
    `history.pushState({}, '', '/leads/${id}'); dispatchEvent(new PopStateEvent('popstate', { state: {} }))`,
    isWhole(id),
  )
}

/** Leads that no board has shown. */
async function unseenLeads(
  request: APIRequestContext,
  base: string,
  count: number,
): Promise<number[]> {
  const answer = await request.get(`${base}/api/v4/leads?limit=${count}&order[updated_at]=asc`)
  const { _embedded } = (await answer.json()) as { _embedded: { leads: { id: number }[] } }
  return _embedded.leads.map(({ id }) => id)
}

/** Ms from each key to the frame that shows it, while a program changes 100 leads a second. */
async function typing(
  { base, token }: Application,
  page: Page,
  leads: number[],
): Promise<number[]> {
  const program = await token()
  const [own] = leads
  await openAddress(page, own!)
  const over = new AbortController()
  let index = 0
  /** Of each batch of five, one change is of the card that is open. */
  const change = async () => {
    const items = [
      own!,
      ...Array.from({ length: 4 }, () => leads[1 + (++index % (leads.length - 1))]!),
    ]
    const answer = await fetch(`${base}/api/v4/leads`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${program}`, 'content-type': 'application/json' },
      body: JSON.stringify(items.map((id) => ({ id, price: ++index }))),
    })
    if (!answer.ok) throw new Error(`a change was refused: ${answer.status}`)
    await answer.arrayBuffer()
  }
  const begun = performance.now()
  const changing = (async () => {
    const sent: Promise<void>[] = []
    for (let each = 0; !over.signal.aborted; each++) {
      const wait = begun + each * 50 - performance.now()
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
      sent.push(change())
    }
    await Promise.all(sent)
  })()
  await page.locator('[data-record] [data-title]').first().click()
  await page.keyboard.press('End')
  await page.evaluate(`(() => {
    globalThis.keys = []
    document.addEventListener('keydown', ({ timeStamp }) =>
      requestAnimationFrame(() => setTimeout(() => keys.push(performance.now() - timeStamp))), true)
  })()`)
  while (performance.now() - begun < seconds! * 1000) {
    await page.keyboard.press('x')
    await page.waitForTimeout(100)
  }
  over.abort()
  await changing
  await page.keyboard.press('Escape')
  return page.evaluate<number[]>('keys')
}

/** MB of the heap of the page after collection. */
async function heap(page: Page, session: CDPSession): Promise<number> {
  for (let time = 0; time < 3; time++) await session.send('HeapProfiler.collectGarbage')
  return (await page.evaluate<number>('performance.memory.usedJSHeapSize')) / 2 ** 20
}
