// Items as the web application shows them before their acceptance: each with the name, the tags and
// the custom fields of one of its records, the contact or else the lead (interface: Unsorted item).
// Customers, third in that rule, come with no item. Stored contacts with a phone or an e-mail of
// its contact are named beside it.
import type { Actor } from '../../../access/actor.ts'
import type { Reader } from '../../../database/connect.ts'
import type { PagePosition, PageRow } from '../../../http/paging.ts'
import { fieldsOf } from '../../../records/fields/definitions.ts'
import type { Fields } from '../../../records/fields/definitions.ts'
import { valuesText } from '../../../records/fields/show.ts'
import type { KeptValues } from '../../../records/fields/values.ts'
import { keysOfContact } from '../complex/complex.ts'
import type { ContactDraft } from '../contacts/schema.ts'
import { nameOfDraft, valuesToKeep } from './drafts.ts'
import { tagsOfDraft } from '../../../records/tags.ts'
import { contactsAlike, itemsWithData, leadsOnCards, planningOfItems } from './queries.ts'
import type { ContactAlike, ItemFilter, ItemOrder, ItemRow, LeadOnCard } from './queries.ts'

/** The most stored contacts that a card names. */
const mostAlike = 3

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
  const alike = await findAlike(reader, actor, fields.contacts, items)
  return items.map((item, index) => {
    const { id, key, uid, category, source_name, source_uid, pipeline_id, created_at } = item
    const { lead_ids, contact_ids, company_ids, metadata, data } = item
    const [contact] = data.contacts
    const preview = contact
      ? previewOfContact(fields.contacts, contact)
      : previewOfLead(fields.leads, leads.get(lead_ids[0]!))
    const shown = { uid, category, source_name, source_uid, pipeline_id, created_at }
    const records = { lead_ids, contact_ids, company_ids, metadata }
    const json = JSON.stringify({ ...shown, ...records }).slice(0, -1)
    const same = JSON.stringify(alike.get(index) ?? [])
    return { id, key, json: `${json},"same_contacts":${same},"preview":${preview}}` }
  })
}

/** Stored contacts with a phone or an e-mail of the contact of an item, by the place of the item. */
async function findAlike(
  reader: Reader,
  actor: Actor,
  fields: Fields,
  items: readonly Pick<ItemRow, 'data'>[],
): Promise<Map<number, Omit<ContactAlike, 'place'>[]>> {
  const keys = items.flatMap(({ data: { contacts } }, index) =>
    contacts
      .slice(0, 1)
      .flatMap((draft) =>
        keysOfContact(fields, index, { custom_fields_values: valuesToKeep(fields, draft) }),
      ),
  )
  if (keys.length === 0) return new Map()
  const rows = await reader.rows<ContactAlike>(contactsAlike(actor, keys))
  const byIndex = Map.groupBy(rows, ({ place: index }) => index)
  return new Map(
    [...byIndex].map(([index, some]) => [
      index,
      some.slice(0, mostAlike).map(({ id, name, leads }) => ({ id, name, leads })),
    ]),
  )
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
