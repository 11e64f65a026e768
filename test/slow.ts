// What slows a run of tests down on purpose, and how much longer its tests may wait then. `npm run steady` sets these variables.
import { availableParallelism } from 'node:os'

const numberOf = (name: string, usual: number) => Number(process.env[name] ?? usual)

/**
 * The most times that pages are slower than this machine, now more, now less, as on a machine that
 * has much to do. A test that passes only because a page was fast fails with 8 here.
 */
export const slowPages = numberOf('SLOW_PAGES', 1)

/**
 * The most milliseconds that an answer to a browser is kept back, each another time. A test that
 * passes only because an answer came at once fails with 500 here.
 */
export const slowAnswers = numberOf('SLOW_ANSWERS', 0)

/** The least of these milliseconds: each answer comes exactly 2 s late where both are 2000. */
export const slowAnswersFrom = numberOf('SLOW_ANSWERS_FROM', 0)

/** The processes beside the tests that keep a core busy each. */
const busy = numberOf('BUSY', 0)

/**
 * How many times longer than usual a test may take and wait; 1 unless something slows it down. A page is slower by a third of
 * `slowPages` on average, a process has its share of the cores beside the busy ones, and a step waits for an answer or two.
 */
export const patience =
  1 + Math.max(0, slowPages - 1) / 2 + slowAnswers / 500 + busy / availableParallelism()

/** A time that a test may take, in milliseconds, on a run that is slowed down as this one is. */
export const stretched = (ms: number): number => Math.ceil(ms * patience)

/** A number from 0 to 1; with SLOW_SEED the same row of them in each process. */
export const randomly: () => number =
  process.env['SLOW_SEED'] === undefined ? Math.random : seeded(numberOf('SLOW_SEED', 0))

/** The generator "mulberry32": numbers from 0 to 1 that depend on the seed alone. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
