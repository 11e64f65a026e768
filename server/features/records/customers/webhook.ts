// Customers in the bodies of webhooks (interface: Webhook fields).
import { payloadFields, formerFields } from '../../../changes/webhook-form.ts'
import type { WebhookForm } from '../../../changes/webhook-form.ts'
import { prepareRecords, rowAfter } from '../../../records/webhook.ts'
import type { CustomerRow } from './schema.ts'

/** `period_id` is the older name of the status. */
const own = {
  next_price: 'next_price',
  next_date: 'next_date',
  status_id: 'status_id',
  period_id: 'status_id',
  periodicity: 'periodicity',
  created_by: 'created_by',
}

export const customerForm: WebhookForm = {
  keys: { items: 'customers', deletion: 'customers' },
  deletion: ['status_id'],
  async prepare(reader, account, changes) {
    const shared = await prepareRecords(reader, account.id, 'customers', changes)
    return (change, action) => {
      const row = rowAfter(change) as CustomerRow
      return {
        ...shared(row),
        ...payloadFields(row, own),
        ...(action === 'update' && formerFields(change, ['status_id'])),
        ...formerFields(change, ['responsible_user_id']),
      }
    }
  },
}
