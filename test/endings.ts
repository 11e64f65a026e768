// What is to be done when a test file has ended. A hook that a running test adds (`afterAll`) is
// never called by vitest, so what tests start in passing is put down here.
const endings: (() => unknown)[] = []

/** Does something after the last test of this file, and after its own hooks. */
export function atEndOfFile(work: () => unknown): void {
  endings.push(work)
}

/** The last first. */
export async function endFile(): Promise<void> {
  for (const work of endings.splice(0).toReversed()) await work()
}
