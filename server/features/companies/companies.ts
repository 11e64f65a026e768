import sql from 'sql-template-tag'
import type { RecordDescription } from '../../records/description.ts'
import { nothingYet } from '../../records/lists/embed.ts'
import { groupShown, recordLink } from '../../records/statements.ts'
import { Company } from './schema.ts'
import type { CompanyDraft, CompanyRow } from './schema.ts'

/** Companies: nothing but what all records have (entities reference, Companies). */
export const companies: RecordDescription<CompanyRow, CompanyDraft, object> = {
  type: 'companies',
  columns: {},
  keys: Object.keys(Company.properties),
  shape: (actor, base) => sql`
    record.id, record.name, record.responsible_user_id, ${groupShown(actor)}, record.created_by, record.updated_by, record.created_at,
    record.updated_at, record.closest_task_at, record.is_deleted, record.account_id,
    ${recordLink('companies', base)} as _links`,

  embeds: { always: [], wanted: ['contacts', 'leads'] },
  extras: nothingYet('customers', 'catalog_elements'),
  prepare: () => Promise.resolve({}),
  draft: () => ({}),
  change: () => ({}),
}
