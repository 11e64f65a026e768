// Tasks in the bodies of webhooks (interface: Webhook fields).
import { payloadText, payloadFields, formerFields } from '../../../changes/webhook-form.ts'
import type { WebhookForm } from '../../../changes/webhook-form.ts'
import { localTime } from '../../../records/fields/days.ts'
import { elementTypes, rowAfter } from '../../../records/webhook.ts'
import type { TaskRow } from './queries.ts'

const own = {
  id: 'id',
  task_type: 'task_type_id',
  text: 'text',
  status: 'is_completed',
  account_id: 'account_id',
  created_user_id: 'created_by',
  responsible_user_id: 'responsible_user_id',
  group_id: 'group_id',
  created_at: 'created_at',
  updated_at: 'updated_at',
  complete_before: 'complete_till',
}

export const taskForm: WebhookForm = {
  keys: { items: 'task', deletion: 'task' },
  deletion: [],
  prepare(_reader, { timezone }) {
    const local = (at: unknown) => localTime(timezone, at as number)
    return Promise.resolve((change, action) => {
      const row = rowAfter(change) as TaskRow
      const { is_completed: was } = (change.before ?? {}) as Partial<TaskRow>
      const note = change.note as { id: number; params: { text: string } } | null
      return {
        ...payloadFields(row, own),
        element_id: payloadText(row.entity_id ?? 0),
        element_type: payloadText(row.entity_type === null ? 0 : elementTypes[row.entity_type]),
        date_create: local(row.created_at),
        last_modified: local(row.updated_at),
        complete_till: local(row.complete_till),
        ...formerFields(change, ['responsible_user_id']),
        ...(action === 'update' && {
          action_close: payloadText(row.is_completed && was === false),
          ...formerFields(change, ['text']),
          ...formerFields(change, ['complete_till'], local),
        }),
        ...(note && { result: { id: payloadText(note.id), text: payloadText(note.params.text) } }),
      }
    })
  },
}
