// Items as the web application shows them before their acceptance: each with the name, the tags and
// the custom fields of one of its records, the contact or else the lead (specification, Unsorted
// intake). Customers, third in that rule, come with no item.
import type { Actor } from '../../access/actor.ts'
import type { Reader } from '../../database/connect.ts'
import type { PagePosition, PageRow } from '../../http/paging.ts'
import { fieldsOf } from '../../records/fields/definitions.ts'
import type { Fields } from '../../records/fields/definitions.ts'
import { valuesText } from '../../records/fields/show.ts'
import type { KeptValues } from '../../records/fields/values.ts'
import type { ContactDraft } from '../contacts/schema.ts'
import { nameOfDraft, tagsOfDraft, valuesToKeep } from './drafts.ts'
import { itemsWithData, leadsOnCards, planningOfItems } from './queries.ts'
import type { ItemFilter, ItemOrder, ItemRow, LeadOnCard } from './queries.ts'

/** A page of the items that the actor may view, as cards. */
export async function readCards(
  reader: Reader,
  actor: Actor,
  filter: ItemFilter,
  order: ItemOrder | undefined,
  seek: PagePosition,
): Promise<PageRow[]> {
  const items = await reader[planningOfItems(actor, filter, order)]<ItemRow & { key: number }>(
    itemsWithData(actor, filter, order, seek),
  )
  const withoutContact = items.filter(({ data }) => data.contacts.length === 0)
  const ids = withoutContact.flatMap(({ lead_ids }) => lead_ids[0] ?? [])
  const leads = new Map(
    (await reader.rows<LeadOnCard>(leadsOnCards(actor, ids))).map((lead) => [lead.id, lead]),
  )
  const fields = {
    contacts: await fieldsOf(reader, actor.accountId, 'contacts'),
    leads: await fieldsOf(reader, actor.accountId, 'leads'),
  }
  return items.map((item) => {
    const { id, key, uid, category, source_name, source_uid, pipeline_id, created_at } = item
    const { lead_ids, contact_ids, company_ids, metadata, data } = item
    const [contact] = data.contacts
    const preview = contact
      ? previewOfContact(fields.contacts, contact)
      : previewOfLead(fields.leads, leads.get(lead_ids[0]!))
    const shown = { uid, category, source_name, source_uid, pipeline_id, created_at }
    const records = { lead_ids, contact_ids, company_ids, metadata }
    const json = JSON.stringify({ ...shown, ...records }).slice(0, -1)
    return { id, key, json: `${json},"preview":${preview}}` }
  })
}

function previewOfContact(fields: Fields, draft: ContactDraft): string {
  const tags = tagsOfDraft(draft).flatMap(({ name }) => name ?? [])
  return preview('contacts', nameOfDraft(draft), tags, fields, valuesToKeep(fields, draft))
}

const previewOfLead = (fields: Fields, lead: LeadOnCard | undefined): string =>
  preview('leads', lead?.name ?? '', lead?.tags ?? [], fields, lead?.custom_fields_values ?? null)

function preview(
  entity_type: 'contacts' | 'leads',
  name: string,
  tags: string[],
  fields: Fields,
  values: KeptValues,
): string {
  const shown = JSON.stringify({ entity_type, name, tags }).slice(0, -1)
  return `${shown},"custom_fields_values":${valuesText(fields, values)}}`
}
