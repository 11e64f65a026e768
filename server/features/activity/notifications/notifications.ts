// The notification centre: notices of the server to users. A verb or an engine writes them in the
// transaction of what they tell. Each user has own marks of what is read.
import type { Actor } from '../../../access/actor.ts'
import type { Signals } from '../../../changes/signals.ts'
import type { Database, Reader, Tx } from '../../../database/connect.ts'
import * as queries from './queries.ts'
import type { NewMention, NewNotification } from './queries.ts'
import type { ReadNotifications } from './schema.ts'

export { countUnread } from './queries.ts'

/** The channel on which browsers hear that there are new notifications. */
export const notificationsChannel = 'kontor_notifications'

/**
 * Tells every administrator of an account, those of later days too. Browsers that listen hear of it
 * after the commit.
 */
export async function notifyAdministrators(
  tx: Tx,
  signals: Signals,
  drafts: Omit<NewNotification, 'user_id'>[],
  at: number,
): Promise<void> {
  if (drafts.length === 0) return
  const rows = drafts.map((draft) => ({ ...draft, user_id: 0 }))
  await tx.rows(queries.insertNotifications(rows, at))
  const payloads = new Set(rows.map(({ account_id, user_id }) => `${account_id} ${user_id}`))
  tx.afterCommit(() => {
    for (const payload of payloads) signals.notify(notificationsChannel, payload)
  })
}

/** Tells users that they are mentioned, each once about one text. */
export async function notifyMentioned(tx: Tx, actor: Actor, mentions: NewMention[]): Promise<void> {
  if (mentions.length > 0)
    await tx.rows(queries.insertMentions(actor, notificationsChannel, mentions))
}

/**
 * Whether a signal of `notificationsChannel` is about notifications that the actor may see. An empty
 * one may be about any. Integrations see none.
 */
export function isNotified(
  { accountId, userId, isAdmin, clientId }: Actor,
  payload: string,
): boolean {
  if (clientId !== null) return false
  const own = [`${accountId} ${userId}`, ...(isAdmin ? [`${accountId} 0`] : [])]
  return payload === '' || own.includes(payload)
}

/**
 * Marks notifications as read by the actor. Those that the actor does not see stay as they are. The
 * actor's other browsers hear of it after the commit.
 */
export async function readNotifications(
  tx: Tx,
  signals: Signals,
  actor: Actor,
  which: ReadNotifications,
): Promise<void> {
  const read = await tx.rows(queries.insertReads(actor, which))
  if (read.length > 0)
    tx.afterCommit(() => signals.notify(notificationsChannel, `${actor.accountId} ${actor.userId}`))
}

/** A larger number of unread notifications is not counted. */
const mostCounted = 10_000

export async function unreadNotifications(reader: Reader, actor: Actor): Promise<number> {
  return (await reader.row<{ unread: number }>(queries.countUnread(actor, mostCounted)))!.unread
}

/** Days that notifications stay. */
const keptDays = 90
/** Rows per transaction. */
const chunk = 5000

export async function dropOldNotifications(database: Database, now: number): Promise<number> {
  let dropped = 0
  for (;;) {
    const step = await database.transaction((tx) =>
      tx.row<{ dropped: number }>(queries.dropNotifications(now - keptDays * 86_400, chunk)),
    )
    dropped += step!.dropped
    if (step!.dropped < chunk) return dropped
  }
}
