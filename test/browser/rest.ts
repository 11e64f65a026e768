// A page is at rest when it waits for nothing (web/data/rest.ts) and shows no transition any more.
import type { Page } from 'playwright-core'
import { stretched } from '../slow.ts'

/** Milliseconds within which a page comes to rest. */
const patienceMs = stretched(30_000)

/**
 * Waits until the page is at rest, and throws what it waits for otherwise. Answers that the test itself
 * withholds do not count, nor do the rows that stand in for them: `withheld` matches them as the page names them, for
 * example `GET /web/v1/jobs`.
 */
export async function rest(page: Page, withheld?: RegExp): Promise<void> {
  const left = await page.evaluate<string>(
    `(${restOf.toString()})(${patienceMs}, ${withheld ?? null})`,
  )
  if (left !== '') throw new Error(`after ${patienceMs} ms the page still waits for: ${left}`)
}

/** Gives the window another size, and waits until the page is drawn in it. */
export async function resize(page: Page, width: number, height: number): Promise<void> {
  await page.setViewportSize({ width, height })
  await rest(page)
}

/* oxlint-disable unicorn/consistent-function-scoping -- the page runs this text, which can name nothing outside of it. */
declare const document: {
  documentElement: { dataset: Record<string, string | undefined> }
  getAnimations(): {
    playState: string
    effect: { getComputedTiming(): { endTime: number } } | null
  }[]
}
declare const requestAnimationFrame: (then: () => void) => void
declare const requestIdleCallback: (then: () => void, options: { timeout: number }) => void

async function restOf(patienceMs: number, withheld: RegExp | null): Promise<string> {
  const frame = () => new Promise<void>((then) => requestAnimationFrame(() => then()))
  // The browser is idle after the effects and the rendering that an act has set off.
  const idle = () =>
    new Promise<void>((then) => requestIdleCallback(() => then(), { timeout: 1000 }))
  const open = () => {
    const waits = (document.documentElement.dataset['busy'] ?? '').split(', ')
    const moves = document
      .getAnimations()
      .filter(
        ({ playState, effect }) =>
          playState === 'running' && Number.isFinite(effect?.getComputedTiming().endTime),
      )
    return [
      ...waits.filter(
        (each) => each !== '' && !(withheld && (withheld.test(each) || each.startsWith('rows'))),
      ),
      ...moves.map(() => 'a transition'),
    ]
  }
  const end = performance.now() + patienceMs
  for (;;) {
    await frame()
    await idle()
    await frame()
    if (open().length === 0) return ''
    if (performance.now() > end) return open().join(', ')
  }
}
