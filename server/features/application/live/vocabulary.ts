// Open pages hear that the vocabulary of their account has changed: stages, fields, people, rights, tags and
// all else that GET /web/v1/bootstrap names. The tables tell it (migration 0054, decision 93), so no verb, job
// or command can forget to.
import type { Signals } from '../../../changes/signals.ts'

/** The channel that the tables tell on: `<account> <kind>`. */
const vocabularyChannel = 'kontor_vocabulary'

/** By then every process has heard that it must ask for rights anew. Milliseconds. */
const firstMs = 50
/** An account that brings thousands of new tags is told of so often at most. Milliseconds. */
const pauseMs = 2000

/** A page is built at most so long before its stream begins. Milliseconds. */
const recentMs = 60_000

export interface Vocabulary {
  /** Whether it may have changed after a page of the account was built whose stream begins now. */
  hasJustChanged(accountId: number): boolean
  end(): void
}

/**
 * Calls `onChanged` for each account whose vocabulary has changed, with the kinds of words since the last call;
 * without an account, and with the kind `all`, where nobody knows which.
 */
export function followVocabulary(
  signals: Signals,
  onChanged: (accountId: number | undefined, kinds: readonly string[]) => void,
): Vocabulary {
  const waiting = new Map<number, { kinds: Set<string>; timer: NodeJS.Timeout }>()
  /** When each account last told of a change, by `performance.now()`; the longest ago first. */
  const changedAt = new Map<number, number>()

  function wait(accountId: number, ms: number): void {
    const kinds = new Set<string>()
    const end = () => {
      waiting.delete(accountId)
      if (kinds.size === 0) return
      onChanged(accountId, [...kinds])
      wait(accountId, pauseMs)
    }
    waiting.set(accountId, { kinds, timer: setTimeout(end, ms).unref() })
  }

  function note(accountId: number): void {
    changedAt.delete(accountId)
    changedAt.set(accountId, performance.now())
    for (const [old, at] of changedAt) {
      if (at > performance.now() - recentMs) break
      changedAt.delete(old)
    }
  }

  const stop = signals.on(vocabularyChannel, (payload) => {
    if (payload === '') return onChanged(undefined, ['all'])
    const [account, kind] = payload.split(' ')
    const accountId = Number(account)
    note(accountId)
    if (!waiting.has(accountId)) wait(accountId, firstMs)
    waiting.get(accountId)!.kinds.add(kind!)
  })
  return {
    hasJustChanged: (accountId) =>
      (changedAt.get(accountId) ?? -recentMs) > performance.now() - recentMs,
    end() {
      stop()
      for (const { timer } of waiting.values()) clearTimeout(timer)
    },
  }
}
