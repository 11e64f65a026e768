// This process remembers its callers for a while, and forgets them on a notice
// (docs/decisions/0010-remembered-access.md).
import sql from 'sql-template-tag'
import type { Tx } from '../database/connect.ts'
import type { Kontor } from '../kontor.ts'
import type { Actor } from './actor.ts'

/** The channel for changes of anybody's access. */
export const accessChannel = 'kontor_access'

/**
 * Makes every process forget its callers when `tx` commits, because their access has changed. This
 * process forgets them before the commit is answered, the others when the NOTIFY arrives, which is
 * sent even if this process dies.
 */
export async function forgetAccess(tx: Tx): Promise<void> {
  await tx.rows(sql`select pg_notify('kontor_access', '')`)
  tx.afterCommit(() => tx.signal(accessChannel))
}

/** A caller who was let in, until a token or a session expires. */
export interface Admission {
  actor: Actor
  expiresAt: number
}

/** Finds the actor of a key at a time; `admit` asks the database, or throws. */
type Recall = (key: string, at: number, admit: () => Promise<Admission>) => Promise<Actor>

const rememberSeconds = 10

/**
 * Remembers up to `most` actors, each for ten seconds at most, and only while this process hears of
 * changes. Refused callers are not remembered, or made-up tokens could crowd out the others.
 */
export function rememberActors({ signals }: Pick<Kontor, 'signals'>, most: number): Recall {
  const known = new Map<string, Admission & { readAt: number }>()
  let changes = 0
  signals.on(accessChannel, () => {
    changes++
    known.clear()
  })

  return async (key, at, admit) => {
    const last = signals.connected() ? known.get(key) : undefined
    // The clock may have been put back since.
    const isFresh = last && Math.abs(at - last.readAt) < rememberSeconds
    if (last && isFresh && at < last.expiresAt) return last.actor
    const before = changes
    const admission = await admit()
    // A change announced while the database was asked may concern this very caller.
    if (changes === before) setBounded(known, key, { ...admission, readAt: at }, most)
    return admission.actor
  }
}

/**
 * Remembers the answer to a question about the access of all callers, for ten seconds at most and
 * only while this process hears of changes. Requests that come meanwhile wait for one answer.
 */
export function rememberAnswer<Answer>(
  { signals, now }: Pick<Kontor, 'signals' | 'now'>,
  ask: () => Promise<Answer>,
): () => Promise<Answer> {
  let last: { answer: Promise<Answer>; readAt: number; isThere: boolean } | undefined
  signals.on(accessChannel, () => {
    last = undefined
  })
  return () => {
    const at = now()
    const isGood = last && (signals.connected() || !last.isThere)
    if (isGood && at - last!.readAt < rememberSeconds) return last!.answer
    const read = { answer: ask(), readAt: at, isThere: false }
    last = read
    read.answer.then(
      () => (read.isThere = true),
      () => last === read && (last = undefined),
    )
    return read.answer
  }
}

/** Sets a key as the latest of a map, and drops the oldest key beyond `most`. */
export function setBounded<Value>(
  map: Map<string, Value>,
  key: string,
  value: Value,
  most: number,
): void {
  map.delete(key)
  map.set(key, value)
  if (map.size > most) map.delete(map.keys().next().value!)
}
