// Elements of catalogs in the bodies of webhooks (interface: Webhook fields).
import sql from 'sql-template-tag'
import { idsAmong, payloadFields } from '../../../changes/webhook-form.ts'
import type { WebhookForm } from '../../../changes/webhook-form.ts'
import { fieldsOfCatalog } from '../../../entity-types.ts'
import { fieldsOf, fieldsVersion } from '../../../records/fields/definitions.ts'
import type { Fields } from '../../../records/fields/definitions.ts'
import { payloadCustomFields, rowAfter } from '../../../records/webhook.ts'
import type { ElementRow } from './queries.ts'

const own = {
  id: 'id',
  catalog_id: 'catalog_id',
  name: 'name',
  created_by: 'created_by',
  date_create: 'created_at',
  created_at: 'created_at',
  date_modify: 'updated_at',
  updated_at: 'updated_at',
  account_id: 'account_id',
}

export const elementForm: WebhookForm = {
  keys: { items: 'catalogs', deletion: 'catalogs' },
  deletion: ['catalog_id'],
  async prepare(reader, account, changes) {
    const rows = changes.map(({ after }) => after as ElementRow | null)
    const filled = rows.filter((row) => row?.custom_fields_values)
    const fields = new Map<number, Fields>()
    const known = await reader.row<{ version: number }>(
      sql`select ${fieldsVersion(account.id)} as version`,
    )
    // The definitions of a catalog are read once by each process, until an account's fields change.
    for (const id of idsAmong(filled, 'catalog_id'))
      fields.set(id, await fieldsOf(reader, account.id, fieldsOfCatalog(id), known!.version))
    return (change) => {
      const row = rowAfter(change) as ElementRow
      return { ...payloadFields(row, own), ...payloadCustomFields(fields.get(row.catalog_id), row) }
    }
  },
}
