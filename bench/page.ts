// npm run bench:page: how fast the web application shows and reacts in Chromium, on a processor slowed four times and a line of 10 Mbit/s, with the data of
// the demo. Medians of `runs`: the largest paint (LCP) with an empty cache and with a full one, the shift of the layout, and from
// a key or a click to the next paint. Prints a table for bench/results.
import type { Page } from 'playwright-core'
import { openApplication } from './application.ts'

const runs = 5
const median = (list: number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!
/** The acts of a user, each from the state that the one before leaves. */
const acts: Record<string, (page: Page) => Promise<void>> = {
  'open the command menu': (page) => page.keyboard.press('Control+k'),
  'type a letter there': (page) => page.keyboard.press('o'),
  'close it': (page) => page.keyboard.press('Escape'),
  'open the notifications': (page) => page.getByRole('button', { name: 'Notifications' }).click(),
  'close them': (page) => page.keyboard.press('Escape'),
  'go to the settings': (page) => page.getByRole('link', { name: 'Settings' }).click(),
}

const { base, signIn, close } = await openApplication()
try {
  const rows: Record<string, number[]> = {}
  const note = (name: string, value: number) => (rows[name] ??= []).push(value)
  for (let run = 0; run < runs; run++) {
    const context = await signIn()
    for (const cache of ['empty cache', 'full cache']) {
      const page = await context.newPage()
      await slow(page)
      await page.goto(`${base}/home`)
      await page.getByRole('heading', { name: 'Latest leads' }).waitFor()
      await page.waitForTimeout(1500)
      const { lcp, cls } = await paintsOf(page)
      note(`largest paint, ${cache}, ms`, lcp)
      note(`shift of the layout, ${cache}`, cls)
      if (cache === 'full cache')
        for (const [name, act] of Object.entries(acts))
          note(`${name}, ms`, await reaction(page, () => act(page)))
      await page.close()
    }
    await context.close()
  }
  console.log('| | median | worst |\n|---|---|---|')
  for (const [name, values] of Object.entries(rows)) {
    const digits = name.includes('shift') ? 3 : 0
    console.log(
      `| ${name} | ${median(values).toFixed(digits)} | ${Math.max(...values).toFixed(digits)} |`,
    )
  }
} finally {
  await close()
}

async function slow(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 5,
    downloadThroughput: 1_250_000,
    uploadThroughput: 1_250_000,
  })
}

function paintsOf(page: Page): Promise<{ lcp: number; cls: number }> {
  return page.evaluate<{ lcp: number; cls: number }>(`new Promise((resolve) => {
    let lcp = 0, cls = 0
    new PerformanceObserver((list) => { lcp = list.getEntries().at(-1).startTime }).observe({ type: 'largest-contentful-paint', buffered: true })
    new PerformanceObserver((list) => { for (const each of list.getEntries()) if (!each.hadRecentInput) cls += each.value }).observe({ type: 'layout-shift', buffered: true })
    setTimeout(() => resolve({ lcp, cls }), 100)
  })`)
}

/** The longest event of an act, from its input to the next paint, in ms. */
async function reaction(page: Page, act: () => Promise<void>): Promise<number> {
  await page.evaluate(`window.longest = 0; window.watching = new PerformanceObserver((list) => {
    for (const each of list.getEntries()) if (each.interactionId) window.longest = Math.max(window.longest, each.duration)
  }); window.watching.observe({ type: 'event', durationThreshold: 16 })`)
  await act()
  await page.waitForTimeout(700)
  return page.evaluate<number>(`window.watching.disconnect(), window.longest`)
}
