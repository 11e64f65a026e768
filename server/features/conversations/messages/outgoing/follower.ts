// Turns messages that leave into callbacks. The rows are written in the transaction that moves the
// position of the follower, so each message gets its callback exactly once. Messages of a chat are
// written under its lock, so the journal has them in the order in which they go out. sender.ts sends
// them.
import sql from 'sql-template-tag'
import type { Follower } from '../../../../changes/follow.ts'
import { insertCallbacks } from './queries.ts'
import type { NewCallback } from './queries.ts'

interface Circumstances {
  /** Milliseconds since 1970. */
  nowMs(): number
  /** Called once callbacks are committed. */
  written(): void
}

export function callbackFollower({ nowMs, written }: Circumstances): Follower {
  return {
    name: 'chats',
    // A reaction to a message that waits concerns it too: its callback is there, or is found needless.
    concerns: sql`news.entity_type = 'messages' and news.after ->> 'status' = 'sending'`,
    async handle(tx, changes) {
      const callbacks = changes.map(({ account_id, entity_id, after }) => {
        const { chat_id, channel_id } = after as Pick<NewCallback, 'chat_id' | 'channel_id'>
        return { account_id, chat_id, channel_id, message_id: entity_id }
      })
      await tx.rows(insertCallbacks(callbacks, nowMs()))
      tx.afterCommit(written)
    },
  }
}
