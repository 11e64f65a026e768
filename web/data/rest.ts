// The page says what it still waits for: requests, parts whose code is on its way, a focus that was asked for.
// The root of the document names it as `data-busy` until nothing is left, so that whoever drives the
// page from outside knows when it is at rest. The live stream, what is fetched before anybody asks
// for it, and an offer of undo are no waiting.

/** As far as this file uses it; undefined where the stores of the application are tested without a page. */
const { document } = globalThis as unknown as {
  document?: { documentElement: { dataset: Record<string, string | undefined> } }
}

const open = new Map<symbol, string>()

/** Adds `what` to what the page waits for. Answers the function that takes it away. */
export function wait(what: string): () => void {
  const key = Symbol(what)
  open.set(key, what)
  show()
  return () => {
    if (open.delete(key)) show()
  }
}

/** Waits for `answer` as `what`. */
export async function waitFor<Answer>(what: string, answer: Promise<Answer>): Promise<Answer> {
  const done = wait(what)
  try {
    return await answer
  } finally {
    done()
  }
}

/** Makes a function that loads a part of the application one that the page waits for. */
export const part =
  <Loaded>(name: string, load: () => Promise<Loaded>): (() => Promise<Loaded>) =>
  () =>
    waitFor(`part ${name}`, load())

/**
 * Takes the mark away once nothing is left. What has come is drawn first: RestMark (ui/waiting.tsx)
 * does it in a transition of its own, which React shows after all that is more urgent.
 */
let release = clear

/** Lets `next` take the mark away in place of this module, which would do it at once. */
export function releaseBy(next: () => void): void {
  release = next
}

/** Takes the mark away, unless the page has begun to wait for something else. */
export function clear(): void {
  if (open.size === 0) delete document?.documentElement.dataset['busy']
}

function show(): void {
  if (open.size === 0) release()
  else if (document) document.documentElement.dataset['busy'] = [...open.values()].join(', ')
}
