// Contacts in the bodies of webhooks (interface: Webhook fields).
import sql from 'sql-template-tag'
import { idsAmong, payloadText, formerFields } from '../../../changes/webhook-form.ts'
import type { Payload, WebhookForm } from '../../../changes/webhook-form.ts'
import type { Reader } from '../../../database/connect.ts'
import { linkedLeads, prepareRecords, rowAfter } from '../../../records/webhook.ts'
import type { ContactRow } from './schema.ts'

export const contactForm: WebhookForm = {
  keys: { items: 'contacts', deletion: 'contacts' },
  beside: { type: 'contact' },
  deletion: [],
  async prepare(reader, account, changes) {
    const shared = await prepareRecords(reader, account.id, 'contacts', changes)
    const rows = changes.map(({ after }) => after)
    const ids = idsAmong(rows, 'id')
    const companies = await companiesOf(reader, account.id, ids)
    const leads = await linkedLeads(reader, account.id, 'contacts', ids)
    return (change) => {
      const row = rowAfter(change) as ContactRow
      return {
        ...shared(row),
        ...formerFields(change, ['responsible_user_id']),
        ...companies.get(row.id),
        ...leads.get(row.id),
      }
    }
  },
}

async function companiesOf(
  reader: Reader,
  accountId: number,
  ids: number[],
): Promise<Map<number, Payload>> {
  if (ids.length === 0) return new Map()
  const rows = await reader.rows<{ contact_id: number; id: number; name: string }>(
    companiesOfContacts(accountId, ids),
  )
  return new Map(
    rows.map(({ contact_id, id, name }) => [
      contact_id,
      { company_name: payloadText(name), linked_company_id: payloadText(id) },
    ]),
  )
}

export const companiesOfContacts = (accountId: number, ids: number[]) => sql`
  select link.from_id as contact_id, company.id, company.name
    from links link
    join companies company on company.account_id = link.account_id and company.id = link.to_id and not company.is_deleted
   where link.account_id = ${accountId} and link.from_type = 'contacts' and link.from_id = any(${ids}::bigint[])
     and link.to_type = 'companies'`
