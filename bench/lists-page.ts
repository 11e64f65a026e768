// npm run bench:lists-page -- [--leads 1000000]: how the table of that many leads works in Chromium. Medians of `runs`: from the
// press to the first rows, from a jump of the scrollbar to the rows there, frames a second while 100,000 rows pass, the nodes of
// the page, from a press to the edited cell and to the answer of the server, a pasted block, and the numbers of the footer for a
// filter that finds a tenth. Prints a table for bench/results.
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { openApplication } from './application.ts'
import { startTemporaryPostgres } from './postgres.ts'
import { fillSellingAccounts } from './selling.ts'
import { withoutLimits } from './two-sizes.ts'

const { values } = parseArgs({ options: { leads: { type: 'string', default: '1000000' } } })
const leads = Number(values.leads)
const [runs, jumps, edits] = [3, 20, 30]

const at = (list: number[], share: number) =>
  list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))]!
const rows: Record<string, number[]> = {}
const note = (name: string, value: number) => (rows[name] ??= []).push(value)

/** Milliseconds of the page until a condition holds, looked at in each frame. */
const until = (page: Page, act: string, condition: string) =>
  page.evaluate<number>(
    `new Promise((resolve) => {
      const begun = performance.now()
      ${act}
      const look = () => (${condition}) ? resolve(performance.now() - begun) : requestAnimationFrame(look)
      requestAnimationFrame(look)
    })`,
  )

const table = `document.querySelector('[data-table]')`
/** The rows on screen have come: those in its middle, where rows of before would have been scrolled away. */
const hasRows = `${table} && (() => {
  const { left, top, height } = ${table}.getBoundingClientRect()
  return [0.2, 0.5, 0.8].every((share) => document.elementFromPoint(left + 120, top + height * share)?.closest('[data-row]'))
})()`

const postgres = await startTemporaryPostgres('lists')
const environment = { ...postgres.environment, ...withoutLimits }
try {
  await fillSellingAccounts(postgres.url, environment, [leads])
  const { base, signIn, close } = await openApplication({ environment, account: 'board-0' })
  try {
    const context = await signIn()
    for (let run = 0; run < runs; run++) {
      console.error(`run ${run + 1} of ${runs}`)
      const page = await context.newPage()
      await page.goto(`${base}/leads`)
      await page.locator('[data-card]').first().waitFor()
      await page.waitForTimeout(2000)
      note(
        'first rows after the press, ms',
        await until(page, `document.querySelector('a[href^="/leads/list"]').click()`, hasRows),
      )
      await page.goto(`${base}/leads/list`)
      await page.locator('[data-row]').first().waitFor()
      await page.waitForTimeout(2500)
      for (let jump = 0; jump < jumps; jump++) {
        const share = ((jump * 7919 + run * 31) % 1000) / 1000
        note(
          'rows at any position, ms',
          await until(
            page,
            `${table}.scrollTop = ${share} * (${table}.scrollHeight - ${table}.clientHeight)`,
            hasRows,
          ),
        )
        await page.waitForTimeout(100)
      }
      await page.evaluate(`${table}.scrollTop = 0`)
      await page.waitForTimeout(500)
      const frames = await page.evaluate<number[]>(`new Promise((resolve) => {
        const box = ${table}
        const [times, begun] = [[], performance.now()]
        let last = begun
        const step = (now) => {
          times.push(now - last)
          last = now
          // 100,000 rows of 36 pixels in 20 seconds.
          const top = Math.min(3600000, (now - begun) * 180)
          box.scrollTop += top - step.top
          step.top = top
          if (now - begun < 20000) requestAnimationFrame(step)
          else resolve(times.slice(1))
        }
        step.top = 0
        requestAnimationFrame(step)
      })`)
      note('frames a second', (frames.length / frames.reduce((sum, each) => sum + each, 0)) * 1000)
      note('frame, p99, ms', at(frames, 0.99))
      note('nodes', await page.evaluate<number>('document.querySelectorAll("*").length'))
      await page.goto(`${base}/leads/list`)
      await page.locator('[data-row]').first().waitFor()
      await page.waitForTimeout(1500)
      await page
        .locator('[aria-rowindex="2"] [data-column=price]')
        .click({ position: { x: 3, y: 4 } })
      for (let edit = 0; edit < edits; edit++) {
        const price = 100_000 + run * 1000 + edit
        await page.keyboard.press('Enter')
        await page.keyboard.type(String(price))
        const answered = page.waitForResponse(
          (answer) => answer.request().method() === 'PATCH' && answer.ok(),
        )
        const shown = price.toLocaleString('en')
        // The page looks itself, from the moment of the key on: a look from here takes as long as what it measures.
        await page.evaluate(
          `void (window.echo = new Promise((resolve) => addEventListener('keydown', ({ timeStamp }) => {
            const look = () =>
              [...document.querySelectorAll('[data-column=price]')].some((cell) => cell.textContent.includes('${shown}'))
                ? resolve(performance.now() - timeStamp)
                : requestAnimationFrame(look)
            requestAnimationFrame(look)
          }, { once: true, capture: true })))`,
        )
        const begun = performance.now()
        await page.keyboard.press('Enter')
        note('from the key to the cell, ms', await page.evaluate<number>('window.echo'))
        await answered
        note('from the key to the answer, ms', performance.now() - begun)
      }
      await page.close()
    }
    const page = await context.newPage()
    for (let run = 0; run < runs; run++) {
      await page.goto(
        `${base}/leads/list?filter[price][from]=0&filter[price][to]=${Math.floor(leads / 10) - run}`,
      )
      await page.locator('[data-row]').first().waitFor()
      const begun = performance.now()
      await page.locator('[data-number-of=price] b').getByText(/\d/).waitFor()
      note('sum of a tenth, after its rows, ms', performance.now() - begun)
    }
    console.log('| | median | p95 |\n|---|---|---|')
    for (const [name, list] of Object.entries(rows))
      console.log(`| ${name} | ${at(list, 0.5).toFixed(1)} | ${at(list, 0.95).toFixed(1)} |`)
  } finally {
    await close()
  }
} finally {
  await postgres.stop()
}
