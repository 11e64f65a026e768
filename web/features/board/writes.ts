// Sends the user's changes: shown at once, sent one after the other for each record, repeated while
// the connection is cut, and taken back where the server refuses.
import { isOvertaken } from '../../data/conflicts.ts'
import type { Operation } from '../../data/overlay.ts'
import { newKey, sendPatiently } from '../../data/writes.ts'
import type { Card, Store } from './store.ts'

export interface Write {
  changes: { id: number; change: Partial<Card> | null }[]
  /** Sends it. The same key in each attempt: the server does it once. */
  send: (key: string) => Promise<unknown>
  /** Keeps it in this browser under its key, from before it is shown. Answers the function that forgets it. */
  keep?: (key: string) => () => void
  /** Hears that the connection has cut an attempt. */
  onRetry?: (key: string) => void
}

export type WriteOutcome =
  | { kind: 'done' }
  | { kind: 'refused'; error: unknown }
  /** Others changed the same while the write waited for the connection. */
  | { kind: 'conflict'; ids: number[] }

export interface BoardWriter {
  perform(write: Write): Promise<WriteOutcome>
  /** Writes that are not answered. */
  waiting(): number
  /** Those of them that go with the page. */
  unkept(): number
}

export function makeWriter(store: Store, options?: { patience: number }): BoardWriter {
  /** The end of the last write of each record. */
  const queues = new Map<number, Promise<unknown>>()
  let waiting = 0
  let unkept = 0

  async function send(
    write: Write,
    key: string,
    operations: Operation<Card>[],
  ): Promise<WriteOutcome> {
    let ids: number[] = []
    const isOvertaken = async () => {
      write.onRetry?.(key)
      ids = await conflicting(store, operations)
      return ids.length > 0
    }
    try {
      await sendPatiently(write.send, { key, isOvertaken, ...options })
    } catch (error) {
      return { kind: 'refused', error }
    }
    return ids.length > 0 ? { kind: 'conflict', ids } : { kind: 'done' }
  }

  return {
    waiting: () => waiting,
    unkept: () => unkept,
    async perform(write) {
      const key = newKey()
      const forget = write.keep?.(key)
      const operations = write.changes.map(({ id, change }) => store.begin(id, change))
      const ids = operations.map(({ id }) => id)
      waiting++
      if (!forget) unkept++
      const before = Promise.all(ids.flatMap((id) => queues.get(id) ?? []))
      const outcome = before.then(() => send(write, key, operations))
      for (const id of ids) queues.set(id, outcome)
      try {
        const answer = await outcome
        if (answer.kind === 'done') {
          store.confirm(operations)
          void store.refetch(ids.filter((id) => id > 0)).catch(() => undefined)
        } else {
          store.drop(operations)
          // A request that was cut may have been done all the same.
          void store.refetch(ids.filter((id) => id > 0)).catch(() => undefined)
        }
        return answer
      } finally {
        forget?.()
        waiting--
        if (!forget) unkept--
        for (const id of ids) if (queues.get(id) === outcome) queues.delete(id)
      }
    },
  }
}

/** The records that others moved since the user saw them. */
async function conflicting(store: Store, operations: Operation<Card>[]): Promise<number[]> {
  const moves = operations.filter(({ change }) => change?.status_id !== undefined)
  if (moves.length === 0) return []
  try {
    await store.refetch(moves.map(({ id }) => id))
  } catch {
    return []
  }
  return moves
    .filter(({ id, base, change }) => {
      const now = store.cards.snapshot(id)
      return now && base && isOvertaken(base.status_id, now.status_id, change!.status_id)
    })
    .map(({ id }) => id)
}
