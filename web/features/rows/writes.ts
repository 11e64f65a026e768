// Sends changes of rows: shown at once, one request for all rows of an act, in their order, repeated while the
// connection is cut, and taken back where the server refuses. This browser keeps each until it is answered.
import { overtakenMembers, recordChange } from '../../crm/changes.ts'
import { ask } from '../../data/api.ts'
import { ChangeOvertaken } from '../../data/conflicts.ts'
import { keepWaiting, noteRetry } from '../../data/waiting.ts'
import { newKey, sendPatiently } from '../../data/writes.ts'
import type { Row } from './rows.ts'
import type { RowStore } from './store.ts'

/** The changes of one record, and the body that makes them. */
export interface RowWrite {
  id: number
  change: Partial<Row>
  body: object
}

export interface RowWriter {
  /** Throws the refusal, or that others have changed the same while the connection was cut. */
  save(writes: readonly RowWrite[]): Promise<void>
  /** Requests that are not answered. */
  waiting(): number
}

/** Records of one request. */
const atOnce = 250

export function makeRowWriter(store: RowStore): RowWriter {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0

  async function send(writes: readonly RowWrite[]): Promise<void> {
    const { type } = store.key
    const key = newKey()
    const path = `/api/v4/${type}`
    const body = writes.map(({ id, body: own }) => ({ id, ...own }))
    const changes = writes.map(({ id, change }) => recordChange(id, store.rows.shown(id), change))
    const forget = keepWaiting({ key, path, body, type, changes, at: Date.now() })
    const operations = writes.map(({ id, change }) => store.begin(id, change))
    const ids = writes.map(({ id }) => id)
    waiting++
    const isOvertaken = async () => {
      noteRetry(key)
      const now = await store.present(ids).catch(() => undefined)
      const isLate = changes.some((change) => {
        const row = now?.get(change.id)
        return row !== undefined && overtakenMembers(change, row).length > 0
      })
      if (isLate) throw new ChangeOvertaken()
      return false
    }
    const sent = last.then(() =>
      sendPatiently(() => ask(path, { method: 'PATCH', body, key }), { key, isOvertaken }),
    )
    last = sent.catch(() => undefined)
    try {
      await sent
      store.confirm(operations)
    } catch (error) {
      store.drop(operations)
      throw error
    } finally {
      forget()
      waiting--
      // A request that was cut may have been done all the same.
      void store.refetch(ids).catch(() => undefined)
    }
  }

  return {
    waiting: () => waiting,
    async save(writes) {
      const parts = Array.from({ length: Math.ceil(writes.length / atOnce) }, (_, index) =>
        writes.slice(index * atOnce, (index + 1) * atOnce),
      )
      const ended = await Promise.allSettled(parts.map((part) => send(part)))
      const failed = ended.find((each) => each.status === 'rejected')
      if (failed) throw failed.reason
    },
  }
}
