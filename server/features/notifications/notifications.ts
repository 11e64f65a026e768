// The notification centre: notices of the server to users. A verb or an engine writes them in the
// transaction of what they tell. Each user has own marks of what is read.
import type { Actor } from '../../access/actor.ts'
import type { Database, Reader, Tx } from '../../database/connect.ts'
import * as queries from './queries.ts'
import type { NewNotification } from './queries.ts'
import type { ReadNotifications } from './schema.ts'

/** Tells every administrator of an account, those of later days too. */
export async function notifyAdministrators(
  tx: Tx,
  drafts: Omit<NewNotification, 'user_id'>[],
  at: number,
): Promise<void> {
  if (drafts.length === 0) return
  const rows = drafts.map((draft) => ({ ...draft, user_id: 0 }))
  await tx.rows(queries.insertNotifications(rows, at))
}

/** Marks notifications as read by the actor. Those that the actor does not see stay as they are. */
export async function readNotifications(
  tx: Tx,
  actor: Actor,
  which: ReadNotifications,
): Promise<void> {
  await tx.rows(queries.insertReads(actor, which))
}

export async function unreadNotifications(reader: Reader, actor: Actor): Promise<number> {
  return (await reader.row<{ unread: number }>(queries.countUnread(actor)))!.unread
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
