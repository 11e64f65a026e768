// Changes of records as pages keep them until the server has answered (web/data/waiting.ts).
import { ask } from '../data/api.ts'
import { ChangeOvertaken, isOvertaken } from '../data/conflicts.ts'
import { keepWaiting, noteRetry } from '../data/waiting.ts'
import type { WaitingChange, WaitingWrite } from '../data/waiting.ts'
import { newKey, sendPatiently } from '../data/writes.ts'

/** A change of a record that is shown, without its `dependent` members. */
export function recordChange(id: number, shown: object | undefined, change: object): WaitingChange {
  const members = shown as Record<string, unknown> | undefined
  const after = Object.entries(change).filter(([name]) => !dependent.includes(name))
  return {
    id,
    before: Object.fromEntries(after.map(([name]) => [name, members?.[name] ?? null])),
    after: Object.fromEntries(after),
  }
}

/** Members that follow from others, and tags, of which each write adds or takes one. */
const dependent = ['tags', 'closed_at', 'entered_at', 'updated_at']

/** The members that others have changed since, to other values than the change makes of them. */
export const overtakenMembers = (
  { before, after }: Omit<WaitingChange, 'id'>,
  now: object,
): string[] =>
  Object.keys(after).filter(
    (name) =>
      // The reason of a loss belongs to its stage.
      !(name === 'loss_reason_id' && 'status_id' in after) &&
      isOvertaken(before[name], (now as Record<string, unknown>)[name], after[name]),
  )

/** A record as the server has it now; undefined where it is not known. */
type ReadRecord = (id: number) => object | undefined

/**
 * Sends changes of records one after the other. Each is kept by this browser until it is answered, and repeated while
 * the connection is cut; `readNow` then says what others did meanwhile. Throws the refusal, or that others have changed
 * the same.
 */
export function makeChangeSender() {
  let last: Promise<unknown> = Promise.resolve()
  return async (
    write: Pick<WaitingWrite, 'path' | 'body' | 'type' | 'changes'>,
    readNow: () => Promise<ReadRecord>,
  ): Promise<void> => {
    const { path, body, changes } = write
    const key = newKey()
    const forget = keepWaiting({ ...write, key, at: Date.now() })
    const isOvertakenByOthers = async () => {
      noteRetry(key)
      const now = await readNow()
      const isLate = changes.some((change) => {
        const record = now(change.id)
        return record !== undefined && overtakenMembers(change, record).length > 0
      })
      if (isLate) throw new ChangeOvertaken()
      return false
    }
    const sent = last.then(() =>
      sendPatiently(() => ask(path, { method: 'PATCH', body, key }), {
        key,
        isOvertaken: isOvertakenByOthers,
      }),
    )
    last = sent.catch(() => undefined)
    try {
      await sent
    } finally {
      forget()
    }
  }
}
