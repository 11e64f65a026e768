// A page that is left takes care of two things. Fields in edit end as when the focus leaves them. Changes that
// wait for the server are sent once more, in requests that outlive the page. Both are kept in this browser, too,
// in case that nothing arrives. A page that only disappears from view may be ended without a further word, so
// drafts are kept then.
import { ask, outlivesPage } from './api.ts'
import { isLeaving } from './tabs.ts'
import { askBeforeLeaving } from './unload.ts'
import { isWaitingUnkept, readFirstAttempts } from './waiting.ts'

/** A field in edit. */
export interface OpenEdit {
  /** Ends as when the focus leaves the field: saves the draft, or keeps it where that cannot be. */
  leave: () => void
  /** Keeps the draft in this browser. */
  keep: () => void
}

const edits = new Set<OpenEdit>()

/** Adds a field in edit. Answers the function that takes it away. */
export function followEdit(edit: OpenEdit): () => void {
  edits.add(edit)
  return () => {
    edits.delete(edit)
  }
}

/** Looks after edits and changes when this page is left, for as long as it lives. */
export function followLeaving(): void {
  askBeforeLeaving(isWaitingUnkept)
  addEventListener('pagehide', () => {
    // After sign-out this browser keeps nothing, and the server takes nothing.
    if (isLeaving()) return
    for (const edit of edits) edit.leave()
    sendLast()
  })
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden' && !isLeaving()) for (const edit of edits) edit.keep()
  })
}

/**
 * Sends what is on its way once more. A write that the connection has cut before is left to the next page, which asks
 * whether others have changed the same since.
 */
function sendLast(): void {
  // A second change of a record waits for the next page, too: requests that outlive this one have no order.
  const records = new Set<string>()
  for (const { key, path, body, type, changes } of readFirstAttempts()) {
    const own = changes.map(({ id }) => `${type} ${id}`)
    const isFirst = !own.some((record) => records.has(record))
    for (const record of own) records.add(record)
    if (!isFirst || !outlivesPage(JSON.stringify(body))) continue
    // The next page sends what did not arrive.
    ask(path, { method: 'PATCH', body, key }).catch(() => undefined)
  }
}
