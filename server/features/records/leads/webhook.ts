// Leads in the bodies of webhooks (interface: Webhook fields).
import { payloadFields, formerFields } from '../../../changes/webhook-form.ts'
import type { WebhookForm } from '../../../changes/webhook-form.ts'
import { prepareRecords, rowAfter } from '../../../records/webhook.ts'
import type { LeadRow } from './schema.ts'

const own = { status_id: 'status_id', price: 'price', pipeline_id: 'pipeline_id' }

export const leadForm: WebhookForm = {
  keys: { items: 'leads', deletion: 'leads' },
  deletion: ['status_id', 'pipeline_id'],
  async prepare(reader, account, changes) {
    const shared = await prepareRecords(reader, account.id, 'leads', changes)
    return (change, action) => {
      const row = rowAfter(change) as LeadRow
      const { status_id, pipeline_id } = (change.before ?? {}) as Partial<LeadRow>
      const isMoved = status_id !== undefined || pipeline_id !== undefined
      const has = (...actions: string[]) => actions.includes(action)
      return {
        ...shared(row),
        ...payloadFields(row, own),
        // Won and lost have the same ids in all pipelines.
        ...(isMoved &&
          has('update', 'status') &&
          payloadFields({ was: status_id ?? row.status_id }, { old_status_id: 'was' })),
        ...(has('update', 'status') && formerFields(change, ['pipeline_id'])),
        ...(has('update', 'responsible') && formerFields(change, ['responsible_user_id'])),
      }
    }
  },
}
