// Talks in the bodies of webhooks (interface: Webhook fields).
import sql from 'sql-template-tag'
import { idsAmong, payloadText, payloadFields } from '../../../../changes/webhook-form.ts'
import type { WebhookForm } from '../../../../changes/webhook-form.ts'
import { singular } from '../../../../entity-types.ts'
import { rowAfter } from '../../../../records/webhook.ts'

interface JournaledTalk {
  id: number
  chat_id: number
  contact_id: number | null
  entity_type: 'leads' | 'customers' | null
  entity_id: number | null
  closed_at: number | null
  is_read: boolean
}

/** The members of a talk that its row has. */
const fields = { talk_id: 'id', created_at: 'created_at', updated_at: 'updated_at', rate: 'rate' }

export const talkForm: WebhookForm = {
  keys: { items: 'talk', deletion: null },
  deletion: [],
  async prepare(reader, account, changes) {
    const ids = idsAmong(
      changes.map(({ after }) => after),
      'chat_id',
    )
    const rows = await reader.rows<PayloadChat>(payloadChats(account.id, ids))
    const chats = new Map(rows.map((row) => [row.id, row]))
    return (change) => {
      const talk = rowAfter(change) as JournaledTalk
      const chat = chats.get(talk.chat_id)
      if (!chat) throw new Error(`chat ${talk.chat_id} does not exist`)
      return {
        ...payloadFields(talk, fields),
        ...(talk.contact_id !== null && { contact_id: payloadText(talk.contact_id) }),
        chat_id: payloadText(chat.uid),
        ...(talk.entity_type !== null && {
          entity_id: payloadText(talk.entity_id),
          entity_type: singular[talk.entity_type],
        }),
        is_in_work: payloadText(talk.closed_at === null),
        is_read: payloadText(talk.is_read),
        origin: payloadText(chat.code),
        ...(chat.source_id !== null && { source_id: payloadText(chat.source_id) }),
      }
    }
  },
}

interface PayloadChat {
  id: number
  uid: string
  source_id: number | null
  code: string
}

export const payloadChats = (accountId: number, ids: number[]) => sql`
  select chat.id, chat.uid, chat.source_id, channel.code
    from chats chat, lateral (select code from channels where id = chat.channel_id offset 0) channel
   where chat.account_id = ${accountId} and chat.id = any(${ids}::bigint[])`
