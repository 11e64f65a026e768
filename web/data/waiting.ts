// Changes of records that wait for the server. This browser keeps each from its beginning to its
// answer, so that a page that is reloaded or closed loses none: the next page sends those that
// were left, with the same keys, so the server does each once.
import { keptCollection } from './kept-entries.ts'

/** The members of a record by their names: what was shown before a change, and what it makes of them. */
export interface WaitingChange {
  id: number
  before: Record<string, unknown>
  after: Record<string, unknown>
}

/** A PATCH of records. */
export interface WaitingWrite {
  /** The idempotency key of all its attempts. */
  key: string
  path: string
  body: unknown
  /** The entity type of the records. */
  type: string
  changes: WaitingChange[]
  /** In milliseconds since 1970. */
  at: number
}

/** The server knows a key for 24 hours; a write that is nearly as old might be done twice. */
export const longestWaitMs = 20 * 3_600_000

const kept = keptCollection<WaitingWrite>('waiting', { most: 100 }, (former) =>
  (former as WaitingWrite[]).map((write) => [write.key, write] as const),
)

/** The writes of this page that have no answer yet. */
const present = new Map<string, WaitingWrite>()

/** All writes that this browser keeps, those of other pages among them; the oldest first. */
export const allWaiting = (): readonly WaitingWrite[] => kept.entries().map(([, write]) => write)

/** Whether a write of this page waits that this browser could not keep. */
export const isWaitingUnkept = (): boolean =>
  [...present.keys()].some((key) => kept.read(key) === undefined)

/** Keeps a write until it is answered. Answers the function that forgets it. */
export function keepWaiting(write: WaitingWrite): () => void {
  present.set(write.key, write)
  kept.put(write.key, write)
  return () => forgetWaiting(write.key)
}

/** The keys of writes that were sent once without an answer. */
const retried = new Set<string>()

/** Notes that a write waits for the connection: others may change the same before it is sent again. */
export function noteRetry(key: string): void {
  for (const own of present.keys()) if (own.startsWith(key)) retried.add(own)
}

/** The writes of this page on their first way to the server, the oldest first. */
export const readFirstAttempts = (): readonly WaitingWrite[] =>
  [...present.values()].filter(({ key }) => !retried.has(key))

export function forgetWaiting(key: string): void {
  present.delete(key)
  retried.delete(key)
  kept.remove(key)
}
