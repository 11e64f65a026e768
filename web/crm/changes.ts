// Changes of records as pages keep them until the server has answered (web/data/waiting.ts).
import { isOvertaken } from '../data/conflicts.ts'
import type { WaitingChange } from '../data/waiting.ts'

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
