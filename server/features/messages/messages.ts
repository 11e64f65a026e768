// Messages of chats. Those that a channel publishes come in by the chat protocol (specification, Chat
// channel); those that a user or a program writes leave as callbacks to the channel.
import type { EntityDeclaration } from '../../changes/entity.ts'
import { isHeardInChat, recordBehindChat } from '../chats/chats.ts'
import { messageForm } from './webhook.ts'

export { sendMessage, startCallbacks, waitingCallbacks } from './outgoing/outgoing.ts'
export type { Callbacks } from './outgoing/outgoing.ts'

export const messages: EntityDeclaration = {
  type: 'messages',
  news: {
    browser: ['add', 'send', 'update'],
    webhook: ['add', 'send'],
    recordBehind: recordBehindChat,
    isHeardBy: isHeardInChat,
    shown: (row) => ({ chat_id: (row as { chat_id: number }).chat_id }),
  },
  webhook: messageForm,
}
