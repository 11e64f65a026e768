// The news of messages, whichever side wrote them.
import type { Entry } from '../../../changes/record.ts'
import type { ChatRow } from '../chats/chats.ts'

/** The news of a visible message: its own, and an event of the record that it went to. */
export function newsOfMessage(
  { contact_id, entity_type, entity_id }: Pick<ChatRow, 'contact_id' | 'entity_type' | 'entity_id'>,
  { id, uid, isOutgoing }: { id: number; uid: string; isOutgoing: boolean },
  by: number | null,
): Entry[] {
  const message: Entry = {
    type: 'messages',
    id,
    actions: [isOutgoing ? 'send' : 'add'],
    before: null,
    events: [],
    ...(by !== null && { by }),
  }
  const entity = entity_id ?? contact_id
  if (entity === null) return [message]
  const event = {
    type: isOutgoing ? 'outgoing_chat_message' : 'incoming_chat_message',
    value_before: [],
    value_after: [{ message: { id: uid } }],
  }
  const about: Entry = {
    type: entity_type ?? 'contacts',
    id: entity,
    actions: [],
    before: null,
    events: [event],
    ...(by !== null && { by }),
  }
  return [message, about]
}
