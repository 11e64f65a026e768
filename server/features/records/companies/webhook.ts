// Companies in the bodies of webhooks (interface: Webhook fields): under the key of contacts.
import { idsAmong, formerFields } from '../../../changes/webhook-form.ts'
import type { WebhookForm } from '../../../changes/webhook-form.ts'
import { linkedLeads, prepareRecords, rowAfter } from '../../../records/webhook.ts'
import type { RecordRow } from '../../../records/description.ts'

export const companyForm: WebhookForm = {
  keys: { items: 'contacts', deletion: 'companies' },
  beside: { type: 'company' },
  deletion: [],
  async prepare(reader, account, changes) {
    const shared = await prepareRecords(reader, account.id, 'companies', changes)
    const rows = changes.map(({ after }) => after)
    const leads = await linkedLeads(reader, account.id, 'companies', idsAmong(rows, 'id'))
    return (change) => {
      const row = rowAfter(change) as RecordRow
      return {
        ...shared(row),
        ...formerFields(change, ['responsible_user_id']),
        ...leads.get(row.id),
      }
    }
  },
}
