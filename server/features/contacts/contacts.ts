import sql from 'sql-template-tag'
import type { RecordDescription } from '../../records/description.ts'
import { nothingYet } from '../../records/lists/embed.ts'
import { groupShown, recordLink } from '../../records/statements.ts'
import { Contact } from './schema.ts'
import type { ContactDraft, ContactRow } from './schema.ts'

interface ContactContext {
  /** How the account joins the two parts of a name. */
  join(first_name: string, last_name: string): string
}

/** Contacts: people, with a name in two parts (entities reference, Contacts). */
export const contacts: RecordDescription<ContactRow, ContactDraft, ContactContext> = {
  type: 'contacts',
  columns: { first_name: 'text', last_name: 'text' },
  keys: Object.keys(Contact.properties),

  shape: (actor, base) => sql`
    record.id, record.name, record.first_name, record.last_name, record.responsible_user_id, ${groupShown(actor)}, record.created_by,
    record.updated_by, record.created_at, record.updated_at, record.closest_task_at, record.is_deleted, false as is_unsorted,
    record.account_id, ${recordLink('contacts', base)} as _links`,

  embeds: { always: ['companies'], wanted: ['leads'] },
  extras: nothingYet('customers', 'catalog_elements', 'social_profiles'),

  searched: ({ first_name, last_name }) => [first_name, last_name],

  async prepare(tx, actor, drafts) {
    const isInParts = drafts.some(
      ({ first_name, last_name }) => first_name !== undefined || last_name !== undefined,
    )
    const account = isInParts
      ? await tx.row<{ order: number }>(
          sql`select contact_name_display_order as order from accounts where id = ${actor.accountId}`,
        )
      : undefined
    return {
      join: (first, last) =>
        (account?.order === 2 ? [last, first] : [first, last]).filter(Boolean).join(' '),
    }
  },

  draft(_actor, { join }, { value }) {
    const first_name = value.first_name?.trim() ?? ''
    const last_name = value.last_name?.trim() ?? ''
    return {
      first_name,
      last_name,
      ...(value.name === undefined && { name: join(first_name, last_name) }),
    }
  },

  change(_actor, { join }, _item, row, { name, first_name, last_name }) {
    const parts = {
      first_name: first_name?.trim() ?? row.first_name,
      last_name: last_name?.trim() ?? row.last_name,
    }
    const isRenamed = name === undefined && (first_name !== undefined || last_name !== undefined)
    return { ...parts, ...(isRenamed && { name: join(parts.first_name, parts.last_name) }) }
  },
}
