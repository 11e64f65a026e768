// The work that is left for the end of a test file. Vitest never calls a hook (`afterAll`) that a
// running test adds, so tests note here how to stop what they start in passing.
const endings: (() => unknown)[] = []

/** Does something after the last test of this file, and after its own hooks. */
export function atEndOfFile(work: () => unknown): void {
  endings.push(work)
}

/**
 * A function that makes a thing at the first call of a test file, and answers it again until the file ends.
 * The servers of a file, and all accounts on them, end with it.
 */
export function oncePerFile<Made>(make: () => Made): () => Made {
  let made: { thing: Made } | undefined
  return () => {
    if (!made) {
      made = { thing: make() }
      atEndOfFile(() => (made = undefined))
    }
    return made.thing
  }
}

/** The last first. */
export async function endFile(): Promise<void> {
  for (const work of endings.splice(0).toReversed()) await work()
}
