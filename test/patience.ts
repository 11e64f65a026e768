// Stretches the times that tests name for a wait, where the run is slowed down on purpose (slow.ts); vitest.config.ts stretches the usual
// ones. The modules of a worker are shared by its files, so this happens once.
import { expect, vi } from 'vitest'
import { patience, stretched } from './slow.ts'

/** What `vi.waitFor` and `vi.waitUntil` wait where a test names no time. */
const usualWaitMs = 1000

type Wait = number | { timeout?: number; interval?: number }

if (patience > 1) {
  const { poll } = expect
  const { waitFor, waitUntil } = vi
  Object.assign(expect, {
    poll: (read: () => unknown, { timeout, ...options }: Exclude<Wait, number> = {}) =>
      poll(read, { ...options, ...(timeout !== undefined && { timeout: stretched(timeout) }) }),
  })
  vi.waitFor = (check, wait) => waitFor(check, longer(wait))
  vi.waitUntil = (check, wait) => waitUntil(check, longer(wait))
}

function longer(wait: Wait = {}): Wait {
  if (typeof wait === 'number') return stretched(wait)
  return { ...wait, timeout: stretched(wait.timeout ?? usualWaitMs) }
}
