// npm run bench:board-page: how the board of 10,000 leads in eight stages scrolls in Chromium. Medians of `runs`: frames a second and the longest frames while
// one column scrolls 3,600 pixels a second, the nodes of the page, the time until the board is shown, and from the answer to a change
// by somebody else until its frame: one change at a time, and 50 a second. Prints a table for bench/results.
import type { APIRequestContext, Page } from 'playwright-core'
import { openApplication } from './application.ts'

const runs = 3
const [leads, stages] = [10_000, 8]
const perBatch = 250
const changes = 50
/** The stream: so many seconds of 25 single changes and 5 batches of 5 cards. */
const stream = { seconds: 20, singles: 25, batches: 5, cards: 5 }
const at = (list: number[], share: number) =>
  list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))]!
const median = (list: number[]) => at(list, 0.5)

const { base, signIn, token, close } = await openApplication()
try {
  const context = await signIn()
  const { request } = context
  const { pipeline, first } = await fill(request, base)
  const program = await token()
  const rows: Record<string, number[]> = {}
  const note = (name: string, value: number) => (rows[name] ??= []).push(value)
  for (let run = 0; run < runs; run++) {
    const page = await context.newPage()
    const begun = performance.now()
    await page.goto(`${base}/leads/p/${pipeline}?sort=created`)
    await page.locator('[data-card]').first().waitFor()
    note('until the board is shown, ms', performance.now() - begun)
    await page.waitForTimeout(1500)
    note('nodes', await page.evaluate<number>('document.querySelectorAll("*").length'))
    const frames = await scroll(page, first)
    const time = frames.reduce((sum, each) => sum + each, 0)
    note('frames a second', (frames.length / time) * 1000)
    note('frame, p99, ms', at(frames, 0.99))
    note(
      'nodes after scrolling',
      await page.evaluate<number>('document.querySelectorAll("*").length'),
    )
    note('heap, MB', (await page.evaluate<number>('performance.memory.usedJSHeapSize')) / 2 ** 20)
    for (const delay of await follow(page, request, base, first)) note('change shown, ms', delay)
    for (const delay of await followStream(page, base, program))
      note('change shown at 50 a second, ms', delay)
    await page.close()
  }
  console.log('| | median | p95 |\n|---|---|---|')
  for (const [name, values] of Object.entries(rows))
    console.log(`| ${name} | ${median(values).toFixed(1)} | ${at(values, 0.95).toFixed(1)} |`)
} finally {
  await close()
}

/** A pipeline with the leads; answers its id, and its first stage. */
async function fill(request: APIRequestContext, base: string) {
  const headers = { origin: base }
  const names = Array.from({ length: stages }, (_, index) => ({ name: `Stage ${index + 1}` }))
  const made = await request.post(`${base}/api/v4/leads/pipelines`, {
    headers,
    data: [{ name: 'Large', sort: 99, _embedded: { statuses: names } }],
  })
  const { _embedded } = (await made.json()) as {
    _embedded: {
      pipelines: {
        id: number
        _embedded: { statuses: { id: number; name: string }[] }
      }[]
    }
  }
  const { id: pipeline, _embedded: inside } = _embedded.pipelines[0]!
  const own = inside.statuses.filter(({ name }) => name.startsWith('Stage')).map(({ id }) => id)
  for (let from = 0; from < leads; from += perBatch) {
    await request.post(`${base}/api/v4/leads`, {
      headers,
      data: Array.from({ length: perBatch }, (_, index) => ({
        name: `Lead ${from + index} of a customer with a name`,
        price: (from + index) * 10,
        pipeline_id: pipeline,
        status_id: own[(from + index) % stages],
        _embedded: { tags: [{ name: `tag ${index % 7}` }, { name: `group ${index % 5}` }] },
      })),
    })
  }
  return { pipeline, first: own[0]! }
}

/** Scrolls a column for four seconds; answers the milliseconds of each frame. */
function scroll(page: Page, stage: number): Promise<number[]> {
  return page.evaluate<number[]>(`new Promise((resolve) => {
    const box = document.querySelector('[data-column="${stage}"] [role="list"]').parentElement
    const frames = []
    let last = performance.now()
    const begun = last
    const step = (now) => {
      frames.push(now - last)
      last = now
      box.scrollTop = (now - begun) * 3.6
      if (now - begun < 4000) requestAnimationFrame(step)
      else { box.scrollTop = 0; resolve(frames.slice(1)) }
    }
    requestAnimationFrame(step)
  })`)
}

/** Milliseconds from the answer to a change of somebody else until it is on the board. */
async function follow(
  page: Page,
  request: APIRequestContext,
  base: string,
  stage: number,
): Promise<number[]> {
  const delays: number[] = []
  await page.waitForTimeout(1000)
  const visible = (
    await page.evaluate<number[]>(
      `[...document.querySelectorAll('[data-column="${stage}"] [data-card]')].map((each) => Number(each.dataset.card))`,
    )
  ).slice(0, 6)
  for (let change = 0; change < changes; change++) {
    const id = visible[change % visible.length]!
    const name = `Changed ${Date.now()}`
    const answer = await request.patch(`${base}/api/v4/leads/${id}`, {
      headers: { origin: base },
      data: { name },
    })
    if (!answer.ok()) throw new Error(`the change was refused: ${answer.status()}`)
    const begun = performance.now()
    await page.getByText(name, { exact: true }).waitFor()
    delays.push(performance.now() - begun)
  }
  return delays
}

/**
 * Milliseconds from the answers of a stream of changes by a program until the frames that show them. A card that is changed again
 * before its frame counts as shown by the later one.
 */
async function followStream(page: Page, base: string, token: string): Promise<number[]> {
  await page.waitForTimeout(1000)
  const ids = await page.evaluate<number[]>(
    `[...document.querySelectorAll('[data-card]')].filter((each) => {
       const { top, bottom, left, right } = each.getBoundingClientRect()
       return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth
     }).map((each) => Number(each.dataset.card))`,
  )
  await page.evaluate(`(() => {
    globalThis.framed = []
    new MutationObserver((records) => {
      const cards = new Set(records.map(({ target }) => (target.closest ? target : target.parentElement)?.closest('[data-card]')))
      const shown = [...cards].flatMap((card) => {
        const [, index] = /Stream (\\d+)/.exec(card?.textContent ?? '') ?? []
        return index === undefined ? [] : [[Number(card.dataset.card), Number(index)]]
      })
      requestAnimationFrame(() => {
        for (const each of shown) framed.push([...each, performance.timeOrigin + performance.now()])
      })
    }).observe(document.querySelector('main'), { subtree: true, childList: true, characterData: true })
  })()`)
  const answered: { id: number; index: number; at: number }[] = []
  let index = 0
  const change = async (count: number) => {
    const items = Array.from({ length: count }, () => ({
      id: ids[++index % ids.length]!,
      name: `Stream ${index}`,
      index,
    }))
    const answer = await fetch(`${base}/api/v4/leads`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(items.map(({ id, name }) => ({ id, name }))),
    })
    if (!answer.ok) throw new Error(`a change was refused: ${answer.status}`)
    const at = performance.timeOrigin + performance.now()
    await answer.arrayBuffer()
    answered.push(...items.map((item) => ({ id: item.id, index: item.index, at })))
  }
  const sent: Promise<void>[] = []
  const perSecond = stream.singles + stream.batches
  const every = stream.singles / stream.batches + 1
  const begun = performance.now()
  for (let each = 0; each < stream.seconds * perSecond; each++) {
    const wait = begun + (each * 1000) / perSecond - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    sent.push(change(each % every === 0 ? stream.cards : 1))
  }
  await Promise.all(sent)
  await page.waitForTimeout(3000)
  const framed = await page.evaluate<[number, number, number][]>('framed')
  return answered.map(({ id, index: of, at: answeredAt }) => {
    const frame = framed.find(([card, shown]) => card === id && shown >= of)
    if (!frame) throw new Error(`change ${of} of the card ${id} was never shown`)
    return Math.max(0, frame[2] - answeredAt)
  })
}
