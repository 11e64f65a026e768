// The pauses that tests may make, each with its purpose. None is for waiting: a test waits until
// something has come (expect.poll, vi.waitUntil, test/locks.ts), moves the clock that it passes in, and
// proves that nothing came by a later event that did come. test/architecture.test.ts says who pauses.
import { setTimeout } from 'node:timers/promises'

/** Parts the actors of a race by a random time. `random` gives numbers below 1, and may be seeded. */
export async function atSomeMoment(mostMs: number, random = Math.random): Promise<void> {
  await setTimeout(random() * mostMs)
}

/** The time that a stub takes which is slow on purpose. */
export async function slowly(ms: number): Promise<void> {
  await setTimeout(ms)
}
