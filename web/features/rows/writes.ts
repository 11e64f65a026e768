// Sends changes of rows: shown at once, one request for all rows of an act, in their order, repeated while the
// connection is cut, and taken back where the server refuses. This browser keeps each until it is answered.
import { makeChangeSender, recordChange } from '../../crm/changes.ts'
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
  const sendInTurn = makeChangeSender()
  let waiting = 0

  async function send(writes: readonly RowWrite[]): Promise<void> {
    const { type } = store.key
    const body = writes.map(({ id, body: own }) => ({ id, ...own }))
    const changes = writes.map(({ id, change }) => recordChange(id, store.rows.shown(id), change))
    const operations = writes.map(({ id, change }) => store.begin(id, change))
    const ids = writes.map(({ id }) => id)
    waiting++
    try {
      await sendInTurn({ path: `/api/v4/${type}`, body, type, changes }, async () => {
        const now = await store.present(ids).catch(() => undefined)
        return (id) => now?.get(id)
      })
      store.confirm(operations)
    } catch (error) {
      store.drop(operations)
      throw error
    } finally {
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
