// Sends the user's changes: shown at once, sent one after the other for each record, repeated while
// the connection is cut, and taken back where the server refuses.
import type { Operation } from '../../overlay.ts'
import { sendPatiently } from '../../writes.ts'
import type { Card, Store } from './store.ts'

export interface Write {
  changes: { id: number; change: Partial<Card> | null }[]
  /** Sends it. The same key in each attempt: the server does it once. */
  send: (key: string) => Promise<unknown>
}

export type Outcome =
  | { kind: 'done' }
  | { kind: 'refused'; error: unknown }
  /** Others changed the same while the write waited for the connection. */
  | { kind: 'conflict'; ids: number[] }

export interface Writer {
  perform(write: Write): Promise<Outcome>
  /** Writes that are not answered. */
  waiting(): number
}

export function makeWriter(store: Store, options?: { patience: number }): Writer {
  /** The end of the last write of each record. */
  const queues = new Map<number, Promise<unknown>>()
  let waiting = 0

  async function send(write: Write, operations: Operation<Card>[]): Promise<Outcome> {
    let ids: number[] = []
    const isOvertaken = async () => (ids = await conflicting(store, operations)).length > 0
    try {
      await sendPatiently(write.send, { isOvertaken, ...options })
    } catch (error) {
      return { kind: 'refused', error }
    }
    return ids.length > 0 ? { kind: 'conflict', ids } : { kind: 'done' }
  }

  return {
    waiting: () => waiting,
    async perform(write) {
      const operations = write.changes.map(({ id, change }) => store.begin(id, change))
      const ids = operations.map(({ id }) => id)
      waiting++
      const before = Promise.all(ids.flatMap((id) => queues.get(id) ?? []))
      const outcome = before.then(() => send(write, operations))
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
        waiting--
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
      return now && base && now.status_id !== base.status_id && now.status_id !== change!.status_id
    })
    .map(({ id }) => id)
}
